//! The signals that a daemon listens to: SIGTERM and SIGINT end it, SIGHUP has it read its keys again.

use std::fmt;
use std::io;
use tokio::signal::unix::{self, SignalKind};
use watchkeeper_logic::ExitCode;

/// What somebody asks of the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    Terminate,
    Interrupt,
    Hangup,
}

impl Signal {
    /// The exit code of a process that this signal has ended at once, as shells know it.
    pub(super) fn exit_code(self) -> ExitCode {
        match self {
            Signal::Terminate => ExitCode(128 + 15),
            Signal::Interrupt => ExitCode(128 + 2),
            Signal::Hangup => ExitCode(128 + 1),
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Terminate => "SIGTERM",
            Signal::Interrupt => "SIGINT",
            Signal::Hangup => "SIGHUP",
        })
    }
}

/// The signals from now on.
pub(super) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hangup: unix::Signal,
}

impl Signals {
    /// Begins to listen.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: unix::signal(SignalKind::terminate())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            hangup: unix::signal(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.hangup.recv() => Signal::Hangup,
        }
    }
}
