//! One line of a recording, from JSON to values. Unknown keys are left alone, so that a later version may say
//! more; a key that is missing or of another kind is an error that names it.

use serde_json::{Map, Value};
use watchkeeper_core::{Pid, RecordedInput, RecordedSend, RecordedStep, Recording, Stall};

/// The latest reading of a clock that is believed, in nanoseconds: thirty years.
const LATEST: u64 = 1 << 60;

/// What a line says.
pub(crate) enum RecordingLine {
    Step(RecordedStep),
    Stall(Stall),
    End(u64),
}

impl RecordingLine {
    pub(crate) fn add_to(self, recording: &mut Recording) -> Result<(), String> {
        if recording.ended.is_some() {
            return Err(
                "nothing comes after the end of a recording; a new incarnation has a file of its own"
                    .to_string(),
            );
        }
        match self {
            RecordingLine::Step(step) => recording.steps.push(step),
            RecordingLine::Stall(stall) => recording.stalls.push(stall),
            RecordingLine::End(at) => recording.ended = Some(at),
        }
        Ok(())
    }
}

pub(crate) fn parse(bytes: &[u8]) -> Result<RecordingLine, String> {
    let object = object(bytes)?;
    let fields = Fields(&object);
    let at = fields.moment("at")?;
    if fields.maybe("stall").is_some() {
        return Ok(RecordingLine::Stall(Stall { at, lasted: fields.moment("stall")? }));
    }
    if fields.maybe("end").is_some() {
        return Ok(RecordingLine::End(at));
    }
    let input = match fields.text("in")? {
        "start" => RecordedInput::Start,
        "receive" => RecordedInput::Receive {
            from: fields.process("from")?,
            // Earlier releases wrote `life`.
            incarnation: fields.incarnation(if fields.maybe("life").is_some() {
                "life"
            } else {
                "incarnation"
            })?,
            number: fields.number("number")?,
            msg: fields.bytes("msg")?,
        },
        "fire" => RecordedInput::Fire {
            slot: usize::try_from(fields.number("slot")?).unwrap_or(usize::MAX),
            due: fields.moment("due")?,
        },
        "call" => RecordedInput::Call { call: fields.bytes("call")? },
        other => return Err(format!("`{other}` is nothing that happens to a node; this file was changed")),
    };
    let pick = |value: &Value| value.as_u64().and_then(|pick| usize::try_from(pick).ok());
    let picks = fields.list("picks")?.iter().map(|value| pick(value).ok_or("picks should be numbers"));
    let outputs = fields.list("outputs")?.iter().map(|value| hex(value.as_str().unwrap_or("?"), "outputs"));
    Ok(RecordingLine::Step(RecordedStep {
        at,
        input,
        picks: picks.collect::<Result<_, _>>()?,
        sends: fields.list("sends")?.iter().map(send).collect::<Result<_, _>>()?,
        outputs: outputs.collect::<Result<_, _>>()?,
        state: fields.bytes("state")?,
    }))
}

fn send(value: &Value) -> Result<RecordedSend, String> {
    let Value::Object(object) = value else { return Err("sends should be a list of objects".to_string()) };
    let fields = Fields(object);
    let number = match fields.maybe("number") {
        None | Some(Value::Null) => None,
        Some(_) => Some(fields.number("number")?),
    };
    let reply = fields.maybe("reply").and_then(Value::as_bool).unwrap_or(false);
    Ok(RecordedSend { to: fields.process("to")?, number, reply, msg: fields.bytes("msg")? })
}

/// The object of a line.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("every line should be an object of JSON".to_string()),
        Err(why) => Err(format!("this is not JSON: {why}")),
    }
}

/// The keys of an object.
pub(crate) struct Fields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(crate) fn maybe(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key)
    }

    fn get(&self, key: &str) -> Result<&'a Value, String> {
        self.maybe(key).ok_or_else(|| format!("the key {key} is missing; this file was changed or cut"))
    }

    pub(crate) fn number(&self, key: &str) -> Result<u64, String> {
        self.get(key)?.as_u64().ok_or_else(|| format!("{key} should be a whole number from 0 on"))
    }

    /// A reading of a clock, or a duration.
    fn moment(&self, key: &str) -> Result<u64, String> {
        let number = self.number(key)?;
        if number > LATEST { Err(format!("{key} is {number} ns, which no clock shows")) } else { Ok(number) }
    }

    pub(crate) fn text(&self, key: &str) -> Result<&'a str, String> {
        self.get(key)?.as_str().ok_or_else(|| format!("{key} should be a text"))
    }

    pub(crate) fn process(&self, key: &str) -> Result<Pid, String> {
        let number = usize::try_from(self.number(key)?).ok();
        number.and_then(Pid::new).ok_or_else(|| format!("{key} should be the number of a process"))
    }

    /// A incarnation, which needs more bits than every reader of JSON keeps, so it is a text.
    pub(crate) fn incarnation(&self, key: &str) -> Result<u64, String> {
        self.text(key)?.parse().map_err(|_| format!("{key} should be a whole number as a text"))
    }

    fn bytes(&self, key: &str) -> Result<Vec<u8>, String> {
        hex(self.text(key)?, key)
    }

    /// A list, which may be left out if it is empty.
    fn list(&self, key: &str) -> Result<&'a [Value], String> {
        match self.maybe(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(format!("{key} should be a list")),
        }
    }
}

fn hex(text: &str, key: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("{key} should be bytes in pairs of hexadecimal digits");
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8).ok_or_else(wrong);
    if !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    text.as_bytes().chunks_exact(2).map(|pair| Ok(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}
