//! What replay tells of a run, and what it refuses.

use super::samples::{Ask, Flood, PingPong, Register};
use super::walk::Collect;
use crate::transition::code;
use crate::{Scenario, TypedWorld, World};
use watchkeeper_core::{Event, MessageId, Pid, ProcSet, Tone, Trace};
use watchkeeper_space::{Action, Narration, Space, StatePath};

/// Follows labels from the start.
pub(super) fn follow(world: &World, labels: &[&str]) -> StatePath {
    let mut trail = StatePath { rows: vec![world.initial()[0].clone()], actions: Vec::new() };
    for label in labels {
        let row = trail.rows.last().expect("there is a start").clone();
        let steps = Collect::of(world, &row).steps;
        let offered: Vec<String> = steps.iter().map(|(action, _)| world.label(&row, *action)).collect();
        let at = offered.iter().position(|offer| offer == label);
        let at = at.unwrap_or_else(|| panic!("no `{label}` among {offered:?}"));
        trail.actions.push(steps[at].0);
        trail.rows.push(steps[at].1.clone());
    }
    trail
}

fn told(world: &World, labels: &[&str]) -> Trace {
    world.replay(&follow(world, labels)).expect("it replays")
}

fn flood(channel: &str, flood: Flood) -> TypedWorld<Flood> {
    let mut scenario = Scenario::new(2);
    scenario.network = scenario.network.with_channel(channel.parse().expect("a channel"));
    scenario.faults.crashable = ProcSet::only(Pid::at(1));
    scenario.faults.crashes = 1;
    scenario.network.losses = 1;
    scenario.network.duplications = 1;
    TypedWorld::new(flood, scenario).expect("a world")
}

const P0: Pid = Pid::at(0);
const P1: Pid = Pid::at(1);

fn send(message: u32) -> Event {
    Event::Send { message: MessageId(message), from: P0, to: P1, label: "Red".to_string() }
}

fn fire() -> Event {
    Event::Fire { process: P0, timer: "Tick".to_string() }
}

#[test]
fn what_happens_at_the_start_is_told_first() {
    let world = TypedWorld::new(PingPong, Scenario::new(2)).expect("a world");
    let trace = told(&world, &["p1 receives PING from p0"]);
    assert_eq!(trace.processes, ["p0", "p1"]);
    let ping = Event::Send { message: MessageId(0), from: P0, to: P1, label: "PING".to_string() };
    assert_eq!(trace.opening, std::slice::from_ref(&ping));
    assert_eq!(
        trace.steps[0].events,
        [
            Event::Receive { message: MessageId(0) },
            Event::Send { message: MessageId(1), from: P1, to: P0, label: "PONG".to_string() },
        ]
    );
    let mut scenario = Scenario::new(2);
    scenario.faults.crashed_at_start = ProcSet::only(P1);
    let world = TypedWorld::new(PingPong, scenario).expect("a world");
    let trace = told(&world, &[]);
    assert_eq!((trace.opening, trace.steps), (vec![Event::Crash { process: P1 }, ping], Vec::new()));
}

#[test]
fn calls_timers_and_announcements_are_told() {
    let world = TypedWorld::new(Register, Scenario::new(2)).expect("a world");
    let world = world.with_calls(vec![(P0, Ask::Write(3), 1)]).expect("a world");
    let labels = ["p0 is asked write 3", "p0: Patience fires", "p1 receives STORE 3 from p0"];
    let trace = told(&world, &labels);
    let steps: Vec<&str> = trace.steps.iter().map(|step| step.action.as_str()).collect();
    assert_eq!(steps, labels);
    let said = |step: usize, event: usize| &trace.steps[step].events[event];
    assert_eq!(*said(0, 0), Event::Call { process: P0, label: "write 3".to_string() });
    let tone = Tone::Alarm;
    assert_eq!(*said(1, 0), Event::Fire { process: P0, timer: "Patience".to_string() });
    assert_eq!(*said(1, 1), Event::Output { process: P0, label: "impatient".to_string(), tone });
    let tone = Tone::Plain;
    assert_eq!(*said(2, 1), Event::Output { process: P1, label: "has 3".to_string(), tone });
}

/// Of equal messages the one that was sent first is the one that arrives, is lost or is copied.
#[test]
fn equal_messages_are_told_apart_by_when_they_were_sent() {
    let world = flood("drop:3", Flood::PLAIN);
    let tick = "p0: Tick fires";
    let trace = told(
        &world,
        &[
            tick,
            tick,
            "p1 receives Red from p0",
            "duplicate Red from p0 to p1",
            "lose Red from p0 to p1",
            "p1 crashes",
            "p1, crashed, swallows Red from p0",
        ],
    );
    let events: Vec<&[Event]> = trace.steps.iter().map(|step| &step.events[..]).collect();
    assert_eq!(events[0], [fire(), send(0)]);
    assert_eq!(events[1], [fire(), send(1)]);
    assert_eq!(events[2], [Event::Receive { message: MessageId(0) }]);
    assert_eq!(events[3], [Event::Duplicate { message: MessageId(1), copy: MessageId(2) }]);
    assert_eq!(events[4], [Event::Lose { message: MessageId(1) }]);
    assert_eq!(events[5], [Event::Crash { process: P1 }]);
    assert_eq!(events[6], [Event::Swallow { message: MessageId(2) }]);
}

