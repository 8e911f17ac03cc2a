//! Dense time: which moments of a state a step can happen at, and what it makes of the clocks. Every
//! obligation with an end and every deadline that runs has a clock, which counts up to 0; clocks are named by
//! their place in one list: the timers process by process, then the messages channel by channel, then the
//! deadlines. A stored zone is closed under the passing of time up to 0, which makes zones finitely many.

use crate::channel::EMPTY;
use crate::error::MAX_DURATION;
use crate::expand::Pushed;
use crate::local::SlotIndex;
use crate::remaining::Remaining;
use crate::{Simultaneous, World, WorldTime};

use watchkeeper_space::{Edit, Id};
use watchkeeper_zones::{DbmBound, Source, Zone};

/// At least as long as any clock runs.
const LONGEST: i32 = MAX_DURATION as i32;

/// At which moments of a state a step may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockGuard {
    /// At all of them.
    Ever,
    /// Once this clock has reached minus the width.
    From { clock: usize, width: u32 },
    /// When a timer may fire: as `From` if it has a clock, and after the deliveries that are due.
    Timeout { clock: Option<(usize, u32)> },
    /// When this clock is 0.
    At(usize),
    /// After the clocks of these deadlines, and of no others, were 0, and before any other passes 0.
    Expiry(usize),
}

/// The moments of one state, and what the step that is being built does to its clocks.
pub(crate) struct DenseStep<'a> {
    world: &'a World,
    row: &'a [Id],
    slot: usize,
    zone: Zone,
    /// The first clock of each process, channel and observer.
    processes: Vec<usize>,
    channels: Vec<usize>,
    observers: Vec<usize>,
    deliveries_first: bool,
    step: Step<'a>,
    /// The messages that the step has put into channels.
    pub(crate) pushed: Vec<Pushed>,
    sources: Vec<Source>,
    /// The clocks of one channel while the step changes it.
    list: Vec<Option<Source>>,
    allowed: Zone,
    after: Zone,
}

/// Timers or deadlines that begin, with the values at which their clocks do.
type Begun<'a> = &'a [(SlotIndex, i32)];

