//! Random runs from the start, without a memory of what was seen: cheap, endless, and able to reach deep
//! into spaces that no search can hold. The same seed gives the same runs with any number of threads.

use crate::search::{Progress, ProgressCallback, Search};
use crate::search_result::{SearchEnd, SearchResult};
use crate::state_checker::{BadState, StateChecker};
use crate::threads::in_threads;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_logic::{Ledger, Limit, Question, Stats};
use watchkeeper_space::{Action, Edit, Id, Space, Successors};

/// A run that went wrong, with figures of its own.
struct Wrong {
    walk: u64,
    fault: BadState,
    path: Vec<Vec<Id>>,
    figures: Figures,
}

/// What happened in some runs.
#[derive(Clone)]
struct Figures {
    counts: Vec<u64>,
    spoke: Vec<u64>,
    taken: u64,
}

impl Figures {
    fn none(question: &Question) -> Figures {
        Figures { counts: vec![0; 256], spoke: vec![0; question.invariants.len()], taken: 0 }
    }

    fn add(&mut self, other: &Figures) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| *sum += more);
        self.spoke.iter_mut().zip(&other.spoke).for_each(|(sum, more)| *sum += more);
        self.taken += other.taken;
    }
}

/// What one thread did.
struct Report {
    figures: Figures,
    wrong: Option<Wrong>,
}

/// Steps of one walk between two looks at whether to stop.
const LOOK_EVERY: u64 = 10_000;

/// Walks `count` times, each at most `max_depth` steps. Of several runs that go wrong, the first is told,
/// and the figures are then those of that run: which others were walked meanwhile is up to the threads.
pub(crate) fn walks(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    (count, max_depth): (u64, u64),
    callback: &dyn ProgressCallback,
) -> SearchResult {
    let party = Party {
        space,
        question,
        seed: search.seed,
        max_depth,
        next: AtomicU64::new(0),
        last: AtomicU64::new(count),
        taken: AtomicU64::new(0),
        stop: Mutex::new(None),
        stopping: AtomicBool::new(false),
    };
    let reports: Vec<Report> = in_threads(search.workers, || party.walk(callback));
    let mut figures = Figures::none(question);
    let mut wrong: Option<Wrong> = None;
    for report in reports {
        figures.add(&report.figures);
        let both = [wrong.take(), report.wrong];
        wrong = both.into_iter().flatten().min_by_key(|wrong| wrong.walk);
    }
    if let Some(wrong) = &wrong {
        figures = wrong.figures.clone();
    }
    let stop = party.stop.into_inner().unwrap_or_else(PoisonError::into_inner);
    let some =
        || Limit::Incomplete(format!("{count} random walks of at most {max_depth} steps see only some runs"));
    let stats = Stats { workers: search.workers, transitions: figures.taken, ..Stats::default() };
    let end = match wrong {
        Some(wrong) => SearchEnd::Violation(wrong.fault, wrong.path),
        None => {
            // A walk stores nothing, so that its ledger never balances; this is why.
            let mut ledger = Ledger::open();
            ledger.limits(stop.unwrap_or_else(some));
            SearchEnd::of(ledger)
        }
    };
    SearchResult { end, counts: figures.counts, spoke: figures.spoke, cut: false, stats }
}

/// What the threads share.
struct Party<'a> {
    space: &'a dyn Space,
    question: &'a Question,
    seed: u64,
    max_depth: u64,
    /// The number of the next walk.
    next: AtomicU64,
    /// Walks from this number on are not wanted (any more).
    last: AtomicU64,
    taken: AtomicU64,
    stop: Mutex<Option<Limit>>,
    stopping: AtomicBool,
}

impl Party<'_> {
    fn walk(&self, callback: &dyn ProgressCallback) -> Report {
        let mut report = Report { figures: Figures::none(self.question), wrong: None };
        loop {
            let walk = self.next.fetch_add(1, Ordering::Relaxed);
            if walk >= self.last.load(Ordering::Relaxed) || self.stopping.load(Ordering::Relaxed) {
                return report;
            }
            let mut figures = Figures::none(self.question);
            if let Some((fault, path)) = self.once(walk, &mut figures, callback) {
                // Walks with smaller numbers still run to their end, so that the first is found.
                self.last.fetch_min(walk, Ordering::Relaxed);
                report.wrong = Some(Wrong { walk, fault, path, figures: figures.clone() });
            }
            report.figures.add(&figures);
            self.look(figures.taken % LOOK_EVERY, figures.taken, callback);
        }
    }

    /// Tells who watches that so many more steps were taken; whether to go on.
    fn look(&self, more: u64, depth: u64, callback: &dyn ProgressCallback) -> bool {
        let transitions = self.taken.fetch_add(more, Ordering::Relaxed) + more;
        let progress = Progress { transitions, depth, ..Progress::default() };
        if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
            self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
            self.stopping.store(true, Ordering::Relaxed);
        }
        !self.stopping.load(Ordering::Relaxed)
    }

    fn once(
        &self,
        walk: u64,
        figures: &mut Figures,
        callback: &dyn ProgressCallback,
    ) -> Option<(BadState, Vec<Vec<Id>>)> {
        let mut judge = StateChecker::new(self.space, self.question);
        let mut dice = Dice(self.seed.wrapping_add(walk.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let progress = self.space.shape().progress();
        let (starts, mut found) = (self.space.initial(), Successors::new());
        let mut path = vec![starts[dice.below(starts.len() as u64) as usize].clone()];
        loop {
            let row = path.last().expect("never empty");
            if !judge.state(row) {
                break;
            }
            found.clear();
            self.space.expand(row, &mut found);
            let moves = |(action, _): (Action, &[Edit])| progress[action.class() as usize];
            if found.cuts().is_empty() && !found.iter().any(moves) && !judge.stuck(row) {
                break;
            }
            // Each with the same chance; a die is rolled for every one, whatever becomes of the walk.
            let chosen = (0..found.len()).filter(|&step| dice.below(step as u64 + 1) == 0).last();
            let Some(chosen) = chosen.filter(|_| figures.taken < self.max_depth) else { break };
            let (action, edits) = found.iter().nth(chosen).expect("one of those counted");
            figures.taken += 1;
            figures.counts[action.class() as usize] += 1;
            let tallies = found.tallies().iter().filter(|(step, _)| *step as usize == chosen);
            tallies.for_each(|&(_, class)| figures.counts[class as usize] += 1);
            let next = watchkeeper_space::apply(row, edits);
            path.push(next);
            if figures.taken.is_multiple_of(LOOK_EVERY) && !self.look(LOOK_EVERY, figures.taken, callback) {
                break;
            }
        }
        figures.spoke.copy_from_slice(&judge.spoke);
        judge.fault.map(|fault| (fault, path))
    }
}

/// SplitMix64: one multiplication chain, any seed, and the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * u128::from(bound)) >> 64) as u64
    }
}
