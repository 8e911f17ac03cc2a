//! Draws plans: what a seed makes go wrong. The nemesis knows how large the cluster is and what its model assumes, and mixes
//! the families of faults that it is given; it never looks at a run.

use crate::distribution::DelayDistribution;
use crate::plan::{
    FaultAction, FaultFamily, FloodKind, PlannedCall, PlannedFault, RotationStep, SimulationPlan,
};
use fastrand::Rng;
use strum::VariantArray;
use watchkeeper_core::{Pid, ProcSet};

/// What a plan is drawn for.
#[derive(Clone, PartialEq, Debug)]
pub struct NemesisScope {
    /// The number that `--n` would have.
    pub n: usize,
    /// How many processes there are.
    pub processes: usize,
    /// Nanoseconds per unit of the model's time.
    pub tick: u64,
    /// The least and the most nanoseconds that a message may take.
    pub delay: (u64, u64),
    /// How long a run lasts.
    pub lasts: u64,
    /// Whether a process that has crashed may start again.
    pub restarts: bool,
    /// Of whom each thing can be asked, and how often at most.
    pub calls: Vec<(Pid, u32)>,
}

/// Mixes faults of these families.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nemesis {
    families: Vec<FaultFamily>,
}

impl Nemesis {
    /// A nemesis that mixes these families; without any, nothing goes wrong.
    pub fn new(families: impl IntoIterator<Item = FaultFamily>) -> Nemesis {
        let mut families: Vec<FaultFamily> = families.into_iter().collect();
        families.sort_unstable();
        families.dedup();
        Nemesis { families }
    }

    /// The families, each once.
    pub fn families(&self) -> &[FaultFamily] {
        &self.families
    }

    /// The plan of a seed.
    pub fn draw(&self, seed: u64, scope: &NemesisScope) -> SimulationPlan {
        let mut drawing =
            Drawing { scope, random: Rng::with_seed(mixed(seed, 0x6e65_6d65_7369_7321)), faults: Vec::new() };
        let has = |family| self.families.contains(&family);
        let (least, most) = scope.delay;
        let mut delay = DelayDistribution::Uniform(least, most);
        if has(FaultFamily::Delay) && drawing.one_in(4) {
            delay = drawing.distribution();
        }
        // A third of all runs has at most one fault, so that much is also asked of runs in which nothing went wrong.
        let count = if self.families.is_empty() { 0 } else { [0, 1, 1, 2, 3, 5][drawing.below(6) as usize] };
        for _ in 0..count {
            let family = self.families[drawing.below(self.families.len() as u64) as usize];
            drawing.fault(family);
        }
        let starts = drawing.starts(has(FaultFamily::Crash));
        let calls = drawing.calls();
        let rates = drawing.faults.iter().any(|planned| matches!(planned.fault, FaultAction::Rate { .. }));
        let one_clock = !rates && drawing.one_in(2);
        let late = drawing.below(scope.tick / 4 + 1);
        let fast_greetings = !has(FaultFamily::Delay) || !drawing.one_in(8);
        let mut faults = drawing.faults;
        faults.sort_by_key(|planned| planned.at);
        SimulationPlan {
            seed,
            n: scope.n,
            lasts: scope.lasts,
            delay,
            fast_greetings,
            late,
            one_clock,
            starts,
            calls,
            faults,
        }
    }
}

/// One plan while it is drawn.
struct Drawing<'a> {
    scope: &'a NemesisScope,
    random: Rng,
    faults: Vec<PlannedFault>,
}

