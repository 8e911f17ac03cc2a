//! What happens at lifelines: the signs on them and the words beside them.

use super::arrows::towards;
use super::{LEADING, Sheet};
use crate::chart::{LifelineMarks, LifelineSide, MarkKind};
use crate::drawing::pixels;

impl Sheet<'_> {
    pub(super) fn all_marks(&mut self) {
        for (row, content) in self.chart.rows.iter().enumerate() {
            for marks in &content.marks {
                self.words_beside(row, marks);
                let timeout = marks.marks.iter().any(|mark| mark.kind == MarkKind::Timeout);
                self.sign((self.x[marks.lifeline], self.y[row]), marks.kind(), timeout);
            }
        }
    }

    fn words_beside(&mut self, row: usize, marks: &LifelineMarks) {
        let lines = self.words(marks);
        let (x, y) = (self.x[marks.lifeline], self.y[row]);
        let reach = self.reach(marks.lifeline, marks.side, row);
        let at = towards(x, marks.side, reach.max(2) + 14);
        let widest = lines.iter().map(|line| pixels(line)).max().unwrap_or(0);
        if reach > 0 {
            self.pen.line(
                "leader",
                (towards(x, marks.side, 8), y),
                (towards(at, marks.side.opposite(), 4), y),
            );
        }
        let (tint, class) = look(marks.kind());
        if let Some(tint) = tint {
            let left = match marks.side {
                LifelineSide::Left => at.saturating_sub(widest + 6),
                LifelineSide::Right => at - 6,
            };
            self.pen.rect(tint, (left, y - 11), (widest + 12, lines.len() * LEADING + 6), 5);
        }
        let anchor = if marks.side == LifelineSide::Left { " end" } else { "" };
        let bare = if tint.is_some() { " bare" } else { "" };
        for (i, line) in lines.iter().enumerate() {
            self.pen.text(&format!("{class}{anchor}{bare}"), (at, y + 4 + i * LEADING), line);
        }
    }

    /// The sign of a kind of mark on a lifeline.
    pub(super) fn sign(&mut self, (x, y): (usize, usize), kind: MarkKind, timeout: bool) {
        if timeout {
            let tone = match kind {
                MarkKind::Alarm => "alarm",
                MarkKind::Relief => "relief",
                _ => "caution",
            };
            self.pen.circle(&format!("{tone} hollow"), (x, y), 7);
            return self.pen.path(tone, &format!("M{x} {}V{y}H{}", y - 4, x + 3));
        }
        let diamond = format!("M{x} {}L{} {y}L{x} {}L{} {y}Z", y - 6, x + 6, y + 6, x - 6);
        match kind {
            MarkKind::Note => {}
            MarkKind::Swallowed => self.pen.circle("faint", (x, y), 2),
            MarkKind::Call => {
                self.pen.path("ink-fill", &format!("M{} {}H{}L{x} {}Z", x - 6, y - 5, x + 6, y + 5));
            }
            MarkKind::Announced => self.pen.circle("ink-fill", (x, y), 4),
            MarkKind::Timeout => self.sign((x, y), kind, true),
            MarkKind::Relief => self.pen.path("relief hollow", &diamond),
            MarkKind::Alarm => self.pen.path("alarm-fill", &diamond),
            MarkKind::Blocked => self.pen.rect("caution-fill", (x - 6, y - 6), (12, 12), 1),
            MarkKind::Recover => self.pen.path("relief bold", &format!("M{} {y}H{}", x - 9, x + 9)),
            MarkKind::Crash => {
                let d = format!(
                    "M{} {}L{} {}M{} {}L{} {}",
                    x - 9,
                    y - 9,
                    x + 9,
                    y + 9,
                    x - 9,
                    y + 9,
                    x + 9,
                    y - 9
                );
                self.pen.path("alarm bold", &d);
            }
        }
    }
}

/// The box behind the words of a mark, if it has one, and the class of the words.
fn look(kind: MarkKind) -> (Option<&'static str>, &'static str) {
    match kind {
        MarkKind::Note => (None, "note"),
        MarkKind::Swallowed => (None, "faint small"),
        MarkKind::Call | MarkKind::Announced => (Some("ink-tint"), "ink"),
        MarkKind::Timeout => (None, "caution"),
        MarkKind::Relief => (Some("relief-tint"), "relief"),
        MarkKind::Alarm => (Some("alarm-tint"), "alarm"),
        MarkKind::Blocked => (Some("caution-tint"), "caution"),
        MarkKind::Recover => (None, "relief strong"),
        MarkKind::Crash => (None, "alarm strong"),
    }
}
