//! The sorts of lists, sets and bags that are written element by element.

use super::infer::{MAX_READINGS, Typing, Typings};
use super::{DataTerm, DataTermKind, Scope, Signature, SortId};
use crate::LanguageError;
use crate::syntax::{Container, DataExpr, Span};

impl Signature {
    pub(super) fn infer_elements(
        &mut self,
        scope: &mut Scope,
        span: Span,
        elements: &[DataExpr],
        container: Container,
        kind: fn(Vec<DataTerm>) -> DataTermKind,
    ) -> Result<Typings, LanguageError> {
        let mut found = Vec::new();
        for element in elements {
            found.push(self.infer(scope, element)?);
        }
        let what = if container == Container::List { "list" } else { "set" };
        let readings = self.join_elements(what, found)?.into_iter();
        Ok(readings
            .map(|Elements { sort, terms, cost, ambiguous }| {
                let sort = self.sorts.container(container, sort);
                Typing { term: DataTerm { kind: kind(terms), sort, span }, cost, ambiguous }
            })
            .collect())
    }

    pub(super) fn infer_bag(
        &mut self,
        scope: &mut Scope,
        span: Span,
        elements: &[(DataExpr, DataExpr)],
    ) -> Result<Typings, LanguageError> {
        let (mut found, mut counts) = (Vec::new(), Vec::new());
        for (element, count) in elements {
            found.push(self.infer(scope, element)?);
            let typings = self.infer(scope, count)?;
            counts.push(self.choose(count.span, typings, Some(SortId::NAT))?);
        }
        let readings = self.join_elements("bag", found)?.into_iter();
        Ok(readings
            .map(|Elements { sort, terms, cost, ambiguous }| {
                let sort = self.sorts.container(Container::FBag, sort);
                let kind = DataTermKind::Bag(terms.into_iter().zip(counts.iter().cloned()).collect());
                Typing { term: DataTerm { kind, sort, span }, cost, ambiguous }
            })
            .collect())
    }

    /// The sorts that all elements can have, with the readings of the elements.
    fn join_elements(&mut self, what: &str, found: Vec<Typings>) -> Result<Vec<Elements>, LanguageError> {
        let mut readings =
            vec![Elements { sort: SortId::NONE, terms: Vec::new(), cost: 0, ambiguous: false }];
        for typings in found {
            // As it is nearly always, there is one reading, which grows.
            if let ([elements], [typing]) = (&mut readings[..], &typings[..])
                && let Some(joined) = self.sorts.join(elements.sort, typing.term.sort)
            {
                elements.sort = joined;
                elements.add(typing);
                continue;
            }
            let mut next: Vec<Elements> = Vec::new();
            for elements in &readings {
                for typing in &typings {
                    let Some(sort) = self.sorts.join(elements.sort, typing.term.sort) else { continue };
                    let mut longer = Elements { sort, ..elements.clone() };
                    longer.add(typing);
                    let room = next.len() < MAX_READINGS;
                    match next.iter_mut().find(|known| known.sort == sort) {
                        Some(known) if known.cost < longer.cost => {}
                        Some(known) if known.cost == longer.cost => known.ambiguous = true,
                        Some(known) => *known = longer,
                        None if room => next.push(longer),
                        None => {}
                    }
                }
            }
            if next.is_empty() {
                let element = &typings[0].term;
                let message = format!(
                    "the elements of a {what} are of one sort; this one is of sort {}, those before it of sort {}",
                    self.sorts.print(element.sort),
                    self.sorts.print(readings[0].sort)
                );
                return Err(LanguageError::sort(element.span, message));
            }
            readings = next;
        }
        Ok(readings)
    }
}

/// One way to read elements: their common sort, and the readings of each.
#[derive(Clone, Debug)]
struct Elements {
    sort: SortId,
    terms: Vec<DataTerm>,
    cost: u32,
    ambiguous: bool,
}

impl Elements {
    fn add(&mut self, typing: &Typing) {
        self.terms.push(typing.term.clone());
        self.cost += typing.cost;
        self.ambiguous |= typing.ambiguous;
    }
}
