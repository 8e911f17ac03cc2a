//! The command line: what it may say, and its help.

use crate::failure::Failure;
use crate::host;
use crate::liveness::{self, Claim, Task};
use crate::peers;
use crate::ring::Ring;
use std::path::PathBuf;

/// The help text.
pub const HELP: &str = "\
Compares Watchkeeper with Spin and Stateright on the same model: the ring detector of three processes with
channels that ignore messages when full, process 1 crashed from the start. All of them search the whole
state space with one thread and have to count the same states, or the run fails.

Usage: cargo run --release --manifest-path bench/Cargo.toml -- [OPTIONS]

Options:
  --buffer B     messages that a channel holds, 1 to 7 [default: 6, which is 7,781,570 states]
  --runs N       runs of each checker, interleaved; the table shows medians [default: 5]
                 0 runs no comparison, for use with --large or --zones
  --only LIST    some of watchkeeper,spin,stateright [default: all]
  --large        also run Watchkeeper on 385,861,073 states with two workers
  --zones        also measure Watchkeeper in dense time, on heartbeat protocols, with the same in ticks beside it
  --zone-runs N  runs of each search of --zones, interleaved [default: as --runs, or 5 if that is 0]
  --liveness     instead of all that, hold Watchkeeper and Spin against each other on claims about infinite runs of
                 the same ring; then --buffer is 1 to 8 [default: 8], and --runs is 3 unless given
  --reduction    instead of all that, measure how many states and seconds partial-order reduction saves Watchkeeper
  --out DIR      where the results go [default: bench/results]
  --host NAME    the machine's name in the results [default: its host name]
  -h, --help     this text

Results: DATE-HOST.md with the tables, DATE-HOST.json with every single run; with --liveness the names end in
-liveness, with --reduction in -reduction. Spin is installed with apt-get
when it is missing.

Exit code: 0 when all checkers agree, 150 for a bad command line, 1 for everything else.
";

const DEFAULT_RUNS: usize = 5;
const DEFAULT_LIVENESS_RUNS: usize = 3;
const DEFAULT_BUFFER: u8 = 6;
const DEFAULT_LIVENESS_BUFFER: u8 = 8;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print the help text.
    Help,
    /// Run the comparison.
    Compare(Options),
    /// Compare answers about infinite runs.
    Liveness(Options),
    /// Measure what leaving out interleavings saves.
    Reduction(Options),
    /// Be the engine for infinite runs: one search, in this process.
    Live(Task),
    /// Be Stateright: one search, in this process.
    Stateright {
        /// Messages that a channel holds.
        buffer: u8,
    },
}

/// The settings of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Messages that a channel holds.
    pub buffer: u8,
    /// Runs of each checker.
    pub runs: usize,
    /// Names of the checkers.
    pub only: Vec<String>,
    /// The large run as well.
    pub large: bool,
    /// Dense time as well.
    pub zones: bool,
    /// Runs of each search in dense time and in ticks; without it, as many as of the checkers.
    pub zone_runs: Option<usize>,
    /// Where the results go.
    pub out: PathBuf,
    /// The machine's name.
    pub host: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            buffer: DEFAULT_BUFFER,
            runs: DEFAULT_RUNS,
            only: peers::NAMES.map(String::from).into(),
            large: false,
            zones: false,
            zone_runs: None,
            out: host::project_root().join("bench").join("results"),
            host: None,
        }
    }
}

impl Options {
    /// Whether the checker of this name takes part.
    pub fn wants(&self, name: &str) -> bool {
        self.only.iter().any(|wanted| wanted == name)
    }

    /// How often each search in dense time and in ticks is run.
    pub fn zone_rounds(&self) -> usize {
        match (self.zone_runs, self.runs) {
            (Some(rounds), _) => rounds,
            (None, 0) => DEFAULT_RUNS,
            (None, runs) => runs,
        }
    }
}

