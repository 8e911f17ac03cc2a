//! Formulas in normal form: no negation, no implication, no regular formula. Sequences of steps are fixed points, and what
//! follows a sequence is translated once, however often it is referred to, so the normal form is as long as the formula. Each
//! position knows the variables that its value depends on, and the fixed point that it belongs to, whose priority it has.

mod independent;
pub(crate) mod needs;

use crate::data::FormulaData;
use crate::formula::{
    DEADLOCKED, FixedPointSign, FormulaPlace, FormulaTerm, FormulaVariable, LabelFormula, ModalFormula,
    RESTS, RegularSteps,
};
use crate::game::{GREATEST_PRIORITY, Player};
use needs::{children, free_in_labels, needs};
use thiserror::Error;
use watchkeeper_space::AtomId;

/// The number of a position in a normal form.
pub(crate) type PositionId = u32;

/// Why a formula means nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FormulaError {
    /// A variable without its fixed point.
    #[error(
        "{place}: {name} is not the variable of a fixed point around it; bind it with `mu {name}.` or `nu {name}.`"
    )]
    Unbound {
        /// Its name.
        name: String,
        /// Where it occurs.
        place: FormulaPlace,
    },
    /// A variable under an odd number of negations.
    #[error(
        "{place}: {name} occurs under an odd number of negations, counted from its fixed point (the left side of `=>` is one), so \
         that the fixed point need not exist; move the negations to the other parts of the formula"
    )]
    NotMonotone {
        /// Its name.
        name: String,
        /// Where it occurs.
        place: FormulaPlace,
    },
    /// A variable that is reached without a step.
    #[error(
        "{place}: {name} is reached from its fixed point without a step, so the fixed point is unguarded; put the variable behind \
         `[...]` or `<...>` with at least one step"
    )]
    Unguarded {
        /// Its name.
        name: String,
        /// Where it occurs.
        place: FormulaPlace,
    },
    /// A variable with the wrong number of arguments.
    #[error("{place}: {name} has {expected} parameters and is given {given}")]
    Arguments {
        /// Its name.
        name: String,
        /// Where it occurs.
        place: FormulaPlace,
        /// The number of parameters.
        expected: usize,
        /// The number of arguments.
        given: usize,
    },
    /// More alternations of fixed points than a game has priorities.
    #[error("{place}: least and greatest fixed points alternate more than {GREATEST_PRIORITY} times")]
    Alternation {
        /// The fixed point that is too much.
        place: FormulaPlace,
    },
}

impl FormulaError {
    /// Where the formula is wrong.
    pub fn place(&self) -> FormulaPlace {
        match self {
            FormulaError::Unbound { place, .. }
            | FormulaError::NotMonotone { place, .. }
            | FormulaError::Unguarded { place, .. }
            | FormulaError::Arguments { place, .. }
            | FormulaError::Alternation { place } => *place,
        }
    }
}

/// A fixed point of a normal form.
#[derive(Clone, Debug)]
struct NormalFixedPoint {
    sign: FixedPointSign,
    parameters: Vec<FormulaVariable>,
    position: PositionId,
    priority: u8,
    /// The fixed points outside it whose variables occur in it.
    free: Vec<usize>,
}

/// A position of a normal form.
#[derive(Clone, Debug)]
pub(crate) enum Position {
    Constant(bool),
    /// A proposition of the space, or its negation.
    Atom(AtomId, bool),
    /// A condition on data, or its negation.
    Data(FormulaTerm, bool),
    All(Vec<PositionId>),
    Any(Vec<PositionId>),
    /// `exists` of these variables if `any`, else `forall`.
    Quantified {
        any: bool,
        variables: Vec<FormulaVariable>,
        body: PositionId,
    },
    /// `<F>` if `any`, else `[F]`.
    Step {
        any: bool,
        labels: usize,
        body: PositionId,
    },
    /// A fixed point as such: its parameters have values.
    Fixed(PositionId),
    /// On to a fixed point, with these values of its parameters.
    Enter {
        target: PositionId,
        parameters: Vec<FormulaVariable>,
        arguments: Vec<FormulaTerm>,
    },
}

