//! Random runs from the start, without a memory of what was seen: cheap, endless, and able to reach deep
//! into spaces that no search can hold. The same seed gives the same runs with any number of threads.

use crate::breadth::Found;
use crate::erased::Erased;
use crate::judge::{Fault, Judge};
use crate::search::{Flow, Progress, Search, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_logic::{Limit, Question, Stats};
use watchkeeper_space::{Action, ClassId, Edit, Id, Sink, Space};

/// A run that went wrong.
struct Wrong {
    walk: u64,
    fault: Fault,
    path: Vec<Vec<Id>>,
}

/// What one thread did.
struct Report {
    counts: Vec<u64>,
    spoke: Vec<u64>,
    taken: u64,
    wrong: Option<Wrong>,
}

/// Walks `count` times, each at most `max_depth` steps. Of several runs that go wrong, the first is told.
pub(crate) fn walks(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    (count, max_depth): (u64, u64),
    watch: &dyn Watch,
) -> Found {
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
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..search.workers.max(1)).map(|_| scope.spawn(|| party.walk(watch))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|report| report.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut counts = vec![0; 256];
    let mut spoke = vec![0; question.invariants.len()];
    let mut stats = Stats { workers: search.workers, ..Stats::default() };
    let mut wrong: Option<Wrong> = None;
    for report in reports {
        counts.iter_mut().zip(&report.counts).for_each(|(sum, more)| *sum += more);
        spoke.iter_mut().zip(&report.spoke).for_each(|(sum, more)| *sum += more);
        stats.transitions += report.taken;
        let both = [wrong.take(), report.wrong];
        wrong = both.into_iter().flatten().min_by_key(|wrong| wrong.walk);
    }
    let stop = party.stop.into_inner().unwrap_or_else(PoisonError::into_inner);
    let some =
        || Limit::Incomplete(format!("{count} random walks of at most {max_depth} steps see only some runs"));
    let limit = if wrong.is_some() { None } else { Some(stop.unwrap_or_else(some)) };
    Found { fault: wrong.map(|wrong| (wrong.fault, wrong.path)), limit, counts, spoke, stats }
}

/// What the threads share.
struct Party<'a> {
    space: &'a Erased<'a>,
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
    fn walk(&self, watch: &dyn Watch) -> Report {
        let mut report = Report {
            counts: vec![0; 256],
            spoke: vec![0; self.question.invariants.len()],
            taken: 0,
            wrong: None,
        };
        loop {
            let walk = self.next.fetch_add(1, Ordering::Relaxed);
            if walk >= self.last.load(Ordering::Relaxed) || self.stopping.load(Ordering::Relaxed) {
                return report;
            }
            let before = report.taken;
            if let Some((fault, path)) = self.once(walk, &mut report) {
                // Walks with smaller numbers still run to their end, so that the first is found.
                self.last.fetch_min(walk, Ordering::Relaxed);
                report.wrong = Some(Wrong { walk, fault, path });
            }
            let taken = report.taken - before;
            let transitions = self.taken.fetch_add(taken, Ordering::Relaxed) + taken;
            let progress = Progress { transitions, depth: taken, queue: 0, distinct_states: 0, bytes: 0 };
            if let Flow::Stop(limit) = watch.look(&progress) {
                self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
                self.stopping.store(true, Ordering::Relaxed);
            }
        }
    }

    fn once(&self, walk: u64, report: &mut Report) -> Option<(Fault, Vec<Vec<Id>>)> {
        let mut judge = Judge::new(self.space, self.question);
        let mut dice = Dice(self.seed.wrapping_add(walk.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let starts = self.space.initial();
        let mut path = vec![starts[dice.below(starts.len() as u64) as usize].clone()];
        for _ in 0..=self.max_depth {
            let row = path.last().expect("never empty");
            let mut draw = Draw { dice: &mut dice, seen: 0, chosen: None, edits: Vec::new(), cut: false };
            if !judge.state(row) {
                break;
            }
            self.space.expand(row, &mut draw);
            let Some(action) = draw.chosen else {
                if !draw.cut {
                    judge.stuck(row);
                }
                break;
            };
            report.counts[action.class() as usize] += 1;
            report.taken += 1;
            let next = watchkeeper_space::apply(row, &draw.edits);
            path.push(next);
        }
        report.spoke.iter_mut().zip(&judge.spoke).for_each(|(sum, more)| *sum += more);
        judge.fault.map(|fault| {
            let end = path.iter().position(|row| *row == fault.row).unwrap_or(path.len() - 1);
            path.truncate(end + 1);
            (fault, path)
        })
    }
}

/// Keeps one of the successors, each with the same chance, without collecting them.
struct Draw<'a> {
    dice: &'a mut Dice,
    seen: u64,
    chosen: Option<Action>,
    edits: Vec<Edit>,
    cut: bool,
}

impl Sink for Draw<'_> {
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.seen += 1;
        if self.dice.below(self.seen) == 0 {
            self.chosen = Some(action);
            self.edits.clear();
            self.edits.extend_from_slice(edits);
        }
    }

    fn tally(&mut self, _: ClassId) {}

    fn cut(&mut self, _: usize) {
        self.cut = true;
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
