//! What the operators mean for operands of given sorts.

use super::natives::{Native, container, is_bag, is_set};
use super::{Operation, SortId, SortTable};
use crate::syntax::{BinaryOperator, Container, UnaryOperator};

/// What a prefix operator means for an operand of this sort.
pub(super) fn unary(sorts: &mut SortTable, operator: UnaryOperator, operand: SortId) -> Option<Native> {
    match operator {
        UnaryOperator::Not if operand == SortId::BOOL => Some((Operation::Not, SortId::BOOL, SortId::BOOL)),
        UnaryOperator::Minus if operand.is_number() => {
            Some((Operation::Negate, operand, operand.max(SortId::INT)))
        }
        UnaryOperator::Not => {
            let (set, element) = container(sorts, operand)?;
            let result = sorts.container(Container::Set, element);
            is_set(set).then_some((Operation::Complement, element, result))
        }
        UnaryOperator::Size => match container(sorts, operand)? {
            (Container::List, element) => Some((Operation::ListSize, element, SortId::NAT)),
            (Container::FSet, element) => Some((Operation::SetSize, element, SortId::NAT)),
            (Container::FBag, element) => Some((Operation::BagSize, element, SortId::NAT)),
            _ => None,
        },
        UnaryOperator::Minus => None,
    }
}

/// What an infix operator means for operands of these sorts. `>` and `>=` are looked up with their operands exchanged.
pub(super) fn binary(
    sorts: &mut SortTable,
    operator: BinaryOperator,
    a: SortId,
    b: SortId,
) -> Option<Native> {
    use BinaryOperator as Op;
    let truth = |operation| {
        (a == SortId::BOOL && b == SortId::BOOL).then_some((operation, SortId::BOOL, SortId::BOOL))
    };
    match operator {
        Op::Implies => truth(Operation::Implies),
        Op::Or => truth(Operation::Or),
        Op::And => truth(Operation::And),
        Op::Equal => Some((Operation::Equal, sorts.join(a, b)?, SortId::BOOL)),
        Op::Unequal => Some((Operation::Unequal, sorts.join(a, b)?, SortId::BOOL)),
        Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => {
            let strict = matches!(operator, Op::Less | Op::Greater);
            let over = sorts.join(a, b)?;
            let operation = match container(sorts, over) {
                Some((set, _)) if is_set(set) && strict => Operation::ProperSubset,
                Some((set, _)) if is_set(set) => Operation::Subset,
                Some((bag, _)) if is_bag(bag) && strict => Operation::ProperSubBag,
                Some((bag, _)) if is_bag(bag) => Operation::SubBag,
                _ if strict => Operation::Less,
                _ => Operation::AtMost,
            };
            Some((operation, over, SortId::BOOL))
        }
        Op::In => {
            let (of, element) = container(sorts, b)?;
            let operation = match of {
                Container::List => Operation::InList,
                Container::Set | Container::FSet => Operation::InSet,
                Container::Bag | Container::FBag => Operation::InBag,
            };
            Some((operation, sorts.join(a, element)?, SortId::BOOL))
        }
        Op::Cons => {
            let (Container::List, element) = container(sorts, b)? else { return None };
            let element = sorts.join(a, element)?;
            Some((Operation::Cons, element, sorts.container(Container::List, element)))
        }
        Op::Snoc => {
            let (Container::List, element) = container(sorts, a)? else { return None };
            let element = sorts.join(element, b)?;
            Some((Operation::Snoc, element, sorts.container(Container::List, element)))
        }
        Op::Concat => {
            let joined = sorts.join(a, b)?;
            let (Container::List, element) = container(sorts, joined)? else { return None };
            Some((Operation::Concat, element, joined))
        }
        Op::At => {
            let (Container::List, element) = container(sorts, a)? else { return None };
            (b.is_number() && b <= SortId::NAT).then_some((Operation::ElementAt, element, element))
        }
        Op::Plus | Op::Minus | Op::Times if a.is_number() && b.is_number() => {
            let wide = a.max(b);
            Some(match operator {
                // Something positive is added.
                Op::Plus if wide <= SortId::NAT => (Operation::Plus, wide, a.min(b)),
                Op::Plus => (Operation::Plus, wide, wide),
                Op::Minus => (Operation::Minus, wide, wide.max(SortId::INT)),
                _ => (Operation::Times, wide, wide),
            })
        }
        Op::Plus | Op::Minus | Op::Times => collections(sorts, operator, a, b),
        Op::Divide if a.is_number() && b.is_number() => Some((Operation::Divide, SortId::REAL, SortId::REAL)),
        Op::Div | Op::Mod if a.is_number() && a <= SortId::INT && b == SortId::POS => {
            Some(match (operator, a) {
                (Op::Mod, _) => (Operation::Mod, a, SortId::NAT),
                (_, SortId::INT) => (Operation::Div, a, SortId::INT),
                _ => (Operation::Div, a, SortId::NAT),
            })
        }
        Op::Divide | Op::Div | Op::Mod => None,
    }
}

/// Union, difference and intersection of sets and of bags. What a finite one limits is finite.
fn collections(sorts: &mut SortTable, operator: BinaryOperator, a: SortId, b: SortId) -> Option<Native> {
    let ((left, x), (right, y)) = (container(sorts, a)?, container(sorts, b)?);
    let element = sorts.join(x, y)?;
    let (set, bag) = (is_set(left) && is_set(right), is_bag(left) && is_bag(right));
    if !set && !bag {
        return None;
    }
    let finite = |container| matches!(container, Container::FSet | Container::FBag);
    let (operation, is_finite) = match (operator, set) {
        (BinaryOperator::Plus, true) => (Operation::Union, finite(left) && finite(right)),
        (BinaryOperator::Plus, false) => (Operation::BagUnion, finite(left) && finite(right)),
        (BinaryOperator::Minus, true) => (Operation::Difference, finite(left)),
        (BinaryOperator::Minus, false) => (Operation::BagDifference, finite(left)),
        (_, true) => (Operation::Intersection, finite(left) || finite(right)),
        (_, false) => (Operation::BagIntersection, finite(left) || finite(right)),
    };
    let result = match (set, is_finite) {
        (true, true) => Container::FSet,
        (true, false) => Container::Set,
        (false, true) => Container::FBag,
        (false, false) => Container::Bag,
    };
    Some((operation, element, sorts.container(result, element)))
}
