//! Values for the variables of a sum. What must be equal binds variables first; then conditions bound them; what is still
//! open runs through its sort, if that is finite. Nothing is guessed: a variable that nothing bounds is refused.

use super::expression::{Expression, ExpressionShape, PartialRow};
use super::model_error::ProcessError;
use super::values::{DataSide, Sort, ValueId};
use crate::syntax::Span;
use std::sync::Arc;

/// An expression over the row of one participant.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// The participant.
    pub(crate) at: usize,
    pub(crate) expression: Arc<Expression>,
}

impl Open {
    pub(crate) fn new(at: usize, expression: &Arc<Expression>) -> Open {
        Open { at, expression: Arc::clone(expression) }
    }

    fn part(&self, expression: &Arc<Expression>) -> Open {
        Open::new(self.at, expression)
    }

    /// Whether it reads this slot.
    pub(crate) fn reads(&self, at: usize, slot: usize) -> bool {
        self.at == at && self.expression.reads.iter().any(|(_, other)| *other == slot)
    }
}

/// What must hold.
#[derive(Clone, Debug)]
pub(crate) enum PuzzleConstraint {
    /// A condition has this truth value.
    If(Open, bool),
    /// Two expressions have the same value.
    Equal(Open, Open),
    /// An expression has this value.
    Is(Open, ValueId),
}

/// A variable of a sum.
#[derive(Clone, Debug)]
pub(crate) struct Summed {
    pub(crate) at: usize,
    pub(crate) slot: usize,
    pub(crate) sort: Sort,
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Rows with unknown values, and what must hold of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Puzzle {
    pub(crate) rows: Vec<PartialRow>,
    pub(crate) constraints: Vec<PuzzleConstraint>,
    pub(crate) summed: Vec<Summed>,
    /// What must be known in the end.
    pub(crate) wanted: Vec<Open>,
}

/// What became of a constraint.
enum Look {
    Holds,
    Fails,
    /// More may have to hold in its place.
    Progress(Vec<PuzzleConstraint>),
    Waits,
}

impl Puzzle {
    /// Adds the puzzle of one participant under its number.
    pub(crate) fn join(&mut self, at: usize, alone: &Puzzle) {
        let moved = |open: &Open| Open { at, ..open.clone() };
        self.rows.extend(alone.rows.iter().cloned());
        self.constraints.extend(alone.constraints.iter().map(|constraint| match constraint {
            PuzzleConstraint::If(open, expected) => PuzzleConstraint::If(moved(open), *expected),
            PuzzleConstraint::Equal(left, right) => PuzzleConstraint::Equal(moved(left), moved(right)),
            PuzzleConstraint::Is(open, value) => PuzzleConstraint::Is(moved(open), *value),
        }));
        self.summed.extend(alone.summed.iter().map(|summed| Summed { at, ..summed.clone() }));
        self.wanted.extend(alone.wanted.iter().map(moved));
    }

    /// Finds what follows without a choice; whether a solution is still possible.
    pub(crate) fn propagate(&mut self, data: &DataSide) -> Result<bool, ProcessError> {
        loop {
            let mut moved = false;
            let mut at = 0;
            while at < self.constraints.len() {
                let constraint = self.constraints[at].clone();
                match self.look(data, &constraint)? {
                    Look::Holds => {
                        self.constraints.remove(at);
                        moved = true;
                    }
                    Look::Fails => return Ok(false),
                    Look::Progress(more) => {
                        self.constraints.splice(at..=at, more);
                        moved = true;
                    }
                    Look::Waits => at += 1,
                }
            }
            if !moved {
                return Ok(true);
            }
        }
    }

    /// Gives out all solutions.
    pub(crate) fn solve(
        mut self,
        data: &DataSide,
        found: &mut dyn FnMut(&[PartialRow]) -> Result<(), ProcessError>,
    ) -> Result<(), ProcessError> {
        if !self.propagate(data)? {
            return Ok(());
        }
        let open = self.open();
        if let Some((slots, tuples)) = self.choices(data, &open)? {
            for tuple in tuples {
                let mut next = self.clone();
                for (&(at, slot), value) in slots.iter().zip(tuple) {
                    next.rows[at][slot] = Some(value);
                }
                next.solve(data, found)?;
            }
            return Ok(());
        }
        if let Some(summed) = open.first() {
            return Err(ProcessError::Unbounded { name: summed.name.clone(), span: summed.span });
        }
        // Whatever still waits now waits for no variable: it has no value, and says why.
        for constraint in &self.constraints {
            let (PuzzleConstraint::If(open, _) | PuzzleConstraint::Is(open, _)) = constraint else {
                continue;
            };
            open.expression.value(data, &self.rows[open.at])?;
            if let PuzzleConstraint::If(open, _) = constraint {
                return Err(ProcessError::Undecided { span: open.expression.span });
            }
        }
        found(&self.rows)
    }

