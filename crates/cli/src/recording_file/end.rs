//! The ends of recordings that are still being written. However long a node has run, no more is read than what is asked for.

use super::header::RecordingHeader;
use super::line;
use crate::inputs;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use watchkeeper_core::Recording;

/// How much of the end is read at first. If that does not go back far enough, four times as much, up to [`MOST`].
const BLOCK: u64 = 1 << 16;

/// The most that is read of one recording.
const MOST: u64 = 1 << 24;

/// The longest first lines that are believed.
const LONGEST: u64 = 1 << 20;

/// The end of a recording.
pub(crate) struct RecordingEnd {
    pub(crate) path: PathBuf,
    pub(crate) header: RecordingHeader,
    /// When the incarnation began, if it has.
    pub(crate) began: Option<u64>,
    /// Its last steps.
    pub(crate) recording: Recording,
}

/// The ends of all recordings in a directory, by name: the steps since a moment of their clocks, or somewhat more.
pub(crate) fn ends(dir: &Path, since: u64) -> io::Result<Vec<RecordingEnd>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ndjson"));
    paths.sort();
    paths.into_iter().filter_map(|path| end(path, since).transpose()).collect()
}

/// The end of one; `None` as long as its first line is not written.
fn end(path: PathBuf, since: u64) -> io::Result<Option<RecordingEnd>> {
    let mut file = inputs::ordinary_file(&path)?;
    let (mut head, mut first) = (Vec::new(), Vec::new());
    let mut reader = BufReader::new((&mut file).take(LONGEST));
    reader.read_until(b'\n', &mut head)?;
    reader.read_until(b'\n', &mut first)?;
    if !head.ends_with(b"\n") {
        return Ok(None);
    }
    let header = RecordingHeader::parse(&head).map_err(io::Error::other)?;
    let empty = Recording {
        process: header.process,
        incarnation: header.incarnation,
        clock: header.clock.clone(),
        steps: Vec::new(),
        stalls: Vec::new(),
        ended: None,
    };
    let began = added(empty.clone(), &first).steps.first().map(|step| step.at);
    let (head, length) = (head.len() as u64, file.metadata()?.len());
    let mut block = BLOCK;
    loop {
        let from = length.saturating_sub(block).max(head);
        file.seek(SeekFrom::Start(from))?;
        let mut text = Vec::new();
        (&mut file).take(length.saturating_sub(from)).read_to_end(&mut text)?;
        // In the middle of a line the rest of it says nothing.
        let rest =
            if from == head { 0 } else { text.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
        let recording = added(empty.clone(), &text[rest..]);
        let enough = recording.steps.first().is_some_and(|step| step.at < since);
        if enough || from == head || block >= MOST {
            return Ok(Some(RecordingEnd { path, header, began, recording }));
        }
        block *= 4;
    }
}

/// A recording with these lines. A last line that is not whole is still being written.
fn added(mut recording: Recording, text: &[u8]) -> Recording {
    let lines = text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    for line in lines.filter_map(|line| line::parse(line).ok()) {
        // What comes after its end is none of it.
        let _ = line.add_to(&mut recording);
    }
    recording
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn of_a_long_recording_only_the_end_is_read_and_a_line_that_is_being_written_is_left_out() {
        let dir = crate::files::fresh_directory(&std::env::temp_dir(), "ends").expect("a directory");
        let mut file = fs::File::create(dir.join("p1-1.ndjson")).expect("a file");
        assert!(ends(&dir, 0).expect("nothing yet").is_empty());
        let head = r#"{"watchkeeper":"recording","version":1,"protocol":"ring","n":3,"process":1,"incarnation":"7","cluster":"c","clock":"boot","tick":1000,"settings":{}}"#;
        let step =
            |at: u64| format!(r#"{{"at":{at},"in":"fire","slot":0,"timer":"Round","due":{at},"state":""}}"#);
        let lines: Vec<String> = (1..=10_000).map(step).collect();
        write!(file, "{head}\n{}\n{{\"at\":10001,\"in\":", lines.join("\n")).expect("written");
        let read = |since| ends(&dir, since).expect("an end").remove(0);
        let end = read(9_990);
        assert_eq!((end.began, end.header.process.index()), (Some(1), 1));
        let (first, last) = (&end.recording.steps[0], &end.recording.steps[end.recording.steps.len() - 1]);
        assert!(first.at > 8_000 && first.at < 9_990 && last.at == 10_000, "{} to {}", first.at, last.at);
        assert_eq!(read(0).recording.steps.len(), 10_000);
        fs::remove_dir_all(dir).expect("removed");
    }
}
