//! Searches that see only a part: they find what is there to be found, tell it by a run that replays,
//! give the same answer for the same seed, and never say `holds`.

mod toy;

use std::ops::ControlFlow;
use toy::Toy;
use watchkeeper_explore::{NoCallback, Progress, ProgressCallback, Search, Strategy, check};
use watchkeeper_logic::{Invariant, Limit, Outcome, Question, Verdict};

fn fine() -> Question {
    let fine = Invariant { name: "fine".into(), when: None, then: 0 };
    Question { invariants: vec![fine], ..Question::default() }
}

fn run(toy: &Toy, question: &Question, strategy: Strategy, workers: usize) -> Verdict {
    let search = Search { strategy, workers, ..Search::default() };
    check(toy, question, &search, &NoCallback).expect("a verdict")
}

#[test]
fn walks_and_beams_find_a_fault_and_shorten_the_run_to_it() {
    let toy = Toy::new(6, 7, 4, 21);
    let question = fine();
    let best = run(&toy, &question, Strategy::Breadth { max_depth: None }, 1);
    let best = best.trace().expect("a fault").steps.len();
    for strategy in
        [Strategy::Walks { count: 1000, max_depth: 1000 }, Strategy::Beam { width: 200, max_depth: 1000 }]
    {
        let verdicts: Vec<Verdict> =
            [1, 2, 4].map(|workers| run(&toy, &question, strategy.clone(), workers)).into();
        let trace = verdicts[0].trace().expect("a fault");
        assert!(
            verdicts.iter().all(|verdict| verdict.trace() == Some(trace)),
            "the same with every thread count"
        );
        assert!(
            trace.steps.len() >= best && trace.steps.len() <= best + 3,
            "{} against {best}",
            trace.steps.len()
        );
        let Outcome::Violated(violation) = &verdicts[0].outcome else { panic!("no violation") };
        assert!(!violation.shortest, "a partial search does not promise the shortest run");
    }
}

#[test]
fn without_a_fault_a_partial_search_is_unknown() {
    let toy = Toy::new(6, 7, 4, 21);
    let nothing = Question::default();
    for strategy in [
        Strategy::Walks { count: 10, max_depth: 50 },
        Strategy::Beam { width: 20, max_depth: 100 },
        Strategy::Breadth { max_depth: Some(3) },
    ] {
        let verdict = run(&toy, &nothing, strategy, 2);
        assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{:?}", verdict.outcome);
    }
}

#[test]
fn limits_end_in_unknown_with_the_counts_so_far() {
    let toy = Toy::new(6, 9, 4, 1);
    let nothing = Question::default();
    let counts = [1, 2, 4].map(|workers| {
        let search = Search { max_states: Some(20_000), workers, ..Search::default() };
        let verdict = check(&toy, &nothing, &search, &NoCallback).expect("a verdict");
        assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::States(20_000))));
        (verdict.stats.distinct_states, verdict.stats.transitions, verdict.stats.level_sizes)
    });
    assert!(counts[0].0 > 1_000 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    let search = Search { max_bytes: Some(1 << 20), workers: 2, ..Search::default() };
    let verdict = check(&toy, &nothing, &search, &NoCallback).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Memory(1_048_576))));
    assert!(verdict.stats.peak_bytes <= 1 << 20, "{}", verdict.stats.peak_bytes);
    assert!(verdict.stats.peak_bytes * 5 >= 4 << 20, "most of it is used: {}", verdict.stats.peak_bytes);
    assert!(verdict.stats.distinct_states > 10_000, "{}", verdict.stats.distinct_states);
}

struct StopAt(u64);

impl ProgressCallback for StopAt {
    fn on_progress(&self, progress: &Progress) -> ControlFlow<Limit> {
        if progress.distinct_states > self.0 {
            ControlFlow::Break(Limit::Interrupted)
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn who_watches_may_stop_a_search() {
    let toy = Toy::new(6, 9, 4, 1);
    let search = Search { workers: 2, ..Search::default() };
    let verdict = check(&toy, &Question::default(), &search, &StopAt(30_000)).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Interrupted)));
    assert!(verdict.stats.distinct_states > 30_000);
}

#[test]
fn a_walk_counts_what_else_happened_and_never_walks_too_far() {
    let toy = Toy::new(6, 9, 4, 1);
    let verdict = run(&toy, &Question::default(), Strategy::Walks { count: 60, max_depth: 100 }, 2);
    assert!(verdict.stats.transitions <= 60 * 100 && verdict.stats.transitions > 3_000);
    // Each run checks its initial state and the target of each of its steps.
    let walks = verdict.stats.walks.expect("walks are counted");
    assert_eq!((walks.runs, walks.visits), (60, 60 + verdict.stats.transitions));
    let again = run(&toy, &Question::default(), Strategy::Walks { count: 60, max_depth: 100 }, 5);
    assert_eq!((again.stats.transitions, again.stats.walks), (verdict.stats.transitions, Some(walks)));
}

#[test]
fn no_workers_at_all_are_one() {
    let toy = Toy::new(6, 7, 4, 21);
    let none = run(&toy, &fine(), Strategy::Breadth { max_depth: None }, 0);
    let one = run(&toy, &fine(), Strategy::Breadth { max_depth: None }, 1);
    assert_eq!(none.trace(), one.trace());
    assert!(one.trace().is_some());
}

#[test]
fn many_initial_states_are_all_looked_at() {
    let mut toy = Toy::new(3, 60, 1, 4);
    toy.starts = 50_000;
    let verdict = run(&toy, &Question::default(), Strategy::Breadth { max_depth: None }, 2);
    assert_eq!(verdict.stats.level_sizes[0], 50_000);
}

#[test]
fn with_two_properties_the_run_ends_in_the_one_that_is_named() {
    for seed in 0..30 {
        let toy = Toy::new(5, 6, 2, seed);
        let both = Question { deadlock: true, ..fine() };
        let verdict = run(&toy, &both, Strategy::Walks { count: 300, max_depth: 300 }, 1);
        assert!(verdict.trace().is_some() || matches!(verdict.outcome, Outcome::Unknown(_)));
    }
}
