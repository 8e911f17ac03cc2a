//! The models, each one line: a name, a world and what is asked of it. All are untimed, in every interleaving, and
//! answered by the whole space.

use watchkeeper_casebook::membership::{MembershipCase, MembershipRequirement};
use watchkeeper_core::{Pid, ProcSet, Promises};
use watchkeeper_explore::{ExploreError, NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{Agreement, Consensus, ConsensusCall, Rotating, Strong};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::Space;
use watchkeeper_world::{Capacity, Channel, DeliveryOrder, Faults, Network, Scenario, TypedWorld, World};

/// Threads of each search.
pub const WORKERS: usize = 2;

/// The most bytes of a search.
const MEMORY: u64 = 8 << 30;

/// One model, and how to search it.
pub struct Model {
    /// Its name in tables.
    pub name: String,
    /// Searches it whole.
    pub search: Box<dyn Fn(Reduction) -> Result<Verdict, ExploreError>>,
}

/// All models, in the order of the table.
pub fn all() -> Vec<Model> {
    vec![
        model("ring 3, block:1", world(ring(3), fifo("block:1", 3, 0)), AttemptScope::Deadlock),
        model("ring 3, block:1, 1 crash", world(ring(3), fifo("block:1", 3, 1)), AttemptScope::Deadlock),
        model(
            "heartbeat static 2, block:1, 1 crash",
            world(heartbeat(2), fifo("block:1", 3, 1)),
            AttemptScope::Deadlock,
        ),
        model(
            "heartbeat static 3, block:1, 1 crash",
            world(heartbeat(3), fifo("block:1", 4, 1)),
            AttemptScope::Deadlock,
        ),
        model(
            "Chandra-Toueg 2, block:2, 1 crash",
            world(detector(2), fifo("block:2", 2, 1)),
            AttemptScope::Deadlock,
        ),
        model(
            "Algorithm 10, 2, S, 1 crash, agreement",
            strong(2, "S:momentary", 1),
            AttemptScope::Atom("agreement"),
        ),
        model("Algorithm 10, 3, P, agreement", strong(3, "P", 0), AttemptScope::Atom("agreement")),
        model("Algorithm 10, 3, P, 1 crash, agreement", strong(3, "P", 1), AttemptScope::Atom("agreement")),
        model(
            "Algorithm 11, 3, P, 2 rounds, agreement",
            rotating(3, "P", 0),
            AttemptScope::Atom("agreement"),
        ),
        model(
            "Algorithm 11, 3, P, 2 rounds, 1 crash, agreement",
            rotating(3, "P", 1),
            AttemptScope::Atom("agreement"),
        ),
        membership("membership, faults 3, 1 crash", MembershipCase::faults(3).crashing(&[0], 1)),
        membership(
            "membership, join 2 and 1, 1 word",
            MembershipCase::joining(&[&[0, 1], &[2]]).said_by(&[2]),
        ),
        membership(
            "membership, join 2 and 1, 1 word, 1 crash",
            MembershipCase::joining(&[&[0, 1], &[2]]).said_by(&[2]).crashing(&[0], 1),
        ),
    ]
}

/// What is asked.
enum AttemptScope {
    /// Whether there is a deadlock.
    Deadlock,
    /// Whether this atom always holds.
    Atom(&'static str),
}

fn model(name: &str, space: impl Into<World>, ask: AttemptScope) -> Model {
    let space: World = space.into();
    let question = match ask {
        AttemptScope::Deadlock => Question::no_deadlock(),
        AttemptScope::Atom(name) => {
            let then = space.shape().atom(name).expect("the world has it");
            let invariant = Invariant { name: name.to_string(), when: None, then };
            Question { invariants: vec![invariant], ..Question::default() }
        }
    };
    let search = move |reduction| {
        let search = Search { workers: WORKERS, max_bytes: Some(MEMORY), reduction, ..Search::default() };
        check(&space, &question, &search, &NoCallback)
    };
    Model { name: name.to_string(), search: Box::new(search) }
}

fn world<P: Promises>(protocol: P, scenario: Scenario) -> TypedWorld<P> {
    TypedWorld::new(protocol, scenario).expect("it was built before")
}

fn faults(n: usize, crashes: u32) -> Faults {
    Faults { crashable: ProcSet::first(n), crashes, ..Faults::default() }
}

fn fifo(channel: &str, n: usize, crashes: u32) -> Scenario {
    let channel: Channel = channel.parse().expect("a channel");
    let network = Network { order: DeliveryOrder::Fifo, ..Network::default() }.with_channel(channel);
    Scenario { network, faults: faults(n, crashes), ..Scenario::new(n) }
}

/// Virtual synchrony of a group.
fn membership(name: &str, case: MembershipCase) -> Model {
    let world = case.world(MembershipRequirement::Synchrony).expect("a group");
    model(&format!("{name}, synchrony"), world, AttemptScope::Atom("synchrony"))
}

fn ring(n: usize) -> Ring {
    Ring::new(n, 1).expect("a ring")
}

fn heartbeat(participants: usize) -> Heartbeat {
    Heartbeat::new(HeartbeatVariant::Static, 1, 2, participants).expect("a protocol")
}

fn detector(n: usize) -> ChandraToueg {
    ChandraToueg::new(n, 1, 1).and_then(|detector| detector.capped(1)).expect("a detector")
}

fn strong(n: usize, oracle: &str, crashes: u32) -> TypedWorld<Strong> {
    consensus(Strong::new(n).expect("a protocol"), n, oracle, crashes)
}

fn rotating(n: usize, oracle: &str, crashes: u32) -> TypedWorld<Rotating> {
    let protocol = Rotating::new(n).and_then(|protocol| protocol.within(2)).expect("a protocol");
    consensus(protocol, n, oracle, crashes)
}

fn consensus<P>(protocol: P, n: usize, oracle: &str, crashes: u32) -> TypedWorld<P>
where
    P: Consensus<Call = ConsensusCall> + Promises,
{
    let capacity = Capacity::Unbounded { cap: 64 };
    let network = Network { order: DeliveryOrder::AnyOrder, capacity, ..Network::default() };
    let oracle = Some(oracle.parse().expect("an oracle"));
    let scenario = Scenario { network, faults: faults(n, crashes), oracle, ..Scenario::new(n) };
    let calls = Pid::all(n).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 1)).collect();
    let world = world(protocol, scenario).with_calls(calls).expect("calls");
    world.observed_by(Agreement).expect("an observer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_models_apart() {
        let mut names: Vec<String> = all().into_iter().map(|model| model.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
