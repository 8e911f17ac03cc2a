//! Runs the real program, and gives each test a directory of its own.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the program said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The program with these arguments, in an environment that says nothing about it.
pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_watchkeeper"));
    for variable in ["WORKERS", "MAX_MEMORY", "TIMEOUT", "SEED", "TIME"] {
        command.env_remove(format!("WATCHKEEPER_{variable}"));
    }
    command.args(args);
    command
}

/// What the program says to these arguments.
pub fn watchkeeper(args: &[&str]) -> Said {
    said(&mut program(args))
}

/// What a program says.
pub fn said(command: &mut Command) -> Said {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

/// A directory that is removed with its owner.
pub struct Room(PathBuf);

impl Room {
    /// An empty directory; `name` must be the test's own.
    pub fn new(name: &str) -> Room {
        let path = std::env::temp_dir().join(format!("watchkeeper-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Room(path)
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file in it, as an argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A file in it with this content, as an argument.
    pub fn file(&self, name: &str, content: &str) -> String {
        std::fs::write(self.path(name), content).expect("written");
        self.arg(name)
    }

    /// The content of a file in it.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect(name)
    }

    /// The names of the files in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the directory").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl AsRef<Path> for Room {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
