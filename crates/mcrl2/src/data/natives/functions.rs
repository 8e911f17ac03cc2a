//! Functions as values: updates, and the functions that sets and bags are made of.

use super::super::code::RewriteProgram;
use super::super::machine::{Evaluated, RewriteMachine};
use super::super::store::{ValueHead, ValueId};
use crate::typing::{Operation, SortId, SortKind};

impl RewriteMachine {
    /// A function with another value for one argument. Updates are in the order of their arguments, and those that change
    /// nothing are left out, so the value is the same however it came about.
    pub(super) fn update(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        function: ValueId,
        argument: ValueId,
        value: ValueId,
    ) -> Evaluated<Option<ValueId>> {
        let (base, mut updates) = match self.store.head(function) {
            Some(ValueHead::Update) => {
                let parts = self.store.parts(function);
                (parts[0], parts[1..].to_vec())
            }
            _ => (function, Vec::new()),
        };
        let place = updates.chunks_exact(2).position(|pair| self.store.compare(pair[0], argument).is_ge());
        let place = place.map_or(updates.len(), |pair| pair * 2);
        if updates.get(place) == Some(&argument) {
            updates.drain(place..place + 2);
        }
        let general = self.apply_one(p, base, argument)?;
        let range = match p.sorts.kind(sort) {
            SortKind::Function(_, range) => *range,
            _ => SortId::NONE,
        };
        if self.equal(p, range, general, value)? != Some(true) {
            updates.splice(place..place, [argument, value]);
        }
        if updates.is_empty() {
            return Ok(Some(base));
        }
        updates.insert(0, base);
        Ok(Some(self.store.value(ValueHead::Update, &updates)))
    }

    /// What a function that is no lambda and no name gives for the arguments on top of the stack.
    pub(in super::super) fn apply_built_in(
        &mut self,
        p: &RewriteProgram,
        head: ValueHead,
        function: ValueId,
        base: usize,
    ) -> Evaluated {
        let Some(argument) = self.stack.get(base).copied() else {
            return Ok(self.stuck_application(function, base));
        };
        let part = |machine: &Self, place: usize| machine.store.part(function, place);
        match head {
            ValueHead::Constant => Ok(part(self, 0)),
            ValueHead::Never => Ok(ValueId::FALSE),
            ValueHead::Always => Ok(ValueId::TRUE),
            ValueHead::Zero => Ok(self.store.of_integer(0)),
            ValueHead::Update => self.apply_update(p, function, argument, base),
            ValueHead::Opposite => {
                let value = self.apply_one(p, part(self, 0), argument)?;
                Ok(self.not(value))
            }
            ValueHead::Both | ValueHead::Either => {
                let left = self.apply_one(p, part(self, 0), argument)?;
                let right = self.apply_one(p, part(self, 1), argument)?;
                Ok(if head == ValueHead::Both { self.and(left, right) } else { self.or(left, right) })
            }
            ValueHead::Sum | ValueHead::Lesser | ValueHead::Excess => {
                let left = self.apply_one(p, part(self, 0), argument)?;
                let right = self.apply_one(p, part(self, 1), argument)?;
                let operation = match head {
                    ValueHead::Sum => Operation::BagUnion,
                    ValueHead::Lesser => Operation::BagIntersection,
                    _ => Operation::BagDifference,
                };
                let counted = self.counted(operation, left, right);
                Ok(counted.unwrap_or_else(|| self.stuck_application(function, base)))
            }
            ValueHead::NonZero => {
                let count = self.apply_one(p, part(self, 0), argument)?;
                let zero = self.store.of_integer(0);
                Ok(self.native_pair(Operation::Less, zero, count))
            }
            ValueHead::Indicator => {
                let truth = self.apply_one(p, part(self, 0), argument)?;
                let numbers = (self.store.of_integer(1), self.store.of_integer(0));
                Ok(match truth.as_truth() {
                    Some(true) => numbers.0,
                    Some(false) => numbers.1,
                    None => {
                        self.store.value(ValueHead::Operation(Operation::If), &[truth, numbers.0, numbers.1])
                    }
                })
            }
            _ => Ok(self.stuck_application(function, base)),
        }
    }

