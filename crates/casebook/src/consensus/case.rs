//! One system of processes that are to agree, and how one requirement is asked of it.

use std::fmt;
use strum::{Display, VariantArray};
use watchkeeper_core::{Pid, ProcSet, Promises, Staged};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check, liveness};
use watchkeeper_logic::{Fairness, Formula, Invariant, Question, TemporalProperty, Verdict};
use watchkeeper_protocols::consensus::{
    Agreement, BrokenRequirement, Consensus, ConsensusCall, Integrity, Rotating, RotatingFlaw, Strong,
    StrongFlaw, Validity,
};
use watchkeeper_space::Space;
use watchkeeper_world::{
    Capacity, DeliveryOrder, Faults, InStages, Network, Oracle, OracleAccuracy, Scenario, StageRules,
    SuspicionMemory, TypedWorld,
};

/// The most messages of one channel; no search here comes near it.
const CAP: u32 = 64;

/// Which of the two protocols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, VariantArray)]
pub enum Algorithm {
    /// Algorithm 10, for class S.
    #[strum(to_string = "Algorithm 10")]
    Strong,
    /// Algorithm 11, for class ◇S.
    #[strum(to_string = "Algorithm 11")]
    Rotating,
}

/// The four requirements of section 4.4.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ConsensusRequirement {
    /// R1: no two processes decide differently.
    Agreement,
    /// R2: no process decides twice.
    Integrity,
    /// R3: every process that does not crash decides.
    Termination,
    /// R4: what is decided was proposed.
    Validity,
}

impl From<BrokenRequirement> for ConsensusRequirement {
    fn from(breaks: BrokenRequirement) -> ConsensusRequirement {
        match breaks {
            BrokenRequirement::Agreement => ConsensusRequirement::Agreement,
            BrokenRequirement::Integrity => ConsensusRequirement::Integrity,
            BrokenRequirement::Validity => ConsensusRequirement::Validity,
            BrokenRequirement::Termination => ConsensusRequirement::Termination,
        }
    }
}

/// Which runs are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// One for all that no process can tell apart, for every number of rounds.
    InStages,
    /// All, up to so many rounds if a number is given.
    All {
        /// The last round.
        rounds: Option<u64>,
    },
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Runs::InStages => f.write_str("in stages"),
            Runs::All { rounds: None } => f.write_str("all"),
            Runs::All { rounds: Some(rounds) } => write!(f, "all, {rounds} rounds"),
        }
    }
}

/// A planted mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlantedFlaw {
    /// One in Algorithm 10.
    Strong(StrongFlaw),
    /// One in Algorithm 11.
    Rotating(RotatingFlaw),
}

/// A system, and which of its runs are searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsensusCase {
    /// The protocol.
    pub algorithm: Algorithm,
    /// What each process proposes; as many as there are processes.
    pub values: Vec<u64>,
    /// How many processes may crash.
    pub crashes: u32,
    /// Whom the detector leaves alone.
    pub accuracy: OracleAccuracy,
    /// How long suspicions last.
    pub memory: SuspicionMemory,
    /// Which runs are searched.
    pub runs: Runs,
    /// What is wrong with the protocol.
    pub mistake: Option<PlantedFlaw>,
}

impl ConsensusCase {
    /// What the theorem promises of an algorithm: its class of detector and its number of crashes, with
    /// different values.
    pub fn promised(algorithm: Algorithm, n: usize) -> ConsensusCase {
        let (crashes, accuracy) = match algorithm {
            Algorithm::Strong => (n as u32 - 1, OracleAccuracy::Weak),
            Algorithm::Rotating => ((n as u32 - 1) / 2, OracleAccuracy::EventuallyWeak),
        };
        ConsensusCase {
            algorithm,
            values: distinct(n),
            crashes,
            accuracy,
            memory: SuspicionMemory::Momentary,
            runs: Runs::InStages,
            mistake: None,
        }
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.values.len()
    }

