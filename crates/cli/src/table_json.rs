//! A table for machines: every row as an object with the names of the columns, beside what the run cost.
//! Cells stay the texts that a reader sees, so that no figure is rounded twice.

use watchkeeper_report::{Run, Table};

/// The table as JSON, with a line break at the end.
pub(crate) fn table_json(table: &Table, run: &Run) -> String {
    let row = |cells: &Vec<String>| {
        let cells = table.header.iter().zip(cells);
        let fields: Vec<String> =
            cells.map(|(name, cell)| format!("{}: {}", quoted(name), quoted(cell))).collect();
        format!("    {{ {} }}", fields.join(", "))
    };
    let rows: Vec<String> = table.rows.iter().map(row).collect();
    let notes: Vec<String> = table.notes.iter().map(|note| format!("    {}", quoted(note))).collect();
    let fields = [
        ("tool", quoted("watchkeeper")),
        ("version", quoted(env!("CARGO_PKG_VERSION"))),
        ("title", quoted(&table.title)),
        ("rows", format!("[\n{}\n  ]", rows.join(",\n"))),
        ("notes", format!("[\n{}\n  ]", notes.join(",\n"))),
        ("seconds", format!("{:.3}", run.seconds)),
        ("peak_bytes", run.peak_bytes.to_string()),
        ("command", quoted(&run.command)),
    ];
    let fields = fields.map(|(name, value)| format!("  {}: {value}", quoted(name)));
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_json_gets_every_cell_back() {
        let mut table = Table::new("a \"table\"", &["name", "what\\ever"]);
        table.rows.push(vec!["line\nbreak".to_string(), "385,861,073 – é".to_string()]);
        table.notes.push("tab\there".to_string());
        let run = Run { command: "w 'x'".to_string(), seconds: 1.5, peak_bytes: 7 };
        let read: serde_json::Value = serde_json::from_str(&table_json(&table, &run)).expect("JSON");
        assert_eq!(read["title"], "a \"table\"");
        assert_eq!(read["rows"][0]["name"], "line\nbreak");
        assert_eq!(read["rows"][0]["what\\ever"], "385,861,073 – é");
        assert_eq!(read["notes"][0], "tab\there");
        assert_eq!((read["seconds"].as_f64(), read["peak_bytes"].as_u64()), (Some(1.5), Some(7)));
    }
}
