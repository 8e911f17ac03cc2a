//! Figures in the form in which results show them, as text and as JSON. Nothing is computed here beyond a change
//! of unit.

use crate::peers::Run;
use serde_json::{Value, json};

/// One run with all that was measured.
pub fn run_json(run: &Run) -> Value {
    json!({
        "distinct_states": run.states,
        "transitions": run.transitions,
        "cpu_seconds": run.cpu,
        "wall_seconds": run.wall,
        "peak_bytes": run.peak,
    })
}

/// Bytes in MiB.
pub fn mebibytes(bytes: f64) -> f64 {
    bytes / 1024.0 / 1024.0
}

/// The number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(385_861_073), "385,861,073");
    }
}
