//! The way for a protocol of one's own: the assertion in a test, and the command line by one call.

use std::panic::catch_unwind;
use watchkeeper::protocols::heartbeat::Variant;
use watchkeeper::{Check, Heartbeat, Param, Params, Problem, Program, Property, Subject, check};
use watchkeeper_core::{Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol};

/// Everyone asks p0 for a ticket once; p0 gives one to each who asks, and panics at a number.
#[derive(Clone, Debug)]
struct Tickets {
    panics_at: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Word {
    Ask,
    Ticket(u8),
}

impl Protocol for Tickets {
    type State = u8;
    type Msg = Word;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> u8 {
        if me != Pid::at(0) {
            fx.send(Pid::at(0), Word::Ask);
        }
        0
    }

    fn step(&self, _: Pid, state: &mut u8, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg: Word::Ask } => {
                *state += 1;
                assert!(*state != self.panics_at, "out of tickets");
                fx.send(from, Word::Ticket(*state));
            }
            Input::Receive { msg: Word::Ticket(number), .. } => *state = *number,
            _ => {}
        }
    }
}

impl Promises for Tickets {}

impl Subject for Tickets {
    const NAME: &'static str = "tickets";
    const ABOUT: &'static str = "p0 gives a ticket to everyone who asks";
    const PARAMS: &'static [Param] = &[Param { name: "panics-at", about: "never", default: "100" }];
    const PROPERTIES: &'static [Property<Self>] = &[
        Property::always("different", "no two have the same ticket", |_, global| {
            let mut tickets: Vec<u8> =
                global.processes().skip(1).filter_map(|p| global.state(p)).copied().collect();
            tickets.retain(|ticket| *ticket > 0);
            let all = tickets.len();
            tickets.sort();
            tickets.dedup();
            tickets.len() == all
        }),
        Property::always("none", "nobody gets a ticket", |_, global| {
            global.processes().skip(1).all(|p| global.state(p).is_none_or(|ticket| *ticket == 0))
        }),
    ];

    fn build(_: usize, params: &Params) -> Result<Self, Problem> {
        Ok(Tickets { panics_at: params.get("panics-at")? })
    }
}

fn tickets() -> Check<Tickets> {
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
        tickets().channel("blok:1").assert_holds();
    });
    assert!(wrong.contains("tickets: no verdict: channel: `blok:1`"), "{wrong}");
    let held = message(|| {
        tickets().property("different").assert_violated();
    });
    assert!(held.contains("HOLDS: different"), "{held}");
}

#[test]
fn the_same_command_line_by_one_call() {
    let run = |args: &[&str]| Program::only::<Tickets>().run([&["tickets"], args].concat()).0;
    assert_eq!(run(&["check", "--property", "different", "--quiet"]), 0);
    assert_eq!(run(&["check", "tickets", "--property", "none", "--quiet"]), 12);
    assert_eq!(run(&["check", "--property", "deadlock", "--quiet"]), 11);
    assert_eq!(run(&["check", "ring", "--quiet"]), 150);
    assert_eq!(run(&["casebook"]), 150, "the casebook belongs to the program of this project");
    assert_eq!(run(&["list"]), 0);
}

#[test]
fn a_panic_in_a_protocol_is_an_internal_error_and_not_a_crash() {
    let program = Program::only::<Tickets>();
    assert_eq!(program.run(["tickets", "check", "--param", "panics-at=2", "--quiet"]).0, 255);
}

#[test]
fn requirements_and_time_from_a_test() {
    let binary = Heartbeat::new(Variant::Binary, 5, 10, 1).expect("a protocol");
    let violation = check(binary).crashes(0).property("R1").assert_violated();
    assert_eq!((violation.what.as_str(), violation.trace.steps.len()), ("R1", 4));
    let in_ticks = check(binary).time("ticks").loss(0).assert_violated();
    assert_eq!(in_ticks.what, "R1", "the first of three that are asked");
    let verdict = check(binary.corrected()).assert_holds();
    assert_eq!(verdict.property, "R1, R2, R3");
    let two = Heartbeat::new(Variant::Static, 9, 10, 2).expect("a protocol");
    check(two).property("R2").round_trip(9).simultaneous("any").assert_holds();
}
