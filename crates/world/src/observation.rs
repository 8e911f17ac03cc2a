//! What observers see of a step, with a number for each different list: most steps of a search look the same to an
//! observer, so how it takes them in is worked out once.

use crate::automaton::{CallId, MsgId, OutputId};
use crate::intern::Interner;
use crate::typed::{TypedAutomaton, slot};
use watchkeeper_core::{Observation, Pid, Promises};
use watchkeeper_space::Id;

/// The number of the list in which nothing is seen.
pub(crate) const NOTHING: Id = 0;

/// One thing seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RawObservation {
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
pub(crate) fn observation<P: Promises>(
    typed: &TypedAutomaton<P>,
    seen: RawObservation,
) -> Observation<'_, P> {
    let message = |msg: MsgId| typed.messages.get(msg.0);
    match seen {
        RawObservation::Received { by, from, msg } => Observation::Received { by, from, msg: message(msg) },
        RawObservation::Fired { by, slot: index } => Observation::Fired { by, timer: slot::<P>(index) },
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

/// The numbered lists of things seen.
pub(crate) struct ObservationLists {
    lists: Interner<Vec<RawObservation>, ()>,
}

impl ObservationLists {
    pub(crate) fn new() -> ObservationLists {
        let observations = ObservationLists { lists: Interner::new() };
        assert_eq!(observations.intern(Vec::new()), NOTHING, "no list was numbered before");
        observations
    }

    pub(crate) fn intern(&self, list: Vec<RawObservation>) -> Id {
        let heap = size_of_val(&*list);
        self.lists.intern(list, |_| ((), heap))
    }

    pub(crate) fn get(&self, list: Id) -> &[RawObservation] {
        &self.lists.get(list).value
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.bytes()
    }
}
