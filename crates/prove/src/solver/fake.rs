//! Solvers that are not: shell scripts that do what no solver should, for tests alone.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

use super::{Backend, Solver, TimeLimitRecord};

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A directory with a program in it, both gone when this is dropped.
pub struct Fake {
    pub directory: PathBuf,
    pub program: PathBuf,
}

impl Fake {
    /// A program that runs these shell commands.
    pub fn new(commands: &str) -> Fake {
        Fake::named("solver", commands)
    }

    /// The same under a name.
    pub fn named(name: &str, commands: &str) -> Fake {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = env::temp_dir().join(format!("watchkeeper-fake-{}-{number}", process::id()));
        fs::create_dir(&directory).unwrap();
        let program = directory.join(name);
        // Another process writes the file: as long as this one had it open, a process that a test beside this one starts
        // could inherit that, and then the file could not be executed.
        let mut writer = Command::new("sh");
        writer.args(["-c", "cat >\"$0\" && chmod +x \"$0\""]).arg(&program).stdin(Stdio::piped());
        let mut writer = writer.spawn().unwrap();
        writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{commands}\n").as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        Fake { directory, program }
    }

    /// It, taken for a solver.
    pub fn solver(&self, backend: Backend) -> Solver {
        let (path, version) = (self.program.clone(), "0".to_string());
        Solver { backend, path, version, conduct: TimeLimitRecord::default() }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
