//! What can be asked of a protocol, and which infinite runs count. Both are values; the words for them are the same
//! everywhere.

use crate::quantities::ProcessName;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::Pid;
use watchkeeper_logic::FairnessStrength;
use watchkeeper_world::MAX_DURATION;

/// The most that a property can count to.
const MOST_TIMES: u32 = 10_000;

/// One thing that can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertySpec {
    /// No deadlock.
    Deadlock,
    /// `watcher` never gives up suspecting `crashed` this often after its crash.
    Oscillation {
        /// How often, from 1 on.
        times: u32,
        /// Who suspects.
        watcher: Pid,
        /// Who has crashed.
        crashed: Pid,
    },
    /// Crashes are found out within this time; or the second of these processes by the first.
    Detection {
        /// The time.
        within: u32,
        /// The two, if it is about two.
        pair: Option<(Pid, Pid)>,
    },
    /// Nobody is suspected wrongly; or this process is not.
    Accuracy {
        /// The process, if it is about one.
        of: Option<Pid>,
    },
    /// No process suspects another one wrongly more than so many times.
    Mistakes {
        /// How many times.
        most: u32,
    },
    /// A property of the network or the protocol.
    Named(String),
    /// A claim about infinite runs, as it is written.
    Formula(String),
}

impl FromStr for PropertySpec {
    type Err = String;

    fn from_str(text: &str) -> Result<PropertySpec, String> {
        if text == "deadlock" {
            return Ok(PropertySpec::Deadlock);
        }
        let mut words = text.split(':');
        match words.next() {
            Some("oscillation") => {}
            Some("detection") => return detection(text, words),
            Some("accuracy") => return accuracy(text, words),
            Some("mistakes") => return mistakes(text, words),
            _ => return Ok(PropertySpec::Named(text.to_string())),
        }
        let wrong = || {
            format!(
                "`{text}` is not an oscillation property; write oscillation:K, or oscillation:K:pX:pY for \
                 pX suspecting pY, with K from 1 on"
            )
        };
        let times = words.next().and_then(|word| word.parse().ok()).filter(|k| (1..=MOST_TIMES).contains(k));
        let mut process = |default: usize| match words.next() {
            None => Ok(Pid::at(default)),
            Some(word) => word.parse::<ProcessName>().map(|ProcessName(p)| p).map_err(|_| wrong()),
        };
        let (watcher, crashed) = (process(0)?, process(1)?);
        if words.next().is_some() || watcher == crashed {
            return Err(wrong());
        }
        Ok(PropertySpec::Oscillation { times: times.ok_or_else(wrong)?, watcher, crashed })
    }
}

/// What is asked by `detection:B` and `detection:B:pX:pY`.
fn detection<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> Result<PropertySpec, String> {
    let wrong = || {
        format!(
            "`{text}` is not a detection property; write detection:B, or detection:B:pX:pY for pX finding out \
             about pY, with B up to {MAX_DURATION}"
        )
    };
    let within: Option<u32> = words.next().and_then(|word| word.parse().ok());
    let mut process =
        || words.next().map(|word| word.parse::<ProcessName>().map_err(|_| wrong())).transpose();
    let pair = match (process()?, process()?) {
        (None, None) => None,
        (Some(ProcessName(by)), Some(ProcessName(of))) if by != of => Some((by, of)),
        _ => return Err(wrong()),
    };
    match within.filter(|within| *within <= MAX_DURATION && words.next().is_none()) {
        Some(within) => Ok(PropertySpec::Detection { within, pair }),
        None => Err(wrong()),
    }
}

/// What is asked by `accuracy` and `accuracy:pY`.
fn accuracy<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> Result<PropertySpec, String> {
    let wrong = || {
        format!("`{text}` is not an accuracy property; write accuracy, or accuracy:pY for suspicions of pY")
    };
    let of = words.next().map(|word| word.parse::<ProcessName>().map_err(|_| wrong())).transpose()?;
    match words.next() {
        None => Ok(PropertySpec::Accuracy { of: of.map(|ProcessName(of)| of) }),
        Some(_) => Err(wrong()),
    }
}

