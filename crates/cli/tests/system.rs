//! The program and the operating system: signals that are ignored or not, pipes where files are expected, links in
//! the place of outputs, and limits on files and memory. Linux tells when a process has begun to listen, so nothing
//! here waits for a time to pass.

#![cfg(target_os = "linux")]

mod binary;

use binary::{Room, program, said, watchkeeper};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const HUP: u32 = 1;
const INT: u32 = 2;
const TERM: u32 = 15;

/// A search that does not end by itself soon.
const LONG: [&str; 10] =
    ["check", "ring", "--n", "6", "--crashes", "3", "--channel", "drop:3", "--max-memory", "500MiB"];

/// The program as a shell starts it after these orders.
fn after(orders: &str, args: &[&str]) -> Command {
    let plain = program(args);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{orders}\nexec \"$0\" \"$@\"")).arg(plain.get_program()).args(args);
    command
}

/// Whether a signal is in a mask of a process; `false` once it has ended.
fn has(child: &Child, mask: &str, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix(mask)?.strip_prefix(':'));
    bits.is_some_and(|bits| u64::from_str_radix(bits.trim(), 16).expect("a mask") & (1 << (signal - 1)) != 0)
}

/// A process, once it listens to SIGTERM.
fn listening(command: &mut Command) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while !has(&child, "SigCgt", TERM) {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it listened");
        std::thread::yield_now();
    }
    child
}

fn send(child: &Child, signal: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// What it said once it has ended.
fn end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored_and_the_others_end_a_search() {
    let child = listening(&mut after("trap '' HUP INT", &LONG));
    for signal in [HUP, INT] {
        assert!(has(&child, "SigIgn", signal) && !has(&child, "SigCgt", signal), "{signal}");
        send(&child, signal);
    }
    send(&child, TERM);
    let (code, out, _) = end(child);
    assert_eq!(code, Some(153), "{out}");
    assert!(out.contains("UNKNOWN: no deadlock; the search was interrupted"), "{out}");

    let child = listening(&mut after("trap - HUP INT", &LONG));
    assert!(has(&child, "SigCgt", HUP) && has(&child, "SigCgt", INT));
    send(&child, HUP);
    assert_eq!(end(child).0, Some(153));
}

#[test]
fn a_node_under_nohup_does_not_listen_to_hangups() {
    let room = Room::new("nohup");
    room.file("key", &format!("{}\n", "5a".repeat(32)));
    let node = "protocol = \"ring\"\nn = 2\n[node]\nprocess = \"p0\"\nbind = \"127.0.0.1:0\"\ncluster = \"x\"\n\
                tick = \"50ms\"\n[peers]\np1 = \"127.0.0.1:9\"\n[[keys]]\nid = 1\nfile = \"key\"\n";
    let config = room.file("node.toml", node);
    let args = ["run", "--config", &config];
    for (orders, ignored) in [("trap '' HUP", true), ("trap - HUP", false)] {
        let mut child = after(orders, &args).stderr(Stdio::piped()).spawn().expect("it starts");
        // It listens to everything that it listens to before it says its first word.
        let mut log = std::io::BufReader::new(child.stderr.take().expect("a log"));
        let mut first = String::new();
        std::io::BufRead::read_line(&mut log, &mut first).expect("a line");
        assert!(has(&child, "SigCgt", TERM), "{first}");
        assert_eq!(has(&child, "SigIgn", HUP), ignored, "{orders}");
        assert_eq!(has(&child, "SigCgt", HUP), !ignored, "{orders}");
        send(&child, TERM);
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
    }
}

#[test]
fn whoever_waits_for_a_pipe_can_be_stopped() {
    let room = Room::new("pipes");
    pipe(&room.path("s.toml"));
    let file = room.arg("s.toml");
    for args in [&["check", &file][..], &["replay", &file], &["recheck", &file]] {
        let child = listening(&mut program(args));
        send(&child, TERM);
        let (code, out, err) = end(child);
        assert_eq!((code, out.as_str()), (Some(153), ""), "{args:?}: {err}");
    }
    // Nobody writes into these, and nobody waits.
    for args in [&["run", "--config", &file][..], &["run", "--check-config", "--config", &file]] {
        let said = watchkeeper(args);
        assert_eq!(said.code, 150, "{}", said.err);
        assert!(said.err.contains("it is a pipe, and must be an ordinary file"), "{}", said.err);
    }
    let writer = {
        let path = room.path("s.toml");
        std::thread::spawn(move || std::fs::write(path, "protocol = \"ring\"\nn = 2\nchannel = \"drop:1\"\n"))
    };
    assert_eq!(watchkeeper(&["check", &file]).code, 0);
    writer.join().expect("no panic").expect("written");
}

#[test]
fn a_directory_with_a_pipe_in_it_is_replayed_without_it() {
    let room = Room::new("among");
    pipe(&room.path("p0.ndjson"));
    let said = watchkeeper(&["replay", &room.as_ref().display().to_string()]);
    assert_eq!(said.code, 150, "{}", said.err);
    let skipped = format!("{} is a pipe, and left out", room.arg("p0.ndjson"));
    assert!(said.err.contains("there is no recording in") && said.err.contains(&skipped), "{}", said.err);
}

#[test]
fn an_output_that_is_a_link_is_refused_before_anything_is_searched() {
    let room = Room::new("links");
    let precious = room.file("precious", "precious");
    std::os::unix::fs::symlink(&precious, room.path("verdict.json")).expect("linked");
    let said = watchkeeper(&[
        "check",
        "ring",
        "--n",
        "2",
        "--channel",
        "drop:1",
        "--json",
        &room.arg("verdict.json"),
    ]);
    assert_eq!((said.code, said.out.as_str()), (150, ""), "{}", said.err);
    assert!(said.err.contains("it is a symbolic link to"), "{}", said.err);
    assert_eq!(room.read("precious"), "precious");
    assert_eq!(room.names(), ["precious", "verdict.json"]);
}

#[test]
fn standard_output_has_one_name_and_a_full_device_is_no_success() {
    let check = ["check", "ring", "--n", "2", "--channel", "drop:1"];
    let said = watchkeeper(&[&check[..], &["--json", "/dev/stdout", "-q"]].concat());
    assert!(said.code == 0 && said.out.starts_with('{'), "{}{}", said.out, said.err);
    for args in [&check[..], &["list"], &["--help"], &["check", "--help"]] {
        let full = File::options().write(true).open("/dev/full").expect("the device");
        let output = program(args).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(150), "{args:?}");
    }
}

