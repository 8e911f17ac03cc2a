//! The tableau, from a formula to sets of obligations: the letters that may be read now, the obligations for the
//! rest of the run, and the promises that are postponed once more. The obligations of a set are expanded only when
//! a path leads to it. It is the tableau of Gerth, Peled, Vardi and Wolper (PSTV 1995) with the promises of
//! Couvreur (FM 1999). A choice that another one makes superfluous for some letters is not offered for these
//! letters: fewer choices for a letter are fewer states in the product with a system.

use super::AutomatonError;
use super::decision::{ALWAYS, DecisionDiagram, DiagramStore, NEVER};
use super::letters::LetterTable;
use crate::Formula;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The number of a subformula.
type TermId = u32;

/// One subformula; the parts that speak of one state are diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Term {
    Now(DecisionDiagram),
    And(TermId, TermId),
    Or(TermId, TermId),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

/// One way to satisfy obligations: read a letter, owe the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Choice {
    letter: DecisionDiagram,
    owed: Vec<TermId>,
    put_off: u64,
}

/// A state of the automaton before it is made smaller.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DraftState {
    /// What may be read in it.
    pub letter: DecisionDiagram,
    /// The acceptance sets that it belongs to.
    pub accepting: u64,
    /// Its successors, sorted.
    pub next: Vec<u32>,
}

/// An automaton before it is made smaller.
#[derive(Clone, Debug, Default)]
pub struct DraftAutomaton {
    /// The states.
    pub states: Vec<DraftState>,
    /// Where it starts, sorted.
    pub initial: Vec<u32>,
    /// The number of acceptance sets.
    pub acceptance: usize,
}

/// More states than this are refused: no search could afford them beside a system.
pub const MOST: usize = 8_192;
/// More choices in one place than this are refused.
const MOST_CHOICES: usize = 1_024;

/// The automaton of a formula in normal form.
pub fn sketch(formula: &Formula, letters: &mut LetterTable) -> Result<DraftAutomaton, AutomatonError> {
    let mut tableau = Tableau::default();
    let root = tableau.term(formula, letters)?;
    let start = tableau.obligations([root]);
    let diagrams = &mut letters.diagrams;
    let all = (0..tableau.promises.len()).fold(0, |mask, promise| mask | 1 << promise);

    let mut sketch = DraftAutomaton { acceptance: tableau.promises.len(), ..DraftAutomaton::default() };
    let mut numbers: HashMap<(DecisionDiagram, u64, Vec<TermId>), u32> = HashMap::new();
    let mut owed: Vec<Vec<TermId>> = Vec::new();
    let mut successors: HashMap<Vec<TermId>, Vec<u32>> = HashMap::new();
    let mut waiting: Vec<Vec<TermId>> = start.iter().cloned().collect();
    while let Some(set) = waiting.pop() {
        if successors.contains_key(&set) {
            continue;
        }
        let mut next = Vec::new();
        for choice in tableau.satisfy(&set, diagrams)? {
            let accepting = all & !choice.put_off;
            let key = (choice.letter, accepting, choice.owed.clone());
            let number = *numbers.entry(key).or_insert_with(|| {
                owed.push(choice.owed.clone());
                sketch.states.push(DraftState { letter: choice.letter, accepting, next: Vec::new() });
                owed.len() as u32 - 1
            });
            next.push(number);
            waiting.push(choice.owed);
        }
        if owed.len() > MOST {
            return Err(AutomatonError::TooManyStates);
        }
        next.sort_unstable();
        next.dedup();
        successors.insert(set, next);
    }
    for (state, owed) in sketch.states.iter_mut().zip(&owed) {
        state.next = successors[owed].clone();
    }
    sketch.initial = start.map(|start| successors[&start].clone()).unwrap_or_default();
    Ok(sketch)
}

/// Subformulas, each once, and what was worked out of them.
#[derive(Default)]
struct Tableau {
    terms: Vec<Term>,
    known: HashMap<Term, TermId>,
    /// The place of each until in the bitmask of promises.
    promises: HashMap<TermId, u32>,
    expanded: HashMap<TermId, Rc<Vec<Choice>>>,
}

impl Tableau {
    fn term(&mut self, formula: &Formula, letters: &mut LetterTable) -> Result<TermId, AutomatonError> {
        if formula.is_of_a_state() {
            let letter = letters.read(formula);
            return Ok(self.intern(Term::Now(letter)));
        }
        let term = match formula {
            Formula::And(a, b) => Term::And(self.term(a, letters)?, self.term(b, letters)?),
            Formula::Or(a, b) => Term::Or(self.term(a, letters)?, self.term(b, letters)?),
            Formula::Next(a) => Term::Next(self.term(a, letters)?),
            Formula::Until(a, b) => Term::Until(self.term(a, letters)?, self.term(b, letters)?),
            Formula::Release(a, b) => Term::Release(self.term(a, letters)?, self.term(b, letters)?),
            _ => unreachable!("in normal form a negation speaks of one state"),
        };
        let id = self.intern(term);
        if matches!(term, Term::Until(..)) && !self.promises.contains_key(&id) {
            if self.promises.len() == u64::BITS as usize {
                return Err(AutomatonError::TooManyPromises);
            }
            self.promises.insert(id, self.promises.len() as u32);
        }
        Ok(id)
    }

    fn intern(&mut self, term: Term) -> TermId {
        let next = self.terms.len() as TermId;
        let id = *self.known.entry(term).or_insert(next);
        if id == next {
            self.terms.push(term);
        }
        id
    }

    fn at(&self, id: TermId) -> Term {
        self.terms[id as usize]
    }

