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
pub(super) enum Condition {
    Constant(bool),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// An operation that says something of the values of its operands: `==`, `<` or `<=`.
    Compared(Operation, FormulaTerm, FormulaTerm),
    /// A quantifier: its body limits the values of other variables whatever its own are.
    Quantified(Box<Condition>),
    /// Anything else: the evaluator finds the values, where the other variables of this part are known.
    Opaque(FormulaTerm),
    /// A term that is no condition.
    None,
}

impl Condition {
    /// A condition, whose operands become terms of the formula.
    pub(super) fn of(term: &DataTerm, operand: &mut dyn FnMut(&DataTerm) -> FormulaTerm) -> Condition {
        let opposite = |condition: Condition| Condition::Not(Box::new(condition));
        match &term.kind {
            DataTermKind::Truth(value) => Condition::Constant(*value),
            DataTermKind::Bind(DataBinder::Forall | DataBinder::Exists, _, body) => {
                Condition::Quantified(Box::new(Condition::of(body, operand)))
            }
            DataTermKind::Operation(operation, _, parts) => match (operation, parts.as_slice()) {
                (Operation::Not, [inner]) => opposite(Condition::of(inner, operand)),
                (Operation::And, [left, right]) => {
                    Condition::All(vec![Condition::of(left, operand), Condition::of(right, operand)])
                }
                (Operation::Or, [left, right]) => {
                    Condition::Any(vec![Condition::of(left, operand), Condition::of(right, operand)])
                }
                (Operation::Implies, [left, right]) => Condition::Any(vec![
                    opposite(Condition::of(left, operand)),
                    Condition::of(right, operand),
                ]),
                (Operation::If, [when, then, other]) => {
                    // `if(a, b, c)` is `(a => b) && (!a => c)`.
                    let (first, second) = (Condition::of(when, operand), Condition::of(when, operand));
                    Condition::All(vec![
                        Condition::Any(vec![opposite(first), Condition::of(then, operand)]),
                        Condition::Any(vec![second, Condition::of(other, operand)]),
                    ])
                }
                (Operation::Unequal, [left, right]) => {
                    opposite(Condition::Compared(Operation::Equal, operand(left), operand(right)))
                }
                (Operation::Equal | Operation::Less | Operation::AtMost, [left, right]) => {
                    Condition::Compared(*operation, operand(left), operand(right))
                }
                _ => Condition::Opaque(operand(term)),
            },
            _ => Condition::Opaque(operand(term)),
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
            Condition::Constant(value) if *value == usual => none,
            Condition::Constant(_) | Condition::None => ExceptionalValues::Unlimited,
            &Condition::Opaque(term) => data.of_part(term, variable, usual, binding)?,
            Condition::Not(inner) => inner.exceptions(data, variable, !usual, binding)?,
            Condition::Quantified(inner) => inner.exceptions(data, variable, usual, binding)?,
            Condition::All(parts) | Condition::Any(parts) => {
                let united = matches!(self, Condition::All(_)) == usual;
                let mut found = if united { none } else { ExceptionalValues::Unlimited };
                for part in parts {
                    let these = part.exceptions(data, variable, usual, binding)?;
                    found = if united { either(found, these) } else { both(found, these) };
                }
                found
            }
            &Condition::Compared(operation, left, right) => {
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
