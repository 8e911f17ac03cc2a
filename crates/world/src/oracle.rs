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
//! initial state for each. Eventual weak accuracy: it is picked when the oracle settles, among those that are alive;
//! from then on it does not crash and no suspicion of it begins, and one that there is ends, which cannot be put off
//! for ever either. Were it picked only among those whom nobody suspects then, a run could put off the settling for
//! ever by always suspecting everyone.
//!
//! # As steps
//! `suspect` and `trust` are what it may do, and count as faults: nothing obliges them to happen. `settle`, and from
//! then on `detect` (the suspicion of a process that has crashed) and `relent` (the end of a suspicion of the process
//! that it leaves alone), are what it must do, for each process and peer by itself. A process that has crashed is told
//! nothing and suspects nobody. Where suspicions are momentary, a step that changes nothing is none.

use crate::{Scenario, SpecError, Time, WorldError};
use std::fmt;
use std::str::FromStr;

pub(crate) mod stance;

/// The most processes whose lasting suspicions a row can keep.
const MOST_LASTING: usize = 32;

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

impl Oracle {
    /// An oracle is for worlds without time in which crashes are for ever.
    pub(crate) fn validate(scenario: &Scenario) -> Result<(), WorldError> {
        let Some(oracle) = scenario.oracle else { return Ok(()) };
        if scenario.time != Time::Untimed {
            return Err(WorldError::OracleTimed);
        }
        if scenario.faults.recoveries > 0 {
            return Err(WorldError::OracleRecovers);
        }
        if oracle.memory == Memory::Lasting && scenario.n > MOST_LASTING {
            return Err(WorldError::OracleProcesses { n: scenario.n, most: MOST_LASTING });
        }
        Ok(())
    }

    /// What a verdict rests on.
    pub(crate) fn sentences(self) -> Vec<String> {
        let (class, whom) = match self.accuracy {
            Accuracy::Weak => (
                "an oracle of class S",
                "but never one process that does not crash, which the adversary picks before the run",
            ),
            Accuracy::EventuallyWeak => (
                "an oracle of class <>S",
                "but from the moment on at which it settles it leaves one process alone that does not crash any more, \
                 which the adversary picks then",
            ),
            Accuracy::None => ("a complete oracle without accuracy", "and leaves nobody alone"),
        };
        let mut sentences = vec![
            format!(
                "under the protocol there is {class}: it suspects any process at any other and stops suspecting it, \
                 whenever the adversary likes, {whom}"
            ),
            "the oracle settles at some moment, in every run and whenever the adversary likes: from then on whoever has \
             crashed comes to be suspected by everyone who has not, for ever"
                .to_string(),
        ];
        if self.memory == Memory::Momentary {
            sentences.push(
                "a suspicion is momentary: a process is told of its end at once. For a protocol that looks at its \
                 detector only while it waits, and goes on as soon as the process waited for is suspected, that is as \
                 good as any; for others it leaves runs out"
                    .to_string(),
            );
        }
        sentences
    }
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
