//! All values of finite sorts, and whether a value is of a sort.

use std::sync::Arc;

use super::code::RewriteProgram;
use super::error::EvaluationError;
use super::machine::{Evaluated, RewriteMachine};
use super::store::{ValueHead, ValueId};
use crate::error::{LONGEST_NAME, shortened};
use crate::syntax::{Container, Span};
use crate::typing::{SortId, SortKind};

/// The largest number of values of a sort that are listed.
pub(super) const MAX_ELEMENTS: usize = 1 << 20;

impl RewriteMachine {
    /// All values of a sort in their order, if it is finite and has not too many.
    pub(super) fn elements(&mut self, p: &RewriteProgram, sort: SortId) -> Evaluated<Option<Arc<[ValueId]>>> {
        if let Some(known) = self.elements.get(&sort) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(elements) = self.list_elements(p, sort, &mut Vec::new())? else { return Ok(None) };
        let elements: Arc<[ValueId]> = elements.into();
        self.elements.insert(sort, Arc::clone(&elements));
        Ok(Some(elements))
    }

    /// All values of a sort, or why they cannot be listed.
    pub(super) fn elements_or_error(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        span: Span,
        variable: &str,
    ) -> Evaluated<Arc<[ValueId]>> {
        if let Some(elements) = self.elements(p, sort)? {
            return Ok(elements);
        }
        let name = shortened(&p.sorts.print(sort), LONGEST_NAME);
        Err(Box::new(if p.sorts.declared(sort).is_some_and(|declared| declared.constructors.is_empty()) {
            EvaluationError::NoConstructors { span, sort: name }
        } else if is_finite(p, sort, &mut Vec::new()) {
            EvaluationError::TooMany { span, sort: name, limit: MAX_ELEMENTS }
        } else {
            EvaluationError::Unbounded { span, variable: variable.to_owned(), sort: name }
        }))
    }

    fn list_elements(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        open: &mut Vec<SortId>,
    ) -> Evaluated<Option<Vec<ValueId>>> {
        if open.contains(&sort) {
            return Ok(None);
        }
        open.push(sort);
        let elements = self.list_elements_of(p, sort, open)?;
        open.pop();
        Ok(elements)
    }

    fn list_elements_of(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        open: &mut Vec<SortId>,
    ) -> Evaluated<Option<Vec<ValueId>>> {
        Ok(match p.sorts.kind(sort) {
            SortKind::None => Some(Vec::new()),
            SortKind::Bool => Some(vec![ValueId::FALSE, ValueId::TRUE]),
            SortKind::Declared(number) => {
                let constructors = &p.sorts.declared_sort(*number).constructors;
                if constructors.is_empty() {
                    return Ok(None);
                }
                let mut elements = Vec::new();
                for constructor in constructors {
                    let Some(tuples) =
                        self.list_tuples(p, &p.function(*constructor).domain, MAX_ELEMENTS, open)?
                    else {
                        return Ok(None);
                    };
                    if elements.len() + tuples.len() > MAX_ELEMENTS {
                        return Ok(None);
                    }
                    for tuple in tuples {
                        let top = self.stack.len();
                        self.stack.extend_from_slice(&tuple);
                        elements.push(self.call(p, *constructor, top)?);
                    }
                }
                Some(self.store.sorted(elements))
            }
            SortKind::Container(Container::Set | Container::FSet, element) => {
                let Some(elements) = self.list_elements(p, *element, open)? else { return Ok(None) };
                if elements.len() >= MAX_ELEMENTS.ilog2() as usize {
                    return Ok(None);
                }
                let sets = 0..1_usize << elements.len();
                let chosen = |set: usize| (0..elements.len()).filter(move |i| set >> i & 1 == 1);
                Some(sets.map(|set| self.finite_set(chosen(set).map(|i| elements[i]).collect())).collect())
            }
            SortKind::Function(domain, range) => {
                let Some(tuples) = self.list_tuples(p, domain, MAX_ELEMENTS, open)? else { return Ok(None) };
                let Some(values) = self.list_elements(p, *range, open)? else { return Ok(None) };
                self.functions(domain.len(), &tuples, &values)
            }
            _ => None,
        })
    }

    /// All functions from arguments to values, as updates of a function that is always the first value.
    fn functions(
        &mut self,
        arity: usize,
        arguments: &[Vec<ValueId>],
        values: &[ValueId],
    ) -> Option<Vec<ValueId>> {
        let count = values.len().checked_pow(u32::try_from(arguments.len()).ok()?)?;
        if arity != 1 || count > MAX_ELEMENTS {
            return None;
        }
        let first = *values.first()?;
        let base = self.store.value(ValueHead::Constant, &[first]);
        let mut functions = Vec::with_capacity(count);
        for mut number in 0..count {
            let mut parts = vec![base];
            for argument in arguments {
                let value = values[number % values.len()];
                number /= values.len();
                if value != first {
                    parts.extend([argument[0], value]);
                }
            }
            functions.push(if parts.len() == 1 { base } else { self.store.value(ValueHead::Update, &parts) });
        }
        Some(functions)
    }

