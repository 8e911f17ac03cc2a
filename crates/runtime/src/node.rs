//! The front door of the runtime: a node is described, spawned, and from then on known by its handle.

use crate::assumptions::Assumptions;
use crate::counters::Counters;
use crate::driver::{Command, Driver, HostedProcess, Shared};
use crate::event::{NodeEvent, NodeEvents};
use crate::hosted::{AnyCall, Hosted};
use crate::record::RunRecorder;
use crate::status::{NodePhase, Status};
use crate::timers::TimerTable;
use crate::wire::KeyRing;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use watchkeeper_core::{Pid, ProcSet, Protocol};

/// How many events a reader may be behind before it misses some.
const EVENTS: usize = 1024;

/// How many commands may wait for the node.
const COMMANDS: usize = 64;

/// One unit of the protocol's time where nobody says otherwise.
pub const DEFAULT_TICK: Duration = Duration::from_millis(100);

/// How long a node waits for its peers before it begins where nobody says otherwise.
pub const DEFAULT_GATHER: Duration = Duration::from_secs(1);

/// The shortest unit of time: the timers of the operating system are not finer.
pub const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// The least that a node must be allowed to be late: the timers of the operating system are not finer.
pub const SHORTEST_LATENESS: Duration = Duration::from_millis(2);

/// The longest name of a cluster.
pub const LONGEST_CLUSTER: usize = 64;

/// A node that is about to run: one process of a protocol.
///
/// The order of calls is free. [`spawn`](NodeBuilder::spawn) takes everything up, or says what is missing.
#[derive(Debug)]
pub struct NodeBuilder<P: Protocol> {
    protocol: P,
    opening: Option<P::Call>,
    leave: Option<(P::Call, u32)>,
    plan: NodeConfig,
}

/// What a node is given beside its protocol.
#[derive(Debug)]
pub(crate) struct NodeConfig {
    pub(crate) me: Pid,
    pub(crate) bind: SocketAddr,
    pub(crate) peers: Vec<(Pid, SocketAddr)>,
    pub(crate) cluster: String,
    pub(crate) keys: Option<KeyRing>,
    pub(crate) tick: Duration,
    pub(crate) assumptions: Assumptions,
    pub(crate) gather: Duration,
    pub(crate) recorder: Option<RunRecorder>,
    pub(crate) seed: Option<u64>,
}

impl<P: Protocol + Send + 'static> NodeBuilder<P> {
    /// Process `me` of a protocol, listening at an address.
    pub fn new(protocol: P, me: Pid, bind: SocketAddr) -> NodeBuilder<P> {
        let plan = NodeConfig {
            me,
            bind,
            peers: Vec::new(),
            cluster: String::new(),
            keys: None,
            tick: DEFAULT_TICK,
            assumptions: Assumptions::default(),
            gather: DEFAULT_GATHER,
            recorder: None,
            seed: None,
        };
        NodeBuilder { protocol, opening: None, leave: None, plan }
    }

    /// Adds a peer: the process, and where it listens.
    #[must_use]
    pub fn peer(mut self, peer: Pid, address: SocketAddr) -> NodeBuilder<P> {
        self.plan.peers.push((peer, address));
        self
    }

    /// Adds peers.
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = (Pid, SocketAddr)>) -> NodeBuilder<P> {
        self.plan.peers.extend(peers);
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
    /// send to those that were not found yet.
    #[must_use]
    pub fn gather(mut self, most: Duration) -> NodeBuilder<P> {
        self.plan.gather = most;
        self
    }

    /// What to ask of the protocol as soon as it has begun, before anything else happens to it: what to propose, say.
    #[must_use]
    pub fn begin_with(mut self, call: P::Call) -> NodeBuilder<P> {
        self.opening = Some(call);
        self
    }

    /// What to ask of the protocol when the node leaves, and for how many units of time to stay on so that it
    /// can say its goodbyes.
    #[must_use]
    pub fn leave_with(mut self, call: P::Call, linger: u32) -> NodeBuilder<P> {
        self.leave = Some((call, linger));
        self
    }

    /// Takes down what the node does.
    #[must_use]
    pub fn record(mut self, recorder: RunRecorder) -> NodeBuilder<P> {
        self.plan.recorder = Some(recorder);
        self
    }

    /// The seed of what the protocol picks at random; from the operating system where none is given.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> NodeBuilder<P> {
        self.plan.seed = Some(seed);
        self
    }

    /// Starts the node on the current Tokio runtime.
    ///
    /// # Panics
    /// If there is no current Tokio runtime, as everything of Tokio.
    pub async fn spawn(self) -> Result<Handle<P>, StartError> {
        let NodeBuilder { protocol, opening, leave, plan } = self;
        let (events, _) = broadcast::channel(EVENTS);
        // Only the driver keeps the channel open, so that readers see its end when the node ends.
        let handed_out = events.downgrade();
        let process = HostedProcess {
            host: Box::new(Hosted::new(protocol, plan.me, events)),
            timers: TimerTable::of::<P::Timer>(),
            opening: opening.map(|call| Box::new(call) as AnyCall),
            leave: leave.map(|(call, linger)| (Box::new(call) as AnyCall, linger)),
        };
        plan.spawn(process).map(|link| Handle { link, events: handed_out })
    }
}

