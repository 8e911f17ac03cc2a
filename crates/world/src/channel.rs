//! What is in one channel. A content is a list of arrivals: in the order of sending for FIFO, in the order
//! of the packed messages for a channel in any order, so that equal multisets are equal lists. What can be
//! taken from a content, and what it is with one more, is worked out once.

use crate::DeliveryOrder;
use crate::intern::Interner;
use crate::machine::rank;
use crate::memo::Memo;
use crate::remaining_bound::RemainingBound;
use std::sync::OnceLock;
use watchkeeper_space::{ClassId, Id};

/// The content without messages, in every lane.
pub(crate) const EMPTY: Id = 0;

/// In place of a content: there is no room.
pub(crate) const FULL: Id = Id::MAX;

/// One channel: its contents so far, and what follows from them.
pub(crate) struct ChannelContents {
    contents: Interner<Box<[Id]>, ContentMemo>,
    pushes: Memo,
}

/// What can happen to a content. Filled in when first asked for.
#[derive(Default)]
pub(crate) struct ContentMemo {
    takes: OnceLock<Box<[ChannelEdit]>>,
    losses: OnceLock<Box<[ChannelEdit]>>,
    copies: OnceLock<Box<[ChannelEdit]>>,
    /// In ticks: the content one tick later; `None` if a message must arrive before.
    ticked: OnceLock<Option<Id>>,
    /// A number that the packed messages decide.
    rank: OnceLock<u64>,
    /// In dense time: the places of the messages that have clocks.
    clocks: OnceLock<Box<[(u16, RemainingBound)]>>,
}

/// One message of a content, and what the content becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChannelEdit {
    /// The message, as an arrival at the lane's destination.
    pub(crate) arrival: Id,
    /// The content afterwards; [`FULL`] for a copy that finds no room.
    pub(crate) after: Id,
    /// What names the message in an action.
    pub(crate) place: u16,
    /// Where in the list it is.
    pub(crate) index: u16,
    /// The class of its delivery.
    pub(crate) class: ClassId,
}

/// How a lane works.
pub(crate) struct ChannelRules<'a> {
    pub(crate) order: DeliveryOrder,
    pub(crate) limit: usize,
    pub(crate) messages: &'a dyn ChannelMessages,
}

/// What a lane must know about the messages in it.
pub(crate) trait ChannelMessages {
    /// The canonical bytes of a message, by which a channel in any order is sorted.
    fn packed(&self, arrival: Id) -> &[u8];

    /// The class of its delivery.
    fn class(&self, arrival: Id) -> ClassId;

    /// What it remembers of when it may arrive.
    fn due(&self, arrival: Id) -> RemainingBound;
}

impl ChannelContents {
    pub(crate) fn new() -> ChannelContents {
        let lane = ChannelContents { contents: Interner::new(), pushes: Memo::new() };
        let empty = lane.intern(Box::default());
        assert_eq!(empty, EMPTY, "nothing was interned before");
        lane
    }

    /// The messages of a content.
    #[inline]
    pub(crate) fn arrivals(&self, content: Id) -> &[Id] {
        &self.contents.get(content).value
    }

    /// The messages of a content, for an id that may never have been given out.
    pub(crate) fn find(&self, content: Id) -> Option<&[Id]> {
        self.contents.find(content).map(|entry| &**entry.value)
    }

    /// What a content is with one more message, if that is known.
    #[inline]
    pub(crate) fn known_push(&self, content: Id, arrival: Id) -> Option<Id> {
        self.pushes.get(content, arrival)
    }

    /// Works out what a content is with one more message.
    pub(crate) fn push(&self, content: Id, arrival: Id, rules: &ChannelRules<'_>) -> Id {
        let list = self.arrivals(content);
        let after = if list.len() >= rules.limit {
            FULL
        } else {
            let at = match rules.order {
                DeliveryOrder::Fifo => list.len(),
                DeliveryOrder::AnyOrder => {
                    let bytes = rules.messages.packed(arrival);
                    list.partition_point(|&other| rules.messages.packed(other) <= bytes)
                }
            };
            self.intern([&list[..at], &[arrival], &list[at..]].concat().into())
        };
        self.pushes.insert(content, arrival, after)
    }

    /// The content with these messages, given in the order of sending.
    pub(crate) fn content(&self, mut arrivals: Vec<Id>, rules: &ChannelRules<'_>) -> Id {
        if rules.order == DeliveryOrder::AnyOrder {
            arrivals.sort_by_key(|&arrival| rules.messages.packed(arrival));
        }
        self.intern(arrivals.into())
    }

