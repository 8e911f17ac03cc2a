//! The nodes of a live cluster: real processes of the real program, each with a file of its own, a log and a
//! recording. No node outlives the test that started it, even if the test is killed.

use super::models::Model;
use super::recordings::Recordings;
use crate::binary::Room;
use rustix::process::{Pid, Signal, kill_process};
use rustix::time::{ClockId, clock_gettime};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long nodes have to do what needs no time at all. Generous, since it is only waited for in vain by a test
/// that fails.
pub const SOON: Duration = Duration::from_secs(20);

/// Nanoseconds of the clock that recordings are written by.
pub fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A cluster whose nodes can be started, killed, stopped and resumed.
pub struct Fleet {
    pub model: Model,
    /// The name of its cluster.
    pub name: String,
    pub places: Vec<Place>,
    room: Room,
    children: Vec<Option<Child>>,
}

/// Where a node is.
#[derive(Clone, Debug)]
pub struct Place {
    pub bind: SocketAddr,
    pub http: SocketAddr,
    /// The network namespace that it lives in, if it has one of its own.
    pub namespace: Option<String>,
}

/// What one node file has that others need not have.
#[derive(Clone, Debug)]
pub struct Config {
    pub cluster: String,
    pub key: String,
    /// Where each other process is reached.
    pub peers: Vec<(usize, SocketAddr)>,
    pub bind: SocketAddr,
    /// How many seconds it waits for its peers.
    pub gather: u32,
    /// What it proposes, if it proposes.
    pub propose: Option<u64>,
}

impl Fleet {
    /// The files of a cluster on loopback addresses, nothing started yet. `name` is the test's own.
    pub fn new(name: &str, model: Model) -> Fleet {
        Fleet::at(name, model, free_places(model.processes))
    }

    /// The same, at these places.
    pub fn at(name: &str, model: Model, places: Vec<Place>) -> Fleet {
        let room = Room::new(&format!("live-{name}-{}", model.name));
        let children = places.iter().map(|_| None).collect();
        let name = format!("{name}-{}-{}", model.name, std::process::id());
        let fleet = Fleet { model, name, places, room, children };
        for process in 0..fleet.places.len() {
            fleet.write(process, &fleet.config(process));
        }
        fleet
    }

    /// What the node file of a process says where nothing is wrong.
    pub fn config(&self, process: usize) -> Config {
        let others = self.places.iter().enumerate().filter(|(peer, _)| *peer != process);
        Config {
            cluster: self.name.clone(),
            key: "5eaf00d5".repeat(8),
            peers: others.map(|(peer, place)| (peer, place.bind)).collect(),
            bind: self.places[process].bind,
            gather: 10,
            propose: None,
        }
    }

    /// Writes the node file of a process.
    pub fn write(&self, process: usize, config: &Config) {
        let Config { cluster, key, peers, bind, gather, propose } = config;
        let tick = self.model.tick.as_millis();
        let propose = propose.map_or(String::new(), |value| format!("propose = {value}\n"));
        let peers: String = peers.iter().map(|(peer, at)| format!("p{peer} = \"{at}\"\n")).collect();
        let text = format!(
            "{}\n[node]\nprocess = \"p{process}\"\nbind = \"{bind}\"\ncluster = \"{cluster}\"\ntick = \"{tick}ms\"\n\
             gather = \"{gather}s\"\n{propose}http = \"{}\"\nrecord = \"{}\"\n\n[peers]\n{peers}\n[[keys]]\nid = 1\nhex = \"{key}\"\n",
            self.model.scenario(),
            self.places[process].http,
            self.dir().display(),
        );
        self.room.file(&format!("p{process}.toml"), &text);
    }

    /// Where files, logs and recordings are.
    pub fn dir(&self) -> &Path {
        self.room.as_ref()
    }

    fn log(&self, process: usize) -> PathBuf {
        self.room.path(&format!("p{process}.log"))
    }

    /// Starts all nodes and waits until each of them has begun.
    pub fn start_all(&mut self) {
        for process in 0..self.places.len() {
            self.start(process);
        }
        let all: Vec<usize> = (0..self.places.len()).collect();
        self.begun(&all, 1);
    }

    /// Waits until these processes have begun their first, second, ... incarnation.
    pub fn begun(&self, processes: &[usize], incarnation: usize) {
        let begun =
            |recordings: &Recordings| processes.iter().all(|p| recordings.incarnations(*p) >= incarnation);
        self.until(SOON, &format!("{processes:?} have begun incarnation {incarnation}"), begun);
    }

