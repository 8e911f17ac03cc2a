//! The successors of a state, in an order that no interned id decides: process by process, then the
//! faults of the network channel by channel, then what only time does. Everything that happened before is looked
//! up without a lock; this is the path that a search takes millions of times a second. Which of the pending
//! obligations may happen now is decided here for an untimed world and for ticks; in dense time the zone of
//! the state decides, in `moment`.

use crate::channel::{ChannelRules, EMPTY, FULL, Removal};
use crate::dense::{ClockGuard, DenseStep};
use crate::independence::AmpleExpansion;
use crate::machine::{CHANNEL, DEADLINES, ProcessMode, Send, StepOutcome};
use crate::observation::NOTHING;
use crate::transition::{WHERE, code};
use crate::{Capacity, WhenFull, World, WorldTime};
use watchkeeper_core::{Judgement, Pid};
use watchkeeper_space::{Action, Edit, Id, Successors};

mod faults;
mod oracle;

/// How far a list of sends got.
pub(crate) enum SendResult {
    /// All are on their way, or were dropped.
    Through,
    /// The send at this place found its channel full, and its sender waits.
    Waits { at: usize },
    /// This channel was full, and reports it.
    Overflows { channel: usize },
    /// The cap of an unbounded channel was reached.
    Cut,
}

/// One message that a list of sends has put into a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pushed {
    pub(crate) channel: usize,
    /// Its place in the list of the channel.
    pub(crate) index: usize,
    pub(crate) inherits: bool,
    /// Whether it has a clock.
    pub(crate) clocked: bool,
}

/// One expansion: the row, and where its successors go.
struct Expansion<'a> {
    world: &'a World,
    row: &'a [Id],
    /// The messages of the step that found their channels full and were dropped.
    dropped: Vec<Send>,
    /// What a step does to clocks; only in dense time.
    moment: Option<DenseStep<'a>>,
    /// Whose steps are wanted, if not everyone's.
    part: Option<&'a mut AmpleExpansion>,
    out: &'a mut Successors,
}

impl World {
    pub(crate) fn expand_row(&self, row: &[Id], out: &mut Successors) {
        self.expand_part(row, out, None);
    }

    /// The successors of a row, those of some processes among them if no more are wanted: nothing else is then left
    /// out but steps of others.
    pub(crate) fn expand_part(&self, row: &[Id], out: &mut Successors, part: Option<&mut AmpleExpansion>) {
        if self.overflow(row).is_some() {
            return;
        }
        if let Some(cap) = self.settled.filter(|_| self.is_settled(row)) {
            return out.cut(cap);
        }
        let moment = self.layout.zone.map(|slot| DenseStep::new(self, row, slot));
        let (dropped, only) = (Vec::new(), part.as_ref().map(|part| part.only));
        let mut expansion = Expansion { world: self, row, dropped, moment, part, out };
        let crash = if self.crashes_left(row) { self.classes.crash } else { None };
        let recover = if self.recoveries_left(row) { self.classes.recover } else { None };
        let may_fire = !self.waits_for_deliveries(row);
        for (process, (machine, &local)) in self.machines.iter().zip(row).enumerate() {
            if only.is_some_and(|only| !only.contains(Pid::at(process))) {
                continue;
            }
            let memo = &machine.locals.get(local).memo;
            let mode = memo.mode;
            match mode {
                ProcessMode::Crashed => {
                    expansion.swallow(process);
                    if let Some(class) = recover {
                        expansion.recover(class, process);
                    }
                }
                ProcessMode::Blocked => expansion.unblock(process),
                ProcessMode::Ready => {
                    expansion.deliver(process);
                    if may_fire {
                        memo.enabled.iter().for_each(|&slot| expansion.fire(process, usize::from(slot)));
                    }
                    expansion.call(process);
                }
            }
            if let (Some(class), true) = (crash, self.may_crash(process, row) && mode != ProcessMode::Crashed)
            {
                expansion.crash(class, process);
            }
        }
        expansion.lose();
        expansion.duplicate();
        expansion.stabilise();
        if self.layout.oracle.is_some() {
            expansion.consult();
        }
        match self.scenario.time {
            WorldTime::Untimed => {}
            WorldTime::Ticks(_) => expansion.tick(),
            WorldTime::Dense(_) => expansion.pass(),
        }
    }

