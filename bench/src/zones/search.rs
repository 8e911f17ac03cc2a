//! One search that is repeated: a process of its own each time, measured from outside. It fails when a verdict
//! is not the expected one or a count changes, and it never guesses where a limit ended the search.

use super::cases::{Case, Time};
use crate::child;
use crate::contest::Summary;
use crate::failure::Failure;
use crate::json;
use crate::peers::Run;
use crate::peers::watchkeeper;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The exit codes of `holds`, of a violated requirement, and of `unknown`.
const HOLDS: i32 = 0;
const VIOLATED: i32 = 12;
const UNKNOWN: i32 = 153;

/// A search, and its runs so far.
pub struct Search {
    /// How time passes.
    pub time: Time,
    /// The number of threads.
    pub workers: u8,
    /// Its runs, in order.
    pub runs: Vec<Run>,
    /// The limit that ended it, in words. Such a search is not repeated, because it can only take as long again.
    pub stopped: Option<String>,
    arguments: Vec<String>,
    verdict: &'static str,
}

impl Search {
    /// The search that answers `case`.
    pub fn new(case: &Case, time: Time, workers: u8) -> Search {
        let arguments = case.arguments(time, workers);
        Search { time, workers, runs: Vec::new(), stopped: None, arguments, verdict: case.verdict }
    }

    /// The medians of its runs, if there are any.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.runs)
    }

    /// The command that a reader types to repeat it.
    pub fn command(&self) -> String {
        child::show(Command::new("watchkeeper").args(&self.arguments))
    }

    /// Runs it once more with `program`, unless a limit ended it before. Returns the run if there was one.
    pub fn run(&mut self, program: &Path, scratch: &Path) -> Result<Option<&Run>, Failure> {
        if self.stopped.is_some() {
            return Ok(None);
        }
        let codes: &[i32] = match self.time {
            Time::Dense => &[HOLDS, VIOLATED],
            Time::Ticks => &[HOLDS, VIOLATED, UNKNOWN],
        };
        let (answer, finished) = watchkeeper::ask(program, &self.arguments, scratch, codes)?;
        let shown = self.command();
        let states = json::count(&shown, &answer, "distinct_states")?;
        let transitions = json::count(&shown, &answer, "transitions")?;
        self.stopped = self.judge(&answer)?;
        self.runs.push(Run::new(states, transitions, &finished));
        self.agree()?;
        Ok(self.runs.last())
    }

    /// The limit that ended the search, or nothing if its verdict is the expected one.
    fn judge(&self, answer: &Value) -> Result<Option<String>, Failure> {
        let verdict = answer["verdict"].as_str().unwrap_or_default();
        if verdict == self.verdict {
            return Ok(None);
        }
        let limit = &answer["limit"];
        let value = limit["value"].as_str().unwrap_or("unknown");
        match (verdict, limit["kind"].as_str()) {
            ("unknown", Some("time")) => Ok(Some(format!("over {} s", Case::TICKS_LIMIT))),
            ("unknown", Some("memory")) => Ok(Some(format!("over {value} of memory"))),
            _ => Err(Failure::Disagreement(format!(
                "  {}: {}\n  expected: {}",
                self.command(),
                if verdict.is_empty() { "no verdict" } else { verdict },
                self.verdict
            ))),
        }
    }

    fn agree(&self) -> Result<(), Failure> {
        agree(&[self])
    }
}

/// Whether all runs of `searches`, which answer the same question, counted the same.
pub fn agree(searches: &[&Search]) -> Result<(), Failure> {
    let runs = || searches.iter().flat_map(|search| search.runs.iter().map(move |run| (search, run)));
    let Some((_, first)) = runs().next() else { return Ok(()) };
    if runs().all(|(_, run)| (run.states, run.transitions) == (first.states, first.transitions)) {
        return Ok(());
    }
    let line = |(search, run): (&&Search, &Run)| {
        format!(
            "  {}: {} {}, {} transitions\n",
            search.command(),
            run.states,
            search.time.unit(),
            run.transitions
        )
    };
    Err(Failure::Disagreement(runs().map(line).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::zones::cases;

    /// A shell in the place of the program; it gets the JSON file as `$2`.
    fn shell(time: Time, script: &str) -> Search {
        let arguments = ["-c", script, "sh"].map(String::from).into();
        Search { arguments, ..Search::new(&cases::all()[1], time, 1) }
    }

    fn run(search: &mut Search) -> Result<Option<u64>, Failure> {
        let scratch = Scratch::create().unwrap();
        Ok(search.run(Path::new("/bin/sh"), scratch.path())?.map(|run| run.states))
    }

    const LIMIT: &str = r#"echo '{"verdict": "unknown", "limit": {"kind": "time", "value": "60s"},
        "distinct_states": 7, "transitions": 8}' > "$2"; exit 153"#;

    #[test]
    fn a_verdict_gives_a_run() {
        let script = r#"echo '{"verdict": "holds", "distinct_states": 9, "transitions": 32}' > "$2""#;
        let mut search = shell(Time::Dense, script);
        assert_eq!(run(&mut search).unwrap(), Some(9));
        assert_eq!(run(&mut search).unwrap(), Some(9));
        assert_eq!((search.runs.len(), search.stopped), (2, None));
    }

    #[test]
    fn a_limit_ends_ticks_once_and_for_all() {
        let mut search = shell(Time::Ticks, LIMIT);
        assert_eq!(run(&mut search).unwrap(), Some(7));
        assert_eq!(search.stopped.as_deref(), Some("over 60 s"));
        assert_eq!(run(&mut search).unwrap(), None);
        assert_eq!(search.runs.len(), 1);
    }

    #[test]
    fn zones_have_no_limit() {
        assert!(matches!(run(&mut shell(Time::Dense, LIMIT)), Err(Failure::Command { .. })));
    }

    #[test]
    fn another_verdict_is_no_figure() {
        let script = r#"echo '{"verdict": "violated", "limit": null, "distinct_states": 9, "transitions": 3}' > "$2"
            exit 12"#;
        let failure = run(&mut shell(Time::Dense, script)).unwrap_err().to_string();
        assert!(failure.contains("violated") && failure.contains("expected: holds"), "{failure}");
    }

    #[test]
    fn counts_must_not_change() {
        let counted = |states, transitions| {
            let mut search = Search::new(&cases::all()[1], Time::Dense, 1);
            search.runs.push(Run { states, transitions, cpu: 1.0, wall: 1.0, peak: 1 });
            search
        };
        let first = counted(9, 32);
        assert!(agree(&[&first, &counted(9, 32)]).is_ok());
        for other in [counted(10, 32), counted(9, 33)] {
            let failure = agree(&[&first, &other]).unwrap_err();
            assert!(matches!(failure, Failure::Disagreement(_)), "{failure}");
        }
    }
}
