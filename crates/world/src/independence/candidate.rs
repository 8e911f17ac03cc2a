//! A candidate for an ample set: all steps of some processes, collected and examined before the search sees them.

use super::AmpleExpansion;
use super::visibility::Invisibility;
use crate::World;
use crate::transition::Transition;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::{Action, Edit, Id, Successors};

/// The steps of some processes, and what there is to know about them.
pub(super) struct AmpleCandidate<'a> {
    world: &'a World,
    row: &'a [Id],
    interest: &'a Invisibility,
    pub(super) part: AmpleExpansion,
    pub(super) steps: Successors,
    progress: bool,
    shows: bool,
}

impl<'a> AmpleCandidate<'a> {
    /// All steps of these processes.
    pub(super) fn collect(
        world: &'a World,
        row: &'a [Id],
        interest: &'a Invisibility,
        only: ProcSet,
    ) -> AmpleCandidate<'a> {
        let mut part =
            AmpleExpansion { only, quiet: interest.quiet, heard: false, jammed: ProcSet::EMPTY, ends: false };
        let mut steps = Successors::new();
        let mut candidate = AmpleCandidate {
            world,
            row,
            interest,
            part,
            steps: Successors::new(),
            progress: false,
            shows: false,
        };
        steps.through(
            |inner| world.expand_part(row, inner, Some(&mut part)),
            |steps, action, edits| candidate.sift(steps, action, edits),
        );
        (candidate.part, candidate.steps) = (part, steps);
        candidate
    }

    /// Whether these steps can stand for all: nobody who is asked sees them, none ends the run, and one of them is no
    /// fault.
    pub(super) fn is_sound(&self) -> bool {
        self.progress && !self.shows && !self.part.heard && !self.part.ends
    }

    /// What is better smaller: first of all the number of steps.
    pub(super) fn size(&self) -> (usize, usize, u64) {
        (self.steps.len(), self.part.only.len(), self.part.only.bits())
    }

    /// Whose step this is; nobody's if it is the oracle that settles.
    fn owner(&self, action: Action) -> Option<Pid> {
        match self.world.classes.transition(action)? {
            Transition::Deliver { channel, .. }
            | Transition::Swallow { channel, .. }
            | Transition::Lose { channel, .. } => Some(self.world.routes.ends(channel).1),
            Transition::Fire { process, .. }
            | Transition::Unblock { process }
            | Transition::Crash { process }
            | Transition::Recover { process, .. }
            | Transition::Tell { process, .. } => Some(Pid::at(process)),
            Transition::Call { entry, .. } => Some(self.world.calls[entry].process),
            _ => None,
        }
    }
}

impl AmpleCandidate<'_> {
    fn sift(&mut self, steps: &mut Successors, action: Action, edits: &[Edit]) {
        let owner = self.owner(action).filter(|&p| self.part.only.contains(p));
        let Some(owner) = owner else { return };
        self.progress |= self.world.is_progress(action);
        let before = self.row[owner.index()];
        let after = edits.iter().find(|edit| edit.slot as usize == owner.index());
        if let Some(after) = after.filter(|_| !self.shows) {
            self.shows = self.world.shows(self.interest, owner.index(), before, after.id);
        }
        steps.step(action, edits);
    }
}
