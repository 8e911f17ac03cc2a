//! The contract: what a protocol is, what it may ask of its environment, and how its values are laid
//! down. Everything else in this project meets a protocol through these types. This room owns no clock,
//! no socket, no randomness and no thread, and never will.

mod bound;
mod kind;
mod observer;
mod pack;
mod per_proc;
mod perm;
mod pid;
mod proc_set;
mod promises;
mod protocol;
mod recording;
mod slot;
mod stages;
mod suspicion;
mod trace;
mod value;

pub use bound::Bound;
pub use kind::{Kind, Never};
#[doc(hidden)]
pub use kind::{MOST_KINDS, joined};
pub use observer::{Judgement, MAX_WATCHES, Observer, Sight, Watches};
pub use pack::{Malformed, Pack, Reader, packed, unpacked};
pub use per_proc::PerProc;
pub use perm::Perm;
pub use pid::{MAX_PROCESSES, Pid};
pub use proc_set::ProcSet;
pub use promises::{Part, Promises, Symmetry};
pub use protocol::{Effects, Input, Protocol, Want, Wants};
pub use recording::{RecordedInput, RecordedSend, RecordedStep, Recording, Stall};
pub use slot::Slot;
pub use stages::{Stage, Staged};
pub use suspicion::{Meaning, Suspicion};
pub use trace::{Event, MessageId, Step, Tone, Trace};
pub use value::{Value, View};
pub use watchkeeper_derive::{Kind, Pack, Slot};

// The derives name this crate by its full path, also when they are used inside it.
extern crate self as watchkeeper_core;
