//! Recordings that are not all there, in another order than their numbers, or of nodes that stood still: whatever is
//! named as broken must have been.

use super::script::{Do, Hand, Letter, On, Script, scenario};
use crate::{
    BrokenAssumption, Conformance, Deviation, FaultLimits, RecordedRun, Timing, TypedWorld, WorldTime,
};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedSend, RecordedStep, Recording, Stall, packed};

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
    RecordedRun {
        recordings,
        tick: TICK,
        precision: TICK / 2,
        limits: FaultLimits::default(),
        shown: 10,
        confirm: RecordedRun::CONFIRM,
    }
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

#[test]
fn a_message_after_the_end_of_a_recording_shows_that_the_end_is_missing() {
    let sent = sender(9, "one", 0, &[(2_000, 1), (4_000, 3)]);
    let cut = Recording { steps: sent.steps[..2].to_vec(), ..sent.clone() };
    let heard = receiver(&[(2_500, 9, 1), (4_500, 9, 3)]);
    let deviation = departs(&run(vec![cut.clone(), heard.clone()]));
    let (process, incarnation, to) = (Pid::at(1), 9, Pid::at(0));
    let missing = BrokenAssumption::Recording { process, incarnation, steps: Some(2), to, number: 3 };
    assert_eq!((&deviation.broken, deviation.broken.name()), (&missing, "recording"));
    assert_eq!((deviation.process, deviation.step), (to, 3));
    let text = deviation.to_string();
    assert!(
        text.contains("the recording of p1 (incarnation 9) is missing: it stops after 2 steps"),
        "{text}"
    );
    // A node that said that it ended has sent nothing more, and numbers that others have overtaken were not used.
    let ended = Recording { ended: Some(3_000), ..cut.clone() };
    let deviation = departs(&run(vec![ended, heard]));
    assert!(matches!(deviation.broken, BrokenAssumption::Forged { number: 3, .. }), "{deviation}");
    let deviation = departs(&run(vec![sent.clone(), receiver(&[(2_500, 9, 1), (4_500, 9, 2)])]));
    assert!(matches!(deviation.broken, BrokenAssumption::Forged { number: 2, .. }), "{deviation}");
    // Whatever is wrong before is named first.
    let late = receiver(&[(3_700, 9, 1), (4_500, 9, 3)]);
    let deviation = departs(&run(vec![cut, late]));
    assert!(matches!(deviation.broken, BrokenAssumption::Delay { number: 1, .. }), "{deviation}");
}

#[test]
fn an_incarnation_without_a_recording_is_missing_and_not_forged() {
    let heard = receiver(&[(2_500, 9, 1), (8_500, 12, 1)]);
    let second = sender(12, "one", 6_000, &[(8_000, 1)]);
    let header = Recording { steps: Vec::new(), ..life(1, 9, "one", 0) };
    for (others, steps) in [(vec![], None), (vec![header.clone()], Some(0))] {
        let deviation = departs(&run([others, vec![second.clone(), heard.clone()]].concat()));
        let (process, to) = (Pid::at(1), Pid::at(0));
        let missing = BrokenAssumption::Recording { process, incarnation: 9, steps, to, number: 1 };
        assert_eq!(deviation.broken, missing, "{deviation}");
    }
    // Nothing at all of a node is as much as no recording of it.
    for recordings in [vec![heard.clone()], vec![header, heard]] {
        let followed = follows(&run(recordings));
        assert_eq!((followed.whole, followed.recorded.len(), followed.steps), (false, 1, 3));
    }
}

#[test]
fn a_recording_without_its_end_is_no_crash() {
    let cut = sender(9, "one", 0, &[(2_000, 1)]);
    let heard = receiver(&[(2_500, 9, 1), (8_500, 9, 4)]);
    let crashes = FaultLimits { crashes: Some(0), ..FaultLimits::default() };
    let deviation = departs(&RecordedRun { limits: crashes.clone(), ..run(vec![cut.clone(), heard]) });
    assert!(matches!(deviation.broken, BrokenAssumption::Recording { number: 4, .. }), "{deviation}");
    // Where nobody has heard of it again, it has crashed.
    let again = receiver(&[(2_500, 9, 1), (8_500, 12, 1)]);
    let recordings = vec![cut, again, sender(12, "one", 6_000, &[(8_000, 1)])];
    let deviation = departs(&RecordedRun { limits: crashes, ..run(recordings) });
    assert!(matches!(deviation.broken, BrokenAssumption::Crashes { .. }), "{deviation}");
    assert!(deviation.to_string().contains("the end of its recording is missing"), "{deviation}");
}

#[test]
fn a_stall_explains_only_what_it_delayed() {
    let sent = sender(9, "one", 0, &[(2_000, 1)]);
    let broken = |stall: Stall| {
        let heard = Recording { stalls: vec![stall], ..receiver(&[(4_900, 9, 1)]) };
        departs(&run(vec![sent.clone(), heard])).broken
    };
    let still = broken(Stall { at: 4_900, lasted: 2_500 });
    assert!(matches!(still, BrokenAssumption::Speed { stall: Some(2_500), .. }), "{still:?}");
    let over = broken(Stall { at: 2_100, lasted: 2_100 });
    assert!(matches!(over, BrokenAssumption::Delay { took: 2_900, .. }), "{over:?}");
}

/// The hosts of the two nodes have clocks far from each other, which only messages in one direction relate.
#[test]
fn a_message_to_a_node_that_fell_silent_is_not_lost_because_clocks_differ() {
    let far = |at: u64| 1_000_000 + at;
    let mut heard = receiver(&[(far(2_500), 9, 1)]);
    (heard.clock, heard.steps[0].at) = ("two".to_string(), far(0));
    let followed = follows(&run(vec![sender(9, "one", 0, &[(2_000, 1), (4_000, 2)]), heard.clone()]));
    assert_eq!((followed.lost, followed.clocks), (0, 2));
    let late = sender(9, "one", 0, &[(2_000, 1), (4_000, 2), (7_000, 3)]);
    let deviation = departs(&run(vec![late, heard]));
    assert!(matches!(deviation.broken, BrokenAssumption::Speed { .. }), "{deviation}");
}
