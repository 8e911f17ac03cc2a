//! Values as numbers: every value is stored once, so equal values have equal numbers. Small integers are their own number and
//! take no room.

use std::collections::HashMap;

use super::number::Rational;
use crate::typing::{FunctionId, Operation};

/// A value: equal values are equal numbers. An integer of at most 30 bits is stored in the number itself, whatever its sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub(super) u32);

const SMALL: u32 = 1 << 31;
/// How many bits of a larger integer are in one piece of it.
const PIECE_BITS: u32 = 30;
const SMALL_MIN: i128 = -(1 << 30);
const SMALL_MAX: i128 = (1 << 30) - 1;

impl ValueId {
    /// `false`.
    pub const FALSE: Self = Self(0);
    /// `true`.
    pub const TRUE: Self = Self(1);

    /// `true` or `false`.
    pub fn truth(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Whether it is `true` or `false`, if it is either.
    pub fn as_truth(self) -> Option<bool> {
        match self {
            Self::FALSE => Some(false),
            Self::TRUE => Some(true),
            _ => None,
        }
    }

    /// The integer that it is, if it is a small one.
    pub fn as_integer(self) -> Option<i64> {
        // The sign is restored by shifting it to the top and back.
        (self.0 & SMALL != 0).then(|| i64::from(((self.0 << 1) as i32) >> 1))
    }

    /// The number that engines store for it.
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The value of a number that [`Self::raw`] gave.
    pub fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    pub(super) fn small(value: i64) -> Option<Self> {
        (SMALL_MIN..=SMALL_MAX).contains(&i128::from(value)).then_some(Self(value as u32 | SMALL))
    }
}

/// What a value that is no small integer is made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ValueHead {
    False,
    True,
    Nil,
    Cons,
    /// The elements in their order.
    FiniteSet,
    /// A function to truth values, and the finite set of its exceptions.
    Set,
    /// Elements in their order, each followed by how often it is there.
    FiniteBag,
    /// A function to numbers, and the finite bag of its exceptions.
    Bag,
    /// An integer of 64 bits that is no small one, in three pieces.
    Integer,
    /// Any other number, by its place among those.
    Number,
    /// A function that is always false, and one that is always true.
    Never,
    Always,
    /// A function that is always this value.
    Constant,
    /// A function that is always zero.
    Zero,
    /// A function, and arguments in their order with other values.
    Update,
    /// Functions made of functions: the opposite, both, either, and the same for numbers.
    Opposite,
    Both,
    Either,
    Sum,
    Lesser,
    Excess,
    NonZero,
    Indicator,
    /// Something applied that is no function yet.
    Apply,
    /// A value that is not known yet.
    Unknown(u32),
    /// A constructor, or a mapping that no equation rewrites any further.
    Function(FunctionId),
    /// A built-in operation that is not defined for its operands.
    Operation(Operation),
    /// A function by its text, with the values that it uses.
    Lambda(u32),
}

impl ValueHead {
    /// Whether a value with this head and such arguments is built by constructors alone.
    fn is_plain(self) -> bool {
        matches!(
            self,
            Self::False
                | Self::True
                | Self::Nil
                | Self::Cons
                | Self::FiniteSet
                | Self::FiniteBag
                | Self::Integer
                | Self::Number
        )
    }
}

/// What is stored of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredValue {
    pub(super) head: ValueHead,
    start: u32,
    length: u32,
    /// Whether it is built by constructors alone, so that values with other numbers differ from it.
    pub(super) plain: bool,
}

/// All values.
#[derive(Debug)]
pub(super) struct ValueStore {
    values: Vec<StoredValue>,
    parts: Vec<ValueId>,
    /// Open addressing: the number of a value plus one, or zero.
    slots: Vec<u32>,
    numbers: Vec<Rational>,
    number_ids: HashMap<Rational, u32>,
    /// The functions that are constructors, by their number.
    pub(super) constructors: Vec<bool>,
}