/// What the step that is being built does to clocks, apart from what it sends.
struct Step<'a> {
    when: ClockGuard,
    /// The process that takes the step, its local state afterwards, and the timers that it armed.
    process: Option<(usize, Id, Begun<'a>)>,
    taken: Option<(usize, usize)>,
    emptied: Vec<usize>,
    copied: Option<(usize, usize)>,
    started: Vec<(usize, Begun<'a>)>,
}

impl<'a> DenseStep<'a> {
    pub(crate) fn new(world: &'a World, row: &'a [Id], slot: usize) -> DenseStep<'a> {
        let mut zone = Zone::point(&[]);
        world.zones.thaw_into(row[slot], &mut zone);
        let mut next = 1;
        let mut count = |clocks: usize| {
            next += clocks;
            next - clocks
        };
        let processes = world.machines.iter().zip(row);
        let processes = processes.map(|(machine, &id)| count(machine.clocks(id).len())).collect();
        let channels = (0..world.channels.len())
            .map(|channel| count(world.channel_clocks(channel, row).len()))
            .collect();
        let deadlines = world.observers.iter().enumerate();
        let deadlines =
            deadlines.map(|(k, observer)| count(observer.running(row[world.layout.observer(k)]).len()));
        let observers = deadlines.collect();
        let deliveries_first = matches!(world.scenario.time, WorldTime::Dense(timing)
            if timing.simultaneous == Simultaneous::DeliveriesFirst);
        let (allowed, after) = (zone.clone(), zone.clone());
        let step = Step {
            when: ClockGuard::Ever,
            process: None,
            taken: None,
            emptied: Vec::new(),
            copied: None,
            started: Vec::new(),
        };
        DenseStep {
            world,
            row,
            slot,
            zone,
            processes,
            channels,
            observers,
            deliveries_first,
            step,
            pushed: Vec::new(),
            sources: Vec::new(),
            list: Vec::new(),
            allowed,
            after,
        }
    }

    /// When the message at this place of the list of a channel may arrive.
    pub(crate) fn delivery(&self, channel: usize, index: usize) -> ClockGuard {
        let clocks = self.world.channel_clocks(channel, self.row).iter().enumerate();
        let mut clocks = clocks.filter(|(_, (at, _))| usize::from(*at) == index);
        match clocks.next() {
            Some((nth, (_, Remaining::Clock { width }))) => {
                ClockGuard::From { clock: self.channels[channel] + nth, width: *width }
            }
            _ => ClockGuard::Ever,
        }
    }

    /// When an armed timer may fire.
    pub(crate) fn firing(&self, process: usize, slot: usize) -> ClockGuard {
        let machine = &self.world.machines[process];
        let clocks = machine.clocks(self.row[process]);
        let nth = clocks.iter().position(|&other| usize::from(other) == slot);
        let clock =
            nth.zip(machine.remaining(self.row[process], slot)).and_then(
                |(nth, remaining)| match remaining {
                    Remaining::Clock { width } => Some((self.processes[process] + nth, width)),
                    _ => None,
                },
            );
        ClockGuard::Timeout { clock }
    }

    /// The timers that have a clock only until they become free: process, slot, clock.
    pub(crate) fn staged_timers(&self) -> Vec<(usize, usize, usize)> {
        let mut staged = Vec::new();
        for (process, machine) in self.world.machines.iter().enumerate() {
            for (nth, &slot) in machine.clocks(self.row[process]).iter().enumerate() {
                let slot = usize::from(slot);
                if machine.remaining(self.row[process], slot) == Some(Remaining::Stage) {
                    staged.push((process, slot, self.processes[process] + nth));
                }
            }
        }
        staged
    }

    /// The messages that have a clock only until they become free: channel, place in its list, clock.
    pub(crate) fn staged_messages(&self) -> Vec<(usize, usize, usize)> {
        let mut staged = Vec::new();
        for channel in 0..self.channels.len() {
            for (nth, (index, remaining)) in self.world.channel_clocks(channel, self.row).iter().enumerate() {
                if *remaining == Remaining::Stage {
                    staged.push((channel, usize::from(*index), self.channels[channel] + nth));
                }
            }
        }
        staged
    }

    /// The deadlines that run: observer, deadline, clock.
    pub(crate) fn deadlines(&self) -> Vec<(usize, u8, usize)> {
        let mut running = Vec::new();
        for (k, observer) in self.world.observers.iter().enumerate() {
            let deadlines = observer.running(self.row[self.world.layout.observer(k)]).iter().enumerate();
            running.extend(deadlines.map(|(nth, &(deadline, _))| (k, deadline, self.observers[k] + nth)));
        }
        running
    }

    /// Begins a step.
    pub(crate) fn begin(&mut self, when: ClockGuard) {
        self.step.when = when;
        self.step.process = None;
        self.step.taken = None;
        self.step.emptied.clear();
        self.step.copied = None;
        self.step.started.clear();
        self.pushed.clear();
    }

    /// The step takes a message out of its channel.
    pub(crate) fn remove(&mut self, channel: usize, index: usize) {
        self.step.taken = Some((channel, index));
    }

    /// The step takes all messages out of a channel.
    pub(crate) fn empty(&mut self, channel: usize) {
        self.step.emptied.push(channel);
    }

    /// The step makes a copy of a message.
    pub(crate) fn copy(&mut self, channel: usize, index: usize) {
        self.step.copied = Some((channel, index));
    }

    /// A process has this local state afterwards, and has armed these timers.
    pub(crate) fn stepped(&mut self, process: usize, local: Id, fresh: &'a [(SlotIndex, i32)]) {
        self.step.process = Some((process, local, fresh));
    }

    /// An observer has started these deadlines.
    pub(crate) fn deadline(&mut self, observer: usize, fresh: &'a [(SlotIndex, i32)]) {
        self.step.started.push((observer, fresh));
    }

    /// Ends the step: the zone afterwards as an edit, or `None` if there is no moment at which it can be
    /// taken.
    pub(crate) fn end(&mut self, edits: &[Edit]) -> Option<Edit> {
        if !self.is_possible() {
            return None;
        }
        self.sources.clear();
        self.keep_timers();
        self.keep_messages();
        self.keep_deadlines(edits);
        self.allowed.rebuild_into(&self.sources, &mut self.after);
        if !self.world.is_urgent_after(self.row, edits) {
            self.after.up_to(0);
        }
        Some(Edit::new(self.slot, self.world.zones.intern(&self.after)))
    }

    /// Makes `allowed` the moments at which the step may happen; `false` if there are none.
    pub(crate) fn is_possible(&mut self) -> bool {
        self.allowed.clone_from(&self.zone);
        match self.step.when {
            ClockGuard::Ever => true,
            ClockGuard::From { clock, width } => {
                self.allowed.constrain(0, clock, DbmBound::at_most(width as i32))
            }
            ClockGuard::At(clock) => self.allowed.constrain(0, clock, DbmBound::at_most(0)),
            ClockGuard::Timeout { clock } => {
                clock.is_none_or(|(clock, width)| {
                    self.allowed.constrain(0, clock, DbmBound::at_most(width as i32))
                }) && (!self.deliveries_first || self.before_deliveries())
            }
            ClockGuard::Expiry(deadlines) => {
                let first = self.first_deadline();
                pass(&mut self.allowed, first)
                    && (first..=self.zone.clocks()).all(|clock| match deadlines >> (clock - first) & 1 {
                        1 => self.allowed.constrain(0, clock, DbmBound::at_most(0)),
                        _ => self.allowed.constrain(clock, 0, DbmBound::below(0)),
                    })
                    && self.pass_on(first, deadlines)
            }
        }
    }

    /// Lets some time pass from the ends of deadlines on, more than none: they run out after their ends, and
    /// whatever follows is after them too. No obligation and no other deadline may pass its own end meanwhile.
    fn pass_on(&mut self, first: usize, deadlines: usize) -> bool {
        // The deadlines that run out are not needed any more, so their clocks can measure how much that is.
        let runs_out = |clock: usize| clock >= first && deadlines >> (clock - first) & 1 == 1;
        self.sources.clear();
        self.sources.extend((1..=self.zone.clocks()).map(|clock| match runs_out(clock) {
            true => Source::Fresh(-LONGEST),
            false => Source::Keep(clock),
        }));
        self.allowed.rebuild_into(&self.sources, &mut self.after);
        self.after.up_to(0);
        std::mem::swap(&mut self.allowed, &mut self.after);
        self.allowed.constrain(0, first + deadlines.trailing_zeros() as usize, DbmBound::below(LONGEST))
    }

    /// The clock of the first deadline that runs.
    fn first_deadline(&self) -> usize {
        self.observers.first().map_or(self.zone.clocks() + 1, |&first| first)
    }

    /// The sets of deadlines that can run out at the same moment, by their places among those that run.
    pub(crate) fn expiring(&self) -> Vec<usize> {
        let first = self.first_deadline();
        let mut zone = self.zone.clone();
        if !pass(&mut zone, first) {
            return Vec::new();
        }
        let mut sets = vec![(0, zone)];
        for clock in first..=self.zone.clocks() {
            let mut next = Vec::new();
            for (set, zone) in sets {
                let (mut runs, mut out) = (zone.clone(), zone);
                if runs.constrain(clock, 0, DbmBound::below(0)) {
                    next.push((set, runs));
                }
                if out.constrain(0, clock, DbmBound::at_most(0)) {
                    next.push((set | 1 << (clock - first), out));
                }
            }
            sets = next;
        }
        sets.into_iter().map(|(set, _)| set).filter(|&set| set != 0).collect()
    }

    /// Excludes the moments at which some message must arrive.
    fn before_deliveries(&mut self) -> bool {
        for channel in 0..self.channels.len() {
            for (nth, (_, remaining)) in self.world.channel_clocks(channel, self.row).iter().enumerate() {
                let clock = self.channels[channel] + nth;
                if *remaining != Remaining::Stage && !self.allowed.constrain(clock, 0, DbmBound::below(0)) {
                    return false;
                }
            }
        }
        true
    }

    fn keep_timers(&mut self) {
        for (process, machine) in self.world.machines.iter().enumerate() {
            let (before, first) = (machine.clocks(self.row[process]), self.processes[process]);
            match self.step.process {
                Some((changed, local, fresh)) if changed == process => {
                    for &slot in machine.clocks(local) {
                        let armed = fresh.iter().find(|(other, _)| *other == slot);
                        let kept = before.iter().position(|&other| other == slot);
                        self.sources.push(match (armed, kept) {
                            (Some(&(_, value)), _) => Source::Fresh(value),
                            (None, Some(nth)) => Source::Keep(first + nth),
                            (None, None) => unreachable!("a timer with a clock was armed some time"),
                        });
                    }
                }
                _ => self.sources.extend((first..first + before.len()).map(Source::Keep)),
            }
        }
    }

    fn keep_messages(&mut self) {
        let Step { taken, copied, .. } = self.step;
        for channel in 0..self.channels.len() {
            if self.step.emptied.contains(&channel) {
                continue;
            }
            let (clocks, first) = (self.world.channel_clocks(channel, self.row), self.channels[channel]);
            let here = |place: Option<(usize, usize)>| place.filter(|&(other, _)| other == channel);
            let pushes = self.pushed.iter().any(|push| push.channel == channel);
            if here(taken).is_none() && here(copied).is_none() && !pushes {
                self.sources.extend((first..first + clocks.len()).map(Source::Keep));
                continue;
            }
            let content = self.row[self.world.layout.channel(channel)];
            let mut list = std::mem::take(&mut self.list);
            list.clear();
            list.resize(self.world.channels[channel].flights(content).len(), None);
            for (nth, (index, _)) in clocks.iter().enumerate() {
                list[usize::from(*index)] = Some(Source::Keep(first + nth));
            }
            if let Some((_, index)) = here(taken) {
                list.remove(index);
            }
            if let Some((_, index)) = here(copied) {
                list.insert(index + 1, list[index]);
            }
            for push in self.pushed.iter().filter(|push| push.channel == channel) {
                let source = if push.inherits { self.request() } else { self.world.fresh_message };
                list.insert(push.index, push.clocked.then_some(source));
            }
            self.sources.extend(list.iter().copied().flatten());
            self.list = list;
        }
    }

    /// The clock of the message that is being handled, which its reply inherits.
    fn request(&self) -> Source {
        let (channel, index) = self.step.taken.expect("only a message that is handled has a reply");
        match self.delivery(channel, index) {
            ClockGuard::From { clock, .. } => Source::Keep(clock),
            _ => unreachable!("only a message with a clock leaves it to its reply"),
        }
    }

    fn keep_deadlines(&mut self, edits: &[Edit]) {
        for (k, observer) in self.world.observers.iter().enumerate() {
            let slot = self.world.layout.observer(k);
            let (before, first) = (observer.running(self.row[slot]), self.observers[k]);
            let after = edits.iter().find(|edit| edit.slot as usize == slot).map_or(self.row[slot], |e| e.id);
            for (deadline, _) in observer.running(after) {
                let lists = self.step.started.iter().filter(|(other, _)| *other == k);
                let started = lists
                    .flat_map(|(_, list)| list.iter())
                    .rfind(|(other, _)| *other == SlotIndex::from(*deadline));
                let kept = before.iter().position(|(other, _)| other == deadline);
                self.sources.push(match (started, kept) {
                    (Some(&(_, value)), _) => Source::Fresh(value),
                    (None, Some(nth)) => Source::Keep(first + nth),
                    (None, None) => unreachable!("a deadline that runs was started some time"),
                });
            }
        }
    }
}

