//! Searches on several processes of this machine, and on hosts that are all this machine: the answer is the one of a single
//! process, whoever is killed; and what keeps hosts from coming together is told.

#![cfg(target_os = "linux")]

mod binary;

use binary::{Room, Said, program, said, watchkeeper};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The part of a report that says what was found, without what it cost.
fn found(said: &Said) -> String {
    let kept = |line: &&str| {
        let costs = [
            "states a second",
            "memory",
            "worker",
            "second",
            "bytes",
            "Again",
            "watchkeeper check",
            "thread",
        ];
        !costs.iter().any(|word| line.contains(word))
    };
    said.out.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

const HOLDS: [&str; 8] = ["check", "ring", "--n", "2", "--crashes", "1", "--channel", "drop:1"];
const DEADLOCK: [&str; 8] = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", "block:1"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn several_processes_find_what_one_finds() {
    for (args, code) in [(HOLDS, 0), (DEADLOCK, 11)] {
        let alone = watchkeeper(&args);
        assert_eq!(alone.code, code, "{}", alone.err);
        for processes in ["1", "2", "3"] {
            let several = watchkeeper(&with(&args, &["--processes", processes]));
            assert_eq!(several.code, code, "{processes}: {}", several.err);
            assert_eq!(found(&several), found(&alone), "{processes} processes");
        }
    }
}

#[test]
fn a_published_model_is_searched_by_several_processes_and_a_table_is_not() {
    let model = ["casebook", "ring", "--model", "csp", "--buffer", "1"];
    let room = Room::new("processes-casebook");
    for (more, code) in [
        (["--channel", "ignore", "--crash", "at-start"], 0),
        (["--channel", "report", "--crash", "any-time"], 12),
    ] {
        let alone = watchkeeper(&with(&model, &more));
        assert_eq!(alone.code, code, "{}", alone.err);
        let json = room.arg("verdict.json");
        let flags = ["--processes", "2", "--json", &json];
        let several = watchkeeper(&with(&with(&model, &more), &flags));
        assert_eq!((several.code, found(&several)), (alone.code, found(&alone)), "{}", several.err);
        assert!(room.read("verdict.json").contains("\"distinct_states\""), "{}", room.read("verdict.json"));
        std::fs::remove_file(&json).expect("it was written");
    }
    for (case, more) in [("ring", ["--processes", "2"]), ("classes", ["--hosts", "none.toml"])] {
        let refused = watchkeeper(&with(&["casebook", case], &more));
        assert_eq!(refused.code, 150, "{}", refused.out);
        assert!(refused.err.contains("this case runs in one process; leave --processes"), "{}", refused.err);
    }
    let store = watchkeeper(&with(&model, &["--processes", "2", "--store", "auto"]));
    assert_eq!(store.code, 150, "{}", store.out);
    assert!(store.err.contains("a search with --processes keeps its states in memory"), "{}", store.err);
}

#[test]
fn an_ltl_claim_is_refused_with_a_way_out() {
    let claim = ["--property", "strong-completeness", "--fairness", "steps", "--processes", "2"];
    let refused = watchkeeper(&with(&HOLDS, &claim));
    assert_eq!(refused.code, 150, "{}", refused.out);
    assert!(refused.err.contains("search on one worker"), "{}", refused.err);
}

#[test]
fn what_is_kept_on_disk_is_refused_before_a_process_is_started() {
    let room = Room::new("processes-disk");
    let dir = &*room.arg("kept");
    for (flags, what) in [
        (vec!["--checkpoint", dir], "leaves no checkpoints; leave --checkpoint out"),
        (vec!["--checkpoint-every", "1s"], "leaves no checkpoints"),
        (vec!["--store", "auto"], "keeps its states in memory; leave --store out"),
    ] {
        // The file of hosts is not there, and nobody gets as far as to miss it.
        for (more, flag) in [(["--processes", "2"], "--processes"), (["--hosts", "none.toml"], "--hosts")] {
            let refused = watchkeeper(&with(&with(&HOLDS, &more), &flags));
            assert_eq!(refused.code, 150, "{flags:?}: {}", refused.out);
            assert_eq!(refused.err.matches(what).count(), 1, "{flags:?}: {}", refused.err);
            assert!(refused.err.contains(&format!("a search with {flag} ")), "{flags:?}: {}", refused.err);
        }
    }
    assert!(!std::path::Path::new(dir).exists(), "nothing was begun");
}

