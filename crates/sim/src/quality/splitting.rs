//! Rare mistakes by importance splitting, after the method RESTART of Villén-Altamirano and Villén-Altamirano: a run that comes
//! nearer to a mistake is split into several, which share its weight and go on independently; a run that falls back ends,
//! but for one, which gets the weight of all. The expected counts are those of plain runs, whatever it is that tells
//! how near a run is; only the effort depends on it.
//!
//! Here a run is the nearer, the longer some process has heard nothing of another that it usually hears of. Where the
//! fate of a message depends on nothing but its age, the fates of messages on their way are drawn anew at each split: what
//! has not arrived yet is not decided yet.

use super::batch::{BatchHalt, BatchPlan, BatchRun};
use super::cluster::{Happened, VirtualCluster};
use super::queue::EventNumber;
use super::tally::{AccuracyWatch, BatchTally, seconds};

/// A silence at which runs are split, in nanoseconds, and into how many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SplitLevel {
    pub(super) silence: u64,
    pub(super) into: u32,
}

/// The largest system whose pairs are all watched.
pub(super) const MOST_MEMBERS: usize = 16;

/// A process hears usually of another if it did so often in the warm-up.
const USUALLY: u32 = 3;

/// So many times the longest silence at which runs are split comes before the window.
const AHEAD: u64 = 4;

/// More runs at once than this are a mistake in the levels.
const MOST_RUNS: usize = 100_000;

/// One of the runs that a batch was split into.
struct SplitRun {
    cluster: VirtualCluster,
    watch: AccuracyWatch,
    silences: Silences,
    weight: f64,
    level: usize,
    /// The level below which it ends.
    born: usize,
}

/// For how long processes have heard nothing of each other.
#[derive(Clone)]
struct Silences {
    n: usize,
    /// For each pair that usually talks: when it last did, how many levels are passed, and the alarm for the next.
    pairs: Vec<Option<(u64, u8, EventNumber)>>,
}

impl Silences {
    fn begin(cluster: &mut VirtualCluster, heard: &[u32], levels: &[SplitLevel]) -> Silences {
        let mut silences = Silences { n: cluster.processes(), pairs: vec![None; heard.len()] };
        for pair in (0..heard.len()).filter(|pair| heard[*pair] >= USUALLY) {
            silences.reset(pair, cluster, levels);
        }
        silences
    }

    fn reset(&mut self, pair: usize, cluster: &mut VirtualCluster, levels: &[SplitLevel]) {
        let now = cluster.now();
        let alarm = levels.first().map_or(0, |level| cluster.alarm(now + level.silence, pair as u32));
        self.pairs[pair] = Some((now, 0, alarm));
    }

    /// A message has come; returns how long none had.
    fn heard(
        &mut self,
        to: u32,
        from: u32,
        cluster: &mut VirtualCluster,
        levels: &[SplitLevel],
    ) -> Option<u64> {
        let pair = to as usize * self.n + from as usize;
        let (last, ..) = self.pairs[pair]?;
        self.reset(pair, cluster, levels);
        Some(cluster.now() - last)
    }

    /// An alarm; nothing if a message has come since it was set.
    fn alarmed(
        &mut self,
        pair: u32,
        number: EventNumber,
        cluster: &mut VirtualCluster,
        levels: &[SplitLevel],
    ) {
        let Some((last, passed, alarm)) = &mut self.pairs[pair as usize] else { return };
        if *alarm != number {
            return;
        }
        *passed += 1;
        if let Some(next) = levels.get(usize::from(*passed)) {
            *alarm = cluster.alarm(*last + next.silence, pair);
        }
    }

    fn level(&self) -> usize {
        self.pairs.iter().flatten().map(|(_, passed, _)| usize::from(*passed)).max().unwrap_or(0)
    }
}

