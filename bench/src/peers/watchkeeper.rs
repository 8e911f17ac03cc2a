//! This project, built by cargo in the main workspace and run through its command line, as a user would.

use super::{Peer, Run};
use crate::child::Finished;
use crate::failure::Failure;
use crate::{child, host, json};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of states of the large run: channels that ignore, buffer 1, a crash at any time.
pub const LARGE_STATES: u64 = 385_861_073;

/// Watchkeeper, ready to run with a number of workers.
pub struct Watchkeeper {
    program: PathBuf,
    scratch: PathBuf,
    name: String,
    version: String,
    arguments: Vec<String>,
}

impl Watchkeeper {
    /// Builds the program and returns where cargo put it.
    pub fn build() -> Result<PathBuf, Failure> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--profile", "dist", "-p", "watchkeeper-cli", "--message-format", "json"]);
        command.current_dir(host::project_root());
        let messages = child::capture(&mut command)?;
        let executable = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["target"]["name"] == "watchkeeper")
            .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
            .next_back();
        executable.ok_or_else(|| {
            Failure::command(child::show(&command), "it built no program of the name `watchkeeper`")
        })
    }

    /// The run that is compared with the peers.
    pub fn comparison(program: &Path, scratch: &Path, buffer: u8, workers: u8) -> Watchkeeper {
        let buffer = buffer.to_string();
        let variant = ["--channel", "ignore", "--buffer", &buffer, "--crash", "at-start"];
        let name =
            if workers == 1 { "Watchkeeper".into() } else { format!("Watchkeeper, {workers} workers") };
        Watchkeeper::new(name, program, scratch, &variant, workers)
    }

    /// The run with `LARGE_STATES` states.
    pub fn large(program: &Path, scratch: &Path) -> Watchkeeper {
        let variant = ["--channel", "ignore", "--buffer", "1"];
        Watchkeeper::new("Watchkeeper, large run".into(), program, scratch, &variant, 2)
    }

    fn new(name: String, program: &Path, scratch: &Path, variant: &[&str], workers: u8) -> Watchkeeper {
        let mut arguments: Vec<String> =
            ["casebook", "ring", "--model", "process-algebra"].map(String::from).into();
        arguments.extend(variant.iter().map(|word| word.to_string()));
        arguments.extend(["--workers".into(), workers.to_string()]);
        let version = version(program);
        Watchkeeper { program: program.to_owned(), scratch: scratch.to_owned(), name, version, arguments }
    }

    fn command(&self, json: &Path) -> Command {
        command(&self.program, &self.arguments, json)
    }
}

/// The version of the program, of the sources and of their compiler.
pub fn version(program: &Path) -> String {
    let program_version = host::first_line(&program.to_string_lossy(), &["--version"]);
    let compiler = host::first_line("rustc", &["--version"]);
    format!("{program_version}, commit {}, {compiler}", host::commit())
}

/// Runs the program once, which may end with any of `codes`, and returns its verdict with what it cost.
pub fn ask(
    program: &Path,
    arguments: &[String],
    scratch: &Path,
    codes: &[i32],
) -> Result<(Value, Finished), Failure> {
    let path = scratch.join("watchkeeper.json");
    let stale = fs::remove_file(&path);
    if let Err(error) = stale
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(Failure::file(&path, error));
    }
    let finished = child::measure_ending(&mut command(program, arguments, &path), scratch, codes)?;
    let shown = child::show(&command(program, arguments, Path::new("FILE")));
    let text = fs::read_to_string(&path).map_err(|e| Failure::file(&path, e))?;
    Ok((json::parse(&shown, &text)?, finished))
}

fn command(program: &Path, arguments: &[String], json: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg("--json").arg(json);
    command
}

impl Peer for Watchkeeper {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn commands(&self) -> Vec<String> {
        vec![child::show(&self.command(Path::new("FILE")))]
    }

    fn store(&self) -> &str {
        "whole states"
    }

    fn run(&self) -> Result<Run, Failure> {
        let (counts, finished) = ask(&self.program, &self.arguments, &self.scratch, &[0])?;
        let shown = child::show(&self.command(Path::new("FILE")));
        let states = json::count(&shown, &counts, "distinct_states")?;
        let transitions = json::count(&shown, &counts, "transitions")?;
        Ok(Run::new(states, transitions, &finished))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    /// A shell in the place of the program; it gets the JSON file as `$2`.
    fn run(script: &str) -> Result<Run, Failure> {
        let scratch = Scratch::create().unwrap();
        let shell = Watchkeeper {
            program: "/bin/sh".into(),
            scratch: scratch.path().to_owned(),
            name: "shell".into(),
            version: String::new(),
            arguments: ["-c", script, "sh"].map(String::from).into(),
        };
        shell.run()
    }

    #[test]
    fn counts_come_from_the_json_file() {
        let run = run(r#"echo '{"distinct_states": 9, "transitions": 32, "seconds": 0.1}' > "$2""#).unwrap();
        assert_eq!((run.states, run.transitions), (9, 32));
        assert!(run.peak > 0);
    }

    #[test]
    fn failures_say_why() {
        for (script, why) in [
            ("echo no such model >&2; exit 150", "no such model"),
            ("true", "watchkeeper.json"),
            (r#"echo '{"transitions": 3}' > "$2""#, "no whole number `distinct_states`"),
            (r#"echo states: 9 > "$2""#, "cannot be read"),
        ] {
            let failure = run(script).unwrap_err().to_string();
            assert!(failure.contains(why), "{script}: {failure}");
        }
    }

    #[test]
    fn commands_are_those_of_the_casebook() {
        let paths = (Path::new("watchkeeper"), Path::new("."));
        let ring = "watchkeeper casebook ring --model process-algebra --channel ignore --buffer";
        assert_eq!(
            Watchkeeper::comparison(paths.0, paths.1, 6, 1).commands(),
            [format!("{ring} 6 --crash at-start --workers 1 --json FILE")]
        );
        assert_eq!(
            Watchkeeper::large(paths.0, paths.1).commands(),
            [format!("{ring} 1 --workers 2 --json FILE")]
        );
    }
}
