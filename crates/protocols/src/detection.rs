//! What a failure detector should guarantee, with figures, as observers of its runs: that a crash is found
//! out in time, and that nobody is suspected who has not crashed, or not often. They go by what announcements mean
//! ([`Protocol::meaning`](watchkeeper_core::Protocol::meaning)) and by crashes, and never look into a state.
//!
//! # How they are read
//! - A process has *found out* about another while it suspects it, and for ever once it has stopped of its own
//!   accord: a protocol that answers a crash by stopping has no other way to say so.
//! - [`CompletenessObserver`] within B: whenever no process has crashed for more than B, every process that is down has
//!   been found out about. It speaks of every moment from then on, so a suspicion that is withdrawn after
//!   the deadline is as wrong as one that does not come; one that is withdrawn before it, because an old
//!   message arrives, does no harm if it is back in time. A process that was suspected before it crashed need
//!   not be suspected anew.
//! - The time counts from the last crash. Where there is one crash, that is the crash. Where there are more,
//!   the one who was about to find out may be the next to crash, and another has to begin where it began. A
//!   process that recovers has all to learn, so its start counts like a crash.
//! - Weak completeness asks that one and the same process has found out by the deadline and never withdraws
//!   that; strong completeness asks it of every process that is up. If nobody is up, nothing is asked.
//! - [`AccuracyObserver`]: nobody suspects a process that has never crashed, and nobody stops before the first crash.
//!   What should become of the suspicion of a process that has recovered is not said here.
//! - [`MistakesObserver`] of at most K: each process announces at most K times that it suspects a process that has never
//!   crashed, counted for each of those alone. A process that starts again has all to learn, so its count begins anew.

mod accuracy;
mod completeness;
mod mistakes;
mod staggered;

pub use accuracy::{AccuracyObserver, AccuracyState};
pub use completeness::{CompletenessObserver, CompletenessState, DetectionPhase};
pub use mistakes::{MistakesObserver, MistakesState};
pub use staggered::{Staggered, StaggeredState, StaggeredTimer};
