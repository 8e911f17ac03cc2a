//! A data expression over the slots of a row, compiled, and the form of it that tells how it can be solved for a variable.

use super::model_error::ProcessError;
use super::values::{CompiledTerm, DataSide, TermForm, ValueId};
use crate::syntax::Span;
use crate::typing::{DataTerm, FunctionId, VariableId};
use std::sync::{Arc, OnceLock};

/// A row of values, some of which are not known yet.
pub(crate) type PartialRow = Vec<Option<ValueId>>;

/// A data expression over the slots of a row.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) term: DataTerm,
    pub(crate) span: Span,
    compiled: CompiledTerm,
    /// Its variables and where they are.
    pub(crate) reads: Vec<(VariableId, usize)>,
    shape: OnceLock<ExpressionShape>,
}

/// The form of an expression, as far as it matters for solving.
#[derive(Debug)]
pub(crate) enum ExpressionShape {
    Slot(usize),
    Constructor(FunctionId, Vec<Arc<Expression>>),
    Not(Arc<Expression>),
    And(Arc<Expression>, Arc<Expression>),
    Or(Arc<Expression>, Arc<Expression>),
    Equal(Arc<Expression>, Arc<Expression>),
    Unequal(Arc<Expression>, Arc<Expression>),
    Other,
}

impl Expression {
    pub(crate) fn new(
        data: &DataSide,
        term: &DataTerm,
        slot: &dyn Fn(VariableId) -> Option<usize>,
    ) -> Result<Arc<Expression>, ProcessError> {
        let variables = term.free_variables().into_iter();
        let reads: Vec<(VariableId, usize)> =
            variables.filter_map(|variable| slot(variable).map(|slot| (variable, slot))).collect();
        let parameters: Vec<VariableId> = reads.iter().map(|(variable, _)| *variable).collect();
        let compiled = data.compile(term, &parameters)?;
        Ok(Arc::new(Expression {
            term: term.clone(),
            span: term.span,
            compiled,
            reads,
            shape: OnceLock::new(),
        }))
    }

    /// Whether all of its variables are known.
    pub(crate) fn is_known(&self, row: &PartialRow) -> bool {
        self.reads.iter().all(|(_, slot)| row[*slot].is_some())
    }

    /// Its value, where all variables are known.
    pub(crate) fn value(&self, data: &DataSide, row: &PartialRow) -> Result<ValueId, ProcessError> {
        let arguments: Vec<ValueId> = self.reads.iter().filter_map(|(_, slot)| row[*slot]).collect();
        data.evaluate(&self.compiled, &arguments)
    }

    /// Its value, if all of its variables are known and it has one.
    pub(crate) fn known_value(&self, data: &DataSide, row: &PartialRow) -> Option<ValueId> {
        if self.is_known(row) { self.value(data, row).ok() } else { None }
    }

    pub(crate) fn shape(&self, data: &DataSide) -> &ExpressionShape {
        self.shape.get_or_init(|| self.find_shape(data).unwrap_or(ExpressionShape::Other))
    }

    fn find_shape(&self, data: &DataSide) -> Result<ExpressionShape, ProcessError> {
        let slot = |variable: VariableId| {
            self.reads.iter().find(|(other, _)| *other == variable).map(|(_, slot)| *slot)
        };
        let part = |term: &DataTerm| Expression::new(data, term, &slot);
        Ok(match data.form(&self.term) {
            TermForm::Variable(variable) => {
                slot(variable).map_or(ExpressionShape::Other, ExpressionShape::Slot)
            }
            TermForm::Constructor(constructor, arguments) => ExpressionShape::Constructor(
                constructor,
                arguments.into_iter().map(part).collect::<Result<_, _>>()?,
            ),
            TermForm::Not(inner) => ExpressionShape::Not(part(inner)?),
            TermForm::And(left, right) => ExpressionShape::And(part(left)?, part(right)?),
            TermForm::Or(left, right) => ExpressionShape::Or(part(left)?, part(right)?),
            TermForm::Equal(left, right) => ExpressionShape::Equal(part(left)?, part(right)?),
            TermForm::Unequal(left, right) => ExpressionShape::Unequal(part(left)?, part(right)?),
            TermForm::Other => ExpressionShape::Other,
        })
    }
}