impl NodeConfig {
    fn spawn(self, process: HostedProcess) -> Result<NodeLink, StartError> {
        self.validate()?;
        let (commands, orders) = mpsc::channel(COMMANDS);
        let shared = Arc::new(Shared::default());
        let me = self.me;
        #[cfg(feature = "tracing")]
        let cluster = self.cluster.clone();
        let driver = Driver::open(self, process, orders, Arc::clone(&shared))?;
        let address = driver.address();
        let (running, ended) = watch::channel(());
        let running = async move {
            // Dropped when the driver returns, and also if it should panic.
            let _running = running;
            driver.run().await;
        };
        #[cfg(feature = "tracing")]
        let running =
            tracing::Instrument::instrument(running, tracing::info_span!("node", process = %me, cluster));
        tokio::spawn(running);
        Ok(NodeLink { me, address, shared, commands, ended })
    }

    fn validate(&self) -> Result<(), StartError> {
        match self.cluster.len() {
            0 => return Err(StartError::NoCluster),
            1..=LONGEST_CLUSTER => {}
            length => return Err(StartError::LongCluster { length }),
        }
        if self.tick < SHORTEST_TICK || self.tick > Duration::from_secs(3600) {
            return Err(StartError::Tick { tick: self.tick });
        }
        if let Some(lateness) = self.assumptions.lateness.filter(|lateness| *lateness < SHORTEST_LATENESS) {
            return Err(StartError::Lateness { lateness });
        }
        if self.keys.is_none() {
            return Err(StartError::NoKeys);
        }
        let mut known = ProcSet::only(self.me);
        for &(peer, _) in &self.peers {
            if known.contains(peer) {
                return Err(StartError::Twice { peer });
            }
            known.insert(peer);
        }
        Ok(())
    }
}

/// A node that runs. Cheap to clone; the node goes on when all handles are gone.
pub struct Handle<P: Protocol> {
    link: NodeLink,
    events: broadcast::WeakSender<NodeEvent<P::Output>>,
}

/// What a handle knows of its node, whatever the protocol.
#[derive(Clone)]
struct NodeLink {
    me: Pid,
    address: SocketAddr,
    shared: Arc<Shared>,
    commands: mpsc::Sender<Command>,
    /// Closed when the node has ended.
    ended: watch::Receiver<()>,
}

impl NodeLink {
    async fn order(&self, command: Command) -> Result<(), NodeEnded> {
        self.commands.send(command).await.map_err(|_| NodeEnded)
    }

    async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    async fn end(&self, command: Command) {
        // If it has ended already there is nothing to do.
        let _ = self.order(command).await;
        self.ended().await;
    }

