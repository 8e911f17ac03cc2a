//! Observers made at random: what they see starts deadlines, starts them anew and stops them, and deadlines that
//! run out are told. What an observer does then decides how far ticks and dense time can agree.

use super::draw::Draw;
use crate::tests::random::{Dice, Random};
use crate::{TypedWorld, WorldTime};
use watchkeeper_core::{
    Deadlines, Judgement, Kind, Observation, Observer, Pack, Perm, Pid, ProcSet, Slot, Symmetry,
};

/// What an observer does when a deadline has run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    /// It says that this is wrong.
    IsWrong,
    /// It remembers that, may stop other deadlines, and goes on.
    GoesOn,
    /// It may also start deadlines.
    StartsMore,
}

/// An observer that a seed decides, with two deadlines.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    pub(crate) seed: u64,
    pub(crate) then: Then,
    pub(crate) unit: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub(crate) struct Notes {
    mood: u8,
    /// The deadlines that ran out, up to three of them.
    out: Vec<u8>,
    wrong: bool,
}

impl Keeper {
    fn order(&self, dice: &mut Dice, deadlines: &mut Deadlines, starts: bool) {
        for deadline in 0..2 {
            let bound = self.unit * dice.roll(3) as u32;
            match dice.roll(4) {
                0 if starts => deadlines.start(deadline, bound),
                1 => deadlines.stop(deadline),
                _ => {}
            }
        }
    }
}

impl Observer<Random> for Keeper {
    type State = Notes;

    fn name(&self) -> String {
        "keeper".to_string()
    }

    fn start(&self, deadlines: &mut Deadlines) -> Notes {
        deadlines.start(0, self.unit * Dice::new(self.seed).roll(3) as u32);
        Notes { mood: 0, out: Vec::new(), wrong: false }
    }

    fn see(&self, notes: &mut Notes, observation: &Observation<'_, Random>, deadlines: &mut Deadlines) {
        let tag = match observation {
            Observation::Received { by, msg, .. } => (by.index() * 2 + msg.kind()) as u64,
            Observation::Fired { by, timer } => (8 + by.index() * 2 + timer.index()) as u64,
            Observation::Called { by, .. } => (16 + by.index()) as u64,
            Observation::Sent { by, to, .. } => (24 + by.index() * 4 + to.index()) as u64,
            Observation::Emitted { by, .. } => (40 + by.index()) as u64,
            Observation::Crashed { process } => (48 + process.index()) as u64,
            Observation::Lost { from, .. } => (56 + from.index()) as u64,
            Observation::Recovered { process } => (64 + process.index()) as u64,
        };
        let mut dice = Dice::new(self.seed);
        dice.mix(u64::from(notes.mood)).mix(tag);
        notes.mood = dice.roll(2) as u8;
        self.order(&mut dice, deadlines, true);
    }

    fn expired(&self, notes: &mut Notes, deadline: usize, deadlines: &mut Deadlines) {
        let mut dice = Dice::new(self.seed);
        dice.mix(99).mix(u64::from(notes.mood)).mix(deadline as u64);
        if notes.out.len() < 3 {
            notes.out.push(deadline as u8);
        }
        match self.then {
            Then::IsWrong => notes.wrong = true,
            Then::GoesOn => self.order(&mut dice, deadlines, false),
            // To start deadlines for ever would be to go on for ever.
            Then::StartsMore => self.order(&mut dice, deadlines, notes.out.len() < 3),
        }
    }

    fn judge(&self, notes: &Notes) -> Judgement {
        match notes.wrong {
            true => Judgement::Violated("a deadline ran out".to_string()),
            false => Judgement::Open,
        }
    }
}

/// The world of a draw with a keeper, on a clock of so many units to one.
pub(crate) fn kept(
    draw: &Draw,
    time: fn(crate::Timing) -> WorldTime,
    keeper: &Keeper,
) -> Option<TypedWorld<Random>> {
    let world = draw.world(time(draw.timing))?;
    Some(world.observed_by(keeper.clone()).expect("a timed world"))
}

/// An observer that cannot tell processes apart: a deadline for each, started when it sends or hears something
/// and stopped when it says something; two that run out are too many.
#[derive(Clone, Debug)]
pub(crate) struct Roll {
    pub(crate) bound: u32,
}

impl Observer<Random> for Roll {
    type State = ProcSet;

    fn name(&self) -> String {
        "roll".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> ProcSet {
        ProcSet::EMPTY
    }

    fn see(&self, _: &mut ProcSet, observation: &Observation<'_, Random>, deadlines: &mut Deadlines) {
        match observation {
            Observation::Received { by, .. } | Observation::Sent { by, .. } => {
                deadlines.start(by.index(), self.bound)
            }
            Observation::Emitted { by, .. } => deadlines.stop(by.index()),
            Observation::Crashed { process } => deadlines.stop(process.index()),
            Observation::Recovered { process } => deadlines.start(process.index(), self.bound),
            _ => {}
        }
    }

    fn expired(&self, late: &mut ProcSet, deadline: usize, _: &mut Deadlines) {
        late.insert(Pid::at(deadline));
    }

    fn judge(&self, late: &ProcSet) -> Judgement {
        match late.len() {
            0 | 1 => Judgement::Open,
            _ => Judgement::Violated("two are late".to_string()),
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }

    fn rename_deadline(&self, deadline: usize, perm: &Perm) -> usize {
        perm.apply(Pid::at(deadline)).index()
    }
}
