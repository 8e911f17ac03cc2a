//! What to check: the scenario and the question, as values, once all sources of settings have spoken.

use crate::command_line::CommandLine;
use crate::problem::Problem;
use crate::settings::{Given, Settings};
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};
use watchkeeper_world::{Channel, Faults, Lanes, Network, Scenario, WhenFull};

/// The cap of `unbounded` channels where nobody says it.
const CAP: u32 = 8;

/// The property that asks whether no message found its channel full.
pub(crate) const WITHIN_CAPACITY: &str = "within-capacity";

/// The scenario, and what to ask of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) scenario: Scenario,
    pub(crate) asked: Vec<Asked>,
    /// Who gave the properties, to be named if there is no such property.
    pub(crate) asked_by: Option<Given>,
}

/// One property, by its name on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// No deadlock.
    Deadlock,
    /// `watcher` never gives up suspecting `crashed` this often after its crash.
    Oscillation { times: u32, watcher: Pid, crashed: Pid },
    /// A property of the network or the protocol.
    Named(String),
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        if text == "deadlock" {
            return Ok(Asked::Deadlock);
        }
        let mut words = text.split(':');
        if words.next() != Some("oscillation") {
            return Ok(Asked::Named(text.to_string()));
        }
        let wrong = || {
            format!(
                "`{text}` is not an oscillation property; write oscillation:K, or oscillation:K:pX:pY for \
                 pX suspecting pY, with K from 1 on"
            )
        };
        let times = words.next().and_then(|word| word.parse().ok()).filter(|k| (1..=10_000).contains(k));
        let mut process = |default: usize| match words.next() {
            None => Ok(Pid::at(default)),
            Some(word) => word.parse::<Process>().map(|Process(p)| p).map_err(|_| wrong()),
        };
        let (watcher, crashed) = (process(0)?, process(1)?);
        if words.next().is_some() || watcher == crashed {
            return Err(wrong());
        }
        Ok(Asked::Oscillation { times: times.ok_or_else(wrong)?, watcher, crashed })
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Deadlock => f.write_str("deadlock"),
            Asked::Oscillation { times, watcher, crashed } => {
                write!(f, "oscillation:{times}:{watcher}:{crashed}")
            }
            Asked::Named(name) => f.write_str(name),
        }
    }
}

/// A process as users write it: `p2`, or only its number.
struct Process(Pid);

impl FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> Result<Process, String> {
        let number = text.strip_prefix('p').unwrap_or(text).parse().ok();
        let wrong = || format!("`{text}` is not a process; write p0, p1 and so on");
        number.and_then(Pid::new).map(Process).ok_or_else(wrong)
    }
}

impl Plan {
    /// What the settings ask for, of a protocol that usually has so many processes and these properties
    /// of its own.
    pub(crate) fn of(settings: &Settings, usual: usize, own: &[&str]) -> Result<Plan, Problem> {
        let n = processes(settings, usual)?;
        let network = network(settings)?;
        let mut asked = match settings.given("property") {
            None => {
                let own = own.iter().map(|name| Asked::Named(name.to_string()));
                [Asked::Deadlock].into_iter().chain(own).collect()
            }
            Some(given) => given.parsed_list()?,
        };
        let within = Asked::Named(WITHIN_CAPACITY.to_string());
        if network.when_full == WhenFull::Report && !asked.contains(&within) {
            asked.push(within);
        }
        let asked_by = settings.given("property").cloned();
        if let (true, Some(given)) = (asked.is_empty(), &asked_by) {
            return Err(given
                .refused("no property is named; leave it out to ask for all that the protocol should have"));
        }
        let time = watchkeeper_world::Time::Untimed;
        let scenario = Scenario { n, network, faults: faults(settings, n)?, time };
        Ok(Plan { scenario, asked, asked_by })
    }

