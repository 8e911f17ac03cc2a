//! A grid of characters to draw on, with an ink for each. It grows as needed and keeps characters that
//! are two columns wide in one piece.

use crate::style::{Ink, Style};
use unicode_width::UnicodeWidthChar;

#[derive(Clone, Copy)]
struct RegionCell {
    /// `None` in the second column of a wide character.
    shown: Option<char>,
    ink: Ink,
}

const BLANK: RegionCell = RegionCell { shown: Some(' '), ink: Ink::Plain };

/// The grid.
#[derive(Default)]
pub(super) struct Canvas {
    lines: Vec<Vec<RegionCell>>,
}

impl Canvas {
    /// What stands in a place.
    pub(super) fn at(&self, line: usize, column: usize) -> char {
        let cell = self.lines.get(line).and_then(|cells| cells.get(column));
        cell.and_then(|cell| cell.shown).unwrap_or(' ')
    }

    /// Puts one character in a place.
    pub(super) fn put(&mut self, line: usize, column: usize, shown: char, ink: Ink) {
        let columns = shown.width().unwrap_or(0);
        if columns == 0 {
            return;
        }
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Vec::new());
        }
        let cells = &mut self.lines[line];
        if cells.len() < column + columns {
            cells.resize(column + columns, BLANK);
        }
        // Half of a wide character cannot stay.
        if cells[column].shown.is_none() && column > 0 {
            cells[column - 1] = BLANK;
        }
        if cells.get(column + columns).is_some_and(|cell| cell.shown.is_none()) {
            cells[column + columns] = BLANK;
        }
        cells[column] = RegionCell { shown: Some(shown), ink };
        if columns == 2 {
            cells[column + 1] = RegionCell { shown: None, ink };
        }
    }

    /// Puts a text, from a place to the right.
    pub(super) fn write(&mut self, line: usize, mut column: usize, text: &str, ink: Ink) {
        for shown in text.chars() {
            self.put(line, column, shown, ink);
            column += shown.width().unwrap_or(0);
        }
    }

    /// All lines, without blanks at their ends.
    pub(super) fn render(&self, style: &Style) -> String {
        let mut out = String::new();
        for cells in &self.lines {
            let used = cells.iter().rposition(|cell| cell.shown != Some(' ')).map_or(0, |last| last + 1);
            let mut rest = &cells[..used];
            while let Some(first) = rest.first() {
                // Blanks take the colour of what stands before them, for fewer escape sequences.
                let same = |cell: &&RegionCell| cell.ink == first.ink || cell.shown == Some(' ');
                let count = rest.iter().take_while(same).count().max(1);
                let text: String = rest[..count].iter().filter_map(|cell| cell.shown).collect();
                let bare = text.trim_end_matches(' ');
                out.push_str(&style.paint(first.ink, bare));
                out.push_str(&text[bare.len()..]);
                rest = &rest[count..];
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_the_end_are_not_written() {
        let mut canvas = Canvas::default();
        canvas.write(1, 2, "ab ", Ink::Alarm);
        canvas.put(1, 6, 'c', Ink::Plain);
        assert_eq!(canvas.render(&Style::default()), "\n  ab  c\n");
        let colored = Style { color: true, ..Style::default() };
        assert_eq!(canvas.render(&colored), "\n  \x1b[1;31mab\x1b[0m  c\n");
    }

    #[test]
    fn half_of_a_wide_character_does_not_stay() {
        let mut canvas = Canvas::default();
        canvas.write(0, 0, "日本", Ink::Plain);
        canvas.put(0, 1, '|', Ink::Plain);
        canvas.put(0, 2, '|', Ink::Plain);
        assert_eq!(canvas.render(&Style::default()), " ||\n");
    }
}
