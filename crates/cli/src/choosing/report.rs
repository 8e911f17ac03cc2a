//! The parameters that were chosen, or why there are none, for people and for machines.

use super::candidates::{Candidates, Judged, is_mostly_wrong};
use crate::measuring::{Measured, figure, time};
use serde_json::{Value, json as value};
use std::collections::BTreeMap;
use watchkeeper::choice::{ChoiceEnding, ParameterChoice, TargetMet};
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{TextTable, duration};
use watchkeeper_sim::Nanos;
use watchkeeper_sim::quality::Estimate;

/// The share of round trips that may take longer than the one that a node file names.
const SLOWER: f64 = 0.01;

/// How many rows of what was tried are shown: the last are the nearest to the answer.
const ROWS: usize = 12;

/// What came of a choice.
pub(crate) struct ChoiceReport<'a> {
    pub(crate) candidates: &'a Candidates<'a>,
    pub(crate) choice: ParameterChoice,
    /// What was measured of each candidate, by period and patience.
    pub(crate) judged: BTreeMap<(u32, u32), Judged>,
    /// What a measurement with another seed says of the chosen one.
    pub(crate) confirmed: Option<Measured>,
    /// Why no detector at all can do it.
    pub(crate) impossible: Option<String>,
    pub(crate) again: String,
    pub(crate) seconds: f64,
}

impl ChoiceReport<'_> {
    /// The exit code: nothing that meets a target is a violation, like any other claim that does not hold.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.choice.ending {
            _ if self.impossible.is_some() => ExitCode::SAFETY,
            ChoiceEnding::Chosen { .. } => ExitCode::HOLDS,
            ChoiceEnding::TooSlow | ChoiceEnding::TooManyMistakes => ExitCode::SAFETY,
            ChoiceEnding::Unknown | ChoiceEnding::Refused => ExitCode::UNKNOWN,
        }
    }

    /// The chosen parameters as they are written.
    fn chosen(&self) -> Option<BTreeMap<String, String>> {
        let ChoiceEnding::Chosen { period, patience } = self.choice.ending else { return None };
        let params = self.candidates.params(period, patience);
        Some(params.into_iter().map(|(name, given)| (name, given.value)).collect())
    }

    /// The answer in a line.
    fn headline(&self) -> String {
        let Candidates { entry, target, .. } = self.candidates;
        let wanted = format!(
            "a crash found within {}, and at most {} mistakes",
            Nanos(target.detect),
            target.mistakes
        );
        match self.chosen() {
            Some(params) => {
                let params: Vec<String> =
                    params.iter().map(|(name, text)| format!("{name}={text}")).collect();
                format!("{}: {} for {wanted}", entry.name(), params.join(" "))
            }
            None if self.choice.ending == ChoiceEnding::Unknown && self.impossible.is_none() => {
                format!("{}: not decided: {wanted}", entry.name())
            }
            None => format!("{}: no parameters of the range for {wanted}", entry.name()),
        }
    }

    /// Why it is so, and what it rests on.
    fn notes(&self) -> Vec<String> {
        let candidates = self.candidates;
        let mut notes = Vec::new();
        let grid = Nanos(candidates.tick);
        match self.choice.ending {
            _ if self.impossible.is_some() => notes.extend(self.impossible.clone()),
            ChoiceEnding::Chosen { .. } if self.choice.undecided => notes.push(format!(
                "The cheapest that is known: some question about a longer period of the range, in steps of {grid}, or about more \
                 patience was not answered in time; give --timeout more, or --steps less"
            )),
            ChoiceEnding::Chosen { .. } => notes.push(format!(
                "Least cost: no longer period of the range, in steps of {grid}, will do, by the search or by simulation, each at the \
                 confidence of its interval; of this one it is the most patience that finds crashes in time"
            )),
            ChoiceEnding::TooSlow if self.choice.refused => notes.push(format!(
                "With every period of the range, in steps of {grid}, the model has a crash that is found later than {}, or the \
                 protocol refuses the parameters",
                Nanos(candidates.target.detect)
            )),
            ChoiceEnding::TooSlow => notes.push(format!(
                "Proved: with every period of the range, in steps of {grid}, the model has a crash that is found later than {}, \
                 even with the least patience of the range",
                Nanos(candidates.target.detect)
            )),
            ChoiceEnding::Refused => notes.push("The protocol refuses all parameters of the range".to_string()),
            ChoiceEnding::TooManyMistakes => notes.push(format!(
                "Where crashes are found in time there are more mistakes than that, or answers are wrong most of the time, with every \
                 period of the range, in steps of {grid}: by simulation, each at the confidence of its interval. Allow more \
                 mistakes or more time, or look for a shorter period with --range and --steps"
            )),
            ChoiceEnding::Unknown => notes.push(
                "Some question was not answered in time; give --timeout more, or --steps less".to_string(),
            ),
        }
        let (delay, always) = candidates.delay();
        let most = Nanos(delay * candidates.tick);
        let kept = if always { "as all do here" } else { "as 99.99% of them do here" };
        if let (Some(confirmed), Some(_)) = (&self.confirmed, self.chosen()) {
            let detect = Nanos(candidates.target.detect);
            let lost = if candidates.loses() { "whatever is lost" } else { "if no message is lost" };
            let kept = format!("{kept}; one process crashes, and all begin together");
            notes.push(format!(
                "Proved: every crash is detected within {detect}, {lost} and if a message that arrives takes at most {most}, {kept}"
            ));
            notes.push(format!(
                "Measured with another seed: a mistake every {}, and {} messages per node and second",
                interval(&confirmed.found.mistake_recurrence),
                figure(confirmed.found.messages)
            ));
        }
        notes.push(format!("{} tried in {}", self.choice.tried.len(), duration(self.seconds)));
        notes
    }

    /// The network as a table of a node file.
    fn network(&self) -> (Nanos, f64) {
        let Candidates { profile, .. } = self.candidates;
        let micros = profile.round_trip(SLOWER).div_ceil(1000);
        (Nanos(micros * 1000), profile.lost_share())
    }

    /// The commands that confirm the answer, one by search and one by simulation.
    fn confirmations(&self) -> Vec<String> {
        let candidates = self.candidates;
        let ChoiceEnding::Chosen { period, patience } = self.choice.ending else { return Vec::new() };
        let Ok(contender) = candidates.contender(period, patience) else { return Vec::new() };
        candidates.commands(&contender, period)
    }
}

