//! The plan of a check: the scenario and the properties, made of the settings and of the defaults of a protocol. It
//! refuses settings that do not fit together.

use crate::interleaving::InterleavingPlan;
use crate::params::Params;
use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::{FairnessRule, PropertySpec};
use crate::settings::{OracleChoice, Settings, Sourced};
use crate::timing;
use watchkeeper_core::ProcSet;
use watchkeeper_logic::Verdict;
use watchkeeper_world::{
    Capacity, Delay, DeliveryOrder, Faults, Network, Oracle, Scenario, WhenFull, WorldTime, unknown_bounds,
};

/// The property that asks whether no message found its channel full.
pub const WITHIN_CAPACITY: &str = "within-capacity";

/// The property that asks whether time can always pass, or something can happen.
pub const TIME_LOCK: &str = "time-lock";

/// A protocol, its scenario, and the properties to check.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckPlan {
    /// The name of the protocol.
    pub name: &'static str,
    /// The processes, the network, the faults and the time.
    pub scenario: Scenario,
    /// The properties to check.
    pub asked: Vec<PropertySpec>,
    /// Who gave the properties, to be named if there is no such property.
    pub asked_by: Option<SettingOrigin>,
    /// Who gave the formulas.
    pub claimed_by: Option<SettingOrigin>,
    /// The fairness of infinite runs, if it is given.
    pub fairness: Option<Sourced<Vec<FairnessRule>>>,
    /// Whether the bounds of the scenario are the largest of those of which the adversary picks.
    pub unknown: bool,
    /// Which orders of steps are searched.
    pub interleaving: InterleavingPlan,
    /// How long after the first the last process may begin.
    pub stagger: u32,
    /// The parameters of the protocol.
    pub params: Params,
    /// What the protocol adds to its reports.
    pub report_options: ReportOptions,
    /// The defaults of the protocol.
    pub usual: ProtocolDefaults,
    /// The settings that it was made of.
    pub settings: Settings,
}

/// The defaults of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtocolDefaults {
    /// The number of what the protocol counts, which need not be the number of processes.
    pub n: usize,
    /// The processes, the network, the faults and the time.
    pub scenario: Scenario,
    /// The properties to check.
    pub asked: Vec<PropertySpec>,
}

/// What a protocol adds to its reports and searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportOptions {
    /// Whether a symmetry reduction is made where one is possible and nobody says otherwise.
    pub symmetric: bool,
    /// Classes of actions that this configuration does not have.
    pub absent: Vec<String>,
    /// What is outside of what is known of the protocol, each with the property that need not hold then.
    pub cautions: Vec<(&'static str, String)>,
}

impl ReportOptions {
    /// Takes out of a verdict what could not happen, so that nobody is warned that it did not.
    pub fn spare(&self, verdict: &mut Verdict) {
        verdict.coverage.retain(|class| class.count > 0 || !self.absent.contains(&class.name));
    }

    /// Warns of what is outside of what is known: on the verdict that it is about, or else on the first.
    pub fn warn(&self, verdicts: &mut [&mut Verdict]) {
        for (property, caution) in &self.cautions {
            let about = verdicts.iter().position(|verdict| verdict.property == *property);
            if let Some(verdict) = verdicts.get_mut(about.unwrap_or(0)) {
                verdict.warnings.push(caution.clone());
            }
        }
    }
}

impl CheckPlan {
    /// What the settings ask for, of a protocol that usually has this.
    pub fn of(settings: &Settings, usual: ProtocolDefaults) -> Result<CheckPlan, Problem> {
        let Scenario { n, .. } = usual.scenario;
        let network = network(settings, &usual.scenario.network);
        let (by_name, by_formula) = (&settings.property, &settings.ltl);
        let mut asked = match (by_name, by_formula) {
            (None, None) => usual.asked.clone(),
            (None, Some(_)) => Vec::new(),
            (Some(given), _) => given.value.clone(),
        };
        asked.extend(by_formula.iter().flat_map(|given| &given.value).cloned().map(PropertySpec::Formula));
        let within = PropertySpec::Named(WITHIN_CAPACITY.to_string());
        if network.when_full == WhenFull::Report && !asked.contains(&within) {
            asked.push(within);
        }
        let asked_by = by_name.as_ref().map(|given| given.origin.clone());
        let claimed_by = by_formula.as_ref().map(|given| given.origin.clone());
        if let (true, Some(origin)) = (asked.is_empty(), asked_by.as_ref().or(claimed_by.as_ref())) {
            let why = "no property is named; leave it out to ask for all that the protocol should have";
            return Err(origin.refused(why));
        }
        let faults = faults(settings, &usual.scenario.faults, n);
        let oscillates = |asked: &PropertySpec| matches!(asked, PropertySpec::Oscillation { .. });
        let recovers = settings.recoveries.as_ref().map(|given| &given.origin).or(asked_by.as_ref());
        if let (Some(origin), true, true) = (recovers, faults.recoveries > 0, asked.iter().any(oscillates)) {
            let why = "oscillation is about a process that stays crashed; leave one of the two out";
            return Err(origin.refused(why));
        }
        let time = timing::time(settings, usual.scenario.time)?;
        let timelock = PropertySpec::Named(TIME_LOCK.to_string());
        if time != WorldTime::Untimed && may_hold_up(&network) && !asked.contains(&timelock) {
            asked.push(timelock);
        }
        let oracle = oracle(&settings.oracle, usual.scenario.oracle)?;
        if oracle.is_some() && faults.crashes as usize + faults.crashed_at_start.len() >= n {
            return Err(none_is_left(n, settings));
        }
        Ok(CheckPlan {
            name: "",
            scenario: Scenario { n, network, faults, time, oracle },
            asked,
            asked_by,
            claimed_by,
            fairness: settings.fairness.clone(),
            unknown: timing::unknown(settings),
            interleaving: InterleavingPlan::default(),
            stagger: settings.stagger,
            params: Params::default(),
            report_options: ReportOptions::default(),
            usual,
            settings: settings.clone(),
        })
    }

