//! The engine against the textbook: on many spaces without structure both give the same verdict, the
//! same counts, depth by depth, and counterexamples of the same length, with any number of threads.

mod toy;

use toy::Toy;
use watchkeeper_explore::{NoCallback, Search, Strategy, check, naive};
use watchkeeper_logic::{Invariant, Outcome, Question, Verdict};

fn summary(verdict: &Verdict) -> (String, Vec<u64>, u64, u64, Option<usize>, Vec<u64>) {
    let found = match &verdict.outcome {
        Outcome::Violated(violation) => format!("{:?} {}", violation.finding, violation.what),
        other => format!("{other:?}"),
    };
    let counts = verdict.coverage.iter().map(|class| class.count).collect();
    let stats = &verdict.stats;
    let steps = verdict.trace().map(|trace| trace.steps.len());
    (found, stats.level_sizes.clone(), stats.distinct_states, stats.transitions, steps, counts)
}

fn agree(toy: &Toy, question: &Question) -> u64 {
    let expected = naive(toy, question, &Search::default(), &NoCallback).expect("a verdict");
    let mut traces = Vec::new();
    for workers in [1, 2, 4] {
        let search = Search { workers, ..Search::default() };
        let verdict = check(toy, question, &search, &NoCallback).expect("a verdict");
        assert_eq!(summary(&verdict), summary(&expected), "seed {}, {workers} workers", toy.seed);
        traces.push(verdict.trace().cloned());
    }
    assert!(
        traces.windows(2).all(|pair| pair[0] == pair[1]),
        "the very same trace on every number of threads"
    );
    expected.stats.distinct_states
}

fn all_of(invariant: bool, deadlock: bool) -> Question {
    let fine = Invariant { name: "fine".into(), when: None, then: 0 };
    let invariants = if invariant { vec![fine] } else { vec![] };
    Question { deadlock, invariants, ..Question::default() }
}

#[test]
fn small_spaces_of_many_shapes() {
    let mut largest = 0;
    for seed in 0..120 {
        let toy = Toy::new(2 + seed as usize % 5, 2 + seed % 7, 1 + seed % 4, seed);
        for question in [all_of(false, true), all_of(true, false), all_of(true, true), all_of(false, false)] {
            largest = agree(&toy, &question).max(largest);
        }
    }
    assert!(largest > 5_000, "the spaces were worth searching: {largest}");
}

#[test]
fn a_space_large_enough_for_threads_and_growth() {
    let toy = Toy::new(6, 7, 4, 77);
    let states = agree(&toy, &all_of(false, false));
    assert!(states > 50_000, "{states}");
}

#[test]
fn ids_that_outgrow_their_fields_while_the_search_runs() {
    for (slots, spread) in [(6, 1 << 3), (6, 1 << 13), (8, 1 << 10)] {
        let mut toy = Toy::new(slots, 5, 4, 5);
        toy.spread = spread;
        assert!(agree(&toy, &all_of(false, false)) > 10_000);
        assert!(agree(&toy, &all_of(true, true)) > 1);
    }
}

#[test]
fn the_same_ten_times_with_one_two_and_four_threads() {
    let toy = Toy::new(6, 6, 4, 3);
    let mut seen = Vec::new();
    for workers in [1, 2, 4] {
        for _ in 0..10 {
            let search = Search { workers, ..Search::default() };
            seen.push(summary(&check(&toy, &all_of(true, true), &search, &NoCallback).expect("a verdict")));
        }
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_depth_bound_ends_in_unknown_and_sees_everything_up_to_it() {
    let toy = Toy::new(6, 6, 3, 11);
    let whole = check(&toy, &all_of(false, false), &Search::default(), &NoCallback).expect("a verdict");
    let bound = 4;
    let search = Search { strategy: Strategy::Breadth { max_depth: Some(bound) }, ..Search::default() };
    let verdict = check(&toy, &all_of(false, false), &search, &NoCallback).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(_)));
    assert_eq!(verdict.stats.level_sizes[..], whole.stats.level_sizes[..=bound as usize]);
}

#[test]
fn rows_too_long_for_any_key_are_folded_and_lose_nothing() {
    for seed in 0..6 {
        let toy = Toy::new(5, 5, 3, seed).with_ballast(12);
        agree(&toy, &all_of(false, false));
        agree(&toy, &all_of(true, true));
    }
}
