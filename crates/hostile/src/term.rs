//! Terms of `prove`, as people write them in properties and invariants.

use crate::certificate::KNOWN;
use crate::quoting::{short, text};
use watchkeeper_prove::{System, term};

/// What is read prints as a term that is read as the same. A system that knows some of the names either takes it as a
/// formula or says why not; neither is long.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let system = &KNOWN.system;
    match term(text) {
        Ok(read) => {
            let shown = read.to_string();
            // A formula is shown with parentheses and full names, never with something copied into it twice.
            assert!(shown.len() <= 1_000 + 16 * text.len(), "{} bytes of {}", shown.len(), text.len());
            match term(&shown) {
                Ok(again) => assert_eq!(again, read, "{shown}"),
                Err(error) => panic!("{text}\nis shown as {shown}\nand then: {error}"),
            }
            same_to_a_system(system, text, &shown);
        }
        Err(error) => {
            assert!(error.at <= text.chars().count(), "{error:?}");
            short(&error.to_string());
            let refused = system.formula(text).expect_err("no term, no formula");
            short(&refused.to_string());
        }
    }
}

/// What a system makes of a text, it makes of the same term shown in other words.
fn same_to_a_system(system: &System, text: &str, shown: &str) {
    match (system.formula(text), system.formula(shown)) {
        (Ok(one), Ok(other)) => assert_eq!(one, other, "{shown}"),
        (Err(error), Err(_)) => short(&error.to_string()),
        (one, other) => panic!("{text}\n{one:?}\n{shown}\n{other:?}"),
    }
}
