//! What is claimed of all infinite runs, as each checker reads it, and what must come out.

use std::fmt;

/// Whoever process i suspects of a crash again and again, it suspects for ever from some time on: here of
/// process 1, which has crashed. No fairness is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The process that suspects, or does not.
    pub process: u8,
    /// Whether it holds. Process 0 suspects process 1 first and never hears from it again. Process 2 suspects
    /// process 1 only after process 0, and forgets both when it hears from process 0.
    pub holds: bool,
}

impl Claim {
    /// The one that needs the whole space.
    pub const SETTLES: Claim = Claim { process: 0, holds: true };

    /// The one with a counterexample.
    pub const WAVERS: Claim = Claim { process: 2, holds: false };

    /// The claim about a process, if there is one.
    pub fn of(process: &str) -> Option<Claim> {
        [Claim::SETTLES, Claim::WAVERS].into_iter().find(|claim| claim.name() == process)
    }

    /// The name of its process.
    pub fn name(&self) -> String {
        format!("p{}", self.process)
    }

    /// As this project reads it.
    pub fn formula(&self) -> String {
        let suspects = format!("suspects({},p1)", self.name());
        format!("G F {suspects} -> F G {suspects}")
    }

    /// What Spin's model is told.
    pub fn setting(&self) -> String {
        format!("-DWAVERS={}", self.process)
    }

    /// The verdict that it must get, in one word.
    pub fn verdict(&self) -> &'static str {
        verdict(self.holds)
    }
}

/// The word for it.
pub fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "violated" }
}

/// A run that breaks a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The steps before the loop.
    pub stem: u64,
    /// The steps of the loop.
    pub lap: u64,
}

impl fmt::Display for Lasso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {}", self.stem, self.lap)
    }
}
