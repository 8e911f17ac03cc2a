//! Equations whose sides are typed.

use super::{DataTerm, DataTermKind, Scope, Signature, SortId, VariableId};
use crate::LanguageError;
use crate::syntax::{Equation, EquationGroup, Span};

/// An equation: what its left side matches becomes its right side, if the condition holds.
#[derive(Clone, Debug)]
pub struct TypedEquation {
    /// When it may be used.
    pub condition: Option<DataTerm>,
    /// What it rewrites.
    pub left: DataTerm,
    /// What that becomes.
    pub right: DataTerm,
    /// Where it stands.
    pub span: Span,
}

impl Signature {
    pub(super) fn type_equations(&mut self, group: &EquationGroup) -> Result<(), LanguageError> {
        let mut scope = Scope::new();
        for variable in &group.variables {
            let sort = self.sort(&variable.sort)?;
            scope.declare(self, &variable.name.name, sort);
        }
        for equation in &group.equations {
            let typed = self.type_equation(&mut scope, equation)?;
            self.equations.push(typed);
        }
        Ok(())
    }

    fn type_equation(
        &mut self,
        scope: &mut Scope,
        equation: &Equation,
    ) -> Result<TypedEquation, LanguageError> {
        let condition = match &equation.condition {
            Some(condition) => Some(self.typed(scope, condition, Some(SortId::BOOL))?),
            None => None,
        };
        let lefts = self.infer(scope, &equation.left)?;
        let rights = self.infer(scope, &equation.right)?;
        // The right side decides between readings of the left one.
        let mut fitting = lefts.clone();
        fitting.retain(|left| self.best(&rights, left.term.sort).is_some());
        if fitting.is_empty() {
            let message = format!(
                "the left side is of sort {}, but the right side of sort {}",
                self.print_sorts(&lefts),
                self.print_sorts(&rights)
            );
            return Err(LanguageError::sort(equation.right.span, message));
        }
        let left = self.choose(equation.left.span, fitting, None)?;
        let right = self.choose(equation.right.span, rights, Some(left.sort))?;
        let known = left.free_variables();
        for part in condition.iter().chain([&right]) {
            if let Some(free) = part.free_variables().into_iter().find(|free| !known.contains(free)) {
                let span = place_of(part, free).unwrap_or(part.span);
                let message = format!(
                    "the variable '{}' does not occur in the left side, so nothing tells its value",
                    self.variable_name(free)
                );
                return Err(LanguageError::sort(span, message));
            }
        }
        Ok(TypedEquation { condition, left, right, span: equation.span })
    }
}

/// Where a variable stands in a term.
fn place_of(term: &DataTerm, variable: VariableId) -> Option<Span> {
    let within = |parts: &[DataTerm]| parts.iter().find_map(|part| place_of(part, variable));
    match &term.kind {
        DataTermKind::Variable(found) => (*found == variable).then_some(term.span),
        DataTermKind::Truth(_) | DataTermKind::Number(_) | DataTermKind::Function(_) => None,
        DataTermKind::Apply(function, arguments) => {
            place_of(function, variable).or_else(|| within(arguments))
        }
        DataTermKind::Operation(_, _, parts) | DataTermKind::List(parts) | DataTermKind::Set(parts) => {
            within(parts)
        }
        DataTermKind::Bag(elements) => elements
            .iter()
            .find_map(|(element, count)| place_of(element, variable).or_else(|| place_of(count, variable))),
        DataTermKind::Comprehension(_, body) | DataTermKind::Bind(_, _, body) => place_of(body, variable),
        DataTermKind::Where(assignments, body) => assignments
            .iter()
            .find_map(|(_, value)| place_of(value, variable))
            .or_else(|| place_of(body, variable)),
    }
}