    /// The messages that may arrive next.
    #[inline]
    pub(crate) fn takes<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [ChannelEdit] {
        let offers = &self.contents.get(content).memo;
        offers.takes.get_or_init(|| {
            let rules = rules();
            let mut takes = self.removals(content, &rules);
            if rules.order == DeliveryOrder::Fifo {
                takes.truncate(1);
            }
            takes.retain(|take| rules.messages.due(take.arrival).is_ripe());
            takes.into()
        })
    }

    /// The messages that the network may lose.
    pub(crate) fn losses<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [ChannelEdit] {
        let offers = &self.contents.get(content).memo;
        offers.losses.get_or_init(|| self.removals(content, &rules()).into())
    }

    /// The messages that the network may duplicate.
    pub(crate) fn copies<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [ChannelEdit] {
        let offers = &self.contents.get(content).memo;
        offers.copies.get_or_init(|| {
            let rules = rules();
            let room = self.arrivals(content).len() < rules.limit;
            self.each(content, &rules, |list, at| match room {
                true => self.intern([&list[..=at], &list[at..]].concat().into()),
                false => FULL,
            })
            .into()
        })
    }

    /// In ticks: what a content is one tick later, given the same of messages; `None` if a message must
    /// arrive before.
    #[inline]
    pub(crate) fn ticked<'a>(
        &'a self,
        content: Id,
        message: impl Fn(Id) -> Option<Id>,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> Option<Id> {
        let entry = self.contents.get(content);
        *entry.memo.ticked.get_or_init(|| {
            let later: Option<Vec<Id>> = entry.value.iter().map(|&arrival| message(arrival)).collect();
            later.map(|list| self.content(list, &rules()))
        })
    }

    /// In dense time: the places of the messages that have clocks, and what these messages remember.
    #[inline]
    pub(crate) fn clocks<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [(u16, RemainingBound)] {
        let entry = self.contents.get(content);
        entry.memo.clocks.get_or_init(|| {
            let rules = rules();
            let dues = entry.value.iter().map(|&arrival| rules.messages.due(arrival)).enumerate();
            dues.filter(|(_, due)| due.has_clock()).map(|(at, due)| (at as u16, due)).collect()
        })
    }

