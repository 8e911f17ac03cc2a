//! The line that shows how far a search is. It keeps its width while the figures grow, so that a
//! terminal can redraw it in place.

use crate::numbers::{bytes, rate, thousands};

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProgressFigures {
    /// Distinct states so far.
    pub distinct_states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// The depth that is being expanded.
    pub depth: u64,
    /// States that are known and wait to be expanded.
    pub queue: u64,
    /// Bytes held.
    pub bytes: u64,
    /// Since the start.
    pub seconds: f64,
    /// Distinct states a second, lately.
    pub rate: f64,
}

/// One line, without a line break. Its columns stand still up to 9,999,999,999 states, and it fits into
/// 100 columns until then.
pub fn progress_line(figures: &ProgressFigures) -> String {
    let whole = if figures.seconds.is_finite() { figures.seconds.max(0.0) as u64 } else { 0 };
    let clock = format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    format!(
        "{clock:>8}  {:>13} states  {:>8}  depth {:>5}  queue {:>11}  {:>6}/s  {:>10}",
        thousands(figures.distinct_states),
        format!("{} tr", rate(figures.transitions as f64).replace(' ', "")),
        thousands(figures.depth),
        thousands(figures.queue),
        rate(figures.rate),
        bytes(figures.bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_does_not_change() {
        let late = ProgressFigures {
            distinct_states: 9_876_543_210,
            transitions: 19_876_543_210,
            depth: 7_654,
            queue: 987_654_321,
            bytes: 987 << 30,
            seconds: 35_999.9,
            rate: 12_345_678.0,
        };
        let line = progress_line(&late);
        assert_eq!(
            line,
            " 9:59:59  9,876,543,210 states  19.9G tr  depth 7,654  queue 987,654,321  12.3 M/s   987.0 GiB"
        );
        assert_eq!(progress_line(&ProgressFigures::default()).len(), line.len());
        assert!(line.len() <= 100);
        for seconds in [f64::NAN, -5.0, 59.0] {
            let odd = ProgressFigures { seconds, rate: f64::NAN, ..late };
            assert_eq!(progress_line(&odd).len(), line.len());
        }
    }
}
