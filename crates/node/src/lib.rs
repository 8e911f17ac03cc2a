//! A node of a protocol as a machine without I/O: datagrams and the time go in, datagrams, events and the lines of a
//! recording come out. It owns sessions, windows, timers, assumptions, stalls and recording lines, and no clock, socket,
//! file, thread or entropy. `watchkeeper-runtime` has shells around it, and whole clusters of nodes can be simulated.
//!
//! Here two nodes of a ring detector talk through memory, in a time of their own:
//!
//! ```
//! use std::net::SocketAddr;
//! use watchkeeper_core::Pid;
//! use watchkeeper_node::{SystemClocks, ClusterKey, KeyId, KeyRing, Node, NodeConfig, NodePhase, NodeStart};
//! use watchkeeper_protocols::ring::Ring;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let address = |me: usize| SocketAddr::from(([127, 0, 0, 1], 7000 + me as u16));
//! let keys = KeyRing::new((KeyId(1), ClusterKey::from_bytes([7; 32])?));
//! let mut nodes = Vec::new();
//! for me in 0..2 {
//!     let mut config = NodeConfig::new(Pid::at(me));
//!     config.peers = vec![(Pid::at(1 - me), Some(address(1 - me)))];
//!     config.cluster = "example".to_string();
//!     config.keys = Some(keys.clone());
//!     let clock = SystemClocks { wall: 1_800_000_000_000_000_000, suspended: 0 };
//!     // A real node gets its entropy from the operating system.
//!     let start = NodeStart { now: 0, clock, clock_name: "virtual".to_string(), entropy: [1 + me as u8; 32] };
//!     nodes.push(Node::new(Ring::new(2, 10)?, config, start)?);
//! }
//! let mut now = 0;
//! while nodes.iter().any(|node| node.counters().phase() != NodePhase::Running) {
//!     now += 1_000_000;
//!     for me in 0..2 {
//!         nodes[me].handle_timeout(now);
//!         let sent: Vec<Vec<u8>> = nodes[me].transmits().map(|transmit| transmit.datagram.to_vec()).collect();
//!         nodes[me].transmitted(sent.len());
//!         for mut datagram in sent {
//!             nodes[1 - me].handle_datagram(now, address(me), &mut datagram);
//!         }
//!     }
//! }
//! assert!(now < 200_000_000, "they have found each other, and begun");
//! # Ok(())
//! # }
//! ```

mod assumptions;
mod config;
mod counters;
mod directory;
mod event;
mod expected_network;
mod held;
mod hosted;
mod membership;
mod node;
mod numbering;
mod outbox;
mod peers;
pub mod recording_line;
mod settling;
mod status;
mod timers;
mod transmit;
pub mod wire;

pub use assumptions::{Assumptions, Breach, CheckedProperty, Measurement, usual_lateness};
pub use config::{
    ConfigError, DEFAULT_GATHER, DEFAULT_JOIN, DEFAULT_TICK, LONGEST_CLUSTER, LONGEST_TICK, MOST_SEEDS,
    MeetingCall, NodeConfig, NodeStart, OpenMember, SHORTEST_LATENESS, SHORTEST_TICK, SystemClocks,
};
pub use counters::{Count, Counters, HISTOGRAM_CLASSES, Histogram, LATENESS_CLASSES, PeerCounters};
pub use event::{Announcement, Evidence, JoinFailure, NodeEvent, NodeEventKind, PeerEvidence, StepCause};
pub use expected_network::ExpectedNetwork;
pub use hosted::{Host, hosted};
pub use node::Node;
pub use outbox::{Outbox, Sending};
pub use recording_line::{RecordLine, RecordedModel};
pub use status::{NodePhase, PeerStatus, Status};
pub use transmit::Transmit;
pub use watchkeeper_core::Assumption;
pub use wire::{ClusterKey, DatagramRefusal, KeyError, KeyId, KeyRing, MemberName, NameError};
