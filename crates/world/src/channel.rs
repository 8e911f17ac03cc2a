//! The contents of one channel. A content is a list of messages in flight: in the order of sending for FIFO, in the order
//! of the packed messages for a channel in any order, so that equal multisets are equal lists. What can be
//! taken from a content, and what it is with one more, is worked out once.

use crate::DeliveryOrder;
use crate::machine::rank;
use crate::memo::Memo;
use crate::remaining::Remaining;
use std::sync::OnceLock;
use watchkeeper_automaton::Interner;
use watchkeeper_space::{ClassId, Id};

/// The content without messages, in every channel.
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
    deliveries: OnceLock<Box<[Removal]>>,
    losses: OnceLock<Box<[Removal]>>,
    copies: OnceLock<Box<[Removal]>>,
    /// In ticks: the content one tick later; `None` if a message must arrive before.
    ticked: OnceLock<Option<Id>>,
    /// A number that the packed messages decide.
    rank: OnceLock<u64>,
    /// In dense time: the places of the messages that have clocks.
    clocks: OnceLock<Box<[(u16, Remaining)]>>,
}

/// One message of a content, and what the content becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Removal {
    /// The message, by its id at the channel's destination.
    pub(crate) flight: Id,
    /// The content afterwards; [`FULL`] for a copy that finds no room.
    pub(crate) after: Id,
    /// What names the message in an action.
    pub(crate) place: u16,
    /// Where in the list it is.
    pub(crate) index: u16,
    /// The class of its delivery.
    pub(crate) class: ClassId,
}

/// How a channel works.
pub(crate) struct ChannelRules<'a> {
    pub(crate) order: DeliveryOrder,
    pub(crate) limit: usize,
    pub(crate) messages: &'a dyn ChannelMessages,
}

/// What a channel must know about the messages in it.
pub(crate) trait ChannelMessages {
    /// The canonical bytes of a message, by which a channel in any order is sorted.
    fn packed(&self, flight: Id) -> &[u8];

    /// The class of its delivery.
    fn class(&self, flight: Id) -> ClassId;

    /// What it remembers of when it may arrive.
    fn remaining(&self, flight: Id) -> Remaining;
}

impl ChannelRules<'_> {
    /// Where a message belongs in a list: at this index in a FIFO channel, otherwise by its bytes.
    fn index(&self, list: &[Id], flight: Id, fifo: usize) -> usize {
        if self.order == DeliveryOrder::Fifo {
            return fifo;
        }
        let bytes = self.messages.packed(flight);
        list.partition_point(|&other| self.messages.packed(other) <= bytes)
    }
}

impl ChannelContents {
    pub(crate) fn new() -> ChannelContents {
        let channel = ChannelContents { contents: Interner::new(), pushes: Memo::new() };
        let empty = channel.intern(Box::default());
        assert_eq!(empty, EMPTY, "nothing was interned before");
        channel
    }

    /// The messages of a content.
    #[inline]
    pub(crate) fn flights(&self, content: Id) -> &[Id] {
        &self.contents.get(content).value
    }

    /// The messages of a content, for an id that may never have been given out.
    pub(crate) fn find(&self, content: Id) -> Option<&[Id]> {
        self.contents.find(content).map(|entry| &**entry.value)
    }

    /// What a content is with one more message, if that is known.
    #[inline]
    pub(crate) fn known_push(&self, content: Id, flight: Id) -> Option<Id> {
        self.pushes.get(content, flight)
    }

    /// Works out what a content is with one more message.
    pub(crate) fn push(&self, content: Id, flight: Id, rules: &ChannelRules<'_>) -> Id {
        let list = self.flights(content);
        let after = if list.len() >= rules.limit {
            FULL
        } else {
            let at = rules.index(list, flight, list.len());
            self.intern([&list[..at], &[flight], &list[at..]].concat().into())
        };
        self.pushes.insert(content, flight, after)
    }

