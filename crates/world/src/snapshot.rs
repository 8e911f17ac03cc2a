//! A global state as plain values, with no id in it: what a row stands for, and what an interpreter ends
//! up with. Two snapshots are equal exactly if the states are.

use crate::local::LocalState;
use crate::observer::ObserverMemory;
use crate::oracle::state::OracleDecisions;
use crate::remaining::Remaining;
use crate::{DeliveryOrder, World};
use watchkeeper_automaton::{MsgId, ProtocolAutomaton, StateId, Values};
use watchkeeper_core::{Pid, Value, View};
use watchkeeper_space::Id;

/// A global state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Snapshot {
    pub(crate) processes: Vec<LocalState>,
    /// What is in each channel: in the order of sending, or of the packed bytes if any order is allowed.
    pub(crate) channels: Vec<Vec<(MsgId, Remaining)>>,
    pub(crate) losses: u32,
    pub(crate) duplications: u32,
    pub(crate) recoveries: u32,
    /// Whether the bounds on messages hold.
    pub(crate) stable: bool,
    /// What the oracle has decided, if there is one.
    pub(crate) oracle: Option<OracleDecisions>,
    /// How often each call was issued.
    pub(crate) calls: Vec<u32>,
    /// The channel that overflowed.
    pub(crate) overflow: Option<usize>,
    pub(crate) observers: Vec<ObserverMemory>,
}

impl Snapshot {
    /// Makes equal channels equal lists.
    pub(crate) fn settle(&mut self, messages: &dyn Values, order: DeliveryOrder) {
        if order == DeliveryOrder::AnyOrder {
            let bytes = |(msg, remaining): &(MsgId, Remaining)| {
                let mut bytes = messages.packed(msg.0).to_vec();
                remaining.pack(&mut bytes);
                bytes
            };
            self.channels.iter_mut().for_each(|channel| channel.sort_by_cached_key(bytes));
        }
    }
}

impl World {
    /// What a row stands for; `None` if it is no row of this world.
    pub(crate) fn snapshot(&self, row: &[Id]) -> Option<Snapshot> {
        if row.len() != self.layout.len() {
            return None;
        }
        let mut processes = Vec::new();
        for (machine, &id) in self.machines.iter().zip(row) {
            processes.push(LocalState::clone(&machine.locals.find(id)?.value));
        }
        let mut channels = Vec::new();
        for (at, channel) in self.channels.iter().enumerate() {
            let list = channel.find(row[self.layout.channel(at)])?;
            let message = |&flight: &Id| {
                let flight = self.in_flight(at, flight);
                (flight.msg, flight.remaining)
            };
            channels.push(list.iter().map(message).collect());
        }
        let mut observers = Vec::new();
        for (k, observer) in self.observers.iter().enumerate() {
            observers.push(observer.find(row[self.layout.observer(k)])?.clone());
        }
        Some(Snapshot {
            processes,
            channels,
            losses: self.layout.losses.map_or(0, |slot| row[slot]),
            duplications: self.layout.duplications.map_or(0, |slot| row[slot]),
            recoveries: self.layout.recoveries.map_or(0, |slot| row[slot]),
            stable: self.is_stable(row),
            oracle: self.decisions(row),
            calls: (0..self.calls.len()).map(|entry| row[self.layout.call(entry)]).collect(),
            overflow: self.overflow(row),
            observers,
        })
    }

    /// The variables of a state: each process, then the channels, then what has been used up.
    pub(crate) fn variables(&self, state: &Snapshot) -> View {
        let mut view: View = Vec::new();
        for (p, local) in Pid::all(self.scenario.n).zip(&state.processes) {
            view.push((p.to_string(), process(&*self.automaton, local)));
        }
        let filled = state.channels.iter().enumerate().filter(|(_, channel)| !channel.is_empty());
        let channels = filled.map(|(channel, messages)| {
            let label = |msg: &MsgId| self.automaton.messages().label(msg.0);
            let labels = messages
                .iter()
                .map(|(msg, remaining)| Value::Str(format!("{}{}", label(msg), remaining.text())));
            (self.routes.name(channel), Value::List(labels.collect()))
        });
        view.push(("channels".to_string(), Value::Record(channels.collect())));
        view.extend(self.rest(state));
        view
    }

    /// The variables that belong to no process and no channel: what has been used up, the oracle, the observers.
    pub(crate) fn rest(&self, state: &Snapshot) -> View {
        let mut view = View::new();
        let count = |name: &str, count: u32| (name.to_string(), Value::Int(i64::from(count)));
        if self.layout.losses.is_some() {
            view.push(count("losses", state.losses));
        }
        if self.layout.duplications.is_some() {
            view.push(count("duplications", state.duplications));
        }
        if self.layout.recoveries.is_some() {
            view.push(count("recoveries", state.recoveries));
        }
        if self.layout.stable.is_some() {
            view.push(("stable".to_string(), Value::Bool(state.stable)));
        }
        if let (Some(decisions), Some(oracle)) = (&state.oracle, self.scenario.oracle) {
            view.extend(decisions.variables(oracle));
        }
        for (entry, &issued) in state.calls.iter().enumerate() {
            view.push(count(&self.layout.names[self.layout.call(entry)], issued));
        }
        if self.layout.overflow_slot().is_some() {
            let channel = state.overflow.map_or("none".to_string(), |channel| self.routes.name(channel));
            view.push(("overflow".to_string(), Value::Str(channel)));
        }
        for (observer, memory) in self.observers.iter().zip(&state.observers) {
            view.push((observer.name(), Value::Str(observer.text(memory))));
        }
        view
    }
}

/// One process as a record: the fields of its state, its armed timers, and what it waits to send.
fn process(automaton: &dyn ProtocolAutomaton, local: &LocalState) -> Value {
    let LocalState::Up { state, timers, outbox } = local else { return Value::str("crashed") };
    let mut fields = fields(automaton, *state);
    let facts = automaton.facts();
    if !facts.timers.is_empty() {
        let timer = |(slot, remaining): (usize, Remaining)| {
            Value::Str(format!("{}{}", facts.timer(slot), remaining.text()))
        };
        let timers = Value::set(timers.iter().map(timer));
        fields.push(("timers".to_string(), timers));
    }
    if !outbox.is_empty() {
        let unsent = unsent(automaton, outbox).map(Value::Str);
        fields.push(("waits to send".to_string(), Value::List(unsent.collect())));
    }
    Value::Record(fields)
}

/// The fields of a protocol's state.
pub(crate) fn fields(automaton: &dyn ProtocolAutomaton, state: StateId) -> Vec<(String, Value)> {
    match automaton.view(state) {
        Value::Record(fields) => fields,
        other => vec![("state".to_string(), other)],
    }
}

/// The messages of an outbox and where they go.
pub(crate) fn unsent(
    automaton: &dyn ProtocolAutomaton,
    outbox: &[(Pid, MsgId)],
) -> impl Iterator<Item = String> {
    outbox.iter().map(|(to, msg)| format!("{} to {to}", automaton.messages().label(msg.0)))
}
