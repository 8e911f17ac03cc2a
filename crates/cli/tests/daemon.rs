//! The daemon as the operating system sees it: its endpoint, its signals, its exit codes.

mod binary;
mod running;

use binary::{Room, watchkeeper};
use running::{PATIENCE, Running, asked, nobody, node_file, said_to, status_when};
use rustix::process::{Pid as Number, Signal, kill_process};
use serde_json::{Value, json};
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A pair that never meets, since nobody is at the other address.
const RING: &str = "protocol = \"ring\"\nn = 2\ntime = \"dense\"\ndelay = \"0..1\"\nchannel = \"drop:2\"\n\
                    [param]\nround = 3\n";

const DYNAMIC: &str = "protocol = \"dynamic\"\nn = 1\ntmin = 100\ntmax = 1000\ncorrected = true\n";

/// A node that is alone, and where to ask it.
fn alone(room: &Room, scenario: &str, me: &str, peer: &str) -> (Running, String, UdpSocket) {
    let (socket, address) = nobody();
    let file = node_file(room, scenario, me, "127.0.0.1:0", &[(peer, &address)]);
    let mut node = Running::start(&file, &[]);
    let listening = node.wait_for("listening");
    let http = listening["http"].as_str().expect("an endpoint").to_string();
    (node, http, socket)
}

#[test]
fn a_node_answers_and_leaves_when_it_is_told_to() {
    let room = Room::new("endpoint");
    let (mut node, http, _peer) = alone(&room, RING, "p0", "p1");
    assert_eq!(node.log[0]["event"], "warning", "port 0 is strange: {:#?}", node.log);
    let suspects = node.wait_for("suspects");
    assert_eq!(suspects["peer"], "p1");
    assert_eq!(suspects["cause"], "timer Round");
    for field in ["time", "level", "late_ms", "worst_late_ms", "left", "uptime_ms"] {
        assert!(suspects.get(field).is_some(), "{field}: {suspects}");
    }
    for field in ["heard", "probed", "round_trip_ms"] {
        assert!(suspects.get(field).is_none(), "nobody is there, so {field} is left out: {suspects}");
    }
    let status = status_when(&http, |status| status["suspects"] == json!(["p1"]));
    assert_eq!(status["watchkeeper"], "status");
    assert_eq!(status["phase"], "running");
    assert_eq!(status["protocol"], "ring");
    assert_eq!(status["tick"], 0.02);
    assert_eq!(status["peers"][0]["peer"], "p1");
    assert_eq!(status["peers"][0]["found"], false);
    assert!(status["peers"][0]["suspected"].as_f64().is_some_and(|since| since >= 0.0));
    assert_eq!(status["assumptions"]["delay"], json!({ "ticks": 1, "seconds": 0.02 }));
    assert_eq!(status["assumptions"]["lateness"], 0.01);
    assert_eq!(status["assumptions"]["properties"][1]["name"], "accuracy");
    assert!(status["counters"]["unsent"].as_u64().is_some_and(|count| count >= 1));
    assert_eq!(status["counters"]["refused"].as_object().map(|reasons| reasons.len()), Some(15));
    let (code, _, body) = asked(&http, "GET", "/healthz");
    assert_eq!((code, body.as_str()), (200, "running\n"));

    node.signal(Signal::TERM);
    let (code, out, log) = node.end();
    assert_eq!((code, out.as_str()), (0, ""), "{log:#?}");
    let events: Vec<&str> = log.iter().filter_map(|line| line["event"].as_str()).collect();
    let leaving = events.iter().position(|event| *event == "leaving").expect("it says that it leaves");
    assert!(events[leaving..].contains(&"ended"), "{events:?}");
}

