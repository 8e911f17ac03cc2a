//! Observers: finite automata that watch a run and may end in an error. A monitor never acts and never
//! delays; it moves after every step, on what it sees of the step and of the state after it.

use watchkeeper_space::{AtomId, ClassId};

/// An observer automaton. In each of its states the first edge whose guard is true is taken; if there
/// is none it stays. It looks at the initial state too, before the first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    /// Its name on the command line and in reports.
    pub name: String,
    /// The names of its states; the first is where it starts.
    pub states: Vec<String>,
    /// Its edges, in order of preference.
    pub edges: Vec<MonitorEdge>,
    /// The states that are errors, with what they mean.
    pub errors: Vec<(u32, String)>,
}

/// One edge of a monitor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorEdge {
    /// Where it begins.
    pub from: u32,
    /// When it is taken.
    pub guard: Guard,
    /// Where it leads.
    pub to: u32,
}

/// A condition on a step and the state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Always.
    True,
    /// The atom holds in the state after the step.
    Atom(AtomId),
    /// The step was of this class. Never true of the initial state.
    Class(ClassId),
    /// The condition is false.
    Not(Box<Guard>),
    /// All conditions are true.
    All(Vec<Guard>),
    /// One condition is true.
    Any(Vec<Guard>),
}

impl Guard {
    /// The opposite condition.
    #[must_use]
    pub fn negated(self) -> Guard {
        Guard::Not(Box::new(self))
    }

    /// Whether the condition is true, given what the atoms say and the class of the step.
    pub fn eval(&self, atom: &impl Fn(AtomId) -> bool, class: Option<ClassId>) -> bool {
        match self {
            Guard::True => true,
            Guard::Atom(id) => atom(*id),
            Guard::Class(id) => class == Some(*id),
            Guard::Not(guard) => !guard.eval(atom, class),
            Guard::All(guards) => guards.iter().all(|guard| guard.eval(atom, class)),
            Guard::Any(guards) => guards.iter().any(|guard| guard.eval(atom, class)),
        }
    }

    /// The atoms that the condition speaks of.
    pub fn atoms(&self) -> Vec<AtomId> {
        match self {
            Guard::True | Guard::Class(_) => Vec::new(),
            Guard::Atom(id) => vec![*id],
            Guard::Not(guard) => guard.atoms(),
            Guard::All(guards) | Guard::Any(guards) => guards.iter().flat_map(Guard::atoms).collect(),
        }
    }
}

impl Monitor {
    /// Where the monitor goes from `state`.
    pub fn next(&self, state: u32, atom: &impl Fn(AtomId) -> bool, class: Option<ClassId>) -> u32 {
        let taken = self.edges.iter().find(|edge| edge.from == state && edge.guard.eval(atom, class));
        taken.map_or(state, |edge| edge.to)
    }

    /// What is wrong, if this state is an error.
    pub fn error(&self, state: u32) -> Option<&str> {
        self.errors.iter().find(|(error, _)| *error == state).map(|(_, what)| what.as_str())
    }

    /// The observer of oscillations: an error once `suspected` has come and gone `times` times after
    /// `crashed` became true. As in figure 6.11 of Atif's thesis it begins to count in a state in which
    /// the process has crashed and is not suspected: a suspicion from before the crash does not count.
    pub fn oscillation(crashed: AtomId, suspected: AtomId, times: u32) -> Monitor {
        let is = Guard::Atom;
        let mut states = vec!["before the crash".to_string()];
        let trusted = Guard::All(vec![is(crashed), is(suspected).negated()]);
        let mut edges = vec![MonitorEdge { from: 0, guard: trusted, to: 1 }];
        // State 2k+1: not suspected, given up k times so far; 2k+2: suspected.
        for k in 0..=times {
            states.push(format!("crashed, not suspected, given up {k}"));
            if k < times {
                states.push(format!("crashed, suspected, given up {k}"));
                edges.push(MonitorEdge { from: 2 * k + 1, guard: is(suspected), to: 2 * k + 2 });
                edges.push(MonitorEdge { from: 2 * k + 2, guard: is(suspected).negated(), to: 2 * k + 3 });
            }
        }
        let often = if times == 1 { "once".to_string() } else { format!("{times} times") };
        let what = format!("a crashed process was suspected and then trusted again {often}");
        Monitor { name: format!("oscillation:{times}"), states, edges, errors: vec![(2 * times + 1, what)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASHED: AtomId = 0;
    const SUSPECTED: AtomId = 1;

    /// Whether the observer is in an error after states in which these atoms hold.
    fn fails(times: u32, run: &[(bool, bool)]) -> bool {
        let monitor = Monitor::oscillation(CRASHED, SUSPECTED, times);
        let next = |state, &(crashed, suspected): &(bool, bool)| {
            monitor.next(state, &|atom| if atom == CRASHED { crashed } else { suspected }, None)
        };
        monitor.error(run.iter().fold(0, next)).is_some()
    }

    #[test]
    fn an_oscillation_is_a_suspicion_that_comes_and_goes_after_the_crash() {
        let (alive, mistaken) = ((false, false), (false, true));
        let (trusted, suspected) = ((true, false), (true, true));
        assert!(!fails(1, &[alive, mistaken, alive, mistaken, alive]));
        assert!(!fails(1, &[alive, trusted, suspected]));
        assert!(fails(1, &[alive, trusted, suspected, trusted]));
        assert!(!fails(2, &[alive, trusted, suspected, trusted, suspected]));
        assert!(fails(2, &[alive, trusted, suspected, trusted, trusted, suspected, suspected, trusted]));
    }

    #[test]
    fn a_suspicion_from_before_the_crash_does_not_count() {
        let run = [(false, true), (true, true), (true, false)];
        assert!(!fails(1, &run));
        assert!(fails(1, &[&run[..], &[(true, true), (true, false)]].concat()));
    }
}
