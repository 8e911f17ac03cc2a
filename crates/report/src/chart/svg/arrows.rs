//! Messages: their lines, heads and labels.

use super::{Sheet, caption};
use crate::chart::{LifelineSide, MarkKind, MessageArrow, MessageOutcome};
use crate::drawing::{KINDS, pixels};

/// The radius of a turn.
const TURN: usize = 7;
/// The length of an arrow head.
const HEAD: usize = 9;
/// A message is on its way for long if its end is so many rows below its start.
const FAR: usize = 3;
/// How far before its destination a message ends that does not arrive.
const SHORT: usize = 14;

impl Sheet<'_> {
    pub(super) fn arrow(&mut self, i: usize) {
        let arrow = self.chart.arrows[i].clone();
        let kind = kind_class(&arrow);
        let (y, x) = (self.y[arrow.start], self.start(&arrow));
        match (arrow.later_end(), self.tracks.of(i)) {
            (Some(end), Some(track)) => self.bent(&arrow, end, track),
            (Some(end), None) => self.apart(&arrow, end),
            (None, _) => self.straight(&arrow),
        }
        if arrow.copy {
            self.pen.circle(&format!("{kind} hollow"), (x, y), 3);
        }
        self.label(i);
    }

    /// Where a message leaves: at its sender, or close to it for a copy that the network made.
    fn start(&self, arrow: &MessageArrow) -> usize {
        let out = if arrow.copy { 14 } else { 0 };
        towards(self.x[arrow.from], arrow.leaves(), out)
    }

    fn straight(&mut self, arrow: &MessageArrow) {
        let kind = kind_class(arrow);
        let (y, x, to) = (self.y[arrow.start], self.start(arrow), self.x[arrow.to]);
        let side = arrow.leaves();
        let back = side.opposite();
        if arrow.from == arrow.to {
            // A message to oneself that is still on its way: out to the side, and no further.
            let end = towards(x, side, 34);
            self.pen.line(&kind, (x, y), (end, y));
            return self.open_head(&kind, (end, y), side);
        }
        match arrow.outcome {
            MessageOutcome::Received(row) => {
                let tip = towards(to, back, self.clearance(arrow.to, row));
                self.pen.line(&kind, (x, y), (towards(tip, back, HEAD - 2), y));
                self.head(&kind, (tip, y), side);
            }
            MessageOutcome::Swallowed(_) => {
                self.pen.line(&kind, (x, y), (towards(to, back, 2), y));
                self.open_head(&kind, (towards(to, back, 2), y), side);
            }
            MessageOutcome::InFlight => {
                let tracks = self.reach(arrow.to, back, arrow.start);
                let end = towards(to, back, SHORT.max(tracks + 8));
                self.pen.line(&kind, (x, y), (end, y));
                self.open_head(&kind, (end, y), side);
            }
            MessageOutcome::Lost(_) => {
                let end = self.halfway(arrow);
                self.pen.line(&kind, (x, y), (end, y));
                self.cross((end, y));
            }
            MessageOutcome::Ignored | MessageOutcome::Overflow => {
                let end = self.halfway(arrow);
                let tone = if arrow.outcome == MessageOutcome::Ignored { "caution" } else { "alarm" };
                self.pen.line(&kind, (x, y), (end, y));
                self.pen.line(&format!("{tone} bold"), (end, y - 7), (end, y + 7));
            }
        }
    }

    /// Where a message ends that never is on its way, or not for long: behind its label.
    fn halfway(&self, arrow: &MessageArrow) -> usize {
        let near = self.reach(arrow.from, arrow.leaves(), arrow.start);
        let i = self.chart.arrows.iter().position(|other| other == arrow).unwrap_or(0);
        let out = near + pixels(&caption(self.chart, &self.tracks, i)) + 16;
        towards(self.x[arrow.from], arrow.leaves(), out)
    }

    /// Across, down a track, and in.
    fn bent(&mut self, arrow: &MessageArrow, end: usize, track: usize) {
        let kind = kind_class(arrow);
        let side = arrow.arrives();
        let (x, y) = (self.start(arrow), self.y[arrow.start]);
        let (tx, below) = (self.track(arrow.to, side, track), self.y[end]);
        let back = arrow.leaves().opposite();
        let before = towards(tx, back, TURN);
        self.pen.path(&kind, &format!("M{x} {y}H{before}Q{tx} {y} {tx} {}", y + TURN));
        if matches!(arrow.outcome, MessageOutcome::Lost(_)) {
            self.pen.line(&format!("{kind} wait"), (tx, y + TURN), (tx, below));
            self.cross((tx, below));
            let (class, at) = match side {
                LifelineSide::Left => ("end alarm small", tx - 10),
                LifelineSide::Right => ("alarm small", tx + 10),
            };
            return self.pen.text(class, (at, below + 4), "lost");
        }
        self.pen.line(&format!("{kind} wait"), (tx, y + TURN), (tx, below - TURN));
        let to = side.opposite();
        let turned = towards(tx, to, TURN);
        let swallowed = matches!(arrow.outcome, MessageOutcome::Swallowed(_));
        let tip = towards(self.x[arrow.to], side, if swallowed { 2 } else { self.clearance(arrow.to, end) });
        let last = towards(tip, side, if swallowed { 0 } else { HEAD - 2 });
        self.pen.path(&kind, &format!("M{tx} {}Q{tx} {below} {turned} {below}H{last}", below - TURN));
        if swallowed {
            self.open_head(&kind, (tip, below), to)
        } else {
            self.head(&kind, (tip, below), to)
        }
        if end - arrow.start >= FAR {
            self.say_again(arrow, end);
        }
    }

    /// The label of a message that has been on its way for long, before the last turn of its line, if
    /// there is room.
    fn say_again(&mut self, arrow: &MessageArrow, row: usize) {
        let side = arrow.arrives();
        let near = self.reach(arrow.to, side, row);
        let room = self.room(arrow.to, side, row).map_or(usize::MAX, |far| far.saturating_sub(near));
        if pixels(&arrow.label) + 12 <= room {
            let at = towards(self.x[arrow.to], side, near + 8);
            let anchor = if side == LifelineSide::Left { " end" } else { "" };
            let class = format!("small {}{anchor}", kind_class(arrow));
            self.pen.text(&class, (at, self.y[row] + 4), &arrow.label);
        }
    }

    /// How far a head must stay off a lifeline to leave the sign on it free.
    fn clearance(&self, lifeline: usize, row: usize) -> usize {
        let signs = self.chart.rows[row].marks.iter().filter(|marks| marks.lifeline == lifeline);
        signs.map(|marks| if marks.kind() == MarkKind::Note { 0 } else { 7 }).max().unwrap_or(0)
    }

    /// How far it is from a lifeline to the next one on a side, or to the tracks in use before that.
    fn room(&self, lifeline: usize, side: LifelineSide, row: usize) -> Option<usize> {
        let next = match side {
            LifelineSide::Left => lifeline.checked_sub(1)?,
            LifelineSide::Right => Some(lifeline + 1).filter(|&next| next < self.x.len())?,
        };
        Some(self.x[lifeline].abs_diff(self.x[next]) - self.reach(next, side.opposite(), row))
    }

    /// The two ends of a message that found no track, each with its number.
    fn apart(&mut self, arrow: &MessageArrow, end: usize) {
        let kind = kind_class(arrow);
        let (x, y) = (self.start(arrow), self.y[arrow.start]);
        let stub = self.halfway(arrow);
        self.pen.line(&kind, (x, y), (stub, y));
        self.pen.line(&format!("{kind} wait"), (stub, y), (towards(stub, arrow.leaves(), 14), y));
        let (side, below) = (arrow.arrives(), self.y[end]);
        let number = arrow.number.map_or(String::new(), |number| format!("#{number}"));
        let from = towards(self.x[arrow.to], side, self.reach(arrow.to, side, end) + pixels(&number) + 24);
        self.pen.line(&kind, (from, below), (towards(self.x[arrow.to], side, HEAD - 2), below));
        match arrow.outcome {
            MessageOutcome::Lost(_) => self.cross((from, below)),
            _ => self.head(&kind, (self.x[arrow.to], below), side.opposite()),
        }
        let class = format!("small {kind}{}", if side == LifelineSide::Left { "" } else { " end" });
        self.pen.text(&class, (from, below - 5), &number);
    }

    /// The label stands above its line, beside the sender, in the room that was made for it there.
    fn label(&mut self, i: usize) {
        let arrow = &self.chart.arrows[i];
        let (side, row) = (arrow.leaves(), arrow.start);
        let close = matches!(arrow.outcome, MessageOutcome::Ignored | MessageOutcome::Overflow)
            || (arrow.later_end().is_some() && self.tracks.of(i).is_none())
            || matches!(arrow.outcome, MessageOutcome::Lost(at) if at == row)
            || arrow.from == arrow.to;
        let near = self.reach(arrow.from, side, row) + if arrow.copy { 14 } else { 0 };
        let text = caption(self.chart, &self.tracks, i);
        let middle = match self.room(arrow.from, side, row) {
            Some(far) if !close => (near + far) / 2,
            _ => near + 10 + pixels(&text) / 2,
        };
        let at = towards(self.x[arrow.from], side, middle);
        let class = format!("mid {}", kind_class(arrow));
        let y = self.y[row] - 6;
        self.pen.text(&class, (at, y), &text);
    }

    pub(super) fn head(&mut self, kind: &str, (x, y): (usize, usize), to: LifelineSide) {
        let back = towards(x, to.opposite(), HEAD);
        self.pen.path(&format!("{kind}-fill"), &format!("M{x} {y}L{back} {}V{}Z", y - 4, y + 4));
    }

    pub(super) fn open_head(&mut self, kind: &str, (x, y): (usize, usize), to: LifelineSide) {
        let back = towards(x, to.opposite(), HEAD);
        self.pen.path(kind, &format!("M{back} {}L{x} {y}L{back} {}", y - 5, y + 5));
    }

    pub(super) fn cross(&mut self, (x, y): (usize, usize)) {
        let d = format!("M{} {}L{} {}M{} {}L{} {}", x - 6, y - 6, x + 6, y + 6, x - 6, y + 6, x + 6, y - 6);
        self.pen.path("alarm bold", &d);
    }
}

pub(super) fn towards(x: usize, side: LifelineSide, distance: usize) -> usize {
    match side {
        LifelineSide::Left => x.saturating_sub(distance),
        LifelineSide::Right => x + distance,
    }
}

fn kind_class(arrow: &MessageArrow) -> String {
    format!("k{}", arrow.kind % KINDS.len())
}
