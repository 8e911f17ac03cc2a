//! The directory of checkpoints of a command: a file that a person can read says which program wrote it and what it was
//! told to search; the engines keep what they found beside it. Another program, another build of the same or another
//! command is refused.

use crate::command_line::words;
use crate::program::Program;
use clap::Args;
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper_disk::{ClaimedDirectory, DiskError, fingerprint};
use watchkeeper_explore::Checkpoints;

/// The file that says what the checkpoints are of.
const RECORD: &str = "checkpoint.txt";
/// The time between two checkpoints, if nobody says.
const EVERY: TimeSpan = TimeSpan(Duration::from_secs(300));

/// The flags that say where states are kept, which a journal does not depend on.
pub(crate) const STORE: [&str; 2] = ["--store", "--max-disk"];

/// The flags of commands whose searches can leave checkpoints.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CheckpointArgs {
    /// Leave checkpoints in this directory, from which `resume` goes on after a kill or a limit
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// The time between two checkpoints [default: 5min]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub(crate) checkpoint_every: Option<TimeSpan>,

    /// The checkpoints that a command goes on with.
    #[arg(skip)]
    resumed: Option<Resumed>,
}

#[derive(Clone, Debug)]
struct Resumed {
    checkpoints: Arc<Checkpoints>,
    command: String,
}

/// Where the searches of a command leave checkpoints, and how often.
#[derive(Clone, Debug)]
pub(crate) struct Checkpointing {
    pub(crate) checkpoints: Arc<Checkpoints>,
    pub(crate) every: TimeSpan,
}

/// Who wrote a checkpoint, and of what.
struct Record {
    program: String,
    build: String,
    command: String,
}

impl CheckpointArgs {
    /// Flags by which the command of a checkpoint goes on with it.
    pub(crate) fn of(resumed: ResumedCheckpoints, every: Option<TimeSpan>) -> CheckpointArgs {
        let ResumedCheckpoints { checkpoints, command } = resumed;
        let resumed = Some(Resumed { checkpoints, command });
        CheckpointArgs { checkpoint: None, checkpoint_every: every, resumed }
    }

    /// Begins the checkpoints of this command, or goes on with those of an earlier run, if there shall be any. Everything
    /// else about the command has been found to be right.
    pub(crate) fn begin(&self, program: &Program, command: &str) -> Result<Option<Checkpointing>, Problem> {
        let every = self.checkpoint_every.unwrap_or(EVERY);
        let checkpoints = match (&self.resumed, &self.checkpoint) {
            (Some(resumed), _) if same(&resumed.command, command) => Arc::clone(&resumed.checkpoints),
            (Some(resumed), _) => {
                return Err(Problem::Usage(format!(
                    "the command of the checkpoint means something else now\n  It was: {}\n  It is:  {command}\n  Nothing \
                     was searched. Begin anew with another directory.",
                    resumed.command
                )));
            }
            (None, Some(dir)) => Arc::new(fresh(program, dir, command)?),
            (None, None) if self.checkpoint_every.is_some() => {
                let why = "--checkpoint-every says how often, and nobody says where; add --checkpoint DIR";
                return Err(Problem::Usage(why.to_string()));
            }
            (None, None) => return Ok(None),
        };
        // A limit on the size of files is then the error of a write, and does not end the process.
        let _ = flag::register(SIGXFSZ, Arc::default());
        Ok(Some(Checkpointing { checkpoints, every }))
    }

    /// Whether anything is said about checkpoints.
    pub(crate) fn is_asked(&self) -> bool {
        self.checkpoint.is_some() || self.resumed.is_some() || self.checkpoint_every.is_some()
    }

    /// Refuses checkpoints of a command that searches more than one space or in other ways.
    pub(crate) fn refuse(&self, what: &str) -> Result<(), Problem> {
        if !self.is_asked() {
            return Ok(());
        }
        Err(Problem::Usage(format!(
            "{what} leaves no checkpoints; leave --checkpoint out, or search a single model\n  Nothing was searched."
        )))
    }
}

/// The options without the limits that may differ when a search is resumed.
pub(crate) fn unlimited(options: &SearchOptions) -> SearchOptions {
    let mut options = options.clone();
    let settings = &mut options.settings;
    (settings.timeout, settings.max_memory, settings.workers) = (None, None, None);
    options
}

/// Checkpoints of this command in a directory in which there are none.
fn fresh(program: &Program, dir: &Path, command: &str) -> Result<Checkpoints, Problem> {
    let directory = ClaimedDirectory::claim(dir).map_err(|why| refused(&why))?;
    let began = directory.has("search-1/committed");
    if began || !directory.has(RECORD) && !directory.is_empty().map_err(|why| refused(&why))? {
        let (name, shown) = (&program.name, dir.display());
        let what = if began { "holds a checkpoint" } else { "holds other files" };
        let resume =
            if began { format!("Go on with it: {name} resume {shown}; or name") } else { "Name".into() };
        return Err(Problem::Usage(format!(
            "--checkpoint {shown}: this directory {what}\n  Nothing was searched. {resume} a directory that is empty or \
             not there yet."
        )));
    }
    let record = Record::own(program, command)?;
    directory.write(RECORD, &record.text()).map_err(|why| refused(&why))?;
    Ok(Checkpoints::new(directory, &record.identity()))
}

