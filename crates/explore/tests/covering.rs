//! The covering search on spaces whose zones a person can count, and against the textbook: the same
//! verdicts, counts and traces as the plainest covering search, with any number of threads, and the same
//! verdicts and lengths as a search that covers nothing.

mod boxes;

use boxes::{Boxes, Edge, Move};
use watchkeeper_explore::{
    Flow, Monitored, Progress, Quiet, Search, Strategy, Symmetric, Watch, check, naive, naive_covering,
};
use watchkeeper_logic::{Edge as Arrow, Guard, Invariant, Limit, Monitor, Outcome, Question, Verdict};
use watchkeeper_space::Space;

const ANY: (i32, i32) = (0, 9);

fn holds(atom: usize) -> Question {
    let invariants = vec![Invariant { name: format!("atom {atom}"), when: None, then: atom }];
    Question { invariants, ..Question::default() }
}

fn found(verdict: &Verdict) -> (String, Option<usize>) {
    let found = match &verdict.outcome {
        Outcome::Violated(violation) => format!("{:?} {}", violation.finding, violation.what),
        other => format!("{other:?}"),
    };
    (found, verdict.trace().map(|trace| trace.steps.len()))
}

type Counts = (u64, u64, Vec<u64>, Vec<u64>);

fn counts(verdict: &Verdict) -> Counts {
    let classes = verdict.coverage.iter().map(|class| class.count).collect();
    let stats = &verdict.stats;
    (stats.distinct_states, stats.transitions, stats.level_sizes.clone(), classes)
}

fn with_workers(workers: usize) -> Search {
    Search { workers, ..Search::default() }
}

fn searched(space: &impl Space, question: &Question) -> Verdict {
    check(space, question, &Search::default(), &Quiet).expect("a verdict")
}

/// The engine with one, two and four threads, each on a space that has seen nothing, against the textbook.
fn agree(make: impl Fn() -> Boxes, question: &Question) -> Verdict {
    let expected = naive_covering(&make(), question, &Search::default(), &Quiet).expect("a verdict");
    for workers in [1, 2, 4] {
        let verdict = check(&make(), question, &with_workers(workers), &Quiet).expect("a verdict");
        assert_eq!(found(&verdict), found(&expected), "{workers} workers");
        assert_eq!(counts(&verdict), counts(&expected), "{workers} workers");
        assert_eq!(verdict.trace(), expected.trace(), "{workers} workers");
    }
    expected
}

#[test]
fn a_later_larger_zone_displaces_an_expanded_smaller_one() {
    let edges = [
        Edge::new(0, ANY, Move::Keep, 1),
        Edge::new(0, ANY, Move::Keep, 2),
        Edge::new(2, ANY, Move::Widen(1), 1),
        Edge::new(1, ANY, Move::Keep, 3),
    ];
    let verdict = agree(|| Boxes::new(1, 9, (2, 3), &edges), &Question::default());
    assert!(matches!(verdict.outcome, Outcome::Holds));
    // 0 and 2 with 2..3, then 1 and 3 with 2..3 that give way to 1..4.
    assert_eq!(counts(&verdict), (4, 5, vec![1, 2, 2, 1], vec![3, 2]));
    let exact = naive(&Boxes::new(1, 9, (2, 3), &edges), &Question::default(), &Search::default(), &Quiet);
    assert_eq!(exact.expect("a verdict").stats.distinct_states, 6);
}

#[test]
fn of_zones_found_at_the_same_depth_only_the_largest_are_expanded() {
    let edges = [
        Edge::new(0, ANY, Move::Keep, 1),
        Edge::new(0, ANY, Move::Widen(1), 1),
        Edge::new(0, (3, 3), Move::Keep, 1),
        Edge::new(0, ANY, Move::Reset(7), 1),
        Edge::new(1, ANY, Move::Keep, 2),
    ];
    let verdict = agree(|| Boxes::new(1, 9, (2, 3), &edges), &Question::default());
    // 1..4 covers 2..3 and 3..3; 7..7 stands beside it.
    assert_eq!(counts(&verdict), (5, 6, vec![1, 2, 2], vec![4, 2]));
}

#[test]
fn initial_states_cover_each_other_too() {
    let make = || {
        let mut boxes = Boxes::new(1, 9, (2, 3), &[Edge::new(0, ANY, Move::Keep, 1)]);
        boxes.starts = vec![vec![(2, 3)], vec![(1, 5)], vec![(4, 9)], vec![(1, 5)]];
        boxes
    };
    let verdict = agree(make, &Question::default());
    assert_eq!(counts(&verdict), (4, 2, vec![2, 2], vec![2, 0]));
}

