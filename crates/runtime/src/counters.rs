//! The counters of a node. Anyone may read them at any time without asking the node.

use crate::wire::DatagramRefusal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use watchkeeper_core::{Assumption, ProcSet};

/// The most that is kept of each: an upper end of a class of lateness, in nanoseconds.
pub const LATENESS_CLASSES: [u64; 9] =
    [100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 250_000_000, 1_000_000_000];

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
    /// TimerTable that fired.
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
    suspects: Count,
}

impl Counters {
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

    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }
}
