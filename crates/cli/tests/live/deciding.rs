//! The command `cluster` for a protocol whose nodes decide: it ends by itself when they have, tells who decided what, and
//! kills at random no more than the protocol bears.

use super::replays::{Supposing, replays_in};
use super::session::{Session, none_left};
use crate::binary::{Room, watchkeeper};

/// A cluster that decides, with its files in a directory.
fn deciding(dir: &str, args: &[&str]) -> Session {
    Session::new(&[&["cluster", "consensus-live", "--tick", "20ms", "--dir", dir], args].concat())
}

/// The value that all agree on, by the summary at the end.
fn agreed(said: &[String]) -> u64 {
    let all = "All that are alive have decided, and all agree on ";
    let value = said.iter().find_map(|line| line.strip_prefix(all)?.parse().ok());
    value.unwrap_or_else(|| panic!("no agreement:\n{}", said.join("\n")))
}

#[test]
fn a_cluster_that_has_decided_ends_and_says_what() {
    let room = Room::new("cluster-decides");
    let dir = room.arg("nodes");
    let session = deciding(&dir, &["--propose", "30,10,20", "--record"]);
    // Its input ends at once, and it decides all the same.
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    let value = agreed(&said);
    assert!([10, 20, 30].contains(&value), "{value}");
    for p in 0..3 {
        let (told, summed) = (format!("p{p} decides {value}, "), format!("  p{p}: {value}, "));
        assert!(said.iter().any(|line| line.contains(&told)), "{told}: {said:?}");
        assert!(said.iter().any(|line| line.starts_with(&summed)), "{summed}: {said:?}");
    }
    none_left(&room);
    replays_in(room.path("nodes").as_path(), Supposing::AnyTime);
}

#[test]
fn nodes_killed_at_random_are_fewer_than_half_and_the_others_decide() {
    let room = Room::new("cluster-random");
    let dir = room.arg("nodes");
    let session = deciding(&dir, &["--n", "5", "--kill-random", "2", "--seed", "3", "--record"]);
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("Killed by seed 3: p")), "{said:?}");
    assert_eq!(said.iter().filter(|line| line.ends_with(" is killed by chance")).count(), 2, "{said:?}");
    assert!(agreed(&said) < 5, "everyone proposes its own number");
    none_left(&room);
    replays_in(room.path("nodes").as_path(), Supposing::AnyTime);
}

#[test]
fn a_cluster_that_is_kept_goes_on_and_shows_decisions_until_it_is_told_to_end() {
    let room = Room::new("cluster-keep");
    let dir = room.arg("nodes");
    let mut session = deciding(&dir, &["--param", "values=4,4,4", "--keep"]);
    for _ in 0..3 {
        session.until(" decides 4, ");
    }
    session.order("status");
    session.until("decided  last event");
    for order in ["kill 0", "kill 1"] {
        session.order(order);
        session.until(" is killed");
    }
    session.until("2 nodes are gone, and with more than 1 of them nobody need decide any more");
    session.order("quit");
    let (code, said) = session.end();
    assert_eq!((code, agreed(&said)), (Some(0), 4), "{said:?}");
    none_left(&room);
}

#[test]
fn more_kills_than_the_protocol_bears_and_proposals_that_cannot_be_are_refused() {
    let live = "consensus-live";
    for (args, part) in [
        (
            vec![live, "--kill-random", "2"],
            "--kill-random: killing 2 of 3 nodes is too much: the protocol decides as long as fewer than half of the \
             processes crash, here at most 1",
        ),
        (vec![live, "--n", "4", "--kill-random", "2"], "start 5 nodes with --n"),
        (vec![live, "--kill-random", "0"], "`0` is not a number of nodes"),
        (vec![live, "--kill-random", "1", "--seed", "x"], "--seed: `x` is not a seed"),
        (vec![live, "--seed", "1"], "--kill-random"),
        (vec![live, "--propose", "1,2"], "--propose: 2 values for 3 processes: each proposes once"),
        (vec![live, "--propose", "1,2,x"], "--propose: `x` is not a value"),
        (
            vec![live, "--propose", "0,1,2", "--param", "domain=2"],
            "--propose: p2 would propose 2, which is outside of the domain",
        ),
        (vec![live, "--param", "values=binary"], "leaves open what this node proposes"),
        (vec!["ring", "--propose", "1,2,3"], "the processes of this protocol propose nothing"),
        (vec!["ring", "--kill-random", "3"], "killing 3 of 3 nodes leaves nobody to look at; kill at most 2"),
    ] {
        let args = [vec!["cluster"], args].concat();
        let said = watchkeeper(&args);
        assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}