/// A formula in normal form.
#[derive(Clone, Debug)]
pub struct NormalFormula {
    positions: Vec<Position>,
    /// For each position the variables that its value depends on, in order.
    needs: Vec<Vec<FormulaVariable>>,
    priorities: Vec<u8>,
    labels: Vec<LabelFormula>,
    label_needs: Vec<Vec<FormulaVariable>>,
    root: PositionId,
}

impl NormalFormula {
    /// The normal form of a formula, all of whose variables are bound and occur positively.
    pub fn new(formula: &ModalFormula, data: &dyn FormulaData) -> Result<NormalFormula, FormulaError> {
        let mut translation = Translation::default();
        let root = translation.formula(formula, false)?;
        let Translation { mut positions, mut within, fixed_points, labels, .. } = translation;
        let label_needs: Vec<Vec<FormulaVariable>> =
            labels.iter().map(|label| free_in_labels(label, data)).collect();
        let known = needs(&positions, &label_needs, data);
        independent::take_out(&mut positions, &mut within, known);
        let of_fixed_point = |&fixed: &usize| fixed_points.get(fixed).map_or(0, |known| known.priority);
        let priorities = within.iter().map(of_fixed_point).collect();
        let needs = needs(&positions, &label_needs, data);
        Ok(NormalFormula { positions, needs, priorities, labels, label_needs, root })
    }

    /// The greatest priority of a position: 0 or 1 for formulas without alternation.
    pub fn greatest_priority(&self) -> u8 {
        self.priorities.iter().copied().max().unwrap_or(0)
    }

    /// Whether the formula tells steps apart by their labels.
    pub fn reads_labels(&self) -> bool {
        self.labels.iter().any(|label| !matches!(label, LabelFormula::Constant(_)))
    }

    /// Whether the formula is violated, if it is, by finitely many steps: all of its fixed points are greatest ones.
    pub fn is_safety(&self) -> bool {
        self.priorities.iter().all(|priority| priority % 2 == 0)
    }

    /// The propositions of the space in the formula.
    pub fn atoms(&self) -> Vec<AtomId> {
        let atoms = self.positions.iter().filter_map(|position| match position {
            &Position::Atom(atom, _) if atom != RESTS && atom != DEADLOCKED => Some(atom),
            _ => None,
        });
        atoms.collect()
    }

    pub(crate) fn root(&self) -> PositionId {
        self.root
    }

    pub(crate) fn position(&self, position: PositionId) -> &Position {
        &self.positions[position as usize]
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = &Position> {
        self.positions.iter()
    }

    pub(crate) fn needs(&self, position: PositionId) -> &[FormulaVariable] {
        &self.needs[position as usize]
    }

    pub(crate) fn priority(&self, position: PositionId) -> u8 {
        self.priorities[position as usize]
    }

    pub(crate) fn labels(&self) -> &[LabelFormula] {
        &self.labels
    }

    pub(crate) fn label_needs(&self, labels: usize) -> &[FormulaVariable] {
        &self.label_needs[labels]
    }

    /// The player who moves at a position.
    pub(crate) fn owner(&self, position: PositionId) -> Player {
        match self.position(position) {
            Position::All(_)
            | Position::Quantified { any: false, .. }
            | Position::Step { any: false, .. } => Player::Forall,
            &Position::Fixed(body) => self.owner(body),
            _ => Player::Exists,
        }
    }
}

/// A fixed point around the place that is translated.
struct Scope<'f> {
    name: &'f str,
    fixed_point: usize,
    negated: bool,
}

/// A place that belongs to no fixed point.
const NOWHERE: usize = usize::MAX;

#[derive(Default)]
struct Translation<'f> {
    positions: Vec<Position>,
    /// The fixed point that each position belongs to.
    within: Vec<usize>,
    /// The fixed points whose variables occur free in each position.
    free: Vec<Vec<usize>>,
    fixed_points: Vec<NormalFixedPoint>,
    labels: Vec<LabelFormula>,
    scopes: Vec<Scope<'f>>,
    /// The fixed points around the place, those of regular formulas included.
    around: Vec<usize>,
}

