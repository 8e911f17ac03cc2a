//! What an observer sees of a step, as numbers.

use crate::{CallId, MsgId, OutputId, TypedAutomaton, slot};
use watchkeeper_core::{Observation, Pid, Promises, Time};

/// One thing seen: an [`Observation`] whose values are numbers.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RawObservation {
    Received { by: Pid, from: Pid, msg: MsgId },
    Fired { by: Pid, slot: usize },
    Called { by: Pid, call: CallId },
    Sent { by: Pid, to: Pid, msg: MsgId },
    Emitted { by: Pid, output: OutputId },
    Crashed { process: Pid },
    Recovered { process: Pid },
    Lost { from: Pid, to: Pid, msg: MsgId },
}

/// What is seen, as the contract tells it.
pub fn observation<P: Promises<T>, T: Time>(
    typed: &TypedAutomaton<P, T>,
    seen: RawObservation,
) -> Observation<'_, P, T> {
    let message = |msg: MsgId| typed.messages.get(msg.0);
    match seen {
        RawObservation::Received { by, from, msg } => Observation::Received { by, from, msg: message(msg) },
        RawObservation::Fired { by, slot: index } => Observation::Fired { by, timer: slot::<P, T>(index) },
        RawObservation::Called { by, call } => Observation::Called { by, call: typed.calls.get(call.0) },
        RawObservation::Sent { by, to, msg } => Observation::Sent { by, to, msg: message(msg) },
        RawObservation::Emitted { by, output } => {
            Observation::Emitted { by, output: typed.outputs.get(output.0) }
        }
        RawObservation::Crashed { process } => Observation::Crashed { process },
        RawObservation::Recovered { process } => Observation::Recovered { process },
        RawObservation::Lost { from, to, msg } => Observation::Lost { from, to, msg: message(msg) },
    }
}
