//! The counterexamples of chapter 3 of the thesis of M. Atif, with their times, and what becomes of them in
//! the corrected protocols.

use crate::play::Play;
use crate::script::{heartbeat, p};
use watchkeeper_core::{Judgement, Pid};
use watchkeeper_protocols::heartbeat::HeartbeatTimer::{GiveUp, Join, Round};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};

pub const P0: Pid = Pid::at(0);
const P1: Pid = Pid::at(1);

fn play(heartbeat: Heartbeat, requirement: HeartbeatRequirement) -> Play {
    Play::new(heartbeat, HeartbeatObserver::new(requirement, &heartbeat))
}

fn violated(text: &str) -> Judgement {
    Judgement::Violated(text.to_string())
}

const P0_STAYS: &str = "p0 has received no beat of p1 for more than 20, and is still active";
const P1_STOPS: &str = "p1 is inactivated, though p0 and all others it counts are up and no message was lost";
const P0_STOPS: &str = "p0 is inactivated, though all whom it counts are up and no message was lost";

/// p1 crashes just after its answer, which has arrived at the very start of a long round.
#[test]
fn figure_3_11_a() {
    for (tmin, inactivated) in [(1, 38), (2, 37), (3, 35), (4, 35), (5, 35)] {
        let mut run = play(heartbeat(HeartbeatVariant::Binary, tmin, 10, 1), HeartbeatRequirement::R1);
        run.at(10).fire(P0, Round).deliver(P0, P1).deliver(P1, P0).crash(P1);
        run.at(20).fire(P0, Round).deliver(P0, P1);
        run.at(30).fire(P0, Round).deliver(P0, P1);
        assert_eq!(run.judgement(), Judgement::Open, "exactly 20 since the beat");
        run.at(31);
        assert_eq!(run.judgement(), violated(P0_STAYS));
        let mut rounds = 35;
        while run.state(P0).is_active() {
            run.at(rounds).fire(P0, Round);
            if run.state(P0).is_active() {
                run.deliver(P0, P1);
                rounds += run.state(P0).wait(P1).expect("p1 is counted");
            }
        }
        assert_eq!(rounds, inactivated, "the halves of 10 that are not below {tmin}");
    }
}

/// The same run with the corrected bound: p0 stops in time, at tmin = 1 after 28 of 29.
#[test]
fn figure_3_11_a_corrected() {
    let mut run = play(heartbeat(HeartbeatVariant::Binary, 1, 10, 1).corrected(), HeartbeatRequirement::R1);
    run.at(10).fire(P0, Round).deliver(P0, P1).deliver(P1, P0).crash(P1);
    for time in [20, 30, 35, 37] {
        run.at(time).fire(P0, Round).deliver(P0, P1);
    }
    assert_eq!(run.judgement(), Judgement::Open);
    run.at(38).fire(P0, Round);
    assert_eq!(run.judgement(), Judgement::Settled);
}

/// p0 has not heard of p1 since the start, and its first beat is lost: no crash is needed.
#[test]
fn figure_3_11_b_with_a_loss_in_place_of_the_crash() {
    let mut run = play(heartbeat(HeartbeatVariant::Binary, 5, 10, 1), HeartbeatRequirement::R1);
    run.at(10).fire(P0, Round).lose(P0, P1);
    run.at(20).fire(P0, Round);
    assert_eq!(run.state(P0).wait(P1), Some(5));
    assert_eq!(run.judgement(), Judgement::Open);
    run.at(21);
    assert_eq!(run.judgement(), violated(P0_STAYS));
}

/// p1 crashes before the first beat arrives, and p0 goes on for another half of tmax.
#[test]
fn figure_3_11_b() {
    let mut run = play(heartbeat(HeartbeatVariant::Binary, 5, 10, 1), HeartbeatRequirement::R1);
    run.at(3).crash(P1);
    run.at(10).fire(P0, Round).deliver(P0, P1);
    run.at(20).fire(P0, Round).deliver(P0, P1);
    run.at(21);
    assert_eq!(run.judgement(), violated(P0_STAYS));
    run.at(25).fire(P0, Round);
    assert!(!run.state(P0).is_active());
}

#[test]
fn figure_3_11_b_needs_a_half_of_tmax_that_is_not_below_tmin() {
    let mut run = play(heartbeat(HeartbeatVariant::Binary, 6, 10, 1), HeartbeatRequirement::R1);
    run.at(10).fire(P0, Round).lose(P0, P1);
    run.at(20).fire(P0, Round);
    assert!(!run.state(P0).is_active());
    assert_eq!(run.judgement(), Judgement::Settled);
}

/// tmin = tmax: the first beat takes all its time, and p1's patience ends at the moment of its arrival.
#[test]
fn figure_3_12() {
    for variant in [HeartbeatVariant::Binary, HeartbeatVariant::TwoPhase, HeartbeatVariant::Static] {
        let mut run = play(heartbeat(variant, 10, 10, 1), HeartbeatRequirement::R2);
        run.at(10).fire(P0, Round);
        run.at(20).fire(P1, GiveUp);
        assert_eq!(run.judgement(), violated(P1_STOPS), "{variant}");
        run.fire(P0, Round).deliver(P0, P1);
        assert!(!run.state(P0).is_active() && !run.state(P1).is_active());

        let mut run = play(heartbeat(variant, 10, 10, 1), HeartbeatRequirement::R3);
        run.at(10).fire(P0, Round);
        run.at(20).fire(P0, Round);
        assert_eq!(run.judgement(), violated(P0_STOPS), "{variant}");
    }
}