    /// Adds the flags that say all this.
    pub(crate) fn add_to(&self, line: &mut CommandLine) {
        let Scenario { n, network, faults, .. } = &self.scenario;
        line.flag("n", n);
        line.flag("crashes", faults.crashes);
        if faults.crashes > 0 && faults.crashable != ProcSet::first(*n) {
            line.flag("crashable", list(faults.crashable));
        }
        if !faults.crashed_at_start.is_empty() {
            line.flag("crashed-at-start", list(faults.crashed_at_start));
        }
        line.flag("channel", network.channel());
        let usual = Network::default();
        if network.order != usual.order {
            line.flag("order", network.order);
        }
        if network.lanes != usual.lanes {
            line.flag("lanes", network.lanes);
        }
        if network.losses > 0 {
            line.flag("loss", network.losses);
        }
        if network.duplications > 0 {
            line.flag("duplicate", network.duplications);
        }
        let asked: Vec<String> = self.asked.iter().map(Asked::to_string).collect();
        line.flag("property", asked.join(","));
    }
}

fn processes(settings: &Settings, usual: usize) -> Result<usize, Problem> {
    let n = settings.number("n")?.unwrap_or(usual as u64);
    match (usize::try_from(n), settings.given("n")) {
        (Ok(n), _) if (2..=MAX_PROCESSES).contains(&n) => Ok(n),
        (_, given) => {
            let why = format!("{n} processes are not possible; choose from 2 to {MAX_PROCESSES}");
            Err(given.map_or_else(|| Problem::Usage(why.clone()), |given| given.refused(&why)))
        }
    }
}

fn network(settings: &Settings) -> Result<Network, Problem> {
    let mut network = Network::default();
    if let Some(given) = settings.given("channel") {
        let channel: Channel = match given.text.trim() {
            "unbounded" => format!("unbounded:{CAP}").parse().map_err(|why| given.refused(why))?,
            _ => given.parsed()?,
        };
        network = network.with_channel(channel);
    }
    network.order = settings.value("order")?.unwrap_or(network.order);
    network.lanes = match settings.given("lanes") {
        Some(given) if given.text == "pair" => Lanes::PerPair,
        Some(given) if given.text == "kind" => Lanes::PerKind,
        _ => settings.value("lanes")?.unwrap_or(network.lanes),
    };
    network.losses = small(settings, "loss")?.unwrap_or(0);
    network.duplications = small(settings, "duplicate")?.unwrap_or(0);
    Ok(network)
}

fn faults(settings: &Settings, n: usize) -> Result<Faults, Problem> {
    let named = set(settings, "crashable")?;
    let crashed_at_start = set(settings, "crashed-at-start")?.unwrap_or(ProcSet::EMPTY);
    let able = named.unwrap_or(ProcSet::first(n)).difference(crashed_at_start);
    let crashes = match (small(settings, "crashes")?, named) {
        (Some(crashes), _) => crashes,
        (None, Some(_)) => able.len() as u32,
        (None, None) => 0,
    };
    let crashable = if crashes == 0 { ProcSet::EMPTY } else { named.unwrap_or(ProcSet::first(n)) };
    Ok(Faults { crashable, crashes, crashed_at_start })
}

fn small(settings: &Settings, name: &'static str) -> Result<Option<u32>, Problem> {
    let Some(number) = settings.number(name)? else { return Ok(None) };
    let given = settings.given(name);
    let large = || given.map(|given| given.refused(format!("{number} is far too many")));
    u32::try_from(number)
        .map(Some)
        .map_err(|_| large().unwrap_or(Problem::Usage(format!("{name} is too large"))))
}

fn set(settings: &Settings, name: &'static str) -> Result<Option<ProcSet>, Problem> {
    let Some(given) = settings.given(name) else { return Ok(None) };
    let members = given.parsed_list::<Process>()?;
    Ok(Some(members.into_iter().map(|Process(p)| p).collect()))
}

fn list(set: ProcSet) -> String {
    set.iter().map(|p| p.to_string()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
