//! Algorithm 10 seen from one process.

use crate::script::Player;
use watchkeeper_core::{Kind, PerProc, Pid, Reception};
use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Strong, StrongMsg as Msg};

fn known(values: [Option<u64>; 3]) -> PerProc<Option<u64>> {
    let mut known = PerProc::new(3, None);
    Pid::all(3).for_each(|p| known[p] = values[p.index()]);
    known
}

fn flood(round: u64, fresh: [Option<u64>; 3]) -> Msg {
    Msg::Flood { round, fresh: known(fresh) }
}

fn exchange(values: [Option<u64>; 3]) -> Msg {
    Msg::Exchange { known: known(values) }
}

fn player() -> Player<Strong> {
    Player::new(Strong::new(3).expect("three"), 0)
}

#[test]
fn news_is_flooded_then_everything_is_exchanged() {
    let mut p0 = player();
    let noted = p0.propose(7);
    let first = flood(1, [Some(7), None, None]);
    assert_eq!(first.label(), "flood 1 7,-,-");
    assert_eq!(noted.sent, [(1, first.clone()), (2, first)]);
    assert!(p0.hear(1, flood(1, [None, Some(8), None])).sent.is_empty(), "p2 is still awaited");
    let noted = p0.hear(2, flood(1, [None, None, Some(9)]));
    let second = flood(2, [None, Some(8), Some(9)]);
    assert_eq!(noted.sent, [(1, second.clone()), (2, second)], "only what is new");
    p0.hear(1, flood(2, [None, None, Some(9)]));
    let noted = p0.hear(2, flood(2, [None, None, None]));
    let all = exchange([Some(7), Some(8), Some(9)]);
    assert_eq!(noted.sent, [(1, all.clone()), (2, all.clone())]);
    p0.hear(1, all);
    let noted = p0.hear(2, exchange([None, Some(8), Some(9)]));
    assert_eq!(noted.said, [ConsensusOutput::Decide(8)], "p2 does not know the first");
    assert_eq!(p0.protocol.decision(&p0.state), Some(8));
}

#[test]
fn who_was_suspected_in_a_wait_is_excused_and_may_still_be_heard() {
    let mut p0 = player();
    p0.propose(7);
    assert!(p0.suspect(2).sent.is_empty());
    p0.trust(2);
    assert_eq!(p0.reception(2, flood(1, [None, None, Some(9)])), Reception::Accepted);
    let noted = p0.hear(1, flood(1, [None, Some(8), None]));
    assert_eq!(noted.sent.len(), 2, "p2 was excused, and nobody else is awaited");
    assert_eq!(p0.reception(2, flood(1, [None, None, Some(9)])), Reception::Discarded, "too late");
    assert_eq!(p0.reception(2, flood(2, [None, None, None])), Reception::Accepted);
    assert_eq!(p0.reception(2, exchange([None, None, None])), Reception::Deferred);
}

#[test]
fn alone_with_suspects_a_process_goes_all_the_way() {
    let mut p0 = player();
    p0.suspect(1);
    p0.suspect(2);
    let noted = p0.propose(7);
    assert_eq!(noted.said, [ConsensusOutput::Decide(7)]);
    assert_eq!(noted.sent.len(), 6, "two rounds and an exchange, to two others");
}

#[test]
fn where_nothing_is_left_nothing_is_decided() {
    let mut p0 = player();
    p0.propose(7);
    for round in 1..=2 {
        p0.hear(1, flood(round, [None, None, None]));
        p0.hear(2, flood(round, [None, None, None]));
    }
    p0.hear(1, exchange([None, None, None]));
    let noted = p0.hear(2, exchange([None, None, None]));
    assert!(noted.said.is_empty());
    assert_eq!(p0.protocol.decision(&p0.state), None);
}
