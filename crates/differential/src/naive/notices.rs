//! The abstract failure detector: what it may tell, what it must, and when it settles.

use super::taking::NaiveCause;
use super::{ActionKind, NaiveAction, NaiveActionOf, NaiveWorld, Next, OracleState, WholeOf};
use watchkeeper_core::{Input, Pid, ProcSet, Promises, Suspicion};
use watchkeeper_world::{OracleAccuracy, SuspicionMemory};

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// What an oracle may begin with: of class S with any process that is alive and will be left alone. A perfect one has
    /// settled when the run begins.
    pub(super) fn stances(&self) -> Vec<Option<OracleState>> {
        let Some(oracle) = self.scenario.oracle else { return vec![None] };
        let settled = matches!(oracle.accuracy, OracleAccuracy::Strong { .. });
        let begin = |immune: Option<Pid>| {
            let suspects = vec![ProcSet::EMPTY; self.scenario.n];
            Some(OracleState { immune, settled, mistakes: 0, suspects })
        };
        match oracle.accuracy {
            OracleAccuracy::Weak => {
                let dead = self.scenario.faults.crashed_at_start;
                Pid::all(self.scenario.n).filter(|&p| !dead.contains(p)).map(|p| begin(Some(p))).collect()
            }
            _ => vec![begin(None)],
        }
    }

    /// What can be told of `whom` to `me`, as far as the class of the oracle says.
    fn news(&self, whole: &WholeOf<P>, me: Pid, whom: Pid) -> Option<ActionKind> {
        let (oracle, stance) = (self.scenario.oracle?, whole.oracle.as_ref()?);
        let crashed = whole.processes[whom.index()].is_crashed();
        let suspected = stance.suspects[me.index()].contains(whom);
        let complete = stance.settled && crashed;
        // Whom the oracle leaves alone from now on.
        let alone = match oracle.accuracy {
            OracleAccuracy::Strong { .. } => !crashed,
            OracleAccuracy::EventuallyStrong => stance.settled && !crashed,
            OracleAccuracy::Weak | OracleAccuracy::EventuallyWeak => stance.immune == Some(whom),
            OracleAccuracy::None => false,
        };
        let granted =
            matches!(oracle.accuracy, OracleAccuracy::Strong { mistakes } if stance.mistakes < mistakes);
        match (suspected, alone) {
            (true, true) => Some(ActionKind::Relent),
            (false, true) => granted.then_some(ActionKind::Suspect),
            (true, false) => (!complete).then_some(ActionKind::Trust),
            (false, false) if complete => Some(ActionKind::Detect),
            (false, false) => Some(ActionKind::Suspect),
        }
    }

    pub(super) fn notice(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        let Some(oracle) = self.scenario.oracle else { return };
        for whom in Pid::all(self.scenario.n).filter(|&p| p != me) {
            let Some(sort) = self.news(whole, me, whom) else { continue };
            let begins = matches!(sort, ActionKind::Suspect | ActionKind::Detect);
            let mut before = whole.clone();
            let mut told = vec![if begins { Suspicion::Suspect(whom) } else { Suspicion::Trust(whom) }];
            match (oracle.memory, &mut before.oracle) {
                (SuspicionMemory::Momentary, _) => told.push(Suspicion::Trust(whom)),
                (SuspicionMemory::Lasting, Some(stance)) => {
                    let set = stance.suspects[me.index()];
                    stance.suspects[me.index()] = if begins { set.with(whom) } else { set.without(whom) };
                    stance.mistakes += u32::from(sort == ActionKind::Suspect && self.counts_mistakes());
                }
                (SuspicionMemory::Lasting, None) => {}
            }
            let action: NaiveActionOf<P> = NaiveAction::new(sort, Some(me), Some(whom));
            let inputs = || told.iter().map(|&suspicion| Input::Notice(suspicion)).collect();
            self.take(&before, me, NaiveCause { action, observation: None, answers: None }, &inputs, next);
        }
    }

    pub(super) fn settle(&self, whole: &WholeOf<P>, next: &mut Next<P>) {
        let (Some(oracle), Some(stance)) = (self.scenario.oracle, &whole.oracle) else { return };
        if stance.settled {
            return;
        }
        let alive = Pid::all(self.scenario.n).filter(|p| !whole.processes[p.index()].is_crashed());
        let picked: Vec<Option<Pid>> = match oracle.accuracy {
            OracleAccuracy::EventuallyWeak => alive.map(Some).collect(),
            _ => vec![stance.immune],
        };
        for immune in picked {
            let mut after = whole.clone();
            after.oracle = Some(OracleState { immune, settled: true, ..stance.clone() });
            next.steps.push((NaiveAction::new(ActionKind::Settle, None, None), after));
        }
    }
}
