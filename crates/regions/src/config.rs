//! The discrete part of a symbolic state: who is up, what is armed, what is in flight, which deadlines run. Every
//! obligation and every deadline has a variable of the zone, its remaining time, and the order of the variables is the
//! order in which this part lists them.

use crate::Linear;
use watchkeeper_automaton::{MsgId, StateId};
use watchkeeper_core::{Bound, Pid};

/// A discrete state whose obligations carry `V`: nothing as a key, the origin of their variables during a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct DiscreteState<V = ()> {
    pub(crate) processes: Vec<SymbolicProcess<V>>,
    pub(crate) channels: Vec<Vec<SymbolicFlight<V>>>,
    pub(crate) losses: u32,
    pub(crate) duplications: u32,
    pub(crate) recoveries: u32,
    pub(crate) calls: Vec<u32>,
    pub(crate) observers: Vec<SymbolicObserver<V>>,
}

/// One process.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum SymbolicProcess<V> {
    Crashed,
    Up {
        state: StateId,
        /// By their slots, in order.
        timers: Vec<(usize, V)>,
        /// What waits for room in a channel.
        outbox: Vec<(Pid, MsgId)>,
    },
}

/// A message in flight.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SymbolicFlight<V> {
    pub(crate) msg: MsgId,
    pub(crate) meaning: FlightMeaning,
    pub(crate) variable: V,
}

/// What the variable of a message is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum FlightMeaning {
    /// The time until it arrives, which was chosen when it was sent.
    Moment,
    /// The time until it must arrive; it may arrive at any moment before.
    Latest,
    /// The same, but not before its earliest moment: the width of the bound of messages before it.
    Window,
}

/// An observer: the bytes of its state, and the deadlines that run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SymbolicObserver<V> {
    pub(crate) state: Vec<u8>,
    pub(crate) running: Vec<(usize, V)>,
}

/// Where the value of a variable after a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Origin {
    /// The remaining time of this variable before the step, less what has passed.
    Kept(usize),
    /// Any value within a bound: a number in the list of fresh bounds of the step.
    Fresh(usize),
}

/// A bound of the fresh variables of a step.
pub(crate) type FreshBound = Bound<Linear>;

/// What the variable at a place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VariableRole {
    Timer { process: usize, slot: usize },
    Message { channel: usize, place: usize, meaning: FlightMeaning },
    Deadline { observer: usize, deadline: usize },
}

impl<V: Copy> DiscreteState<V> {
    /// The variables in their order, with what each is.
    pub(crate) fn variables(&self) -> Vec<(VariableRole, V)> {
        let mut all = Vec::new();
        for (process, state) in self.processes.iter().enumerate() {
            if let SymbolicProcess::Up { timers, .. } = state {
                let role = |slot| VariableRole::Timer { process, slot };
                all.extend(timers.iter().map(|&(slot, variable)| (role(slot), variable)));
            }
        }
        for (channel, flights) in self.channels.iter().enumerate() {
            for (place, flight) in flights.iter().enumerate() {
                all.push((
                    VariableRole::Message { channel, place, meaning: flight.meaning },
                    flight.variable,
                ));
            }
        }
        for (observer, own) in self.observers.iter().enumerate() {
            let role = |deadline| VariableRole::Deadline { observer, deadline };
            all.extend(own.running.iter().map(|&(deadline, variable)| (role(deadline), variable)));
        }
        all
    }

    /// The same discrete state, whose obligations carry something else.
    pub(crate) fn map<W>(&self, mut carry: impl FnMut(V) -> W) -> DiscreteState<W> {
        let mut processes = Vec::new();
        for process in &self.processes {
            processes.push(match process {
                SymbolicProcess::Crashed => SymbolicProcess::Crashed,
                SymbolicProcess::Up { state, timers, outbox } => SymbolicProcess::Up {
                    state: *state,
                    timers: timers.iter().map(|&(slot, variable)| (slot, carry(variable))).collect(),
                    outbox: outbox.clone(),
                },
            });
        }
        let mut channels = Vec::new();
        for flights in &self.channels {
            let carried = flights.iter().map(|flight| SymbolicFlight {
                msg: flight.msg,
                meaning: flight.meaning,
                variable: carry(flight.variable),
            });
            channels.push(carried.collect());
        }
        let mut observers = Vec::new();
        for own in &self.observers {
            let running = own.running.iter().map(|&(deadline, variable)| (deadline, carry(variable)));
            observers.push(SymbolicObserver { state: own.state.clone(), running: running.collect() });
        }
        DiscreteState {
            processes,
            channels,
            losses: self.losses,
            duplications: self.duplications,
            recoveries: self.recoveries,
            calls: self.calls.clone(),
            observers,
        }
    }

    /// Sorts what has no order: timers by slot, deadlines by number, and the messages of each channel if they arrive in
    /// any order. Messages that are alike stay in the order in which they were sent.
    pub(crate) fn settle(&mut self, any_order: bool) {
        for process in &mut self.processes {
            if let SymbolicProcess::Up { timers, .. } = process {
                timers.sort_by_key(|(slot, _)| *slot);
            }
        }
        if any_order {
            self.channels
                .iter_mut()
                .for_each(|flights| flights.sort_by_key(|flight| (flight.msg, flight.meaning)));
        }
        self.observers.iter_mut().for_each(|own| own.running.sort_by_key(|(deadline, _)| *deadline));
    }
}

impl DiscreteState {
    /// The same state, each obligation with the number of its variable.
    pub(crate) fn numbered(&self) -> DiscreteState<Origin> {
        let mut next = 0;
        self.map(|()| {
            next += 1;
            Origin::Kept(next - 1)
        })
    }
}
