//! The faults of a state: what a process does that crashes or starts again, and what a network does that loses
//! or duplicates. They may happen at any moment, and no property counts on them.

use super::Expansion;
use crate::channel::{EMPTY, FULL};
use crate::dense::ClockGuard;
use crate::machine::CHANNEL;
use crate::observation::NOTHING;
use crate::transition::code;
use crate::{ANY_NUMBER, Capacity};

use watchkeeper_space::Action;

impl Expansion<'_> {
    pub(super) fn crash(&mut self, class: u8, process: usize) {
        let crashed = self.world.machines[process].crashed.expect("who may crash has a crashed state");
        self.begin(ClockGuard::Ever);
        self.edit(process, crashed);
        if let Some(moment) = &mut self.moment {
            moment.stepped(process, crashed, &[]);
        }
        if let Some(slot) = self.world.layout.suspects(process) {
            self.edit(slot, 0);
        }
        if self.world.swallows_at_once() {
            self.world.routes.inbound(process).for_each(|channel| self.empty(channel));
        }
        self.end(Action::new(class, code(process, 0, 0)), self.world.crash_observations[process]);
    }

    /// Starts a process again that has crashed. Messages in flight to it were for the incarnation before.
    pub(super) fn recover(&mut self, class: u8, process: usize) {
        let world = self.world;
        for (choice, outcome) in world.recovered(process).iter().enumerate() {
            self.begin(ClockGuard::Ever);
            world.routes.inbound(process).for_each(|channel| self.empty(channel));
            if !self.spend(world.layout.recoveries, world.scenario.faults.recoveries) {
                return;
            }
            self.finish(Action::new(class, code(process, 0, choice)), process, outcome);
        }
    }

    /// Uses up one of a budget of faults; `false` if there is none left.
    fn spend(&mut self, slot: Option<usize>, budget: u32) -> bool {
        match slot {
            Some(slot) if self.row[slot] < budget => {
                self.edit(slot, self.row[slot] + 1);
                true
            }
            Some(_) => false,
            None => budget == ANY_NUMBER,
        }
    }

    pub(super) fn lose(&mut self) {
        let world = self.world;
        let Some(class) = world.classes.lose else { return };
        let (freely, crash_loses) = (world.loses_freely(self.row), world.scenario.faults.crash_loses);
        for channel in 0..world.channels.len() {
            let content = self.row[world.layout.channel(channel)];
            if content == EMPTY {
                continue;
            }
            let (from, ..) = world.routes.ends(channel);
            let freely = freely || crash_loses && world.is_crashed(from.index(), self.row);
            for removal in world.channels[channel].losses(content, || world.rules(channel)) {
                self.begin(ClockGuard::Ever);
                self.remove(channel, removal);
                if !freely && !self.spend(world.layout.losses, world.scenario.network.losses) {
                    break;
                }
                let observation = world.lost(channel, removal.flight);
                self.end(Action::new(class, code(channel, usize::from(removal.place), 0)), observation);
            }
        }
    }

    pub(super) fn duplicate(&mut self) {
        let world = self.world;
        let Some(class) = world.classes.duplicate else { return };
        let capped = matches!(world.scenario.network.capacity, Capacity::Unbounded { .. });
        for channel in 0..world.channels.len() {
            let slot = world.layout.channel(channel);
            if self.row[slot] == EMPTY {
                continue;
            }
            for copy in world.channels[channel].copies(self.row[slot], || world.rules(channel)) {
                self.begin(ClockGuard::Ever);
                if !self.spend(world.layout.duplications, world.scenario.network.duplications) {
                    return;
                }
                if copy.after == FULL {
                    // A bounded channel that is full has no room for a copy: nothing happens.
                    if capped {
                        self.out.cut(CHANNEL);
                    }
                    continue;
                }
                self.edit(slot, copy.after);
                if let Some(moment) = &mut self.moment {
                    moment.copy(channel, usize::from(copy.index));
                }
                self.end(Action::new(class, code(channel, usize::from(copy.place), 0)), NOTHING);
            }
        }
    }
}