    /// Whether a reduction by symmetry may be made without being asked for, of a protocol that promises one:
    /// where a channel blocks or reports, the order in which a process sends to others shows.
    pub fn is_symmetric(&self, promised: bool) -> bool {
        let Network { capacity, when_full, .. } = self.scenario.network;
        promised && (matches!(capacity, Capacity::Unbounded { .. }) || when_full == WhenFull::Drop)
    }

    /// The scenarios of which the adversary picks one: more than one where bounds are unknown.
    pub fn scenarios(&self) -> Vec<Scenario> {
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
}

/// The problem that a detector has nobody left to be right about.
fn none_is_left(n: usize, settings: &Settings) -> Problem {
    let why = format!(
        "all {n} processes may crash, and then nobody is left who could decide or be trusted; let at most {} crash, or \
         raise --n",
        n - 1
    );
    let crashes = settings.crashes.as_ref().map(|given| &given.origin);
    let named = [&settings.crashable, &settings.crashed_at_start];
    let origin = crashes.or_else(|| named.into_iter().flatten().map(|given| &given.origin).next());
    origin.map_or(Problem::Usage(why.clone()), |origin| origin.refused(why))
}

/// Whether a message may have to wait for another, though its time has come: then time itself may have to
/// wait, and a check asks whether it can.
fn may_hold_up(network: &Network) -> bool {
    let blocks = matches!(network.capacity, Capacity::Bounded(_)) && network.when_full == WhenFull::Block;
    blocks || network.order == DeliveryOrder::Fifo
}

/// The number of what a protocol counts, between the least and the most that there can be.
pub fn size(
    n: &Option<Sourced<usize>>,
    usual: usize,
    (least, most): (usize, usize),
    counted: &str,
) -> Result<usize, Problem> {
    let number = n.as_ref().map_or(usual, |given| given.value);
    match n {
        _ if (least..=most).contains(&number) => Ok(number),
        given => {
            let choice = if least == most {
                format!("there is {most}")
            } else {
                format!("choose from {least} to {most}")
            };
            let why = format!("{number} {counted} are not possible; {choice}");
            Err(given.as_ref().map_or_else(|| Problem::Usage(why.clone()), |given| given.refused(&why)))
        }
    }
}

/// The value that was given, or else the usual one.
fn or<T: Clone>(said: &Option<Sourced<T>>, usual: T) -> T {
    said.as_ref().map_or(usual, |given| given.value.clone())
}

pub(crate) fn network(settings: &Settings, usual: &Network) -> Network {
    let mut network = usual.clone();
    if let Some(Sourced { value, .. }) = &settings.channel {
        network = network.with_channel(*value);
    }
    network.order = or(&settings.order, network.order);
    network.lanes = or(&settings.lanes, network.lanes);
    network.losses = or(&settings.loss, network.losses);
    network.duplications = or(&settings.duplicate, network.duplications);
    network
}

pub(crate) fn faults(settings: &Settings, usual: &Faults, n: usize) -> Faults {
    let named = settings.crashable.as_ref().map(|given| given.value);
    let crashed_at_start = or(&settings.crashed_at_start, usual.crashed_at_start);
    let all = if usual.crashable.is_empty() { ProcSet::first(n) } else { usual.crashable };
    let able = named.unwrap_or(all).difference(crashed_at_start);
    let crashes = match (&settings.crashes, named) {
        (Some(crashes), _) => crashes.value,
        (None, Some(_)) => able.len() as u32,
        (None, None) => usual.crashes.min(able.len() as u32),
    };
    let recoveries = or(&settings.recoveries, usual.recoveries);
    let crash_loses = or(&settings.crash_loses, usual.crash_loses);
    let crashable = named.unwrap_or(all);
    let faults = Faults { crashable, crashes, crashed_at_start, recoveries, crash_loses };
    // Who may crash does not matter where nobody can: equal scenarios have equal faults.
    Faults { crashable: faults.mortal(), ..faults }
}

/// The oracle that was chosen, of a protocol that usually has this one. Whoever does not say how long its suspicions
/// last means those of the usual one.
fn oracle(said: &Option<Sourced<OracleChoice>>, usual: Option<Oracle>) -> Result<Option<Oracle>, Problem> {
    let Some(given) = said else { return Ok(usual) };
    let Some(usual) = usual else {
        return Err(given.refused(
            "this protocol is not told what a failure detector thinks, so there is nobody to listen to an oracle; \
             leave it out",
        ));
    };
    let OracleChoice { accuracy, memory } = given.value;
    Ok(Some(Oracle { accuracy, memory: memory.unwrap_or(usual.memory) }))
}
