//! What an oracle has decided so far, as plain values and as ids of a row. The ids are worked out, not interned,
//! so that they are the same in every run.

use crate::{Oracle, OracleAccuracy, Scenario, SuspicionMemory, World};
use watchkeeper_core::{Pid, ProcSet, Value, View};
use watchkeeper_space::Id;

/// What an oracle has decided, and whom it suspects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OracleDecisions {
    /// The process that it leaves alone.
    pub(crate) immune: Option<Pid>,
    pub(crate) settled: bool,
    /// How many mistakes it has made, where they are counted.
    pub(crate) mistakes: u32,
    /// Whom each process suspects, where suspicions last; a process that has crashed suspects nobody.
    pub(crate) suspects: Vec<ProcSet>,
}

impl OracleDecisions {
    /// The decisions that an oracle may begin with, if there is one: of class S one for each process that has not
    /// crashed.
    pub(crate) fn first(scenario: &Scenario) -> Vec<OracleDecisions> {
        let Some(oracle) = scenario.oracle else { return Vec::new() };
        let kept = if oracle.memory == SuspicionMemory::Lasting { scenario.n } else { 0 };
        let settled = matches!(oracle.accuracy, OracleAccuracy::Strong { .. });
        let begin =
            |immune| OracleDecisions { immune, settled, mistakes: 0, suspects: vec![ProcSet::EMPTY; kept] };
        match oracle.accuracy {
            OracleAccuracy::Weak => Pid::all(scenario.n)
                .filter(|&p| !scenario.faults.crashed_at_start.contains(p))
                .map(|p| begin(Some(p)))
                .collect(),
            _ => vec![begin(None)],
        }
    }

    /// What stands in the slot `oracle`.
    pub(crate) fn id(&self) -> Id {
        decided(self.immune.map(Pid::index), self.settled)
    }

    /// The variables of a state that are about the oracle. One that leaves everyone alone has nobody in particular.
    pub(crate) fn variables(&self, oracle: Oracle) -> View {
        let mut view = Vec::new();
        if !oracle.accuracy.is_strong() {
            let immune = self.immune.map_or("nobody".to_string(), |p| p.to_string());
            view.push(("leaves alone".to_string(), Value::Str(immune)));
        }
        view.push(("settled".to_string(), Value::Bool(self.settled)));
        if oracle.accuracy.mistakes() > 0 {
            view.push(("mistakes".to_string(), Value::Int(i64::from(self.mistakes))));
        }
        for (p, suspects) in Pid::all(self.suspects.len()).zip(&self.suspects) {
            let names = suspects.iter().map(|q| Value::Str(q.to_string()));
            view.push((format!("suspects {p}"), Value::set(names)));
        }
        view
    }
}

/// What stands in the slot `oracle`.
pub(crate) fn decided(immune: Option<usize>, settled: bool) -> Id {
    immune.map_or(0, |p| 2 * (p as Id + 1)) + Id::from(settled)
}

/// A set of others as a small number. Nobody suspects itself, so its own bit is left out.
pub(crate) fn id_of(me: usize, others: ProcSet) -> Id {
    let (low, high) = (others.bits() & ((1 << me) - 1), others.bits() >> (me + 1));
    (low | high << me) as Id
}

/// The set behind such a number.
pub(crate) fn set_of(me: usize, id: Id) -> ProcSet {
    let (low, high) = (u64::from(id) & ((1 << me) - 1), u64::from(id) >> me);
    ProcSet::from_bits(low | high << (me + 1))
}

impl World {
    /// The process that the oracle leaves alone in this row.
    pub(crate) fn immune(&self, row: &[Id]) -> Option<usize> {
        (row[self.layout.oracle?] as usize / 2).checked_sub(1)
    }

    /// Whether the oracle has settled; `false` where there is none.
    pub(crate) fn oracle_has_settled(&self, row: &[Id]) -> bool {
        self.layout.oracle.is_some_and(|slot| row[slot] % 2 == 1)
    }

    /// How many mistakes the oracle has made; 0 where they are not counted.
    pub(crate) fn mistakes(&self, row: &[Id]) -> u32 {
        self.layout.mistakes.map_or(0, |slot| row[slot])
    }

    /// Whom a process suspects in this row; nobody where suspicions do not last.
    pub(crate) fn suspects(&self, process: usize, row: &[Id]) -> ProcSet {
        self.layout.suspects(process).map_or(ProcSet::EMPTY, |slot| set_of(process, row[slot]))
    }

    /// The decisions of the oracle in this row, if there is one.
    pub(crate) fn decisions(&self, row: &[Id]) -> Option<OracleDecisions> {
        self.layout.oracle?;
        let kept = if self.layout.suspects(0).is_some() { self.scenario.n } else { 0 };
        Some(OracleDecisions {
            immune: self.immune(row).map(Pid::at),
            settled: self.oracle_has_settled(row),
            mistakes: self.mistakes(row),
            suspects: (0..kept).map(|process| self.suspects(process, row)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_others_are_small_numbers() {
        for me in 0..4 {
            let others = ProcSet::first(4).difference(ProcSet::only(Pid::at(me)));
            let mut seen = Vec::new();
            for bits in 0..16 {
                let set = ProcSet::from_bits(bits);
                if set.is_subset(others) {
                    assert_eq!(set_of(me, id_of(me, set)), set);
                    seen.push(id_of(me, set));
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..8).collect::<Vec<Id>>());
        }
        let all_but_last = ProcSet::first(31);
        assert_eq!(set_of(31, id_of(31, all_but_last)), all_but_last);
        let all_but_first = ProcSet::first(32).difference(ProcSet::only(Pid::at(0)));
        assert_eq!(set_of(0, id_of(0, all_but_first)), all_but_first);
    }
}
