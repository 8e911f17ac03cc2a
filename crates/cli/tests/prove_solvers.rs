//! `prove` with solvers that do what no solver should, and a program that is ended while one is at work: nothing is
//! called proven, nothing is waited for twice, and no process is left behind.

#![cfg(target_os = "linux")]

mod binary;

use binary::{Room, program, said};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program in a directory that tells its version as Z3 does, and otherwise runs these shell commands. It writes a
/// line to `starts` for each time that it does.
fn fake(room: &Room, commands: &str) -> String {
    let path = room.file(
        "z3",
        &format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Z3 version 4.8.12 - 64 bit'; exit; fi\n\
             echo x >>\"${{0%/*}}/starts\"\n{commands}\n"
        ),
    );
    let executable = Command::new("chmod").args(["+x", &path]).status().expect("chmod");
    assert!(executable.success());
    path
}

/// Ignores whoever asks it to end, and leaves the waiting to a child, whose number it writes down.
const DEAF: &str = "trap '' TERM INT HUP; sleep 1000 & echo $! >\"${0%/*}/child.part\"; \
                    mv \"${0%/*}/child.part\" \"${0%/*}/child\"; wait; sleep 1000";

fn asking(room: &Room, args: &[&str]) -> Command {
    let mut command = program(args);
    command.env("WATCHKEEPER_Z3", room.arg("z3")).env("WATCHKEEPER_CVC5", "/nowhere/cvc5");
    command
}

/// Whether a process ends that was killed a moment ago; it may not have been waited for yet.
fn ends(id: &str) -> bool {
    let status = Path::new("/proc").join(id.trim()).join("stat");
    let begun = Instant::now();
    loop {
        match std::fs::read_to_string(&status) {
            Ok(stat) if !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z') => {}
            _ => return true,
        }
        if begun.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_solver_that_ignores_its_limit_is_paid_for_once_and_leaves_nothing_behind() {
    let room = Room::new("prove-deaf");
    fake(&room, DEAF);
    let args = ["prove", "binary-corrected", "--solver", "z3", "--limit", "10ms"];
    let said = said(&mut asking(&room, &args));
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    assert!(!said.out.contains("PROVEN"), "{}", said.out);
    let told = said.out.matches("does not keep its time limit").count();
    let theorems = said.out.matches("UNKNOWN: binary-corrected ").count();
    assert!(theorems >= 3 && told == theorems, "{}", said.out);
    assert_eq!(room.read("starts").lines().count(), 1, "it was asked again:\n{}", said.out);
    assert!(ends(&room.read("child")), "it is left behind");
}

#[test]
fn whoever_says_unsat_to_everything_proves_nothing() {
    let room = Room::new("prove-unsat");
    fake(
        &room,
        "while read -r line; do case \"$line\" in\n*'(check-sat)'*) echo unsat;;\n\
         *echo*) line=${line#*\\\"}; echo \"${line%%\\\"*}\";;\nesac; done",
    );
    for args in [
        &["prove", "binary", "R1", "--invariant", "true", "--solver", "z3"][..],
        &["prove", "binary", "R1", "--solver", "z3", "--timeout", "2s"],
        &["prove", "binary", "R1", "--engine", "k-induction", "--solver", "z3"],
        &["prove", "binary", "R1-fails", "--solver", "z3"],
    ] {
        let said = said(&mut asking(&room, args));
        assert_eq!(said.code, 153, "{args:?}: {}{}", said.out, said.err);
        assert!(!said.out.contains("PROVEN") && !said.out.contains("REFUTED"), "{args:?}: {}", said.out);
    }
}

#[test]
fn whoever_ends_the_program_ends_its_solvers() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let room = Room::new(&format!("prove-ended{signal}"));
        fake(&room, DEAF);
        let mut command = asking(&room, &["prove", "binary-corrected", "--solver", "z3", "--limit", "10min"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let begun = Instant::now();
        while !room.path("child").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the solver is never asked");
            std::thread::sleep(Duration::from_millis(2));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(153), "{signal}: {text}");
        assert!(text.contains("; interrupted"), "{signal}: {text}");
        assert!(ends(&room.read("child")), "{signal}: the solver is left behind");
    }
}
