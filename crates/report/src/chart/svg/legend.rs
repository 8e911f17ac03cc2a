//! The signs that a chart uses, with their meanings, below it.

use super::{MARGIN, Sheet};
use crate::chart::{LifelineSide, MarkKind, MessageOutcome};
use crate::drawing::pixels;

/// A sign in the legend.
enum Sign {
    LifelineMark(MarkKind),
    Message(MessageOutcome),
    Waiting,
}

impl Sheet<'_> {
    /// Draws the legend, and says where the drawing ends.
    pub(super) fn legend(&mut self) -> usize {
        let entries = self.entries();
        let (mut x, mut y) = (MARGIN, self.foot + 30);
        if entries.is_empty() {
            return self.foot;
        }
        self.pen.line("life", (MARGIN, y - 18), (self.width - MARGIN, y - 18));
        for (sign, words) in entries {
            let width = 44 + pixels(words);
            if x > MARGIN && x + width > self.width - MARGIN {
                (x, y) = (MARGIN, y + 22);
            }
            self.entry(&sign, (x, y));
            self.pen.text("small faint", (x + 38, y + 4), words);
            x += width;
        }
        y + 8
    }

    fn entry(&mut self, sign: &Sign, (x, y): (usize, usize)) {
        let (from, to) = (x, x + 30);
        match sign {
            Sign::LifelineMark(kind) => self.sign((x + 15, y), *kind, false),
            Sign::Waiting => self.pen.line("ink wait", (from, y), (to, y)),
            Sign::Message(outcome) => {
                self.pen.line("ink", (from, y), (to - 4, y));
                match outcome {
                    MessageOutcome::Received(_) => self.head("ink", (to, y), LifelineSide::Right),
                    MessageOutcome::Lost(_) => self.cross((to - 6, y)),
                    MessageOutcome::InFlight | MessageOutcome::Swallowed(_) => {
                        self.open_head("ink", (to - 3, y), LifelineSide::Right)
                    }
                    MessageOutcome::Ignored => {
                        self.pen.line("caution bold", (to - 4, y - 7), (to - 4, y + 7))
                    }
                    MessageOutcome::Overflow => self.pen.line("alarm bold", (to - 4, y - 7), (to - 4, y + 7)),
                }
            }
        }
    }

    fn entries(&self) -> Vec<(Sign, &'static str)> {
        let fates = || self.chart.arrows.iter().map(|arrow| arrow.outcome);
        let marks = || self.chart.rows.iter().flat_map(|row| &row.marks).flat_map(|marks| &marks.marks);
        let marked = |kind: MarkKind| marks().any(|mark| mark.kind == kind);
        let mut entries = Vec::new();
        let mut add = |used: bool, sign: Sign, words: &'static str| {
            if used {
                entries.push((sign, words));
            }
        };
        let received = fates().any(|outcome| matches!(outcome, MessageOutcome::Received(_)));
        add(received, Sign::Message(MessageOutcome::Received(0)), "message, received");
        let waits = self.chart.arrows.iter().any(|arrow| arrow.later_end().is_some());
        add(waits, Sign::Waiting, "on its way meanwhile");
        add(
            fates().any(|outcome| outcome == MessageOutcome::InFlight),
            Sign::Message(MessageOutcome::InFlight),
            "still in flight at the end",
        );
        let swallowed = fates().any(|outcome| matches!(outcome, MessageOutcome::Swallowed(_)));
        add(swallowed, Sign::Message(MessageOutcome::Swallowed(0)), "swallowed by a crashed process");
        add(
            fates().any(|outcome| matches!(outcome, MessageOutcome::Lost(_))),
            Sign::Message(MessageOutcome::Lost(0)),
            "lost",
        );
        add(
            fates().any(|outcome| outcome == MessageOutcome::Ignored),
            Sign::Message(MessageOutcome::Ignored),
            "ignored: channel full",
        );
        add(
            fates().any(|outcome| outcome == MessageOutcome::Overflow),
            Sign::Message(MessageOutcome::Overflow),
            "error: channel full",
        );
        for (kind, words) in [
            (MarkKind::Crash, "crash"),
            (MarkKind::Recover, "starts again after a crash"),
            (MarkKind::Timeout, "timeout"),
            (MarkKind::Alarm, "suspicion begins"),
            (MarkKind::Relief, "suspicion ends"),
            (MarkKind::Blocked, "blocked: waits for room in a channel"),
            (MarkKind::Call, "call of a client"),
            (MarkKind::Announced, "announcement"),
        ] {
            let before = kind == MarkKind::Crash
                && self.chart.lifelines.iter().any(|lifeline| lifeline.crashed_before());
            add(before || marked(kind), Sign::LifelineMark(kind), words);
        }
        entries
    }
}
