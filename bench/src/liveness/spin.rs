//! Spin on a claim: nested depth-first search with an exact store, of the product of the ring with the automaton
//! of the opposite claim. Its two tables are fitted in a search that is not measured.

use super::claim::{Claim, Lasso};
use super::{Answer, Contender, Counts};
use crate::failure::Failure;
use crate::peers::Run;
use crate::peers::spin::{self, exact, number_after, number_before};
use crate::{child, host};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How the verifier is compiled; -a needs one without -DSAFETY.
const COMPILER_FLAGS: [&str; 6] = [
    "-O2",            // as in the comparison
    "-DNOREDUCE",     // every state: no partial-order reduction
    "-DNOFAIR",       // no fairness is asked for: no room for its counters in the state
    "-DSPACE",        // eight bytes less for each stored state, at the same speed
    "-DNOVSZ",        // eight more: all states are of one length, because processes neither start nor end
    "-DMEMLIM=16384", // give up at 16 GiB, like the others
];

/// The first guess at the depth of the search; a step of the ring and one of the claim are two.
const DEPTH_GUESS: u64 = 8_000_000;
const DEPTH_LIMIT: u64 = 64_000_000;

/// Spin's translation of a formula.
const TRANSLATED: &str = "-DTRANSLATED";

/// What a verifier says at its end.
#[derive(Debug, PartialEq, Eq)]
struct Verified {
    /// Stored states of the product.
    states: u64,
    /// Steps between them, in both searches. Spin prints eight digits: what is larger is rounded.
    transitions: u64,
    depth: u64,
    truncated: bool,
    errors: u64,
}

/// Spin, ready to run.
pub struct Spin {
    name: &'static str,
    directory: PathBuf,
    version: String,
    settings: Vec<String>,
    /// The depth of the stack and the logarithm of the hash table's size; without, Spin has its own.
    tables: Option<(u64, u32)>,
}

impl Spin {
    /// With the claim by hand, whose tables are fitted if that pays: if the whole product will be searched.
    pub fn by_hand(claim: Claim, buffer: u8, scratch: &Path) -> Result<Spin, Failure> {
        let mut spin = Spin::new("Spin", "hand", &[claim.setting()], buffer, scratch)?;
        if claim.holds {
            spin.fit()?;
        }
        Ok(spin)
    }

    /// With Spin's own translation. A search for the tables would take as long as all others together, so they
    /// are what those of the claim by hand suggest: this product has three times the states.
    pub fn translated(claim: Claim, buffer: u8, by_hand: &Spin, scratch: &Path) -> Result<Spin, Failure> {
        let settings = [claim.setting(), TRANSLATED.to_owned()];
        let mut spin = Spin::new("Spin, its own translation", "translated", &settings, buffer, scratch)?;
        spin.tables = by_hand.tables.map(|(depth, bits)| (depth + depth / 4, bits + 2));
        Ok(spin)
    }

    fn new(
        name: &'static str,
        place: &str,
        claim: &[String],
        buffer: u8,
        scratch: &Path,
    ) -> Result<Spin, Failure> {
        spin::install()?;
        let settings: Vec<_> =
            std::iter::once(format!("-DB={buffer}")).chain(claim.iter().cloned()).collect();
        let directory = scratch.join(format!("{place}{}", claim[0]));
        fs::create_dir_all(&directory).map_err(|e| Failure::file(&directory, e))?;
        spin::compile(&settings, &COMPILER_FLAGS, &directory)?;
        let version =
            format!("{}, {}", host::first_line("spin", &["-V"]), host::first_line("gcc", &["--version"]));
        Ok(Spin { name, directory, version, settings, tables: None })
    }