impl ValueStore {
    pub(super) fn new() -> Self {
        let mut store = Self {
            values: Vec::new(),
            parts: Vec::new(),
            slots: vec![0; 1 << 10],
            numbers: Vec::new(),
            number_ids: HashMap::new(),
            constructors: Vec::new(),
        };
        store.value(ValueHead::False, &[]);
        store.value(ValueHead::True, &[]);
        store
    }

    /// How many values there are beside small integers.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value with this head and these parts.
    pub(super) fn value(&mut self, head: ValueHead, parts: &[ValueId]) -> ValueId {
        let hash = hash_of(head, parts);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                found => {
                    let value = ValueId(found - 1);
                    if self.values[value.0 as usize].head == head && self.parts(value) == parts {
                        return value;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        let plain_head = head.is_plain()
            || matches!(head, ValueHead::Function(function)
                if self.constructors.get(function.0 as usize).copied().unwrap_or(false));
        let plain = plain_head && parts.iter().all(|part| self.is_plain(*part));
        let number = self.values.len() as u32;
        let room = self.parts.len() + parts.len() < u32::MAX as usize;
        assert!(number < SMALL - 1 && room, "at most two billion values, with four billion parts");
        let (start, length) = (self.parts.len() as u32, parts.len() as u32);
        self.parts.extend_from_slice(parts);
        self.values.push(StoredValue { head, start, length, plain });
        self.slots[slot] = number + 1;
        if self.values.len() * 2 > self.slots.len() {
            self.grow();
        }
        ValueId(number)
    }

    /// The head of a value that is no small integer.
    pub(super) fn head(&self, value: ValueId) -> Option<ValueHead> {
        (value.0 & SMALL == 0).then(|| self.values[value.0 as usize].head)
    }

    /// What a value is made of; nothing for a small integer.
    pub(super) fn parts(&self, value: ValueId) -> &[ValueId] {
        if value.0 & SMALL != 0 {
            return &[];
        }
        let stored = &self.values[value.0 as usize];
        &self.parts[stored.start as usize..(stored.start + stored.length) as usize]
    }

    pub(super) fn part(&self, value: ValueId, place: usize) -> ValueId {
        self.parts[self.values[value.0 as usize].start as usize + place]
    }

    /// Whether a value is built by constructors alone.
    pub(super) fn is_plain(&self, value: ValueId) -> bool {
        value.0 & SMALL != 0 || self.values[value.0 as usize].plain
    }

    /// What pattern matching looks at first: the number of a small integer, or of a head.
    pub(super) fn key(&self, value: ValueId) -> PatternKey {
        match self.head(value) {
            None => PatternKey::Integer(value),
            Some(head) => PatternKey::Head(head),
        }
    }

    /// The number that a value is.
    pub(super) fn number(&self, value: ValueId) -> Option<Rational> {
        match value.as_integer() {
            Some(integer) => Some(Rational::integer(i128::from(integer))),
            None => match self.integer(value) {
                Some(integer) => Some(Rational::integer(i128::from(integer))),
                None => self.large_number(value).cloned(),
            },
        }
    }

    /// The integer that a value is, if it is one of 64 bits.
    pub(super) fn integer(&self, value: ValueId) -> Option<i64> {
        if let Some(small) = value.as_integer() {
            return Some(small);
        }
        match self.head(value)? {
            ValueHead::Integer => {
                let piece = |place: usize| u64::from(self.part(value, place).0 & !SMALL);
                Some((piece(0) | piece(1) << PIECE_BITS | piece(2) << (2 * PIECE_BITS)) as i64)
            }
            _ => None,
        }
    }

    /// Whether a value is a number.
    pub(super) fn is_number(&self, value: ValueId) -> bool {
        matches!(self.head(value), None | Some(ValueHead::Integer | ValueHead::Number))
    }

    /// The number that a value is, if that is no small integer.
    pub(super) fn large_number(&self, value: ValueId) -> Option<&Rational> {
        match self.head(value)? {
            ValueHead::Number => Some(&self.numbers[self.part(value, 0).0 as usize & !(SMALL as usize)]),
            _ => None,
        }
    }

    /// The value of a number.
    pub(super) fn of_number(&mut self, number: Rational) -> ValueId {
        if let Some(integer) = number.small().filter(|value| i64::try_from(*value).is_ok()) {
            return self.of_integer(integer);
        }
        let next = self.numbers.len() as u32;
        let place = *self.number_ids.entry(number).or_insert_with_key(|number| {
            self.numbers.push(number.clone());
            next
        });
        self.value(ValueHead::Number, &[ValueId(place | SMALL)])
    }

    /// The value of an integer.
    pub(super) fn of_integer(&mut self, value: i128) -> ValueId {
        let Ok(integer) = i64::try_from(value) else { return self.of_number(Rational::integer(value)) };
        match ValueId::small(integer) {
            Some(small) => small,
            None => {
                let piece = |place: u32| {
                    ValueId((integer as u64 >> (PIECE_BITS * place)) as u32 & (SMALL_MAX as u32) | SMALL)
                };
                self.value(ValueHead::Integer, &[piece(0), piece(1), piece(2)])
            }
        }
    }

    /// The elements of a list, and what comes behind them if it is not the empty list.
    pub(super) fn list_elements(&self, list: ValueId) -> (Vec<ValueId>, Option<ValueId>) {
        let mut elements = Vec::new();
        let mut rest = list;
        loop {
            match self.head(rest) {
                Some(ValueHead::Cons) => {
                    elements.push(self.part(rest, 0));
                    rest = self.part(rest, 1);
                }
                Some(ValueHead::Nil) => return (elements, None),
                _ => return (elements, Some(rest)),
            }
        }
    }

    /// The list of these elements before a list.
    pub(super) fn list(&mut self, elements: &[ValueId], rest: ValueId) -> ValueId {
        elements.iter().rev().fold(rest, |rest, element| self.value(ValueHead::Cons, &[*element, rest]))
    }

    pub(super) fn nil(&mut self) -> ValueId {
        self.value(ValueHead::Nil, &[])
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for number in 0..self.values.len() as u32 {
            let hash = hash_of(self.values[number as usize].head, self.parts(ValueId(number)));
            let mut slot = hash as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number + 1;
        }
    }
}

/// What a pattern can be told by at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum PatternKey {
    Integer(ValueId),
    Head(ValueHead),
}

/// A number for a head, different for different ones.
fn head_number(head: ValueHead) -> u64 {
    let of = |kind: u64, number: u64| kind << 32 | number;
    match head {
        ValueHead::False => 0,
        ValueHead::True => 1,
        ValueHead::Nil => 2,
        ValueHead::Cons => 3,
        ValueHead::FiniteSet => 4,
        ValueHead::Set => 5,
        ValueHead::FiniteBag => 6,
        ValueHead::Bag => 7,
        ValueHead::Number => 8,
        ValueHead::Never => 9,
        ValueHead::Always => 10,
        ValueHead::Zero => 11,
        ValueHead::Update => 12,
        ValueHead::Opposite => 13,
        ValueHead::Both => 14,
        ValueHead::Either => 15,
        ValueHead::Sum => 16,
        ValueHead::Lesser => 17,
        ValueHead::Excess => 18,
        ValueHead::NonZero => 19,
        ValueHead::Indicator => 20,
        ValueHead::Apply => 21,
        ValueHead::Constant => 22,
        ValueHead::Integer => 23,
        ValueHead::Unknown(number) => of(1, u64::from(number)),
        ValueHead::Function(function) => of(2, u64::from(function.0)),
        ValueHead::Operation(operation) => of(3, operation as u64),
        ValueHead::Lambda(number) => of(4, u64::from(number)),
    }
}

fn hash_of(head: ValueHead, parts: &[ValueId]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = head_number(head).wrapping_mul(FACTOR);
    for part in parts {
        hash = (hash.rotate_left(5) ^ u64::from(part.0)).wrapping_mul(FACTOR);
    }
    hash ^ hash >> 29
}
