//! Whether two values are equal, which may not be known where a value is not built by constructors alone.

use super::super::code::RewriteProgram;
use super::super::machine::{Evaluated, RewriteMachine};
use super::super::store::{ValueHead, ValueId};
use crate::syntax::Container;
use crate::typing::{SortId, SortKind};

/// The largest number of arguments for which functions are compared one by one.
const MAX_COMPARED: usize = 1 << 12;

impl RewriteMachine {
    /// Whether two values of a sort are equal, if that is known.
    pub(in super::super) fn equal(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        if a == b {
            return Ok(Some(true));
        }
        if self.store.is_plain(a) && self.store.is_plain(b) {
            return Ok(Some(false));
        }
        let mut open = vec![(sort, a, b)];
        let mut known = true;
        while let Some((sort, a, b)) = open.pop() {
            if a == b {
                continue;
            }
            if self.store.is_plain(a) && self.store.is_plain(b) {
                return Ok(Some(false));
            }
            match self.compare_parts(p, sort, a, b, &mut open)? {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => known = false,
            }
        }
        Ok(known.then_some(true))
    }

    /// Whether two values are equal if their parts are, which are put on the list.
    fn compare_parts(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        a: ValueId,
        b: ValueId,
        open: &mut Vec<(SortId, ValueId, ValueId)>,
    ) -> Evaluated<Option<bool>> {
        match p.sorts.kind(sort).clone() {
            SortKind::Function(domain, range) => return self.equal_functions(p, &domain, range, a, b),
            SortKind::Container(Container::Set | Container::FSet, element) => {
                return self.equal_sets(p, element, a, b);
            }
            SortKind::Container(Container::Bag | Container::FBag, element) => {
                return self.equal_bags(p, element, a, b);
            }
            _ => {}
        }
        let (Some(left), Some(right)) = (self.store.head(a), self.store.head(b)) else {
            // A number and something that is not known.
            return Ok(None);
        };
        let built = |head: ValueHead| match head {
            ValueHead::Function(function) => self.store.constructors[function.0 as usize],
            ValueHead::Nil
            | ValueHead::Cons
            | ValueHead::True
            | ValueHead::False
            | ValueHead::Integer
            | ValueHead::Number => true,
            _ => false,
        };
        if !built(left) || !built(right) {
            return Ok(None);
        }
        if left != right {
            return Ok(Some(false));
        }
        let sorts: Vec<SortId> = match (left, p.sorts.kind(sort)) {
            (ValueHead::Function(function), _) => p.function(function).domain.to_vec(),
            (ValueHead::Cons, SortKind::Container(_, element)) => vec![*element, sort],
            _ => vec![SortId::NONE; self.store.parts(a).len()],
        };
        for (place, sort) in sorts.into_iter().enumerate() {
            open.push((sort, self.store.part(a, place), self.store.part(b, place)));
        }
        Ok(Some(true))
    }

    /// Functions are equal if they have equal values; where there are too many arguments to try, those with the same base and
    /// other updates differ, and of others it is not known.
    fn equal_functions(
        &mut self,
        p: &RewriteProgram,
        domain: &[SortId],
        range: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        if let Some(tuples) = self.tuples(p, domain, MAX_COMPARED)? {
            let mut known = true;
            for tuple in tuples {
                let top = self.stack.len();
                self.stack.extend_from_slice(&tuple);
                let left = self.apply(p, a, top)?;
                self.stack.extend_from_slice(&tuple);
                let right = self.apply(p, b, top)?;
                match self.equal(p, range, left, right)? {
                    Some(true) => {}
                    Some(false) => return Ok(Some(false)),
                    None => known = false,
                }
            }
            return Ok(known.then_some(true));
        }
        let base = |machine: &Self, function: ValueId| match machine.store.head(function) {
            Some(ValueHead::Update) => machine.store.part(function, 0),
            _ => function,
        };
        if base(self, a) != base(self, b) {
            return Ok(None);
        }
        let updates = |machine: &Self, function: ValueId| match machine.store.head(function) {
            Some(ValueHead::Update) => machine.store.parts(function)[1..].to_vec(),
            _ => Vec::new(),
        };
        let (left, right) = (updates(self, a), updates(self, b));
        for argument in left.iter().chain(&right).step_by(2) {
            let (x, y) = (self.apply_one(p, a, *argument)?, self.apply_one(p, b, *argument)?);
            if self.equal(p, range, x, y)? == Some(false) {
                return Ok(Some(false));
            }
        }
        Ok(None)
    }

    fn equal_sets(
        &mut self,
        p: &RewriteProgram,
        element: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        let parts = |machine: &Self, set: ValueId| match machine.store.head(set) {
            Some(ValueHead::Set) => Some((Some(machine.store.part(set, 0)), machine.store.part(set, 1))),
            Some(ValueHead::FiniteSet) => Some((None, set)),
            _ => None,
        };
        let (Some((f, s)), Some((g, t))) = (parts(self, a), parts(self, b)) else { return Ok(None) };
        if f == g && self.store.is_plain(s) && self.store.is_plain(t) {
            return Ok(Some(s == t));
        }
        if let Some(tuples) = self.tuples(p, &[element], MAX_COMPARED)? {
            return self.agree(p, &tuples, |machine, value, first| {
                machine.in_set(p, element, value, if first { a } else { b })
            });
        }
        let mut mentioned: Vec<_> = self.store.parts(s).to_vec();
        mentioned.extend_from_slice(self.store.parts(t));
        let mentioned: Vec<_> = mentioned.into_iter().map(|value| vec![value]).collect();
        let agree = self.agree(p, &mentioned, |machine, value, first| {
            machine.in_set(p, element, value, if first { a } else { b })
        })?;
        Ok(if agree == Some(false) { agree } else { None })
    }

    fn equal_bags(
        &mut self,
        p: &RewriteProgram,
        element: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Evaluated<Option<bool>> {
        let parts = |machine: &Self, bag: ValueId| match machine.store.head(bag) {
            Some(ValueHead::Bag) => Some((Some(machine.store.part(bag, 0)), machine.store.part(bag, 1))),
            Some(ValueHead::FiniteBag) => Some((None, bag)),
            _ => None,
        };
        let (Some((f, s)), Some((g, t))) = (parts(self, a), parts(self, b)) else { return Ok(None) };
        if f == g && self.store.is_plain(s) && self.store.is_plain(t) {
            return Ok(Some(s == t));
        }
        if let Some(tuples) = self.tuples(p, &[element], MAX_COMPARED)? {
            return self.agree(p, &tuples, |machine, value, first| {
                machine.count(p, element, value, if first { a } else { b })
            });
        }
        Ok(None)
    }

    /// Whether two things say the same of all values.
    fn agree(
        &mut self,
        p: &RewriteProgram,
        values: &[Vec<ValueId>],
        mut say: impl FnMut(&mut Self, ValueId, bool) -> Evaluated<Option<ValueId>>,
    ) -> Evaluated<Option<bool>> {
        let mut known = true;
        for value in values {
            let (Some(left), Some(right)) = (say(self, value[0], true)?, say(self, value[0], false)?) else {
                known = false;
                continue;
            };
            match self.equal(p, SortId::NONE, left, right)? {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => known = false,
            }
        }
        Ok(known.then_some(true))
    }
}
