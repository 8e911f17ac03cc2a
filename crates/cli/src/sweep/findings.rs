//! What a sweep has found, in the forms in which it is shown: a map for each property, a table with a line
//! for each cell and property, the conjectures, and the command that shows a failure.

use super::cells::{CellOutcome, SweepCell};
use super::conjecture::{GridPoint, conjecture};
use super::grid::SweepGrid;
use watchkeeper_logic::{ExitCode, Outcome, Verdict};
use watchkeeper_report::{self as report, Panel, Region, TextTable, headline};
use watchkeeper_space::Trace;

/// All that was found.
pub(crate) struct SweepFindings<'a> {
    pub(crate) grid: &'a SweepGrid,
    /// The properties, in the order in which each cell has its verdicts.
    pub(crate) properties: &'a [String],
    pub(crate) fates: &'a [CellOutcome],
}

impl SweepFindings<'_> {
    /// Holds if every cell was decided, unknown if not: that a property fails somewhere is what a sweep is
    /// there to find.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let open = |fate: &CellOutcome| match fate {
            CellOutcome::Impossible(_) => false,
            CellOutcome::Left => true,
            CellOutcome::Searched(cell) => {
                cell.verdicts.iter().any(|(verdict, _)| matches!(verdict.outcome, Outcome::Unknown(_)))
            }
        };
        if self.fates.iter().any(open) { ExitCode::UNKNOWN } else { ExitCode::HOLDS }
    }

    /// The maps.
    pub(crate) fn region(&self, title: String) -> Region {
        let axis = |axis: &super::grid::SweepAxis| report::RegionAxis {
            name: axis.name.to_string(),
            first: axis.first.into(),
            count: axis.count() as usize,
        };
        let panels = (0..self.properties.len()).map(|property| self.panel(property)).collect();
        Region { title, x: axis(&self.grid.x), y: self.grid.y.as_ref().map(axis), panels }
    }

    fn panel(&self, property: usize) -> Panel {
        let name = self.properties[property].clone();
        let cells: Vec<report::RegionCell> =
            (0..self.fates.len()).map(|cell| self.seen(cell, property)).collect();
        let points = self.points(property);
        let open = cells.iter().filter(|cell| **cell == report::RegionCell::Unknown).count();
        let left_out = if open > 0 { format!(", with {open} not decided") } else { String::new() };
        let from = format!("conjecture, from {} cells{left_out}", points.len());
        let (x, y) = (self.grid.x.name, self.grid.y.as_ref().map_or("", |y| y.name));
        let found = conjecture(&points);
        let caption = match &found {
            _ if points.is_empty() => String::new(),
            None => format!(
                "no conjecture: no two linear conditions with small factors fit all {} cells",
                points.len()
            ),
            Some(found) => match found.told(x, y).as_str() {
                word @ ("always" | "never") => format!("{from}: {name} {word} holds"),
                condition => format!("{from}: {name} holds exactly where {condition}"),
            },
        };
        Panel { name, cells, caption, borders: found.map_or(Vec::new(), |found| found.borders()) }
    }

    fn seen(&self, cell: usize, property: usize) -> report::RegionCell {
        match &self.fates[cell] {
            CellOutcome::Impossible(_) => report::RegionCell::Impossible,
            CellOutcome::Left => report::RegionCell::Unknown,
            CellOutcome::Searched(cell) => match cell.verdicts[property].0.outcome {
                Outcome::Holds(_) => report::RegionCell::Holds,
                Outcome::Violated(_) => report::RegionCell::Fails,
                Outcome::Unknown(_) => report::RegionCell::Unknown,
            },
        }
    }

    fn points(&self, property: usize) -> Vec<GridPoint> {
        let point = |cell: usize| {
            let (x, y) = self.grid.values(cell);
            let holds = match self.seen(cell, property) {
                report::RegionCell::Holds => true,
                report::RegionCell::Fails => false,
                report::RegionCell::Impossible | report::RegionCell::Unknown => return None,
            };
            Some(GridPoint { x: x.into(), y: y.unwrap_or(0).into(), holds })
        };
        (0..self.fates.len()).filter_map(point).collect()
    }

    /// One line for each cell and property.
    pub(crate) fn table(&self, title: String, conjectures: Vec<String>) -> TextTable {
        let axes = std::iter::once(self.grid.x.name).chain(self.grid.y.as_ref().map(|y| y.name));
        let rest = ["property", "verdict", "steps", "states", "unit", "seconds", "witness", "command"];
        let header: Vec<&str> = axes.chain(rest).collect();
        let mut table = TextTable::new(title, &header);
        for (i, fate) in self.fates.iter().enumerate() {
            let (x, y) = self.grid.values(i);
            let values: Vec<String> = std::iter::once(x).chain(y).map(|value| value.to_string()).collect();
            for (property, name) in self.properties.iter().enumerate() {
                let found = match fate {
                    CellOutcome::Impossible(why) => vec![
                        "impossible".into(),
                        String::new(),
                        String::new(),
                        String::new(),
                        String::new(),
                        why.to_string(),
                    ],
                    CellOutcome::Left => vec!["unknown".to_string()],
                    CellOutcome::Searched(cell) => self.line(cell, property),
                };
                table.rows.push([values.clone(), vec![name.clone()], found].concat());
            }
        }
        table.notes = conjectures;
        table
    }

    /// For each property that fails somewhere, the first cell with the shortest run that shows it, and the
    /// command that draws it.
    pub(crate) fn examples(&self) -> String {
        let mut out = String::new();
        for (property, name) in self.properties.iter().enumerate() {
            let steps = |cell: &SweepCell| cell.verdicts[property].0.trace().map(|trace| trace.steps.len());
            let failing = self.fates.iter().filter_map(|fate| match fate {
                CellOutcome::Searched(cell) => Some((steps(cell)?, cell)),
                _ => None,
            });
            // Of equally short ones the last: a larger one says more than a degenerate one.
            let shortest = failing.rev().min_by_key(|(steps, _)| *steps);
            if let Some((_, cell)) = shortest {
                let command = self.command(cell, name);
                out.push_str(&format!("\n{}\n  {command}\n", headline(&cell.verdicts[property].0)));
            }
        }
        out
    }

    /// The command that checks one property of a cell.
    fn command(&self, cell: &SweepCell, property: &str) -> String {
        let asked = format!("--property {}", self.properties.join(","));
        cell.command.replace(&asked, &format!("--property {property}"))
    }

    fn line(&self, cell: &SweepCell, property: usize) -> Vec<String> {
        let (verdict, seconds) = &cell.verdicts[property];
        let steps = verdict.trace().map_or(String::new(), |trace| trace.steps.len().to_string());
        vec![
            verdict.word().to_string(),
            steps,
            verdict.stats.distinct_states.to_string(),
            format!("{}s", verdict.stats.unit.noun()),
            format!("{seconds:.3}"),
            witness(verdict),
            self.command(cell, &self.properties[property]),
        ]
    }
}

/// The run that shows a violation in one line: what happens, each with its time where there is time. Ticks
/// are left out, the times tell of them.
fn witness(verdict: &Verdict) -> String {
    verdict.trace().map_or(String::new(), |trace: &Trace| {
        let steps = trace.steps.iter().filter(|step| !step.events.is_empty());
        let told = steps.map(|step| match &step.at {
            Some(at) => format!("{at}: {}", step.action),
            None => step.action.clone(),
        });
        told.collect::<Vec<_>>().join("; ")
    })
}
