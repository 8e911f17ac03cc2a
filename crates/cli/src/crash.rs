//! The last resort: a panic anywhere becomes a message and an exit code. It never hides one; it only
//! keeps a user from being left with a stack trace and an exit code that means something else.

use crate::fleet;
use crate::outputs::to_stderr;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use watchkeeper_logic::ExitCode;

/// Does some work; a panic in it, on any thread that it waits for, becomes [`ExitCode::INTERNAL`].
pub(crate) fn guard(work: impl FnOnce() -> ExitCode) -> ExitCode {
    // Several threads may break at once. The first one is the reason.
    let told = AtomicBool::new(false);
    let usual = Arc::new(panic::take_hook());
    let before = Arc::clone(&usual);
    panic::set_hook(Box::new(move |info| {
        if watchkeeper_fleet::is_connection() {
            // A worker of the search is lost, and no round would ever end. The supervisor says so, and begins again.
            return fleet::lost();
        }
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            usual(info);
        }
        if !told.swap(true, Ordering::Relaxed) {
            to_stderr(&message(info));
        }
    }));
    let code = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(ExitCode::INTERNAL);
    panic::set_hook(Box::new(move |info| before(info)));
    code
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let what = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let place = info.location().map(|place| format!(" ({}, line {})", place.file(), place.line()));
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    format!(
        "\ninternal error: {what}{}\n  No verdict is given. If the place above is in a protocol of your own, \
         its code panicked.\n  If not, this is a mistake in this program: please report it with this \
         command line:\n    {}\n  RUST_BACKTRACE=1 shows the way to the place.\n",
        place.unwrap_or_default(),
        arguments.join(" "),
    )
}