    /// A number that the packed messages of a content decide, the same in every run.
    pub(crate) fn rank<'a>(&'a self, content: Id, rules: impl FnOnce() -> ChannelRules<'a>) -> u64 {
        let entry = self.contents.get(content);
        *entry.memo.rank.get_or_init(|| {
            let rules = rules();
            let list: Vec<&[u8]> =
                entry.value.iter().map(|&arrival| rules.messages.packed(arrival)).collect();
            rank(&list.concat())
        })
    }

    /// The content in which the message at this place of the list has become another one.
    pub(crate) fn replaced(&self, content: Id, index: usize, arrival: Id, rules: &ChannelRules<'_>) -> Id {
        let mut list = self.arrivals(content).to_vec();
        list.remove(index);
        let at = match rules.order {
            DeliveryOrder::Fifo => index,
            DeliveryOrder::AnyOrder => {
                let bytes = rules.messages.packed(arrival);
                list.partition_point(|&other| rules.messages.packed(other) <= bytes)
            }
        };
        list.insert(at, arrival);
        self.intern(list.into())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.contents.bytes() + self.pushes.bytes()
    }

    /// Every different removal of one message.
    fn removals(&self, content: Id, rules: &ChannelRules<'_>) -> Vec<ChannelEdit> {
        self.each(content, rules, |list, at| self.intern([&list[..at], &list[at + 1..]].concat().into()))
    }

    /// One take for each run of equal messages: which of them is meant makes no difference, unless each has
    /// a clock.
    fn each(
        &self,
        content: Id,
        rules: &ChannelRules<'_>,
        after: impl Fn(&[Id], usize) -> Id,
    ) -> Vec<ChannelEdit> {
        let list = self.arrivals(content);
        let mut takes: Vec<ChannelEdit> = Vec::new();
        for (at, &arrival) in list.iter().enumerate() {
            let clocked = rules.messages.due(arrival).has_clock();
            if at > 0 && list[at - 1] == arrival && !clocked {
                continue;
            }
            let place = match rules.order {
                DeliveryOrder::Fifo => at,
                DeliveryOrder::AnyOrder => takes.len(),
            } as u16;
            let (index, class) = (at as u16, rules.messages.class(arrival));
            takes.push(ChannelEdit { arrival, after: after(list, at), place, index, class });
        }
        takes
    }

    fn intern(&self, list: Box<[Id]>) -> Id {
        // Nearly every content is asked for its takes once.
        let heap = list.len() * (size_of::<Id>() + size_of::<ChannelEdit>());
        self.contents.intern(list, |_| (ContentMemo::default(), heap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages 0, 1, 2, ... whose bytes sort the other way round, to tell order by id from order by bytes.
    struct Backwards;

    impl ChannelMessages for Backwards {
        fn packed(&self, arrival: Id) -> &[u8] {
            &[9, 8, 7, 6][arrival as usize..][..1]
        }

        fn class(&self, arrival: Id) -> ClassId {
            arrival as ClassId
        }

        fn due(&self, _: Id) -> RemainingBound {
            RemainingBound::Untimed
        }
    }

    fn rules(order: DeliveryOrder, limit: usize) -> ChannelRules<'static> {
        ChannelRules { order, limit, messages: &Backwards }
    }

    fn filled(lane: &ChannelContents, arrivals: &[Id], rules: &ChannelRules<'_>) -> Id {
        arrivals.iter().fold(EMPTY, |content, &arrival| lane.push(content, arrival, rules))
    }

    #[test]
    fn a_channel_in_any_order_forgets_the_order() {
        let (lane, rules) = (ChannelContents::new(), rules(DeliveryOrder::AnyOrder, 3));
        let one = filled(&lane, &[0, 2, 1], &rules);
        assert_eq!(one, filled(&lane, &[1, 0, 2], &rules));
        assert_eq!(one, lane.content(vec![2, 1, 0], &rules));
        assert_eq!(lane.arrivals(one), [2, 1, 0], "by packed bytes, not by id");
        assert_eq!(lane.push(one, 0, &rules), FULL);
    }

    #[test]
    fn fifo_keeps_it() {
        let (lane, rules) = (ChannelContents::new(), rules(DeliveryOrder::Fifo, 3));
        assert_ne!(filled(&lane, &[0, 1], &rules), filled(&lane, &[1, 0], &rules));
        assert_eq!(lane.arrivals(filled(&lane, &[0, 2, 0], &rules)), [0, 2, 0]);
    }

    #[test]
    fn equal_messages_are_offered_once() {
        let lane = ChannelContents::new();
        let any = || rules(DeliveryOrder::AnyOrder, 4);
        let content = filled(&lane, &[1, 0, 1], &any());
        let shown = |takes: &[ChannelEdit]| -> Vec<(Id, u16, Vec<Id>)> {
            takes.iter().map(|t| (t.arrival, t.place, lane.arrivals(t.after).to_vec())).collect()
        };
        let once = [(1, 0, vec![1, 0]), (0, 1, vec![1, 1])];
        assert_eq!(shown(lane.takes(content, any)), once);
        assert_eq!(shown(lane.losses(content, any)), once);
        assert_eq!(shown(lane.copies(content, any)), [(1, 0, vec![1, 1, 1, 0]), (0, 1, vec![1, 1, 0, 0])]);
    }

    #[test]
    fn fifo_delivers_the_first_and_may_lose_or_copy_any() {
        let lane = ChannelContents::new();
        let fifo = || rules(DeliveryOrder::Fifo, 4);
        let content = filled(&lane, &[0, 1, 1], &fifo());
        let shown = |takes: &[ChannelEdit]| -> Vec<(Id, u16, Vec<Id>)> {
            takes.iter().map(|t| (t.arrival, t.place, lane.arrivals(t.after).to_vec())).collect()
        };
        assert_eq!(shown(lane.takes(content, fifo)), [(0, 0, vec![1, 1])]);
        assert_eq!(shown(lane.losses(content, fifo)), [(0, 0, vec![1, 1]), (1, 1, vec![0, 1])]);
        assert_eq!(shown(lane.copies(content, fifo)), [(0, 0, vec![0, 0, 1, 1]), (1, 1, vec![0, 1, 1, 1])]);
        let full = filled(&lane, &[0, 1, 0, 1], &fifo());
        assert!(lane.copies(full, fifo).iter().all(|copy| copy.after == FULL));
    }
}
