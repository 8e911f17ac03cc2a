//! Recordings of a cluster that the page opens: whether their run is one of the model, by the times of their clocks, and
//! the same steps in the model without times, where a person can step through them.

use super::imported::{Imported, drawn, told};
use super::scenario::PageScenario;
use super::searches::problem;
use super::told::{FileRun, patience};
use crate::commands::replay::followed;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::recording_file::{self, Recordings};
use crate::registry;
use crate::replaying::ReplayReport;
use serde_json::json;
use std::path::PathBuf;
use watchkeeper_space::{Event, Trace};
use watchkeeper_web::WebProblem;
use watchkeeper_world::{FaultLimits, RecordedRun};

/// The most steps of a recorded run that are drawn and looked for in the model.
const SHOWN: usize = 400;

/// The settings that say when things happen.
const TIMES: [&str; 9] = [
    "time",
    "delay",
    "round-trip",
    "processing",
    "simultaneous",
    "speed",
    "synchrony",
    "before-delay",
    "before-loss",
];

/// The steps of a recorded run as the model names them. Who starts with the others has started in the first state of the
/// model; who starts later has crashed before the first step, and recovers.
struct ModelSteps {
    labels: Vec<String>,
    /// The number of each in the recorded run, counted from 1.
    numbers: Vec<usize>,
    /// Who starts late.
    late: Vec<String>,
    recoveries: usize,
}

impl ModelSteps {
    fn of(trace: &Trace) -> ModelSteps {
        let down = trace.opening.iter().filter_map(|event| match event {
            Event::Crash { process } => trace.processes.get(process.index()).cloned(),
            _ => None,
        });
        let late: Vec<String> = down.collect();
        let mut steps = ModelSteps { labels: Vec::new(), numbers: Vec::new(), late, recoveries: 0 };
        for (at, step) in trace.steps.iter().enumerate() {
            let label = match step.action.split_once(' ') {
                Some((process, "starts")) if !steps.late.iter().any(|late| late == process) => continue,
                Some((process, "starts" | "recovers")) => {
                    steps.recoveries += 1;
                    format!("{process} recovers")
                }
                Some((process, "ends")) => format!("{process} crashes"),
                _ => step.action.clone(),
            };
            steps.labels.push(label);
            steps.numbers.push(at + 1);
        }
        steps
    }
}

/// The recordings of a cluster: whether its run is one of the model, and where it departs.
pub(super) fn recordings(program: &Program, paths: &[PathBuf]) -> Result<Imported, WebProblem> {
    let Recordings { header, path, list, warnings } = recording_file::read(paths).map_err(problem)?;
    let settings = header.below(RawSettings::default(), &path).map_err(problem)?;
    let given =
        settings.given("protocol").ok_or_else(|| WebProblem::bad("the recording names no protocol"))?;
    let entry = registry::find(&program.entries, &given.value, &given.origin).map_err(problem)?;
    let mut run = RecordedRun {
        recordings: list,
        tick: header.tick,
        precision: header.tick / 2,
        limits: FaultLimits::default(),
        shown: SHOWN,
        confirm: RecordedRun::CONFIRM,
    };
    if run.recordings.iter().all(|incarnation| incarnation.steps.is_empty()) {
        return Err(WebProblem::impossible(
            "nothing happened in these recordings; let the nodes run for longer",
        ));
    }
    let found = followed(entry, &settings, &mut run).map_err(problem)?;
    let report = ReplayReport { run: &run, found, again: String::new() };
    let (trace, headline) = (report.trace().clone(), report.headline());
    let departs = report.found.as_ref().err().map(|deviation| deviation.to_string());
    let total = match &report.found {
        Ok(followed) => followed.steps,
        Err(deviation) => deviation.number,
    };
    let whole = trace.steps.len() >= total.min(SHOWN) && total <= SHOWN;
    let mut steps = ModelSteps::of(&trace);
    if departs.is_some() {
        // The last step is the one that the model does not allow.
        steps.labels.pop();
    }
    // Its times are those of clocks; in the model the same steps are taken in the same order, at any times.
    let mut scenario = PageScenario::given(entry, &settings);
    TIMES
        .iter()
        .chain(&["property", "ltl", "fairness"])
        .for_each(|name| drop(scenario.settings.remove(*name)));
    let crashes = (header.n + steps.recoveries as u64).to_string();
    let mut faults = vec![("time", "untimed".to_string()), ("loss", "any".to_string()), ("crashes", crashes)];
    if steps.recoveries > 0 {
        faults.push(("recoveries", steps.recoveries.to_string()));
    }
    if !steps.late.is_empty() {
        faults.push(("crashed-at-start", steps.late.join(",")));
    }
    scenario.settings.extend(faults.into_iter().map(|(name, text)| (name.to_string(), text)));
    let told_run = FileRun::of_labels(steps.labels);
    let model = whole.then(|| told_run.find(program, &[scenario.clone()], &patience())).transpose();
    let svg = drawn(&trace, &headline);
    let mut imported = match &model {
        Ok(Some(model)) => told("recording", headline, &told_run, Some(model), (svg, departs)),
        _ => {
            let mut imported = told("recording", headline, &told_run, None, (svg, departs));
            imported.answer["protocol"] = json!(scenario.protocol);
            imported.answer["settings"] = scenario.json();
            imported
        }
    };
    if let Some(step) =
        imported.answer["departs"]["step"].as_u64().and_then(|step| usize::try_from(step).ok())
    {
        let number = steps.numbers.get(step - 1).copied().unwrap_or(total);
        imported.answer["departs"]["step"] = json!(number);
    }
    imported.answer["warnings"] = json!(warnings);
    if !whole {
        let note = format!(
            "the last {} of {total} steps are shown; a run is found in the model up to {SHOWN} steps",
            trace.steps.len()
        );
        imported.answer["note"] = json!(note);
    } else if let Err(why) = model {
        imported.answer["note"] = json!(why.message);
    }
    Ok(imported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_space::{Pid, Step};

    #[test]
    fn steps_of_a_recording_are_named_as_the_model_names_them() {
        let step =
            |action: &str| Step { action: action.into(), at: None, events: Vec::new(), after: Vec::new() };
        let actions = ["p0 starts", "p1: Round fires", "p1 starts", "p2 starts", "p1 ends", "p1 recovers"];
        let trace = Trace {
            processes: ["p0", "p1", "p2"].map(String::from).to_vec(),
            opening: vec![Event::Crash { process: Pid::at(2) }],
            steps: actions.map(step).to_vec(),
            ..Trace::default()
        };
        let steps = ModelSteps::of(&trace);
        assert_eq!(steps.labels, ["p1: Round fires", "p2 recovers", "p1 crashes", "p1 recovers"]);
        assert_eq!(
            (steps.numbers, steps.recoveries, steps.late),
            (vec![2, 4, 5, 6], 2, vec!["p2".to_string()])
        );
    }
}
