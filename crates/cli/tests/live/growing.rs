//! An open cluster that grows while it runs: members join, leave, are killed and come back, and nobody who is there stays
//! suspected. What they recorded is a run of the model, with late starts.

use super::replays::{Supposing, replays_in};
use super::session::{Session, none_left};
use crate::binary::Room;

/// How many members there are at first.
fn members() -> usize {
    std::env::var("WATCHKEEPER_MEMBERS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

#[test]
fn members_join_leave_are_killed_and_come_back() {
    let n = members();
    let room = Room::new("cluster-growing");
    let (dir, count) = (room.arg("nodes"), n.to_string());
    // A period of a second for few members; more of them on one machine need more time.
    let mut session =
        Session::new(&["cluster", "swim", "--n", &count, "--tick", "50ms", "--record", "--dir", &dir]);
    session.until(&format!("{n} nodes of swim"));
    let running: Vec<String> = (0..n).map(|p| format!("p{p} is running")).collect();
    session.until_all(&running.iter().map(String::as_str).collect::<Vec<_>>());
    // One more joins and is one of them.
    session.order("join");
    session.until(&format!("p{n} is started, and joins"));
    session.until(&format!("p{n} is running"));
    // One is killed: everybody finds out, the newcomer too.
    session.order("kill 3");
    session.until("p3 is killed");
    let suspects: Vec<String> = (0..=n).filter(|p| *p != 3).map(|p| format!("p{p} suspects p3")).collect();
    session.until_all(&suspects.iter().map(String::as_str).collect::<Vec<_>>());
    // It comes back under its name and its number, and everybody finds that out.
    session.order("restart 3");
    session.until("p3 is started again");
    let trusts: Vec<String> = (0..=n).filter(|p| *p != 3).map(|p| format!("p{p} trusts p3")).collect();
    session.until_all(&trusts.iter().map(String::as_str).collect::<Vec<_>>());
    // One leaves.
    session.order("leave 2");
    session.until("p2 has left");
    session.order("status");
    session.until("phase");
    session.order("quit");
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    // Whoever was suspected beside the one that was killed was soon trusted again.
    for p in (0..=n).filter(|p| *p != 3) {
        let begun = said.iter().filter(|line| line.ends_with(&format!("suspects p{p}"))).count();
        let over = said.iter().filter(|line| line.ends_with(&format!("trusts p{p}"))).count();
        assert_eq!(begun, over, "p{p} stays suspected: {said:#?}");
    }
    none_left(&room);
    replays_in(&room.path("nodes"), Supposing::AnyTimeAndLoss);
}
