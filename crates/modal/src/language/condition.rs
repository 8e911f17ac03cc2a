//! Conditions of a formula as far as they limit the values of a variable: comparisons, and what joins them. Whatever
//! else limits them is found by the evaluator, where all other variables are known.

use super::meaning::LanguageData;
use crate::data::{Binding, DataError, ExceptionalValues};
use crate::formula::{FormulaTerm, FormulaVariable};
use crate::labels::{both, either};
use watchkeeper_mcrl2::syntax::DataBinder;
use watchkeeper_mcrl2::typing::{DataTerm, DataTermKind, Operation};

/// A condition, taken apart. Its operands are terms of the formula, by their numbers.
#[derive(Clone, Debug)]
pub(super) enum ConditionParts {
    Constant(bool),
    Not(Box<ConditionParts>),
    All(Vec<ConditionParts>),
    Any(Vec<ConditionParts>),
    /// An operation that says something of the values of its operands: `==`, `<` or `<=`.
    Compared(Operation, FormulaTerm, FormulaTerm),
    /// A quantifier: its body limits the values of other variables whatever its own are.
    Quantified(Box<ConditionParts>),
    /// Anything else: the evaluator finds the values, where the other variables of this part are known.
    Opaque(FormulaTerm),
    /// A term that is no condition.
    None,
}

impl ConditionParts {
    /// A condition, whose operands become terms of the formula.
    pub(super) fn of(term: &DataTerm, operand: &mut dyn FnMut(&DataTerm) -> FormulaTerm) -> ConditionParts {
        let opposite = |condition: ConditionParts| ConditionParts::Not(Box::new(condition));
        match &term.kind {
            DataTermKind::Truth(value) => ConditionParts::Constant(*value),
            DataTermKind::Bind(DataBinder::Forall | DataBinder::Exists, _, body) => {
                ConditionParts::Quantified(Box::new(ConditionParts::of(body, operand)))
            }
            DataTermKind::Operation(operation, _, parts) => match (operation, parts.as_slice()) {
                (Operation::Not, [inner]) => opposite(ConditionParts::of(inner, operand)),
                (Operation::And, [left, right]) => ConditionParts::All(vec![
                    ConditionParts::of(left, operand),
                    ConditionParts::of(right, operand),
                ]),
                (Operation::Or, [left, right]) => ConditionParts::Any(vec![
                    ConditionParts::of(left, operand),
                    ConditionParts::of(right, operand),
                ]),
                (Operation::Implies, [left, right]) => ConditionParts::Any(vec![
                    opposite(ConditionParts::of(left, operand)),
                    ConditionParts::of(right, operand),
                ]),
                (Operation::If, [when, then, other]) => {
                    // `if(a, b, c)` is `(a => b) && (!a => c)`.
                    let (first, second) =
                        (ConditionParts::of(when, operand), ConditionParts::of(when, operand));
                    ConditionParts::All(vec![
                        ConditionParts::Any(vec![opposite(first), ConditionParts::of(then, operand)]),
                        ConditionParts::Any(vec![second, ConditionParts::of(other, operand)]),
                    ])
                }
                (Operation::Unequal, [left, right]) => {
                    opposite(ConditionParts::Compared(Operation::Equal, operand(left), operand(right)))
                }
                (Operation::Equal | Operation::Less | Operation::AtMost, [left, right]) => {
                    ConditionParts::Compared(*operation, operand(left), operand(right))
                }
                _ => ConditionParts::Opaque(operand(term)),
            },
            _ => ConditionParts::Opaque(operand(term)),
        }
    }

    /// The values of a variable for which the condition may differ from `usual`.
    pub(super) fn exceptions(
        &self,
        data: &LanguageData,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Result<ExceptionalValues, DataError> {
        let none = ExceptionalValues::Among(Vec::new());
        Ok(match self {
            ConditionParts::Constant(value) if *value == usual => none,
            ConditionParts::Constant(_) | ConditionParts::None => ExceptionalValues::Unlimited,
            &ConditionParts::Opaque(term) => data.of_part(term, variable, usual, binding)?,
            ConditionParts::Not(inner) => inner.exceptions(data, variable, !usual, binding)?,
            ConditionParts::Quantified(inner) => inner.exceptions(data, variable, usual, binding)?,
            ConditionParts::All(parts) | ConditionParts::Any(parts) => {
                let united = matches!(self, ConditionParts::All(_)) == usual;
                let mut found = if united { none } else { ExceptionalValues::Unlimited };
                for part in parts {
                    let these = part.exceptions(data, variable, usual, binding)?;
                    found = if united { either(found, these) } else { both(found, these) };
                }
                found
            }
            &ConditionParts::Compared(operation, left, right) => {
                compared(data, (operation, left, right), variable, usual, binding)?
            }
        })
    }
}

/// The same of one comparison.
fn compared(
    data: &LanguageData,
    (operation, left, right): (Operation, FormulaTerm, FormulaTerm),
    variable: FormulaVariable,
    usual: bool,
    binding: &Binding,
) -> Result<ExceptionalValues, DataError> {
    use ExceptionalValues::{Among, Between, Unlimited};
    let (first, second) = (data.known(left, binding)?, data.known(right, binding)?);
    if let (Some(first), Some(second)) = (first, second) {
        let value = match (operation, data.whole(first).zip(data.whole(second))) {
            (Operation::Equal, _) if first == second => Some(true),
            (Operation::Less, Some((first, second))) => Some(first < second),
            (Operation::AtMost, Some((first, second))) => Some(first <= second),
            (Operation::Equal, Some((first, second))) => Some(first == second),
            _ => None,
        };
        return Ok(if value == Some(usual) { Among(Vec::new()) } else { Unlimited });
    }
    let is_left = data.is_variable(left, variable);
    let is_right = data.is_variable(right, variable);
    let from = |least: i128| Between(Some(least), None);
    let up_to = |most: i128| Between(data.least(variable), Some(most));
    Ok(match (operation, usual) {
        // What makes an equation true.
        (Operation::Equal, false) if is_left => second.map_or(Unlimited, |value| Among(vec![value])),
        (Operation::Equal, false) if is_right => first.map_or(Unlimited, |value| Among(vec![value])),
        (Operation::Less | Operation::AtMost, _) if data.is_whole(variable) => {
            let strict = i128::from(operation == Operation::Less);
            let number = |value: Option<u32>| value.and_then(|value| data.whole(value));
            match (number(first), number(second)) {
                // x < e: true up to e - 1, false from e on.
                (_, Some(bound)) if is_left && !usual => up_to(bound - strict),
                (_, Some(bound)) if is_left => from(bound + 1 - strict),
                (Some(bound), _) if is_right && !usual => from(bound + strict),
                (Some(bound), _) if is_right => up_to(bound - 1 + strict),
                _ => Unlimited,
            }
        }
        _ => Unlimited,
    })
}
