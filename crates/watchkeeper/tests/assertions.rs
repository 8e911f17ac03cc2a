//! What can be asserted beside a verdict: a bound, a class, and that a recorded run follows the model. Each fails with
//! what was found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use watchkeeper::{
    Channel, CheckBuilder, DetectorClass, FairnessRule, Limit, Outcome, PropertySpec, SearchMethod,
    SynchronyModel, TimeModel, check,
};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedStep, Recording};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_world::{FaultLimits, RecordedRun};

fn ring() -> CheckBuilder {
    check(Ring::new(2, 2).expect("a ring")).n(2).channel(Channel::Drop(2))
}

fn message(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("it should fail");
    payload.downcast_ref::<String>().cloned().expect("a message")
}

#[test]
fn a_bound_is_the_least_and_no_other() {
    let timed = ring().delay(Bound::within(1));
    let answer = timed.assert_bound(5);
    assert_eq!(answer.least(), Some(5));
    assert!(answer.steps.iter().any(|step| step.asked == PropertySpec::Detection { within: 4, pair: None }));
    let told = message(|| {
        timed.assert_bound(6);
    });
    for part in ["ring: detection within 5 (proved: ", "VIOLATED: detection:4 after", "Rests on"] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
    assert!(!told.contains("Again"), "{told}");
}

#[test]
fn a_class_is_met_or_its_refutation_is_shown() {
    let detector = ChandraToueg::new(2, 1, 3).and_then(|it| it.capped(3)).expect("a detector");
    let timed = check(detector).n(2).time(TimeModel::Ticks).delay(Bound::within(1));
    timed.assert_class(DetectorClass::P);
    let late = timed.synchrony(SynchronyModel::Eventual);
    late.assert_class(DetectorClass::EventualP);
    let told = message(|| {
        late.assert_class(DetectorClass::P);
    });
    assert!(told.starts_with("chandra-toueg: class") && told.contains("Not P"), "{told}");
}

#[test]
fn a_recorded_run_follows_or_the_reason_is_told() {
    let run = |recordings| RecordedRun {
        recordings,
        tick: 1_000_000,
        precision: 500_000,
        limits: FaultLimits::default(),
        shown: 3,
        confirm: RecordedRun::CONFIRM,
    };
    assert_eq!(ring().assert_follows(&mut run(Vec::new())).steps, 0);
    let (input, state) = (RecordedInput::Start, vec![7]);
    let step =
        RecordedStep { at: 0, input, picks: Vec::new(), sends: Vec::new(), outputs: Vec::new(), state };
    let clock = "of this machine".to_string();
    let started = Recording {
        process: Pid::at(0),
        incarnation: 1,
        clock,
        steps: vec![step],
        stalls: Vec::new(),
        ended: None,
    };
    let told = message(|| {
        ring().assert_follows(&mut run(vec![started]));
    });
    assert!(told.starts_with("ring: DEPARTS: ") && told.contains("p0"), "{told}");
}

#[test]
fn every_kind_of_search_and_limit_can_be_asked_for() {
    let osc = PropertySpec::Oscillation { times: 2, watcher: Pid::at(0), crashed: Pid::at(1) };
    let oscillating = ring().crashable([Pid::at(1)]).property(osc);
    assert_eq!(
        oscillating.clone().search(SearchMethod::Beam(1000)).assert_violated().what,
        "oscillation:2:p0:p1"
    );
    oscillating.clone().search(SearchMethod::Walks(500)).seed(3).assert_violated();
    let shallow = oscillating.clone().max_depth(1).run().expect("a verdict");
    assert!(matches!(shallow.outcome, Outcome::Unknown(_)), "{shallow:?}");
    let late = oscillating.timeout(Duration::ZERO).run().expect("a verdict");
    assert!(matches!(late.outcome, Outcome::Unknown(Limit::Time(_))), "{late:?}");
}

#[test]
fn claims_about_infinite_runs_name_the_runs_that_count() {
    let down = ring().crashable([Pid::at(1)]).ltl("G (crashed(p1) -> F suspects(p0,p1))");
    down.clone().fairness(FairnessRule::Steps).assert_holds();
    let told = message(|| {
        down.clone().fairness(FairnessRule::None).assert_holds();
    });
    assert!(told.contains("ring: no verdict: a claim about infinite runs needs to know"), "{told}");
    let told = message(|| {
        down.fairness(FairnessRule::weak("postcard")).assert_holds();
    });
    assert!(told.contains("fairness: there is no message, timer or class of actions `postcard`"), "{told}");
}

/// The check of the documentation.
#[test]
fn a_detector_of_a_service_is_checked_as_it_runs() {
    let check = check(Ring::new(3, 5).expect("a ring")).n(3).crashes(1).channel(Channel::Drop(2));
    let timed = check.clone().time(TimeModel::Dense).delay(Bound::within(1));
    timed.clone().property(PropertySpec::Accuracy { of: None }).assert_holds();
    timed.assert_bound(10);
    let fair = check.property("weak-completeness").fairness(FairnessRule::Steps);
    let verdict = fair.max_states(1_000).run().expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::States(_))), "{verdict:?}");
}

/// A beat every unit and a delay of up to one leave gaps of up to 2. A timeout of 1 is too short, one of 2 is where beat
/// and timer meet, and one of 3 is long enough.
#[test]
fn mistakes_of_a_detector_that_learns_are_counted() {
    let detector = ChandraToueg::new(2, 1, 1).and_then(|detector| detector.capped(4)).expect("a detector");
    let timed = check(detector).time(TimeModel::Dense).delay(Bound::within(1)).channel(Channel::Drop(3));
    timed.clone().property("mistakes:2").assert_holds();
    timed.clone().property("mistakes:1").assert_violated();
    let told = message(|| {
        timed.property("mistakes:1").assert_holds();
    });
    assert!(told.contains("has suspected") && told.contains("2 times"), "{told}");
    let told = message(|| {
        ring().property("mistakes:1").assert_holds();
    });
    assert!(told.contains("mistakes:1: an untimed check knows no bounds"), "{told}");
    let heartbeat = Heartbeat::new(HeartbeatVariant::Binary, 1, 4, 1).expect("a heartbeat protocol");
    let told = message(|| {
        check(heartbeat).property("mistakes:1").assert_holds();
    });
    assert!(told.contains("no property `mistakes:1`"), "{told}");
}

#[test]
fn a_test_reads_of_methods_and_not_of_flags() {
    let told = message(|| {
        ring().crashes(0).assert_class(DetectorClass::P);
    });
    assert!(told.contains("add .crashes(1)") && !told.contains("--"), "{told}");
    let told = message(|| {
        ring().delay(Bound::within(1)).assert_holds();
    });
    assert!(told.contains("delay: this check is untimed") && told.contains(".time(ticks)"), "{told}");
}
