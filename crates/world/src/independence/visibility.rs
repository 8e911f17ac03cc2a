//! Who can see a step: the atoms that are asked and the observers, as far as they promise not to look.

use crate::World;
use crate::global::{AtomPromise, AtomTest, BuiltIn};
use crate::local::LocalState;
use crate::machine::ProcessMode;
use watchkeeper_core::Pid;
use watchkeeper_space::{AtomId, FullyExpanded, Id, SpaceQuery};

/// The most observers whose attention is kept track of.
const MOST_OBSERVERS: usize = 64;

/// What must not be seen to change by the steps that are given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Invisibility {
    /// The observers, as bits, to which they must be invisible.
    pub(super) quiet: u64,
    /// The atoms that must not change, each of which is about the states of processes one by one.
    unchanged: Vec<AtomId>,
}

impl World {
    /// What the steps given must leave as it is; or why none can.
    pub(super) fn interest(&self, asked: &SpaceQuery) -> Result<Invisibility, FullyExpanded> {
        if self.observers.len() > MOST_OBSERVERS {
            return Err(FullyExpanded::Space);
        }
        let mut interest = Invisibility::default();
        let mut only_observers = true;
        for &(when, then) in &asked.invariants {
            // Only where nothing else has to be true as well does it help that an atom stays false.
            if when.is_none() {
                match &self.tests[then] {
                    AtomTest::Observer(_) | AtomTest::BuiltIn(BuiltIn::TimeCanPass) => continue,
                    AtomTest::BuiltIn(BuiltIn::WithinCapacity)
                    | AtomTest::Custom(_, AtomPromise::Lasting) => {
                        only_observers = false;
                        continue;
                    }
                    _ => {}
                }
            }
            only_observers = false;
            for atom in when.into_iter().chain([then]) {
                match &self.tests[atom] {
                    // All observers must be quiet, that one too.
                    AtomTest::Observer(_) => {}
                    // No step that is given has to do with these.
                    AtomTest::BuiltIn(
                        BuiltIn::WithinCapacity | BuiltIn::TimeCanPass | BuiltIn::Stable | BuiltIn::Settled,
                    ) => {}
                    AtomTest::BuiltIn(BuiltIn::Crashed(_) | BuiltIn::Blocked(_))
                    | AtomTest::Custom(_, AtomPromise::Glances(_)) => interest.unchanged.push(atom),
                    AtomTest::Custom(
                        _,
                        AtomPromise::Nothing | AtomPromise::Lasting | AtomPromise::Outcome,
                    ) => {
                        return Err(FullyExpanded::Atom(self.shape.atoms[atom].name.clone()));
                    }
                }
            }
        }
        for (k, observer) in self.observers.iter().enumerate() {
            if !only_observers || !observer.trace_invariant() {
                interest.quiet |= 1 << k;
            }
        }
        Ok(interest)
    }

    /// Whether a change of the local state of a process shows in an atom that must not change, in some state.
    pub(super) fn shows(&self, interest: &Invisibility, process: usize, before: Id, after: Id) -> bool {
        let machine = &self.machines[process];
        let (was, is) = (&*machine.locals.get(before).value, &*machine.locals.get(after).value);
        let blocked = |local| machine.mode(local) == ProcessMode::Blocked;
        let crashed = |local: &LocalState| matches!(local, LocalState::Crashed);
        interest.unchanged.iter().any(|&atom| match &self.tests[atom] {
            AtomTest::BuiltIn(BuiltIn::Crashed(p)) => *p == process && crashed(was) != crashed(is),
            AtomTest::BuiltIn(BuiltIn::Blocked(p)) => *p == process && blocked(before) != blocked(after),
            AtomTest::Custom(_, AtomPromise::Glances(glance)) => {
                let me = Pid::at(process);
                glance(me, was.state()) != glance(me, is.state())
            }
            _ => true,
        })
    }
}
