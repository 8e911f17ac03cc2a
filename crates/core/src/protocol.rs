//! A protocol is a pure state machine: it reacts to an input by changing its state and handing out
//! effects. It never looks at a clock, and it never learns which environment it is in.

use crate::{Bound, Kind, MAX_PROCESSES, Meaning, Pack, Perm, Pid, ProcSet, Slot, Suspicion, Tone};
use std::fmt::Debug;
use std::hash::Hash;

/// A protocol, for every process of a system alike. `&self` is its configuration and never changes.
///
/// # Order of calls
/// An environment calls [`init`](Protocol::init) once for each process, and after that
/// [`step`](Protocol::step) for each input, one at a time. Effects are taken up in the order in which
/// they were handed out, after the call has returned.
///
/// # What a state may hold
/// Plain values that compare and hash by what they mean: no instant, no floating point number, no hash
/// map, no shared pointer, no source of randomness. Durations are relative, so two states that behave
/// alike are equal. [`Pack`] is their canonical form, and the wire form of messages.
///
/// `step` must not panic on any value that `unpack` accepts.
pub trait Protocol: Sized + Sync {
    /// What one process remembers.
    type State: Clone + Eq + Hash + Pack + Debug + Send + Sync;
    /// What processes tell each other.
    type Msg: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;
    /// The timer slots; [`Never`](crate::Never) if there are none.
    type Timer: Slot;
    /// What a client asks; [`Never`](crate::Never) if nothing.
    type Call: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;
    /// What a process announces; [`Never`](crate::Never) if nothing.
    type Output: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;

    /// Whether [`wants`](Protocol::wants) ever says anything but [`Want::Now`]: such a protocol leaves messages
    /// lying until it is ready for them, and needs an environment that keeps them.
    const SELECTIVE: bool = false;

    /// The state of process `me` before its first input, and what it does at once.
    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State;

    /// How process `me` reacts to one input.
    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>);

    /// What process `me` in this state would do with a message that is there for it. An environment hands it only
    /// what it wants now, keeps what it wants later, and forgets what it never will. The default is to take
    /// everything as it comes; whoever says anything else sets [`SELECTIVE`](Protocol::SELECTIVE).
    fn wants(&self, _me: Pid, _state: &Self::State, _from: Pid, _msg: &Self::Msg) -> Want {
        Want::Now
    }

    /// Up to where a search goes, if the configuration has a limit that reality has not, such as a number of
    /// rounds: how a report names the limit. [`beyond`](Protocol::beyond) says which states are past it.
    fn horizon(&self) -> Option<String> {
        None
    }

    /// Whether a state is past the [`horizon`](Protocol::horizon): a search leaves it out, and cannot say of
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

    /// What an announcement means to whoever runs the protocol as a failure detector. The default is that
    /// it means nothing of the kind.
    fn meaning(&self, _output: &Self::Output) -> Meaning {
        Meaning::Other
    }

    /// How a chart should colour an announcement.
    fn tone(&self, _output: &Self::Output) -> Tone {
        Tone::Plain
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

/// What a process would do with a message that is there for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// Take it: it can be handed over.
    Now,
    /// Nothing yet: it should be kept until the process is in another state.
    Later,
    /// Nothing, in this state and in every state that can follow: it can be forgotten.
    Never,
}

/// One thing that happens to a process.
pub enum Input<'a, P: Protocol> {
    /// A message arrives.
    Receive {
        /// Its sender.
        from: Pid,
        /// The message.
        msg: &'a P::Msg,
    },
    /// The timer in this slot, which was armed, fires; the slot is now free.
    Fire(P::Timer),
    /// A client asks.
    Call(&'a P::Call),
    /// The failure detector below this process has changed its mind. It trusts everyone at first, and every
    /// change is told, one at a time. A protocol that stands on no detector is never told any, and ignores it.
    Notice(Suspicion),
}

/// What a protocol may ask of its environment while it reacts to an input.
pub trait Effects<P: Protocol> {
    /// Sends a message to another process.
    fn send(&mut self, to: Pid, msg: P::Msg);

    /// Answers the message that is being handled. Where a network bounds round trips, the answer has
    /// only what its request left of the bound; a fresh [`send`](Effects::send) has all of it.
    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.send(to, msg);
    }

    /// Arms the timer in a slot, in place of what was armed there.
    fn arm(&mut self, timer: P::Timer, bound: Bound);

    /// Frees a slot.
    fn disarm(&mut self, timer: P::Timer);

    /// Announces something.
    fn emit(&mut self, output: P::Output);

    /// One of `0..ways`: at random in a run, each in turn in a check.
    fn pick(&mut self, ways: usize) -> usize;
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
