//! Traces of delays and losses, and the words for a network, as `measure` reads them.

use crate::quoting::{short, text};
use watchkeeper_cli::hostile::{network, trace};

/// Empty lines make no difference to a trace, and a network is refused shortly or taken.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    if let Some(words) = text.strip_prefix('?') {
        network(words).unwrap_or_else(|error| short(&error));
        return;
    }
    match trace(text) {
        Ok(read) => {
            let (header, rest) = text.split_once('\n').unwrap_or((text, ""));
            assert_eq!(trace(&format!("{header}\n\n{rest}\n\n")), Ok(read));
        }
        Err(error) => short(&error),
    }
}
