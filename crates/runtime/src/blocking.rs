//! The shell without an event loop: the thread that reads the events runs the node, and waits at its socket. It needs
//! nothing but the standard library, and shows how little a shell is.

use crate::StartError;
use crate::builder::NodeBuilder;
use crate::shell::Shell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use watchkeeper_core::{MemberSet, Pid, Protocol, packed, unpacked};
use watchkeeper_node::{Announcement, Counters, KeyRing, NodeEvent, Status};

/// A node that runs while its events are waited for.
///
/// ```
/// use std::time::Duration;
/// use watchkeeper_core::{Meaning, Pid};
/// use watchkeeper_protocols::ring::Ring;
/// use watchkeeper_runtime::{KeyId, KeyRing, NodeBuilder, NodeEventKind, generate_key};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A ring of two, of which the other is never there.
/// let mut node = NodeBuilder::new(Ring::new(2, 2)?, Pid::at(0), "127.0.0.1:0".parse()?)
///     .peer(Pid::at(1), "127.0.0.1:9".parse()?)
///     .cluster("example")
///     .keys(KeyRing::new((KeyId(1), generate_key()?)))
///     .tick(Duration::from_millis(10))
///     .gather(Duration::ZERO)
///     .open()?;
/// while let Some(event) = node.next_event(Duration::from_secs(10)) {
///     if let NodeEventKind::Announced { meaning: Meaning::Suspects(peer), .. } = event.kind {
///         assert_eq!(peer, Pid::at(1));
///         break;
///     }
/// }
/// assert!(node.suspects().contains(Pid::at(1)));
/// # Ok(())
/// # }
/// ```
pub struct BlockingNode<P: Protocol> {
    shell: Shell,
    events: Arc<Mutex<VecDeque<NodeEvent<Announcement>>>>,
    protocol: std::marker::PhantomData<fn() -> P>,
}

impl<P: Protocol + Send + 'static> BlockingNode<P> {
    pub(crate) fn open(builder: NodeBuilder<P>) -> Result<BlockingNode<P>, StartError> {
        let events = Arc::new(Mutex::new(VecDeque::new()));
        let queue = Arc::clone(&events);
        let publish = move |event| queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
        let shell = builder.into_shell(Box::new(publish))?;
        Ok(BlockingNode { shell, events, protocol: std::marker::PhantomData })
    }

    /// Runs the node until its next event. `None` if none came in this time, or if the node has ended and all of its events
    /// have been read.
    pub fn next_event(&mut self, most: Duration) -> Option<NodeEvent<P::Output>> {
        let until = Instant::now() + most;
        loop {
            let next = self.events.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            if let Some(event) = next {
                // What the protocol announced can be read again.
                return event.try_map(|output| unpacked(&output.packed).ok());
            }
            let wake = self.shell.clock.instant(self.shell.node.next_timeout()?).min(until);
            self.wait(wake.saturating_duration_since(Instant::now()));
            self.shell.turn();
            if Instant::now() >= until
                && self.events.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
            {
                return None;
            }
        }
    }

    /// Waits until something has arrived, at most so long.
    fn wait(&self, most: Duration) {
        let socket = self.shell.socket.plain();
        // A timeout of zero would mean none. If the socket cannot wait, the node looks again at once.
        if most > Duration::ZERO
            && socket.set_read_timeout(Some(most)).is_ok()
            && socket.set_nonblocking(false).is_ok()
        {
            let _ = socket.peek_from(&mut [0]);
            let _ = socket.set_nonblocking(true);
        }
    }

    /// Asks something of its protocol. The answer, if there is one, is an event.
    pub fn call(&mut self, call: &P::Call) {
        self.shell.call(&packed(call));
    }

    /// Uses other keys from now on.
    pub fn rotate(&mut self, keys: &KeyRing) {
        self.shell.rotate(keys);
    }

    /// A peer is reached elsewhere from now on.
    pub fn readdress(&mut self, peer: Pid, address: SocketAddr) {
        self.shell.readdress(peer, address);
    }

    /// Asks the protocol to leave, if it can, and ends. Its events tell when it has ended.
    pub fn leave(&mut self) {
        self.shell.leave();
    }

    /// Ends without leaving, as far as the protocol is concerned like a crash.
    pub fn shutdown(&mut self) {
        self.shell.shutdown();
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.shell.socket.address()
    }

    /// Whom it suspects.
    pub fn suspects(&self) -> MemberSet {
        self.counters().suspects()
    }

    /// What it counts.
    pub fn counters(&self) -> &Counters {
        self.shell.node.counters()
    }

    /// What it says of itself.
    pub fn status(&self) -> Status {
        self.shell.status()
    }
}

impl<P: Protocol> std::fmt::Debug for BlockingNode<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockingNode").field("node", &self.shell.node).finish_non_exhaustive()
    }
}