    /// Starts a node. The thread that does must outlive it.
    pub fn start(&mut self, process: usize) {
        let log = OpenOptions::new().create(true).append(true).open(self.log(process)).expect("a log");
        let program = env!("CARGO_BIN_EXE_watchkeeper");
        let mut command = match &self.places[process].namespace {
            None => Command::new(program),
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace, program]);
                command
            }
        };
        command.arg("cluster").arg("--node").arg(self.room.path(&format!("p{process}.toml")));
        command.arg("--parent").arg(std::process::id().to_string());
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        self.children[process] = Some(command.spawn().expect("the program starts"));
    }

    /// Kills a node, and says when.
    pub fn kill(&mut self, process: usize) -> u64 {
        let mut child = self.children[process].take().expect("it runs");
        let at = now();
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        at
    }

    /// Kills a node, if it runs.
    pub fn stop(&mut self, process: usize) {
        if self.children[process].is_some() {
            self.kill(process);
        }
    }

    pub fn pause(&self, process: usize) {
        self.signal(process, Signal::STOP);
    }

    pub fn resume(&self, process: usize) {
        self.signal(process, Signal::CONT);
    }

    fn signal(&self, process: usize, signal: Signal) {
        let child = self.children[process].as_ref().expect("it runs");
        kill_process(Pid::from_child(child), signal).expect("it can be signalled");
    }

    /// The exit code of a node that ends of its own accord, and what it said.
    pub fn ends(&mut self, process: usize) -> (Option<i32>, String) {
        let mut child = self.children[process].take().expect("it runs");
        let Some(status) = awaited(SOON, || child.try_wait().expect("it can be waited for")) else {
            let _ = child.kill();
            panic!("p{process} does not end:\n{}", self.said(process));
        };
        (status.code(), self.said(process))
    }

    /// What a node has said in its log.
    pub fn said(&self, process: usize) -> String {
        std::fs::read_to_string(self.log(process)).unwrap_or_default()
    }

    pub fn recordings(&self) -> Recordings {
        Recordings::read(self.dir())
    }

    /// Waits until the recordings show something.
    pub fn until(&self, most: Duration, what: &str, shows: impl Fn(&Recordings) -> bool) -> Recordings {
        let shown = awaited(most, || Some(self.recordings()).filter(|recordings| shows(recordings)));
        shown.unwrap_or_else(|| {
            let logs: Vec<String> =
                (0..self.places.len()).map(|p| format!("--- p{p}:\n{}", self.said(p))).collect();
            let (name, said) = (self.model.name, self.recordings().said());
            panic!("{name}: in {most:?} not: {what}\n{said:?}\n{}", logs.join("\n"))
        })
    }

    /// Waits until every node that runs has gone on for so many rounds, by its own recording.
    pub fn rounds(&self, rounds: u32) -> Recordings {
        let lasts = self.model.round() * rounds;
        let then = now() + lasts.as_nanos() as u64;
        let running: Vec<usize> = (0..self.places.len()).filter(|p| self.children[*p].is_some()).collect();
        self.until(lasts + SOON, &format!("{rounds} more rounds of {running:?}"), |recordings| {
            running.iter().all(|p| recordings.last_step(*p).is_some_and(|at| at >= then))
        })
    }

    /// What a node answers to a question over its endpoint.
    pub fn ask(&self, process: usize, path: &str) -> String {
        get(self.places[process].http, path)
    }

    /// The value of a metric of a node: the first whose line begins so.
    pub fn metric(&self, process: usize, begins: &str) -> f64 {
        let all = self.ask(process, "/metrics");
        let line = all.lines().find(|line| line.starts_with(begins));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
        value.unwrap_or_else(|| panic!("p{process} has no {begins}:\n{all}"))
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for child in self.children.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until there is something, and returns it; `None` if there is nothing for that long.
pub fn awaited<T>(most: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + most;
    loop {
        let seen = look();
        if seen.is_some() || Instant::now() > deadline {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Places on loopback addresses with ports that nobody has. They are below those that the system hands out, so
/// that no socket of a relay can get one before its node does.
pub fn free_places(n: usize) -> Vec<Place> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let from = 10_000 + (std::process::id() % 200) as u16 * 100;
    let free = || loop {
        let port = from + NEXT.fetch_add(1, Relaxed) % 2000;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if UdpSocket::bind(address).is_ok() && TcpListener::bind(address).is_ok() {
            return address;
        }
    };
    let place = |address| Place { bind: address, http: address, namespace: None };
    (0..n).map(|_| place(free())).collect()
}

/// The body of an answer.
fn get(http: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect_timeout(&http, SOON).expect("the node listens");
    stream.set_read_timeout(Some(SOON)).expect("a timeout");
    let asked = format!("GET {path} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).expect("asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    body.to_string()
}
