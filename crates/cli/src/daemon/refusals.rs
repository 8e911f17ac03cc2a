//! Tells the log of datagrams that were refused: a wrong key or an unknown sender shows nowhere else. However many
//! there are, each reason has one line now and then.

use std::time::{Duration, Instant};
use tracing::{info, warn};
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
    pub(super) fn look(&mut self, counters: &Counters) {
        self.tell(counters, QUIET);
    }

    /// Tells of what was not told yet.
    pub(super) fn look_again(&mut self, counters: &Counters) {
        self.tell(counters, Duration::ZERO);
    }

    fn tell(&mut self, counters: &Counters, quiet: Duration) {
        for &refusal in DatagramRefusal::ALL {
            let (i, total) = (refusal.index(), counters.refused(refusal));
            let may = self.at[i].is_none_or(|at| at.elapsed() >= quiet);
            if total > self.told[i] && may {
                tell(refusal, total - self.told[i], total);
                (self.told[i], self.at[i]) = (total, Some(Instant::now()));
            }
        }
    }
}

fn tell(refusal: DatagramRefusal, count: u64, total: u64) {
    // These come with every restart of a node, and with every network that repeats itself.
    let usual = [DatagramRefusal::Unfamiliar, DatagramRefusal::Replayed, DatagramRefusal::TooOld];
    let were = if count == 1 { "datagram was" } else { "datagrams were" };
    let (reason, about) = (refusal.name(), refusal.about());
    if usual.contains(&refusal) {
        info!(event = "refused", reason, count, total, "{count} {were} refused ({reason}). {about}");
    } else {
        warn!(event = "refused", reason, count, total, "{count} {were} refused ({reason}). {about}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::log::captured;

    #[test]
    fn a_line_says_what_to_compare() {
        let told = captured(|| {
            tell(DatagramRefusal::Forged, 2, 5);
            tell(DatagramRefusal::Unfamiliar, 1, 1);
        });
        assert_eq!(
            told[0],
            "WARN  p1 refused: 2 datagrams were refused (forged). It was not sealed with the key it names, or changed on \
             its way: compare the keys.  reason=forged count=2 total=5"
        );
        assert!(told[1].starts_with("INFO  p1 refused: 1 datagram was refused (unfamiliar)."), "{told:?}");
    }
}
