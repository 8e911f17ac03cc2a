//! Büchi automata of formulas: a machine that reads a run state by state and accepts it just if the formula
//! holds of it. The translation knows no space and no fairness; an engine walks the automaton beside a space.
//!
//! An automaton of a claim is rarely wanted: to refute the claim, take that of its opposite, and look for a run
//! that it accepts.

mod components;
mod decision;
mod letters;
mod normal;
mod reduce;
mod tableau;
#[cfg(test)]
mod tests;

use crate::Formula;
pub(crate) use normal::{conjuncts, dual, normal};

use letters::{LetterTable, PropositionTable};
use tableau::DraftAutomaton;
use watchkeeper_space::AtomId;

/// A generalised Büchi automaton with labels on its states. It accepts a run `s0 s1 ...` if there is a path
/// `q0 q1 ...` of its states that begins in an initial one, the label of every `qi` is true of `si`, and every
/// acceptance set is visited again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// What labels speak of: formulas about one state. At most 64.
    pub propositions: Vec<Formula>,
    /// The states.
    pub states: Vec<AutomatonState>,
    /// Where a path may begin, in order.
    pub initial: Vec<u32>,
    /// The number of acceptance sets, at most 64. If there is none, every infinite path accepts.
    pub acceptance: usize,
}

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonState {
    /// What must be true of the state of the system that is read here.
    pub label: Label,
    /// The states that may come next, in order.
    pub next: Vec<u32>,
    /// The acceptance sets that it belongs to, bit by bit.
    pub accepting: u64,
}

/// A conjunction of propositions and negated propositions, bit by bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// Those that must be true.
    pub yes: u64,
    /// Those that must be false.
    pub no: u64,
}

/// Why a formula has no automaton here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AutomatonError {
    /// More propositions than an automaton can tell apart.
    #[error("the formula speaks of more than 64 different things: ask its conjuncts one at a time")]
    TooManyPropositions,
    /// More eventualities than an automaton can keep in mind.
    #[error("the formula has more than 64 different eventualities: ask its conjuncts one at a time")]
    TooManyPromises,
    /// More states than is sensible.
    #[error(
        "the automaton of the formula is too large: ask its conjuncts one at a time, or for fewer processes"
    )]
    TooManyStates,
}

/// Up to this number of atoms labels are worked out atom by atom, beyond it each formula about one state is taken
/// as a whole.
const FEW_ATOMS: usize = 8;

impl Automaton {
    /// The automaton that accepts just the runs of which the formula holds.
    pub fn of(formula: &Formula) -> Result<Automaton, AutomatonError> {
        Automaton::read(formula, formula.atoms().len() <= FEW_ATOMS)
    }

    fn read(formula: &Formula, open: bool) -> Result<Automaton, AutomatonError> {
        let mut letters = LetterTable::new(open);
        let sketch = tableau::sketch(&normal(formula), &mut letters)?;
        let sketch = reduce::reduce(sketch, &mut letters.diagrams);
        whole(&sketch, &letters).or_else(|_| split(&sketch, &letters))
    }

    /// What the propositions say of a state of the system, bit by bit, as labels want it.
    pub fn read_state(&self, atom: &impl Fn(AtomId) -> bool) -> u64 {
        let says = |(place, proposition): (usize, &Formula)| u64::from(proposition.holds(atom)) << place;
        self.propositions.iter().enumerate().map(says).fold(0, |all, bit| all | bit)
    }

    /// All acceptance sets, bit by bit.
    pub fn all_sets(&self) -> u64 {
        all_sets(self.acceptance)
    }
}

impl Label {
    /// Whether a state of the system may be read here; see [`Automaton::read_state`].
    pub fn allows(self, truths: u64) -> bool {
        truths & self.yes == self.yes && truths & self.no == 0
    }
}

/// So many acceptance sets, bit by bit.
fn all_sets(acceptance: usize) -> u64 {
    if acceptance == 64 { u64::MAX } else { (1 << acceptance) - 1 }
}

/// The automaton, with a proposition for each label that is no conjunction.
fn whole(sketch: &DraftAutomaton, letters: &LetterTable) -> Result<Automaton, AutomatonError> {
    let mut alphabet = PropositionTable::default();
    let states = sketch.states.iter().map(|state| {
        let label = letters.label(state.letter, &mut alphabet)?;
        Ok(AutomatonState { label, next: state.next.clone(), accepting: state.accepting })
    });
    let states = states.collect::<Result<_, _>>()?;
    let (initial, acceptance) = (sketch.initial.clone(), sketch.acceptance);
    Ok(Automaton { propositions: alphabet.propositions, states, initial, acceptance })
}

/// The automaton, with a state for each conjunction of a label: more states, but fewer propositions.
fn split(sketch: &DraftAutomaton, letters: &LetterTable) -> Result<Automaton, AutomatonError> {
    let mut alphabet = PropositionTable::default();
    let mut labels = Vec::new();
    let mut parts: Vec<std::ops::Range<u32>> = Vec::new();
    for state in &sketch.states {
        let begin = labels.len() as u32;
        labels.extend(letters.labels(state.letter, &mut alphabet)?);
        parts.push(begin..labels.len() as u32);
        if labels.len() > tableau::MOST {
            return Err(AutomatonError::TooManyPropositions);
        }
    }
    let spread =
        |list: &[u32]| list.iter().flat_map(|&old| parts[old as usize].clone()).collect::<Vec<u32>>();
    let mut states = Vec::new();
    for (state, part) in sketch.states.iter().zip(&parts) {
        let next = spread(&state.next);
        for number in part.clone() {
            let label = labels[number as usize];
            states.push(AutomatonState { label, next: next.clone(), accepting: state.accepting });
        }
    }
    let (initial, acceptance) = (spread(&sketch.initial), sketch.acceptance);
    Ok(Automaton { propositions: alphabet.propositions, states, initial, acceptance })
}
