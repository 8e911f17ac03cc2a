//! One line of a recording, from JSON to values. Unknown keys are left alone, so that a later version may say more; a key
//! that is missing or of another kind is an error that names it and its column.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use watchkeeper_core::{RecordedStep, Recording, Stall};
use watchkeeper_runtime::recording_line::{InputLine, StallLine, StepLine};

/// The latest reading of a clock that is believed, in nanoseconds: thirty years.
const LATEST: u64 = 1 << 60;

/// What a line says.
pub(crate) enum RecordingLine {
    Step(RecordedStep),
    Stall(Stall),
    End(u64),
}

/// As much of a line as tells which one it is.
#[derive(Deserialize)]
struct LineShape {
    at: u64,
    stall: Option<IgnoredAny>,
    end: Option<IgnoredAny>,
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
    let LineShape { at, stall, end } = object(bytes)?;
    moment("at", at)?;
    if stall.is_some() {
        let StallLine { at, stall } = object(bytes)?;
        return Ok(RecordingLine::Stall(Stall { at, lasted: moment("stall", stall)? }));
    }
    if end.is_some() {
        return Ok(RecordingLine::End(at));
    }
    let step: StepLine = object(bytes)?;
    if let InputLine::Fire { due, .. } = step.input {
        moment("due", due)?;
    }
    Ok(RecordingLine::Step(step.into()))
}

/// A reading of a clock, or a duration.
fn moment(key: &str, ns: u64) -> Result<u64, String> {
    if ns > LATEST { Err(format!("{key} is {ns} ns, which no clock shows")) } else { Ok(ns) }
}

/// The object of a line. A list that has the values in the right order is none.
pub(crate) fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err("every line should be an object of JSON".to_string());
    }
    serde_json::from_slice(bytes).map_err(|why| {
        let (text, column) = (why.to_string(), why.column());
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        let what = if why.is_data() { "" } else { "this is not JSON: " };
        format!("{what}{text} (column {column}); this file was changed or cut")
    })
}
