//! What is decided without a move: constants, propositions, conditions on data, steps to a constant, and the values of a
//! quantified variable that matter.

use super::{GameArena, Reduced};
use crate::data::{DataError, ExceptionalValues};
use crate::formula::{DEADLOCKED, FormulaVariable, RESTS};
use crate::game::Player;
use crate::labels::{TriedValues, both, either};
use crate::normal::needs::children;
use crate::normal::{NormalFormula, Position, PositionId};
use watchkeeper_space::AtomId;

impl<'a> GameArena<'a> {
    /// What a position is at a state: known, or a node. `here` says that it is the state that is expanded.
    pub(super) fn reduce(
        &mut self,
        position: PositionId,
        state: u32,
        here: bool,
    ) -> Result<Reduced, DataError> {
        let formula = self.formula;
        match formula.position(position) {
            Position::All(parts) | Position::Any(parts) => {
                let any = matches!(formula.position(position), Position::Any(_));
                let mut pending = None;
                let mut several = false;
                let mut failed = None;
                for &part in parts {
                    match self.truth(part, state, here) {
                        Ok(Some(value)) if value == any => return Ok(Reduced::Known(any)),
                        Ok(Some(_)) => {}
                        Ok(None) => {
                            several |= pending.is_some();
                            pending = Some(part);
                        }
                        Err(error) => failed = failed.or(Some(error)),
                    }
                }
                // A part without a value says nothing where another one decides; a part that is a node may do so later.
                if failed.is_some() && pending.is_some() {
                    return Ok(Reduced::Node(self.node(state, position)?));
                }
                if let Some(error) = failed {
                    return Err(error);
                }
                match pending {
                    None => Ok(Reduced::Known(!any)),
                    Some(part) if !several => self.reduce(part, state, here),
                    Some(_) => Ok(Reduced::Node(self.node(state, position)?)),
                }
            }
            Position::Enter { target, parameters, arguments } => {
                let wanted = formula.needs(*target);
                let mut row: Vec<u32> = Vec::with_capacity(wanted.len());
                for &variable in wanted {
                    let argument = parameters.iter().position(|&parameter| parameter == variable);
                    row.push(match argument {
                        Some(at) => self.meaning.data.evaluate(arguments[at], &self.binding)?,
                        None => self.value(variable)?,
                    });
                }
                Ok(Reduced::Node(self.node_with(state, *target, &row)))
            }
            _ => match self.truth(position, state, here)? {
                Some(value) => Ok(Reduced::Known(value)),
                None => Ok(Reduced::Node(self.node(state, position)?)),
            },
        }
    }

    fn atom(&mut self, state: u32, atom: AtomId) -> bool {
        if atom == RESTS || atom == DEADLOCKED {
            self.graph.expand(state);
        }
        self.graph.atom(state, atom)
    }

    /// The truth of a position, if it can be told without a node.
    fn truth(&mut self, position: PositionId, state: u32, here: bool) -> Result<Option<bool>, DataError> {
        let formula = self.formula;
        Ok(match formula.position(position) {
            &Position::Constant(value) => Some(value),
            &Position::Atom(atom, wanted) => Some(self.atom(state, atom) == wanted),
            &Position::Data(term, wanted) => {
                let value = self.meaning.data.evaluate(term, &self.binding)?;
                Some(self.meaning.data.is_true(value) == wanted)
            }
            Position::All(parts) | Position::Any(parts) => {
                let any = matches!(formula.position(position), Position::Any(_));
                let mut known = Some(!any);
                let mut failed = None;
                for &part in parts {
                    match self.truth(part, state, here) {
                        Ok(Some(value)) if value == any => return Ok(Some(any)),
                        Ok(Some(_)) => {}
                        Ok(None) => known = None,
                        Err(error) => failed = failed.or(Some(error)),
                    }
                }
                match (failed, known) {
                    (Some(error), Some(_)) => return Err(error),
                    _ => known,
                }
            }
            &Position::Step { any, labels, body } if here => match formula.position(body) {
                &Position::Constant(value) if value == any => {
                    for at in 0..self.steps.len() {
                        if self.is_within(labels, self.steps[at].0)? {
                            return Ok(Some(any));
                        }
                    }
                    Some(!any)
                }
                _ => None,
            },
            Position::Quantified { any, variables, body } if self.local[position as usize] => {
                Some(self.some_value(variables, *body, state, *any)? == *any)
            }
            Position::Quantified { .. }
            | Position::Step { .. }
            | Position::Fixed(_)
            | Position::Enter { .. } => None,
        })
    }

