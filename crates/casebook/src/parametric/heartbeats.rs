//! The accelerated heartbeat protocols for all tmin and tmax: as parametric systems, with the exact condition on
//! tmin and tmax under which each requirement holds. Both directions are claimed: a theorem where the condition is
//! true, and wherever it is false a run that breaks the requirement. Nothing here is proven by being written down:
//! solvers are asked elsewhere.
//!
//! # How the protocols are read
//! As in `watchkeeper_protocols::heartbeat`, in the environment of [`crate::heartbeats`]: any message may be lost,
//! every process may crash, a message and its answer together take at most tmin. Tests hold the reachable states
//! of the systems against those of the deployable protocol in its world, for small tmin and tmax.
//! - Numbers count down: what is left of a round, of a patience, of the time of a message. A crashed process and one
//!   that has stopped are alike, both are silent for ever. What does not matter any more is 0, so that states are few.
//! - An integer system has moments that are whole numbers, a dense one has all of them. tm / 2 is written
//!   `2*half <= wait <= 2*half + 1`, which in integers is integer division, and in real numbers allows it, exact
//!   halving and all between. p0 stops where `wait < 2*tmin`, which for integers is the same as half of it being
//!   below tmin.
//! - Due deliveries come before timeouts in the corrected forms: a timer fires only if no message has used up its time.
//! - The static protocol is p1 among any number of other participants, of which it is only known that they shorten
//!   the rounds of p0, or stop it, once something was lost or somebody is down. That they do not do so before is
//!   what R3 says of each of them in its system: the first round in which p0 misses a beat while all is quiet would be
//!   one in which it misses the beat of somebody whose rounds were not shortened yet.

mod invariants;
mod steps;
mod system;
mod theorems;
mod witnesses;

#[cfg(test)]
mod bridge;
#[cfg(test)]
mod tests;

pub use system::system;
pub use theorems::{HeartbeatRefutation, HeartbeatTheorem, refutations, theorems};

use std::fmt;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

/// A protocol, as it was published or corrected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeartbeatForm {
    /// The protocol.
    pub variant: HeartbeatVariant,
    /// With the bounds that the thesis found to be right, and due deliveries before timeouts.
    pub corrected: bool,
}

impl HeartbeatForm {
    /// All forms: six protocols, as they were published and corrected.
    pub fn all() -> impl Iterator<Item = HeartbeatForm> {
        HeartbeatVariant::ALL
            .into_iter()
            .flat_map(|variant| [false, true].map(|corrected| HeartbeatForm { variant, corrected }))
    }

    /// How long p1 waits for a beat of p0 before it stops.
    pub fn patience(self) -> &'static str {
        match (self.corrected, self.variant.expects_joins()) {
            (false, _) => "3*tmax - tmin",
            (true, false) => "2*tmax",
            (true, true) => "2*tmax + tmin",
        }
    }

    /// Whether a message can still be on its way when the next one of its kind is sent: never where due deliveries
    /// come first, nor if p0 stops whenever an answer is late.
    fn overlaps(self) -> bool {
        !self.corrected && (self.variant.expects_joins() || self.variant == HeartbeatVariant::Static)
    }

    /// What the system rests on beside the assumptions about its parameters.
    fn notes(self) -> Vec<String> {
        let mut notes = vec![
            "a message and its answer together take at most tmin; any message may be lost, any process may crash"
                .to_string(),
        ];
        notes.push(
            "a message that finds no room takes the place of another: that this never happens is `slots`"
                .to_string(),
        );
        if self.corrected {
            notes.push("of what falls on the same moment, due deliveries come before timeouts".to_string());
        }
        if self.variant == HeartbeatVariant::Static {
            notes.push(
                "for any number of participants: the others are what R3 of the same system says of each of them"
                    .to_string(),
            );
        }
        notes
    }
}

impl fmt::Display for HeartbeatForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.variant, if self.corrected { "corrected" } else { "original" })
    }
}

/// What is asked of a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::Display, strum::IntoStaticStr)]
pub enum HeartbeatQuestion {
    /// Whether there is always room for a message in the system, so that it leaves out no run.
    #[strum(to_string = "slots")]
    Slots,
    /// The first requirement: p0 does not go on for too long without a beat of p1.
    R1,
    /// The second: p1 does not stop while all is quiet.
    R2,
    /// The third: p0 does not stop while all is quiet.
    R3,
}

impl HeartbeatQuestion {
    /// All of them.
    pub const ALL: [HeartbeatQuestion; 4] =
        [HeartbeatQuestion::Slots, HeartbeatQuestion::R1, HeartbeatQuestion::R2, HeartbeatQuestion::R3];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
