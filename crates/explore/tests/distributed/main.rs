//! A search on several workers gives the answer of a search on one: verdict, figures, coverage and trace.

mod renumbered;
mod resumed;
mod same;
mod threads;
#[path = "../toy/mod.rs"]
mod toy;

use renumbered::Renumbered;
use same::told;
use threads::answers;
use toy::Toy;
use watchkeeper_explore::{Hooks, KeyWidth, NoCallback, Search, Strategy, check};
use watchkeeper_logic::{Guard, Invariant, Limit, Monitor, MonitorEdge, Outcome, Question, Verdict};
use watchkeeper_space::Space;

fn deadlock() -> Question {
    Question { deadlock: true, ..Question::default() }
}

fn fine() -> Question {
    let invariants = vec![Invariant { name: "fine".into(), when: None, then: 0 }];
    Question { invariants, ..Question::default() }
}

/// Asks one worker, and then several; the answer of the one.
fn agree(toy: impl Fn() -> Toy + Sync, question: &Question, search: &Search) -> Verdict {
    let alone = check(&toy(), question, search, &NoCallback).expect("a verdict");
    for workers in 1..=4 {
        let space = |me: usize| Box::new(Renumbered::new(toy(), me)) as Box<dyn Space>;
        for answer in answers(workers, space, question, search) {
            let verdict = answer.expect("a verdict");
            assert_eq!(told(&verdict), told(&alone), "{workers} workers");
            assert_eq!(verdict.stats.workers, workers);
        }
    }
    alone
}

fn holds(toy: impl Fn() -> Toy + Sync, search: &Search) {
    let verdict = agree(toy, &Question::default(), search);
    assert!(verdict.holds() && verdict.stats.distinct_states > 100, "{}", verdict.stats.distinct_states);
}

#[test]
fn spaces_of_any_size_are_searched_alike() {
    for (slots, values, ways, seed) in [(4, 4, 5, 1), (5, 5, 6, 2), (6, 7, 3, 3)] {
        holds(|| Toy::new(slots, values, ways, seed), &Search::default());
    }
    holds(|| Toy { starts: 9, ..Toy::new(5, 5, 2, 4) }, &Search::default());
}

#[test]
fn layouts_widen_and_tables_grow_on_the_way() {
    let hooks = Hooks { narrow: true, small_tables: true, ..Hooks::default() };
    for keys in [KeyWidth::Narrowest, KeyWidth::TwoWords, KeyWidth::Collapsed] {
        let search = Search { hooks: Hooks { keys, ..hooks }, ..Search::default() };
        holds(|| Toy::new(5, 6, 5, 5), &search);
        holds(|| Toy { spread: 90_001, ..Toy::new(4, 6, 5, 6) }, &search);
    }
}

#[test]
fn the_shortest_counterexample_is_the_same() {
    for seed in 1..12 {
        for question in [deadlock(), fine()] {
            let verdict =
                agree(|| Toy { rare: 900, ..Toy::new(5, 6, 3, seed) }, &question, &Search::default());
            let deep = verdict.stats.level_sizes.len();
            assert!(deep > 0);
        }
    }
    let verdict = agree(|| Toy { rare: 2500, ..Toy::new(6, 5, 3, 7) }, &fine(), &Search::default());
    let Outcome::Violated(found) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
    assert!(found.trace.steps.len() > 3 && found.shortest, "{} steps", found.trace.steps.len());
}

#[test]
fn a_monitor_goes_along() {
    let hurt = || Guard::Not(Guard::Atom(0).into());
    let edges = [(0, 1), (1, 2)].map(|(from, to)| MonitorEdge { from, guard: hurt(), to });
    let states = ["well", "hurt", "hurt twice"].map(str::to_string).to_vec();
    let errors = vec![(2, "it hurts again".to_string())];
    let monitor = Monitor { name: "at most once".into(), states, edges: edges.to_vec(), errors };
    let question = Question { monitor: Some(monitor), ..Question::default() };
    agree(|| Toy { rare: 700, ..Toy::new(5, 5, 3, 8) }, &question, &Search::default());
}

#[test]
fn limits_end_all_workers_alike() {
    let toy = || Toy::new(6, 6, 4, 9);
    for max_depth in [0, 1, 4] {
        let search =
            Search { strategy: Strategy::Breadth { max_depth: Some(max_depth) }, ..Search::default() };
        let verdict = agree(toy, &deadlock(), &search);
        assert!(!verdict.holds());
    }
    for max_states in [1, 50, 3000] {
        let search = Search { max_states: Some(max_states), ..Search::default() };
        let verdict = agree(toy, &Question::default(), &search);
        assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::States(_))), "{:?}", verdict.outcome);
    }
}

#[test]
fn memory_that_one_worker_lacks_ends_the_search_of_all() {
    let search = Search { max_bytes: Some(1 << 16), ..Search::default() };
    for answer in
        answers(3, |me| Box::new(Renumbered::new(Toy::new(6, 6, 4, 9), me)), &Question::default(), &search)
    {
        let verdict = answer.expect("a verdict");
        assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Memory(65_536))), "{:?}", verdict.outcome);
    }
}

#[test]
fn what_cannot_be_distributed_is_refused_with_a_way_out() {
    let walks = Search { strategy: Strategy::Walks { count: 3, max_depth: 3 }, ..Search::default() };
    for answer in answers(2, |me| Box::new(Renumbered::new(Toy::new(4, 4, 2, 1), me)), &deadlock(), &walks) {
        let told = answer.expect_err("refused").to_string();
        assert!(told.contains("search breadth-first"), "{told}");
    }
}
