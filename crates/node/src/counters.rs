//! The counters of a node. Anyone may read them at any time without asking the node.

use crate::status::NodePhase;
use crate::wire::DatagramRefusal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use watchkeeper_core::{Assumption, MemberSet, Pid};

/// The most that is kept of each: an upper end of a class of lateness, in nanoseconds.
pub const LATENESS_CLASSES: [u64; 9] =
    [100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 250_000_000, 1_000_000_000];

/// The upper ends of the classes of a [`Histogram`], in nanoseconds.
pub const HISTOGRAM_CLASSES: [u64; 14] = [
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    5_000_000_000,
];

/// The counters of a node.
#[derive(Debug, Default)]
pub struct Counters {
    /// Datagrams that arrived, whatever became of them.
    pub received: Count,
    /// Of these, messages that were handed to the protocol.
    pub delivered: Count,
    /// Of these, greetings and farewells of peers.
    pub greetings: Count,
    /// Of these, datagrams that were refused, by reason, in the order of [`DatagramRefusal::ALL`].
    pub refused: [Count; DatagramRefusal::ALL.len()],
    /// Datagrams that were sent.
    pub sent: Count,
    /// Messages that could not be sent because the peer has not been found yet.
    pub unsent: Count,
    /// Datagrams that the system did not take.
    pub send_errors: Count,
    /// Errors of the system on receiving.
    pub receive_errors: Count,
    /// Steps of the protocol.
    pub steps: Count,
    /// Timers that fired.
    pub fired: Count,
    /// How late timers fired, by class: at most as long as [`LATENESS_CLASSES`] says, and the last beyond.
    pub lateness: [Count; LATENESS_CLASSES.len() + 1],
    /// The sum of it, in nanoseconds.
    pub lateness_sum: Count,
    /// How often the node was stalled.
    pub stalls: Count,
    /// For how long in all, in nanoseconds.
    pub stalled: Count,
    /// How often each assumption was found broken, in the order of [`Assumption::ALL`].
    pub breaches: [Count; Assumption::ALL.len()],
    /// Suspicions begun.
    pub suspicions: Count,
    /// Suspicions withdrawn.
    pub withdrawn: Count,
    /// How often the wall clock was set.
    pub clock_jumps: Count,
    /// What was measured of each peer, in the order of their numbers.
    peers: RwLock<Vec<Arc<PeerCounters>>>,
    suspects: RwLock<MemberSet>,
    phase: Count,
    /// One more than the number of the node, once it has one.
    process: Count,
}

/// What was measured of one peer.
#[derive(Debug)]
pub struct PeerCounters {
    /// The peer.
    pub peer: Pid,
    /// How long after one message of it the next was delivered.
    pub interarrival: Histogram,
    /// How long messages to it and its answers took.
    pub round_trip: Histogram,
}

/// How many durations were measured, by class.
#[derive(Debug, Default)]
pub struct Histogram {
    /// How many were at most as long as [`HISTOGRAM_CLASSES`] says and longer than the class before; the last are beyond.
    pub classes: [Count; HISTOGRAM_CLASSES.len() + 1],
    /// Their sum, in nanoseconds.
    pub sum: Count,
}

impl Histogram {
    pub(crate) fn saw(&self, duration: u64) {
        let class = HISTOGRAM_CLASSES.partition_point(|&end| end < duration);
        self.classes[class].add(1);
        self.sum.add(duration);
    }
}

impl Counters {
    /// What was measured of each peer, in the order of their numbers. In an open cluster these are the members that the
    /// node has talked to.
    pub fn peers(&self) -> Vec<Arc<PeerCounters>> {
        self.peers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was measured of a peer.
    pub fn peer(&self, peer: Pid) -> Option<Arc<PeerCounters>> {
        let peers = self.peers.read().unwrap_or_else(PoisonError::into_inner);
        let place = peers.binary_search_by_key(&peer, |known| known.peer).ok()?;
        Some(Arc::clone(&peers[place]))
    }

    /// The counters of a peer, which is counted from now on.
    pub(crate) fn count_peer(&self, peer: Pid) -> Arc<PeerCounters> {
        let mut peers = self.peers.write().unwrap_or_else(PoisonError::into_inner);
        let place = peers.binary_search_by_key(&peer, |known| known.peer).unwrap_or_else(|place| {
            let (interarrival, round_trip) = (Histogram::default(), Histogram::default());
            peers.insert(place, Arc::new(PeerCounters { peer, interarrival, round_trip }));
            place
        });
        Arc::clone(&peers[place])
    }

    /// What the node is doing.
    pub fn phase(&self) -> NodePhase {
        let phase = u8::try_from(self.phase.get()).ok().and_then(NodePhase::from_repr);
        phase.unwrap_or(NodePhase::Ended)
    }

    pub(crate) fn set_phase(&self, phase: NodePhase) {
        self.phase.0.store(phase as u64, Relaxed);
    }

    /// Which process the node is; `None` while it has not joined its cluster.
    pub fn process(&self) -> Option<Pid> {
        self.process.get().checked_sub(1).and_then(|number| Pid::member(number as usize))
    }

    pub(crate) fn set_process(&self, me: Pid) {
        self.process.0.store(me.index() as u64 + 1, Relaxed);
    }

    /// Whom the node suspects.
    pub fn suspects(&self) -> MemberSet {
        self.suspects.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the node suspects this process.
    pub fn is_suspected(&self, peer: Pid) -> bool {
        self.suspects.read().unwrap_or_else(PoisonError::into_inner).contains(peer)
    }

    /// How many datagrams were refused for this reason.
    pub fn refused(&self, refusal: DatagramRefusal) -> u64 {
        self.refused[refusal.index()].get()
    }

    /// How many datagrams have been accounted for: delivered, greeted or refused.
    pub fn accounted(&self) -> u64 {
        let refused: u64 = self.refused.iter().map(Count::get).sum();
        refused + self.delivered.get() + self.greetings.get()
    }

    pub(crate) fn suspect(&self, peer: Pid, suspected: bool) {
        let mut suspects = self.suspects.write().unwrap_or_else(PoisonError::into_inner);
        if suspected {
            suspects.insert(peer)
        } else {
            suspects.remove(peer)
        };
    }

    pub(crate) fn late(&self, by: u64) {
        let class = LATENESS_CLASSES.iter().position(|&end| by <= end).unwrap_or(LATENESS_CLASSES.len());
        self.lateness[class].add(1);
        self.lateness_sum.add(by);
    }
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Counts so many more. Only one thread counts, the one that runs the node, so nothing is lost.
    pub fn add(&self, more: u64) {
        self.0.store(self.get().wrapping_add(more), Relaxed);
    }
}
