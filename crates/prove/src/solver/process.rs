//! A solver's process on pipes. Each pipe has a thread of its own, so that no full pipe blocks anybody, and nobody
//! waits for the process beyond a deadline. It knows expressions, and not what they mean.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::group::ProcessGroup;
use crate::sexpr::{Sexpr, SexprError, SexprReader};

/// How many expressions may wait to be taken; after that the process has to wait.
const WAITING: usize = 256;

/// How much is kept of what the process complains of: its last words.
const COMPLAINTS: usize = 2000;

/// How long a process that closed its output may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A process that reads and writes expressions. It ends, at the latest, when this is dropped.
#[derive(Debug)]
pub(super) struct SolverProcess {
    group: ProcessGroup,
    input: Option<Sender<String>>,
    output: Receiver<ProcessEvent>,
    complaints: Receiver<String>,
}

/// What a process did next.
#[derive(Debug)]
pub(super) enum ProcessEvent {
    /// It wrote an expression.
    Said(Sexpr),
    /// It wrote something else. Nothing more is read from it.
    Garbled(SexprError),
    /// It wrote its last.
    Closed,
    /// It did nothing until the deadline.
    Late,
}

impl SolverProcess {
    pub fn start(path: &Path, arguments: &[String]) -> io::Result<SolverProcess> {
        let mut command = Command::new(path);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = ProcessGroup::start(&mut command)?;
        let child = group.leader();
        let (input, texts) = mpsc::channel();
        let (events, output) = mpsc::sync_channel(WAITING);
        let (words, complaints) = mpsc::channel();
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on a failure drops the process, and so ends it.
        let process = SolverProcess { group, input: Some(input), output, complaints };
        if let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) {
            let named = |role: &str| thread::Builder::new().name(format!("solver {role}"));
            named("input").spawn(move || write(stdin, &texts))?;
            named("output").spawn(move || read(stdout, &events))?;
            named("errors").spawn(move || listen(stderr, &words))?;
        }
        Ok(process)
    }

    /// Hands over what the process shall read. It is not known whether it ever does.
    pub fn send(&self, text: String) {
        if let Some(input) = &self.input {
            // The other end is gone only if the process is, which shows when it is listened to.
            let _ = input.send(text);
        }
    }

    /// The process has been told everything.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// What the process does next. Without a deadline it has all the time in the world.
    pub fn next(&mut self, deadline: Option<Instant>) -> ProcessEvent {
        let Some(deadline) = deadline else { return self.output.recv().unwrap_or(ProcessEvent::Closed) };
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => ProcessEvent::Late,
            Err(RecvTimeoutError::Disconnected) => ProcessEvent::Closed,
        }
    }

    /// How the process ended and what it complained of, for one that closed its output.
    pub fn last_words(&mut self) -> String {
        let status = self.ending().map_or("it closed its output".to_string(), |status| status.to_string());
        let complaints = self.complaints.recv_timeout(LAST_WORDS).unwrap_or_default();
        let complaints = complaints.trim();
        if complaints.is_empty() { status } else { format!("{status}: {complaints}") }
    }

    /// What became of a process that closed its output, unless it ended well.
    pub fn failure(&mut self) -> Option<String> {
        let ended_well = self.ending().is_some_and(|status| status.success());
        (!ended_well).then(|| self.last_words())
    }

    /// How the process ended. Between closing its output and its end is a moment, which is waited for.
    fn ending(&mut self) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.group.ended() {
                None if begun.elapsed() < LAST_WORDS => thread::sleep(Duration::from_millis(1)),
                status => return status,
            }
        }
    }

    /// Its number in the operating system.
    #[cfg(test)]
    pub fn id(&self) -> u32 {
        self.group.id()
    }
}

/// The beginning of what a program writes when it is called with these arguments, if it ends in time.
pub(super) fn words(path: &Path, arguments: &[&str], limit: Duration) -> io::Result<String> {
    let mut command = Command::new(path);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut group = ProcessGroup::start(&mut command)?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = group.leader().stdout.take() {
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.take(64 * 1024).read_to_end(&mut text);
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
        });
    }
    let text = receiver.recv_timeout(limit);
    group.end();
    text.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, format!("no answer in {} s", limit.as_secs())))
}

fn write(mut stdin: ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(mut stdout: ChildStdout, events: &SyncSender<ProcessEvent>) {
    let mut reader = SexprReader::new();
    let mut found = Vec::new();
    let mut piece = [0; 8192];
    loop {
        let outcome = match stdout.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(length) => reader.feed(&piece[..length], &mut found),
        };
        for expression in found.drain(..) {
            if events.send(ProcessEvent::Said(expression)).is_err() {
                return;
            }
        }
        if let Err(fault) = outcome {
            let _ = events.send(ProcessEvent::Garbled(fault));
            return;
        }
    }
    let last = match reader.finish() {
        Ok(None) => ProcessEvent::Closed,
        Ok(Some(expression)) => ProcessEvent::Said(expression),
        Err(fault) => ProcessEvent::Garbled(fault),
    };
    let _ = events.send(last);
}

fn listen(mut stderr: ChildStderr, words: &Sender<String>) {
    let mut kept: Vec<u8> = Vec::new();
    let mut piece = [0; 1024];
    loop {
        match stderr.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(length) => kept.extend_from_slice(&piece[..length]),
        }
        if kept.len() > COMPLAINTS {
            kept.drain(..kept.len() - COMPLAINTS);
        }
    }
    let _ = words.send(String::from_utf8_lossy(&kept).into_owned());
}
