//! Draws tables. What is drawn is lively enough that most things happen, and small enough that all of it is seen.

use super::{Bell, Cry, INPUTS, Reaction, TableBranch, TableEffect, TableRules, WORDS, Whom};
use crate::dice::Dice;
use watchkeeper_core::{Bound, Pid, ProcSet, Symmetry};

/// What a table is drawn for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The number of processes.
    pub n: usize,
    /// The renamings that it should not see.
    pub symmetry: Symmetry,
    /// After how many inputs processes fall silent.
    pub fuel: Option<u8>,
    /// Whether the order in which one step sends to several processes can be seen.
    pub ordered: bool,
    /// Whether time passes.
    pub timed: bool,
}

/// A table.
pub fn draw(dice: &mut Dice, wish: Wish) -> TableRules {
    let Wish { n, symmetry, fuel, .. } = wish;
    let all = ProcSet::first(n);
    let links = Pid::all(n).map(|p| {
        let some = symmetry == Symmetry::None && dice.chance(2);
        let bits = if some { dice.roll(1 << n) } else { u64::MAX };
        ProcSet::from_bits(bits).intersection(all).without(p)
    });
    let links: Vec<ProcSet> = links.collect();
    let moods = 2 + dice.roll(2) as u8;
    let mut rules = TableRules {
        n,
        symmetry,
        moods,
        fuel,
        links,
        tells: !dice.chance(3),
        starts: Vec::new(),
        rules: Vec::new(),
        later: (0..usize::from(moods) * WORDS).map(|_| dice.chance(4)).collect(),
        never: (0..WORDS).map(|_| dice.chance(3)).collect(),
    };
    let roles = rules.roles();
    // How much a table is given to talking, and to picking.
    let sends = dice.roll(3);
    let picks = if dice.chance(2) { 5 } else { 40 };
    let maker = Maker { wish, moods, sends, picks };
    rules.starts = (0..roles).map(|_| maker.start(dice)).collect();
    let count = roles * usize::from(moods) * INPUTS;
    rules.rules = (0..count).map(|key| maker.rule(dice, key % INPUTS)).collect();
    rules
}

/// A bound of any kind: exact or not, from now on or later, with an end or without, of no duration at all.
pub fn bound(dice: &mut Dice) -> Bound {
    let lo = dice.roll(3) as u32;
    match dice.roll(8) {
        0 => Bound::at_least(lo),
        1..4 => Bound::exactly(lo),
        _ => Bound::new(lo, lo + dice.roll(3) as u32).expect("an interval"),
    }
}

struct Maker {
    wish: Wish,
    moods: u8,
    sends: u64,
    picks: u64,
}

impl Maker {
    fn start(&self, dice: &mut Dice) -> Reaction {
        let mut rule = Reaction { ways: vec![self.way(dice, true)] };
        if dice.chance(6) {
            rule.ways.push(self.way(dice, true));
        }
        for way in &mut rule.ways {
            if !dice.chance(4) {
                way.effects.push(TableEffect::Arm(Bell::One, self.bound(dice)));
            }
        }
        rule
    }

    fn rule(&self, dice: &mut Dice, input: usize) -> Reaction {
        if dice.chance(6) {
            return Reaction::default();
        }
        // Whoever never falls silent answers with one word at most, and mostly words only.
        let loud = self.wish.fuel.is_some() || input < 5 * super::VIEWS || dice.chance(4);
        let mut ways = vec![self.way(dice, loud)];
        if dice.chance(self.picks) {
            ways.push(self.way(dice, loud));
        }
        Reaction { ways }
    }

    fn way(&self, dice: &mut Dice, loud: bool) -> TableBranch {
        let mut effects = Vec::new();
        if loud && dice.roll(3) < 1 + self.sends.min(1) {
            let most = if self.wish.fuel.is_some() { 1 + self.sends } else { 1 };
            for _ in 0..1 + dice.roll(most) {
                effects.push(self.talk(dice));
            }
        }
        // Whoever never falls silent goes round in circles, which should be small.
        let endless = self.wish.fuel.is_none();
        let bells: &[Bell] = if endless && !dice.chance(3) { &[Bell::One] } else { &[Bell::One, Bell::Two] };
        for &bell in bells {
            let (arm, of) = if self.wish.fuel.is_some() { (1, 6) } else { (2, 7) };
            match dice.roll(of) {
                roll if roll < arm => effects.push(TableEffect::Arm(bell, self.bound(dice))),
                roll if roll == arm => effects.push(TableEffect::Disarm(bell)),
                _ => {}
            }
        }
        if dice.chance(3) {
            effects.push(TableEffect::Emit(if dice.chance(2) { Cry::Oh } else { Cry::Ah }));
        }
        TableBranch {
            mood: dice.roll(u64::from(self.moods)) as u8,
            mark: dice.chance(if endless { 12 } else { 5 }),
            friend: (!endless && dice.chance(6)).then(|| self.whom(dice)),
            effects,
        }
    }

    fn talk(&self, dice: &mut Dice) -> TableEffect {
        let word = if dice.chance(5) { 2 } else { dice.roll(2) as u8 };
        if !self.wish.ordered && dice.chance(5) {
            return TableEffect::Shout { word };
        }
        TableEffect::Send { to: self.whom(dice), word, about: self.near(dice), reply: dice.chance(3) }
    }

    fn whom(&self, dice: &mut Dice) -> Whom {
        match (self.wish.symmetry, dice.roll(10)) {
            (_, 0 | 1) => Whom::Friend,
            (_, 2 | 3) => Whom::Other,
            (_, 4) => Whom::Third,
            (Symmetry::None | Symmetry::Rotations, 5 | 6) => Whom::Next,
            (Symmetry::None, _) => Whom::At(dice.roll(self.wish.n as u64) as usize),
            (Symmetry::Rotations, _) => Whom::Next,
            (Symmetry::Fixing(p), 5 | 6) => Whom::At(p.index()),
            _ if dice.chance(2) => Whom::Any,
            _ => Whom::Other,
        }
    }

    /// Someone who is named without a pick.
    fn near(&self, dice: &mut Dice) -> Whom {
        dice.one(&[Whom::Me, Whom::Friend, Whom::Other, Whom::Third])
    }

    fn bound(&self, dice: &mut Dice) -> Bound {
        if self.wish.timed { bound(dice) } else { Bound::exactly(1) }
    }
}
