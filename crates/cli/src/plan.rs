//! What to check: the scenario and the question, as values, once all sources of settings have spoken.

use crate::command_line::CommandLine;
use crate::interleaving::Interleaving;
use crate::oracle;
use crate::problem::Problem;
use crate::settings::{Given, Settings};
use crate::timing;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_world::{
    ANY_NUMBER, Capacity, Channel, Delay, Faults, Lanes, MAX_DURATION, Network, Order, Scenario, Time,
    WhenFull, unknown_bounds,
};

/// The cap of `unbounded` channels where nobody says it.
const CAP: u32 = 8;

/// The property that asks whether no message found its channel full.
pub(crate) const WITHIN_CAPACITY: &str = "within-capacity";

/// The property that asks whether time can always pass, or something can happen.
pub(crate) const TIME_LOCK: &str = "time-lock";

/// The scenario, and what to ask of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) scenario: Scenario,
    pub(crate) asked: Vec<Asked>,
    /// Who gave the properties, to be named if there is no such property.
    pub(crate) asked_by: Option<Given>,
    /// Who gave the formulas.
    pub(crate) claimed_by: Option<Given>,
    /// Which runs count, if somebody says.
    pub(crate) fairness: Option<Given>,
    /// Whether the bounds of the scenario are the largest of those of which the adversary picks.
    pub(crate) unknown: bool,
    /// Which orders of steps are searched.
    pub(crate) interleaving: Interleaving,
    /// What nobody had to say.
    pub(crate) usual: Usual,
}

/// One property, by its name on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// No deadlock.
    Deadlock,
    /// `watcher` never gives up suspecting `crashed` this often after its crash.
    Oscillation { times: u32, watcher: Pid, crashed: Pid },
    /// Crashes are found out within this time; or the second of these processes by the first.
    Detection { within: u32, pair: Option<(Pid, Pid)> },
    /// Nobody is suspected wrongly; or this process is not.
    Accuracy { of: Option<Pid> },
    /// A property of the network or the protocol.
    Named(String),
    /// A claim about infinite runs, as it is written.
    Formula(String),
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        if text == "deadlock" {
            return Ok(Asked::Deadlock);
        }
        let mut words = text.split(':');
        match words.next() {
            Some("oscillation") => {}
            Some("detection") => return detection(text, words),
            Some("accuracy") => return accuracy(text, words),
            _ => return Ok(Asked::Named(text.to_string())),
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

/// What is asked by `detection:B` and `detection:B:pX:pY`.
fn detection<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> Result<Asked, String> {
    let wrong = || {
        format!(
            "`{text}` is not a detection property; write detection:B, or detection:B:pX:pY for pX finding out \
             about pY, with B up to {MAX_DURATION}"
        )
    };
    let within: Option<u32> = words.next().and_then(|word| word.parse().ok());
    let mut process = || words.next().map(|word| word.parse::<Process>().map_err(|_| wrong())).transpose();
    let pair = match (process()?, process()?) {
        (None, None) => None,
        (Some(Process(by)), Some(Process(of))) if by != of => Some((by, of)),
        _ => return Err(wrong()),
    };
    match within.filter(|within| *within <= MAX_DURATION && words.next().is_none()) {
        Some(within) => Ok(Asked::Detection { within, pair }),
        None => Err(wrong()),
    }
}

/// What is asked by `accuracy` and `accuracy:pY`.
fn accuracy<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> Result<Asked, String> {
    let wrong = || {
        format!("`{text}` is not an accuracy property; write accuracy, or accuracy:pY for suspicions of pY")
    };
    let of = words.next().map(|word| word.parse::<Process>().map_err(|_| wrong())).transpose()?;
    match words.next() {
        None => Ok(Asked::Accuracy { of: of.map(|Process(of)| of) }),
        Some(_) => Err(wrong()),
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Deadlock => f.write_str("deadlock"),
            Asked::Oscillation { times, watcher, crashed } => {
                write!(f, "oscillation:{times}:{watcher}:{crashed}")
            }
            Asked::Detection { within, pair: None } => write!(f, "detection:{within}"),
            Asked::Detection { within, pair: Some((by, of)) } => write!(f, "detection:{within}:{by}:{of}"),
            Asked::Accuracy { of: None } => f.write_str("accuracy"),
            Asked::Accuracy { of: Some(of) } => write!(f, "accuracy:{of}"),
            Asked::Named(name) | Asked::Formula(name) => f.write_str(name),
        }
    }
}

/// A process as users write it: `p2`, or only its number.
#[derive(Debug)]
pub(crate) struct Process(pub(crate) Pid);

impl FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> Result<Process, String> {
        let number = text.strip_prefix('p').unwrap_or(text).parse().ok();
        let wrong = || format!("`{text}` is not a process; write p0, p1 and so on");
        number.and_then(Pid::new).map(Process).ok_or_else(wrong)
    }
}

