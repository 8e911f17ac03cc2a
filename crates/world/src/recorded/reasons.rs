//! Why the interpreter of the model refuses what was recorded: which assumption is behind it.

use super::deviation::BrokenAssumption;
use super::execution::Execution;
use crate::{Capacity, WhenFull};
use watchkeeper_core::Pid;

impl Execution<'_> {
    /// Why a message that was received is not on its way in the model.
    pub(super) fn missing(&self, message: usize) -> BrokenAssumption {
        let (sent, label) = (&self.run.messages.list[message], self.run.messages.label(message));
        let bounded = matches!(self.model.scenario.network.capacity, Capacity::Bounded(_));
        if !bounded {
            return unsure(format!("{label} from {} is not on its way to {}", sent.from, sent.to));
        }
        let why = match self.model.scenario.network.when_full {
            WhenFull::Block => format!("{label} of {} would still wait for room", sent.from),
            WhenFull::Drop | WhenFull::Report => {
                format!("{label} of {} found it full and was dropped", sent.from)
            }
        };
        self.capacity(sent.channel, sent.from, sent.to, why)
    }

    /// A full channel is the network's fault only if what fills it did arrive.
    pub(super) fn capacity(
        &self,
        channel: Option<usize>,
        from: Pid,
        to: Pid,
        why: String,
    ) -> BrokenAssumption {
        let inside = channel.map_or(&[][..], |channel| &self.config.channels[channel]);
        let mut messages = inside.iter().filter_map(|flight| self.message(flight.message));
        match messages.find(|&message| self.run.messages.list[message].received.is_none()) {
            Some(message) => self.lost(message),
            None => BrokenAssumption::Capacity { from, to, why },
        }
    }

    pub(super) fn in_front(&self, step: usize, channel: usize, why: String) -> BrokenAssumption {
        let front = self.config.channels[channel].first().and_then(|flight| self.message(flight.message));
        let (Some(front), Some(message)) = (front, self.run.messages.read[step]) else { return unsure(why) };
        let (slow, fast) = (&self.run.messages.list[front], &self.run.messages.list[message]);
        if slow.received.is_none() {
            return self.lost(front);
        }
        BrokenAssumption::Order {
            message: self.run.messages.label(message),
            number: fast.number.unwrap_or(0),
            overtaken: self.run.messages.label(front),
            overtaken_number: slow.number.unwrap_or(0),
            from: fast.from,
            to: fast.to,
        }
    }

    pub(super) fn lost(&self, message: usize) -> BrokenAssumption {
        let sent = &self.run.messages.list[message];
        let (message, number) = (self.run.messages.label(message), sent.number);
        let allowed = self.model.scenario.network.losses;
        BrokenAssumption::Loss { message, number, from: sent.from, to: sent.to, allowed }
    }
}

/// A refusal that no recording should be able to cause.
pub(super) fn unsure(why: String) -> BrokenAssumption {
    BrokenAssumption::Unconfirmed { why }
}