    /// The content with these messages, given in the order of sending.
    pub(crate) fn content(&self, mut flights: Vec<Id>, rules: &ChannelRules<'_>) -> Id {
        if rules.order == DeliveryOrder::AnyOrder {
            flights.sort_by_key(|&flight| rules.messages.packed(flight));
        }
        self.intern(flights.into())
    }

    /// The messages that may arrive next.
    #[inline]
    pub(crate) fn deliveries<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [Removal] {
        let offers = &self.contents.get(content).memo;
        offers.deliveries.get_or_init(|| {
            let rules = rules();
            let mut deliveries = self.removals(content, &rules);
            if rules.order == DeliveryOrder::Fifo {
                deliveries.truncate(1);
            }
            deliveries.retain(|removal| rules.messages.remaining(removal.flight).is_enabled());
            deliveries.into()
        })
    }

    /// The messages that the network may lose.
    pub(crate) fn losses<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [Removal] {
        let offers = &self.contents.get(content).memo;
        offers.losses.get_or_init(|| self.removals(content, &rules()).into())
    }

    /// The messages that the network may duplicate, each with the content that has the copy.
    pub(crate) fn copies<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [Removal] {
        let offers = &self.contents.get(content).memo;
        offers.copies.get_or_init(|| {
            let rules = rules();
            let room = self.flights(content).len() < rules.limit;
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
            let later: Option<Vec<Id>> = entry.value.iter().map(|&flight| message(flight)).collect();
            later.map(|list| self.content(list, &rules()))
        })
    }

