//! What one process of a heartbeat protocol remembers. There is no value in it that does not matter: how
//! long the round of p0 lasts is known to its timer alone, and the wait for a participant that was heard,
//! or is not counted, is `tmax` whatever it was before.

use std::fmt;
use watchkeeper_core::{Pack, PerProc, Pid, ProcSet, Time};

/// The local state of a heartbeat protocol, with durations `T`.
#[derive(Clone, PartialEq, Eq, Hash, Pack)]
pub enum HeartbeatState<T: Time = u32> {
    /// p0, and active.
    Coordinator {
        /// The participants that it counts: all, or those that have joined and not left.
        counted: ProcSet,
        /// Those whose beat has arrived in this round.
        received: ProcSet,
        /// How long it waits for each process.
        tm: PerProc<T>,
    },
    /// A participant that has not yet heard of p0 that it has joined.
    Joining,
    /// A participant that answers p0's beats with beats.
    Joined,
    /// A participant that has decided to leave.
    Leaving,
    /// A process that has stopped because the protocol says so.
    Inactive,
}

impl<T: Time> HeartbeatState<T> {
    /// Whether the process has not been inactivated.
    pub fn is_active(&self) -> bool {
        *self != HeartbeatState::Inactive
    }

    /// Whether a participant has joined and not decided to leave.
    pub fn is_joined(&self) -> bool {
        *self == HeartbeatState::Joined
    }

    /// Whether a participant has decided to leave.
    pub fn is_leaving(&self) -> bool {
        *self == HeartbeatState::Leaving
    }

    /// The participants that p0 counts; none in the state of any other process.
    pub fn counted(&self) -> ProcSet {
        match self {
            HeartbeatState::Coordinator { counted, .. } => *counted,
            _ => ProcSet::EMPTY,
        }
    }

    /// The participants whose beat p0 has received in this round; none in the state of any other process.
    pub fn received(&self) -> ProcSet {
        match self {
            HeartbeatState::Coordinator { received, .. } => *received,
            _ => ProcSet::EMPTY,
        }
    }

    /// How long p0 waits for a participant that it counts. If it has heard from it, this is how long it will
    /// wait in the next round.
    pub fn wait(&self, participant: Pid) -> Option<T> {
        match self {
            HeartbeatState::Coordinator { counted, tm, .. } if counted.contains(participant) => {
                tm.get(participant).copied()
            }
            _ => None,
        }
    }
}

impl<T: Time> fmt::Debug for HeartbeatState<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeartbeatState::Coordinator { counted, received, tm } => {
                // Charts show states, and p0 does not wait for itself.
                let waits: Vec<T> = tm.iter().skip(1).map(|(_, wait)| *wait).collect();
                let mut shown = f.debug_struct("Coordinator");
                shown.field("counted", counted).field("received", received).field("tm", &waits).finish()
            }
            HeartbeatState::Joining => f.write_str("Joining"),
            HeartbeatState::Joined => f.write_str("Joined"),
            HeartbeatState::Leaving => f.write_str("Leaving"),
            HeartbeatState::Inactive => f.write_str("Inactive"),
        }
    }
}
