//! Observers made at random: what they see starts watches, starts them anew and stops them, and watches that
//! run out are told. What an observer does then decides how far ticks and dense time can agree.

use super::draw::Draw;
use crate::tests::random::{Dice, Random};
use crate::{Time, TypedWorld};
use watchkeeper_core::{Judgement, Kind, Observer, Pack, Perm, Pid, ProcSet, Sight, Slot, Symmetry, Watches};

/// What an observer does when a watch has run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    /// It says that this is wrong.
    IsWrong,
    /// It remembers that, may stop other watches, and goes on.
    GoesOn,
    /// It may also start watches.
    StartsMore,
}

/// An observer that a seed decides, with two watches.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    pub(crate) seed: u64,
    pub(crate) then: Then,
    pub(crate) unit: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub(crate) struct Notes {
    mood: u8,
    /// The watches that ran out, up to three of them.
    out: Vec<u8>,
    wrong: bool,
}

impl Keeper {
    fn order(&self, dice: &mut Dice, watches: &mut Watches, starts: bool) {
        for watch in 0..2 {
            let bound = self.unit * dice.roll(3) as u32;
            match dice.roll(4) {
                0 if starts => watches.start(watch, bound),
                1 => watches.stop(watch),
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

    fn start(&self, watches: &mut Watches) -> Notes {
        watches.start(0, self.unit * Dice::new(self.seed).roll(3) as u32);
        Notes { mood: 0, out: Vec::new(), wrong: false }
    }

    fn see(&self, notes: &mut Notes, sight: &Sight<'_, Random>, watches: &mut Watches) {
        let tag = match sight {
            Sight::Received { by, msg, .. } => (by.index() * 2 + msg.kind()) as u64,
            Sight::Fired { by, timer } => (8 + by.index() * 2 + timer.index()) as u64,
            Sight::Called { by, .. } => (16 + by.index()) as u64,
            Sight::Sent { by, to, .. } => (24 + by.index() * 4 + to.index()) as u64,
            Sight::Emitted { by, .. } => (40 + by.index()) as u64,
            Sight::Crashed { process } => (48 + process.index()) as u64,
            Sight::Lost { from, .. } => (56 + from.index()) as u64,
            Sight::Recovered { process } => (64 + process.index()) as u64,
        };
        let mut dice = Dice::new(self.seed);
        dice.mix(u64::from(notes.mood)).mix(tag);
        notes.mood = dice.roll(2) as u8;
        self.order(&mut dice, watches, true);
    }

    fn expired(&self, notes: &mut Notes, watch: usize, watches: &mut Watches) {
        let mut dice = Dice::new(self.seed);
        dice.mix(99).mix(u64::from(notes.mood)).mix(watch as u64);
        if notes.out.len() < 3 {
            notes.out.push(watch as u8);
        }
        match self.then {
            Then::IsWrong => notes.wrong = true,
            Then::GoesOn => self.order(&mut dice, watches, false),
            // To start watches for ever would be to go on for ever.
            Then::StartsMore => self.order(&mut dice, watches, notes.out.len() < 3),
        }
    }

    fn judge(&self, notes: &Notes) -> Judgement {
        match notes.wrong {
            true => Judgement::Violated("a watch ran out".to_string()),
            false => Judgement::Open,
        }
    }
}

/// The world of a draw with a keeper, on a clock of so many units to one.
pub(crate) fn kept(
    draw: &Draw,
    time: fn(crate::Timing) -> Time,
    keeper: &Keeper,
) -> Option<TypedWorld<Random>> {
    let world = draw.world(time(draw.timing))?;
    Some(world.observed_by(keeper.clone()).expect("a timed world"))
}

/// An observer that cannot tell processes apart: a watch for each, started when it sends or hears something
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

    fn start(&self, _: &mut Watches) -> ProcSet {
        ProcSet::EMPTY
    }

    fn see(&self, _: &mut ProcSet, sight: &Sight<'_, Random>, watches: &mut Watches) {
        match sight {
            Sight::Received { by, .. } | Sight::Sent { by, .. } => watches.start(by.index(), self.bound),
            Sight::Emitted { by, .. } => watches.stop(by.index()),
            Sight::Crashed { process } => watches.stop(process.index()),
            Sight::Recovered { process } => watches.start(process.index(), self.bound),
            _ => {}
        }
    }

    fn expired(&self, late: &mut ProcSet, watch: usize, _: &mut Watches) {
        late.insert(Pid::at(watch));
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

    fn rename_watch(&self, watch: usize, perm: &Perm) -> usize {
        perm.apply(Pid::at(watch)).index()
    }
}
