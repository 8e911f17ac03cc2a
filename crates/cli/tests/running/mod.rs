//! Nodes that run: the real program with a node file, its log read line by line, its endpoint asked over a socket.
//! Everything is waited for with a deadline, nothing is slept for.

#![allow(dead_code, reason = "every test file uses a part of it")]

use crate::binary::{Room, program};
use rustix::process::{Pid as Number, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take on a machine that has much to do.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A node that runs, and is killed with its owner.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    /// All lines that were read so far.
    pub log: Vec<Value>,
}

impl Running {
    /// Starts the node of a file whose log is JSON.
    pub fn start(file: &str, more: &[&str]) -> Running {
        let args = [&["run", "--config", file], more].concat();
        Running::of(program(&args))
    }

    /// The same, of a node that may have no more than so many files open.
    pub fn start_limited(file: &str, files: usize) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" run --config \"$1\"")]);
        command.args([env!("CARGO_BIN_EXE_watchkeeper"), file]);
        Running::of(command)
    }

    fn of(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a node");
        let stderr = child.stderr.take().expect("its log");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Running { child, lines, log: Vec::new() }
    }

    /// The first line about this event that was not returned before.
    pub fn wait_for(&mut self, event: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("no `{event}` in {:#?}", self.log));
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
            self.log.push(value.clone());
            if value["event"] == event {
                return value;
            }
        }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Number::from_child(&self.child), signal).expect("a signal");
    }

    /// Waits for its end: the exit code, and what it wrote to standard output.
    pub fn end(mut self) -> (i32, String, Vec<Value>) {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end: {:#?}", self.log);
            std::thread::yield_now();
        };
        while let Ok(line) = self.lines.recv() {
            self.log.push(serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}")));
        }
        let mut out = String::new();
        self.child.stdout.take().expect("its output").read_to_string(&mut out).expect("text");
        (status.code().unwrap_or(-1), out, std::mem::take(&mut self.log))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A node file in a room: the scenario, the process, its address, its peers, and one key of 64 equal digits.
pub fn node_file(room: &Room, scenario: &str, me: &str, bind: &str, peers: &[(&str, &str)]) -> String {
    let peers: String = peers.iter().map(|(peer, address)| format!("{peer} = \"{address}\"\n")).collect();
    room.file("a.key", &"a".repeat(64));
    let text = format!(
        "{scenario}\n[node]\nprocess = \"{me}\"\nbind = \"{bind}\"\ncluster = \"test\"\ntick = \"20ms\"\n\
         http = \"127.0.0.1:0\"\nlog = \"json\"\nlog-level = \"debug\"\n\n[peers]\n{peers}\n[[keys]]\nid = 1\n\
         file = \"a.key\"\n"
    );
    room.file(&format!("{me}.toml"), &text)
}

/// An address where nobody else listens, and nobody answers as long as the socket is there.
pub fn nobody() -> (UdpSocket, String) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = socket.local_addr().expect("its address").to_string();
    (socket, address)
}

/// What is answered to these bytes, as text; empty if the connection is just closed.
pub fn said_to(http: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(http).expect("an endpoint");
    stream.set_read_timeout(Some(PATIENCE)).expect("a deadline");
    // It may be closed before all is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The code, the head and the body of an answer.
pub fn asked(http: &str, method: &str, path: &str) -> (u16, String, String) {
    let answer = said_to(http, format!("{method} {path} HTTP/1.1\r\nHost: {http}\r\n\r\n").as_bytes());
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a code");
    (code, head.to_lowercase(), body.to_string())
}

/// The status of a node once something is true of it.
pub fn status_when(http: &str, is: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (code, _, body) = asked(http, "GET", "/status");
        assert_eq!(code, 200, "{body}");
        let status: Value = serde_json::from_str(&body).expect("JSON");
        if is(&status) {
            return status;
        }
        assert!(Instant::now() < deadline, "{status:#}");
    }
}
