//! A state as a property sees it: the real values behind a row. Nothing here shows an interned id, and
//! everything is listed in an order that the values decide.

use crate::World;
use crate::channel::EMPTY;
use crate::local::LocalState;
use crate::machine::ProcessMode;
use std::sync::Arc;
use watchkeeper_automaton::{MsgId, StateId, TypedAutomaton};
use watchkeeper_core::{Judgement, Pid, ProcSet, Promises, Slot};
use watchkeeper_space::{Atom, Id};

/// A proposition: one that every world has, or one of the user's.
pub(crate) enum AtomTest {
    BuiltIn(BuiltIn),
    /// This observer has not seen anything wrong.
    Observer(usize),
    Custom(Box<Holds>, AtomPromise),
}

type Holds = dyn Fn(&World, &[Id]) -> bool + Send + Sync;

/// What a proposition of the user's promises about itself.
pub(crate) enum AtomPromise {
    Nothing,
    /// Once it is false it stays so.
    Lasting,
    /// It says what has become of one process, and once it is true it stays so until that process crashes.
    Outcome,
    /// It is decided by what this sees of each process.
    Glances(Arc<Glance>),
}

pub(crate) type Glance = dyn Fn(Pid, Option<StateId>) -> u64 + Send + Sync;

/// The propositions that worlds have of themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BuiltIn {
    /// This process has crashed.
    Crashed(usize),
    /// This process waits for room in a channel.
    Blocked(usize),
    /// No channel that reports overflow has overflowed.
    WithinCapacity,
    /// It is not so that time cannot pass and nothing can happen.
    TimeCanPass,
    /// The network has stabilised; only where it has to.
    Stable,
    /// The oracle has settled; only where there is one.
    Settled,
}

impl BuiltIn {
    /// All of a world of `n` processes, whose network has to stabilise or not, under an oracle or none.
    pub(crate) fn all(n: usize, stabilises: bool, oracle: bool) -> impl Iterator<Item = BuiltIn> {
        let processes = (0..n).map(BuiltIn::Crashed).chain((0..n).map(BuiltIn::Blocked));
        let stable = stabilises.then_some(BuiltIn::Stable);
        let settled = oracle.then_some(BuiltIn::Settled);
        processes.chain([BuiltIn::WithinCapacity, BuiltIn::TimeCanPass]).chain(stable).chain(settled)
    }

    pub(crate) fn atom(self) -> Atom {
        match self {
            BuiltIn::Crashed(p) => Atom { name: format!("crashed({})", Pid::at(p)), symmetric: false },
            BuiltIn::Blocked(p) => Atom { name: format!("blocked({})", Pid::at(p)), symmetric: false },
            BuiltIn::WithinCapacity => Atom { name: "within-capacity".to_string(), symmetric: true },
            BuiltIn::TimeCanPass => Atom { name: "time-can-pass".to_string(), symmetric: true },
            BuiltIn::Stable => Atom { name: "stable".to_string(), symmetric: true },
            BuiltIn::Settled => Atom { name: "settled".to_string(), symmetric: true },
        }
    }
}

/// One state of a world, for a proposition to look at.
pub struct Global<'a, P: Promises> {
    world: &'a World,
    typed: &'a TypedAutomaton<P>,
    row: &'a [Id],
}

impl<'a, P: Promises> Global<'a, P> {
    pub(crate) fn new(world: &'a World, typed: &'a TypedAutomaton<P>, row: &'a [Id]) -> Global<'a, P> {
        Global { world, typed, row }
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.world.scenario.n
    }

    /// All processes, in order.
    pub fn processes(&self) -> impl Iterator<Item = Pid> + use<P> {
        Pid::all(self.world.scenario.n)
    }

    /// The protocol state of a process; `None` if it has crashed.
    pub fn state(&self, p: Pid) -> Option<&'a P::State> {
        self.local(p).state().map(|state| self.typed.states.get(state.0))
    }

    /// Whether a process has crashed.
    pub fn crashed(&self, p: Pid) -> bool {
        self.world.is_crashed(p.index(), self.row)
    }

    /// The processes that have crashed.
    pub fn crashed_set(&self) -> ProcSet {
        self.processes().filter(|&p| self.crashed(p)).collect()
    }

    /// Whether a process waits for room in a channel.
    pub fn blocked(&self, p: Pid) -> bool {
        self.world.machines[p.index()].mode(self.row[p.index()]) == ProcessMode::Blocked
    }

