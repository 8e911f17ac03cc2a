//! Limits of every kind, on spaces small enough to try all of them: whatever ends a search early, the answer is the one
//! that a search without limits gives, or unknown. And what only large spaces do is done in small ones: threads inside
//! a depth, keys of two words, folded rows, layouts that widen, tables that grow.

mod boxes;
mod toy;

use boxes::Boxes;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use toy::Toy;
use watchkeeper_explore::{
    ExploreError, Hooks, KeyWidth, NoCallback, Progress, ProgressCallback, Search, Strategy, check, naive,
    naive_subsumption,
};
use watchkeeper_logic::{Invariant, Limit, Outcome, Question, Verdict};
use watchkeeper_space::Space;

/// Stops a search at its `n`-th look, and says how many there were.
struct StopAtLook {
    at: u64,
    looks: AtomicU64,
}

impl StopAtLook {
    fn new(at: u64) -> StopAtLook {
        StopAtLook { at, looks: AtomicU64::new(0) }
    }
}

impl ProgressCallback for StopAtLook {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if look >= self.at { ControlFlow::Break(Limit::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

/// What must not depend on limits and hooks. Of several things that are wrong, a search that sees some states may find
/// another one.
fn said(verdict: &Verdict) -> &'static str {
    verdict.word()
}

/// All that only large spaces do, one by one and together.
fn all_hooks() -> Vec<Hooks> {
    let plain = Hooks::default();
    vec![
        plain,
        Hooks { threads: true, ..plain },
        Hooks { keys: KeyWidth::TwoWords, ..plain },
        Hooks { keys: KeyWidth::Collapsed, ..plain },
        Hooks { narrow: true, ..plain },
        Hooks { small_tables: true, ..plain },
        Hooks { threads: true, narrow: true, small_tables: true, ..plain },
        Hooks { threads: true, keys: KeyWidth::TwoWords, narrow: true, small_tables: true },
        Hooks { threads: true, keys: KeyWidth::Collapsed, narrow: true, small_tables: true },
    ]
}

/// Counts how answers came out, so that a test of nothing is noticed.
#[derive(Default, Debug)]
struct Tally {
    answered: u64,
    unknown: u64,
}

/// One space and one question under every limit.
struct Family<'a, S> {
    space: &'a S,
    question: &'a Question,
    truth: &'static str,
    tally: Tally,
}

impl<S: Space> Family<'_, S> {
    fn ask(&mut self, search: &Search, callback: &impl ProgressCallback, what: &str) -> Verdict {
        let answers = [
            check(self.space, self.question, search, callback),
            check(self.space, self.question, search, &NoCallback),
        ];
        let [first, unwatched] = answers.map(|found| found.expect("a verdict"));
        for verdict in [&first, &unwatched] {
            let said = said(verdict);
            assert!(
                said == self.truth || said == "unknown",
                "{what}: {said}, but without limits {}; {search:?}",
                self.truth
            );
        }
        match said(&first) == "unknown" {
            true => self.tally.unknown += 1,
            false => self.tally.answered += 1,
        }
        first
    }

    /// Every limit, for one way of searching.
    fn limits(&mut self, search: &Search) {
        let whole = self.ask(search, &NoCallback, "no limit");
        assert_eq!(said(&whole), self.truth, "without limits there is an answer: {search:?}");
        let (states, depths) = (whole.stats.distinct_states, whole.stats.level_sizes.len() as u64);
        for most in 1..=states + 1 {
            let search = Search { max_states: Some(most), ..search.clone() };
            let verdict = self.ask(&search, &NoCallback, "states");
            // Zones give way to larger ones, so that there can be more of them on the way than in the end.
            let enough = most >= states && self.space.shape().zone.is_none();
            assert!(!enough || said(&verdict) == self.truth, "{most} of {states} states are enough");
        }
        for depth in 0..=depths + 1 {
            let strategy = Strategy::Breadth { max_depth: Some(depth) };
            self.ask(&Search { strategy, ..search.clone() }, &NoCallback, "depth");
        }
        for width in [1, 2, 5, states as usize + 1] {
            let strategy = Strategy::Beam { width, max_depth: 2 * depths };
            self.ask(&Search { strategy, ..search.clone() }, &NoCallback, "beam");
        }
        let strategy = Strategy::Walks { count: 3, max_depth: 2 * depths };
        let walked = self.ask(&Search { strategy, ..search.clone() }, &NoCallback, "walks");
        assert_ne!(said(&walked), "holds", "a walk sees only some runs");
        let mut bytes = 1;
        while bytes < 4 * whole.stats.peak_bytes {
            self.ask(&Search { max_bytes: Some(bytes), ..search.clone() }, &NoCallback, "bytes");
            bytes += bytes.div_ceil(3);
        }
        let mut at = 1;
        loop {
            let callback = StopAtLook::new(at);
            self.ask(search, &callback, "look");
            if callback.looks.load(Ordering::Relaxed) < at {
                break;
            }
            at += 1;
        }
        assert!(at > 1, "somebody was asked whether to go on");
    }
}

