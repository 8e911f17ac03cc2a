//! The detector for strong completeness: a second set of suspects, G, goes around the ring with the
//! questions, so that everyone learns of a crash that only the crashed process's predecessor can notice.
//! G is announced and passed on; it never decides whom a process watches.
//!
//! The detector that asks its suspects again is built on this one, and not on the plain ring, because gossip is
//! what it takes to be of class ◇P: a suspicion of a process that is up ends in G as well once no arc contains it, since G
//! loses each process on its way through that process.

use super::{HeardMessage, RingMsg, RingPolicy, TimeoutAdaptation};
use watchkeeper_core::{Kind, Pack, PerProc, Pid, ProcSet, Time};

/// The fourth detector of the paper (T, figure 6.4): strong completeness, so in the end every process that
/// crashes is suspected for ever by all that do not. It can be built on each of the other three, which
/// differ in their timeouts, of durations `T`.
///
/// A question carries the G of its sender q, and its receiver p takes over G_q ∪ L_p without p and q. T
/// prints G_p for G_q there, but then nothing would read what the question carries. An answer carries
/// nothing: so the figure, though the text beside it lets G go with answers as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StrongCompleteness<T = u32> {
    adaptation: TimeoutAdaptation<T>,
    asks_again: bool,
}

impl<T: Copy> StrongCompleteness<T> {
    /// On top of the detector with these timeouts.
    pub const fn new(adaptation: TimeoutAdaptation<T>) -> StrongCompleteness<T> {
        StrongCompleteness { adaptation, asks_again: false }
    }

    /// Not in the paper: every process also asks all suspects of its arc again in each round, so that no suspicion of
    /// a process that is up outlasts the losses, the partition or the restart that caused it.
    #[must_use]
    pub const fn asking_again(self) -> StrongCompleteness<T> {
        StrongCompleteness { asks_again: true, ..self }
    }
}

/// What a process of the detector for strong completeness remembers, with durations `T`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Gossip<T: Time = u32> {
    timeouts: PerProc<T>,
    /// The set G. It contains the arc of suspects.
    global: ProcSet,
}

/// The messages when G travels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum GossipMsg {
    /// A question to the target, with the suspects of the sender.
    #[kind("ARE-YOU-ALIVE")]
    AreYouAlive(ProcSet),
    /// The answer to it.
    #[kind("I-AM-ALIVE")]
    IAmAlive,
}

impl<T: Time> RingPolicy<T> for StrongCompleteness<T> {
    type Memory = Gossip<T>;
    type Msg = GossipMsg;

    fn memory(&self, n: usize, first: T) -> Gossip<T> {
        Gossip { timeouts: PerProc::new(n, first), global: ProcSet::EMPTY }
    }

    fn message(&self, plain: RingMsg, memory: &Gossip<T>) -> GossipMsg {
        match plain {
            RingMsg::AreYouAlive => GossipMsg::AreYouAlive(memory.global),
            RingMsg::IAmAlive => GossipMsg::IAmAlive,
        }
    }

    fn plain(&self, msg: &GossipMsg) -> RingMsg {
        match msg {
            GossipMsg::AreYouAlive(_) => RingMsg::AreYouAlive,
            GossipMsg::IAmAlive => RingMsg::IAmAlive,
        }
    }

    fn adaptation(&self) -> TimeoutAdaptation<T> {
        self.adaptation
    }

    fn timeouts<'a>(&self, memory: &'a Gossip<T>) -> Option<&'a PerProc<T>> {
        Some(&memory.timeouts)
    }

    fn timeouts_mut<'a>(&self, memory: &'a mut Gossip<T>) -> Option<&'a mut PerProc<T>> {
        Some(&mut memory.timeouts)
    }

    fn suspects(&self, _: ProcSet, memory: &Gossip<T>) -> ProcSet {
        memory.global
    }

    fn suspecting(&self, target: Pid, _: ProcSet, memory: &mut Gossip<T>) {
        memory.global.insert(target);
    }

    fn asked_again(&self, local: ProcSet) -> ProcSet {
        if self.asks_again { local } else { ProcSet::EMPTY }
    }

    fn heard(&self, heard: HeardMessage<'_, GossipMsg>, memory: &mut Gossip<T>) {
        match *heard.msg {
            GossipMsg::AreYouAlive(told) => {
                let all = told.intersection(heard.ring).union(heard.local);
                memory.global = all.without(heard.me).without(heard.from);
            }
            GossipMsg::IAmAlive if heard.trusted.contains(heard.from) => memory.global.remove(heard.from),
            GossipMsg::IAmAlive => {}
        }
    }
}