    /// The value of an expression, if all of its variables are known.
    fn value(&self, data: &DataSide, open: &Open) -> Result<Option<ValueId>, ProcessError> {
        let row = &self.rows[open.at];
        if open.expression.is_known(row) { open.expression.value(data, row).map(Some) } else { Ok(None) }
    }

    /// The variables of sums that somebody waits for and nobody knows.
    fn open(&self) -> Vec<Summed> {
        let reads = |summed: &Summed, open: &Open| open.reads(summed.at, summed.slot);
        let awaits = |summed: &Summed, constraint: &PuzzleConstraint| match constraint {
            PuzzleConstraint::If(open, _) | PuzzleConstraint::Is(open, _) => reads(summed, open),
            PuzzleConstraint::Equal(left, right) => reads(summed, left) || reads(summed, right),
        };
        let unknown = |summed: &&Summed| {
            self.rows[summed.at][summed.slot].is_none()
                && (self.constraints.iter().any(|constraint| awaits(summed, constraint))
                    || self.wanted.iter().any(|open| reads(summed, open)))
        };
        self.summed.iter().filter(unknown).cloned().collect()
    }

    fn look(&mut self, data: &DataSide, constraint: &PuzzleConstraint) -> Result<Look, ProcessError> {
        let same = |left, right| if left == right { Look::Holds } else { Look::Fails };
        match constraint {
            PuzzleConstraint::If(open, expected) => self.condition(data, open, *expected),
            PuzzleConstraint::Is(open, value) => match self.value(data, open)? {
                Some(own) => Ok(same(own, *value)),
                None => Ok(self.matched(data, open, *value)),
            },
            PuzzleConstraint::Equal(left, right) => match (self.value(data, left)?, self.value(data, right)?)
            {
                (Some(left), Some(right)) => Ok(same(left, right)),
                (Some(value), None) => Ok(Look::Progress(vec![PuzzleConstraint::Is(right.clone(), value)])),
                (None, Some(value)) => Ok(Look::Progress(vec![PuzzleConstraint::Is(left.clone(), value)])),
                (None, None) => Ok(Look::Waits),
            },
        }
    }

    fn condition(&self, data: &DataSide, open: &Open, expected: bool) -> Result<Look, ProcessError> {
        if let Some(value) = self.value(data, open)? {
            return Ok(match value.as_truth() {
                Some(truth) if truth == expected => Look::Holds,
                Some(_) => Look::Fails,
                None => Look::Waits,
            });
        }
        let each = |left, right| {
            let parts = [left, right].map(|part| PuzzleConstraint::If(open.part(part), expected));
            Look::Progress(parts.to_vec())
        };
        let equal =
            |left, right| Look::Progress(vec![PuzzleConstraint::Equal(open.part(left), open.part(right))]);
        Ok(match (open.expression.shape(data), expected) {
            (ExpressionShape::And(left, right), true) | (ExpressionShape::Or(left, right), false) => {
                each(left, right)
            }
            (ExpressionShape::Not(inner), _) => {
                Look::Progress(vec![PuzzleConstraint::If(open.part(inner), !expected)])
            }
            (ExpressionShape::Equal(left, right), true) | (ExpressionShape::Unequal(left, right), false) => {
                equal(left, right)
            }
            (ExpressionShape::Slot(_), _) => {
                Look::Progress(vec![PuzzleConstraint::Is(open.clone(), ValueId::truth(expected))])
            }
            _ => Look::Waits,
        })
    }

    /// Makes an expression have a value, as far as its form tells how.
    fn matched(&mut self, data: &DataSide, open: &Open, value: ValueId) -> Look {
        match open.expression.shape(data) {
            ExpressionShape::Slot(slot) => {
                // A number of a larger sort may be none of the variable's. What is not defined, such as the head of an empty
                // list, is received like any value.
                let of_sort = |summed: &Summed| !summed.sort.is_number() || data.contains(summed.sort, value);
                let summed = self.summed.iter().find(|summed| summed.at == open.at && summed.slot == *slot);
                if !summed.is_none_or(of_sort) {
                    return Look::Fails;
                }
                self.rows[open.at][*slot] = Some(value);
                Look::Holds
            }
            ExpressionShape::Constructor(constructor, arguments) => {
                match data.arguments_of(value, *constructor) {
                    Some(values) => Look::Progress(
                        (arguments.iter().zip(values))
                            .map(|(argument, value)| PuzzleConstraint::Is(open.part(argument), value))
                            .collect(),
                    ),
                    None => Look::Fails,
                }
            }
            _ => Look::Waits,
        }
    }
}
