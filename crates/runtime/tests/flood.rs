//! A cluster of three, each node on a thread of its own as a daemon has it, while one of them is flooded with hostile datagrams as fast
//! as a thread can send them. No suspicion stays, and what comes from no peer's address does not reach the node where
//! the system has a filter. `WATCHKEEPER_FLOOD=10000000` makes it ten million.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

mod support;

use rustix::time::{ClockId, clock_gettime};
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::tap::Tap;
use support::{DEADLINE, addresses, node};
use watchkeeper_protocols::ring::{Ring, StrongCompleteness, TimeoutAdaptation};
use watchkeeper_runtime::wire::{ClusterId, DatagramKind, GREETING_LEN, HEADER_LEN, MAX_DATAGRAM, VERSION};
use watchkeeper_runtime::{Count, Handle, NodePhase};

type Detector = Ring<StrongCompleteness>;

/// How many datagrams where nobody says otherwise.
const SOME: u64 = 200_000;

/// A flood ends after this long, however many it was to be.
const LONGEST: Duration = Duration::from_secs(150);

/// So many different datagrams are made.
const POOL: usize = 4096;

/// One flood at a time: what is measured is the time of a processor.
static ALONE: Mutex<()> = Mutex::new(());

/// A node on a thread of its own.
struct Threaded {
    handle: Handle<Detector>,
    /// Asks for the processor time that its thread has used, in seconds.
    ask: tokio::sync::mpsc::UnboundedSender<std::sync::mpsc::Sender<f64>>,
    thread: JoinHandle<()>,
}

impl Threaded {
    /// Process `me`, which reaches the others at these addresses.
    fn start(me: usize, all: &[SocketAddr]) -> Threaded {
        let asking_again = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
        let detector = Ring::with_policy(asking_again, 3, 10).expect("a ring");
        let node = node(detector, me, all);
        let (ask, mut asked) = tokio::sync::mpsc::unbounded_channel::<std::sync::mpsc::Sender<f64>>();
        let (started, start) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                started.send(node.spawn().await.expect("a node")).expect("awaited");
                while let Some(answer) = asked.recv().await {
                    let time = clock_gettime(ClockId::ThreadCPUTime);
                    answer.send(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9).expect("awaited");
                }
            });
        });
        Threaded { handle: start.recv().expect("a node"), ask, thread }
    }

    fn cpu_seconds(&self) -> f64 {
        let (answer, answered) = std::sync::mpsc::channel();
        self.ask.send(answer).expect("its thread runs");
        answered.recv_timeout(DEADLINE).expect("its thread is not starved")
    }

    /// Received, refused, suspicions begun, suspicions withdrawn, stalls.
    fn counted(&self) -> [u64; 5] {
        let counters = self.handle.counters();
        let refused = counters.refused.iter().map(Count::get).sum();
        let [begun, withdrawn] = [&counters.suspicions, &counters.withdrawn].map(Count::get);
        [counters.received.get(), refused, begun, withdrawn, counters.stalls.get()]
    }
}

/// Nodes at these addresses. `via` is where the first reaches the second, and where the second reaches the first.
fn cluster(all: &[SocketAddr], via: [SocketAddr; 2]) -> Vec<Threaded> {
    let nodes: Vec<Threaded> = (0..3)
        .map(|me| {
            let mut reached = all.to_vec();
            match me {
                0 => reached[1] = via[0],
                1 => reached[0] = via[1],
                _ => {}
            }
            Threaded::start(me, &reached)
        })
        .collect();
    until("all run", || nodes.iter().all(|node| node.handle.phase() == NodePhase::Running));
    until("p0 hears", || nodes[0].handle.counters().delivered.get() > 4);
    nodes
}

