//! The published algorithm word for word, list of suspects and all, beside the ring on random runs: the
//! target, the flag, the suspects and every effect must agree at each step.

use crate::script::{Effect, Event, TIMEOUT, contents, p, ring, start, step};
use proptest::prelude::*;
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, MAX_PROCESSES, Pid, ProcSet, Suspicion};
use watchkeeper_protocols::ring::RingMsg;
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};

/// Process p of figure 1. Its two tasks exclude each other by a mutex, so each stretch between `wait`
/// and `signal` is one step here.
struct Figure1 {
    n: usize,
    p: Pid,
    target: Pid,
    suspects: BTreeSet<Pid>,
    received: bool,
    effects: Vec<Effect>,
}

impl Figure1 {
    fn new(n: usize, p: Pid) -> Figure1 {
        let mut process = Figure1 {
            n,
            p,
            target: p.succ(n),
            suspects: BTreeSet::new(),
            received: false,
            effects: Vec::new(),
        };
        process.task1_send();
        process
    }

    fn task1_send(&mut self) {
        // Assumption 8: a process does not send to itself. Its answer to itself counts as received.
        if self.target != self.p {
            self.effects.push(Effect::Send(self.target, AreYouAlive));
        }
        self.received = self.target == self.p;
        self.effects.push(Effect::Arm(Bound::exactly(TIMEOUT)));
    }

    fn task1_after_delay(&mut self) {
        if !self.received {
            self.suspects.insert(self.target);
            self.effects.push(Effect::Emit(Suspicion::Suspect(self.target)));
            self.target = self.target.succ(self.n);
        }
    }

    fn task2(&mut self, q: Pid, m: RingMsg) {
        match m {
            AreYouAlive => {
                self.effects.push(Effect::Reply(q, IAmAlive));
                if self.suspects.contains(&q) {
                    self.stop_suspecting(q);
                }
            }
            IAmAlive if q == self.target => self.received = true,
            IAmAlive if self.suspects.contains(&q) => self.stop_suspecting(q),
            IAmAlive => {}
        }
    }

    /// L loses {q, ..., pred(target)}; then q is the target.
    fn stop_suspecting(&mut self, q: Pid) {
        let mut r = q;
        loop {
            assert!(self.suspects.remove(&r), "the arc holds nobody who is not suspected");
            self.effects.push(Effect::Emit(Suspicion::Trust(r)));
            if r == self.target.pred(self.n) {
                break;
            }
            r = r.succ(self.n);
        }
        self.target = q;
        self.received = true;
    }

    fn react(&mut self, event: Event) {
        match event {
            Event::Receive(q, m) => self.task2(q, m),
            Event::Round => {
                self.task1_after_delay();
                self.task1_send();
            }
        }
    }
}

/// A ring, a process of it, and inputs from its peers; rounds are common, so that many are suspected.
fn runs() -> impl Strategy<Value = (usize, usize, Vec<(u8, usize)>)> {
    let size = prop_oneof![3 => 2usize..8, 1 => 8..=MAX_PROCESSES];
    size.prop_flat_map(|n| {
        let input = (0u8..4, 1..n);
        (Just(n), 0..n, prop::collection::vec(input, 0..200))
    })
}

proptest! {
    #[test]
    fn the_ring_is_figure_1((n, me, inputs) in runs()) {
        let (ring, me) = (ring(n), p(me));
        let mut literal = Figure1::new(n, me);
        let (mut state, effects) = start(&ring, me);
        prop_assert_eq!(&effects, &literal.effects);
        for (what, distance) in inputs {
            let from = p((me.index() + distance) % n);
            let event = match what {
                0 => Event::Receive(from, AreYouAlive),
                1 => Event::Receive(from, IAmAlive),
                _ => Event::Round,
            };
            literal.effects.clear();
            literal.react(event);
            let effects = step(&ring, me, &mut state, &event);
            prop_assert_eq!(&effects, &literal.effects);
            prop_assert_eq!(contents(&state), (literal.target, literal.received));
            prop_assert_eq!(ring.suspects(me, &state), literal.suspects.iter().copied().collect::<ProcSet>());
        }
    }
}
