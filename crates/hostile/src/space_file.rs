//! Files with state spaces in the Aldebaran format.

use crate::quoting::short;
use watchkeeper_lts::{Lts, read_aut, write_aut};

/// What is read is written and read with as many states; quotation marks and control characters in labels become others, so
/// only what was written before is written as the same again. An error is short.
pub(crate) fn attack(input: &[u8]) {
    let system = match read_aut(&mut &*input) {
        Ok(system) => system,
        Err(error) => return short(&error.to_string()),
    };
    let again = |system: &Lts| {
        let mut text = Vec::new();
        write_aut(system, &mut text).expect("memory takes everything");
        (read_aut(&mut &*text).expect("what was written can be read"), text)
    };
    let (plain, _) = again(&system);
    assert_eq!((plain.states(), plain.initial()), (system.states(), system.initial()));
    assert!(plain.transitions() <= system.transitions());
    let (same, text) = again(&plain);
    assert!(again(&same).1 == text, "what was read is written as the same");
}
