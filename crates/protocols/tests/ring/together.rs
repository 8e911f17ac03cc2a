//! Whole rings on a network: rounds that end together, with messages that arrive well before their end or not at all, and
//! messages that are slower than rounds. Under such timing the outcome is known exactly.

use crate::network::{Conditions, Network};
use crate::script::{TIMEOUT, p, ring};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::{
    Ring, RingMsg, RingPolicy, StrongAccuracy, StrongCompleteness, TimeoutAdaptation, WeakAccuracy,
    WeakCompleteness,
};

/// The longest round: a question and its answer take 2.
const LONGEST: u32 = TIMEOUT + 3;

fn network<P: RingPolicy>(ring: Ring<P>) -> Network<Ring<P>> {
    let n = ring.n();
    Network::new(ring, n, Conditions::reliable(1..=1), 0)
}

/// As many rounds pass, if each lasts so long. What is sent at their end is still on its way then.
fn rounds<P: RingPolicy>(network: &mut Network<Ring<P>>, count: usize, length: u32) {
    network.run_until(network.now + count as u64 * u64::from(length));
}

fn suspects<P: RingPolicy>(network: &Network<Ring<P>>, me: Pid) -> ProcSet {
    network.protocol.suspects(me, &network.states[me.index()])
}

fn crash<P: RingPolicy>(network: &mut Network<Ring<P>>, crashed: ProcSet) {
    crashed.iter().for_each(|process| network.crash(process));
}

#[test]
fn everyone_who_crashes_is_suspected_by_the_nearest_that_has_not() {
    for n in 2..=7 {
        for crashed in (0..(1u64 << n) - 1).map(ProcSet::from_bits) {
            let mut system = network(ring(n));
            rounds(&mut system, 1, TIMEOUT);
            crash(&mut system, crashed);
            rounds(&mut system, n + 1, TIMEOUT);
            for me in Pid::all(n).filter(|&me| !crashed.contains(me)) {
                let gap = (1..n).map(|i| p((me.index() + i) % n)).take_while(|&q| crashed.contains(q));
                assert_eq!(suspects(&system, me), gap.collect::<ProcSet>(), "{me} of {n}, crashed {crashed}");
            }
        }
    }
}

#[test]
fn without_crashes_and_delays_nobody_is_ever_suspected() {
    let mut system = network(ring(64));
    for _ in 0..10 {
        rounds(&mut system, 1, TIMEOUT);
        assert!(Pid::all(64).all(|me| suspects(&system, me).is_empty()));
    }
}

/// The known weakness under loss: with everyone suspected by everyone, nobody has anyone to ask, and the
/// silence lasts. One message that is still on its way is enough for its sender and its receiver.
#[test]
fn a_total_loss_ends_in_silence_and_one_message_breaks_it() {
    let n = 5;
    let mut system = network(ring(n));
    for _ in 0..n {
        system.in_flight.clear();
        rounds(&mut system, 1, TIMEOUT);
    }
    assert!(Pid::all(n).all(|me| suspects(&system, me) == ProcSet::first(n).without(me)));
    for _ in 0..10 {
        rounds(&mut system, 1, TIMEOUT);
        assert_eq!(system.in_flight, [], "everyone is its own target, and no one asks itself");
    }
    system.send(p(3), p(1), RingMsg::AreYouAlive);
    rounds(&mut system, 1, TIMEOUT);
    assert_eq!(suspects(&system, p(1)), ProcSet::only(p(2)));
    assert_eq!(suspects(&system, p(3)), ProcSet::from_bits(0b10000 | 0b00001), "p1 has answered");
    rounds(&mut system, 2 * n, TIMEOUT);
    assert_eq!(suspects(&system, p(1)), ProcSet::only(p(2)), "p2 never speaks to p1 unasked");
}

/// Strong completeness: not only the nearest, but everyone that has not crashed suspects exactly those that
/// have, once G has gone around the ring.
#[test]
fn everyone_who_crashes_is_suspected_by_all_that_have_not_where_suspects_travel() {
    for n in 2..=6 {
        for crashed in (0..(1u64 << n) - 1).map(ProcSet::from_bits) {
            let policy = StrongCompleteness::new(TimeoutAdaptation::ForAll { max_delta: Some(LONGEST) });
            let mut system = network(Ring::with_policy(policy, n, TIMEOUT).expect("a ring"));
            rounds(&mut system, 1, TIMEOUT);
            crash(&mut system, crashed);
            rounds(&mut system, 2 * n + 1, LONGEST);
            for me in Pid::all(n).filter(|&me| !crashed.contains(me)) {
                assert_eq!(suspects(&system, me), crashed, "{me} of {n}");
            }
        }
    }
}

