//! What a protocol promises of itself to whoever searches its states. Nothing that runs a protocol asks for it.

use crate::{MAX_PROCESSES, Perm, Pid, ProcSet, Protocol};

/// What a search may rely on, beyond what a protocol does. Every default promises nothing, so that a protocol without
/// promises writes `impl Promises for MyProtocol {}`. A promise that is not kept makes a verdict worthless: each says
/// what it allows a search to leave out.
pub trait Promises: Protocol + Send + 'static {
    /// Up to where a search goes, if the configuration has a limit that reality has not, such as a number of
    /// rounds: how a report names the limit. [`beyond`](Promises::beyond) says which states are past it.
    fn horizon(&self) -> Option<String> {
        None
    }

    /// Whether a state is past the [`horizon`](Promises::horizon): a search leaves it out, and cannot say of
    /// anything that it holds. A node that runs never asks.
    fn beyond(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whom process `me` may yet send to, from this state on and whatever happens to it, until it crashes. What it
    /// has handed out already does not count. A search that leaves out interleavings goes by it, and leaves
    /// out the more the fewer are named; whoever is not named must never be sent to. The default names everyone.
    fn reaches(&self, _me: Pid, _state: &Self::State) -> ProcSet {
        ProcSet::first(MAX_PROCESSES)
    }

    /// Which renamings of processes this protocol cannot see. The default promises nothing.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// What process `me` keeps about `whom`, for a protocol whose processes keep their peers apart: the parts
    /// about all processes together are the whole state, and the part about `me` is what is about no peer. The
    /// timers of a part are the same in every state, and come in the same order for every peer. The default
    /// tells nothing.
    fn about(&self, _me: Pid, _state: &Self::State, _whom: Pid) -> Option<Part<Self::Timer>> {
        None
    }
}

/// What a process keeps about one of the processes, of a protocol with the timer slots `T`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part<T> {
    /// The part of its state, in a canonical form.
    pub state: Vec<u8>,
    /// The timer slots that are about this process, armed or not.
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

    /// The renamings of `n` processes, the identity first. All permutations of many processes are more than
    /// anyone can hold: ask for those of few, or use [`allows`](Symmetry::allows).
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
