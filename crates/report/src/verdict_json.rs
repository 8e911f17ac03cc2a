//! One verdict for machines. Keys keep their order from version to version, new ones are added at the
//! end of their object, and a value that does not apply is `null`, never absent.

use crate::verdict_text::lasso;
use crate::warnings::warnings;
use serde_json::{Map, Value as Json, json};
use watchkeeper_core::{Event, MessageId, Pid, Step, Tone, Trace, Value, View};
use watchkeeper_logic::{Limit, Outcome, Verdict, ViolationKind};

/// The facts about a run that only the caller knows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunFacts {
    /// The command line that reproduces the verdict.
    pub command: String,
    /// Its duration.
    pub seconds: f64,
    /// The most memory that the whole process held.
    pub peak_bytes: u64,
}

/// The verdict as JSON, with a line break at the end.
pub fn verdict_json(verdict: &Verdict, run: &RunFacts) -> String {
    format!("{:#}\n", verdict_object(verdict, run))
}

pub(crate) fn verdict_object(verdict: &Verdict, run: &RunFacts) -> Json {
    let violation = match &verdict.outcome {
        Outcome::Violated(violation) => Some(violation),
        _ => None,
    };
    let stats = &verdict.stats;
    let finding = violation.map(|violation| match violation.finding {
        ViolationKind::Safety => "safety",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::Timelock => "time-lock",
        ViolationKind::Liveness => "liveness",
    });
    let lasso = verdict.trace().and_then(lasso);
    let coverage: Map<String, Json> =
        verdict.coverage.iter().map(|class| (class.name.clone(), json!(class.count))).collect();
    json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": verdict.word(),
        "property": verdict.property,
        "finding": finding,
        "what": violation.map(|violation| &violation.what),
        "limit": limit(&verdict.outcome),
        "distinct_states": stats.distinct_states,
        "transitions": stats.transitions,
        "levels": stats.level_sizes.len(),
        "level_sizes": stats.level_sizes,
        "trace_steps": verdict.trace().map(|trace| trace.steps.len()),
        "shortest": violation.map(|violation| violation.shortest),
        "seconds": run.seconds,
        "peak_bytes": run.peak_bytes,
        "search_bytes": stats.peak_bytes,
        "bytes_per_state": stats.bytes_per_state,
        "disk_bytes": stats.disk_bytes,
        "disk_written": stats.disk_written,
        "workers": stats.workers,
        "assumptions": verdict.assumptions,
        "warnings": warnings(verdict),
        "coverage": coverage,
        "exit_code": verdict.exit_code().0,
        "command": run.command,
        "trace": verdict.trace().map(trace),
        "unit": format!("{}s", stats.unit.noun()),
        "stem_steps": lasso.map(|(stem, _)| stem),
        "loop_steps": lasso.map(|(_, lap)| lap),
        "level_kept": (!stats.level_kept.is_empty()).then_some(&stats.level_kept),
        "walks": stats.walks.map(|walks| {
            json!({ "runs": walks.runs, "steps": stats.transitions, "states_checked": walks.visits })
        }),
    })
}

fn limit(outcome: &Outcome) -> Json {
    let Outcome::Unknown(limit) = outcome else { return Json::Null };
    let (kind, value) = match limit {
        Limit::States(most) => ("states", json!(most)),
        Limit::Memory(most) => ("memory", json!(most)),
        Limit::OutOfMemory(held) => ("out-of-memory", json!(held)),
        Limit::Time(most) => ("time", json!(most)),
        Limit::Depth(most) => ("depth", json!(most)),
        Limit::Incomplete(search) => ("incomplete", json!(search)),
        Limit::Cap(cap) => ("cap", json!(cap)),
        Limit::DiskFull(what) => ("disk-full", json!(what)),
        Limit::DiskFailed(what) => ("disk-failed", json!(what)),
        Limit::Interrupted => ("interrupted", Json::Null),
    };
    json!({ "kind": kind, "value": value })
}

fn trace(trace: &Trace) -> Json {
    let steps: Vec<Json> = trace.steps.iter().map(|step| self::step(trace, step)).collect();
    let opening: Vec<Json> = trace.opening.iter().map(|event| self::event(trace, event)).collect();
    json!({
        "processes": trace.processes,
        "start": view_json(&trace.start),
        "steps": steps,
        "loops_to": trace.loops_to,
        "opening": opening,
    })
}

fn step(trace: &Trace, step: &Step) -> Json {
    let events: Vec<Json> = step.events.iter().map(|event| self::event(trace, event)).collect();
    json!({ "action": step.action, "at": step.at, "events": events, "after": view_json(&step.after) })
}

fn event(trace: &Trace, event: &Event) -> Json {
    let name = |p: &Pid| trace.processes.get(p.index()).cloned().unwrap_or_else(|| p.to_string());
    let number = |message: &MessageId| message.0;
    match event {
        Event::Send { message, from, to, label } => json!({
            "event": "send", "message": number(message), "from": name(from), "to": name(to), "label": label
        }),
        Event::Receive { message } => json!({ "event": "receive", "message": number(message) }),
        Event::Swallow { message } => json!({ "event": "swallow", "message": number(message) }),
        Event::Lose { message } => json!({ "event": "lose", "message": number(message) }),
        Event::Duplicate { message, copy } => {
            json!({ "event": "duplicate", "message": number(message), "copy": number(copy) })
        }
        Event::Ignore { from, to, label } => {
            json!({ "event": "ignore", "from": name(from), "to": name(to), "label": label })
        }
        Event::Overflow { from, to, label } => {
            json!({ "event": "overflow", "from": name(from), "to": name(to), "label": label })
        }
        Event::Block { process, to, label } => {
            json!({ "event": "block", "process": name(process), "to": name(to), "label": label })
        }
        Event::Fire { process, timer } => {
            json!({ "event": "fire", "process": name(process), "timer": timer })
        }
        Event::Call { process, label } => {
            json!({ "event": "call", "process": name(process), "label": label })
        }
        Event::Crash { process } => json!({ "event": "crash", "process": name(process) }),
        Event::Recover { process } => json!({ "event": "recover", "process": name(process) }),
        Event::Output { process, label, tone } => {
            let tone = match tone {
                Tone::Alarm => "alarm",
                Tone::Relief => "relief",
                Tone::Plain => "plain",
            };
            json!({ "event": "output", "process": name(process), "label": label, "tone": tone })
        }
        Event::Note { process, text } => {
            json!({ "event": "note", "process": name(process), "text": text })
        }
        Event::Remark { text } => json!({ "event": "remark", "text": text }),
    }
}

/// A state as JSON: its variables by name, as a trace of a verdict has them.
pub fn view_json(view: &View) -> Json {
    Json::Object(view.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
}

/// The value as the JSON that comes nearest to it: sets become lists. ITF keeps the difference.
fn plain(value: &Value) -> Json {
    match value {
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!(i),
        Value::Str(s) => json!(s),
        Value::List(items) | Value::Set(items) => Json::Array(items.iter().map(plain).collect()),
        Value::Record(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
    }
}
