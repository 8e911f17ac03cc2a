//! Time in ticks: what one unit of it makes of a state, what keeps it from passing, and since when bounds hold.

use super::taking::order;
use super::{ActionKind, Left, NaiveAction, NaiveProcess, NaiveWorld, Next, WholeOf};
use watchkeeper_core::{Deadlines, Judgement, Observer, Pid, Promises};
use watchkeeper_world::{BeforeStable, Synchrony, WorldTime};

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// What the network does until it has stabilised.
    pub(super) fn before(&self) -> Option<BeforeStable> {
        match self.scenario.time.timing()?.synchrony {
            Synchrony::Always => None,
            Synchrony::Eventual(before) => Some(before),
        }
    }

    /// The state one tick later; `None` if something must happen before, or there are no ticks.
    pub fn ticked(&self, whole: &WholeOf<P>) -> Option<WholeOf<P>> {
        if !matches!(self.scenario.time, WorldTime::Ticks(_)) {
            return None;
        }
        if Pid::all(self.scenario.n).any(|p| self.may_send_on(whole, p)) {
            return None;
        }
        let later = |left: &mut Left| {
            if left.hi == Some(0) {
                return None;
            }
            *left = Left { lo: left.lo.saturating_sub(1), hi: left.hi.map(|hi| hi - 1) };
            Some(())
        };
        let mut after = whole.clone();
        for process in &mut after.processes {
            if let NaiveProcess::Up { timers, .. } = process {
                timers.values_mut().try_for_each(later)?;
            }
        }
        for list in after.lanes.values_mut() {
            list.iter_mut().map(|(_, left)| left).try_for_each(later)?;
        }
        if self.scenario.network.order == watchkeeper_world::DeliveryOrder::AnyOrder {
            after.lanes.values_mut().for_each(|list| list.sort());
        }
        for (watcher, watching) in self.watchers.iter().zip(&mut after.watching) {
            let out: Vec<usize> = watching
                .running
                .iter()
                .filter(|(_, left)| **left == 0)
                .map(|(deadline, _)| *deadline)
                .collect();
            watching.running.retain(|_, left| *left > 0);
            watching.running.values_mut().for_each(|left| *left -= 1);
            for deadline in out {
                watching.running.remove(&deadline);
                let mut deadlines = Deadlines::default();
                Observer::<P>::expired(watcher, &mut watching.memory, deadline, &mut deadlines);
                order(watching, &deadlines);
                if Observer::<P>::judge(watcher, &watching.memory) != Judgement::Open {
                    watching.running.clear();
                }
            }
        }
        Some(after)
    }

    /// From now on bounds hold: what is on its way arrives no later than what is sent now.
    pub(super) fn stabilise(&self, whole: &WholeOf<P>, next: &mut Next<P>) {
        if whole.stable {
            return;
        }
        let mut after = whole.clone();
        after.stable = true;
        let fresh = self.message(true);
        for (_, left) in after.lanes.values_mut().flatten() {
            let hi = [left.hi, fresh.hi].into_iter().flatten().min();
            *left = Left { lo: left.lo.min(fresh.lo), hi };
        }
        if self.scenario.network.order == watchkeeper_world::DeliveryOrder::AnyOrder {
            after.lanes.values_mut().for_each(|list| list.sort());
        }
        next.steps.push((NaiveAction::new(ActionKind::Stabilise, None, None), after));
    }
}
