//! The parts of rows as bytes that mean the same in every run, and back. What is read may be damaged, or of another
//! scenario: a part is taken for one of this world only if the world could have written it, and a row only if its parts
//! go together, so that no step of the search meets what it cannot handle.

use crate::channel::EMPTY;
use crate::local::{ArmedTimers, LocalState};
use crate::remaining::Remaining;
use crate::transition::WHERE;
use crate::{DeliveryOrder, World};
use watchkeeper_automaton::{MsgId, StateId, Values};
use watchkeeper_core::{MAX_DEADLINES, Pack, Pid, Reader};
use watchkeeper_space::{FixedIds, Id, Parts};

/// What stands in a slot.
enum Part {
    Process(usize),
    Channel(usize),
    Observer(usize),
    Zone,
    /// A number that means the same in every run, and is at most this.
    Number(Id),
}

impl Parts for World {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match self.part_of(slot) {
            Some(Part::Process(process)) => {
                self.tell_local(&self.machines[process].locals.get(id).value, out)
            }
            Some(Part::Channel(channel)) => {
                let list = self.channels[channel].flights(id);
                (list.len() as u64).pack(out);
                for &flight in list {
                    let flight = self.in_flight(channel, flight);
                    tell(self.automaton.messages().packed(flight.msg.0), out);
                    flight.remaining.pack(out);
                }
            }
            Some(Part::Observer(observer)) => {
                let memory = self.observers[observer].find(id).expect("an engine asks for ids of this world");
                tell(&memory.state, out);
                (memory.running.len() as u64).pack(out);
                for (deadline, left) in &memory.running {
                    deadline.pack(out);
                    left.pack(out);
                }
            }
            Some(Part::Zone) => self.zones.pack(id, out),
            Some(Part::Number(_)) | None => FixedIds.part(table, slot, id, out),
        }
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let mut reader = Reader::new(bytes);
        let id = match self.part_of(slot)? {
            Part::Process(process) => self.read_local(process, &mut reader)?,
            Part::Channel(channel) => self.read_channel(channel, &mut reader)?,
            Part::Observer(observer) => {
                let state = heard(&mut reader)?;
                let running =
                    list(&mut reader, |reader| Some((u8::unpack(reader).ok()?, u32::unpack(reader).ok()?)))?;
                self.observers[observer].state(self.scenario.time, state, running)?
            }
            Part::Zone => return self.zones.read(bytes, self.most_clocks()),
            Part::Number(most) => return FixedIds::up_to(most, bytes),
        };
        reader.is_empty().then_some(id)
    }

    /// In dense time the clocks of a zone are those of the other parts.
    fn settle(&self, row: &mut [Id]) -> bool {
        let Some(slot) = self.layout.zone else { return true };
        let timers: usize =
            self.machines.iter().zip(&*row).map(|(machine, &local)| machine.clocks(local).len()).sum();
        let messages: usize =
            (0..self.channels.len()).map(|channel| self.channel_clocks(channel, row).len()).sum();
        let deadlines = self.observers.iter().enumerate();
        let deadlines: usize =
            deadlines.map(|(k, observer)| observer.running(row[self.layout.observer(k)]).len()).sum();
        self.zones.clocks(row[slot]) == timers + messages + deadlines
    }
}

impl World {
    fn part_of(&self, slot: usize) -> Option<Part> {
        let layout = &self.layout;
        let n = self.scenario.n;
        let number = |at: Option<usize>, most: Id| at.filter(|&at| at == slot).map(|_| Part::Number(most));
        let (network, faults) = (&self.scenario.network, &self.scenario.faults);
        let mistakes = self.scenario.oracle.map_or(0, |oracle| oracle.accuracy.mistakes());
        let suspects =
            (0..n).find(|&p| layout.suspects(p) == Some(slot)).map(|_| Part::Number(most_of(n - 1)));
        match slot {
            _ if slot < n => Some(Part::Process(slot)),
            _ if slot < layout.channel(self.channels.len()) => Some(Part::Channel(slot - layout.channel(0))),
            _ if layout.zone == Some(slot) => Some(Part::Zone),
            _ if (layout.observer(0)..layout.observer(self.observers.len())).contains(&slot) => {
                Some(Part::Observer(slot - layout.observer(0)))
            }
            _ if (layout.call(0)..layout.call(self.calls.len())).contains(&slot) => {
                Some(Part::Number(self.calls[slot - layout.call(0)].budget))
            }
            _ => number(layout.losses, network.losses)
                .or_else(|| number(layout.duplications, network.duplications))
                .or_else(|| number(layout.recoveries, faults.recoveries))
                .or_else(|| number(layout.stable, 1))
                .or_else(|| number(layout.oracle, 2 * n as Id + 1))
                .or_else(|| number(layout.mistakes, mistakes))
                .or_else(|| number(layout.overflow_slot(), self.channels.len() as Id))
                .or(suspects),
        }
    }

