//! Something of one of two layers: a message, a timer slot, a call or an announcement of the protocol above
//! or of the one below. It never changes what it holds: reports see the kinds, slots and labels of the
//! layers.

use super::names::{MOST, joined};
use watchkeeper_core::{Kind, Pack, Slot};

/// An `A` of the layer above, or a `B` of the layer below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum Layer<A, B> {
    /// Of the layer above.
    Above(A),
    /// Of the layer below.
    Below(B),
}

impl<A: Kind, B: Kind> Layer<A, B> {
    const ALL_KINDS: [&'static str; MOST] = joined(A::KINDS, B::KINDS);
}

impl<A: Kind, B: Kind> Kind for Layer<A, B> {
    const KINDS: &'static [&'static str] = {
        let all: &'static [&'static str; MOST] = &Self::ALL_KINDS;
        all.split_at(A::KINDS.len() + B::KINDS.len()).0
    };

    fn kind(&self) -> usize {
        match self {
            Layer::Above(value) => value.kind(),
            Layer::Below(value) => A::KINDS.len() + value.kind(),
        }
    }

    fn label(&self) -> String {
        match self {
            Layer::Above(value) => value.label(),
            Layer::Below(value) => value.label(),
        }
    }
}

impl<A: Slot, B: Slot> Layer<A, B> {
    const ALL_SLOTS: [&'static str; MOST] = joined(A::NAMES, B::NAMES);
}

impl<A: Slot, B: Slot> Slot for Layer<A, B> {
    const NAMES: &'static [&'static str] = {
        let all: &'static [&'static str; MOST] = &Self::ALL_SLOTS;
        all.split_at(A::NAMES.len() + B::NAMES.len()).0
    };

    fn index(self) -> usize {
        match self {
            Layer::Above(timer) => timer.index(),
            Layer::Below(timer) => A::NAMES.len() + timer.index(),
        }
    }

    fn from_index(index: usize) -> Option<Self> {
        match index.checked_sub(A::NAMES.len()) {
            None => A::from_index(index).map(Layer::Above),
            Some(index) => B::from_index(index).map(Layer::Below),
        }
    }
}

/// All slots there are, in the order of their places.
pub(super) fn slots<T: Slot>() -> impl Iterator<Item = T> {
    (0..T::NAMES.len()).filter_map(T::from_index)
}
