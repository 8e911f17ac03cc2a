//! Pictures of states: known ones exactly, and all others held against the variables and the two models of time against
//! each other.

use super::narration::follow;
use super::random::{Dice, Random};
use super::timed::draw::Draw;
use super::walk::Collect;
use crate::{Network, Scenario, Timing, TypedWorld, World, WorldTime};
use watchkeeper_core::{Pid, ProcSet, Symmetry, Value};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::{DueSpan, Id, Narration, ProcessStatus, Space, StatePicture};

/// The picture after these steps, a line for each part of it.
fn drawn(world: &World, labels: &[&str]) -> Vec<String> {
    let picture = world.picture(follow(world, labels).rows.last().expect("there is a start"));
    let due = |due: Option<DueSpan>| match due {
        None => String::new(),
        Some(DueSpan { least, most: None }) => format!(" in {least}.."),
        Some(DueSpan { least, most: Some(most) }) => format!(" in {least}..{most}"),
    };
    let mut lines = Vec::new();
    for process in &picture.processes {
        let fields = process.fields.iter().map(|(name, value)| format!("; {name} {value}"));
        let timers = process.timers.iter().map(|timer| format!("; {}{}", timer.name, due(timer.due)));
        let unsent = process.unsent.iter().map(|message| format!("; unsent {message}"));
        let parts: String = fields.chain(timers).chain(unsent).collect();
        lines.push(format!("{} {:?}{parts}", process.name, process.status));
    }
    for message in &picture.messages {
        lines.push(format!("{} to {}: {}{}", message.from, message.to, message.label, due(message.due)));
    }
    lines.extend(picture.rest.iter().map(|(name, value)| format!("{name}: {value}")));
    lines
}

#[test]
fn a_ring_with_a_process_that_is_blocked_and_one_that_has_crashed() {
    let mut scenario = Scenario::new(3);
    scenario.network = Network::default().with_channel("block:1".parse().expect("a channel"));
    scenario.faults.crashable = ProcSet::only(Pid::at(0));
    scenario.faults.crashes = 1;
    scenario.network.losses = 1;
    let ring = TypedWorld::new(Ring::new(3, 1).expect("a ring"), scenario).expect("a world");
    let blocked = ["p1: Round fires", "p2: Round fires", "p1 receives ARE-YOU-ALIVE from p2"];
    assert_eq!(
        drawn(&ring, &blocked),
        [
            "p0 Up; target p1; received false; Round",
            "p1 Blocked(\"channel to p2 full (I-AM-ALIVE)\"); target p2; received true; Round; unsent I-AM-ALIVE to p2",
            "p2 Up; target p1; received false; Round",
            "p1 to p0: ARE-YOU-ALIVE",
            "p2 to p0: ARE-YOU-ALIVE",
            "p0 to p1: ARE-YOU-ALIVE",
            "p1 to p2: ARE-YOU-ALIVE",
            "losses: 0",
        ]
    );
    let free = [&blocked[..], &["p2 receives ARE-YOU-ALIVE from p1", "p0 crashes"]].concat();
    assert_eq!(
        drawn(&ring, &free),
        [
            "p0 Crashed",
            "p1 Blocked(\"channel to p2 has room again (I-AM-ALIVE)\"); target p2; received true; Round; unsent I-AM-ALIVE to p2",
            "p2 Up; target p1; received false; Round",
            "p1 to p0: ARE-YOU-ALIVE",
            "p2 to p0: ARE-YOU-ALIVE",
            "p0 to p1: ARE-YOU-ALIVE",
            "p2 to p1: I-AM-ALIVE",
            "losses: 0"
        ]
    );
}

/// Two processes, rounds of 5 to 10, and at most so many losses; R1 is watched.
pub(super) fn heartbeat(time: fn(Timing) -> WorldTime, losses: u32) -> World {
    let heartbeat = Heartbeat::new(HeartbeatVariant::Binary, 5, 10, 1).expect("a protocol");
    let network = Network { losses, ..Network::default() };
    let network = network.with_channel("drop:2".parse().expect("a channel"));
    let scenario = Scenario { network, time: time(Timing::round_trip(5)), ..Scenario::new(2) };
    let world = TypedWorld::new(heartbeat, scenario).expect("a world");
    let observer = HeartbeatObserver::new(HeartbeatRequirement::R1, &heartbeat);
    world.observed_by(observer).expect("a world").into_world()
}

