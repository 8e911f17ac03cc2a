//! The naive explorer: the semantics of worlds written down a second time, from the documents, as plainly as can be. A
//! global state is plain values; a step is a copy of it with something changed; a search is a table of all states. It
//! must never share code with a world, its interpreter or an engine, and it is never made fast.

mod answer;
mod faults;
mod graph;
mod live;
mod notices;
mod orbit;
mod tableau;
mod taking;
mod time;

pub use answer::NaiveAnswer;
pub use graph::{NaiveGraph, NoGraph};
pub use live::NaiveFairness;

use crate::observer::{RandomObserver, WatcherMemory};
use std::collections::BTreeMap;
use watchkeeper_core::{Pid, ProcSet, Promises, Protocol};
use watchkeeper_world::Scenario;

/// What is explored.
pub struct NaiveWorld<'a, P: Promises> {
    /// The protocol.
    pub protocol: &'a P,
    /// What surrounds it.
    pub scenario: &'a Scenario,
    /// What clients may ask, and how often.
    pub calls: &'a [(Pid, P::Call, u32)],
    /// Who deadlines.
    pub watchers: &'a [RandomObserver],
}

/// What is left of a bound: not before so many ticks, and not after so many, if there is an end. Without time it is
/// always the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Left {
    /// Not before.
    pub lo: u32,
    /// Not after.
    pub hi: Option<u32>,
}

/// A channel: sender, receiver, and the kind of its messages where each kind has one.
pub type ChannelId = (Pid, Pid, usize);

/// One process: `S` is the state of the protocol, `M` its message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NaiveProcess<S, M> {
    /// It has not started yet.
    Unborn,
    /// It has crashed.
    Crashed,
    /// It is up.
    Up {
        /// What it remembers.
        state: S,
        /// Its armed timers.
        timers: BTreeMap<usize, Left>,
        /// What it has yet to send.
        outbox: Vec<(Pid, M)>,
    },
}

/// What a watcher remembers, and which of its deadlines run, with what is left of each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ObserverState {
    /// What it remembers.
    pub memory: WatcherMemory,
    /// Which of its deadlines run.
    pub running: BTreeMap<usize, u32>,
}

/// What the oracle has decided.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OracleState {
    /// Whom it leaves alone.
    pub immune: Option<Pid>,
    /// Whether it has settled.
    pub settled: bool,
    /// How many mistakes it has made.
    pub mistakes: u32,
    /// Whom each process suspects.
    pub suspects: Vec<ProcSet>,
}

/// A global state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Whole<S, M> {
    /// The processes.
    pub processes: Vec<NaiveProcess<S, M>>,
    /// The messages on their way, in the order in which they were sent, or sorted where that does not matter. Only
    /// channels that hold something are there.
    pub lanes: BTreeMap<ChannelId, Vec<(M, Left)>>,
    /// Messages lost so far, where they are counted.
    pub losses: u32,
    /// Messages duplicated so far, where they are counted.
    pub duplications: u32,
    /// Recoveries so far, where they are counted.
    pub recoveries: u32,
    /// Whether the bounds on messages hold.
    pub stable: bool,
    /// The oracle, if there is one.
    pub oracle: Option<OracleState>,
    /// How often each call was issued.
    pub calls: Vec<u32>,
    /// The channel that has overflowed.
    pub overflow: Option<ChannelId>,
    /// The watchers.
    pub watching: Vec<ObserverState>,
}

/// The global state of a protocol.
pub type WholeOf<P> = Whole<<P as Protocol>::State, <P as Protocol>::Msg>;

/// What kind of thing happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ActionKind {
    /// A message of this kind is delivered.
    Deliver(usize),
    /// The timer in this slot fires.
    Fire(usize),
    /// A client asks something of this kind.
    Call(usize),
    /// A message arrives at a crashed process.
    Swallow,
    /// A process that waited sends on.
    Unblock,
    /// A process crashes.
    Crash,
    /// A process recovers.
    Recover,
    /// A message is lost.
    Lose,
    /// A message is duplicated.
    Duplicate,
    /// A unit of time passes.
    Tick,
    /// The bounds on messages hold from now on.
    Stabilise,
    /// The oracle may suspect.
    Suspect,
    /// The oracle may stop suspecting.
    Trust,
    /// The oracle must suspect.
    Detect,
    /// The oracle must stop suspecting.
    Relent,
    /// The oracle settles.
    Settle,
}

