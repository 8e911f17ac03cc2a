//! Sets. A finite set is its elements in their order. Any other set is a function to truth values and the finite set of its
//! exceptions, so that a set without an element of another one is again a value that is the same however it came about.

use super::super::code::RewriteProgram;
use super::super::machine::{Evaluated, RewriteMachine};
use super::super::store::{ValueHead, ValueId};
use crate::typing::{Operation, SortId};

impl RewriteMachine {
    /// The set of these elements.
    pub(in super::super) fn finite_set(&mut self, elements: Vec<ValueId>) -> ValueId {
        let elements = self.store.sorted(elements);
        self.store.value(ValueHead::FiniteSet, &elements)
    }

    /// The set of everything for which a function is true.
    pub(in super::super) fn set_of_function(&mut self, function: ValueId) -> ValueId {
        let nothing = self.store.value(ValueHead::FiniteSet, &[]);
        self.set_with(function, nothing)
    }

    fn set_with(&mut self, function: ValueId, exceptions: ValueId) -> ValueId {
        match self.store.head(function) {
            Some(ValueHead::Never) => exceptions,
            _ => self.store.value(ValueHead::Set, &[function, exceptions]),
        }
    }

    /// A set as a function and its exceptions.
    fn set_parts(&mut self, set: ValueId) -> Option<(ValueId, ValueId)> {
        match self.store.head(set)? {
            ValueHead::FiniteSet => Some((self.store.value(ValueHead::Never, &[]), set)),
            ValueHead::Set => Some((self.store.part(set, 0), self.store.part(set, 1))),
            _ => None,
        }
    }

    /// Whether something is an element, as a truth value that may not be known.
    pub(super) fn in_set(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        element: ValueId,
        set: ValueId,
    ) -> Evaluated<Option<ValueId>> {
        let Some((function, exceptions)) = self.set_parts(set) else { return Ok(None) };
        let Some(listed) = self.is_listed(p, over, element, exceptions)? else { return Ok(None) };
        if self.store.head(function) == Some(ValueHead::Never) {
            return Ok(Some(ValueId::truth(listed)));
        }
        let general = self.apply_one(p, function, element)?;
        Ok(Some(if listed { self.not(general) } else { general }))
    }

    /// Whether a finite set has an element.
    fn is_listed(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        element: ValueId,
        set: ValueId,
    ) -> Evaluated<Option<bool>> {
        if self.store.is_plain(element) && self.store.is_plain(set) {
            let found = self.store.parts(set).binary_search_by(|other| self.store.compare(*other, element));
            return Ok(Some(found.is_ok()));
        }
        let mut known = true;
        for other in self.store.parts(set).to_vec() {
            match self.equal(p, over, element, other)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => known = false,
            }
        }
        Ok(known.then_some(false))
    }

    pub(super) fn finite_size(&mut self, set: ValueId) -> Option<ValueId> {
        let size = self.store.parts(set).len() as i128;
        // Elements that are not known may be equal.
        let known = self.store.is_plain(set) || size <= 1;
        (known && self.store.head(set) == Some(ValueHead::FiniteSet)).then(|| self.store.of_integer(size))
    }

    pub(super) fn complement(&mut self, set: ValueId) -> Option<ValueId> {
        let (function, exceptions) = self.set_parts(set)?;
        let opposite = self.opposite(function);
        Some(self.set_with(opposite, exceptions))
    }

    pub(super) fn set_operation(
        &mut self,
        p: &RewriteProgram,
        operation: Operation,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<ValueId>> {
        let finite = |set| self.store.head(set) == Some(ValueHead::FiniteSet) && self.store.is_plain(set);
        if finite(a) && finite(b) {
            return Ok(Some(self.finite_operation(operation, a, b)));
        }
        let (Some((f, s)), Some((g, t))) = (self.set_parts(a), self.set_parts(b)) else { return Ok(None) };
        let function = match operation {
            Operation::Union => self.either(f, g),
            Operation::Intersection => self.both(f, g),
            _ => {
                let opposite = self.opposite(g);
                self.both(f, opposite)
            }
        };
        let mut mentioned = self.store.parts(s).to_vec();
        mentioned.extend_from_slice(self.store.parts(t));
        let mut exceptions = Vec::new();
        for element in self.store.sorted(mentioned) {
            let (Some(left), Some(right)) =
                (self.in_set(p, over, element, a)?, self.in_set(p, over, element, b)?)
            else {
                return Ok(None);
            };
            let wanted = match operation {
                Operation::Union => self.or(left, right),
                Operation::Intersection => self.and(left, right),
                _ => {
                    let opposite = self.not(right);
                    self.and(left, opposite)
                }
            };
            let general = self.apply_one(p, function, element)?;
            match (wanted.as_truth(), general.as_truth()) {
                (Some(wanted), Some(general)) if wanted != general => exceptions.push(element),
                (Some(_), Some(_)) => {}
                _ if wanted == general => {}
                _ => return Ok(None),
            }
        }
        let exceptions = self.store.value(ValueHead::FiniteSet, &exceptions);
        Ok(Some(self.set_with(function, exceptions)))
    }

    fn finite_operation(&mut self, operation: Operation, a: ValueId, b: ValueId) -> ValueId {
        let (left, right) = (self.store.parts(a), self.store.parts(b));
        let store = &self.store;
        let in_right =
            |element: &&ValueId| right.binary_search_by(|other| store.compare(*other, **element)).is_ok();
        let elements: Vec<_> = match operation {
            Operation::Union => {
                let all = left.iter().chain(right).copied().collect();
                self.store.sorted(all)
            }
            Operation::Intersection => left.iter().filter(in_right).copied().collect(),
            _ => left.iter().filter(|element| !in_right(element)).copied().collect(),
        };
        self.store.value(ValueHead::FiniteSet, &elements)
    }

    pub(super) fn subset(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        let element = self.element_sort(p, over);
        if self.store.head(a) == Some(ValueHead::FiniteSet) {
            let mut known = true;
            for part in self.store.parts(a).to_vec() {
                match self.in_set(p, element, part, b)?.and_then(ValueId::as_truth) {
                    Some(true) => {}
                    Some(false) => return Ok(Some(false)),
                    None => known = false,
                }
            }
            return Ok(known.then_some(true));
        }
        let Some(common) = self.set_operation(p, Operation::Intersection, element, a, b)? else {
            return Ok(None);
        };
        self.equal(p, over, common, a)
    }

    pub(super) fn proper_subset(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        Ok(match (self.subset(p, over, a, b)?, self.equal(p, over, a, b)?) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        })
    }

    /// The sort of the elements of a set or a bag.
    pub(super) fn element_sort(&self, p: &RewriteProgram, sort: SortId) -> SortId {
        match p.sorts.kind(sort) {
            crate::typing::SortKind::Container(_, element) => *element,
            _ => SortId::NONE,
        }
    }
}
