//! How many datagrams of a peer never came, and how many came out of order, judged by their numbers and by how long
//! they have been missing. Each number is judged once, in constant time and bounded memory; what has left the window
//! is judged exactly.

use super::WINDOW;
use super::window::Window;
use std::collections::VecDeque;

/// There is a number that was seen between two gaps of a window, so there are at most this many.
const MOST_GAPS: usize = (WINDOW / 2) as usize;

/// What the numbers of one peer tell about losses. Feed it with the numbers that were
/// opened in a session, and [`restart`](Gaps::restart) it when the peer is in a new incarnation.
///
/// A number is missing from the moment at which a higher one comes. It is lost when it has been missing for longer than
/// one's patience, or when it has left the window, in which it could still be admitted. Numbers before the first that
/// was seen do not count: they were sent before the ends knew each other. Neither do numbers after the highest: nobody
/// can know that they were sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gaps {
    window: Window,
    /// The first number that was seen in this incarnation.
    first: u64,
    /// All numbers up to this one have been judged.
    judged: u64,
    /// Where numbers above `judged` are missing, or were at first, lowest first.
    open: VecDeque<Gap>,
    seen: u64,
    lost: u64,
    out_of_order: u64,
    late: u64,
}

/// A number that came when others below it had not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    above: u64,
    since: u64,
}

impl Gaps {
    /// Nothing was seen yet. All memory that is ever needed is allocated here.
    pub fn new() -> Gaps {
        Gaps {
            window: Window::EMPTY,
            first: 0,
            judged: 0,
            open: VecDeque::with_capacity(MOST_GAPS),
            seen: 0,
            lost: 0,
            out_of_order: 0,
            late: 0,
        }
    }

    /// A number was admitted at this time, in nanoseconds of the node's clock.
    pub fn saw(&mut self, number: u64, now: u64) {
        if self.window.check(number).is_err() {
            return;
        }
        let highest = self.window.highest();
        if highest == 0 {
            self.first = number;
            self.judged = number - 1;
        } else if number > highest {
            self.judge(number.saturating_sub(WINDOW));
            if number - highest > 1 {
                self.open.push_back(Gap { above: number, since: now });
            }
        } else {
            self.out_of_order += 1;
            if (self.first..=self.judged).contains(&number) {
                self.late += 1;
            }
        }
        self.window.mark(number);
        self.seen += 1;
    }

    /// How many numbers were lost so far, in all incarnations of the peer: those that had been missing for longer than
    /// `patience` at `now`, both in nanoseconds, those that left the window, and those that an incarnation which is over never
    /// brought. A number that counts as lost once does so for ever, even if it comes after all.
    pub fn lost(&mut self, now: u64, patience: u64) -> u64 {
        while let Some(gap) = self.open.front()
            && now.saturating_sub(gap.since) > patience
        {
            self.judge(gap.above - 1);
        }
        self.lost
    }

    /// How many numbers were seen so far, in all incarnations of the peer.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many of them came after a higher one.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// How many of them came when they already counted as lost.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// A new incarnation of the peer has begun, and its numbers begin again. What is missing of the old one is lost, because
    /// it would not be admitted any more.
    pub fn restart(&mut self) {
        self.judge(self.window.highest());
        self.window = Window::EMPTY;
        self.first = 0;
        self.judged = 0;
    }

    /// Judges all numbers up to this one: what was not seen is lost.
    fn judge(&mut self, last: u64) {
        if last <= self.judged {
            return;
        }
        let highest = self.window.highest();
        if self.judged < highest {
            self.lost = self.lost.saturating_add(self.window.unseen(self.judged + 1, last.min(highest)));
        }
        let beyond = last.saturating_sub(highest.max(self.judged));
        self.lost = self.lost.saturating_add(beyond);
        self.judged = last;
        while self.open.front().is_some_and(|gap| gap.above - 1 <= last) {
            self.open.pop_front();
        }
    }
}

impl Default for Gaps {
    fn default() -> Gaps {
        Gaps::new()
    }
}

#[cfg(test)]
#[path = "gaps_tests.rs"]
mod tests;
