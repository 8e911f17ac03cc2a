//! Recordings as files: one line of JSON that says who records, and one for each step. The reader believes
//! nothing that it cannot read, and says in which line; only a last line that was cut off, as when a node is
//! killed while it writes, is left out with a warning.

mod end;
mod header;
mod line;
mod write;

pub(crate) use end::{RecordingEnd, ends};
pub(crate) use header::RecordingHeader;
pub(crate) use write::write;

use crate::inputs;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::{MAX_PROCESSES, Pid, RecordedInput, RecordedStep, Recording};

/// The most that is read of a recording that is no ordinary file: it may have no end.
const LARGEST: u64 = 1 << 30;

/// What every recording has in its first line, in this form or with spaces.
const MARK: &str = "\"watchkeeper\"";

/// The recordings of a run, which agree in what they are recordings of.
#[derive(Debug)]
pub(crate) struct Recordings {
    pub(crate) header: RecordingHeader,
    /// The file that the header is from.
    pub(crate) path: PathBuf,
    pub(crate) list: Vec<Recording>,
    pub(crate) warnings: Vec<String>,
}

/// Reads recordings: files, and directories that have some among other files.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Recordings, Problem> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() { files.extend(found(path, &mut skipped)?) } else { files.push(path.clone()) }
    }
    let mut all: Option<Recordings> = None;
    let mut known: BTreeMap<(Pid, u64), PathBuf> = BTreeMap::new();
    for path in files {
        let most = if path.is_file() { u64::MAX } else { LARGEST };
        let text = inputs::whole(&path, most).map_err(|why| unreadable(&path, &why))?;
        let mut warnings = std::mem::take(&mut skipped);
        let (header, recording) = parse(&path, &text, &mut warnings)?;
        if let Some(far) = heard_of(&recording).find(|process| process.index() >= MAX_PROCESSES) {
            let path = path.display();
            return Err(Problem::Usage(format!(
                "{path} names {far}, and a model has at most {MAX_PROCESSES} processes, p0 to p{}; replay runs of smaller \
                 clusters",
                MAX_PROCESSES - 1
            )));
        }
        if let Some(other) = known.insert((recording.process, recording.incarnation), path.clone()) {
            let why = format!(
                "{} and {} are recordings of the same incarnation of {}; leave one of them out",
                other.display(),
                path.display(),
                recording.process
            );
            return Err(Problem::Usage(why));
        }
        match &mut all {
            None => all = Some(Recordings { header, path, list: vec![recording], warnings }),
            Some(all) => {
                if let Some(difference) = all.header.difference(&header) {
                    let (one, other) = (all.path.display(), path.display());
                    let why = format!(
                        "{one} and {other} are not recordings of one run: they differ in {difference}; replay \
                         them apart"
                    );
                    return Err(Problem::Usage(why));
                }
                all.list.push(recording);
                all.warnings.extend(warnings);
            }
        }
    }
    let mut all = all.ok_or_else(|| {
        Problem::Usage("name the recordings of a run, or the directory that they are in".to_string())
    })?;
    // Nobody knew how many would join.
    if all.header.name.is_some() {
        let heard = all.list.iter().flat_map(heard_of).map(|process| process.index() as u64 + 1);
        all.header.n = heard.max().unwrap_or(0).max(2);
    }
    Ok(all)
}

/// The recordings in a directory, by name.
fn found(dir: &Path, skipped: &mut Vec<String>) -> Result<Vec<PathBuf>, Problem> {
    let entries = fs::read_dir(dir).map_err(|why| unreadable(dir, &why))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|why| unreadable(dir, &why))?.path());
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        // A directory among recordings is nothing unusual; a pipe could be meant for one.
        let kind = fs::metadata(&path).map(|known| inputs::other_than_a_file(known.file_type()));
        match kind {
            Ok(None) => match is_one(&path) {
                Ok(true) => files.push(path),
                Ok(false) => {}
                Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
                    skipped.push(format!("{} cannot be read, and is left out: {why}", path.display()));
                }
                Err(why) => return Err(unreadable(&path, &why)),
            },
            Ok(Some("a directory")) => {}
            Ok(Some(what)) => skipped.push(format!("{} is {what}, and left out", path.display())),
            Err(why) => skipped.push(format!("{} cannot be read, and is left out: {why}", path.display())),
        }
    }
    match files.is_empty() {
        true => Err(Problem::Usage(format!(
            "there is no recording in {}; nodes write them if they are told to record{}",
            dir.display(),
            skipped.iter().map(|why| format!("\n  {why}")).collect::<String>()
        ))),
        false => Ok(files),
    }
}

/// Every process that a recording names.
pub(crate) fn heard_of(recording: &Recording) -> impl Iterator<Item = Pid> {
    let of_step = |step: &RecordedStep| {
        let from = match &step.input {
            RecordedInput::Receive { from, .. } => Some(*from),
            _ => None,
        };
        step.sends.iter().map(|send| send.to).chain(from).max()
    };
    [recording.process].into_iter().chain(recording.steps.iter().filter_map(of_step))
}

fn is_one(path: &Path) -> io::Result<bool> {
    let mut start = [0; 64];
    let read = inputs::ordinary_file(path)?.read(&mut start)?;
    let start = String::from_utf8_lossy(&start[..read]);
    Ok(start.starts_with('{') && start.contains(MARK) && start.contains("recording"))
}

fn unreadable(path: &Path, why: &std::io::Error) -> Problem {
    Problem::Usage(format!("cannot read the recording {}: {why}", path.display()))
}

/// The recording in the text of a file.
pub(crate) fn parse(
    path: &Path,
    text: &[u8],
    warnings: &mut Vec<String>,
) -> Result<(RecordingHeader, Recording), Problem> {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    let refused = |line: usize, why: String| Problem::Value {
        origin: SettingOrigin::Argument(format!("{}, line {}", path.display(), line + 1)),
        why,
    };
    let (_, first) = lines.next().ok_or_else(|| {
        refused(0, "the file is empty; a node that has started writes at least one line".to_string())
    })?;
    let header = RecordingHeader::parse(first).map_err(|why| refused(0, why))?;
    let mut recording = Recording {
        process: header.process,
        incarnation: header.incarnation,
        clock: header.clock.clone(),
        steps: Vec::new(),
        stalls: Vec::new(),
        ended: None,
    };
    for (at, bytes) in lines {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match line::parse(bytes) {
            Ok(line) => line.add_to(&mut recording).map_err(|why| refused(at, why))?,
            Err(_) if !bytes.ends_with(b"\n") => {
                warnings.push(format!("{}, line {}: cut off, and left out", path.display(), at + 1));
            }
            Err(why) => return Err(refused(at, why)),
        }
    }
    Ok((header, recording))
}

#[cfg(test)]
mod tests;