/// Restricts a zone to the moments at which time can pass: no obligation, whose clocks are those before
/// `deadlines`, is at its end. `false` if there are none.
fn pass(zone: &mut Zone, deadlines: usize) -> bool {
    (1..deadlines).all(|clock| zone.constrain(clock, 0, DbmBound::below(0)))
}

impl World {
    /// The places of the messages of a channel that have clocks.
    #[inline]
    pub(crate) fn channel_clocks(&self, channel: usize, row: &[Id]) -> &[(u16, Remaining)] {
        match row[self.layout.channel(channel)] {
            EMPTY => &[],
            content => self.channels[channel].clocks(content, || self.rules(channel)),
        }
    }

    /// Whether a process that waited for room has it after these edits.
    fn is_urgent_after(&self, row: &[Id], edits: &[Edit]) -> bool {
        self.classes.unblock.is_some() && self.is_urgent(&watchkeeper_space::apply(row, edits))
    }

    /// The local state in which a timer has become free.
    pub(crate) fn ripened_local(&self, process: usize, local: Id, slot: usize) -> Id {
        let machine = &self.machines[process];
        let mut local = crate::local::LocalState::clone(&machine.locals.get(local).value);
        if let crate::local::LocalState::Up { timers, .. } = &mut local {
            timers.arm(slot, Remaining::Free);
        }
        machine.local(local)
    }

    /// The content of a channel in which a message has become free, and where in it that message is.
    pub(crate) fn ripened_channel(&self, channel: usize, row: &[Id], index: usize) -> (Id, usize) {
        let content = row[self.layout.channel(channel)];
        let before = self.channels[channel].flights(content);
        let free = self.flight(channel, self.in_flight(channel, before[index]).msg, Remaining::Free);
        let after = self.channels[channel].replaced(content, index, free, &self.rules(channel));
        let rest = before.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, flight)| flight);
        let at = rest.zip(self.channels[channel].flights(after)).take_while(|(a, b)| a == b).count();
        (after, at)
    }

    /// What names the message at this place of the list of a channel in an action.
    pub(crate) fn place(&self, channel: usize, row: &[Id], index: usize) -> usize {
        let losses = self.channels[channel].losses(row[self.layout.channel(channel)], || self.rules(channel));
        let removal = losses.iter().find(|removal| usize::from(removal.index) == index);
        usize::from(removal.expect("a message with a clock is offered on its own").place)
    }
}
