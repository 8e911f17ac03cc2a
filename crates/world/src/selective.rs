//! Protocols that leave messages lying: what a process will never want is taken out of its channels as soon as that
//! is so. What it wants is a function of its local state and the message, so it is worked out once. A protocol that
//! takes everything as it comes never gets here.

use crate::channel::EMPTY;
use crate::machine::InFlight;
use crate::memo::Memo;
use crate::{Capacity, DeliveryOrder, Scenario, World, WorldError, WorldTime};
use watchkeeper_automaton::Facts;
use watchkeeper_core::{Pid, Reception};
use watchkeeper_space::Id;

/// What is known of who wants what; nothing for a protocol that takes everything.
pub(crate) struct Unwanted {
    /// For each channel, from a content and the local state of its destination to what is left of the content.
    left: Vec<Memo>,
    /// For each process, from its local state and a message to whether it will never want that: 1 or 0.
    never: Vec<Memo>,
}

impl Unwanted {
    pub(crate) fn new(selective: bool, n: usize, channels: usize) -> Unwanted {
        let memos = |count: usize| (0..if selective { count } else { 0 }).map(|_| Memo::new()).collect();
        Unwanted { left: memos(channels), never: memos(n) }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.left.iter().chain(&self.never).map(Memo::bytes).sum()
    }
}

/// A selective protocol needs a network that keeps any number of messages in no order.
pub(crate) fn validate(facts: &Facts, scenario: &Scenario) -> Result<(), WorldError> {
    if !facts.selective {
        return Ok(());
    }
    if scenario.time != WorldTime::Untimed {
        return Err(WorldError::SelectiveTimed);
    }
    let unbounded = matches!(scenario.network.capacity, Capacity::Unbounded { .. });
    if scenario.network.order != DeliveryOrder::AnyOrder || !unbounded {
        return Err(WorldError::SelectiveChannels);
    }
    Ok(())
}

impl World {
    /// Whether a message to a process that has crashed is gone at once: who is selective does not notice.
    #[inline]
    pub(crate) fn swallows_at_once(&self) -> bool {
        self.selective || self.scenario.swallows_at_once()
    }

    /// Whether a message is one that its destination, which is in this local state, will never want.
    #[inline]
    pub(crate) fn is_unwanted(&self, channel: usize, flight: Id, local: Id) -> bool {
        // Whoever has not started yet has not said.
        if !self.selective || local == Id::MAX {
            return false;
        }
        let (_, to, _) = self.routes.ends(channel);
        let memo = &self.unwanted.never[to.index()];
        let known = memo.get(local, flight).unwrap_or_else(|| {
            let never = self.reception(to, local, flight) == Reception::Discarded;
            memo.insert(local, flight, Id::from(never))
        });
        known == 1
    }

    /// What is left in a channel when its destination comes into this local state.
    pub(crate) fn wanted(&self, channel: usize, content: Id, local: Id) -> Id {
        if !self.selective || content == EMPTY {
            return content;
        }
        let memo = &self.unwanted.left[channel];
        memo.get(content, local).unwrap_or_else(|| {
            let (_, to, _) = self.routes.ends(channel);
            let list = self.channels[channel].flights(content).iter().copied();
            let left =
                list.filter(|&flight| self.reception(to, local, flight) != Reception::Discarded).collect();
            memo.insert(content, local, self.channels[channel].content(left, &self.rules(channel)))
        })
    }

    /// What a process in this local state would do with a message. Whoever has crashed wants nothing any more.
    fn reception(&self, me: Pid, local: Id, flight: Id) -> Reception {
        let machine = &self.machines[me.index()];
        let InFlight { channel, msg, .. } = *machine.flights.get(flight).value;
        let (from, _, _) = self.routes.ends(channel);
        match machine.locals.get(local).value.state() {
            Some(state) => self.automaton.reception(me, state, from, msg),
            None => Reception::Discarded,
        }
    }
}
