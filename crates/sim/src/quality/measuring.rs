//! Measures: batches on several threads until the intervals are narrow enough, or somebody has had enough. What comes out
//! depends on the seed and on the number of batches alone: batches count in the order of their numbers, and whether
//! they are enough is asked at few numbers that are known before, so that a lucky moment is not waited for.

use super::batch::{BatchHalt, BatchPlan, BatchRun};
use super::cluster::{ClusterMake, HostMaker};
use super::figures::{QualityOfService, RareRuns};
use super::link::{DelaySource, NetworkProfile};
use super::slow::SlowMembers;
use super::splitting::{MOST_MEMBERS, SplitLevel, choose_levels};
use super::tally::BatchTally;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use watchkeeper_core::Completeness;

/// A protocol with its parameters, as it is measured.
#[derive(Clone)]
pub struct MeasuredSubject {
    /// Makes its processes.
    pub hosts: HostMaker,
    /// How many there are.
    pub n: usize,
    /// The nanoseconds of a unit of time.
    pub tick: u64,
    /// Who has to detect a crash.
    pub completeness: Completeness,
    /// The numbers of those who may crash; everybody if there are none.
    pub victims: Vec<u32>,
    /// The longest duration among its parameters, in nanoseconds.
    pub longest: u64,
    /// How many of these it remembers, if it remembers many.
    pub memory: u64,
}

/// Whether rare mistakes are looked for by splitting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RareMistakes {
    /// If plain runs show few of them.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Never.
    Never,
}

/// What is measured, and how. Times are in nanoseconds.
#[derive(Clone)]
pub struct MeasurePlan {
    /// The protocol.
    pub subject: MeasuredSubject,
    /// The network.
    pub network: Arc<NetworkProfile>,
    /// The members that are slow.
    pub slow: Option<SlowMembers>,
    /// Where all randomness comes from.
    pub seed: u64,
    /// So many batches, and no fewer because they are precise enough.
    pub batches: Option<u64>,
    /// The intervals shall reach at most so far from their means, as a share of them.
    pub precision: f64,
    /// The share of all measurements whose intervals hold the truth.
    pub confidence: f64,
    /// What is simulated before it is looked at.
    pub warm_up: u64,
    /// How long it is looked at in each batch.
    pub lasts: u64,
    /// How many crashes there are in each batch.
    pub crashes: usize,
    /// A crash that is not detected within this time is not detected.
    pub horizon: u64,
    /// Processes begin within this time of the start.
    pub stagger: u64,
    /// Whether rare mistakes are looked for by splitting.
    pub rare: RareMistakes,
    /// How many threads simulate.
    pub workers: usize,
}

/// How far a measurement is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MeasureProgress {
    /// The batches that are done.
    pub batches: u64,
    /// The mistakes that were seen.
    pub mistakes: u64,
    /// The events of all batches.
    pub events: u64,
    /// Whether runs are split.
    pub splits: bool,
}

/// A measurement that has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// It was ended before two batches were done.
    #[error("it was ended before two batches were done")]
    TooShort,
    /// Time does not pass.
    #[error("the protocol does so much at one moment that time does not pass; is a duration 0?")]
    Stuck,
}

/// So many batches are asked first whether they are enough, or whether mistakes are rare.
const FIRST: usize = 32;

/// So many plain batches stand beside those that are split.
const PLAIN: usize = 64;

/// With fewer split batches that have a mistake, nothing is known of how they vary.
const LEAST_HITS: usize = 10;

/// Fewer mistakes than this in the plain batches are rare.
const RARE: u64 = 48;

impl MeasurePlan {
    /// A plan with the usual times for a protocol.
    pub fn new(subject: MeasuredSubject, network: Arc<NetworkProfile>, seed: u64) -> MeasurePlan {
        let n = subject.n as u64;
        let (usually, _) = network.longest_delay(1e-4);
        // Times that are longer than any run can be added up.
        let unit = subject.longest.max(subject.tick).min(1 << 46);
        let long = unit.max(usually);
        let warm = if n <= MOST_MEMBERS as u64 { 100 } else { 30 };
        MeasurePlan {
            network,
            slow: None,
            seed,
            batches: None,
            precision: 0.02,
            confidence: 0.99,
            warm_up: (warm * unit).max(2 * usually) + subject.memory.min(1000) * unit,
            lasts: (4000 / n.max(1)).clamp(20, 2000) * unit,
            crashes: (256 / (n.max(2) - 1)).max(1) as usize,
            horizon: 200 * long,
            stagger: 0,
            rare: RareMistakes::Auto,
            workers: 1,
            subject,
        }
    }

