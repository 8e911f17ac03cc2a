//! Which of the six heartbeat protocols: who is counted when, how p0 begins, and what silence does to its
//! waits. Only names and questions that the skeleton asks; no behaviour of its own.

use strum::{Display, EnumString, VariantNames};

/// One protocol of the family. Written `binary`, `revised`, `two-phase`, `static`, `expanding` or
/// `dynamic`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownHeartbeatVariant, parse_err_fn = unknown)]
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
        HeartbeatVariant::VARIANTS[self as usize]
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

/// A text that names none of the heartbeat protocols.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no heartbeat protocol is called {0:?}: choose one of {names}", names = HeartbeatVariant::VARIANTS.join(", "))]
pub struct UnknownHeartbeatVariant(pub String);

fn unknown(text: &str) -> UnknownHeartbeatVariant {
    UnknownHeartbeatVariant(text.to_string())
}
