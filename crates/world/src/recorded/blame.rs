//! From constraints that clash to the assumption that was broken. What one node measured by itself goes before what
//! follows from several clocks together, a slow node before the messages that it read late, and a message
//! before everything else.

use super::constraints::{Cause, RecordedConstraint, TimePoint};
use super::deviation::BrokenAssumption;
use super::incarnations::{Incarnations, nanoseconds};
use super::messages::RecordedMessages;
use watchkeeper_automaton::Facts;
use watchkeeper_core::Stall;

/// Where a run leaves the model: all that is needed to name the reason.
pub(crate) struct ConstraintConflict<'a> {
    pub(crate) incarnations: &'a Incarnations<'a>,
    pub(crate) messages: &'a RecordedMessages<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) roots: &'a [usize],
    /// The first step at which not all constraints can be kept.
    pub(crate) step: usize,
    pub(crate) cycle: &'a [RecordedConstraint],
    pub(crate) excess: i64,
}

impl ConstraintConflict<'_> {
    /// The step to name, and what it broke. The constraints are those up to the step and no more: what the step armed or
    /// sent looks late by as much as the step is early, and it is not late.
    pub(crate) fn broken(&self, constraints: &[RecordedConstraint]) -> (usize, BrokenAssumption) {
        let direct = constraints
            .iter()
            .filter(|constraint| self.touches(constraint) && self.over(constraint).is_some());
        let by_rank = |constraint: &&RecordedConstraint| rank(constraint.why, true);
        if let Some((constraint, over)) =
            direct.min_by_key(by_rank).and_then(|constraint| Some((constraint, self.over(constraint)?)))
        {
            return self.named(constraint, over, true);
        }
        let telling = self.cycle.iter().min_by_key(|constraint| rank(constraint.why, false));
        // Of timers that are late and timers that are early together, the one that is so the most.
        let telling = telling.map(|constraint| match constraint.why {
            Cause::Timer { .. } => self.most_astray().unwrap_or(constraint),
            _ => constraint,
        });
        match telling {
            Some(constraint) => self.named(constraint, self.excess, false),
            None => (
                self.step,
                BrokenAssumption::Unconfirmed { why: "bounds clash without a reason".to_string() },
            ),
        }
    }

    /// The timer of the cycle that is farthest from its bound by the clock of its node.
    fn most_astray(&self) -> Option<&RecordedConstraint> {
        let timers =
            self.cycle.iter().filter_map(|constraint| match (constraint.why, constraint.a, constraint.b) {
                (Cause::Timer { .. } | Cause::TimerEarly { .. }, TimePoint::Step(a), TimePoint::Step(b)) => {
                    Some((
                        self.incarnations.at(a) - self.incarnations.at(b) - constraint.most,
                        std::cmp::Reverse(a.max(b)),
                        constraint,
                    ))
                }
                _ => None,
            });
        // The first of several that are equally far: what comes later may be a consequence.
        timers.max_by_key(|&(astray, first, _)| (astray, first)).map(|(_, _, constraint)| constraint)
    }

    fn touches(&self, constraint: &RecordedConstraint) -> bool {
        constraint.a == TimePoint::Step(self.step) || constraint.b == TimePoint::Step(self.step)
    }

    /// By how much a constraint between two steps is broken by what their common clock said, whatever the precision
    /// is used for.
    fn over(&self, constraint: &RecordedConstraint) -> Option<i64> {
        let (TimePoint::Step(a), TimePoint::Step(b)) = (constraint.a, constraint.b) else { return None };
        if self.incarnations.clock(a) != self.incarnations.clock(b) {
            return None;
        }
        let over =
            self.incarnations.at(a) - self.incarnations.precision - self.incarnations.at(b) - constraint.most;
        (over > 0).then_some(over)
    }

    fn named(&self, constraint: &RecordedConstraint, over: i64, measured: bool) -> (usize, BrokenAssumption) {
        let incarnations = self.incarnations;
        let (TimePoint::Step(a), TimePoint::Step(b)) = (constraint.a, constraint.b) else {
            let why = "a step was taken before another that its clock has earlier".to_string();
            return (self.step, BrokenAssumption::Unconfirmed { why });
        };
        let allowed = incarnations.precision;
        // What the clock said, or what the other constraints leave at least.
        let took = if measured {
            incarnations.at(a) - incarnations.at(b)
        } else {
            constraint.most.saturating_add(over)
        };
        let sooner = if measured {
            incarnations.at(b) - incarnations.at(a)
        } else {
            (-constraint.most).saturating_sub(over)
        };
        let late = if measured { over + allowed } else { over };
        let name = |slot: usize| self.facts.timer(slot);
        let slow = |step: usize, what: String| {
            let process = incarnations.process(step);
            let stall =
                stalled(incarnations, step, incarnations.at(step) - late.max(took)).map(|stall| stall.lasted);
            (step, BrokenAssumption::Speed { process, what, late, allowed, stall })
        };
        match constraint.why {
            Cause::Delay { message } => {
                let sent = &self.messages.list[message];
                if stood_still(incarnations, a, incarnations.at(a) - took) >= over {
                    return slow(
                        a,
                        format!("its receipt of {} from {}", self.messages.label(message), sent.from),
                    );
                }
                let single = self.roots[message] == sent.by;
                let (message, number) = (self.messages.label(message), sent.number.unwrap_or(0));
                let (from, to, most) = (sent.from, sent.to, constraint.most);
                let broken = match single {
                    true => BrokenAssumption::Delay { message, number, from, to, took, measured, most },
                    false => BrokenAssumption::RoundTrip { message, number, from, to, took, measured, most },
                };
                (a, broken)
            }
            Cause::Timer { slot, fired: true } => slow(a, format!("its timer {}", name(slot))),
            Cause::Timer { slot, fired: false } => {
                slow(a, format!("its timer {}, which had not fired", name(slot)))
            }
            Cause::TimerEarly { slot } => {
                let what = format!("the timer {} of {} fired", name(slot), incarnations.process(b));
                (b, BrokenAssumption::TooEarly { what, took: sooner, least: -constraint.most })
            }
            Cause::Early { message } | Cause::Causal { message } => {
                let sent = &self.messages.list[message];
                let what =
                    format!("{} from {} to {} arrived", self.messages.label(message), sent.from, sent.to);
                (b, BrokenAssumption::TooEarly { what, took: sooner, least: -constraint.most })
            }
            Cause::Together { incarnation } => {
                let start = incarnations.start(incarnation);
                let late = if measured { (incarnations.at(a) - incarnations.at(b)).abs() } else { over };
                let what = "its start, after messages that it received had been sent".to_string();
                let process = incarnations.process(start);
                (start, BrokenAssumption::Speed { process, what, late, allowed, stall: None })
            }
            Cause::Begun { message } => {
                let sent = &self.messages.list[message];
                let what = format!(
                    "its start, after {} that it received from {} was sent",
                    self.messages.label(message),
                    sent.from
                );
                slow(a, what)
            }
            Cause::Incarnations => {
                let why = "began an incarnation before the one before it had ended".to_string();
                (self.step, BrokenAssumption::Incarnations { process: incarnations.process(b), why })
            }
            Cause::DueFirst { message } => {
                let sent = &self.messages.list[message];
                slow(
                    a,
                    format!(
                        "{} from {}, which was due before its timer,",
                        self.messages.label(message),
                        sent.from
                    ),
                )
            }
            Cause::Order => {
                let what = format!("{} took its next step", incarnations.process(b));
                (b, BrokenAssumption::TooEarly { what, took: sooner, least: 0 })
            }
            Cause::OnItsWay { .. } | Cause::Clock => {
                let why = format!("steps {a} and {b} cannot both be at their times");
                (self.step, BrokenAssumption::Unconfirmed { why })
            }
        }
    }
}

