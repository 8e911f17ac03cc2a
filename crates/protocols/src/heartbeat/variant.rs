//! Which of the six heartbeat protocols: who is counted when, how p0 begins, and what silence does to its
//! waits. Only names and questions that the skeleton asks; no behaviour of its own.

use std::fmt;
use std::str::FromStr;

/// One protocol of the family. Written `binary`, `revised`, `two-phase`, `static`, `expanding` or
/// `dynamic`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variant {
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

impl Variant {
    /// All of them, in the order of the literature.
    pub const ALL: [Variant; 6] = [
        Variant::Binary,
        Variant::Revised,
        Variant::TwoPhase,
        Variant::Static,
        Variant::Expanding,
        Variant::Dynamic,
    ];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Binary => "binary",
            Variant::Revised => "revised",
            Variant::TwoPhase => "two-phase",
            Variant::Static => "static",
            Variant::Expanding => "expanding",
            Variant::Dynamic => "dynamic",
        }
    }

    /// Whether there can be more than one participant.
    pub const fn takes_many(self) -> bool {
        matches!(self, Variant::Static | Variant::Expanding | Variant::Dynamic)
    }

    /// Whether p0 counts a participant only once it has asked to join.
    pub const fn expects_joins(self) -> bool {
        matches!(self, Variant::Expanding | Variant::Dynamic)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        let named = Variant::ALL.into_iter().find(|variant| variant.name() == text);
        named.ok_or_else(|| UnknownVariant(text.to_string()))
    }
}

/// A text that names none of the heartbeat protocols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownVariant(pub String);

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Variant::ALL.map(Variant::name).join(", ");
        write!(f, "no heartbeat protocol is called {:?}: choose one of {names}", self.0)
    }
}

impl std::error::Error for UnknownVariant {}
