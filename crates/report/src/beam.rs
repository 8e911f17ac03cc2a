//! How much of each depth a beam saw, in words. A verdict of a beam is never told without it: what was left out may
//! hide what was looked for, and the states that only it leads to were not even found.

use crate::numbers::thousands;
use watchkeeper_logic::{BeamShare, StateUnit, Stats};

/// The most depths that a report lists one by one.
const FEW: usize = 8;

/// The line on the depth of which a beam saw least.
pub(crate) fn smallest(share: &BeamShare, unit: StateUnit) -> String {
    format!("{}, the smallest share of all depths", kept(share, unit))
}

/// The lines on what a beam kept; none for other searches.
pub(crate) fn figures(stats: &Stats) -> Vec<String> {
    if stats.level_kept.is_empty() {
        return Vec::new();
    }
    let narrowed: Vec<BeamShare> = stats.narrowed().collect();
    match stats.narrowest() {
        None => vec![format!("the beam left no {} out", stats.unit.noun())],
        Some(share) if narrowed.len() > FEW => vec![format!(
            "{}; the beam left {}s out at {} of {} depths, and `level_kept` of --json has them all",
            smallest(&share, stats.unit),
            stats.unit.noun(),
            thousands(narrowed.len() as u64),
            thousands(stats.level_kept.len() as u64),
        )],
        Some(_) => narrowed.iter().map(|share| kept(share, stats.unit)).collect(),
    }
}

fn kept(share: &BeamShare, unit: StateUnit) -> String {
    let BeamShare { depth, found, kept } = *share;
    format!(
        "kept {} of {} {}s at depth {} ({})",
        thousands(kept),
        thousands(found),
        unit.noun(),
        thousands(depth),
        percent(share)
    )
}

/// A share never reads as nothing or all, being neither.
fn percent(share: &BeamShare) -> String {
    match 100.0 * share.kept as f64 / (share.found as f64).max(1.0) {
        tiny if tiny < 0.1 && share.kept > 0 => "under 0.1 %".to_string(),
        huge if huge > 99.9 && share.kept < share.found => "over 99.9 %".to_string(),
        part => format!("{part:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(sizes: &[u64], kept: &[u64]) -> Stats {
        Stats { level_sizes: sizes.to_vec(), level_kept: kept.to_vec(), ..Stats::default() }
    }

    #[test]
    fn few_depths_are_listed() {
        let beam = stats(&[1, 900, 48_211, 2_000, 5], &[1, 900, 1_000, 1_000, 5]);
        assert_eq!(
            figures(&beam),
            [
                "kept 1,000 of 48,211 states at depth 2 (2.1 %)",
                "kept 1,000 of 2,000 states at depth 3 (50.0 %)"
            ]
        );
    }

    #[test]
    fn of_many_depths_the_smallest_share_is_told() {
        let sizes: Vec<u64> = (0..12).map(|depth| 10 + depth % 7).collect();
        let beam = stats(&sizes, &[10; 12]);
        assert_eq!(
            figures(&beam),
            [
                "kept 10 of 16 states at depth 6 (62.5 %), the smallest share of all depths; the beam left states out at \
              10 of 12 depths, and `level_kept` of --json has them all"
            ]
        );
    }

    #[test]
    fn nothing_left_out_is_said_and_other_searches_say_nothing() {
        assert_eq!(figures(&stats(&[1, 7, 3], &[1, 7, 3])), ["the beam left no state out"]);
        assert_eq!(figures(&stats(&[1, 7, 3], &[])), [""; 0]);
        let zones = Stats { unit: StateUnit::Zones, ..stats(&[1, 7], &[1, 7]) };
        assert_eq!(figures(&zones), ["the beam left no zone out"]);
    }

    #[test]
    fn a_share_is_neither_nothing_nor_all() {
        let percent = |kept, found| percent(&BeamShare { depth: 0, found, kept });
        assert_eq!(percent(1, 10_000), "under 0.1 %");
        assert_eq!(percent(9_999, 10_000), "over 99.9 %");
        assert_eq!(percent(1, 3), "33.3 %");
    }
}