#[test]
fn full_channels_are_told() {
    let (from, to, label) = (P0, P1, || "Red".to_string());
    let tick = "p0: Tick fires";
    let two = || Flood { burst: 2, ..Flood::PLAIN };
    let dropped = told(&flood("drop:1", two()), &[tick]);
    assert_eq!(dropped.steps[0].events, [fire(), send(0), Event::Ignore { from, to, label: label() }]);
    let reported = told(&flood("report:1", two()), &[tick]);
    assert_eq!(reported.steps[0].events, [fire(), send(0), Event::Overflow { from, to, label: label() }]);
    let labels = [tick, "p1 receives Red from p0", "p0 sends blocked Red to p1"];
    let three = Flood { burst: 3, ..Flood::PLAIN };
    let blocked = told(&flood("block:1", three), &labels);
    let block = Event::Block { process: from, to, label: label() };
    assert_eq!(blocked.steps[0].events, [fire(), send(0), block.clone()]);
    assert_eq!(blocked.steps[2].events, [send(1), block]);
}

#[test]
fn picks_are_told() {
    let world = flood("drop:2", Flood { kinds: 2, burst: 2, ..Flood::PLAIN });
    let trace = told(&world, &["p0: Tick fires and picks 1, 0"]);
    let sent: Vec<&Event> = trace.steps[0].events.iter().skip(1).collect();
    assert!(matches!(sent[0], Event::Send { label, .. } if label == "Blue"));
    assert!(matches!(sent[1], Event::Send { label, .. } if label == "Red"));
}

/// Planted mistakes: each is found at its step.
#[test]
fn a_wrong_trail_does_not_replay() {
    let world = flood("block:1", Flood::PLAIN);
    let tick = ["p0: Tick fires", "p1: Tick fires"];
    let trail = follow(&world, &[tick[0], tick[1], "p1 receives Red from p0"]);
    assert!(world.replay(&trail).is_ok());
    let refused = |change: &dyn Fn(&mut StatePath)| {
        let mut wrong = trail.clone();
        change(&mut wrong);
        let mismatch = world.replay(&wrong).expect_err("it is wrong");
        (mismatch.step, mismatch.why)
    };
    // Another action than the one that led on.
    let (step, why) = refused(&|trail| trail.actions[0] = trail.actions[1]);
    assert_eq!(step, 1);
    assert_eq!(why, "after `p1: Tick fires` channels is p1->p0=[Red], not p0->p1=[Red]");
    // A row that another row was put in the place of.
    let (step, why) = refused(&|trail| trail.rows[2] = trail.rows[3].clone());
    assert_eq!(step, 2);
    assert!(why.starts_with("after `p1: Tick fires` channels is p1->p0=[Red] p0->p1=[Red], not"), "{why}");
    // A budget that was used without an event.
    let losses = world.shape().slots.iter().position(|slot| slot == "losses").expect("a slot");
    let (step, why) = refused(&|trail| trail.rows[3][losses] = 1);
    assert_eq!((step, why.as_str()), (3, "after `p1 receives Red from p0` losses is 0, not 1"));
    // A start that is none, a row that is none, a list that is too short.
    assert_eq!(refused(&|trail| trail.rows[0] = trail.rows[1].clone()).0, 0);
    assert_eq!(refused(&|trail| trail.rows[1][0] = 1000).0, 1);
    assert_eq!(refused(&|trail| trail.rows[1].truncate(3)).0, 1);
    assert_eq!(refused(&|trail| drop(trail.rows.pop())).0, 0);
    // Actions that cannot happen, or are none.
    let class = |name: &str| {
        world.shape().classes.iter().position(|class| class.name == name).expect("a class") as u8
    };
    let impossible = |action: Action| refused(&|trail| trail.actions[2] = action);
    let why = |name: &str, code: u64| impossible(Action::new(class(name), code)).1;
    assert_eq!(why("unblock", code(0, 0, 0)), "p0 is not blocked");
    assert_eq!(why("deliver Red", code(1, 1, 0)), "there is no message 1 in p0->p1");
    assert_eq!(why("deliver Red", code(9, 0, 0)), "there is no channel 9");
    assert_eq!(
        why("deliver Blue", code(1, 0, 0)),
        "`p1 receives Red from p0` is not of the class `deliver Blue`"
    );
    assert_eq!(why("deliver Red", code(1, 0, 4)), "p1 has no choice 4");
    assert_eq!(why("fire Tick", code(1, 1, 0)), "p1 has no armed timer 1");
    assert_eq!(why("crash", code(0, 0, 0)), "p0 cannot crash");
    assert_eq!(why("swallow", code(1, 0, 0)), "p1 has not crashed");
    assert_eq!(why("duplicate", code(1, 0, 0)), "there is no room for a copy from p0 to p1");
    assert!(why("block", code(1, 0, 0)).ends_with("is no action of this world"));
    assert!(impossible(Action::new(200, 0)).1.ends_with("is no action of this world"));
}

/// In FIFO order a message cannot overtake, in any other it can.
#[test]
fn replay_knows_the_order() {
    for (order, result) in [(crate::DeliveryOrder::Fifo, false), (crate::DeliveryOrder::AnyOrder, true)] {
        let mut scenario = Scenario::new(2);
        scenario.network = scenario.network.with_channel("drop:2".parse().expect("a channel"));
        scenario.network.order = order;
        let world = TypedWorld::new(Flood { kinds: 2, ..Flood::PLAIN }, scenario).expect("a world");
        let mut trail = follow(&world, &["p0: Tick fires and picks 0", "p0: Tick fires and picks 1"]);
        let before = trail.rows[2].clone();
        let blue = Action::new(1, code(1, 1, 0));
        let after = Collect::of(&world, &before).steps.into_iter().find(|(action, _)| *action == blue);
        assert_eq!(after.is_some(), result);
        trail.actions.push(blue);
        trail.rows.push(after.map_or(before, |(_, row)| row));
        assert_eq!(world.replay(&trail).is_ok(), result);
    }
}
