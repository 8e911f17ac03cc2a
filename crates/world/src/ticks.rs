//! Time in ticks: what a row is one unit of time later, and what must happen before. Each part of a row ticks
//! on its own, and how it does is worked out once.

use crate::channel::EMPTY;
use crate::machine::ProcessMode;
use crate::{Simultaneous, World, WorldTime};

use watchkeeper_space::{Edit, Id};

impl World {
    /// In ticks: whether timers wait because a message must arrive first.
    pub(crate) fn waits_for_deliveries(&self, row: &[Id]) -> bool {
        let WorldTime::Ticks(timing) = self.scenario.time else { return false };
        timing.simultaneous == Simultaneous::DeliveriesFirst
            && (0..self.channels.len()).any(|channel| self.ticked_channel(channel, row).is_none())
    }

    /// In ticks: a channel one tick later; `None` if a message must arrive before.
    #[inline]
    fn ticked_channel(&self, channel: usize, row: &[Id]) -> Option<Id> {
        let content = row[self.layout.channel(channel)];
        if content == EMPTY {
            return Some(EMPTY);
        }
        let message = |flight| self.ticked_flight(self.routes.receiver(channel).index(), flight);
        self.channels[channel].ticked(content, message, || self.rules(channel))
    }

    /// The row one tick later, as edits, or the cap that it is beyond; `None` if something must happen
    /// before.
    pub(crate) fn ticked(&self, row: &[Id]) -> Option<Result<Vec<Edit>, usize>> {
        let mut edits = Vec::new();
        let mut edit = |slot: usize, id: Id| {
            if row[slot] != id {
                edits.push(Edit::new(slot, id));
            }
        };
        for (process, machine) in self.machines.iter().enumerate() {
            edit(process, machine.ticked(row[process])?);
        }
        for channel in 0..self.channels.len() {
            edit(self.layout.channel(channel), self.ticked_channel(channel, row)?);
        }
        if self.is_urgent(row) {
            return None;
        }
        for (k, observer) in self.observers.iter().enumerate() {
            let slot = self.layout.observer(k);
            match observer.ticked(self.scenario.time, row[slot]) {
                Ok(memory) => edit(slot, memory),
                Err(cap) => return Some(Err(cap)),
            }
        }
        Some(Ok(edits))
    }

    /// Whether a process that waited for room has it: it sends on before time passes.
    pub(crate) fn is_urgent(&self, row: &[Id]) -> bool {
        self.classes.unblock.is_some()
            && (0..self.scenario.n)
                .any(|p| self.machines[p].mode(row[p]) == ProcessMode::Blocked && self.has_room(p, row))
    }

    /// Whether there is room for the first message that a blocked process waits to send.
    pub(crate) fn has_room(&self, process: usize, row: &[Id]) -> bool {
        let first = self.unblocked(process, row[process]).sends[0];
        let content = row[self.layout.channel(first.channel as usize)];
        let channel = &self.channels[first.channel as usize];
        channel.flights(content).len() < self.scenario.network.capacity.limit() as usize
    }
}
