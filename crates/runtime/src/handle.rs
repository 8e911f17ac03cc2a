//! A node that runs on Tokio is known by its handle: whom it suspects, what it counts, its events, its status.

use crate::StartError;
use crate::builder::NodeBuilder;
use crate::spawned::{Command, SpawnedNode};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use watchkeeper_core::{MemberSet, Pack, Pid, Protocol, packed, unpacked};
use watchkeeper_node::{Announcement, Counters, KeyRing, NodeEvent, NodeEventKind, NodePhase, Status};

/// How many events a reader may be behind before it misses some.
const EVENTS: usize = 1024;

/// How many commands may wait for the node.
const COMMANDS: usize = 64;

impl<P: Protocol + Send + 'static> NodeBuilder<P> {
    /// Starts the node on the current Tokio runtime.
    ///
    /// # Panics
    /// If there is no current Tokio runtime, as everything of Tokio.
    pub async fn spawn(self) -> Result<Handle<P>, StartError> {
        let (sender, _) = broadcast::channel(EVENTS);
        // Only the node keeps the channel open, so that readers see its end when the node ends.
        let events = sender.downgrade();
        let (me, cluster) = self.identity();
        let span = tracing::info_span!("node", process = %me, cluster);
        let publish = move |event: NodeEvent<Announcement>| {
            // That nobody reads events is no reason to stop.
            let _ = sender.send(event);
        };
        let link = span.in_scope(|| self.into_shell(Box::new(publish)).and_then(NodeLink::spawn))?;
        Ok(Handle { link, events, protocol: std::marker::PhantomData })
    }
}

/// A node that runs. Cheap to clone; the node goes on when all handles are gone.
pub struct Handle<P: Protocol> {
    link: NodeLink,
    events: broadcast::WeakSender<NodeEvent<Announcement>>,
    protocol: std::marker::PhantomData<fn() -> P>,
}

/// What a handle knows of its node, whatever the protocol.
#[derive(Clone)]
struct NodeLink {
    address: SocketAddr,
    counters: Arc<Counters>,
    commands: mpsc::Sender<Command>,
    /// Closed when the node has ended.
    ended: watch::Receiver<()>,
}

impl NodeLink {
    /// Spawns the task that runs a node.
    fn spawn(shell: crate::shell::Shell) -> Result<NodeLink, StartError> {
        let (commands, orders) = mpsc::channel(COMMANDS);
        let address = shell.socket.address();
        let counters = Arc::clone(shell.node.counters());
        let (running, ended) = watch::channel(());
        let node = SpawnedNode::new(shell, orders)?;
        let task = async move {
            // Dropped when the node has ended, and also if it should panic.
            let _running = running;
            node.run().await;
        };
        tokio::spawn(tracing::Instrument::in_current_span(task));
        Ok(NodeLink { address, counters, commands, ended })
    }

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
    /// Which process it is; `None` while it has not joined its cluster.
    pub fn process(&self) -> Option<Pid> {
        self.link.counters.process()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.link.address
    }

    /// Whom it suspects.
    pub fn suspects(&self) -> MemberSet {
        self.link.counters.suspects()
    }

    /// What it is doing.
    pub fn phase(&self) -> NodePhase {
        self.link.counters.phase()
    }

    /// What it counts.
    pub fn counters(&self) -> &Counters {
        &self.link.counters
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
    pub async fn call(&self, call: P::Call) -> Result<(), NodeEnded> {
        self.link.ask(|done| Command::Call(packed(&call), done)).await
    }

    /// Uses other keys from now on, and waits until that is so.
    pub async fn rotate(&self, keys: KeyRing) -> Result<(), NodeEnded> {
        self.link.ask(|done| Command::Rotate(Box::new(keys), done)).await
    }

    /// Reaches a peer at another address from now on, and waits until that is so.
    pub async fn readdress(&self, peer: Pid, address: SocketAddr) -> Result<(), NodeEnded> {
        self.link.ask(|done| Command::Readdress(peer, address, done)).await
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
        Handle { link: self.link.clone(), events: self.events.clone(), protocol: std::marker::PhantomData }
    }
}

impl<P: Protocol> fmt::Debug for Handle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (me, address) = (self.process(), self.address());
        f.debug_struct("Handle").field("process", &me).field("address", &address).finish_non_exhaustive()
    }
}

/// The events of a node, from the moment this was asked for.
#[derive(Debug)]
pub struct NodeEvents<O> {
    /// None if the node had ended before anyone asked.
    receiver: Option<broadcast::Receiver<NodeEvent<Announcement>>>,
    missed_at: Duration,
    announced: std::marker::PhantomData<fn() -> O>,
}

impl<O: Pack> NodeEvents<O> {
    fn new(receiver: Option<broadcast::Receiver<NodeEvent<Announcement>>>) -> NodeEvents<O> {
        NodeEvents { receiver, missed_at: Duration::ZERO, announced: std::marker::PhantomData }
    }

    /// The next event; `None` once the node has ended and all of its events have been read.
    pub async fn next(&mut self) -> Option<NodeEvent<O>> {
        match self.receiver.as_mut()?.recv().await {
            Ok(event) => {
                self.missed_at = event.at;
                typed(event)
            }
            Err(broadcast::error::RecvError::Lagged(count)) => Some(self.missed(count)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next event if there is one already.
    pub fn try_next(&mut self) -> Option<NodeEvent<O>> {
        match self.receiver.as_mut()?.try_recv() {
            Ok(event) => {
                self.missed_at = event.at;
                typed(event)
            }
            Err(broadcast::error::TryRecvError::Lagged(count)) => Some(self.missed(count)),
            Err(_) => None,
        }
    }

    fn missed(&self, count: u64) -> NodeEvent<O> {
        NodeEvent { at: self.missed_at, kind: NodeEventKind::Missed(count) }
    }
}

/// The event with what was announced as a value. A node announces what its protocol packed, which can be read again.
fn typed<O: Pack>(event: NodeEvent<Announcement>) -> Option<NodeEvent<O>> {
    event.try_map(|output| unpacked(&output.packed).ok())
}

/// The node has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the node has ended")]
pub struct NodeEnded;
