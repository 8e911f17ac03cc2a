//! Who suspects whom, as a table: a row for each observer, a column for each subject. It is laid out for the width and
//! the height that there are, and returns text; where that goes is for others to say.

use super::asking::NodeView;
use super::changes::span;
use super::children::ChildState;
use std::time::Duration;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use watchkeeper_core::Pid;

/// One row: what is known of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterRow<'a> {
    pub(crate) process: Pid,
    pub(crate) state: &'a ChildState,
    /// Since when its child is in this state.
    pub(crate) since: Duration,
    /// What it last said of itself.
    pub(crate) view: Option<&'a NodeView>,
    /// The last that happened to it, and how long ago.
    pub(crate) last: Option<(&'a str, Duration)>,
}

/// The room for a table, and whether colours may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableSpace {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: bool,
}

impl TableSpace {
    /// As much as it takes, without colours: for a file or a pipe.
    pub(crate) const UNLIMITED: TableSpace =
        TableSpace { width: usize::MAX, height: usize::MAX, color: false };
}

/// Colours of a text. None carries a meaning alone: a suspicion has its `!`, a phase its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellColor {
    Plain,
    Heading,
    Good,
    Bad,
    Unusual,
}

impl CellColor {
    fn code(self) -> &'static str {
        match self {
            CellColor::Plain => "",
            CellColor::Heading => "1",
            CellColor::Good => "32",
            CellColor::Bad => "1;31",
            CellColor::Unusual => "33",
        }
    }
}

/// Parts of one line, each with its colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableLine(Vec<(CellColor, String)>);

impl TableLine {
    pub(crate) fn of(color: CellColor, text: impl Into<String>) -> TableLine {
        TableLine(vec![(color, text.into())])
    }

    fn push(&mut self, color: CellColor, text: String) {
        self.0.push((color, text));
    }

    /// The line, cut to a width in columns of the terminal; what a terminal would obey is replaced.
    pub(crate) fn fitted(&self, space: TableSpace) -> String {
        let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        let full: String = self.0.iter().flat_map(|(_, text)| text.chars().map(shown)).collect();
        let (ends, room) = (full.trim_end().chars().count(), space.width);
        let cut = full.trim_end().width() > room;
        let (mut out, mut used, mut taken) = (String::new(), usize::from(cut), 0);
        for (color, text) in &self.0 {
            let mut part = String::new();
            for c in text.chars().map(shown) {
                let wide = c.width().unwrap_or(0);
                if taken == ends || used + wide > room {
                    break;
                }
                (used, taken) = (used + wide, taken + 1);
                part.push(c);
            }
            let painted = space.color && *color != CellColor::Plain && !part.trim().is_empty();
            out.push_str(&if painted { format!("\x1b[{}m{part}\x1b[0m", color.code()) } else { part });
        }
        if cut { out + "…" } else { out }
    }
}

/// The widths of a column of a subject, the first that there is room for; `!99.9s` and a gap take the last.
const SUBJECT: [usize; 2] = [8, 7];

/// The most nodes of which everybody's opinion of everybody is shown; of more, suspects are listed.
const MATRIX: usize = 24;

const PHASE: usize = 10;
const TIME: usize = 9;

/// The least room in which the last event is worth a column.
const EVENT: usize = 16;

/// The columns that there is room for.
struct Columns {
    /// The width of a subject's column; `None` if suspects are listed by name instead.
    subject: Option<usize>,
    since: bool,
    late: bool,
    decided: bool,
    view: Option<usize>,
    last: bool,
}

impl Columns {
    fn of(rows: &[ClusterRow<'_>], width: usize) -> Columns {
        let of_row = |row: &ClusterRow<'_>| row.view.and_then(|view| view.group).map(|group| group.members);
        let view = rows.iter().filter_map(of_row).map(|members| members.to_string().len() + 2).max();
        let view = view.map(|view| view.max(6));
        let decided = rows.iter().any(|row| decision(row).is_some());
        let least = 5 + 3 + PHASE;
        let few = rows.len() <= MATRIX;
        let subject = SUBJECT.into_iter().find(|wide| few && least + rows.len() * wide <= width);
        let mut left = width - (least + subject.map_or(10, |wide| rows.len() * wide)).min(width);
        let mut has = |wide: usize| {
            let fits = wide <= left;
            left -= if fits { wide } else { 0 };
            fits
        };
        let decided = decided && has(TIME);
        let view = view.filter(|wide| has(*wide));
        let (since, late) = (has(TIME), has(TIME));
        Columns { subject, since, late, decided, view, last: subject.is_some() && left >= EVENT }
    }
}

/// The lines of the table, within the space.
pub(crate) fn table(rows: &[ClusterRow<'_>], space: TableSpace) -> Vec<String> {
    let columns = Columns::of(rows, space.width);
    let mut lines = vec![heading(rows, &columns)];
    let room = space.height.saturating_sub(1);
    let shown = if rows.len() > room { telling(rows, room.saturating_sub(1)) } else { rows.iter().collect() };
    lines.extend(shown.iter().map(|row| line(row, rows, &columns)));
    if shown.len() < rows.len() {
        let hidden = rows.len() - shown.len();
        lines.push(TableLine::of(CellColor::Plain, format!("     {hidden} more nodes: there is no room")));
    }
    lines.iter().take(space.height).map(|line| line.fitted(space)).collect()
}

/// So many rows, in their order: those of nodes that suspect somebody or do not run first.
fn telling<'r, 'a>(rows: &'r [ClusterRow<'a>], most: usize) -> Vec<&'r ClusterRow<'a>> {
    let calm = |row: &&ClusterRow<'_>| {
        *row.state == ChildState::Up && row.view.is_some_and(|view| view.suspected.is_empty())
    };
    let mut chosen: Vec<&ClusterRow<'_>> = rows.iter().collect();
    chosen.sort_by_key(calm);
    chosen.truncate(most);
    chosen.sort_by_key(|row| row.process);
    chosen
}