    /// Measures. `progress` is told now and then how far it is, and may end it.
    pub fn measure(
        &self,
        progress: &(dyn Fn(&MeasureProgress) -> ControlFlow<()> + Sync),
    ) -> Result<QualityOfService, MeasureError> {
        let watch = Watch { progress, now: Mutex::default(), over: AtomicBool::new(false) };
        let plan = self.batch_plan();
        let most = self.batches.unwrap_or(u64::MAX);
        // A trace leaves nothing to chance, so that runs that were split would all be the same.
        let may_split = self.rare != RareMistakes::Never
            && self.subject.n <= MOST_MEMBERS
            && matches!(self.network.delay, DelaySource::Drawn(_));
        let wants_split = |batches: &[BatchTally]| {
            let seen: u64 = batches.iter().map(|batch| batch.seen).sum();
            may_split && batches.len() >= PLAIN && (self.rare == RareMistakes::Always || seen < RARE)
        };
        let precise = |all: &[BatchTally], rare: Option<&RareRuns>| {
            self.batches.is_none()
                && QualityOfService::of(self, all, rare, &BatchTally::default()).is_precise()
        };
        // Mistakes that are to be split are not waited for.
        let enough = |all: &[BatchTally]| match self.rare {
            RareMistakes::Always if may_split => wants_split(all),
            _ => wants_split(all) || precise(all, None),
        };
        let mut plain = Gathered::default();
        self.gather(&plan, None, most, &enough, &watch, &mut plain)?;
        let (mut rare, mut unfinished) = (None, false);
        if wants_split(&plain.batches) && !watch.is_over() && (PLAIN as u64) < most {
            plain.batches.truncate(PLAIN);
            watch.begin_splitting();
            let levels = choose_levels(&plan, &|| watch.is_over());
            let mut split = Gathered::default();
            if let Ok(Some((levels, events))) = &levels {
                let runs = |all: &[BatchTally]| RareRuns {
                    batches: all.to_vec(),
                    levels: levels.len(),
                    events: *events,
                };
                let enough = |all: &[BatchTally]| precise(&plain.batches, Some(&runs(all)));
                let most = most.saturating_sub(PLAIN as u64);
                // What is stuck there is what splits, and no mistake of the protocol: plain runs were not.
                let _ = self.gather(&plan, Some(levels), most, &enough, &watch, &mut split);
                let all = self.batches.is_some() && split.batches.len() as u64 == most;
                if RareRuns::hits(&split.batches) >= if all { 1 } else { LEAST_HITS } {
                    rare = Some(runs(&split.batches));
                    plain.sum.durations = split.sum.durations;
                }
            }
            unfinished = rare.is_none() && watch.is_over();
            // However long nothing is heard, nobody is suspected; or so many pairs are silent together that splitting at their
            // silences gets nowhere. Plain runs give the bound.
            if rare.is_none() && !unfinished {
                let never = |all: &[BatchTally]| precise(all, None);
                self.gather(&plan, None, most, &never, &watch, &mut plain)?;
            }
        }
        if plain.batches.len() < 2 {
            return Err(MeasureError::TooShort);
        }
        let mut found = QualityOfService::of(self, &plain.batches, rare.as_ref(), &plain.sum);
        found.unfinished = unfinished;
        Ok(found)
    }

    fn batch_plan(&self) -> BatchPlan {
        let MeasuredSubject { hosts, n, tick, completeness, longest, victims, .. } = &self.subject;
        BatchPlan {
            make: ClusterMake {
                hosts: Arc::clone(hosts),
                n: *n,
                tick: *tick,
                network: Arc::clone(&self.network),
                slow: self.slow,
                stagger: self.stagger,
                redraws: false,
            },
            completeness: *completeness,
            seed: self.seed,
            // Whoever has not begun neither detects nor errs.
            warm_up: self.warm_up.saturating_add(self.stagger),
            lasts: self.lasts,
            victims: victims.clone(),
            crashes: self.crashes,
            horizon: self.horizon,
            settle: longest.max(tick).saturating_mul(3).min(1 << 60),
        }
    }

