//! Timed scenarios and observers that make no sense are refused with what to change, or cut with why.

use super::script::{Do, Hand, Letter, On, Script, scenario, world};
use crate::error::MAX_DURATION;
use crate::tests::walk::Collect;
use crate::{Timing, TypedWorld, WorldError, WorldTime};
use watchkeeper_core::{Bound, Deadlines, Judgement, Observation, Observer, Pid};
use watchkeeper_space::Space;

fn refused(channel: &str, timing: Timing) -> [WorldError; 2] {
    [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| {
        TypedWorld::new(Script(Vec::new()), scenario(channel, time)).expect_err("this makes no sense")
    })
}

#[test]
fn a_round_trip_goes_with_neither_blocking_nor_processing() {
    let timing = Timing::round_trip(3);
    assert!(refused("block:1", timing).iter().all(|error| *error == WorldError::RoundTripBlocks));
    let slow = Timing { processing: Bound::within(1), ..timing };
    assert!(refused("drop:1", slow).iter().all(|error| *error == WorldError::RoundTripProcessing));
    for channel in ["drop:1", "report:1", "unbounded:1"] {
        assert!(TypedWorld::new(Script(Vec::new()), scenario(channel, WorldTime::Dense(timing))).is_ok());
    }
    let per_message = Timing { processing: Bound::within(1), ..Timing::per_message(Bound::within(1)) };
    assert!(TypedWorld::new(Script(Vec::new()), scenario("block:1", WorldTime::Ticks(per_message))).is_ok());
}

#[test]
fn what_takes_too_long_is_refused() {
    let long = MAX_DURATION + 1;
    for timing in [
        Timing::round_trip(long),
        Timing::per_message(Bound::within(long)),
        Timing::per_message(Bound::at_least(long)),
        Timing { processing: Bound::within(long), ..Timing::per_message(Bound::within(1)) },
    ] {
        for error in refused("drop:1", timing) {
            assert!(matches!(error, WorldError::Duration { bound, .. } if bound == long), "{error}");
        }
    }
    let alarm = |bound| Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, bound)])]);
    let timing = Timing::per_message(Bound::exactly(1));
    for bound in [Bound::within(long), Bound::at_least(long)] {
        for time in [WorldTime::Ticks(timing), WorldTime::Dense(timing)] {
            let error = TypedWorld::new(alarm(bound), scenario("drop:1", time)).expect_err("too long");
            assert_eq!(error, WorldError::StartTimer { process: Pid::at(0) });
        }
        assert!(
            TypedWorld::new(alarm(bound), scenario("drop:1", WorldTime::Untimed)).is_ok(),
            "bounds mean nothing"
        );
    }
    assert!(
        TypedWorld::new(alarm(Bound::within(MAX_DURATION)), scenario("drop:1", WorldTime::Dense(timing)))
            .is_ok()
    );
}

/// A timer that is armed for too long later on is cut, with the cap that says so.
#[test]
fn a_step_that_takes_too_long_is_cut() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(0))]),
        (0, On::Fire(Hand::A), vec![Do::Arm(Hand::B, Bound::at_least(MAX_DURATION + 1))]),
    ]);
    let timing = Timing::per_message(Bound::exactly(1));
    for time in [WorldTime::Ticks(timing), WorldTime::Dense(timing)] {
        let world = world(&script, "drop:1", time);
        let cuts = Collect::of(&world, &world.initial()[0]).cuts;
        assert!(cuts.len() == 1 && world.shape().caps[cuts[0]].name.starts_with("a timer was armed"));
    }
}

/// Starts a deadline: before anything happens, on what it first sees, or on the first timer or what comes of it.
struct Sentry {
    when: Moment,
    bound: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Start,
    FirstSight,
    Fire,
    Expiry,
}

impl Observer<Script> for Sentry {
    type State = bool;

    fn name(&self) -> String {
        "sentry".to_string()
    }

    fn start(&self, deadlines: &mut Deadlines) -> bool {
        match self.when {
            Moment::Start => deadlines.start(0, self.bound),
            Moment::Expiry => deadlines.start(0, 0),
            _ => {}
        }
        false
    }

    fn see(&self, _: &mut bool, observation: &Observation<'_, Script>, deadlines: &mut Deadlines) {
        let now = match self.when {
            Moment::FirstSight => matches!(observation, Observation::Sent { .. }),
            Moment::Fire => matches!(observation, Observation::Fired { .. }),
            _ => false,
        };
        if now {
            deadlines.start(0, self.bound);
        }
    }

    fn expired(&self, seen: &mut bool, _: usize, deadlines: &mut Deadlines) {
        *seen = true;
        if self.when == Moment::Expiry {
            deadlines.start(1, self.bound);
        }
    }

    fn judge(&self, _: &bool) -> Judgement {
        Judgement::Open
    }
}

fn watched(time: WorldTime, when: Moment, bound: u32) -> Result<TypedWorld<Script>, WorldError> {
    let script =
        Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(3)), Do::Send(1, Letter::X)])]);
    world(&script, "drop:1", time).observed_by(Sentry { when, bound })
}

#[test]
fn an_untimed_world_has_no_watches() {
    let sentry = || WorldError::Deadline { observer: "sentry".to_string() };
    for when in [Moment::Start, Moment::FirstSight] {
        assert_eq!(watched(WorldTime::Untimed, when, 1).unwrap_err(), sentry());
    }
    let world = watched(WorldTime::Untimed, Moment::Fire, 1).expect("it has started no deadline yet");
    let start = world.initial().remove(0);
    let found = Collect::of(&world, &start);
    assert_eq!((found.steps.len(), found.cuts.len()), (1, 1), "the message arrives, the timer is cut");
    assert!(world.shape().caps[found.cuts[0]].name.starts_with("an observer speaks of durations"));
}

#[test]
fn a_watch_that_takes_too_long_is_refused_or_cut() {
    let timing = Timing::per_message(Bound::within(9));
    for time in [WorldTime::Ticks(timing), WorldTime::Dense(timing)] {
        for when in [Moment::Start, Moment::FirstSight] {
            assert!(watched(time, when, MAX_DURATION).is_ok());
            let error = watched(time, when, MAX_DURATION + 1).unwrap_err();
            assert!(matches!(error, WorldError::Duration { what: "a deadline", .. }), "{error}");
        }
        for when in [Moment::Fire, Moment::Expiry] {
            let world = watched(time, when, MAX_DURATION + 1).expect("it has not started it yet");
            let rows = super::reach::exact(&world, 1000).expect("a small world");
            assert!(rows.cut, "a search cannot say that it holds");
            let world = watched(time, when, 5).expect("a world");
            assert!(!super::reach::exact(&world, 1000).expect("a small world").cut);
        }
    }
}