/// What a protocol has where nobody says otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Usual {
    /// The number of `--n`, which need not be the number of processes.
    pub(crate) n: usize,
    pub(crate) scenario: Scenario,
    pub(crate) asked: Vec<Asked>,
}

impl Plan {
    /// What the settings ask for, of a protocol that usually has this.
    pub(crate) fn of(settings: &Settings, usual: Usual) -> Result<Plan, Problem> {
        let Scenario { n, .. } = usual.scenario;
        let network = network(settings, &usual.scenario.network)?;
        let claimed_by = settings.given("ltl").cloned();
        let mut asked = match (settings.given("property"), &claimed_by) {
            (None, None) => usual.asked.clone(),
            (None, Some(_)) => Vec::new(),
            (Some(given), _) => given.parsed_list()?,
        };
        let claims = claimed_by.iter().flat_map(|given| given.text.split(';').map(str::trim));
        asked.extend(claims.filter(|text| !text.is_empty()).map(|text| Asked::Formula(text.to_string())));
        let fairness = settings.given("fairness").cloned();
        let within = Asked::Named(WITHIN_CAPACITY.to_string());
        if network.when_full == WhenFull::Report && !asked.contains(&within) {
            asked.push(within);
        }
        let asked_by = settings.given("property").cloned();
        if let (true, Some(given)) = (asked.is_empty(), asked_by.as_ref().or(claimed_by.as_ref())) {
            return Err(given
                .refused("no property is named; leave it out to ask for all that the protocol should have"));
        }
        let faults = faults(settings, &usual.scenario.faults, n)?;
        let oscillates = |asked: &Asked| matches!(asked, Asked::Oscillation { .. });
        let given = settings.given("recoveries").or(asked_by.as_ref());
        if let (Some(given), true, true) = (given, faults.recoveries > 0, asked.iter().any(oscillates)) {
            return Err(
                given.refused("oscillation is about a process that stays crashed; leave one of the two out")
            );
        }
        let time = timing::time(settings, usual.scenario.time)?;
        let unknown = timing::unknown(settings)?;
        let timelock = Asked::Named(TIME_LOCK.to_string());
        if time != Time::Untimed && may_hold_up(&network) && !asked.contains(&timelock) {
            asked.push(timelock);
        }
        let oracle = oracle::oracle(settings, usual.scenario.oracle)?;
        if oracle.is_some() && faults.crashes as usize + faults.crashed_at_start.len() >= n {
            let names = ["crashes", "crashable", "crashed-at-start"];
            return Err(none_is_left(n, names.into_iter().find_map(|name| settings.given(name))));
        }
        let scenario = Scenario { n, network, faults, time, oracle };
        let interleaving = Interleaving::default();
        Ok(Plan { scenario, asked, asked_by, claimed_by, fairness, unknown, interleaving, usual })
    }

    /// Whether a reduction by symmetry may be made without being asked for, of a protocol that promises one:
    /// where a channel blocks or reports, the order in which a process sends to others shows.
    pub(crate) fn is_symmetric(&self, promised: bool) -> bool {
        let Network { capacity, when_full, .. } = self.scenario.network;
        promised && (matches!(capacity, Capacity::Unbounded { .. }) || when_full == WhenFull::Drop)
    }

