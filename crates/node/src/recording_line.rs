//! The lines of a recording, as they are written and read: one object of JSON each. The node that writes and the reader that
//! replays have these definitions in common, so neither can drift from the other.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use watchkeeper_core::{MAX_MEMBERS, Pid, RecordedInput, RecordedSend, RecordedStep};

/// The version of the format. It changes when a key goes away or means something else.
pub const RECORDING_VERSION: u64 = 1;

/// The mark of a recording in its first line.
pub const RECORDING_MARK: &str = "recording";

/// The first line: what was run, as whom, by which clock, and with which settings of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeaderLine {
    /// [`RECORDING_MARK`].
    pub watchkeeper: String,
    /// [`RECORDING_VERSION`].
    pub version: u64,
    /// The protocol, by its name on the command line.
    pub protocol: String,
    /// The value of `--n`.
    pub n: u64,
    /// The process that records.
    #[serde(with = "process")]
    pub process: Pid,
    /// Its name, in an open cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its incarnation. It needs more bits than every reader of JSON keeps, so it is a text.
    #[serde(with = "text_number")]
    pub incarnation: u64,
    /// Its cluster.
    pub cluster: String,
    /// The name of its clock: times of equal names can be compared.
    pub clock: String,
    /// Nanoseconds per unit of the model's time.
    pub tick: u64,
    /// The settings of the model, by their names on the command line; parameters as `param.NAME`.
    #[serde(default, with = "text_map")]
    pub settings: Vec<(String, String)>,
}

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

/// One line of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum RecordLine {
    /// The first.
    Header(HeaderLine),
    /// A step.
    Step(StepLine),
    /// A stall.
    Stall(StallLine),
    /// The last.
    End(EndLine),
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StepLine {
    /// When, in nanoseconds of the node's clock.
    pub at: u64,
    /// The input of the step.
    #[serde(flatten)]
    pub input: InputLine,
    /// What was picked, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picks: Vec<usize>,
    /// The messages that were sent, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sends: Vec<SendLine>,
    /// The announcements, packed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<HexBytes>,
    /// The state after the step, packed.
    pub state: HexBytes,
    /// The step as a person reads it.
    #[serde(default)]
    pub action: String,
}

/// What a step reacted to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "lowercase")]
pub enum InputLine {
    /// The start of the node.
    Start,
    /// A message.
    Receive {
        /// Its sender.
        #[serde(with = "process")]
        from: Pid,
        /// The sender's incarnation; `life` in recordings of earlier releases.
        #[serde(with = "text_number", alias = "life")]
        incarnation: u64,
        /// Its number among all that this incarnation sent to this process.
        number: u64,
        /// The message, packed.
        msg: HexBytes,
    },
    /// A timer.
    Fire {
        /// Its slot.
        slot: usize,
        /// Its name.
        #[serde(default)]
        timer: String,
        /// When it was due.
        due: u64,
    },
    /// A call of a client.
    Call {
        /// The call, packed.
        call: HexBytes,
    },
}

/// A message that a step sends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SendLine {
    /// Its destination.
    #[serde(with = "process")]
    pub to: Pid,
    /// Its number; `None` if it could not be sent.
    pub number: Option<u64>,
    /// Whether it is a reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reply: bool,
    /// The message, packed.
    pub msg: HexBytes,
}

/// A stall of the node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StallLine {
    /// When the node noticed it.
    pub at: u64,
    /// How long the node had done nothing, in nanoseconds.
    pub stall: u64,
}

/// The end of an incarnation that ended in good order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndLine {
    /// When.
    pub at: u64,
    /// How: `leave`, `shutdown` or `used-up`.
    pub end: String,
}

