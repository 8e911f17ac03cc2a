//! Something of one of two layers: a message, a timer slot, a call or an announcement of the protocol above
//! or of the one below. It never changes what it holds: reports see the kinds, slots and labels of the
//! layers.

use watchkeeper_core::{Kind, Pack, Slot};

/// An `A` of the layer above, or a `B` of the layer below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind, Slot)]
pub enum Layer<A, B> {
    /// Of the layer above.
    Above(
        #[kind(inner)]
        #[slot(inner)]
        A,
    ),
    /// Of the layer below.
    Below(
        #[kind(inner)]
        #[slot(inner)]
        B,
    ),
}