    /// The scenarios of which the adversary picks one: more than one where bounds are unknown.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        if !self.unknown {
            return vec![self.scenario.clone()];
        }
        let Some(timing) = self.scenario.time.timing() else { return vec![self.scenario.clone()] };
        let delays = match timing.delay {
            Delay::PerMessage(bound) => {
                let most = bound.hi().unwrap_or(bound.lo());
                bound.lo().max(1).min(most)..=most
            }
            Delay::RoundTrip(most) => most.min(1)..=most,
        };
        unknown_bounds(&self.scenario, delays, 1..=timing.speed)
    }

    /// Adds the flags that say all this.
    pub(crate) fn add_to(&self, line: &mut CommandLine) {
        let Scenario { n, network, faults, time, .. } = &self.scenario;
        let usual = &self.usual.scenario;
        line.flag("n", self.usual.n);
        line.flag("crashes", faults.crashes);
        let able =
            if usual.faults.crashable.is_empty() { ProcSet::first(*n) } else { usual.faults.crashable };
        if !faults.mortal().is_empty() && faults.crashable != able {
            line.flag("crashable", list(faults.crashable));
        }
        if !faults.crashed_at_start.is_empty() {
            line.flag("crashed-at-start", list(faults.crashed_at_start));
        }
        match faults.recoveries {
            ANY_NUMBER => line.flag("recoveries", "any"),
            most if most > 0 || usual.faults.recoveries > 0 => line.flag("recoveries", most),
            _ => {}
        }
        if faults.crash_loses != usual.faults.crash_loses {
            line.switch(if faults.crash_loses { "crash-loses" } else { "crash-loses=false" });
        }
        oracle::add_to(line, self.scenario.oracle, usual.oracle);
        line.flag("channel", network.channel());
        if network.order != usual.network.order {
            line.flag("order", network.order);
        }
        if network.lanes != usual.network.lanes {
            line.flag("lanes", network.lanes);
        }
        for (name, most, usually) in [
            ("loss", network.losses, usual.network.losses),
            ("duplicate", network.duplications, usual.network.duplications),
        ] {
            match most {
                ANY_NUMBER => line.flag(name, "any"),
                _ if most > 0 || usually > 0 => line.flag(name, most),
                _ => {}
            }
        }
        timing::add_to(line, *time, usual.time);
        if self.unknown {
            line.flag("synchrony", "unknown");
        }
        let (claims, named): (Vec<_>, Vec<_>) =
            self.asked.iter().partition(|asked| matches!(asked, Asked::Formula(_)));
        let joined = |asked: &[&Asked], by: &str| {
            asked.iter().map(|asked| asked.to_string()).collect::<Vec<_>>().join(by)
        };
        if !named.is_empty() {
            line.flag("property", joined(&named, ","));
        }
        if !claims.is_empty() {
            line.flag("ltl", joined(&claims, "; "));
        }
        line.maybe("fairness", self.fairness.as_ref().map(|given| given.text.trim().to_string()));
        self.interleaving.add_to(line);
    }
}

/// The problem that a detector has nobody left to be right about.
fn none_is_left(n: usize, given: Option<&Given>) -> Problem {
    let why = format!(
        "all {n} processes may crash, and then nobody is left who could decide or be trusted; let at most {} crash, or \
         raise --n",
        n - 1
    );
    given.map_or(Problem::Usage(why.clone()), |given| given.refused(why))
}

/// Whether a message may have to wait for another, though its time has come: then time itself may have to
/// wait, and a check asks whether it can.
fn may_hold_up(network: &Network) -> bool {
    let blocks = matches!(network.capacity, Capacity::Bounded(_)) && network.when_full == WhenFull::Block;
    blocks || network.order == Order::Fifo
}

/// The number of `--n`, between the least and the most that there can be of what it counts.
pub(crate) fn size(
    settings: &Settings,
    usual: usize,
    (least, most): (usize, usize),
    counted: &str,
) -> Result<usize, Problem> {
    let n = settings.number("n")?.unwrap_or(usual as u64);
    match (usize::try_from(n), settings.given("n")) {
        (Ok(n), _) if (least..=most).contains(&n) => Ok(n),
        (_, given) => {
            let choice = if least == most {
                format!("there is {most}")
            } else {
                format!("choose from {least} to {most}")
            };
            let why = format!("{n} {counted} are not possible; {choice}");
            Err(given.map_or_else(|| Problem::Usage(why.clone()), |given| given.refused(&why)))
        }
    }
}

fn network(settings: &Settings, usual: &Network) -> Result<Network, Problem> {
    let mut network = usual.clone();
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
    network.losses = budget(settings, "loss")?.unwrap_or(network.losses);
    network.duplications = budget(settings, "duplicate")?.unwrap_or(network.duplications);
    Ok(network)
}

fn faults(settings: &Settings, usual: &Faults, n: usize) -> Result<Faults, Problem> {
    let named = set(settings, "crashable")?;
    let crashed_at_start = set(settings, "crashed-at-start")?.unwrap_or(usual.crashed_at_start);
    let all = if usual.crashable.is_empty() { ProcSet::first(n) } else { usual.crashable };
    let able = named.unwrap_or(all).difference(crashed_at_start);
    let crashes = match (small(settings, "crashes")?, named) {
        (Some(crashes), _) => crashes,
        (None, Some(_)) => able.len() as u32,
        (None, None) => usual.crashes.min(able.len() as u32),
    };
    let recoveries = budget(settings, "recoveries")?.unwrap_or(usual.recoveries);
    let crash_loses = settings.switch("crash-loses")?.unwrap_or(usual.crash_loses);
    let crashable = named.unwrap_or(all);
    let faults = Faults { crashable, crashes, crashed_at_start, recoveries, crash_loses };
    // Who may crash does not matter where nobody can: equal scenarios have equal faults.
    Ok(Faults { crashable: faults.mortal(), ..faults })
}

/// A number, or `any` for any number.
fn budget(settings: &Settings, name: &'static str) -> Result<Option<u32>, Problem> {
    match settings.given(name) {
        Some(given) if given.text.trim() == "any" => Ok(Some(ANY_NUMBER)),
        _ => small(settings, name),
    }
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