/// Reads the words after the program's name.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Request, Failure> {
    let mut words = words.into_iter().peekable();
    let child = words.next_if(|word| word == peers::stateright::SUBCOMMAND).is_some();
    if words.next_if(|word| word == liveness::SUBCOMMAND).is_some() {
        return live(words);
    }
    let mut options = Options::default();
    let (mut liveness, mut reduction, mut asked_buffer, mut asked_runs) = (false, false, None, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Failure::Usage(format!("{word} needs a value.")));
        match word.as_str() {
            "-h" | "--help" => return Ok(Request::Help),
            "--buffer" => asked_buffer = Some(value()?),
            "--runs" => asked_runs = Some(runs(&value()?)?),
            "--only" => options.only = only(&value()?)?,
            "--large" => options.large = true,
            "--zones" => options.zones = true,
            "--zone-runs" => options.zone_runs = Some(zone_runs(&value()?)?),
            "--liveness" => liveness = true,
            "--reduction" => reduction = true,
            "--out" => options.out = value()?.into(),
            "--host" => options.host = Some(value()?),
            _ => return Err(Failure::Usage(format!("Unknown option {word}."))),
        }
    }
    if liveness {
        options.buffer = DEFAULT_LIVENESS_BUFFER;
        options.runs = DEFAULT_LIVENESS_RUNS;
    }
    if let Some(word) = asked_buffer {
        options.buffer = buffer(&word, if liveness { MAX_LIVENESS_BUFFER } else { MAX_BUFFER })?;
    }
    options.runs = asked_runs.unwrap_or(options.runs);
    if child {
        return Ok(Request::Stateright { buffer: options.buffer });
    }
    if reduction {
        let alone = !liveness && !options.large && !options.zones;
        let why = "--reduction is a measurement of its own: leave out --liveness, --large and --zones.";
        return if alone { Ok(Request::Reduction(options)) } else { Err(Failure::Usage(why.into())) };
    }
    if liveness {
        return alone(&options).map(|()| Request::Liveness(options));
    }
    if options.runs == 0 && !options.large && !options.zones {
        return Err(Failure::Usage("--runs 0 without --large or --zones leaves nothing to do.".into()));
    }
    if options.zone_runs.is_some() && !options.zones {
        return Err(Failure::Usage("--zone-runs has a meaning only with --zones.".into()));
    }
    Ok(Request::Compare(options))
}

/// Whether the options make sense together with `--liveness`.
fn alone(options: &Options) -> Result<(), Failure> {
    let all = Options::default().only;
    let why = if options.large || options.zones || options.zone_runs.is_some() {
        "--liveness is a comparison of its own: leave out --large, --zones and --zone-runs."
    } else if options.only != all && options.wants("stateright") {
        "--liveness: Stateright does not find cycles, so only watchkeeper and spin can take part."
    } else if options.runs == 0 {
        "--liveness with --runs 0 leaves nothing to do."
    } else {
        return Ok(());
    };
    Err(Failure::Usage(why.into()))
}

/// The words of the hidden subcommand for infinite runs.
fn live(mut words: impl Iterator<Item = String>) -> Result<Request, Failure> {
    let usage = || Failure::Usage(format!("{} p0|p2 --buffer B --workers N", liveness::SUBCOMMAND));
    let claim = words.next().and_then(|process| Claim::of(&process)).ok_or_else(usage)?;
    let mut task = Task { claim, buffer: DEFAULT_LIVENESS_BUFFER, workers: 1 };
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(usage)?;
        match word.as_str() {
            "--buffer" => task.buffer = buffer(&value, MAX_LIVENESS_BUFFER)?,
            "--workers" => task.workers = value.parse().map_err(|_| usage())?,
            _ => return Err(usage()),
        }
    }
    Ok(Request::Live(task))
}

/// With more, Spin rounds its counts of transitions, which the comparison holds against the others'.
const MAX_BUFFER: u8 = 7;

/// With more, Spin rounds its counts of states.
const MAX_LIVENESS_BUFFER: u8 = 8;

fn buffer(word: &str, most: u8) -> Result<u8, Failure> {
    match word.parse() {
        Ok(size) if (1..=most.min(Ring::MAX_BUFFER)).contains(&size) => Ok(size),
        _ => Err(Failure::Usage(format!("--buffer {word}: a number from 1 to {most} is needed."))),
    }
}

