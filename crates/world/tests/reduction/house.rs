//! The protocols of the house and the samples of the unit tests, in small worlds of many kinds: full search against
//! reduced, for deadlocks, channels and what the protocols require.

use crate::compare::{Tally, compare, invariant};
use crate::samples::{Ask, Flood, PingPong, Register, TokenRing};
use watchkeeper_core::{Pid, ProcSet, Promises};
use watchkeeper_explore::{NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Outcome, Question, Verdict};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{
    Agreement, Consensus, ConsensusCall, Integrity, Rotating, RotatingFlaw, Strong, StrongFlaw, Validity,
};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper_protocols::ring::{
    Ring, RingPolicy, StrongAccuracy, StrongCompleteness, TimeoutAdaptation, WeakAccuracy,
};
use watchkeeper_space::Space;
use watchkeeper_world::{Capacity, Channel, DeliveryOrder, Faults, Network, Scenario, TypedWorld};

/// Every channel in both orders, with nobody who crashes, and with one who may.
fn scenarios(n: usize, channels: &[&str]) -> Vec<Scenario> {
    let mut list = Vec::new();
    for channel in channels {
        let channel: Channel = channel.parse().expect("a channel");
        for order in [DeliveryOrder::Fifo, DeliveryOrder::AnyOrder] {
            for crashes in 0..2 {
                let network = Network { order, ..Network::default() }.with_channel(channel);
                let crashable = if crashes > 0 { ProcSet::first(n) } else { ProcSet::EMPTY };
                let faults = Faults { crashable, crashes, ..Faults::default() };
                list.push(Scenario { network, faults, ..Scenario::new(n) });
            }
        }
    }
    list
}

/// Asks both, with the same engine.
fn both<S: Space>(space: &S, question: &Question, tally: &mut Tally) -> Result<(), String> {
    let all = check(space, question, &Search::default(), &NoCallback).map_err(|why| why.to_string())?;
    compare(space, question, &all, tally)
}

/// Deadlocks and full channels, in all these scenarios.
fn agrees<P: Promises>(protocol: impl Fn() -> P, scenarios: &[Scenario], tally: &mut Tally) {
    for scenario in scenarios {
        let world = TypedWorld::new(protocol(), scenario.clone()).expect("a world");
        for question in [Question::no_deadlock(), invariant(&world, None, "within-capacity")] {
            let told = both(&*world, &question, tally);
            assert_eq!(told, Ok(()), "{scenario:?}");
        }
    }
}

#[test]
fn the_samples() {
    let mut tally = Tally::default();
    let channels = ["block:1", "block:2", "drop:1", "report:1", "report:2", "unbounded:3"];
    agrees(|| PingPong, &scenarios(2, &channels), &mut tally);
    agrees(|| TokenRing { n: 3 }, &scenarios(3, &channels), &mut tally);
    agrees(|| Flood::PLAIN, &scenarios(2, &channels), &mut tally);
    agrees(|| Flood { burst: 2, kinds: 2, at_start: 1, one_way: true }, &scenarios(2, &channels), &mut tally);
    for scenario in scenarios(2, &channels) {
        let world = TypedWorld::new(Register, scenario).expect("a world");
        let calls = vec![(Pid::at(0), Ask::Write(3), 1), (Pid::at(0), Ask::Write(5), 1)];
        let world = world.with_calls(calls).expect("calls");
        let value =
            |_: Pid, kept: Option<&crate::samples::Kept>| kept.map_or(99, |kept| u64::from(kept.value));
        let world = world.with_glancing_atom("not five", false, value, |seen| seen[0] != 5);
        let world = world.with_glancing_atom("in step", false, value, |seen| seen[0] <= seen[1]);
        for name in ["not five", "in step"] {
            assert_eq!(both(&*world, &invariant(&world, None, name), &mut tally), Ok(()));
        }
        assert_eq!(both(&*world, &Question::no_deadlock(), &mut tally), Ok(()));
    }
    println!("samples: {tally:?}");
    assert!(tally.fewer > 0 && tally.violated > 0 && tally.holds > 0, "{tally:?}");
}

fn rings<P: RingPolicy + Clone>(policy: P, tally: &mut Tally) {
    let ring = |n| Ring::with_policy(policy.clone(), n, 1).expect("a ring");
    agrees(|| ring(2), &scenarios(2, &["block:1", "block:2", "report:1", "unbounded:2"]), tally);
}

