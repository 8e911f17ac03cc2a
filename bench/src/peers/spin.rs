//! Spin on the ring: generates the verifier from `models/ring.pml`, compiles it, and fits its two tables to
//! the model in a search that is not measured. The settings give Spin the fastest exact search it has here.

use super::{Peer, Run};
use crate::failure::Failure;
use crate::{child, host};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Promela text.
pub const MODEL: &str = include_str!("../../models/ring.pml");

/// How the verifier is compiled. No -DBITSTATE or -DHC, which are not exact, and no -DCOLLAPSE or -DMA, which
/// trade speed for memory.
pub const COMPILER_FLAGS: [&str; 6] = [
    "-O2",           // -O3 and -march=native were not faster
    "-DNOREDUCE",    // every state: no partial-order reduction
    "-DSAFETY",      // no acceptance cycles: the fast search; deadlocks are still found
    "-DNOFAIR",      // no room for fairness counters in the state
    "-DSPACE",       // eight bytes less for each stored state, at the same speed
    "-DMEMLIM=4096", // give up at 4 GiB
];

/// The first guess at the depth of the search, for the search that is not measured.
const DEPTH_GUESS: u64 = 4_000_000;
const DEPTH_LIMIT: u64 = 64_000_000;

/// What a verifier says at its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Verified {
    /// Stored states.
    pub states: u64,
    /// Steps between them; Spin's own figure counts the initial state as one more.
    pub transitions: u64,
    /// The longest path on the stack.
    pub depth: u64,
    /// The stack was too short for the search.
    pub truncated: bool,
    /// Deadlocks and the like.
    pub errors: u64,
}

/// Spin, ready to run.
pub struct Spin {
    verifier: PathBuf,
    scratch: PathBuf,
    version: String,
    settings: Vec<String>,
    depth: u64,
    hash_bits: u32,
}

impl Spin {
    /// Installs Spin if it is missing, makes the verifier, and finds how large its tables have to be.
    pub fn prepare(buffer: u8, scratch: &Path) -> Result<Spin, Failure> {
        install()?;
        let settings = vec![format!("-DB={buffer}")];
        let verifier = compile(&settings, &COMPILER_FLAGS, scratch)?;
        let version =
            format!("{}, {}", host::first_line("spin", &["-V"]), host::first_line("gcc", &["--version"]));
        let mut spin = Spin {
            verifier,
            scratch: scratch.to_owned(),
            version,
            settings,
            depth: DEPTH_GUESS,
            hash_bits: 24,
        };
        spin.fit()?;
        Ok(spin)
    }

    /// The stack costs memory for its limit, not for its use, so the limit becomes what the search needs.
    /// The hash table gets at least two slots for each state: a larger one is not faster, a smaller one is slower.
    fn fit(&mut self) -> Result<(), Failure> {
        loop {
            let found = parse("pan", &child::measure(&mut self.command(), &self.scratch)?.output)?;
            if !found.truncated {
                self.depth = found.depth + 1_000;
                self.hash_bits = (found.states * 2).next_power_of_two().ilog2();
                return Ok(());
            }
            if self.depth >= DEPTH_LIMIT {
                return Err(Failure::command("pan", "its stack is too short for this model"));
            }
            self.depth *= 2;
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.verifier);
        command.arg(format!("-m{}", self.depth)).arg(format!("-w{}", self.hash_bits));
        command
    }
}

