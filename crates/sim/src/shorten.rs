//! Shortens a plan that fails: parts of it are left out while the same oracle still fails, until nothing more can be. What is
//! left is small enough to be read.

use crate::oracle::RunOracle;
use crate::plan::{FaultAction, PlannedFault, SimulationPlan};
use watchkeeper_core::ProcSet;

/// The most runs that are spent on it.
const RUNS: usize = 2_000;

/// Shortens a plan. `fails` executes a plan and says which oracle it fails, if any.
pub fn shorten(
    plan: SimulationPlan,
    oracle: RunOracle,
    fails: &mut dyn FnMut(&SimulationPlan) -> Option<RunOracle>,
) -> SimulationPlan {
    let mut shortening = Shortening { plan, oracle, fails, runs: 0 };
    loop {
        let before = shortening.plan.clone();
        shortening.end_sooner();
        shortening.fewer_processes();
        shortening.fewer_faults();
        shortening.fewer_calls();
        shortening.simpler();
        shortening.shorter_faults();
        if shortening.plan == before || shortening.runs >= RUNS {
            return shortening.plan;
        }
    }
}

struct Shortening<'a> {
    plan: SimulationPlan,
    oracle: RunOracle,
    fails: &'a mut dyn FnMut(&SimulationPlan) -> Option<RunOracle>,
    runs: usize,
}

impl Shortening<'_> {
    /// Takes a plan if it still fails.
    fn take(&mut self, shorter: SimulationPlan) -> bool {
        if self.runs >= RUNS || shorter == self.plan {
            return false;
        }
        self.runs += 1;
        let still = (self.fails)(&shorter) == Some(self.oracle);
        if still {
            self.plan = shorter;
        }
        still
    }

    /// The shortest run that still fails, nearly: by halves, then by eighths.
    fn end_sooner(&mut self) {
        for (num, den) in [(1, 2), (3, 4), (7, 8), (15, 16)] {
            while {
                let lasts = self.plan.lasts / den * num;
                let faults = self.plan.faults.iter().filter(|planned| planned.at < lasts).copied().collect();
                let calls = self.plan.calls.iter().filter(|planned| planned.at < lasts).copied().collect();
                self.take(SimulationPlan { lasts, faults, calls, ..self.plan.clone() })
            } {}
        }
    }

    /// Without the last process and what goes wrong with it alone.
    fn fewer_processes(&mut self) {
        while self.plan.starts.len() > 2 && self.plan.n > 1 {
            let mut smaller = self.plan.clone();
            smaller.n -= 1;
            smaller.starts.pop();
            let left = ProcSet::first(smaller.starts.len());
            smaller.calls.retain(|planned| left.contains(planned.process));
            smaller.faults = smaller.faults.iter().filter_map(|planned| among(planned, left)).collect();
            if !self.take(smaller) {
                return;
            }
        }
    }

    /// Delta debugging over the list of faults: without ever smaller parts of it.
    fn fewer_faults(&mut self) {
        let mut size = self.plan.faults.len();
        while size > 0 {
            let mut from = 0;
            while from < self.plan.faults.len() {
                let mut faults = self.plan.faults.clone();
                faults.drain(from..(from + size).min(faults.len()));
                if !self.take(SimulationPlan { faults, ..self.plan.clone() }) {
                    from += size;
                }
            }
            size /= 2;
        }
    }

    fn fewer_calls(&mut self) {
        for place in (0..self.plan.calls.len()).rev() {
            let mut calls = self.plan.calls.clone();
            calls.remove(place);
            self.take(SimulationPlan { calls, ..self.plan.clone() });
        }
    }

    /// One clock, no lateness, the same delay for all, all at once: whatever of this still fails.
    fn simpler(&mut self) {
        let plan = self.plan.clone();
        self.take(SimulationPlan { one_clock: true, ..plan });
        self.take(SimulationPlan { late: 0, ..self.plan.clone() });
        self.take(SimulationPlan { starts: vec![0; self.plan.starts.len()], ..self.plan.clone() });
        if let Some(most) = self.plan.delay.most() {
            for always in [0, most / 2, most] {
                let delay = crate::distribution::DelayDistribution::Constant(always);
                if self.take(SimulationPlan { delay, ..self.plan.clone() }) {
                    break;
                }
            }
        }
    }

    /// Faults that last half as long, or begin half as early.
    fn shorter_faults(&mut self) {
        for place in 0..self.plan.faults.len() {
            for _ in 0..16 {
                let mut faults = self.plan.faults.clone();
                let Some(halved) = halved(faults[place]) else { break };
                faults[place] = halved;
                if !self.take(SimulationPlan { faults, ..self.plan.clone() }) {
                    break;
                }
            }
        }
    }
}

