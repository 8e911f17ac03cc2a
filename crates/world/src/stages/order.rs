//! Whose turn it is in a row, and what may happen there: the order in which a run is searched. It only ever
//! leaves steps of the world out, and adds none.

use super::InStages;
use crate::channel::EMPTY;
use crate::transition::Transition;
use watchkeeper_core::{Pid, ProcSet, Stage};
use watchkeeper_space::{Action, ActionLabels, Id};

/// Whose turn it is.
pub(super) struct StageTurn {
    /// Where each process stands; nowhere if it has crashed or takes part in nothing any more.
    stands: Vec<Option<Stage>>,
    /// The process that is due and stands lowest.
    next: Option<(Stage, usize)>,
    /// The lowest round in which anyone takes part.
    pub(super) floor: u64,
    /// Who was left behind.
    left: ProcSet,
}

impl StageTurn {
    /// Whether a process was left behind.
    pub(super) fn leaves(&self, process: usize) -> bool {
        self.stands[process].is_some() && self.left.contains(Pid::at(process))
    }

    /// Who is left behind after a step that a process takes in the stage in which it stands: all who stand in an
    /// earlier round.
    fn overtaken(&self, by: usize) -> ProcSet {
        let Some(stage) = self.stands[by] else { return self.left };
        let below = |other: &usize| self.stands[*other].is_some_and(|other| other.round < stage.round);
        let overtaken: ProcSet = (0..self.stands.len()).filter(below).map(Pid::at).collect();
        self.left.union(overtaken)
    }

    /// Whether someone was left behind in this round.
    pub(super) fn left_in(&self, round: u64) -> bool {
        let there = |stage: Option<Stage>| stage.is_some_and(|stage| stage.round == round);
        self.stands.iter().enumerate().any(|(process, stage)| there(*stage) && self.leaves(process))
    }

    /// Whether its detector may now surprise a process, or it may crash: if it is its turn, or would have been
    /// had it been due.
    fn reaches(&self, process: usize) -> bool {
        let Some(stage) = self.stands[process] else { return true };
        let in_time = self.next.is_none_or(|next| (stage, process) <= next);
        in_time && !self.leaves(process)
    }

    fn is(&self, process: usize) -> bool {
        self.next.is_some_and(|(_, next)| next == process)
    }
}

impl InStages {
    /// Whose turn it is in a row.
    pub(super) fn turn(&self, row: &[Id], left: ProcSet) -> StageTurn {
        let mut turn = self.standing(row, left);
        let remaining = |process: &usize| !left.contains(Pid::at(*process)) && self.is_due(*process, row);
        let stands = |process: usize| Some((turn.stands[process]?, process));
        turn.next = (0..turn.stands.len()).filter_map(stands).filter(|(_, process)| remaining(process)).min();
        turn
    }

    /// Where all stand in a row, without asking whose turn it is.
    pub(super) fn standing(&self, row: &[Id], left: ProcSet) -> StageTurn {
        let n = self.world.scenario.n;
        let stands: Vec<Option<Stage>> = (0..n).map(|process| self.stage(process, row[process])).collect();
        let live = stands.iter().enumerate().filter(|(process, _)| !left.contains(Pid::at(*process)));
        // Where nobody takes part any more, all rounds are behind.
        let floor = live.filter_map(|(_, stage)| *stage).min().map_or(u64::MAX, |stage| stage.round);
        StageTurn { stands, next: None, floor, left }
    }

    /// Whether something must happen to a process that takes part in a stage.
    fn is_due(&self, process: usize, row: &[Id]) -> bool {
        let world = &self.world;
        let Some(state) = world.machines[process].locals.get(row[process]).value.state() else {
            return false;
        };
        let asked = |&entry: &usize| row[world.layout.call(entry)] < world.calls[entry].budget;
        if world.calls_of[process].iter().any(asked) {
            return true;
        }
        let me = Pid::at(process);
        let mut others = (0..world.scenario.n).filter(|&whom| whom != process && world.is_crashed(whom, row));
        if others.any(|whom| self.rules.waits_for(me, state, Pid::at(whom))) {
            return true;
        }
        world.routes.inbound(process).any(|channel| {
            let content = row[world.layout.channel(channel)];
            content != EMPTY
                && world.channels[channel].deliveries(content, || world.rules(channel)).iter().any(
                    |removal| {
                        self.stage_of(process, removal.flight).is_some()
                            && !world.received(process, row[process], removal.flight).is_empty()
                    },
                )
        })
    }

    /// Whether someone left behind waits for this process.
    fn is_missed(&self, row: &[Id], turn: &StageTurn, process: usize) -> bool {
        let world = &self.world;
        (0..world.scenario.n).filter(|&other| turn.leaves(other)).any(|other| {
            let state = world.machines[other].locals.get(row[other]).value.state();
            state.is_some_and(|state| self.rules.waits_for(Pid::at(other), state, Pid::at(process)))
        })
    }

    /// Who is left behind after an action of a row.
    pub(super) fn left_after(&self, row: &[Id], turn: &StageTurn, action: Action) -> ProcSet {
        let world = &self.world;
        match self.transition(action) {
            Transition::Deliver { channel, place, .. } => {
                let (to, staged) = self.message(row, channel, place);
                if staged { turn.overtaken(to) } else { turn.left }
            }
            Transition::Call { entry, .. } => turn.overtaken(world.calls[entry].process.index()),
            Transition::Tell { process, .. } => turn.overtaken(process),
            _ => turn.left,
        }
    }

    /// The receiver of a message on its way, and whether it belongs to a stage.
    fn message(&self, row: &[Id], channel: usize, place: usize) -> (usize, bool) {
        let world = &self.world;
        let (_, to, _) = world.routes.ends(channel);
        let deliveries =
            world.channels[channel].deliveries(row[world.layout.channel(channel)], || world.rules(channel));
        let removal = deliveries.iter().find(|removal| usize::from(removal.place) == place);
        (to.index(), removal.is_none_or(|removal| self.stage_of(to.index(), removal.flight).is_some()))
    }

    /// Whether an action of a row is one of those that are searched.
    pub(super) fn may(&self, row: &[Id], turn: &StageTurn, action: Action) -> bool {
        let world = &self.world;
        match self.transition(action) {
            Transition::Deliver { channel, place, .. } | Transition::Lose { channel, place } => {
                let (to, staged) = self.message(row, channel, place);
                !staged || turn.is(to)
            }
            Transition::Call { entry, .. } => {
                let process = world.calls[entry].process.index();
                turn.stands[process].is_none() || turn.is(process)
            }
            // Whoever is waited for by someone left behind would have had to crash before that was.
            Transition::Crash { process } if self.is_missed(row, turn, process) => false,
            // What a crash may take along is still on its way to those who come before.
            Transition::Crash { process } if world.scenario.faults.crash_loses => !turn.leaves(process),
            Transition::Crash { process } => turn.reaches(process),
            _ => match world.action_label(row, action).process {
                Some(process) => turn.reaches(process.index()),
                None => true,
            },
        }
    }
}
