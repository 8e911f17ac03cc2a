//! A published table beside what is found. Every row has a label, the printed figures, the figures of a search, and
//! a status: whether the search came out as it must. All cases of the casebook use this one type, its exit code and
//! its way to a report. A row that a limit ended is open, and never counts as right.

use std::fmt;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{ExitCode, Outcome, Verdict, ViolationKind};
use watchkeeper_report::{TextTable, duration, thousands};

/// A published table, computed again.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedTable {
    /// The source, and its subject.
    pub title: &'static str,
    /// The names of the columns.
    pub columns: TableColumns,
    /// The meaning of [`RowStatus::AsExpected`] in this table, such as "as verified before".
    pub expected: &'static str,
    /// The rows, in the order of the publication.
    pub rows: Vec<PublishedRow>,
    /// Remarks; where printed and found differ, they give the reason.
    pub notes: Vec<String>,
}

/// The names of the columns of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableColumns {
    /// The columns that name a row.
    pub label: &'static [&'static str],
    /// The printed figures.
    pub printed: &'static [&'static str],
    /// The figures of the search.
    pub found: Vec<&'static str>,
    /// The comparison of the two.
    pub remark: &'static str,
}

impl PublishedTable {
    /// A table without rows yet.
    pub fn new(
        title: &'static str,
        columns: TableColumns,
        expected: &'static str,
        notes: &[&str],
    ) -> PublishedTable {
        let notes = notes.iter().map(|note| note.to_string()).collect();
        PublishedTable { title, columns, expected, rows: Vec::new(), notes }
    }

    /// The number of rows with a status.
    pub fn count(&self, status: RowStatus) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    /// The exit code: a row that is not as expected is a failure, and a row that a limit ended is unknown.
    pub fn exit_code(&self) -> ExitCode {
        match (self.count(RowStatus::Changed), self.count(RowStatus::Open)) {
            (0, 0) => ExitCode::HOLDS,
            (0, _) => ExitCode::UNKNOWN,
            _ => ExitCode::SAFETY,
        }
    }

    /// The table for a report, with a summary above the notes.
    pub fn table(&self) -> TextTable {
        let TableColumns { label, printed, found, remark } = &self.columns;
        let header: Vec<&str> = label.iter().chain(*printed).chain(found).chain([remark]).copied().collect();
        let mut table = TextTable::new(self.title, &header);
        let empty = TableCell::from("");
        let filled = |cells: &[TableCell], columns: usize| -> Vec<String> {
            (0..columns).map(|i| cells.get(i).unwrap_or(&empty).to_string()).collect()
        };
        table.rows.extend(self.rows.iter().map(|row| {
            let mut cells = filled(&row.label, label.len());
            cells.extend(filled(&row.printed, printed.len()));
            cells.extend(filled(&row.found, found.len()));
            cells.push(row.remark().to_string());
            cells
        }));
        table.notes.push(self.summary());
        table.notes.extend(self.notes.iter().cloned());
        table
    }

    fn summary(&self) -> String {
        let mut text = format!("{} rows", self.rows.len());
        let times: Vec<f64> =
            self.rows.iter().flat_map(|row| &row.found).filter_map(TableCell::seconds).collect();
        if !times.is_empty() {
            text.push_str(&format!(" in {}", duration(times.iter().sum())));
        }
        match (self.count(RowStatus::Changed), self.count(RowStatus::Open)) {
            (0, 0) => text.push_str(&format!(", all {}", self.expected)),
            (0, open) => text.push_str(&format!(", {open} of them not decided")),
            (changed, open) => text.push_str(&format!(", {changed} of them CHANGED, {open} not decided")),
        }
        match self.count(RowStatus::NotSearched) {
            0 => {}
            heavy => text.push_str(&format!(", {heavy} not searched because heavy")),
        }
        text
    }
}

/// One row of a published table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PublishedRow {
    /// The cells that name the row.
    pub label: Vec<TableCell>,
    /// The printed figures.
    pub printed: Vec<TableCell>,
    /// The figures of the search; none if it was not searched.
    pub found: Vec<TableCell>,
    /// Whether the search came out as it must.
    pub status: RowStatus,
    /// The comparison with the printed figures, where the status alone does not say it.
    pub remark: String,
}

impl PublishedRow {
    fn remark(&self) -> &str {
        match self.status {
            _ if !self.remark.is_empty() => &self.remark,
            RowStatus::AsExpected => "",
            RowStatus::Changed => "CHANGED",
            RowStatus::Open => "a limit ended the search",
            RowStatus::NotSearched => "not searched: heavy",
        }
    }
}