    /// Whether no observer has anything more to find out, if there are any.
    pub(crate) fn is_settled(&self, row: &[Id]) -> bool {
        let open = |(k, observer): (usize, &crate::observer::ObserverMachine)| {
            *observer.judgement(row[self.layout.observer(k)]) == Judgement::Open
        };
        !self.observers.is_empty() && !self.observers.iter().enumerate().any(open)
    }

    /// Puts messages into their channels, as far as they go. The contents before are those of the row, or of
    /// the step that is being built where it changes a channel.
    pub(crate) fn send(
        &self,
        row: &[Id],
        sends: &[Send],
        out: &mut Successors,
        mut pushed: Option<&mut Vec<Pushed>>,
        dropped: &mut Vec<Send>,
    ) -> SendResult {
        dropped.clear();
        for (at, send) in sends.iter().enumerate() {
            let channel = send.channel as usize;
            let slot = self.layout.channel(channel);
            let receiver = self.routes.receiver(channel).index();
            let gone = self.swallows_at_once() && self.is_crashed(receiver, row);
            if gone || self.selective && self.is_unwanted(channel, send.flight, row[receiver]) {
                continue;
            }
            let content = out.edited(slot).unwrap_or(row[slot]);
            let flight = self.sent(row, send);
            let known = self.channels[channel].known_push(content, flight);
            let after =
                known.unwrap_or_else(|| self.channels[channel].push(content, flight, &self.rules(channel)));
            if after == FULL {
                match (self.scenario.network.capacity, self.scenario.network.when_full) {
                    (Capacity::Unbounded { .. }, _) => return SendResult::Cut,
                    (_, WhenFull::Block) => return SendResult::Waits { at },
                    (_, WhenFull::Report) => return SendResult::Overflows { channel },
                    (_, WhenFull::Drop) => dropped.push(*send),
                }
            } else {
                out.edit(slot, after);
                if let Some(pushed) = &mut pushed {
                    let (old, new) =
                        (self.channels[channel].flights(content), self.channels[channel].flights(after));
                    let index = old.iter().zip(new).take_while(|(a, b)| a == b).count();
                    let clocked = self.rules(channel).messages.remaining(flight).has_clock();
                    pushed.push(Pushed { channel, index, inherits: send.inherits, clocked });
                }
            }
        }
        SendResult::Through
    }

    /// How one channel works.
    pub(crate) fn rules(&self, channel: usize) -> ChannelRules<'_> {
        ChannelRules {
            order: self.scenario.network.order,
            limit: self.scenario.network.capacity.limit() as usize,
            messages: &self.machines[self.routes.receiver(channel).index()].flights,
        }
    }
}

impl<'a> Expansion<'a> {
    /// Begins a step that may happen at these moments.
    fn begin(&mut self, when: ClockGuard) {
        self.out.discard();
        self.dropped.clear();
        if let Some(moment) = &mut self.moment {
            moment.begin(when);
        }
    }

    fn edit(&mut self, slot: usize, id: Id) {
        self.out.edit(slot, id);
    }

    /// Takes a message out of its channel.
    fn remove(&mut self, channel: usize, removal: &Removal) {
        self.edit(self.world.layout.channel(channel), removal.after);
        if let Some(moment) = &mut self.moment {
            moment.remove(channel, usize::from(removal.index));
        }
    }

    /// Takes all messages out of a channel.
    fn empty(&mut self, channel: usize) {
        let slot = self.world.layout.channel(channel);
        if self.row[slot] != EMPTY {
            self.edit(slot, EMPTY);
            if let Some(moment) = &mut self.moment {
                moment.empty(channel);
            }
        }
    }

    /// Lets observers see something, and hands the step on; `true` if it was.
    fn end(&mut self, action: Action, observation: Id) -> bool {
        let world = self.world;
        for (k, observer) in world.observers.iter().enumerate() {
            let slot = world.layout.observer(k);
            let mut memory = self.row[slot];
            // A message that is dropped is lost, and that is seen after what the step hands out.
            let lost = self.dropped.iter().map(|send| world.lost(send.channel as usize, send.flight));
            let all = std::iter::once(observation).chain(lost);
            for observation in all.filter(|&observation| observation != NOTHING) {
                if let Some(part) = self.part.as_mut().filter(|part| part.quiet >> k & 1 == 1) {
                    part.heard |= observer.visible(&world.observations, observation);
                }
                let seen = observer.see(world.scenario.time, memory, &world.observations, observation);
                if let Some(cap) = seen.cut {
                    self.cut(cap);
                    return false;
                }
                memory = seen.memory;
                if let Some(moment) = &mut self.moment {
                    moment.deadline(k, &seen.fresh);
                }
            }
            if memory != self.row[slot] {
                self.edit(slot, memory);
            }
        }
        self.emit(action)
    }

