//! Results of calls, in a table of fixed size in which newer ones take the places of older ones.

use super::store::ValueId;
use crate::typing::FunctionId;

const PLACES: usize = 1 << 15;

/// The largest number of arguments that is remembered.
const MAX_ARGUMENTS: usize = 6;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallKey {
    /// The function and how many arguments it has, which is not zero for a call.
    function: u32,
    arguments: [u32; MAX_ARGUMENTS],
}

#[derive(Debug)]
pub(super) struct CallMemo {
    places: Vec<(CallKey, ValueId)>,
}

impl CallMemo {
    pub(super) fn new() -> Self {
        let nothing = CallKey { function: 0, arguments: [0; MAX_ARGUMENTS] };
        Self { places: vec![(nothing, ValueId::FALSE); PLACES] }
    }

    /// A call, unless it has too many arguments.
    pub(super) fn key(&self, function: FunctionId, arguments: &[ValueId]) -> Option<CallKey> {
        if arguments.len() > MAX_ARGUMENTS {
            return None;
        }
        let function = function.0 << 3 | arguments.len() as u32;
        let mut key = CallKey { function, arguments: [0; MAX_ARGUMENTS] };
        for (place, argument) in key.arguments.iter_mut().zip(arguments) {
            *place = argument.raw();
        }
        Some(key)
    }

    pub(super) fn find(&self, key: &CallKey) -> Option<ValueId> {
        let (known, value) = &self.places[place(key)];
        (known == key).then_some(*value)
    }

    pub(super) fn remember(&mut self, key: CallKey, value: ValueId) {
        self.places[place(&key)] = (key, value);
    }

    /// Forgets everything, since equations were added.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }
}

fn place(key: &CallKey) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = key.arguments.iter().fold(u64::from(key.function), |hash, argument| {
        (hash.rotate_left(7) ^ u64::from(*argument)).wrapping_mul(FACTOR)
    });
    (hash >> 40) as usize % PLACES
}