fn all_limits<S: Space>(space: &S, question: &Question, truth: &Verdict, hooks: &[Hooks]) -> Tally {
    let mut family = Family { space, question, truth: said(truth), tally: Tally::default() };
    for (i, &hooks) in hooks.iter().enumerate() {
        for workers in if i == 0 { vec![1, 4] } else { vec![4] } {
            family.limits(&Search { workers, hooks, ..Search::default() });
        }
    }
    family.tally
}

fn questions(atoms: usize) -> Vec<Question> {
    let atom = |then| Invariant { name: format!("atom {then}"), when: None, then };
    let mut all = vec![Question::default(), Question::no_deadlock()];
    all.extend((0..atoms).map(|then| Question { invariants: vec![atom(then)], ..Question::default() }));
    all
}

#[test]
fn every_limit_gives_the_answer_or_none_on_states() {
    let mut seen = Tally::default();
    let mut held = [0; 2];
    for seed in 0..10 {
        let mut toy = Toy::new(2 + seed as usize % 3, 2 + seed % 3, 1 + seed % 3, seed);
        toy.starts = 1 + (seed % 4) as u32;
        toy.rare = 12;
        for question in questions(1) {
            let truth = naive(&toy, &question, &Search::default(), &NoCallback).expect("a verdict");
            if truth.stats.distinct_states > 60 {
                continue;
            }
            held[usize::from(truth.holds())] += 1;
            let hooks = all_hooks();
            let some = [hooks[0], hooks[1 + seed as usize % (hooks.len() - 1)]];
            let tally = all_limits(&toy, &question, &truth, &some);
            seen.answered += tally.answered;
            seen.unknown += tally.unknown;
        }
    }
    assert!(held.iter().all(|&count| count >= 5), "holds and does not: {held:?}");
    assert!(seen.answered > 500 && seen.unknown > 500, "{seen:?}");
}

#[test]
fn every_limit_gives_the_answer_or_none_on_zones() {
    let mut seen = Tally::default();
    for seed in 0..6 {
        let boxes = || Boxes::random(1 + seed as usize % 2, 3, 5, 4, seed);
        for question in questions(4) {
            let truth =
                naive_subsumption(&boxes(), &question, &Search::default(), &NoCallback).expect("a verdict");
            if truth.stats.distinct_states > 40 {
                continue;
            }
            let hooks = [Hooks::default(), Hooks { threads: true, ..Hooks::default() }];
            let tally = all_limits(&boxes(), &question, &truth, &hooks);
            seen.answered += tally.answered;
            seen.unknown += tally.unknown;
        }
    }
    assert!(seen.answered > 300 && seen.unknown > 300, "{seen:?}");
}

/// Fewer states than there are at the start: the states after them are never looked at.
#[test]
fn a_limit_below_the_number_of_initial_states_is_no_reason_to_say_holds() {
    let behind = |seed: &u64| {
        let toy = Toy { starts: 5, ..Toy::new(3, 4, 2, *seed) };
        let truth =
            naive(&toy, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
        truth.trace().is_some_and(|trace| trace.steps.len() > 1)
    };
    let seed = (0..100).find(behind).expect("a space with a deadlock behind its first states");
    let toy = Toy { starts: 5, ..Toy::new(3, 4, 2, seed) };
    for most in 1..5 {
        let search = Search { max_states: Some(most), ..Search::default() };
        let verdict = check(&toy, &Question::no_deadlock(), &search, &NoCallback).expect("a verdict");
        assert!(
            matches!(verdict.outcome, Outcome::Unknown(Limit::States(_)) | Outcome::Violated(_)),
            "{most}"
        );
    }
    for search in [
        Search { max_states: Some(0), ..Search::default() },
        Search { max_bytes: Some(0), ..Search::default() },
    ] {
        let refused = check(&toy, &Question::no_deadlock(), &search, &NoCallback);
        assert!(matches!(refused, Err(ExploreError::NoRoom(_))), "{refused:?}");
    }
}

/// What large spaces do, in spaces of some thousand states: the same counts and traces as by the textbook.
#[test]
fn what_large_spaces_do_changes_no_figure() {
    for seed in 0..3 {
        let mut toy = Toy::new(5, 3 + seed % 3, 3, seed);
        toy.spread = if seed % 2 == 0 { 1 } else { 1 << 9 };
        toy.starts = 1 + (seed % 3) as u32;
        for question in questions(1) {
            let truth = naive(&toy, &question, &Search::default(), &NoCallback).expect("a verdict");
            for hooks in all_hooks() {
                for workers in [1, 4] {
                    let search = Search { workers, hooks, ..Search::default() };
                    let verdict = check(&toy, &question, &search, &NoCallback).expect("a verdict");
                    let figures = |verdict: &Verdict| {
                        let stats = &verdict.stats;
                        let steps = verdict.trace().map(|trace| trace.steps.len());
                        (said(verdict), stats.level_sizes.clone(), stats.transitions, steps)
                    };
                    assert_eq!(figures(&verdict), figures(&truth), "seed {seed}, {search:?}");
                }
            }
        }
    }
}
