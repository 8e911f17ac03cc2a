//! Mistakes that can be planted into the consensus protocols, one at a time, each with the requirement that it
//! breaks. They are for showing that a check would find them; no protocol has one unless it is asked for.

use std::fmt;

/// The requirement that a mistake breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl fmt::Display for BrokenRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BrokenRequirement::Agreement => "agreement",
            BrokenRequirement::Integrity => "integrity",
            BrokenRequirement::Validity => "validity",
            BrokenRequirement::Termination => "termination",
        })
    }
}

/// A name that no mistake has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFlaw {
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no such mistake; known are {}", self.known.join(", "))
    }
}

impl std::error::Error for UnknownFlaw {}

/// An enum of mistakes: the names by which users know them, what is wrong, and what that breaks.
macro_rules! flaws {
    ($(#[$doc:meta])* $flaws:ident { $($flaw:ident $name:literal $about:literal $breaks:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $flaws {
            $(#[doc = $about] $flaw),*
        }

        impl $flaws {
            /// All of them.
            pub const ALL: &'static [$flaws] = &[$($flaws::$flaw),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $($flaws::$flaw => $name),* }
            }

            /// What is wrong.
            pub fn about(self) -> &'static str {
                match self { $($flaws::$flaw => $about),* }
            }

            /// The requirement that it breaks.
            pub fn breaks(self) -> BrokenRequirement {
                match self { $($flaws::$flaw => BrokenRequirement::$breaks),* }
            }
        }

        impl std::str::FromStr for $flaws {
            type Err = UnknownFlaw;

            fn from_str(text: &str) -> Result<$flaws, UnknownFlaw> {
                let known = || $flaws::ALL.iter().map(|flaw| flaw.name()).collect();
                let found = $flaws::ALL.iter().find(|flaw| flaw.name() == text).copied();
                found.ok_or_else(|| UnknownFlaw { name: text.to_string(), known: known() })
            }
        }

        impl fmt::Display for $flaws {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

flaws! {
    /// Mistakes in Algorithm 10.
    StrongFlaw {
        OneRoundLess "one-round-less" "The first phase has a round less than there are other processes." Agreement,
        NoExchange "no-exchange" "Processes decide after the first phase, without the second." Agreement,
        NoForwarding "no-forwarding" "Processes send their own value in every round, and never those of others." Agreement,
        Hasty "hasty" "Processes do not wait for the others in the first phase." Termination,
        OwnValue "own-value" "Processes decide on their own value, where all know it, and not on the first." Agreement,
        Deaf "deaf" "Processes never look at their detector." Termination,
    }
}

flaws! {
    /// Mistakes in Algorithm 11.
    RotatingFlaw {
        NoLock "no-lock" "The coordinator proposes its own estimate, whatever the timestamps of the others are." Agreement,
        SmallMajority "small-majority" "Half of the processes count as a majority." Agreement,
        StaleStamp "stale-stamp" "Processes that adopt an estimate do not note in which round." Agreement,
        KeepsEstimate "keeps-estimate" "Processes acknowledge an estimate and keep their own." Agreement,
        HastyProposal "hasty-proposal" "The coordinator does not wait for estimates before it proposes." Agreement,
        HastyDecision "hasty-decision" "The coordinator does not wait for replies before it decides." Agreement,
        NacksCount "nacks-count" "The coordinator takes every reply for an acknowledgement." Agreement,
        Merges "merges" "The coordinator proposes the sum of its estimate and the newest, not one of them." Validity,
        DecidesAgain "decides-again" "Processes decide at every decision that they hear of." Integrity,
        NoRelay "no-relay" "Processes do not pass on the decision that they hear of." Termination,
        Deaf "deaf" "Processes never look at their detector." Termination,
        NoNack "no-nack" "Processes that suspect the coordinator go on without telling it." Termination,
    }
}