#[test]
fn a_heartbeat_in_ticks_and_in_dense_time() {
    let ticks = heartbeat(WorldTime::Ticks, 0);
    let time = |units: usize| vec!["one tick passes"; units];
    let sent = [time(10), vec!["p0: Round fires"], time(2)].concat();
    assert_eq!(
        drawn(&ticks, &sent),
        [
            "p0 Up; tag Coordinator; counted {p1}; received {}; tm [10]; Round in 8..8",
            "p1 Up; state Joined; GiveUp in 13..13",
            "p0 to p1: beat in 0..3",
            "R1: Open { counted: {}, down: {}, leaving: {} }",
            "deadlines of R1: [0 passes after 8]"
        ]
    );
    let dense = heartbeat(WorldTime::Dense, 0);
    assert_eq!(
        drawn(&dense, &[]),
        [
            "p0 Up; tag Coordinator; counted {p1}; received {p1}; tm [10]; Round in 0..10",
            "p1 Up; state Joined; GiveUp in 15..25",
            "R1: Open { counted: {}, down: {}, leaving: {} }",
            "deadlines of R1: [0 passes after 10 to 20]"
        ]
    );
    assert_eq!(
        drawn(&dense, &["p0: Round fires"]),
        [
            "p0 Up; tag Coordinator; counted {p1}; received {}; tm [10]; Round in 5..10",
            "p1 Up; state Joined; GiveUp in 10..15",
            "p0 to p1: beat in 0..5",
            "R1: Open { counted: {}, down: {}, leaving: {} }",
            "deadlines of R1: [0 passes after 5 to 10]"
        ]
    );
    assert_eq!(
        drawn(&dense, &["p0: Round fires", "p1 receives beat from p0"]),
        [
            "p0 Up; tag Coordinator; counted {p1}; received {}; tm [10]; Round in 5..10",
            "p1 Up; state Joined; GiveUp in 20..25",
            "p1 to p0: beat in 0..5",
            "R1: Open { counted: {}, down: {}, leaving: {} }",
            "deadlines of R1: [0 passes after 5 to 10]"
        ]
    );
}

/// Scenarios of all kinds in ticks and in dense time.
fn worlds(seed: u64) -> Option<(TypedWorld<Random>, TypedWorld<Random>)> {
    let draw = Draw::new(seed, Symmetry::None);
    Some((draw.ticks()?, draw.dense()?))
}

/// The rest of a run in dense time: steps that in ticks are part of a tick.
const SILENT: [&str; 2] = ["timer becomes enabled", "message becomes enabled"];

/// All rows that these lead to by silent steps.
fn closed(world: &World, mut rows: Vec<Vec<Id>>) -> Vec<Vec<Id>> {
    let mut at = 0;
    while at < rows.len() {
        for (action, next) in Collect::of(world, &rows[at].clone()).steps {
            let class = &world.shape().classes[usize::from(action.class())].name;
            if SILENT.contains(&class.as_str()) && !rows.contains(&next) {
                rows.push(next);
            }
        }
        at += 1;
    }
    rows
}

/// Whether every obligation of one picture is in the other, with a span around its own, and nothing else differs.
fn lies_in(small: &StatePicture, large: &StatePicture) -> bool {
    let inside = |small: Option<DueSpan>, large: Option<DueSpan>| {
        let (Some(small), Some(large)) = (small, large) else { return false };
        large.least <= small.least && large.most.is_none_or(|most| small.most.is_some_and(|it| it <= most))
    };
    let processes = small.processes.iter().zip(&large.processes).all(|(one, other)| {
        let timers = one.timers.iter().zip(&other.timers);
        (&one.name, &one.status, &one.fields, &one.unsent)
            == (&other.name, &other.status, &other.fields, &other.unsent)
            && one.timers.len() == other.timers.len()
            && timers.into_iter().all(|(one, other)| one.name == other.name && inside(one.due, other.due))
    });
    let messages = small.messages.iter().all(|one| {
        let ends = |other: &&watchkeeper_space::MessagePicture| {
            (one.from, one.to, &one.label) == (other.from, other.to, &other.label)
        };
        large.messages.iter().filter(ends).any(|other| inside(one.due, other.due))
    });
    processes && messages && small.messages.len() == large.messages.len() && small.rest == large.rest
}

