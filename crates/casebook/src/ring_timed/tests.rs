//! The search against the automata as they are drawn, the engine against the plainest search, and both
//! against the findings of the book.

use super::automata::Automata;
use super::message::{PROCESSES, TimedAction};
use super::state::{TimedLayout, TimedState};
use super::*;
use crate::ring::Crash;
use crate::table::{PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableSearch};
use std::collections::{BTreeSet, HashSet};
use strum::VariantArray;
use watchkeeper_core::Pid;
use watchkeeper_explore::{NoCallback, Search, check, naive};
use watchkeeper_logic::{ExitCode, Question, Verdict};
use watchkeeper_space::{Action, Event, Id, Narration, Space, StatePath, Stuck, Trace, steps, successors};
use watchkeeper_world::Simultaneous;

fn case(
    variant: TimedVariant,
    order: MessageOrder,
    capacity: u32,
    max_delta: u32,
    clock: ClockReading,
) -> RingTimedCase {
    RingTimedCase::new(variant, order, capacity, max_delta, clock).expect("a possible case")
}

/// One case of every kind, p1 dead, mortal and immortal.
fn all_kinds() -> Vec<RingTimedCase> {
    let mut cases = Vec::new();
    for &variant in TimedVariant::VARIANTS {
        for &order in MessageOrder::VARIANTS {
            for &clock in ClockReading::VARIANTS {
                for &crash in Crash::VARIANTS {
                    let capacity = if crash == Crash::AnyTime { 1 } else { 2 };
                    let case = RingTimedCase { crash, ..case(variant, order, capacity, 2, clock) };
                    cases.push(case);
                    cases.push(RingTimedCase { growth: DeltaGrowth::PastMaxDelta, ..case });
                    cases.push(RingTimedCase { simultaneous: Simultaneous::DeliveriesFirst, ..case });
                }
            }
        }
    }
    cases
}

/// The steps of the automata that change something, as the search names and stores them.
fn drawn(layout: &TimedLayout, automata: &Automata) -> BTreeSet<(u64, Vec<Id>)> {
    let row = |automata: &Automata| layout.row(&automata.state()).to_vec();
    let before = row(automata);
    let edges = automata.edges().into_iter().map(|edge| (edge.action.code(edge.me), row(&edge.after)));
    edges.filter(|(code, after)| *code != TimedAction::Tick.code(Pid::at(0)) || *after != before).collect()
}

/// Every state up to `most`: the same steps, by the same names, the same lists, and one way to store it.
fn agrees(case: RingTimedCase, most: usize) -> usize {
    let (space, layout) = (case.space(), TimedLayout::new(&case));
    let row = |automata: &Automata| layout.row(&automata.state()).to_vec();
    let mut queue = vec![Automata::initial(&case)];
    let mut known: BTreeSet<Vec<Id>> = BTreeSet::from([row(&queue[0])]);
    assert_eq!(space.initial(), [row(&queue[0])]);
    let mut next = 0;
    while next < queue.len() {
        let automata = queue[next].clone();
        let here = row(&automata);
        let found = successors(&space, &here);
        let fast: BTreeSet<_> = found.iter().map(|(action, row)| (action.code(), row.clone())).collect();
        assert_eq!(fast.len(), found.len(), "{case}: no two steps share a name and an end");
        assert_eq!(fast, drawn(&layout, &automata), "{case}, after {here:?}");
        let state: TimedState = layout.state(&here);
        assert_eq!(state, automata.state(), "{case}: a row stands for one state");
        for p in Pid::all(PROCESSES) {
            assert_eq!(state.processes[p.index()].suspects(p), automata.suspects(p), "{case}: L is an arc");
        }
        for edge in automata.edges() {
            if known.len() < most && known.insert(row(&edge.after)) {
                queue.push(edge.after);
            }
        }
        next += 1;
    }
    known.len()
}

#[test]
fn the_search_has_the_steps_of_the_drawn_automata() {
    for case in all_kinds() {
        agrees(case, 1500);
    }
}

#[test]
fn and_has_them_in_a_whole_space() {
    let whole = case(TimedVariant::WeakAccuracy, MessageOrder::Fifo, 2, 2, ClockReading::OldestUnanswered);
    assert_eq!(agrees(whole, usize::MAX), 49_553);
    let resent = case(TimedVariant::StrongCompleteness, MessageOrder::Fifo, 1, 2, ClockReading::EveryResend);
    assert_eq!(
        agrees(RingTimedCase { simultaneous: Simultaneous::DeliveriesFirst, ..resent }, usize::MAX),
        20_540,
        "with the clock that is shared"
    );
}

/// States, time-locks, deadlocks, and states in which no process will ever act again.
fn ends(case: RingTimedCase) -> (usize, usize, usize, usize) {
    let space = case.space();
    let can_act = space.shape().atom("can-act").expect("an atom");
    let (mut known, mut queue) = (HashSet::new(), space.initial());
    let (mut locks, mut deadlocks, mut silent) = (0, 0, 0);
    while let Some(row) = queue.pop() {
        if !known.insert(row.clone()) {
            continue;
        }
        silent += usize::from(!space.atom(can_act, &row));
        let found = steps(&space, &row);
        if found.stuck {
            match space.stuck(&row) {
                Stuck::Timelock => locks += 1,
                Stuck::Deadlock => deadlocks += 1,
                Stuck::Finished => panic!("this model has no end"),
            }
        }
        queue.extend(found.next.into_iter().map(|(_, row)| row));
    }
    (known.len(), locks, deadlocks, silent)
}

