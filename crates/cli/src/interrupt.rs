//! Signals that ask the program to end: Ctrl-C, SIGTERM, and SIGHUP of a terminal that has gone. Where a search can
//! end with a summary the first only asks, and the second ends the process; elsewhere the first ends it. Either way
//! no half-written file stays behind. A signal that was ignored when the program started, as `nohup` and shells do
//! for what they put into the background, stays ignored.

use crate::outputs;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Once};
use watchkeeper_logic::ExitCode;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static LISTENING: Once = Once::new();

/// What the first signal does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FirstSignal {
    /// It asks, and whoever looks at [`asked`] ends in good order.
    Asks,
    /// It ends the process: nobody looks, and nothing would be told.
    Ends,
}

/// Begins to listen. Where that is not possible, a signal ends the process as it always did.
pub(crate) fn listen(first: FirstSignal) {
    LISTENING.call_once(|| {
        // A limit on the size of files is then the error of a write, and does not end the process.
        let _ = flag::register(SIGXFSZ, Arc::default());
        let signals: Vec<c_int> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)).collect();
        // A thread can clean up. Without room for one, or for what wakes it, there is still a flag.
        if on_a_thread(first, &signals).is_err() {
            let _ = by_flag(first, &signals);
        }
    });
}

/// Whether the user has asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Whether this process ignores a signal, by what the system says; `false` where it says nothing.
pub(crate) fn is_ignored(signal: c_int) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

fn on_a_thread(first: FirstSignal, signals: &[c_int]) -> io::Result<()> {
    let mut coming = Signals::new(signals)?;
    let listen = move || {
        for _ in &mut coming {
            // A solver has a process group of its own, so the terminal does not interrupt it.
            watchkeeper_prove::solver::stop_all();
            if first == FirstSignal::Ends || ASKED.swap(true, Ordering::Relaxed) {
                outputs::abandon();
                std::process::exit(i32::from(ExitCode::UNKNOWN.0));
            }
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(listen).map(drop)
}

fn by_flag(first: FirstSignal, signals: &[c_int]) -> io::Result<()> {
    let code = i32::from(ExitCode::UNKNOWN.0);
    for &signal in signals {
        match first {
            // In this order: the flag that the first one sets is what the second one finds.
            FirstSignal::Asks => {
                flag::register_conditional_shutdown(signal, code, Arc::clone(&ASKED))?;
                flag::register(signal, Arc::clone(&ASKED))?;
            }
            FirstSignal::Ends => {
                flag::register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))?;
            }
        }
    }
    Ok(())
}

/// Whether a process with this status ignores a signal.
fn ignores(status: &str, signal: c_int) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64).contains(&signal) && mask & (1 << (signal - 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_read_from_the_mask() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001003\nSigCgt:\t0\n";
        assert_eq!([SIGHUP, SIGINT, SIGTERM].map(|signal| ignores(status, signal)), [true, true, false]);
        assert!(ignores(status, 13) && !ignores(status, 0) && !ignores(status, 65));
        assert!(!ignores("", SIGHUP) && !ignores("SigIgn:\tnone\n", SIGHUP));
    }
}
