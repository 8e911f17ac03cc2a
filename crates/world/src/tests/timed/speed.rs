//! Processes that may be slower than they should be: timers fire late, in ticks and in zones, and never early. And
//! recorded runs of slow processes and of networks that stabilise late, which follow such a model and no stricter
//! one.

use super::draw::Draw;
use super::reach::{covering, exact};
use super::script::{Do, Hand, Letter, On, Script, all, between, both, scenario, written};
use crate::{
    BeforeStable, FaultLimits, MAX_DURATION, RecordedRun, Synchrony, Timing, TypedWorld, WorldError,
    WorldTime,
};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedSend, RecordedStep, Recording, Symmetry, packed};
use watchkeeper_space::Space;

fn alarm(bound: Bound) -> Script {
    Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, bound)])])
}

fn slow(speed: u32) -> Timing {
    Timing { speed, ..Timing::per_message(Bound::within(1)) }
}

/// Armed for 2, at most twice too slow: 0, 1, 2, 3 and 4 have passed, or it has fired. In zones: armed, fired.
#[test]
fn a_timer_of_a_slow_process_fires_late() {
    let counted =
        |bound, speed| both(&alarm(bound), "drop:1", slow(speed)).map(|world| all(&world).rows.len());
    assert_eq!(counted(Bound::exactly(2), 1), [3 + 1, 2]);
    assert_eq!(counted(Bound::exactly(2), 2), [5 + 1, 2]);
    assert_eq!(counted(between(1, 2), 3), [7 + 1, 2]);
    // What has no end has no later one: 2 left, 1 left, at any moment, fired; in zones later, any moment, fired.
    assert_eq!(counted(Bound::at_least(2), 3), [4, 3]);
}

/// p0 waits for 3 from the start, p1 sends after 1, and a message takes at most 1: in time if p1 is at most twice
/// too slow, both at the same moment if not.
#[test]
fn a_slow_sender_is_heard_too_late() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Arm(Hand::A, Bound::at_least(4))]),
        (1, On::Start, vec![Do::Arm(Hand::B, Bound::exactly(1))]),
        (1, On::Fire(Hand::B), vec![Do::Send(0, Letter::X)]),
    ]);
    for (speed, late) in [(1, false), (2, false), (3, true)] {
        for world in both(&script, "drop:1", slow(speed)) {
            assert_eq!(written(&world).contains("Ax|B"), late, "{speed}");
            let told =
                |sentence: &String| sentence.starts_with(&format!("a process may be up to {speed} times"));
            assert_eq!(world.shape().assumptions.iter().any(told), speed > 1);
        }
    }
}

#[test]
fn what_becomes_too_long_is_refused() {
    let half = MAX_DURATION / 2;
    for time in [WorldTime::Ticks, WorldTime::Dense] {
        let start =
            |bound, speed| TypedWorld::new(alarm(bound), scenario("drop:1", time(slow(speed)))).map(|_| ());
        assert_eq!(start(Bound::within(half), 2), Ok(()));
        let refused = Err(WorldError::StartTimer { process: Pid::at(0) });
        assert_eq!(start(Bound::within(half + 1), 2), refused);
        assert_eq!(start(Bound::within(half), u32::MAX), refused, "without an overflow");
        assert_eq!(start(Bound::within(1), 0), Err(WorldError::Speed(0)));
    }
}

/// With simultaneous events in any order, ticks and zones reach the same states of slow processes too, and whatever
/// a fast process does a slow one can do.
#[test]
fn ticks_and_zones_agree_on_slow_processes() {
    let (mut compared, mut more) = (0, 0);
    for seed in 0..120 {
        let mut draw = Draw::new(seed, Symmetry::None).brief();
        let fast = draw.ticks().and_then(|world| exact(&world, 3000));
        draw.timing.speed = 2 + (seed % 2) as u32;
        let (Some(ticks), Some(dense)) = (draw.ticks(), draw.dense()) else { continue };
        let (Some(ticks), Some(zones)) = (exact(&ticks, 3000), covering(&dense, 3000)) else { continue };
        assert_eq!(ticks.states, zones.states, "seed {seed}: {draw:?}");
        assert_eq!(ticks.locked, zones.locked, "seed {seed}: {draw:?}");
        let fast = fast.expect("no more than if slow");
        assert!(fast.states.is_subset(&ticks.states), "seed {seed}: {draw:?}");
        compared += 1;
        more += usize::from(fast.states.len() < ticks.states.len());
    }
    assert!(compared > 80 && more > 10, "{compared} compared, {more} with more states");
}

/// p1 sends after 2, which p0 receives, at these moments.
fn run(sent: u64, received: u64) -> RecordedRun {
    let step = |at: u64, input, sends, diary: &str| RecordedStep {
        at: at * 1000,
        input,
        picks: Vec::new(),
        sends,
        outputs: Vec::new(),
        state: packed(&diary.as_bytes().to_vec()),
    };
    let life = |process: usize, steps| Recording {
        process: Pid::at(process),
        incarnation: 1,
        clock: "one".to_string(),
        steps,
        stalls: Vec::new(),
        ended: None,
    };
    let msg = packed(&Letter::X);
    let receive = RecordedInput::Receive { from: Pid::at(1), incarnation: 1, number: 1, msg: msg.clone() };
    let fire = RecordedInput::Fire { slot: 0, due: 2000 };
    let send = RecordedSend { to: Pid::at(0), number: Some(1), reply: false, msg };
    RecordedRun {
        recordings: vec![
            life(0, vec![step(0, RecordedInput::Start, vec![], ""), step(received, receive, vec![], "x")]),
            life(1, vec![step(0, RecordedInput::Start, vec![], ""), step(sent, fire, vec![send], "A")]),
        ],
        tick: 1000,
        precision: 1,
        limits: FaultLimits::default(),
        shown: 10,
        confirm: RecordedRun::CONFIRM,
    }
}

#[test]
fn recorded_runs_may_be_as_slow_as_the_model() {
    let script = Script(vec![
        (1, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(2))]),
        (1, On::Fire(Hand::A), vec![Do::Send(0, Letter::X)]),
    ]);
    let follows = |timing, run: &RecordedRun| {
        let world =
            TypedWorld::new(script.clone(), scenario("drop:1", WorldTime::Ticks(timing))).expect("a world");
        let followed = world.follow(run);
        if let Ok(followed) = &followed {
            assert!(followed.timed && followed.confirmed, "{followed:?}");
        }
        followed.is_ok()
    };
    for (speed, follow) in [(1, false), (2, true)] {
        assert_eq!(follows(slow(speed), &run(4, 5)), follow, "a late timer, {speed} times");
    }
    assert!(!follows(slow(2), &run(1, 2)), "an early timer");
    let late =
        |delay| Timing { synchrony: Synchrony::Eventual(BeforeStable { delay, losses: false }), ..slow(1) };
    assert!(follows(slow(1), &run(2, 3)) && !follows(slow(1), &run(2, 9)));
    assert!(follows(late(Bound::at_least(0)), &run(2, 3)) && follows(late(Bound::at_least(0)), &run(2, 9)));
    assert!(!follows(late(Bound::within(6)), &run(2, 9)) && follows(late(Bound::within(7)), &run(2, 9)));
}
