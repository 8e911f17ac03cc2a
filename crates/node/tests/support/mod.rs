//! Nodes that talk through memory, in a time of their own.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{Pid, Protocol};
use watchkeeper_node::{
    Announcement, Assumptions, ClusterKey, KeyId, KeyRing, Node, NodeConfig, NodeEvent, NodePhase, NodeStart,
    SystemClocks,
};

pub const MS: u64 = 1_000_000;

/// 2027, in nanoseconds.
pub const WALL: i128 = 1_800_000_000_000_000_000;

pub fn key(id: u8) -> (KeyId, ClusterKey) {
    (KeyId(id), format!("{:02x}", 16 + id).repeat(32).parse().expect("a key"))
}

/// A ring whose first key is the current one.
pub fn ring(ids: &[u8]) -> KeyRing {
    let first = KeyRing::new(key(ids[0]));
    ids[1..].iter().fold(first, |ring, id| ring.with(key(*id).0, key(*id).1).expect("few keys"))
}

pub fn address(process: usize) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 7000 + process as u16))
}

/// A cluster on a network that takes one millisecond.
pub struct Cluster {
    pub now: u64,
    pub nodes: Vec<Node>,
    pub events: Vec<Vec<NodeEvent<Announcement>>>,
    /// Everything that the nodes have ever sent: from whom, to whom.
    pub sent: Vec<(usize, usize, Vec<u8>)>,
    /// The share of datagrams that the network loses, and what decides which.
    pub loss: (f64, fastrand::Rng),
    /// Who is stopped: what is sent to it waits.
    pub held: Option<usize>,
    /// What is on its way: when it arrives, from whom, to whom.
    under_way: Vec<(u64, usize, usize, Vec<u8>)>,
}

impl Cluster {
    pub fn new<P: Protocol + Clone + Send + 'static>(protocol: &P, n: usize) -> Cluster {
        Cluster::assuming(protocol, n, &Assumptions::default())
    }

    /// A cluster whose nodes are told that their verdicts rest on this.
    pub fn assuming<P: Protocol + Clone + Send + 'static>(
        protocol: &P,
        n: usize,
        assumptions: &Assumptions,
    ) -> Cluster {
        let birth = Birth { assumptions: assumptions.clone(), ..Birth::default() };
        let node = |me: usize| start(protocol.clone(), me, n, 0, &birth);
        let nodes = (0..n).map(node).collect();
        let (events, loss) = (vec![Vec::new(); n], (0.0, fastrand::Rng::with_seed(1)));
        Cluster { now: 0, nodes, events, sent: Vec::new(), loss, under_way: Vec::new(), held: None }
    }

    /// Lets so much time pass, a millisecond at a time.
    pub fn run(&mut self, ms: u64) {
        for _ in 0..ms {
            self.now += MS;
            let (due, later) = self
                .under_way
                .drain(..)
                .partition(|(at, _, to, _)| *at <= self.now && self.held != Some(*to));
            self.under_way = later;
            for (_, from, to, mut datagram) in due {
                self.nodes[to].handle_datagram(self.now, address(from), &mut datagram);
            }
            let held = self.held;
            for me in (0..self.nodes.len()).filter(|me| held != Some(*me)) {
                self.nodes[me].handle_timeout(self.now);
                self.give_out(me);
            }
        }
    }

    pub fn give_out(&mut self, me: usize) {
        let node = &mut self.nodes[me];
        while let Some(transmit) = node.poll_transmit() {
            let (to, datagram) = (transmit.peer.expect("a peer").index(), transmit.datagram.to_vec());
            self.sent.push((me, to, datagram.clone()));
            let (share, random) = &mut self.loss;
            if random.f64() >= *share {
                self.under_way.push((self.now + MS, me, to, datagram));
            }
        }
        while let Some(event) = node.poll_event() {
            self.events[me].push(event);
        }
    }

    /// Somebody else sends a datagram under the address of a node.
    pub fn inject(&mut self, as_from: usize, to: usize, datagram: Vec<u8>) {
        self.under_way.push((self.now + MS, as_from, to, datagram));
    }

    pub fn all_run(&self) -> bool {
        self.nodes.iter().all(|node| node.counters().phase() == NodePhase::Running)
    }
}

/// What differs between the incarnations of a node.
pub struct Birth {
    /// The how many-th it is.
    pub life: u8,
    /// What the wall clock shows.
    pub wall: i128,
    /// The ids of its keys, the current one first.
    pub keys: Vec<u8>,
    /// What it is told that its verdicts rest on.
    pub assumptions: Assumptions,
}

impl Default for Birth {
    fn default() -> Birth {
        Birth { life: 1, wall: WALL, keys: vec![1], assumptions: Assumptions::default() }
    }
}

/// One node of a cluster of `n`.
pub fn start<P: Protocol + Send + 'static>(
    protocol: P,
    me: usize,
    n: usize,
    now: u64,
    birth: &Birth,
) -> Node {
    let mut config = NodeConfig::new(Pid::at(me));
    config.peers =
        (0..n).filter(|peer| *peer != me).map(|peer| (Pid::at(peer), Some(address(peer)))).collect();
    config.cluster = "test".to_string();
    config.keys = Some(ring(&birth.keys));
    config.assumptions = birth.assumptions.clone();
    config.tick = Duration::from_millis(50);
    config.gather = Duration::from_secs(30);
    let clock = SystemClocks { wall: birth.wall, suspended: 0 };
    let mut entropy = [me as u8 + 1; 32];
    entropy[1] = birth.life;
    let start = NodeStart { now, clock, clock_name: "virtual".to_string(), entropy };
    Node::new(protocol, config, start).expect("a node")
}
