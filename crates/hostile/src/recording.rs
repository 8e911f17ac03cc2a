//! Recordings of runs, read and held against the model that they say they are of.

use crate::program::PROGRAM;
use crate::quoting::{printable, short};
use watchkeeper_cli::hostile::{ReplayOutcome, recording};

/// Longer ones are read and not replayed.
const STEPS: usize = 40;

/// A recording is replayed, or refused in a few lines. Only a last line without an end may be left out, with a warning; empty
/// lines say nothing.
pub(crate) fn attack(input: &[u8]) {
    let found = recording(&PROGRAM, input, STEPS);
    let lines = input.split(|byte| *byte == b'\n').count();
    match &found {
        ReplayOutcome::Refused(why) => {
            short(why);
            printable(why);
        }
        ReplayOutcome::Read(steps, warnings, why) => {
            assert!(*steps < lines && warnings.len() <= 1);
            short(why);
            printable(why);
        }
        ReplayOutcome::Replayed(steps, warnings) => assert!(*steps < lines && warnings.len() <= 1),
    }
    if !matches!(found, ReplayOutcome::Refused(_)) && input.ends_with(b"\n") {
        let mut spaced = input.to_vec();
        spaced.extend_from_slice(b"  \n\n");
        assert_eq!(recording(&PROGRAM, &spaced, STEPS), found, "empty lines make no difference");
    }
}
