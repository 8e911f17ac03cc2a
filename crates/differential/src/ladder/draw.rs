//! Draws ladders, and worlds in which they can be climbed in stages.

use super::{Go, Ladder, Rung, Rungs, VALUES};
use crate::dice::Dice;
use std::fmt;
use std::sync::Arc;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_world::{Capacity, Faults, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory};

/// A ladder, and what surrounds it.
#[derive(Clone, PartialEq, Debug)]
pub struct Climb {
    /// The table.
    pub table: Arc<Rungs>,
    /// What surrounds it.
    pub scenario: Scenario,
    /// How far all runs are searched where rounds have no end.
    pub within: Option<u64>,
}

/// A ladder.
pub fn draw(dice: &mut Dice) -> Climb {
    let n = if dice.chance(3) { 3 } else { 2 };
    let rungs = 1 + dice.roll(if n == 2 { 3 } else { 2 }) as usize;
    let ends = !dice.chance(3);
    let mut table = Rungs {
        n,
        rungs: (0..rungs).map(|_| rung(dice, n)).collect(),
        ends,
        shares: dice.chance(4),
        proposals: (0..n).map(|_| dice.roll(u64::from(VALUES)) as u8).collect(),
    };
    if !ends {
        // Nobody runs through endless rounds in one step.
        for p in Pid::all(n) {
            table.rungs[0].awaited[p.index()].insert(Pid::at((p.index() + 1) % n));
        }
    }
    let crashes = dice.roll(n as u64) as u32;
    let accuracy = dice.one(&[OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None]);
    let scenario = Scenario {
        network: Network { capacity: Capacity::Unbounded { cap: 16 }, ..Network::default() },
        faults: Faults {
            crashable: if crashes > 0 { ProcSet::first(n) } else { ProcSet::EMPTY },
            crashes,
            crash_loses: dice.chance(2),
            ..Faults::default()
        },
        oracle: Some(Oracle { accuracy, memory: SuspicionMemory::Momentary }),
        ..Scenario::new(n)
    };
    let within = (!ends).then_some(rungs as u64 + 1);
    Climb { table: Arc::new(table), scenario, within }
}

fn rung(dice: &mut Dice, n: usize) -> Rung {
    let some = |dice: &mut Dice, p: Pid, all_in: u64| {
        let bits = if dice.chance(all_in) { dice.roll(1 << n) } else { u64::MAX };
        ProcSet::from_bits(bits).intersection(ProcSet::first(n)).without(p)
    };
    let value = |dice: &mut Dice| dice.roll(u64::from(VALUES)) as u8;
    Rung {
        awaited: Pid::all(n).map(|p| some(dice, p, 3)).collect(),
        told: Pid::all(n).map(|p| some(dice, p, 6)).collect(),
        merged: (0..n).map(|_| [[value(dice), value(dice)], [value(dice), value(dice)]]).collect(),
        doubted: (0..n).map(|_| [value(dice), value(dice)]).collect(),
        decided: (0..n).map(|_| [dice.chance(6), dice.chance(6)]).collect(),
        picks: (0..n).map(|_| dice.chance(12)).collect(),
    }
}

impl Climb {
    /// The protocol as it is.
    pub fn free(&self) -> Ladder {
        Ladder { table: Arc::clone(&self.table), within: None }
    }

    /// The protocol as far as all of its runs are searched.
    pub fn limited(&self) -> Ladder {
        Ladder { table: Arc::clone(&self.table), within: self.within }
    }

    /// What clients ask.
    pub fn calls(&self) -> Vec<(Pid, Go, u32)> {
        Pid::all(self.table.n).map(|p| (p, Go::Go, 1)).collect()
    }
}

impl fmt::Display for Climb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rungs { n, ends, shares, proposals, rungs } = &*self.table;
        writeln!(f, "{n} processes in stages, with {proposals:?}, ends {ends}, shares decisions {shares}")?;
        for (round, rung) in rungs.iter().enumerate() {
            let Rung { awaited, told, merged, doubted, decided, picks } = rung;
            writeln!(
                f,
                "rounds {round} + k {}: awaits {awaited:?}, tells {told:?}, merges {merged:?}",
                rungs.len()
            )?;
            writeln!(f, "  doubts {doubted:?}, decides {decided:?}, picks {picks:?}")?;
        }
        writeln!(f, "{:?}", self.scenario)
    }
}