#[test]
fn metrics_are_what_prometheus_reads() {
    let room = Room::new("metrics");
    let (mut node, http, _peer) = alone(&room, RING, "p0", "p1");
    node.wait_for("suspects");
    let (code, head, body) = asked(&http, "GET", "/metrics");
    assert_eq!(code, 200);
    assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
    let mut family = String::new();
    let mut families = Vec::new();
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            family = rest.split(' ').next().expect("a name").to_string();
            assert!(!families.contains(&family), "{family} is there twice");
            families.push(family.clone());
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            assert!(rest.starts_with(&format!("{family} ")), "{line}");
        } else {
            let (name, value) = line.rsplit_once(' ').expect("a row");
            assert!(name.starts_with(&family), "{line} in {family}");
            assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
        }
    }
    for row in [
        "watchkeeper_build_info{version=\"0.1.0\",protocol=\"ring\",process=\"p0\",cluster=\"test\"} 1",
        "watchkeeper_phase{phase=\"running\"} 1",
        "watchkeeper_phase{phase=\"stopped\"} 0",
        "watchkeeper_datagrams_refused_total{reason=\"forged\"} 0",
        "watchkeeper_assumption_breaches_total{assumption=\"loss\"} 0",
        "watchkeeper_assumed_seconds{assumption=\"delay\"} 0.02",
        "watchkeeper_peer_suspected{peer=\"p1\"} 1",
        "watchkeeper_peer_lost_total{peer=\"p1\"} 0",
        "watchkeeper_suspects 1",
        "watchkeeper_interarrival_seconds_bucket{peer=\"p1\",le=\"+Inf\"} 0",
        "watchkeeper_round_trip_seconds_count{peer=\"p1\"} 0",
        "watchkeeper_effective_timeout_seconds{timer=\"Round\"} 0.06",
    ] {
        assert!(body.contains(&format!("\n{row}\n")), "{row} is missing in\n{body}");
    }
    let number = |row: &str| -> f64 {
        let line = body.lines().find(|line| line.starts_with(&format!("{row} "))).expect(row);
        line[row.len() + 1..].parse().expect("a number")
    };
    let all = number("watchkeeper_timer_lateness_seconds_bucket{le=\"+Inf\"}");
    assert_eq!(all, number("watchkeeper_timer_lateness_seconds_count"));
    assert!(all >= 1.0);
}

