//! Runs that files tell: the counterexample of a verdict as JSON, and a trace in the Informal Trace Format. Each is looked
//! for in the model, so that every step of it is a place to stand on; where the model does not have it, both are told up
//! to there.

use super::scenario::PageScenario;
use crate::program::Program;
use serde_json::Value;
use std::time::{Duration, Instant};
use watchkeeper::Problem;
use watchkeeper_report::{itf_view, view_json};
use watchkeeper_space::{Event, MessageId, Pid, Step, Tone, Trace, View};
use watchkeeper_web::{OpenedSpace, WebProblem};

/// A run as a file tells it.
#[derive(Clone, Debug, Default)]
pub(super) struct FileRun {
    pub(super) labels: Vec<String>,
    /// The states, the first one included, in the form of the file.
    states: Vec<Value>,
    form: StateForm,
    pub(super) loops_to: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum StateForm {
    #[default]
    Verdict,
    Itf,
    /// Nothing is told of the states.
    Labels,
}

/// How long the run of a file is looked for: a person waits for the answer, and the file is whose it may be.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a run that is looked for from now on is worth to be looked for any longer.
pub(super) fn patience() -> impl Fn() -> bool {
    let begun = Instant::now();
    move || begun.elapsed() < PATIENCE
}

/// A run that was found in a space.
pub(super) struct FoundRun {
    pub(super) scenario: PageScenario,
    /// What clients ask there, by number.
    pub(super) clients: usize,
    pub(super) link: String,
    pub(super) found: usize,
    pub(super) whole: bool,
    /// What the model allows after the last step that was found.
    pub(super) enabled: Vec<String>,
}

impl FileRun {
    /// The run of a verdict.
    pub(super) fn of_verdict(trace: &Value) -> Option<FileRun> {
        let steps = trace.get("steps")?.as_array()?;
        let labels = steps
            .iter()
            .map(|step| Some(step.get("action")?.as_str()?.to_string()))
            .collect::<Option<_>>()?;
        let after = steps.iter().map(|step| step.get("after").cloned());
        let states = std::iter::once(trace.get("start").cloned()).chain(after).collect::<Option<_>>()?;
        let loops_to =
            trace.get("loops_to").and_then(Value::as_u64).and_then(|first| usize::try_from(first).ok());
        Some(FileRun { labels, states, form: StateForm::Verdict, loops_to })
    }

    /// The run of a trace in the Informal Trace Format that has the actions of this program.
    pub(super) fn of_itf(document: &Value) -> Option<FileRun> {
        let states = document.get("states")?.as_array()?.clone();
        let action = |state: &Value| state.get("action").and_then(Value::as_str).map(str::to_string);
        let labels = states.iter().skip(1).map(action).collect::<Option<Vec<_>>>()?;
        // The format says which state follows the last; a run says before which step it goes on.
        let first =
            document.get("loop").and_then(Value::as_u64).and_then(|first| usize::try_from(first).ok());
        let loops_to = first
            .map(|first| if states.last() == states.get(first) { first } else { first.saturating_sub(1) });
        Some(FileRun { labels, states, form: StateForm::Itf, loops_to })
    }

    /// A run of which the labels alone are known.
    pub(super) fn of_labels(labels: Vec<String>) -> FileRun {
        FileRun { labels, states: Vec::new(), form: StateForm::Labels, loops_to: None }
    }

    /// Whether a state is the one of the file, in which a search may have seen more: its monitor, for one.
    fn looks(&self, at: usize, view: &View) -> bool {
        let Some(state) = self.states.get(at) else { return true };
        let told = |name: &str, value: &Value| state.get(name) == Some(value);
        match self.form {
            StateForm::Labels => true,
            StateForm::Verdict => match view_json(view) {
                Value::Object(view) => view.iter().all(|(name, value)| told(name, value)),
                _ => false,
            },
            StateForm::Itf => itf_view(view).iter().all(|(name, value)| told(name, value)),
        }
    }

