//! Whole rings in lockstep: all rounds end together, and what is sent in a round arrives before its end,
//! or not at all. Under such good timing the outcome is known exactly.

use crate::script::{Effect, Event, TIMEOUT, p, ring, start, step};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::{
    Ring, RingMsg, RingPolicy, RingState, StrongAccuracy, StrongCompleteness, TimeoutAdaptation,
    WeakAccuracy, WeakCompleteness,
};

struct Lockstep<P: RingPolicy = WeakCompleteness> {
    ring: Ring<P>,
    states: Vec<RingState<P::Memory>>,
    crashed: ProcSet,
    /// From, to, what.
    in_flight: Vec<(Pid, Pid, P::Msg)>,
}

impl Lockstep {
    fn new(n: usize) -> Lockstep {
        Lockstep::of(ring(n))
    }
}

impl<P: RingPolicy> Lockstep<P> {
    fn of(ring: Ring<P>) -> Lockstep<P> {
        let n = ring.n();
        let mut system =
            Lockstep { ring, states: Vec::new(), crashed: ProcSet::EMPTY, in_flight: Vec::new() };
        for me in Pid::all(n) {
            let (state, effects) = start(&system.ring, me);
            system.states.push(state);
            system.post(me, effects);
        }
        system
    }

    fn post(&mut self, from: Pid, effects: Vec<Effect<P::Msg>>) {
        for effect in effects {
            if let Effect::Send(to, msg) | Effect::Reply(to, msg) = effect {
                self.in_flight.push((from, to, msg));
            }
        }
    }

    fn step(&mut self, me: Pid, event: Event<P::Msg>) {
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

/// Strong completeness: not only the nearest, but everyone that has not crashed suspects exactly those that
/// have, once G has gone around the ring.
#[test]
fn everyone_who_crashes_is_suspected_by_all_that_have_not_where_suspects_travel() {
    for n in 2..=6 {
        for crashed in (0..(1u64 << n) - 1).map(ProcSet::from_bits) {
            let policy = StrongCompleteness::new(TimeoutAdaptation::ForAll { max_delta: Some(TIMEOUT + 3) });
            let mut system = Lockstep::of(Ring::with_policy(policy, n, TIMEOUT).expect("a ring"));
            system.round();
            system.crashed = crashed;
            for _ in 0..2 * n + 1 {
                system.round();
            }
            for me in Pid::all(n).filter(|&me| !crashed.contains(me)) {
                assert_eq!(system.suspects(me), crashed, "{me} of {n}");
            }
        }
    }
}

/// Every message takes two units of time and every round lasts one at first, so that no answer is in time
/// before a timeout has become four.
struct Slow<P: RingPolicy> {
    system: Lockstep<P>,
    /// Messages with the time they still take.
    on_the_way: Vec<(u32, Pid, Pid, P::Msg)>,
    /// What is left of each round.
    rounds: Vec<u32>,
}

impl<P: RingPolicy> Slow<P> {
    fn new(policy: P, n: usize) -> Slow<P> {
        let system = Lockstep::of(Ring::with_policy(policy, n, 1).expect("a ring"));
        let mut slow = Slow { system, on_the_way: Vec::new(), rounds: vec![1; n] };
        slow.take_up();
        slow
    }

    fn take_up(&mut self) {
        let sent = std::mem::take(&mut self.system.in_flight).into_iter();
        self.on_the_way.extend(sent.map(|(from, to, msg)| (2, from, to, msg)));
    }

    /// One unit of time: what is due arrives, and then the rounds that are over end.
    fn tick(&mut self) {
        for due in &mut self.on_the_way {
            due.0 -= 1;
        }
        let all = std::mem::take(&mut self.on_the_way);
        let (due, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|message| message.0 == 0);
        self.on_the_way = rest;
        for (_, from, to, msg) in due {
            self.system.step(to, Event::Receive(from, msg));
        }
        self.take_up();
        for me in Pid::all(self.rounds.len()) {
            self.rounds[me.index()] -= 1;
            if self.rounds[me.index()] == 0 {
                self.system.step(me, Event::Round);
                let state = &self.system.states[me.index()];
                let ring = &self.system.ring;
                self.rounds[me.index()] = ring.timeout(ring.target(me, state), state);
            }
        }
        self.take_up();
    }

    /// How many of the next `ticks` have a suspicion of `q`.
    fn suspicions(&mut self, q: Pid, ticks: usize) -> usize {
        let n = self.rounds.len();
        let suspected = |slow: &mut Slow<P>| {
            slow.tick();
            Pid::all(n).any(|me| slow.system.suspects(me).contains(q))
        };
        (0..ticks).filter(|_| suspected(self)).count()
    }
}

#[test]
fn patience_ends_the_suspicions_that_a_short_timeout_never_ends() {
    let n = 4;
    let all = |slow: &mut dyn FnMut(Pid) -> usize| Pid::all(n).map(slow).collect::<Vec<usize>>();
    let mut fixed = Slow::new(WeakCompleteness, n);
    fixed.suspicions(p(0), 200);
    assert!(
        all(&mut |q| fixed.suspicions(q, 50)).iter().all(|&count| count > 0),
        "everyone, again and again"
    );
    let mut strong = Slow::new(StrongAccuracy::new(Some(6)), n);
    assert!(strong.suspicions(p(0), 200) > 0);
    assert_eq!(all(&mut |q| strong.suspicions(q, 50)), [0, 0, 0, 0]);
    let mut weak = Slow::new(WeakAccuracy::new(p(2), Some(6)), n);
    assert!(weak.suspicions(p(2), 200) > 0);
    let counts = all(&mut |q| weak.suspicions(q, 50));
    assert_eq!(counts[2], 0, "the candidate is trusted in the end");
    assert!(counts.iter().any(|&count| count > 0), "and some other need not be: {counts:?}");
}
