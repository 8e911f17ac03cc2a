//! Whole rings in lockstep: all rounds end together, and what is sent in a round arrives before its end,
//! or not at all. Under such good timing the outcome is known exactly.

use crate::script::{Effect, Event, p, ring, start, step};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingState};

struct Lockstep {
    ring: Ring,
    states: Vec<RingState<()>>,
    crashed: ProcSet,
    /// From, to, what.
    in_flight: Vec<(Pid, Pid, RingMsg)>,
}

impl Lockstep {
    fn new(n: usize) -> Lockstep {
        let mut system =
            Lockstep { ring: ring(n), states: Vec::new(), crashed: ProcSet::EMPTY, in_flight: Vec::new() };
        for me in Pid::all(n) {
            let (state, effects) = start(&system.ring, me);
            system.states.push(state);
            system.post(me, effects);
        }
        system
    }

    fn post(&mut self, from: Pid, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Send(to, msg) | Effect::Reply(to, msg) = effect {
                self.in_flight.push((from, to, msg));
            }
        }
    }

    fn step(&mut self, me: Pid, event: Event) {
        if !self.crashed.contains(me) {
            let effects = step(&self.ring, me, &mut self.states[me.index()], &event);
            self.post(me, effects);
        }
    }

    /// Delivers all that is in flight, and the answers to it, and then ends the round.
    fn round(&mut self) {
        while !self.in_flight.is_empty() {
            for (from, to, msg) in std::mem::take(&mut self.in_flight) {
                self.step(to, Event::Receive(from, msg));
            }
        }
        for me in Pid::all(self.states.len()) {
            self.step(me, Event::Round);
        }
    }

    fn suspects(&self, me: Pid) -> ProcSet {
        self.ring.suspects(me, &self.states[me.index()])
    }
}

#[test]
fn everyone_who_crashes_is_suspected_by_the_nearest_that_has_not() {
    for n in 2..=7 {
        for crashed in (0..(1u64 << n) - 1).map(ProcSet::from_bits) {
            let mut system = Lockstep::new(n);
            system.round();
            system.crashed = crashed;
            for _ in 0..n + 1 {
                system.round();
            }
            for me in Pid::all(n).filter(|&me| !crashed.contains(me)) {
                let gap = (1..n).map(|i| p((me.index() + i) % n)).take_while(|&q| crashed.contains(q));
                assert_eq!(system.suspects(me), gap.collect::<ProcSet>(), "{me} of {n}, crashed {crashed}");
            }
        }
    }
}

#[test]
fn without_crashes_and_delays_nobody_is_ever_suspected() {
    let mut system = Lockstep::new(64);
    for _ in 0..10 {
        system.round();
        assert!(Pid::all(64).all(|me| system.suspects(me).is_empty()));
    }
}

/// The known weakness under loss: with everyone suspected by everyone, nobody has anyone to ask, and the
/// silence lasts. One message that is still on its way is enough for its sender and its receiver.
#[test]
fn a_total_loss_ends_in_silence_and_one_message_breaks_it() {
    let n = 5;
    let mut system = Lockstep::new(n);
    for _ in 0..n {
        system.in_flight.clear();
        system.round();
    }
    assert!(Pid::all(n).all(|me| system.suspects(me) == ProcSet::first(n).without(me)));
    for _ in 0..10 {
        system.round();
        assert_eq!(system.in_flight, [], "everyone is its own target, and no one asks itself");
    }
    system.in_flight.push((p(3), p(1), RingMsg::AreYouAlive));
    system.round();
    assert_eq!(system.suspects(p(1)), ProcSet::only(p(2)));
    assert_eq!(system.suspects(p(3)), ProcSet::from_bits(0b10000 | 0b00001), "p1 has answered");
    for _ in 0..2 * n {
        system.round();
    }
    assert_eq!(system.suspects(p(1)), ProcSet::only(p(2)), "p2 never speaks to p1 unasked");
}