impl Drawing<'_> {
    fn below(&mut self, most: u64) -> u64 {
        self.random.u64(..most.max(1))
    }

    fn one_in(&mut self, ways: u64) -> bool {
        self.below(ways) == 0
    }

    fn process(&mut self) -> Pid {
        Pid::at(self.below(self.scope.processes as u64) as usize)
    }

    /// Some of the processes: at least one, and not all unless there is but one.
    fn some(&mut self) -> ProcSet {
        let all = ProcSet::first(self.scope.processes);
        let one = self.process();
        let others = ProcSet::from_bits(self.random.u64(..)).intersection(all).with(one);
        if others == all && all.len() > 1 { others.without(one) } else { others }
    }

    fn moment(&mut self) -> u64 {
        let lasts = self.scope.lasts;
        lasts / 20 + self.below(lasts - lasts / 5)
    }

    /// From one tick to a third of the run.
    fn span(&mut self) -> u64 {
        let most = (self.scope.lasts / 3).max(self.scope.tick + 1);
        self.scope.tick + self.below(most - self.scope.tick)
    }

    /// A number of ticks in nanoseconds, small ones as often as large ones.
    fn ticks(&mut self, most: u64) -> u64 {
        let magnitude = self.below(u64::from(most.max(1).ilog2()) + 2);
        self.below(self.scope.tick << magnitude.min(20)) + 1
    }

    fn distribution(&mut self) -> DelayDistribution {
        let most = self.scope.delay.1.max(self.scope.tick / 2);
        match self.below(5) {
            0 => DelayDistribution::Exponential(most / 3),
            1 => DelayDistribution::LogNormal { median: most / 3, sigma: 300 + self.below(900) as u32 },
            2 => DelayDistribution::Pareto { least: most / 8 + 1, alpha: 1100 + self.below(1500) as u32 },
            3 => DelayDistribution::Uniform(self.scope.delay.0, most + most / 2),
            _ => DelayDistribution::Constant(self.below(most + most / 4)),
        }
    }

    fn add(&mut self, at: u64, fault: FaultAction) {
        self.faults.push(PlannedFault { at, fault });
    }

    fn fault(&mut self, family: FaultFamily) {
        let (at, until) = (self.moment(), self.span());
        let until = at + until;
        let share = [20_000, 100_000, 300_000, 1_000_000][self.below(4) as usize];
        let process = self.process();
        match family {
            FaultFamily::Delay => {
                let (from, to, by) = (self.some(), self.some(), self.ticks(16));
                self.add(at, FaultAction::Slow { from, to, until, by });
            }
            FaultFamily::Loss => {
                let (from, to) = (self.some(), self.some());
                self.add(at, FaultAction::Lose { from, to, until, share });
            }
            FaultFamily::Duplicate => {
                let by = self.ticks(16);
                self.add(at, FaultAction::Duplicate { until, share, by });
            }
            FaultFamily::Reorder => {
                let by = self.ticks(8);
                self.add(at, FaultAction::Reorder { until, share, by });
            }
            FaultFamily::Partition => {
                let (from, both) = (self.some(), self.one_in(2));
                let to = ProcSet::first(self.scope.processes).difference(from);
                self.add(at, FaultAction::Cut { from, to, until, both });
            }
            FaultFamily::Clock if self.one_in(2) => {
                let most = [200, 5_000, 50_000][self.below(3) as usize];
                let ppm = self.random.i32(-most..=most);
                self.add(at, FaultAction::Rate { process, ppm });
            }
            FaultFamily::Clock => {
                let by = self.ticks(1 << 12) as i64;
                let by = if self.one_in(2) { -by } else { by };
                self.add(at, FaultAction::Jump { process, by });
            }
            FaultFamily::Stall => {
                let lasts = self.ticks(32);
                self.add(at, FaultAction::Stall { process, lasts });
            }
            FaultFamily::Crash => {
                self.add(at, FaultAction::Crash { process });
                self.maybe_restart(at, process);
            }
            FaultFamily::Disk => match self.below(3) {
                0 => {
                    let by = self.ticks(4) / 4;
                    self.add(at, FaultAction::SlowDisk { process, until, by });
                }
                1 => self.add(at, FaultAction::FullDisk { process }),
                _ => {
                    let lines = 1 + self.below(20) as u32;
                    self.add(at, FaultAction::LostTail { process, lines });
                    self.maybe_restart(at, process);
                }
            },
            FaultFamily::Keys => self.rotation(at, until),
            FaultFamily::Flood => {
                let kind = FloodKind::VARIANTS[self.below(FloodKind::VARIANTS.len() as u64) as usize];
                let from = self.process();
                let from = (from != process && self.one_in(2)).then_some(from);
                let count = [30, 300, 2_000][self.below(3) as usize];
                self.add(at, FaultAction::Flood { to: process, kind, from, count, until });
            }
        }
    }

    fn maybe_restart(&mut self, crashed: u64, process: Pid) {
        if self.scope.restarts && self.one_in(2) {
            let at = crashed + self.ticks(32);
            self.add(at, FaultAction::Restart { process });
        }
    }

    /// All take the three steps, one step after the other, each at its own moment; some are left behind.
    fn rotation(&mut self, from: u64, until: u64) {
        let third = (until - from) / 3;
        for (place, step) in RotationStep::VARIANTS.iter().enumerate() {
            for process in Pid::all(self.scope.processes) {
                let at = from + place as u64 * third + self.below(third);
                if !self.one_in(10) {
                    self.add(at, FaultAction::Keys { process, step: *step });
                }
            }
        }
    }

    /// All start together, or one starts late.
    fn starts(&mut self, late: bool) -> Vec<u64> {
        let mut starts: Vec<u64> =
            (0..self.scope.processes).map(|_| self.below(self.scope.tick / 8 + 1)).collect();
        if late && self.one_in(8) {
            let process = self.process();
            starts[process.index()] = self.below(self.scope.lasts / 3);
        }
        starts
    }

    fn calls(&mut self) -> Vec<PlannedCall> {
        let mut calls = Vec::new();
        for (call, &(process, budget)) in self.scope.calls.iter().enumerate() {
            for _ in 0..self.below(u64::from(budget.min(3)) + 1) {
                calls.push(PlannedCall { at: self.moment(), process, call });
            }
        }
        calls.sort_by_key(|planned| planned.at);
        calls
    }
}

