//! The searched space against the naive one, and both against the published counts.

use super::automaton::ProcessModel;
use super::channel::PROCESSES;
use super::closure::code;
use super::csp::Csp;
use super::naive::{NaiveRing, NaiveState};
use super::process_algebra::ProcessAlgebra;
use super::tasks::{Grain, Tasks};
use super::{Crash, FullChannel, RingCase, RingModel, RingNetwork, oscillations, table};
use crate::table::{RowStatus, TableSearch};
use std::collections::HashSet;
use strum::VariantArray;
use watchkeeper_core::Pid;
use watchkeeper_explore::{NoCallback, Search, Strategy, check};
use watchkeeper_logic::{Invariant, Outcome, Question, Verdict, ViolationKind};
use watchkeeper_space::{Action, Event, Id, Narration, Role, Space, StatePath, successors};

fn case(model: RingModel, when_full: FullChannel, buffer: u32, crash: Crash) -> RingCase {
    RingCase::new(model, when_full, buffer, crash).expect("a possible case")
}

fn published(model: RingModel, when_full: FullChannel, buffer: u32) -> RingNetwork {
    case(model, when_full, buffer, Crash::AnyTime).space()
}

fn cumulative(verdict: &Verdict) -> Vec<u64> {
    let sum = |sum: &mut u64, size: &u64| {
        *sum += size;
        Some(*sum)
    };
    verdict.stats.level_sizes.iter().scan(0, sum).collect()
}

