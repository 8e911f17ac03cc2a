//! The abstract failure detector: one that announces whatever its class allows, so that what stands on it is
//! checked against every detector of that class at once. It pushes its changes: a process under it is told of each
//! ([`Input::Notice`](watchkeeper_core::Input::Notice)), one at a time, and never asks.
//!
//! # What it may do
//! At any moment it may suspect any process at any other, or end a suspicion, but for what its class forbids.
//! A perfect one may do nothing of its own accord, except for the mistakes that it is granted.
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
//! Strong accuracy: nobody is suspected before it has crashed. Such an oracle has settled when the run begins. Eventual
//! strong accuracy: from the moment on at which it settles no suspicion of a process that has not crashed begins, and
//! each that there is ends. Processes may crash after that, and are then detected.
//!
//! # Mistakes
//! A perfect oracle can be granted a number of mistakes: suspicions, of one process at one other, that begin before the
//! suspected has crashed. They begin whenever the adversary likes, and none lasts for ever unless the suspected crashes.
//! Where channels are reliable, that is what a network looks like that falls apart and heals: messages are late, and
//! those on the other side are suspected for a while. An eventually perfect oracle is granted any number. With a
//! limited number it would be the same as a perfect one, which makes its last mistake in every run and is perfect
//! from then on, so it is only written that way. It could still end a suspicion of someone who has crashed; but to
//! those alive that is the end of a mistake, the crash having come later.
//!
//! # As steps
//! `suspect` and `trust` are what it may do, and count as faults: nothing obliges them to happen. `settle`, and from
//! then on `detect` (the suspicion of a process that has crashed) and `relent` (the end of a suspicion of a process
//! that it leaves alone), are what it must do, for each process and peer by itself. A process that has crashed is told
//! nothing and suspects nobody. Where suspicions are momentary, a step that changes nothing is none.

use crate::{Scenario, SpecError, WorldError, WorldTime};
use std::fmt;
use std::str::FromStr;

pub(crate) mod state;

/// The most processes whose lasting suspicions a row can keep.
const MOST_LASTING: usize = 32;

/// An abstract failure detector, strongly complete. Written as its class, `P`, `<>P`, `S`, `<>S` or `none`, and behind
/// it `:mistakes=1` where a perfect one is granted that many, and `:momentary` where suspicions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Oracle {
    /// Whom it leaves alone.
    pub accuracy: OracleAccuracy,
    /// How long its suspicions last.
    pub memory: SuspicionMemory,
}

/// Whom an oracle leaves alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OracleAccuracy {
    /// Everyone who has not crashed: with completeness, class P.
    Strong {
        /// How many suspicions of processes that have not crashed may begin in a run all the same.
        mistakes: u32,
    },
    /// Everyone who has not crashed, from some moment on: class ◇P.
    EventuallyStrong,
    /// One correct process, from the start: with completeness, class S.
    Weak,
    /// One correct process, from some moment on: class ◇S.
    EventuallyWeak,
    /// Nobody.
    None,
}

impl OracleAccuracy {
    /// Whether it comes to leave everyone alone who has not crashed, and not just one process.
    pub fn is_strong(self) -> bool {
        matches!(self, OracleAccuracy::Strong { .. } | OracleAccuracy::EventuallyStrong)
    }

    /// How many mistakes are counted in a run; 0 where there are none, or any number of them.
    pub(crate) fn mistakes(self) -> u32 {
        if let OracleAccuracy::Strong { mistakes } = self { mistakes } else { 0 }
    }
}

/// How long the suspicions of an oracle last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuspicionMemory {
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
        if scenario.time != WorldTime::Untimed {
            return Err(WorldError::OracleTimed);
        }
        if scenario.faults.recoveries > 0 {
            return Err(WorldError::OracleRecovers);
        }
        if oracle.memory == SuspicionMemory::Lasting && scenario.n > MOST_LASTING {
            return Err(WorldError::OracleProcesses { n: scenario.n, most: MOST_LASTING });
        }
        if oracle.memory == SuspicionMemory::Momentary && oracle.accuracy.mistakes() > 0 {
            return Err(WorldError::OracleMistakes);
        }
        Ok(())
    }

    /// What a verdict rests on.
    pub(crate) fn sentences(self) -> Vec<String> {
        let mut sentences = self.on_accuracy();
        if self.memory == SuspicionMemory::Momentary {
            sentences.push(
                "a suspicion is momentary: a process is told of its end at once. For a protocol that looks at its \
                 detector only while it waits, and goes on as soon as the process waited for is suspected, that is as \
                 good as any; for others it leaves runs out"
                    .to_string(),
            );
        }
        sentences
    }

    fn on_accuracy(self) -> Vec<String> {
        let (class, whom) = match self.accuracy {
            OracleAccuracy::Strong { mistakes } => return perfect(mistakes),
            OracleAccuracy::EventuallyStrong => (
                "an oracle of class <>P",
                "but from the moment on at which it settles it suspects nobody anew who has not crashed, and whoever \
                 is suspected by then without having crashed is not for ever",
            ),
            OracleAccuracy::Weak => (
                "an oracle of class S",
                "but never one process that does not crash, which the adversary picks before the run",
            ),
            OracleAccuracy::EventuallyWeak => (
                "an oracle of class <>S",
                "but from the moment on at which it settles it leaves one process alone that does not crash any more, \
                 which the adversary picks then",
            ),
            OracleAccuracy::None => ("a complete oracle without accuracy", "and leaves nobody alone"),
        };
        vec![
            format!(
                "under the protocol there is {class}: it suspects any process at any other and stops suspecting it, \
                 whenever the adversary likes, {whom}"
            ),
            "the oracle settles at some moment, in every run and whenever the adversary likes: from then on whoever has \
             crashed comes to be suspected by everyone who has not, for ever"
                .to_string(),
        ]
    }

    /// This oracle with what a word behind its class says; `None` if it says nothing.
    fn with(self, word: &str) -> Option<Oracle> {
        match (word, self.accuracy) {
            ("momentary", _) => Some(Oracle { memory: SuspicionMemory::Momentary, ..self }),
            ("lasting", _) => Some(Oracle { memory: SuspicionMemory::Lasting, ..self }),
            (_, OracleAccuracy::Strong { .. }) => {
                let mistakes = word.strip_prefix("mistakes=")?.parse().ok()?;
                Some(Oracle { accuracy: OracleAccuracy::Strong { mistakes }, ..self })
            }
            _ => None,
        }
    }
}

