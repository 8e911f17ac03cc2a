//! Ctrl-C ends a search with a summary. Linux tells when a process has begun to listen, so nothing here
//! waits for a time to pass.

#![cfg(target_os = "linux")]

mod binary;

use binary::program;
use std::process::{Child, Command, Stdio};

/// Waits until the process handles the interrupt signal, which is number 2.
fn listening(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    loop {
        let status = std::fs::read_to_string(&path).expect("the process is there");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
        if u64::from_str_radix(caught.trim(), 16).expect("a mask") & 2 != 0 {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupted_search_is_unknown_and_says_how_far_it_came() {
    let args =
        ["check", "ring", "--n", "6", "--crashes", "3", "--channel", "drop:3", "--max-memory", "500MiB"];
    let child = program(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    listening(&child);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(153), "{text}");
    for part in ["UNKNOWN: no deadlock; the search was interrupted", "Search\n", "Again\n"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn an_interrupted_sweep_keeps_what_is_done() {
    let args = ["sweep", "static", "--n", "4", "--tmin", "1..20", "--tmax", "21..24", "--corrected"];
    let child = program(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    listening(&child);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(153), "{text}");
    for part in ["static, corrected, 4 participants", " of 80 cells, ", " not decided", "Again\n"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}
