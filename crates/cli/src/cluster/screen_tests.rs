//! Tests of the screen: at every size all of it fits, and an answer is always to be seen.

use super::*;
use crate::cluster::asking::NodeView;
use crate::cluster::children::ChildState;
use crate::cluster::commands::HELP;
use std::time::Duration;
use watchkeeper_core::Pid;

const SIZES: [(usize, usize); 3] = [(60, 12), (80, 24), (120, 40)];

fn view() -> NodeView {
    let suspected = vec![(Pid::at(1), Duration::from_secs(7))];
    NodeView {
        phase: "gathering".to_string(),
        decision: Some((7, Duration::ZERO)),
        suspected,
        ..NodeView::default()
    }
}

fn rows(n: usize, view: &NodeView) -> Vec<ClusterRow<'_>> {
    let last =
        Some(("p1: a message from p3 took 312.0ms, more than the assumption allows", Duration::from_secs(3)));
    let row = |process| ClusterRow {
        process,
        state: &ChildState::Up,
        since: Duration::ZERO,
        view: Some(view),
        last,
    };
    Pid::all(n).map(row).collect()
}

fn screen(answer: &str) -> ClusterScreen {
    let mut screen = ClusterScreen::default();
    (0..100).for_each(|i| screen.tell(&format!("{i:>8}.123  p1: event {i} {}", "and so on ".repeat(20))));
    screen.answer(answer);
    screen
}

#[test]
fn no_line_is_wider_or_taller_than_the_terminal() {
    let (view, long) = (view(), "x".repeat(300));
    for size in SIZES.into_iter().chain([(1, 1), (20, 3), (200, 5)]) {
        for n in [1, 2, 5, 9, 16, 64] {
            for answer in ["", "there is no p9", HELP, &long] {
                let lines = screen(answer).lines(&rows(n, &view), size);
                assert!(lines.len() + TYPING <= size.1.max(TYPING), "{size:?} {n}: {} lines", lines.len());
                let widest = lines.iter().map(|line| line.width()).max().unwrap_or(0);
                assert!(widest <= size.0, "{size:?} {n}: {widest} columns in\n{}", lines.join("\n"));
            }
        }
    }
}

#[test]
fn an_answer_is_shown_at_every_size_and_the_table_where_it_fits() {
    let view = view();
    for size in SIZES {
        for n in [2, 5, 64] {
            let lines = screen("there is no command `kll`").lines(&rows(n, &view), size).join("\n");
            assert!(lines.contains("there is no command `kll`"), "{size:?} {n}:\n{lines}");
            assert!(lines.contains("phase"), "{size:?} {n}:\n{lines}");
        }
        let lines = screen(HELP).lines(&rows(5, &view), size).join("\n");
        assert!(HELP.lines().all(|line| lines.contains(line)), "{size:?}:\n{lines}");
    }
}

#[test]
fn a_long_answer_is_wrapped_and_not_cut() {
    let answer = "there is no command `kll`; did you mean `kill`? `help` shows all";
    let lines = screen(answer).lines(&rows(2, &view()), (60, 12));
    assert_eq!(lines[8..].join(" "), answer, "{lines:?}");
}

#[test]
fn the_last_events_stand_below_the_table() {
    let lines = screen("").lines(&rows(5, &view()), (80, 24));
    assert_eq!((lines.len(), lines[6].as_str()), (22, ""));
    assert!(lines[7].contains("event 85 ") && lines[21].contains("event 99 "), "{lines:?}");
}
