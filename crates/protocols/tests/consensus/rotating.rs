//! Algorithm 11 seen from one process.

use crate::script::Player;
use watchkeeper_core::{Pid, Reception};
use watchkeeper_protocols::consensus::{
    Consensus, ConsensusError, ConsensusOutput, Rotating, RotatingMsg as Msg,
};

fn player(me: usize) -> Player<Rotating> {
    Player::new(Rotating::new(3).expect("three"), me)
}

#[test]
fn coordinators_rotate_and_majorities_are_more_than_half() {
    for (n, majority) in [(2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)] {
        let protocol = Rotating::new(n).expect("a protocol");
        assert_eq!(protocol.majority(), majority, "n = {n}");
        for round in 1..20 {
            assert_eq!(protocol.coordinator(round), Pid::at(round as usize % n));
        }
    }
}

#[test]
fn a_coordinator_gathers_proposes_and_decides() {
    let mut p1 = player(1);
    let noted = p1.propose(7);
    assert!(noted.sent.is_empty(), "the coordinator of round 1 waits for estimates");
    let noted = p1.hear(2, Msg::Estimate { round: 1, estimate: 8, stamp: 0 });
    let proposal = Msg::Proposal { round: 1, estimate: 7 };
    assert_eq!(noted.sent, [(0, proposal), (2, proposal)], "its own estimate came first");
    let noted = p1.hear(0, Msg::Ack { round: 1 });
    let decide = Msg::Decide { value: 7 };
    assert_eq!((noted.sent, noted.said), (vec![(0, decide), (2, decide)], vec![ConsensusOutput::Decide(7)]));
    assert_eq!(p1.protocol.decision(&p1.state), Some(7));
    assert_eq!(p1.reception(2, Msg::Ack { round: 1 }), Reception::Discarded);
    assert_eq!(p1.propose(9).said, [ConsensusOutput::Refuse(9)]);
}

#[test]
fn the_newest_estimate_is_proposed() {
    let mut p2 = player(2);
    p2.propose(5);
    let noted = p2.hear(1, Msg::Proposal { round: 1, estimate: 6 });
    assert_eq!(noted.sent, [(1, Msg::Ack { round: 1 })], "and it coordinates round 2 itself");
    let noted = p2.hear(0, Msg::Estimate { round: 2, estimate: 4, stamp: 0 });
    let proposal = Msg::Proposal { round: 2, estimate: 6 };
    assert_eq!(noted.sent, [(0, proposal), (1, proposal)], "adopted in round 1, newer than 0");
    let noted = p2.hear(0, Msg::Nack { round: 2 });
    assert_eq!(noted.sent, [(0, Msg::Estimate { round: 3, estimate: 6, stamp: 2 })], "one nack, and on");
}

#[test]
fn suspicion_of_the_coordinator_leads_on_and_others_do_not() {
    let mut p0 = player(0);
    let noted = p0.propose(5);
    assert_eq!(noted.sent, [(1, Msg::Estimate { round: 1, estimate: 5, stamp: 0 })]);
    assert!(p0.suspect(2).sent.is_empty(), "p2 does not coordinate round 1");
    let noted = p0.suspect(1);
    let second = Msg::Estimate { round: 2, estimate: 5, stamp: 0 };
    assert_eq!(noted.sent, [(1, Msg::Nack { round: 1 }), (2, second), (2, Msg::Nack { round: 2 })]);
    assert_eq!(
        p0.reception(2, Msg::Proposal { round: 2, estimate: 1 }),
        Reception::Discarded,
        "it is in round 3 now"
    );
    assert_eq!(p0.reception(1, Msg::Estimate { round: 3, estimate: 1, stamp: 0 }), Reception::Accepted);
    assert_eq!(p0.reception(1, Msg::Ack { round: 3 }), Reception::Deferred, "first estimates, then replies");
    assert_eq!(p0.reception(1, Msg::Estimate { round: 6, estimate: 1, stamp: 0 }), Reception::Deferred);
    assert_eq!(
        p0.reception(1, Msg::Estimate { round: 4, estimate: 1, stamp: 0 }),
        Reception::Discarded,
        "p1's round"
    );
}

#[test]
fn trust_is_remembered_too() {
    let mut p0 = player(0);
    p0.suspect(1);
    p0.trust(1);
    let noted = p0.propose(5);
    assert_eq!(noted.sent.len(), 1, "p1 is waited for");
}

#[test]
fn decisions_are_passed_on_once_also_by_who_was_never_asked() {
    let mut p0 = player(0);
    let noted = p0.hear(2, Msg::Decide { value: 3 });
    assert_eq!(noted.sent, [(1, Msg::Decide { value: 3 })]);
    assert_eq!(noted.said, [ConsensusOutput::Decide(3)]);
    let noted = p0.hear(1, Msg::Decide { value: 3 });
    assert!(noted.sent.is_empty() && noted.said.is_empty());
}

#[test]
fn values_outside_the_domain_are_refused_and_not_heard() {
    let protocol = Rotating::new(3).and_then(|protocol| protocol.over(2)).expect("two values");
    let mut p1 = Player::new(protocol, 1);
    assert_eq!(p1.propose(2).said, [ConsensusOutput::Refuse(2)]);
    p1.propose(1);
    assert_eq!(p1.reception(0, Msg::Estimate { round: 1, estimate: 2, stamp: 0 }), Reception::Discarded);
    assert_eq!(p1.reception(0, Msg::Decide { value: 9 }), Reception::Discarded);
}

#[test]
fn what_cannot_be_is_refused_with_what_to_choose() {
    assert_eq!(Rotating::new(1), Err(ConsensusError::Size { n: 1 }));
    assert_eq!(
        ConsensusError::Size { n: 1 }.to_string(),
        "1 processes are not possible: choose from 2 to 64"
    );
    let three = || Rotating::new(3).expect("three");
    assert_eq!(three().over(0), Err(ConsensusError::NoValues));
    assert_eq!(three().within(0), Err(ConsensusError::NoRounds));
}