/// How much of the time from a moment of its clock up to a step a node was stalled. A stall that was nearly over when a
/// message was sent did not make it late.
fn stood_still(incarnations: &Incarnations<'_>, step: usize, since: i64) -> i64 {
    let at = incarnations.at(step);
    let within = |stall: &Stall| {
        let ended = nanoseconds(stall.at).min(at);
        (ended - (nanoseconds(stall.at) - nanoseconds(stall.lasted)).max(since)).max(0)
    };
    incarnations.list[incarnations.incarnation(step)].stalls.iter().map(within).sum()
}

/// The longest stall that a node recorded up to a step and not before a moment of its clock.
fn stalled(incarnations: &Incarnations<'_>, step: usize, since: i64) -> Option<Stall> {
    let at = incarnations.at(step);
    let stalls = incarnations.list[incarnations.incarnation(step)].stalls.iter();
    let within = |stall: &&Stall| (since..=at).contains(&nanoseconds(stall.at));
    stalls.filter(within).max_by_key(|stall| stall.lasted).copied()
}

/// Which of several broken constraints says most; `own` if one clock has measured it.
fn rank(why: Cause, own: bool) -> usize {
    match why {
        Cause::Timer { .. } if own => 0,
        Cause::Delay { .. } => 1,
        Cause::Timer { .. } => 2,
        Cause::Together { .. } => 3,
        Cause::Early { .. } | Cause::TimerEarly { .. } => 4,
        Cause::Begun { .. } => 5,
        Cause::Causal { .. } => 6,
        Cause::Incarnations => 7,
        Cause::DueFirst { .. } => 8,
        Cause::OnItsWay { .. } => 9,
        Cause::Order => 10,
        Cause::Clock => 11,
    }
}