    fn apply_update(
        &mut self,
        p: &RewriteProgram,
        function: ValueId,
        argument: ValueId,
        base: usize,
    ) -> Evaluated {
        let parts = self.store.parts(function).to_vec();
        for pair in parts[1..].chunks_exact(2) {
            if pair[0] == argument {
                return Ok(pair[1]);
            }
            if !(self.store.is_plain(pair[0]) && self.store.is_plain(argument)) {
                // The sort is not known here; values without it are compared by what they are built of.
                match self.equal(p, SortId::NONE, pair[0], argument)? {
                    Some(true) => return Ok(pair[1]),
                    Some(false) => {}
                    None => return Ok(self.stuck_application(function, base)),
                }
            }
        }
        self.apply_one(p, parts[0], argument)
    }

    fn native_pair(&mut self, operation: Operation, a: ValueId, b: ValueId) -> ValueId {
        match self.in_order(a, b, operation == Operation::AtMost) {
            Some(value) => value,
            None => self.store.value(ValueHead::Operation(operation), &[a, b]),
        }
    }

    pub(super) fn opposite(&mut self, function: ValueId) -> ValueId {
        match self.store.head(function) {
            Some(ValueHead::Never) => self.store.value(ValueHead::Always, &[]),
            Some(ValueHead::Always) => self.store.value(ValueHead::Never, &[]),
            Some(ValueHead::Opposite) => self.store.part(function, 0),
            _ => self.store.value(ValueHead::Opposite, &[function]),
        }
    }

    pub(super) fn both(&mut self, f: ValueId, g: ValueId) -> ValueId {
        match (self.store.head(f), self.store.head(g)) {
            (Some(ValueHead::Never), _) | (_, Some(ValueHead::Always)) => f,
            (_, Some(ValueHead::Never)) | (Some(ValueHead::Always), _) => g,
            _ if f == g => f,
            _ => self.pair_of(ValueHead::Both, f, g),
        }
    }

    pub(super) fn either(&mut self, f: ValueId, g: ValueId) -> ValueId {
        match (self.store.head(f), self.store.head(g)) {
            (Some(ValueHead::Always), _) | (_, Some(ValueHead::Never)) => f,
            (_, Some(ValueHead::Always)) | (Some(ValueHead::Never), _) => g,
            _ if f == g => f,
            _ => self.pair_of(ValueHead::Either, f, g),
        }
    }

    /// Two functions in an order of their own, so that it does not matter which came first.
    fn pair_of(&mut self, head: ValueHead, f: ValueId, g: ValueId) -> ValueId {
        let (f, g) = if self.store.compare(f, g).is_le() { (f, g) } else { (g, f) };
        self.store.value(head, &[f, g])
    }

    pub(super) fn sum_of(&mut self, f: ValueId, g: ValueId) -> ValueId {
        match (self.store.head(f), self.store.head(g)) {
            (Some(ValueHead::Zero), _) => g,
            (_, Some(ValueHead::Zero)) => f,
            _ => self.pair_of(ValueHead::Sum, f, g),
        }
    }

    pub(super) fn lesser_of(&mut self, f: ValueId, g: ValueId) -> ValueId {
        match (self.store.head(f), self.store.head(g)) {
            (Some(ValueHead::Zero), _) => f,
            (_, Some(ValueHead::Zero)) => g,
            _ if f == g => f,
            _ => self.pair_of(ValueHead::Lesser, f, g),
        }
    }

    pub(super) fn excess_of(&mut self, f: ValueId, g: ValueId) -> ValueId {
        match (self.store.head(f), self.store.head(g)) {
            (Some(ValueHead::Zero), _) | (_, Some(ValueHead::Zero)) => f,
            _ if f == g => self.store.value(ValueHead::Zero, &[]),
            _ => self.store.value(ValueHead::Excess, &[f, g]),
        }
    }

    pub(super) fn non_zero(&mut self, function: ValueId) -> ValueId {
        match self.store.head(function) {
            Some(ValueHead::Zero) => self.store.value(ValueHead::Never, &[]),
            Some(ValueHead::Indicator) => self.store.part(function, 0),
            _ => self.store.value(ValueHead::NonZero, &[function]),
        }
    }
}
