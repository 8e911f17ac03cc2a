//! The built-in operations. Where one is not defined for its operands, such as the head of an empty list, its application is a
//! value of its own, which is equal to itself and to nothing else for certain.

mod bags;
mod equality;
mod functions;
mod lists;
mod numbers;
mod sets;

use super::code::RewriteProgram;
use super::machine::{Evaluated, RewriteMachine};
use super::store::{ValueHead, ValueId};
use crate::typing::{Operation, SortId};

impl RewriteMachine {
    /// What an operation gives for the operands on top of the stack.
    #[inline(never)]
    pub(super) fn native(
        &mut self,
        p: &RewriteProgram,
        operation: Operation,
        over: SortId,
        base: usize,
    ) -> Evaluated {
        use Operation as Op;
        let a = self.stack[base];
        let b = self.stack.get(base + 1).copied().unwrap_or(ValueId::FALSE);
        let found = match operation {
            Op::Equal => self.equal(p, over, a, b)?.map(ValueId::truth),
            Op::Unequal => self.equal(p, over, a, b)?.map(|equal| ValueId::truth(!equal)),
            Op::Less | Op::AtMost => self.in_order(a, b, operation == Op::AtMost),
            Op::Negate
            | Op::Plus
            | Op::Minus
            | Op::Times
            | Op::Divide
            | Op::Div
            | Op::Mod
            | Op::Power
            | Op::Max
            | Op::Min
            | Op::Abs
            | Op::Succ
            | Op::Pred
            | Op::Floor
            | Op::Ceil
            | Op::Round
            | Op::Sqrt
            | Op::ToPos
            | Op::ToNat
            | Op::ToInt
            | Op::ToReal => self.number_operation(operation, a, b),
            Op::Cons
            | Op::Snoc
            | Op::Concat
            | Op::ElementAt
            | Op::Head
            | Op::Tail
            | Op::LastElement
            | Op::WithoutLast
            | Op::ListSize => self.list_operation(operation, a, b),
            Op::InList => self.in_list(p, over, a, b)?.map(ValueId::truth),
            Op::InSet => self.in_set(p, over, a, b)?,
            Op::SetSize => self.finite_size(a),
            Op::Complement => self.complement(a),
            Op::Union | Op::Intersection | Op::Difference => self.set_operation(p, operation, over, a, b)?,
            Op::Subset => self.subset(p, over, a, b)?.map(ValueId::truth),
            Op::ProperSubset => self.proper_subset(p, over, a, b)?.map(ValueId::truth),
            Op::PickFromSet | Op::PickFromBag => match self.store.head(a) {
                Some(ValueHead::FiniteSet | ValueHead::FiniteBag) => self.store.parts(a).first().copied(),
                _ => None,
            },
            Op::InBag => self.count(p, over, a, b)?.and_then(|count| {
                let zero = ValueId::small(0);
                self.store.is_plain(count).then(|| ValueId::truth(Some(count) != zero))
            }),
            Op::Count => self.count(p, over, a, b)?,
            Op::BagSize => self.bag_size(a),
            Op::BagUnion | Op::BagIntersection | Op::BagDifference => {
                self.bag_operation(p, operation, over, a, b)?
            }
            Op::SubBag => self.sub_bag(p, over, a, b)?.map(ValueId::truth),
            Op::ProperSubBag => self.proper_sub_bag(p, over, a, b)?.map(ValueId::truth),
            Op::BagToSet => self.bag_to_set(p, a)?,
            Op::SetToBag => self.set_to_bag(a),
            Op::Update => {
                let value = self.stack[base + 2];
                self.update(p, over, a, b, value)?
            }
            Op::If | Op::Not | Op::And | Op::Or | Op::Implies => None,
        };
        Ok(match found {
            Some(value) => value,
            None => self.store.value(ValueHead::Operation(operation), &self.stack[base..]),
        })
    }

    /// The opposite of a truth value that may not be known.
    pub(super) fn not(&mut self, value: ValueId) -> ValueId {
        match value {
            ValueId::FALSE => ValueId::TRUE,
            ValueId::TRUE => ValueId::FALSE,
            _ => match self.store.head(value) {
                Some(ValueHead::Operation(Operation::Not)) => self.store.part(value, 0),
                _ => self.store.value(ValueHead::Operation(Operation::Not), &[value]),
            },
        }
    }

    /// Whether both hold, where that may not be known.
    pub(super) fn and(&mut self, left: ValueId, right: ValueId) -> ValueId {
        match (left, right) {
            (ValueId::FALSE, _) | (_, ValueId::FALSE) => ValueId::FALSE,
            (ValueId::TRUE, other) | (other, ValueId::TRUE) => other,
            _ if left == right => left,
            _ => self.store.value(ValueHead::Operation(Operation::And), &[left, right]),
        }
    }

    /// Whether one holds, where that may not be known.
    pub(super) fn or(&mut self, left: ValueId, right: ValueId) -> ValueId {
        match (left, right) {
            (ValueId::TRUE, _) | (_, ValueId::TRUE) => ValueId::TRUE,
            (ValueId::FALSE, other) | (other, ValueId::FALSE) => other,
            _ if left == right => left,
            _ => self.store.value(ValueHead::Operation(Operation::Or), &[left, right]),
        }
    }

    /// Whether one value comes before another, if both are known.
    fn in_order(&self, a: ValueId, b: ValueId, or_equal: bool) -> Option<ValueId> {
        if a == b {
            return Some(ValueId::truth(or_equal));
        }
        if let (Some(a), Some(b)) = (self.store.integer(a), self.store.integer(b)) {
            return Some(ValueId::truth(a < b));
        }
        let plain = self.store.is_plain(a) && self.store.is_plain(b);
        plain.then(|| ValueId::truth(self.store.compare(a, b).is_lt()))
    }
}
