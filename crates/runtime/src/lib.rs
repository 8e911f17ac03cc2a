//! Runs a protocol on a network: the very value that a checker explores, on one UDP socket with authenticated
//! datagrams and a table of timers. The only room with a clock, a socket and entropy; it knows no checker and
//! writes nothing of a protocol again.

mod assumptions;
mod clock;
mod counters;
mod driver;
mod event;
mod hosted;
mod node;
mod outbox;
mod peers;
mod record;
mod status;
mod timers;
pub mod wire;

pub use assumptions::{Assumptions, Breach, Found, Property, usual_lateness};
pub use counters::{Count, Counters, LATENESS_CLASSES};
pub use event::{About, Cause, Event, Events, Evidence, Happened};
pub use node::{
    DEFAULT_GATHER, DEFAULT_TICK, Ended, Handle, LONGEST_CLUSTER, Node, SHORTEST_LATENESS, SHORTEST_TICK,
    StartError,
};
pub use record::{RecordedModel, Recorder};
pub use status::{PeerStatus, Phase, Status};
pub use watchkeeper_core::Assumption;