fn runs(word: &str) -> Result<usize, Failure> {
    match word.parse() {
        Ok(runs @ 0..=100) => Ok(runs),
        _ => Err(Failure::Usage(format!("--runs {word}: a number from 0 to 100 is needed."))),
    }
}

fn zone_runs(word: &str) -> Result<usize, Failure> {
    match word.parse() {
        Ok(runs @ 1..=100) => Ok(runs),
        _ => Err(Failure::Usage(format!("--zone-runs {word}: a number from 1 to 100 is needed."))),
    }
}

fn only(word: &str) -> Result<Vec<String>, Failure> {
    let names: Vec<_> = word.split(',').map(|name| name.trim().to_lowercase()).collect();
    match names.iter().find(|name| !peers::NAMES.contains(&name.as_str())) {
        Some(name) => {
            let known = peers::NAMES.join(", ");
            Err(Failure::Usage(format!("--only: there is no checker `{name}`, only {known}.")))
        }
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Request, Failure> {
        parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn good_lines() {
        assert_eq!(read("").unwrap(), Request::Compare(Options::default()));
        assert_eq!(read("--runs 2 --help").unwrap(), Request::Help);
        assert_eq!(read("stateright --buffer 2").unwrap(), Request::Stateright { buffer: 2 });
        let Request::Compare(options) = read("--only spin,Stateright --runs 3 --out x").unwrap() else {
            panic!("a comparison was asked for")
        };
        assert!(options.wants("spin") && options.wants("stateright") && !options.wants("watchkeeper"));
        assert_eq!((options.runs, options.out), (3, PathBuf::from("x")));
    }

    #[test]
    fn zones_have_runs_of_their_own() {
        for (line, runs, rounds) in [
            ("--zones", 5, 5),
            ("--zones --runs 3", 3, 3),
            ("--runs 0 --zones", 0, 5),
            ("--zone-runs 2 --runs 0 --zones", 0, 2),
        ] {
            let Request::Compare(options) = read(line).unwrap() else { panic!("{line}: no comparison") };
            assert!(options.zones, "{line}");
            assert_eq!((options.runs, options.zone_rounds()), (runs, rounds), "{line}");
        }
        assert!(!Options::default().zones);
    }

    #[test]
    fn liveness_has_its_own_defaults() {
        let Request::Liveness(options) = read("--liveness").unwrap() else {
            panic!("liveness was asked for")
        };
        assert_eq!((options.buffer, options.runs), (8, 3));
        let Request::Liveness(options) = read("--buffer 2 --runs 1 --liveness --only spin").unwrap() else {
            panic!("liveness was asked for")
        };
        assert_eq!((options.buffer, options.runs), (2, 1));
        let task = Task { claim: Claim::WAVERS, buffer: 3, workers: 2 };
        assert_eq!(read("liveness p2 --buffer 3 --workers 2").unwrap(), Request::Live(task));
    }

    #[test]
    fn bad_lines_say_why() {
        for (line, why) in [
            ("--buffer 8", "from 1 to 7"),
            ("--buffer", "needs a value"),
            ("--only tlc", "no checker `tlc`"),
            ("--runs 0", "nothing to do"),
            ("--zones --zone-runs 0", "from 1 to 100"),
            ("--zones --zone-runs", "needs a value"),
            ("--zone-runs 3", "only with --zones"),
            ("--liveness --buffer 9", "from 1 to 8"),
            ("--liveness --zones", "of its own"),
            ("--liveness --only stateright,spin", "does not find cycles"),
            ("--liveness --runs 0", "nothing to do"),
            ("liveness p1", "p0|p2"),
            ("--reduction --zones", "of its own"),
            ("--fast", "Unknown option --fast"),
        ] {
            let failure = read(line).unwrap_err();
            assert!(failure.to_string().contains(why), "{line}: {failure}");
            assert_eq!(failure.code(), 150);
        }
    }
}