#[test]
fn whatever_else_is_asked_is_refused_and_harms_nobody() {
    let room = Room::new("garbage");
    let (_node, http, _peer) = alone(&room, RING, "p0", "p1");
    assert_eq!(asked(&http, "GET", "/").0, 404);
    assert_eq!(asked(&http, "GET", "/status/..%2f").0, 404);
    let (code, head, _) = asked(&http, "POST", "/status");
    assert_eq!((code, head.contains("allow: get, head")), (405, true), "{head}");
    assert_eq!(asked(&http, "HEAD", "/healthz").2, "");
    let lured = said_to(&http, b"GET /status HTTP/1.1\r\nHost: attacker.example:80\r\n\r\n");
    assert!(lured.starts_with("HTTP/1.1 403 "), "{lured}");
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    let many = format!("GET /status HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    for bytes in
        [b"\0\xff\x16\x03\x01 hello".as_slice(), b"\r\n\r\n\r\n\r\n", long.as_bytes(), many.as_bytes()]
    {
        let answer = said_to(&http, bytes);
        assert!(!answer.contains(" 200 "), "{answer}");
    }
}

/// Hundreds who say nothing, dozens who say a byte now and then, and a node that may open no more files than it asks
/// for: whoever has a question is answered within a second.
#[test]
fn idle_and_slow_connections_keep_nobody_from_an_answer() {
    let room = Room::new("idle");
    let (_socket, address) = nobody();
    let file = node_file(&room, RING, "p0", "127.0.0.1:0", &[("p1", &address)]);
    // As many as it wants to be sure of, and some that this test may have handed down.
    let mut node = Running::start_limited(&file, 40);
    let http = node.wait_for("listening")["http"].as_str().expect("an endpoint").to_string();
    let dir = format!("/proc/{}/fd", node.id());
    let open = || std::fs::read_dir(&dir).expect("its files").count();
    let quiet = open();
    let mut most = 0;
    let connected = || TcpStream::connect(&http).expect("a visitor");
    let slow: Vec<TcpStream> = (0..50).map(|_| connected()).collect();
    let idle: Vec<TcpStream> = (0..300).map(|_| connected()).collect();
    for (i, byte) in b"GET /healt".iter().enumerate() {
        // Who was shown the door comes again.
        let mut again: Vec<TcpStream> = (0..20).map(|_| connected()).collect();
        for mut visitor in slow.iter().chain(&again) {
            let _ = visitor.write_all(&[*byte]);
        }
        let before = Instant::now();
        let path = ["/healthz", "/metrics", "/status"][i % 3];
        assert_eq!(asked(&http, "GET", path).0, 200, "{path}");
        let took = before.elapsed();
        assert!(took < Duration::from_secs(1), "{path} took {took:?}");
        most = most.max(open());
        again.clear();
    }
    assert!(quiet <= 22 && most <= quiet + 17, "{quiet} files are open, and then {most}");
    drop((slow, idle));
    node.signal(Signal::TERM);
    let (code, _, log) = node.end();
    assert_eq!(code, 0);
    assert!(!log.iter().any(|line| line["event"] == "http-failed"), "there was a file for everyone");
}

/// One connection, several questions.
#[test]
fn who_says_that_he_stays_is_answered_again() {
    let room = Room::new("stays");
    let (_node, http, _peer) = alone(&room, RING, "p0", "p1");
    let ask = |how: &str| {
        format!("GET /status?brief HTTP/1.1\r\nHost: {http}\r\nConnection: {how}\r\n\r\n").into_bytes()
    };
    let both = said_to(&http, &[ask("keep-alive"), ask("close")].concat());
    assert_eq!(both.matches("HTTP/1.1 200 OK").count(), 2, "{both}");
    let (_, brief) = both.rsplit_once("\r\n\r\n").expect("a body");
    let brief: Value = serde_json::from_str(brief).expect("JSON");
    assert_eq!((&brief["process"], brief.get("counters")), (&json!("p0"), None));
    let one = said_to(&http, &[ask("x"), ask("close")].concat());
    assert_eq!(one.matches("HTTP/1.1 200 OK").count(), 1, "{one}");
}

#[test]
fn addresses_in_use_are_told_with_their_line() {
    let room = Room::new("in-use");
    let (_socket, taken) = nobody();
    let file = node_file(&room, RING, "p0", &taken, &[("p1", "127.0.0.1:9")]);
    let refused = watchkeeper(&["run", "--config", &file]);
    let expected = format!(
        "error: {file}, line 11, column 8: {taken} is in use by another program: stop that one, or choose another port \
         here and at all peers\n   |\n11 | bind = \"{taken}\"\n   |        {}\n",
        "^".repeat(taken.len() + 2)
    );
    assert_eq!((refused.code, refused.err), (150, expected));

    let taken = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = taken.local_addr().expect("its address").to_string();
    let text = std::fs::read_to_string(&file)
        .expect("the file")
        .replace("http = \"127.0.0.1:0\"", &format!("http = \"{address}\""));
    let file = room.file("http.toml", &text);
    let refused = watchkeeper(&["run", "--config", &file]);
    let expected = format!(
        "error: {file}, line 14, column 8: {address} is in use by another program: stop that one, or choose another port\n"
    );
    assert_eq!(refused.code, 150);
    assert!(refused.err.starts_with(&expected), "{}", refused.err);
}

/// Two nodes that know each other by the name of their machine.
#[test]
fn peers_are_found_by_name() {
    let room = Room::new("names");
    let (sockets, addresses): (Vec<UdpSocket>, Vec<String>) = (0..2).map(|_| nobody()).unzip();
    drop(sockets);
    let named = |address: &str| address.replace("127.0.0.1", "localhost");
    let file = node_file(&room, RING, "p0", &addresses[0], &[("p1", &named(&addresses[1]))]);
    let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
    assert!(said.out.contains(&format!("\n  peers       p1 at {}\n", named(&addresses[1]))), "{}", said.out);
    let mut p0 = Running::start(&file, &[]);
    let other = node_file(&room, RING, "p1", &addresses[1], &[("p0", &named(&addresses[0]))]);
    let mut p1 = Running::start(&other, &[]);
    let http = p0.wait_for("listening")["http"].as_str().expect("an endpoint").to_string();
    let status = status_when(&http, |status| status["peers"][0]["found"] == true);
    assert_eq!(status["peers"][0]["address"], json!(addresses[1]));
    p1.wait_for("peer-found");

    // A name that nobody knows keeps no node from running.
    let lost = Room::new("names-unknown");
    let file = node_file(&lost, RING, "p0", "127.0.0.1:0", &[("p1", "nobody.invalid:7101")]);
    let mut alone = Running::start(&file, &[]);
    let unknown = alone.wait_for("name-unknown");
    assert_eq!((&unknown["level"], &unknown["peer"]), (&json!("warn"), &json!("p1")));
    let message = unknown["message"].as_str().expect("a message");
    assert!(message.starts_with("p1 cannot be reached: nobody.invalid:7101 is not known: "), "{message}");
    let http = alone.wait_for("listening")["http"].as_str().expect("an endpoint").to_string();
    assert_eq!(alone.wait_for("suspects")["peer"], "p1");
    assert_eq!(status_when(&http, |_| true)["peers"][0]["address"], Value::Null);

    let here = node_file(&room, RING, "p0", &addresses[0], &[("p1", &named(&addresses[0]))]);
    let said = watchkeeper(&["run", "--config", &here]);
    assert_eq!(said.code, 150);
    let (name, address) = (named(&addresses[0]), &addresses[0]);
    let why = format!(
        "error: p1 at {name} is {address}, and so is this node itself; give each process its own address\n"
    );
    assert_eq!(said.err, why);
}

/// Two nodes that do not share a key meet once one of them is given the other's.
#[test]
fn keys_are_replaced_while_the_node_runs() {
    let room = Room::new("rotation");
    let (sockets, addresses): (Vec<UdpSocket>, Vec<String>) = (0..2).map(|_| nobody()).unzip();
    drop(sockets);
    let mine = node_file(&room, RING, "p0", &addresses[0], &[("p1", &addresses[1])]);
    let theirs = node_file(&room, RING, "p1", &addresses[1], &[("p0", &addresses[0])]);
    room.file("b.key", &"b".repeat(64));
    let other = |id: &str| format!("id = {id}\nfile = \"b.key\"\n");
    let text = room.read("p1.toml").replace("id = 1\nfile = \"a.key\"\n", &other("2"));
    room.file("p1.toml", &text);
    let (mut p0, mut p1) = (Running::start(&mine, &[]), Running::start(&theirs, &[]));
    let http = p0.wait_for("listening")["http"].as_str().expect("an endpoint").to_string();
    p1.wait_for("listening");
    let refused = p0.wait_for("refused");
    assert_eq!((&refused["reason"], &refused["level"]), (&json!("unknown_key"), &json!("warn")));
    assert_eq!(status_when(&http, |_| true)["peers"][0]["found"], false);

    let before = room.read("p0.toml");
    room.file("p0.toml", &before.replace("a.key", "c.key"));
    p0.signal(Signal::HUP);
    let kept = p0.wait_for("keys-kept");
    let message = kept["message"].as_str().expect("a message");
    assert!(message.starts_with("the old keys stay: ") && message.contains("c.key"), "{message}");
    assert_eq!(kept["level"], "error");

    let both = format!("{before}\n[[keys]]\n{}current = true\n", other("2"));
    room.file("p0.toml", &both);
    p0.signal(Signal::HUP);
    let reloaded = p0.wait_for("keys-reloaded");
    assert_eq!(reloaded["message"], "added key 2; key 2 seals from now on");
    assert_eq!((&reloaded["key"], &reloaded["keys"]), (&json!(2), &json!("1,2")));
    status_when(&http, |status| status["peers"][0]["found"] == true);

    room.file("p0.toml", &both.replace("tick = \"20ms\"", "tick = \"40ms\""));
    p0.signal(Signal::HUP);
    assert_eq!(p0.wait_for("restart-needed")["level"], "warn");
    for node in [p0, p1] {
        node.signal(Signal::INT);
        assert_eq!(node.end().0, 0);
    }
}

#[test]
fn a_node_that_says_its_goodbyes_can_be_ended_at_once() {
    let room = Room::new("goodbyes");
    let (mut node, http, _peer) = alone(&room, DYNAMIC, "p1", "p0");
    node.wait_for("began");
    node.signal(Signal::TERM);
    node.wait_for("leaving");
    let status = status_when(&http, |status| status["phase"] == "leaving");
    assert_eq!(status["process"], "p1");
    let (code, _, body) = asked(&http, "GET", "/healthz");
    assert_eq!((code, body.as_str()), (503, "leaving\n"));
    node.signal(Signal::TERM);
    node.wait_for("cut-short");
    assert_eq!(node.end().0, 143);
}

#[test]
fn status_is_for_people_and_for_scripts() {
    let room = Room::new("status");
    let (mut node, http, _peer) = alone(&room, RING, "p0", "p1");
    node.wait_for("suspects");
    let shown = watchkeeper(&["status", &http]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    assert!(shown.out.starts_with("p0 of ring in the cluster `test`, at 127.0.0.1:"), "{}", shown.out);
    for part in [
        "\nrunning for ",
        "\nSuspects: p1 for ",
        "not found, suspected",
        "\nLateness: at most ",
        "\nAssumptions",
    ] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let url = format!("http://{http}/status");
    let json: Value = serde_json::from_str(&watchkeeper(&["status", &url, "--json"]).out).expect("JSON");
    assert_eq!(json["process"], "p0");

    drop(node);
    let gone = watchkeeper(&["status", &http]);
    assert_eq!(gone.code, 150);
    assert!(
        gone.err.starts_with(&format!("error: no node answers at http://{http}/status: ")),
        "{}",
        gone.err
    );
    let stranger = std::net::TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = stranger.local_addr().expect("its address").to_string();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = stranger.accept().expect("a visitor");
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\"}");
    });
    let other = watchkeeper(&["status", &address]);
    assert_eq!(other.code, 150);
    assert!(other.err.contains("is no node of this program"), "{}", other.err);
    assert!(watchkeeper(&["status"]).err.contains("which node?"));
}

