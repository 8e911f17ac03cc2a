//! The moment from which the bounds on messages hold, in worlds in which they hold only eventually: one slot of
//! the row says whether it has come. What a message remembers of its bound is part of its id, so what is sent
//! before that moment, and what is on its way when it comes, have other ids; each is worked out once.

use crate::channel::EMPTY;
use crate::machine::{InFlight, Send};
use crate::memo::Memo;
use crate::remaining::Remaining;
use crate::world::message_bound;
use crate::{BeforeStable, Scenario, World};

use watchkeeper_space::{Edit, Id};

/// What is known of a network that stabilises.
pub(crate) struct Stability {
    pub(crate) before: BeforeStable,
    /// What a message remembers that is sent before the network has stabilised.
    remaining: Remaining,
    /// From a process and a message to it to the same message sent before.
    early: Memo,
    /// From a channel and a content to the content when the network stabilises.
    settled: Memo,
}

impl Stability {
    /// Of a scenario whose network has to stabilise.
    pub(crate) fn of(scenario: &Scenario) -> Option<Stability> {
        let before = scenario.time.timing()?.before()?;
        let remaining = Remaining::new(scenario.time, message_bound(scenario, false));
        Some(Stability { before, remaining, early: Memo::new(), settled: Memo::new() })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.early.bytes() + self.settled.bytes()
    }
}

impl World {
    /// Whether the bounds on messages hold in this row.
    #[inline]
    pub(crate) fn is_stable(&self, row: &[Id]) -> bool {
        self.layout.stable.is_none_or(|slot| row[slot] != 0)
    }

    /// Whether messages are lost in this row without counting.
    pub(crate) fn loses_freely(&self, row: &[Id]) -> bool {
        self.stability.as_ref().is_some_and(|stability| stability.before.losses) && !self.is_stable(row)
    }

    /// The message that a send puts on its way in this row. Outcomes of steps are remembered for all rows, with
    /// messages as they are once bounds hold.
    #[inline]
    pub(crate) fn sent(&self, row: &[Id], send: &Send) -> Id {
        match &self.stability {
            Some(stability) if !self.is_stable(row) => self.sent_early(stability, send),
            _ => send.flight,
        }
    }

    fn sent_early(&self, stability: &Stability, send: &Send) -> Id {
        let channel = send.channel as usize;
        let key = self.routes.receiver(channel).index() as Id;
        stability.early.get(key, send.flight).unwrap_or_else(|| {
            let InFlight { channel, msg, .. } = *self.in_flight(channel, send.flight);
            let early = self.flight(channel, msg, stability.remaining);
            stability.early.insert(key, send.flight, early)
        })
    }

    /// What changes when the network stabilises, if it has not yet.
    pub(crate) fn stabilised(&self, row: &[Id]) -> Option<Vec<Edit>> {
        let (stability, slot) = (self.stability.as_ref()?, self.layout.stable?);
        if row[slot] != 0 {
            return None;
        }
        let mut edits = vec![Edit::new(slot, 1)];
        for channel in 0..self.channels.len() {
            let content = row[self.layout.channel(channel)];
            if content == EMPTY {
                continue;
            }
            let after = stability.settled.get(channel as Id, content).unwrap_or_else(|| {
                let after = self.settled_channel(channel, content);
                stability.settled.insert(channel as Id, content, after)
            });
            if after != content {
                edits.push(Edit::new(self.layout.channel(channel), after));
            }
        }
        Some(edits)
    }

    fn settled_channel(&self, channel: usize, content: Id) -> Id {
        let flights = self.channels[channel].flights(content).iter().map(|&flight| {
            let InFlight { channel, msg, remaining } = *self.in_flight(channel, flight);
            self.flight(channel, msg, remaining.hastened(self.message_remaining))
        });
        self.channels[channel].content(flights.collect(), &self.rules(channel))
    }
}
