//! Sorts as numbers: equal sorts have equal numbers, whatever names they are written with.

use std::collections::HashMap;

use super::FunctionId;
use crate::syntax::{Container, Span};

/// A sort. Equal sorts are equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(pub(crate) u32);

impl SortId {
    /// The sort without values, of which every sort is a widening: the sort of the elements of `[]`.
    pub const NONE: Self = Self(0);
    /// Truth values.
    pub const BOOL: Self = Self(1);
    /// Positive numbers.
    pub const POS: Self = Self(2);
    /// Natural numbers.
    pub const NAT: Self = Self(3);
    /// Integers.
    pub const INT: Self = Self(4);
    /// Rational numbers.
    pub const REAL: Self = Self(5);

    /// Whether it is a sort of numbers.
    pub fn is_number(self) -> bool {
        (Self::POS..=Self::REAL).contains(&self)
    }
}

/// What a sort is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SortKind {
    /// The sort without values.
    None,
    /// Truth values.
    Bool,
    /// Positive numbers.
    Pos,
    /// Natural numbers.
    Nat,
    /// Integers.
    Int,
    /// Rational numbers.
    Real,
    /// A container over a sort.
    Container(Container, SortId),
    /// Functions from the sorts in the list.
    Function(Box<[SortId]>, SortId),
    /// A sort of the specification, by its number among those.
    Declared(usize),
}

/// A sort of the specification.
#[derive(Clone, Debug)]
pub struct DeclaredSort {
    /// Its name; for a structured sort without one, what it is.
    pub name: String,
    /// Its constructors, in their order.
    pub constructors: Vec<FunctionId>,
    /// Where it is declared.
    pub span: Span,
}

/// All sorts of a specification.
#[derive(Clone, Debug)]
pub struct SortTable {
    kinds: Vec<SortKind>,
    numbers: HashMap<SortKind, SortId>,
    pub(super) declared: Vec<DeclaredSort>,
}

impl SortTable {
    pub(super) fn new() -> Self {
        let mut table = Self { kinds: Vec::new(), numbers: HashMap::new(), declared: Vec::new() };
        for kind in
            [SortKind::None, SortKind::Bool, SortKind::Pos, SortKind::Nat, SortKind::Int, SortKind::Real]
        {
            table.sort(kind);
        }
        table
    }

    /// What a sort is.
    pub fn kind(&self, sort: SortId) -> &SortKind {
        &self.kinds[sort.0 as usize]
    }

    /// The sort of the specification that this is, if it is one.
    pub fn declared(&self, sort: SortId) -> Option<&DeclaredSort> {
        match self.kind(sort) {
            SortKind::Declared(number) => Some(&self.declared[*number]),
            _ => None,
        }
    }

    /// A sort of the specification by its number.
    pub(crate) fn declared_sort(&self, number: usize) -> &DeclaredSort {
        &self.declared[number]
    }

    /// How many sorts there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The number of a sort.
    pub(crate) fn sort(&mut self, kind: SortKind) -> SortId {
        if let Some(sort) = self.numbers.get(&kind) {
            return *sort;
        }
        let sort = SortId(u32::try_from(self.kinds.len()).unwrap_or(u32::MAX));
        self.kinds.push(kind.clone());
        self.numbers.insert(kind, sort);
        sort
    }

    pub(crate) fn container(&mut self, container: Container, element: SortId) -> SortId {
        self.sort(SortKind::Container(container, element))
    }

    pub(super) fn function(&mut self, domain: &[SortId], range: SortId) -> SortId {
        if domain.is_empty() { range } else { self.sort(SortKind::Function(domain.into(), range)) }
    }

    /// What it costs to widen one sort to another, if that is possible.
    pub(super) fn widening(&self, from: SortId, to: SortId) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        if from == SortId::NONE {
            return Some(0);
        }
        if from.is_number() && to.is_number() {
            return (from < to).then(|| to.0 - from.0);
        }
        match (self.kind(from), self.kind(to)) {
            (SortKind::Container(a, x), SortKind::Container(b, y)) => {
                let step = match (a, b) {
                    (a, b) if a == b => 0,
                    (Container::FSet, Container::Set) | (Container::FBag, Container::Bag) => 1,
                    _ => return None,
                };
                Some(step + self.widening(*x, *y)?)
            }
            (SortKind::Function(a, x), SortKind::Function(b, y)) if a == b => self.widening(*x, *y),
            _ => None,
        }
    }

    /// The narrowest sort that both widen to, if there is one.
    pub(super) fn join(&mut self, a: SortId, b: SortId) -> Option<SortId> {
        if self.widening(a, b).is_some() {
            return Some(b);
        }
        if self.widening(b, a).is_some() {
            return Some(a);
        }
        match (self.kind(a).clone(), self.kind(b).clone()) {
            (SortKind::Container(c, x), SortKind::Container(d, y)) => {
                let element = self.join(x, y)?;
                let container = match (c, d) {
                    (c, d) if c == d => c,
                    (Container::FSet | Container::Set, Container::FSet | Container::Set) => Container::Set,
                    (Container::FBag | Container::Bag, Container::FBag | Container::Bag) => Container::Bag,
                    _ => return None,
                };
                Some(self.container(container, element))
            }
            (SortKind::Function(c, x), SortKind::Function(d, y)) if c == d => {
                let range = self.join(x, y)?;
                Some(self.sort(SortKind::Function(c, range)))
            }
            _ => None,
        }
    }

    /// A sort as it is written.
    pub fn print(&self, sort: SortId) -> String {
        match self.kind(sort) {
            SortKind::None => "a sort that nothing tells".to_owned(),
            SortKind::Bool => "Bool".to_owned(),
            SortKind::Pos => "Pos".to_owned(),
            SortKind::Nat => "Nat".to_owned(),
            SortKind::Int => "Int".to_owned(),
            SortKind::Real => "Real".to_owned(),
            SortKind::Container(container, SortId::NONE) => format!("empty {}", container.name()),
            SortKind::Container(container, element) => {
                format!("{}({})", container.name(), self.print(*element))
            }
            SortKind::Function(domain, range) => {
                format!("{} -> {}", self.print_product(domain), self.print(*range))
            }
            SortKind::Declared(number) => self.declared[*number].name.clone(),
        }
    }

    /// Sorts with `#` between them.
    pub fn print_product(&self, sorts: &[SortId]) -> String {
        let texts: Vec<_> = sorts
            .iter()
            .map(|sort| match self.kind(*sort) {
                SortKind::Function(..) => format!("({})", self.print(*sort)),
                _ => self.print(*sort),
            })
            .collect();
        texts.join(" # ")
    }
}