/// What is asked by `mistakes:K`.
fn mistakes<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> Result<PropertySpec, String> {
    let most = words.next().and_then(|word| word.parse().ok()).filter(|most| *most <= MOST_TIMES);
    match (most, words.next()) {
        (Some(most), None) => Ok(PropertySpec::Mistakes { most }),
        _ => Err(format!(
            "`{text}` does not say how many mistakes are allowed; write mistakes:K, with K from 0 to {MOST_TIMES}"
        )),
    }
}

impl fmt::Display for PropertySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropertySpec::Deadlock => f.write_str("deadlock"),
            PropertySpec::Oscillation { times, watcher, crashed } => {
                write!(f, "oscillation:{times}:{watcher}:{crashed}")
            }
            PropertySpec::Detection { within, pair: None } => write!(f, "detection:{within}"),
            PropertySpec::Detection { within, pair: Some((by, of)) } => {
                write!(f, "detection:{within}:{by}:{of}")
            }
            PropertySpec::Accuracy { of: None } => f.write_str("accuracy"),
            PropertySpec::Accuracy { of: Some(of) } => write!(f, "accuracy:{of}"),
            PropertySpec::Mistakes { most } => write!(f, "mistakes:{most}"),
            PropertySpec::Named(name) | PropertySpec::Formula(name) => f.write_str(name),
        }
    }
}

impl From<&str> for PropertySpec {
    /// The property of this name; one that nobody knows is refused when it is asked.
    fn from(text: &str) -> PropertySpec {
        text.parse().unwrap_or_else(|_| PropertySpec::Named(text.to_string()))
    }
}

/// A rule that says which infinite runs count.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FairnessRule {
    /// No rule at all.
    None,
    /// Every step that stays possible is taken.
    Steps,
    /// A process that can keep taking steps does.
    Processes,
    /// A timer that stays armed fires.
    Timers,
    /// Every message is delivered, or its receiver crashes.
    Messages,
    /// Of a kind of message that is sent again and again, some are delivered.
    Links,
    /// A message, a timer or a class of actions of this name is taken.
    Class {
        /// If it stays possible, or if it is possible again and again.
        strength: FairnessStrength,
        /// The name.
        name: String,
        /// Whose.
        of: Option<Pid>,
    },
}

impl FairnessRule {
    /// The rules that stand for whole families, by their names.
    pub const FAMILIES: [(&'static str, FairnessRule); 6] = [
        ("none", FairnessRule::None),
        ("steps", FairnessRule::Steps),
        ("processes", FairnessRule::Processes),
        ("timers", FairnessRule::Timers),
        ("messages", FairnessRule::Messages),
        ("links", FairnessRule::Links),
    ];

    /// Weak fairness of whatever has this name.
    pub fn weak(name: impl Into<String>) -> FairnessRule {
        FairnessRule::Class { strength: FairnessStrength::Weak, name: name.into(), of: None }
    }

    /// Strong fairness of whatever has this name.
    pub fn strong(name: impl Into<String>) -> FairnessRule {
        FairnessRule::Class { strength: FairnessStrength::Strong, name: name.into(), of: None }
    }
}

impl fmt::Display for FairnessRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FairnessRule::Class { strength, name, of } = self else {
            let known = FairnessRule::FAMILIES.iter().find(|(_, family)| family == self);
            return f.write_str(known.map_or("", |(name, _)| name));
        };
        let word = if *strength == FairnessStrength::Strong { "strong" } else { "weak" };
        write!(f, "{word}:{name}")?;
        of.map_or(Ok(()), |of| write!(f, "@{of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_written_as_they_are_read() {
        for text in ["mistakes:0", "mistakes:2", "mistakes:10000"] {
            assert_eq!(text.parse::<PropertySpec>().map(|asked| asked.to_string()).as_deref(), Ok(text));
        }
        assert_eq!(PropertySpec::from("mistakes:2"), PropertySpec::Mistakes { most: 2 });
        for text in
            ["mistakes", "mistakes:", "mistakes:-1", "mistakes:few", "mistakes:10001", "mistakes:1:p0"]
        {
            let why = text.parse::<PropertySpec>().unwrap_err();
            let told = "does not say how many mistakes are allowed; write mistakes:K, with K from 0 to 10000";
            assert_eq!(why, format!("`{text}` {told}"));
        }
    }
}