/// The report for people.
pub(crate) fn text(report: &ChoiceReport<'_>) -> String {
    let candidates = report.candidates;
    let names = [candidates.tuned.period, candidates.tuned.patience];
    let header = [names[0], names[1], "mistake recurrence", "will do"];
    let mut table = TextTable::new(report.headline(), &header);
    let tried = &report.choice.tried;
    let skipped = tried.len().saturating_sub(ROWS);
    for row in &tried[skipped..] {
        let period = Nanos(u64::from(row.period) * candidates.tick).to_string();
        let Some(patience) = row.patience else {
            let answer = match row.accurate {
                TargetMet::Unknown => "unknown",
                TargetMet::Refused => "refused",
                _ => "too slow",
            };
            table.rows.push(vec![period, String::new(), String::new(), answer.to_string()]);
            continue;
        };
        let judged = report.judged.get(&(row.period, patience));
        let recurrence = judged.map_or(String::new(), |judged| interval(&judged.recurrence));
        let answer = match row.accurate {
            TargetMet::Yes => "yes",
            _ if judged.is_some_and(|judged| is_mostly_wrong(&judged.accuracy)) => "wrong most of the time",
            TargetMet::No => "too many mistakes",
            TargetMet::Unknown | TargetMet::Refused => "unknown",
        };
        let patience = match candidates.patience_is_time() {
            true => Nanos(u64::from(patience) * candidates.tick).to_string(),
            false => patience.to_string(),
        };
        table.rows.push(vec![period, patience, recurrence, answer.to_string()]);
    }
    table.notes = report.notes();
    if skipped > 0 {
        table.notes.push(format!("{skipped} longer periods, which were not chosen, are not shown"));
    }
    let mut out = table.text();
    if report.chosen().is_some() {
        let (round_trip, loss) = report.network();
        out.push_str(&format!(
            "\nIt rests on this network. In a node file, so that a node says when it is on another:\n\n  [network]\n  round-trip = \
             \"{round_trip}\"\n  slower = \"{}%\"\n  loss = \"{}%\"\n",
            SLOWER * 100.0,
            figure(loss * 100.0)
        ));
        out.push_str("\nTo confirm it\n");
        report.confirmations().iter().for_each(|command| out.push_str(&format!("  {command}\n")));
    }
    out.push_str(&format!("\nAgain (version {})\n  {}\n", env!("CARGO_PKG_VERSION"), report.again));
    out
}

