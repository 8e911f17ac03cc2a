//! Algorithm 11 on detectors of this project instead of an oracle, in timed worlds: the code that runs, all of it.

use super::ConsensusRequirement;
use super::case::{broken, put, watched};
use watchkeeper_core::{Bound, Pid, ProcSet, Promises};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::Verdict;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{Consensus, ConsensusCall, Rotating};
use watchkeeper_protocols::ring::{Ring, StrongCompleteness, TimeoutAdaptation};
use watchkeeper_protocols::stack::{Layer, Mailbox, Stack};
use watchkeeper_world::{
    BeforeStable, Capacity, Faults, Network, Scenario, Synchrony, Timing, TypedWorld, WorldTime,
};

/// The most messages of one channel; no search here comes near it.
const CAP: u32 = 16;

/// The detector below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::VariantArray)]
pub enum ComposedDetector {
    /// The ring detector for strong completeness.
    #[strum(to_string = "ring, strong completeness")]
    Ring,
    /// The detector of Chandra and Toueg.
    #[strum(to_string = "Chandra and Toueg")]
    ChandraToueg,
}

/// Processes that are to agree, on a detector, in ticks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComposedConsensus {
    /// The detector.
    pub detector: ComposedDetector,
    /// What each process proposes; as many as there are processes.
    pub values: Vec<u64>,
    /// How many processes may crash at any moment.
    pub crashes: u32,
    /// Who has crashed before the run begins.
    pub crashed_at_start: ProcSet,
    /// The delay of a message, in the end. Where messages may take no time, processes that suspect each other can
    /// go through any number of rounds at one moment.
    pub delay: Bound,
    /// The delay until then, if the network must stabilise first.
    pub before: Option<Bound>,
    /// The time between two beats of the detector of Chandra and Toueg.
    pub period: u32,
    /// The first timeout, and the longest; of the ring the length of a round.
    pub timeout: (u32, u32),
    /// The last round of consensus that is searched, if there is a limit.
    pub rounds: Option<u64>,
}

impl ComposedConsensus {
    fn scenario(&self) -> Scenario {
        let n = self.values.len();
        let timing = Timing::per_message(self.delay).deliveries_first();
        let synchrony = match self.before {
            None => Synchrony::Always,
            Some(delay) => Synchrony::Eventual(BeforeStable { delay, losses: false }),
        };
        let crashable = if self.crashes > 0 { ProcSet::first(n) } else { ProcSet::EMPTY };
        Scenario {
            network: Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() },
            faults: Faults {
                crashable,
                crashes: self.crashes,
                crashed_at_start: self.crashed_at_start,
                ..Faults::default()
            },
            time: WorldTime::Ticks(Timing { synchrony, ..timing }),
            ..Scenario::new(n)
        }
    }

    /// Whether a requirement holds.
    pub fn asked(
        &self,
        requirement: ConsensusRequirement,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Verdict, ExploreError> {
        let n = self.values.len();
        let rotating = Rotating::new(n).map_err(broken)?;
        let rotating = match self.rounds {
            Some(rounds) => rotating.within(rounds).map_err(broken)?,
            None => rotating,
        };
        let above = Mailbox::new(rotating);
        match self.detector {
            ComposedDetector::Ring => {
                let (first, most) = self.timeout;
                let policy = StrongCompleteness::new(TimeoutAdaptation::ForAll { max_delta: Some(most) });
                let below = Ring::with_policy(policy, n, first).map_err(broken)?;
                self.answer(Stack::new(above, below), requirement, search, watch)
            }
            ComposedDetector::ChandraToueg => {
                let (first, most) = self.timeout;
                let below = ChandraToueg::new(n, self.period, first).and_then(|below| below.capped(most));
                self.answer(Stack::new(above, below.map_err(broken)?), requirement, search, watch)
            }
        }
    }

    fn answer<D>(
        &self,
        protocol: Stack<Mailbox<Rotating>, D>,
        requirement: ConsensusRequirement,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Verdict, ExploreError>
    where
        D: Promises + Clone,
        Stack<Mailbox<Rotating>, D>: Consensus<Call = Layer<ConsensusCall, D::Call>>,
    {
        let proposals = self.values.iter().enumerate();
        let proposals = proposals.filter(|(p, _)| !self.crashed_at_start.contains(Pid::at(*p)));
        let call = |value: u64| Layer::Above(ConsensusCall::Propose(value));
        let calls = proposals.map(|(p, &value)| (Pid::at(p), call(value), 1)).collect();
        let world = TypedWorld::new(protocol, self.scenario()).map_err(broken)?;
        let world = watched(world.with_calls(calls).map_err(broken)?, requirement)?;
        put(&*world, self.values.len(), requirement, search, watch)
    }
}
