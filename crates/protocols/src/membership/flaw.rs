//! Readings of the original text that T rejected, and mistakes of T's own text, as variants to be planted one at a time.
//! They show that a check finds each; no protocol has one unless it is asked for.

use crate::consensus::UnknownFlaw;
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// The requirement that a planted variant violates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum BrokenGroupRequirement {
    /// Stable members with different configurations.
    Consensus,
    /// Members that go from one configuration to the next together, with different words between.
    Synchrony,
    /// A word before one that it follows.
    Causality,
    /// A word of somebody outside of the configuration.
    Outsiders,
    /// Those who can talk to each other come to be in one configuration.
    Merging,
    /// What is said in a configuration is delivered there.
    Delivery,
}

/// A variant that is known to be wrong.
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
#[strum(parse_err_ty = UnknownFlaw, parse_err_fn = UnknownFlaw::among::<GroupFlaw>)]
pub enum GroupFlaw {
    /// Words are delivered when they arrive, whatever comes before them.
    Basic,
    /// The messages of a change are delivered one by one, each as soon as it can be.
    OneByOne,
    /// Messages of those that are taken for faulty are let in like all others.
    NoBlocking,
    /// Messages of the faulty are not even let in where others have them.
    BlocksAll,
    /// Members assent to faults once everyone has named some, the same or not.
    AnyFault,
    /// Members add up what each other has named as faulty, and take the sum for its last word.
    SumsFaults,
    /// Members assent to a join once everyone has named a part of it.
    JoinIncluded,
    /// Words of foreign processes are delivered like those of members.
    Outsiders,
    /// Members assent to a break alone, without telling each other.
    #[strum(serialize = "no-fault-messages")]
    NoFaults,
    /// A JOIN of another does not end the first stage, so that words may follow it and come before the own one.
    KeepsGathering,
    /// A break ends the first stage of a join, and is forgotten.
    ForgetsBreak,
    /// A JOIN of a member is rejected by those who are in no stage of a join.
    #[strum(serialize = "rejects-joins")]
    RejectsInRest,
    /// What follows a rejected message is never delivered.
    RejectedHolds,
}

impl GroupFlaw {
    /// All of them.
    pub const ALL: &'static [GroupFlaw] = <GroupFlaw as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mistake in a sentence.
    pub fn about(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// The requirement that it violates.
    pub fn breaks(self) -> BrokenGroupRequirement {
        match self {
            GroupFlaw::AnyFault | GroupFlaw::JoinIncluded => BrokenGroupRequirement::Consensus,
            GroupFlaw::Outsiders => BrokenGroupRequirement::Outsiders,
            GroupFlaw::BlocksAll | GroupFlaw::RejectedHolds => BrokenGroupRequirement::Delivery,
            GroupFlaw::SumsFaults | GroupFlaw::ForgetsBreak | GroupFlaw::RejectsInRest => {
                BrokenGroupRequirement::Merging
            }
            GroupFlaw::Basic
            | GroupFlaw::OneByOne
            | GroupFlaw::NoBlocking
            | GroupFlaw::NoFaults
            | GroupFlaw::KeepsGathering => BrokenGroupRequirement::Synchrony,
        }
    }
}