impl From<StepLine> for RecordedStep {
    fn from(line: StepLine) -> RecordedStep {
        let StepLine { at, input, picks, sends, outputs, state, action: _ } = line;
        let input = match input {
            InputLine::Start => RecordedInput::Start,
            InputLine::Receive { from, incarnation, number, msg } => {
                RecordedInput::Receive { from, incarnation, number, msg: msg.0 }
            }
            InputLine::Fire { slot, due, .. } => RecordedInput::Fire { slot, due },
            InputLine::Call { call } => RecordedInput::Call { call: call.0 },
        };
        let send = |SendLine { to, number, reply, msg }| RecordedSend { to, number, reply, msg: msg.0 };
        let sends = sends.into_iter().map(send).collect();
        let outputs = outputs.into_iter().map(|output| output.0).collect();
        RecordedStep { at, input, picks, sends, outputs, state: state.0 }
    }
}

/// Bytes, as pairs of hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HexBytes(pub Vec<u8>);

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let text: String = digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HexBytes, D::Error> {
        deserializer.deserialize_str(HexVisitor)
    }
}

struct HexVisitor;

impl de::Visitor<'_> for HexVisitor {
    type Value = HexBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes in pairs of hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HexBytes, E> {
        let wrong = || E::invalid_value(de::Unexpected::Str(text), &self);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8).ok_or_else(wrong);
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(wrong()) };
        pairs
            .iter()
            .map(|pair| Ok(digit(pair[0])? << 4 | digit(pair[1])?))
            .collect::<Result<_, E>>()
            .map(HexBytes)
    }
}

/// A process by its number.
mod process {
    use super::*;

    pub(super) fn serialize<S: Serializer>(process: &Pid, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(process.index() as u64)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pid, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let process = usize::try_from(number).ok().and_then(Pid::member);
        process.ok_or_else(|| {
            let last = MAX_MEMBERS - 1;
            de::Error::custom(format!("{number} is not the number of a process; the numbers are 0 to {last}"))
        })
    }
}

/// A number of 64 bits as a text.
mod text_number {
    use super::*;

    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| de::Error::invalid_value(de::Unexpected::Str(&text), &"a whole number as a text"))
    }
}

/// Names and texts as an object, in their order.
mod text_map {
    use super::*;
    use std::collections::BTreeMap;

    pub(super) fn serialize<S: Serializer>(
        map: &[(String, String)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(name, text)| (name, text)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, String)>, D::Error> {
        BTreeMap::deserialize(deserializer).map(|map| map.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that the releases before wrote, but for the key `incarnation` of a message.
    #[test]
    fn lines_are_written_byte_for_byte_as_the_documentation_says() {
        for line in [
            r#"{"at":5,"in":"start","sends":[{"to":2,"number":1,"msg":"00"},{"to":0,"number":null,"reply":true,"msg":"ff01"}],"state":"0a","action":"p1 starts"}"#,
            r#"{"at":6,"in":"receive","from":2,"incarnation":"9007199254740993","number":17,"msg":"00","picks":[1,0],"state":"","action":"p1 \"x\""}"#,
            r#"{"at":10,"in":"fire","slot":0,"timer":"Round","due":9,"outputs":["0002"],"state":"0b","action":""}"#,
            r#"{"at":11,"in":"call","call":"00","state":"0b","action":"p1 is asked"}"#,
        ] {
            let step: StepLine = serde_json::from_str(line).expect(line);
            assert_eq!(serde_json::to_string(&step).expect("written"), line);
        }
        let head = r#"{"watchkeeper":"recording","version":1,"protocol":"ring","n":5,"process":1,"incarnation":"7217623412342","cluster":"demo","clock":"boot 1","tick":20000000,"settings":{"delay":"0..1","param.round":"10"}}"#;
        let read: HeaderLine = serde_json::from_str(head).expect("a header");
        assert_eq!(serde_json::to_string(&read).expect("written"), head);
        let stall = serde_json::to_string(&StallLine { at: 9, stall: 300 }).expect("written");
        let end = serde_json::to_string(&EndLine { at: 12, end: "leave".to_string() }).expect("written");
        assert_eq!([stall, end], [r#"{"at":9,"stall":300}"#, r#"{"at":12,"end":"leave"}"#]);
    }
}
