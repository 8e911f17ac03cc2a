//! Partial-order reduction of untimed worlds: it computes ample (persistent) sets of steps and argues why they are enough.
//! It decides by what processes can do to each other, never by interned ids, and in doubt it expands a state fully.
//!
//! # The process of a step
//! Every step except the settling of an oracle belongs to one process: the process that receives, swallows or loses a
//! message, fires, is called, sends on, crashes, recovers or is told something. A channel has one process at each end; only
//! its sender adds to it, and only steps of its receiver remove from it.
//!
//! # The ample set
//! The ample set is all steps of a set C of processes such that any run of the others, while C rests,
//! 1. enables no step of C that was not enabled (it may disable steps of C that are faults), and
//! 2. leads to the same state whether a step of C comes before it or after it.
//!
//! Then the first step of C in any run may come first, and a step of C that is no fault may be put before any run
//! of the others, since no step of theirs disables it. `stubborn` computes C as a stubborn closure: it begins with one
//! process and adds every process that can break 1 or 2:
//! - The processes that may send to p in C, directly or through others that they wake ([`Protocol::reaches`]), while C rests. A
//!   message enables no step of p only if it joins a FIFO channel that is not empty, and the removal of the first message
//!   commutes with the addition of another only if the channel is never full: so it must have no limit. (The cap of an
//!   unbounded channel is no limit: beyond it a search cuts, and says that it did.) While p waits for room it takes
//!   nothing, and senders to it do not matter. If p has crashed and may recover, recovery empties its channels, and every
//!   sender matters. If messages can be lost, each message that is added can be lost too, and every sender matters.
//! - The processes that make the room that p waits for, or would not find: a step of C that finds a channel full is
//!   allowed only if the channel's receiver is in C too. A step that overflows a channel, and so ends the run, never is.
//! - The processes whose crash lets their messages to p be lost.
//! - The processes whose crash an oracle may tell p, if it has settled and suspects no further process that has not
//!   crashed. Other oracles may suspect any process anyway: a crash, or the settling, only changes the name of their
//!   steps or ends them.
//! - If p can crash: the processes that could be told otherwise about p before. These are all where suspicions last,
//!   and none under an oracle that makes no mistakes (any more).
//!
//! Budgets of crashes, recoveries, losses and mistakes are shared, and only ever used up: a run that is within a budget in
//! one order is within it in every other. They can disable faults of C, which 1 allows. Without a limit on recoveries
//! crashes are counted by the processes that are down, and this count does not only go up; there is no reduction then. Nor
//! is there while a recovery is left: the process sends again from the start, and the messages in flight to it are gone. Nor
//! while messages can be duplicated: a copy made by the receiver fills the channel of its sender.
//!
//! Messages of a selective protocol are discarded once their receiver will never take them. That commutes with the
//! receiver's steps because the answer "never" is final ([`Protocol::SELECTIVE_RECEIVE`]).
//!
//! A message to a process that has crashed for good is swallowed at some time, unseen and in whatever order, and it enables
//! and disables no step if channels have no limit and lose nothing: so it can be swallowed at once, and this one step is
//! an ample set.
//!
//! # Properties that are preserved
//! Deadlocks: a step of C that is no fault is still enabled wherever only others have moved, so a run into
//! a deadlock has a step of C, and with that step first it leads to the same state.
//!
//! Invariants: let a run of others lead to a state that violates the invariant. With a step of C before it, the state
//! at its end must violate it as well:
//! - The atom depends only on parts that no step of C changes, whatever the others have done by then: `visibility` knows
//!   this of atoms about the state of one process each, and of observers to which the step is invisible.
//! - Or the atom stays false once it is false: this holds for observers that are invariant under trace equivalence, for
//!   channels that have overflowed, and for atoms that promise it. The step of C may also come after the run, and that is
//!   the same state, or for the observer the same judgement.
//!
//! A world ends its runs where all observers have decided, and a step of C before a run might end it early. An observer that
//! was to find a violation has not decided until then, so this does no harm if only observers are asked. A
//! deadlock is no such end: in a deadlock the verdict of some observer is still open, and it was open before in any order. For
//! all other atoms every step of C must be invisible to all observers.
//!
//! # Ignoring
//! A step that is left out here is left out again after the next step, and so on. The search prevents that a step is ignored
//! for ever ([`AmpleSets`](watchkeeper_space::AmpleSets)).

mod candidate;
mod stubborn;
mod visibility;

use crate::channel::EMPTY;
use crate::transition::code;
use crate::{ANY_NUMBER, Capacity, World, WorldTime};
use candidate::AmpleCandidate;
use stubborn::StubbornClosure;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::{Action, Edit, Expansion, FullyExpanded, Id, Space, SpaceQuery, Successors};

