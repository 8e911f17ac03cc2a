//! Stateright on the ring. The search is a hidden subcommand of this program, so that it runs and is measured
//! as a process of its own, like the others.

use super::{Peer, Run};
use crate::child;
use crate::failure::Failure;
use crate::ring::{Crash, Ring, WhenFull};
use crate::{host, json};
use stateright::{Checker, Model};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "stateright";

/// Stateright, ready to run.
pub struct Stateright {
    program: PathBuf,
    scratch: PathBuf,
    buffer: u8,
    version: String,
}

impl Stateright {
    /// There is nothing to build: the search is linked into this program.
    pub fn prepare(buffer: u8, scratch: &Path) -> Result<Stateright, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::command(SUBCOMMAND, format!("this program cannot find itself: {e}")))?;
        let version = format!("{}, {}", locked_version(), host::first_line("rustc", &["--version"]));
        Ok(Stateright { program, scratch: scratch.to_owned(), buffer, version })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(SUBCOMMAND).arg("--buffer").arg(self.buffer.to_string());
        command
    }
}

impl Peer for Stateright {
    fn name(&self) -> &str {
        "Stateright"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn commands(&self) -> Vec<String> {
        vec![child::show(&self.command())]
    }

    fn store(&self) -> &str {
        "64-bit fingerprints"
    }

    fn run(&self) -> Result<Run, Failure> {
        let mut command = self.command();
        let finished = child::measure(&mut command, &self.scratch)?;
        let shown = child::show(&command);
        let counts = json::parse(&shown, &finished.output)?;
        if counts["deadlock"] != false {
            return Err(Failure::command(shown, "it found a deadlock and stopped early"));
        }
        let states = json::count(&shown, &counts, "distinct_states")?;
        let transitions = json::count(&shown, &counts, "transitions")?;
        Ok(Run::new(states, transitions, &finished))
    }
}

/// The whole search in this process: one thread, breadth first. Depth first is no alternative here: every
/// pending state carries its path, paths get thousands of steps long, and buffer 3 already needs more than 4 GB.
pub fn search(buffer: u8) -> String {
    let ring = Ring { buffer, when_full: WhenFull::Ignore, crash: Crash::AtStart };
    let checker = ring.checker().threads(1).spawn_bfs().join();
    // Stateright counts the initial state among the generated ones; a transition it is not.
    serde_json::json!({
        "distinct_states": checker.unique_state_count(),
        "transitions": checker.state_count() - 1,
        "deadlock": checker.discovery(Ring::DEADLOCK).is_some(),
    })
    .to_string()
}

fn locked_version() -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    lock.split("name = \"stateright\"\nversion = \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or("of unknown version")
}