    /// What a process has yet to send, in order; empty unless it is blocked.
    pub fn outbox(&self, p: Pid) -> impl Iterator<Item = (Pid, &'a P::Msg)> + use<'a, P> {
        let unsent: &'a [(Pid, MsgId)] = match self.local(p) {
            LocalState::Up { outbox, .. } => outbox,
            LocalState::Crashed => &[],
        };
        let typed = self.typed;
        unsent.iter().map(move |(to, msg)| (*to, typed.messages.get(msg.0)))
    }

    /// Whether a timer of a process is armed.
    pub fn armed(&self, p: Pid, timer: P::Timer) -> bool {
        matches!(self.local(p), LocalState::Up { timers, .. } if timers.get(timer.index()).is_some())
    }

    /// The messages on their way: sender, destination, message. The messages of one channel come in the
    /// order in which they can arrive, or in the order of their bytes if they can arrive in any.
    pub fn in_flight(&self) -> impl Iterator<Item = (Pid, Pid, &'a P::Msg)> + use<'a, P> {
        let (world, typed, row) = (self.world, self.typed, self.row);
        (0..world.channels.len()).flat_map(move |channel| {
            let (from, to, _) = world.routes.ends(channel);
            let flights = world.channels[channel].flights(row[world.layout.channel(channel)]);
            let messages = &world.machines[to.index()].flights;
            flights
                .iter()
                .map(move |&flight| (from, to, typed.messages.get(messages.get(flight).value.msg.0)))
        })
    }

    /// Whether the bounds on messages hold: from the start, or once the network has stabilised.
    pub fn stable(&self) -> bool {
        self.world.is_stable(self.row)
    }

    /// Whether the oracle has settled; `false` where there is none.
    pub fn settled(&self) -> bool {
        self.world.oracle_has_settled(self.row)
    }

    /// The process that the oracle leaves alone, if there is one already.
    pub fn immune(&self) -> Option<Pid> {
        self.world.immune(self.row).map(Pid::at)
    }

    /// Whom the oracle makes a process suspect; nobody where suspicions are momentary.
    pub fn suspects(&self, p: Pid) -> ProcSet {
        self.world.suspects(p.index(), self.row)
    }

    /// The sender and the destination of the channel that has overflowed and reported it.
    pub fn overflow(&self) -> Option<(Pid, Pid)> {
        let (from, to, _) = self.world.routes.ends(self.world.overflow(self.row)?);
        Some((from, to))
    }

    fn local(&self, p: Pid) -> &'a LocalState {
        &self.world.machines[p.index()].locals.get(self.row[p.index()]).value
    }
}

impl World {
    pub(crate) fn holds(&self, test: &AtomTest, row: &[Id]) -> bool {
        match test {
            AtomTest::BuiltIn(BuiltIn::Crashed(p)) => self.is_crashed(*p, row),
            AtomTest::BuiltIn(BuiltIn::Blocked(p)) => self.machines[*p].mode(row[*p]) == ProcessMode::Blocked,
            AtomTest::BuiltIn(BuiltIn::WithinCapacity) => self.overflow(row).is_none(),
            AtomTest::BuiltIn(BuiltIn::TimeCanPass) => !self.is_locked(row),
            AtomTest::BuiltIn(BuiltIn::Stable) => self.is_stable(row),
            AtomTest::BuiltIn(BuiltIn::Settled) => self.oracle_has_settled(row),
            AtomTest::Observer(k) => {
                let judgement = self.observers[*k].judgement(row[self.layout.observer(*k)]);
                !matches!(judgement, Judgement::Violated(_))
            }
            AtomTest::Custom(holds, _) => holds(self, row),
        }
    }

    /// How near a state is to a deadlock, in which everyone has stopped: blocked, or crashed, and so of no
    /// help to those who wait. A process that has stopped counts as much as full channels to it would, or
    /// a search would rather keep messages on their way than let their reader stop.
    pub(crate) fn pressure(&self, row: &[Id]) -> u32 {
        let limit = self.scenario.network.capacity.limit();
        let mut pressure = 0;
        for process in 0..self.scenario.n {
            let mode = self.machines[process].mode(row[process]);
            let channels = self.routes.inbound(process);
            if !matches!(mode, ProcessMode::Ready) {
                pressure += channels.len() as u32 * limit;
            }
            if mode != ProcessMode::Crashed {
                let filled = channels
                    .map(|channel| (channel, row[self.layout.channel(channel)]))
                    .filter(|(_, id)| *id != EMPTY);
                pressure +=
                    filled.map(|(channel, id)| self.channels[channel].flights(id).len() as u32).sum::<u32>();
            }
        }
        pressure
    }
}
