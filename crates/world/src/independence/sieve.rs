//! The steps of a cluster, collected and looked at before anybody is given them.

use super::Part;
use super::asked::Interest;
use crate::World;
use crate::act::Act;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::{Action, ClassId, Edit, Id, Sink};

/// The steps of some processes, and what there is to know about them.
pub(super) struct Sieve<'a> {
    world: &'a World,
    row: &'a [Id],
    interest: &'a Interest,
    pub(super) part: Part,
    steps: Vec<(Action, usize)>,
    edits: Vec<Edit>,
    /// What else happened, after how many steps.
    tallies: Vec<(usize, ClassId)>,
    cuts: Vec<usize>,
    /// Whether the step given last was one of these.
    through: bool,
    progress: bool,
    shows: bool,
}

impl<'a> Sieve<'a> {
    /// All steps of a cluster.
    pub(super) fn collect(
        world: &'a World,
        row: &'a [Id],
        interest: &'a Interest,
        only: ProcSet,
    ) -> Sieve<'a> {
        let mut part =
            Part { only, quiet: interest.quiet, heard: false, jammed: ProcSet::EMPTY, ends: false };
        let mut sieve = Sieve {
            world,
            row,
            interest,
            part,
            steps: Vec::new(),
            edits: Vec::new(),
            tallies: Vec::new(),
            cuts: Vec::new(),
            through: false,
            progress: false,
            shows: false,
        };
        world.expand_part(row, &mut sieve, Some(&mut part));
        sieve.part = part;
        sieve
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

    /// Hands everything on.
    pub(super) fn pass_on(&self, sink: &mut impl Sink) {
        let mut start = 0;
        let mut tallies = self.tallies.iter().peekable();
        for (i, &(action, end)) in self.steps.iter().enumerate() {
            sink.step(action, &self.edits[start..end]);
            start = end;
            while let Some(&&(_, class)) = tallies.peek().filter(|(after, _)| *after == i + 1) {
                sink.tally(class);
                tallies.next();
            }
        }
        self.cuts.iter().for_each(|&cap| sink.cut(cap));
    }

    /// Whose step this is; nobody's if it is the oracle that settles.
    fn owner(&self, action: Action) -> Option<Pid> {
        match self.world.classes.act(action)? {
            Act::Deliver { lane, .. } | Act::Swallow { lane, .. } | Act::Lose { lane, .. } => {
                Some(self.world.routes.ends(lane).1)
            }
            Act::Fire { process, .. }
            | Act::Unblock { process }
            | Act::Crash { process }
            | Act::Recover { process, .. }
            | Act::Tell { process, .. } => Some(Pid::at(process)),
            Act::Call { entry, .. } => Some(self.world.calls[entry].process),
            _ => None,
        }
    }
}

impl Sink for Sieve<'_> {
    fn step(&mut self, action: Action, edits: &[Edit]) {
        let owner = self.owner(action).filter(|&p| self.part.only.contains(p));
        self.through = owner.is_some();
        let Some(owner) = owner else { return };
        self.progress |= self.world.is_progress(action);
        let before = self.row[owner.index()];
        let after = edits.iter().find(|edit| edit.slot as usize == owner.index());
        if let Some(after) = after.filter(|_| !self.shows) {
            self.shows = self.world.shows(self.interest, owner.index(), before, after.id);
        }
        self.edits.extend_from_slice(edits);
        self.steps.push((action, self.edits.len()));
    }

    fn tally(&mut self, class: ClassId) {
        if self.through {
            self.tallies.push((self.steps.len(), class));
        }
    }

    fn cut(&mut self, cap: usize) {
        self.cuts.push(cap);
    }
}