impl<'f> Translation<'f> {
    fn formula(&mut self, formula: &'f ModalFormula, negated: bool) -> Result<PositionId, FormulaError> {
        let position = match formula {
            &ModalFormula::Constant(value) => Position::Constant(value != negated),
            &ModalFormula::Atom(atom) => Position::Atom(atom, !negated),
            &ModalFormula::Data(term) => Position::Data(term, !negated),
            ModalFormula::Not(inner) => return self.formula(inner, !negated),
            ModalFormula::And(left, right) => {
                let both = vec![self.formula(left, negated)?, self.formula(right, negated)?];
                if negated { Position::Any(both) } else { Position::All(both) }
            }
            ModalFormula::Or(left, right) => {
                let both = vec![self.formula(left, negated)?, self.formula(right, negated)?];
                if negated { Position::All(both) } else { Position::Any(both) }
            }
            ModalFormula::Implies(left, right) => {
                let both = vec![self.formula(left, !negated)?, self.formula(right, negated)?];
                if negated { Position::All(both) } else { Position::Any(both) }
            }
            ModalFormula::Forall(variables, body) | ModalFormula::Exists(variables, body) => {
                let any = matches!(formula, ModalFormula::Exists(..)) != negated;
                let body = self.formula(body, negated)?;
                Position::Quantified { any, variables: variables.clone(), body }
            }
            ModalFormula::Must(steps, then) | ModalFormula::May(steps, then) => {
                let any = matches!(formula, ModalFormula::May(..)) != negated;
                let then = self.formula(then, negated)?;
                return self.steps(steps, any, then);
            }
            ModalFormula::FixedPoint { sign, name, parameters, body, place } => {
                return self.fixed_point(*sign, name, parameters, body, *place, negated);
            }
            ModalFormula::Variable { name, arguments, place } => {
                return self.variable(name, arguments, *place, negated);
            }
        };
        Ok(self.push(position))
    }

    fn fixed_point(
        &mut self,
        sign: FixedPointSign,
        name: &'f str,
        parameters: &[(FormulaVariable, FormulaTerm)],
        body: &'f ModalFormula,
        place: FormulaPlace,
        negated: bool,
    ) -> Result<PositionId, FormulaError> {
        let sign = if negated { sign.dual() } else { sign };
        let (variables, values): (Vec<FormulaVariable>, Vec<FormulaTerm>) =
            parameters.iter().copied().unzip();
        let fixed_point = self.open(sign, variables.clone());
        self.scopes.push(Scope { name, fixed_point, negated });
        let body = self.formula(body, negated)?;
        self.scopes.pop();
        let target = self.close(fixed_point, body).ok_or(FormulaError::Alternation { place })?;
        if variables.is_empty() {
            return Ok(target);
        }
        Ok(self.push(Position::Enter { target, parameters: variables, arguments: values }))
    }

    fn variable(
        &mut self,
        name: &str,
        arguments: &[FormulaTerm],
        place: FormulaPlace,
        negated: bool,
    ) -> Result<PositionId, FormulaError> {
        let unbound = || FormulaError::Unbound { name: name.to_string(), place };
        let scope = self.scopes.iter().rev().find(|scope| scope.name == name).ok_or_else(unbound)?;
        if scope.negated != negated {
            return Err(FormulaError::NotMonotone { name: name.to_string(), place });
        }
        let fixed_point = scope.fixed_point;
        let parameters = self.fixed_points[fixed_point].parameters.clone();
        if parameters.len() != arguments.len() {
            let (expected, given) = (parameters.len(), arguments.len());
            return Err(FormulaError::Arguments { name: name.to_string(), place, expected, given });
        }
        Ok(self.again(fixed_point, parameters, arguments.to_vec()))
    }

