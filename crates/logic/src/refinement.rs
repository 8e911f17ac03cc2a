//! Refinement: every visible behaviour of one space is a visible behaviour of another. Here are the visible events
//! of a step, the semantics that are compared, and the result; the comparison itself is left to an engine.

use crate::Verdict;
use std::fmt;
use watchkeeper_space::{AtomId, ClassId, Shape};

/// The visible events of a space, with their names. Two spaces are compared by these names alone; a step without a
/// visible event is internal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alphabet {
    entries: Vec<VisibleEvent>,
}

/// One visible event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VisibleEvent {
    /// What happens in the space.
    pub visibility: Visibility,
    /// The name of the event.
    pub event: String,
    /// It is not visible if this atom holds after the step: a process that has crashed announces nothing.
    pub unless: Option<AtomId>,
}

/// What happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// The atom is false before the step and true after it.
    Rise(AtomId),
    /// The atom is true before the step and false after it.
    Fall(AtomId),
    /// The step is of this class.
    Class(ClassId),
}

impl Alphabet {
    /// Nothing can be seen.
    pub fn new() -> Alphabet {
        Alphabet::default()
    }

    /// This alphabet, and that an atom becomes true is seen too.
    #[must_use]
    pub fn rise(self, atom: AtomId, event: impl Into<String>) -> Alphabet {
        self.with(Visibility::Rise(atom), event, None)
    }

    /// This alphabet, and that an atom becomes false is seen too.
    #[must_use]
    pub fn fall(self, atom: AtomId, event: impl Into<String>) -> Alphabet {
        self.with(Visibility::Fall(atom), event, None)
    }

    /// This alphabet, and a class of actions is seen too.
    #[must_use]
    pub fn class(self, class: ClassId, event: impl Into<String>) -> Alphabet {
        self.with(Visibility::Class(class), event, None)
    }

    /// This alphabet with one thing more that can be seen, unless an atom holds after the step.
    #[must_use]
    pub fn with(
        mut self,
        visibility: Visibility,
        event: impl Into<String>,
        unless: Option<AtomId>,
    ) -> Alphabet {
        self.entries.push(VisibleEvent { visibility, event: event.into(), unless });
        self
    }

    /// What can be seen.
    pub fn entries(&self) -> &[VisibleEvent] {
        &self.entries
    }

    /// The names of the events, each once, in the order in which they were given.
    pub fn events(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for VisibleEvent { event, .. } in &self.entries {
            if !names.contains(&event.as_str()) {
                names.push(event);
            }
        }
        names
    }

    /// The name of an event that stands on an atom or a class that the space does not have.
    pub fn foreign(&self, shape: &Shape) -> Option<&str> {
        let is_foreign = |entry: &&VisibleEvent| {
            let known = match entry.visibility {
                Visibility::Rise(atom) | Visibility::Fall(atom) => atom < shape.atoms.len(),
                Visibility::Class(class) => usize::from(class) < shape.classes.len(),
            };
            !known || entry.unless.is_some_and(|atom| atom >= shape.atoms.len())
        };
        self.entries.iter().find(is_foreign).map(|entry| entry.event.as_str())
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Semantics {
    /// Finite sequences of visible events: nothing happens that may not. `[T=` in the notation of CSP.
    Traces,
    /// Those, and what may be refused after them in a state without internal steps: whatever has to be
    /// offered is. Divergence is not looked at. `[F=` in the notation of CSP.
    #[strum(to_string = "stable failures")]
    StableFailures,
    /// Those, and where internal steps can go on for ever, after which nothing is promised any more. `[FD=` in the notation
    /// of CSP.
    #[strum(to_string = "failures and divergences")]
    FailuresDivergences,
}

/// The answer to whether an implementation refines a specification.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// Holds, violated or unknown, with the run of the implementation. Its states are the pairs of
    /// [`RefinementSizes::pairs`].
    pub verdict: Verdict,
    /// How much was looked at.
    pub sizes: RefinementSizes,
    /// What the implementation was seen to do that the specification does not allow, if it is violated; or
    /// what a witness could not match, if that is why nothing is known.
    pub violation: Option<RefinementViolation>,
}

/// How much of both spaces was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RefinementSizes {
    /// States of the implementation.
    pub implementation: u64,
    /// States of the specification.
    pub specification: u64,
    /// Sets of states in which the specification may be after the same trace; 0 with a witness, which
    /// follows one state at a time.
    pub sets: u64,
    /// Pairs of a state of the implementation and what was known of the specification.
    pub pairs: u64,
}