/// Where no process can ever act again, time stops too: there is no silence in which it goes on.
#[test]
fn whatever_cannot_go_on_becomes_a_time_lock() {
    let queues = case(TimedVariant::WeakAccuracy, MessageOrder::Fifo, 1, 2, ClockReading::OldestUnanswered);
    assert_eq!(ends(queues), (28_874, 24, 0, 24));
    let drawn = case(TimedVariant::StrongAccuracy, MessageOrder::Any, 1, 2, ClockReading::EveryResend);
    assert_eq!(
        ends(drawn),
        (116_204, 245, 0, 291),
        "some of them only after the time that is left has passed"
    );
}

/// The engine and the plainest search there is, over whole spaces and up to the first block.
#[test]
fn the_engine_and_the_plain_search_find_the_same() {
    for case in [
        case(TimedVariant::WeakAccuracy, MessageOrder::Any, 1, 2, ClockReading::EveryResend),
        case(TimedVariant::StrongCompleteness, MessageOrder::Fifo, 1, 2, ClockReading::OldestUnanswered),
        case(TimedVariant::StrongAccuracy, MessageOrder::Fifo, 2, 2, ClockReading::OldestUnanswered),
    ] {
        let space = case.space();
        for question in [TimedQuestion::MutualBlock.question(&space), Question::default()] {
            let search = Search { workers: 2, ..Search::default() };
            let plain = naive(&space, &question, &Search::default(), &NoCallback).expect("a verdict");
            let fast = check(&space, &question, &search, &NoCallback).expect("a verdict");
            assert_eq!(fast.word(), plain.word(), "{case}");
            assert_eq!(fast.stats.level_sizes, plain.stats.level_sizes, "{case}");
            assert_eq!(fast.stats.transitions, plain.stats.transitions, "{case}");
            let length = |verdict: &Verdict| verdict.trace().map(|trace| trace.steps.len());
            assert_eq!(length(&fast), length(&plain), "{case}");
        }
    }
}

fn block(order: MessageOrder) -> Trace {
    let space = case(TimedVariant::WeakAccuracy, order, 1, 2, ClockReading::EveryResend).space();
    let verdict =
        check(&space, &TimedQuestion::MutualBlock.question(&space), &Search::default(), &NoCallback);
    verdict.expect("a verdict").trace().expect("the block is reached").clone()
}

/// The explanation of the thesis, number by number: p0 asks p1, suspects it, asks p2, suspects it, takes a
/// question of p2, answers and stops suspecting it, asks p2 again, and cannot answer the next question.
#[test]
fn the_run_to_the_block_is_figure_6_13() {
    let trace = block(MessageOrder::Any);
    assert_eq!(trace.opening, [Event::Crash { process: Pid::at(1) }]);
    assert_eq!(trace.steps.len(), 29);
    let mut told = Vec::new();
    for event in trace.steps.iter().flat_map(|step| &step.events) {
        match event {
            Event::Send { from, to, label, .. } if *from == Pid::at(0) => {
                told.push(format!("{label} to {to}"))
            }
            Event::Output { process, label, .. } if *process == Pid::at(0) => told.push(label.clone()),
            Event::Block { process, to, label } => {
                told.push(format!("{process} cannot send {label} to {to}"))
            }
            Event::Remark { text } => told.push(text.clone()),
            _ => {}
        }
    }
    assert_eq!(
        told,
        [
            "ARE-YOU-ALIVE to p1",
            "suspect p1",
            "ARE-YOU-ALIVE to p2",
            "suspect p2",
            "I-AM-ALIVE to p2",
            "stop suspecting p2",
            "ARE-YOU-ALIVE to p2",
            "p0 cannot send I-AM-ALIVE to p2",
            "p2 cannot send I-AM-ALIVE to p0",
            "no process can act any more, and time cannot pass beyond 3",
        ]
    );
    let times: Vec<&str> = trace.steps.iter().filter_map(|step| step.at.as_deref()).collect();
    assert_eq!(times.len(), 29);
    assert_eq!((times[0], times[28]), ("0", "2"));
    let ticks = trace.steps.iter().filter(|step| step.action == "one tick passes").count();
    assert_eq!(ticks, 2);
}

/// A queue holds the later question back, so a longer run is needed, and one is found.
#[test]
fn queues_make_the_way_to_the_block_longer() {
    assert_eq!(block(MessageOrder::Fifo).steps.len(), 47);
}

