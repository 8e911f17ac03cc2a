//! The boundary where the types of a protocol end. Behind it a protocol is an automaton over small numbers: local
//! states, messages, calls and announcements have ids, timers have slots, and a step takes a state and an input to a
//! state and requests. Whatever searches a protocol sees ids and bytes only, and is compiled once for all protocols.
//!
//! Only this crate calls a protocol in a search. It numbers values and decides nothing: which steps there are, and when,
//! is for the crates behind it to say.

mod arena;
mod debug_text;
mod erased_observer;
mod intern;
mod observation;
mod performance;
mod protocol_automaton;
mod typed;

pub use arena::Arena;
pub use erased_observer::{ErasedObserver, erased};
pub use intern::{Interned, Interner};
pub use observation::{RawObservation, observation};
pub use performance::{Performance, Request, RequestLog, performances};
pub use protocol_automaton::{
    CallId, Facts, MsgId, OutputId, ProtocolAutomaton, Requests, StateId, Stimulus, Values,
};
pub use typed::{TypedAutomaton, ValueTable, slot};
