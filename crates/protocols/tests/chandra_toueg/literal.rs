//! The detector beside Algorithm 1 of C, written down line by line with a clock: a loop that looks at every
//! peer at every moment. Given the same messages at the same moments, both suspect the same peers at the
//! same moments and have the same timeouts.

use crate::script::{CAP, Effect, Event, PERIOD, TIMEOUT, detector, p, start, step};
use proptest::prelude::*;
use std::collections::BTreeMap;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::chandra_toueg::ChandraTouegTimer;

/// Algorithm 1, for one process.
struct Literal {
    timeout: Vec<u32>,
    suspected: Vec<bool>,
    heard: Vec<u32>,
}

impl Literal {
    fn new(n: usize) -> Literal {
        Literal { timeout: vec![TIMEOUT; n], suspected: vec![false; n], heard: vec![0; n] }
    }

    /// Task 3.
    fn receive(&mut self, q: usize, now: u32) {
        if self.suspected[q] {
            self.timeout[q] = (self.timeout[q] + 2).min(CAP);
            self.suspected[q] = false;
        }
        self.heard[q] = now;
    }

    /// Task 2.
    fn look(&mut self, me: usize, now: u32) {
        for q in (0..self.timeout.len()).filter(|&q| q != me) {
            if !self.suspected[q] && now - self.heard[q] >= self.timeout[q] {
                self.suspected[q] = true;
            }
        }
    }
}

proptest! {
    /// At every moment first the messages, then the timers; the loop looks after the messages.
    #[test]
    fn timers_find_late_what_a_loop_finds_late(
        n in 2..=5usize,
        me in 0..5usize,
        arrivals in prop::collection::vec(prop::collection::vec(0..5usize, 0..3), 0..60),
    ) {
        let (detector, me) = (detector(n), p(me % n));
        let mut literal = Literal::new(n);
        let (mut state, effects) = start(&detector, me);
        let mut armed: BTreeMap<ChandraTouegTimer, u32> = BTreeMap::new();
        let arm = |armed: &mut BTreeMap<ChandraTouegTimer, u32>, effects: Vec<Effect>, now: u32| {
            for effect in effects {
                if let Effect::Arm(timer, bound) = effect {
                    armed.insert(timer, now + bound.lo());
                }
            }
        };
        arm(&mut armed, effects, 0);
        let mut beats = 0;
        let moments = arrivals.len() as u32;
        for (now, senders) in (0..).zip(arrivals) {
            for q in senders.into_iter().map(|q| q % n).filter(|&q| q != me.index()) {
                let effects = step(&detector, me, &mut state, Event::Hear(p(q)));
                arm(&mut armed, effects, now);
                literal.receive(q, now);
            }
            while let Some((&timer, _)) = armed.iter().find(|(_, due)| **due == now) {
                armed.remove(&timer);
                let event = match timer {
                    ChandraTouegTimer::Beat => Event::Beat,
                    ChandraTouegTimer::Wait(peer) => Event::Late(peer),
                };
                beats += u32::from(event == Event::Beat);
                let effects = step(&detector, me, &mut state, event);
                arm(&mut armed, effects, now);
            }
            literal.look(me.index(), now);
            let suspects: ProcSet = Pid::all(n).filter(|q| literal.suspected[q.index()]).collect();
            prop_assert_eq!(detector.suspects(me, &state), suspects);
            for q in Pid::all(n) {
                prop_assert_eq!(detector.timeout(q, &state), literal.timeout[q.index()]);
                let waits = armed.contains_key(&ChandraTouegTimer::Wait(q));
                prop_assert_eq!(waits, q != me && !suspects.contains(q));
            }
        }
        prop_assert_eq!(beats, moments.saturating_sub(1) / PERIOD);
    }
}