#[test]
fn a_trail_that_is_no_path_is_refused() {
    let space = case(TimedVariant::WeakAccuracy, MessageOrder::Any, 1, 2, ClockReading::EveryResend).space();
    let mut path = space.initial();
    for _ in 0..12 {
        let last = path.last().expect("a path").clone();
        path.push(successors(&space, &last).remove(0).1);
    }
    let trail = space.lift(&path).expect("a path");
    let trace = space.replay(&trail).expect("a run");
    assert_eq!(trace.steps.len(), 12);
    for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
        assert_eq!(step.after, space.view(row), "both accounts show a state alike");
    }
    for (row, (&action, step)) in trail.rows.iter().zip(trail.actions.iter().zip(&trace.steps)) {
        assert_eq!(space.label(row, action), step.action);
    }
    let refused = |trail: &StatePath| space.replay(trail).expect_err("not a path").step;
    let mut bent = trail.clone();
    bent.rows[7] = trail.rows[8].clone();
    assert_eq!(refused(&bent), 7);
    let mut renamed = trail.clone();
    renamed.actions[4] = Action::new(trail.actions[4].class() ^ 1, trail.actions[4].code());
    assert_eq!(refused(&renamed), 5);
    let mut late = trail.clone();
    late.rows.remove(0);
    late.actions.remove(0);
    assert_eq!(refused(&late), 0);
    let mut short = trail;
    short.rows.pop();
    assert_eq!(refused(&short), 0);
}

/// The row of a claim, with at most so many states.
fn row(claim: &TimedClaim, max_states: Option<u64>) -> PublishedRow {
    let search = Search { workers: 2, max_states, ..Search::default() };
    let search = TableSearch { search: &search, watch: &NoCallback, seconds: &|| 0.0 };
    claim.row(&search).expect("a row")
}

/// All cells of the table that are small, one of every kind among them.
#[test]
fn what_was_found_before_is_found_again() {
    let small: Vec<TimedClaim> = cells().into_iter().filter(|cell| cell.states < 45_000).collect();
    assert_eq!((cells().len(), small.len()), (106, 50));
    for &asked in TimedQuestion::VARIANTS {
        assert!(small.iter().any(|cell| cell.asked == asked), "{asked}");
    }
    for cell in &small {
        let row = row(cell, None);
        assert_eq!(row.found[0], TableCell::Answer(cell.expected), "{cell:?}");
        assert_eq!(row.found[2], TableCell::Count(cell.states), "{cell:?}");
        assert_eq!(row.status, RowStatus::AsExpected);
        assert_eq!(row.found[1] != TableCell::from(""), cell.expected.holds() == Some(false));
    }
}

#[test]
fn a_cell_that_changes_or_is_not_decided_is_told() {
    let cell = cells()[0];
    let fewer = TimedClaim { states: cell.states - 1, ..cell };
    let changed = TimedClaim { expected: TableAnswer::Holds, ..cell };
    let rows = vec![
        row(&cell, None),
        row(&changed, None),
        row(&fewer, None),
        cell.unsearched(),
        row(&cell, Some(100)),
    ];
    let all = PublishedTable { rows, ..table::empty() };
    assert_eq!(all.exit_code(), ExitCode::SAFETY);
    let drawn = all.table();
    let last: Vec<&str> = drawn.rows.iter().filter_map(|row| row.last()).map(String::as_str).collect();
    let expected = ["as reported", "CHANGED", "CHANGED", "not searched: heavy", "a limit ended the search"];
    assert_eq!(last, expected);
    assert!(drawn.rows.iter().all(|row| row.len() == drawn.header.len()));
    let summary = "5 rows in 0 ms, 2 of them CHANGED, 1 not decided, 1 not searched because heavy";
    assert_eq!(drawn.notes[0], summary);
    let fine = PublishedTable { rows: all.rows[..1].to_vec(), ..all };
    assert_eq!(fine.exit_code(), ExitCode::HOLDS);
    assert_eq!(fine.table().notes[0], "1 rows in 0 ms, all as found before");
}

/// The last two columns of the table, where they say most.
#[test]
fn the_monitors_are_told_to_fail_hold_or_say_nothing() {
    let told = |asked: TimedQuestion, wanted: &dyn Fn(&RingTimedCase) -> bool| {
        let cell = cells().into_iter().find(|cell| cell.asked == asked && wanted(&cell.case));
        let rows = vec![row(&cell.expect("a cell"), None)];
        let row = PublishedTable { rows, ..table::empty() }.table().rows.remove(0);
        [row[7].clone(), row[8].clone(), row[12].clone()]
    };
    let small = |case: &RingTimedCase| case.max_delta() == 2 && case.clock == ClockReading::OldestUnanswered;
    let dead = |case: &RingTimedCase| small(case) && case.crash == Crash::AtStart;
    let fails = "fails after 8 steps";
    assert_eq!(told(TimedQuestion::WeakAccuracy, &small), ["holds", fails, "not as reported"]);
    assert_eq!(told(TimedQuestion::StrongAccuracy, &small), ["holds", "holds, vacuously", "says nothing"]);
    assert_eq!(told(TimedQuestion::StrongCompleteness, &dead), ["holds", "holds, vacuously", "says nothing"]);
    assert_eq!(told(TimedQuestion::NeverInG, &dead), ["fails", "holds", "not as reported"]);
    assert_eq!(told(TimedQuestion::Deadlock, &small), ["holds", "holds", "as reported"]);
}
