//! Ctrl-C. The first asks the search to end with a summary; the second ends the process at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use watchkeeper_logic::ExitCode;

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// Begins to listen. Where that is not possible, Ctrl-C ends the process as it always did.
pub(crate) fn listen() {
    LISTENING.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(ExitCode::UNKNOWN.0));
            }
        });
    });
}

/// Whether the user has asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
