//! The detector of Chandra and Toueg for all bounds on delay and speed: one sender and one receiver as parametric
//! systems in which a step is one global round, with what is claimed of them. Nothing here is proven by being
//! written down: solvers are asked elsewhere.
//!
//! T. H. Tran, I. Konnov and J. Widder, "A Case Study on Parametric Verification of Failure Detectors", called *the
//! paper* below: sections 7, 8 and 10, with Table 4.
//!
//! # How the paper is read
//! - The sub-rounds of a global step follow each other without a choice of order, so a round is one step. What is
//!   claimed is claimed of the states between two rounds: a suspicion begins in the last sub-round, and can be seen
//!   there.
//! - The buffer is a set of ages ([`BufferAbstraction::Exact`]), or only the age of its oldest message ([`BufferAbstraction::Oldest`]). The
//!   second simulates the first ([`simulation`]), and does nothing that the first cannot do except when a reception
//!   leaves messages behind ([`exactness`]).
//! - Where the sender may crash, the oldest message after a reception must not be younger than the last one sent, or a
//!   dead sender could be heard for ever. So the system knows how long ago that was: `fresh`, of which Δ is the most.
//! - Products of Φ and a timeout are not linear. A detection time is counted in spans of Φ rounds instead: `spans` full
//!   ones and `part` of another, which is division with a remainder, from the round on in which every message is old.

mod abstraction;
mod invariants;
pub mod stabilisation;
mod system;
mod theorems;
mod witnesses;

#[cfg(test)]
mod bridge;
#[cfg(test)]
mod stabilisation_bridge;
#[cfg(test)]
mod tests;

pub use abstraction::{exactness, freshness, simulation};
pub use system::rounds;
pub use theorems::{DetectorRefutation, DetectorTheorem, broken, refutations, table, theorems};

/// Which of the two machines of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::Display)]
pub enum PaperMachine {
    /// The one that was searched with TLC, with tables 1 and 2: the sender acts in the third of its own steps at the
    /// earliest, the receiver begins with RNoSnd as its first task (with RRcv where the sender may crash), checks
    /// before it waits on, and never counts beyond its timeout.
    #[strum(to_string = "TLC")]
    Tlc,
    /// The one that was proven with IVy, with Table 4: the sender may act in every round, the receiver begins with
    /// RRcv, waits on before it checks, and counts on for ever.
    #[strum(to_string = "IVy")]
    Ivy,
}

impl PaperMachine {
    /// Both.
    pub const ALL: [PaperMachine; 2] = [PaperMachine::Tlc, PaperMachine::Ivy];
}

/// What is known of the messages under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferAbstraction {
    /// Their ages: the set `buf`, of which Δ stands for "Δ or older".
    Exact,
    /// How old the oldest is, or that there is none: `age`, -1 for none.
    Oldest,
}

/// What is known of the first timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstTimeout {
    /// It is 6Φ+Δ.
    Sufficient,
    /// It is a parameter `TO0` of at least 6Φ+Δ.
    AtLeastSufficient,
    /// It is a parameter `TO0`.
    Any,
}

/// What is observed beside the variables of the paper: ghosts that no guard looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GhostVariables {
    /// Nothing.
    None,
    /// `silence`, the rounds since the last reception, and `mistakes`, how many suspicions have ended.
    Mistakes,
    /// `cycles`, how often the receiver has computed since the last reception, and `heard`, whether there was one.
    Cycles,
    /// `steps`, the receiver's own steps since the crash.
    Steps,
    /// `hLFSC`, the rounds since the crash; -1 before.
    Rounds,
    /// `hLFSC`, and from the round Δ-1 after the crash on also `spans` of Φ rounds and `part` of another.
    Spans,
    /// `settled`, whether the sender was ever crashed and suspected with nothing under way.
    Settled,
}

/// A change to the model that breaks it, or its proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelFault {
    /// A reception may miss an old message: the guard of RRcv is gone.
    OldIsMissed,
    /// The sender may rest for 4Φ rounds instead of 3Φ.
    SenderIsSlow,
}

/// One parametric model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DetectorModel {
    /// The machine.
    pub machine: PaperMachine,
    /// How the buffer is written down.
    pub buffer: BufferAbstraction,
    /// What is known of the first timeout.
    pub first: FirstTimeout,
    /// Whether the sender may crash.
    pub crash: bool,
    /// What is observed. Steps, rounds, spans and being settled are observed only where the sender may crash.
    pub observer: GhostVariables,
    /// Whether a run ends once the sender is crashed and suspected with nothing under way, after which only numbers
    /// grow. Without this most models in which the sender may crash are infinite.
    pub ends: bool,
    /// Whether Δ is written 3·`thirds` + `rest`, with two more parameters.
    pub thirds: bool,
    /// What is wrong with it, if it is a broken one.
    pub fault: Option<ModelFault>,
}

impl DetectorModel {
    /// A machine that nobody can crash, with the buffer as its oldest message and any first timeout.
    pub const fn new(machine: PaperMachine) -> DetectorModel {
        DetectorModel {
            machine,
            buffer: BufferAbstraction::Oldest,
            first: FirstTimeout::Any,
            crash: false,
            observer: GhostVariables::None,
            ends: false,
            thirds: false,
            fault: None,
        }
    }

    /// With this buffer.
    #[must_use]
    pub const fn with_buffer(self, buffer: BufferAbstraction) -> DetectorModel {
        DetectorModel { buffer, ..self }
    }

    /// With this first timeout.
    #[must_use]
    pub const fn with_first(self, first: FirstTimeout) -> DetectorModel {
        DetectorModel { first, ..self }
    }

    /// With these ghosts.
    #[must_use]
    pub const fn with_observer(self, observer: GhostVariables) -> DetectorModel {
        DetectorModel { observer, ..self }
    }

    /// In which the sender may crash.
    #[must_use]
    pub const fn with_crash(self) -> DetectorModel {
        DetectorModel { crash: true, ..self }
    }

    /// In which a run ends when nothing but numbers can change.
    #[must_use]
    pub const fn ending(self) -> DetectorModel {
        DetectorModel { ends: true, ..self }
    }

    /// With Δ written as three thirds and a rest.
    #[must_use]
    pub const fn in_thirds(self) -> DetectorModel {
        DetectorModel { thirds: true, ..self }
    }

    /// With something wrong.
    #[must_use]
    pub const fn with_fault(self, fault: ModelFault) -> DetectorModel {
        DetectorModel { fault: Some(fault), ..self }
    }
}