    /// Does further batches until there are `most`, or `enough` says so.
    fn gather(
        &self,
        plan: &BatchPlan,
        levels: Option<&[SplitLevel]>,
        most: u64,
        enough: &(dyn Fn(&[BatchTally]) -> bool + Sync),
        watch: &Watch<'_>,
        gathered: &mut Gathered,
    ) -> Result<(), MeasureError> {
        let next = AtomicU64::new(gathered.batches.len() as u64);
        gathered.early.clear();
        gathered.closed = false;
        let shared = Mutex::new(std::mem::take(gathered));
        let closed = AtomicBool::new(false);
        let stuck = AtomicBool::new(false);
        let stop = || closed.load(Ordering::Relaxed) || watch.is_over();
        let work = || {
            // Batches with lower numbers than one that is stuck are done all the same: they may be enough.
            while !stop() && !stuck.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= most {
                    return;
                }
                // Split batches have numbers of their own.
                let salt = if levels.is_some() { 1 << 62 } else { 0 };
                let run = BatchRun::new(plan, number + salt, &stop);
                let done = match levels {
                    Some(levels) => run.split(levels),
                    None => run.plain(),
                };
                let mut shared = lock(&shared);
                match done {
                    Ok(tally) => {
                        watch.count(&tally);
                        shared.add(number, tally, enough);
                    }
                    Err(BatchHalt::Stuck) => stuck.store(true, Ordering::Relaxed),
                    Err(BatchHalt::Stopped) => {}
                }
                closed.fetch_or(shared.closed, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.workers.max(1) {
                scope.spawn(work);
            }
            work();
        });
        *gathered = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stuck = stuck.into_inner() && !gathered.closed && !watch.is_over();
        if stuck { Err(MeasureError::Stuck) } else { Ok(()) }
    }
}

/// Batches in the order of their numbers.
#[derive(Default)]
struct Gathered {
    batches: Vec<BatchTally>,
    /// The spreads of all of them.
    sum: BatchTally,
    /// Those that were done before one with a lower number.
    early: BTreeMap<u64, BatchTally>,
    closed: bool,
}

impl Gathered {
    fn add(&mut self, number: u64, tally: BatchTally, enough: &dyn Fn(&[BatchTally]) -> bool) {
        self.early.insert(number, tally);
        while !self.closed
            && let Some(mut tally) = self.early.remove(&(self.batches.len() as u64))
        {
            tally.give_spreads(&mut self.sum);
            self.batches.push(tally);
            self.closed = is_checkpoint(self.batches.len()) && enough(&self.batches);
        }
    }
}

/// Whether so many batches are asked if they are enough: few numbers, each a quarter above the one before.
fn is_checkpoint(batches: usize) -> bool {
    let mut numbers = std::iter::successors(Some(PLAIN), |number| Some(number + number / 4));
    batches == FIRST || numbers.find(|number| *number >= batches) == Some(batches)
}

/// Whom progress is told, and who may end it.
struct Watch<'a> {
    progress: &'a (dyn Fn(&MeasureProgress) -> ControlFlow<()> + Sync),
    now: Mutex<MeasureProgress>,
    over: AtomicBool,
}

impl Watch<'_> {
    fn is_over(&self) -> bool {
        if !self.over.load(Ordering::Relaxed) {
            let now = *lock(&self.now);
            self.over.fetch_or((self.progress)(&now).is_break(), Ordering::Relaxed);
        }
        self.over.load(Ordering::Relaxed)
    }

    fn count(&self, tally: &BatchTally) {
        let mut now = lock(&self.now);
        now.batches += 1;
        now.mistakes += tally.seen;
        now.events += tally.events;
    }

    fn begin_splitting(&self) {
        lock(&self.now).splits = true;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_at_which_is_asked_are_few() {
        let numbers: Vec<usize> = (0..400).filter(|number| is_checkpoint(*number)).collect();
        assert_eq!(numbers, [32, 64, 80, 100, 125, 156, 195, 243, 303, 378]);
    }
}
