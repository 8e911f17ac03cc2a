//! What the network does to a message: when it arrives, how often, or why it does not. Everything that is drawn depends on
//! the seed, the two ends and the number of the message on its way between them, and on nothing else: taking a fault out of
//! a plan leaves all other draws as they were.

use crate::nemesis::mixed;
use crate::plan::{FaultAction, SimulationPlan};
use fastrand::Rng;
use watchkeeper_core::{MAX_PROCESSES, Pid};

/// A million: shares are parts of it.
const WHOLE: u32 = 1_000_000;

/// The network of a run.
#[derive(Debug)]
pub(crate) struct SimulatedNetwork<'a> {
    plan: &'a SimulationPlan,
    processes: usize,
    /// Whether messages of one pair arrive in the order of sending unless a fault says otherwise.
    fifo: bool,
    /// The most nanoseconds of a fast greeting.
    greeting: u64,
    /// How many messages each ordered pair has sent, and when the last one arrives.
    links: Vec<(u64, u64)>,
}

/// What becomes of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passage {
    /// It arrives.
    Arrives {
        at: u64,
        /// When a copy of it arrives too.
        again: Option<u64>,
    },
    /// Nothing gets through.
    Cut,
    /// It is lost.
    Lost,
}

impl<'a> SimulatedNetwork<'a> {
    pub(crate) fn new(
        plan: &'a SimulationPlan,
        processes: usize,
        fifo: bool,
        greeting: u64,
    ) -> SimulatedNetwork<'a> {
        SimulatedNetwork { plan, processes, fifo, greeting, links: vec![(0, 0); processes * processes] }
    }

    /// What becomes of the next message from one to another.
    pub(crate) fn passage(&mut self, now: u64, from: Pid, to: Pid, greeting: bool) -> Passage {
        let link = from.index() * self.processes + to.index();
        let (count, last) = &mut self.links[link];
        *count += 1;
        // Whatever the size of the cluster, the same two ends draw the same.
        let ends = (from.index() * MAX_PROCESSES + to.index()) as u64;
        let mut random = Rng::with_seed(mixed(mixed(self.plan.seed, ends), *count));
        let mut took = self.plan.delay.draw(&mut random);
        if greeting && self.plan.fast_greetings {
            took %= self.greeting.max(1);
        }
        let draws = [random.u32(..WHOLE), random.u32(..WHOLE), random.u32(..WHOLE)];
        let parts = [random.u64(..), random.u64(..)];
        let (mut again, mut lost, mut cut, mut overtaken) = (None, false, false, false);
        for fault in self.plan.active(now) {
            match *fault {
                FaultAction::Slow { from: some, to: others, by, .. }
                    if some.contains(from) && others.contains(to) =>
                {
                    took += by;
                }
                FaultAction::Lose { from: some, to: others, share, .. }
                    if some.contains(from) && others.contains(to) =>
                {
                    lost |= draws[0] < share;
                }
                FaultAction::Cut { from: some, to: others, both, .. } => {
                    cut |= some.contains(from) && others.contains(to);
                    cut |= both && some.contains(to) && others.contains(from);
                }
                FaultAction::Reorder { share, by, .. } if draws[1] < share => {
                    took += parts[0] % by.max(1);
                    overtaken = true;
                }
                FaultAction::Duplicate { share, by, .. } if draws[2] < share => {
                    again = Some(parts[1] % by.max(1));
                }
                _ => {}
            }
        }
        if cut || lost {
            return if cut { Passage::Cut } else { Passage::Lost };
        }
        let mut at = now + took;
        if self.fifo && !overtaken {
            at = at.max(*last);
            *last = at;
        }
        Passage::Arrives { at, again: again.map(|later| at + later) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::DelayDistribution;
    use crate::plan::PlannedFault;
    use watchkeeper_core::ProcSet;

    fn plan(faults: &[(u64, FaultAction)]) -> SimulationPlan {
        SimulationPlan {
            seed: 3,
            n: 3,
            lasts: 1000,
            delay: DelayDistribution::Uniform(10, 20),
            fast_greetings: true,
            late: 0,
            one_clock: true,
            starts: vec![0; 3],
            calls: Vec::new(),
            faults: faults.iter().map(|&(at, fault)| PlannedFault { at, fault }).collect(),
        }
    }

    fn passages(plan: &SimulationPlan, fifo: bool, from: usize, to: usize) -> Vec<Passage> {
        let mut network = SimulatedNetwork::new(plan, 3, fifo, 2);
        (0..50).map(|i| network.passage(100 + i, Pid::at(from), Pid::at(to), false)).collect()
    }

    #[test]
    fn a_fault_changes_the_messages_that_it_names_and_no_others() {
        let quiet = passages(&plan(&[]), false, 0, 1);
        let (zero, one) = (ProcSet::only(Pid::at(0)), ProcSet::only(Pid::at(1)));
        let cut = plan(&[(110, FaultAction::Cut { from: zero, to: one, until: 120, both: false })]);
        let found = passages(&cut, false, 0, 1);
        for (i, passage) in found.iter().enumerate() {
            let expected = if (10..20).contains(&i) { Passage::Cut } else { quiet[i] };
            assert_eq!(*passage, expected, "{i}");
        }
        assert_eq!(passages(&cut, false, 1, 0), passages(&plan(&[]), false, 1, 0));
        let both = plan(&[(0, FaultAction::Cut { from: zero, to: one, until: 500, both: true })]);
        assert!(passages(&both, false, 1, 0).iter().all(|passage| *passage == Passage::Cut));
        let slow = plan(&[(0, FaultAction::Slow { from: zero, to: one, until: 500, by: 7 })]);
        for (slow, quiet) in passages(&slow, false, 0, 1).iter().zip(&quiet) {
            let (Passage::Arrives { at, .. }, Passage::Arrives { at: before, .. }) = (slow, quiet) else {
                panic!("nothing is lost")
            };
            assert_eq!(*at, before + 7);
        }
    }

    #[test]
    fn shares_are_kept() {
        let all = ProcSet::first(3);
        let lossy = plan(&[(0, FaultAction::Lose { from: all, to: all, until: 500, share: 300_000 })]);
        let lost = passages(&lossy, false, 0, 1).iter().filter(|passage| **passage == Passage::Lost).count();
        assert!((5..25).contains(&lost), "{lost}");
        let twice = plan(&[(0, FaultAction::Duplicate { until: 500, share: 1_000_000, by: 50 })]);
        let twice = passages(&twice, false, 0, 1);
        assert!(twice.iter().all(|passage| matches!(passage, Passage::Arrives { again: Some(_), .. })));
    }

    #[test]
    fn a_fifo_network_lets_nothing_overtake_but_by_a_fault() {
        let times = |plan: &SimulationPlan| -> Vec<u64> {
            let at = |passage: &Passage| match passage {
                Passage::Arrives { at, .. } => *at,
                _ => panic!("nothing is lost"),
            };
            passages(plan, true, 0, 1).iter().map(at).collect()
        };
        assert!(times(&plan(&[])).is_sorted());
        let reordering = plan(&[(0, FaultAction::Reorder { until: 500, share: 500_000, by: 90 })]);
        assert!(!times(&reordering).is_sorted());
    }
}
