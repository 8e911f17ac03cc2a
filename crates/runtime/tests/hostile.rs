//! A node under fire: random, truncated, replayed and forged datagrams, every one of them accounted for, while
//! it goes on with its peer as if nothing had happened. `WATCHKEEPER_HOSTILE=10000000` makes it ten million.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

mod support;

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use support::tap::Tap;
use support::{addresses, key, keys, until};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_runtime::wire::{ClusterId, DatagramKind, DatagramRefusal, KeyId, KeyRing, Sessions, Stamp};
use watchkeeper_runtime::{Counters, Handle, NodeBuilder, NodePhase};

/// How many datagrams where nobody says otherwise.
const SOME: u64 = 200_000;

/// How many may be on their way, so that the system drops none: then every one must turn up in a counter.
const WINDOW: u64 = 48;

/// So many different ones are made.
const POOL: usize = 7 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hostile_datagram_is_counted_and_none_does_anything() {
    let sent: u64 = std::env::var("WATCHKEEPER_HOSTILE").map_or(SOME, |text| text.parse().expect("a number"));
    let wire = Tap::new();
    let ports = addresses(2);
    let ring = Ring::new(2, 4).expect("a ring");
    let node = |me: usize, other: SocketAddr| {
        let node = NodeBuilder::new(ring.clone(), Pid::at(me), ports[me]).peer(Pid::at(1 - me), other);
        node.cluster("test").keys(keys()).tick(Duration::from_millis(100)).gather(support::DEADLINE)
    };
    let [at_peer, at_victim] = wire.between(ports[0], ports[1]);
    let [to_peer, to_victim] = [&at_peer, &at_victim].map(|socket| socket.local_addr().expect("an address"));
    let victim = node(0, to_peer).spawn().await.expect("a node");
    let peer = node(1, to_victim).spawn().await.expect("a node");
    until("both run", || [&victim, &peer].iter().all(|node| node.phase() == NodePhase::Running)).await;
    until("traffic", || wire.taken().len() >= 8).await;

    let before = Seen::of(&victim);
    let memory = resident();
    let state = victim.status().await.expect("a status").peers[0].incarnation;
    let (address, taken) = (ports[0], wire.taken());
    let counting = victim.clone();
    let begun = Instant::now();
    // From the address of the peer: what comes from elsewhere does not reach the node at all.
    let attack = move || attack(&at_peer, address, sent, &taken, counting.counters());
    let told = tokio::task::spawn_blocking(attack).await;
    let told = told.expect("the attack came to an end");
    let took = begun.elapsed().as_secs_f64();
    until("all are counted", || Seen::of(&victim).refused >= before.refused + sent).await;

    let after = Seen::of(&victim);
    println!("{sent} hostile datagrams in {took:.1} s, {:.0} a second", sent as f64 / took);
    for &refusal in DatagramRefusal::ALL {
        println!("  {:>15}  {}", refusal.name(), victim.counters().refused(refusal));
    }
    println!("  memory {memory} KiB before, {} KiB after", resident());
    assert_eq!(after.refused - before.refused, told, "every datagram is in exactly one counter");
    assert_eq!(after.suspicions, 0, "nobody was suspected");
    assert_eq!(victim.suspects(), ProcSet::EMPTY);
    assert_eq!(victim.phase(), NodePhase::Running);
    assert_eq!(
        victim.status().await.expect("a status").peers[0].incarnation,
        state,
        "the session is the same"
    );
    assert!(resident() < memory + 16 * 1024, "memory is flat");
    let heard = after.delivered;
    until("it goes on", || victim.counters().delivered.get() > heard + 2).await;
}

/// Sends so many hostile datagrams, never more ahead of the counters than the system can hold.
fn attack(
    socket: &UdpSocket,
    address: SocketAddr,
    count: u64,
    taken: &[Vec<u8>],
    counters: &Counters,
) -> u64 {
    let pool = hostile(taken);
    let refused = || DatagramRefusal::ALL.iter().map(|refusal| counters.refused(*refusal)).sum::<u64>();
    let base = refused();
    for number in 0..count {
        let waiting = Instant::now();
        while number.saturating_sub(refused() - base) >= WINDOW {
            assert!(waiting.elapsed() < support::DEADLINE, "a datagram is in no counter");
            std::thread::yield_now();
        }
        socket.send_to(&pool[number as usize % pool.len()], address).expect("sent");
    }
    count
}

/// Datagrams that must not do anything, of all sorts in turn.
fn hostile(taken: &[Vec<u8>]) -> Vec<Vec<u8>> {
    // A greeting that is replayed is a greeting: it is answered now and then, and opens nothing.
    let taken: Vec<&Vec<u8>> =
        taken.iter().filter(|datagram| datagram[1] != DatagramKind::Hello as u8).collect();
    let mut random = fastrand::Rng::with_seed(42);
    // A greeting of somebody who claims to be the peer, under a key that is not the cluster's, or of another cluster.
    let greeting = |cluster: &str, ring: &KeyRing, entropy: u8| {
        let (cluster, me, node) = (ClusterId::of_name(cluster), Pid::at(1), Pid::at(0));
        let mut sessions = Sessions::new(cluster, ring, me, u64::MAX, ProcSet::first(2), [entropy; 32]);
        let (key, hello) = sessions.greetings_to(node)[1].expect("no session is open");
        let greeting = sessions.greeting(node, key, &Stamp { sent: 1, echo: 0, held: 0 }, &hello);
        greeting.expect("a number").to_vec()
    };
    let mut pool = Vec::new();
    for i in 0..POOL {
        let real = taken[random.usize(..taken.len())].clone();
        pool.push(match i % 7 {
            0 => (0..random.usize(..1500)).map(|_| random.u64(..) as u8).collect(),
            1 => real[..random.usize(..real.len())].to_vec(),
            2 => real,
            3 => greeting("test", &KeyRing::new((KeyId(1), key(8))), i as u8),
            4 => greeting("other", &keys(), i as u8),
            5 => [&[random.usize(..253) as u8 + 3][..], &real[1..]].concat(),
            _ => {
                let mut forged = real;
                forged[3] = forged[3].wrapping_add(1 + random.usize(..200) as u8);
                forged
            }
        });
    }
    pool
}

/// What may not change, and what must.
struct Seen {
    refused: u64,
    suspicions: u64,
    delivered: u64,
}

impl Seen {
    fn of(node: &Handle<Ring>) -> Seen {
        let counters = node.counters();
        Seen {
            refused: DatagramRefusal::ALL.iter().map(|refusal| counters.refused(*refusal)).sum(),
            suspicions: counters.suspicions.get(),
            delivered: counters.delivered.get(),
        }
    }
}

/// The memory of this process that is in use, in KiB.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("a system with /proc");
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4
}