    /// All tuples of values of some sorts, if there are no more than a limit.
    pub(super) fn tuples(
        &mut self,
        p: &RewriteProgram,
        sorts: &[SortId],
        limit: usize,
    ) -> Evaluated<Option<Vec<Vec<ValueId>>>> {
        let mut columns = Vec::with_capacity(sorts.len());
        for sort in sorts {
            let Some(elements) = self.elements(p, *sort)? else { return Ok(None) };
            columns.push(elements.to_vec());
        }
        Ok(product(&columns, limit))
    }

    fn list_tuples(
        &mut self,
        p: &RewriteProgram,
        sorts: &[SortId],
        limit: usize,
        open: &mut Vec<SortId>,
    ) -> Evaluated<Option<Vec<Vec<ValueId>>>> {
        let mut columns = Vec::with_capacity(sorts.len());
        for sort in sorts {
            let Some(elements) = self.list_elements(p, *sort, open)? else { return Ok(None) };
            columns.push(elements);
        }
        Ok(product(&columns, limit))
    }

    /// Whether a value is of a sort, where that can be seen from the value.
    pub(super) fn contains(&self, p: &RewriteProgram, sort: SortId, value: ValueId) -> bool {
        let integer = |least: i64| match (self.store.integer(value), self.store.large_number(value)) {
            (Some(value), _) => value >= least,
            (None, Some(number)) => number.is_integer() && (least == i64::MIN || !number.is_negative()),
            (None, None) => false,
        };
        match p.sorts.kind(sort) {
            SortKind::None => false,
            SortKind::Bool => value.as_truth().is_some(),
            SortKind::Pos => integer(1),
            SortKind::Nat => integer(0),
            SortKind::Int => integer(i64::MIN),
            SortKind::Real => self.store.is_number(value),
            SortKind::Container(container, element) => match (container, self.store.head(value)) {
                (Container::List, Some(ValueHead::Nil | ValueHead::Cons)) => {
                    let (elements, rest) = self.store.list_elements(value);
                    rest.is_none() && elements.into_iter().all(|value| self.contains(p, *element, value))
                }
                (Container::Set, Some(ValueHead::Set)) | (Container::Bag, Some(ValueHead::Bag)) => true,
                (Container::Set | Container::FSet, Some(ValueHead::FiniteSet)) => {
                    self.store.parts(value).iter().all(|value| self.contains(p, *element, *value))
                }
                (Container::Bag | Container::FBag, Some(ValueHead::FiniteBag)) => {
                    self.store.parts(value).iter().step_by(2).all(|value| self.contains(p, *element, *value))
                }
                _ => false,
            },
            SortKind::Function(..) => !matches!(self.store.head(value), None | Some(ValueHead::Unknown(_))),
            SortKind::Declared(number) => match self.store.head(value) {
                Some(ValueHead::Function(function)) => {
                    !self.store.constructors[function.0 as usize]
                        || p.sorts.declared_sort(*number).constructors.contains(&function)
                }
                _ => false,
            },
        }
    }
}

/// Whether a sort has finitely many values.
pub(super) fn is_finite(p: &RewriteProgram, sort: SortId, open: &mut Vec<SortId>) -> bool {
    if open.contains(&sort) {
        return false;
    }
    open.push(sort);
    let finite = match p.sorts.kind(sort) {
        SortKind::None | SortKind::Bool => true,
        SortKind::Container(Container::Set | Container::FSet, element) => is_finite(p, *element, open),
        SortKind::Function(domain, range) => {
            domain.iter().chain([range]).all(|part| is_finite(p, *part, open))
        }
        SortKind::Declared(number) => {
            let constructors = &p.sorts.declared_sort(*number).constructors;
            let parts = |constructor| p.function(constructor).domain.iter();
            !constructors.is_empty()
                && constructors
                    .iter()
                    .all(|constructor| parts(*constructor).all(|part| is_finite(p, *part, open)))
        }
        _ => false,
    };
    open.pop();
    finite
}

/// All ways to take one of each, the last one changing fastest, if there are no more than a limit.
fn product(columns: &[Vec<ValueId>], limit: usize) -> Option<Vec<Vec<ValueId>>> {
    let count = columns.iter().try_fold(1_usize, |count, column| count.checked_mul(column.len()))?;
    if count > limit {
        return None;
    }
    let mut tuples = vec![Vec::new()];
    for column in columns {
        tuples = tuples
            .iter()
            .flat_map(|tuple: &Vec<ValueId>| {
                column.iter().map(move |value| {
                    let mut longer = tuple.clone();
                    longer.push(*value);
                    longer
                })
            })
            .collect();
    }
    Some(tuples)
}