/// What an implementation was seen to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefinementViolation {
    /// What was seen up to there, step by step: the events of one step, whose order nobody can see, stand
    /// together.
    pub trace: Vec<Vec<String>>,
    /// What is wrong after that.
    pub wrong: RefinementFailure,
    /// The events that the specification can have next.
    pub allowed: Vec<String>,
}

/// What is wrong after a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RefinementFailure {
    /// Internal steps can go on for ever here, and the specification always comes to rest.
    Divergence,
    /// These events happen in one step, and the specification cannot have them in any order.
    Events(Vec<String>),
    /// The implementation rests in a state in which it has only these events to offer, and the specification
    /// never rests in one with no more than these. Each list of `required` is what it offers in one of its own
    /// stable states; there may be none.
    Refusal {
        /// What the implementation offers.
        offered: Vec<String>,
        /// What the specification offers where it rests, as far as none is more than another.
        required: Vec<Vec<String>>,
    },
    /// A witness has nothing to match a step with these events, or with none; it does not say whether the
    /// specification has.
    Unmatched(Vec<String>),
}

impl RefinementViolation {
    /// What was seen, in one line.
    pub fn seen(&self) -> String {
        let steps: Vec<String> = self.trace.iter().map(|events| together(events)).collect();
        if steps.is_empty() { "nothing".to_string() } else { steps.join(", ") }
    }
}

impl fmt::Display for RefinementViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wrong {
            RefinementFailure::Events(events) => {
                let allowed = listed(&self.allowed);
                write!(f, "{} is not allowed here; the specification allows {allowed}", together(events))
            }
            RefinementFailure::Divergence => {
                f.write_str("goes on for ever here without an event; the specification does not")
            }
            RefinementFailure::Unmatched(events) => {
                write!(f, "the witness has no match for a step that shows {}", listed(events))
            }
            RefinementFailure::Refusal { offered, required } if required.is_empty() => {
                write!(f, "rests here offering {}; the specification never rests here", listed(offered))
            }
            RefinementFailure::Refusal { offered, required } => {
                let required: Vec<String> = required.iter().map(|events| listed(events)).collect();
                let (offered, required) = (listed(offered), required.join(", or "));
                write!(f, "rests here offering {offered}; the specification offers at least {required}")
            }
        }
    }
}

/// The events of one step.
fn together(events: &[String]) -> String {
    match events {
        [event] => event.clone(),
        events => format!("{{{}}}", events.join(", ")),
    }
}

fn listed(events: &[String]) -> String {
    if events.is_empty() { "nothing".to_string() } else { events.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_space::Atom;

    #[test]
    fn events_have_their_names_once_and_stand_on_what_the_space_has() {
        let alphabet = Alphabet::new().rise(0, "a").fall(0, "b").class(0, "a");
        assert_eq!(alphabet.events(), ["a", "b"]);
        let mut shape =
            Shape { atoms: vec![Atom { name: "x".into(), symmetric: false }], ..Shape::default() };
        assert_eq!(alphabet.foreign(&shape), Some("a"));
        let alphabet = Alphabet::new().rise(0, "a").with(Visibility::Fall(0), "b", Some(1));
        assert_eq!(alphabet.foreign(&shape), Some("b"));
        shape.atoms.push(Atom { name: "y".into(), symmetric: false });
        assert_eq!(alphabet.foreign(&shape), None);
    }

    #[test]
    fn an_violation_is_told_in_one_line() {
        let events = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let violation = RefinementViolation {
            trace: vec![events(&["a"]), events(&["b", "c"])],
            wrong: RefinementFailure::Events(events(&["d"])),
            allowed: events(&["a", "b"]),
        };
        assert_eq!(violation.seen(), "a, {b, c}");
        assert_eq!(violation.to_string(), "d is not allowed here; the specification allows a, b");
        let wrong =
            RefinementFailure::Refusal { offered: vec![], required: vec![events(&["a"]), events(&["b"])] };
        let told = RefinementViolation { wrong, ..violation }.to_string();
        assert_eq!(told, "rests here offering nothing; the specification offers at least a, or b");
    }
}
