//! A row as a page draws it, with the bounds that are left. In dense time they are read off the zone of the row, whose
//! clocks are in the order of the list that `dense` describes: timers, messages, deadlines. Nothing here changes a state.

use crate::World;
use crate::local::LocalState;
use crate::remaining::Remaining;
use crate::snapshot::{fields, unsent};
use watchkeeper_automaton::MsgId;
use watchkeeper_core::{Pid, Value, View};
use watchkeeper_space::{
    DueSpan, Id, MessagePicture, ProcessPicture, ProcessStatus, StatePicture, TimerPicture,
};
use watchkeeper_zones::Zone;

/// Reads the clocks of a zone one after the other.
struct ClockReader {
    zone: Zone,
    next: usize,
}

impl World {
    /// The picture of a row.
    pub(crate) fn pictured(&self, row: &[Id]) -> StatePicture {
        let state = self.snapshot(row).expect("an engine asks for rows of this world only");
        let mut clocks = ClockReader { zone: Zone::point(&[]), next: 1 };
        if let Some(slot) = self.layout.zone {
            self.zones.thaw_into(row[slot], &mut clocks.zone);
        }
        let processes = Pid::all(self.scenario.n).zip(&state.processes);
        let processes =
            processes.map(|(p, local)| self.pictured_process(p, local, row, &mut clocks)).collect();
        let mut messages = Vec::new();
        for (channel, content) in state.channels.iter().enumerate() {
            let (from, to, _) = self.routes.ends(channel);
            messages.extend(content.iter().map(|(msg, remaining)| MessagePicture {
                from,
                to,
                label: self.automaton.messages().label(msg.0),
                due: clocks.due(*remaining),
            }));
        }
        let mut rest = self.rest(&state);
        rest.extend(self.running_deadlines(row, &mut clocks));
        StatePicture { processes, messages, rest }
    }

    fn pictured_process(
        &self,
        p: Pid,
        local: &LocalState,
        row: &[Id],
        clocks: &mut ClockReader,
    ) -> ProcessPicture {
        let name = p.to_string();
        let LocalState::Up { state, timers, outbox } = local else {
            let (fields, timers, unsent) = (Vec::new(), Vec::new(), Vec::new());
            return ProcessPicture { name, status: ProcessStatus::Crashed, fields, timers, unsent };
        };
        let facts = self.automaton.facts();
        let timer = |(slot, remaining): (usize, Remaining)| TimerPicture {
            name: facts.timer(slot).to_string(),
            due: clocks.due(remaining),
        };
        ProcessPicture {
            name,
            status: outbox.first().map_or(ProcessStatus::Up, |&(to, msg)| self.blocked(p, to, msg, row)),
            fields: fields(&*self.automaton, *state),
            timers: timers.iter().map(timer).collect(),
            unsent: unsent(&*self.automaton, outbox).collect(),
        }
    }

    /// What a process waits for that has to send this first. There may be room again: then sending on is a step.
    fn blocked(&self, p: Pid, to: Pid, msg: MsgId, row: &[Id]) -> ProcessStatus {
        let how = if self.has_room(p.index(), row) { "has room again" } else { "full" };
        ProcessStatus::Blocked(format!("channel to {to} {how} ({})", self.automaton.messages().label(msg.0)))
    }

    /// The deadlines of observers that run, and how long: a deadline passes when more than that has passed.
    fn running_deadlines(&self, row: &[Id], clocks: &mut ClockReader) -> View {
        let mut deadlines = View::new();
        for (k, observer) in self.observers.iter().enumerate() {
            let deadline = |&(deadline, left): &(u8, u32)| {
                let due = match self.layout.zone {
                    None => DueSpan { least: left, most: Some(left) },
                    Some(_) => clocks.span(0),
                };
                let most = due.most.filter(|&most| most != due.least);
                let to = most.map_or(String::new(), |most| format!(" to {most}"));
                Value::Str(format!("{deadline} passes after {}{to}", due.least))
            };
            let running: Vec<Value> =
                observer.running(row[self.layout.observer(k)]).iter().map(deadline).collect();
            if !running.is_empty() {
                deadlines.push((format!("deadlines of {}", observer.name()), Value::List(running)));
            }
        }
        deadlines
    }
}

impl ClockReader {
    /// When an obligation may happen; if it has a clock, the next one is its own.
    fn due(&mut self, remaining: Remaining) -> Option<DueSpan> {
        match remaining {
            Remaining::Untimed => None,
            Remaining::Free => Some(DueSpan { least: 0, most: None }),
            Remaining::Left { lo, hi } => Some(DueSpan { least: lo, most: hi }),
            Remaining::Clock { width } => Some(self.span(width)),
            Remaining::Stage => Some(DueSpan { most: None, ..self.span(0) }),
        }
    }

    /// The time until the next clock reaches minus the width, at the least, and 0, at the most. A strict bound of the zone
    /// counts like the bound itself: a span is whole units.
    fn span(&mut self, width: u32) -> DueSpan {
        let clock = self.next;
        self.next += 1;
        let (upper, lower) = (self.zone.bound(clock, 0).value(), -self.zone.bound(0, clock).value());
        let whole = |units: i64| u32::try_from(units.max(0)).expect("clocks are bounded");
        DueSpan { least: whole(-i64::from(width) - i64::from(upper)), most: Some(whole(-i64::from(lower))) }
    }
}
