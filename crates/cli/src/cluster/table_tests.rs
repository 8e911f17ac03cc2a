//! Tests of the table: what a row says, and that it keeps to the space it is given.

use super::*;
use crate::cluster::asking::GroupStatus;
use watchkeeper_core::ProcSet;

fn trusting() -> NodeView {
    NodeView {
        phase: "running".to_string(),
        uptime: Duration::from_secs(12),
        worst_late: Duration::from_micros(300),
        ..NodeView::default()
    }
}

fn suspecting(peers: &[usize]) -> NodeView {
    let since = Duration::from_millis(2_300);
    NodeView { suspected: peers.iter().map(|p| (Pid::at(*p), since)).collect(), ..trusting() }
}

fn row<'a>(p: usize, state: &'a ChildState, view: &'a NodeView) -> ClusterRow<'a> {
    ClusterRow { process: Pid::at(p), state, since: Duration::from_secs(4), view: Some(view), last: None }
}

fn wide(rows: &[ClusterRow<'_>], width: usize) -> String {
    table(rows, TableSpace { width, ..TableSpace::UNLIMITED }).join("\n")
}

#[test]
fn rows_are_observers_and_columns_are_subjects() {
    let (p0, others) = (suspecting(&[1]), trusting());
    let rows = [
        ClusterRow {
            last: Some(("p0 suspects p1", Duration::from_millis(2_300))),
            ..row(0, &ChildState::Up, &p0)
        },
        row(1, &ChildState::Killed, &others),
        row(2, &ChildState::Up, &others),
    ];
    let expected = "           p0      p1      p2   phase         since     late  last event
  p0            !2.3s      ok   running      12.0 s   0.3 ms  p0 suspects p1 (2.3 s ago)
  p1        -               -   killed        4.0 s        -
  p2       ok      ok           running      12.0 s   0.3 ms";
    assert_eq!(wide(&rows, 120), expected);
    let narrow = "           p0      p1      p2   phase
  p0            !2.3s      ok   running
  p1        -               -   killed
  p2       ok      ok           running";
    assert_eq!(wide(&rows, 45), narrow);
    let listed = "        phase       suspects
  p0    running     !{p1}
  p1    killed      -
  p2    running     nobody";
    assert_eq!(wide(&rows, 30), listed);
}

#[test]
fn decisions_and_views_have_columns_of_their_own() {
    let (none, decided) =
        (trusting(), NodeView { decision: Some((7, Duration::from_millis(5))), ..trusting() });
    let rows = [row(0, &ChildState::Up, &none), row(1, &ChildState::Up, &decided)];
    let expected = "           p0      p1   phase         since     late  decided  last event
  p0               ok   running      12.0 s   0.3 ms        -
  p1       ok           running      12.0 s   0.3 ms        7";
    assert_eq!(wide(&rows, 120), expected);
    let group = GroupStatus { members: ProcSet::first(2), views: 1, words: 0 };
    let member = NodeView { group: Some(group), ..trusting() };
    let rows = [row(0, &ChildState::Up, &member), row(1, &ChildState::Up, &none)];
    let expected = "           p0      p1   phase       view
  p0               ok   running     {p0,p1}
  p1       ok           running     -";
    assert_eq!(wide(&rows, 45), expected);
}

#[test]
fn colours_say_nothing_that_the_text_does_not_say() {
    let view = suspecting(&[1]);
    let rows = [row(0, &ChildState::Up, &view), row(1, &ChildState::Killed, &view)];
    let space = TableSpace { width: 100, height: 10, color: true };
    let painted = table(&rows, space);
    assert!(painted[1].contains("\x1b[1;31m   !2.3s\x1b[0m"), "{painted:?}");
    let mut bare = painted.join("\n");
    for code in ["\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[1;31m", "\x1b[0m"] {
        bare = bare.replace(code, "");
    }
    assert_eq!(bare, table(&rows, TableSpace { color: false, ..space }).join("\n"));
}

#[test]
fn where_rows_have_no_room_those_that_tell_most_stay() {
    let (calm, alarmed) = (trusting(), suspecting(&[3]));
    let rows: Vec<_> =
        (0..9).map(|p| row(p, &ChildState::Up, if p == 6 { &alarmed } else { &calm })).collect();
    let lines = table(&rows, TableSpace { width: 120, height: 5, color: false });
    let names: Vec<&str> = lines[1..4].iter().map(|line| line[..4].trim()).collect();
    assert_eq!((names, lines[4].trim()), (vec!["p0", "p1", "p6"], "6 more nodes: there is no room"));
}

#[test]
fn lines_are_cut_by_columns_and_a_terminal_obeys_nothing_in_them() {
    let space = |width| TableSpace { width, height: 1, color: false };
    let line = TableLine::of(CellColor::Plain, "界界界\x1b[2J");
    assert_eq!((line.fitted(space(5)), line.fitted(space(80))), ("界界…".into(), "界界界\u{fffd}[2J".into()));
}
