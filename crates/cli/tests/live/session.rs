//! The command `cluster`, as a script uses it: orders go in, changes come out, and no node is left behind however
//! it ends.

use super::fleet::{SOON, awaited};
use super::replays::{Supposing, replays_in};
use crate::binary::{Room, program, watchkeeper};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A session whose input and output are at hand.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Session {
    pub fn new(args: &[&str]) -> Session {
        let mut command = program(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Session { input: child.stdin.take(), child, lines, seen: Vec::new() }
    }

    pub fn order(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("its input"), "{line}").expect("ordered");
    }

    /// Waits for a line with this in it.
    pub fn until(&mut self, part: &str) {
        let deadline = Instant::now() + SOON;
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.seen.push(line);
            if self.seen.last().is_some_and(|line| line.contains(part)) {
                return;
            }
        }
        panic!("`{part}` does not come after:\n{}", self.seen.join("\n"));
    }

    /// Waits until each of these has been in some line, in whatever order.
    pub fn until_all(&mut self, parts: &[&str]) {
        for part in parts {
            if !self.seen.iter().any(|line| line.contains(part)) {
                self.until(part);
            }
        }
    }

    /// Waits until it has ended, and gives all that it said.
    pub fn end(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        let status = self.child.wait().expect("it ends");
        self.seen.extend(self.lines.iter());
        (status.code(), self.seen)
    }
}

/// How many processes there are whose command line names a file of this directory.
fn left_behind(room: &Room) -> usize {
    let dir = room.arg("nodes");
    let commands = std::fs::read_dir("/proc").expect("the processes").flatten();
    let commands = commands.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    commands
        .filter(|command| {
            let command = String::from_utf8_lossy(command).replace('\0', " ");
            command.contains(&dir) && command.contains(" run --config ")
        })
        .count()
}

pub fn none_left(room: &Room) {
    assert!(awaited(SOON, || (left_behind(room) == 0).then_some(())).is_some(), "nodes are left behind");
}

#[test]
fn a_scripted_session_kills_restarts_and_leaves_nothing_behind() {
    let room = Room::new("cluster-session");
    let dir = room.arg("nodes");
    let mut session =
        Session::new(&["cluster", "ring", "--n", "2", "--tick", "50ms", "--record", "--dir", &dir]);
    for ready in ["2 nodes of ring; their files are in ", "is running", "is running"] {
        session.until(ready);
    }
    assert_eq!(left_behind(&room), 2);
    session.order("kill 1");
    session.until("p1 is killed");
    session.until("p0 suspects p1");
    session.order("kill 1");
    session.until("p1 does not run, so it cannot be killed; `restart` starts it");
    session.order("restart 1");
    session.until("p1 is started again");
    session.until("p0 trusts p1");
    session.order("status");
    session.until("last event");
    session.until("p0");
    for (order, answer) in [
        ("kill 7", "there is no p7; the last is p1"),
        ("resume 0", "p0 is not paused"),
        ("jump", "there is no command `jump`; `help` shows all"),
        ("help", "restart 3      start p3 again"),
    ] {
        session.order(order);
        session.until(answer);
    }
    session.order("quit");
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    let replay = said.last().expect("a last line").clone();
    assert!(replay.contains("replay ") && replay.contains(&dir), "{said:?}");
    none_left(&room);
    replays_in(room.path("nodes").as_path(), Supposing::AnyTime);
}

#[test]
fn pausing_and_leaving_are_shown_and_the_end_of_the_input_ends_all() {
    let room = Room::new("cluster-pause");
    let dir = room.arg("nodes");
    let mut session = Session::new(&["cluster", "ring", "--n", "3", "--tick", "50ms", "--dir", &dir]);
    for _ in 0..3 {
        session.until("is running");
    }
    session.order("pause 1");
    session.until("p0 suspects p1");
    session.order("resume 1");
    session.until("p1 was stalled for");
    session.order("leave 2");
    session.until("p2 has left");
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    none_left(&room);
}

#[test]
fn nodes_end_with_a_cluster_that_is_killed() {
    let room = Room::new("cluster-killed");
    let mut session = Session::new(&["cluster", "ring", "--n", "3", "--dir", &room.arg("nodes")]);
    for _ in 0..3 {
        session.until("is running");
    }
    assert_eq!(left_behind(&room), 3);
    session.child.kill().expect("killed");
    session.child.wait().expect("it ends");
    none_left(&room);
}

#[test]
fn ctrl_c_ends_all_nodes() {
    let room = Room::new("cluster-interrupt");
    let mut session = Session::new(&["cluster", "ring", "--n", "2", "--dir", &room.arg("nodes")]);
    for _ in 0..2 {
        session.until("is running");
    }
    let sent = Command::new("kill").args(["-INT", &session.child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let status = session.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    none_left(&room);
}

#[test]
fn a_node_that_does_not_start_shows_its_error_and_the_others_go_on() {
    let room = Room::new("cluster-port");
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let dir = room.arg("nodes");
    let mut session = Session::new(&["cluster", "ring", "--n", "2", "--base-port", &port, "--dir", &dir]);
    session.until("p0 has failed: it ended with exit code 150");
    session.until("is in use by another program");
    session.until("p1 is running");
    session.order("quit");
    assert_eq!(session.end().0, Some(0));
    none_left(&room);
}

#[test]
fn what_cannot_be_a_cluster_is_refused_before_anything_starts() {
    let room = Room::new("cluster-bad");
    room.file("full", "something");
    let dir = room.arg("");
    for (args, part) in [
        (vec!["cluster"], "which protocol?"),
        (vec!["cluster", "rong"], "did you mean `ring`?"),
        (vec!["cluster", "ring", "--tick", "0ms"], "--tick"),
        (vec!["cluster", "ring", "--base-port", "0"], "`0` is not a port"),
        (vec!["cluster", "ring", "--base-port", "65535"], "name free ones with --base-port"),
        (vec!["cluster", "ring", "--dir", &dir], "there is something in it already"),
    ] {
        let said = watchkeeper(&args);
        assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}
