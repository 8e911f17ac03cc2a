//! What nodes have taken down of themselves, read while they still run. This is a reader of its own: it shares
//! nothing with the one that `replay` has.

use super::models::Model;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use watchkeeper_core::{Suspicion, unpacked};
use watchkeeper_protocols::consensus::ConsensusOutput;
use watchkeeper_protocols::membership::GroupOutput;
use watchkeeper_protocols::stack::Layer;

/// The recordings of a cluster, by process and incarnation.
#[derive(Debug, Default)]
pub struct Recordings(pub Vec<Incarnation>);

/// One incarnation of a node.
#[derive(Debug)]
pub struct Incarnation {
    pub path: PathBuf,
    pub process: usize,
    pub number: u64,
    pub steps: Vec<Step>,
}

/// One line.
#[derive(Debug)]
pub struct Step {
    /// When, in nanoseconds of the clock that all processes of a machine share.
    pub at: u64,
    pub what: What,
    /// To whom it sent, and the number of the message.
    sends: Vec<(usize, Option<u64>)>,
    said: Vec<Said>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    Start,
    Receive { from: usize, incarnation: u64, number: u64 },
    Fire { due: u64 },
    Call,
    Stall { lasted: u64 },
    End,
}

/// What a node announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    Suspects(usize),
    Trusts(usize),
    Stops,
    Decides(u64),
    Refuses(u64),
}

impl Recordings {
    /// What there is in a directory by now.
    pub fn read(dir: &Path) -> Recordings {
        let entries = std::fs::read_dir(dir).expect("the directory").flatten();
        let paths = entries.map(|entry| entry.path());
        let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"));
        let mut incarnations: Vec<Incarnation> = paths.filter_map(|path| Incarnation::read(&path)).collect();
        incarnations.sort_by_key(|incarnation| (incarnation.process, incarnation.number));
        Recordings(incarnations)
    }

    /// All announcements: when, of whom, what; first to last.
    pub fn said(&self) -> Vec<(u64, usize, Said)> {
        let mut all = Vec::new();
        for incarnation in &self.0 {
            for step in &incarnation.steps {
                all.extend(step.said.iter().map(|said| (step.at, incarnation.process, *said)));
            }
        }
        all.sort();
        all
    }

    /// When a process last announced this.
    pub fn when(&self, by: usize, what: Said) -> Option<u64> {
        self.said().iter().rev().find(|(_, who, said)| (*who, *said) == (by, what)).map(|(at, ..)| *at)
    }

    /// Whom the last incarnation of a process suspects.
    pub fn suspects(&self, process: usize) -> BTreeSet<usize> {
        let mut suspects = BTreeSet::new();
        let Some(incarnation) = self.last_incarnation(process) else { return suspects };
        for said in incarnation.steps.iter().flat_map(|step| &step.said) {
            match said {
                Said::Suspects(p) => suspects.insert(*p),
                Said::Trusts(p) => suspects.remove(p),
                Said::Stops | Said::Decides(_) | Said::Refuses(_) => false,
            };
        }
        suspects
    }

    /// Whether the last incarnation of a process has stopped of its own accord.
    pub fn has_stopped(&self, process: usize) -> bool {
        let incarnation = self.last_incarnation(process);
        incarnation
            .is_some_and(|incarnation| incarnation.steps.iter().any(|step| step.said.contains(&Said::Stops)))
    }

    /// When a process took its last step.
    pub fn last_step(&self, process: usize) -> Option<u64> {
        self.last_incarnation(process)?.steps.last().map(|step| step.at)
    }

    pub fn last_incarnation(&self, process: usize) -> Option<&Incarnation> {
        self.0.iter().rev().find(|incarnation| incarnation.process == process)
    }

    /// What a process has decided, and how long after it began.
    pub fn decision(&self, process: usize) -> Option<(u64, Duration)> {
        let incarnation = self.last_incarnation(process)?;
        let began = incarnation.steps.first()?.at;
        incarnation.steps.iter().find_map(|step| {
            let value = step.said.iter().find_map(|said| match said {
                Said::Decides(value) => Some(*value),
                _ => None,
            })?;
            Some((value, Duration::from_nanos(step.at - began)))
        })
    }

    /// How long after the first process the last one began.
    pub fn starts_apart(&self) -> Duration {
        let starts = || self.0.iter().filter_map(|incarnation| incarnation.steps.first()).map(|step| step.at);
        Duration::from_nanos(starts().max().unwrap_or(0) - starts().min().unwrap_or(0))
    }

    /// How many incarnations of a process have begun.
    pub fn incarnations(&self, process: usize) -> usize {
        self.0
            .iter()
            .filter(|incarnation| incarnation.process == process && !incarnation.steps.is_empty())
            .count()
    }

