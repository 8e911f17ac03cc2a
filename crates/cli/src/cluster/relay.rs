//! A relay of datagrams between every ordered pair of nodes on this machine, whose links can be cut and healed while the
//! nodes run. It passes on what it gets, in order and at once, or drops it and counts it; it cannot read any of it, and
//! takes nothing in that does not come from the node at the other end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use watchkeeper_core::Pid;

/// The most nodes that a relay stands between: their sockets are n × (n - 1).
pub(crate) const MOST_RELAYED: usize = 16;

/// Room for a datagram; those of nodes are shorter.
const ROOM: usize = 2048;

/// How long a socket is left alone that has just failed.
const AFTER_FAILURE: Duration = Duration::from_millis(10);

/// The sockets of a relay before anything is passed on: they have the addresses that node files name.
pub(crate) struct LinkSockets {
    n: usize,
    /// At `from * n + to`: where `from` sends what is for `to`; nothing on the diagonal.
    sockets: Vec<Option<UdpSocket>>,
}

impl LinkSockets {
    /// Sockets between `n` nodes, at ports outside of this range.
    pub(crate) fn bind(n: usize, outside: &Range<u32>) -> io::Result<LinkSockets> {
        // Those at ports that nodes will need are held until the last is found, so that no other is bound there again.
        let mut held = Vec::new();
        let mut open = || loop {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.set_nonblocking(true)?;
            match outside.contains(&u32::from(socket.local_addr()?.port())) {
                true => held.push(socket),
                false => return io::Result::Ok(socket),
            }
        };
        let one = |at: usize| if at / n == at % n { Ok(None) } else { open().map(Some) };
        let sockets = (0..n * n).map(one).collect::<io::Result<_>>()?;
        Ok(LinkSockets { n, sockets })
    }

    /// Where each node reaches each other one.
    pub(crate) fn entrances(&self) -> io::Result<LinkEntrances> {
        let address = |socket: &Option<UdpSocket>| socket.as_ref().map(UdpSocket::local_addr).transpose();
        let addresses = self.sockets.iter().map(address).collect::<io::Result<_>>()?;
        Ok(LinkEntrances { n: self.n, addresses })
    }

    /// Passes on what comes, between nodes that listen here, until the relay is dropped.
    pub(crate) fn relay(self, nodes: Vec<SocketAddr>) -> io::Result<LinkRelay> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let links = Arc::new(LinkStates::new(self.n));
        let sockets = {
            let _entered = runtime.enter();
            let turned = |socket: Option<UdpSocket>| {
                socket.map(|socket| tokio::net::UdpSocket::from_std(socket).map(Arc::new)).transpose()
            };
            self.sockets.into_iter().map(turned).collect::<io::Result<Vec<_>>>()?
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (n, shared) = (self.n, Arc::clone(&links));
        let relaying = move || {
            let _entered = runtime.enter();
            let mut tasks = tokio::task::JoinSet::new();
            for (from, to) in pairs(n) {
                // A node takes in only what comes from where it sends to.
                let (Some(entrance), Some(exit)) = (&sockets[from * n + to], &sockets[to * n + from]) else {
                    continue;
                };
                let (entrance, exit) = (Arc::clone(entrance), Arc::clone(exit));
                let (links, ends) = (Arc::clone(&shared), (nodes[from], nodes[to]));
                tasks.spawn(async move { pass(&links.list[from * n + to], &entrance, &exit, ends).await });
            }
            // It ends when whoever could say so says so, or is gone.
            let _ = runtime.block_on(stopped);
        };
        let thread = std::thread::Builder::new().name("relay".to_string()).spawn(relaying)?;
        Ok(LinkRelay { links, stop: Some(stop), thread: Some(thread) })
    }
}

/// The addresses of the sockets of a relay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LinkEntrances {
    n: usize,
    addresses: Vec<Option<SocketAddr>>,
}

impl LinkEntrances {
    /// Where a node sends what is for another; `None` if there is no such pair.
    pub(crate) fn entrance(&self, from: Pid, to: Pid) -> Option<SocketAddr> {
        let (from, to) = (from.index(), to.index());
        if from.max(to) < self.n { self.addresses[from * self.n + to] } else { None }
    }
}

