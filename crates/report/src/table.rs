//! Plain tables, as aligned text, Markdown, CSV and JSON. A table only holds text: whoever fills it decides
//! how a number is written, and no figure is rounded twice.

use crate::RunFacts;
use crate::width::{columns, tame};
use serde_json::{Map, Value as Json, json};

/// A table: every row has as many cells as the header, missing ones are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextTable {
    /// What it shows.
    pub title: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// Remarks below it.
    pub notes: Vec<String>,
}

impl TextTable {
    /// A table without rows yet.
    pub fn new(title: impl Into<String>, header: &[&str]) -> TextTable {
        let header = header.iter().map(|name| name.to_string()).collect();
        TextTable { title: title.into(), header, ..TextTable::default() }
    }

    /// As aligned text. Columns of numbers are aligned to the right.
    pub fn text(&self) -> String {
        let layout = Layout::new(self);
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("{}\n\n", tame(&self.title)));
        }
        let rule: Vec<String> = layout.widths.iter().map(|&width| "-".repeat(width)).collect();
        for cells in [&layout.header, &rule].into_iter().chain(&layout.rows) {
            let padded: Vec<String> = cells.iter().enumerate().map(|(i, cell)| layout.pad(i, cell)).collect();
            out.push_str(padded.join("  ").trim_end());
            out.push('\n');
        }
        self.push_notes(&mut out, "");
        out
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let escaped = self.escaped();
        let layout = Layout::new(&escaped);
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("**{}**\n\n", escaped.title));
        }
        let rule = |i: usize| {
            let dashes = "-".repeat(layout.widths[i].max(3) - 1);
            if layout.numeric[i] { format!("{dashes}:") } else { format!("{dashes}-") }
        };
        let rule: Vec<String> = (0..layout.widths.len()).map(rule).collect();
        for cells in [&layout.header, &rule].into_iter().chain(&layout.rows) {
            let padded: Vec<String> = cells.iter().enumerate().map(|(i, cell)| layout.pad(i, cell)).collect();
            out.push_str(&format!("| {} |\n", padded.join(" | ")));
        }
        escaped.push_notes(&mut out, "- ");
        out
    }

    /// As comma-separated values: the header, then the rows. Title and notes have no place in it.
    pub fn csv(&self) -> String {
        let layout = Layout::raw(self);
        let mut out = String::new();
        for cells in [&layout.header].into_iter().chain(&layout.rows) {
            let quoted: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            out.push_str(&quoted.join(","));
            out.push_str("\r\n");
        }
        out
    }

    /// As JSON, with a line break at the end: every row is an object with the names of the columns, beside
    /// what the run cost. Cells stay the texts that a reader sees.
    pub fn json(&self, run: &RunFacts) -> String {
        let row = |cells: &Vec<String>| {
            let cells = cells.iter().map(|cell| json!(cell));
            self.header.iter().cloned().zip(cells).collect::<Map<String, Json>>()
        };
        let object = json!({
            "tool": "watchkeeper",
            "version": env!("CARGO_PKG_VERSION"),
            "title": self.title,
            "rows": Layout::raw(self).rows.iter().map(row).collect::<Vec<_>>(),
            "notes": self.notes,
            "seconds": run.seconds,
            "peak_bytes": run.peak_bytes,
            "command": run.command,
        });
        format!("{object:#}\n")
    }

    fn push_notes(&self, out: &mut String, bullet: &str) {
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(&format!("{bullet}{}\n", tame(note)));
        }
    }

    fn escaped(&self) -> TextTable {
        let escape = |text: &String| tame(text).replace('\\', "\\\\").replace('|', "\\|");
        let row = |cells: &Vec<String>| cells.iter().map(escape).collect();
        TextTable {
            title: escape(&self.title),
            header: row(&self.header),
            rows: self.rows.iter().map(row).collect(),
            notes: self.notes.iter().map(escape).collect(),
        }
    }
}

/// The cells of a table in full rows, and how wide and how aligned its columns are.
struct Layout {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
    numeric: Vec<bool>,
}

impl Layout {
    fn new(table: &TextTable) -> Layout {
        let mut layout = Layout::raw(table);
        for cells in [&mut layout.header].into_iter().chain(&mut layout.rows) {
            for cell in cells {
                *cell = tame(cell);
            }
        }
        for i in 0..layout.header.len() {
            let cells = || layout.rows.iter().map(move |row| &row[i]);
            let widest = cells().chain([&layout.header[i]]).map(|cell| columns(cell)).max();
            layout.widths.push(widest.unwrap_or(0));
            let some_number = cells().any(|cell| is_number(cell));
            layout.numeric.push(some_number && cells().all(|cell| is_number(cell) || is_blank(cell)));
        }
        layout
    }

