//! Expressions for the variables of other expressions, and expressions as texts by which equal ones are known.

use super::model::BoundTerm;
use super::values::{DataSide, ProcessVariable};
use crate::typing::{DataTerm, DataTermKind, VariableId};
use std::collections::HashMap;
use std::sync::Arc;

/// What variables stand for.
pub(crate) type Substitution = HashMap<VariableId, DataTerm>;

/// The expression with other ones for its free variables. What a data expression binds is bound nowhere else, so nothing
/// is caught.
pub(crate) fn substituted(term: &DataTerm, by: &Substitution) -> DataTerm {
    if by.is_empty() {
        return term.clone();
    }
    let all =
        |terms: &[DataTerm]| -> Vec<DataTerm> { terms.iter().map(|term| substituted(term, by)).collect() };
    let one = |term: &DataTerm| Box::new(substituted(term, by));
    let kind = match &term.kind {
        DataTermKind::Variable(variable) => match by.get(variable) {
            // A parameter has its own sort, to which the argument widens.
            Some(value) => return DataTerm { span: term.span, ..value.clone() },
            None => DataTermKind::Variable(*variable),
        },
        DataTermKind::Truth(_) | DataTermKind::Number(_) | DataTermKind::Function(_) => term.kind.clone(),
        DataTermKind::Apply(function, arguments) => DataTermKind::Apply(one(function), all(arguments)),
        DataTermKind::Operation(operation, sort, operands) => {
            DataTermKind::Operation(*operation, *sort, all(operands))
        }
        DataTermKind::List(elements) => DataTermKind::List(all(elements)),
        DataTermKind::Set(elements) => DataTermKind::Set(all(elements)),
        DataTermKind::Bag(elements) => DataTermKind::Bag(
            elements
                .iter()
                .map(|(element, count)| (substituted(element, by), substituted(count, by)))
                .collect(),
        ),
        DataTermKind::Comprehension(variable, body) => DataTermKind::Comprehension(*variable, one(body)),
        DataTermKind::Bind(binder, variables, body) => {
            DataTermKind::Bind(*binder, variables.clone(), one(body))
        }
        DataTermKind::Where(values, body) => DataTermKind::Where(
            values.iter().map(|(variable, value)| (*variable, substituted(value, by))).collect(),
            one(body),
        ),
    };
    DataTerm { kind, ..term.clone() }
}

/// The same for an expression with its variables; `scope` has those that may be free in the result.
pub(crate) fn substituted_term(
    data: &DataSide,
    term: &BoundTerm,
    by: &Substitution,
    scope: &[ProcessVariable],
) -> BoundTerm {
    if by.is_empty() {
        return term.clone();
    }
    let typed = substituted(&term.typed, by);
    let free = typed.free_variables();
    let variables: Vec<ProcessVariable> =
        scope.iter().filter(|variable| free.contains(&variable.id)).cloned().collect();
    let text = written(data, &typed).into();
    BoundTerm { typed: Arc::new(typed), text, variables: variables.into(), span: term.span }
}

/// A text that two expressions share if they say the same of variables of the same names. What has no variables is its value.
pub(crate) fn written(data: &DataSide, term: &DataTerm) -> String {
    let mut text = String::new();
    write_term(data, term, &mut text);
    text
}

fn write_term(data: &DataSide, term: &DataTerm, text: &mut String) {
    if let Some(value) = data.closed_value(term) {
        text.push_str(&value);
        return;
    }
    let all = |terms: &[DataTerm], text: &mut String| {
        text.push('(');
        terms.iter().for_each(|term| {
            write_term(data, term, text);
            text.push(',');
        });
        text.push(')');
    };
    match &term.kind {
        DataTermKind::Variable(variable) => text.push_str(&data.variable_name(*variable)),
        DataTermKind::Truth(truth) => text.push_str(&truth.to_string()),
        DataTermKind::Number(digits) => text.push_str(digits),
        DataTermKind::Function(function) => text.push_str(&format!("{function:?}")),
        DataTermKind::Apply(function, arguments) => {
            write_term(data, function, text);
            all(arguments, text);
        }
        DataTermKind::Operation(operation, sort, operands) => {
            text.push_str(&format!("{operation:?}{sort:?}"));
            all(operands, text);
        }
        DataTermKind::List(elements) => {
            text.push('[');
            all(elements, text);
        }
        DataTermKind::Set(elements) => {
            text.push('{');
            all(elements, text);
        }
        DataTermKind::Bag(elements) => {
            text.push_str("{:");
            for (element, count) in elements {
                all(&[element.clone(), count.clone()], text);
            }
        }
        DataTermKind::Comprehension(variable, body) => {
            text.push_str("{|");
            text.push_str(&data.variable_name(*variable));
            all(std::slice::from_ref(body), text);
        }
        DataTermKind::Bind(binder, variables, body) => {
            text.push_str(binder.keyword());
            variables.iter().for_each(|variable| {
                text.push(' ');
                text.push_str(&data.variable_name(*variable));
            });
            all(std::slice::from_ref(body), text);
        }
        DataTermKind::Where(values, body) => {
            all(std::slice::from_ref(body), text);
            for (variable, value) in values {
                text.push_str(&data.variable_name(*variable));
                all(std::slice::from_ref(value), text);
            }
        }
    }
}
