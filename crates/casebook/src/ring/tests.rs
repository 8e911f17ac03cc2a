//! The searched space against the naive one, and both against the published counts.

use super::automaton::Automaton;
use super::channel::PROCESSES;
use super::closure::code;
use super::csp::Csp;
use super::naive::{Global, Naive};
use super::process_algebra::ProcessAlgebra;
use super::tasks::{Grain, Tasks};
use super::{Case, Crash, Model, Network, WhenFull, oscillations, table};
use std::collections::HashSet;
use watchkeeper_core::Pid;
use watchkeeper_explore::{Quiet, Search, Strategy, check};
use watchkeeper_logic::{Finding, Invariant, Outcome, Question, Verdict};
use watchkeeper_space::{Action, Event, Id, Role, Space, Trail, successors};

fn case(model: Model, when_full: WhenFull, buffer: u32, crash: Crash) -> Case {
    Case::new(model, when_full, buffer, crash).expect("a possible case")
}

fn published(model: Model, when_full: WhenFull, buffer: u32) -> Network {
    case(model, when_full, buffer, Crash::AnyTime).space()
}

fn cumulative(verdict: &Verdict) -> Vec<u64> {
    let sum = |sum: &mut u64, size: &u64| {
        *sum += size;
        Some(*sum)
    };
    verdict.stats.level_sizes.iter().scan(0, sum).collect()
}

fn deadlock(space: &Network) -> Verdict {
    check(space, &Question::no_deadlock(), &Search::default(), &Quiet).expect("a verdict")
}

fn overflow(space: &Network) -> Verdict {
    let then = space.shape().atom("within-capacity").expect("an atom");
    let invariants = vec![Invariant { name: "within-capacity".into(), when: None, then }];
    let question = Question { invariants, ..Question::default() };
    check(space, &question, &Search::default(), &Quiet).expect("a verdict")
}

fn steps(verdict: &Verdict) -> usize {
    verdict.trace().expect("a violation").steps.len()
}

#[test]
fn local_states_are_as_many_as_the_texts_have() {
    let locals = |model, crash| case(model, WhenFull::Block, 1, crash).space().local_states();
    assert_eq!(locals(Model::ProcessAlgebra, Crash::AnyTime), [70, 71, 70]);
    assert_eq!(locals(Model::ProcessAlgebra, Crash::Never), [70, 70, 70]);
    assert_eq!(locals(Model::ProcessAlgebra, Crash::AtStart), [70, 1, 70]);
    assert_eq!(locals(Model::Csp, Crash::AnyTime), [34, 35, 34]);
    assert_eq!(locals(Model::Tasks, Crash::AnyTime), [303, 304, 303]);
    assert_eq!(locals(Model::TasksAtomic, Crash::AnyTime), [66, 67, 66]);
}

#[test]
fn blocking_process_algebra_has_the_published_levels_and_a_deadlock_after_20_steps() {
    let verdict = deadlock(&published(Model::ProcessAlgebra, WhenFull::Block, 1));
    let levels = [
        1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5315, 9933, 17989, 31674, 54403, 91346, 150235, 242273, 383474,
        595979, 909922, 1365150,
    ];
    assert_eq!(cumulative(&verdict), levels);
    assert_eq!(steps(&verdict), 20);
}

#[test]
fn the_other_models_have_their_first_deadlock_and_overflow_where_an_independent_search_has_them() {
    let verdict = deadlock(&published(Model::Csp, WhenFull::Block, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (18, 345_058));
    let verdict = overflow(&published(Model::Csp, WhenFull::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (9, 4859));
    let verdict = overflow(&published(Model::Csp, WhenFull::Report, 2));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (16, 177_328));
    let verdict = overflow(&published(Model::ProcessAlgebra, WhenFull::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (9, 5321));
    let verdict = overflow(&published(Model::ProcessAlgebra, WhenFull::Report, 2));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (16, 264_903));
    let verdict = overflow(&published(Model::Tasks, WhenFull::Report, 1));
    assert_eq!((steps(&verdict), verdict.stats.distinct_states), (17, 46_164));
}

/// Every state up to `most` states: the same successors, by the same names, and the same view.
fn agrees<A: Automaton>(automaton: A, case: Case, most: usize) {
    let space = case.space();
    let naive = Naive::new(automaton, case);
    let numbers: Vec<Vec<A::Local>> = Pid::all(PROCESSES).map(|p| naive.numbered(p)).collect();
    assert_eq!(space.local_states().to_vec(), numbers.iter().map(Vec::len).collect::<Vec<_>>());
    let mut known: HashSet<Vec<Id>> = HashSet::new();
    let mut queue: Vec<Global<A::Local>> = vec![naive.start()];
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
    assert!(known.len() == most || case.crash() == Crash::AtStart, "{case} has {} states", known.len());
}

#[test]
fn the_space_has_the_steps_of_the_naive_network() {
    for when_full in WhenFull::ALL {
        for crash in Crash::ALL {
            for buffer in [1, 2] {
                let case = |model| case(model, when_full, buffer, crash);
                agrees(ProcessAlgebra, case(Model::ProcessAlgebra), 3000);
                agrees(Csp, case(Model::Csp), 3000);
                agrees(Tasks { grain: Grain::Edge }, case(Model::Tasks), 3000);
                agrees(Tasks { grain: Grain::Atomic }, case(Model::TasksAtomic), 3000);
            }
        }
    }
}
