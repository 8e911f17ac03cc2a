//! What a node costs, beside a bare loop that only receives and sends datagrams of the same size on the same
//! kind of sockets: messages a second, processor time for each, and what one step of a protocol takes. Run it
//! with `cargo bench -p watchkeeper-runtime`; the figures are medians of interleaved runs.

#[path = "../tests/support/counting.rs"]
mod counting;

use counting::allocations;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, ProcSet, Protocol, packed};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatTimer, HeartbeatVariant};
use watchkeeper_protocols::ring::{
    GossipMsg, Ring, RingMsg, RingTimer, StrongCompleteness, TimeoutAdaptation,
};
use watchkeeper_runtime::wire::{
    ClusterId, DatagramKind as Sort, HEADER_LEN, KeyId, KeyRing, LEAST_DATAGRAM, MAX_DATAGRAM,
    OpenedDatagram, STAMP_LEN, Sessions, Stamp, TAG_LEN,
};
use watchkeeper_runtime::{NodeBuilder, generate_key};

/// Messages of one run.
const MESSAGES: usize = 200_000;

/// How many are on their way at a time.
const WINDOW: usize = 32;

const RUNS: usize = 5;

/// A protocol that answers everything.
struct Echo;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Word {
    #[kind("word")]
    Word(u32),
}

impl Protocol for Echo {
    type State = u32;
    type Msg = Word;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> u32 {
        0
    }

    fn step(&self, _: Pid, heard: &mut u32, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Receive { from, msg } = input {
            *heard = heard.wrapping_add(1);
            fx.reply(from, *msg);
        }
    }
}

/// What one run of a server found.
#[derive(Clone, Copy, Default)]
struct Run {
    seconds: f64,
    /// Processor time of the server's thread, and how often it allocated.
    cpu: f64,
    allocations: u64,
}

#[expect(clippy::print_stdout, reason = "a benchmark tells its figures")]
fn main() {
    let (mut bare, mut node) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        bare.push(run_bare());
        node.push(run_node());
    }
    let middle = |runs: &[Run], of: fn(&Run) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let seconds: fn(&Run) -> f64 = |run| run.seconds;
    let cpu: fn(&Run) -> f64 = |run| run.cpu;
    println!("{MESSAGES} messages answered, {WINDOW} on their way at a time, medians of {RUNS} runs");
    let line = |name: &str, runs: &[Run]| {
        let (seconds, cpu) = (middle(runs, seconds), middle(runs, cpu));
        let allocations = runs.iter().map(|run| run.allocations).max().unwrap_or(0);
        println!(
            "  {name:34} {:>9.0} messages/s  {:>6.2} us of processor time each  {allocations} allocations",
            MESSAGES as f64 / seconds,
            cpu / MESSAGES as f64 * 1e6,
        );
    };
    line("bare loop", &bare);
    line("node, authenticated and encrypted", &node);
    println!(
        "  ratio to the bare loop: {:.2} of its messages/s, {:.2} times its processor time",
        middle(&bare, seconds) / middle(&node, seconds),
        middle(&node, cpu) / middle(&bare, cpu)
    );
    println!("one step of a protocol, its messages packed");
    steps();
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn local() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = socket.local_addr().expect("an address");
    (socket, address)
}

fn keys() -> KeyRing {
    KeyRing::new((KeyId(1), generate_key().expect("a key")))
}

/// Sends all datagrams and waits for as many answers; returns the seconds.
fn ask(socket: &UdpSocket, server: SocketAddr, datagrams: &[Vec<u8>]) -> f64 {
    socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    let mut buffer = [0; 2048];
    let begun = Instant::now();
    let mut answered = 0;
    for (sent, datagram) in datagrams.iter().enumerate() {
        while sent - answered >= WINDOW {
            socket.recv_from(&mut buffer).expect("an answer");
            answered += 1;
        }
        socket.send_to(datagram, server).expect("sent");
    }
    while answered < datagrams.len() {
        socket.recv_from(&mut buffer).expect("an answer");
        answered += 1;
    }
    begun.elapsed().as_secs_f64()
}

