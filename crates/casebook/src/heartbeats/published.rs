//! Tables 3.1 and 3.2 of the thesis, and what is verified of each cell today. Printed figures are data and
//! never enter a search.

use watchkeeper_protocols::heartbeat::{HeartbeatRequirement, HeartbeatVariant};

/// The pairs of tmin and tmax in both tables.
pub const PAIRS: [(u32, u32); 5] = [(1, 10), (4, 10), (5, 10), (9, 10), (10, 10)];

/// Five verdicts, one for each pair of [`PAIRS`].
type Row = [bool; 5];

const T: bool = true;
const F: bool = false;

/// The row of a table for a requirement.
const fn row(variant: HeartbeatVariant, requirement: HeartbeatRequirement) -> Row {
    match (requirement, variant.expects_joins()) {
        (HeartbeatRequirement::R1, _) => [F, F, F, T, T],
        (HeartbeatRequirement::R2, false) => [T, T, T, T, F],
        (HeartbeatRequirement::R2, true) => [T, T, F, F, F],
        (HeartbeatRequirement::R3, _) => [T, T, T, T, F],
    }
}

/// Whether a requirement holds by the thesis, for a pair of [`PAIRS`]; `None` if it says nothing. It leaves out R1 and R3 of the two-phase protocol, because
/// the end of p0 is open there. Of the corrected protocols section 3.6 says that every requirement holds.
pub fn printed(
    variant: HeartbeatVariant,
    requirement: HeartbeatRequirement,
    pair: (u32, u32),
    corrected: bool,
) -> Option<bool> {
    let open = variant == HeartbeatVariant::TwoPhase && requirement != HeartbeatRequirement::R2;
    if open { None } else { expected(variant, requirement, pair, corrected) }
}

/// Whether a requirement was verified here for a pair of [`PAIRS`], and must not change unnoticed. Where the thesis reports
/// something, it is that; R1 and R3 of the two-phase protocol were measured, with the end of p0 that
/// [`Heartbeat`](watchkeeper_protocols::heartbeat::Heartbeat) has.
pub fn expected(
    variant: HeartbeatVariant,
    requirement: HeartbeatRequirement,
    pair: (u32, u32),
    corrected: bool,
) -> Option<bool> {
    let column = PAIRS.iter().position(|known| *known == pair)?;
    Some(corrected || row(variant, requirement)[column])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heartbeats::table::letter;

    #[test]
    fn the_tables_are_those_of_the_thesis() {
        let line = |variant, requirement| {
            let letters = PAIRS.map(|pair| letter(printed(variant, requirement, pair, false), "-"));
            letters.join(" ")
        };
        for variant in [HeartbeatVariant::Binary, HeartbeatVariant::Revised, HeartbeatVariant::Static] {
            assert_eq!(line(variant, HeartbeatRequirement::R1), "F F F T T");
            assert_eq!(line(variant, HeartbeatRequirement::R2), "T T T T F");
            assert_eq!(line(variant, HeartbeatRequirement::R3), "T T T T F");
        }
        for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
            assert_eq!(line(variant, HeartbeatRequirement::R1), "F F F T T");
            assert_eq!(line(variant, HeartbeatRequirement::R2), "T T F F F");
            assert_eq!(line(variant, HeartbeatRequirement::R3), "T T T T F");
        }
        assert_eq!(line(HeartbeatVariant::TwoPhase, HeartbeatRequirement::R2), "T T T T F");
        let open = printed(HeartbeatVariant::TwoPhase, HeartbeatRequirement::R1, (1, 10), true);
        assert_eq!(open, None);
        assert_eq!(printed(HeartbeatVariant::Binary, HeartbeatRequirement::R1, (1, 10), true), Some(true));
        assert_eq!(expected(HeartbeatVariant::Binary, HeartbeatRequirement::R1, (2, 10), false), None);
    }
}
