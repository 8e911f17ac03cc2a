//! How far a search has come, as the note of a commit: the depth, how many of its states were expanded in the order of the
//! journal, and what was counted until then.

use super::bytes::{put, put_list, take_list, take_word};
use crate::level_report::LevelReport;
use watchkeeper_logic::{PartialExpansion, Question};
use watchkeeper_space::Space;

/// How far a search has come.
pub(crate) struct Totals {
    /// The depth that is being expanded.
    pub depth: u64,
    /// How many of its states were expanded, in the order of the journal.
    pub done: u64,
    /// All states that were written.
    pub stored: u64,
    /// The sizes of the depths before it.
    pub level_sizes: Vec<u64>,
    /// What was counted at the depths before it.
    pub all: LevelReport,
    /// What was counted at this depth.
    pub part: LevelReport,
}

/// A depth beyond which no search comes, so that damage cannot ask for memory.
const DEEPEST: usize = 1 << 32;

/// The totals of a search at this depth, of whose states so many were expanded, and that has written so many: with the sizes
/// of the depths before it, and with what was counted there and here.
pub(crate) fn write_totals(numbers: [u64; 3], level_sizes: &[u64], reports: [&LevelReport; 2]) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.iter().chain(level_sizes).for_each(|&number| put(number.into(), &mut out));
    reports.into_iter().for_each(|report| write_report(report, &mut out));
    out
}

impl Totals {
    /// Reads it; `None` if it is something else.
    pub fn read(mut bytes: &[u8], space: &dyn Space, question: &Question) -> Option<Totals> {
        let rest = &mut bytes;
        let [depth, done, stored] = [take_word(rest)?, take_word(rest)?, take_word(rest)?];
        let depths = usize::try_from(depth).ok().filter(|&depth| depth < DEEPEST)?;
        let level_sizes = (0..depths).map(|_| take_word(rest)).collect::<Option<Vec<u64>>>()?;
        let all = read_report(rest, LevelReport::new(space, question))?;
        let part = read_report(rest, LevelReport::new(space, question))?;
        rest.is_empty().then_some(Totals { depth, done, stored, level_sizes, all, part })
    }
}

fn write_report(report: &LevelReport, out: &mut Vec<u8>) {
    let LevelReport { violation: _, spoke, counts, steps, cuts, expanded, settled, partial } = report;
    let PartialExpansion { in_part, whole } = *partial;
    [*steps, *expanded, *settled, in_part, whole].into_iter().for_each(|number| put(number.into(), out));
    [spoke, &counts[..], cuts].into_iter().for_each(|list| put_list(list, out));
}

fn read_report(bytes: &mut &[u8], empty: LevelReport) -> Option<LevelReport> {
    let [steps, expanded, settled] = [take_word(bytes)?, take_word(bytes)?, take_word(bytes)?];
    let partial = PartialExpansion { in_part: take_word(bytes)?, whole: take_word(bytes)? };
    let spoke = take_list(bytes, empty.spoke.len())?;
    let counts = Box::new(<[u64; 256]>::try_from(take_list(bytes, 256)?).ok()?);
    let cuts = take_list(bytes, empty.cuts.len())?;
    Some(LevelReport { spoke, counts, steps, cuts, expanded, settled, partial, ..empty })
}
