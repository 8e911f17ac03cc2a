//! The searched space against the plain model, and both against the published counts.

use super::naive::PlainState;
use super::*;
use crate::table::{RowStatus, TableSearch};
use std::collections::{HashMap, HashSet};
use watchkeeper_explore::{NoCallback, Search, Strategy, check};
use watchkeeper_logic::{Formula, Outcome, Question, TemporalProperty, Verdict, ViolationKind};
use watchkeeper_space::{Action, Event, Id, Narration, Space, StatePath, successors};

fn case(delta: u32, phi: u32, timeout: u32, encoding: Encoding) -> ChandraTouegCase {
    ChandraTouegCase::new(delta, phi, timeout, encoding).expect("a possible case")
}

fn ask(case: ChandraTouegCase, property: ChandraTouegProperty) -> Verdict {
    let space = property.fitting(case).space();
    let question = property.question(&space);
    check(&space, &question, &Search::default(), &NoCallback).expect("a verdict")
}

fn steps(verdict: &Verdict) -> Option<usize> {
    verdict.trace().map(|trace| trace.steps.len())
}

#[test]
fn table_1_has_its_states_and_levels_in_both_encodings() {
    for (delta, phi, states, levels) in [(2, 4, 10_158, 176), (4, 4, 16_590, 183), (4, 6, 44_733, 267)] {
        for encoding in Encoding::ALL {
            let verdict =
                ask(case(delta, phi, 6 * phi + delta, encoding), ChandraTouegProperty::StrongAccuracy);
            assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{delta} {phi} {encoding}");
            let found = (verdict.stats.distinct_states, verdict.stats.level_sizes.len());
            assert_eq!(found, (states, levels), "{delta} {phi} {encoding}");
        }
    }
}

#[test]
fn the_printed_phi_of_the_third_line_has_other_figures() {
    let verdict = ask(case(4, 5, 34, Encoding::Counter), ChandraTouegProperty::StrongAccuracy);
    assert_eq!((verdict.stats.distinct_states, verdict.stats.level_sizes.len()), (28_492, 225));
}

#[test]
fn table_2_has_its_shortest_violations_in_both_encodings() {
    for (delta, phi) in [(2, 4), (4, 4)] {
        for encoding in Encoding::ALL {
            let verdict = ask(case(delta, phi, delta + 1, encoding), ChandraTouegProperty::StrongAccuracy);
            assert_eq!(steps(&verdict), Some(42), "{delta} {phi} {encoding}");
            assert_eq!(verdict.exit_code().0, 12);
        }
    }
}

/// The whole search has 15,325,296 states up to this depth. Here the length is met from both sides: a beam finds a
/// run of 168 steps, and none can be shorter, since in its k-th step the receiver has waited k - 1 at most and checks
/// in every third one: first in the 24th whether it has waited 21, and a global step has 7 sub-rounds.
#[test]
fn the_violation_at_20_and_20_has_168_steps() {
    for encoding in Encoding::ALL {
        let space = case(20, 20, 21, encoding).space();
        let search = Search { strategy: Strategy::Beam { width: 200, max_depth: 200 }, ..Search::default() };
        let question = ChandraTouegProperty::StrongAccuracy.question(&space);
        let verdict = check(&space, &question, &search, &NoCallback).expect("a verdict");
        assert_eq!(steps(&verdict), Some(24 * 7), "{encoding}");
    }
}

/// Every state up to `most` states: the same successors, by the same names, and the same view.
fn agrees(case: ChandraTouegCase, most: usize) -> usize {
    let space = case.space();
    let mut known: HashSet<Vec<Id>> = HashSet::new();
    let mut queue = vec![PlainState::initial(&case)];
    known.insert(queue[0].row());
    assert_eq!(space.initial(), [queue[0].row()]);
    let mut next = 0;
    while next < queue.len() {
        let state = queue[next].clone();
        let row = state.row();
        assert_eq!(space.view(&row), state.view());
        let turns = state.turns();
        let mut plain: Vec<(String, Vec<Id>)> =
            turns.iter().map(|turn| (turn.action.label().to_string(), turn.after.row())).collect();
        let named = |(action, after)| (space.label(&row, action), after);
        let mut fast: Vec<(String, Vec<Id>)> = successors(&space, &row).into_iter().map(named).collect();
        plain.sort();
        fast.sort();
        assert_eq!(fast, plain, "{case}, after {row:?}");
        for turn in turns {
            if known.len() < most && known.insert(turn.after.row()) {
                queue.push(turn.after);
            }
        }
        next += 1;
    }
    known.len()
}