    /// Looks for the run in the spaces of these scenarios, and gives the first in which all of it is, or else the one
    /// that has the most of it; as long as it goes on.
    pub(super) fn find(
        &self,
        program: &Program,
        scenarios: &[PageScenario],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<FoundRun, WebProblem> {
        let mut best: Option<FoundRun> = None;
        let mut refused: Option<Problem> = None;
        for scenario in scenarios {
            let spaces = match scenario.planned(program).and_then(|planned| planned.opened()) {
                Ok(spaces) => spaces,
                Err(why) => {
                    refused.get_or_insert(why);
                    continue;
                }
            };
            for (clients, (_, space)) in spaces.iter().enumerate() {
                let found = self.found(space, scenario, clients, goes_on)?;
                if found.as_ref().is_some_and(|found| found.whole) {
                    return found.ok_or_else(|| WebProblem::impossible("no run"));
                }
                if found.as_ref().map(|found| found.found) > best.as_ref().map(|best| best.found) {
                    best = found;
                }
            }
        }
        best.ok_or_else(|| match refused {
            Some(why) => WebProblem::impossible(why.to_string()),
            None => WebProblem::impossible("the run begins in a state in which this protocol does not begin"),
        })
    }

    fn found(
        &self,
        space: &OpenedSpace,
        scenario: &PageScenario,
        clients: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<FoundRun>, WebProblem> {
        let (by_states, looks) = (self.form != StateForm::Labels, |at, view: &View| self.looks(at, view));
        let followed = space.follow(self.labels.clone(), by_states, &looks, goes_on);
        if !followed.whole && !goes_on() {
            return Err(WebProblem::impossible(
                "the model is so large that looking for this run in it was given up: open a run of a smaller scenario",
            ));
        }
        let Some(path) = followed.path else { return Ok(None) };
        let enabled = path.rows.last().map_or(Vec::new(), |last| space.enabled(last));
        Ok(Some(FoundRun {
            scenario: scenario.clone(),
            clients,
            link: space.link(&space.run_of(&path)?)?,
            found: followed.found,
            whole: followed.whole,
            enabled,
        }))
    }
}

/// The trace of a verdict, to be drawn as it is; what cannot be read of it is left out.
pub(super) fn trace_of_verdict(trace: &Value) -> Option<Trace> {
    let processes: Vec<String> = texts(trace.get("processes")?)?;
    let events = |list: Option<&Value>| -> Vec<Event> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|one| event(one, &processes)).collect()
    };
    let step = |step: &Value| {
        Some(Step {
            action: step.get("action")?.as_str()?.to_string(),
            at: step.get("at").and_then(Value::as_str).map(str::to_string),
            events: events(step.get("events")),
            after: Vec::new(),
        })
    };
    Some(Trace {
        start: Vec::new(),
        opening: events(trace.get("opening")),
        steps: trace.get("steps")?.as_array()?.iter().map(step).collect::<Option<_>>()?,
        loops_to: trace.get("loops_to").and_then(Value::as_u64).and_then(|first| usize::try_from(first).ok()),
        processes: processes.clone(),
    })
}

/// A trace of which only the actions are known, to be drawn as it is.
pub(super) fn trace_of_labels(run: &FileRun, processes: Vec<String>) -> Trace {
    let step =
        |action: &String| Step { action: action.clone(), at: None, events: Vec::new(), after: Vec::new() };
    Trace {
        processes,
        steps: run.labels.iter().map(step).collect(),
        loops_to: run.loops_to,
        ..Trace::default()
    }
}

fn texts(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|text| text.as_str().map(str::to_string)).collect()
}

fn event(event: &Value, processes: &[String]) -> Option<Event> {
    let text = |key: &str| event.get(key).and_then(Value::as_str).map(str::to_string);
    let process = |key: &str| {
        let name = text(key)?;
        processes.iter().position(|other| *other == name).map(Pid::at)
    };
    let message = |key: &str| {
        event.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok()).map(MessageId)
    };
    Some(match event.get("event")?.as_str()? {
        "send" => Event::Send {
            message: message("message")?,
            from: process("from")?,
            to: process("to")?,
            label: text("label")?,
        },
        "receive" => Event::Receive { message: message("message")? },
        "swallow" => Event::Swallow { message: message("message")? },
        "lose" => Event::Lose { message: message("message")? },
        "duplicate" => Event::Duplicate { message: message("message")?, copy: message("copy")? },
        "ignore" => Event::Ignore { from: process("from")?, to: process("to")?, label: text("label")? },
        "overflow" => Event::Overflow { from: process("from")?, to: process("to")?, label: text("label")? },
        "block" => Event::Block { process: process("process")?, to: process("to")?, label: text("label")? },
        "fire" => Event::Fire { process: process("process")?, timer: text("timer")? },
        "call" => Event::Call { process: process("process")?, label: text("label")? },
        "crash" => Event::Crash { process: process("process")? },
        "recover" => Event::Recover { process: process("process")? },
        "output" => {
            let tone = match text("tone")?.as_str() {
                "alarm" => Tone::Alarm,
                "relief" => Tone::Relief,
                _ => Tone::Plain,
            };
            Event::Output { process: process("process")?, label: text("label")?, tone }
        }
        "note" => Event::Note { process: process("process")?, text: text("text")? },
        "remark" => Event::Remark { text: text("text")? },
        _ => return None,
    })
}