    /// In dense time: the places of the messages that have clocks, and what these messages remember.
    #[inline]
    pub(crate) fn clocks<'a>(
        &'a self,
        content: Id,
        rules: impl FnOnce() -> ChannelRules<'a>,
    ) -> &'a [(u16, Remaining)] {
        let entry = self.contents.get(content);
        entry.memo.clocks.get_or_init(|| {
            let rules = rules();
            let all = entry.value.iter().enumerate();
            let all = all.map(|(at, &flight)| (at as u16, rules.messages.remaining(flight)));
            all.filter(|(_, remaining)| remaining.has_clock()).collect()
        })
    }

    /// A number that the packed messages of a content decide, the same in every run.
    pub(crate) fn rank<'a>(&'a self, content: Id, rules: impl FnOnce() -> ChannelRules<'a>) -> u64 {
        let entry = self.contents.get(content);
        *entry.memo.rank.get_or_init(|| {
            let rules = rules();
            let list: Vec<&[u8]> = entry.value.iter().map(|&flight| rules.messages.packed(flight)).collect();
            rank(&list.concat())
        })
    }

    /// The content in which the message at this place of the list has become another one.
    pub(crate) fn replaced(&self, content: Id, index: usize, flight: Id, rules: &ChannelRules<'_>) -> Id {
        let mut list = self.flights(content).to_vec();
        list.remove(index);
        list.insert(rules.index(&list, flight, index), flight);
        self.intern(list.into())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.contents.bytes() + self.pushes.bytes()
    }

    /// Every different removal of one message.
    fn removals(&self, content: Id, rules: &ChannelRules<'_>) -> Vec<Removal> {
        self.each(content, rules, |list, at| self.intern([&list[..at], &list[at + 1..]].concat().into()))
    }

    /// One take for each run of equal messages: which of them is meant makes no difference, unless each has
    /// a clock.
    fn each(
        &self,
        content: Id,
        rules: &ChannelRules<'_>,
        after: impl Fn(&[Id], usize) -> Id,
    ) -> Vec<Removal> {
        let list = self.flights(content);
        let mut deliveries: Vec<Removal> = Vec::new();
        for (at, &flight) in list.iter().enumerate() {
            let clocked = rules.messages.remaining(flight).has_clock();
            if at > 0 && list[at - 1] == flight && !clocked {
                continue;
            }
            let place = match rules.order {
                DeliveryOrder::Fifo => at,
                DeliveryOrder::AnyOrder => deliveries.len(),
            } as u16;
            let (index, class) = (at as u16, rules.messages.class(flight));
            deliveries.push(Removal { flight, after: after(list, at), place, index, class });
        }
        deliveries
    }

    fn intern(&self, list: Box<[Id]>) -> Id {
        // Nearly every content is asked for its removals once.
        let heap = list.len() * (size_of::<Id>() + size_of::<Removal>());
        self.contents.intern(list, |_| (ContentMemo::default(), heap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages 0, 1, 2, ... whose bytes sort the other way round, to tell order by id from order by bytes.
    struct Backwards;

    impl ChannelMessages for Backwards {
        fn packed(&self, flight: Id) -> &[u8] {
            &[9, 8, 7, 6][flight as usize..][..1]
        }

        fn class(&self, flight: Id) -> ClassId {
            flight as ClassId
        }

        fn remaining(&self, _: Id) -> Remaining {
            Remaining::Untimed
        }
    }

    fn rules(order: DeliveryOrder, limit: usize) -> ChannelRules<'static> {
        ChannelRules { order, limit, messages: &Backwards }
    }

    fn filled(channel: &ChannelContents, flights: &[Id], rules: &ChannelRules<'_>) -> Id {
        flights.iter().fold(EMPTY, |content, &flight| channel.push(content, flight, rules))
    }

    #[test]
    fn a_channel_in_any_order_forgets_the_order() {
        let (channel, rules) = (ChannelContents::new(), rules(DeliveryOrder::AnyOrder, 3));
        let one = filled(&channel, &[0, 2, 1], &rules);
        assert_eq!(one, filled(&channel, &[1, 0, 2], &rules));
        assert_eq!(one, channel.content(vec![2, 1, 0], &rules));
        assert_eq!(channel.flights(one), [2, 1, 0], "by packed bytes, not by id");
        assert_eq!(channel.push(one, 0, &rules), FULL);
    }

    #[test]
    fn fifo_keeps_it() {
        let (channel, rules) = (ChannelContents::new(), rules(DeliveryOrder::Fifo, 3));
        assert_ne!(filled(&channel, &[0, 1], &rules), filled(&channel, &[1, 0], &rules));
        assert_eq!(channel.flights(filled(&channel, &[0, 2, 0], &rules)), [0, 2, 0]);
    }

    #[test]
    fn equal_messages_are_offered_once() {
        let channel = ChannelContents::new();
        let any = || rules(DeliveryOrder::AnyOrder, 4);
        let content = filled(&channel, &[1, 0, 1], &any());
        let shown = |deliveries: &[Removal]| -> Vec<(Id, u16, Vec<Id>)> {
            deliveries.iter().map(|t| (t.flight, t.place, channel.flights(t.after).to_vec())).collect()
        };
        let once = [(1, 0, vec![1, 0]), (0, 1, vec![1, 1])];
        assert_eq!(shown(channel.deliveries(content, any)), once);
        assert_eq!(shown(channel.losses(content, any)), once);
        assert_eq!(shown(channel.copies(content, any)), [(1, 0, vec![1, 1, 1, 0]), (0, 1, vec![1, 1, 0, 0])]);
    }

    #[test]
    fn fifo_delivers_the_first_and_may_lose_or_copy_any() {
        let channel = ChannelContents::new();
        let fifo = || rules(DeliveryOrder::Fifo, 4);
        let content = filled(&channel, &[0, 1, 1], &fifo());
        let shown = |deliveries: &[Removal]| -> Vec<(Id, u16, Vec<Id>)> {
            deliveries.iter().map(|t| (t.flight, t.place, channel.flights(t.after).to_vec())).collect()
        };
        assert_eq!(shown(channel.deliveries(content, fifo)), [(0, 0, vec![1, 1])]);
        assert_eq!(shown(channel.losses(content, fifo)), [(0, 0, vec![1, 1]), (1, 1, vec![0, 1])]);
        assert_eq!(
            shown(channel.copies(content, fifo)),
            [(0, 0, vec![0, 0, 1, 1]), (1, 1, vec![0, 1, 1, 1])]
        );
        let full = filled(&channel, &[0, 1, 0, 1], &fifo());
        assert!(channel.copies(full, fifo).iter().all(|copy| copy.after == FULL));
    }
}
