//! Messages that wait, in one order for every way in which they can have come. Bytes in another order are no
//! such messages, and are refused.

use std::cmp::Ordering;
use watchkeeper_core::{Malformed, Pack, Perm, Pid, Reader, packed};

/// Messages `M` and their senders, by the number of the sender and then by the bytes of the message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DeferredMessages<M>(Vec<(Pid, M)>);

impl<M> Default for DeferredMessages<M> {
    fn default() -> DeferredMessages<M> {
        DeferredMessages(Vec::new())
    }
}

impl<M> DeferredMessages<M> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The messages and their senders, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Pid, &M)> {
        self.0.iter().map(|(from, msg)| (*from, msg))
    }

    /// Forgets all but those of which this is true.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(Pid, &M) -> bool) {
        self.0.retain(|(from, msg)| stays(*from, msg));
    }

    /// Takes out the first of which this is true.
    pub(super) fn take_first(&mut self, mut accepted: impl FnMut(Pid, &M) -> bool) -> Option<(Pid, M)> {
        let place = self.0.iter().position(|(from, msg)| accepted(*from, msg))?;
        Some(self.0.remove(place))
    }
}

impl<M: Pack> DeferredMessages<M> {
    /// Puts a message in its place, unless there are as many of its sender as there may be.
    pub(super) fn keep(&mut self, from: Pid, msg: M, limit: usize) {
        let begin = self.0.partition_point(|(other, _)| *other < from);
        let own = self.0[begin..].partition_point(|(other, _)| *other == from);
        if own >= limit {
            return;
        }
        let bytes = packed(&msg);
        let place = self.0[begin..begin + own].partition_point(|(_, other)| packed(other) < bytes);
        self.0.insert(begin + place, (from, msg));
    }
}

fn in_order<M: Pack>(one: &(Pid, M), other: &(Pid, M)) -> Ordering {
    one.0.cmp(&other.0).then_with(|| packed(&one.1).cmp(&packed(&other.1)))
}

impl<M: Pack> Pack for DeferredMessages<M> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<DeferredMessages<M>, Malformed> {
        let kept = Vec::<(Pid, M)>::unpack(bytes)?;
        if kept.is_sorted_by(|one, other| in_order(one, other).is_le()) {
            Ok(DeferredMessages(kept))
        } else {
            Err(Malformed("messages that wait are not in order"))
        }
    }

    fn rename(&self, perm: &Perm) -> DeferredMessages<M> {
        let mut kept = self.0.rename(perm);
        kept.sort_by(in_order);
        DeferredMessages(kept)
    }
}
