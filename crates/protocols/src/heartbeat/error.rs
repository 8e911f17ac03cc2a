//! Why there is no such heartbeat protocol. Each message names the option that is wrong, as the command
//! line spells it, and says what to choose.

use super::HeartbeatVariant;
use std::fmt;
use watchkeeper_core::MAX_PROCESSES;

/// Why there is no such heartbeat protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeartbeatError {
    /// `tmin` is 0.
    NoTmin,
    /// `tmin` is above `tmax`.
    TminAboveTmax {
        /// The `tmin` that was asked for.
        tmin: u32,
        /// The `tmax` that was asked for.
        tmax: u32,
    },
    /// `tmax` is so long that three of it cannot be counted.
    TmaxTooLong {
        /// The `tmax` that was asked for.
        tmax: u32,
    },
    /// This many participants cannot be had in any of the protocols.
    Participants {
        /// The number that was asked for.
        n: usize,
    },
    /// The protocol is one for a single participant.
    OnlyOne {
        /// The protocol that was asked for.
        variant: HeartbeatVariant,
        /// The number of participants that was asked for.
        n: usize,
    },
}

impl fmt::Display for HeartbeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeartbeatError::NoTmin => {
                write!(f, "a tmin of 0 leaves messages no time: choose a tmin of 1 or more")
            }
            HeartbeatError::TminAboveTmax { tmin, tmax } => {
                write!(f, "a tmin of {tmin} is above a tmax of {tmax}: choose a tmin of at most {tmax}")?;
                write!(f, ", or a tmax of {tmin} or more")
            }
            HeartbeatError::TmaxTooLong { tmax } => {
                write!(f, "a tmax of {tmax} is too long to count: choose a tmax of at most {}", u32::MAX / 3)
            }
            HeartbeatError::Participants { n } => {
                write!(f, "{n} participants are not possible: choose n between 1 and {}", MAX_PROCESSES - 1)
            }
            HeartbeatError::OnlyOne { variant, n } => {
                write!(f, "the {variant} heartbeat protocol is for one participant, not {n}: ")?;
                write!(f, "choose an n of 1, or the {} protocol", HeartbeatVariant::Static)
            }
        }
    }
}

impl std::error::Error for HeartbeatError {}