/// The same fault among fewer processes, if it is still one.
fn among(planned: &PlannedFault, left: ProcSet) -> Option<PlannedFault> {
    let mut planned = *planned;
    match &mut planned.fault {
        FaultAction::Slow { from, to, .. }
        | FaultAction::Lose { from, to, .. }
        | FaultAction::Cut { from, to, .. } => {
            (*from, *to) = (from.intersection(left), to.intersection(left));
            (!from.is_empty() && !to.is_empty()).then_some(planned)
        }
        fault => fault.names().is_subset(left).then_some(planned),
    }
}

/// The same fault for half as long, or with half as many.
fn halved(planned: PlannedFault) -> Option<PlannedFault> {
    let PlannedFault { at, mut fault } = planned;
    let shorter = |until: u64| at + until.saturating_sub(at) / 2;
    match &mut fault {
        FaultAction::Slow { until, .. }
        | FaultAction::Lose { until, .. }
        | FaultAction::Duplicate { until, .. }
        | FaultAction::Reorder { until, .. }
        | FaultAction::Cut { until, .. }
        | FaultAction::SlowDisk { until, .. } => *until = shorter(*until),
        FaultAction::Flood { count, .. } if *count > 1 => *count /= 2,
        FaultAction::Stall { lasts, .. } if *lasts > 1_000_000 => *lasts /= 2,
        FaultAction::LostTail { lines, .. } if *lines > 1 => *lines /= 2,
        FaultAction::Rate { ppm, .. } if ppm.abs() > 1 => *ppm /= 2,
        FaultAction::Jump { by, .. } if by.abs() > 1_000_000 => *by /= 2,
        _ => return None,
    }
    Some(PlannedFault { at, fault }).filter(|shorter| *shorter != planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nemesis::{Nemesis, NemesisScope};
    use crate::plan::FaultFamily;
    use watchkeeper_core::Pid;

    fn drawn(seed: u64) -> SimulationPlan {
        let scope = NemesisScope {
            n: 5,
            processes: 5,
            tick: 50_000_000,
            delay: (0, 200_000_000),
            lasts: 5_000_000_000,
            restarts: true,
            calls: vec![(Pid::at(0), 3); 4],
        };
        Nemesis::new(FaultFamily::ALL.iter().copied()).draw(seed, &scope)
    }

    /// A run that fails if two things both happen is shortened to these two.
    #[test]
    fn what_does_not_matter_goes_and_what_matters_stays() {
        let mut checked = 0;
        for seed in 0..300 {
            let plan = drawn(seed);
            let matters = |plan: &SimulationPlan| {
                let crash = plan.faults.iter().find(|one| matches!(one.fault, FaultAction::Crash { .. }));
                let loss = plan.has(FaultFamily::Loss);
                let late = crash.is_some_and(|crash| plan.lasts > crash.at + 100);
                (late && loss).then_some(RunOracle::Replay)
            };
            if matters(&plan).is_none() {
                continue;
            }
            checked += 1;
            let shorter = shorten(plan.clone(), RunOracle::Replay, &mut |plan| matters(plan));
            assert_eq!(shorter.faults.len(), 2, "{plan}{shorter}");
            assert_eq!(shorter.n, shorter.starts.len());
            assert!(shorter.calls.is_empty() && shorter.late == 0 && shorter.lasts <= plan.lasts);
        }
        assert!(checked > 5, "{checked}");
    }

    #[test]
    fn a_failure_of_another_oracle_is_not_the_same_failure() {
        let plan = drawn(1);
        let other = shorten(plan.clone(), RunOracle::Replay, &mut |_| Some(RunOracle::Properties));
        assert_eq!(other, plan);
    }
}
