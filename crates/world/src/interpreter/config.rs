//! A global state of an execution: real protocol states, numbered messages in the order in which they were
//! sent, obligations with the events from which they count. It can be told as a state of the search, which
//! is how the two are compared, and made from one.

use super::timeline::{Instant, Pending, Timeline};
use crate::local::{ArmedTimers, LocalState};
use crate::observer::ObserverMemory;
use crate::oracle::state::OracleDecisions;
use crate::snapshot::Snapshot;
use crate::{DeliveryOrder, WorldTime};
use watchkeeper_automaton::{MsgId, ProtocolAutomaton, StateId, Values};
use watchkeeper_core::{MessageId, Pid};

/// A global state.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) processes: Vec<ProcessConfig>,
    pub(crate) channels: Vec<Vec<Flight>>,
    pub(crate) losses: u32,
    pub(crate) duplications: u32,
    pub(crate) recoveries: u32,
    /// Whether the bounds on messages hold.
    pub(crate) stable: bool,
    /// What the oracle has decided, if there is one.
    pub(crate) oracle: Option<OracleDecisions>,
    pub(crate) calls: Vec<u32>,
    pub(crate) overflow: Option<usize>,
    pub(crate) observers: Vec<ObserverConfig>,
    pub(crate) messages: u32,
    pub(crate) timeline: Timeline,
}

/// One process.
#[derive(Clone, Debug)]
pub(crate) enum ProcessConfig {
    /// It has not started yet.
    Unborn,
    Crashed,
    Up {
        state: StateId,
        timers: Vec<(usize, Pending)>,
        outbox: Vec<(Pid, MsgId)>,
    },
}

/// A message on its way.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub(crate) message: MessageId,
    pub(crate) msg: MsgId,
    pub(crate) pending: Pending,
}

/// An observer, and the deadlines that it has started: number, bound, when.
#[derive(Clone, Debug)]
pub(crate) struct ObserverConfig {
    pub(crate) state: Vec<u8>,
    pub(crate) running: Vec<(usize, u32, Instant)>,
}

impl Config {
    /// All obligations that are pending.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        let timers = self.processes.iter().flat_map(|process| match process {
            ProcessConfig::Crashed | ProcessConfig::Unborn => Vec::new(),
            ProcessConfig::Up { timers, .. } => timers.iter().map(|(_, pending)| *pending).collect(),
        });
        timers.chain(self.channels.iter().flatten().map(|flight| flight.pending)).collect()
    }

    /// The bytes by which a message is told apart from others in its channel.
    pub(crate) fn key(&self, messages: &dyn Values, flight: &Flight) -> Vec<u8> {
        let mut bytes = messages.packed(flight.msg.0).to_vec();
        self.timeline.remaining(flight.pending).pack(&mut bytes);
        bytes
    }

    /// The state of the search that a configuration stands for.
    pub(crate) fn settled(
        &self,
        automaton: &dyn ProtocolAutomaton,
        time: WorldTime,
        order: DeliveryOrder,
    ) -> Snapshot {
        let remaining = |pending: Pending| self.timeline.remaining(pending);
        let process = |process: &ProcessConfig| match process {
            ProcessConfig::Crashed | ProcessConfig::Unborn => LocalState::Crashed,
            ProcessConfig::Up { state, timers, outbox } => {
                let mut armed = ArmedTimers::default();
                timers.iter().for_each(|(slot, pending)| armed.arm(*slot, remaining(*pending)));
                LocalState::Up { state: *state, timers: armed, outbox: outbox.clone() }
            }
        };
        let channel = |flights: &Vec<Flight>| {
            flights.iter().map(|flight| (flight.msg, remaining(flight.pending))).collect()
        };
        let observer = |observer: &ObserverConfig| {
            let left = |&(deadline, bound, since): &(usize, u32, Instant)| {
                let left = match time {
                    WorldTime::Ticks(_) => self.timeline.left(since, bound).unwrap_or(0),
                    _ => 0,
                };
                (deadline as u8, left)
            };
            let mut running: Vec<(u8, u32)> = observer.running.iter().map(left).collect();
            running.sort_unstable();
            ObserverMemory { state: observer.state.clone(), running }
        };
        let mut snapshot = Snapshot {
            processes: self.processes.iter().map(process).collect(),
            channels: self.channels.iter().map(channel).collect(),
            losses: self.losses,
            duplications: self.duplications,
            recoveries: self.recoveries,
            stable: self.stable,
            oracle: self.oracle.clone(),
            calls: self.calls.clone(),
            overflow: self.overflow,
            observers: self.observers.iter().map(observer).collect(),
        };
        snapshot.settle(automaton.messages(), order);
        snapshot
    }

    /// A configuration that stands for a state of the search: its messages are numbered anew, and what is
    /// left of its obligations counts from now.
    pub(crate) fn unsettled(time: WorldTime, snapshot: &Snapshot) -> Config {
        let timeline = Timeline::new(time);
        let mut messages = 0;
        let mut flight = |(msg, remaining): &(MsgId, crate::remaining::Remaining)| {
            messages += 1;
            let (message, pending) = (MessageId(messages - 1), timeline.recalled(*remaining));
            Flight { message, msg: *msg, pending }
        };
        let channels =
            snapshot.channels.iter().map(|channel| channel.iter().map(&mut flight).collect()).collect();
        let process = |local: &LocalState| match local {
            LocalState::Crashed => ProcessConfig::Crashed,
            LocalState::Up { state, timers, outbox } => ProcessConfig::Up {
                state: *state,
                timers: timers.iter().map(|(slot, remaining)| (slot, timeline.recalled(remaining))).collect(),
                outbox: outbox.clone(),
            },
        };
        let observer = |memory: &ObserverMemory| ObserverConfig {
            state: memory.state.clone(),
            running: memory
                .running
                .iter()
                .map(|&(deadline, left)| (usize::from(deadline), left, timeline.now()))
                .collect(),
        };
        Config {
            processes: snapshot.processes.iter().map(process).collect(),
            channels,
            losses: snapshot.losses,
            duplications: snapshot.duplications,
            recoveries: snapshot.recoveries,
            stable: snapshot.stable,
            oracle: snapshot.oracle.clone(),
            calls: snapshot.calls.clone(),
            overflow: snapshot.overflow,
            observers: snapshot.observers.iter().map(observer).collect(),
            messages,
            timeline,
        }
    }
}
