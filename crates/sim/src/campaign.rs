//! Many runs: seeds are handed to workers in batches, and the first seed that fails, by its number, is the one that is told.
//! It counts, and stops when it is told to; it has no clock of its own.

use crate::nemesis::{Nemesis, NemesisScope, mixed};
use crate::oracle::{OracleFailure, RunOracle, RunVerdict, judge};
use crate::plan::{FaultFamily, SimulationPlan};
use crate::shorten::shorten;
use crate::simulation::{SimulatedRun, SimulationDepth, simulate};
use crate::subject::SimulatedSubject;
use crate::summary::SimulationSummary;
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many seeds a worker takes at once.
const BATCH: u64 = 16;

/// How many runs a worker makes with one subject: whatever a protocol numbers while it runs is kept that long.
const RUNS_PER_SUBJECT: u64 = 4_000;

/// How many steps the trace of a failure shows.
const SHOWN: usize = 40;

/// Messages of a typical run: how long runs last is chosen accordingly.
const MESSAGES: u64 = 180;

/// Makes what is simulated, of a size.
pub type SubjectMaker<'a, E> = &'a (dyn Fn(usize) -> Result<SimulatedSubject, E> + Sync);

/// What to simulate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Campaign {
    /// The seeds.
    pub seeds: Range<u64>,
    /// The sizes that are drawn from.
    pub sizes: Vec<usize>,
    /// What goes wrong.
    pub nemesis: Nemesis,
    /// How long a run lasts, in nanoseconds; as long as it takes to send some hundreds of messages where nobody says.
    pub lasts: Option<u64>,
    /// What is simulated of each process.
    pub depth: SimulationDepth,
    /// How many workers there are.
    pub workers: usize,
}

/// How a campaign ended.
#[derive(Clone, PartialEq, Debug)]
pub struct CampaignOutcome {
    /// What was counted.
    pub summary: SimulationSummary,
    /// The first seed that fails.
    pub failure: Option<FailedRun>,
    /// Whether it was stopped before all seeds had been tried.
    pub stopped: bool,
}

/// A seed that fails.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedRun {
    /// The seed.
    pub seed: u64,
    /// What it fails with.
    pub failure: OracleFailure,
    /// The plan that the seed draws.
    pub plan: SimulationPlan,
    /// The shortest plan found that fails in the same way, what it fails with, and its run.
    pub shortened: SimulationPlan,
    /// What the shortest plan fails with.
    pub shortest: OracleFailure,
    /// The run of the shortest plan.
    pub run: SimulatedRun,
}

/// The subjects of one worker.
struct Bench<'a, E> {
    make: SubjectMaker<'a, E>,
    campaign: &'a Campaign,
    /// By size, with what plans are drawn for.
    subjects: Vec<Option<(SimulatedSubject, NemesisScope)>>,
    runs: u64,
}

impl<'a, E> Bench<'a, E> {
    fn new(make: SubjectMaker<'a, E>, campaign: &'a Campaign) -> Bench<'a, E> {
        Bench { make, campaign, subjects: Vec::new(), runs: 0 }
    }

    fn subject(&mut self, size: usize) -> Result<&(SimulatedSubject, NemesisScope), E> {
        if self.subjects.len() <= size {
            self.subjects.resize_with(size + 1, || None);
        }
        if self.subjects[size].is_none() {
            let subject = (self.make)(size)?;
            let scope = scope(&subject, self.campaign.lasts);
            self.subjects[size] = Some((subject, scope));
        }
        Ok(self.subjects[size].as_ref().expect("it was just made"))
    }

    /// The plan of a seed.
    fn plan(&mut self, seed: u64) -> Result<SimulationPlan, E> {
        let sizes = &self.campaign.sizes;
        let size = sizes[(mixed(seed, 0x512e) % sizes.len() as u64) as usize];
        let campaign = self.campaign;
        let (_, scope) = self.subject(size)?;
        Ok(campaign.nemesis.draw(seed, scope))
    }

    fn run(&mut self, plan: &SimulationPlan, shown: usize) -> Result<(SimulatedRun, RunVerdict), E> {
        self.runs += 1;
        if self.runs.is_multiple_of(RUNS_PER_SUBJECT) {
            self.subjects.clear();
        }
        let depth = self.campaign.depth;
        let (subject, _) = self.subject(plan.n)?;
        let mut run = simulate(subject, plan, depth);
        let verdict = judge(subject, plan, &mut run, shown);
        Ok((run, verdict))
    }
}

/// What plans for a subject are drawn for.
fn scope(subject: &SimulatedSubject, lasts: Option<u64>) -> NemesisScope {
    let (least, most) = subject.delay();
    let mut scope = NemesisScope {
        n: subject.n,
        processes: subject.processes(),
        tick: subject.tick,
        delay: (least, most.unwrap_or(least + 4 * subject.tick)),
        lasts: lasts.unwrap_or(200 * subject.tick),
        restarts: subject.restarts,
        calls: subject.calls.iter().map(|(process, _, budget)| (*process, *budget)).collect(),
    };
    if lasts.is_none() {
        // How busy the protocol is when nothing goes wrong says how long a run of the usual length lasts.
        let quiet = simulate(subject, &Nemesis::new([]).draw(0, &scope), SimulationDepth::Bare);
        let sent = (quiet.truth.messages.len() as u64).max(1);
        let ticks = (200 * MESSAGES / sent).clamp(60, 400);
        scope.lasts = ticks * subject.tick;
    }
    scope
}

