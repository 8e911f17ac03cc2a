//! The answer to a replay, for people and for machines.

use serde_json::{Value, json as value};
use watchkeeper_core::Trace;
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{Chart, Style, duration, thousands};
use watchkeeper_world::{BrokenAssumption, Conformance, Deviation, RecordedRun};

/// What came of a replay.
pub(crate) struct ReplayReport<'a> {
    pub(crate) run: &'a RecordedRun,
    pub(crate) found: Result<Conformance, Box<Deviation>>,
    /// The command that gives it again.
    pub(crate) again: String,
}

impl ReplayReport<'_> {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.found.as_ref().map_err(|deviation| &deviation.broken) {
            Ok(_) => ExitCode::HOLDS,
            Err(BrokenAssumption::Protocol { .. }) => ExitCode::SAFETY,
            Err(BrokenAssumption::Unconfirmed { .. }) => ExitCode::INTERNAL,
            Err(_) => ExitCode::ASSUMPTION,
        }
    }

    pub(crate) fn trace(&self) -> &Trace {
        match &self.found {
            Ok(followed) => &followed.trace,
            Err(deviation) => &deviation.trace,
        }
    }

    /// The answer in one line.
    pub(crate) fn headline(&self) -> String {
        match &self.found {
            Ok(followed) => {
                let what = format!(
                    "the recorded run of {}, {}, {}",
                    counted(followed.recorded.len(), "node", "nodes"),
                    counted(followed.incarnations, "incarnation", "incarnations"),
                    counted(followed.steps, "step", "steps"),
                );
                match followed.whole {
                    true => format!("FOLLOWS: {what} is a path of the model"),
                    false => {
                        format!("FOLLOWS as far as it is recorded: {what} can be part of a path of the model")
                    }
                }
            }
            Err(deviation) => format!("DEPARTS: {deviation}"),
        }
    }

    /// What was looked at and how exactly.
    fn rests_on(&self) -> Vec<String> {
        let Ok(followed) = &self.found else { return Vec::new() };
        let mut list = followed.assumptions.clone();
        if followed.timed {
            list.push(format!(
                "a step was taken when the model takes it or up to {} later; one unit of time is {}",
                millis(self.run.precision as f64),
                millis(self.run.tick as f64)
            ));
            list.push(
                "moments between whole units of time are looked at too, whatever --time says".to_string(),
            );
        }
        list.push(match followed.clocks {
            1 => "all times are of one clock".to_string(),
            clocks => format!("the {clocks} clocks run at the same speed; only messages relate them"),
        });
        if !followed.whole {
            list.push(
                "messages of nodes without a recording may come at any moment; what was asked is whether each \
                 recorded node does what the protocol does, its timers and its speed, and the messages between \
                 recorded nodes. Round trips need the recordings of both ends"
                    .to_string(),
            );
        }
        list
    }
}

/// The answer for people.
pub(crate) fn text(answer: &ReplayReport<'_>, style: &Style) -> String {
    let mut out = format!("{}\n", answer.headline());
    match &answer.found {
        Err(deviation) => {
            let shown = deviation.trace.steps.len();
            out.push_str(&format!("\nThe last {} up to there\n", counted(shown, "step", "steps")));
            out.push_str(&Chart::of(&deviation.trace).text(style));
        }
        Ok(followed) => {
            out.push_str("\nSeen\n");
            seen(answer.run, followed).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
    let rests = answer.rests_on();
    if !rests.is_empty() {
        out.push_str("\nRests on\n");
        rests.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
    }
    out.push_str(&format!("\nAgain\n  {}\n", answer.again));
    out
}

/// What was seen of a run that follows the model.
fn seen(run: &RecordedRun, followed: &Conformance) -> Vec<String> {
    let mut lines = vec![
        format!("{} of recorded time", duration(followed.lasted as f64 / 1e9)),
        format!(
            "{}, {} lost",
            counted(followed.messages, "message", "messages"),
            thousands(followed.lost as u64)
        ),
        format!(
            "{}, {}, {}",
            counted(followed.crashes, "crash", "crashes"),
            counted(followed.restarts, "restart", "restarts"),
            counted(followed.late, "late start", "late starts")
        ),
    ];
    let ticks = |ns: f64| format!("{:.2} units", ns / run.tick.max(1) as f64);
    let mut slow = |what: &str, ns: Option<i64>| {
        if let Some(ns) = ns {
            lines.push(format!("{what} {} ({})", millis(ns as f64), ticks(ns as f64)));
        }
    };
    slow("the slowest message took", followed.slowest);
    slow("the latest timer was late by", followed.latest);
    slow("the longest stall lasted", followed.stalled.and_then(|ns| i64::try_from(ns).ok()));
    if followed.confirmed {
        lines.push("the path was executed in dense time once more, and has times there too".to_string());
    }
    lines
}

/// The answer for machines.
pub(crate) fn json(answer: &ReplayReport<'_>) -> String {
    let mut document = value!({
        "watchkeeper": "replay",
        "version": 1,
        "follows": answer.found.is_ok(),
        "exit_code": answer.exit_code().0,
        "headline": answer.headline(),
        "tick_ns": answer.run.tick,
        "precision_ns": answer.run.precision,
        "command": answer.again,
    });
    match &answer.found {
        Ok(followed) => {
            document["whole"] = value!(followed.whole);
            document["timed"] = value!(followed.timed);
            document["confirmed"] = value!(followed.confirmed);
            document["figures"] = figures(followed);
            document["assumptions"] = value!(answer.rests_on());
        }
        Err(deviation) => document["deviation"] = departed(deviation),
    }
    format!("{document:#}\n")
}

fn figures(followed: &Conformance) -> Value {
    value!({
        "nodes": followed.recorded.len(),
        "incarnations": followed.incarnations,
        "lives": followed.incarnations,
        "steps": followed.steps,
        "clocks": followed.clocks,
        "messages": followed.messages,
        "lost": followed.lost,
        "crashes": followed.crashes,
        "restarts": followed.restarts,
        "late_starts": followed.late,
        "slowest_message_ns": followed.slowest,
        "latest_timer_ns": followed.latest,
        "longest_stall_ns": followed.stalled,
        "lasted_ns": followed.lasted,
    })
}

fn departed(deviation: &Deviation) -> Value {
    let steps = deviation.trace.steps.iter();
    let steps = steps.map(|step| value!({ "action": step.action, "at": step.at }));
    let (measured, allowed) = deviation.broken.measured().unzip();
    value!({
        "assumption": deviation.broken.name(),
        "sentence": deviation.broken.sentence(deviation.tick),
        "measured_ns": measured,
        "allowed_ns": allowed,
        "process": deviation.process.index(),
        "incarnation": deviation.incarnation.to_string(),
        "step": deviation.step,
        "number": deviation.number,
        "at": deviation.at,
        "action": deviation.action,
        "last_steps": steps.collect::<Vec<Value>>(),
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count as u64), if count == 1 { one } else { many })
}

fn millis(ns: f64) -> String {
    let text = format!("{:.3}", ns / 1e6);
    format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
}
