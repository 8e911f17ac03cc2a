//! Choices that a case offers, by the names under which a user asks for them.

use std::fmt;

/// A name that nothing has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// What was given.
    pub given: String,
    /// What there is.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { what, given, known } = self;
        write!(f, "there is no {what} `{given}`: choose one of {}", known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// The choice with this name.
pub(crate) fn named<T: Copy>(
    what: &'static str,
    given: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    all.iter().copied().find(|&choice| name(choice) == given).ok_or_else(|| UnknownName {
        what,
        given: given.to_string(),
        known: all.iter().map(|&choice| name(choice)).collect(),
    })
}