impl Peer for Spin {
    fn name(&self) -> &str {
        "Spin"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn commands(&self) -> Vec<String> {
        vec![
            format!("spin {} -a ring.pml", self.settings.join(" ")),
            format!("gcc {} -o pan pan.c", COMPILER_FLAGS.join(" ")),
            child::show(&self.command()),
        ]
    }

    fn store(&self) -> &str {
        "whole states"
    }

    fn run(&self) -> Result<Run, Failure> {
        let mut command = self.command();
        let finished = child::measure(&mut command, &self.scratch)?;
        let shown = child::show(&command);
        let verified = parse(&shown, &finished.output)?;
        if verified.truncated {
            return Err(Failure::command(shown, "its stack was too short, the search is not complete"));
        }
        if verified.errors > 0 {
            return Err(Failure::command(shown, "it found a deadlock and stopped early"));
        }
        Ok(Run::new(verified.states, verified.transitions, &finished))
    }
}

/// Makes a verifier of the model in `scratch`: `settings` for the model, `flags` for the compiler.
pub fn compile(settings: &[String], flags: &[&str], scratch: &Path) -> Result<PathBuf, Failure> {
    let model = scratch.join("ring.pml");
    fs::write(&model, MODEL).map_err(|e| Failure::file(&model, e))?;
    child::capture(Command::new("spin").args(settings).args(["-a", "ring.pml"]).current_dir(scratch))?;
    child::capture(Command::new("gcc").args(flags).args(["-o", "pan", "pan.c"]).current_dir(scratch))?;
    Ok(scratch.join("pan"))
}

/// Reads the last words of the verifier that `command` ran.
pub fn parse(command: &str, output: &str) -> Result<Verified, Failure> {
    let before = |what: &str| number_before(command, output, what, exact);
    let after = |what: &str| number_after(command, output, what, exact);
    Ok(Verified {
        states: before(" states, stored")?,
        transitions: before(" transitions (= ")?.saturating_sub(1),
        depth: after("depth reached ")?,
        truncated: output.contains("max search depth too small"),
        errors: after("errors: ")?,
    })
}

/// Whether Spin can be run.
pub fn installed() -> bool {
    child::capture(Command::new("spin").arg("-V")).is_ok()
}

/// Installs Spin if it is missing; it also needs a compiler.
pub fn install() -> Result<(), Failure> {
    if !installed() {
        eprintln!("Spin is missing: installing the package with apt-get");
        let steps: [&[&str]; 2] = [&["update"], &["install", "-y", "--no-install-recommends", "spin"]];
        for step in steps {
            let result =
                child::capture(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(step));
            if let Err(failure) = result {
                return Err(missing_spin(&failure.to_string()));
            }
        }
        if !installed() {
            return Err(missing_spin("The package was installed, but `spin -V` still fails."));
        }
    }
    if child::capture(Command::new("gcc").arg("--version")).is_err() {
        let advice = "Spin's verifier is C: install gcc, or leave Spin out with --only.".to_owned();
        return Err(Failure::Missing { tool: "gcc", advice });
    }
    Ok(())
}

fn missing_spin(reason: &str) -> Failure {
    let advice = format!(
        "Install it and put `spin` on the PATH, or leave it out with --only.\nThe attempt to install it: {reason}"
    );
    Failure::Missing { tool: "Spin", advice }
}

/// The number that stands before `what`, if `read` accepts it.
pub fn number_before(
    command: &str,
    output: &str,
    what: &str,
    read: impl Fn(&str) -> Option<u64>,
) -> Result<u64, Failure> {
    let word = output.split(what).next().filter(|head| head.len() < output.len());
    number(command, what, word.and_then(|head| head.split_whitespace().next_back()), read)
}

/// The number that stands after `what`, if `read` accepts it.
pub fn number_after(
    command: &str,
    output: &str,
    what: &str,
    read: impl Fn(&str) -> Option<u64>,
) -> Result<u64, Failure> {
    let word = output.split(what).nth(1);
    number(command, what, word.and_then(|tail| tail.split([',', ' ', '\n']).next()), read)
}

/// Reads an exact count. Spin prints at most eight digits and then rounds; a rounded count is refused.
pub fn exact(word: &str) -> Option<u64> {
    word.parse().ok()
}

fn number(
    command: &str,
    what: &str,
    word: Option<&str>,
    read: impl Fn(&str) -> Option<u64>,
) -> Result<u64, Failure> {
    let word =
        word.ok_or_else(|| Failure::command(command, format!("it printed no number for `{}`", what.trim())))?;
    read(word).ok_or_else(|| {
        Failure::command(command, format!("`{word}` for `{}` is not an exact count", what.trim()))
    })
}

#[cfg(test)]
#[path = "spin_tests.rs"]
mod tests;