    /// More clocks than any zone of this world has.
    fn most_clocks(&self) -> usize {
        let timers = self.scenario.n * self.automaton.facts().timers.len();
        let limit = self.scenario.network.capacity.limit() as usize;
        timers + self.channels.len() * limit + (WHERE as usize).max(self.observers.len() * MAX_DEADLINES)
    }

    fn tell_local(&self, local: &LocalState, out: &mut Vec<u8>) {
        let LocalState::Up { state, timers, outbox } = local else { return true.pack(out) };
        false.pack(out);
        tell(self.automaton.states().packed(state.0), out);
        (timers.iter().count() as u64).pack(out);
        for (slot, remaining) in timers.iter() {
            (slot as u64).pack(out);
            remaining.pack(out);
        }
        (outbox.len() as u64).pack(out);
        for (to, msg) in outbox {
            to.pack(out);
            tell(self.automaton.messages().packed(msg.0), out);
        }
    }

    fn read_local(&self, process: usize, reader: &mut Reader<'_>) -> Option<Id> {
        let machine = &self.machines[process];
        if bool::unpack(reader).ok()? {
            return machine.crashed;
        }
        let state = StateId(value(self.automaton.states(), heard(reader)?)?);
        let slots = self.automaton.facts().timers.len();
        let armed = list(reader, |reader| {
            let slot = u64::unpack(reader).ok().filter(|&slot| slot < slots as u64)? as usize;
            Some((slot, Remaining::unpack(self.scenario.time, reader)?))
        })?;
        if !armed.is_sorted_by(|a, b| a.0 < b.0) {
            return None;
        }
        let mut timers = ArmedTimers::default();
        armed.into_iter().for_each(|(slot, remaining)| timers.arm(slot, remaining));
        let outbox = list(reader, |reader| {
            let to = Pid::unpack(reader).ok()?;
            let msg = MsgId(value(self.automaton.messages(), heard(reader)?)?);
            let kind = self.automaton.messages().kind(msg.0);
            self.routes.channel(Pid::at(process), to, kind).map(|_| (to, msg))
        })?;
        let waits = !outbox.is_empty() && self.classes.unblock.is_none();
        (!waits).then(|| machine.local(LocalState::Up { state, timers, outbox }))
    }

    fn read_channel(&self, channel: usize, reader: &mut Reader<'_>) -> Option<Id> {
        let (from, to, _) = self.routes.ends(channel);
        let flights = list(reader, |reader| {
            let msg = MsgId(value(self.automaton.messages(), heard(reader)?)?);
            let remaining = Remaining::unpack(self.scenario.time, reader)?;
            let kind = self.automaton.messages().kind(msg.0);
            let here = self.routes.channel(from, to, kind) == Some(channel);
            here.then(|| self.flight(channel, msg, remaining))
        })?;
        let rules = self.rules(channel);
        if flights.len() > rules.limit {
            return None;
        }
        let packed = |flight: &Id| rules.messages.packed(*flight);
        match rules.order {
            _ if flights.is_empty() => Some(EMPTY),
            DeliveryOrder::AnyOrder if !flights.is_sorted_by_key(packed) => None,
            _ => Some(self.channels[channel].content(flights, &rules)),
        }
    }
}

/// The largest number of so many bits, up to 32.
fn most_of(bits: usize) -> Id {
    ((1u64 << bits.min(32)) - 1) as Id
}

/// Appends bytes, and before them how many they are.
fn tell(bytes: &[u8], out: &mut Vec<u8>) {
    (bytes.len() as u64).pack(out);
    out.extend_from_slice(bytes);
}

/// What was told.
fn heard<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let len = usize::try_from(u64::unpack(reader).ok()?).ok()?;
    reader.take(len).ok()
}

/// A number, and then so many of something. Nothing is allocated for what is not there.
fn list<'a, T>(
    reader: &mut Reader<'a>,
    mut each: impl FnMut(&mut Reader<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let len = u64::unpack(reader).ok()?;
    let mut found = Vec::new();
    for _ in 0..len {
        found.push(each(reader)?);
    }
    Some(found)
}

/// The number of the value with exactly these bytes.
fn value(values: &dyn Values, bytes: &[u8]) -> Option<Id> {
    values.read(bytes).ok().filter(|&id| values.packed(id) == bytes)
}
