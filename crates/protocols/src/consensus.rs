//! Consensus on top of failure detectors: every process proposes a value, and all that do not crash decide on the
//! same one of them. The two protocols are those of T. D. Chandra and S. Toueg, "Unreliable Failure Detectors for
//! Reliable Distributed Systems", Journal of the ACM 43 (2), 1996, pages 225 to 267, figures 5 and 6; they are
//! Algorithms 10 and 11 of the thesis of M. Atif, "Formal Modeling and Verification of Distributed Failure
//! Detectors", Eindhoven, 2011, chapter 4, called T here.
//!
//! Both stand on a detector that is not part of them: what it thinks is told to them as
//! [`Input::Notice`](watchkeeper_core::Input::Notice). An oracle of the world may tell it, or a real detector under
//! them ([`Stack`](crate::stack::Stack)). And both receive selectively: messages of later rounds are deferred until their
//! round has come.
//!
//! - [`Strong`], Algorithm 10: any number of crashes, with a detector of class S.
//! - [`Rotating`], Algorithm 11: fewer than half of the processes crash, with a detector of class ◇S.

mod flaw;
mod requirements;
mod rotating;
mod strong;

pub use flaw::{BrokenRequirement, RotatingFlaw, StrongFlaw, UnknownFlaw};
pub use requirements::{Agreement, Integrity, Validity};
pub use rotating::{Rotating, RotatingCourse, RotatingMsg, RotatingState, RotatingTask};
pub use strong::{Strong, StrongCourse, StrongMsg, StrongState};

use watchkeeper_core::{Kind, MAX_PROCESSES, Meaning, Pack, Pid, Protocol, Tone};

/// The requests of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum ConsensusCall {
    /// To propose a value: once, before anything else happens for it.
    #[kind("propose")]
    Propose(u64),
}

/// The announcements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum ConsensusOutput {
    /// Its decision, which is final.
    #[kind("decide")]
    Decide(u64),
    /// That it does not propose a value as it was asked to: it has proposed or decided before, or the value is
    /// not one of those that can be decided.
    #[kind("refuse")]
    Refuse(u64),
}

impl From<ConsensusOutput> for Meaning {
    fn from(output: ConsensusOutput) -> Meaning {
        match output {
            ConsensusOutput::Decide(_) => Meaning::Other(Tone::Relief),
            ConsensusOutput::Refuse(_) => Meaning::Other(Tone::Alarm),
        }
    }
}

/// A protocol in which processes propose values and decide on one of them.
pub trait Consensus: Protocol {
    /// The value that this call proposes.
    fn proposes(call: &Self::Call) -> Option<u64>;

    /// The value that this announcement decides.
    fn decides(output: &Self::Output) -> Option<u64>;

    /// What a process in this state has decided.
    fn decision(&self, state: &Self::State) -> Option<u64>;
}

impl Consensus for Strong {
    fn proposes(call: &ConsensusCall) -> Option<u64> {
        let ConsensusCall::Propose(value) = call;
        Some(*value)
    }

    fn decides(output: &ConsensusOutput) -> Option<u64> {
        match output {
            ConsensusOutput::Decide(value) => Some(*value),
            ConsensusOutput::Refuse(_) => None,
        }
    }

    fn decision(&self, state: &StrongState) -> Option<u64> {
        match state.course {
            StrongCourse::Decided(value) => value,
            _ => None,
        }
    }
}

impl Consensus for Rotating {
    fn proposes(call: &ConsensusCall) -> Option<u64> {
        Strong::proposes(call)
    }

    fn decides(output: &ConsensusOutput) -> Option<u64> {
        Strong::decides(output)
    }

    fn decision(&self, state: &RotatingState) -> Option<u64> {
        match state.course {
            RotatingCourse::Decided(value) => Some(value),
            _ => None,
        }
    }
}

/// All others, in the order of their ids.
fn others(n: usize, me: Pid) -> impl Iterator<Item = Pid> {
    Pid::all(n).filter(move |&peer| peer != me)
}

/// A number of processes for which there is a protocol.
fn size(n: usize) -> Result<usize, ConsensusError> {
    if (2..=MAX_PROCESSES).contains(&n) { Ok(n) } else { Err(ConsensusError::Size { n }) }
}

/// An invalid configuration of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConsensusError {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// There would be no value to propose.
    #[error("with 0 values nothing can be proposed: choose 1 or more")]
    NoValues,
    /// There would be no round to search.
    #[error("in 0 rounds nothing happens: choose 1 or more")]
    NoRounds,
}
