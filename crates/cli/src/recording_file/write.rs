//! Recordings that no node has written: of simulated runs, in the same lines that nodes write, so that `replay` reads both.

use std::fs;
use std::path::Path;
use watchkeeper::Problem;
use watchkeeper_core::{RecordedInput, RecordedStep, Recording};
use watchkeeper_runtime::RecordedModel;
use watchkeeper_runtime::recording_line::{
    EndLine, HeaderLine, HexBytes, InputLine, RECORDING_MARK, RECORDING_VERSION, SendLine, StallLine,
    StepLine,
};

/// What simulated clusters are called.
const CLUSTER: &str = "simulated";

/// Writes recordings of a model to a directory that is empty, or not there yet.
pub(crate) fn write(
    dir: &Path,
    model: &RecordedModel,
    tick: u64,
    recordings: &[Recording],
) -> Result<(), Problem> {
    let named = dir.display();
    let failed =
        |why: std::io::Error| Problem::Usage(format!("{named}: the recordings cannot be written: {why}"));
    fs::create_dir_all(dir).map_err(failed)?;
    if fs::read_dir(dir).map_err(failed)?.next().is_some() {
        return Err(Problem::Usage(format!("{named} is not empty; name a directory that is, or a new one")));
    }
    for recording in recordings.iter().filter(|recording| !recording.steps.is_empty()) {
        let name = format!("{}-{}.ndjson", recording.process, recording.incarnation);
        let text = lines(recording, model, tick).map_err(|why| failed(std::io::Error::other(why)))?;
        fs::write(dir.join(name), text).map_err(failed)?;
    }
    Ok(())
}

/// A recording as its lines.
fn lines(recording: &Recording, model: &RecordedModel, tick: u64) -> serde_json::Result<String> {
    let header = HeaderLine {
        watchkeeper: RECORDING_MARK.to_string(),
        version: RECORDING_VERSION,
        protocol: model.protocol.clone(),
        n: model.n as u64,
        process: recording.process,
        name: None,
        incarnation: recording.incarnation,
        cluster: CLUSTER.to_string(),
        clock: recording.clock.clone(),
        tick,
        settings: model.settings.clone(),
    };
    let mut out = vec![serde_json::to_string(&header)?];
    let mut stalls = recording.stalls.iter().peekable();
    for step in &recording.steps {
        while let Some(stall) = stalls.next_if(|stall| stall.at <= step.at) {
            out.push(serde_json::to_string(&StallLine { at: stall.at, stall: stall.lasted })?);
        }
        out.push(serde_json::to_string(&step_line(recording, step))?);
    }
    for stall in stalls {
        out.push(serde_json::to_string(&StallLine { at: stall.at, stall: stall.lasted })?);
    }
    if let Some(at) = recording.ended {
        out.push(serde_json::to_string(&EndLine { at, end: "shutdown".to_string() })?);
    }
    Ok(out.join("\n") + "\n")
}

fn step_line(recording: &Recording, step: &RecordedStep) -> StepLine {
    let input = match &step.input {
        RecordedInput::Start => InputLine::Start,
        RecordedInput::Receive { from, incarnation, number, msg } => InputLine::Receive {
            from: *from,
            incarnation: *incarnation,
            number: *number,
            msg: HexBytes(msg.clone()),
        },
        RecordedInput::Fire { slot, due } => InputLine::Fire { slot: *slot, timer: String::new(), due: *due },
        RecordedInput::Call { call } => InputLine::Call { call: HexBytes(call.clone()) },
    };
    let send = |send: &watchkeeper_core::RecordedSend| SendLine {
        to: send.to,
        number: send.number,
        reply: send.reply,
        msg: HexBytes(send.msg.clone()),
    };
    StepLine {
        at: step.at,
        input,
        picks: step.picks.clone(),
        sends: step.sends.iter().map(send).collect(),
        outputs: step.outputs.iter().map(|output| HexBytes(output.clone())).collect(),
        state: HexBytes(step.state.clone()),
        action: format!("{} in a simulation", recording.process),
    }
}