#[test]
fn the_space_has_the_steps_of_the_plain_model() {
    for encoding in Encoding::ALL {
        for (delta, phi, timeout) in [(0, 1, 0), (0, 2, 3), (1, 1, 1), (2, 2, 3), (3, 2, 12), (7, 3, 4)] {
            let case = case(delta, phi, timeout, encoding);
            for case in [case, case.with_crash(), case.with_ghost()] {
                agrees(case, 4000);
            }
        }
    }
    assert_eq!(agrees(case(2, 4, 26, Encoding::Predicate), usize::MAX), 10_158);
}

#[test]
fn both_encodings_have_the_same_states() {
    for (delta, phi, timeout) in [(0, 3, 1), (3, 2, 2), (5, 3, 6)] {
        let sizes = Encoding::ALL.map(|encoding| {
            let space = case(delta, phi, timeout, encoding).with_crash().space();
            let verdict = check(&space, &Question::default(), &Search::default(), &NoCallback);
            verdict.expect("a verdict").stats.level_sizes
        });
        assert_eq!(sizes[0], sizes[1]);
    }
}

/// The timeout grows with every wrong suspicion, and stops: so the space is finite without a cap.
#[test]
fn the_timeout_stops_growing_once_it_is_long_enough() {
    let grown = |delta, phi, timeout| {
        let space = case(delta, phi, timeout, Encoding::Counter).space();
        let mut rows = space.initial();
        let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
        while let Some(row) = rows.pop() {
            for (_, after) in successors(&space, &row) {
                if known.insert(after.clone()) {
                    rows.push(after);
                }
            }
        }
        (known.len(), timeout + known.iter().map(|row| row[5]).max().expect("a state"))
    };
    assert_eq!(grown(2, 4, 3), (55_187, 13), "13 is the least first timeout that is enough");
    assert_eq!(grown(2, 4, 0), (62_216, 13));
    assert_eq!(grown(4, 4, 5), (97_887, 16), "as 16 is here");
    assert_eq!(grown(0, 1, 0), (55, 1), "in lockstep only the beginning is slow");
}

#[test]
fn halving_finds_what_a_search_of_every_timeout_finds() {
    for delta in 0..=4 {
        for phi in 1..=3 {
            let holds = |timeout| {
                let verdict =
                    ask(case(delta, phi, timeout, Encoding::Counter), ChandraTouegProperty::StrongAccuracy);
                matches!(verdict.outcome, Outcome::Holds(_))
            };
            let all: Vec<bool> = (0..=6 * phi + delta + 2).map(holds).collect();
            let first = all.iter().position(|holds| *holds).expect("6 phi + delta is enough");
            assert!(all[first..].iter().all(|holds| *holds), "monotone at delta {delta}, phi {phi}");
            let found = least_timeout(delta, phi, Encoding::Predicate, &Search::default(), &NoCallback);
            assert_eq!(found.expect("a verdict").timeout, Some(first as u32), "delta {delta}, phi {phi}");
        }
    }
}

#[test]
fn a_limit_leaves_a_cell_open() {
    let search = Search { max_states: Some(500), ..Search::default() };
    let (delta, phi) = (BoundRange { first: 0, last: 1 }, BoundRange { first: 1, last: 3 });
    let grid = TimeoutGrid::of(delta, phi, Encoding::Counter, &search, &NoCallback).expect("a grid");
    assert!(grid.open());
    let table = grid.table();
    assert_eq!((table.rows[0][1].as_str(), table.rows[0][3].as_str()), ("3", "?"));
    assert!(table.notes[0].contains("left open by a limit"), "{:?}", table.notes);
}

