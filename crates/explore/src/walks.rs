//! Random walks from the initial states, without a store: cheap, endless, and able to reach deep into spaces that no search
//! can hold. The same seed gives the same walks with any number of threads.

use crate::search::{Progress, ProgressCallback, Search};
use crate::search_result::{SearchEnd, SearchResult, add};
use crate::state_checker::{BadState, StateChecker};
use crate::stop_signal::StopSignal;
use crate::threads::in_threads;
use crate::verdict::Figures;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_logic::{Ledger, Limit, Question, RandomWalks, Stats};
use watchkeeper_space::{Action, Edit, Id, Space, Successors, apply};

/// A walk that found a violation, with figures of its own.
struct Violating {
    walk: u64,
    bad: BadState,
    path: Vec<Vec<Id>>,
    figures: WalkFigures,
}

/// The figures of some walks.
#[derive(Clone)]
struct WalkFigures {
    counts: Vec<u64>,
    spoke: Vec<u64>,
    runs: u64,
    steps: u64,
    visits: u64,
}

impl WalkFigures {
    fn none(question: &Question) -> WalkFigures {
        let spoke = vec![0; question.invariants.len()];
        WalkFigures { counts: vec![0; 256], spoke, runs: 0, steps: 0, visits: 0 }
    }

    fn add(&mut self, other: &WalkFigures) {
        add(&mut self.counts, &other.counts);
        add(&mut self.spoke, &other.spoke);
        self.runs += other.runs;
        self.steps += other.steps;
        self.visits += other.visits;
    }
}

/// Steps of one walk between two calls of the callback.
const LOOK_EVERY: u64 = 10_000;

/// Walks `count` times, each at most `max_depth` steps. If several walks find a violation, the result is the first of them
/// with the figures of that walk alone: the threads decide which later ones were walked meanwhile.
pub(crate) fn walks(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    (count, max_depth): (u64, u64),
    callback: &dyn ProgressCallback,
) -> SearchResult {
    let shared = Shared {
        space,
        question,
        seed: search.seed,
        max_depth,
        next: AtomicU64::new(0),
        last: AtomicU64::new(count),
        steps: AtomicU64::new(0),
        stop: StopSignal::new(),
        callback,
    };
    let mut figures = WalkFigures::none(question);
    let mut first: Option<Violating> = None;
    for (sum, violating) in in_threads(search.workers, || shared.walk()) {
        figures.add(&sum);
        first = [first, violating].into_iter().flatten().min_by_key(|violating| violating.walk);
    }
    let end = match first {
        Some(violating) => {
            figures = violating.figures;
            SearchEnd::Violation(violating.bad, violating.path)
        }
        None => {
            // A walk stores nothing, so its ledger never balances; this is the reason.
            let some = || format!("a search by {count} random walks of at most {max_depth} steps");
            let mut ledger = Ledger::open();
            ledger.limits(shared.stop.reason().unwrap_or_else(|| Limit::Incomplete(some())));
            SearchEnd::of(ledger)
        }
    };
    let walks = Some(RandomWalks { runs: figures.runs, visits: figures.visits });
    let stats = Stats { workers: search.workers, transitions: figures.steps, walks, ..Stats::default() };
    let figures = Figures { counts: figures.counts, spoke: figures.spoke, stats };
    SearchResult { end, figures, cut: false }
}

/// The data that the threads share.
struct Shared<'a> {
    space: &'a dyn Space,
    question: &'a Question,
    seed: u64,
    max_depth: u64,
    /// The number of the next walk.
    next: AtomicU64,
    /// Walks from this number on are not wanted (any more).
    last: AtomicU64,
    steps: AtomicU64,
    stop: StopSignal<Limit>,
    callback: &'a dyn ProgressCallback,
}

impl Shared<'_> {
    /// One thread: takes the next walk until none is left.
    fn walk(&self) -> (WalkFigures, Option<Violating>) {
        let (mut sum, mut violating) = (WalkFigures::none(self.question), None);
        loop {
            let walk = self.next.fetch_add(1, Ordering::Relaxed);
            if walk >= self.last.load(Ordering::Relaxed) || self.stop.is_set() {
                return (sum, violating);
            }
            let mut figures = WalkFigures { runs: 1, ..WalkFigures::none(self.question) };
            if let Some((bad, path)) = self.once(walk, &mut figures) {
                // Walks with smaller numbers still run to their end, so that the first is found.
                self.last.fetch_min(walk, Ordering::Relaxed);
                violating = Some(Violating { walk, bad, path, figures: figures.clone() });
            }
            sum.add(&figures);
            self.look(figures.steps % LOOK_EVERY, figures.steps);
        }
    }

    /// Reports that so many more steps were taken; whether to go on.
    fn look(&self, more: u64, depth: u64) -> bool {
        let transitions = self.steps.fetch_add(more, Ordering::Relaxed) + more;
        let progress = Progress { transitions, depth, ..Progress::default() };
        if let ControlFlow::Break(limit) = self.callback.on_progress(&progress) {
            self.stop.set(limit);
        }
        !self.stop.is_set()
    }

    fn once(&self, walk: u64, figures: &mut WalkFigures) -> Option<(BadState, Vec<Vec<Id>>)> {
        let mut checker = StateChecker::new(self.space, self.question);
        let mut random =
            fastrand::Rng::with_seed(self.seed.wrapping_add(walk.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let progress = self.space.shape().progress();
        let (starts, mut found) = (self.space.initial(), Successors::new());
        let mut path = vec![starts[random.usize(..starts.len())].clone()];
        loop {
            let row = path.last().expect("never empty");
            figures.visits += 1;
            if !checker.state(row) {
                break;
            }
            found.clear();
            self.space.expand(row, &mut found);
            let moves = |(action, _): (Action, &[Edit])| progress[action.class() as usize];
            if found.cuts().is_empty() && !found.iter().any(moves) && !checker.stuck(row) {
                break;
            }
            if found.is_empty() || figures.steps >= self.max_depth {
                break;
            }
            let chosen = random.usize(..found.len());
            let (action, edits) = found.iter().nth(chosen).expect("one of those counted");
            figures.steps += 1;
            figures.counts[action.class() as usize] += 1;
            let tallies = found.tallies().iter().filter(|(step, _)| *step as usize == chosen);
            tallies.for_each(|&(_, class)| figures.counts[class as usize] += 1);
            let next = apply(row, edits);
            path.push(next);
            if figures.steps.is_multiple_of(LOOK_EVERY) && !self.look(LOOK_EVERY, figures.steps) {
                break;
            }
        }
        figures.spoke.copy_from_slice(&checker.spoke);
        checker.violation.map(|bad| (bad, path))
    }
}
