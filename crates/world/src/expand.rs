//! The successors of a state, in an order that no interned id decides: process by process, then the
//! faults of the network lane by lane. Everything that happened before is looked up without a lock and
//! without memory of its own; this is the path that a search takes millions of times a second.

use crate::act::code;
use crate::lane::{EMPTY, FULL, Rules};
use crate::machine::{CHANNEL, Mode, Outcome, Send};
use crate::{Capacity, WhenFull, World};
use watchkeeper_core::{Kind, Protocol};
use watchkeeper_space::{Action, Edit, Id, Sink};

/// How far a list of sends got.
pub(crate) enum Sent {
    /// All are on their way, or were dropped as often as told.
    Through { dropped: usize },
    /// The send at this place found its channel full, and its sender waits.
    Waits { at: usize },
    /// This lane was full, and reports it.
    Overflows { lane: usize },
    /// The cap of an unbounded channel was reached.
    Cut,
}

/// One expansion: the row, and the edits of the step that is being built.
struct Expansion<'a, P: Protocol, K> {
    world: &'a World<P>,
    row: &'a [Id],
    edits: Vec<Edit>,
    sink: &'a mut K,
}

impl<P: Protocol> World<P> {
    pub(crate) fn expand_row(&self, row: &[Id], sink: &mut impl Sink) {
        if self.overflow(row).is_some() {
            return;
        }
        let mut expansion = Expansion { world: self, row, edits: Vec::with_capacity(8), sink };
        let crash = if self.crashes_left(row) { self.classes.crash } else { None };
        for (process, (machine, &local)) in self.machines.iter().zip(row).enumerate() {
            let mode = machine.mode(local);
            match mode {
                Mode::Crashed => expansion.swallow(process),
                Mode::Blocked => expansion.unblock(process),
                Mode::Ready(armed) => {
                    expansion.deliver(process);
                    armed.iter().for_each(|slot| expansion.fire(process, slot));
                    expansion.call(process);
                }
            }
            if let (Some(class), true) = (crash, self.may_crash(process) && mode != Mode::Crashed) {
                let crashed = machine.crashed.expect("who may crash has a crashed state");
                expansion.start(process, crashed);
                expansion.end(Action::new(class, code(process, 0, 0)));
            }
        }
        expansion.lose();
        expansion.duplicate();
    }

    /// Puts messages into their lanes, as far as they go. The contents before are those of the row, or of
    /// the edits where these name a lane.
    pub(crate) fn send(&self, row: &[Id], sends: &[Send], edits: &mut Vec<Edit>) -> Sent {
        let mut dropped = 0;
        for (at, send) in sends.iter().enumerate() {
            let lane = send.lane as usize;
            let slot = self.layout.lane(lane);
            let edited = edits.iter().position(|edit| edit.slot as usize == slot);
            let content = edited.map_or(row[slot], |i| edits[i].id);
            let known = self.lanes[lane].known_push(content, send.arrival);
            let after =
                known.unwrap_or_else(|| self.lanes[lane].push(content, send.arrival, &self.rules(lane)));
            if after == FULL {
                match (self.scenario.network.capacity, self.scenario.network.when_full) {
                    (Capacity::Unbounded { .. }, _) => return Sent::Cut,
                    (_, WhenFull::Block) => return Sent::Waits { at },
                    (_, WhenFull::Report) => return Sent::Overflows { lane },
                    (_, WhenFull::Drop) => dropped += 1,
                }
            } else {
                match edited {
                    Some(i) => edits[i].id = after,
                    None => edits.push(Edit::new(slot, after)),
                }
            }
        }
        Sent::Through { dropped }
    }

    /// How one lane works.
    pub(crate) fn rules(&self, lane: usize) -> Rules<'_> {
        let (_, to, _) = self.routes.ends(lane);
        Rules {
            order: self.scenario.network.order,
            limit: self.scenario.network.capacity.limit() as usize,
            messages: &self.machines[to.index()].arrivals,
        }
    }
}

