//! Lists, which are pairs of an element and a list as in the language.

use super::super::code::RewriteProgram;
use super::super::machine::{Evaluated, RewriteMachine};
use super::super::store::{ValueHead, ValueId};
use crate::typing::{Operation, SortId};

impl RewriteMachine {
    pub(super) fn list_operation(&mut self, operation: Operation, a: ValueId, b: ValueId) -> Option<ValueId> {
        match operation {
            Operation::Cons => Some(self.store.value(ValueHead::Cons, &[a, b])),
            Operation::Snoc => {
                let elements = self.closed_list(a)?;
                let nil = self.store.nil();
                let last = self.store.value(ValueHead::Cons, &[b, nil]);
                Some(self.store.list(&elements, last))
            }
            Operation::Concat => {
                if self.store.head(b) == Some(ValueHead::Nil) {
                    return Some(a);
                }
                let elements = self.closed_list(a)?;
                Some(self.store.list(&elements, b))
            }
            Operation::ElementAt => {
                let mut places = b.as_integer()?;
                let mut rest = a;
                while self.store.head(rest) == Some(ValueHead::Cons) {
                    if places == 0 {
                        return Some(self.store.part(rest, 0));
                    }
                    places -= 1;
                    rest = self.store.part(rest, 1);
                }
                None
            }
            Operation::Head => self.pair(a).map(|(head, _)| head),
            Operation::Tail => self.pair(a).map(|(_, tail)| tail),
            Operation::LastElement => self.closed_list(a)?.last().copied(),
            Operation::WithoutLast => {
                let elements = self.closed_list(a)?;
                let (_, others) = elements.split_last()?;
                let nil = self.store.nil();
                Some(self.store.list(others, nil))
            }
            Operation::ListSize => {
                let mut size = 0;
                let mut rest = a;
                while self.store.head(rest) == Some(ValueHead::Cons) {
                    size += 1;
                    rest = self.store.part(rest, 1);
                }
                (self.store.head(rest) == Some(ValueHead::Nil)).then(|| self.store.of_integer(size))
            }
            _ => None,
        }
    }

    fn pair(&self, list: ValueId) -> Option<(ValueId, ValueId)> {
        (self.store.head(list) == Some(ValueHead::Cons))
            .then(|| (self.store.part(list, 0), self.store.part(list, 1)))
    }

    /// The elements of a list that ends.
    fn closed_list(&self, list: ValueId) -> Option<Vec<ValueId>> {
        let (elements, rest) = self.store.list_elements(list);
        rest.is_none().then_some(elements)
    }

    pub(super) fn in_list(
        &mut self,
        p: &RewriteProgram,
        over: SortId,
        element: ValueId,
        list: ValueId,
    ) -> Evaluated<Option<bool>> {
        let (elements, rest) = self.store.list_elements(list);
        let mut known = rest.is_none();
        for other in elements {
            match self.equal(p, over, element, other)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => known = false,
            }
        }
        Ok(known.then_some(false))
    }
}
