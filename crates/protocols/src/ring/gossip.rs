//! The detector for strong completeness: a second set of suspects, G, goes around the ring with the
//! questions, so that everyone learns of a crash that only the crashed process's predecessor can notice.
//! G is announced and passed on; it never decides whom a process watches.

use super::{HeardMessage, RingMsg, RingPolicy, TimeoutAdaptation};
use watchkeeper_core::{Kind, Pack, PerProc, Pid, ProcSet};

/// The fourth detector of the paper (T, figure 6.4): strong completeness, so in the end every process that
/// crashes is suspected for ever by all that do not. It can be built on each of the other three, which
/// differ in their timeouts.
///
/// A question carries the G of its sender q, and its receiver p takes over G_q ∪ L_p without p and q. T
/// prints G_p for G_q there, but then nothing would read what the question carries. An answer carries
/// nothing: so the figure, though the text beside it lets G go with answers as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StrongCompleteness {
    adaptation: TimeoutAdaptation,
}

impl StrongCompleteness {
    /// On top of the detector with these timeouts.
    pub const fn new(adaptation: TimeoutAdaptation) -> StrongCompleteness {
        StrongCompleteness { adaptation }
    }
}

/// What a process of the detector for strong completeness remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Gossip {
    timeouts: PerProc<u32>,
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

impl RingPolicy for StrongCompleteness {
    type Memory = Gossip;
    type Msg = GossipMsg;

    fn memory(&self, n: usize, first: u32) -> Gossip {
        Gossip { timeouts: PerProc::new(n, first), global: ProcSet::EMPTY }
    }

    fn message(&self, plain: RingMsg, memory: &Gossip) -> GossipMsg {
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

    fn adaptation(&self) -> TimeoutAdaptation {
        self.adaptation
    }

    fn timeouts<'a>(&self, memory: &'a Gossip) -> Option<&'a PerProc<u32>> {
        Some(&memory.timeouts)
    }

    fn timeouts_mut<'a>(&self, memory: &'a mut Gossip) -> Option<&'a mut PerProc<u32>> {
        Some(&mut memory.timeouts)
    }

    fn suspects(&self, _: ProcSet, memory: &Gossip) -> ProcSet {
        memory.global
    }

    fn suspecting(&self, target: Pid, _: ProcSet, memory: &mut Gossip) {
        memory.global.insert(target);
    }

    fn heard(&self, heard: HeardMessage<'_, GossipMsg>, memory: &mut Gossip) {
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
