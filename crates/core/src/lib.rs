//! The contract between protocols and environments: the inputs and effects of a protocol, and the canonical bytes of its
//! values. Every other crate meets a protocol through these types. This crate owns no clock, no socket, no randomness and
//! no thread.
//!
//! # A failure detector with a timer for each peer
//! Every process sends heartbeats; a peer that is silent for too long is suspected until a message of it arrives. A
//! running node needs no more than `Protocol`. `Promises` are for a search.
//!
//! ```
//! use watchkeeper_core::{
//!     Bound, Effects, Input, Kind, Meaning, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot, Suspicion, Symmetry,
//! };
//!
//! struct Detector {
//!     n: usize,
//! }
//!
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
//! enum Msg {
//!     Alive,
//! }
//!
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
//! enum Timer {
//!     Beat,
//!     Suspect(Pid),
//! }
//!
//! impl Protocol for Detector {
//!     type State = ProcSet;
//!     type Msg = Msg;
//!     type Timer = Timer;
//!     type Call = Never;
//!     type Output = Suspicion;
//!
//!     fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> ProcSet {
//!         fx.arm(Timer::Beat, Bound::exactly(2));
//!         for peer in ProcSet::first(self.n).without(me).iter() {
//!             fx.arm(Timer::Suspect(peer), Bound::exactly(5));
//!         }
//!         ProcSet::EMPTY
//!     }
//!
//!     fn step(&self, me: Pid, suspects: &mut ProcSet, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
//!         match input {
//!             Input::Fire(Timer::Beat) => {
//!                 ProcSet::first(self.n).without(me).iter().for_each(|peer| fx.send(peer, Msg::Alive));
//!                 fx.arm(Timer::Beat, Bound::exactly(2));
//!             }
//!             Input::Fire(Timer::Suspect(peer)) => {
//!                 suspects.insert(peer);
//!                 fx.emit(Suspicion::Suspect(peer));
//!             }
//!             Input::Receive { from, msg: Msg::Alive } => {
//!                 if suspects.contains(from) {
//!                     suspects.remove(from);
//!                     fx.emit(Suspicion::Trust(from));
//!                 }
//!                 fx.arm(Timer::Suspect(from), Bound::exactly(5));
//!             }
//!             Input::Call(call) => match *call {},
//!             Input::Notice(_) => {}
//!         }
//!     }
//!
//!     fn meaning(&self, output: &Suspicion) -> Meaning {
//!         Meaning::from(*output)
//!     }
//! }
//!
//! /// Nobody is special: with the processes, also their timers change their names.
//! impl Promises for Detector {
//!     fn symmetry(&self) -> Symmetry {
//!         Symmetry::Full
//!     }
//! }
//!
//! /// An environment that only takes notes.
//! #[derive(Default)]
//! struct Notes(Vec<String>);
//!
//! impl Effects<Detector> for Notes {
//!     fn send(&mut self, to: Pid, msg: Msg) {
//!         self.0.push(format!("{} to {to}", msg.label()));
//!     }
//!
//!     fn arm(&mut self, timer: Timer, bound: Bound) {
//!         self.0.push(format!("{} after {}", timer.name(), bound.lo()));
//!     }
//!
//!     fn disarm(&mut self, timer: Timer) {
//!         self.0.push(format!("no {}", timer.name()));
//!     }
//!
//!     fn emit(&mut self, output: Suspicion) {
//!         self.0.push(output.label());
//!     }
//!
//!     fn pick(&mut self, _ways: usize) -> usize {
//!         0
//!     }
//! }
//!
//! let (detector, p0, p1) = (Detector { n: 2 }, Pid::at(0), Pid::at(1));
//! let mut notes = Notes::default();
//! let mut state = detector.init(p0, &mut notes);
//! detector.step(p0, &mut state, Input::Fire(Timer::Suspect(p1)), &mut notes);
//! detector.step(p0, &mut state, Input::Receive { from: p1, msg: &Msg::Alive }, &mut notes);
//! assert_eq!(
//!     notes.0,
//!     ["Beat after 2", "Suspect p1 after 5", "suspect p1", "stop suspecting p1", "Suspect p1 after 5"]
//! );
//! ```

mod assumption;
mod bound;
mod completeness;
mod datum;
mod kind;
mod member;
mod member_set;
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
mod time;
mod trace;
mod value;

pub use assumption::Assumption;
pub use bound::Bound;
pub use completeness::Completeness;
#[doc(hidden)]
pub use datum::shown;
pub use datum::{Datum, DatumSort, KindData, identifier};
pub use kind::{Kind, Never};
#[doc(hidden)]
pub use kind::{MOST_KINDS, field_label, joined};
pub use member::Member;
pub use member_set::MemberSet;
pub use observer::{Deadlines, Judgement, MAX_DEADLINES, Observation, Observer};
pub use pack::{Malformed, Pack, Reader, packed, unpacked};
pub use per_proc::PerProc;
pub use perm::Perm;
pub use pid::{MAX_MEMBERS, MAX_PROCESSES, Pid};
pub use proc_set::ProcSet;
pub use promises::{PeerState, Promises, Symmetry};
pub use protocol::{Effects, Input, Protocol, Reception, SelectiveReceive};
pub use recording::{RecordedInput, RecordedSend, RecordedStep, Recording, Stall};
pub use slot::Slot;
pub use stages::{Stage, Staged};
pub use suspicion::{Meaning, Suspicion};
pub use time::Time;
pub use trace::{Event, MessageId, Step, Tone, Trace};
pub use value::{Value, View};
pub use watchkeeper_derive::{Kind, Pack, Slot};

// The derives name this crate by its full path, also when they are used inside it.
extern crate self as watchkeeper_core;