    fn raw(table: &TextTable) -> Layout {
        let count = table.rows.iter().map(Vec::len).chain([table.header.len()]).max().unwrap_or(0);
        let fill = |cells: &Vec<String>| {
            let mut cells = cells.clone();
            cells.resize(count, String::new());
            cells
        };
        let rows = table.rows.iter().map(fill).collect();
        Layout { header: fill(&table.header), rows, widths: Vec::new(), numeric: Vec::new() }
    }

    fn pad(&self, i: usize, cell: &str) -> String {
        let room = " ".repeat(self.widths[i].saturating_sub(columns(cell)));
        if self.numeric[i] { format!("{room}{cell}") } else { format!("{cell}{room}") }
    }
}

/// A number as a person writes it, perhaps with a unit or a sign: `1,234`, `-3`, `85.2 s`, `>40%`.
fn is_number(cell: &str) -> bool {
    let bare = cell.trim_start_matches(['<', '>', '~', '-', '+', '=']);
    let digits = bare.chars().take_while(|c| c.is_ascii_digit() || [',', '.'].contains(c)).count();
    let unit = bare[digits..].trim_start();
    bare.starts_with(|c: char| c.is_ascii_digit())
        && unit.chars().all(|c| c.is_alphabetic() || "%/".contains(c))
        && unit.chars().count() <= 5
}

fn is_blank(cell: &str) -> bool {
    matches!(cell, "" | "-" | "–" | "?")
}

fn csv_cell(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TextTable {
        let mut table = TextTable::new("Channels", &["channel", "states", "verdict"]);
        table.rows.push(vec!["block|1".into(), "1,365,150".into(), "deadlock".into()]);
        table.rows.push(vec!["ignore".into(), "385,861,073".into()]);
        table.rows.push(vec!["\"any\"\norder".into(), "-".into(), "a, b".into()]);
        table.notes.push("measured".into());
        table
    }

    #[test]
    fn text_aligns_numbers_to_the_right() {
        let expected = "\
Channels

channel           states  verdict
-----------  -----------  --------
block|1        1,365,150  deadlock
ignore       385,861,073
\"any\" order            -  a, b

measured
";
        assert_eq!(sample().text(), expected);
    }

    #[test]
    fn markdown_escapes_its_bars() {
        let expected = "\
**Channels**

| channel     |      states | verdict  |
| ----------- | ----------: | -------- |
| block\\|1    |   1,365,150 | deadlock |
| ignore      | 385,861,073 |          |
| \"any\" order |           - | a, b     |

- measured
";
        assert_eq!(sample().markdown(), expected);
    }

    #[test]
    fn csv_quotes_what_needs_it_and_keeps_the_rest() {
        let expected = "channel,states,verdict\r\n\
                        block|1,\"1,365,150\",deadlock\r\n\
                        ignore,\"385,861,073\",\r\n\
                        \"\"\"any\"\"\norder\",-,\"a, b\"\r\n";
        assert_eq!(sample().csv(), expected);
    }

    #[test]
    fn a_reader_of_json_gets_every_cell_back() {
        let mut table = TextTable::new("a \"table\"", &["name", "what\\ever", "missing"]);
        table.rows.push(vec!["line\nbreak".to_string(), "385,861,073 – é".to_string()]);
        table.notes.push("tab\there".to_string());
        let run = RunFacts { command: "w 'x'".to_string(), seconds: 1.5, peak_bytes: 7 };
        let text = table.json(&run);
        let read: Json = serde_json::from_str(&text).expect("JSON");
        assert!(text.starts_with("{\n  \"tool\": \"watchkeeper\",\n") && text.ends_with("}\n"), "{text}");
        assert_eq!(read["title"], "a \"table\"");
        assert_eq!(read["rows"][0]["name"], "line\nbreak");
        assert_eq!(read["rows"][0]["what\\ever"], "385,861,073 – é");
        assert_eq!(read["rows"][0]["missing"], "");
        assert_eq!(read["notes"][0], "tab\there");
        assert_eq!((read["seconds"].as_f64(), read["peak_bytes"].as_u64()), (Some(1.5), Some(7)));
        assert_eq!(read["command"], "w 'x'");
    }

    #[test]
    fn what_is_a_number() {
        for number in ["0", "1,234", "-3", "85.2 s", "40%", "0.30 M/s", ">4", "10.2K"] {
            assert!(is_number(number), "{number}");
        }
        for other in ["", "-", "p0", "2 of 3 runs", "block:1", "1 to 4"] {
            assert!(!is_number(other), "{other}");
        }
    }

    #[test]
    fn an_empty_table_is_empty() {
        assert_eq!(TextTable::default().csv(), "\r\n");
        assert_eq!(TextTable::default().text(), "\n\n");
    }
}