/// The processes that this one has started.
fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Waits until something is there.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_search_that_loses_a_process_begins_again_and_ends_right() {
    let args = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", "drop:1"];
    let alone = watchkeeper(&args);
    let mut command = program(&with(&args, &["--processes", "3"]));
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let victims = wait_for(|| Some(children(running.id())).filter(|children| children.len() == 3));
    let killed = Command::new("kill").args(["-KILL", &victims[1].to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = running.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let several =
        Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
    assert!(several.err.contains("was ended by signal 9; the search begins again"), "{}", several.err);
    assert_eq!((several.code, found(&several)), (0, found(&alone)), "{}", several.err);
}

#[test]
fn an_interrupt_ends_all_processes_with_a_summary() {
    let args =
        ["check", "ring", "--n", "6", "--crashes", "3", "--channel", "drop:3", "--max-memory", "500MiB"];
    let mut command = program(&with(&args, &["--processes", "2"]));
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let workers = wait_for(|| Some(children(running.id())).filter(|children| children.len() == 2));
    let sockets = |id: u32| {
        let links = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        links
            .filter(|link| {
                link.path()
                    .read_link()
                    .is_ok_and(|to| to.starts_with("socket:") || to.to_string_lossy().starts_with("socket:"))
            })
            .count()
    };
    // Their port, its copy, and the connection with its copies.
    wait_for(|| workers.iter().all(|&id| sockets(id) > 3).then_some(()));
    let sent = Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = running.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(153), "{text}");
    assert!(text.contains("the search was interrupted"), "{text}");
}

/// A file of two hosts that are both this machine, with free ports.
fn hosts(room: &Room, name: &str, key: &str, ports: [u16; 2], patience: u64) -> String {
    room.file(
        name,
        &format!(
            "key = \"{key}\"\npatience = {patience}\n\
             [[hosts]]\nname = \"a\"\naddress = \"127.0.0.1:{}\"\n\
             [[hosts]]\nname = \"b\"\naddress = \"127.0.0.1:{}\"\n",
            ports[0], ports[1]
        ),
    )
}

fn free_ports() -> [u16; 2] {
    let listeners = [0, 0].map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

fn start(args: &[&str]) -> Child {
    program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn ended(child: Child) -> Said {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

const KEYS: [&str; 2] = ["5f", "a1"];

#[test]
fn two_hosts_search_together_and_both_report() {
    let room = Room::new("hosts-together");
    room.file("key", &KEYS[0].repeat(32));
    let file = hosts(&room, "hosts.toml", "key", free_ports(), 60);
    let alone = watchkeeper(&DEADLOCK);
    let both = ["a", "b"].map(|host| start(&with(&DEADLOCK, &["--hosts", &file, "--host", host])));
    for said in both.map(ended) {
        assert_eq!((said.code, found(&said)), (11, found(&alone)), "{}", said.err);
    }
}

#[test]
fn hosts_that_cannot_search_together_are_told_why() {
    let room = Room::new("hosts-apart");
    room.file("key", &KEYS[0].repeat(32));
    room.file("other", &KEYS[1].repeat(32));
    // Nobody is at b.
    let file = hosts(&room, "silent.toml", "key", free_ports(), 1);
    let silent = said(&mut program(&with(&HOLDS, &["--hosts", &file])));
    assert_eq!(silent.code, 150, "{}", silent.out);
    assert!(
        silent.err.contains("host b (127.0.0.1:") && silent.err.contains("does not answer"),
        "{}",
        silent.err
    );
    // The one at b has another key.
    let ports = free_ports();
    let files = [hosts(&room, "a.toml", "key", ports, 2), hosts(&room, "b.toml", "other", ports, 2)];
    let both = [0, 1].map(|i| start(&with(&HOLDS, &["--hosts", &files[i], "--host", ["a", "b"][i]])));
    for said in both.map(ended) {
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains("another key"), "{}", said.err);
    }
    // The one at b searches something else.
    let file = hosts(&room, "both.toml", "key", free_ports(), 2);
    let a = start(&with(&HOLDS, &["--hosts", &file, "--host", "a"]));
    let b = start(&with(&DEADLOCK, &["--hosts", &file, "--host", "b"]));
    for said in [a, b].map(ended) {
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains("searches something else"), "{}", said.err);
    }
}

#[test]
fn a_file_of_hosts_that_cannot_be_used_says_what_to_write() {
    let room = Room::new("hosts-bad");
    room.file("key", &KEYS[0].repeat(32));
    let host = "[[hosts]]\nname = \"a\"\naddress = \"10.0.0.1:7400\"\n";
    for (text, told) in [
        (host.to_string(), "name the file of the shared key"),
        (format!("key = \"absent\"\n{host}"), "absent"),
        ("key = \"key\"\n".to_string(), "name each host in a table [[hosts]]"),
        (format!("key = \"key\"\n{}", host.replace("10.0.0.1:7400", "0.0.0.0:7400")), "name the interface"),
        (format!("key = \"key\"\n{}", host.replace("10.0.0.1", "there")), "this is no address"),
        (format!("key = \"key\"\n{host}{host}"), "there are two hosts a"),
        (format!("key = \"key\"\n{host}processes = 0\n"), "from 1 to"),
        (format!("key = \"key\"\n{host}port = 1\n"), "there is no key"),
    ] {
        let file = room.file("hosts.toml", &text);
        let said = watchkeeper(&with(&HOLDS, &["--hosts", &file]));
        assert_eq!(said.code, 150, "{text}");
        assert!(said.err.contains(told), "{told} is missing: {}", said.err);
    }
    let file = room.file("hosts.toml", &format!("key = \"key\"\n{host}"));
    let said = watchkeeper(&with(&HOLDS, &["--hosts", &file, "--host", "z"]));
    assert!(said.code == 150 && said.err.contains("there is no such host"), "{}", said.err);
}