/// Of a random run in ticks, each state lies in a state of dense time that the same steps lead to.
#[test]
fn what_is_left_in_ticks_is_within_what_is_left_in_dense_time() {
    let (mut compared, mut bounded) = (0, 0);
    for seed in 0..300 {
        let Some((ticks, dense)) = worlds(seed) else { continue };
        let (mut dice, mut row) = (Dice::new(seed), ticks.initial()[0].clone());
        let mut sets = closed(&dense, dense.initial());
        for step in 0..25 {
            let picture = ticks.picture(&row);
            let fits = sets.iter().any(|set| lies_in(&picture, &dense.picture(set)));
            assert!(fits, "seed {seed}, step {step}: {picture:#?}");
            compared += 1;
            bounded += usize::from(picture.messages.iter().any(|it| it.due.is_some_and(|due| due.least > 0)));
            let steps = Collect::of(&ticks, &row).steps;
            if steps.is_empty() {
                break;
            }
            let (action, next) = &steps[dice.roll(steps.len() as u64) as usize];
            let label = ticks.label(&row, *action);
            if ticks.shape().classes[usize::from(action.class())].name != "tick" {
                let follow = |set: &Vec<Id>| {
                    let steps = Collect::of(&dense, set).steps;
                    let same = steps.into_iter().filter(|(action, _)| dense.label(set, *action) == label);
                    same.map(|(_, next)| next).collect::<Vec<_>>()
                };
                sets = closed(&dense, sets.iter().flat_map(follow).collect());
            }
            row.clone_from(next);
        }
    }
    assert!(
        compared > 3000 && bounded > 300,
        "{compared} compared, {bounded} of them with messages on their way"
    );
}

/// A picture has the variables of its state: nothing is left out, and nothing is told otherwise.
#[test]
fn pictures_agree_with_variables() {
    for seed in 0..100 {
        let draw = Draw::new(seed, Symmetry::None);
        for world in [draw.untimed(), draw.ticks(), draw.dense()].into_iter().flatten() {
            let (mut dice, mut row) = (Dice::new(seed), world.initial()[0].clone());
            for _ in 0..20 {
                agrees(&world, &row);
                let mut steps = Collect::of(&world, &row).steps;
                if steps.is_empty() {
                    break;
                }
                row = steps.swap_remove(dice.roll(steps.len() as u64) as usize).1;
            }
        }
    }
}

fn agrees(world: &World, row: &[Id]) {
    let (view, picture) = (world.view(row), world.picture(row));
    let (processes, others) = view.split_at(picture.processes.len());
    for ((name, value), process) in processes.iter().zip(&picture.processes) {
        assert_eq!(*name, process.name);
        match value {
            Value::Record(fields) => {
                assert_eq!(process.fields, fields[..process.fields.len()]);
                let Some((_, Value::Set(timers))) = fields.get(process.fields.len()) else {
                    panic!("no timers in {fields:?}")
                };
                assert_eq!(timers.len(), process.timers.len());
                assert_eq!(process.unsent.is_empty(), process.status == ProcessStatus::Up);
                assert_eq!(fields.len(), process.fields.len() + 1 + usize::from(!process.unsent.is_empty()));
            }
            crashed => {
                assert_eq!((crashed, &process.status), (&Value::str("crashed"), &ProcessStatus::Crashed))
            }
        }
    }
    let Some(((_, Value::Record(channels)), rest)) = others.split_first() else {
        panic!("no channels in {view:?}")
    };
    let texts = channels.iter().flat_map(|(_, content)| match content {
        Value::List(texts) => texts.clone(),
        _ => Vec::new(),
    });
    let texts: Vec<String> = texts.map(|text| text.to_string()).collect();
    assert_eq!(texts.len(), picture.messages.len());
    assert!(texts.iter().zip(&picture.messages).all(|(text, message)| text.contains(&message.label)));
    assert_eq!(rest, picture.rest);
}
