//! Protocols alone in simulated clusters: runs are functions of their plans, they follow the model where nothing goes wrong,
//! and where something does, the replay names what really was broken.

use watchkeeper_core::{Bound, Promises};
use watchkeeper_node::{Assumptions, Node};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::detection::AccuracyObserver;
use watchkeeper_protocols::ring::Ring;
use watchkeeper_sim::{
    FaultFamily, Nemesis, NemesisScope, RunVerdict, SimulatedRequirement, SimulatedSubject, SimulationDepth,
    judge, simulate,
};
use watchkeeper_world::{Capacity, Network, Scenario, Timing, TypedWorld, WorldTime};

const MS: u64 = 1_000_000;

fn subject<P: Promises + Clone + Send + 'static>(protocol: P, n: usize) -> SimulatedSubject {
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() };
    let time = WorldTime::Dense(Timing::per_message(Bound::within(4)));
    let world =
        TypedWorld::new(protocol.clone(), Scenario { network, time, ..Scenario::new(n) }).expect("a world");
    let observed = TypedWorld::sharing(&world)
        .and_then(|world| world.observed_by(AccuracyObserver::new(protocol.clone(), n)));
    let observed = observed.expect("an observer");
    let observer = observed.into_world().into_observers().remove(0);
    let requirements = vec![SimulatedRequirement { name: "accuracy".to_string(), observer, always: false }];
    SimulatedSubject {
        n,
        tick: 50 * MS,
        world: world.into_world(),
        requirements,
        calls: Vec::new(),
        opening: vec![None; n],
        restarts: true,
        node: Box::new(move |config, start| Node::new(protocol.clone(), config, start)),
        assumptions: Assumptions { delay: Some(4), lossless: true, ..Assumptions::default() },
    }
}

fn scope(subject: &SimulatedSubject) -> NemesisScope {
    NemesisScope {
        n: subject.n,
        processes: subject.processes(),
        tick: subject.tick,
        delay: (0, 200 * MS),
        lasts: 5_000 * MS,
        restarts: true,
        calls: Vec::new(),
    }
}

fn verdict(subject: &SimulatedSubject, nemesis: &Nemesis, seed: u64, depth: SimulationDepth) -> RunVerdict {
    let plan = nemesis.draw(seed, &scope(subject));
    let mut run = simulate(subject, &plan, depth);
    assert!(!run.truth.messages.is_empty());
    let verdict = judge(subject, &plan, &mut run, 20);
    if let Some(failure) = &verdict.failure {
        panic!("seed {seed}: {failure}\n{plan}");
    }
    verdict
}

#[test]
fn a_run_is_a_function_of_its_plan() {
    let subject = subject(Ring::new(4, 10).expect("a ring"), 4);
    let all = Nemesis::new(FaultFamily::ALL.iter().copied().filter(|family| family.concerns_bare()));
    for seed in 0..20 {
        let plan = all.draw(seed, &scope(&subject));
        assert_eq!(
            simulate(&subject, &plan, SimulationDepth::Bare),
            simulate(&subject, &plan, SimulationDepth::Bare)
        );
    }
}

#[test]
fn where_nothing_goes_wrong_runs_follow_the_model_and_nobody_is_suspected() {
    let ring = subject(Ring::new(5, 10).expect("a ring"), 5);
    let chandra_toueg = subject(ChandraToueg::new(4, 3, 12).expect("a detector"), 4);
    for subject in [ring, chandra_toueg] {
        for seed in 0..40 {
            let verdict = verdict(&subject, &Nemesis::new([]), seed, SimulationDepth::Bare);
            assert_eq!((verdict.broken, verdict.asked), (None, 1), "seed {seed}");
        }
    }
}

#[test]
fn whatever_goes_wrong_is_named_as_what_it_was() {
    let ring = subject(Ring::new(5, 10).expect("a ring"), 5);
    let chandra_toueg = subject(ChandraToueg::new(4, 3, 12).expect("a detector"), 4);
    for subject in [ring, chandra_toueg] {
        for &family in FaultFamily::ALL.iter().filter(|family| family.concerns_bare()) {
            let nemesis = Nemesis::new([family]);
            let named: Vec<_> = (0..60)
                .filter_map(|seed| verdict(&subject, &nemesis, seed, SimulationDepth::Bare).broken)
                .collect();
            let expected = match family {
                FaultFamily::Delay => "delay",
                FaultFamily::Loss | FaultFamily::Partition => "loss",
                FaultFamily::Stall => "speed",
                _ => continue,
            };
            assert!(named.contains(&expected), "{family}: {named:?}");
        }
    }
}
