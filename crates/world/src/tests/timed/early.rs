//! Recordings in which a timer fires too early: the blame is its own, and not of what it armed or sent, which looks
//! late by as much.

use super::script::{Do, Hand, Letter, On, Script, world};
use crate::{BrokenAssumption, Deviation, FaultLimits, RecordedRun, Timing, WorldTime};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedSend, RecordedStep, Recording, packed};

const TICK: u64 = 1000;

fn step(at: u64, input: RecordedInput, sends: Vec<RecordedSend>, diary: &str) -> RecordedStep {
    let state = packed(&diary.as_bytes().to_vec());
    RecordedStep { at, input, picks: Vec::new(), sends, outputs: Vec::new(), state }
}

fn life(process: usize, steps: Vec<RecordedStep>) -> Recording {
    let (process, clock) = (Pid::at(process), "one".to_string());
    Recording { process, incarnation: 1, clock, steps, stalls: Vec::new(), ended: None }
}

/// Both start at 0, and this follows; a step may be taken down up to two units late.
fn departs(script: &Script, own: Vec<RecordedStep>, other: Vec<RecordedStep>) -> Deviation {
    let begun = |process, steps: Vec<RecordedStep>| {
        let start = step(0, RecordedInput::Start, Vec::new(), "");
        life(process, [vec![start], steps].concat())
    };
    let run = RecordedRun {
        recordings: vec![begun(0, own), begun(1, other)],
        tick: TICK,
        precision: 2 * TICK,
        limits: FaultLimits::default(),
        shown: 10,
        confirm: RecordedRun::CONFIRM,
    };
    let timing = Timing::per_message(Bound::within(1));
    *world(script, "drop:1", WorldTime::Dense(timing)).follow(&run).expect_err("it departs")
}

fn fire(hand: usize, at: u64, sends: Vec<RecordedSend>, diary: &str) -> RecordedStep {
    step(at, RecordedInput::Fire { slot: hand, due: at }, sends, diary)
}

/// Every ten units, again and again.
fn clockwork(then: &[Do]) -> Script {
    let ring = Do::Arm(Hand::A, Bound::exactly(10));
    let fired = [&[ring], then].concat();
    Script(vec![(0, On::Start, vec![ring]), (0, On::Fire(Hand::A), fired)])
}

#[test]
fn a_timer_that_is_early_is_blamed_and_not_the_next() {
    let rings = |moments: [u64; 3]| {
        let diaries = ["A", "AA", "AAA"].into_iter().zip(moments);
        let steps = diaries.map(|(diary, at)| fire(0, at, Vec::new(), diary)).collect();
        departs(&clockwork(&[]), steps, Vec::new())
    };
    let deviation = rings([5000, 20_000, 30_000]);
    let BrokenAssumption::TooEarly { what, took, least } = &deviation.broken else { panic!("{deviation}") };
    assert_eq!((what.as_str(), *took, *least), ("the timer A of p0 fired", 5000, 10_000));
    assert_eq!((deviation.process, deviation.step), (Pid::at(0), 2));
    // Late is what is late with nothing early before it.
    let deviation = rings([10_000, 25_000, 35_000]);
    let BrokenAssumption::Speed { process, late, .. } = deviation.broken else { panic!("{deviation}") };
    assert_eq!((process, late, deviation.step), (Pid::at(0), 5000, 3));
}

#[test]
fn a_message_of_a_timer_that_is_early_is_not_slow() {
    let msg = packed(&Letter::X);
    let send = RecordedSend { to: Pid::at(1), number: Some(1), reply: false, msg: msg.clone() };
    let receive = RecordedInput::Receive { from: Pid::at(0), incarnation: 1, number: 1, msg };
    let sent = |at| {
        let own = vec![fire(0, at, vec![send.clone()], "A")];
        departs(
            &clockwork(&[Do::Send(1, Letter::X)]),
            own,
            vec![step(at + 6000, receive.clone(), vec![], "x")],
        )
    };
    let deviation = sent(5000);
    assert!(matches!(deviation.broken, BrokenAssumption::TooEarly { took: 5000, .. }), "{deviation}");
    let deviation = sent(10_000);
    assert!(
        matches!(deviation.broken, BrokenAssumption::Delay { took: 6000, measured: true, .. }),
        "{deviation}"
    );
}

/// Two timers of one step, ten and twenty units: each is within the precision, and both together are not. The one
/// that is astray the most is named.
#[test]
fn of_an_early_timer_and_a_late_one_the_worse_is_blamed() {
    let arm = |hand, after| Do::Arm(hand, Bound::exactly(after));
    let script = Script(vec![(0, On::Start, vec![arm(Hand::A, 10), arm(Hand::B, 20)])]);
    let two = |a, b| departs(&script, vec![fire(0, a, vec![], "A"), fire(1, b, vec![], "AB")], Vec::new());
    let deviation = two(8200, 20_900);
    assert!(matches!(deviation.broken, BrokenAssumption::TooEarly { least: 10_000, .. }), "{deviation}");
    assert_eq!(deviation.step, 2);
    let deviation = two(9100, 21_800);
    assert!(matches!(deviation.broken, BrokenAssumption::Speed { .. }), "{deviation}");
}
