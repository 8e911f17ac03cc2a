//! Partial-order reduction of untimed worlds: which steps of a state can stand for all, and why. It decides by what
//! processes can do to each other, never by interned ids, and where it is in doubt it leaves out nothing.
//!
//! # Whose a step is
//! Every step but the settling of an oracle is one process's: who receives, swallows or loses a message, fires, is
//! called, sends on, crashes, recovers or is told something. A channel has one process at each end; only its sender adds
//! to it, and only steps of its receiver take from it.
//!
//! # What is given
//! All steps of a cluster C of processes, such that whatever the others do while C rests
//! 1. makes no step of C possible that was not (those that were may cease to be, if they are faults), and
//! 2. leads to the same state whether a step of C comes before it or after it.
//!
//! The first step of C in any run may then come first, and a step of C that is no fault may be put before any run
//! of the others, since nothing that they do takes it away. `cluster` finds C: it begins with one process and adds whoever
//! can break 1 or 2:
//! - Who may send to p in C, itself or through others that it wakes ([`Protocol::reaches`]), while C rests. A message
//!   adds no step of p only if it joins a FIFO channel that is not empty, and taking the first message commutes with
//!   adding one only if the channel is never full: so it must have no limit. (The cap of an unbounded channel is no
//!   limit: beyond it a search cuts, and says that it did.) While p waits for room it takes nothing, and who sends to it
//!   does not matter. If p has crashed and may recover, recovery empties its channels, and any sender matters. If
//!   messages can be lost, each one added can be lost too, and any sender matters.
//! - Who makes room that p waits for, or would find none of: a step of C that finds a channel full is only in order
//!   if the channel's receiver is in C too. A step that overflows a channel, and so ends the run, never is.
//! - Whose crash lets its messages to p be lost.
//! - Whose crash an oracle may tell p of, if it has settled and suspects nobody anew who has not crashed. Other oracles
//!   may suspect anybody anyway: a crash, or the settling, only changes the name of what they do or ends it.
//! - If p can crash: whoever could be told otherwise about p before, which is everyone where suspicions last, and
//!   nobody under an oracle that makes no mistakes (any more).
//!
//! Budgets of crashes, recoveries, losses and mistakes are shared, and only ever used up: what is within one in some
//! order is in any other. They can take faults of C away, which 1 allows. Without a limit on recoveries crashes are
//! counted by who is down, which does not only go up; there is no reduction then. Nor while one is left: it sends again from
//! the start, and what was on its way to the process is gone. Nor while messages can be duplicated:
//! a copy made by the receiver fills the channel of its sender.
//!
//! A selective protocol's messages are forgotten once their receiver will never want them. That commutes with the
//! receiver's steps because never is for ever ([`Protocol::SELECTIVE_RECEIVE`]).
//!
//! A message to a process that has crashed for good is swallowed at some time, unseen and in whatever order, and no
//! step is possible or not because of it if channels have no limit and lose nothing: so it can be swallowed at once, and
//! this one step is given alone.
//!
//! # What is asked
//! Deadlocks are kept: a step of C that is no fault is still possible wherever only others have moved, so a run into
//! a deadlock has a step of C, and with that first it leads to the same state.
//!
//! For an invariant, let a run of others lead to a state that is wrong. With a step of C before it, the state
//! at its end must be wrong as well:
//! - The atom looks only at what no step of C changes, whatever the others have done by then: `asked` knows that of
//!   atoms that are about one process's state each, and of observers that do not heed the step.
//! - Or it stays false once it is: so do observers that mind no order, channels that have overflowed, and atoms that
//!   promise it. The step of C may also come after the run, and that is the same state, or for the observer the same
//!   judgement.
//!
//! Where all observers have made up their mind a world ends its runs, and a step of C before a run might end it early.
//! An observer that was to find something wrong has not made up its mind until then, so if only observers are asked this
//! does no harm; and a state that is a deadlock is no end, so some observer is of two minds in it, and was before in any
//! order. For all other atoms no step of C may be heeded by any observer.
//!
//! # Going on for ever
//! What is left out here is left out again after the step, and so on. The search sees to it that this has an end
//! ([`Space::expand_ample`](watchkeeper_space::Space::expand_ample)).

mod candidate;
mod stubborn;
mod visibility;

use crate::channel::EMPTY;
use crate::transition::code;
use crate::{ANY_NUMBER, Capacity, Time, World};
use candidate::AmpleCandidate;
use stubborn::StubbornClosure;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::{Action, Edit, Expansion, FullyExpanded, Id, Space, SpaceQuery, Successors};

/// What an expansion is told that gives only some steps, and what it finds out about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AmpleExpansion {
    /// Whose steps are wanted.
    pub(crate) only: ProcSet,
    /// Observers, as bits, that should not heed these steps.
    pub(crate) quiet: u64,
    /// Whether one of them did.
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
            () if self.scenario.time != Time::Untimed => Some(FullyExpanded::Time),
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
        let scene = StubbornClosure::new(self, row);
        let mut tried: Vec<ProcSet> = Vec::new();
        let mut best: Option<AmpleCandidate<'_>> = None;
        for process in Pid::all(self.scenario.n).filter(|&p| scene.moves(p)) {
            let mut cluster = scene.closed(ProcSet::only(process));
            while cluster != scene.all && !tried.contains(&cluster) {
                tried.push(cluster);
                let sieve = AmpleCandidate::collect(self, row, &interest, cluster);
                if !sieve.part.jammed.is_subset(cluster) {
                    cluster = scene.closed(cluster.union(sieve.part.jammed));
                    continue;
                }
                if sieve.is_sound() && best.as_ref().is_none_or(|best| sieve.size() < best.size()) {
                    best = Some(sieve);
                }
            }
        }
        match best {
            Some(sieve) => {
                out.through(|inner| *inner = sieve.steps, |out, action, edits| out.step(action, edits));
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
