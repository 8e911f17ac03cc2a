//! Takes down what a node does, one line of JSON for each step, before its messages leave: whatever others
//! have seen of it is in the file, even if it is killed the moment after. It never changes what the node does;
//! if the file cannot be written, the recording ends and the node goes on.

use crate::hosted::Host;
use crate::outbox::{Outbox, Sending};
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
        recording.head(&self.about, node);
        recording.write()?;
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

/// What a step reacted to, with what only the runtime knows of it.
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
        let outputs: Vec<(Vec<u8>, String)> = (0..host.outputs()).map(|i| host.written(i)).collect();
        self.put(&format!("{{\"at\":{at},"));
        self.input(input);
        if !outbox.picks.is_empty() {
            let picks: Vec<String> = outbox.picks.iter().map(usize::to_string).collect();
            self.put(&format!(",\"picks\":[{}]", picks.join(",")));
        }
        for (i, (sending, number)) in outbox.sends.iter().zip(numbers).enumerate() {
            self.put(if i == 0 { ",\"sends\":[" } else { "," });
            self.send(outbox, sending, *number);
        }
        self.put(if outbox.sends.is_empty() { "" } else { "]" });
        for (i, (output, _)) in outputs.iter().enumerate() {
            self.put(if i == 0 { ",\"outputs\":[\"" } else { ",\"" });
            self.hex(output);
            self.put("\"");
        }
        self.put(if outputs.is_empty() { "" } else { "]" });
        self.put(",\"state\":\"");
        self.hex(&host.packed_state().unwrap_or_default());
        self.put("\"");
        let mut action = action(me, input, outbox, host);
        outputs.iter().for_each(|(_, label)| action.push_str(&format!(", {label}")));
        self.put(",\"action\":");
        self.text(&action);
        self.put("}\n");
        self.write()
    }

    /// Takes down that the node was stalled.
    pub(crate) fn stall(&mut self, at: u64, lasted: u64) -> io::Result<()> {
        self.put(&format!("{{\"at\":{at},\"stall\":{lasted}}}\n"));
        self.write()
    }

    /// Takes down that the node ends as it was told to.
    pub(crate) fn end(&mut self, at: u64, how: &str) -> io::Result<()> {
        self.put(&format!("{{\"at\":{at},\"end\":"));
        self.text(how);
        self.put("}\n");
        self.write()
    }

    fn head(&mut self, about: &RecordedModel, node: &Identity<'_>) {
        let &Identity { me, incarnation, cluster, tick } = node;
        self.put("{\"watchkeeper\":\"recording\",\"version\":1,\"protocol\":");
        self.text(&about.protocol);
        let (n, me) = (about.n, me.index());
        self.put(&format!(",\"n\":{n},\"process\":{me},\"incarnation\":\"{incarnation}\",\"cluster\":"));
        self.text(cluster);
        self.put(",\"clock\":");
        self.text(&crate::clock::name());
        self.put(&format!(",\"tick\":{tick},\"settings\":{{"));
        for (i, (name, text)) in about.settings.iter().enumerate() {
            self.put(if i == 0 { "" } else { "," });
            self.text(name);
            self.put(":");
            self.text(text);
        }
        self.put("}}\n");
    }

    fn input(&mut self, input: &StepInput<'_>) {
        match input {
            StepInput::Start => self.put("\"in\":\"start\""),
            StepInput::Receive { from, incarnation, number, msg } => {
                let from = from.index();
                self.put(&format!(
                    "\"in\":\"receive\",\"from\":{from},\"incarnation\":\"{incarnation}\",\"number\":{number}"
                ));
                self.put(",\"msg\":\"");
                self.hex(msg);
                self.put("\"");
            }
            StepInput::Fire { slot, timer, due } => {
                self.put(&format!("\"in\":\"fire\",\"slot\":{slot},\"timer\":"));
                self.text(timer);
                self.put(&format!(",\"due\":{due}"));
            }
            StepInput::Call { call } => {
                self.put("\"in\":\"call\",\"call\":\"");
                self.hex(call);
                self.put("\"");
            }
        }
    }

    fn send(&mut self, outbox: &Outbox, sending: &Sending, number: Option<u64>) {
        let number = number.map_or("null".to_string(), |number| number.to_string());
        self.put(&format!("{{\"to\":{},\"number\":{number}", sending.to.index()));
        self.put(if sending.reply { ",\"reply\":true" } else { "" });
        self.put(",\"msg\":\"");
        self.hex(outbox.message(sending));
        self.put("\"}");
    }

    fn put(&mut self, text: &str) {
        self.line.extend_from_slice(text.as_bytes());
    }

    fn hex(&mut self, bytes: &[u8]) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in bytes {
            self.line.push(DIGITS[usize::from(byte >> 4)]);
            self.line.push(DIGITS[usize::from(byte & 15)]);
        }
    }

    /// A string of JSON.
    fn text(&mut self, text: &str) {
        self.line.push(b'"');
        for letter in text.chars() {
            match letter {
                '"' => self.put("\\\""),
                '\\' => self.put("\\\\"),
                control if control < ' ' => self.put(&format!("\\u{:04x}", control as u32)),
                other => self.put(other.encode_utf8(&mut [0; 4])),
            }
        }
        self.line.push(b'"');
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.line);
        self.line.clear();
        written
    }
}

/// What a step takes and sends, as a person reads it.
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
