//! The covering search on spaces whose zones a person can count, and against the textbook: the same
//! verdicts, counts and traces as the plainest covering search, with any number of threads, and the same
//! verdicts and lengths as a search that covers nothing.

mod boxes;

use boxes::{Boxes, Edge, Move};
use std::ops::ControlFlow;
use watchkeeper_explore::{
    ExploreError, Monitored, NoCallback, Progress, ProgressCallback, Search, Strategy, Symmetric, check,
    naive, naive_subsumption,
};
use watchkeeper_logic::{Guard, Invariant, Limit, Monitor, MonitorEdge, Outcome, Question, Verdict};
use watchkeeper_space::Space;

const ANY: (i32, i32) = (0, 9);

fn holds(atom: usize) -> Question {
    let invariants = vec![Invariant { name: format!("atom {atom}"), when: None, then: atom }];
    Question { invariants, ..Question::default() }
}

fn found(verdict: &Verdict) -> (String, Option<usize>) {
    let found = match &verdict.outcome {
        Outcome::Violated(violation) => format!("{:?} {}", violation.finding, violation.what),
        Outcome::Holds(_) => "holds".to_string(),
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
    check(space, question, &Search::default(), &NoCallback).expect("a verdict")
}

/// The engine with one, two and four threads, each on a space that has seen nothing, against the textbook.
fn agree(make: impl Fn() -> Boxes, question: &Question) -> Verdict {
    let expected = naive_subsumption(&make(), question, &Search::default(), &NoCallback).expect("a verdict");
    for workers in [1, 2, 4] {
        let verdict = check(&make(), question, &with_workers(workers), &NoCallback).expect("a verdict");
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
    assert!(matches!(verdict.outcome, Outcome::Holds(_)));
    // 0 and 2 with 2..3, then 1 and 3 with 2..3 that give way to 1..4.
    assert_eq!(counts(&verdict), (4, 5, vec![1, 2, 2, 1], vec![2, 3]));
    let exact =
        naive(&Boxes::new(1, 9, (2, 3), &edges), &Question::default(), &Search::default(), &NoCallback);
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
    assert_eq!(counts(&verdict), (4, 4, vec![1, 2, 2], vec![2, 2]));
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
        let exact =
            naive(&drawn(seed), &Question::default(), &Search::default(), &NoCallback).expect("a verdict");
        let covering = searched(&drawn(seed), &Question::default());
        assert_eq!(found(&exact), found(&covering), "seed {seed}");
        assert!(covering.stats.distinct_states <= exact.stats.distinct_states);
        fewer += usize::from(covering.stats.distinct_states < exact.stats.distinct_states);
        // One atom for each location: whether it is reached, and in how many steps.
        for atom in 0..drawn(seed).bad.len() {
            let exact =
                naive(&drawn(seed), &holds(atom), &Search::default(), &NoCallback).expect("a verdict");
            let covering = searched(&drawn(seed), &holds(atom));
            assert_eq!(found(&exact), found(&covering), "seed {seed}, atom {atom}");
            reached += usize::from(exact.trace().is_some());
        }
    }
    assert!(reached > 300 && fewer > 50, "{reached} reached, {fewer} smaller");
}

/// Many zones at each depth, and many that are displaced.
fn large() -> Boxes {
    Boxes::random(3, 8, 20, 8, 3)
}

#[test]
fn a_space_large_enough_for_threads_gives_the_same_every_time() {
    for make in [large, || Boxes::random(4, 6, 14, 4, 3)] {
        let run = |workers| {
            check(&make(), &Question::default(), &with_workers(workers), &NoCallback).expect("a verdict")
        };
        let expected = run(1);
        assert!(expected.stats.level_sizes.iter().any(|&size| size > 4_000), "worth many threads");
        for workers in [2, 4, 4] {
            let verdict = run(workers);
            assert_eq!((found(&verdict), counts(&verdict)), (found(&expected), counts(&expected)));
        }
    }
    assert_eq!(searched(&large(), &Question::default()).stats.distinct_states, 3_487);
}

#[test]
fn a_monitor_beside_a_space_with_zones() {
    let there = |atom| Guard::Atom(atom).negated();
    for seed in 0..40 {
        // An error once location 1 and after that location 2 has been seen.
        let monitor = Monitor {
            name: "one, then two".into(),
            states: ["neither", "one", "both"].map(String::from).into(),
            edges: vec![
                MonitorEdge { from: 0, guard: there(1), to: 1 },
                MonitorEdge { from: 1, guard: there(2), to: 2 },
            ],
            errors: vec![(2, "both".into())],
        };
        let boxes = drawn(seed);
        let product = Monitored::new(&boxes, &monitor);
        let mut question = holds(product.ok());
        question.invariants[0].name = monitor.name.clone();
        let expected =
            naive_subsumption(&product, &question, &Search::default(), &NoCallback).expect("a verdict");
        let question = Question { monitor: Some(monitor.clone()), ..Question::default() };
        let verdict = check(&drawn(seed), &question, &with_workers(2), &NoCallback).expect("a verdict");
        assert_eq!((found(&verdict), counts(&verdict)), (found(&expected), counts(&expected)));
        assert_eq!(verdict.trace(), expected.trace());
    }
}

#[test]
fn symmetry_and_covering_together_keep_the_verdict_and_the_length() {
    let (mut smaller, mut violated) = (0, 0);
    for seed in 0..90 {
        if drawn(seed).components < 2 {
            continue;
        }
        for question in [Question::default(), holds(drawn(seed).bad.len() - 1)] {
            let plain = searched(&drawn(seed), &question);
            let boxes = drawn(seed);
            let symmetric = Symmetric::new(&boxes);
            let unwatched = check(&symmetric, &question, &Search::default(), &NoCallback);
            assert!(matches!(unwatched, Err(ExploreError::Asymmetric(_))), "nobody looks at the promise");
            symmetric.audit(&question.query()).expect("the promise is kept");
            let expected =
                naive_subsumption(&symmetric, &question, &Search::default(), &NoCallback).expect("a verdict");
            for workers in [1, 2, 4] {
                let search = Search { symmetry: true.into(), ..with_workers(workers) };
                let reduced = check(&drawn(seed), &question, &search, &NoCallback).expect("a verdict");
                assert_eq!(found(&reduced), found(&plain), "seed {seed}");
                assert_eq!(counts(&reduced), counts(&expected), "seed {seed}, {workers} workers");
                assert_eq!(reduced.trace(), expected.trace(), "seed {seed}, {workers} workers");
                smaller += usize::from(reduced.stats.distinct_states < plain.stats.distinct_states);
            }
            violated += usize::from(plain.trace().is_some());
        }
    }
    assert!(smaller > 50 && violated > 10, "{smaller} smaller, {violated} violated");
}

#[test]
fn limits_end_in_unknown_with_the_counts_so_far() {
    let nothing = Question::default();
    let whole = searched(&large(), &nothing);
    let states = [1, 2, 4].map(|workers| {
        let search = Search { max_states: Some(1_000), ..with_workers(workers) };
        let verdict = check(&large(), &nothing, &search, &NoCallback).expect("a verdict");
        assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::States(1_000))));
        counts(&verdict)
    });
    assert!(states[0].0 > 100 && states.iter().all(|counts| *counts == states[0]), "{states:?}");

    let search = Search { strategy: Strategy::Breadth { max_depth: Some(7) }, ..Search::default() };
    let verdict = check(&large(), &nothing, &search, &NoCallback).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Depth(7))));
    assert_eq!(verdict.stats.level_sizes[..], whole.stats.level_sizes[..=7]);

    let most = whole.stats.peak_bytes / 2;
    let search = Search { max_bytes: Some(most), ..with_workers(2) };
    let verdict = check(&large(), &nothing, &search, &NoCallback).expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Memory(limit)) if limit == most));
    assert!(verdict.stats.peak_bytes <= most && verdict.stats.distinct_states > 100, "{:?}", verdict.stats);
}

