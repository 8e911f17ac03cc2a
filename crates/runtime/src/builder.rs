//! The front door of the runtime: a node is described, then spawned on Tokio, or opened to be run by the caller's thread.

use crate::StartError;
use crate::blocking::BlockingNode;
use crate::recorder::RunRecorder;
use crate::shell::{Publish, Shell};
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{Pid, Protocol, packed};
use watchkeeper_node::{Assumptions, KeyRing, MeetingCall, MemberName, NodeConfig, OpenMember};

/// A node that is about to run: one process of a protocol.
///
/// The order of calls is free. [`spawn`](NodeBuilder::spawn) or [`open`](NodeBuilder::open) takes everything up, or says
/// what is missing.
#[derive(Debug)]
pub struct NodeBuilder<P: Protocol> {
    protocol: P,
    bind: SocketAddr,
    recorder: Option<RunRecorder>,
    plan: NodeConfig,
}

impl<P: Protocol + Send + 'static> NodeBuilder<P> {
    /// Process `me` of a protocol, listening at an address.
    pub fn new(protocol: P, me: Pid, bind: SocketAddr) -> NodeBuilder<P> {
        NodeBuilder { protocol, bind, recorder: None, plan: NodeConfig::new(me) }
    }

    /// A member of an open cluster, with a name that no other member has, listening at an address. It learns its number when
    /// it joins: say whom it asks with [`join`](NodeBuilder::join), or let it found the cluster with
    /// [`found`](NodeBuilder::found).
    pub fn member(protocol: P, name: MemberName, bind: SocketAddr) -> NodeBuilder<P> {
        let member = OpenMember { name, address: bind, seeds: Vec::new(), wish: None, is_seed: false };
        NodeBuilder::open_member(protocol, member, bind)
    }

    /// The same, with all that is known of the member.
    pub fn open_member(protocol: P, member: OpenMember, bind: SocketAddr) -> NodeBuilder<P> {
        NodeBuilder { protocol, bind, recorder: None, plan: NodeConfig::open(member) }
    }

    /// Asks for a number here, where a seed or any other member of an open cluster listens. Add several to be independent
    /// of each of them. On one of several seeds: all seeds, itself among them, in the same order on each.
    #[must_use]
    pub fn join(mut self, address: SocketAddr) -> NodeBuilder<P> {
        if let Some(open) = &mut self.plan.open {
            open.seeds.push(address);
        }
        self
    }

    /// Founds an open cluster as a seed of it, which gives out numbers to those who join.
    #[must_use]
    pub fn found(mut self) -> NodeBuilder<P> {
        if let Some(open) = &mut self.plan.open {
            open.is_seed = true;
        }
        self
    }

    /// The number that a member of an open cluster would like to have: it gets it if nobody else has it.
    #[must_use]
    pub fn wish(mut self, number: Pid) -> NodeBuilder<P> {
        if let Some(open) = &mut self.plan.open {
            open.wish = Some(number);
        }
        self
    }

    /// Where other members of an open cluster reach this one, if that is not where it listens.
    #[must_use]
    pub fn advertise(mut self, address: SocketAddr) -> NodeBuilder<P> {
        if let Some(open) = &mut self.plan.open {
            open.address = address;
        }
        self
    }

    /// Adds a peer: the process, and where it listens.
    #[must_use]
    pub fn peer(mut self, peer: Pid, address: SocketAddr) -> NodeBuilder<P> {
        self.plan.peers.push((peer, Some(address)));
        self
    }

    /// Adds peers.
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = (Pid, SocketAddr)>) -> NodeBuilder<P> {
        self.plan.peers.extend(peers.into_iter().map(|(peer, address)| (peer, Some(address))));
        self
    }

    /// Adds a peer that nobody knows yet where to reach: [`Handle::readdress`](crate::Handle::readdress) says it later.
    #[must_use]
    pub fn peer_unresolved(mut self, peer: Pid) -> NodeBuilder<P> {
        self.plan.peers.push((peer, None));
        self
    }

    /// The name of the cluster. Datagrams of another cluster are refused, even under the same key.
    #[must_use]
    pub fn cluster(mut self, name: impl Into<String>) -> NodeBuilder<P> {
        self.plan.cluster = name.into();
        self
    }

    /// The keys that datagrams are sealed and opened with. There is no way to run without.
    #[must_use]
    pub fn keys(mut self, keys: KeyRing) -> NodeBuilder<P> {
        self.plan.keys = Some(keys);
        self
    }

    /// How long one unit of the protocol's time lasts.
    #[must_use]
    pub fn tick(mut self, tick: Duration) -> NodeBuilder<P> {
        self.plan.tick = tick;
        self
    }

    /// What the verdict rests on that this node was checked with; the node tells when it no longer holds.
    #[must_use]
    pub fn assume(mut self, assumptions: Assumptions) -> NodeBuilder<P> {
        self.plan.assumptions = assumptions;
        self
    }

    /// Waits up to this long for all peers to be there, so that all begin together; a second where nobody says
    /// otherwise. A protocol that begins at once may take peers for dead that have not started yet, and cannot
    /// send to those that were not found yet. A member of an open cluster asks for so long to be let in, half a minute
    /// where nobody says otherwise, and for as long as it takes if this is zero.
    #[must_use]
    pub fn gather(mut self, most: Duration) -> NodeBuilder<P> {
        self.plan.gather = most;
        self
    }

    /// What to ask of the protocol as soon as it has begun, before anything else happens to it: what to propose, say.
    #[must_use]
    pub fn begin_with(mut self, call: P::Call) -> NodeBuilder<P> {
        self.plan.opening = Some(packed(&call));
        self
    }

    /// What to ask of the protocol when the node leaves, and for how many units of time to stay on so that it
    /// can say its goodbyes.
    #[must_use]
    pub fn leave_with(mut self, call: P::Call, linger: u32) -> NodeBuilder<P> {
        self.plan.leave = Some((packed(&call), linger));
        self
    }

    /// In an open cluster, what to ask of the protocol of a newcomer as soon as it has begun: it came by this member, which
    /// is there and knows others. The node knows the members, its protocol knows those that it has met; SWIM asks this one for
    /// its table, without which whoever joins while p0 is down is not watched.
    #[must_use]
    pub fn meet_with(mut self, call: fn(Pid) -> P::Call) -> NodeBuilder<P> {
        self.plan.meeting = Some(MeetingCall::new(call));
        self
    }

    /// Takes down what the node does.
    #[must_use]
    pub fn record(mut self, recorder: RunRecorder) -> NodeBuilder<P> {
        self.recorder = Some(recorder);
        self
    }

    /// The seed of what the protocol picks at random; from the operating system where none is given.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> NodeBuilder<P> {
        self.plan.seed = Some(seed);
        self
    }

    /// Opens the node for a thread that runs it itself, without an event loop.
    pub fn open(self) -> Result<BlockingNode<P>, StartError> {
        BlockingNode::open(self)
    }

    pub(crate) fn into_shell(self, publish: Publish) -> Result<Shell, StartError> {
        let NodeBuilder { protocol, bind, recorder, plan } = self;
        Shell::open(protocol, plan, bind, recorder, publish)
    }

    /// Which process it will be, or what it is called, and of which cluster.
    #[cfg(feature = "tokio")]
    pub(crate) fn identity(&self) -> (String, &str) {
        let name = self.plan.open.as_ref().map(|open| open.name.to_string());
        (name.unwrap_or_else(|| self.plan.me.to_string()), &self.plan.cluster)
    }
}
