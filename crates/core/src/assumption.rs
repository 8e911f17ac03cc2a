//! What a verdict about a protocol may rest on, of all that a running node can measure. It names, and measures nothing.

use std::fmt;

/// One thing that a verdict may rest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assumption {
    /// A message takes at most so long.
    Delay,
    /// A message and the answer to it take at most so long together.
    RoundTrip,
    /// No message is lost.
    Loss,
    /// The node takes its steps when they are due.
    Speed,
    /// Delays and losses come from the distribution that parameters were chosen for.
    Network,
}

impl Assumption {
    /// All of them.
    pub const ALL: [Assumption; 5] =
        [Assumption::Delay, Assumption::RoundTrip, Assumption::Loss, Assumption::Speed, Assumption::Network];

    /// Its name in metrics, logs and configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Assumption::Delay => "delay",
            Assumption::RoundTrip => "round-trip",
            Assumption::Loss => "loss",
            Assumption::Speed => "speed",
            Assumption::Network => "network",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
