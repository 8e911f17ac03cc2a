//! Observers: requirements on runs, as pure state machines. An observer sees every observation of a run and may start
//! deadlines. It never acts and never delays anything: a deadline expires when more than its bound has passed.

use crate::{Pack, Perm, Pid, Protocol, Symmetry, Time};
use std::fmt::Debug;
use std::hash::Hash;

/// The largest number of deadlines of one observer.
pub const MAX_DEADLINES: usize = 64;

/// A requirement on runs of a protocol, observed step by step.
///
/// # Order of calls
/// [`start`](Observer::start) once, then [`see`](Observer::see) for each observation in the order of the run, the
/// start of every process included, and [`expired`](Observer::expired) for each deadline that has expired; an expired
/// deadline no longer runs. After each step the environment asks [`judge`](Observer::judge). Once the answer is not
/// [`Judgement::Open`], the observer sees nothing more, except other deadlines that expire at the same moment.
pub trait Observer<P: Protocol<T>, T: Time = u32>: Send + Sync {
    /// The state of the observer.
    type State: Clone + Eq + Hash + Pack + Debug + Send + Sync;

    /// Its name on the command line and in reports.
    fn name(&self) -> String;

    /// The state before the first observation.
    fn start(&self, deadlines: &mut Deadlines<T>) -> Self::State;

    /// The reaction to one observation.
    fn see(&self, state: &mut Self::State, observation: &Observation<'_, P, T>, deadlines: &mut Deadlines<T>);

    /// More than the bound of this deadline has passed since it was started.
    fn expired(&self, _state: &mut Self::State, _deadline: usize, _deadlines: &mut Deadlines<T>) {}

    /// The judgement of the run so far.
    fn judge(&self, state: &Self::State) -> Judgement;

    /// Whether it is invariant under trace equivalence: it judges two runs alike if every process does the same in the
    /// same order in both, and a violation stays one in every continuation. A loss counts as an event of the
    /// destination. Partial-order reduction searches the steps that such an observer sees in one order
    /// instead of all. The default promises nothing.
    fn trace_invariant(&self) -> bool {
        false
    }

    /// Whether it judges a run like the representative run that a world in stages explores instead
    /// ([`Staged`](crate::Staged)). In both runs each process does the same in each stage, in the same order. The runs
    /// differ in three ways: steps of different processes come in another order; messages that belong to no stage are
    /// received later, and by more processes; a process that could take a step in a stage, or serve its client, has
    /// done so. A violation must stay one. The default promises nothing, and a world in stages refuses the question.
    fn stage_invariant(&self) -> bool {
        false
    }

    /// Whether an observation is visible to it in some state. An invisible observation changes neither its state nor
    /// its deadlines. By default every observation is visible.
    fn visible(&self, _observation: &Observation<'_, P, T>) -> bool {
        true
    }

    /// The renamings of processes under which it is invariant, if
    /// [`rename_deadline`](Observer::rename_deadline) renames its deadlines along with its state. The default
    /// promises nothing.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The number of this deadline after a renaming of processes.
    fn rename_deadline(&self, deadline: usize, _perm: &Perm) -> usize {
        deadline
    }
}

/// The judgement of an observer about a run so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The run can still become a violation.
    Open,
    /// No continuation can be a violation: a search need not go on from here.
    Settled,
    /// The run violates the requirement, for this reason.
    Violated(String),
}

/// An event of a run, as observers see it.
pub enum Observation<'a, P: Protocol<T>, T: Time = u32> {
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
        /// The request.
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
        /// The announcement.
        output: &'a P::Output,
    },
    /// A process crashes.
    Crashed {
        /// The process.
        process: Pid,
    },
    /// A crashed process starts again. Its first messages and announcements are observed after this.
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

/// The deadlines of an observer, numbered from 0: orders that its environment carries out after each call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlines<T = u32> {
    orders: Vec<(usize, Option<T>)>,
}

impl<T> Default for Deadlines<T> {
    fn default() -> Deadlines<T> {
        Deadlines { orders: Vec::new() }
    }
}

impl<T> Deadlines<T> {
    /// Starts a deadline and replaces one that runs under this number: it expires once more than `bound` has passed
    /// from now.
    pub fn start(&mut self, deadline: usize, bound: T) {
        debug_assert!(deadline < MAX_DEADLINES);
        self.orders.push((deadline, Some(bound)));
    }

    /// Stops a deadline.
    pub fn stop(&mut self, deadline: usize) {
        self.orders.push((deadline, None));
    }

    /// The orders, first to last: the deadline, and its bound or `None` to stop it.
    pub fn orders(&self) -> &[(usize, Option<T>)] {
        &self.orders
    }
}
