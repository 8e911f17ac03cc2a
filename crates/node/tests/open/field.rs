//! Nodes of an open cluster and the network between them, which knows them by their addresses alone.

use crate::chatter::Chatter;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{Member, Pid};
use watchkeeper_node::{
    Announcement, ClusterKey, JoinFailure, KeyId, KeyRing, MeetingCall, Node, NodeConfig, NodeEvent,
    NodeEventKind, NodePhase, NodeStart, OpenMember, RecordLine, RecordedModel, SystemClocks,
};
use watchkeeper_protocols::swim::{FirstMembers, PlainSwim, Swim, SwimCall, SwimConfig};

pub const MS: u64 = 1_000_000;

/// 2027, in nanoseconds.
const WALL: i128 = 1_800_000_000_000_000_000;

pub fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// A node, with all that came out of it.
pub struct Place {
    pub address: SocketAddr,
    pub node: Node,
    pub events: Vec<NodeEvent<Announcement>>,
    pub records: Vec<RecordLine>,
    /// Whether it is cut off: killed, as far as others can tell.
    pub is_dead: bool,
}

/// The nodes that ever were, and what is between them.
pub struct Field {
    pub now: u64,
    /// What runs on the nodes that are started from now on.
    pub protocol: Running,
    pub tick: Duration,
    /// How long a datagram takes.
    pub delay: u64,
    /// The ports on one side of a partition, if there is one.
    pub cut: Vec<u16>,
    pub places: Vec<Place>,
    /// Everything that was ever sent, from where to where.
    pub sent: Vec<(SocketAddr, SocketAddr, Vec<u8>)>,
    pub under_way: Vec<(u64, SocketAddr, SocketAddr, Vec<u8>)>,
}

/// What runs on a node.
#[derive(Clone, Copy)]
pub enum Running {
    Chatter,
    /// SWIM, with periods of a second at a tick of 50 ms.
    Swim,
}

impl Default for Field {
    /// A datagram takes a millisecond.
    fn default() -> Field {
        Field {
            now: 0,
            protocol: Running::Chatter,
            tick: Duration::from_millis(50),
            delay: MS,
            cut: Vec::new(),
            places: Vec::new(),
            sent: Vec::new(),
            under_way: Vec::new(),
        }
    }
}

/// A member as it is configured here.
pub fn member(name: &str, port: u16, seeds: &[u16], is_seed: bool) -> OpenMember {
    OpenMember {
        name: name.parse().expect("a name"),
        address: address(port),
        seeds: seeds.iter().copied().map(address).collect(),
        wish: None,
        is_seed,
    }
}

pub fn key(byte: u8) -> KeyRing {
    KeyRing::new((KeyId(1), ClusterKey::from_bytes([byte; 32]).expect("a key")))
}

impl Field {
    /// Starts a node; returns its place.
    pub fn start(&mut self, member: OpenMember) -> usize {
        self.start_with(member, key(7), Duration::from_secs(30))
    }

    pub fn start_with(&mut self, member: OpenMember, keys: KeyRing, patience: Duration) -> usize {
        let mut config = NodeConfig::open(member.clone());
        config.cluster = "test".to_string();
        config.keys = Some(keys);
        config.tick = self.tick;
        config.meeting = match self.protocol {
            Running::Chatter => None,
            Running::Swim => Some(MeetingCall::new(|by| SwimCall::Meet(Member(by)))),
        };
        config.gather = patience;
        config.recorded = Some(RecordedModel::default());
        let clock = SystemClocks { wall: WALL + i128::from(self.now), suspended: 0 };
        let mut entropy = [self.places.len() as u8; 32];
        entropy[..8].copy_from_slice(&self.now.to_le_bytes());
        entropy[8..16].copy_from_slice(&(self.places.len() as u64 + 1).to_le_bytes());
        let start = NodeStart { now: self.now, clock, clock_name: "virtual".to_string(), entropy };
        let swim = || {
            let config = SwimConfig { start: FirstMembers::Seed, ..SwimConfig::default() };
            Swim::new(2, config, PlainSwim).expect("a configuration")
        };
        let node = match self.protocol {
            Running::Chatter => Node::new(Chatter, config, start),
            Running::Swim => Node::new(swim(), config, start),
        };
        let node = node.expect("a node");
        // Nobody else listens at its address any more.
        self.places
            .iter_mut()
            .filter(|place| place.address == member.address)
            .for_each(|place| place.is_dead = true);
        let (events, records) = (Vec::new(), Vec::new());
        self.places.push(Place { address: member.address, node, events, records, is_dead: false });
        self.places.len() - 1
    }

    /// Lets so much time pass, a millisecond at a time.
    pub fn run(&mut self, ms: u64) {
        for _ in 0..ms {
            self.now += MS;
            let now = self.now;
            let (due, later) = self.under_way.drain(..).partition(|(at, ..)| *at <= now);
            self.under_way = later;
            let is_cut = |address: SocketAddr| self.cut.contains(&address.port());
            for (_, from, to, mut datagram) in due {
                if is_cut(from) != is_cut(to) {
                    continue;
                }
                let there = self.places.iter_mut().find(|place| place.address == to && !place.is_dead);
                if let Some(place) = there {
                    place.node.handle_datagram(now, from, &mut datagram);
                }
            }
            for place in self.places.iter_mut().filter(|place| !place.is_dead) {
                place.node.handle_timeout(now);
                while let Some(transmit) = place.node.poll_transmit() {
                    let (to, datagram) = (transmit.to, transmit.datagram.to_vec());
                    self.sent.push((place.address, to, datagram.clone()));
                    self.under_way.push((now + self.delay, place.address, to, datagram));
                }
                place.events.extend(std::iter::from_fn(|| place.node.poll_event()));
                place.records.extend(std::iter::from_fn(|| place.node.poll_record()));
                place.is_dead |= place.node.has_ended();
            }
        }
    }

    pub fn kill(&mut self, place: usize) {
        self.places[place].is_dead = true;
    }

    pub fn leave(&mut self, place: usize) {
        let now = self.now;
        self.places[place].node.handle_leave(now);
    }

    pub fn number(&self, place: usize) -> Option<Pid> {
        let node = &self.places[place].node;
        node.process().filter(|_| node.counters().phase() == NodePhase::Running)
    }

    /// Whom a node knows: the names of those who have not left, in the order of their numbers.
    pub fn known(&self, place: usize) -> Vec<String> {
        let status = self.places[place].node.status(self.now);
        let there = status.peers.into_iter().filter(|peer| !peer.left);
        there.map(|peer| peer.name.unwrap_or_else(|| "?".to_string())).collect()
    }

    /// Whom the protocol of a node has heard of, as its state says.
    pub fn heard(&self, place: usize) -> String {
        self.places[place].node.status(self.now).state
    }

    /// Lets so much time pass while all sleep, a little at a time: they look around after each.
    pub fn sleep(&mut self, seconds: u64) {
        for _ in 0..seconds.div_ceil(600) {
            self.now += 600_000 * MS;
            self.run(200);
        }
    }

    pub fn failure(&self, place: usize) -> Option<JoinFailure> {
        self.places[place].events.iter().find_map(|event| match &event.kind {
            NodeEventKind::NotJoined(failure) => Some(failure.clone()),
            _ => None,
        })
    }
}