/// A seed and a number made into another seed, so that neighbours have nothing in common (SplitMix64).
pub(crate) fn mixed(seed: u64, salt: u64) -> u64 {
    let mut z =
        seed.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn scope() -> NemesisScope {
        NemesisScope {
            n: 5,
            processes: 5,
            tick: 50 * MS,
            delay: (0, 200 * MS),
            lasts: 5_000 * MS,
            restarts: true,
            calls: vec![(Pid::at(0), 1)],
        }
    }

    #[test]
    fn a_seed_always_draws_the_same_plan_and_another_seed_another() {
        let all = Nemesis::new(FaultFamily::ALL.iter().copied());
        assert_eq!(all.draw(7, &scope()), all.draw(7, &scope()));
        assert_ne!(all.draw(7, &scope()), all.draw(8, &scope()));
    }

    #[test]
    fn every_family_is_drawn_and_no_other() {
        for &family in FaultFamily::ALL {
            let alone = Nemesis::new([family]);
            let plans: Vec<SimulationPlan> = (0..100).map(|seed| alone.draw(seed, &scope())).collect();
            assert!(plans.iter().any(|plan| plan.has(family)), "{family}");
            let others = |plan: &SimulationPlan| {
                plan.faults.iter().any(|planned| {
                    let drawn = planned.fault.family();
                    drawn != family && !(family == FaultFamily::Disk && drawn == FaultFamily::Crash)
                })
            };
            assert!(!plans.iter().any(others), "{family}");
        }
    }

    #[test]
    fn without_families_nothing_goes_wrong() {
        let quiet = Nemesis::new([]);
        for seed in 0..50 {
            let plan = quiet.draw(seed, &scope());
            assert!(plan.faults.is_empty() && plan.delay == DelayDistribution::Uniform(0, 200 * MS));
            assert!(plan.late <= 25 * MS && plan.starts.iter().all(|at| *at <= 7 * MS));
        }
    }

    #[test]
    fn drawn_plans_survive_being_written() {
        let all = Nemesis::new(FaultFamily::ALL.iter().copied());
        for seed in 0..200 {
            let plan = all.draw(seed, &scope());
            assert_eq!(plan.to_string().parse(), Ok(plan));
        }
    }

    #[test]
    fn a_third_of_the_runs_has_at_most_one_fault() {
        let all = Nemesis::new([FaultFamily::Stall]);
        let calm = (0..600).filter(|seed| all.draw(*seed, &scope()).faults.len() <= 1).count();
        assert!((240..360).contains(&calm), "{calm}");
    }
}
