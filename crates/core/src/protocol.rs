//! A protocol is a pure state machine: it reacts to an input by changing its state and handing out
//! effects. It never looks at a clock, and it never learns which environment it is in.

use crate::{Bound, Kind, Meaning, Pack, Pid, Slot, Suspicion, Time, Tone};
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
///
/// # Durations
/// `T` is the type of its durations. A protocol that leaves it out has whole units of time, `u32`. One that is generic
/// (`impl<T: Time> Protocol<T> for Mine<T>`) can also be searched with durations that are unknown.
pub trait Protocol<T: Time = u32>: Sized + Sync {
    /// The local state of a process.
    type State: Clone + Eq + Hash + Pack + Debug + Send + Sync;
    /// The messages.
    type Msg: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;
    /// The timer slots; [`Never`](crate::Never) if there are none.
    type Timer: Slot;
    /// The requests of clients; [`Never`](crate::Never) if there are none.
    type Call: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;
    /// The announcements of a process; [`Never`](crate::Never) if there are none.
    type Output: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;

    /// Selective receive: which messages a process accepts in its present state. The environment delivers an accepted
    /// message, keeps a deferred one in its channel, and removes a discarded one. The default accepts every message as
    /// it arrives.
    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self, T>> = None;

    /// The initial state of process `me`, with the effects of its start.
    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> Self::State;

    /// The reaction of process `me` to one input.
    fn step(
        &self,
        me: Pid,
        state: &mut Self::State,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    );

    /// The meaning of an announcement, if the protocol is run as a failure detector. By default an announcement
    /// is no suspicion, and neither good nor bad news.
    fn meaning(&self, _output: &Self::Output) -> Meaning {
        Meaning::Other(Tone::Plain)
    }
}

/// The decision of a process about a message that has reached it ([`Protocol::SELECTIVE_RECEIVE`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// The message can be delivered now.
    Accepted,
    /// The message stays in its channel until the process is in another state.
    Deferred,
    /// The process accepts the message neither in this state nor in any later one, so it is removed.
    Discarded,
}

/// The decision about a message as a function of the protocol, process `me`, its state, the sender and the message.
pub type SelectiveReceive<P, T = u32> =
    fn(&P, Pid, &<P as Protocol<T>>::State, Pid, &<P as Protocol<T>>::Msg) -> Reception;

impl Reception {
    /// The decision of process `me` in this state about a message from `from`.
    pub fn of<P: Protocol<T>, T: Time>(
        protocol: &P,
        me: Pid,
        state: &P::State,
        from: Pid,
        msg: &P::Msg,
    ) -> Reception {
        P::SELECTIVE_RECEIVE.map_or(Reception::Accepted, |decide| decide(protocol, me, state, from, msg))
    }
}

/// One thing that happens to a process.
pub enum Input<'a, P: Protocol<T>, T: Time = u32> {
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
    /// The failure detector below this process has changed its output. It trusts everyone at first, and every
    /// change is an input of its own. A protocol without a detector never receives this input, and ignores it.
    Notice(Suspicion),
}

/// The effects that a protocol hands to its environment while it reacts to an input.
pub trait Effects<P: Protocol<T>, T: Time = u32> {
    /// Sends a message to another process.
    fn send(&mut self, to: Pid, msg: P::Msg);

    /// Answers the message that is being handled. Where a network bounds round trips, the answer has
    /// only what its request left of the bound; a fresh [`send`](Effects::send) has all of it.
    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.send(to, msg);
    }

    /// Arms the timer in a slot and replaces one that was armed there.
    fn arm(&mut self, timer: P::Timer, bound: Bound<T>);

    /// Frees a slot.
    fn disarm(&mut self, timer: P::Timer);

    /// Announces something.
    fn emit(&mut self, output: P::Output);

    /// One of `0..ways`: at random in a run, each in turn in a check.
    fn pick(&mut self, ways: usize) -> usize;
}
