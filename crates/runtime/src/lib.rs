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

pub use assumptions::{Assumptions, Breach, CheckedProperty, Measurement, usual_lateness};
pub use counters::{Count, Counters, LATENESS_CLASSES};
pub use event::{Evidence, NodeEvent, NodeEventKind, NodeEvents, PeerEvidence, StepCause};
pub use node::{
    DEFAULT_GATHER, DEFAULT_TICK, Handle, LONGEST_CLUSTER, NodeBuilder, NodeEnded, SHORTEST_LATENESS,
    SHORTEST_TICK, StartError,
};
pub use record::{RecordedModel, RunRecorder};
pub use status::{NodePhase, PeerStatus, Status};
pub use watchkeeper_core::Assumption;
