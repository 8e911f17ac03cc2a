//! The detector of Chandra and Toueg with durations that are no whole units.

use crate::exact::Exact;
use crate::script::Armed;
use watchkeeper_core::{Input, Pid, Protocol};
use watchkeeper_protocols::chandra_toueg::{
    ChandraToueg, ChandraTouegError, ChandraTouegMsg, ChandraTouegTimer,
};

/// The timeouts of p0 for p1, one for each wrong suspicion in a row.
fn timeouts(detector: &ChandraToueg<Exact>, suspicions: usize) -> Vec<Exact> {
    let (p0, p1) = (Pid::at(0), Pid::at(1));
    let mut state = detector.init(p0, &mut Armed(Vec::new()));
    let wrong = |_| {
        let mut armed = Armed(Vec::new());
        detector.step(p0, &mut state, Input::Fire(ChandraTouegTimer::Wait(p1)), &mut armed);
        detector.step(p0, &mut state, Input::Receive { from: p1, msg: &ChandraTouegMsg::Alive }, &mut armed);
        assert_eq!(armed.0, [(ChandraTouegTimer::Wait(p1), detector.timeout(p1, &state))]);
        detector.timeout(p1, &state)
    };
    (0..suspicions).map(wrong).collect()
}

#[test]
fn timeouts_grow_by_fractions_up_to_the_cap() {
    let detector = ChandraToueg::new(2, Exact::from(1), Exact::from(2))
        .and_then(|detector| detector.growing_by(Exact::halves(1)))
        .expect("a detector");
    assert_eq!(timeouts(&detector, 3), [5, 6, 7].map(Exact::halves));
    let capped = detector.capped(Exact::from(3)).expect("a detector");
    assert_eq!(timeouts(&capped, 3), [5, 6, 6].map(Exact::halves));
}

#[test]
fn a_timeout_grows_by_one_unit_where_nothing_is_said() {
    let detector = ChandraToueg::new(2, Exact::from(1), Exact::halves(3)).expect("a detector");
    assert_eq!(timeouts(&detector, 2), [5, 7].map(Exact::halves));
}

#[test]
fn configurations_are_refused_by_comparison() {
    let (zero, one) = (Exact::from(0), Exact::from(1));
    assert_eq!(ChandraToueg::new(2, zero, one), Err(ChandraTouegError::NoPeriod));
    assert_eq!(ChandraToueg::new(2, one, zero), Err(ChandraTouegError::NoTimeout));
    let detector = ChandraToueg::new(2, one, one).expect("a detector");
    assert_eq!(detector.clone().growing_by(zero), Err(ChandraTouegError::NoGrowth));
    let why = detector.capped(Exact::halves(1)).unwrap_err();
    assert_eq!(why.to_string(), "a cap of 0.5 is below the first timeout: choose 1 or more");
}
