//! Observers: what must be true of runs, as a pure state machine that sees what happens and may start
//! watches. An observer never acts and never delays anything: a watch that runs out is told to it when
//! more than its bound has passed, and not before.

use crate::{Pack, Perm, Pid, Protocol, Symmetry};
use std::fmt::Debug;
use std::hash::Hash;

/// The most watches of one observer.
pub const MAX_WATCHES: usize = 64;

/// A requirement on runs of a protocol, observed step by step.
///
/// # Order of calls
/// [`start`](Observer::start) once, then [`see`](Observer::see) for each sight in the order in which
/// things happen, those of the start of every process included, and [`expired`](Observer::expired) for
/// each watch that has run out; a watch that has run out is no longer running. After each step the
/// environment asks [`judge`](Observer::judge). Once the answer is not [`Judgement::Open`] nothing more is
/// told, but for other watches that have run out at the very same moment.
pub trait Observer<P: Protocol>: Send + Sync {
    /// What it remembers.
    type State: Clone + Eq + Hash + Pack + Debug + Send + Sync;

    /// Its name on the command line and in reports.
    fn name(&self) -> String;

    /// What it remembers before anything has happened.
    fn start(&self, watches: &mut Watches) -> Self::State;

    /// How it takes in one thing that happens.
    fn see(&self, state: &mut Self::State, sight: &Sight<'_, P>, watches: &mut Watches);

    /// More than the bound of this watch has passed since it was started.
    fn expired(&self, _state: &mut Self::State, _watch: usize, _watches: &mut Watches) {}

    /// What it thinks of the run so far.
    fn judge(&self, state: &Self::State) -> Judgement;

    /// Whether it minds only what happens at each process by itself: of two runs in which every process does the
    /// same in the same order, it judges both alike, and what is violated stays so in every run that goes on from
    /// there. A loss is something that happens to the destination. Steps that such an observer sees can be
    /// searched in one order instead of all. The default promises nothing.
    fn order_blind(&self) -> bool {
        false
    }

    /// Whether it judges a run as it judges the run that a world in stages puts in its place
    /// ([`Staged`](crate::Staged)). Each process does the same in the stages of both, in the same order. What differs:
    /// steps of different processes come in another order; messages that belong to no stage are taken later, and by
    /// more processes; whoever could take a step in a stage, or be asked by its client, has done so. What is violated
    /// must stay so. The default promises nothing, and a world in stages refuses the question.
    fn stage_blind(&self) -> bool {
        false
    }

    /// Whether it may take notice of something that happens, in whatever state it is. What it does not heed
    /// leaves its state and its watches as they are. The default heeds everything.
    fn heeds(&self, _sight: &Sight<'_, P>) -> bool {
        true
    }

    /// Which renamings of processes it cannot see, its watches renamed by
    /// [`rename_watch`](Observer::rename_watch) along with its state. The default promises nothing.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The watch that this one is after a renaming of processes.
    fn rename_watch(&self, watch: usize, _perm: &Perm) -> usize {
        watch
    }
}

/// What an observer thinks of a run so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It may yet go either way.
    Open,
    /// Nothing that follows can be wrong any more: a search need not go on from here.
    Settled,
    /// It is wrong, and this is how.
    Violated(String),
}

/// Something that happens in a run.
pub enum Sight<'a, P: Protocol> {
    /// A process receives a message.
    Received {
        /// The process.
        by: Pid,
        /// The sender.
        from: Pid,
        /// The message.
        msg: &'a P::Msg,
    },
    /// A timer of a process fires.
    Fired {
        /// The process.
        by: Pid,
        /// The timer.
        timer: P::Timer,
    },
    /// A client asks a process.
    Called {
        /// The process.
        by: Pid,
        /// What is asked.
        call: &'a P::Call,
    },
    /// A process hands a message to the network.
    Sent {
        /// The process.
        by: Pid,
        /// The destination.
        to: Pid,
        /// The message.
        msg: &'a P::Msg,
    },
    /// A process announces something.
    Emitted {
        /// The process.
        by: Pid,
        /// What it announces.
        output: &'a P::Output,
    },
    /// A process crashes.
    Crashed {
        /// The process.
        process: Pid,
    },
    /// A process that has crashed starts again. What it sends and announces at once is seen after this.
    Recovered {
        /// The process.
        process: Pid,
    },
    /// The network loses a message.
    Lost {
        /// The sender.
        from: Pid,
        /// The destination.
        to: Pid,
        /// The message.
        msg: &'a P::Msg,
    },
}

/// The watches of an observer, numbered from 0: orders that its environment carries out after each call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watches {
    orders: Vec<(usize, Option<u32>)>,
}

impl Watches {
    /// Starts a watch, in place of what was running under this number: it runs out once more than
    /// `bound` has passed from now.
    pub fn start(&mut self, watch: usize, bound: u32) {
        debug_assert!(watch < MAX_WATCHES);
        self.orders.push((watch, Some(bound)));
    }

    /// Stops a watch.
    pub fn stop(&mut self, watch: usize) {
        self.orders.push((watch, None));
    }

    /// The orders given, first to last: which watch, and its bound or `None` to stop it.
    pub fn orders(&self) -> &[(usize, Option<u32>)] {
        &self.orders
    }
}
