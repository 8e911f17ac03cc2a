//! Node files. All that is wrong is told at once, so that the number of problems is limited by the file, and each is short.

use crate::program::PROGRAM;
use crate::quoting::{printable, short, text};
use watchkeeper_cli::hostile::node;

/// A file describes a node or is refused, and whichever it is, twice the same.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let found = node(&PROGRAM, text);
    match &found {
        Ok(_) => {
            let spaced = format!("# a remark\n\n{text}\n\n");
            assert_eq!(node(&PROGRAM, &spaced), found, "a remark makes no difference");
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a word");
            assert!(problems.len() <= 20 + text.len(), "{} problems in {} bytes", problems.len(), text.len());
            problems.iter().for_each(|why| {
                short(why);
                printable(why);
            });
        }
    }
}
