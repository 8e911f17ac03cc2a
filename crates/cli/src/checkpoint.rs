//! The directory of checkpoints of a command: a file that a person can read says which program wrote it and what it was
//! told to search; the engines keep what they found beside it. Another program, another build of the same or another
//! command is refused.

use crate::command_line::words;
use crate::fleet::{self, FleetArgs};
use crate::inputs;
use crate::program::Program;
use clap::Args;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use watchkeeper::Problem;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper_disk::{ClaimedDirectory, DiskError, fingerprint, numbered_directories};
use watchkeeper_explore::Checkpoints;

/// The file that says what the checkpoints are of.
const RECORD: &str = "checkpoint.txt";
/// The most bytes of that file.
const LONGEST: u64 = 1 << 20;
/// The time between two checkpoints, if nobody says.
const EVERY: TimeSpan = TimeSpan(Duration::from_secs(300));

/// How long the processes of a search that was killed have to end too.
const GRACE: Duration = Duration::from_secs(2);

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
    /// The flags of several processes, if there were any.
    team: Option<String>,
    command: String,
}

impl CheckpointArgs {
    /// Flags by which the command of a checkpoint goes on with it.
    pub(crate) fn of(resumed: ResumedCheckpoints, every: Option<TimeSpan>) -> CheckpointArgs {
        let ResumedCheckpoints { checkpoints, command, .. } = resumed;
        let resumed = Some(Resumed { checkpoints, command });
        CheckpointArgs { checkpoint: None, checkpoint_every: every, resumed }
    }

    /// Begins the checkpoints of this command, or goes on with those of an earlier run, if there shall be any. Everything
    /// else about the command has been found to be right.
    /// Of several processes the supervisor does so first, and the others join it.
    pub(crate) fn begin(
        &self,
        program: &Program,
        command: &str,
        team: &FleetArgs,
    ) -> Result<Option<Checkpointing>, Problem> {
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
            (None, Some(dir)) if fleet::is_worker() => Arc::new(joined(program, dir, command)?),
            (None, Some(dir)) => Arc::new(fresh(program, dir, (command, team.again()))?),
            (None, None) if self.checkpoint_every.is_some() => {
                let why = "--checkpoint-every says how often, and nobody says where; add --checkpoint DIR";
                return Err(Problem::Usage(why.to_string()));
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Checkpointing { checkpoints, every }))
    }

    /// Whether there shall be checkpoints.
    pub(crate) fn is_given(&self) -> bool {
        self.checkpoint.is_some() || self.resumed.is_some()
    }

    /// Whether anything is said about checkpoints.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_given() || self.checkpoint_every.is_some()
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
fn fresh(
    program: &Program,
    dir: &Path,
    (command, team): (&str, Option<String>),
) -> Result<Checkpoints, Problem> {
    let directory = ClaimedDirectory::claim(dir).map_err(|why| refused(&why))?;
    let began = directory.has("search-1/committed") || !commits(dir).map_err(|why| refused(&why))?.is_empty();
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
    let record = Record { team, ..Record::own(program, command)? };
    directory.write(RECORD, &record.text()).map_err(|why| refused(&why))?;
    Ok(Checkpoints::new(directory, &record.identity()))
}

/// The checkpoints of this command in the directory that the supervisor of this process has claimed.
fn joined(program: &Program, dir: &Path, command: &str) -> Result<Checkpoints, Problem> {
    let record = Record::own(program, command)?;
    match Record::of(dir)? {
        found if found.identity() == record.identity() => Ok(Checkpoints::within(dir, &record.identity())),
        _ => Err(Problem::Usage(format!("{}: the checkpoints here are of another search", dir.display()))),
    }
}

/// When each process of several has committed last, in any search and run.
pub(crate) fn commits(dir: &Path) -> Result<Vec<(PathBuf, SystemTime)>, DiskError> {
    let mut all = Vec::new();
    for (_, search) in numbered_directories(dir, "search-")? {
        for (_, run) in numbered_directories(&search, "run-")? {
            for (_, worker) in numbered_directories(&run, "worker-")? {
                let path = worker.join("committed");
                if let Ok(when) = path.metadata().and_then(|data| data.modified()) {
                    all.push((path, when));
                }
            }
        }
    }
    Ok(all)
}

/// Checkpoints that an earlier run has left, and the command that they are of.
pub(crate) struct ResumedCheckpoints {
    checkpoints: Arc<Checkpoints>,
    pub(crate) command: String,
    /// The flags of several processes, those of now or else those of then.
    pub(crate) team: Option<String>,
}

