//! What the tests simulate: detectors with messages of up to four units of time, whose accuracy is asked.

use watchkeeper_core::{Bound, Promises};
use watchkeeper_node::{Assumptions, Node};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::detection::AccuracyObserver;
use watchkeeper_protocols::ring::Ring;
use watchkeeper_sim::{
    Nemesis, NemesisScope, RunVerdict, SimulatedRequirement, SimulatedSubject, SimulationDepth, judge,
    simulate,
};
use watchkeeper_world::{Capacity, Network, Scenario, Timing, TypedWorld, WorldTime};

pub const MS: u64 = 1_000_000;

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

pub fn scope(subject: &SimulatedSubject) -> NemesisScope {
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

pub fn verdict(
    subject: &SimulatedSubject,
    nemesis: &Nemesis,
    seed: u64,
    depth: SimulationDepth,
) -> RunVerdict {
    let plan = nemesis.draw(seed, &scope(subject));
    let mut run = simulate(subject, &plan, depth);
    assert!(!run.truth.messages.is_empty());
    let verdict = judge(subject, &plan, &mut run, 20);
    if let Some(failure) = &verdict.failure {
        panic!("seed {seed}: {failure}\n{plan}");
    }
    verdict
}

/// A ring of this size.
pub fn ring(n: usize) -> SimulatedSubject {
    subject(Ring::new(n, 10).expect("a ring"), n)
}

/// Heartbeats to all, among so many.
pub fn chandra_toueg(n: usize) -> SimulatedSubject {
    subject(ChandraToueg::new(n, 3, 12).expect("a detector"), n)
}