fn deadlock(space: &RingNetwork) -> Verdict {
    check(space, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict")
}

fn overflow(space: &RingNetwork) -> Verdict {
    let then = space.shape().atom("within-capacity").expect("an atom");
    let invariants = vec![Invariant { name: "within-capacity".into(), when: None, then }];
    let question = Question { invariants, ..Question::default() };
    check(space, &question, &Search::default(), &NoCallback).expect("a verdict")
}

fn steps(verdict: &Verdict) -> usize {
    verdict.trace().expect("a violation").steps.len()
}

#[test]
fn local_states_are_as_many_as_the_texts_have() {
    let locals = |model, crash| case(model, FullChannel::Block, 1, crash).space().local_states();
    assert_eq!(locals(RingModel::ProcessAlgebra, Crash::AnyTime), [70, 71, 70]);
    assert_eq!(locals(RingModel::ProcessAlgebra, Crash::Never), [70, 70, 70]);
    assert_eq!(locals(RingModel::ProcessAlgebra, Crash::AtStart), [70, 1, 70]);
    assert_eq!(locals(RingModel::Csp, Crash::AnyTime), [34, 35, 34]);
    assert_eq!(locals(RingModel::Tasks, Crash::AnyTime), [130, 131, 130]);
    assert_eq!(locals(RingModel::TasksAtomic, Crash::AnyTime), [66, 67, 66]);
}

#[test]
fn blocking_process_algebra_has_the_published_levels_and_a_deadlock_after_20_steps() {
    let verdict = deadlock(&published(RingModel::ProcessAlgebra, FullChannel::Block, 1));
    let levels = [
        1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5315, 9933, 17989, 31674, 54403, 91346, 150235, 242273,
        383474, 595979, 909922, 1365150,
    ];
    assert_eq!(cumulative(&verdict), levels);
    assert_eq!(steps(&verdict), 20);
}

#[test]
fn the_other_models_have_their_first_deadlock_and_overflow_where_an_independent_search_has_them() {
    let verdict = deadlock(&published(RingModel::Csp, FullChannel::Block, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (18, 345_058));
    let verdict = overflow(&published(RingModel::Csp, FullChannel::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (9, 4859));
    let verdict = overflow(&published(RingModel::Csp, FullChannel::Report, 2));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (16, 177_328));
    let verdict = overflow(&published(RingModel::ProcessAlgebra, FullChannel::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (9, 5321));
    let verdict = overflow(&published(RingModel::ProcessAlgebra, FullChannel::Report, 2));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (16, 264_903));
    let verdict = deadlock(&published(RingModel::Tasks, FullChannel::Block, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (28, 976_266));
    let verdict = overflow(&published(RingModel::Tasks, FullChannel::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (15, 21_406));
}

/// Every state up to `most` states: the same successors, by the same names, and the same view.
fn agrees<A: ProcessModel>(automaton: A, case: RingCase, most: usize) {
    let space = case.space();
    let naive = NaiveRing::new(automaton, case);
    let numbers: Vec<Vec<A::Local>> = Pid::all(PROCESSES).map(|p| naive.numbered(p)).collect();
    assert_eq!(space.local_states().to_vec(), numbers.iter().map(Vec::len).collect::<Vec<_>>());
    let mut known: HashSet<Vec<Id>> = HashSet::new();
    let mut queue: Vec<NaiveState<A::Local>> = vec![naive.start()];
    known.insert(naive.row(&queue[0], &numbers));
    assert_eq!(space.initial(), [naive.row(&queue[0], &numbers)]);
    let mut next = 0;
    while next < queue.len() {
        let row = naive.row(&queue[next], &numbers);
        let turns = naive.turns(&queue[next]);
        let plain: Vec<(u64, Vec<Id>)> = turns
            .iter()
            .map(|turn| (u64::from(code(turn.me, turn.number)), naive.row(&turn.after, &numbers)))
            .collect();
        let fast: Vec<(u64, Vec<Id>)> =
            successors(&space, &row).into_iter().map(|(action, row)| (action.code(), row)).collect();
        assert_eq!(fast, plain, "{case}, after {row:?}");
        for turn in turns {
            if known.len() < most && known.insert(naive.row(&turn.after, &numbers)) {
                queue.push(turn.after);
            }
        }
        next += 1;
    }
    assert!(known.len() == most || case.crash == Crash::AtStart, "{case} has {} states", known.len());
}

#[test]
fn the_space_has_the_steps_of_the_naive_network() {
    for &when_full in FullChannel::VARIANTS {
        for &crash in Crash::VARIANTS {
            for buffer in [1, 2] {
                let case = |model| case(model, when_full, buffer, crash);
                agrees(ProcessAlgebra, case(RingModel::ProcessAlgebra), 3000);
                agrees(Csp, case(RingModel::Csp), 3000);
                agrees(Tasks { grain: Grain::Edge }, case(RingModel::Tasks), 3000);
                agrees(Tasks { grain: Grain::Atomic }, case(RingModel::TasksAtomic), 3000);
            }
        }
    }
}

#[test]
fn whole_spaces_of_rings_that_begin_with_a_crash_have_their_exact_sizes() {
    let sizes = |model, when_full| {
        let space = case(model, when_full, 1, Crash::AtStart).space();
        let verdict =
            check(&space, &Question::default(), &Search::default(), &NoCallback).expect("a verdict");
        assert!(matches!(verdict.outcome, Outcome::Holds(_)));
        (verdict.stats.distinct_states, verdict.stats.transitions)
    };
    assert_eq!(sizes(RingModel::ProcessAlgebra, FullChannel::Block), (9000, 27_349));
    assert_eq!(sizes(RingModel::ProcessAlgebra, FullChannel::Report), (13_457, 32_535));
    assert_eq!(sizes(RingModel::ProcessAlgebra, FullChannel::Ignore), (9000, 32_535));
    assert_eq!(sizes(RingModel::Csp, FullChannel::Block), (6535, 20_412));
    assert_eq!(sizes(RingModel::Csp, FullChannel::Ignore), (6535, 23_485));
    assert_eq!(sizes(RingModel::Tasks, FullChannel::Ignore), (112_692, 304_100));
    assert_eq!(sizes(RingModel::TasksAtomic, FullChannel::Ignore), (35_186, 114_086));
}

#[test]
fn channels_that_ignore_do_not_deadlock_and_channels_that_block_do() {
    for &model in RingModel::VARIANTS {
        for buffer in [1, 2] {
            let verdict = deadlock(&case(model, FullChannel::Ignore, buffer, Crash::AtStart).space());
            assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{model} {buffer}");
            let verdict = deadlock(&case(model, FullChannel::Block, buffer, Crash::AtStart).space());
            let Outcome::Violated(violation) = &verdict.outcome else { panic!("{model} {buffer} holds") };
            assert_eq!(violation.finding, ViolationKind::Deadlock);
            let blocks = |event: &&Event| matches!(event, Event::Block { .. });
            let events = &violation.trace.steps.last().expect("a step").events;
            assert!(events.iter().filter(blocks).count() >= 2, "both live processes wait: {events:?}");
            assert_eq!(violation.trace.opening, [Event::Crash { process: Pid::at(1) }]);
        }
    }
}

/// A trail of at most `length` steps that takes now this, now that successor.
fn trail(space: &RingNetwork, length: usize) -> StatePath {
    let mut trail = StatePath { rows: space.initial(), actions: Vec::new() };
    for i in 0..length {
        let next = successors(space, &trail.rows[i]);
        if next.is_empty() {
            break;
        }
        let (action, row) = next[i * 7 % next.len()].clone();
        trail.actions.push(action);
        trail.rows.push(row);
    }
    trail
}

#[test]
fn a_trail_replays_with_the_views_and_labels_of_the_space() {
    for &model in RingModel::VARIANTS {
        for when_full in [FullChannel::Block, FullChannel::Ignore] {
            let space = published(model, when_full, 1);
            let trail = trail(&space, 60);
            let trace = space.replay(&trail).expect("a path of the model");
            assert!(trace.steps.len() > 20);
            assert_eq!(trace.start, space.view(&trail.rows[0]));
            for (i, step) in trace.steps.iter().enumerate() {
                assert_eq!(step.action, space.label(&trail.rows[i], trail.actions[i]));
                assert_eq!(step.after, space.view(&trail.rows[i + 1]));
            }
        }
    }
}

#[test]
fn a_tampered_trail_does_not_replay() {
    for &model in RingModel::VARIANTS {
        let space = published(model, FullChannel::Block, 1);
        let good = trail(&space, 20);
        assert!(space.replay(&good).is_ok());
        let refused = |what: &str, step: usize, change: &dyn Fn(&mut StatePath)| {
            let mut bad = good.clone();
            change(&mut bad);
            let mismatch = space.replay(&bad).expect_err(what);
            assert_eq!(mismatch.step, step, "{what}: {mismatch}");
        };
        refused("another start", 0, &|trail| trail.rows[0][0] += 1);
        refused("a message from nowhere", 8, &|trail| trail.rows[8][PROCESSES + 5] += 1);
        refused("another local state", 8, &|trail| trail.rows[8][2] += 1);
        refused("a lost last state", 0, &|trail| drop(trail.rows.pop()));
        refused("no such step", 8, &|trail| {
            trail.actions[7] = Action::new(trail.actions[7].class(), u64::from(code(Pid::at(0), 99)));
        });
        refused("another class", 8, &|trail| {
            trail.actions[7] = Action::new(trail.actions[7].class() ^ 1, trail.actions[7].code());
        });
    }
}

#[test]
fn faults_and_messages_are_classes_of_their_own() {
    let roles = |crash| {
        let space = case(RingModel::ProcessAlgebra, FullChannel::Ignore, 1, crash).space();
        let classes = space.shape().classes.iter();
        let named =
            |role| classes.clone().filter(move |class| class.role == role).map(|class| class.name.clone());
        (named(Role::Fault).collect::<Vec<_>>(), named(Role::Message).collect::<Vec<_>>())
    };
    let takes = ["take ARE-YOU-ALIVE", "take I-AM-ALIVE"];
    assert_eq!(roles(Crash::AnyTime), (vec!["crash".to_string()], takes.map(String::from).to_vec()));
    assert_eq!(roles(Crash::Never).0, Vec::<String>::new());
}

#[test]
fn what_becomes_of_a_message_that_finds_its_channel_full_is_told() {
    let verdict = overflow(&published(RingModel::ProcessAlgebra, FullChannel::Report, 1));
    let last = verdict.trace().and_then(|trace| trace.steps.last()).expect("a violation");
    assert!(matches!(last.events[..], [Event::Overflow { .. }]), "{:?}", last.events);
    assert!(last.after.iter().any(|(name, value)| name == "overflow" && value.to_string() == "true"));
    let space = published(RingModel::ProcessAlgebra, FullChannel::Ignore, 1);
    let search = Search { max_states: Some(20_000), ..Search::default() };
    let verdict = check(&space, &Question::default(), &search, &NoCallback).expect("a verdict");
    let ignored = verdict.coverage.iter().find(|class| class.name == "ignored (full)");
    assert!(ignored.is_some_and(|class| class.count > 0), "{:?}", verdict.coverage);
}

#[test]
fn a_crashed_process_is_trusted_again_once_and_twice() {
    let search = Search { max_states: Some(300_000), ..Search::default() };
    let found = |model| {
        let case = case(model, FullChannel::Block, 1, Crash::AnyTime);
        let runs = oscillations(&case, 3, &search, &NoCallback).expect("verdicts");
        runs.iter()
            .map(|run| (run.times, run.verdict.trace().map(|trace| trace.steps.len())))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(RingModel::ProcessAlgebra), [(1, Some(7)), (2, Some(15)), (3, None)]);
    assert_eq!(found(RingModel::Csp), [(1, Some(7)), (2, Some(15)), (3, None)]);
}

#[test]
fn a_process_that_crashed_at_the_start_is_never_trusted_again() {
    let case = case(RingModel::Csp, FullChannel::Ignore, 1, Crash::AtStart);
    let runs = oscillations(&case, 3, &Search::default(), &NoCallback).expect("verdicts");
    assert_eq!(runs.len(), 1);
    assert!(matches!(runs[0].verdict.outcome, Outcome::Holds(_)));
}

#[test]
fn the_table_shows_windows_where_it_was_searched_and_says_where_it_was_not() {
    let strategy = Strategy::Breadth { max_depth: None };
    let search = Search { strategy, max_states: Some(30_000), ..Search::default() };
    let search = TableSearch { search: &search, watch: &NoCallback, seconds: &|| 0.0 };
    let found = table(false, &search).expect("a table");
    let statuses = [RowStatus::AsExpected, RowStatus::Changed, RowStatus::Open, RowStatus::NotSearched];
    assert_eq!(statuses.map(|status| found.count(status)), [3, 0, 6, 6]);
    let table = found.table();
    assert_eq!(table.rows.len(), 15);
    assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
    let row = |tool: &str, buffer: &str, channel: &str| {
        let wanted = [tool, buffer, channel];
        let row = table.rows.iter().find(|row| row[..3] == wanted).expect("a line");
        [row[4].clone(), row[6].clone(), row[7].clone()]
    };
    let overflow = "overflow after 9 steps, 2,744 to 5,321 states";
    assert_eq!(row("mCRL2", "1", "R"), ["6,630", overflow, "at depth 10: 5,321 to 9,973"]);
    let overflow = "overflow after 9 steps, 2,567 to 4,859 states";
    assert_eq!(row("FDR2", "1", "R"), ["2,401", overflow, "at depth 8: 1,301 to 2,567"]);
    assert_eq!(row("UPPAAL", "1", "I")[1..], ["", "not searched: heavy"]);
    assert!(row("mCRL2", "1", "B")[1].starts_with("unknown after "), "{:?}", row("mCRL2", "1", "B"));
}
