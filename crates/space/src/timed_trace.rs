//! A run with the windows of its steps: when each may happen, and why a time that somebody wants is impossible. Moments are
//! exact rational numbers, written as people write them; nothing here computes with them.

use crate::{Mismatch, Trace};
use std::fmt;
use thiserror::Error;

/// A run, and when its steps may happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedTrace {
    /// The run; each step has a time.
    pub trace: Trace,
    /// For each step the window in which it can be moved.
    pub windows: Vec<TimeWindow>,
}

/// The moments at which one step of a run may happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeWindow {
    /// The moment at which it happens in the trace; in a refusal the moment that was asked for.
    pub at: String,
    /// Not before this moment.
    pub least: String,
    /// Whether it is later than that, by however little.
    pub least_is_open: bool,
    /// Not after this moment; `None` if there is no last one.
    pub most: Option<String>,
    /// Whether it is earlier than that, by however little.
    pub most_is_open: bool,
}

/// Why a run does not have the times that were picked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TimesRefused {
    /// The path is no run.
    #[error(transparent)]
    Path(#[from] Mismatch),
    /// There is no such step.
    #[error("there is no step {step}: the run has steps 1 to {steps}")]
    NoStep {
        /// The step that was picked.
        step: usize,
        /// How many there are.
        steps: usize,
    },
    /// The moment is no number.
    #[error("step {step} cannot happen at {numerator}/{denominator}: the denominator must be above 0")]
    NoMoment {
        /// The step that was picked.
        step: usize,
        /// The numerator of its moment.
        numerator: i64,
        /// The denominator of its moment.
        denominator: i64,
    },
    /// The moment is outside the window that the picks before it leave to the step.
    #[error("step {step} cannot happen at {}: {window}; pick a moment there, or move the steps that are picked", window.at)]
    Outside {
        /// The first step that cannot be where it was picked.
        step: usize,
        /// The moments at which it can happen.
        window: TimeWindow,
    },
    /// The moment has too large a numerator or denominator for exact numbers.
    #[error(
        "the moment of step {step} is too fine or too large: pick a fraction with a denominator of at most 1000"
    )]
    TooFine {
        /// The step that was picked.
        step: usize,
    },
    /// The times of the run do not fit into exact numbers.
    #[error("the run is too long for exact times: look at a shorter one, or count in coarser units of time")]
    TooLong,
}

impl fmt::Display for TimeWindow {
    /// The window in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = &self.least;
        let from = if self.least_is_open { "after" } else { "from" };
        match &self.most {
            Some(most) if most == least => write!(f, "it happens at {most}"),
            Some(most) if self.most_is_open => write!(f, "it happens {from} {least} and before {most}"),
            Some(most) => write!(f, "it happens {from} {least} to {most}"),
            None => write!(f, "it happens {from} {least} on"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_possible() {
        let mut window = TimeWindow {
            at: "26".to_string(),
            least: "20".to_string(),
            least_is_open: true,
            most: Some("25".to_string()),
            most_is_open: false,
        };
        let refused = TimesRefused::Outside { step: 4, window: window.clone() };
        assert_eq!(
            refused.to_string(),
            "step 4 cannot happen at 26: it happens after 20 to 25; pick a moment there, or move the steps that are picked"
        );
        window.most_is_open = true;
        assert_eq!(window.to_string(), "it happens after 20 and before 25");
        (window.most, window.most_is_open, window.least_is_open) = (None, false, false);
        assert_eq!(window.to_string(), "it happens from 20 on");
        window.most = Some("20".to_string());
        assert_eq!(window.to_string(), "it happens at 20");
    }
}
