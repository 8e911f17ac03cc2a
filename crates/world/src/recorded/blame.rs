//! From bonds that clash to the assumption that was broken. What one node measured by itself goes before what
//! follows from several clocks together, a slow node before the messages that it read late, and a message
//! before everything else.

use super::bonds::{Bond, Point, Why};
use super::deviation::Broken;
use super::letters::Letters;
use super::lives::Lives;
use crate::automaton::Facts;
use watchkeeper_core::Stall;

/// Where a run leaves the model: all that is needed to name the reason.
pub(crate) struct Clashing<'a> {
    pub(crate) lives: &'a Lives<'a>,
    pub(crate) letters: &'a Letters,
    pub(crate) facts: &'a Facts,
    pub(crate) roots: &'a [usize],
    /// The first step at which not all bonds can be kept.
    pub(crate) step: usize,
    pub(crate) cycle: &'a [Bond],
    pub(crate) excess: i64,
}

impl Clashing<'_> {
    /// The step to name, and what it broke. The bonds are those up to the step and no more: what the step armed or
    /// sent looks late by as much as the step is early, and it is not late.
    pub(crate) fn broken(&self, bonds: &[Bond]) -> (usize, Broken) {
        let direct = bonds.iter().filter(|bond| self.touches(bond) && self.over(bond).is_some());
        let by_rank = |bond: &&Bond| rank(bond.why, true);
        if let Some((bond, over)) = direct.min_by_key(by_rank).and_then(|bond| Some((bond, self.over(bond)?)))
        {
            return self.named(bond, over, true);
        }
        let telling = self.cycle.iter().min_by_key(|bond| rank(bond.why, false));
        // Of timers that are late and timers that are early together, the one that is so the most.
        let telling = telling.map(|bond| match bond.why {
            Why::Timer { .. } => self.most_astray().unwrap_or(bond),
            _ => bond,
        });
        match telling {
            Some(bond) => self.named(bond, self.excess, false),
            None => (self.step, Broken::Unconfirmed { why: "bounds clash without a reason".to_string() }),
        }
    }

    /// The timer of the cycle that is farthest from its bound by the clock of its node.
    fn most_astray(&self) -> Option<&Bond> {
        let timers = self.cycle.iter().filter_map(|bond| match (bond.why, bond.a, bond.b) {
            (Why::Timer { .. } | Why::TimerEarly { .. }, Point::Step(a), Point::Step(b)) => {
                Some((self.lives.at(a) - self.lives.at(b) - bond.most, std::cmp::Reverse(a.max(b)), bond))
            }
            _ => None,
        });
        // The first of several that are equally far: what comes later may be a consequence.
        timers.max_by_key(|&(astray, first, _)| (astray, first)).map(|(_, _, bond)| bond)
    }

    fn touches(&self, bond: &Bond) -> bool {
        bond.a == Point::Step(self.step) || bond.b == Point::Step(self.step)
    }

    /// By how much a bond between two steps is broken by what their common clock said, whatever the precision
    /// is used for.
    fn over(&self, bond: &Bond) -> Option<i64> {
        let (Point::Step(a), Point::Step(b)) = (bond.a, bond.b) else { return None };
        if self.lives.clock(a) != self.lives.clock(b) {
            return None;
        }
        let over = self.lives.at(a) - self.lives.precision - self.lives.at(b) - bond.most;
        (over > 0).then_some(over)
    }

    fn named(&self, bond: &Bond, over: i64, measured: bool) -> (usize, Broken) {
        let lives = self.lives;
        let (Point::Step(a), Point::Step(b)) = (bond.a, bond.b) else {
            let why = "a step was taken before another that its clock has earlier".to_string();
            return (self.step, Broken::Unconfirmed { why });
        };
        let allowed = lives.precision;
        // What the clock said, or what the other bonds leave at least.
        let took = if measured { lives.at(a) - lives.at(b) } else { bond.most.saturating_add(over) };
        let sooner = if measured { lives.at(b) - lives.at(a) } else { (-bond.most).saturating_sub(over) };
        let late = if measured { over + allowed } else { over };
        let name = |slot: usize| self.facts.timer(slot);
        let slow = |step: usize, what: String| {
            let process = lives.process(step);
            let stall = stalled(lives, step, lives.at(step) - late.max(took)).map(|stall| stall.lasted);
            (step, Broken::Speed { process, what, late, allowed, stall })
        };
        match bond.why {
            Why::Delay { letter } => {
                let sent = &self.letters.list[letter];
                let stall = stalled(lives, a, lives.at(a) - took);
                if stall.is_some_and(|stall| i64::try_from(stall.lasted).is_ok_and(|ns| ns >= over)) {
                    return slow(a, format!("its receipt of {} from {}", sent.label, sent.from));
                }
                let (message, number) = (sent.label.clone(), sent.number.unwrap_or(0));
                let (from, to, most) = (sent.from, sent.to, bond.most);
                let broken = match self.roots[letter] == sent.by {
                    true => Broken::Delay { message, number, from, to, took, measured, most },
                    false => Broken::RoundTrip { message, number, from, to, took, measured, most },
                };
                (a, broken)
            }
            Why::Timer { slot, fired: true } => slow(a, format!("its timer {}", name(slot))),
            Why::Timer { slot, fired: false } => {
                slow(a, format!("its timer {}, which had not fired", name(slot)))
            }
            Why::TimerEarly { slot } => {
                let what = format!("the timer {} of {} fired", name(slot), lives.process(b));
                (b, Broken::TooEarly { what, took: sooner, least: -bond.most })
            }
            Why::Early { letter } | Why::Causal { letter } => {
                let sent = &self.letters.list[letter];
                let what = format!("{} from {} to {} arrived", sent.label, sent.from, sent.to);
                (b, Broken::TooEarly { what, took: sooner, least: -bond.most })
            }
            Why::Together { life } => {
                let start = lives.start(life);
                let late = if measured { (lives.at(a) - lives.at(b)).abs() } else { over };
                let what = "its start, after messages that it received had been sent".to_string();
                let process = lives.process(start);
                (start, Broken::Speed { process, what, late, allowed, stall: None })
            }
            Why::Begun { letter } => {
                let sent = &self.letters.list[letter];
                let what =
                    format!("its start, after {} that it received from {} was sent", sent.label, sent.from);
                slow(a, what)
            }
            Why::Lives => {
                let why = "began a life before the one before it had ended".to_string();
                (self.step, Broken::Lives { process: lives.process(b), why })
            }
            Why::DueFirst { letter } => {
                let sent = &self.letters.list[letter];
                slow(a, format!("{} from {}, which was due before its timer,", sent.label, sent.from))
            }
            Why::Order => {
                let what = format!("{} took its next step", lives.process(b));
                (b, Broken::TooEarly { what, took: sooner, least: 0 })
            }
            Why::OnItsWay { .. } | Why::Clock => {
                let why = format!("steps {a} and {b} cannot both be at their times");
                (self.step, Broken::Unconfirmed { why })
            }
        }
    }
}

/// The longest stall that a node recorded up to a step and not before a moment of its clock.
fn stalled(lives: &Lives<'_>, step: usize, since: i64) -> Option<Stall> {
    let at = lives.at(step);
    let stalls = lives.list[lives.life(step)].stalls.iter();
    let within = |stall: &&Stall| {
        let found = i64::try_from(stall.at).unwrap_or(i64::MAX);
        (since..=at).contains(&found)
    };
    stalls.filter(within).max_by_key(|stall| stall.lasted).copied()
}

/// Which of several broken bonds says most; `own` if one clock has measured it.
fn rank(why: Why, own: bool) -> usize {
    match why {
        Why::Timer { .. } if own => 0,
        Why::Delay { .. } => 1,
        Why::Timer { .. } => 2,
        Why::Together { .. } => 3,
        Why::Early { .. } | Why::TimerEarly { .. } => 4,
        Why::Begun { .. } => 5,
        Why::Causal { .. } => 6,
        Why::Lives => 7,
        Why::DueFirst { .. } => 8,
        Why::OnItsWay { .. } => 9,
        Why::Order => 10,
        Why::Clock => 11,
    }
}
