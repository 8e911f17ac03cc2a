//! A protocol of one's own from `cargo test`: its check is one assertion.

mod tickets;

use std::panic::catch_unwind;
use tickets::Tickets;
use watchkeeper::{CheckBuilder, Simultaneous, TimeModel, check};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};

fn tickets() -> CheckBuilder {
    check(Tickets { panics_at: 100 }).n(3)
}

fn message(work: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(work).expect_err("it should fail");
    payload.downcast_ref::<String>().cloned().expect("a message")
}

#[test]
fn what_holds_is_asserted_and_the_verdict_is_there_to_assert_more() {
    let verdict = tickets().property("different").assert_holds();
    assert_eq!(verdict.property, "different");
    assert!(verdict.stats.distinct_states > 1);
}

#[test]
fn a_violated_property_fails_with_the_chart() {
    let message = message(|| {
        tickets().property("none").assert_holds();
    });
    for part in
        ["tickets: VIOLATED: none after 2 steps", "p0", "Ticket 1", "Rests on\n  - there are 3 processes"]
    {
        assert!(message.contains(part), "{part} is missing:\n{message}");
    }
}

#[test]
fn what_nobody_says_is_all_that_the_protocol_should_have() {
    assert_eq!(tickets().assert_violated().what, "none");
}

#[test]
fn an_end_while_processes_live_is_a_deadlock() {
    let violation = tickets().property("deadlock").assert_violated();
    assert_eq!(violation.trace.steps.len(), 4);
}

#[test]
fn no_verdict_is_no_success() {
    let limited = message(|| {
        tickets().property("different").max_states(2).assert_holds();
    });
    assert!(limited.contains("UNKNOWN: different"), "{limited}");
    let wrong = message(|| {
        tickets().property("diferent").assert_holds();
    });
    let told = "tickets: no verdict: property: there is no property `diferent`; did you mean `different`?";
    assert!(wrong.contains(told), "{wrong}");
    let held = message(|| {
        tickets().property("different").assert_violated();
    });
    assert!(held.contains("HOLDS: different"), "{held}");
}

#[test]
fn requirements_and_time_from_a_test() {
    let binary = Heartbeat::new(HeartbeatVariant::Binary, 5, 10, 1).expect("a protocol");
    let violation = check(binary).crashes(0).property("R1").assert_violated();
    assert_eq!((violation.what.as_str(), violation.trace.steps.len()), ("R1", 4));
    let in_ticks = check(binary).time(TimeModel::Ticks).loss(0).assert_violated();
    assert_eq!(in_ticks.what, "R1", "the first of three that are asked");
    let verdict = check(binary.corrected()).assert_holds();
    assert_eq!(verdict.property, "R1, R2, R3");
    let two = Heartbeat::new(HeartbeatVariant::Static, 9, 10, 2).expect("a protocol");
    check(two).property("R2").round_trip(9).simultaneous(Simultaneous::AnyOrder).assert_holds();
}

#[test]
fn a_property_without_the_promise_of_symmetry_is_named_with_the_remedy() {
    let told = message(|| {
        tickets().property("different").symmetry(true).assert_holds();
    });
    for part in ["symmetry: the property different may tell processes apart", "`StateProperty::symmetric()`"]
    {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
}
