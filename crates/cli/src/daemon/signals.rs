//! The signals that a daemon listens to: SIGTERM and SIGINT end it, SIGHUP has it read its keys again. One that was
//! ignored when it started, as SIGHUP is under `nohup`, stays ignored.

use crate::interrupt::is_ignored;
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
    terminate: Option<unix::Signal>,
    interrupt: Option<unix::Signal>,
    hangup: Option<unix::Signal>,
}

impl Signals {
    /// Begins to listen.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: of(SignalKind::terminate())?,
            interrupt: of(SignalKind::interrupt())?,
            hangup: of(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            () = coming(&mut self.terminate) => Signal::Terminate,
            () = coming(&mut self.interrupt) => Signal::Interrupt,
            () = coming(&mut self.hangup) => Signal::Hangup,
        }
    }
}

/// A signal to listen to, unless it is ignored.
fn of(kind: SignalKind) -> io::Result<Option<unix::Signal>> {
    if is_ignored(kind.as_raw_value()) { Ok(None) } else { unix::signal(kind).map(Some) }
}

async fn coming(signal: &mut Option<unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