/// What an expansion is told that gives only some steps, and what it finds out about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AmpleExpansion {
    /// Whose steps are wanted.
    pub(crate) only: ProcSet,
    /// Observers, as bits, to which these steps should be invisible.
    pub(crate) quiet: u64,
    /// Whether a step was visible to one of them.
    pub(crate) heard: bool,
    /// To whom there was a channel without room.
    pub(crate) jammed: ProcSet,
    /// Whether a step ends the run.
    pub(crate) ends: bool,
}

impl World {
    /// Why nothing can be left out in this world, for what is asked.
    pub(crate) fn irreducible(&self, asked: &SpaceQuery) -> Option<FullyExpanded> {
        match () {
            () if self.scenario.time != WorldTime::Untimed => Some(FullyExpanded::Time),
            () if self.scenario.faults.recoveries == ANY_NUMBER => Some(FullyExpanded::Recoveries),
            () if self.scenario.network.duplications == ANY_NUMBER => Some(FullyExpanded::Duplications),
            () => self.interest(asked).err(),
        }
    }

    /// Gives some steps of a row that stand for all, if there are such.
    pub(crate) fn expand_in_part(&self, row: &[Id], asked: &SpaceQuery, out: &mut Successors) -> Expansion {
        let over = self.overflow(row).is_some() || self.is_settled(row) || self.duplications_left(row);
        // A recovery sends again from the start, and takes what was on its way along: it commutes with too little.
        let over = over || self.scenario.faults.recoveries > 0 && self.recoveries_left(row);
        let Some(interest) = self.interest(asked).ok().filter(|_| !over) else {
            self.expand_row(row, out);
            return Expansion::Full;
        };
        if let Some((action, edit)) = self.swallowed_at_once(row) {
            out.step(action, &[edit]);
            return Expansion::Ample;
        }
        let closure = StubbornClosure::new(self, row);
        let mut tried: Vec<ProcSet> = Vec::new();
        let mut best: Option<AmpleCandidate<'_>> = None;
        for process in Pid::all(self.scenario.n).filter(|&p| closure.moves(p)) {
            let mut members = closure.closed(ProcSet::only(process));
            while members != closure.all && !tried.contains(&members) {
                tried.push(members);
                let candidate = AmpleCandidate::collect(self, row, &interest, members);
                if !candidate.part.jammed.is_subset(members) {
                    members = closure.closed(members.union(candidate.part.jammed));
                    continue;
                }
                if candidate.is_sound() && best.as_ref().is_none_or(|best| candidate.size() < best.size()) {
                    best = Some(candidate);
                }
            }
        }
        match best {
            Some(candidate) => {
                out.through(|inner| *inner = candidate.steps, |out, action, edits| out.step(action, edits));
                Expansion::Ample
            }
            None => {
                self.expand_row(row, out);
                Expansion::Full
            }
        }
    }

    /// The swallowing of a message to a process that has crashed for good, where nobody can tell when it happens.
    fn swallowed_at_once(&self, row: &[Id]) -> Option<(Action, Edit)> {
        let class = self.classes.swallow?;
        let unlimited = matches!(self.scenario.network.capacity, Capacity::Unbounded { .. });
        if !unlimited || self.is_lossy(row) || self.may_recover(row) {
            return None;
        }
        let crashed = (0..self.scenario.n).filter(|&process| self.is_crashed(process, row));
        let mut channels = crashed.flat_map(|process| self.routes.inbound(process));
        let channel = channels.find(|&channel| row[self.layout.channel(channel)] != EMPTY)?;
        let slot = self.layout.channel(channel);
        let removal = self.channels[channel].deliveries(row[slot], || self.rules(channel)).first()?;
        let action = Action::new(class, code(channel, usize::from(removal.place), 0));
        Some((action, Edit::new(slot, removal.after)))
    }

    /// Whether a message may be lost, now or once its sender has crashed.
    fn is_lossy(&self, row: &[Id]) -> bool {
        let losses = self.scenario.network.losses;
        let left = self.layout.losses.map_or(losses == ANY_NUMBER, |slot| row[slot] < losses);
        left || self.scenario.faults.crash_loses && self.classes.crash.is_some()
    }

    fn duplications_left(&self, row: &[Id]) -> bool {
        let most = self.scenario.network.duplications;
        self.layout.duplications.map_or(most == ANY_NUMBER, |slot| row[slot] < most)
    }

    /// Whether a process that has crashed may start again.
    fn may_recover(&self, row: &[Id]) -> bool {
        self.classes.recover.is_some() && self.recoveries_left(row)
    }

    /// The roles of classes as an engine sees them: whether a step of this class is no fault.
    fn is_progress(&self, action: Action) -> bool {
        self.shape().classes[usize::from(action.class())].role != watchkeeper_space::Role::Fault
    }
}
