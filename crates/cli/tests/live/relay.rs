//! A network that misbehaves as it is told: a relay of datagrams between every ordered pair of nodes, which loses,
//! delays, duplicates, reorders and cuts. Every decision comes from a seed, pair by pair, and is counted. It
//! cannot read what it passes on.

use super::fleet::Place;
use super::seeds::Numbers;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the network does to a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// How many of a thousand are lost.
    pub loss: u64,
    /// How many of a thousand arrive twice.
    pub duplication: u64,
    /// The shortest and the longest that one takes. Later ones overtake earlier ones whose draw was longer.
    pub delay: (Duration, Duration),
}

impl Manners {
    /// Everything arrives once and at once.
    pub const PERFECT: Manners = Manners { loss: 0, duplication: 0, delay: (Duration::ZERO, Duration::ZERO) };
}

/// What the relay has done so far.
#[derive(Debug, Default)]
pub struct Counts {
    pub received: AtomicU64,
    pub lost: AtomicU64,
    pub cut: AtomicU64,
    pub duplicated: AtomicU64,
    /// Delivered although one of the same pair that came earlier was still on its way.
    pub overtaking: AtomicU64,
    pub delivered: AtomicU64,
}

/// A relay between nodes.
pub struct Relay {
    entrances: Vec<Vec<Option<SocketAddr>>>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    manners: Mutex<Manners>,
    cuts: Mutex<Vec<(usize, usize)>>,
    held: Mutex<Held>,
    queue: Mutex<Queue>,
    more: Condvar,
    over: AtomicBool,
    counts: Counts,
}

/// What is kept back on some ways until they are open again.
#[derive(Default)]
struct Held {
    ways: Vec<(usize, usize)>,
    datagrams: Vec<Waiting>,
}

#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<(Instant, u64)>>,
    datagrams: std::collections::BTreeMap<u64, Waiting>,
    next: u64,
}

struct Waiting {
    pair: (usize, usize),
    socket: Arc<UdpSocket>,
    to: SocketAddr,
    bytes: Vec<u8>,
}