fn run_bare() -> Run {
    let (server, address) = local();
    let (client, _) = local();
    server.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    let over = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(&over);
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        let (mut cpu, mut allocated) = (cpu_seconds(), allocations());
        let mut first = true;
        while !done.load(Relaxed) {
            match server.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    if std::mem::take(&mut first) {
                        (cpu, allocated) = (cpu_seconds(), allocations());
                    }
                    server.send_to(&buffer[..length], from).expect("sent");
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => panic!("{error}"),
            }
        }
        (cpu_seconds() - cpu, allocations() - allocated)
    });
    let size = LEAST_DATAGRAM + packed(&Word::Word(0)).len();
    let datagrams = vec![vec![7; size]; MESSAGES];
    let seconds = ask(&client, address, &datagrams);
    over.store(true, Relaxed);
    let (cpu, allocations) = thread.join().expect("the server");
    Run { seconds, cpu, allocations }
}

/// The other end of a node, by hand.
struct Client(std::cell::RefCell<Sessions>);

impl Client {
    fn new(keys: &KeyRing) -> Client {
        let (me, peer) = (Pid::at(1), Pid::at(0));
        let cluster = ClusterId::of_name("bench");
        Client(Sessions::new(cluster, keys, me, 99, ProcSet::only(peer), [3; 32]).into())
    }

    /// Greets until the node has begun.
    fn greet(&self, socket: &UdpSocket, server: SocketAddr) {
        socket.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
        let (node, stamp, mut buffer) = (Pid::at(0), Stamp::default(), [0; 2048]);
        loop {
            let mut answers = Vec::new();
            let open = self.0.borrow().is_open(node);
            if open {
                answers.push(self.sealed(Sort::Ready, &[]));
            } else {
                let (key, hello) = self.0.borrow().greetings_to(node)[1].expect("no session is open");
                answers.extend(self.0.borrow_mut().greeting(node, key, &stamp, &hello));
            }
            loop {
                for datagram in answers.drain(..) {
                    socket.send_to(&datagram, server).expect("sent");
                }
                let Ok((length, _)) = socket.recv_from(&mut buffer) else { break };
                let mut sessions = self.0.borrow_mut();
                match sessions.open(&mut buffer[..length]) {
                    Ok(OpenedDatagram::Greeting { from, key, hello, .. }) => {
                        if let Some((key, answer)) = sessions.greeted(0, from, key, &hello).answer {
                            answers.extend(sessions.greeting(node, key, &stamp, &answer));
                        }
                    }
                    Ok(OpenedDatagram::InSession { header, .. }) if header.kind == Sort::Begin => return,
                    _ => {}
                }
            }
        }
    }

    fn sealed(&self, kind: Sort, body: &[u8]) -> Vec<u8> {
        let mut datagram = vec![0; HEADER_LEN + STAMP_LEN];
        datagram.extend_from_slice(body);
        datagram.resize(datagram.len() + TAG_LEN, 0);
        let number = self.0.borrow_mut().number(Pid::at(0)).expect("a session");
        let stamp = Stamp { sent: 1, echo: 0, held: 0 };
        self.0.borrow().seal(kind, Pid::at(0), number, &stamp, &mut datagram).expect("short");
        datagram
    }
}

fn sealed(client: &Client, number: u32) -> Vec<u8> {
    client.sealed(Sort::Message, &packed(&Word::Word(number % 100)))
}