#[test]
fn a_recording_is_begun_for_each_start_and_never_overwritten() {
    let room = Room::new("recorded");
    let (_socket, address) = nobody();
    let file = node_file(&room, RING, "p0", "127.0.0.1:0", &[("p1", &address)]);
    let mut node = Running::start(&file, &["--record", &room.arg("tapes")]);
    let listening = node.wait_for("listening");
    node.wait_for("suspects");
    let status = status_when(listening["http"].as_str().expect("an endpoint"), |_| true);
    let tape = status["recording"].as_str().expect("a recording").to_string();
    assert!(tape.contains("/tapes/p0-") && tape.ends_with(".ndjson"), "{tape}");
    node.signal(Signal::TERM);
    assert_eq!(node.end().0, 0);
    let text = std::fs::read_to_string(&tape).expect("the recording");
    let head: Value = serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    let settings = json!({ "time": "dense", "delay": "0..1", "channel": "drop:2", "param.round": "3" });
    assert_eq!((&head["protocol"], &head["n"], &head["settings"]), (&json!("ring"), &json!(2), &settings));
    assert!(text.lines().last().is_some_and(|line| line.contains("\"end\":\"leave\"")), "{text}");
    let refused = watchkeeper(&["run", "--config", &file, "--record", &tape]);
    assert_eq!(refused.code, 150);
    assert!(refused.err.contains("a recording is never overwritten"), "{}", refused.err);
}

