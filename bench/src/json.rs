//! Reading the counts that checkers hand over as JSON, with an error that names the command they came from.

use crate::failure::Failure;
use serde_json::Value;

/// The JSON value that `command` wrote.
pub fn parse(command: &str, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|e| Failure::command(command, format!("its JSON cannot be read: {e}")))
}

/// The whole number in `field`.
pub fn count(command: &str, value: &Value, field: &str) -> Result<u64, Failure> {
    value[field]
        .as_u64()
        .ok_or_else(|| Failure::command(command, format!("its JSON has no whole number `{field}`")))
}
