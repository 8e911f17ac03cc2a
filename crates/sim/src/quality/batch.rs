//! One batch: a cluster from its start through its warm-up to a window in which it is looked at. At random moments of the
//! window the run forks, and in the fork a process crashes. Batches differ in nothing but their seeds.

use super::cluster::{ClusterMake, Happened, VirtualCluster};
use super::tally::{AccuracyWatch, BatchTally, seconds};
use crate::nemesis::mixed;
use fastrand::Rng;
use watchkeeper_core::Completeness;
use watchkeeper_node::Outbox;

/// All that batches have in common. Times are in nanoseconds.
#[derive(Clone)]
pub(super) struct BatchPlan {
    pub(super) make: ClusterMake,
    pub(super) completeness: Completeness,
    pub(super) seed: u64,
    pub(super) warm_up: u64,
    /// The length of the window.
    pub(super) lasts: u64,
    /// Who may crash; everybody if nobody is named.
    pub(super) victims: Vec<u32>,
    /// How many crashes there are for each window.
    pub(super) crashes: usize,
    /// A crash that is not detected by then is not detected.
    pub(super) horizon: u64,
    /// Who suspects a crashed process for so long, when nothing of it is on its way, suspects it for good.
    pub(super) settle: u64,
}

/// Why a batch was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BatchHalt {
    /// Somebody wanted no more.
    Stopped,
    /// Time does not pass.
    Stuck,
}

/// How many events are simulated between two looks at whether to stop.
const PATIENCE: u64 = 1024;

/// What the runs of one batch share.
pub(super) struct BatchRun<'a> {
    pub(super) plan: &'a BatchPlan,
    pub(super) outbox: Outbox,
    pub(super) tally: BatchTally,
    pub(super) random: Rng,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> BatchRun<'a> {
    pub(super) fn new(plan: &'a BatchPlan, number: u64, stop: &'a dyn Fn() -> bool) -> BatchRun<'a> {
        let random = Rng::with_seed(mixed(plan.seed, number));
        BatchRun { plan, outbox: Outbox::new(0), tally: BatchTally::default(), random, stop }
    }

    /// A cluster at its start.
    pub(super) fn cluster(&mut self, redraws: bool) -> VirtualCluster {
        let make = ClusterMake { redraws, ..self.plan.make.clone() };
        VirtualCluster::new(&make, self.random.u64(..))
    }

    /// What happens next to a cluster before this end.
    pub(super) fn step(&mut self, cluster: &mut VirtualCluster, end: u64) -> Result<Happened, BatchHalt> {
        self.tally.events += 1;
        if self.tally.events.is_multiple_of(PATIENCE) && (self.stop)() {
            return Err(BatchHalt::Stopped);
        }
        match cluster.step(end, &mut self.outbox) {
            Happened::Stuck => Err(BatchHalt::Stuck),
            happened => Ok(happened),
        }
    }

    /// The pairs of a process and another one.
    pub(super) fn pairs(&self) -> f64 {
        (self.plan.make.n * (self.plan.make.n - 1)) as f64
    }

    pub(super) fn slow(&self) -> usize {
        self.plan.make.slow.map_or(0, |slow| slow.count)
    }

    /// The whole batch.
    pub(super) fn plain(mut self) -> Result<BatchTally, BatchHalt> {
        let BatchPlan { warm_up, lasts, crashes, .. } = *self.plan;
        let mut cluster = self.cluster(false);
        while self.step(&mut cluster, warm_up)? != Happened::Nothing {}
        let mut moments: Vec<u64> = (0..crashes).map(|_| warm_up + self.random.u64(0..lasts)).collect();
        moments.sort_unstable();
        let mut watch = AccuracyWatch::new(&cluster, warm_up, self.slow());
        let sent = cluster.sent;
        for end in moments.iter().copied().map(Some).chain([None]) {
            let until = end.unwrap_or(warm_up + lasts);
            while self.step(&mut cluster, until)? != Happened::Nothing {
                for place in 0..cluster.changes.len() {
                    watch.changed(cluster.changes[place], cluster.now(), 1.0, &mut self.tally);
                }
            }
            if end.is_some() {
                let fork = cluster.fork(self.random.u64(..));
                self.detection(fork)?;
            }
        }
        watch.end(cluster.now(), 1.0, &mut self.tally);
        let tally = &mut self.tally;
        tally.messages = (cluster.sent.0 - sent.0) as f64;
        tally.bytes = (cluster.sent.1 - sent.1) as f64;
        tally.course = cluster.events;
        tally.member_time = cluster.processes() as f64 * seconds(lasts);
        self.tally.observed = self.pairs() * seconds(lasts);
        Ok(self.tally)
    }

    /// One process crashes now; the others detect it.
    fn detection(&mut self, mut cluster: VirtualCluster) -> Result<(), BatchHalt> {
        let BatchPlan { completeness, horizon, settle, .. } = *self.plan;
        let (n, crash) = (cluster.processes() as u32, cluster.now());
        let victims = &self.plan.victims;
        let victim = match victims.len() {
            0 => self.random.u32(0..n),
            count => victims[self.random.usize(..count)],
        };
        cluster.crash(victim);
        let suspicion = |observer: u32| cluster.suspects(observer, victim).then_some(crash);
        // Since when each suspects it.
        let mut since: Vec<Option<u64>> = (0..n).map(suspicion).collect();
        since[victim as usize] = None;
        let mut suspecting = since.iter().flatten().count();
        let wanted = if completeness == Completeness::Weak { 1 } else { n as usize - 1 };
        let mut last = crash;
        loop {
            let settled = suspecting >= wanted && !cluster.has_last_words();
            let end = if settled { (last + settle).min(crash + horizon) } else { crash + horizon };
            if self.step(&mut cluster, end)? == Happened::Nothing {
                break;
            }
            for change in cluster.changes.iter().filter(|change| change.subject == victim) {
                last = cluster.now();
                let place = &mut since[change.observer as usize];
                suspecting = suspecting + usize::from(change.suspects) - usize::from(place.is_some());
                *place = change.suspects.then_some(last);
            }
        }
        let found = since.into_iter().flatten().map(|since| since - crash);
        let found: Vec<u64> = match completeness {
            Completeness::Weak => found.min().into_iter().collect(),
            Completeness::Strong => found.collect(),
        };
        self.tally.undetected += (wanted - found.len().min(wanted)) as u64;
        for lasted in found {
            self.tally.detected += 1.0;
            self.tally.detection += seconds(lasted);
            self.tally.detections.ended(lasted, 1.0);
        }
        Ok(())
    }
}
