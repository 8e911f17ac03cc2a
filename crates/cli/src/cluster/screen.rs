//! The screen of a cluster on a terminal: the table above, below it the last events or the answer to what was typed, and
//! at the bottom the line for typing. It is laid out anew for every size, and nothing of it is wider or taller than that.

use super::table::{CellColor, ClusterRow, TableLine, TableSpace, table};
use crate::outputs::to_stdout;
use rustix::termios::tcgetwinsize;
use std::collections::VecDeque;
use unicode_width::UnicodeWidthStr;

/// How many of the last events are kept.
const TOLD: usize = 64;

/// The lines at the bottom that scroll with what is typed.
const TYPING: usize = 2;

/// What a terminal shows of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterScreen {
    told: VecDeque<String>,
    /// The answer to what was typed last.
    answer: Vec<String>,
    color: bool,
    size: (usize, usize),
}

impl ClusterScreen {
    pub(crate) fn new() -> ClusterScreen {
        let answer = vec!["`help` shows what can be typed.".to_string()];
        ClusterScreen { answer, color: crate::job::style(false, false).color, ..ClusterScreen::default() }
    }

    /// Something happened.
    pub(crate) fn tell(&mut self, line: &str) {
        self.told.extend(line.lines().map(str::to_string));
        let surplus = self.told.len().saturating_sub(TOLD);
        self.told.drain(..surplus);
    }

    /// Something was typed, and this is the answer; it stays until something else is typed.
    pub(crate) fn answer(&mut self, text: &str) {
        self.answer = text.lines().map(str::to_string).collect();
    }

    /// Draws everything in its place, without moving the cursor of the user who is typing.
    pub(crate) fn draw(&mut self, rows: &[ClusterRow<'_>]) {
        let size = size();
        let mut out = String::new();
        if size != self.size {
            // The lowest lines scroll, so that what is typed moves nothing else.
            let (height, first) = (size.1, size.1.saturating_sub(TYPING) + 1);
            out.push_str(&format!("\x1b[r\x1b[2J\x1b[{first};{height}r\x1b[{height};1H> "));
            self.size = size;
        }
        out.push_str("\x1b7\x1b[H");
        for line in self.lines(rows, size) {
            out.push_str(&format!("{line}\x1b[K\r\n"));
        }
        out.push_str("\x1b8");
        print(&out);
    }

    /// Begins a line for typing.
    pub(crate) fn prompt(&self) {
        print("\r\x1b[K> ");
    }

    /// Leaves the terminal as it was, the cursor below everything.
    pub(crate) fn leave(&self) {
        print("\x1b[r\x1b[999;1H\n");
    }

    /// All lines above those for typing.
    fn lines(&self, rows: &[ClusterRow<'_>], (width, height): (usize, usize)) -> Vec<String> {
        let height = height.saturating_sub(TYPING);
        let space = TableSpace { width, height, color: self.color };
        let text = |color: CellColor, line: &str| TableLine::of(color, line).fitted(space);
        let answer: Vec<String> = self.answer.iter().flat_map(|line| wrapped(line, width)).collect();
        // An answer that does not fit below the table stands in its place until the next line is typed.
        let below = height.saturating_sub(rows.len() + 2);
        if answer.len() > below {
            let mut lines: Vec<String> =
                answer.iter().map(|line| text(CellColor::Unusual, line)).take(height).collect();
            let room = height.saturating_sub(lines.len() + 1);
            if room > 1 {
                lines.push(String::new());
                lines.extend(table(rows, TableSpace { height: room, ..space }));
            }
            lines.resize(height, String::new());
            return lines;
        }
        let mut lines = table(rows, space);
        lines.push(String::new());
        let events = height.saturating_sub(lines.len() + answer.len());
        let skipped = self.told.len().saturating_sub(events);
        lines.extend(self.told.iter().skip(skipped).map(|line| text(CellColor::Plain, line)));
        lines.resize(height.saturating_sub(answer.len()), String::new());
        lines.extend(answer.iter().map(|line| text(CellColor::Unusual, line)));
        lines
    }
}

/// The lines of a text that is at most so wide; a line that fits stays as it is.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_string()];
    }
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => line.extend([" ", word]),
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// The columns and the rows of the terminal.
fn size() -> (usize, usize) {
    let known = tcgetwinsize(std::io::stdout()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
    known.map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
}

fn print(text: &str) {
    // Where nobody reads it, there is nobody to tell.
    let _ = to_stdout(text);
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
