//! This project on a claim. Its command line refuses claims about infinite runs without fairness, for good
//! reasons, so the engine is linked into this program and runs as a hidden subcommand, a process of its own.

use super::claim::{Claim, Lasso};
use super::{Answer, Contender, Counts, MEMORY_LIMIT};
use crate::failure::Failure;
use crate::peers::Run;
use crate::{child, host, json};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use watchkeeper_casebook::ring::{Crash, FullChannel, RingCase, RingModel};
use watchkeeper_explore::{NoCallback, Search, liveness};
use watchkeeper_logic::{Outcome, TemporalProperty, parse};
use watchkeeper_space::Space;

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "liveness";

/// One search, in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is claimed.
    pub claim: Claim,
    /// Messages that a channel holds.
    pub buffer: u8,
    /// The number of threads.
    pub workers: u8,
}

impl Task {
    /// Searches, and tells in JSON what came out.
    pub fn search(&self) -> Result<String, Failure> {
        let failed = |reason: String| Failure::command(SUBCOMMAND, reason);
        let case = RingCase::new(
            RingModel::ProcessAlgebra,
            FullChannel::Ignore,
            u32::from(self.buffer),
            Crash::AtStart,
        );
        let space = case.map_err(|e| failed(e.to_string()))?.space();
        let text = self.claim.formula();
        let formula = parse(&text, &(space.shape(), 3)).map_err(|e| failed(e.render(&text)))?;
        let search =
            Search { workers: self.workers.into(), max_bytes: Some(MEMORY_LIMIT), ..Search::default() };
        let verdicts = liveness(&space, &[TemporalProperty::new(text, formula)], &[], &search, &NoCallback);
        let mut verdicts = verdicts.map_err(|e| failed(e.to_string()))?;
        let verdict = verdicts.pop().ok_or_else(|| failed("there is no verdict".into()))?;
        let lasso = match &verdict.outcome {
            Outcome::Holds(_) => Value::Null,
            Outcome::Violated(violation) => {
                let steps = violation.trace.steps.len();
                let loops_to = violation.trace.loops_to;
                let stem = loops_to.ok_or_else(|| failed("the counterexample has no loop".into()))?;
                serde_json::json!({ "stem": stem, "loop": steps - stem })
            }
            Outcome::Unknown(limit) => return Err(failed(format!("a limit ended the search: {limit:?}"))),
        };
        let stats = &verdict.stats;
        let answer = serde_json::json!({
            "distinct_states": stats.distinct_states,
            "transitions": stats.transitions,
            "lasso": lasso,
        });
        Ok(answer.to_string())
    }
}

/// This project, ready to run.
pub struct Own {
    program: PathBuf,
    scratch: PathBuf,
    task: Task,
    name: String,
    version: String,
}

impl Own {
    /// There is nothing to build: the engine is linked into this program.
    pub fn prepare(task: Task, scratch: &Path) -> Result<Own, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::command(SUBCOMMAND, format!("this program cannot find itself: {e}")))?;
        let name = match task.workers {
            1 => "Watchkeeper".to_owned(),
            workers => format!("Watchkeeper, {workers} workers"),
        };
        let version =
            format!("watchkeeper, commit {}, {}", host::commit(), host::first_line("rustc", &["--version"]));
        Ok(Own { program, scratch: scratch.to_owned(), task, name, version })
    }

    fn command(&self) -> Command {
        let Task { claim, buffer, workers } = self.task;
        let mut command = Command::new(&self.program);
        command.args([SUBCOMMAND, &claim.name(), "--buffer", &buffer.to_string()]);
        command.args(["--workers", &workers.to_string()]);
        command
    }
}

impl Contender for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn commands(&self) -> Vec<String> {
        vec![child::show(&self.command())]
    }

    fn counts(&self) -> Counts {
        Counts::Space
    }

    fn ask(&self) -> Result<Answer, Failure> {
        let mut command = self.command();
        let finished = child::measure(&mut command, &self.scratch)?;
        let shown = child::show(&command);
        let value = json::parse(&shown, &finished.output)?;
        let count = |value: &Value, field| json::count(&shown, value, field);
        let run = Run::new(count(&value, "distinct_states")?, count(&value, "transitions")?, &finished);
        let lasso = match &value["lasso"] {
            Value::Null => None,
            lasso => Some(Lasso { stem: count(lasso, "stem")?, lap: count(lasso, "loop")? }),
        };
        Ok(Answer { run, lasso })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::AT_START;

    fn answer(claim: Claim, buffer: u8, workers: u8) -> Value {
        json::parse(SUBCOMMAND, &Task { claim, buffer, workers }.search().unwrap()).unwrap()
    }

    #[test]
    fn what_p0_suspects_for_good_needs_the_whole_space() {
        for (buffer, states, transitions) in AT_START {
            for workers in [1, 2] {
                let found = answer(Claim::SETTLES, buffer, workers);
                assert_eq!(found["lasso"], Value::Null, "buffer {buffer}");
                assert_eq!(found["distinct_states"], states, "buffer {buffer}");
                assert_eq!(found["transitions"], transitions, "buffer {buffer}");
            }
        }
    }

    #[test]
    fn p2_wavers() {
        let one = answer(Claim::WAVERS, 3, 1);
        assert_eq!(one["lasso"]["stem"], 18);
        assert_eq!(one["lasso"]["loop"], 9);
        assert_eq!(answer(Claim::WAVERS, 3, 2), one);
    }
}