    /// The parts of a conjunction, appended.
    fn parts(&self, id: TermId, out: &mut Vec<TermId>) {
        match self.at(id) {
            Term::And(a, b) => {
                self.parts(a, out);
                self.parts(b, out);
            }
            Term::Now(ALWAYS) => {}
            _ => out.push(id),
        }
    }

    /// A set of obligations without what the others entail at once; none if it cannot be satisfied.
    fn obligations(&self, owed: impl IntoIterator<Item = TermId>) -> Option<Vec<TermId>> {
        let mut set = Vec::new();
        owed.into_iter().for_each(|id| self.parts(id, &mut set));
        set.sort_unstable();
        set.dedup();
        // To satisfy `a R b` is to satisfy b first, so that b need not be owed beside it.
        let mut entailed = Vec::new();
        for &id in &set {
            if let Term::Release(_, b) = self.at(id) {
                self.parts(b, &mut entailed);
            }
        }
        set.retain(|id| !entailed.contains(id));
        (!set.iter().any(|&id| self.at(id) == Term::Now(NEVER))).then_some(set)
    }

    /// All ways to satisfy a set of obligations.
    fn satisfy(
        &mut self,
        set: &[TermId],
        diagrams: &mut DiagramStore,
    ) -> Result<Vec<Choice>, AutomatonError> {
        let mut choices = vec![Choice { letter: ALWAYS, owed: Vec::new(), put_off: 0 }];
        for &id in set {
            let more = self.expand(id, diagrams)?;
            choices = self.product(&choices, &more, diagrams)?;
        }
        Ok(choices)
    }

    /// All ways to satisfy one obligation.
    fn expand(&mut self, id: TermId, diagrams: &mut DiagramStore) -> Result<Rc<Vec<Choice>>, AutomatonError> {
        if let Some(known) = self.expanded.get(&id) {
            return Ok(known.clone());
        }
        let later = |put_off, owed| Choice { letter: ALWAYS, owed, put_off };
        let choices = match self.at(id) {
            Term::Now(NEVER) => Vec::new(),
            Term::Now(letter) => vec![Choice { letter, owed: Vec::new(), put_off: 0 }],
            Term::And(a, b) => {
                let (a, b) = (self.expand(a, diagrams)?, self.expand(b, diagrams)?);
                self.product(&a, &b, diagrams)?
            }
            Term::Or(a, b) => {
                let mut either = self.expand(a, diagrams)?.to_vec();
                either.extend_from_slice(&self.expand(b, diagrams)?);
                thin(either, diagrams)?
            }
            Term::Next(a) => self.obligations([a]).map(|owed| later(0, owed)).into_iter().collect(),
            Term::Until(a, b) => {
                let again = later(1 << self.promises[&id], vec![id]);
                let a = self.expand(a, diagrams)?;
                let mut either = self.product(&a, &[again], diagrams)?;
                either.extend_from_slice(&self.expand(b, diagrams)?);
                thin(either, diagrams)?
            }
            Term::Release(a, b) => {
                let mut either = self.expand(a, diagrams)?.to_vec();
                either.push(later(0, vec![id]));
                let b = self.expand(b, diagrams)?;
                self.product(&thin(either, diagrams)?, &b, diagrams)?
            }
        };
        let choices = Rc::new(choices);
        self.expanded.insert(id, choices.clone());
        Ok(choices)
    }

    /// All ways to satisfy two obligations, given the ways to satisfy each.
    fn product(
        &self,
        one: &[Choice],
        other: &[Choice],
        diagrams: &mut DiagramStore,
    ) -> Result<Vec<Choice>, AutomatonError> {
        if one.len() * other.len() > 16 * MOST_CHOICES {
            return Err(AutomatonError::TooManyStates);
        }
        let mut both = Vec::new();
        for a in one {
            for b in other {
                let letter = diagrams.and(a.letter, b.letter);
                if letter != NEVER
                    && let Some(owed) = self.obligations(a.owed.iter().chain(&b.owed).copied())
                {
                    both.push(Choice { letter, owed, put_off: a.put_off | b.put_off });
                }
            }
        }
        thin(both, diagrams)
    }
}

/// The choices without what is superfluous: one that owes more and puts off more than another is not needed for
/// the letters of the other, and two that differ in their letters only are one.
fn thin(choices: Vec<Choice>, diagrams: &mut DiagramStore) -> Result<Vec<Choice>, AutomatonError> {
    let mut grouped: BTreeMap<(Vec<TermId>, u64), DecisionDiagram> = BTreeMap::new();
    for choice in choices {
        let letter = grouped.entry((choice.owed, choice.put_off)).or_insert(NEVER);
        *letter = diagrams.or(*letter, choice.letter);
    }
    let grouped: Vec<Choice> =
        grouped.into_iter().map(|((owed, put_off), letter)| Choice { letter, owed, put_off }).collect();
    if grouped.len() > MOST_CHOICES {
        return Err(AutomatonError::TooManyStates);
    }
    let better = |a: &Choice, b: &Choice| {
        a.put_off & !b.put_off == 0
            && a.owed.len() <= b.owed.len()
            && a.owed.iter().all(|id| b.owed.contains(id))
    };
    let mut kept = Vec::new();
    for (i, choice) in grouped.iter().enumerate() {
        let mut letter = choice.letter;
        for (j, other) in grouped.iter().enumerate() {
            if i != j && better(other, choice) {
                letter = diagrams.minus(letter, other.letter);
            }
        }
        if letter != NEVER {
            kept.push(Choice { letter, ..choice.clone() });
        }
    }
    Ok(kept)
}