fn run_node() -> Run {
    let (socket, client_address) = local();
    let (probe, address) = local();
    drop(probe);
    let keys = keys();
    let (over, done) = tokio::sync::oneshot::channel::<()>();
    let (started, start) = std::sync::mpsc::channel();
    let node = NodeBuilder::new(Echo, Pid::at(0), address)
        .peer(Pid::at(1), client_address)
        .cluster("bench")
        .keys(keys.clone())
        .gather(Duration::from_secs(60));
    let measured = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&measured);
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let node = node.spawn().await.expect("a node");
            started.send(()).expect("awaited");
            while !asked.load(Relaxed) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let (cpu, allocated) = (cpu_seconds(), allocations());
            let _ = done.await;
            let spent = (cpu_seconds() - cpu, allocations() - allocated);
            assert_eq!(node.counters().delivered.get(), MESSAGES as u64, "every message was handled");
            spent
        })
    });
    start.recv().expect("the node started");
    let client = Client::new(&keys);
    client.greet(&socket, address);
    let datagrams: Vec<Vec<u8>> = (0..MESSAGES).map(|number| sealed(&client, number as u32)).collect();
    measured.store(true, Relaxed);
    std::thread::sleep(Duration::from_millis(20));
    let seconds = ask(&socket, address, &datagrams);
    let _ = over.send(());
    let (cpu, allocations) = thread.join().expect("the node");
    Run { seconds, cpu, allocations }
}

/// Packs messages and forgets everything else.
#[derive(Default)]
struct Sink {
    buffer: Vec<u8>,
    effects: usize,
}

impl<P: Protocol> Effects<P> for Sink {
    fn send(&mut self, _: Pid, msg: P::Msg) {
        msg.pack(&mut self.buffer);
        self.effects += 1;
    }

    fn arm(&mut self, _: P::Timer, bound: Bound) {
        black_box(bound);
        self.effects += 1;
    }

    fn disarm(&mut self, _: P::Timer) {
        self.effects += 1;
    }

    fn emit(&mut self, output: P::Output) {
        black_box(output);
        self.effects += 1;
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }
}

/// Measures one input, again and again on the same state: what it changes it changes the first time.
#[expect(clippy::print_stdout, reason = "a benchmark tells its figures")]
fn step<P: Protocol + 'static>(name: &str, protocol: &P, me: Pid, input: impl Fn() -> Input<'static, P>) {
    const STEPS: u32 = 1_000_000;
    let mut sink = Sink { buffer: Vec::with_capacity(4096), effects: 0 };
    let start = protocol.init(me, &mut sink);
    let mut state = start.clone();
    protocol.step(me, &mut state, input(), &mut sink);
    let mut times: Vec<f64> = Vec::new();
    let mut allocated = 0;
    for _ in 0..RUNS {
        let before = allocations();
        let begun = Instant::now();
        for _ in 0..STEPS {
            sink.buffer.clear();
            protocol.step(me, black_box(&mut state), input(), &mut sink);
        }
        let took = begun.elapsed();
        allocated = allocations() - before;
        times.push(took.as_secs_f64() / f64::from(STEPS) * 1e9);
    }
    times.sort_by(f64::total_cmp);
    let each = allocated as f64 / f64::from(STEPS);
    println!("  {name:34} {:>9.1} ns  {each} allocations", times[RUNS / 2]);
    black_box(sink.effects);
}

fn steps() {
    let ring = Ring::new(5, 10).expect("a ring");
    let (p0, p1, p4) = (Pid::at(0), Pid::at(1), Pid::at(4));
    step("ring, a question", &ring, p0, || Input::Receive { from: Pid::at(4), msg: &RingMsg::AreYouAlive });
    step("ring, an answer", &ring, p0, || Input::Receive { from: Pid::at(1), msg: &RingMsg::IAmAlive });
    step("ring, the end of a lonely round", &ring, p4, || Input::Fire(RingTimer::Round));
    let gossip = Ring::with_policy(StrongCompleteness::new(TimeoutAdaptation::Fixed), 5, 10).expect("a ring");
    const TOLD: GossipMsg = GossipMsg::AreYouAlive(ProcSet::EMPTY);
    step("ring with gossip, a question", &gossip, p0, || Input::Receive { from: Pid::at(4), msg: &TOLD });
    let heartbeat = Heartbeat::new(HeartbeatVariant::Static, 2, 8, 4).expect("a heartbeat").corrected();
    step("static heartbeat, a beat", &heartbeat, p1, || Input::Receive {
        from: Pid::at(0),
        msg: &watchkeeper_protocols::heartbeat::HeartbeatMsg::Beat,
    });
    step("static heartbeat, a timer ignored", &heartbeat, p0, || Input::Fire(HeartbeatTimer::Join));
}