/// With fewer than four the system cannot even load the program.
#[test]
fn too_few_open_files_are_an_error_that_says_so() {
    let room = Room::new("files");
    room.file("key", &format!("{}\n", "5a".repeat(32)));
    let node = "protocol = \"ring\"\nn = 2\n[node]\nprocess = \"p0\"\nbind = \"127.0.0.1:0\"\ncluster = \"x\"\n\
                tick = \"50ms\"\n[peers]\np1 = \"127.0.0.1:9\"\n[[keys]]\nid = 1\nfile = \"key\"\n";
    let config = room.file("node.toml", node);
    let recordings = room.as_ref().display().to_string();
    let commands: [&[&str]; 6] = [
        &["check", "ring", "--n", "2", "--channel", "drop:1"],
        &["classify", "ring", "--n", "2", "--channel", "drop:1"],
        &["sweep", "ring", "--n", "2", "--channel", "drop:1", "--param", "round=1..2"],
        &["cluster", "ring", "--n", "3"],
        &["run", "--config", &config],
        &["replay", &recordings],
    ];
    for limit in 4..=12 {
        for args in commands {
            let mut command = after(&format!("ulimit -n {limit}"), args);
            let said = said(command.stdin(Stdio::null()));
            assert!(matches!(said.code, 0 | 13 | 150 | 153), "{limit}: {args:?} {}: {}", said.code, said.err);
            if ["cluster", "run"].contains(&args[0]) {
                assert_eq!(said.code, 150, "{limit}: {args:?}");
                let told = format!("The limit on open files (ulimit -n) is {limit}; raise it");
                assert!(said.err.contains(&told), "{limit}: {args:?}: {}", said.err);
            }
        }
    }
}

#[test]
fn limits_of_the_system_bound_the_memory_of_a_search_and_are_named() {
    let small = ["check", "ring", "--n", "2", "--channel", "drop:1", "--max-memory", "16GiB"];
    let told = said(&mut after("ulimit -v 2000000", &small));
    assert_eq!(told.code, 0, "{}", told.err);
    let note = "note: --max-memory 16GiB is more than there is: the limit is 1.";
    assert!(told.err.contains(note) && told.err.contains("(ulimit -v) of 1.91 GiB"), "{}", told.err);
    assert!(told.out.contains("--max-memory 16GiB"), "the command is the one that was given:\n{}", told.out);
    let told = said(&mut after("ulimit -v 2000000", &[&small[..6], &["--max-memory", "100MiB"]].concat()));
    assert!(!told.err.contains("note:"), "{}", told.err);
}
