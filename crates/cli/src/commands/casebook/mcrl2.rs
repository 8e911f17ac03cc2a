//! The case `mcrl2`: specifications of a folder, searched, and what is found beside what the tools of that language found. The
//! folder has a file `results.csv`, whose first line names its columns: `spec`, the path of a specification in the folder,
//! `states`, `transitions`, `deadlocks`, and the CPU seconds of `lps2lts` in `lps2lts_cpu`; a row with a `formula` is passed over.
//! Where `mcrl22lps` and `lps2lts` are on the path they are run beside, so that both work on the same machine in the same minute.

mod tools;

use super::CaseRun;
use crate::commands::specification::SpecificationFile;
use crate::inputs;
use clap::Args;
use rustix::time::{ClockId, clock_gettime};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tools::Tools;
use watchkeeper::Problem;
use watchkeeper_explore::check;
use watchkeeper_logic::{ExitCode, Question};
use watchkeeper_mcrl2::process::ProcessSpace;
use watchkeeper_report::{TextTable, thousands};
use watchkeeper_space::{Id, Space, Successors, apply};

/// The file with what the tools found.
const RESULTS: &str = "results.csv";

/// The largest such file that is read.
const LARGEST: u64 = 1 << 26;

/// The most states that are counted a second time, state by state.
const COUNTED: u64 = 300_000;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct Mcrl2Args {
    /// The folder of the specifications, with a file results.csv
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,

    /// Only specifications whose path has this text in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Mcrl2Args {
    /// Searches all specifications. A number that differs is a failure; a specification that is not read is none.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let clock = case.clock()?;
        let rows = expected(&self.corpus)?;
        let tools = Tools::find();
        let mut header =
            vec!["specification", "states", "transitions", "deadlocks", "agrees", "CPU s", "states/CPU s"];
        header.extend(["CPU s there", "times faster"]);
        let mut table = TextTable::new("Specifications of mCRL2", &header);
        let (mut agreed, mut read, mut differ) = (0, 0, 0);
        let wanted =
            rows.iter().filter(|row| self.only.as_ref().is_none_or(|text| row.spec.contains(text.as_str())));
        for row in wanted {
            let path = self.corpus.join(&row.spec);
            let (cells, outcome) = match counted(&path, &case, &clock) {
                Ok(found) => {
                    let there = match &tools {
                        Some(tools) => tools.seconds(&path),
                        None => row.seconds,
                    };
                    read += 1;
                    let agrees = found.counts() == row.counts;
                    *if agrees { &mut agreed } else { &mut differ } += 1;
                    found.cells(row, agrees, there)
                }
                Err(problem) => {
                    let why = problem.to_string().lines().next().unwrap_or_default().to_string();
                    table.notes.push(format!("{}: not read: {why}", row.spec));
                    continue;
                }
            };
            table.rows.push([vec![row.spec.clone()], cells].concat());
            table.notes.extend(outcome);
        }
        table.notes.push(format!("{read} specifications are read, and {agreed} of them agree"));
        case.line.flag("corpus", self.corpus.display());
        case.line.maybe("only", self.only.as_ref());
        case.leave(&table, &clock)?;
        Ok(if differ == 0 { ExitCode::HOLDS } else { ExitCode::SAFETY })
    }
}

/// What the tools found of one specification.
struct Expected {
    spec: String,
    counts: [u64; 3],
    seconds: Option<f64>,
}

/// What was found here.
struct Found {
    states: u64,
    transitions: u64,
    deadlocks: u64,
    seconds: f64,
}

impl Found {
    fn counts(&self) -> [u64; 3] {
        [self.states, self.transitions, self.deadlocks]
    }

    fn cells(&self, row: &Expected, agrees: bool, there: Option<f64>) -> (Vec<String>, Option<String>) {
        let numbers = self.counts().map(thousands);
        let mut cells = numbers.to_vec();
        cells.push(if agrees { "yes" } else { "no" }.to_string());
        cells.push(format!("{:.3}", self.seconds));
        cells.push(thousands((self.states as f64 / self.seconds.max(1e-6)) as u64));
        cells.push(there.map_or(String::new(), |there| format!("{there:.2}")));
        cells.push(there.map_or(String::new(), |there| format!("{:.0}", there / self.seconds.max(1e-6))));
        let [states, transitions, deadlocks] = row.counts.map(thousands);
        let note = (!agrees).then(|| {
            format!(
                "{}: expected {states} states, {transitions} transitions and {deadlocks} deadlocks",
                row.spec
            )
        });
        (cells, note)
    }
}

/// Searches a specification with the engine, and counts deadlocks state by state.
fn counted(path: &Path, case: &CaseRun<'_>, clock: &crate::clock::Clock) -> Result<Found, Problem> {
    let file = SpecificationFile::read(path)?;
    let began = cpu_seconds();
    let space = file.space()?;
    let verdict = check(&space, &Question::default(), &case.job.options.search, clock);
    let seconds = cpu_seconds() - began;
    if let Some(error) = space.failure().error() {
        return Err(file.problem(error));
    }
    let verdict = verdict?;
    let (states, transitions) = (verdict.stats.distinct_states, verdict.stats.transitions);
    let deadlocks = if states <= COUNTED { deadlocks(&space) } else { 0 };
    Ok(Found { states, transitions, deadlocks, seconds })
}

fn deadlocks(space: &ProcessSpace) -> u64 {
    let mut rows: Vec<Vec<Id>> = space.initial();
    let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
    let (mut at, mut ends) = (0, 0);
    let mut found = Successors::new();
    while at < rows.len() {
        found.clear();
        space.expand(&rows[at], &mut found);
        ends += u64::from(found.is_empty());
        for (_, edits) in found.iter() {
            let next = apply(&rows[at], edits);
            if known.insert(next.clone()) {
                rows.push(next);
            }
        }
        at += 1;
    }
    ends
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The rows of the folder's file that are about whole spaces.
fn expected(corpus: &Path) -> Result<Vec<Expected>, Problem> {
    let path = corpus.join(RESULTS);
    let text = inputs::text(&path, LARGEST)
        .map_err(|why| Problem::Usage(format!("cannot read {}: {why}", path.display())))?;
    let mut lines = text.lines();
    let columns: HashMap<&str, usize> = lines.next().unwrap_or_default().split(',').zip(0..).collect();
    let column = |name: &str| {
        columns.get(name).copied().ok_or_else(|| {
            Problem::Usage(format!("{} has no column {name} in its first line", path.display()))
        })
    };
    let (spec, formula) = (column("spec")?, columns.get("formula").copied());
    let counts = [column("states")?, column("transitions")?, column("deadlocks")?];
    let seconds = columns.get("lps2lts_cpu").copied();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        if formula.and_then(|formula| cells.get(formula)).is_some_and(|formula| !formula.is_empty()) {
            return None;
        }
        let number = |column: usize| cells.get(column)?.parse::<u64>().ok();
        Some(Expected {
            spec: (*cells.get(spec)?).to_string(),
            counts: [number(counts[0])?, number(counts[1])?, number(counts[2])?],
            seconds: seconds.and_then(|seconds| cells.get(seconds)?.parse().ok()),
        })
    };
    Ok(lines.filter_map(row).collect())
}
