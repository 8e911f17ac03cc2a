//! The check of the detector: the very value that `main` runs, and the same with a timeout that is too short.

use crate::Sentinel;
use watchkeeper::{Channel, CheckBuilder, DetectorClass, PropertySpec, TimeModel};
use watchkeeper_core::Bound;

const ACCURACY: PropertySpec = PropertySpec::Accuracy { of: None };

/// A check in which one process may crash.
fn check(sentinel: Sentinel) -> CheckBuilder {
    watchkeeper::check(sentinel.clone()).n(sentinel.n).crashes(1).channel(Channel::Drop(1))
}

/// The same check with time: no message takes longer than [`Sentinel::DELAY`].
fn timed(sentinel: Sentinel, time: TimeModel) -> CheckBuilder {
    check(sentinel).time(time).delay(Bound::within(Sentinel::DELAY))
}

/// A detector whose timeout is only as long as a period and a delay together.
fn hasty(n: usize) -> Sentinel {
    Sentinel { timeout: 2 + Sentinel::DELAY, ..Sentinel::new(n) }
}

#[test]
fn no_delay_leads_to_a_deadlock() {
    check(Sentinel::new(3)).property(PropertySpec::Deadlock).assert_holds();
}

#[test]
fn a_live_process_is_never_suspected() {
    timed(Sentinel::new(3), TimeModel::Dense).property(ACCURACY).assert_holds();
    timed(hasty(3), TimeModel::Dense).property(ACCURACY).assert_violated();
}

#[test]
fn symmetry_reduction_keeps_the_verdict_and_saves_states() {
    let accurate = timed(Sentinel::new(3), TimeModel::Ticks).property(ACCURACY);
    let states = |reduced| accurate.clone().symmetry(reduced).assert_holds().stats.distinct_states;
    assert_eq!((states(false), states(true)), (16_813, 2_964));
}

#[test]
fn a_crash_is_detected_within_a_timeout_and_a_delay() {
    timed(Sentinel::new(2), TimeModel::Dense).assert_bound(4 + Sentinel::DELAY);
}

#[test]
fn it_is_a_perfect_detector_unless_its_timeout_is_too_short() {
    timed(Sentinel::new(2), TimeModel::Ticks).assert_class(DetectorClass::P);
    let classified = timed(hasty(2), TimeModel::Ticks).classify().expect("an answer");
    assert_eq!(classified.names(), "none");
}
