//! What observers see of a step, with a number for each different list: most steps of a search look the same to an
//! observer, so how it takes them in is worked out once.

use crate::automaton::{CallId, MsgId, OutputId};
use crate::intern::Interner;
use crate::typed::{Typed, slot};
use watchkeeper_core::{Pid, Promises, Sight};
use watchkeeper_space::Id;

/// The number of the list in which nothing is seen.
pub(crate) const NOTHING: Id = 0;

/// One thing seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Seen {
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
pub(crate) fn sight<P: Promises>(typed: &Typed<P>, seen: Seen) -> Sight<'_, P> {
    let message = |msg: MsgId| typed.messages.get(msg.0);
    match seen {
        Seen::Received { by, from, msg } => Sight::Received { by, from, msg: message(msg) },
        Seen::Fired { by, slot: index } => Sight::Fired { by, timer: slot::<P>(index) },
        Seen::Called { by, call } => Sight::Called { by, call: typed.calls.get(call.0) },
        Seen::Sent { by, to, msg } => Sight::Sent { by, to, msg: message(msg) },
        Seen::Emitted { by, output } => Sight::Emitted { by, output: typed.outputs.get(output.0) },
        Seen::Crashed { process } => Sight::Crashed { process },
        Seen::Recovered { process } => Sight::Recovered { process },
        Seen::Lost { from, to, msg } => Sight::Lost { from, to, msg: message(msg) },
    }
}

/// The numbered lists of things seen.
pub(crate) struct Sights {
    lists: Interner<Vec<Seen>, ()>,
}

impl Sights {
    pub(crate) fn new() -> Sights {
        let sights = Sights { lists: Interner::new() };
        assert_eq!(sights.intern(Vec::new()), NOTHING, "no list was numbered before");
        sights
    }

    pub(crate) fn intern(&self, list: Vec<Seen>) -> Id {
        let heap = size_of_val(&*list);
        self.lists.intern(list, |_| ((), heap))
    }

    pub(crate) fn get(&self, list: Id) -> &[Seen] {
        &self.lists.get(list).value
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.bytes()
    }
}