    /// Adds the steps of the state that is expanded by which parts of a position were decided at once for the winner.
    pub(super) fn explain(
        &mut self,
        position: PositionId,
        state: u32,
        winner: Player,
    ) -> Result<(), DataError> {
        let formula = self.formula;
        let favourable = winner == Player::Exists;
        match formula.position(position) {
            Position::All(parts) | Position::Any(parts) => {
                let any = matches!(formula.position(position), Position::Any(_));
                for &part in parts {
                    self.explain(part, state, winner)?;
                    // One part is enough where the winner chooses.
                    if any == favourable && self.truth(part, state, true)? == Some(favourable) {
                        break;
                    }
                }
            }
            &Position::Step { any, labels, .. } if any == favourable => {
                if self.truth(position, state, true)? != Some(favourable) {
                    return Ok(());
                }
                for at in 0..self.steps.len() {
                    if self.is_within(labels, self.steps[at].0)? {
                        self.witnesses.push((self.moves.len(), self.steps[at]));
                        break;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a position about the state alone has this truth for some values of the variables.
    fn some_value(
        &mut self,
        variables: &'a [FormulaVariable],
        body: PositionId,
        state: u32,
        wanted: bool,
    ) -> Result<bool, DataError> {
        let Some((&variable, others)) = variables.split_first() else {
            return Ok(self.truth(body, state, false)? == Some(wanted));
        };
        let exceptions = self.exceptions(body, variable, !wanted, state)?;
        let tried = TriedValues::of(self.meaning.data, exceptions, variable)?;
        for &value in &tried.values {
            self.binding.set(variable, value);
            let found = self.some_value(others, body, state, wanted);
            self.binding.forget(variable);
            if found? {
                return Ok(true);
            }
        }
        tried.exhausted(self.meaning.data, variable, false)
    }

    /// The values of a variable for which the truth of a position may differ from `usual`, whatever the values of unknown
    /// variables are.
    pub(super) fn exceptions(
        &mut self,
        position: PositionId,
        variable: FormulaVariable,
        usual: bool,
        state: u32,
    ) -> Result<ExceptionalValues, DataError> {
        let formula = self.formula;
        let none = ExceptionalValues::Among(Vec::new());
        let of_truth = |value: bool| if value == usual { none.clone() } else { ExceptionalValues::Unlimited };
        Ok(match formula.position(position) {
            &Position::Constant(value) => of_truth(value),
            &Position::Atom(atom, wanted) => of_truth(self.atom(state, atom) == wanted),
            &Position::Data(term, wanted) => {
                self.meaning.data.exceptions(term, variable, usual == wanted, &self.binding)?
            }
            Position::All(parts) | Position::Any(parts) => {
                let united = matches!(formula.position(position), Position::All(_)) == usual;
                let mut found = if united { none } else { ExceptionalValues::Unlimited };
                for &part in parts {
                    let these = self.exceptions(part, variable, usual, state)?;
                    found = if united { either(found, these) } else { both(found, these) };
                }
                found
            }
            &Position::Quantified { body, .. } => self.exceptions(body, variable, usual, state)?,
            // No step that fits is what makes `[F]` true and `<F>` false.
            &Position::Step { any, labels, body } if any != usual => {
                self.graph.expand(state);
                if self.graph.is_cut(state) {
                    return Ok(ExceptionalValues::Unlimited);
                }
                let mut found = none;
                for (label, target) in self.graph.steps(state).to_vec() {
                    let label = &self.graph.labels()[label as usize];
                    let labels = &formula.labels()[labels];
                    let mut these =
                        self.meaning.exceptions(labels, label, variable, false, &mut self.binding)?;
                    if these == ExceptionalValues::Unlimited {
                        these = self.exceptions(body, variable, usual, target)?;
                    }
                    found = either(found, these);
                    if found == ExceptionalValues::Unlimited {
                        break;
                    }
                }
                found
            }
            Position::Step { .. } | Position::Fixed(_) | Position::Enter { .. } => {
                ExceptionalValues::Unlimited
            }
        })
    }
}

/// For each position whether it is about the state alone: no steps, no fixed points.
pub(super) fn local(formula: &NormalFormula) -> Vec<bool> {
    let mut local: Vec<bool> = formula
        .positions()
        .map(|position| {
            !matches!(position, Position::Step { .. } | Position::Fixed(_) | Position::Enter { .. })
        })
        .collect();
    loop {
        let before = local.clone();
        for (number, position) in formula.positions().enumerate() {
            local[number] &= children(position).iter().all(|&child| local[child as usize]);
        }
        if local == before {
            break;
        }
    }
    local
}
