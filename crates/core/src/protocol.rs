//! A protocol is a pure state machine: it reacts to an input by changing its state and handing out
//! effects. It never looks at a clock, and it never learns which environment it is in.

use crate::{Bound, Kind, Meaning, Pack, Pid, Slot, Suspicion, Tone};
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

    /// What a process would do with a message that is there for it, for a protocol that leaves messages lying until it
    /// is ready for them. An environment hands it only what it wants now, keeps what it wants later, and forgets what
    /// it never will. The default takes everything as it comes.
    const WANTS: Option<Wants<Self>> = None;

    /// The state of process `me` before its first input, and what it does at once.
    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State;

    /// How process `me` reacts to one input.
    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>);

    /// What an announcement means to whoever runs the protocol as a failure detector. The default is that
    /// it means nothing of the kind, and is neither good nor bad news.
    fn meaning(&self, _output: &Self::Output) -> Meaning {
        Meaning::Other(Tone::Plain)
    }
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

/// How a protocol says what process `me` in some state would do with a message: the arguments are the protocol, `me`,
/// its state, the sender and the message.
pub type Wants<P> = fn(&P, Pid, &<P as Protocol>::State, Pid, &<P as Protocol>::Msg) -> Want;

impl Want {
    /// What process `me` in this state would do with a message from `from`.
    pub fn of<P: Protocol>(protocol: &P, me: Pid, state: &P::State, from: Pid, msg: &P::Msg) -> Want {
        P::WANTS.map_or(Want::Now, |wants| wants(protocol, me, state, from, msg))
    }
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
