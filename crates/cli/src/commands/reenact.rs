//! `simulate --from`: a recorded run, of a live cluster or of a simulated one, executed once more in the simulator with the
//! delays, losses, crashes and moments that were recorded.

use crate::arguments::ScenarioArgs;
use crate::command_line::CommandLine;
use crate::commands::replay::followed;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::recording_file::{self, Recordings};
use crate::registry;
use serde_json::json as value;
use std::path::{Path, PathBuf};
use watchkeeper::Problem;
use watchkeeper::erased::Replayed;
use watchkeeper_logic::ExitCode;
use watchkeeper_sim::reenact;
use watchkeeper_world::{FaultLimits, RecordedRun};

/// Executes the run of recordings again, and compares what replay says of both.
pub(crate) fn run(
    program: &Program,
    scenario: &ScenarioArgs,
    dir: &Path,
    (quiet, json): (bool, &Option<PathBuf>),
) -> Result<ExitCode, Problem> {
    let outlet = Outlet::new(quiet, [((), json)])?;
    let Recordings { header, path, list, .. } = recording_file::read(&[dir.to_path_buf()])?;
    let settings = header.below(scenario.model_settings()?, &path)?;
    let Some(given) = settings.given("protocol") else {
        return Err(Problem::Usage("the recordings do not say which protocol they are of".to_string()));
    };
    let entry = registry::find(&program.entries, &given.value, &given.origin)?;
    let plan = entry.protocol.plan(&settings.read()?)?;
    let subject = entry.protocol.simulated(&plan, header.tick)?;
    let again = reenact(&subject, &list);
    let steps: usize = list.iter().map(|recording| recording.steps.len()).sum();
    let recorded = |recordings| RecordedRun {
        recordings,
        tick: header.tick,
        precision: header.tick / 2,
        limits: FaultLimits::default(),
        shown: 1,
        confirm: RecordedRun::CONFIRM,
    };
    let before = said(&followed(entry, &settings, &mut recorded(list))?);
    let after = said(&followed(entry, &settings, &mut recorded(again.recordings))?);
    let equal = again.differs.is_none() && before == after;
    let headline = match &again.differs {
        None if equal => {
            format!("REPRODUCED: all {steps} recorded steps of {} in the simulator", entry.name())
        }
        None => {
            format!("DIFFERS: replay says {before} of the recorded run, and {after} of the simulated one")
        }
        Some(what) => format!("DIFFERS after {} of {steps} steps of {}: {what}", again.same, entry.name()),
    };
    let line =
        CommandLine::new(&program.name, &["simulate", "--from", &dir.display().to_string()]).to_string();
    let text = || {
        format!(
            "{headline}\n\nReplay says\n  of the recorded run: {before}\n  of the simulated run: {after}\n\nAgain\n  {line}\n"
        )
    };
    let document = value!({
        "watchkeeper": "reenactment",
        "version": 1,
        "reproduced": equal,
        "steps": steps,
        "same": again.same,
        "differs": again.differs,
        "recorded": before,
        "simulated": after,
        "command": line,
    });
    outlet.leave(text, |()| Ok(format!("{document:#}\n")))?;
    Ok(if equal { ExitCode::HOLDS } else { ExitCode::SAFETY })
}

/// What replay says, in a few words.
fn said(replayed: &Replayed) -> String {
    match replayed {
        Ok(_) => "it follows the model".to_string(),
        Err(deviation) => {
            let (number, name) = (deviation.number, deviation.broken.name());
            format!("it leaves the model at step {number}, by the assumption {name}")
        }
    }
}