impl Campaign {
    /// Tries all seeds. `progress` is told now and then what was counted so far, and may stop it.
    pub fn run<E: Send>(
        &self,
        make: SubjectMaker<'_, E>,
        progress: &(dyn Fn(&SimulationSummary) -> ControlFlow<()> + Sync),
    ) -> Result<CampaignOutcome, E> {
        let next = AtomicU64::new(self.seeds.start);
        let first_failure = AtomicU64::new(u64::MAX);
        let stopped = AtomicBool::new(false);
        let total: Mutex<Result<SimulationSummary, E>> = Mutex::new(Ok(SimulationSummary::default()));
        let work = || {
            let mut bench = Bench::new(make, self);
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed);
                let limit = self.seeds.end.min(first_failure.load(Ordering::Relaxed));
                if from >= limit || stopped.load(Ordering::Relaxed) {
                    return;
                }
                let mut summary = SimulationSummary::default();
                let tried = self.try_batch(
                    &mut bench,
                    from..(from + BATCH).min(self.seeds.end),
                    &first_failure,
                    &mut summary,
                );
                let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match (tried, &mut *total) {
                    (Err(why), _) => {
                        *total = Err(why);
                        stopped.store(true, Ordering::Relaxed);
                    }
                    (Ok(()), Ok(total)) => {
                        total.add(&summary);
                        if progress(total).is_break() {
                            stopped.store(true, Ordering::Relaxed);
                        }
                    }
                    (Ok(()), Err(_)) => {}
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.workers.max(1) {
                scope.spawn(work);
            }
            work();
        });
        let summary = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?;
        let failed = first_failure.into_inner();
        let failure = if failed == u64::MAX { None } else { Some(self.failed(make, failed)?) };
        Ok(CampaignOutcome { summary, failure: failure.flatten(), stopped: stopped.into_inner() })
    }

    fn try_batch<E>(
        &self,
        bench: &mut Bench<'_, E>,
        seeds: Range<u64>,
        first_failure: &AtomicU64,
        summary: &mut SimulationSummary,
    ) -> Result<(), E> {
        for seed in seeds {
            if seed > first_failure.load(Ordering::Relaxed) {
                return Ok(());
            }
            let plan = bench.plan(seed)?;
            let (run, verdict) = bench.run(&plan, 1)?;
            summary.count(&plan, &run, &verdict);
            if verdict.failure.is_some() {
                first_failure.fetch_min(seed, Ordering::Relaxed);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The failure of a seed, shortened.
    fn failed<E>(&self, make: SubjectMaker<'_, E>, seed: u64) -> Result<Option<FailedRun>, E> {
        let plan = Bench::new(make, self).plan(seed)?;
        self.examine(make, plan)
    }

    /// Executes one plan, and shortens it if it fails.
    pub fn examine<E>(
        &self,
        make: SubjectMaker<'_, E>,
        plan: SimulationPlan,
    ) -> Result<Option<FailedRun>, E> {
        let mut bench = Bench::new(make, self);
        let (_, verdict) = bench.run(&plan, SHOWN)?;
        let Some(failure) = verdict.failure else { return Ok(None) };
        let mut fails = |shorter: &SimulationPlan| -> Option<RunOracle> {
            let (_, verdict) = bench.run(shorter, 1).ok()?;
            verdict.failure.map(|failure| failure.oracle)
        };
        let shortened = shorten(plan.clone(), failure.oracle, &mut fails);
        let (run, verdict) = bench.run(&shortened, SHOWN)?;
        let shortest = verdict.failure.unwrap_or_else(|| failure.clone());
        Ok(Some(FailedRun { seed: plan.seed, failure, plan, shortened, shortest, run }))
    }

    /// What is counted in the run of one plan.
    pub fn count<E>(&self, make: SubjectMaker<'_, E>, plan: &SimulationPlan) -> Result<SimulationSummary, E> {
        let (run, verdict) = self.once(make, plan)?;
        let mut summary = SimulationSummary::default();
        summary.count(plan, &run, &verdict);
        Ok(summary)
    }

    /// The run of one plan, and what the oracles say of it.
    pub fn once<E>(
        &self,
        make: SubjectMaker<'_, E>,
        plan: &SimulationPlan,
    ) -> Result<(SimulatedRun, RunVerdict), E> {
        Bench::new(make, self).run(plan, SHOWN)
    }

    /// The plan that a seed draws.
    pub fn plan_of<E>(&self, make: SubjectMaker<'_, E>, seed: u64) -> Result<SimulationPlan, E> {
        Bench::new(make, self).plan(seed)
    }

    /// The families of faults that were to be mixed and never happened.
    pub fn never_happened(&self, summary: &SimulationSummary) -> Vec<FaultFamily> {
        self.nemesis
            .families()
            .iter()
            .copied()
            .filter(|family| !summary.faults.contains_key(family))
            .collect()
    }
}