impl<P: Protocol, K: Sink> Expansion<'_, P, K> {
    fn start(&mut self, slot: usize, id: Id) {
        self.edits.clear();
        self.edits.push(Edit::new(slot, id));
    }

    fn end(&mut self, action: Action) {
        self.sink.step(action, &self.edits);
    }

    /// Ends a step of a process with what the network makes of its sends.
    fn finish(&mut self, action: Action, process: usize, outcome: &Outcome) {
        if let Some(cap) = outcome.cut {
            return self.sink.cut(cap);
        }
        let sent = self.world.send(self.row, &outcome.sends, &mut self.edits);
        let local = match sent {
            Sent::Cut => return self.sink.cut(CHANNEL),
            Sent::Waits { at } => self.world.waiting(process, outcome, at),
            Sent::Through { .. } | Sent::Overflows { .. } => outcome.local,
        };
        if local != self.row[process] {
            self.edits.push(Edit::new(process, local));
        }
        if let Sent::Overflows { lane } = sent {
            self.edits.push(self.world.layout.overflow(lane));
        }
        self.end(action);
        let times = match sent {
            Sent::Through { dropped } => dropped,
            _ => 1,
        };
        for class in self.world.classes.full.iter().cycle().take(times) {
            self.sink.tally(*class);
        }
    }

    fn deliver(&mut self, process: usize) {
        let world = self.world;
        for lane in world.routes.inbound(process) {
            let slot = world.layout.lane(lane);
            let content = self.row[slot];
            if content == EMPTY {
                continue;
            }
            for take in world.lanes[lane].takes(content, || world.rules(lane)) {
                let outcomes = world.received(process, self.row[process], take.arrival);
                for (choice, outcome) in outcomes.iter().enumerate() {
                    self.start(slot, take.after);
                    let code = code(lane, usize::from(take.place), choice);
                    self.finish(Action::new(take.class, code), process, outcome);
                }
            }
        }
    }

    fn fire(&mut self, process: usize, slot: usize) {
        let class = self.world.classes.fire(slot);
        let outcomes = self.world.fired(process, self.row[process], slot);
        for (choice, outcome) in outcomes.iter().enumerate() {
            self.edits.clear();
            self.finish(Action::new(class, code(process, slot, choice)), process, outcome);
        }
    }

    fn call(&mut self, process: usize) {
        let world = self.world;
        for &entry in &world.calls_of[process] {
            let (slot, call) = (world.layout.call(entry), &world.calls[entry]);
            if self.row[slot] == call.budget {
                continue;
            }
            let class = world.classes.call(call.call.kind());
            for (choice, outcome) in world.called(process, self.row[process], entry).iter().enumerate() {
                self.start(slot, self.row[slot] + 1);
                self.finish(Action::new(class, code(entry, 0, choice)), process, outcome);
            }
        }
    }

    fn unblock(&mut self, process: usize) {
        let Some(class) = self.world.classes.unblock else { return };
        let outcome = self.world.unblocked(process, self.row[process]);
        let first = outcome.sends[0];
        let content = self.row[self.world.layout.lane(first.lane as usize)];
        let lane = &self.world.lanes[first.lane as usize];
        if lane.arrivals(content).len() < self.world.scenario.network.capacity.limit() as usize {
            self.edits.clear();
            self.finish(Action::new(class, code(process, 0, 0)), process, outcome);
        }
    }

    fn swallow(&mut self, process: usize) {
        let Some(class) = self.world.classes.swallow else { return };
        let world = self.world;
        for lane in world.routes.inbound(process) {
            let slot = world.layout.lane(lane);
            if self.row[slot] == EMPTY {
                continue;
            }
            for take in world.lanes[lane].takes(self.row[slot], || world.rules(lane)) {
                self.start(slot, take.after);
                self.end(Action::new(class, code(lane, usize::from(take.place), 0)));
            }
        }
    }

    fn lose(&mut self) {
        let world = self.world;
        let (Some(class), Some(budget)) = (world.classes.lose, world.layout.losses) else { return };
        if self.row[budget] == world.scenario.network.losses {
            return;
        }
        for lane in 0..world.lanes.len() {
            let slot = world.layout.lane(lane);
            if self.row[slot] == EMPTY {
                continue;
            }
            for take in world.lanes[lane].losses(self.row[slot], || world.rules(lane)) {
                self.start(slot, take.after);
                self.edits.push(Edit::new(budget, self.row[budget] + 1));
                self.end(Action::new(class, code(lane, usize::from(take.place), 0)));
            }
        }
    }

    fn duplicate(&mut self) {
        let world = self.world;
        let (Some(class), Some(budget)) = (world.classes.duplicate, world.layout.duplications) else {
            return;
        };
        if self.row[budget] == world.scenario.network.duplications {
            return;
        }
        let capped = matches!(world.scenario.network.capacity, Capacity::Unbounded { .. });
        for lane in 0..world.lanes.len() {
            let slot = world.layout.lane(lane);
            if self.row[slot] == EMPTY {
                continue;
            }
            for copy in world.lanes[lane].copies(self.row[slot], || world.rules(lane)) {
                if copy.after == FULL {
                    // A bounded channel that is full has no room for a copy: nothing happens.
                    if capped {
                        self.sink.cut(CHANNEL);
                    }
                    continue;
                }
                self.start(slot, copy.after);
                self.edits.push(Edit::new(budget, self.row[budget] + 1));
                self.end(Action::new(class, code(lane, usize::from(copy.place), 0)));
            }
        }
    }
}