/// Whether a search came out as it must.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowStatus {
    /// It did.
    AsExpected,
    /// It did not.
    Changed,
    /// A limit ended the search.
    Open,
    /// The search is heavy and was left out.
    #[default]
    NotSearched,
}

impl RowStatus {
    /// The status of a search with an answer.
    pub fn of(answer: TableAnswer, as_expected: bool) -> RowStatus {
        match answer {
            TableAnswer::Unknown => RowStatus::Open,
            _ if as_expected => RowStatus::AsExpected,
            _ => RowStatus::Changed,
        }
    }
}

/// One cell of a published table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableCell {
    /// A text.
    Text(String),
    /// A number, such as one of states.
    Count(u64),
    /// A duration, in seconds.
    Seconds(f64),
    /// The answer of a search.
    Answer(TableAnswer),
}

impl TableCell {
    /// Cells with the texts of some values.
    pub fn texts<const N: usize>(values: [&dyn fmt::Display; N]) -> Vec<TableCell> {
        values.map(|value| TableCell::Text(value.to_string())).to_vec()
    }

    /// The number in the cell, if it is one.
    pub fn count(&self) -> Option<u64> {
        if let TableCell::Count(count) = self { Some(*count) } else { None }
    }

    fn seconds(&self) -> Option<f64> {
        if let TableCell::Seconds(seconds) = self { Some(*seconds) } else { None }
    }
}

impl fmt::Display for TableCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableCell::Text(text) => f.write_str(text),
            TableCell::Count(count) => f.write_str(&thousands(*count)),
            TableCell::Seconds(seconds) => f.write_str(&duration(*seconds)),
            TableCell::Answer(answer) => answer.fmt(f),
        }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> TableCell {
        TableCell::Text(text.to_string())
    }
}

/// The answer of a search, as a table tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableAnswer {
    /// The claim is true of every state or run.
    Holds,
    /// The claim cannot fail in this model: it says nothing.
    Vacuous,
    /// Nothing is wrong up to the bound that was asked for.
    HoldsWithin {
        /// The bound.
        bound: u64,
        /// Its unit, such as "rounds".
        unit: &'static str,
    },
    /// The claim is false after this many steps.
    Fails {
        /// The steps of the run.
        steps: usize,
    },
    /// The claim is false of a run that repeats a loop for ever.
    FailsForever {
        /// The steps before the loop.
        steps: usize,
        /// The steps of the loop; 0 if the run rests.
        lap: usize,
    },
    /// Time cannot pass after this many steps: something is due that cannot be done.
    Timelock {
        /// The steps of the run.
        steps: usize,
    },
    /// A limit ended the search.
    Unknown,
}

impl TableAnswer {
    /// The answer of a verdict.
    pub fn of(verdict: &Verdict) -> TableAnswer {
        match &verdict.outcome {
            Outcome::Holds(_) => TableAnswer::Holds,
            Outcome::Unknown(_) => TableAnswer::Unknown,
            Outcome::Violated(violation) => {
                let steps = violation.trace.steps.len();
                match (violation.finding, violation.trace.loops_to) {
                    (ViolationKind::Timelock, _) => TableAnswer::Timelock { steps },
                    (_, Some(start)) => {
                        TableAnswer::FailsForever { steps: start, lap: steps.saturating_sub(start) }
                    }
                    (_, None) => TableAnswer::Fails { steps },
                }
            }
        }
    }

    /// Whether the claim is true, as far as the search was asked to look; `None` if that is not known.
    pub const fn holds(self) -> Option<bool> {
        match self {
            TableAnswer::Holds | TableAnswer::Vacuous | TableAnswer::HoldsWithin { .. } => Some(true),
            TableAnswer::Fails { .. } | TableAnswer::FailsForever { .. } | TableAnswer::Timelock { .. } => {
                Some(false)
            }
            TableAnswer::Unknown => None,
        }
    }
}

impl fmt::Display for TableAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableAnswer::Holds => f.write_str("holds"),
            TableAnswer::Vacuous => f.write_str("holds, vacuously"),
            TableAnswer::HoldsWithin { bound, unit } => write!(f, "nothing wrong within {bound} {unit}"),
            TableAnswer::Fails { steps } => write!(f, "fails after {steps} steps"),
            TableAnswer::FailsForever { steps, lap: 0 } => write!(f, "fails, rests after {steps} steps"),
            TableAnswer::FailsForever { steps, lap } => {
                write!(f, "fails, {steps} steps and a loop of {lap}")
            }
            TableAnswer::Timelock { steps } => write!(f, "time-lock after {steps} steps"),
            TableAnswer::Unknown => f.write_str("unknown"),
        }
    }
}

