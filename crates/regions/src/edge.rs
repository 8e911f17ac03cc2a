//! A step between two discrete states, as linear constraints: over the parameters, the remaining times before the step,
//! the time that passes until it, and the remaining times after it. Edges are all that a search and a check of a
//! certificate have in common.

use crate::Linear;
use crate::config::{DiscreteState, FlightMeaning, FreshBound, Origin, VariableRole};
use crate::decisions::Trouble;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};

/// A step of the model. The columns of its constraints are the parameters, the variables before, the time that passes
/// and the variables after.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What happens, for a reader.
    pub label: String,
    pub(crate) target: DiscreteState,
    pub(crate) ending: Ending,
    pub(crate) relation: Vec<Constraint>,
    /// How many parameters, variables before and variables after there are.
    pub(crate) sizes: (usize, usize, usize),
}

/// What comes of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The run goes on.
    Open,
    /// No property that is asked can be violated any more.
    Settled,
    /// The property is violated, for this reason.
    Violated(String),
    /// The model ends here, though the system does not: this limit was met.
    Cut(String),
}

/// When a step is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EdgeGuard {
    /// At any moment.
    Ever,
    /// When this variable is used up.
    At(usize),
    /// Before this message must arrive, and not before its earliest moment.
    Before(usize),
    /// When more than the remaining time of these deadlines has passed.
    After(Vec<usize>),
}

/// Writes the constraints of one edge.
pub(crate) struct EdgeWriter<'a> {
    pub(crate) parameters: &'a [String],
    pub(crate) before: &'a [(VariableRole, ())],
    /// The width of the bound of messages, where they have windows.
    pub(crate) width: Option<Linear>,
    /// Whether no time passes.
    pub(crate) urgent: bool,
    /// Whether the step is a timeout that waits for deliveries that are due.
    pub(crate) after_deliveries: bool,
}

impl EdgeWriter<'_> {
    /// The constraints of a step that leads to these variables, for parameters that fulfil `condition`.
    pub(crate) fn relation(
        &self,
        guard: &EdgeGuard,
        condition: &Polyhedron,
        after: &[(VariableRole, Origin)],
        alike: &[(usize, usize)],
        fresh: &[FreshBound],
    ) -> Result<Vec<Constraint>, Trouble> {
        let (k, m, n) = (self.parameters.len(), self.before.len(), after.len());
        let size = k + m + 1 + n;
        let (passed, old, new) = (k + m, |j: usize| k + j, |j: usize| k + m + 1 + j);
        let mut rows = Vec::new();
        let mut row = |terms: &[(usize, i64)], relation| {
            let mut coefficients = vec![0; size];
            terms.iter().for_each(|&(column, factor)| coefficients[column] += factor);
            rows.push(Constraint::new(coefficients, 0, relation));
        };
        row(&[(passed, 1)], if self.urgent { Relation::Equal } else { Relation::AtLeast });
        let expired: &[usize] = if let EdgeGuard::After(deadlines) = guard { deadlines } else { &[] };
        for (j, (role, ())) in self.before.iter().enumerate() {
            if expired.contains(&j) {
                row(&[(passed, 1), (old(j), -1)], Relation::Above);
                continue;
            }
            let due_first = self.after_deliveries
                && matches!(
                    role,
                    VariableRole::Message { meaning: FlightMeaning::Latest | FlightMeaning::Window, .. }
                );
            let relation = if due_first { Relation::Above } else { Relation::AtLeast };
            row(&[(old(j), 1), (passed, -1)], relation);
        }
        match guard {
            EdgeGuard::At(j) => row(&[(passed, 1), (old(*j), -1)], Relation::Equal),
            EdgeGuard::Before(_) | EdgeGuard::Ever | EdgeGuard::After(_) => {}
        }
        for (j, (_, origin)) in after.iter().enumerate() {
            if let Origin::Kept(before) = origin {
                row(&[(new(j), 1), (old(*before), -1), (passed, 1)], Relation::Equal);
            }
        }
        for &(first, second) in alike {
            row(&[(new(second), 1), (new(first), -1)], Relation::AtLeast);
        }
        if let (EdgeGuard::Before(j), Some(width)) = (guard, self.width) {
            // passed >= old - width
            if matches!(self.before[*j].0, VariableRole::Message { meaning: FlightMeaning::Window, .. }) {
                rows.push(self.weighed(width, 1, &[(passed, 1), (old(*j), -1)], Relation::AtLeast, size)?);
            }
        }
        for (j, (role, origin)) in after.iter().enumerate() {
            let Origin::Fresh(number) = origin else { continue };
            let bound = fresh[*number];
            let latest = !matches!(
                role,
                VariableRole::Timer { .. } | VariableRole::Message { meaning: FlightMeaning::Moment, .. }
            );
            match bound.hi() {
                Some(hi) if latest || hi == bound.lo() => {
                    rows.push(self.weighed(hi, -1, &[(new(j), 1)], Relation::Equal, size)?);
                }
                hi => {
                    rows.push(self.weighed(bound.lo(), -1, &[(new(j), 1)], Relation::AtLeast, size)?);
                    if let Some(hi) = hi {
                        rows.push(self.weighed(hi, 1, &[(new(j), -1)], Relation::AtLeast, size)?);
                    }
                }
            }
        }
        for constraint in condition.constraints() {
            let mut coefficients = constraint.coefficients().to_vec();
            coefficients.resize(size, 0);
            rows.push(Constraint::new(coefficients, constraint.constant(), constraint.relation()));
        }
        Ok(rows)
    }

    /// The constraint that `sign * expression` plus these terms is in a relation to 0.
    fn weighed(
        &self,
        expression: Linear,
        sign: i64,
        terms: &[(usize, i64)],
        relation: Relation,
        size: usize,
    ) -> Result<Constraint, Trouble> {
        let (row, constant, denominator) =
            expression.row(self.parameters).ok_or_else(|| Trouble::unknown(expression, self.parameters))?;
        let mut coefficients: Vec<i64> = row.into_iter().map(|factor| sign * factor).collect();
        coefficients.resize(size, 0);
        for &(column, factor) in terms {
            let scaled = factor.checked_mul(denominator).ok_or(Trouble::Overflow)?;
            coefficients[column] = coefficients[column].checked_add(scaled).ok_or(Trouble::Overflow)?;
        }
        Ok(Constraint::new(coefficients, sign * constant, relation))
    }
}

impl Edge {
    /// The states after this step from those of a zone.
    pub(crate) fn image(&self, zone: &Polyhedron) -> Result<Polyhedron, Trouble> {
        let (k, m, n) = self.sizes;
        let joint = zone.with_dimensions(1 + n).and(&self.relation)?;
        if joint.is_empty() {
            return Ok(Polyhedron::empty(k + n));
        }
        let keep: Vec<usize> = (0..k).chain(k + m + 1..k + m + 1 + n).collect();
        Ok(joint.project(&keep)?)
    }
}
