//! Data expressions whose names and sorts are known.

use super::{FunctionId, SortId, VariableId};
use crate::syntax::{DataBinder, Span};

/// A data expression with its sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTerm {
    /// What it is.
    pub kind: DataTermKind,
    /// Its sort, before any widening.
    pub sort: SortId,
    /// Where it stands.
    pub span: Span,
}

/// What a data expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataTermKind {
    /// A variable.
    Variable(VariableId),
    /// `true` or `false`.
    Truth(bool),
    /// A number, by its digits.
    Number(String),
    /// A constructor or a mapping, not applied.
    Function(FunctionId),
    /// A function applied to arguments.
    Apply(Box<DataTerm>, Vec<DataTerm>),
    /// A built-in operation: the sort that it is about, such as that of both sides of `==`, and its operands.
    Operation(Operation, SortId, Vec<DataTerm>),
    /// `[e, ..]`.
    List(Vec<DataTerm>),
    /// `{e, ..}`.
    Set(Vec<DataTerm>),
    /// `{e: n, ..}`.
    Bag(Vec<(DataTerm, DataTerm)>),
    /// `{x: S | e}`, a set if `e` is of sort `Bool` and a bag otherwise.
    Comprehension(VariableId, Box<DataTerm>),
    /// A quantifier or `lambda`.
    Bind(DataBinder, Vec<VariableId>, Box<DataTerm>),
    /// `e whr x = e, .. end`.
    Where(Vec<(VariableId, DataTerm)>, Box<DataTerm>),
}

/// The built-in operations. `a > b` is `b < a`, and `a >= b` is `b <= a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "they are called as in the language, or as what they compute")]
pub enum Operation {
    If,
    Not,
    And,
    Or,
    Implies,
    Equal,
    Unequal,
    Less,
    AtMost,
    Negate,
    Plus,
    Minus,
    Times,
    Divide,
    Div,
    Mod,
    Power,
    Max,
    Min,
    Abs,
    Succ,
    Pred,
    Floor,
    Ceil,
    Round,
    Sqrt,
    ToPos,
    ToNat,
    ToInt,
    ToReal,
    Cons,
    Snoc,
    Concat,
    ElementAt,
    Head,
    Tail,
    LastElement,
    WithoutLast,
    ListSize,
    InList,
    InSet,
    SetSize,
    Complement,
    Union,
    Intersection,
    Difference,
    Subset,
    ProperSubset,
    PickFromSet,
    InBag,
    BagSize,
    BagUnion,
    BagIntersection,
    BagDifference,
    SubBag,
    ProperSubBag,
    PickFromBag,
    Count,
    BagToSet,
    SetToBag,
    Update,
}

impl DataTerm {
    /// The variables that are not bound within, in the order of their first occurrence.
    pub fn free_variables(&self) -> Vec<VariableId> {
        let mut free = Vec::new();
        self.collect_free(&mut Vec::new(), &mut free);
        free
    }

    fn collect_free(&self, bound: &mut Vec<VariableId>, free: &mut Vec<VariableId>) {
        match &self.kind {
            DataTermKind::Variable(variable) => {
                if !bound.contains(variable) && !free.contains(variable) {
                    free.push(*variable);
                }
            }
            DataTermKind::Truth(_) | DataTermKind::Number(_) | DataTermKind::Function(_) => {}
            DataTermKind::Apply(function, arguments) => {
                function.collect_free(bound, free);
                arguments.iter().for_each(|argument| argument.collect_free(bound, free));
            }
            DataTermKind::Operation(_, _, parts) | DataTermKind::List(parts) | DataTermKind::Set(parts) => {
                parts.iter().for_each(|part| part.collect_free(bound, free));
            }
            DataTermKind::Bag(elements) => {
                for (element, count) in elements {
                    element.collect_free(bound, free);
                    count.collect_free(bound, free);
                }
            }
            DataTermKind::Comprehension(variable, body) => {
                bound.push(*variable);
                body.collect_free(bound, free);
                bound.pop();
            }
            DataTermKind::Bind(_, variables, body) => {
                let outer = bound.len();
                bound.extend(variables);
                body.collect_free(bound, free);
                bound.truncate(outer);
            }
            DataTermKind::Where(assignments, body) => {
                assignments.iter().for_each(|(_, value)| value.collect_free(bound, free));
                let outer = bound.len();
                bound.extend(assignments.iter().map(|(variable, _)| *variable));
                body.collect_free(bound, free);
                bound.truncate(outer);
            }
        }
    }
}