    /// The position from which a sequence of these steps leads to `then`: some sequence if `any`, else each.
    fn steps(
        &mut self,
        steps: &'f RegularSteps,
        any: bool,
        then: PositionId,
    ) -> Result<PositionId, FormulaError> {
        Ok(match steps {
            RegularSteps::Nothing => then,
            RegularSteps::Step(formula) => {
                self.labels.push(formula.clone());
                self.push(Position::Step { any, labels: self.labels.len() - 1, body: then })
            }
            RegularSteps::Then(first, second) => {
                let then = self.steps(second, any, then)?;
                self.steps(first, any, then)?
            }
            RegularSteps::Either(left, right) => {
                let both = vec![self.steps(left, any, then)?, self.steps(right, any, then)?];
                self.push(junction(any, both))
            }
            RegularSteps::Star(inner) => {
                let fixed_point = self.open(sign_of(any), Vec::new());
                let again = self.again(fixed_point, Vec::new(), Vec::new());
                let on = self.steps(inner, any, again)?;
                let body = self.push(junction(any, vec![then, on]));
                self.closed(fixed_point, body)?
            }
            RegularSteps::Plus(inner) => {
                let fixed_point = self.open(sign_of(any), Vec::new());
                let again = self.again(fixed_point, Vec::new(), Vec::new());
                let either = self.push(junction(any, vec![then, again]));
                let body = self.steps(inner, any, either)?;
                self.closed(fixed_point, body)?
            }
        })
    }

    fn open(&mut self, sign: FixedPointSign, parameters: Vec<FormulaVariable>) -> usize {
        let position = self.push(Position::Constant(false));
        let fixed = NormalFixedPoint { sign, parameters, position, priority: 0, free: Vec::new() };
        self.fixed_points.push(fixed);
        let number = self.fixed_points.len() - 1;
        self.within[position as usize] = number;
        self.around.push(number);
        number
    }

    /// Gives a fixed point its body, and the least priority that fits it and is none less than those of the fixed points in
    /// it that go back to it.
    fn close(&mut self, fixed_point: usize, body: PositionId) -> Option<PositionId> {
        self.around.pop();
        let inner = &self.fixed_points[fixed_point + 1..];
        let dependent = inner.iter().filter(|inner| inner.free.contains(&fixed_point));
        let least = dependent.map(|inner| inner.priority).max().unwrap_or(0);
        let parity = u8::from(self.fixed_points[fixed_point].sign == FixedPointSign::Least);
        let priority = if least % 2 == parity { least } else { least + 1 };
        let free = self.free[body as usize].iter().copied().filter(|&other| other != fixed_point).collect();
        let known = &mut self.fixed_points[fixed_point];
        (known.priority, known.free) = (priority, free);
        let position = known.position;
        self.free[position as usize] = known.free.clone();
        self.positions[position as usize] = Position::Fixed(body);
        (priority <= GREATEST_PRIORITY).then_some(position)
    }

    fn closed(&mut self, fixed_point: usize, body: PositionId) -> Result<PositionId, FormulaError> {
        let place = FormulaPlace::default();
        self.close(fixed_point, body).ok_or(FormulaError::Alternation { place })
    }

    fn again(
        &mut self,
        fixed_point: usize,
        parameters: Vec<FormulaVariable>,
        arguments: Vec<FormulaTerm>,
    ) -> PositionId {
        let target = self.fixed_points[fixed_point].position;
        let position = self.push(Position::Enter { target, parameters, arguments });
        self.free[position as usize] = vec![fixed_point];
        position
    }

    fn push(&mut self, position: Position) -> PositionId {
        let mut free: Vec<usize> =
            children(&position).iter().flat_map(|&child| self.free[child as usize].iter().copied()).collect();
        free.sort_unstable();
        free.dedup();
        self.free.push(free);
        self.positions.push(position);
        self.within.push(self.around.last().copied().unwrap_or(NOWHERE));
        (self.positions.len() - 1) as PositionId
    }
}

fn junction(any: bool, both: Vec<PositionId>) -> Position {
    if any { Position::Any(both) } else { Position::All(both) }
}

fn sign_of(any: bool) -> FixedPointSign {
    if any { FixedPointSign::Least } else { FixedPointSign::Greatest }
}