    /// Hands the step on, at the moments at which it can happen; `true` if there are any.
    fn emit(&mut self, action: Action) -> bool {
        if let Some(moment) = &mut self.moment {
            let Some(zone) = moment.end(self.out.draft()) else { return false };
            self.out.edit(zone.slot as usize, zone.id);
        }
        self.out.close(action);
        true
    }

    /// Leaves out a step that is beyond a cap, unless there is no moment at which it could happen.
    fn cut(&mut self, cap: usize) {
        if self.moment.as_mut().is_none_or(DenseStep::is_possible) {
            self.out.cut(cap);
        }
    }

    /// Ends a step of a process with what the network makes of its sends.
    fn finish(&mut self, action: Action, process: usize, outcome: &'a StepOutcome) {
        if let Some(cap) = outcome.cut {
            return self.cut(cap);
        }
        let pushed = self.moment.as_mut().map(|moment| &mut moment.pushed);
        let sent = self.world.send(self.row, &outcome.sends, self.out, pushed, &mut self.dropped);
        if let Some(part) = &mut self.part {
            let receiver = |send: &Send| self.world.routes.receiver(send.channel as usize);
            match sent {
                SendResult::Waits { at } => part.jammed.insert(receiver(&outcome.sends[at])),
                SendResult::Overflows { .. } => part.ends = true,
                SendResult::Through | SendResult::Cut => {
                    self.dropped.iter().for_each(|send| part.jammed.insert(receiver(send)))
                }
            }
        }
        let local = match sent {
            SendResult::Cut => return self.cut(CHANNEL),
            SendResult::Waits { at } => self.world.waiting(process, outcome, at),
            SendResult::Through | SendResult::Overflows { .. } => outcome.local,
        };
        if local != self.row[process] {
            self.edit(process, local);
        }
        if let Some(moment) = &mut self.moment {
            moment.stepped(process, local, &outcome.fresh);
        }
        if self.world.selective {
            self.forget(process, local);
        }
        if let SendResult::Overflows { channel } = sent {
            let Edit { slot, id } = self.world.layout.overflow(channel);
            self.edit(slot as usize, id);
        }
        if !self.end(action, outcome.observation) {
            return;
        }
        let times = match sent {
            SendResult::Through => self.dropped.len(),
            _ => 1,
        };
        for class in self.world.classes.full.iter().cycle().take(times) {
            self.out.tally(*class);
        }
    }

    /// Takes out of the channels to a process what it does not want any more in this local state.
    fn forget(&mut self, process: usize, local: Id) {
        let world = self.world;
        for channel in world.routes.inbound(process) {
            let slot = world.layout.channel(channel);
            let content = self.out.edited(slot).unwrap_or(self.row[slot]);
            let left = world.wanted(channel, content, local);
            if left != content {
                self.edit(slot, left);
            }
        }
    }

    /// When a message may arrive.
    fn delivery(&self, channel: usize, removal: &Removal) -> ClockGuard {
        let clock = |moment: &DenseStep<'a>| moment.delivery(channel, usize::from(removal.index));
        self.moment.as_ref().map_or(ClockGuard::Ever, clock)
    }

    fn deliver(&mut self, process: usize) {
        let world = self.world;
        for channel in world.routes.inbound(process) {
            let content = self.row[world.layout.channel(channel)];
            if content == EMPTY {
                continue;
            }
            for removal in world.channels[channel].deliveries(content, || world.rules(channel)) {
                let outcomes = world.received(process, self.row[process], removal.flight);
                for (choice, outcome) in outcomes.iter().enumerate() {
                    self.begin(self.delivery(channel, removal));
                    self.remove(channel, removal);
                    let code = code(channel, usize::from(removal.place), choice);
                    self.finish(Action::new(removal.class, code), process, outcome);
                }
            }
        }
    }

    fn fire(&mut self, process: usize, slot: usize) {
        let class = self.world.classes.fire(slot);
        let outcomes = self.world.fired(process, self.row[process], slot);
        let when = self.moment.as_ref().map_or(ClockGuard::Ever, |moment| moment.firing(process, slot));
        for (choice, outcome) in outcomes.iter().enumerate() {
            self.begin(when);
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
            let class = world.classes.call(world.automaton.calls().kind(call.call.0));
            for (choice, outcome) in world.called(process, self.row[process], entry).iter().enumerate() {
                self.begin(ClockGuard::Ever);
                self.edit(slot, self.row[slot] + 1);
                self.finish(Action::new(class, code(entry, 0, choice)), process, outcome);
            }
        }
    }

