//! Parts of recorded runs that are told while the run goes on.

use super::script::{Do, Hand, Letter, On, Script, scenario};
use crate::{RecordedPart, TypedWorld, WorldTime};
use watchkeeper_core::{
    Bound, Event, MessageId, Pid, RecordedInput, RecordedSend, RecordedStep, Recording, Trace, packed,
};

/// A second, in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// p1 sends to p0 whenever its timer fires.
fn world() -> TypedWorld<Script> {
    let again = Do::Arm(Hand::A, Bound::exactly(2));
    let script = Script(vec![
        (1, On::Start, vec![again]),
        (1, On::Fire(Hand::A), vec![Do::Send(0, Letter::X), again]),
    ]);
    TypedWorld::new(script, scenario("unbounded:8", WorldTime::Untimed)).expect("a world")
}

fn step(at: u64, input: RecordedInput, number: Option<u64>) -> RecordedStep {
    let msg = packed(&Letter::X);
    let sends = number.map(|number| RecordedSend { to: Pid::at(0), number: Some(number), reply: false, msg });
    let sends = sends.into_iter().collect();
    RecordedStep { at, input, picks: Vec::new(), sends, outputs: Vec::new(), state: Vec::new() }
}

fn recording(process: usize, steps: Vec<RecordedStep>) -> Recording {
    let (process, clock) = (Pid::at(process), "one".to_string());
    Recording { process, incarnation: 7, clock, steps, stalls: Vec::new(), ended: None }
}

/// p1, which sends these numbers at these moments.
fn sender(beats: &[(u64, u64)]) -> Recording {
    let fire = |&(at, number): &(u64, u64)| step(at, RecordedInput::Fire { slot: 0, due: at }, Some(number));
    recording(1, beats.iter().map(fire).collect())
}

fn receive(at: u64, number: u64) -> RecordedStep {
    let (from, msg) = (Pid::at(1), packed(&Letter::X));
    step(at, RecordedInput::Receive { from, incarnation: 7, number, msg }, None)
}

fn part(recordings: Vec<Recording>) -> RecordedPart {
    let (ends, down) = (Vec::new(), Vec::new());
    RecordedPart { processes: 2, recordings, ends, down, from: 0, awaited: 0, origin: 0 }
}

fn actions(trace: &Trace) -> Vec<&str> {
    trace.steps.iter().map(|step| step.action.as_str()).collect()
}

#[test]
fn a_message_is_received_after_it_was_sent_whatever_the_times_say() {
    // p0 has read its clock before it looked what had arrived.
    let heard = recording(0, vec![receive(1_999_999_999, 1), receive(3 * SECOND, 2)]);
    let told = world().tell(&part(vec![heard, sender(&[(2 * SECOND, 1), (2 * SECOND + 1, 2)])]));
    assert_eq!(
        actions(&told),
        ["p1: A fires", "p0 receives X from p1", "p1: A fires", "p0 receives X from p1"]
    );
    let receives = |step: usize, number| {
        assert_eq!(told.steps[step].events, [Event::Receive { message: MessageId(number) }]);
    };
    receives(1, 0);
    receives(3, 1);
    assert_eq!((told.steps[0].at.as_deref(), told.steps[3].at.as_deref()), (Some("2.000"), Some("3.000")));
}

#[test]
fn what_nobody_receives_is_lost_or_swallowed_or_still_awaited() {
    let beats = sender(&[(SECOND, 1), (2 * SECOND, 2), (4 * SECOND, 3)]);
    let lossy = RecordedPart { awaited: 3 * SECOND, ..part(vec![beats.clone()]) };
    let last = |trace: &Trace, step: usize| trace.steps[step].events.last().cloned();
    let told = world().tell(&lossy);
    assert_eq!(last(&told, 0), Some(Event::Lose { message: MessageId(0) }));
    assert_eq!(last(&told, 1), Some(Event::Lose { message: MessageId(1) }));
    assert!(matches!(last(&told, 2), Some(Event::Send { .. })));
    let down = RecordedPart { ends: vec![(SECOND + 1, Pid::at(0))], ..lossy };
    let told = world().tell(&down);
    assert_eq!(actions(&told), ["p1: A fires", "p0 ends", "p1: A fires", "p1: A fires"]);
    assert_eq!(last(&told, 1), Some(Event::Crash { process: Pid::at(0) }));
    assert_eq!(last(&told, 3), Some(Event::Swallow { message: MessageId(2) }));
}

#[test]
fn a_part_begins_with_who_is_down_and_with_what_is_on_its_way_and_will_arrive() {
    let back = step(3 * SECOND, RecordedInput::Start, None);
    let heard = recording(0, vec![back, receive(3 * SECOND + 1, 2), receive(3 * SECOND + 2, 9)]);
    let late = RecordedPart {
        from: 2 * SECOND,
        down: vec![Pid::at(0)],
        ..part(vec![heard, sender(&[(SECOND, 1), (2 * SECOND - 1, 2)])])
    };
    let told = world().tell(&late);
    let sent = Event::Send { message: MessageId(0), from: Pid::at(1), to: Pid::at(0), label: "X".into() };
    assert_eq!(told.opening, [Event::Crash { process: Pid::at(0) }, sent]);
    assert_eq!(actions(&told), ["p0 starts", "p0 receives X from p1", "p0 receives X from p1"]);
    assert_eq!(told.steps[0].events, [Event::Recover { process: Pid::at(0) }]);
    assert_eq!(told.steps[1].events, [Event::Receive { message: MessageId(0) }]);
    // It was sent before anything that is known of p1.
    assert_eq!(told.steps[2].events.len(), 2, "{:?}", told.steps[2].events);
}