/// A relay at work.
pub(crate) struct LinkRelay {
    links: Arc<LinkStates>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LinkRelay {
    /// Lets nothing through between two nodes, in both directions, or all again.
    pub(crate) fn set_cut(&self, a: Pid, b: Pid, cut: bool) {
        for (from, to) in [(a, b), (b, a)] {
            self.links.of(from, to).cut.store(cut, Relaxed);
        }
    }

    /// Cuts exactly the links between nodes of different groups; each node is in the group that `group` says.
    pub(crate) fn partition(&self, group: impl Fn(Pid) -> usize) {
        for (a, b) in pairs(self.links.n).map(|(a, b)| (Pid::at(a), Pid::at(b))) {
            self.links.of(a, b).cut.store(group(a) != group(b), Relaxed);
        }
    }

    /// Whether the link between two nodes is cut.
    pub(crate) fn is_cut(&self, a: Pid, b: Pid) -> bool {
        a != b && self.links.of(a, b).cut.load(Relaxed)
    }

    /// All pairs whose link is cut, each once.
    pub(crate) fn cuts(&self) -> Vec<(Pid, Pid)> {
        let pairs = pairs(self.links.n).filter(|(a, b)| a < b).map(|(a, b)| (Pid::at(a), Pid::at(b)));
        pairs.filter(|&(a, b)| self.is_cut(a, b)).collect()
    }

    /// How many datagrams were dropped from one node to another, where any were.
    pub(crate) fn dropped(&self) -> Vec<(Pid, Pid, u64)> {
        let pairs = pairs(self.links.n).map(|(a, b)| (Pid::at(a), Pid::at(b)));
        let counted = pairs.map(|(a, b)| (a, b, self.counts(a, b).dropped));
        counted.filter(|(_, _, count)| *count > 0).collect()
    }

    /// What was done to the datagrams from one node to another.
    pub(crate) fn counts(&self, from: Pid, to: Pid) -> LinkCounts {
        let link = self.links.of(from, to);
        let [passed, dropped, foreign] =
            [&link.passed, &link.dropped, &link.foreign].map(|count| count.load(Relaxed));
        LinkCounts { passed, dropped, foreign }
    }
}

impl Drop for LinkRelay {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What was done to the datagrams of one link, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LinkCounts {
    pub(crate) passed: u64,
    /// Dropped because the link was cut, or because the system did not take them.
    pub(crate) dropped: u64,
    /// Dropped because they did not come from the node at the other end.
    pub(crate) foreign: u64,
}

/// What both sides of a relay know.
struct LinkStates {
    n: usize,
    list: Vec<LinkState>,
}

impl LinkStates {
    fn new(n: usize) -> LinkStates {
        LinkStates { n, list: std::iter::repeat_with(LinkState::default).take(n * n).collect() }
    }

    fn of(&self, from: Pid, to: Pid) -> &LinkState {
        &self.list[from.index() * self.n + to.index()]
    }
}

/// One link, in one direction.
#[derive(Default)]
struct LinkState {
    cut: AtomicBool,
    passed: AtomicU64,
    dropped: AtomicU64,
    foreign: AtomicU64,
}

/// Passes on what one node sends to another, for ever.
async fn pass(
    link: &LinkState,
    entrance: &tokio::net::UdpSocket,
    exit: &tokio::net::UdpSocket,
    (from, to): (SocketAddr, SocketAddr),
) {
    let mut room = [0; ROOM];
    loop {
        let (length, source) = match entrance.recv_from(&mut room).await {
            Ok(received) => received,
            Err(_) => {
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        // Nodes let in only what comes from their peers; with a relay between them its sockets are these peers.
        if source != from {
            link.foreign.fetch_add(1, Relaxed);
            continue;
        }
        let open = !link.cut.load(Relaxed);
        // A node that is down hears nothing, as anywhere.
        let sent = open && exit.send_to(&room[..length], to).await.is_ok();
        let count = if sent { &link.passed } else { &link.dropped };
        count.fetch_add(1, Relaxed);
    }
}

/// All ordered pairs.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b)
}

#[cfg(test)]
#[path = "relay_tests.rs"]
mod tests;