/// The checkpoints in a directory, if this program has written them; with as many processes as these flags say, if they do.
pub(crate) fn resumed(
    program: &Program,
    dir: &Path,
    team: &FleetArgs,
) -> Result<ResumedCheckpoints, Problem> {
    let shown = dir.display();
    if !dir.join(RECORD).is_file() {
        return Err(Problem::Usage(format!(
            "{shown}: there is no checkpoint here\n  A search leaves one with: {} check PROTOCOL --checkpoint DIR",
            program.name
        )));
    }
    // What is claimed by this process is not read before.
    let directory = if fleet::is_worker() { None } else { Some(claimed(dir)?) };
    let mut record = Record::of(dir)?;
    let own = Record::own(program, &record.command)?;
    if (&own.program, &own.build) != (&record.program, &record.build) {
        return Err(Problem::Usage(format!(
            "{shown}: this checkpoint is of another program\n  It was written by {}, build {}; this is {}, build {}.\n  \
             Nothing was searched. Resume it with that program, or begin anew with: {}",
            record.program, record.build, own.program, own.build, record.command
        )));
    }
    if let Some(now) = team.again() {
        if record.team.is_none() {
            return Err(Problem::Usage(format!(
                "{shown}: this checkpoint is of a search in one process, which goes on in one\n  Nothing was searched. \
                 Leave --processes and --hosts out."
            )));
        }
        // What cannot be is not kept for the next time.
        if !fleet::is_worker() {
            team.plan()?;
        }
        record.team = Some(now);
        // The next time, nothing need be said.
        directory
            .iter()
            .try_for_each(|directory| directory.write(RECORD, &record.text()))
            .map_err(|why| refused(&why))?;
    }
    let identity = record.identity();
    let checkpoints = Arc::new(match directory {
        Some(directory) => Checkpoints::new(directory, &identity),
        None => Checkpoints::within(dir, &identity),
    });
    Ok(ResumedCheckpoints { checkpoints, command: record.command, team: record.team })
}

/// Claims the directory of a checkpoint. The processes of a search whose supervisor was killed have it for a moment still.
fn claimed(dir: &Path) -> Result<ClaimedDirectory, Problem> {
    let since = Instant::now();
    loop {
        match ClaimedDirectory::claim(dir) {
            Err(DiskError::InUse { .. })
                if since.elapsed() < GRACE && commits(dir).is_ok_and(|all| !all.is_empty()) =>
            {
                std::thread::sleep(GRACE / 100);
            }
            claimed => return claimed.map_err(|why| refused(&why)),
        }
    }
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
        Ok(Record { program, build, team: None, command: command.to_string() })
    }

    /// Of the checkpoint in a directory.
    fn of(dir: &Path) -> Result<Record, Problem> {
        let path = dir.join(RECORD);
        let text = inputs::text(&path, LONGEST).unwrap_or_default();
        Record::read(&text).ok_or_else(|| {
            Problem::Usage(format!(
                "{}: this is not as it was written\n  Nothing was searched. Use another copy of the checkpoint if there is \
                 one, or begin anew with another directory.",
                path.display()
            ))
        })
    }

    /// What must be the same when the search is resumed. The number of processes need not be.
    fn identity(&self) -> String {
        let Record { program, build, command, .. } = self;
        format!("program: {program}\nbuild: {build}\ncommand: {command}\n")
    }

    fn text(&self) -> String {
        let team = self.team.iter().map(|team| format!("team: {team}\n")).collect::<String>();
        let said = format!(
            "A checkpoint. It is resumed with the command `resume` and this directory, by the same build of the program.\n\n\
             {team}{}",
            self.identity()
        );
        format!("{said}checksum: {}\n", sum(&said))
    }

    fn read(text: &str) -> Option<Record> {
        let (said, last) = text.split_at_checked(text.rfind("checksum: ")?)?;
        if last != format!("checksum: {}\n", sum(said)) {
            return None;
        }
        // A value may go over several lines.
        let (head, command) = said.split_once("\ncommand: ")?;
        let line = |name: &str| Some(head.lines().find_map(|line| line.strip_prefix(name))?.to_string());
        let (program, build, team) = (line("program: ")?, line("build: ")?, line("team: "));
        Some(Record { program, build, team, command: command.strip_suffix('\n')?.to_string() })
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
        let team = Some("--processes 3".to_string());
        let record = Record { program: "watchkeeper 0.1.0".into(), build: "1-2".into(), team, command };
        let text = record.text();
        let read = Record::read(&text).expect("the same text");
        assert_eq!((read.identity(), &read.team), (record.identity(), &record.team));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).expect("ASCII");
            assert!(Record::read(&changed).is_none(), "byte {at}");
        }
        assert!(Record::read("").is_none());
    }
}
