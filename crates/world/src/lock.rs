//! Time-locks: states in which time cannot pass, because something is due, and nothing can happen, because
//! what is due cannot be done. They come from channels that block their senders, whose timers then run out
//! unheard, and from FIFO channels in which a message is due behind one that may not arrive yet.

use crate::local::SlotIndex;
use crate::machine::ProcessMode;
use crate::remaining::Remaining;
use crate::{Capacity, DeliveryOrder, Simultaneous, WhenFull, World, WorldTime};

use watchkeeper_space::{Id, Successors};
use watchkeeper_zones::{DbmBound, Zone};

impl World {
    /// Whether a state of this world could be locked at all.
    pub fn may_lock(&self) -> bool {
        let network = &self.scenario.network;
        let blocks = network.when_full == WhenFull::Block && matches!(network.capacity, Capacity::Bounded(_));
        self.scenario.time != WorldTime::Untimed && (blocks || network.order == DeliveryOrder::Fifo)
    }

    /// Whether time cannot pass and nothing can happen at some moment of a state.
    pub(crate) fn is_locked(&self, row: &[Id]) -> bool {
        if !self.may_lock() || self.overflow(row).is_some() || self.is_settled(row) {
            return false;
        }
        match self.scenario.time {
            WorldTime::Untimed => false,
            WorldTime::Ticks(_) => self.holds_time_up(row) && !self.can_go_on(row),
            WorldTime::Dense(timing) => {
                let calls = (0..self.scenario.n).any(|p| self.may_be_called(p, row));
                !calls
                    && !self.is_urgent(row)
                    && self.is_locked_somewhere(row, timing.simultaneous == Simultaneous::DeliveriesFirst)
            }
        }
    }

    /// Whether something in a state keeps time from passing for ever, unless it happens.
    pub(crate) fn holds_time_up(&self, row: &[Id]) -> bool {
        match self.scenario.time {
            WorldTime::Untimed => false,
            WorldTime::Ticks(_) => self.ticked(row).is_none(),
            WorldTime::Dense(_) => {
                let timers =
                    self.machines.iter().zip(row).any(|(machine, &id)| !machine.clocks(id).is_empty());
                timers
                    || (0..self.channels.len()).any(|channel| !self.channel_clocks(channel, row).is_empty())
            }
        }
    }

    /// Whether anything but a fault can happen.
    fn can_go_on(&self, row: &[Id]) -> bool {
        let progress = self.shape.progress();
        let mut found = Successors::new();
        self.expand_row(row, &mut found);
        !found.cuts().is_empty() || found.iter().any(|(action, _)| progress[usize::from(action.class())])
    }

    fn may_be_called(&self, process: usize, row: &[Id]) -> bool {
        let left = |&&entry: &&usize| row[self.layout.call(entry)] < self.calls[entry].budget;
        matches!(self.machines[process].mode(row[process]), ProcessMode::Ready)
            && self.calls_of[process].iter().find(left).is_some()
    }

    /// Whether some moment of the zone is one at which an obligation that cannot be done is due, and none
    /// that can be done may happen.
    fn is_locked_somewhere(&self, row: &[Id], deliveries_first: bool) -> bool {
        let Some(Obligations { able, unable, timers, blocked_messages }) =
            self.obligations(row, deliveries_first)
        else {
            return false;
        };
        let mut zone = Zone::point(&[]);
        self.zones.thaw_into(row[self.layout.zone.expect("dense time has zones")], &mut zone);
        unable.iter().any(|&clock| {
            let mut remaining = zone.clone();
            let possible = remaining.constrain(0, clock, DbmBound::at_most(0))
                && able.iter().all(|&(clock, width)| remaining.constrain(clock, 0, before(width)));
            let mut rest: Vec<Zone> = possible.then_some(remaining).into_iter().collect();
            for timer in &timers {
                // A timer cannot fire before its time, nor while a delivery is due that comes first.
                let mut next = Vec::new();
                for zone in rest {
                    let mut early = zone.clone();
                    if timer.is_some_and(|(clock, width)| early.constrain(clock, 0, before(width))) {
                        next.push(early);
                    }
                    for &message in blocked_messages.iter().filter(|_| deliveries_first) {
                        let mut waits = zone.clone();
                        if waits.constrain(0, message, DbmBound::at_most(0)) {
                            next.push(waits);
                        }
                    }
                }
                rest = next;
            }
            !rest.is_empty()
        })
    }

    /// The obligations of a state by whether they can be done; `None` if one can be at any moment.
    fn obligations(&self, row: &[Id], deliveries_first: bool) -> Option<Obligations> {
        let mut all = Obligations::default();
        let mut clock = 0;
        for (process, machine) in self.machines.iter().enumerate() {
            let ready = matches!(machine.mode(row[process]), ProcessMode::Ready);
            if ready {
                let free = |slot: &&SlotIndex| {
                    machine.remaining(row[process], usize::from(**slot)) == Some(Remaining::Free)
                };
                let free = machine.enabled(row[process]).iter().filter(free).count();
                if free > 0 && !deliveries_first {
                    return None;
                }
                all.timers.extend((0..free).map(|_| None));
            }
            for &slot in machine.clocks(row[process]) {
                clock += 1;
                match machine.remaining(row[process], usize::from(slot)) {
                    Some(Remaining::Clock { width }) if ready => all.timers.push(Some((clock, width))),
                    // It becomes free at 0, which something can always do.
                    Some(Remaining::Stage) => all.able.push((clock, 0)),
                    _ => all.unable.push(clock),
                }
            }
        }
        for channel in 0..self.channels.len() {
            let to = self.routes.receiver(channel).index();
            let blocked = self.machines[to].mode(row[to]) == ProcessMode::Blocked;
            let fifo = self.scenario.network.order == DeliveryOrder::Fifo;
            let content = row[self.layout.channel(channel)];
            let waits = |index: usize| blocked || fifo && index > 0;
            let list = self.channels[channel].flights(content).iter().enumerate();
            let free = |(index, &flight): (usize, &Id)| {
                !waits(index) && self.rules(channel).messages.remaining(flight) == Remaining::Free
            };
            if list.into_iter().any(free) {
                return None;
            }
            for &(index, remaining) in self.channel_clocks(channel, row) {
                clock += 1;
                match remaining {
                    Remaining::Clock { width } if !waits(usize::from(index)) => all.able.push((clock, width)),
                    Remaining::Stage => all.able.push((clock, 0)),
                    _ => {
                        all.unable.push(clock);
                        all.blocked_messages.push(clock);
                    }
                }
            }
        }
        Some(all)
    }
}

/// The clocks of the obligations of a state.
#[derive(Default)]
struct Obligations {
    /// Those that can be done, with their widths, but for timers.
    able: Vec<(usize, u32)>,
    /// Timers that can fire, with their clocks and widths; those that are free have none.
    timers: Vec<Option<(usize, u32)>>,
    /// Those that cannot be done.
    unable: Vec<usize>,
    /// Messages among those.
    blocked_messages: Vec<usize>,
}

/// Before a clock has reached minus the width.
fn before(width: u32) -> DbmBound {
    DbmBound::below(-(width as i32))
}
