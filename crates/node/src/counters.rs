//! The counters of a node. Anyone may read them at any time without asking the node.

use crate::status::NodePhase;
use crate::wire::DatagramRefusal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use watchkeeper_core::{Assumption, Pid, ProcSet};

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
    /// What was measured of each peer, in the order of their ids.
    pub peers: Vec<PeerCounters>,
    suspects: Count,
    phase: Count,
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
    pub(crate) fn new(peers: ProcSet) -> Counters {
        let none = |peer| PeerCounters {
            peer,
            interarrival: Histogram::default(),
            round_trip: Histogram::default(),
        };
        Counters { peers: peers.iter().map(none).collect(), ..Counters::default() }
    }

    /// What was measured of a peer.
    pub fn peer(&self, peer: Pid) -> Option<&PeerCounters> {
        let place = self.peers.binary_search_by_key(&peer, |known| known.peer).ok()?;
        Some(&self.peers[place])
    }

    /// What the node is doing.
    pub fn phase(&self) -> NodePhase {
        let phase = u8::try_from(self.phase.get()).ok().and_then(NodePhase::from_repr);
        phase.unwrap_or(NodePhase::Ended)
    }

    pub(crate) fn set_phase(&self, phase: NodePhase) {
        self.phase.0.store(phase as u64, Relaxed);
    }

    /// Whom the node suspects.
    pub fn suspects(&self) -> ProcSet {
        ProcSet::from_bits(self.suspects.get())
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

    pub(crate) fn set_suspects(&self, suspects: ProcSet) {
        self.suspects.0.store(suspects.bits(), Relaxed);
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