#[test]
fn a_deeper_zone_does_not_take_the_place_of_a_nearer_one_that_is_still_to_be_expanded() {
    // Whoever drops 1 with 0..3 from the queue because 1 with 0..9 covers it, finds 3 a step too late.
    let edges = [
        Edge::new(0, ANY, Move::Keep, 2),
        Edge::new(0, ANY, Move::Keep, 1),
        Edge::new(2, ANY, Move::Up, 1),
        Edge::new(1, ANY, Move::Keep, 3),
    ];
    let verdict = agree(|| Boxes::new(1, 9, (0, 3), &edges).never(3, ANY), &holds(0));
    assert_eq!(found(&verdict), ("Safety atom 0".to_string(), Some(2)));
    // At the depth of the fault 1 with 0..9 has displaced 1 with 0..3.
    assert_eq!(counts(&verdict), (4, 2, vec![1, 2, 2], vec![1, 1]));
    let Outcome::Violated(violation) = verdict.outcome else { panic!("no violation") };
    assert!(violation.shortest);
}

#[test]
fn the_way_back_leads_through_zones_that_were_displaced() {
    // 1 with 2..3 is displaced at depth 2; the way to 4 at depth 3 still goes through it.
    let edges = [
        Edge::new(0, ANY, Move::Keep, 1),
        Edge::new(0, ANY, Move::Keep, 2),
        Edge::new(2, ANY, Move::Widen(2), 1),
        Edge::new(1, (2, 3), Move::Keep, 3),
        Edge::new(3, ANY, Move::Keep, 4),
    ];
    let verdict = agree(|| Boxes::new(1, 9, (2, 3), &edges).never(4, ANY), &holds(0));
    let trace = verdict.trace().expect("a fault");
    let actions: Vec<&str> = trace.steps.iter().map(|step| step.action.as_str()).collect();
    assert_eq!(actions, ["edge 0", "edge 3", "edge 4"]);
}

/// Spaces of many shapes, with the zone in any slot.
fn drawn(seed: u64) -> Boxes {
    let components = 1 + seed as usize % 3;
    let most = [6, 9, 4][components - 1];
    let boxes = Boxes::random(components, 3 + seed as u32 % 3, 4 + seed as usize % 5, most, seed);
    let mut boxes = boxes.with_zone_in(seed as usize / 3 % (components + 1));
    boxes.outlined = seed % 4 != 3;
    boxes
}

#[test]
fn random_spaces_as_the_textbook_has_them() {
    let (mut largest, mut saved) = (0, 0);
    for seed in 0..150 {
        let all = agree(|| drawn(seed), &Question::default());
        let sizes: u64 = all.stats.level_sizes.iter().sum();
        largest = largest.max(all.stats.distinct_states);
        saved += sizes - all.stats.distinct_states;
        let last = drawn(seed).bad.len() - 1;
        agree(|| drawn(seed), &holds(last));
        agree(|| drawn(seed), &Question::no_deadlock());
        agree(|| drawn(seed), &Question { timelock: Some(last), ..Question::no_deadlock() });
    }
    assert!(largest > 100 && saved > 500, "the spaces were worth searching: {largest}, {saved}");
}

#[test]
fn random_spaces_as_a_search_without_covering_has_them() {
    let (mut reached, mut fewer) = (0, 0);
    for seed in 0..150 {
        let exact = naive(&drawn(seed), &Question::default(), &Search::default(), &Quiet).expect("a verdict");
        let covering = searched(&drawn(seed), &Question::default());
        assert_eq!(found(&exact), found(&covering), "seed {seed}");
        assert!(covering.stats.distinct_states <= exact.stats.distinct_states);
        fewer += usize::from(covering.stats.distinct_states < exact.stats.distinct_states);
        // One atom for each location: whether it is reached, and in how many steps.
        for atom in 0..drawn(seed).bad.len() {
            let exact = naive(&drawn(seed), &holds(atom), &Search::default(), &Quiet).expect("a verdict");
            let covering = searched(&drawn(seed), &holds(atom));
            assert_eq!(found(&exact), found(&covering), "seed {seed}, atom {atom}");
            reached += usize::from(exact.trace().is_some());
        }
    }
    assert!(reached > 300 && fewer > 50, "{reached} reached, {fewer} smaller");
}

fn large() -> Boxes {
    Boxes::random(3, 6, 24, 30, 5)
}

#[test]
fn a_space_large_enough_for_threads_gives_the_same_every_time() {
    let last = large().bad.len() - 1;
    for question in [Question::default(), holds(last)] {
        let run = |workers| check(&large(), &question, &with_workers(workers), &Quiet).expect("a verdict");
        let expected = run(1);
        for workers in [2, 4, 2, 4] {
            let verdict = run(workers);
            assert_eq!(found(&verdict), found(&expected));
            assert_eq!(counts(&verdict), counts(&expected));
            assert_eq!(verdict.trace(), expected.trace());
        }
        eprintln!("{:?} {:?}", found(&expected), counts(&expected));
    }
}