/// Floods the first node from this socket, prints what came of it, and waits until nobody is suspected. Returned is how many datagrams
/// the first node has refused.
fn flood(from: &str, socket: &UdpSocket, nodes: Vec<Threaded>) -> u64 {
    let count: u64 = std::env::var("WATCHKEEPER_FLOOD").map_or(SOME, |text| text.parse().expect("a number"));
    let (pool, target) = (hostile(), nodes[0].handle.address());
    let before: Vec<[u64; 5]> = nodes.iter().map(Threaded::counted).collect();
    let (cpu, begun) = (nodes[0].cpu_seconds(), Instant::now());
    let mut sent = 0;
    while sent < count && (sent % 1024 != 0 || begun.elapsed() < LONGEST) {
        // A system that has no room for it has dropped it: that is what a flood is about.
        let _ = socket.send_to(&pool[sent as usize % POOL], target);
        sent += 1;
    }
    let took = begun.elapsed().as_secs_f64();
    let cpu = nodes[0].cpu_seconds() - cpu;
    println!("{sent} hostile datagrams from {from} in {took:.1} s, {:.0} a second", sent as f64 / took);
    println!("  p0's thread has used {cpu:.3} s of processor time");
    let none = || nodes.iter().all(|node| node.handle.suspects().is_empty());
    let during: Vec<String> = nodes.iter().map(|node| node.handle.suspects().to_string()).collect();
    until("nobody is suspected", none);
    // Nor a few rounds later.
    let rounds = nodes[0].handle.counters().fired.get();
    until("some rounds", || nodes[0].handle.counters().fired.get() >= rounds + 4);
    until("nobody is suspected", none);
    let mut refused = 0;
    for (me, (node, before)) in nodes.iter().zip(before).enumerate() {
        let after = node.counted();
        let [received, dropped, begun, withdrawn, stalls] = std::array::from_fn(|at| after[at] - before[at]);
        println!(
            "  p{me}: {received} received, {dropped} refused, {begun} suspicions begun, {withdrawn} withdrawn, {stalls} stalls; \
             suspects when the flood ended: {}",
            during[me]
        );
        if me == 0 {
            refused = dropped;
        }
    }
    for Threaded { ask, thread, .. } in nodes {
        drop(ask);
        thread.join().expect("the node");
    }
    refused
}

/// Datagrams of those who have no key, of four sorts in turn: random bytes; the first bytes of a greeting; greetings whose header is
/// wrong in one place; and greetings whose header is right, so that the node must look at their tag.
fn hostile() -> Vec<Vec<u8>> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut greeting = [0; GREETING_LEN];
    greeting[..5].copy_from_slice(&[VERSION, DatagramKind::Hello as u8, 1, 1, 0]);
    greeting[5..13].copy_from_slice(&ClusterId::of_name("test").bits().to_be_bytes());
    let one = |sort: usize| {
        let mut datagram = greeting.to_vec();
        random.fill(&mut datagram[HEADER_LEN..]);
        datagram[HEADER_LEN - 1] = random.u8(1..);
        match sort % 4 {
            0 => {
                datagram.resize(random.usize(1..MAX_DATAGRAM + 50), 0);
                random.fill(&mut datagram);
            }
            1 => datagram.truncate(random.usize(1..GREETING_LEN)),
            2 => datagram[random.usize(..13)] ^= random.u8(1..),
            _ => {}
        }
        datagram
    };
    (0..POOL).map(one).collect()
}

/// Waits until it is so.
fn until(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < DEADLINE, "waited too long for: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_flood_from_elsewhere_does_not_reach_the_node() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let all = addresses(3);
    let nodes = cluster(&all, [all[1], all[0]]);
    let socket = UdpSocket::bind((all[0].ip(), 0)).expect("a socket");
    let refused = flood("elsewhere", &socket, nodes);
    if cfg!(target_os = "linux") {
        assert_eq!(refused, 0, "the system has dropped them all");
    }
}

#[test]
fn a_flood_from_the_address_of_a_peer_leaves_no_suspicion() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (all, wire) = (addresses(3), Tap::new());
    let [at_peer, at_victim] = wire.between(all[0], all[1]);
    let via = [&at_peer, &at_victim].map(|socket| socket.local_addr().expect("an address"));
    let nodes = cluster(&all, via);
    let refused = flood("the address of p1", &at_peer, nodes);
    assert!(refused > 0, "p0 has looked at them");
}
