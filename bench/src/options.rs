//! The command line: what it may say, and its help.

use crate::failure::Failure;
use crate::host;
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
  --out DIR      where the results go [default: bench/results]
  --host NAME    the machine's name in the results [default: its host name]
  -h, --help     this text

Results: DATE-HOST.md with the tables, DATE-HOST.json with every single run. Spin is installed with apt-get
when it is missing.

Exit code: 0 when all checkers agree, 150 for a bad command line, 1 for everything else.
";

const DEFAULT_RUNS: usize = 5;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print the help text.
    Help,
    /// Run the comparison.
    Compare(Options),
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
            buffer: 6,
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
    let mut options = Options::default();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Failure::Usage(format!("{word} needs a value.")));
        match word.as_str() {
            "-h" | "--help" => return Ok(Request::Help),
            "--buffer" => options.buffer = buffer(&value()?)?,
            "--runs" => options.runs = runs(&value()?)?,
            "--only" => options.only = only(&value()?)?,
            "--large" => options.large = true,
            "--zones" => options.zones = true,
            "--zone-runs" => options.zone_runs = Some(zone_runs(&value()?)?),
            "--out" => options.out = value()?.into(),
            "--host" => options.host = Some(value()?),
            _ => return Err(Failure::Usage(format!("Unknown option {word}."))),
        }
    }
    if child {
        return Ok(Request::Stateright { buffer: options.buffer });
    }
    if options.runs == 0 && !options.large && !options.zones {
        return Err(Failure::Usage("--runs 0 without --large or --zones leaves nothing to do.".into()));
    }
    if options.zone_runs.is_some() && !options.zones {
        return Err(Failure::Usage("--zone-runs has a meaning only with --zones.".into()));
    }
    Ok(Request::Compare(options))
}

/// With more, Spin rounds its counts.
fn buffer(word: &str) -> Result<u8, Failure> {
    match word.parse() {
        Ok(size @ 1..=7) if size <= Ring::MAX_BUFFER => Ok(size),
        _ => Err(Failure::Usage(format!("--buffer {word}: a number from 1 to 7 is needed."))),
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
    fn bad_lines_say_why() {
        for (line, why) in [
            ("--buffer 8", "from 1 to 7"),
            ("--buffer", "needs a value"),
            ("--only tlc", "no checker `tlc`"),
            ("--runs 0", "nothing to do"),
            ("--zones --zone-runs 0", "from 1 to 100"),
            ("--zones --zone-runs", "needs a value"),
            ("--zone-runs 3", "only with --zones"),
            ("--fast", "Unknown option --fast"),
        ] {
            let failure = read(line).unwrap_err();
            assert!(failure.to_string().contains(why), "{line}: {failure}");
            assert_eq!(failure.code(), 150);
        }
    }
}
