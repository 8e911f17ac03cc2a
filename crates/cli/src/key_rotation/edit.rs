//! Edits of the tables `[[keys]]` in the text of a node file, line by line: all else stays as its author wrote it. Who
//! calls these reads the new text again, since a text can be TOML that no such edit understands.

/// One table, by its lines.
#[derive(Debug)]
struct KeyTable {
    header: usize,
    /// One past the last line that says something.
    end: usize,
    id: Option<(u8, usize)>,
    current: Option<usize>,
}

/// The text with one more key, which is not the current one.
pub(super) fn with_key(text: &str, id: u8, file: &str) -> String {
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}\n[[keys]]\nid = {id}\nfile = {file}\n")
}

/// The text in which this key is the current one, and no other.
pub(super) fn with_current(text: &str, id: u8) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for table in tables(text).iter().rev() {
        match (table.id, table.current) {
            (Some((this, _)), Some(line)) if this == id => lines[line] = "current = true".to_string(),
            (Some((this, at)), None) if this == id => lines.insert(at + 1, "current = true".to_string()),
            (_, Some(line)) => drop(lines.remove(line)),
            _ => {}
        }
    }
    joined(&lines)
}

/// The text with this key alone.
pub(super) fn with_only(text: &str, id: u8) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for table in tables(text).iter().rev().filter(|table| table.id.is_none_or(|(this, _)| this != id)) {
        lines.drain(table.header..table.end);
        // The empty line that kept it apart from what is above.
        if table.header > 0 && lines[table.header - 1].trim().is_empty() {
            lines.remove(table.header - 1);
        }
    }
    joined(&lines)
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn tables(text: &str) -> Vec<KeyTable> {
    let mut tables: Vec<KeyTable> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate().map(|(i, line)| (i, line.trim())) {
        if line.starts_with('[') {
            inside = line.starts_with("[[keys]]");
            if inside {
                tables.push(KeyTable { header: i, end: i + 1, id: None, current: None });
            }
            continue;
        }
        let Some(table) = tables.last_mut().filter(|_| inside && !line.is_empty() && !line.starts_with('#'))
        else {
            continue;
        };
        table.end = i + 1;
        match said(line) {
            Some(("id", value)) => table.id = value.parse().ok().map(|id| (id, i)),
            Some(("current", _)) => table.current = Some(i),
            _ => {}
        }
    }
    tables
}

/// The key and the value of a line.
fn said(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or_default();
    Some((key.trim(), value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "[node]\nhttp = \"a\"\n\n# Keys.\n[[keys]]\nid = 1  # the first\nfile = \"a.key\"";

    #[test]
    fn a_key_is_added_made_current_and_left_alone() {
        let added = with_key(&with_current(ONE, 1), 2, "\"a-2.key\"");
        assert_eq!(
            added,
            "[node]\nhttp = \"a\"\n\n# Keys.\n[[keys]]\nid = 1  # the first\ncurrent = true\nfile = \"a.key\"\n\n\
             [[keys]]\nid = 2\nfile = \"a-2.key\"\n"
        );
        let switched = with_current(&added, 2);
        assert_eq!(
            switched,
            "[node]\nhttp = \"a\"\n\n# Keys.\n[[keys]]\nid = 1  # the first\nfile = \"a.key\"\n\n[[keys]]\nid = 2\n\
             current = true\nfile = \"a-2.key\"\n"
        );
        assert_eq!(with_current(&switched, 2), switched, "once is enough");
        assert_eq!(
            with_only(&switched, 2),
            "[node]\nhttp = \"a\"\n\n# Keys.\n\n[[keys]]\nid = 2\ncurrent = true\nfile = \"a-2.key\"\n"
        );
    }

    #[test]
    fn what_follows_the_keys_stays() {
        let text = "[[keys]]\nid = 1\nhex = \"ab\"\ncurrent = true\n\n[[keys]]\nid = 2\nfile = \"b\"\ncurrent = false\n\n\
                    # Peers.\n[peers]\np1 = \"x\"\n";
        assert_eq!(
            with_only(&with_current(text, 2), 2),
            "\n[[keys]]\nid = 2\nfile = \"b\"\ncurrent = true\n\n# Peers.\n[peers]\np1 = \"x\"\n"
        );
    }
}
