//! Bags. A finite bag is its elements in their order, each with how often it is there. Any other bag is a function to numbers and
//! a finite bag of its exceptions: what is listed counts as listed, and once more as what the function says for not at all.

use super::super::code::RewriteProgram;
use super::super::machine::{Evaluated, RewriteMachine};
use super::super::store::{ValueHead, ValueId};
use crate::typing::{Operation, SortId};

impl RewriteMachine {
    /// The bag of elements that are there so often.
    pub(in super::super) fn finite_bag(&mut self, mut counted: Vec<(ValueId, ValueId)>) -> ValueId {
        counted.sort_by(|(a, _), (b, _)| self.store.compare(*a, *b));
        let mut parts: Vec<ValueId> = Vec::with_capacity(counted.len() * 2);
        for (element, count) in counted {
            if Some(count) == ValueId::small(0) {
                continue;
            }
            match parts.len() {
                known if known >= 2 && parts[known - 2] == element => {
                    let sum = self.number_operation(Operation::Plus, parts[known - 1], count);
                    parts[known - 1] = sum.unwrap_or(count);
                }
                _ => parts.extend([element, count]),
            }
        }
        self.store.value(ValueHead::FiniteBag, &parts)
    }

    /// The bag in which everything is as often as a function says.
    pub(in super::super) fn bag_of_function(&mut self, function: ValueId) -> ValueId {
        let nothing = self.store.value(ValueHead::FiniteBag, &[]);
        self.bag_with(function, nothing)
    }

    fn bag_with(&mut self, function: ValueId, exceptions: ValueId) -> ValueId {
        match self.store.head(function) {
            Some(ValueHead::Zero) => exceptions,
            _ => self.store.value(ValueHead::Bag, &[function, exceptions]),
        }
    }

    fn bag_parts(&mut self, bag: ValueId) -> Option<(ValueId, ValueId)> {
        match self.store.head(bag)? {
            ValueHead::FiniteBag => Some((self.store.value(ValueHead::Zero, &[]), bag)),
            ValueHead::Bag => Some((self.store.part(bag, 0), self.store.part(bag, 1))),
            _ => None,
        }
    }

    /// How often something is in a bag, if that is known.
    pub(super) fn count(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        element: ValueId,
        bag: ValueId,
    ) -> Evaluated<Option<ValueId>> {
        let zero = self.store.of_integer(0);
        let Some((function, exceptions)) = self.bag_parts(bag) else { return Ok(None) };
        let mut listed = zero;
        for pair in self.store.parts(exceptions).to_vec().chunks_exact(2) {
            match self.equal(p, over, element, pair[0])? {
                Some(true) => {
                    listed = pair[1];
                    break;
                }
                Some(false) => {}
                None => return Ok(None),
            }
        }
        if self.store.head(function) == Some(ValueHead::Zero) {
            return Ok(Some(listed));
        }
        let general = self.apply_one(p, function, element)?;
        Ok(Some(if listed == zero {
            general
        } else if listed == general {
            zero
        } else {
            listed
        }))
    }

    pub(super) fn bag_size(&mut self, bag: ValueId) -> Option<ValueId> {
        if self.store.head(bag) != Some(ValueHead::FiniteBag) {
            return None;
        }
        let counts: Vec<_> = self.store.parts(bag).iter().skip(1).step_by(2).copied().collect();
        let zero = self.store.of_integer(0);
        counts.into_iter().try_fold(zero, |sum, count| self.number_operation(Operation::Plus, sum, count))
    }