    fn unblock(&mut self, process: usize) {
        let Some(class) = self.world.classes.unblock else { return };
        if self.world.has_room(process, self.row) {
            let outcome = self.world.unblocked(process, self.row[process]);
            self.begin(ClockGuard::Ever);
            self.finish(Action::new(class, code(process, 0, 0)), process, outcome);
        }
    }

    fn swallow(&mut self, process: usize) {
        let Some(class) = self.world.classes.swallow else { return };
        let world = self.world;
        for channel in world.routes.inbound(process) {
            let content = self.row[world.layout.channel(channel)];
            if content == EMPTY {
                continue;
            }
            for removal in world.channels[channel].deliveries(content, || world.rules(channel)) {
                self.begin(self.delivery(channel, removal));
                self.remove(channel, removal);
                self.end(Action::new(class, code(channel, usize::from(removal.place), 0)), NOTHING);
            }
        }
    }

    /// From now on bounds hold, where they have not until now.
    fn stabilise(&mut self) {
        if let Some((class, edits)) = self.world.classes.stabilise.zip(self.world.stabilised(self.row)) {
            self.out.step(Action::new(class, 0), &edits);
        }
    }

    /// One tick passes, unless something must happen before or nothing would change.
    fn tick(&mut self) {
        let Some(class) = self.world.classes.tick else { return };
        match self.world.ticked(self.row) {
            Some(Ok(edits)) if !edits.is_empty() => self.out.step(Action::new(class, 0), &edits),
            Some(Err(cap)) => self.out.cut(cap),
            _ => {}
        }
    }

    /// What time alone does in dense time: obligations without an end become free, deadlines run out.
    fn pass(&mut self) {
        let world = self.world;
        let Some(moment) = &self.moment else { return };
        let (timers, messages) = (moment.staged_timers(), moment.staged_messages());
        let (Some(timer), Some(message), Some(expire)) =
            (world.classes.enable_timer, world.classes.enable_message, world.classes.expire)
        else {
            return;
        };
        for (process, slot, clock) in timers {
            let local = world.ripened_local(process, self.row[process], slot);
            self.begin(ClockGuard::At(clock));
            self.edit(process, local);
            if let Some(moment) = &mut self.moment {
                moment.stepped(process, local, &[]);
            }
            self.emit(Action::new(timer, code(process, slot, 0)));
        }
        for (channel, index, clock) in messages {
            let (content, index_after) = world.ripened_channel(channel, self.row, index);
            self.begin(ClockGuard::At(clock));
            self.edit(world.layout.channel(channel), content);
            if let Some(moment) = &mut self.moment {
                moment.remove(channel, index);
                moment.pushed.push(Pushed { channel, index: index_after, inherits: false, clocked: false });
            }
            let place = world.place(channel, self.row, index);
            self.emit(Action::new(message, code(channel, place, 0)));
        }
        let running = self.moment.as_ref().map_or(0, |moment| moment.deadlines().len());
        if running == 0 || world.is_urgent(self.row) {
            return;
        }
        if running > WHERE as usize {
            return self.out.cut(DEADLINES);
        }
        for deadlines in self.moment.iter().flat_map(DenseStep::expiring).collect::<Vec<usize>>() {
            self.expire(expire, deadlines);
        }
    }

    /// Some deadlines run out, at the same moment.
    fn expire(&mut self, class: u8, deadlines: usize) {
        let world = self.world;
        let Some(running) = self.moment.as_ref().map(DenseStep::deadlines) else { return };
        self.begin(ClockGuard::Expiry(deadlines));
        for (k, observer) in world.observers.iter().enumerate() {
            let slot = world.layout.observer(k);
            let mut memory = self.row[slot];
            for (i, &(_, deadline, _)) in running.iter().enumerate().filter(|(_, (other, ..))| *other == k) {
                if deadlines >> i & 1 == 0 {
                    continue;
                }
                let seen = observer.expire(world.scenario.time, memory, deadline);
                if let Some(cap) = seen.cut {
                    return self.out.cut(cap);
                }
                memory = seen.memory;
                if let Some(moment) = &mut self.moment {
                    moment.deadline(k, &seen.fresh);
                }
            }
            if memory != self.row[slot] {
                self.edit(slot, memory);
            }
        }
        self.emit(Action::new(class, code(deadlines, 0, 0)));
    }
}
