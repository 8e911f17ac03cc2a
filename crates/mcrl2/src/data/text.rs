//! Typed expressions as texts, by way of the trees that are written.

use crate::syntax::{
    Assignment, BinaryOperator, DataExpr, DataExprKind, Ident, SortExpr, SortExprKind, UnaryOperator,
    VariableDeclaration,
};
use crate::typing::{DataTerm, DataTermKind, Operation, Signature, SortId, SortKind, VariableId};

/// A typed expression as it is written.
pub(super) fn term(signature: &Signature, term: &DataTerm) -> String {
    expression(signature, term).to_string()
}

fn expression(signature: &Signature, term: &DataTerm) -> DataExpr {
    let of = |part: &DataTerm| expression(signature, part);
    let all = |parts: &[DataTerm]| parts.iter().map(of).collect::<Vec<_>>();
    let name = |variable: VariableId| signature.variable_name(variable).to_owned();
    let kind = match &term.kind {
        DataTermKind::Variable(variable) => DataExprKind::Name(name(*variable)),
        DataTermKind::Truth(truth) => DataExprKind::Name(truth.to_string()),
        DataTermKind::Number(digits) => DataExprKind::Number(digits.clone()),
        DataTermKind::Function(function) => DataExprKind::Name(signature.function(*function).name.clone()),
        DataTermKind::Apply(function, arguments) => {
            DataExprKind::Apply(Box::new(of(function)), all(arguments))
        }
        DataTermKind::Operation(operation, _, operands) => written(*operation, all(operands)),
        DataTermKind::List(elements) => DataExprKind::List(all(elements)),
        DataTermKind::Set(elements) => DataExprKind::Set(all(elements)),
        DataTermKind::Bag(elements) => {
            DataExprKind::Bag(elements.iter().map(|(element, count)| (of(element), of(count))).collect())
        }
        DataTermKind::Comprehension(variable, body) => {
            DataExprKind::Comprehension(Box::new(declaration(signature, *variable)), Box::new(of(body)))
        }
        DataTermKind::Bind(binder, variables, body) => {
            let variables = variables.iter().map(|variable| declaration(signature, *variable)).collect();
            DataExprKind::Bind(*binder, variables, Box::new(of(body)))
        }
        DataTermKind::Where(assignments, body) => {
            let assignments = assignments.iter().map(|(variable, value)| Assignment {
                name: Ident { name: name(*variable), span: term.span },
                value: of(value),
            });
            DataExprKind::Where(Box::new(of(body)), assignments.collect())
        }
    };
    DataExpr { kind, span: term.span }
}

fn declaration(signature: &Signature, variable: VariableId) -> VariableDeclaration {
    let name = signature.variable_name(variable).to_owned();
    let sort = sort(signature, signature.variable_sort(variable));
    VariableDeclaration { name: Ident { name, span: crate::syntax::Span::default() }, sort }
}

fn sort(signature: &Signature, id: SortId) -> SortExpr {
    let kind = match signature.sorts().kind(id) {
        SortKind::Container(container, element) => {
            SortExprKind::Container(*container, Box::new(sort(signature, *element)))
        }
        SortKind::Function(domain, range) => SortExprKind::Function(
            domain.iter().map(|part| sort(signature, *part)).collect(),
            Box::new(sort(signature, *range)),
        ),
        _ => SortExprKind::Named(signature.sorts().print(id)),
    };
    SortExpr { kind, span: crate::syntax::Span::default() }
}

/// An operation as it is written: with an operator, or as a function with a name.
fn written(operation: Operation, mut operands: Vec<DataExpr>) -> DataExprKind {
    if operation == Operation::Update {
        return match <[DataExpr; 3]>::try_from(operands) {
            Ok(parts) => DataExprKind::Update(Box::new(parts)),
            Err(operands) => call("update", operands),
        };
    }
    if let (Some(operator), 1) = (unary(operation), operands.len()) {
        return DataExprKind::Unary(operator, Box::new(operands.remove(0)));
    }
    if let Some(operator) = binary(operation) {
        return match <[DataExpr; 2]>::try_from(operands) {
            Ok(parts) => DataExprKind::Binary(operator, Box::new(parts)),
            Err(operands) => call(operator.sign(), operands),
        };
    }
    call(name(operation), operands)
}

fn call(name: &str, operands: Vec<DataExpr>) -> DataExprKind {
    let span = operands.first().map_or_else(Default::default, |operand| operand.span);
    let function = DataExpr { kind: DataExprKind::Name(name.to_owned()), span };
    DataExprKind::Apply(Box::new(function), operands)
}

/// The prefix operator of an operation.
pub(super) fn unary(operation: Operation) -> Option<UnaryOperator> {
    match operation {
        Operation::Not | Operation::Complement => Some(UnaryOperator::Not),
        Operation::Negate => Some(UnaryOperator::Minus),
        Operation::ListSize | Operation::SetSize | Operation::BagSize => Some(UnaryOperator::Size),
        _ => None,
    }
}

/// The infix operator of an operation.
pub(super) fn binary(operation: Operation) -> Option<BinaryOperator> {
    Some(match operation {
        Operation::And => BinaryOperator::And,
        Operation::Or => BinaryOperator::Or,
        Operation::Implies => BinaryOperator::Implies,
        Operation::Equal => BinaryOperator::Equal,
        Operation::Unequal => BinaryOperator::Unequal,
        Operation::Less | Operation::ProperSubset | Operation::ProperSubBag => BinaryOperator::Less,
        Operation::AtMost | Operation::Subset | Operation::SubBag => BinaryOperator::AtMost,
        Operation::Plus | Operation::Union | Operation::BagUnion => BinaryOperator::Plus,
        Operation::Minus | Operation::Difference | Operation::BagDifference => BinaryOperator::Minus,
        Operation::Times | Operation::Intersection | Operation::BagIntersection => BinaryOperator::Times,
        Operation::Divide => BinaryOperator::Divide,
        Operation::Div => BinaryOperator::Div,
        Operation::Mod => BinaryOperator::Mod,
        Operation::Cons => BinaryOperator::Cons,
        Operation::Snoc => BinaryOperator::Snoc,
        Operation::Concat => BinaryOperator::Concat,
        Operation::ElementAt => BinaryOperator::At,
        Operation::InList | Operation::InSet | Operation::InBag => BinaryOperator::In,
        _ => return None,
    })
}

/// The name of an operation that has no operator.
pub(super) fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::If => "if",
        Operation::Power => "exp",
        Operation::Max => "max",
        Operation::Min => "min",
        Operation::Abs => "abs",
        Operation::Succ => "succ",
        Operation::Pred => "pred",
        Operation::Floor => "floor",
        Operation::Ceil => "ceil",
        Operation::Round => "round",
        Operation::Sqrt => "sqrt",
        Operation::ToPos => "Int2Pos",
        Operation::ToNat => "Int2Nat",
        Operation::ToInt => "Real2Int",
        Operation::ToReal => "Int2Real",
        Operation::Head => "head",
        Operation::Tail => "tail",
        Operation::LastElement => "rhead",
        Operation::WithoutLast => "rtail",
        Operation::PickFromSet | Operation::PickFromBag => "pick",
        Operation::Count => "count",
        Operation::BagToSet => "Bag2Set",
        Operation::SetToBag => "Set2Bag",
        Operation::Update => "update",
        _ => "operation",
    }
}
