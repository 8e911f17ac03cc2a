//! What a failure detector announces.

use crate::{Kind, Pack, Pid, Tone};

/// A change in what a detector thinks of a process. Charts draw it as such, and the properties of
/// detector classes speak of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum Suspicion {
    /// This process is now suspected to have crashed.
    #[kind("suspect")]
    Suspect(Pid),
    /// This process is no longer suspected.
    #[kind("stop suspecting", action = "trust")]
    Trust(Pid),
}

/// What an announcement of a process means to whoever runs a failure detector, whatever the protocol calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It now suspects this process.
    Suspects(Pid),
    /// It no longer suspects this process.
    Trusts(Pid),
    /// It has stopped of its own accord, because of what it has heard or not heard, and will never do
    /// anything again.
    Stops,
    /// None of these; whether it is good or bad news.
    Other(Tone),
}

impl Meaning {
    /// How a chart should colour such an announcement.
    pub const fn tone(self) -> Tone {
        match self {
            Meaning::Suspects(_) | Meaning::Stops => Tone::Alarm,
            Meaning::Trusts(_) => Tone::Relief,
            Meaning::Other(tone) => tone,
        }
    }
}

impl From<Suspicion> for Meaning {
    fn from(suspicion: Suspicion) -> Meaning {
        match suspicion {
            Suspicion::Suspect(p) => Meaning::Suspects(p),
            Suspicion::Trust(p) => Meaning::Trusts(p),
        }
    }
}
