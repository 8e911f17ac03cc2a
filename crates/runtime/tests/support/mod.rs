//! Nodes on loopback, for tests: free ports, one key, and waiting with a deadline instead of sleeping.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod tap;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use watchkeeper_core::{Pack, Pid, Protocol};
use watchkeeper_runtime::wire::{ClusterKey, KeyId, KeyRing};
use watchkeeper_runtime::{Handle, NodeBuilder, NodeEvent, NodeEvents};

/// So long everything is waited for before a test fails.
pub const DEADLINE: Duration = Duration::from_secs(30);

pub fn key(byte: u8) -> ClusterKey {
    format!("{byte:02x}").repeat(32).parse().expect("a key")
}

pub fn keys() -> KeyRing {
    KeyRing::new((KeyId(1), key(7)))
}

/// Addresses that nobody listens at. Where the system has a whole network of loopback addresses, every call has one
/// of its own, so that nobody else can take a port between two looks at it.
pub fn addresses(n: usize) -> Vec<SocketAddr> {
    static CALLS: AtomicU32 = AtomicU32::new(1);
    let (process, call) = (std::process::id(), CALLS.fetch_add(1, Relaxed));
    let own = Ipv4Addr::new(127, 1 + (process >> 8) as u8 % 100, process as u8, 1 + (call % 250) as u8);
    let ip = if cfg!(target_os = "linux") { own } else { Ipv4Addr::LOCALHOST };
    let sockets: Vec<UdpSocket> = (0..n).map(|_| UdpSocket::bind((ip, 0)).expect("a free port")).collect();
    sockets.iter().map(|socket| socket.local_addr().expect("an address")).collect()
}

/// One node of a cluster at these addresses, with everything that a cluster must agree on.
pub fn node<P: Protocol + Send + 'static>(protocol: P, me: usize, all: &[SocketAddr]) -> NodeBuilder<P> {
    let others = all.iter().enumerate().filter(|(i, _)| *i != me).map(|(i, at)| (Pid::at(i), *at));
    NodeBuilder::new(protocol, Pid::at(me), all[me])
        .peers(others)
        .cluster("test")
        .keys(keys())
        .tick(Duration::from_millis(50))
        .gather(DEADLINE)
}

/// All nodes of a cluster.
pub async fn cluster<P: Protocol + Clone + Send + 'static>(protocol: &P, n: usize) -> Vec<Handle<P>> {
    let all = addresses(n);
    let mut handles = Vec::new();
    for me in 0..n {
        handles.push(node(protocol.clone(), me, &all).spawn().await.expect("a node"));
    }
    handles
}

/// Waits until it is so.
pub async fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < DEADLINE, "waited too long for: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// The next event that is wanted.
pub async fn event<O: Pack>(
    events: &mut NodeEvents<O>,
    what: &str,
    wanted: impl Fn(&NodeEvent<O>) -> bool,
) -> NodeEvent<O> {
    let search = async {
        loop {
            let event = events.next().await.unwrap_or_else(|| panic!("the node ended before: {what}"));
            if wanted(&event) {
                return event;
            }
        }
    };
    tokio::time::timeout(DEADLINE, search).await.unwrap_or_else(|_| panic!("waited too long for: {what}"))
}