/// The correction has to do with the order of the same moment, and no other patience would help.
#[test]
fn figure_3_12_with_the_delivery_first() {
    for requirement in [HeartbeatRequirement::R2, HeartbeatRequirement::R3] {
        let mut run = play(heartbeat(HeartbeatVariant::Binary, 10, 10, 1).corrected(), requirement);
        run.at(10).fire(P0, Round);
        run.at(20).deliver(P0, P1).deliver(P1, P0).fire(P0, Round);
        assert!(run.state(P0).is_active() && run.state(P1).is_active());
        assert_eq!(run.judgement(), Judgement::Open);
    }
}

/// The revised protocol has no first wait, but the essence is the same, one beat later.
#[test]
fn figure_3_12_revised() {
    let mut run = play(heartbeat(HeartbeatVariant::Revised, 10, 10, 1), HeartbeatRequirement::R2);
    run.deliver(P0, P1).deliver(P1, P0);
    run.at(10).fire(P0, Round);
    run.at(20).fire(P1, GiveUp);
    assert_eq!(run.judgement(), violated(P1_STOPS));
}

/// tmin = tmax: p1 has answered, and its beat arrives at the moment at which p0's round ends.
#[test]
fn figure_3_13() {
    let mut run = play(heartbeat(HeartbeatVariant::Binary, 10, 10, 1), HeartbeatRequirement::R3);
    run.at(10).fire(P0, Round);
    run.at(15).deliver(P0, P1);
    run.at(20).fire(P0, Round);
    assert_eq!(run.judgement(), violated(P0_STOPS));
    run.deliver(P1, P0);
    assert!(run.state(P1).is_active());
}

/// p1's request to join comes just after p0's round ended, and the beat of the next round takes tmin.
fn late_join(heartbeat: Heartbeat) -> Play {
    let mut run = play(heartbeat, HeartbeatRequirement::R2);
    run.at(5).fire(P1, Join);
    run.at(10).fire(P0, Round).deliver(P1, P0).fire(P1, Join);
    assert_eq!(run.state(P0).counted().to_string(), "{p1}");
    run.at(15).fire(P1, Join).deliver(P1, P0);
    run.at(20).fire(P0, Round).fire(P1, Join).deliver(P1, P0);
    run.at(25);
    run
}

#[test]
fn figure_3_14() {
    for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        let mut run = late_join(heartbeat(variant, 5, 10, 1));
        run.fire(P1, GiveUp);
        assert_eq!(run.judgement(), violated(P1_STOPS), "{variant}");
    }
}

/// 2 tmax + tmin is the moment at which the beat arrives at the latest; it must go first.
#[test]
fn figure_3_14_corrected() {
    for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        let mut run = late_join(heartbeat(variant, 5, 10, 1).corrected());
        run.deliver(P1, P0).deliver(P0, P1).deliver(P1, P0);
        assert!(run.state(P1).is_joined());
        assert_eq!(run.judgement(), Judgement::Open, "{variant}");
    }
}

/// A participant that p0 counts and that has been inactivated takes p0 with it. That is R2's failure only.
#[test]
fn a_participant_that_gave_up_wrongly_excuses_p0() {
    let published = heartbeat(HeartbeatVariant::Expanding, 5, 10, 1);
    let mut run = play(published, HeartbeatRequirement::R3);
    run.at(5).fire(P1, Join);
    run.at(10).fire(P0, Round).deliver(P1, P0).fire(P1, Join);
    run.at(15).fire(P1, Join).deliver(P1, P0);
    run.at(20).fire(P0, Round).fire(P1, Join).deliver(P1, P0);
    run.at(25).fire(P1, GiveUp);
    assert_eq!(run.judgement(), Judgement::Settled);
    run.deliver(P0, P1).deliver(P1, P0);
    run.at(30).fire(P0, Round).deliver(P0, P1);
    run.at(40).fire(P0, Round).deliver(P0, P1);
    run.at(45).fire(P0, Round);
    assert!(!run.state(P0).is_active(), "no crash and no loss, and yet p0 is gone too");
}

#[test]
fn one_who_leaves_takes_nobody_with_it() {
    let published = heartbeat(HeartbeatVariant::Dynamic, 2, 10, 2);
    let mut run = play(published, HeartbeatRequirement::R3);
    run.at(2).fire(P1, Join).fire(p(2), Join).deliver(P1, P0).deliver(p(2), P0);
    for time in [4, 6, 8] {
        run.at(time).fire(P1, Join).fire(p(2), Join).deliver(P1, P0).deliver(p(2), P0);
    }
    run.at(10).fire(P0, Round).deliver(P0, P1).deliver(P0, p(2)).deliver(P1, P0).deliver(p(2), P0);
    run.at(12).leave(P1);
    run.at(20).fire(P0, Round).deliver(P0, P1).deliver(P0, p(2)).deliver(p(2), P0).deliver(P1, P0);
    assert_eq!(run.state(P0).counted().to_string(), "{p2}");
    run.crash(P1);
    assert_eq!(run.judgement(), Judgement::Open, "a crash of one who has left excuses nothing");
    for time in [30, 40, 50] {
        run.at(time).fire(P0, Round).deliver(P0, p(2)).deliver(p(2), P0);
    }
    assert!(run.state(P0).is_active() && run.state(p(2)).is_active());
}