impl ActionKind {
    /// Whether nothing ever obliges it to happen.
    pub fn is_fault(self) -> bool {
        use ActionKind::{Crash, Duplicate, Lose, Recover, Suspect, Trust};
        matches!(self, Crash | Recover | Lose | Duplicate | Suspect | Trust)
    }

    /// Whether no run puts it off for ever.
    pub fn is_owed(self) -> bool {
        matches!(self, ActionKind::Stabilise | ActionKind::Detect | ActionKind::Relent | ActionKind::Settle)
    }
}

/// What happens in a step: `M` is a message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NaiveAction<M> {
    /// What kind of thing.
    pub sort: ActionKind,
    /// To whom.
    pub process: Option<Pid>,
    /// With whom.
    pub peer: Option<Pid>,
    /// Which message, if it is about one, and what is left of its bound.
    pub message: Option<(M, Left)>,
    /// Which call, if it is one.
    pub entry: usize,
}

/// What a step does, of a protocol.
pub type NaiveActionOf<P> = NaiveAction<<P as Protocol>::Msg>;

impl<M> NaiveAction<M> {
    fn new(sort: ActionKind, process: Option<Pid>, peer: Option<Pid>) -> NaiveAction<M> {
        NaiveAction { sort, process, peer, message: None, entry: 0 }
    }
}

/// All that can follow a state.
pub struct Next<P: Promises> {
    /// The steps.
    pub steps: Vec<(NaiveActionOf<P>, WholeOf<P>)>,
    /// Whether something could happen that a search leaves out, because a channel without limit has one in the search.
    pub cut: bool,
}

/// A step that a search leaves out.
pub struct Cut;

impl<S, M> NaiveProcess<S, M> {
    /// Whether it takes input.
    pub fn is_ready(&self) -> bool {
        matches!(self, NaiveProcess::Up { outbox, .. } if outbox.is_empty())
    }

    /// Whether it has crashed.
    pub fn is_crashed(&self) -> bool {
        matches!(self, NaiveProcess::Crashed)
    }
}

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// All that can happen in a state.
    pub fn next(&self, whole: &WholeOf<P>) -> Next<P> {
        let mut next = Next { steps: Vec::new(), cut: false };
        if whole.overflow.is_some() || self.all_judged(whole) {
            return next;
        }
        for me in Pid::all(self.scenario.n) {
            match &whole.processes[me.index()] {
                NaiveProcess::Unborn => {}
                NaiveProcess::Crashed => {
                    self.swallow(whole, me, &mut next);
                    self.recover(whole, me, &mut next);
                }
                NaiveProcess::Up { outbox, .. } => {
                    if outbox.is_empty() {
                        self.deliver(whole, me, &mut next);
                        self.fire(whole, me, &mut next);
                        self.call(whole, me, &mut next);
                        self.notice(whole, me, &mut next);
                    } else {
                        self.unblock(whole, me, &mut next);
                    }
                    self.crash(whole, me, &mut next);
                }
            }
        }
        self.lose(whole, &mut next);
        self.duplicate(whole, &mut next);
        self.settle(whole, &mut next);
        self.stabilise(whole, &mut next);
        if let Some(after) = self.ticked(whole)
            && after != *whole
        {
            next.steps.push((NaiveAction::new(ActionKind::Tick, None, None), after));
        }
        next
    }

    /// The most messages in one channel.
    fn room(&self) -> usize {
        self.scenario.network.capacity.limit() as usize
    }

    fn is_full(&self, whole: &WholeOf<P>, lane: ChannelId) -> bool {
        whole.lanes.get(&lane).map_or(0, Vec::len) >= self.room()
    }
}