    /// Gives an order that is answered, and waits for the answer.
    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, NodeEnded> {
        let (answer, answered) = oneshot::channel();
        self.order(command(answer)).await?;
        answered.await.map_err(|_| NodeEnded)
    }
}

impl<P: Protocol> Handle<P> {
    /// Which process it is.
    pub fn process(&self) -> Pid {
        self.link.me
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.link.address
    }

    /// Whom it suspects: one load of an atomic number.
    pub fn suspects(&self) -> ProcSet {
        self.link.shared.counters.suspects()
    }

    /// What it is doing.
    pub fn phase(&self) -> NodePhase {
        self.link.shared.phase()
    }

    /// What it counts.
    pub fn counters(&self) -> &Counters {
        &self.link.shared.counters
    }

    /// Its events from now on; none if it has ended.
    pub fn events(&self) -> NodeEvents<P::Output> {
        NodeEvents::new(self.events.upgrade().map(|events| events.subscribe()))
    }

    /// What it says of itself.
    pub async fn status(&self) -> Result<Status, NodeEnded> {
        self.link.ask(Command::Status).await.map(|status| *status)
    }

    /// Asks something of its protocol, and waits until it has taken the step. The answer, if there is one, is
    /// an event. Before the protocol begins nothing can be asked of it, and the call is ignored.
    pub async fn call(&self, call: P::Call) -> Result<(), NodeEnded>
    where
        P::Call: 'static,
    {
        self.link.ask(|done| Command::Call(Box::new(call), done)).await
    }

    /// Uses other keys from now on, and waits until that is so.
    pub async fn rotate(&self, keys: KeyRing) -> Result<(), NodeEnded> {
        self.link.ask(|done| Command::Rotate(Box::new(keys), done)).await
    }

    /// Leaves: asks the protocol to, if it can, tells the peers, and ends. Waits until it has ended.
    pub async fn leave(&self) {
        self.link.end(Command::Leave).await;
    }

    /// Ends without leaving, as far as the protocol is concerned like a crash. Waits until it has ended.
    pub async fn shutdown(&self) {
        self.link.end(Command::Shutdown).await;
    }

    /// Waits until the node has ended.
    pub async fn ended(&self) {
        self.link.ended().await;
    }
}

impl<P: Protocol> Clone for Handle<P> {
    fn clone(&self) -> Handle<P> {
        Handle { link: self.link.clone(), events: self.events.clone() }
    }
}

impl<P: Protocol> fmt::Debug for Handle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (me, address) = (self.process(), self.address());
        f.debug_struct("Handle").field("process", &me).field("address", &address).finish_non_exhaustive()
    }
}

/// The node has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the node has ended")]
pub struct NodeEnded;

/// Why a node does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The cluster has no name.
    #[error("the cluster has no name: choose one that no other cluster of these machines has")]
    NoCluster,
    /// The name of the cluster is too long.
    #[error("the name of the cluster has {length} bytes: choose one of at most {LONGEST_CLUSTER}")]
    LongCluster {
        /// Its length.
        length: usize,
    },
    /// No keys were given.
    #[error("there is no key: give the node the one that its peers have")]
    NoKeys,
    /// The unit of time is too short or too long.
    #[error("a tick of {tick:?} is not possible: choose one from 1 ms to 1 hour")]
    Tick {
        /// What was given.
        tick: Duration,
    },
    /// Less lateness is allowed than any system keeps to.
    #[error(
        "a node that may be late by no more than {lateness:?} would always be late: allow it 2 ms or more"
    )]
    Lateness {
        /// What was given.
        lateness: Duration,
    },
    /// The same process is there twice.
    #[error("{peer} is there twice: give each process one address, and the node itself none")]
    Twice {
        /// The process.
        peer: Pid,
    },
    /// Another program listens at the address.
    #[error(
        "{address} is in use by another program: stop that one, or choose another port here and at all peers"
    )]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {why}; choose an address of this machine")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        why: io::Error,
    },
    /// The operating system gave no randomness.
    #[error("the operating system gave no randomness: {0}")]
    Entropy(String),
}
