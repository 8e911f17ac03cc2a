//! The abstract failure detector: one that announces whatever its class allows, so that what stands on it is
//! checked against every detector of that class at once. It pushes its changes: a process under it is told of each
//! ([`Input::Notice`](watchkeeper_core::Input::Notice)), one at a time, and never asks.
//!
//! # What it may do
//! At any moment it may suspect any process at any other, or end a suspicion, but for what its class forbids.
//!
//! # What it must do
//! Strong completeness: in the end whoever has crashed is suspected by all others for ever. As a step, the oracle
//! `settles` at a moment that the adversary picks and cannot put off for ever. From then on a suspicion of a
//! process that has crashed does not end, and none is put off for ever. A run in which completeness holds is one in which
//! the oracle settles when it does, and the other way round.
//!
//! Weak accuracy: one process that never crashes is never suspected. The adversary picks it before the run, one
//! initial state for each. Eventual weak accuracy: it is picked when the oracle settles, among those that are alive and
//! that nobody suspects then, and is not suspected and does not crash from then on.

use std::fmt;
use std::str::FromStr;

use crate::SpecError;

/// An abstract failure detector, strongly complete. Written as its class, `S`, `<>S` or `none`, and
/// `:momentary` behind it where suspicions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Oracle {
    /// Whom it leaves alone.
    pub accuracy: Accuracy,
    /// How long its suspicions last.
    pub memory: Memory,
}

/// Whom an oracle leaves alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accuracy {
    /// One correct process, from the start: with completeness, class S.
    Weak,
    /// One correct process, from some moment on: class ◇S.
    EventuallyWeak,
    /// Nobody.
    None,
}

/// How long the suspicions of an oracle last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Until it ends them, in a step of its own.
    Lasting,
    /// One step: the process is told of the suspicion and of its end at once. To a protocol that looks at its
    /// detector only while it waits for a process, and goes on as soon as that is suspected, this is as good as
    /// any other, and there are far fewer states. For other protocols it leaves runs out.
    Momentary,
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.accuracy {
            Accuracy::Weak => "S",
            Accuracy::EventuallyWeak => "<>S",
            Accuracy::None => "none",
        })?;
        match self.memory {
            Memory::Lasting => Ok(()),
            Memory::Momentary => f.write_str(":momentary"),
        }
    }
}

impl FromStr for Oracle {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Oracle, SpecError> {
        let (class, memory) = match text.split_once(':') {
            None => (text, Memory::Lasting),
            Some((class, "momentary")) => (class, Memory::Momentary),
            Some((class, "lasting")) => (class, Memory::Lasting),
            Some(_) => return Err(SpecError::Oracle(text.to_string())),
        };
        let accuracy = match class {
            "S" | "s" => Accuracy::Weak,
            "<>S" | "<>s" | "◇S" => Accuracy::EventuallyWeak,
            "none" => Accuracy::None,
            _ => return Err(SpecError::Oracle(text.to_string())),
        };
        Ok(Oracle { accuracy, memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracles_are_written_as_they_are_read() {
        for text in ["S", "<>S", "none", "S:momentary", "<>S:momentary", "none:momentary"] {
            assert_eq!(text.parse::<Oracle>().map(|oracle| oracle.to_string()).as_deref(), Ok(text));
        }
        for text in ["P", "", "S:", "S:for-ever", "momentary"] {
            let why = text.parse::<Oracle>().unwrap_err().to_string();
            assert!(why.starts_with(&format!("`{text}` is not an oracle: write S, <>S or none")), "{why}");
        }
    }
}