/// What a verdict under a perfect oracle rests on.
fn perfect(mistakes: u32) -> Vec<String> {
    let mut sentences = vec![
        "under the protocol there is an oracle of class P: whoever has crashed comes to be suspected by everyone who has \
         not, for ever"
            .to_string(),
    ];
    let times = match mistakes {
        1 => "once".to_string(),
        many => format!("{many} times"),
    };
    sentences.push(match mistakes {
        0 => "the oracle makes no mistakes: nobody is suspected before it has crashed".to_string(),
        _ => format!(
            "the oracle makes mistakes: at most {times} in a run, whenever the adversary likes, one process begins to \
             suspect one other that has not crashed; that suspicion ends, unless the other crashes"
        ),
    });
    sentences
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accuracy {
            OracleAccuracy::Strong { mistakes: 0 } => f.write_str("P"),
            OracleAccuracy::Strong { mistakes } => write!(f, "P:mistakes={mistakes}"),
            OracleAccuracy::EventuallyStrong => f.write_str("<>P"),
            OracleAccuracy::Weak => f.write_str("S"),
            OracleAccuracy::EventuallyWeak => f.write_str("<>S"),
            OracleAccuracy::None => f.write_str("none"),
        }?;
        match self.memory {
            SuspicionMemory::Lasting => Ok(()),
            SuspicionMemory::Momentary => f.write_str(":momentary"),
        }
    }
}

impl FromStr for Oracle {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Oracle, SpecError> {
        let refused = || SpecError::Oracle(text.to_string());
        let mut words = text.split(':');
        let accuracy = match words.next() {
            Some("P" | "p") => OracleAccuracy::Strong { mistakes: 0 },
            Some("<>P" | "<>p" | "◇P") => OracleAccuracy::EventuallyStrong,
            Some("S" | "s") => OracleAccuracy::Weak,
            Some("<>S" | "<>s" | "◇S") => OracleAccuracy::EventuallyWeak,
            Some("none") => OracleAccuracy::None,
            _ => return Err(refused()),
        };
        let mut oracle = Oracle { accuracy, memory: SuspicionMemory::Lasting };
        let mut said = Vec::new();
        for word in words {
            let about = word.starts_with("mistakes=");
            if said.contains(&about) {
                return Err(refused());
            }
            if about && accuracy == OracleAccuracy::EventuallyStrong {
                return Err(SpecError::OracleMistakes(text.to_string()));
            }
            oracle = oracle.with(word).ok_or_else(refused)?;
            said.push(about);
        }
        Ok(oracle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracles_are_written_as_they_are_read() {
        for text in ["P", "<>P", "S", "<>S", "none"] {
            for text in [text.to_string(), format!("{text}:momentary")] {
                assert_eq!(text.parse::<Oracle>().map(|oracle| oracle.to_string()), Ok(text));
            }
        }
        for text in ["P:mistakes=1", "P:mistakes=12", "P:mistakes=1:momentary"] {
            assert_eq!(text.parse::<Oracle>().map(|oracle| oracle.to_string()).as_deref(), Ok(text));
        }
        let oracle = |text: &str| text.parse::<Oracle>();
        assert_eq!(oracle("P:mistakes=0"), oracle("P"));
        assert_eq!(oracle("P:lasting:mistakes=2"), oracle("P:mistakes=2"));
    }

    #[test]
    fn what_is_no_oracle_is_refused() {
        for text in [
            "Q",
            "",
            "S:",
            "S:for-ever",
            "momentary",
            "P:mistakes",
            "P:mistakes=",
            "P:mistakes=-1",
            "P:mistakes=any",
            "P:mistakes=1:mistakes=2",
            "P:lasting:momentary",
            "S:mistakes=1",
            "none:mistakes=1",
        ] {
            let why = text.parse::<Oracle>().unwrap_err().to_string();
            assert!(
                why.starts_with(&format!("`{text}` is not an oracle: write P, <>P, S, <>S or none")),
                "{why}"
            );
        }
        let why = "<>P:mistakes=3".parse::<Oracle>().unwrap_err().to_string();
        assert!(why.ends_with("write P:mistakes=3, or <>P for any number of them"), "{why}");
    }
}