#[test]
fn the_rings() {
    let mut tally = Tally::default();
    rings(watchkeeper_protocols::ring::WeakCompleteness, &mut tally);
    rings(WeakAccuracy::new(Pid::at(0), Some(1)), &mut tally);
    rings(StrongAccuracy::new(Some(1)), &mut tally);
    rings(StrongCompleteness::new(TimeoutAdaptation::Fixed), &mut tally);
    rings(StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again(), &mut tally);
    let three = scenarios(3, &["block:1"]);
    agrees(|| Ring::new(3, 1).expect("a ring"), &three[..1], &mut tally);
    println!("rings: {tally:?}");
    assert!(tally.violated > 0 && tally.holds > 0, "{tally:?}");
}

#[test]
fn the_heartbeats_and_chandra_toueg() {
    let mut tally = Tally::default();
    let channels = ["block:1", "drop:1", "report:1", "unbounded:2"];
    for (variant, participants) in [
        (HeartbeatVariant::Binary, 1),
        (HeartbeatVariant::Revised, 1),
        (HeartbeatVariant::TwoPhase, 1),
        (HeartbeatVariant::Static, 2),
    ] {
        let heartbeat = || Heartbeat::new(variant, 1, 2, participants).expect("a protocol");
        agrees(heartbeat, &scenarios(participants + 1, &channels), &mut tally);
    }
    let detector = || ChandraToueg::new(2, 1, 1).and_then(|detector| detector.capped(1)).expect("a detector");
    agrees(detector, &scenarios(2, &channels), &mut tally);
    println!("detectors: {tally:?}");
    assert!(tally.fewer > 0 && tally.violated > 0 && tally.holds > 0, "{tally:?}");
}

/// Both verdicts on one requirement of a consensus protocol under an oracle.
fn consensus<P>(protocol: P, oracle: &str, crashes: u32, requirement: &str) -> [Verdict; 2]
where
    P: Consensus<Call = ConsensusCall> + Promises + Clone + Send + 'static,
{
    let n = 2 + usize::from(crashes == 0);
    let network = Network {
        order: DeliveryOrder::AnyOrder,
        capacity: Capacity::Unbounded { cap: 64 },
        ..Network::default()
    };
    let faults = Faults { crashable: ProcSet::first(n), crashes, ..Faults::default() };
    let oracle = Some(oracle.parse().expect("an oracle"));
    let world =
        TypedWorld::new(protocol, Scenario { network, faults, oracle, ..Scenario::new(n) }).expect("a world");
    let calls = Pid::all(n).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 1)).collect();
    let world = world.with_calls(calls).expect("calls");
    let world = match requirement {
        "agreement" => world.observed_by(Agreement),
        "integrity" => world.observed_by(Integrity),
        _ => world.observed_by(Validity),
    };
    let world = world.expect("an observer");
    let question = invariant(&world, None, requirement);
    [Reduction::None, Reduction::PartialOrder].map(|reduction| {
        let search = Search { reduction, ..Search::default() };
        check(&*world, &question, &search, &NoCallback).expect("a verdict")
    })
}

#[test]
fn consensus_under_oracles() {
    let (mut all, mut some) = (0, 0);
    let mut same = |verdicts: [Verdict; 2]| {
        assert_eq!(verdicts[0].word(), verdicts[1].word(), "{}", verdicts[0].property);
        all += verdicts[0].stats.distinct_states;
        some += verdicts[1].stats.distinct_states;
        assert!(verdicts[0].stats.distinct_states >= verdicts[1].stats.distinct_states);
        matches!(verdicts[0].outcome, Outcome::Violated(_))
    };
    let strong = |n| Strong::new(n).expect("a protocol");
    let rotating = |n| Rotating::new(n).and_then(|protocol| protocol.within(2)).expect("a protocol");
    for requirement in ["agreement", "integrity", "validity"] {
        for oracle in ["S", "S:momentary", "P", "<>P:momentary"] {
            same(consensus(strong(2), oracle, 1, requirement));
        }
        for oracle in ["<>S:momentary", "none:momentary", "P:mistakes=1"] {
            same(consensus(rotating(2), oracle, 1, requirement));
        }
    }
    assert!(!same(consensus(strong(3), "P", 0, "agreement")));
    let mut wrong = 0;
    for requirement in ["agreement", "integrity", "validity"] {
        for &flaw in StrongFlaw::ALL {
            wrong += u32::from(same(consensus(strong(2).flawed(flaw), "S", 1, requirement)));
        }
        for &flaw in RotatingFlaw::ALL {
            wrong += u32::from(same(consensus(rotating(2).flawed(flaw), "<>S:momentary", 1, requirement)));
        }
    }
    assert_eq!(wrong, 4, "the flaws that show in two processes");
    println!("consensus: {all} states of all interleavings, {some} of some");
    assert!(some < all);
}
