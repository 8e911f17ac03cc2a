//! The propositions that an automaton reads: state formulas as diagrams, and diagrams as labels. Nothing here
//! speaks of more than one state.

use super::decision::{ALWAYS, Cube, DecisionDiagram, DiagramStore, NEVER};
use super::normal::dual;
use super::{AutomatonError, Label};
use crate::Formula;
use std::collections::HashMap;

/// The variables of the diagrams, and what they stand for.
pub struct LetterTable {
    /// The diagrams.
    pub diagrams: DiagramStore,
    /// What each variable stands for.
    variables: Vec<Formula>,
    known: HashMap<Formula, u32>,
    /// Whether diagrams are over atoms. Otherwise a formula of a state is one variable, whatever it says: its
    /// diagram over the atoms could be huge.
    open: bool,
}

/// The propositions of the labels that were asked for so far.
#[derive(Default)]
pub struct PropositionTable {
    /// The propositions.
    pub propositions: Vec<Formula>,
    known: HashMap<Formula, u32>,
}

impl LetterTable {
    /// No variables yet. Diagrams are over atoms if it is `open`.
    pub fn new(open: bool) -> LetterTable {
        LetterTable { diagrams: DiagramStore::new(), variables: Vec::new(), known: HashMap::new(), open }
    }

    /// The diagram of a formula that speaks of one state, in normal form.
    pub fn read(&mut self, formula: &Formula) -> DecisionDiagram {
        match formula {
            Formula::True => ALWAYS,
            Formula::False => NEVER,
            Formula::And(a, b) if self.open => {
                let (a, b) = (self.read(a), self.read(b));
                self.diagrams.and(a, b)
            }
            Formula::Or(a, b) if self.open => {
                let (a, b) = (self.read(a), self.read(b));
                self.diagrams.or(a, b)
            }
            _ => {
                // A formula and its opposite are the same variable.
                let opposite = dual(formula);
                let (key, plain) =
                    if *formula <= opposite { (formula.clone(), true) } else { (opposite, false) };
                let variable = self.variable(key);
                let diagram = self.diagrams.variable(variable);
                if plain { diagram } else { self.diagrams.not(diagram) }
            }
        }
    }

    fn variable(&mut self, formula: Formula) -> u32 {
        let next = self.variables.len() as u32;
        let variable = *self.known.entry(formula.clone()).or_insert(next);
        if variable == next {
            self.variables.push(formula);
        }
        variable
    }

    /// A diagram as one label: a conjunction of variables if it is one, else a proposition of its own.
    pub fn label(
        &self,
        letter: DecisionDiagram,
        alphabet: &mut PropositionTable,
    ) -> Result<Label, AutomatonError> {
        match self.diagrams.cube(letter) {
            Some(cube) => self.cube(&cube, alphabet),
            None => {
                let proposition = alphabet.place(self.write(letter))?;
                Ok(Label { yes: 1 << proposition, no: 0 })
            }
        }
    }

    /// A diagram as labels that exclude each other.
    pub fn labels(
        &self,
        letter: DecisionDiagram,
        alphabet: &mut PropositionTable,
    ) -> Result<Vec<Label>, AutomatonError> {
        self.diagrams.cubes(letter).iter().map(|cube| self.cube(cube, alphabet)).collect()
    }

    fn cube(&self, cube: &Cube, alphabet: &mut PropositionTable) -> Result<Label, AutomatonError> {
        let mut mask = |variables: &[u32]| {
            variables.iter().try_fold(0, |mask, &variable| {
                Ok(mask | 1 << alphabet.place(self.variables[variable as usize].clone())?)
            })
        };
        Ok(Label { yes: mask(&cube.yes)?, no: mask(&cube.no)? })
    }

    /// A diagram as a formula.
    fn write(&self, letter: DecisionDiagram) -> Formula {
        let Some(node) = self.diagrams.top(letter) else {
            return if letter == ALWAYS { Formula::True } else { Formula::False };
        };
        let variable = self.variables[node.variable as usize].clone();
        let (low, high) = (self.write(node.low), self.write(node.high));
        match (node.low, node.high) {
            (ALWAYS, _) => variable.not().or(high),
            (_, ALWAYS) => variable.or(low),
            _ => variable.clone().and(high).or(variable.not().and(low)),
        }
    }
}

impl PropositionTable {
    fn place(&mut self, formula: Formula) -> Result<u32, AutomatonError> {
        if let Some(&place) = self.known.get(&formula) {
            return Ok(place);
        }
        let place = self.propositions.len() as u32;
        if place == u64::BITS {
            return Err(AutomatonError::TooManyPropositions);
        }
        self.propositions.push(formula.clone());
        self.known.insert(formula, place);
        Ok(place)
    }
}