impl BatchRun<'_> {
    /// The whole batch, split at these levels. Nobody crashes in it. Splitting begins before the window, so that silences
    /// that begin before it and lead to a mistake in it are split like all others.
    pub(super) fn split(mut self, levels: &[SplitLevel]) -> Result<BatchTally, BatchHalt> {
        let BatchPlan { warm_up, lasts, .. } = *self.plan;
        let longest = levels.last().map_or(0, |level| level.silence);
        let begin = warm_up.saturating_sub(longest.saturating_mul(AHEAD)).max(warm_up / 2);
        let mut cluster = self.cluster(true);
        let n = cluster.processes();
        let mut heard = vec![0; n * n];
        loop {
            match self.step(&mut cluster, begin)? {
                Happened::Nothing => break,
                Happened::Received(to, from) => heard[to as usize * n + from as usize] += 1,
                _ => {}
            }
        }
        let watch = AccuracyWatch::new(&cluster, warm_up, self.slow());
        let silences = Silences::begin(&mut cluster, &heard, levels);
        let mut runs = vec![SplitRun { cluster, watch, silences, weight: 1.0, level: 0, born: 0 }];
        while let Some(run) = runs.pop() {
            self.follow(run, levels, warm_up + lasts, &mut runs)?;
        }
        self.tally.observed = self.pairs() * seconds(lasts);
        Ok(self.tally)
    }

    /// Follows one run to its end; what splits off is put on the pile.
    fn follow(
        &mut self,
        mut run: SplitRun,
        levels: &[SplitLevel],
        end: u64,
        runs: &mut Vec<SplitRun>,
    ) -> Result<(), BatchHalt> {
        loop {
            let SplitRun { cluster, watch, silences, weight, level: before, born } = &mut run;
            let happened = self.step(cluster, end)?;
            let now = cluster.now();
            for place in 0..cluster.changes.len() {
                watch.changed(cluster.changes[place], now, *weight, &mut self.tally);
            }
            match happened {
                Happened::Nothing => {
                    watch.end(now, *weight, &mut self.tally);
                    return Ok(());
                }
                Happened::Received(to, from) => {
                    if let Some(gap) = silences.heard(to, from, cluster, levels) {
                        self.tally.gaps.ended(gap, *weight);
                    }
                }
                Happened::Alarm(pair, number) => silences.alarmed(pair, number, cluster, levels),
                Happened::Step | Happened::Stuck => continue,
            }
            let level = silences.level();
            if level == *before {
                continue;
            }
            watch.settle(now, *weight, &mut self.tally);
            if level < *born {
                return Ok(());
            }
            while run.level > level {
                run.level -= 1;
                run.weight *= f64::from(levels[run.level].into);
            }
            while run.level < level {
                let into = levels[run.level].into;
                run.weight /= f64::from(into);
                run.level += 1;
                if runs.len() > MOST_RUNS {
                    return Err(BatchHalt::Stuck);
                }
                for _ in 1..into {
                    runs.push(run.split_off(self.random.u64(..)));
                }
            }
        }
    }
}

impl SplitRun {
    /// One more run from here, which ends when it falls below this level.
    fn split_off(&self, seed: u64) -> SplitRun {
        let mut cluster = self.cluster.fork(seed);
        cluster.redraw();
        SplitRun {
            cluster,
            watch: self.watch.clone(),
            silences: self.silences.clone(),
            weight: self.weight,
            level: self.level,
            born: self.level,
        }
    }
}

/// The share of runs that should come from one level to the next.
const SHARE: f64 = 0.15;

/// More than this share is nearly all.
const ALL: f64 = 0.8;

/// Mistakes that are seen so often in the trials of a stage need no further level.
const OFTEN: u64 = 12;

/// The trials of a stage, and how many times shorter their windows are than those of batches.
const TRIALS: u64 = 4;
const SHORTER: u64 = 8;

/// Levels, and the events that it took to choose them.
pub(super) type ChosenLevels = (Vec<SplitLevel>, u64);

/// Chooses levels by trials, each split at the levels chosen so far, until mistakes are seen often; `None` if no silence
/// is long enough.
pub(super) fn choose_levels(
    plan: &BatchPlan,
    stop: &dyn Fn() -> bool,
) -> Result<Option<ChosenLevels>, BatchHalt> {
    let plan = &BatchPlan { lasts: (plan.lasts / SHORTER).max(1), ..plan.clone() };
    let mut levels: Vec<SplitLevel> = Vec::new();
    let mut events = 0;
    for stage in 0..60u64 {
        let mut trial = BatchTally::default();
        for number in 0..TRIALS {
            let one = BatchRun::new(plan, u64::MAX - TRIALS * stage - number, stop).split(&levels)?;
            trial.seen += one.seen;
            events += one.events;
            trial.gaps.add(&one.gaps);
        }
        if trial.seen >= OFTEN {
            return Ok(Some((levels, events)));
        }
        let last = levels.last().map_or(0, |level| level.silence);
        let reached = if levels.is_empty() { 1.0 } else { trial.gaps.survival(last) };
        let Some((silence, left)) = trial.gaps.cut(SHARE * reached).filter(|(silence, _)| *silence > last)
        else {
            return Ok(None);
        };
        // Where nearly every run that comes so far goes on, a split would only make more of them.
        if left > ALL * reached {
            return Ok(None);
        }
        levels.push(SplitLevel { silence, into: (reached / left).round().clamp(2.0, 1000.0) as u32 });
    }
    Ok(None)
}