struct StopAt(u64);

impl ProgressCallback for StopAt {
    fn on_progress(&self, progress: &Progress) -> ControlFlow<Limit> {
        let transitions = progress.transitions > self.0 && progress.depth > 0 && progress.bytes > 0;
        if transitions { ControlFlow::Break(Limit::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn who_watches_may_stop_a_covering_search() {
    let verdict = check(&large(), &Question::default(), &with_workers(2), &StopAt(20_000));
    let verdict = verdict.expect("a verdict");
    assert!(matches!(verdict.outcome, Outcome::Unknown(Limit::Interrupted)));
    assert!(verdict.stats.transitions > 20_000 && verdict.stats.distinct_states > 100);
}

#[test]
fn beams_and_walks_take_zones_as_they_are() {
    let last = large().bad.len() - 1;
    let best = searched(&large(), &holds(last)).trace().expect("a fault").steps.len();
    for strategy in
        [Strategy::Walks { count: 500, max_depth: 500 }, Strategy::Beam { width: 300, max_depth: 100 }]
    {
        let traces = [1, 2, 4].map(|workers| {
            let search = Search { strategy: strategy.clone(), ..with_workers(workers) };
            let verdict = check(&large(), &holds(last), &search, &NoCallback).expect("a verdict");
            verdict.trace().cloned().expect("a fault")
        });
        assert!(traces.iter().all(|trace| *trace == traces[0]));
        assert!(traces[0].steps.len() >= best);
    }
}

#[test]
fn a_beam_over_rows_too_long_for_any_key_folds_them_around_the_zone() {
    let far = |location: u32| location << 22;
    let edges = [
        Edge::new(far(0), ANY, Move::Widen(1), far(1)),
        Edge::new(far(1), (1, 1), Move::Up, far(2)),
        Edge::new(far(2), (9, 9), Move::Keep, far(3)),
    ];
    for slot in [0, 4, 7] {
        let make = || Boxes::new(7, 9, (2, 2), &edges).never(far(3), ANY).with_zone_in(slot);
        let search = Search { strategy: Strategy::Beam { width: 100, max_depth: 30 }, ..Search::default() };
        let verdict = check(&make(), &holds(0), &search, &NoCallback).expect("a verdict");
        assert_eq!(found(&verdict).1, Some(3));
        assert_eq!(found(&agree(make, &holds(0))).1, Some(3));
    }
}