    /// The first thing in a span of time that the verdict of the checker does not cover: a message that took
    /// too long, or a node that was too late. Then what the checker proved need not be true.
    pub fn broken(&self, model: &Model, from: u64, to: u64) -> Option<String> {
        let mut sent = BTreeMap::new();
        for incarnation in &self.0 {
            for step in &incarnation.steps {
                for (to, number) in &step.sends {
                    sent.insert((incarnation.process, incarnation.number, *to, *number), step.at);
                }
            }
        }
        let most = (model.tick * model.delay).as_nanos() as u64;
        let late = model.tick.as_nanos() as u64 / 2;
        let ms = |ns: u64| ns / 1_000_000;
        for incarnation in &self.0 {
            let me = incarnation.process;
            for step in incarnation.steps.iter().filter(|step| (from..=to).contains(&step.at)) {
                match step.what {
                    What::Receive { from, incarnation, number } => {
                        let took = sent
                            .get(&(from, incarnation, me, Some(number)))
                            .map(|at| step.at.saturating_sub(*at));
                        if let Some(took) = took.filter(|took| *took > most) {
                            return Some(format!("a message from p{from} to p{me} took {} ms", ms(took)));
                        }
                    }
                    What::Fire { due } if step.at > due + late => {
                        return Some(format!("p{me} was late by {} ms", ms(step.at - due)));
                    }
                    What::Stall { lasted } => {
                        return Some(format!("p{me} was stalled for {} ms", ms(lasted)));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The stalls that a process has taken down.
    pub fn stalls(&self, process: usize) -> Vec<Duration> {
        let steps = self
            .0
            .iter()
            .filter(|incarnation| incarnation.process == process)
            .flat_map(|incarnation| &incarnation.steps);
        let lasted = steps.filter_map(|step| match step.what {
            What::Stall { lasted } => Some(Duration::from_nanos(lasted)),
            _ => None,
        });
        lasted.collect()
    }
}

impl Incarnation {
    /// A file; `None` as long as its first line is not written.
    fn read(path: &Path) -> Option<Incarnation> {
        let text = std::fs::read_to_string(path).ok()?;
        // The last line may be on its way.
        let whole = &text[..text.rfind('\n')? + 1];
        let mut lines =
            whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        let head = lines.next()?;
        let speech = match head["protocol"].as_str()? {
            "consensus-live" => Speech::Decisions,
            "membership-live" => Speech::Words,
            ring if ring.starts_with("ring") => Speech::Suspicions,
            _ => Speech::Stops,
        };
        let number = head["incarnation"].as_str()?.parse().ok()?;
        let process = head["process"].as_u64()? as usize;
        let steps = lines.map(|line| Step::of(&line, speech).expect("a line of a recording")).collect();
        Some(Incarnation { path: path.to_path_buf(), process, number, steps })
    }
}

/// What a protocol announces.
#[derive(Clone, Copy)]
enum Speech {
    Suspicions,
    /// One thing only, as the heartbeat protocols.
    Stops,
    /// Decisions, and the suspicions of the detector below.
    Decisions,
    /// What a group hears, which is read elsewhere, and the suspicions of the detector below.
    Words,
}

impl Step {
    fn of(line: &Value, speech: Speech) -> Option<Step> {
        let at = line["at"].as_u64()?;
        let what = match line["in"].as_str() {
            Some("start") => What::Start,
            Some("receive") => What::Receive {
                from: line["from"].as_u64()? as usize,
                incarnation: line["incarnation"].as_str()?.parse().ok()?,
                number: line["number"].as_u64()?,
            },
            Some("fire") => What::Fire { due: line["due"].as_u64()? },
            Some("call") => What::Call,
            _ if line.get("stall").is_some() => What::Stall { lasted: line["stall"].as_u64()? },
            _ => What::End,
        };
        let list = |name: &str| line[name].as_array().cloned().unwrap_or_default();
        let send = |send: &Value| (send["to"].as_u64().expect("to") as usize, send["number"].as_u64());
        let sends = list("sends").iter().map(send).collect();
        let said =
            list("outputs").into_iter().filter_map(|output| said(output.as_str().expect("hex"), speech));
        let said = said.collect();
        Some(Step { at, what, sends, said })
    }
}

/// What a packed announcement says.
fn said(hex: &str, speech: Speech) -> Option<Said> {
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect();
    let suspicion = match speech {
        Speech::Stops => return Some(Said::Stops),
        Speech::Suspicions => unpacked::<Suspicion>(&bytes).expect("a suspicion"),
        Speech::Decisions => match unpacked(&bytes).expect("an announcement of one of the layers") {
            Layer::Above(ConsensusOutput::Decide(value)) => return Some(Said::Decides(value)),
            Layer::Above(ConsensusOutput::Refuse(value)) => return Some(Said::Refuses(value)),
            Layer::Below(suspicion) => suspicion,
        },
        Speech::Words => match unpacked::<Layer<GroupOutput, Suspicion>>(&bytes).expect("an announcement") {
            Layer::Above(_) => return None,
            Layer::Below(suspicion) => suspicion,
        },
    };
    Some(match suspicion {
        Suspicion::Suspect(p) => Said::Suspects(p.index()),
        Suspicion::Trust(p) => Said::Trusts(p.index()),
    })
}