/// What the silence of a total loss does to the published detectors it does not do to the one that asks its suspects
/// again, whoever has crashed meanwhile: one round later each arc contains crashed processes only, and G follows
/// within a turn of the ring. From then on a round has one message more for each process that has crashed.
#[test]
fn a_total_loss_is_survived_where_suspects_are_asked_again() {
    for n in 2..=6 {
        for crashed in (0..(1u64 << n) - 1).map(ProcSet::from_bits) {
            let policy = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
            let mut system = network(Ring::with_policy(policy, n, TIMEOUT).expect("a ring"));
            crash(&mut system, crashed);
            for _ in 0..n {
                system.in_flight.clear();
                rounds(&mut system, 1, TIMEOUT);
            }
            let up: Vec<Pid> = Pid::all(n).filter(|&me| !crashed.contains(me)).collect();
            assert!(up.iter().all(|&me| suspects(&system, me) == ProcSet::first(n).without(me)));
            rounds(&mut system, 2 * n + 1, TIMEOUT);
            for &me in &up {
                assert_eq!(suspects(&system, me), crashed, "{me} of {n}");
            }
            let to_targets = if up.len() > 1 { up.len() } else { 0 };
            assert_eq!(system.in_flight.len(), to_targets + crashed.len(), "the questions of a round");
        }
    }
}

/// A process that starts again is trusted by its predecessor within a round and a round trip, and by all within a turn
/// of the ring. In the published detector its predecessor suspects it for ever.
#[test]
fn a_restart_is_noticed_where_suspects_are_asked_again() {
    let n = 4;
    let policy = StrongCompleteness::new(TimeoutAdaptation::Fixed);
    for (policy, left) in [(policy, ProcSet::only(p(1))), (policy.asking_again(), ProcSet::EMPTY)] {
        let mut system = network(Ring::with_policy(policy, n, TIMEOUT).expect("a ring"));
        rounds(&mut system, 1, TIMEOUT);
        system.crash(p(1));
        rounds(&mut system, 2 * n, TIMEOUT);
        assert_eq!(suspects(&system, p(0)), ProcSet::only(p(1)));
        system.restart(p(1));
        let asks_again = left.is_empty();
        system.run_until(system.now + u64::from(TIMEOUT) + 2);
        assert_eq!(suspects(&system, p(0)).contains(p(1)), !asks_again, "p0 has asked, and was answered");
        rounds(&mut system, 2 * n, TIMEOUT);
        assert_eq!(suspects(&system, p(0)), left);
    }
}

/// Every message takes two units of time and every round lasts one at first, so that no answer is in time
/// before a timeout has become four.
fn slow<P: RingPolicy>(policy: P, n: usize) -> Network<Ring<P>> {
    let ring = Ring::with_policy(policy, n, 1).expect("a ring");
    Network::new(ring, n, Conditions::reliable(2..=2), 0)
}

/// How many of the next `ticks` have a suspicion of `q`.
fn suspicions<P: RingPolicy>(network: &mut Network<Ring<P>>, q: Pid, ticks: usize) -> usize {
    let suspected = |network: &mut Network<Ring<P>>| {
        network.run_until(network.now + 1);
        Pid::all(network.states.len()).any(|me| suspects(network, me).contains(q))
    };
    (0..ticks).filter(|_| suspected(network)).count()
}

#[test]
fn patience_ends_the_suspicions_that_a_short_timeout_never_ends() {
    let n = 4;
    let all = |count: &mut dyn FnMut(Pid) -> usize| Pid::all(n).map(count).collect::<Vec<usize>>();
    let mut fixed = slow(WeakCompleteness, n);
    suspicions(&mut fixed, p(0), 200);
    assert!(
        all(&mut |q| suspicions(&mut fixed, q, 50)).iter().all(|&count| count > 0),
        "everyone, again and again"
    );
    let mut strong = slow(StrongAccuracy::new(Some(6)), n);
    assert!(suspicions(&mut strong, p(0), 200) > 0);
    assert_eq!(all(&mut |q| suspicions(&mut strong, q, 50)), [0, 0, 0, 0]);
    let mut weak = slow(WeakAccuracy::new(p(2), Some(6)), n);
    assert!(suspicions(&mut weak, p(2), 200) > 0);
    let counts = all(&mut |q| suspicions(&mut weak, q, 50));
    assert_eq!(counts[2], 0, "the candidate is trusted in the end");
    assert!(counts.iter().any(|&count| count > 0), "and some other need not be: {counts:?}");
}
