//! Conditions on parameters, as people write them for regions.

use crate::quoting::{short, text};
use watchkeeper_regions::{Condition, ConditionError};

/// Parameters with plain names and one with a hyphen.
const PARAMETERS: [&str; 5] = ["tmin", "tmax", "a", "b", "max-delta"];

/// What is read prints as a condition that is read and prints as the same; an error is short.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let parameters = PARAMETERS.map(String::from);
    let condition = match Condition::parse(text, &parameters) {
        Ok(condition) => condition,
        Err(error) => return short(&error.to_string()),
    };
    let shown = condition.text(&parameters);
    match Condition::parse(&shown, &parameters) {
        Ok(again) => assert_eq!(again.text(&parameters), shown),
        // Parentheses are multiplied out, so that what was short may be longer than a condition may be.
        Err(error) => assert_eq!(error, ConditionError::TooLarge, "{shown:.1000}"),
    }
}
