//! How an error may look. Whoever reads it wrote the input, or did not: it is no use to get megabytes of it back, and a
//! terminal must not obey it.

/// The longest error, in characters: what is wrong, a line of the input with a mark below, and what there is to choose from.
const LONGEST: usize = 4_000;

/// An error quotes at most a short piece of the input.
pub(crate) fn short(shown: &str) {
    let len = shown.chars().count();
    assert!(len <= LONGEST, "an error of {len} characters: {shown:.400}");
}

/// What is said of an input is not much longer than the input. For libraries, whose callers shorten what they show.
pub(crate) fn proportional(shown: &str, input: &str) {
    let most = LONGEST + 2 * input.len();
    assert!(shown.len() <= most, "{} bytes for {}: {shown:.400}", shown.len(), input.len());
}

/// A text has nothing in it that a terminal would obey.
pub(crate) fn printable(shown: &str) {
    let control = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    assert_eq!(shown.chars().find(control), None, "{shown:.400?}");
}

/// The text that an input is, as a program reads it from a file.
pub(crate) fn text(input: &[u8]) -> Option<&str> {
    std::str::from_utf8(input).ok()
}
