//! What the verifier prints, and the Promela text against known counts. Where Spin is not installed the latter
//! say so and pass.

use super::*;
use crate::known::{AT_START, BLOCKING_LEVELS};
use crate::scratch::Scratch;

const END: &str = "
State-vector 24 byte, depth reached 2427, errors: 0
     9000 states, stored
    23536 states, matched
    32536 transitions (= stored+matched)
        0 atomic steps
";

/// A verifier and where it lives, or nothing without Spin.
fn verifier(settings: &[&str], flags: &[&str]) -> Option<(PathBuf, Scratch)> {
    if !installed() {
        eprintln!("Spin is not installed: nothing was tested");
        return None;
    }
    let scratch = Scratch::create().unwrap();
    let settings: Vec<_> = settings.iter().map(|word| word.to_string()).collect();
    Some((compile(&settings, flags, scratch.path()).unwrap(), scratch))
}

fn verify(verifier: &Path, scratch: &Scratch, depth: usize) -> Verified {
    let mut command = Command::new(verifier);
    command.arg(format!("-m{depth}")).current_dir(scratch.path());
    parse("pan", &child::measure(&mut command, scratch.path()).unwrap().output).unwrap()
}

#[test]
fn the_end_of_a_search_is_understood() {
    let expected = Verified { states: 9000, transitions: 32535, depth: 2427, truncated: false, errors: 0 };
    assert_eq!(parse("pan", END).unwrap(), expected);
    assert!(parse("pan", &format!("error: max search depth too small\n{END}")).unwrap().truncated);
}

#[test]
fn a_rounded_or_missing_count_is_refused() {
    let rounded = END.replace("     9000 states, stored", "1.0037656e+08 states, stored");
    assert!(parse("pan", &rounded).unwrap_err().to_string().contains("not an exact count"));
    assert!(parse("pan", "pan: out of memory").is_err());
}

#[test]
fn crashed_from_the_start() {
    for (buffer, states, transitions) in AT_START {
        let setting = format!("-DB={buffer}");
        let Some((pan, scratch)) = verifier(&[&setting], &COMPILER_FLAGS) else { return };
        let found = verify(&pan, &scratch, 200_000);
        assert_eq!((found.states, found.transitions), (states, transitions), "buffer {buffer}");
        assert_eq!((found.truncated, found.errors), (false, 0), "buffer {buffer}");
    }
}

#[test]
fn blocking_levels() {
    let flags: Vec<_> = COMPILER_FLAGS.iter().copied().chain(["-DBFS"]).collect();
    let Some((pan, scratch)) = verifier(&["-DBLOCK", "-DANY_TIME"], &flags) else { return };
    for (level, &states) in BLOCKING_LEVELS.iter().enumerate().skip(1) {
        assert_eq!(verify(&pan, &scratch, level).states, states, "level {level}");
    }
}
