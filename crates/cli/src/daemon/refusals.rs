//! Tells the log of datagrams that were refused: a wrong key or an unknown sender shows nowhere else. However many
//! there are, each reason has one line now and then.

use super::log::{Log, LogLine};
use crate::node_file::LogLevel;
use serde_json::json;
use std::time::{Duration, Instant};
use watchkeeper_runtime::Counters;
use watchkeeper_runtime::wire::DatagramRefusal;

/// How long after one line about a reason the next one may come.
const QUIET: Duration = Duration::from_secs(60);

const REASONS: usize = DatagramRefusal::ALL.len();

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    told: [u64; REASONS],
    at: [Option<Instant>; REASONS],
}

impl Refusals {
    /// Tells of what was refused since a line about it was written, unless that was a moment ago.
    pub(super) fn look(&mut self, counters: &Counters, log: &Log) {
        self.tell(counters, log, QUIET);
    }

    /// Tells of what was not told yet.
    pub(super) fn look_again(&mut self, counters: &Counters, log: &Log) {
        self.tell(counters, log, Duration::ZERO);
    }

    fn tell(&mut self, counters: &Counters, log: &Log, quiet: Duration) {
        for &refusal in DatagramRefusal::ALL {
            let (i, total) = (refusal.index(), counters.refused(refusal));
            let may = self.at[i].is_none_or(|at| at.elapsed() >= quiet);
            if total > self.told[i] && may {
                log.write(line(refusal, total - self.told[i], total));
                (self.told[i], self.at[i]) = (total, Some(Instant::now()));
            }
        }
    }
}

fn line(refusal: DatagramRefusal, count: u64, total: u64) -> LogLine {
    // These come with every restart of a node, and with every network that repeats itself.
    let usual = [
        DatagramRefusal::StaleIncarnation,
        DatagramRefusal::Unfamiliar,
        DatagramRefusal::Replayed,
        DatagramRefusal::TooOld,
    ];
    let level = if usual.contains(&refusal) { LogLevel::Info } else { LogLevel::Warn };
    let were = if count == 1 { "datagram was" } else { "datagrams were" };
    let message = format!("{count} {were} refused ({refusal}). {}", refusal.about());
    LogLine::new(level, "refused", message)
        .with("reason", json!(refusal.name()))
        .with("count", json!(count))
        .with("total", json!(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_to_compare() {
        let LogLine { level, message, fields, .. } = line(DatagramRefusal::Forged, 2, 5);
        assert_eq!(level, LogLevel::Warn);
        assert_eq!(
            message,
            "2 datagrams were refused (forged). It was not sealed with the key it names, or changed on its way: \
             compare the keys."
        );
        assert_eq!(fields, [("reason", json!("forged")), ("count", json!(2)), ("total", json!(5))]);
        assert_eq!(line(DatagramRefusal::Unfamiliar, 1, 1).level, LogLevel::Info);
    }
}