/// Checkpoints that an earlier run has left, and the command that they are of.
pub(crate) struct ResumedCheckpoints {
    checkpoints: Arc<Checkpoints>,
    pub(crate) command: String,
}

/// The checkpoints in a directory, if this program has written them.
pub(crate) fn resumed(program: &Program, dir: &Path) -> Result<ResumedCheckpoints, Problem> {
    let shown = dir.display();
    if !dir.join(RECORD).is_file() {
        return Err(Problem::Usage(format!(
            "{shown}: there is no checkpoint here\n  A search leaves one with: {} check PROTOCOL --checkpoint DIR",
            program.name
        )));
    }
    let directory = ClaimedDirectory::claim(dir).map_err(|why| refused(&why))?;
    let text = directory.read(RECORD).map_err(|why| refused(&why))?.unwrap_or_default();
    let record = Record::read(&text).ok_or_else(|| {
        Problem::Usage(format!(
            "{}: this is not as it was written\n  Nothing was searched. Use another copy of the checkpoint if there is \
             one, or begin anew with another directory.",
            dir.join(RECORD).display()
        ))
    })?;
    let own = Record::own(program, &record.command)?;
    if (&own.program, &own.build) != (&record.program, &record.build) {
        return Err(Problem::Usage(format!(
            "{shown}: this checkpoint is of another program\n  It was written by {}, build {}; this is {}, build {}.\n  \
             Nothing was searched. Resume it with that program, or begin anew with: {}",
            record.program, record.build, own.program, own.build, record.command
        )));
    }
    let checkpoints = Arc::new(Checkpoints::new(directory, &record.identity()));
    Ok(ResumedCheckpoints { checkpoints, command: record.command })
}

impl Record {
    /// Of this program.
    fn own(program: &Program, command: &str) -> Result<Record, Problem> {
        let unknown = |why: std::io::Error| {
            let why =
                format!("a checkpoint names the program that wrote it, and this one cannot be read: {why}");
            Problem::Usage(format!("{why}\n  Nothing was searched. Leave --checkpoint out."))
        };
        // The file may have been replaced since this program was started; the link still leads to what runs.
        let path = Path::new("/proc/self/exe");
        let path =
            if path.exists() { path.to_path_buf() } else { std::env::current_exe().map_err(unknown)? };
        let build = File::open(path).and_then(fingerprint).map_err(unknown)?;
        let program = format!("{} {}", program.name, env!("CARGO_PKG_VERSION"));
        Ok(Record { program, build, command: command.to_string() })
    }

    /// What must be the same when the search is resumed.
    fn identity(&self) -> String {
        let Record { program, build, command } = self;
        format!("program: {program}\nbuild: {build}\ncommand: {command}\n")
    }

    fn text(&self) -> String {
        let said = format!(
            "A checkpoint. It is resumed with the command `resume` and this directory, by the same build of the program.\n\n{}",
            self.identity()
        );
        format!("{said}checksum: {}\n", sum(&said))
    }

    fn read(text: &str) -> Option<Record> {
        let (said, last) = text.split_at_checked(text.rfind("checksum: ")?)?;
        if last != format!("checksum: {}\n", sum(said)) {
            return None;
        }
        let line = |name: &str| Some(said.lines().find_map(|line| line.strip_prefix(name))?.to_string());
        let (program, build) = (line("program: ")?, line("build: ")?);
        // A value may go over several lines.
        let (_, command) = said.split_once("\ncommand: ")?;
        Some(Record { program, build, command: command.strip_suffix('\n')?.to_string() })
    }
}

fn sum(text: &str) -> String {
    fingerprint(text.as_bytes()).expect("a text can be read")
}

/// Whether two command lines are the same but for the name by which the program was called and for the store of the states.
fn same(one: &str, other: &str) -> bool {
    let rest = |line: &str| Some(without(words(line)?.into_iter().skip(1).collect(), &STORE));
    one == other || rest(one).is_some_and(|one| rest(other) == Some(one))
}

/// The words of a command line without these flags and their values.
pub(crate) fn without(words: Vec<String>, flags: &[&str]) -> Vec<String> {
    let (mut kept, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        if flags.contains(&word.as_str()) {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept
}

fn refused(why: &DiskError) -> Problem {
    Problem::Usage(format!("{why}\n  Nothing was searched. Name another directory, or see to this one."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_only_then() {
        let command = "watchkeeper check ring --ltl '[](a\n& b)'".to_string();
        let record = Record { program: "watchkeeper 0.1.0".into(), build: "1-2".into(), command };
        let text = record.text();
        let read = Record::read(&text).expect("the same text");
        assert_eq!(read.identity(), record.identity());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).expect("ASCII");
            assert!(Record::read(&changed).is_none(), "byte {at}");
        }
        assert!(Record::read("").is_none());
    }
}
