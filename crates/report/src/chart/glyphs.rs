//! The characters that a text chart is drawn with. Those beyond ASCII are ones that terminals draw one
//! column wide and never as pictures.

use super::{LifelineSide, MarkKind};

/// One set of characters.
pub(super) struct Glyphs {
    pub lifeline: char,
    pub blocked: char,
    pub line: char,
    pub waiting: char,
    pub crossing: char,
    pub departs_right: char,
    pub departs_left: char,
    pub head_right: char,
    pub head_left: char,
    pub open_right: char,
    pub open_left: char,
    /// Corners of a line that comes from the left and goes down, from the right and down, from above and
    /// to the right, from above and to the left.
    pub left_down: char,
    pub right_down: char,
    pub up_right: char,
    pub up_left: char,
    pub lost: char,
    pub wall: char,
    pub copied: char,
    pub continued: char,
    pub rule: char,
    /// The side of the steps that are repeated.
    pub repeated: char,
    marks: [char; 10],
}

pub(super) const UNICODE: Glyphs = Glyphs {
    lifeline: '│',
    blocked: '║',
    line: '─',
    waiting: '┊',
    crossing: '┼',
    departs_right: '├',
    departs_left: '┤',
    head_right: '►',
    head_left: '◄',
    open_right: '▷',
    open_left: '◁',
    left_down: '╮',
    right_down: '╭',
    up_right: '╰',
    up_left: '╯',
    lost: '✗',
    wall: '▌',
    copied: '◦',
    continued: '…',
    rule: '╌',
    repeated: '┆',
    marks: ['│', '·', '▼', '●', '○', '◇', '◆', '■', '┬', '╳'],
};

pub(super) const ASCII: Glyphs = Glyphs {
    lifeline: '|',
    blocked: 'H',
    line: '-',
    waiting: ':',
    crossing: '+',
    departs_right: '|',
    departs_left: '|',
    head_right: '>',
    head_left: '<',
    open_right: ')',
    open_left: '(',
    left_down: '.',
    right_down: '.',
    up_right: '\'',
    up_left: '\'',
    lost: 'x',
    wall: ']',
    copied: 'o',
    continued: '~',
    rule: '-',
    repeated: ':',
    marks: ['|', '.', 'v', '*', 'o', '+', '!', '#', 'T', 'X'],
};

impl Glyphs {
    /// What stands on a lifeline for a mark.
    pub(super) fn mark(&self, kind: MarkKind) -> char {
        self.marks[kind as usize]
    }

    /// What stands on the lifeline of a sender.
    pub(super) fn departs(&self, side: LifelineSide) -> char {
        match side {
            LifelineSide::Left => self.departs_left,
            LifelineSide::Right => self.departs_right,
        }
    }

    /// The head of an arrow that points to a side.
    pub(super) fn head(&self, to: LifelineSide) -> char {
        match to {
            LifelineSide::Left => self.head_left,
            LifelineSide::Right => self.head_right,
        }
    }

    /// The head of an arrow that does not arrive.
    pub(super) fn open_head(&self, to: LifelineSide) -> char {
        match to {
            LifelineSide::Left => self.open_left,
            LifelineSide::Right => self.open_right,
        }
    }
}
