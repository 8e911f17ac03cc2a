//! Recordings that are not all there, in another order than their numbers, or of nodes that stood still: whatever is
//! named as broken must have been.

use super::script::{Do, Hand, Letter, On, Script, scenario};
use crate::{
    BrokenAssumption, Conformance, Deviation, FaultLimits, RecordedRun, Timing, TypedWorld, WorldTime,
};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedSend, RecordedStep, Recording, packed};

/// A unit of the model's time, in nanoseconds.
const TICK: u64 = 1000;

/// p1 sends to p0 every two units, and a message takes at most one.
fn beats(channel: &str) -> TypedWorld<Script> {
    let again = Do::Arm(Hand::A, Bound::exactly(2));
    let script = Script(vec![
        (1, On::Start, vec![again]),
        (1, On::Fire(Hand::A), vec![Do::Send(0, Letter::X), again]),
    ]);
    let time = WorldTime::Dense(Timing::per_message(Bound::within(1)));
    TypedWorld::new(script, scenario(channel, time)).expect("a world")
}

/// An incarnation of a process that began then, by a clock.
fn life(process: usize, incarnation: u64, clock: &str, began: u64) -> Recording {
    let start = RecordedStep {
        at: began,
        input: RecordedInput::Start,
        picks: Vec::new(),
        sends: Vec::new(),
        outputs: Vec::new(),
        state: packed(&Vec::<u8>::new()),
    };
    Recording {
        process: Pid::at(process),
        incarnation,
        clock: clock.to_string(),
        steps: vec![start],
        stalls: Vec::new(),
        ended: None,
    }
}

fn step(life: &mut Recording, at: u64, input: RecordedInput, sends: Vec<RecordedSend>, diary: u8) {
    let steps = life.steps.len() - 1;
    let state = packed(&vec![diary; steps + 1]);
    life.steps.push(RecordedStep { at, input, picks: Vec::new(), sends, outputs: Vec::new(), state });
}

/// p1 that began then, and sent these numbers at these moments.
fn sender(incarnation: u64, clock: &str, began: u64, beats: &[(u64, u64)]) -> Recording {
    let mut life = life(1, incarnation, clock, began);
    for &(at, number) in beats {
        let due = life.steps.last().map_or(0, |step| step.at) + 2 * TICK;
        let msg = packed(&Letter::X);
        let sends = vec![RecordedSend { to: Pid::at(0), number: Some(number), reply: false, msg }];
        step(&mut life, at, RecordedInput::Fire { slot: 0, due }, sends, b'A');
    }
    life
}

/// p0, which received at these moments from these incarnations of p1 these numbers.
fn receiver(beats: &[(u64, u64, u64)]) -> Recording {
    let mut life = life(0, 1, "one", 0);
    for &(at, incarnation, number) in beats {
        let msg = packed(&Letter::X);
        let input = RecordedInput::Receive { from: Pid::at(1), incarnation, number, msg };
        step(&mut life, at, input, Vec::new(), b'x');
    }
    life
}

fn run(recordings: Vec<Recording>) -> RecordedRun {
    RecordedRun { recordings, tick: TICK, precision: TICK / 2, limits: FaultLimits::default(), shown: 10 }
}

fn follows(run: &RecordedRun) -> Conformance {
    beats("unbounded:8").follow(run).unwrap_or_else(|deviation| panic!("{deviation}"))
}

fn departs(run: &RecordedRun) -> Deviation {
    *beats("unbounded:8").follow(run).expect_err("it departs")
}

#[test]
fn incarnations_of_one_clock_have_its_order_whatever_their_numbers() {
    let first = sender(9, "one", 0, &[(2 * TICK, 1)]);
    let second = sender(5, "one", 6 * TICK, &[(8 * TICK, 1)]);
    let heard = receiver(&[(2_500, 9, 1), (8_500, 5, 1)]);
    for recordings in [[&first, &second, &heard], [&heard, &second, &first]] {
        let followed = follows(&run(recordings.map(Clone::clone).to_vec()));
        assert_eq!((followed.incarnations, followed.crashes, followed.restarts), (3, 1, 1));
    }
    let overlapping = sender(5, "one", TICK, &[(3 * TICK, 1)]);
    let deviation = departs(&run(vec![first, overlapping, receiver(&[(2_500, 9, 1)])]));
    assert!(matches!(deviation.broken, BrokenAssumption::Incarnations { .. }), "{deviation}");
}

#[test]
fn between_clocks_the_numbers_decide() {
    // The second host has been up for a shorter time than the first.
    let first = sender(5, "one host", 600 * TICK, &[(602 * TICK, 1)]);
    let second = sender(7, "another", 0, &[(2 * TICK, 1)]);
    let third = sender(6, "another", 8 * TICK, &[(10 * TICK, 1)]);
    let heard = receiver(&[(2_500, 5, 1), (8_500, 7, 1), (16_500, 6, 1)]);
    let followed = follows(&run(vec![third, heard, second, first]));
    assert_eq!((followed.incarnations, followed.crashes, followed.restarts, followed.clocks), (4, 2, 2, 3));
}
