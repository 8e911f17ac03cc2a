//! The two kinds of completeness of a failure detector.

use std::fmt;

/// Which correct processes must detect a crash, after Chandra and Toueg.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Completeness {
    /// Eventually every correct process permanently suspects every process that has crashed.
    Strong,
    /// Eventually some correct process permanently suspects every process that has crashed.
    Weak,
}

impl Completeness {
    /// Both kinds.
    pub const ALL: [Completeness; 2] = [Completeness::Strong, Completeness::Weak];

    /// Its name in the literature.
    pub const fn name(self) -> &'static str {
        match self {
            Completeness::Strong => "strong completeness",
            Completeness::Weak => "weak completeness",
        }
    }

    /// Whether every run with this kind has the other.
    pub fn implies(self, other: Completeness) -> bool {
        self == Completeness::Strong || other == Completeness::Weak
    }
}

impl fmt::Display for Completeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
