//! What would repair a run that violates a property: the scenario is checked again with one setting changed at a time, and
//! the changes under which the property holds are told. What else could have happened in the run itself is told beside it.

use super::child::run;
use super::scenario::{PageScenario, PlannedScenario};
use super::searches::{plain, problem};
use crate::program::Program;
use serde_json::{Value, json};
use watchkeeper::{Bound, Simultaneous};
use watchkeeper_web::{Answered, FoundAlternatives, JobProgress, OpenedSpace, WebProblem};
use watchkeeper_world::{Channel, Delay, DeliveryOrder, Timing};

/// The most changes that are tried, and what each check may take.
const TRIED: usize = 32;
const LIMITS: [(&str, &str); 2] = [("timeout", "10s"), ("max-states", "3000000")];

/// One changed setting.
type Change = (String, String);

/// What else could have happened in a run, and what would repair it.
pub(super) fn alternatives(
    program: &Program,
    scenario: &PageScenario,
    space: &OpenedSpace,
    body: &Value,
    progress: &JobProgress,
) -> Answered {
    let FoundAlternatives { places, note } = space.alternatives(body, progress)?;
    let planned = scenario.planned(program).map_err(problem)?;
    let mut tried = TriedChanges::default();
    let changes = changes(&planned);
    let of = changes.len();
    for (at, (name, value)) in changes.into_iter().enumerate() {
        if progress.is_cancelled() {
            break;
        }
        let text = format!("change {} of {of}: {name} {value}", at + 1);
        progress.tell(text, Some(at as f64 / of as f64));
        tried.check(program, scenario, (name, value), progress)?;
    }
    let notes: Vec<String> = note.into_iter().chain(tried.note()).collect();
    Ok(json!({ "places": places, "settings": tried.holding, "note": notes.join(" ") }))
}

/// The changes that were tried, and how they came out.
#[derive(Default)]
struct TriedChanges {
    holding: Vec<Value>,
    violated: Vec<String>,
    unknown: Vec<String>,
}

impl TriedChanges {
    /// Checks the scenario with one change.
    fn check(
        &mut self,
        program: &Program,
        scenario: &PageScenario,
        (name, value): Change,
        progress: &JobProgress,
    ) -> Result<(), WebProblem> {
        let changed = scenario.with(&name, value.as_str());
        // What cannot be is no repair, and neither is what asks something else.
        if changed.planned(program).and_then(|planned| planned.opened()).is_err() {
            return Ok(());
        }
        let limited =
            LIMITS.iter().fold(changed.clone(), |scenario, (name, value)| scenario.with(name, *value));
        let end = run(&plain(limited.words("check")), &[("--json", "answer.json")], progress)?;
        let change = format!("{name} = {value}");
        match end.code {
            Some(0) => {
                let states = end.report.lines().next().and_then(|line| line.rsplit_once("all "));
                let states = states.map_or(String::new(), |(_, states)| format!(" in all {states}"));
                self.holding.push(json!({
                    "change": change,
                    "verdict": "holds",
                    "text": format!("it holds{states}."),
                    "settings": changed.json(),
                }));
            }
            Some(10..=13) => self.violated.push(change),
            _ => self.unknown.push(change),
        }
        Ok(())
    }

    fn note(&self) -> Option<String> {
        let told = |what: &str, list: &[String]| {
            (!list.is_empty()).then(|| format!("{what} with {}.", list.join(", ")))
        };
        let violated = told("It is still violated", &self.violated);
        let unknown = told("A limit ended the check", &self.unknown);
        let notes: Vec<String> = violated.into_iter().chain(unknown).collect();
        (!notes.is_empty()).then(|| notes.join(" "))
    }
}

/// The changes that are worth a try: a kinder network, fewer faults, kinder times, and the parameters of the protocol.
fn changes(planned: &PlannedScenario<'_>) -> Vec<Change> {
    let scenario = &planned.plan.scenario;
    let mut all: Vec<Change> = Vec::new();
    let mut add = |name: &str, value: String| all.push((name.to_string(), value));
    let channels = match scenario.network.channel() {
        Channel::Block(size) => vec![Channel::Drop(size), Channel::Block(size + 1), Channel::Block(size + 2)],
        Channel::Drop(size) | Channel::Report(size) => {
            vec![Channel::Block(size), Channel::Drop(size + 1), Channel::Drop(size + 2)]
        }
        Channel::Unbounded(_) => Vec::new(),
    };
    channels.into_iter().for_each(|channel| add("channel", channel.to_string()));
    if scenario.network.order != DeliveryOrder::Fifo {
        add("order", DeliveryOrder::Fifo.to_string());
    }
    let faults = &scenario.faults;
    let budgets = [
        ("loss", scenario.network.losses),
        ("duplicate", scenario.network.duplications),
        ("crashes", faults.crashes),
        ("recoveries", faults.recoveries),
    ];
    for (name, budget) in budgets.into_iter().filter(|(_, budget)| *budget > 0) {
        add(name, "0".to_string());
        if (2..8).contains(&budget) {
            add(name, (budget - 1).to_string());
        }
    }
    if faults.crash_loses {
        add("crash-loses", "false".to_string());
    }
    if let Some(timing) = scenario.time.timing() {
        kinder_times(&timing).into_iter().for_each(|(name, value)| add(name, value));
    }
    let params = &planned.entry.outline().params;
    for param in params {
        let text = planned.plan.params.text(param.name);
        kinder_values(text).into_iter().for_each(|value| add(param.name, value));
    }
    all.truncate(TRIED);
    all
}

fn kinder_times(timing: &Timing) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if timing.simultaneous != Simultaneous::DeliveriesFirst {
        all.push(("simultaneous", Simultaneous::DeliveriesFirst.to_string()));
    }
    match timing.delay {
        Delay::PerMessage(bound) => {
            let (least, most) = (bound.lo(), bound.hi());
            let less = most.and_then(|most| Bound::new(least, most.checked_sub(1)?));
            all.extend(less.map(|bound| ("delay", bound.to_string())));
        }
        Delay::RoundTrip(most) if most > 0 => all.push(("round-trip", (most - 1).to_string())),
        Delay::RoundTrip(_) => {}
    }
    if timing.speed > 1 {
        all.push(("speed", "1".to_string()));
    }
    if timing.before().is_some() {
        all.push(("synchrony", "always".to_string()));
    }
    all
}

/// Other values of a parameter: the other one of a switch, and of a number those beside it and its double.
fn kinder_values(text: &str) -> Vec<String> {
    match text {
        "false" => vec!["true".to_string()],
        "true" => vec!["false".to_string()],
        text => match text.parse::<u32>() {
            Ok(number) if number < 1 << 20 => {
                let mut values = vec![number + 1, number.saturating_mul(2)];
                values.extend(number.checked_sub(1).filter(|less| *less > 0));
                values.sort_unstable();
                values.dedup();
                values.retain(|value| *value != number);
                values.into_iter().map(|value| value.to_string()).collect()
            }
            _ => Vec::new(),
        },
    }
}
