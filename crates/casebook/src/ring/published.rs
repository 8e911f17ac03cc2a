//! Table 6.1 of the thesis, Table 1 of the report, again: the time and the number of states that each tool
//! took to its answer, beside what is found in our reading of the same model. Printed figures are data and
//! never enter a search.

use super::{Crash, FullChannel, RingCase, RingModel};
use crate::table::{
    PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableColumns, TableSearch,
};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, Strategy, check};
use watchkeeper_logic::{Invariant, Limit, Outcome, Question, Verdict};
use watchkeeper_report::thousands;
use watchkeeper_space::Space;

/// A tool that the authors compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub enum Tool {
    /// mCRL2.
    #[strum(to_string = "mCRL2")]
    Mcrl2,
    /// UPPAAL.
    #[strum(to_string = "UPPAAL")]
    Uppaal,
    /// FDR2.
    #[strum(to_string = "FDR2")]
    Fdr2,
}

/// One line of the table, or of the text below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintedRun {
    /// The tool.
    pub tool: Tool,
    /// The room in a channel.
    pub buffer: u8,
    /// The type of the channels.
    pub when_full: FullChannel,
    /// The time, as printed.
    pub time: &'static str,
    /// The number of states.
    pub states: u64,
}

const fn printed(
    tool: Tool,
    buffer: u8,
    when_full: FullChannel,
    time: &'static str,
    states: u64,
) -> PrintedRun {
    PrintedRun { tool, buffer, when_full, time, states }
}

/// The lines of the table, and the three figures for channels of type I from the text below it.
pub const TABLE_6_1: [PrintedRun; 15] = {
    use FullChannel::{Block, Ignore, Report};
    use Tool::{Fdr2, Mcrl2, Uppaal};
    [
        printed(Mcrl2, 1, Block, "44sec", 588_641),
        printed(Mcrl2, 1, Report, "0m5.9", 6_630),
        printed(Mcrl2, 2, Block, "42m43", 30_182_443),
        printed(Mcrl2, 2, Report, "33sec", 314_951),
        printed(Uppaal, 1, Block, "52sec", 2_431_674),
        printed(Uppaal, 1, Report, "0sec", 46_608),
        printed(Uppaal, 2, Block, "71m8", 184_493_193),
        printed(Uppaal, 2, Report, "1m17", 5_654_365),
        printed(Fdr2, 1, Block, "1sec", 167_388),
        printed(Fdr2, 1, Report, "0sec", 2_401),
        printed(Fdr2, 2, Block, "1m10", 6_230_100),
        printed(Fdr2, 2, Report, "0sec", 83_437),
        printed(Mcrl2, 1, Ignore, "451 minutes", 168_491_893),
        printed(Uppaal, 1, Ignore, "404 minutes", 711_410_029),
        printed(Fdr2, 1, Ignore, "887 minutes", 385_861_073),
    ]
};

impl PrintedRun {
    /// The case that this line speaks of. The automata of UPPAAL are too many states for a whole search
    /// edge by edge, so for channels of type I they are searched in atomic sections.
    pub fn case(&self) -> RingCase {
        let model = match (self.tool, self.when_full) {
            (Tool::Mcrl2, _) => RingModel::ProcessAlgebra,
            (Tool::Fdr2, _) => RingModel::Csp,
            (Tool::Uppaal, FullChannel::Ignore) => RingModel::TasksAtomic,
            (Tool::Uppaal, _) => RingModel::Tasks,
        };
        RingCase::new(model, self.when_full, self.buffer.into(), Crash::AnyTime)
            .expect("the buffers of the table are possible")
    }

    /// Whether the search has tens of millions of states before it.
    pub const fn is_heavy(&self) -> bool {
        matches!((self.when_full, self.buffer), (FullChannel::Ignore, _) | (FullChannel::Block, 2))
    }

    /// The letter of the thesis for the type of the channels.
    const fn letter(&self) -> &'static str {
        match self.when_full {
            FullChannel::Block => "B",
            FullChannel::Report => "R",
            FullChannel::Ignore => "I",
        }
    }

    /// What the tool looked for, in one word.
    const fn sought(&self) -> &'static str {
        match self.when_full {
            FullChannel::Report => "overflow",
            FullChannel::Block | FullChannel::Ignore => "deadlock",
        }
    }
}

/// The table. With `heavy` every line is searched, otherwise only the lines that need few states. A line is as
/// expected if the search answers as the tools did; numbers of states are compared, and need not be equal.
pub fn table(
    heavy: bool,
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let columns = TableColumns {
        label: &["tool", "buffer", "channel"],
        printed: &["time", "states"],
        found: vec!["model", "found"],
        remark: "the printed number",
    };
    let mut table =
        PublishedTable::new("Table 6.1: printed, and found", columns, "answered as printed", &NOTES);
    for line in &TABLE_6_1 {
        let mut row = PublishedRow {
            label: TableCell::texts([&line.tool, &line.buffer, &line.letter()]),
            printed: vec![line.time.into(), TableCell::Count(line.states)],
            found: TableCell::texts([&line.case().model]),
            ..PublishedRow::default()
        };
        if heavy || !line.is_heavy() {
            let (status, found, place) = line.searched(search)?;
            (row.status, row.remark) = (status, place);
            row.found.push(TableCell::Text(found));
        }
        table.rows.push(row);
    }
    Ok(table)
}