/// A trail that takes now this, now that successor.
fn trail(space: &SenderReceiver, length: usize) -> StatePath {
    let mut trail = StatePath { rows: space.initial(), actions: Vec::new() };
    for i in 0..length {
        let next = successors(space, &trail.rows[i]);
        let (action, row) = next[(i * 7 + i / 11) % next.len()].clone();
        trail.actions.push(action);
        trail.rows.push(row);
    }
    trail
}

#[test]
fn a_trail_replays_with_the_views_and_labels_of_the_space() {
    for encoding in Encoding::ALL {
        let case = case(3, 3, 2, encoding);
        for case in [case, case.with_crash(), case.with_ghost()] {
            let space = case.space();
            let trail = trail(&space, 700);
            let trace = space.replay(&trail).expect("a path of the model");
            assert_eq!(trace.start, space.view(&trail.rows[0]));
            for (i, step) in trace.steps.iter().enumerate() {
                assert_eq!(step.action, space.label(&trail.rows[i], trail.actions[i]));
                assert_eq!(step.after, space.view(&trail.rows[i + 1]));
            }
        }
    }
}

#[test]
fn every_message_of_a_chart_is_received_once() {
    let space = case(2, 3, 2, Encoding::Counter).space();
    let trace = space.replay(&trail(&space, 2000)).expect("a path of the model");
    let mut fates: HashMap<u32, u32> = HashMap::new();
    let (mut alarms, mut reliefs) = (0, 0);
    for event in trace.steps.iter().flat_map(|step| &step.events) {
        match event {
            Event::Send { message, .. } => assert_eq!(fates.insert(message.0, 0), None),
            Event::Receive { message } => *fates.get_mut(&message.0).expect("it was sent") += 1,
            Event::Output { label, .. } if label == "suspect sender" => alarms += 1,
            Event::Output { label, .. } => {
                assert_eq!(label, "stop suspecting sender");
                reliefs += 1;
            }
            _ => {}
        }
    }
    assert!(fates.values().all(|received| *received <= 1));
    assert!(fates.values().filter(|received| **received == 0).count() <= 2, "all but the last ones arrive");
    assert!(alarms - reliefs <= 1 && reliefs > 0, "{alarms} {reliefs}");
}

#[test]
fn a_tampered_trail_does_not_replay() {
    for encoding in Encoding::ALL {
        let space = case(2, 2, 1, encoding).space();
        let good = trail(&space, 60);
        assert!(space.replay(&good).is_ok());
        let refused = |what: &str, step: usize, change: &dyn Fn(&mut StatePath)| {
            let mut bad = good.clone();
            change(&mut bad);
            let mismatch = space.replay(&bad).expect_err(what);
            assert_eq!(mismatch.step, step, "{what}: {mismatch}");
        };
        refused("another start", 0, &|trail| trail.rows[0][4] += 1);
        refused("a longer wait", 30, &|trail| trail.rows[30][4] += 1);
        refused("a message from nowhere", 8, &|trail| trail.rows[8][9] ^= 1);
        refused("a lost last state", 0, &|trail| drop(trail.rows.pop()));
        refused("another step", 8, &|trail| {
            trail.actions[7] = Action::new(trail.actions[7].class() + 1, 0);
        });
        refused("no such step", 8, &|trail| trail.actions[7] = Action::new(77, 0));
    }
}

#[test]
fn bounded_completeness_holds_as_a_safety_property() {
    for (delta, phi, timeout) in [(2, 2, 14), (0, 1, 0), (1, 2, 2), (3, 1, 1)] {
        let verdict =
            ask(case(delta, phi, timeout, Encoding::Counter), ChandraTouegProperty::BoundedCompleteness);
        assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{delta} {phi} {timeout}");
        assert_eq!(verdict.warnings, Vec::<String>::new());
    }
}

