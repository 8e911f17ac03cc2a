//! The built-in functions with a name: which of them a name means for arguments of given sorts, and of which sort the result is.

use super::{Operation, SortId, SortKind, SortTable};
use crate::syntax::Container;

/// A built-in operation for arguments of certain sorts: the sort that it is about, and the sort of its result.
pub(super) type Native = (Operation, SortId, SortId);

/// The names of built-in functions.
pub(super) const NAMES: [&str; 31] = [
    "if", "min", "max", "abs", "succ", "pred", "exp", "floor", "ceil", "round", "sqrt", "head", "tail",
    "rhead", "rtail", "count", "pick", "Bag2Set", "Set2Bag", "Pos2Nat", "Pos2Int", "Pos2Real", "Nat2Pos",
    "Nat2Int", "Nat2Real", "Int2Pos", "Int2Nat", "Int2Real", "Real2Pos", "Real2Nat", "Real2Int",
];

/// What the built-in functions of a name take.
pub(super) fn usage(name: &str) -> &'static str {
    match name {
        "if" => "a condition and two values of the same sort",
        "min" | "max" => "two numbers",
        "exp" => "a number and an exponent of sort Nat, or of sort Int for a Real",
        "abs" | "succ" | "pred" | "floor" | "ceil" | "round" => "a number",
        "sqrt" => "a number of sort Nat",
        "head" | "tail" | "rhead" | "rtail" => "a list",
        "count" => "an element and a bag",
        "pick" => "a finite set or bag",
        "Bag2Set" => "a bag",
        "Set2Bag" => "a set",
        _ => "a number of the sort that its name begins with",
    }
}

/// The built-in function of a name for arguments of these sorts.
pub(super) fn named(sorts: &mut SortTable, name: &str, arguments: &[SortId]) -> Option<Native> {
    match (name, arguments) {
        ("if", [SortId::BOOL, then, otherwise]) => {
            let sort = sorts.join(*then, *otherwise)?;
            Some((Operation::If, sort, sort))
        }
        ("count", [element, bag]) => {
            let (container, of) = container(sorts, *bag)?;
            let sort = sorts.join(*element, of)?;
            is_bag(container).then_some((Operation::Count, sort, SortId::NAT))
        }
        (_, [a, b]) if a.is_number() && b.is_number() => two_numbers(name, *a, *b),
        (_, [a]) if a.is_number() => one_number(name, *a),
        (_, [a]) => {
            let (container, of) = container(sorts, *a)?;
            let list = container == Container::List;
            match name {
                "head" if list => Some((Operation::Head, of, of)),
                "tail" if list => Some((Operation::Tail, of, *a)),
                "rhead" if list => Some((Operation::LastElement, of, of)),
                "rtail" if list => Some((Operation::WithoutLast, of, *a)),
                "pick" if container == Container::FSet => Some((Operation::PickFromSet, of, of)),
                "pick" if container == Container::FBag => Some((Operation::PickFromBag, of, of)),
                "Bag2Set" if is_bag(container) => {
                    let set = if container == Container::FBag { Container::FSet } else { Container::Set };
                    Some((Operation::BagToSet, of, sorts.container(set, of)))
                }
                "Set2Bag" if is_set(container) => {
                    let bag = if container == Container::FSet { Container::FBag } else { Container::Bag };
                    Some((Operation::SetToBag, of, sorts.container(bag, of)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn two_numbers(name: &str, a: SortId, b: SortId) -> Option<Native> {
    let wide = a.max(b);
    match name {
        // What is at least a positive number is positive, and what is at least a natural number is natural.
        "max" if wide <= SortId::INT => Some((Operation::Max, wide, a.min(b))),
        "max" => Some((Operation::Max, wide, wide)),
        "min" => Some((Operation::Min, wide, wide)),
        "exp" if b <= SortId::NAT => Some((Operation::Power, a, a)),
        "exp" if b == SortId::INT => Some((Operation::Power, SortId::REAL, SortId::REAL)),
        _ => None,
    }
}

fn one_number(name: &str, a: SortId) -> Option<Native> {
    let is = |operation, result| Some((operation, a, result));
    match name {
        "abs" if a <= SortId::INT => is(Operation::Abs, SortId::NAT),
        "abs" => is(Operation::Abs, SortId::REAL),
        "succ" if a <= SortId::NAT => is(Operation::Succ, SortId::POS),
        "succ" => is(Operation::Succ, a),
        "pred" if a == SortId::POS => is(Operation::Pred, SortId::NAT),
        "pred" if a <= SortId::INT => is(Operation::Pred, SortId::INT),
        "pred" => is(Operation::Pred, SortId::REAL),
        "floor" => is(Operation::Floor, SortId::INT),
        "ceil" => is(Operation::Ceil, SortId::INT),
        "round" => is(Operation::Round, SortId::INT),
        "sqrt" if a <= SortId::NAT => is(Operation::Sqrt, SortId::NAT),
        _ => {
            let (from, to) = name.split_once('2')?;
            let from = number_sort(from)?;
            let (operation, result) = match to {
                "Pos" => (Operation::ToPos, SortId::POS),
                "Nat" => (Operation::ToNat, SortId::NAT),
                "Int" => (Operation::ToInt, SortId::INT),
                "Real" => (Operation::ToReal, SortId::REAL),
                _ => return None,
            };
            (a <= from && from != result).then_some((operation, from, result))
        }
    }
}

fn number_sort(name: &str) -> Option<SortId> {
    match name {
        "Pos" => Some(SortId::POS),
        "Nat" => Some(SortId::NAT),
        "Int" => Some(SortId::INT),
        "Real" => Some(SortId::REAL),
        _ => None,
    }
}

/// The container that a sort is, and the sort of its elements.
pub(super) fn container(sorts: &SortTable, sort: SortId) -> Option<(Container, SortId)> {
    match sorts.kind(sort) {
        SortKind::Container(container, element) => Some((*container, *element)),
        _ => None,
    }
}

pub(super) fn is_set(container: Container) -> bool {
    matches!(container, Container::Set | Container::FSet)
}

pub(super) fn is_bag(container: Container) -> bool {
    matches!(container, Container::Bag | Container::FBag)
}
