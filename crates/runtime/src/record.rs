//! Writes the recording of a node: one line of JSON for each step, before the messages of the step leave. So every step that
//! others have seen is in the file, even if the node is killed the moment after. Recording never changes the steps of the
//! node; if the file cannot be written, the recording ends and the node goes on.

use crate::hosted::Host;
use crate::outbox::{Outbox, Sending};
use crate::recording_line::{
    EndLine, HeaderLine, HexBytes, InputLine, RECORDING_MARK, RECORDING_VERSION, SendLine, StallLine,
    StepLine,
};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use watchkeeper_core::Pid;

/// What a recording says of the node before its first step, so that a reader can build the model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedModel {
    /// The protocol, as the command line calls it.
    pub protocol: String,
    /// The number that `--n` would have.
    pub n: usize,
    /// The settings of the model by their names on the command line; a parameter is `param.NAME`.
    pub settings: Vec<(String, String)>,
}

/// The file of a recording that has not begun yet.
#[derive(Debug)]
pub struct RunRecorder {
    /// None once the recording has begun.
    file: Option<File>,
    path: PathBuf,
    about: RecordedModel,
}

impl RunRecorder {
    /// Creates the file, which must not be there yet.
    pub fn create(path: impl AsRef<Path>, about: RecordedModel) -> io::Result<RunRecorder> {
        let path = path.as_ref();
        let file = File::create_new(path)?;
        Ok(RunRecorder { file: Some(file), path: path.to_path_buf(), about })
    }

    /// Writes to a file that is open already.
    pub fn onto(file: File, about: RecordedModel) -> RunRecorder {
        RunRecorder { file: Some(file), path: PathBuf::new(), about }
    }

    pub(crate) fn begin(mut self, node: &Identity<'_>) -> io::Result<RecordingWriter> {
        let file = self.file.take().ok_or(io::ErrorKind::NotFound)?;
        let path = std::mem::take(&mut self.path);
        let mut recording = RecordingWriter { file, path, line: Vec::with_capacity(4096) };
        recording.write(&self.about.header(node))?;
        Ok(recording)
    }
}

/// A node that never began leaves no empty file behind.
impl Drop for RunRecorder {
    fn drop(&mut self) {
        if self.file.is_some() && !self.path.as_os_str().is_empty() {
            // If it cannot be removed, it is empty all the same.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Who records.
pub(crate) struct Identity<'a> {
    pub(crate) me: Pid,
    pub(crate) incarnation: u64,
    pub(crate) cluster: &'a str,
    pub(crate) tick: u64,
}

/// The input of a step, with the details that only the runtime knows.
pub(crate) enum StepInput<'a> {
    Start,
    Receive { from: Pid, incarnation: u64, number: u64, msg: &'a [u8] },
    Fire { slot: usize, timer: &'a str, due: u64 },
    Call { call: Vec<u8> },
}

/// A recording that goes on.
#[derive(Debug)]
pub(crate) struct RecordingWriter {
    file: File,
    pub(crate) path: PathBuf,
    line: Vec<u8>,
}

impl RecordingWriter {
    /// Takes down one step. `numbers` are those of its messages, in order; `None` for one that cannot be sent.
    pub(crate) fn step(
        &mut self,
        me: Pid,
        at: u64,
        input: &StepInput<'_>,
        outbox: &Outbox,
        numbers: &[Option<u64>],
        host: &dyn Host,
    ) -> io::Result<()> {
        let (outputs, labels): (Vec<HexBytes>, Vec<String>) = (0..host.outputs())
            .map(|i| host.written(i))
            .map(|(bytes, label)| (HexBytes(bytes), label))
            .unzip();
        let send = |(sending, number): (&Sending, &Option<u64>)| SendLine {
            to: sending.to,
            number: *number,
            reply: sending.reply,
            msg: HexBytes(outbox.message(sending).to_vec()),
        };
        let mut action = action(me, input, outbox, host);
        labels.iter().for_each(|label| action.push_str(&format!(", {label}")));
        self.write(&StepLine {
            at,
            input: input.line(),
            picks: outbox.picks.clone(),
            sends: outbox.sends.iter().zip(numbers).map(send).collect(),
            outputs,
            state: HexBytes(host.packed_state().unwrap_or_default()),
            action,
        })
    }

    /// Takes down that the node was stalled.
    pub(crate) fn stall(&mut self, at: u64, lasted: u64) -> io::Result<()> {
        self.write(&StallLine { at, stall: lasted })
    }

    /// Takes down that the node ends as it was told to.
    pub(crate) fn end(&mut self, at: u64, how: &str) -> io::Result<()> {
        self.write(&EndLine { at, end: how.to_string() })
    }

    /// Writes a line whole: what is in the file after a crash is complete but for its end.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }
}

impl RecordedModel {
    fn header(&self, node: &Identity<'_>) -> HeaderLine {
        HeaderLine {
            watchkeeper: RECORDING_MARK.to_string(),
            version: RECORDING_VERSION,
            protocol: self.protocol.clone(),
            n: self.n as u64,
            process: node.me,
            incarnation: node.incarnation,
            cluster: node.cluster.to_string(),
            clock: crate::clock::name(),
            tick: node.tick,
            settings: self.settings.clone(),
        }
    }
}

impl StepInput<'_> {
    fn line(&self) -> InputLine {
        match self {
            StepInput::Start => InputLine::Start,
            StepInput::Receive { from, incarnation, number, msg } => InputLine::Receive {
                from: *from,
                incarnation: *incarnation,
                number: *number,
                msg: HexBytes(msg.to_vec()),
            },
            StepInput::Fire { slot, timer, due } => {
                InputLine::Fire { slot: *slot, timer: timer.to_string(), due: *due }
            }
            StepInput::Call { call } => InputLine::Call { call: HexBytes(call.clone()) },
        }
    }
}

/// The input and the messages of a step, as a person reads them.
fn action(me: Pid, input: &StepInput<'_>, outbox: &Outbox, host: &dyn Host) -> String {
    let mut text = match input {
        StepInput::Start => format!("{me} starts"),
        StepInput::Receive { from, msg, .. } => format!("{me} receives {} from {from}", host.label(msg)),
        StepInput::Fire { timer, .. } => format!("{me}: {timer} fires"),
        StepInput::Call { .. } => format!("{me} is asked"),
    };
    for sending in &outbox.sends {
        text.push_str(&format!(", sends {} to {}", host.label(outbox.message(sending)), sending.to));
    }
    text
}
