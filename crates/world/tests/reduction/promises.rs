//! What protocols and observers promise about themselves, held against all that they do in small worlds.

use crate::draw::{Ask, Drawn, scenario};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use watchkeeper_core::{Pid, ProcSet, Promises};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, Rotating, RotatingFlaw, Strong};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatCall, HeartbeatVariant};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::{Space, successors};
use watchkeeper_world::{Capacity, DeliveryOrder, Faults, Global, Network, Scenario, TypedWorld};

/// Whom each process that is up names in a state, and how many messages are on their way from whom to whom.
type Seen = (Vec<Option<ProcSet>>, BTreeMap<(Pid, Pid), usize>);

/// Explores a world, and looks whether anybody ever sends to whom it had said it would not, or names someone whom it
/// had not named before: then no step later in any run does either. How many steps were looked at.
fn audit<P>(protocol: P, scenario: Scenario, calls: Vec<(Pid, P::Call, u32)>) -> usize
where
    P: Promises + Clone + Send + 'static,
{
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let (named, last) = (protocol.clone(), Arc::clone(&seen));
    let look = move |global: &Global<'_, P>| {
        let reach = |p: Pid| global.state(p).map(|state| named.reaches(p, state));
        let mut flying = BTreeMap::new();
        for (from, to, _) in global.in_flight() {
            *flying.entry((from, to)).or_insert(0) += 1;
        }
        for (from, (to, _)) in global.processes().flat_map(|p| global.outbox(p).map(move |one| (p, one))) {
            *flying.entry((from, to)).or_insert(0) += 1;
        }
        *last.lock().expect("one thread") = (global.processes().map(reach).collect(), flying);
        true
    };
    let world = TypedWorld::new(protocol, scenario).expect("a world").with_calls(calls).expect("calls");
    let world = world.with_atom("look", false, look);
    let atom = world.shape().atom("look").expect("it was added");
    let at = |row: &[u32]| {
        world.atom(atom, row);
        seen.lock().expect("one thread").clone()
    };
    let (mut queue, mut steps, mut next) = (world.initial(), 0, 0);
    let mut known: HashSet<_> = queue.iter().cloned().collect();
    while next < queue.len() && queue.len() < 5_000 {
        let row = queue[next].clone();
        let (reach, flying) = at(&row);
        for (_, row) in successors(&*world, &row) {
            let (later, flying_later) = at(&row);
            for (p, (before, after)) in Pid::all(reach.len()).zip(reach.iter().zip(&later)) {
                let (Some(before), Some(after)) = (before, after) else { continue };
                assert!(after.is_subset(*before), "{p} names {after}, and named only {before} before");
                steps += 1;
                for ((_, to), count) in flying_later.iter().filter(|((from, _), _)| *from == p) {
                    let sends = *count > flying.get(&(p, *to)).copied().unwrap_or(0);
                    assert!(!sends || before.contains(*to), "{p} sends to {to}, and named only {before}");
                }
            }
            if known.insert(row.clone()) {
                queue.push(row);
            }
        }
        next += 1;
    }
    steps
}

fn unbounded(n: usize, order: DeliveryOrder, crashes: u32) -> Scenario {
    let network = Network { order, capacity: Capacity::Unbounded { cap: 3 }, ..Network::default() };
    let faults = Faults { crashable: ProcSet::first(n), crashes, ..Faults::default() };
    Scenario { network, faults, ..Scenario::new(n) }
}

#[test]
fn nobody_sends_to_whom_it_does_not_name() {
    let fifo = |n| unbounded(n, DeliveryOrder::Fifo, 1);
    audit(Ring::new(3, 1).expect("a ring"), fifo(3), Vec::new());
    let detector = ChandraToueg::new(3, 1, 1).and_then(|detector| detector.capped(1));
    audit(detector.expect("a detector"), fifo(3), Vec::new());
    for variant in HeartbeatVariant::ALL {
        let heartbeat =
            Heartbeat::new(variant, 1, 2, 1 + usize::from(variant.takes_many())).expect("a protocol");
        let n = heartbeat.processes();
        let calls =
            heartbeat.calls().into_iter().map(|(p, call): (Pid, HeartbeatCall)| (p, call, 1)).collect();
        assert!(audit(heartbeat, fifo(n), calls) > 100);
    }
    for n in [2, 3] {
        let proposals = || Pid::all(n).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 2)).collect();
        let scenario = |oracle: &str| Scenario {
            oracle: Some(oracle.parse().expect("an oracle")),
            ..unbounded(n, DeliveryOrder::AnyOrder, 1)
        };
        assert!(audit(Strong::new(n).expect("a protocol"), scenario("S"), proposals()) > 100);
        let rotating = Rotating::new(n).and_then(|protocol| protocol.within(2)).expect("a protocol");
        assert!(audit(rotating.clone(), scenario("<>S:momentary"), proposals()) > 100);
        let again = rotating.flawed(RotatingFlaw::DecidesAgain);
        audit(again, scenario("<>S:momentary"), proposals());
    }
}

/// The draws are only worth something if they keep to what they promise.
#[test]
fn nor_do_the_draws() {
    for seed in 0..60 {
        let protocol = Drawn::<false>::new(seed);
        let (n, fuel) = (protocol.n, protocol.fuel.is_some());
        // Whoever starts again reaches whomever it did at first, and copies are nobody's messages.
        let mut scenario = scenario(seed, n, false, fuel);
        (scenario.faults.recoveries, scenario.network.duplications) = (0, 0);
        audit(protocol, scenario, vec![(Pid::at(0), Ask::Please, 1)]);
    }
}