fn heading(rows: &[ClusterRow<'_>], columns: &Columns) -> TableLine {
    let mut head = "     ".to_string();
    if let Some(wide) = columns.subject {
        rows.iter().for_each(|row| head.push_str(&format!("{:>wide$}", row.process.to_string())));
    }
    head.push_str(&format!("   {:<PHASE$}", "phase"));
    for (is, name) in [(columns.since, "since"), (columns.late, "late"), (columns.decided, "decided")] {
        head.push_str(&if is { format!("{name:>TIME$}") } else { String::new() });
    }
    if let Some(wide) = columns.view {
        head.push_str(&format!("  {:<1$}", "view", wide - 2));
    }
    match (columns.subject, columns.last) {
        (None, _) => head.push_str("  suspects"),
        (_, true) => head.push_str("  last event"),
        _ => {}
    }
    TableLine::of(CellColor::Heading, head)
}

fn line(row: &ClusterRow<'_>, rows: &[ClusterRow<'_>], columns: &Columns) -> TableLine {
    let mut line = TableLine::of(CellColor::Heading, format!("{:>4} ", row.process.to_string()));
    if let Some(wide) = columns.subject {
        for subject in rows {
            let (color, text) = cell(row, subject.process);
            line.push(color, format!("{text:>wide$}"));
        }
    }
    let (phase, since, late) = of_itself(row);
    let color = match phase {
        "running" => CellColor::Plain,
        "killed" | "failed" | "stopped" => CellColor::Bad,
        _ => CellColor::Unusual,
    };
    line.push(color, format!("   {phase:<PHASE$}"));
    let decided = decision(row).map_or("-".to_string(), |value| value.to_string());
    for (is, text) in [(columns.since, span(since)), (columns.late, late), (columns.decided, decided)] {
        line.push(CellColor::Plain, if is { format!("{text:>TIME$}") } else { String::new() });
    }
    if let Some(wide) = columns.view {
        let group = row.view.and_then(|view| view.group).map(|group| group.members.to_string());
        line.push(CellColor::Plain, format!("  {:<1$}", group.unwrap_or("-".to_string()), wide - 2));
    }
    if columns.subject.is_none() {
        let suspects = row.view.filter(|_| *row.state == ChildState::Up).map(NodeView::suspects);
        let (color, text) = match suspects {
            None => (CellColor::Plain, "-".to_string()),
            Some(suspects) if suspects.is_empty() => (CellColor::Good, "nobody".to_string()),
            Some(suspects) => (CellColor::Bad, format!("!{suspects}")),
        };
        line.push(color, format!("  {text}"));
    } else if let Some((what, ago)) = row.last.filter(|_| columns.last) {
        line.push(CellColor::Plain, format!("  {what} ({} ago)", span(ago)));
    }
    line
}

/// What a node has decided, as far as anyone knows.
fn decision(row: &ClusterRow<'_>) -> Option<u64> {
    row.view.and_then(|view| view.decision).map(|(value, _)| value)
}

/// What an observer makes of a subject.
fn cell(observer: &ClusterRow<'_>, subject: Pid) -> (CellColor, String) {
    if observer.process == subject {
        return (CellColor::Plain, String::new());
    }
    // What a node said before it was stopped or ended is no opinion any more.
    let Some(view) = observer.view.filter(|_| *observer.state == ChildState::Up) else {
        return (CellColor::Plain, "-".to_string());
    };
    match view.suspected.iter().find(|(peer, _)| *peer == subject) {
        None => (CellColor::Good, "ok".to_string()),
        Some((_, since)) => (CellColor::Bad, format!("!{}", span(*since).replace(' ', ""))),
    }
}

/// What a node is doing, since when, and how late it was.
fn of_itself<'a>(row: &ClusterRow<'a>) -> (&'a str, Duration, String) {
    match row.view.filter(|_| *row.state == ChildState::Up) {
        Some(view) => (&view.phase, view.uptime, span(view.worst_late)),
        None => (row.state.name(), row.since, "-".to_string()),
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