    pub(super) fn bag_operation(
        &mut self,
        p: &RewriteProgram,
        operation: Operation,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<ValueId>> {
        let (Some((f, s)), Some((g, t))) = (self.bag_parts(a), self.bag_parts(b)) else { return Ok(None) };
        let function = match operation {
            Operation::BagUnion => self.sum_of(f, g),
            Operation::BagIntersection => self.lesser_of(f, g),
            _ => self.excess_of(f, g),
        };
        let mut mentioned: Vec<_> = self.store.parts(s).iter().step_by(2).copied().collect();
        mentioned.extend(self.store.parts(t).iter().step_by(2).copied());
        let zero = self.store.of_integer(0);
        let mut parts = Vec::new();
        for element in self.store.sorted(mentioned) {
            let (Some(left), Some(right)) =
                (self.count(p, over, element, a)?, self.count(p, over, element, b)?)
            else {
                return Ok(None);
            };
            let Some(wanted) = self.counted(operation, left, right) else { return Ok(None) };
            let general = self.apply_one(p, function, element)?;
            let listed = if wanted == general {
                continue;
            } else if wanted == zero {
                general
            } else {
                wanted
            };
            parts.extend([element, listed]);
        }
        let exceptions = self.store.value(ValueHead::FiniteBag, &parts);
        Ok(Some(self.bag_with(function, exceptions)))
    }

    /// How often something is in the result of an operation on bags.
    pub(super) fn counted(&mut self, operation: Operation, left: ValueId, right: ValueId) -> Option<ValueId> {
        match operation {
            Operation::BagUnion => self.number_operation(Operation::Plus, left, right),
            Operation::BagIntersection => self.number_operation(Operation::Min, left, right),
            _ => {
                let difference = self.number_operation(Operation::Minus, left, right)?;
                let zero = self.store.of_integer(0);
                self.number_operation(Operation::Max, difference, zero)
            }
        }
    }

    pub(super) fn sub_bag(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        let element = self.element_sort(p, over);
        let Some(common) = self.bag_operation(p, Operation::BagIntersection, element, a, b)? else {
            return Ok(None);
        };
        self.equal(p, over, common, a)
    }

    pub(super) fn proper_sub_bag(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        Ok(match (self.sub_bag(p, over, a, b)?, self.equal(p, over, a, b)?) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        })
    }

    pub(super) fn bag_to_set(&mut self, p: &RewriteProgram, bag: ValueId) -> Evaluated<Option<ValueId>> {
        let Some((function, exceptions)) = self.bag_parts(bag) else { return Ok(None) };
        let non_zero = self.non_zero(function);
        let listed: Vec<_> = self.store.parts(exceptions).to_vec();
        let zero = self.store.of_integer(0);
        let mut mentioned = Vec::new();
        for pair in listed.chunks_exact(2) {
            let general = self.apply_one(p, function, pair[0])?;
            // It is listed either since it is not there at all, or since it is there another number of times.
            let there = general != pair[1];
            if there != (general != zero) {
                mentioned.push(pair[0]);
            }
        }
        let exceptions = self.store.value(ValueHead::FiniteSet, &mentioned);
        Ok(Some(match self.store.head(non_zero) {
            Some(ValueHead::Never) => exceptions,
            _ => self.store.value(ValueHead::Set, &[non_zero, exceptions]),
        }))
    }

    pub(super) fn set_to_bag(&mut self, set: ValueId) -> Option<ValueId> {
        let one = self.store.of_integer(1);
        let counted = |elements: &[ValueId]| elements.iter().flat_map(|e| [*e, one]).collect::<Vec<_>>();
        match self.store.head(set)? {
            ValueHead::FiniteSet => {
                let parts = counted(self.store.parts(set));
                Some(self.store.value(ValueHead::FiniteBag, &parts))
            }
            // What is listed once is not there where the function says once, and there where it says not at all.
            ValueHead::Set => {
                let (function, exceptions) = (self.store.part(set, 0), self.store.part(set, 1));
                let indicator = self.store.value(ValueHead::Indicator, &[function]);
                let parts = counted(self.store.parts(exceptions));
                let exceptions = self.store.value(ValueHead::FiniteBag, &parts);
                Some(self.bag_with(indicator, exceptions))
            }
            _ => None,
        }
    }
}
