//! What the figures ask of the model: the block of figure 6.13, and the monitors of figures 6.14 to 6.16 as
//! they are drawn. A monitor of the thesis moves between the steps of the system whenever it can; since
//! waiting never helps it to its error, it moves here as soon as it can, twice if it can twice.

use super::{DeltaGrowth, RingTimedCase, TimedRing};
use crate::names::UnknownName;
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};
use watchkeeper_logic::{Guard, Invariant, Monitor, MonitorEdge, Question};
use watchkeeper_space::{AtomId, Space};

/// A question about a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<TimedQuestion>)]
pub enum TimedQuestion {
    /// Figure 6.13: Task2 of p0 and of p2 hold their mutexes and each waits for room for an answer that the
    /// other would have to make.
    MutualBlock,
    /// Section 6.5.2: a state that nothing leaves, whether time may pass there or not.
    Deadlock,
    /// Figure 6.14: the timeout of p0 for p2 is maxDelta, and p0 suspects p2.
    WeakAccuracy,
    /// Figure 6.14 as its text may be meant: with a timeout of maxDelta p0 comes to suspect p2 anew.
    NewSuspicion,
    /// Figure 6.15: a timeout of p0 for p2, or of p2 for p0, is above maxDelta.
    StrongAccuracy,
    /// Figure 6.16: p1 has crashed, the timeouts of p0 and p2 for it are maxDelta, and it is not in G.
    StrongCompleteness,
    /// Section 6.3.4: p1 never enters G, not even after a crash.
    #[strum(serialize = "never-in-G")]
    NeverInG,
}

impl TimedQuestion {
    /// The figure or section of the thesis.
    pub const fn source(self) -> &'static str {
        match self {
            TimedQuestion::MutualBlock => "figure 6.13",
            TimedQuestion::Deadlock => "section 6.5.2",
            TimedQuestion::WeakAccuracy | TimedQuestion::NewSuspicion => "figure 6.14",
            TimedQuestion::StrongAccuracy => "figure 6.15",
            TimedQuestion::StrongCompleteness => "figure 6.16",
            TimedQuestion::NeverInG => "section 6.3.4",
        }
    }

    /// The claim that is examined, in a few words.
    pub const fn claim(self) -> &'static str {
        match self {
            TimedQuestion::MutualBlock => "p0 and p2 never block each other",
            TimedQuestion::Deadlock => "no deadlock and no time-lock",
            TimedQuestion::WeakAccuracy => "monitor as drawn: p0 with Delta = maxDelta does not suspect p2",
            TimedQuestion::NewSuspicion => "p0 with Delta = maxDelta does not come to suspect p2",
            TimedQuestion::StrongAccuracy => "monitor as drawn: Delta of p0 and p2 stays within maxDelta",
            TimedQuestion::StrongCompleteness => "monitor as drawn: crashed p1 is in G",
            TimedQuestion::NeverInG => "p1 never enters G",
        }
    }

    /// The question.
    pub fn question(self, space: &TimedRing) -> Question {
        let atom = |name: &str| atom(space, name);
        let invariant = |name: &str| self.invariant(atom(name));
        match self {
            TimedQuestion::MutualBlock => invariant("no-mutual-block"),
            TimedQuestion::Deadlock => Question::no_deadlock(),
            TimedQuestion::NeverInG => self.monitored(Guard::Atom(atom("in-G(p1)")), Guard::True),
            TimedQuestion::NewSuspicion => {
                let suspected = Guard::Atom(atom("suspects(p0,p2)"));
                let trusted = Guard::All(vec![self.armed(space), suspected.clone().negated()]);
                self.monitored(trusted, suspected)
            }
            TimedQuestion::WeakAccuracy => {
                self.monitored(self.armed(space), Guard::Atom(atom("suspects(p0,p2)")))
            }
            TimedQuestion::StrongAccuracy => self.monitored(self.armed(space), Guard::True),
            TimedQuestion::StrongCompleteness => {
                self.monitored(self.armed(space), Guard::Atom(atom("in-G(p1)")).negated())
            }
        }
    }

    /// Whether the claim is true of every state that could be written down, reachable or not.
    pub fn cannot_fail(self, case: &RingTimedCase) -> bool {
        self == TimedQuestion::StrongAccuracy && case.growth == DeltaGrowth::ToMaxDelta
    }

    /// For a monitor with a location between its first and its error, the claim that it never gets there: if
    /// that is true, the monitor cannot fail and says nothing.
    pub fn vacuity(self, space: &TimedRing) -> Option<Question> {
        match self {
            TimedQuestion::WeakAccuracy | TimedQuestion::NewSuspicion | TimedQuestion::StrongCompleteness => {
                Some(self.monitored(self.armed(space), Guard::True))
            }
            TimedQuestion::MutualBlock
            | TimedQuestion::Deadlock
            | TimedQuestion::StrongAccuracy
            | TimedQuestion::NeverInG => None,
        }
    }

    /// The guard of the first edge of the monitor.
    fn armed(self, space: &TimedRing) -> Guard {
        let not = |name: &str| Guard::Atom(atom(space, name)).negated();
        match self {
            TimedQuestion::WeakAccuracy | TimedQuestion::NewSuspicion => Guard::All(vec![
                not("below-max-delta(p0,p2)"),
                Guard::Atom(atom(space, "within-max-delta(p0,p2)")),
            ]),
            TimedQuestion::StrongAccuracy => {
                Guard::Any(vec![not("within-max-delta(p0,p2)"), not("within-max-delta(p2,p0)")])
            }
            TimedQuestion::StrongCompleteness => {
                let exactly = |p: &str| {
                    let within = Guard::Atom(atom(space, &format!("within-max-delta({p},p1)")));
                    Guard::All(vec![not(&format!("below-max-delta({p},p1)")), within])
                };
                Guard::All(vec![exactly("p2"), exactly("p0"), Guard::Atom(atom(space, "crashed(p1)"))])
            }
            TimedQuestion::MutualBlock | TimedQuestion::Deadlock | TimedQuestion::NeverInG => Guard::True,
        }
    }

    fn invariant(self, then: AtomId) -> Question {
        let invariants = vec![Invariant { name: self.claim().to_string(), when: None, then }];
        Question { invariants, ..Question::default() }
    }

    /// Three locations in a row: the first edge when `armed`, the second, into the error, when `wrong`.
    fn monitored(self, armed: Guard, wrong: Guard) -> Question {
        let both = Guard::All(vec![armed.clone(), wrong.clone()]);
        let monitor = Monitor {
            name: self.claim().to_string(),
            states: ["watching", "armed", "error"].map(String::from).to_vec(),
            edges: vec![
                MonitorEdge { from: 0, guard: both, to: 2 },
                MonitorEdge { from: 0, guard: armed, to: 1 },
                MonitorEdge { from: 1, guard: wrong, to: 2 },
            ],
            errors: vec![(2, "error".to_string())],
        };
        Question { monitor: Some(monitor), ..Question::default() }
    }
}

impl fmt::Display for TimedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source(), self.claim())
    }
}

fn atom(space: &TimedRing, name: &str) -> AtomId {
    space.shape().atom(name).expect("every timed ring has this atom")
}
