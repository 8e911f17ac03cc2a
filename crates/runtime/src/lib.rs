//! Runs a protocol on a network: the very value that a checker explores, on one UDP socket with authenticated datagrams
//! and a table of timers. The node itself is a machine without I/O, `watchkeeper-node`; here are the shells that give it a
//! clock, a socket and entropy: one on Tokio, and one that a thread of the caller runs ([`BlockingNode`]). It knows no checker.
//!
//! A [`NodeBuilder`] describes a node, [`spawn`](NodeBuilder::spawn) starts it on the current Tokio runtime, and a
//! [`Handle`] reads its [events](NodeEvents). Here two nodes of a ring detector watch each other, until one of them ends:
//!
//! ```
//! use std::net::UdpSocket;
//! use std::time::Duration;
//! use watchkeeper_core::{Meaning, Pid};
//! use watchkeeper_protocols::ring::Ring;
//! use watchkeeper_runtime::{Handle, KeyId, KeyRing, NodeBuilder, NodeEventKind, generate_key};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! // Two free ports, and a key that only the nodes of the cluster have.
//! let sockets = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
//! let addresses = [sockets[0].local_addr()?, sockets[1].local_addr()?];
//! drop(sockets);
//! let keys = KeyRing::new((KeyId(1), generate_key()?));
//!
//! let (mut nodes, mut events): (Vec<Handle<Ring>>, Vec<_>) = Default::default();
//! for me in 0..2 {
//!     let node = NodeBuilder::new(Ring::new(2, 10)?, Pid::at(me), addresses[me])
//!         .peer(Pid::at(1 - me), addresses[1 - me])
//!         .cluster("example")
//!         .keys(keys.clone())
//!         .tick(Duration::from_millis(10))
//!         .gather(Duration::from_secs(10));
//!     let node = node.spawn().await?;
//!     // From now on: what happens before somebody asks for events is told to nobody.
//!     events.push(node.events());
//!     nodes.push(node);
//! }
//!
//! while let Some(event) = events[0].next().await {
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

mod blocking;
mod builder;
mod clock;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod filter;
#[cfg(feature = "tokio")]
mod handle;
mod recorder;
mod shell;
mod socket;
#[cfg(feature = "tokio")]
mod spawned;
mod start_error;
mod trace;

pub use blocking::BlockingNode;
pub use builder::NodeBuilder;
#[cfg(feature = "tokio")]
pub use handle::{Handle, NodeEnded, NodeEvents};
pub use recorder::RunRecorder;
pub use start_error::StartError;
pub use watchkeeper_core::Assumption;
pub use watchkeeper_node::{
    Assumptions, Breach, CheckedProperty, ClusterKey, ConfigError, Count, Counters, DEFAULT_GATHER,
    DEFAULT_JOIN, DEFAULT_TICK, DatagramRefusal, Evidence, ExpectedNetwork, HISTOGRAM_CLASSES, Histogram,
    JoinFailure, KeyError, KeyId, KeyRing, LATENESS_CLASSES, LONGEST_CLUSTER, MOST_SEEDS, Measurement,
    MemberName, NameError, NodeEvent, NodeEventKind, NodePhase, OpenMember, PeerCounters, PeerEvidence,
    PeerStatus, RecordedModel, SHORTEST_LATENESS, SHORTEST_TICK, Status, StepCause, recording_line,
    usual_lateness, wire,
};

/// A new key, from the randomness of the operating system.
pub fn generate_key() -> Result<ClusterKey, KeyError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| KeyError::NoEntropy)?;
    ClusterKey::from_bytes(bytes)
}
