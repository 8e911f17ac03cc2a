//! Which of the six heartbeat protocols: who is counted when, how p0 begins, and what silence does to its
//! waits. Only names and questions that the skeleton asks; no behaviour of its own.

use std::fmt;
use std::str::FromStr;

/// One protocol of the family. Written `binary`, `revised`, `two-phase`, `static`, `expanding` or
/// `dynamic`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HeartbeatVariant {
    /// One participant.
    Binary,
    /// One participant, and p0 sends its first beat at once.
    Revised,
    /// One participant, and its silence shortens the wait to `tmin` at once.
    TwoPhase,
    /// Several participants, known from the start.
    Static,
    /// Participants that ask to join.
    Expanding,
    /// Participants that ask to join and may leave for ever.
    Dynamic,
}

impl HeartbeatVariant {
    /// All of them, in the order of the literature.
    pub const ALL: [HeartbeatVariant; 6] = [
        HeartbeatVariant::Binary,
        HeartbeatVariant::Revised,
        HeartbeatVariant::TwoPhase,
        HeartbeatVariant::Static,
        HeartbeatVariant::Expanding,
        HeartbeatVariant::Dynamic,
    ];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            HeartbeatVariant::Binary => "binary",
            HeartbeatVariant::Revised => "revised",
            HeartbeatVariant::TwoPhase => "two-phase",
            HeartbeatVariant::Static => "static",
            HeartbeatVariant::Expanding => "expanding",
            HeartbeatVariant::Dynamic => "dynamic",
        }
    }

    /// Whether there can be more than one participant.
    pub const fn takes_many(self) -> bool {
        matches!(self, HeartbeatVariant::Static | HeartbeatVariant::Expanding | HeartbeatVariant::Dynamic)
    }

    /// Whether p0 counts a participant only once it has asked to join.
    pub const fn expects_joins(self) -> bool {
        matches!(self, HeartbeatVariant::Expanding | HeartbeatVariant::Dynamic)
    }
}

impl fmt::Display for HeartbeatVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for HeartbeatVariant {
    type Err = UnknownHeartbeatVariant;

    fn from_str(text: &str) -> Result<HeartbeatVariant, UnknownHeartbeatVariant> {
        let named = HeartbeatVariant::ALL.into_iter().find(|variant| variant.name() == text);
        named.ok_or_else(|| UnknownHeartbeatVariant(text.to_string()))
    }
}

/// A text that names none of the heartbeat protocols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownHeartbeatVariant(pub String);

impl fmt::Display for UnknownHeartbeatVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = HeartbeatVariant::ALL.map(HeartbeatVariant::name).join(", ");
        write!(f, "no heartbeat protocol is called {:?}: choose one of {names}", self.0)
    }
}

impl std::error::Error for UnknownHeartbeatVariant {}
