//! Runs a protocol on a network: the very value that a checker explores, on one UDP socket with authenticated datagrams
//! and a table of timers. It has a clock, a socket and entropy, and knows no checker.
//!
//! A [`NodeBuilder`] describes a node, [`spawn`](NodeBuilder::spawn) starts it on the current Tokio runtime, and a
//! [`Handle`] reads its [events](NodeEvents). Here two nodes of a ring detector watch each other, until one of them ends:
//!
//! ```
//! use std::net::UdpSocket;
//! use std::time::Duration;
//! use watchkeeper_core::{Meaning, Pid};
//! use watchkeeper_protocols::ring::Ring;
//! use watchkeeper_runtime::{ClusterKey, Handle, KeyId, KeyRing, NodeBuilder, NodeEventKind};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! // Two free ports, and a key that only the nodes of the cluster have.
//! let sockets = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
//! let addresses = [sockets[0].local_addr()?, sockets[1].local_addr()?];
//! drop(sockets);
//! let keys = KeyRing::new((KeyId(1), ClusterKey::generate()?));
//!
//! let mut nodes: Vec<Handle<Ring>> = Vec::new();
//! for me in 0..2 {
//!     let node = NodeBuilder::new(Ring::new(2, 10)?, Pid::at(me), addresses[me])
//!         .peer(Pid::at(1 - me), addresses[1 - me])
//!         .cluster("example")
//!         .keys(keys.clone())
//!         .tick(Duration::from_millis(10))
//!         .gather(Duration::from_secs(10));
//!     nodes.push(node.spawn().await?);
//! }
//!
//! let mut events = nodes[0].events();
//! while let Some(event) = events.next().await {
//!     match event.kind {
//!         NodeEventKind::Began { .. } => nodes[1].shutdown().await,
//!         NodeEventKind::Announced { meaning: Meaning::Suspects(peer), .. } => {
//!             assert_eq!(peer, Pid::at(1));
//!             break;
//!         }
//!         _ => {}
//!     }
//! }
//! assert!(nodes[0].suspects().contains(Pid::at(1)));
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(run()).unwrap();
//! ```

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
pub mod recording_line;
mod status;
mod timers;
#[cfg(feature = "tracing")]
mod trace;
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
pub use wire::{ClusterKey, DatagramRefusal, KeyError, KeyId, KeyRing};
