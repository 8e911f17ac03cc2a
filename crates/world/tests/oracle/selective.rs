//! What is left lying, what is forgotten, and what a crash loses.

use crate::waiter::{oracle, world};
use crate::walk::{counted, follow, whole};
use std::collections::BTreeSet;
use watchkeeper_core::{
    Effects, Event, Input, Kind, MessageId, Never, Pack, Pid, ProcSet, Promises, Protocol,
};
use watchkeeper_space::{Narration, Space, Value};
use watchkeeper_world::{Faults, OracleAccuracy, Scenario, SuspicionMemory, TypedWorld, World};

const P0: Pid = Pid::at(0);
const P1: Pid = Pid::at(1);
const P2: Pid = Pid::at(2);

/// Of two, each has heard or not: four states. Of three, each takes the two others in turn: three places each, and
/// what is on its way follows from the place.
#[test]
fn messages_wait_for_their_turn() {
    let (states, classes) = counted(&*world(2, 0, None));
    assert_eq!((states, classes["deliver HELLO"]), (4, 4));
    let (states, classes) = counted(&*world(3, 0, None));
    assert_eq!((states, classes["deliver HELLO"], classes.len()), (27, 3 * 2 * 9, 1));
}

/// Each waits, has heard or has given up; what comes too late is gone; and all of it before the oracle settles and
/// after. Nobody who has gone on can be told anything that would change it.
#[test]
fn what_comes_too_late_is_forgotten() {
    let (states, classes) = counted(&*world(2, 0, oracle(OracleAccuracy::None, SuspicionMemory::Momentary)));
    assert_eq!(states, 9 * 2);
    let each_side_while_waiting = 2 * 3 * 2;
    assert_eq!(classes["deliver HELLO"], each_side_while_waiting);
    assert_eq!(classes["suspect"], each_side_while_waiting);
    assert_eq!((classes["settle"], classes.len()), (9, 3));
}

/// A chart shows a message that is forgotten as one that never arrives, and what is on its way to the dead as
/// swallowed.
#[test]
fn what_is_forgotten_is_told_like_what_never_arrives() {
    let world = world(3, 1, oracle(OracleAccuracy::None, SuspicionMemory::Momentary));
    let labels = ["p0 suspects p1 for a moment", "p1 crashes", "p2 receives HELLO from p0"];
    let trail = follow(&*world, &labels);
    let trace = world.replay(&trail).expect("it replays");
    let label = |event: &Event| match event {
        Event::Output { label, .. } => label.clone(),
        other => panic!("{other:?}"),
    };
    let told: Vec<String> = trace.steps[0].events.iter().map(label).collect();
    assert_eq!(told, ["suspect p1", "stop suspecting p1"]);
    assert_eq!(trace.steps[1].events[0], Event::Crash { process: P1 });
    let swallowed = |event: &Event| match event {
        Event::Swallow { message } => *message,
        other => panic!("{other:?}"),
    };
    let gone: BTreeSet<MessageId> = trace.steps[1].events[1..].iter().map(swallowed).collect();
    let sent = trace.opening.iter().filter_map(|event| match event {
        Event::Send { message, to: P1, .. } => Some(*message),
        _ => None,
    });
    assert_eq!(gone, sent.collect());
    // p1's greeting of p0 came too late, and that of p2 is still there.
    let channels = |row: usize| {
        let view = world.view(&trail.rows[row]);
        match view.into_iter().find(|(name, _)| name == "channels") {
            Some((_, Value::Record(lanes))) => lanes.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(channels(1), ["p2->p0", "p0->p1", "p2->p1", "p0->p2", "p1->p2"]);
    assert_eq!(channels(3), ["p2->p0", "p1->p2"]);
}

/// p0 sends one message to each of the others and may crash: each then is on its way, there, or lost.
struct Herald;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum News {
    #[kind("NEWS")]
    News,
}

impl Protocol for Herald {
    type State = bool;
    type Msg = News;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> bool {
        if me == P0 {
            [P1, P2].into_iter().for_each(|p| fx.send(p, News::News));
        }
        false
    }

    fn step(&self, _: Pid, heard: &mut bool, _: Input<'_, Self>, _: &mut impl Effects<Self>) {
        *heard = true;
    }
}

impl Promises for Herald {}

fn herald(crash_loses: bool, losses: u32) -> TypedWorld<Herald> {
    let mut scenario = Scenario::new(3);
    scenario.faults = Faults { crashable: ProcSet::only(P0), crashes: 1, crash_loses, ..Faults::default() };
    scenario.network.losses = losses;
    TypedWorld::new(Herald, scenario).expect("a world")
}

#[test]
fn a_crash_in_the_middle_of_sending() {
    let (states, classes) = counted(&*herald(false, 0));
    assert_eq!((states, classes.get("lose")), (4 + 4, None));
    let (states, classes) = counted(&*herald(true, 0));
    assert_eq!((states, classes["lose"], classes["crash"]), (4 + 9, 2 * 3, 4));
    // With a loss of the network besides: what is lost of the dead is not counted.
    let world = herald(true, 1);
    let (rows, _) = whole(&*world);
    let losses = |row: &Vec<u32>| world.view(row).into_iter().find(|(name, _)| name == "losses");
    let spent: BTreeSet<String> =
        rows.iter().filter_map(losses).map(|(_, count)| count.to_string()).collect();
    assert_eq!(spent.into_iter().collect::<Vec<_>>(), ["0", "1"]);
    let sentence =
        "any part of what a process had sent and what has not arrived may be lost once it has crashed";
    let says = |world: &World| world.shape().assumptions.iter().any(|one| one.starts_with(sentence));
    assert!(says(&world) && !says(&herald(false, 1)));
}

/// Who leaves messages lying does not notice that a crashed process swallows: there is no such step.
#[test]
fn nothing_is_on_its_way_to_the_dead() {
    let world = world(3, 2, None);
    let (rows, edges) = whole(&*world);
    for row in &rows {
        for (from, to, _) in crate::told::global(&world, row).1 {
            assert!(!crate::told::global(&world, row).0.contains(to), "{from} to {to}");
        }
    }
    assert!(edges.iter().all(|(_, action, _)| crate::walk::class(&*world, *action) != "swallow"));
    assert!(!world.shape().classes.iter().any(|class| class.name == "swallow"));
}
