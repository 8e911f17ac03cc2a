//! The promises of a protocol to a search of its states. A running node never asks for them.

use crate::{MAX_PROCESSES, Perm, Pid, ProcSet, Protocol, Time};

/// Properties of a protocol that a search relies on. Every default promises nothing, so a protocol without promises
/// writes `impl Promises for MyProtocol {}`. A broken promise makes a verdict worthless: each says which part of the
/// search it replaces.
pub trait Promises<T: Time = u32>: Protocol<T> + Send + 'static {
    /// The limit of a search, as reports name it, if the configuration has a limit that a running node has not, such
    /// as a number of rounds. [`beyond`](Promises::beyond) says which states are past it.
    fn horizon(&self) -> Option<String> {
        None
    }

    /// Whether a state is past the [`horizon`](Promises::horizon). A search that leaves such a state out never answers
    /// that a property holds.
    fn beyond(&self, _state: &Self::State) -> bool {
        false
    }

    /// The possible destinations of process `me`: every process that it may send to from this state on, whatever
    /// happens to it, until it crashes. Messages that it has sent already do not count. Partial-order reduction relies
    /// on the set, and reduces more the smaller it is. The default is the set of all processes.
    fn reaches(&self, _me: Pid, _state: &Self::State) -> ProcSet {
        ProcSet::first(MAX_PROCESSES)
    }

    /// The renamings of processes under which this protocol is invariant. The default promises nothing.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The part of the state of process `me` that concerns `whom`, for a protocol that keeps its peers apart: the parts
    /// for all processes together are the whole state, and part `me` holds the state that concerns no peer. The timers
    /// of a part are the same in every state, and come in the same order for every peer. The default is `None`: the
    /// state has no such parts.
    fn about(&self, _me: Pid, _state: &Self::State, _whom: Pid) -> Option<PeerState<Self::Timer>> {
        None
    }
}

/// The part of a local state that concerns one peer ([`Promises::about`]), for a protocol with the timer slots `T`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerState<T> {
    /// This part of the state, in canonical form.
    pub state: Vec<u8>,
    /// The timer slots that concern this peer, armed or not.
    pub timers: Vec<T>,
}

/// The renamings of processes under which a protocol does not change: if every pid in a state and an
/// input is renamed, so are those in the new state and the effects, and nothing else is different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// None is promised.
    None,
    /// The rotations of the ring of process ids.
    Rotations,
    /// All permutations.
    Full,
    /// All permutations that leave this process its name: a coordinator among equal participants.
    Fixing(Pid),
    /// All permutations that leave each of these processes its name.
    FixingAll(ProcSet),
}

impl Symmetry {
    /// Whether a renaming of `n` processes is one of these.
    pub fn allows(self, perm: &Perm, n: usize) -> bool {
        let keeps = |p: Pid| perm.apply(p) == p;
        match self {
            Symmetry::None => Pid::all(n).all(keeps),
            Symmetry::Rotations => {
                let steps = perm.apply(Pid::at(0)).index();
                Pid::all(n).all(|p| perm.apply(p).index() == (p.index() + steps) % n)
            }
            Symmetry::Full => true,
            Symmetry::Fixing(p) => keeps(p),
            Symmetry::FixingAll(fixed) => fixed.iter().all(keeps),
        }
    }

    /// The renamings of `n` processes, the identity first. There are `n!` permutations: use
    /// [`allows`](Symmetry::allows) for many processes.
    pub fn perms(self, n: usize) -> Vec<Perm> {
        match self {
            Symmetry::None => vec![Perm::identity(n)],
            Symmetry::Rotations => Perm::rotations(n),
            Symmetry::Full => Perm::all(n),
            Symmetry::Fixing(p) => Perm::fixing(n, ProcSet::only(p)),
            Symmetry::FixingAll(fixed) => Perm::fixing(n, fixed),
        }
    }
}