/// The report for machines.
pub(crate) fn json(report: &ChoiceReport<'_>) -> Value {
    let candidates = report.candidates;
    let seconds = |units: u32| f64::from(units) * candidates.tick as f64 / 1e9;
    let estimate =
        |estimate: &Estimate| value!({ "mean": estimate.mean, "low": estimate.low, "high": estimate.high });
    let patience = |units: u32| match candidates.patience_is_time() {
        true => value!(seconds(units)),
        false => value!(units),
    };
    let tried = report.choice.tried.iter().map(|row| {
        let judged = row.patience.and_then(|patience| report.judged.get(&(row.period, patience)));
        value!({
            "period": seconds(row.period),
            "patience": row.patience.map(patience),
            "mistake_recurrence": judged.map(|judged| estimate(&judged.recurrence)),
            "query_accuracy": judged.map(|judged| estimate(&judged.accuracy)),
            "messages_per_second": judged.map(|judged| judged.messages),
            "met": row.patience.is_some() && row.accurate == TargetMet::Yes,
        })
    });
    let (round_trip, loss) = report.network();
    let (delay, always) = candidates.delay();
    let ending = match report.choice.ending {
        _ if report.impossible.is_some() => "impossible",
        ChoiceEnding::Chosen { .. } => "chosen",
        ChoiceEnding::TooSlow => "too-slow",
        ChoiceEnding::TooManyMistakes => "too-many-mistakes",
        ChoiceEnding::Unknown | ChoiceEnding::Refused => "unknown",
    };
    let confirmed = report.confirmed.as_ref().filter(|_| report.chosen().is_some());
    let confirmed = confirmed.map(|measured| &measured.found);
    value!({
        "watchkeeper": "choice",
        "version": 1,
        "program": env!("CARGO_PKG_VERSION"),
        "protocol": candidates.entry.name(),
        "target": { "detect": candidates.target.detect as f64 / 1e9, "mistake_recurrence": candidates.target.mistakes.recurrence },
        "ending": ending,
        "params": report.chosen(),
        "undecided": report.choice.undecided,
        "bound": report.chosen().map(|_| candidates.target.detect as f64 / 1e9),
        "mistake_recurrence": confirmed.map(|found| estimate(&found.mistake_recurrence)),
        "messages_per_second": confirmed.map(|found| found.messages),
        "rests_on": {
            "delay": (delay * candidates.tick) as f64 / 1e9,
            "always": always,
            "round_trip": round_trip.0 as f64 / 1e9,
            "slower": SLOWER,
            "loss": loss,
        },
        "tick": candidates.tick as f64 / 1e9,
        "tried": tried.collect::<Vec<_>>(),
        "notes": report.notes(),
        "confirm": report.confirmations(),
        "again": report.again,
        "seconds": report.seconds,
    })
}

/// A mean with its interval.
fn interval(estimate: &Estimate) -> String {
    let end = |value: Option<f64>| value.map_or("?".to_string(), time);
    match estimate.mean {
        Some(mean) => format!("{} [{}, {}]", time(mean), end(estimate.low), end(estimate.high)),
        None => estimate.low.map_or(String::new(), |low| format!("above {}", time(low))),
    }
}
