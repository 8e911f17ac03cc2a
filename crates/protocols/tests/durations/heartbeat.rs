//! The heartbeat protocols with exact halves.

use crate::exact::Exact;
use crate::script::Armed;
use watchkeeper_core::{Input, Pid, Protocol, Time};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatError, HeartbeatState, HeartbeatTimer, HeartbeatVariant,
};

fn heartbeat(variant: HeartbeatVariant, tmin: u32, tmax: u32, participants: usize) -> Heartbeat<Exact> {
    Heartbeat::new(variant, Exact::from(tmin), Exact::from(tmax), participants).expect("a heartbeat protocol")
}

/// The lengths of the rounds of p0 if no beat ever comes.
fn silent_rounds(heartbeat: &Heartbeat<Exact>) -> Vec<Exact> {
    let mut armed = Armed(Vec::new());
    let mut state = heartbeat.init(Pid::at(0), &mut armed);
    while state.is_active() {
        heartbeat.step(Pid::at(0), &mut state, Input::Fire(HeartbeatTimer::Round), &mut armed);
    }
    armed.0.into_iter().map(|(_, length)| length).collect()
}

#[test]
fn rounds_are_halved_without_rounding() {
    let rounds = silent_rounds(&heartbeat(HeartbeatVariant::Binary, 1, 5, 1));
    assert_eq!(rounds, [Exact::from(5), Exact::from(5), Exact::halves(5), Exact::from(5).scaled(1, 4)]);
}

#[test]
fn equal_waits_are_not_compared() {
    let heartbeat = heartbeat(HeartbeatVariant::Static, 1, 10, 3);
    let mut armed = Armed(Vec::new());
    let mut state = heartbeat.init(Pid::at(0), &mut armed);
    let mut round = || {
        let fire = Input::Fire(HeartbeatTimer::Round);
        Exact::compared(|| heartbeat.step(Pid::at(0), &mut state, fire, &mut armed)).0
    };
    assert_eq!(round(), 0, "all were heard at first, so all waits are tmax");
    assert_eq!(round(), 4, "each half with tmin, and once the half with tmax");
    assert!(matches!(state, HeartbeatState::Coordinator { .. }));
}

#[test]
fn configurations_are_refused_by_comparison() {
    let new = |tmin, tmax| Heartbeat::new(HeartbeatVariant::Binary, tmin, tmax, 1);
    assert_eq!(new(Exact::from(0), Exact::from(3)), Err(HeartbeatError::NoTmin));
    let (tmin, tmax) = (Exact::halves(3), Exact::from(1));
    let why = new(tmin, tmax).unwrap_err();
    assert_eq!(why, HeartbeatError::TminAboveTmax { tmin, tmax });
    assert!(why.to_string().starts_with("a tmin of 1.5 is above a tmax of 1"), "{why}");
    assert!(new(Exact::from(1), Exact::from(u32::MAX)).is_ok(), "only whole units have an end");
}

#[test]
fn the_corrected_bound_of_p0_depends_on_twice_tmin() {
    let bound = |tmin, tmax| {
        let published =
            Heartbeat::new(HeartbeatVariant::Binary, tmin, tmax, 1).expect("a heartbeat protocol");
        published.corrected().coordinator_bound()
    };
    assert_eq!(bound(Exact::halves(5), Exact::from(5)), Exact::halves(25));
    assert_eq!(bound(Exact::from(3), Exact::from(5)), Exact::from(10));
}