#[test]
fn keys_are_fresh_private_and_never_overwritten() {
    let keys = [watchkeeper(&["key"]), watchkeeper(&["key"])];
    for key in &keys {
        assert_eq!((key.code, key.out.len()), (0, 65));
        assert!(key.out.trim_end().chars().all(|digit| digit.is_ascii_hexdigit()));
    }
    assert_ne!(keys[0].out, keys[1].out);
    let room = Room::new("key");
    let file = room.arg("cluster.key");
    assert_eq!(watchkeeper(&["key", "--out", &file]).code, 0);
    let written = room.read("cluster.key");
    assert_eq!(written.len(), 65);
    let mode = std::fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = watchkeeper(&["key", "--out", &file]);
    assert_eq!(again.code, 150);
    assert!(again.err.contains("is there already"), "{}", again.err);
    assert_eq!(room.read("cluster.key"), written);
}

#[test]
fn a_log_that_nobody_reads_holds_nothing_up() {
    let room = Room::new("unread");
    let (_socket, address) = nobody();
    let file = node_file(&room, RING, "p0", "127.0.0.1:0", &[("p1", &address)]);
    let free =
        TcpListener::bind("127.0.0.1:0").and_then(|door| door.local_addr()).expect("a port").to_string();
    room.file(
        "p0.toml",
        &room.read("p0.toml").replace("http = \"127.0.0.1:0\"", &format!("http = \"{free}\"")),
    );
    let mut command = binary::program(&["run", "--config", &file]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("a node");
    let deadline = Instant::now() + PATIENCE;
    while std::net::TcpStream::connect(&free).is_err() {
        assert!(Instant::now() < deadline, "it does not begin");
    }
    // More lines than a pipe and the log itself have room for, at level debug.
    for _ in 0..2500 {
        assert_eq!(asked(&free, "GET", "/nowhere").0, 404);
    }
    kill_process(Number::from_child(&child), Signal::TERM).expect("a signal");
    while child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < deadline, "it does not end");
        std::thread::yield_now();
    }
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}
