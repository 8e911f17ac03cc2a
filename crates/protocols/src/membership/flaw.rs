//! Readings of the original text that T rejected, and mistakes that T's own text has, as variants to be planted one
//! at a time. They are for showing that a check finds each; no protocol has one unless it is asked for.

use crate::consensus::UnknownFlaw;
use std::fmt;

/// What a planted variant breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl fmt::Display for BrokenGroupRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BrokenGroupRequirement::Consensus => "consensus",
            BrokenGroupRequirement::Synchrony => "synchrony",
            BrokenGroupRequirement::Causality => "causality",
            BrokenGroupRequirement::Outsiders => "outsiders",
            BrokenGroupRequirement::Merging => "merging",
            BrokenGroupRequirement::Delivery => "delivery",
        })
    }
}

macro_rules! readings {
    ($($flaw:ident $name:literal $about:literal $breaks:ident,)*) => {
        /// A variant that is known to be wrong.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum GroupFlaw {
            $(#[doc = $about] $flaw,)*
        }

        impl GroupFlaw {
            /// All of them.
            pub const ALL: &'static [GroupFlaw] = &[$(GroupFlaw::$flaw),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(GroupFlaw::$flaw => $name),* }
            }

            /// What is wrong.
            pub fn about(self) -> &'static str {
                match self { $(GroupFlaw::$flaw => $about),* }
            }

            /// The requirement that it breaks.
            pub fn breaks(self) -> BrokenGroupRequirement {
                match self { $(GroupFlaw::$flaw => BrokenGroupRequirement::$breaks),* }
            }
        }
    };
}

readings! {
    Basic "basic" "Words are delivered when they arrive, whatever comes before them." Synchrony,
    OneByOne "one-by-one" "The messages of a change are delivered one by one, each as soon as it can be." Synchrony,
    NoBlocking "no-blocking" "Messages of those that are taken for faulty are let in like all others." Synchrony,
    BlocksAll "blocks-all" "Messages of the faulty are not even let in where others have them." Delivery,
    AnyFault "any-fault" "Members assent to faults once everyone has named some, the same or not." Consensus,
    SumsFaults "sums-faults" "Members add up what each other has named as faulty, and take the sum for its last word." Merging,
    JoinIncluded "join-included" "Members assent to a join once everyone has named a part of it." Consensus,
    Outsiders "outsiders" "Words of foreign processes are delivered like those of members." Outsiders,
    NoFaults "no-fault-messages" "Members assent to a break alone, without telling each other." Synchrony,
    KeepsGathering "keeps-gathering" "A JOIN of another does not end the first stage, so that words may follow it and come before the own one." Synchrony,
    ForgetsBreak "forgets-break" "A break ends the first stage of a join, and is forgotten." Merging,
    RejectsInRest "rejects-joins" "A JOIN of a member is rejected by those who are in no stage of a join." Merging,
    RejectedHolds "rejected-holds" "What follows a rejected message is never delivered." Delivery,
}

impl std::str::FromStr for GroupFlaw {
    type Err = UnknownFlaw;

    fn from_str(text: &str) -> Result<GroupFlaw, UnknownFlaw> {
        let known = || GroupFlaw::ALL.iter().map(|flaw| flaw.name()).collect();
        let found = GroupFlaw::ALL.iter().find(|flaw| flaw.name() == text).copied();
        found.ok_or_else(|| UnknownFlaw { name: text.to_string(), known: known() })
    }
}

impl fmt::Display for GroupFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
