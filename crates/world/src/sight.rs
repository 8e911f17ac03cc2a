//! What observers see of a step, as plain values with a number for each different list: most steps of a
//! search look the same to an observer, so how it takes them in is worked out once.

use crate::intern::Interner;
use watchkeeper_core::{Pid, Promises, Protocol, Sight, Slot};
use watchkeeper_space::Id;

/// The number of the list in which nothing is seen.
pub(crate) const NOTHING: Id = 0;

/// One thing seen: `M` is a message, `C` a call, `O` an output.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Seen<M, C, O> {
    Received { by: Pid, from: Pid, msg: M },
    Fired { by: Pid, slot: usize },
    Called { by: Pid, call: C },
    Sent { by: Pid, to: Pid, msg: M },
    Emitted { by: Pid, output: O },
    Crashed { process: Pid },
    Recovered { process: Pid },
    Lost { from: Pid, to: Pid, msg: M },
}

/// What is seen of a protocol.
pub(crate) type SeenOf<P> = Seen<<P as Protocol>::Msg, <P as Protocol>::Call, <P as Protocol>::Output>;

/// What is seen, as the contract tells it.
pub(crate) fn sight<P: Promises>(seen: &SeenOf<P>) -> Sight<'_, P> {
    match seen {
        Seen::Received { by, from, msg } => Sight::Received { by: *by, from: *from, msg },
        Seen::Fired { by, slot } => {
            let timer = P::Timer::from_index(*slot).expect("only slots that exist fire");
            Sight::Fired { by: *by, timer }
        }
        Seen::Called { by, call } => Sight::Called { by: *by, call },
        Seen::Sent { by, to, msg } => Sight::Sent { by: *by, to: *to, msg },
        Seen::Emitted { by, output } => Sight::Emitted { by: *by, output },
        Seen::Crashed { process } => Sight::Crashed { process: *process },
        Seen::Recovered { process } => Sight::Recovered { process: *process },
        Seen::Lost { from, to, msg } => Sight::Lost { from: *from, to: *to, msg },
    }
}

/// The numbered lists of things seen.
pub(crate) struct Sights<P: Promises> {
    lists: Interner<Vec<SeenOf<P>>, ()>,
}

impl<P: Promises> Sights<P> {
    pub(crate) fn new() -> Sights<P> {
        let sights = Sights { lists: Interner::new() };
        assert_eq!(sights.intern(Vec::new()), NOTHING, "no list was numbered before");
        sights
    }

    pub(crate) fn intern(&self, list: Vec<SeenOf<P>>) -> Id {
        let heap = size_of_val(&*list);
        self.lists.intern(list, |_| ((), heap))
    }

    pub(crate) fn get(&self, list: Id) -> &[SeenOf<P>] {
        &self.lists.get(list).value
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.bytes()
    }
}