    /// The stack becomes as deep as the search needs, and the hash table gets at least two slots for each state.
    fn fit(&mut self) -> Result<(), Failure> {
        let found = whole(&self.directory, &["-a"])?;
        self.tables = Some((found.depth + 1_000, (found.states * 2).next_power_of_two().ilog2()));
        Ok(())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.directory.join("pan"));
        command.arg("-a").current_dir(&self.directory);
        if let Some((depth, bits)) = self.tables {
            command.arg(format!("-m{depth}")).arg(format!("-w{bits}"));
        }
        command
    }

    /// The counterexample that the last run left behind.
    fn trail(&self) -> Result<Lasso, Failure> {
        let path = self.directory.join("ring.pml.trail");
        let text = fs::read_to_string(&path).map_err(|e| Failure::file(&path, e))?;
        fs::remove_file(&path).map_err(|e| Failure::file(&path, e))?;
        lasso(&text).ok_or_else(|| Failure::command(child::show(&self.command()), "its trail has no loop"))
    }
}

impl Contender for Spin {
    fn name(&self) -> &str {
        self.name
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

    fn counts(&self) -> Counts {
        Counts::Product
    }

    fn ask(&self) -> Result<Answer, Failure> {
        let mut command = self.command();
        let finished = child::measure(&mut command, &self.directory)?;
        let shown = child::show(&command);
        let found = parse(&shown, &finished.output)?;
        if found.errors == 0 && found.truncated {
            return Err(Failure::command(shown, "its stack was too short, the search is not complete"));
        }
        let lasso = if found.errors > 0 { Some(self.trail()?) } else { None };
        Ok(Answer { run: Run::new(found.states, found.transitions, &finished), lasso })
    }
}

/// The states of the ring itself, without a claim, in a search that is not measured.
pub fn space(buffer: u8, scratch: &Path) -> Result<u64, Failure> {
    spin::install()?;
    let directory = scratch.join("space");
    fs::create_dir_all(&directory).map_err(|e| Failure::file(&directory, e))?;
    let flags: Vec<_> = COMPILER_FLAGS.into_iter().chain(["-DSAFETY"]).collect();
    spin::compile(&[format!("-DB={buffer}")], &flags, &directory)?;
    let found = whole(&directory, &[])?;
    match found.errors {
        0 => Ok(found.states),
        _ => Err(Failure::command("pan", "it found a deadlock and stopped early")),
    }
}

/// A search that is not measured, with a stack that is deep enough.
fn whole(directory: &Path, arguments: &[&str]) -> Result<Verified, Failure> {
    let mut depth = DEPTH_GUESS;
    while depth <= DEPTH_LIMIT {
        let mut command = Command::new(directory.join("pan"));
        command.args(arguments).arg(format!("-m{depth}")).arg("-w24").current_dir(directory);
        let found = parse("pan", &child::measure(&mut command, directory)?.output)?;
        if !found.truncated {
            return Ok(found);
        }
        depth *= 2;
    }
    Err(Failure::command("pan", "its stack is too short for this model"))
}

fn parse(command: &str, output: &str) -> Result<Verified, Failure> {
    let rounded = |word: &str| word.parse::<f64>().ok().map(|count| count as u64);
    let transitions: u64 = number_before(command, output, " transitions (= ", rounded)?;
    Ok(Verified {
        states: number_before(command, output, " states, stored", exact)?,
        transitions: transitions.saturating_sub(1),
        depth: number_after(command, output, "depth reached ", exact)?,
        truncated: output.contains("max search depth too small"),
        errors: number_after(command, output, "errors: ", exact)?,
    })
}

/// Reads a trail: each line has the depth, the process and the step, and a mark stands before the loop. The claim
/// is process 0, and its steps are none of the ring.
fn lasso(trail: &str) -> Option<Lasso> {
    let (stem, lap) = trail.split_once("-1:-1:-1")?;
    let steps = |part: &str| {
        let processes =
            part.lines().filter(|line| !line.starts_with('-')).filter_map(|line| line.split(':').nth(1));
        processes.filter(|&process| process != "0").count() as u64
    };
    Some(Lasso { stem: steps(stem), lap: steps(lap) })
}

#[cfg(test)]
#[path = "spin_tests.rs"]
mod tests;
