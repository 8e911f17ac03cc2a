//! The ring detectors with durations that are no whole units.

use crate::exact::Exact;
use crate::script::Armed;
use watchkeeper_core::{Input, Pid, Protocol};
use watchkeeper_protocols::ring::{
    Ring, RingError, RingMsg, RingPolicy, RingTimer, StrongAccuracy, StrongCompleteness, TimeoutAdaptation,
    WeakAccuracy, WeakCompleteness,
};

/// The lengths of the rounds in which p0 asks p1 and is not answered in time, one after the other.
fn rounds<P: RingPolicy<Exact>>(ring: &Ring<P, Exact>, late: P::Msg, rounds: usize) -> Vec<Exact> {
    let (p0, p1) = (Pid::at(0), Pid::at(1));
    let mut state = ring.init(p0, &mut Armed(Vec::new()));
    let too_late = |_| {
        let mut armed = Armed(Vec::new());
        let length = ring.timeout(p1, &state);
        ring.step(p0, &mut state, Input::Fire(RingTimer::Round), &mut armed);
        ring.step(p0, &mut state, Input::Receive { from: p1, msg: &late }, &mut armed);
        ring.step(p0, &mut state, Input::Fire(RingTimer::Round), &mut armed);
        assert_eq!(armed.0.last(), Some(&(RingTimer::Round, ring.timeout(p1, &state))));
        length
    };
    (0..rounds).map(too_late).collect()
}

#[test]
fn a_timeout_grows_by_one_unit_up_to_the_cap() {
    let (first, max_delta) = (Exact::halves(1), Some(Exact::from(2)));
    let halves = [1, 3, 4, 4].map(Exact::halves);
    let ring = Ring::with_policy(StrongAccuracy::new(max_delta), 3, first).expect("a ring");
    assert_eq!(rounds(&ring, RingMsg::IAmAlive, 4), halves);
    let ring = Ring::with_policy(WeakAccuracy::new(Pid::at(1), max_delta), 3, first).expect("a ring");
    assert_eq!(rounds(&ring, RingMsg::IAmAlive, 4), halves);
    let policy = StrongCompleteness::new(TimeoutAdaptation::ForAll { max_delta });
    let ring = Ring::with_policy(policy, 3, first).expect("a ring");
    assert_eq!(rounds(&ring, policy.message(RingMsg::IAmAlive, &policy.memory(3, first)), 4), halves);
}

#[test]
fn a_fixed_timeout_is_never_compared() {
    let ring = Ring::<WeakCompleteness, Exact>::new(3, Exact::halves(1)).expect("a ring");
    let (compared, lengths) = Exact::compared(|| rounds(&ring, RingMsg::IAmAlive, 3));
    assert_eq!((compared, lengths), (0, vec![Exact::halves(1); 3]));
}

#[test]
fn configurations_are_refused_by_comparison() {
    assert_eq!(Ring::new(3, Exact::from(0)), Err(RingError::NoTimeout));
    let why = Ring::with_policy(StrongAccuracy::new(Some(Exact::halves(3))), 3, Exact::from(2)).unwrap_err();
    assert_eq!(why.to_string(), "a cap of 1.5 is below the first timeout: choose 2 or more");
}