/// The answer that a search must give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// The claim holds.
    Holds,
    /// The claim fails.
    Fails,
    /// Nothing is wrong up to a bound, and no more can be said.
    HoldsWithin,
}

impl Expectation {
    /// The status of a row with an answer. A bound leaves open whether the claim holds.
    pub fn status(self, answer: TableAnswer) -> RowStatus {
        let as_expected = match (self, answer) {
            (Expectation::Holds, TableAnswer::HoldsWithin { .. }) => return RowStatus::Open,
            (Expectation::HoldsWithin, TableAnswer::HoldsWithin { .. }) => true,
            (Expectation::Holds, TableAnswer::Holds) => true,
            (Expectation::Fails, answer) => answer.holds() == Some(false),
            _ => false,
        };
        RowStatus::of(answer, as_expected)
    }
}

/// How the searches of a table are made: the engine's settings, its progress callback, and a stopwatch.
#[derive(Clone, Copy)]
pub struct TableSearch<'a, W> {
    /// The settings and limits of each search.
    pub search: &'a Search,
    /// The progress callback.
    pub watch: &'a W,
    /// The seconds since some fixed moment.
    pub seconds: &'a dyn Fn() -> f64,
}

impl<W: ProgressCallback> TableSearch<'_, W> {
    /// The result of a search, and a cell with the time that it took.
    pub fn timed<T>(
        &self,
        search: impl FnOnce(&Search, &W) -> Result<T, ExploreError>,
    ) -> Result<(T, TableCell), ExploreError> {
        let began = (self.seconds)();
        let found = search(self.search, self.watch)?;
        Ok((found, TableCell::Seconds((self.seconds)() - began)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(status: RowStatus, remark: &str) -> PublishedRow {
        let found = match status {
            RowStatus::NotSearched => Vec::new(),
            _ => vec![TableCell::Answer(TableAnswer::Holds), TableCell::Seconds(1.0)],
        };
        let (label, printed) = (vec!["a".into()], vec![TableCell::Count(1200)]);
        PublishedRow { label, printed, found, status, remark: remark.to_string() }
    }

    fn table(rows: Vec<PublishedRow>) -> PublishedTable {
        let columns = TableColumns {
            label: &["claim"],
            printed: &["states"],
            found: vec!["found", "time"],
            remark: "",
        };
        PublishedTable { rows, ..PublishedTable::new("Table 1", columns, "as printed", &["a reason"]) }
    }

    #[test]
    fn every_row_fills_its_columns_and_a_summary_stands_first() {
        let found = table(vec![row(RowStatus::AsExpected, "as printed"), row(RowStatus::NotSearched, "")]);
        let drawn = found.table();
        assert_eq!(drawn.header, ["claim", "states", "found", "time", ""]);
        assert_eq!(drawn.rows[0], ["a", "1,200", "holds", "1.0 s", "as printed"]);
        assert_eq!(drawn.rows[1], ["a", "1,200", "", "", "not searched: heavy"]);
        let summary = "2 rows in 1.0 s, all as printed, 1 not searched because heavy";
        assert_eq!(drawn.notes, [summary, "a reason"]);
        assert_eq!(found.exit_code(), ExitCode::HOLDS);
    }

    #[test]
    fn a_change_is_worse_than_an_open_row_and_both_are_told() {
        let open = table(vec![row(RowStatus::AsExpected, ""), row(RowStatus::Open, "")]);
        assert_eq!(open.exit_code(), ExitCode::UNKNOWN);
        assert!(open.table().notes[0].ends_with("1 of them not decided"));
        assert_eq!(open.table().rows[1][4], "a limit ended the search");
        let changed = table(vec![row(RowStatus::Changed, ""), row(RowStatus::Open, "")]);
        assert_eq!(changed.exit_code(), ExitCode::SAFETY);
        assert!(changed.table().notes[0].ends_with("1 of them CHANGED, 1 not decided"));
        assert_eq!(changed.table().rows[0][4], "CHANGED");
    }

    #[test]
    fn an_expectation_is_met_by_its_answer_alone() {
        let within = TableAnswer::HoldsWithin { bound: 3, unit: "rounds" };
        let fails = TableAnswer::FailsForever { steps: 2, lap: 1 };
        let answers = [TableAnswer::Holds, fails, within, TableAnswer::Unknown];
        let status = |expected: Expectation| answers.map(|answer| expected.status(answer));
        let (right, wrong, open) = (RowStatus::AsExpected, RowStatus::Changed, RowStatus::Open);
        assert_eq!(status(Expectation::Holds), [right, wrong, open, open]);
        assert_eq!(status(Expectation::Fails), [wrong, right, wrong, open]);
        assert_eq!(status(Expectation::HoldsWithin), [wrong, wrong, right, open]);
    }
}