#[test]
fn eventual_strong_accuracy_holds_of_every_run_however_short_the_first_timeout() {
    for (delta, phi, timeout) in [(2, 4, 3), (2, 4, 26), (4, 2, 0), (0, 1, 0), (3, 1, 2)] {
        for encoding in Encoding::ALL {
            let case = case(delta, phi, timeout, encoding);
            let verdict = ask(case, ChandraTouegProperty::EventualStrongAccuracy);
            assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{case}");
        }
    }
    let crashing = case(2, 2, 1, Encoding::Counter).with_crash();
    assert!(matches!(ask(crashing, ChandraTouegProperty::EventualStrongAccuracy).outcome, Outcome::Holds(_)));
}

#[test]
fn strong_completeness_holds_of_every_run_with_a_crash() {
    for (delta, phi, timeout) in [(2, 2, 14), (2, 2, 1), (0, 1, 0), (4, 1, 3)] {
        let case = case(delta, phi, timeout, Encoding::Counter);
        let verdict = ask(case, ChandraTouegProperty::StrongCompleteness);
        assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{case}");
        assert_eq!(verdict.warnings, Vec::<String>::new(), "some run has a crash");
    }
}

/// What does not hold is shown by a run that goes on for ever: here one in which the sender never crashes.
#[test]
fn a_claim_about_all_runs_that_is_wrong_has_a_lasso() {
    let space = case(1, 2, 13, Encoding::Counter).with_crash().space();
    let atom = |name: &str| Formula::atom(space.shape().atom(name).expect("an atom"));
    let claim = TemporalProperty::new("a crash comes", atom("crashed").eventually());
    let question = Question { temporal: vec![claim], ..Question::default() };
    let verdict = check(&space, &question, &Search::default(), &NoCallback).expect("a verdict");
    let Outcome::Violated(violation) = &verdict.outcome else { panic!("a crash is no duty") };
    assert_eq!((violation.finding, verdict.exit_code().0), (ViolationKind::Liveness, 13));
    let begins = violation.trace.loops_to.expect("a lasso");
    let turn = &violation.trace.steps[begins..];
    assert!(turn.len() >= 8 && turn.len() % 8 == 0, "whole global steps: {}", turn.len());
    assert!(turn.iter().any(|step| step.action.starts_with("IncMsgAge")), "time passes in it");
}

#[test]
fn the_tables_are_told_line_by_line() {
    let computed = |search: &Search| {
        tables(false, &TableSearch { search, watch: &NoCallback, seconds: &|| 0.0 }).expect("verdicts")
    };
    let found = computed(&Search::default());
    assert_eq!(found.count(RowStatus::AsExpected), 10);
    let table = found.table();
    assert_eq!(table.rows.len(), 11);
    assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
    let said = |i: usize| [2, 9, 10, 12].map(|cell: usize| table.rows[i][cell].as_str());
    assert_eq!(said(0), ["4", "10,158", "176 levels", "as printed"]);
    assert_eq!(said(5), ["6 (printed 5)", "44,733", "267 levels", "as printed"]);
    assert_eq!(said(7)[2..], ["42 steps", "steps as printed"]);
    assert_eq!(said(10), ["20", "", "", "not searched: heavy"]);
    let search = Search { max_states: Some(100), ..Search::default() };
    let cut = computed(&search);
    assert_eq!((cut.count(RowStatus::Open), cut.count(RowStatus::Changed)), (10, 0));
}

#[test]
fn a_suspicion_is_drawn_at_the_end_of_the_shortest_violation() {
    let verdict = ask(case(2, 4, 3, Encoding::Predicate), ChandraTouegProperty::StrongAccuracy);
    let Outcome::Violated(violation) = &verdict.outcome else { panic!("strong accuracy holds") };
    assert_eq!((violation.finding, violation.shortest), (ViolationKind::Safety, true));
    let last = violation.trace.steps.last().expect("a step");
    assert_eq!(last.action, "RComp: the receiver begins to suspect the sender");
    assert_eq!(last.at.as_deref(), Some("5"), "in the sixth global step");
    assert!(matches!(&last.events[..], [Event::Output { label, .. }] if label == "suspect sender"));
    let slow = check(
        &case(2, 4, 3, Encoding::Predicate).space(),
        &Question::default(),
        &Search::default(),
        &NoCallback,
    );
    assert_eq!(slow.expect("a verdict").stats.distinct_states, 55_187, "past the violation");
}