    /// What is around the processes. A message that is lost with its sender and one that is never delivered are the
    /// same to every finite run, so that losses are for termination alone.
    pub fn scenario(&self, requirement: ConsensusRequirement) -> Scenario {
        let n = self.n();
        let crash_loses = requirement == ConsensusRequirement::Termination;
        let crashable = if self.crashes > 0 { ProcSet::first(n) } else { ProcSet::EMPTY };
        Scenario {
            network: Network {
                order: DeliveryOrder::AnyOrder,
                capacity: Capacity::Unbounded { cap: CAP },
                ..Network::default()
            },
            faults: Faults { crashable, crashes: self.crashes, crash_loses, ..Faults::default() },
            oracle: Some(Oracle { accuracy: self.accuracy, memory: self.memory }),
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
        let n = self.n();
        match self.algorithm {
            Algorithm::Strong => {
                let protocol = Strong::new(n).map_err(broken)?;
                let protocol = match self.mistake {
                    Some(PlantedFlaw::Strong(flaw)) => protocol.flawed(flaw),
                    _ => protocol,
                };
                self.answer(protocol, requirement, search, watch)
            }
            Algorithm::Rotating => {
                let protocol = Rotating::new(n).map_err(broken)?;
                let protocol = match self.mistake {
                    Some(PlantedFlaw::Rotating(flaw)) => protocol.flawed(flaw),
                    _ => protocol,
                };
                let protocol = match self.runs {
                    Runs::All { rounds: Some(rounds) } => protocol.within(rounds).map_err(broken)?,
                    _ => protocol,
                };
                self.answer(protocol, requirement, search, watch)
            }
        }
    }

    /// The world of a protocol, with what a requirement looks at.
    pub fn world<P>(
        &self,
        protocol: P,
        requirement: ConsensusRequirement,
    ) -> Result<TypedWorld<P>, ExploreError>
    where
        P: Consensus<Call = ConsensusCall> + Promises + Clone,
    {
        let proposals = self.values.iter().enumerate();
        let calls = proposals.map(|(p, &value)| (Pid::at(p), ConsensusCall::Propose(value), 1)).collect();
        let world = TypedWorld::new(protocol, self.scenario(requirement)).map_err(broken)?;
        watched(world.with_calls(calls).map_err(broken)?, requirement)
    }

    fn answer<P>(
        &self,
        protocol: P,
        requirement: ConsensusRequirement,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Verdict, ExploreError>
    where
        P: Consensus<Call = ConsensusCall> + Staged + Clone,
    {
        let world = self.world(protocol, requirement)?;
        match self.runs {
            Runs::All { .. } => put(&*world, self.n(), requirement, search, watch),
            Runs::InStages => {
                let space = InStages::new(world, StageRules::of()).map_err(broken)?;
                put(&space, self.n(), requirement, search, watch)
            }
        }
    }
}

/// The world with what a requirement looks at.
pub(super) fn watched<P>(
    world: TypedWorld<P>,
    requirement: ConsensusRequirement,
) -> Result<TypedWorld<P>, ExploreError>
where
    P: Consensus + Promises + Clone,
{
    let world = match requirement {
        ConsensusRequirement::Agreement => world.observed_by(Agreement).map_err(broken)?,
        ConsensusRequirement::Integrity => world.observed_by(Integrity).map_err(broken)?,
        ConsensusRequirement::Validity => world.observed_by(Validity).map_err(broken)?,
        ConsensusRequirement::Termination => world,
    };
    let (protocol, n) = (world.protocol().clone(), world.scenario().n);
    Ok(Pid::all(n).fold(world, |world, p| {
        let protocol = protocol.clone();
        world.with_outcome(format!("decided({p})"), p, move |state| protocol.decision(state).is_some())
    }))
}

/// Puts the question to a space.
pub(super) fn put(
    space: &impl Space,
    n: usize,
    requirement: ConsensusRequirement,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let name = requirement.to_string();
    let atom = |name: String| {
        space.shape().atom(&name).ok_or_else(|| ExploreError::Space(format!("there is no atom {name}")))
    };
    if requirement != ConsensusRequirement::Termination {
        let invariant = Invariant { then: atom(name.clone())?, when: None, name };
        let question = Question { invariants: vec![invariant], ..Question::default() };
        return check(space, &question, search, watch);
    }
    let mut claim: Option<Formula> = None;
    for p in Pid::all(n) {
        let decided = Formula::atom(atom(format!("decided({p})"))?);
        let ends = decided.or(Formula::atom(atom(format!("crashed({p})"))?)).eventually();
        claim = Some(claim.map_or(ends.clone(), |claim| claim.and(ends)));
    }
    let claim = claim.ok_or_else(|| ExploreError::Space("there are no processes".to_string()))?;
    let verdicts =
        liveness(space, &[TemporalProperty::new(name, claim)], &[Fairness::steps()], search, watch)?;
    verdicts.into_iter().next().ok_or_else(|| ExploreError::Space("nothing was answered".to_string()))
}

pub(super) fn broken(why: impl fmt::Display) -> ExploreError {
    ExploreError::Space(why.to_string())
}

/// A value of its own for each of `n` processes.
pub fn distinct(n: usize) -> Vec<u64> {
    (0..n as u64).collect()
}

/// All ways in which `n` processes can propose two values; of two that differ only in what the values are called,
/// one.
pub fn assignments(n: usize) -> Vec<Vec<u64>> {
    (0..1u64 << n.saturating_sub(1)).map(|bits| (0..n).map(|p| bits << 1 >> p & 1).collect()).collect()
}
