//! Errors of choices that no case offers: a name that nothing has, and a number out of its range.

use strum::VariantNames;

/// A name that nothing has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no `{given}`: choose one of {}", .known.join(", "))]
pub struct UnknownName {
    /// The name that was given.
    pub given: String,
    /// The names that exist.
    pub known: &'static [&'static str],
}

impl UnknownName {
    /// The error of a name that no variant has.
    pub(crate) fn among<T: VariantNames>(given: &str) -> UnknownName {
        UnknownName { given: given.to_string(), known: T::VARIANTS }
    }
}

/// A parameter of a case that is out of its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a {parameter} of {given} is not possible: give {least} to {most}")]
pub struct OutOfRange {
    /// The parameter, by the name of its flag.
    pub parameter: &'static str,
    /// The number that was given.
    pub given: u32,
    /// The smallest possible number.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl OutOfRange {
    /// The number, if it lies in its range.
    pub(crate) fn check(
        parameter: &'static str,
        given: u32,
        least: u32,
        most: u32,
    ) -> Result<u32, OutOfRange> {
        let error = OutOfRange { parameter, given, least, most };
        (least..=most).contains(&given).then_some(given).ok_or(error)
    }
}
