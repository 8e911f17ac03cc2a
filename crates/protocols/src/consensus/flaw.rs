//! Mistakes that can be planted into the consensus protocols, one at a time, each with the requirement that it
//! violates. They show that a check finds them; no protocol has a mistake unless it is asked for.

use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// The requirement that a mistake violates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum BrokenRequirement {
    /// Two processes decide differently.
    Agreement,
    /// A process decides twice.
    Integrity,
    /// A value is decided that nobody proposed.
    Validity,
    /// A process that does not crash never decides.
    Termination,
}

/// A name that no mistake has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no such mistake; known are {}", known.join(", "))]
pub struct UnknownFlaw {
    /// The name.
    pub name: String,
    /// The names of all mistakes.
    pub known: Vec<&'static str>,
}

impl UnknownFlaw {
    /// The error for a name that no mistake of the enum `F` has.
    pub(crate) fn among<F: VariantNames>(name: &str) -> UnknownFlaw {
        UnknownFlaw { name: name.to_string(), known: F::VARIANTS.to_vec() }
    }
}

/// Mistakes in Algorithm 10.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownFlaw, parse_err_fn = UnknownFlaw::among::<StrongFlaw>)]
pub enum StrongFlaw {
    /// The first phase has a round less than there are other processes.
    OneRoundLess,
    /// Processes decide after the first phase, without the second.
    NoExchange,
    /// Processes send their own value in every round, and never those of others.
    NoForwarding,
    /// Processes do not wait for the others in the first phase.
    Hasty,
    /// Processes decide on their own value, where all know it, and not on the first.
    OwnValue,
    /// Processes never look at their detector.
    Deaf,
}

impl StrongFlaw {
    /// All of them.
    pub const ALL: &'static [StrongFlaw] = <StrongFlaw as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mistake in a sentence.
    pub fn about(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// The requirement that it violates.
    pub fn breaks(self) -> BrokenRequirement {
        match self {
            StrongFlaw::Hasty | StrongFlaw::Deaf => BrokenRequirement::Termination,
            _ => BrokenRequirement::Agreement,
        }
    }
}

/// Mistakes in Algorithm 11.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownFlaw, parse_err_fn = UnknownFlaw::among::<RotatingFlaw>)]
pub enum RotatingFlaw {
    /// The coordinator proposes its own estimate, whatever the timestamps of the others are.
    NoLock,
    /// Half of the processes count as a majority.
    SmallMajority,
    /// Processes that adopt an estimate do not note in which round.
    StaleStamp,
    /// Processes acknowledge an estimate and keep their own.
    KeepsEstimate,
    /// The coordinator does not wait for estimates before it proposes.
    HastyProposal,
    /// The coordinator does not wait for replies before it decides.
    HastyDecision,
    /// The coordinator takes every reply for an acknowledgement.
    NacksCount,
    /// The coordinator proposes the sum of its estimate and the newest, not one of them.
    Merges,
    /// Processes decide at every decision that they hear of.
    DecidesAgain,
    /// Processes do not pass on the decision that they hear of.
    NoRelay,
    /// Processes never look at their detector.
    Deaf,
    /// Processes that suspect the coordinator go on without telling it.
    NoNack,
}

impl RotatingFlaw {
    /// All of them.
    pub const ALL: &'static [RotatingFlaw] = <RotatingFlaw as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mistake in a sentence.
    pub fn about(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// The requirement that it violates.
    pub fn breaks(self) -> BrokenRequirement {
        match self {
            RotatingFlaw::Merges => BrokenRequirement::Validity,
            RotatingFlaw::DecidesAgain => BrokenRequirement::Integrity,
            RotatingFlaw::NoRelay | RotatingFlaw::Deaf | RotatingFlaw::NoNack => {
                BrokenRequirement::Termination
            }
            _ => BrokenRequirement::Agreement,
        }
    }
}
