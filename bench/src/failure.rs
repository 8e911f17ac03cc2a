//! What can go wrong, in words for the person who typed the command. A failure never panics: it ends the run
//! with its message and its exit code.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a run ended without a result.
#[derive(Debug)]
pub enum Failure {
    /// The command line makes no sense.
    Usage(String),
    /// A tool is missing and could not be installed.
    Missing { tool: &'static str, advice: String },
    /// A command failed, or said something unexpected.
    Command { command: String, reason: String },
    /// A file could not be read or written.
    File { path: PathBuf, reason: String },
    /// The checkers do not agree, so they did not check the same model.
    Disagreement(String),
}

impl Failure {
    /// A failed command, with what it printed last.
    pub fn command(command: impl Into<String>, reason: impl Into<String>) -> Failure {
        Failure::Command { command: command.into(), reason: reason.into() }
    }

    /// An error of the file system.
    pub fn file(path: &Path, error: std::io::Error) -> Failure {
        Failure::File { path: path.to_owned(), reason: error.to_string() }
    }

    /// The exit code: 150 for bad input, 1 for everything else.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 150,
            _ => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(reason) => write!(f, "{reason}\nTry --help."),
            Failure::Missing { tool, advice } => write!(f, "{tool} is not available. {advice}"),
            Failure::Command { command, reason } => write!(f, "`{command}` failed: {reason}"),
            Failure::File { path, reason } => write!(f, "{}: {reason}", path.display()),
            Failure::Disagreement(counts) => {
                write!(f, "the checkers disagree, so no speed can be compared:\n{counts}")
            }
        }
    }
}