impl Relay {
    /// A relay between nodes at these places.
    pub fn between(places: &[Place], seed: u64, manners: Manners) -> Relay {
        let shared = Arc::new(Shared {
            manners: Mutex::new(manners),
            cuts: Mutex::default(),
            held: Mutex::default(),
            queue: Mutex::default(),
            more: Condvar::new(),
            over: AtomicBool::new(false),
            counts: Counts::default(),
        });
        let n = places.len();
        let open = || Arc::new(UdpSocket::bind("127.0.0.1:0").expect("a port"));
        let sockets: Vec<Vec<Arc<UdpSocket>>> = (0..n).map(|_| (0..n).map(|_| open()).collect()).collect();
        let mut entrances = vec![vec![None; n]; n];
        let mut threads = Vec::new();
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            if from == to {
                continue;
            }
            // What a node receives comes from where it sends to: other sources are no peers.
            let (entrance, exit) = (Arc::clone(&sockets[from][to]), Arc::clone(&sockets[to][from]));
            entrance.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
            entrances[from][to] = Some(entrance.local_addr().expect("an address"));
            let numbers = Numbers::new(seed, &format!("relay p{from} p{to}"));
            let (shared, at) = (Arc::clone(&shared), places[to].bind);
            threads.push(std::thread::spawn(move || {
                shared.take_in((from, to), &entrance, &exit, at, numbers);
            }));
        }
        let delivering = Arc::clone(&shared);
        threads.push(std::thread::spawn(move || delivering.deliver()));
        Relay { entrances, shared, threads }
    }

    /// Where a node sends what is for a peer.
    pub fn entrance(&self, from: usize, to: usize) -> SocketAddr {
        self.entrances[from][to].expect("two nodes")
    }

    /// Behaves like this from now on. What is on its way already stays so.
    pub fn behave(&self, manners: Manners) {
        *self.shared.manners.lock().expect("no panic") = manners;
    }

    /// Lets nothing through on these ways, each from one node to another, and all through elsewhere.
    pub fn cut(&self, ways: &[(usize, usize)]) {
        *self.shared.cuts.lock().expect("no panic") = ways.to_vec();
    }

    /// Keeps back what comes on these ways, and lets go what was kept back on all others: nothing is lost, and
    /// everything is late.
    pub fn hold(&self, ways: &[(usize, usize)]) {
        let mut held = self.shared.held.lock().expect("no panic");
        held.ways = ways.to_vec();
        let (kept, free): (Vec<Waiting>, Vec<Waiting>) =
            held.datagrams.drain(..).partition(|waiting| ways.contains(&waiting.pair));
        held.datagrams = kept;
        for waiting in free {
            self.shared.put(Instant::now(), waiting);
        }
    }

    pub fn counts(&self) -> &Counts {
        &self.shared.counts
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.over.store(true, Relaxed);
        self.shared.more.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Takes in what one node sends to another, and decides what becomes of it.
    fn take_in(
        &self,
        pair: (usize, usize),
        entrance: &UdpSocket,
        exit: &Arc<UdpSocket>,
        to: SocketAddr,
        mut numbers: Numbers,
    ) {
        let mut buffer = [0; 2048];
        while !self.over.load(Relaxed) {
            let Ok((length, _)) = entrance.recv_from(&mut buffer) else { continue };
            self.counts.received.fetch_add(1, Relaxed);
            let manners = *self.manners.lock().expect("no panic");
            if self.cuts.lock().expect("no panic").contains(&pair) {
                self.counts.cut.fetch_add(1, Relaxed);
                continue;
            }
            // All are drawn for every datagram, so that what becomes of one does not depend on the others.
            let (lost, twice) = (numbers.happens(manners.loss), numbers.happens(manners.duplication));
            let delays = [numbers.next(), numbers.next()].map(|number| within(manners.delay, number));
            if lost {
                self.counts.lost.fetch_add(1, Relaxed);
                continue;
            }
            self.counts.duplicated.fetch_add(u64::from(twice), Relaxed);
            for delay in &delays[..1 + usize::from(twice)] {
                let bytes = buffer[..length].to_vec();
                self.pass(*delay, Waiting { pair, socket: Arc::clone(exit), to, bytes });
            }
        }
    }

    fn pass(&self, delay: Duration, waiting: Waiting) {
        let mut held = self.held.lock().expect("no panic");
        if held.ways.contains(&waiting.pair) {
            held.datagrams.push(waiting);
        } else {
            self.put(Instant::now() + delay, waiting);
        }
    }

    fn put(&self, due: Instant, waiting: Waiting) {
        let mut queue = self.queue.lock().expect("no panic");
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push(Reverse((due, number)));
        queue.datagrams.insert(number, waiting);
        self.more.notify_one();
    }

    fn deliver(&self) {
        let mut queue = self.queue.lock().expect("no panic");
        while !self.over.load(Relaxed) {
            let now = Instant::now();
            let wait = match queue.waiting.peek() {
                Some(Reverse((due, _))) if *due <= now => Duration::ZERO,
                Some(Reverse((due, _))) => *due - now,
                None => Duration::from_millis(100),
            };
            if !wait.is_zero() {
                queue = self.more.wait_timeout(queue, wait).expect("no panic").0;
                continue;
            }
            let Some(Reverse((_, number))) = queue.waiting.pop() else { continue };
            let Some(datagram) = queue.datagrams.remove(&number) else { continue };
            let passed = queue.datagrams.range(..number).any(|(_, other)| other.pair == datagram.pair);
            self.counts.overtaking.fetch_add(u64::from(passed), Relaxed);
            self.counts.delivered.fetch_add(1, Relaxed);
            // A node that is down hears nothing, as anywhere.
            let _ = datagram.socket.send_to(&datagram.bytes, datagram.to);
        }
    }
}

fn within((least, most): (Duration, Duration), number: u64) -> Duration {
    let span = (most - least).as_micros() as u64;
    least + Duration::from_micros(number % (span + 1))
}

#[test]
fn the_relay_does_to_each_pair_what_its_seed_says_and_counts_it() {
    let fates = |seed: u64| {
        let places = super::fleet::free_places(2);
        let inbox = UdpSocket::bind(places[1].bind).expect("the port");
        inbox.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
        let delay = (Duration::ZERO, Duration::from_millis(20));
        let relay = Relay::between(&places, seed, Manners { loss: 300, duplication: 200, delay });
        let sender = UdpSocket::bind("127.0.0.1:0").expect("a port");
        for number in 0..100_u8 {
            sender.send_to(&[number], relay.entrance(0, 1)).expect("sent");
        }
        let mut buffer = [0; 16];
        let mut arrived = Vec::new();
        while inbox.recv_from(&mut buffer).is_ok() {
            arrived.push(buffer[0]);
        }
        let counts = relay.counts();
        let [received, lost, twice, delivered] =
            [&counts.received, &counts.lost, &counts.duplicated, &counts.delivered]
                .map(|count| count.load(Relaxed));
        assert_eq!((received, delivered), (100, 100 - lost + twice));
        assert_eq!(arrived.len() as u64, delivered);
        assert!(counts.overtaking.load(Relaxed) > 0, "nothing was reordered");
        relay.cut(&[(0, 1)]);
        sender.send_to(&[7], relay.entrance(0, 1)).expect("sent");
        assert!(inbox.recv_from(&mut buffer).is_err(), "a cut lets nothing through");
        arrived.sort_unstable();
        arrived
    };
    let first = fates(7);
    assert_eq!(first, fates(7), "the same seed does the same");
    assert_ne!(first, fates(8));
}
