//! Invalid configurations of the heartbeat protocols. Each message names the option that is wrong, as the command
//! line spells it, and says what to choose.

use super::HeartbeatVariant;
use watchkeeper_core::MAX_PROCESSES;

/// An invalid configuration of a heartbeat protocol with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeartbeatError<T = u32> {
    /// `tmin` is 0.
    #[error("a tmin of 0 leaves messages no time: choose a tmin of 1 or more")]
    NoTmin,
    /// `tmin` is above `tmax`.
    #[error(
        "a tmin of {tmin} is above a tmax of {tmax}: choose a tmin of at most {tmax}, or a tmax of {tmin} or more"
    )]
    TminAboveTmax {
        /// The `tmin` that was asked for.
        tmin: T,
        /// The `tmax` that was asked for.
        tmax: T,
    },
    /// `tmax` is so long that three of it cannot be counted.
    #[error("a tmax of {tmax} is too long to count: choose a tmax of at most {}", u32::MAX / 3)]
    TmaxTooLong {
        /// The `tmax` that was asked for.
        tmax: T,
    },
    /// The number of participants is not possible in any of the protocols.
    #[error("{n} participants are not possible: choose n between 1 and {}", MAX_PROCESSES - 1)]
    Participants {
        /// The number that was asked for.
        n: usize,
    },
    /// The protocol is one for a single participant.
    #[error(
        "the {variant} heartbeat protocol is for one participant, not {n}: choose an n of 1, or the static protocol"
    )]
    OnlyOne {
        /// The protocol that was asked for.
        variant: HeartbeatVariant,
        /// The number of participants that was asked for.
        n: usize,
    },
}