impl PrintedRun {
    /// Whether the answer is that of the tool, what is found, and where the printed number lies in that.
    fn searched(
        &self,
        search: &TableSearch<'_, impl ProgressCallback>,
    ) -> Result<(RowStatus, String, String), ExploreError> {
        let (space, reports) = (self.case().space(), self.when_full == FullChannel::Report);
        let mut question = Question { deadlock: !reports, ..Question::default() };
        if reports {
            let then = space.shape().atom("within-capacity").expect("every network has this atom");
            question.invariants.push(Invariant { name: "within-capacity".to_string(), when: None, then });
        }
        let verdict = check(&space, &question, search.search, search.watch)?;
        let states = verdict.stats.distinct_states;
        let mut sums = cumulative(&verdict);
        let sought = self.sought();
        let (found, place) = match &verdict.outcome {
            Outcome::Holds(_) => {
                (format!("no {sought} in {} states", thousands(states)), compared(self.states, states))
            }
            Outcome::Unknown(limit) => {
                let reached = matches!(limit, Limit::States(_) | Limit::Memory(_));
                let end = if reached { "the limit" } else { "the end" };
                let beyond = || format!("beyond {end} of the search");
                let place = located(self.states, &sums).unwrap_or_else(beyond);
                (format!("unknown after {} states", thousands(states)), place)
            }
            Outcome::Violated(violation) => {
                let depth = violation.trace.steps.len();
                let before = depth.checked_sub(1).map_or(0, |level| sums[level]);
                let (from, to) = (thousands(before), thousands(sums[depth]));
                if self.states > sums[depth] {
                    // A tool that counts what it has seen, or reports in a step of its own, is one level on.
                    let deeper = Strategy::Breadth { max_depth: Some(depth as u64 + 1) };
                    let deeper = Search { strategy: deeper, ..search.search.clone() };
                    sums = cumulative(&check(&space, &Question::default(), &deeper, search.watch)?);
                }
                let place = located(self.states, &sums).unwrap_or_else(|| "further on".to_string());
                (format!("{sought} after {depth} steps, {from} to {to} states"), place)
            }
        };
        // Only channels of type I keep the ring from getting stuck.
        let answer = TableAnswer::of(&verdict);
        let as_printed = answer.holds() == Some(self.when_full == FullChannel::Ignore);
        Ok((RowStatus::of(answer, as_printed), found, place))
    }
}

/// The number of states up to each depth.
fn cumulative(verdict: &Verdict) -> Vec<u64> {
    let sum = |sum: &mut u64, size: &u64| {
        *sum += size;
        Some(*sum)
    };
    verdict.stats.level_sizes.iter().scan(0, sum).collect()
}

/// Between which depths a number of states is reached.
fn located(states: u64, sums: &[u64]) -> Option<String> {
    let depth = sums.iter().position(|&sum| sum >= states)?;
    let before = depth.checked_sub(1).map_or(0, |level| sums[level]);
    Some(format!("at depth {depth}: {} to {}", thousands(before), thousands(sums[depth])))
}

fn compared(printed: u64, found: u64) -> String {
    if printed == found {
        return "equal".to_string();
    }
    // In tenths of a percent, to stay with whole numbers.
    let tenths = (i128::from(printed) - i128::from(found)) * 1000 / i128::from(found.max(1));
    let sign = if tenths < 0 { "-" } else { "+" };
    format!("{sign}{}.{} %", tenths.abs() / 10, tenths.abs() % 10)
}

/// Why printed and found differ. Numbers in here that no line of the table shows were found with variants
/// of the models that are not in the book.
const NOTES: [&str; 6] = [
    "B and R: a tool stops at the first deadlock or overflow, so its count depends on its order inside a \
     level and can only be compared with a window. Ours is given for a breadth-first search: the states \
     before the depth of the finding, and those up to it. A tool that counts what it has seen, not what it \
     has expanded, is one depth on. Windows are wide: that a number lies in one says little.",
    "B, mCRL2: the printed numbers lie at depths 18 and 28, ours are 20 and 30. A process that does nothing \
     between taking a message and handling it would have its first deadlock after 17 and 27 steps, but \
     357,821,780 states with channels of type I.",
    "B, FDR2: the printed text lets a crashed process take its messages. If it took none, the first deadlock \
     would come after 16 and 25 steps, and 145,921 to 218,358 and 5,556,927 to 7,805,031 states would then \
     have been seen, among which are the printed ones.",
    "UPPAAL keeps the values of variables that nothing reads any more; here they are forgotten. With them \
     kept, the states seen when the deadlock and the overflow are found with a buffer of 1 would be \
     2,216,738 to 2,918,647 and 33,194 to 48,985, among which are the printed ones.",
    "I: 385,861,073 is credited to FDR2 and 168,491,893 to mCRL2, but the former is exactly the size of the \
     mCRL2 specification: the labels are probably swapped. The printed CSP text has 50,358,577 states, or \
     37,296,938 if the parameters that StopSus never reads do not count; some forty readings of the two \
     texts were tried, and none has 168,491,893.",
    "I, UPPAAL: edge by edge there are 5,056,146,027 states, too many to keep, so the sections under the mutex \
     are atomic here.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_located_between_the_sums_around_it() {
        let sums = [1, 5, 17];
        assert_eq!(located(1, &sums).as_deref(), Some("at depth 0: 0 to 1"));
        assert_eq!(located(6, &sums).as_deref(), Some("at depth 2: 5 to 17"));
        assert_eq!(located(17, &sums).as_deref(), Some("at depth 2: 5 to 17"));
        assert_eq!(located(18, &sums), None);
    }

    #[test]
    fn numbers_are_compared_in_percent() {
        assert_eq!(compared(7, 7), "equal");
        assert_eq!(compared(994, 1000), "-0.6 %");
        assert_eq!(compared(3000, 1000), "+200.0 %");
    }
}
