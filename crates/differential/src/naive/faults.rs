//! What happens to messages and processes: deliveries, timers, calls, and what may fail.

use super::taking::NaiveCause;
use super::{ActionKind, ChannelId, NaiveAction, NaiveActionOf, NaiveProcess, NaiveWorld, Next, WholeOf};
use watchkeeper_core::{Input, Kind, Observation, Pid, ProcSet, Promises, Reception, Slot};
use watchkeeper_world::{ANY_NUMBER, Capacity, Delay, DeliveryOrder, Simultaneous};

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// The messages to a process that can be taken out, but for what its bounds say: all different ones, or with FIFO the
    /// first of each channel.
    fn takeable(&self, whole: &WholeOf<P>, to: Pid) -> Vec<(ChannelId, usize)> {
        let mut found = Vec::new();
        for (&lane, list) in whole.lanes.iter().filter(|((_, receiver, _), _)| *receiver == to) {
            match self.scenario.network.order {
                DeliveryOrder::Fifo => found.push((lane, 0)),
                DeliveryOrder::AnyOrder => {
                    found.extend(self.different(list).into_iter().map(|at| (lane, at)))
                }
            }
        }
        found
    }

    /// The places of the different messages of a channel; where their order counts, no two are the same.
    fn different<T: PartialEq>(&self, list: &[T]) -> Vec<usize> {
        let fifo = self.scenario.network.order == DeliveryOrder::Fifo;
        (0..list.len()).filter(|&at| fifo || !list[..at].contains(&list[at])).collect()
    }

    pub(super) fn deliver(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        for (lane, at) in self.takeable(whole, me) {
            let (msg, left) = whole.lanes[&lane][at].clone();
            let from = lane.0;
            let NaiveProcess::Up { state, .. } = &whole.processes[me.index()] else { return };
            if left.lo > 0 || Reception::of(self.protocol, me, state, from, &msg) != Reception::Accepted {
                continue;
            }
            let mut before = whole.clone();
            remove::<P>(&mut before, lane, at);
            let mut action = NaiveAction::new(ActionKind::Deliver(msg.kind()), Some(me), Some(from));
            action.message = Some((msg.clone(), left));
            let trips = self.scenario.time.timing().is_some_and(|t| matches!(t.delay, Delay::RoundTrip(_)));
            let input = || vec![Input::Receive { from, msg: &msg }];
            let observation = Observation::Received { by: me, from, msg: &msg };
            let cause =
                NaiveCause { action, observation: Some(observation), answers: trips.then_some((from, left)) };
            self.take(&before, me, cause, &input, next);
        }
    }

    pub(super) fn fire(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        let first = |timing: watchkeeper_world::Timing| timing.simultaneous == Simultaneous::DeliveriesFirst;
        let due = whole.lanes.values().flatten().any(|(_, left)| left.hi == Some(0));
        if due && self.scenario.time.timing().is_some_and(first) {
            return;
        }
        let NaiveProcess::Up { timers, .. } = &whole.processes[me.index()] else { return };
        for (&slot, _) in timers.iter().filter(|(_, left)| left.lo == 0) {
            let mut before = whole.clone();
            if let NaiveProcess::Up { timers, .. } = &mut before.processes[me.index()] {
                timers.remove(&slot);
            }
            let timer = P::Timer::from_index(slot).expect("only slots that exist are armed");
            let action: NaiveActionOf<P> = NaiveAction::new(ActionKind::Fire(slot), Some(me), None);
            let observation = Observation::Fired { by: me, timer };
            let cause = NaiveCause { action, observation: Some(observation), answers: None };
            self.take(&before, me, cause, &|| vec![Input::Fire(timer)], next);
        }
    }

    pub(super) fn call(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        for (entry, (process, call, budget)) in self.calls.iter().enumerate() {
            if *process != me || whole.calls[entry] >= *budget {
                continue;
            }
            let mut before = whole.clone();
            before.calls[entry] += 1;
            let mut action: NaiveActionOf<P> =
                NaiveAction::new(ActionKind::Call(call.kind()), Some(me), None);
            action.entry = entry;
            let observation = Observation::Called { by: me, call };
            let cause = NaiveCause { action, observation: Some(observation), answers: None };
            self.take(&before, me, cause, &|| vec![Input::Call(call)], next);
        }
    }

    pub(super) fn swallow(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        for (lane, at) in self.takeable(whole, me) {
            let (msg, left) = whole.lanes[&lane][at].clone();
            if left.lo > 0 {
                continue;
            }
            let mut after = whole.clone();
            remove::<P>(&mut after, lane, at);
            let mut action = NaiveAction::new(ActionKind::Swallow, Some(me), Some(lane.0));
            action.message = Some((msg, left));
            next.steps.push((action, after));
        }
    }

    /// `crashes` counts crashes of the run, but where recoveries have no limit it says how many more processes than at the
    /// start may be down at once.
    pub(super) fn crash(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        let faults = &self.scenario.faults;
        let immune = whole.oracle.as_ref().is_some_and(|stance| stance.immune == Some(me));
        if !faults.crashable.contains(me) || immune {
            return;
        }
        let down = whole.processes.iter().filter(|process| process.is_crashed()).count();
        let at_start = faults.crashed_at_start.len();
        // Whoever recovered had crashed before, at the start or in the run.
        let counted = down + whole.recoveries as usize;
        let used = if faults.recoveries == ANY_NUMBER { down } else { counted };
        if used >= at_start + faults.crashes as usize {
            return;
        }
        let mut after = whole.clone();
        after.processes[me.index()] = NaiveProcess::Crashed;
        if let Some(stance) = &mut after.oracle {
            stance.suspects[me.index()] = ProcSet::EMPTY;
        }
        if self.no_dead_letters() {
            after.lanes.retain(|(_, to, _), _| *to != me);
        }
        self.show(&mut after, &Observation::Crashed { process: me });
        next.steps.push((NaiveAction::new(ActionKind::Crash, Some(me), None), after));
    }

    pub(super) fn recover(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        let most = self.scenario.faults.recoveries;
        if most == 0 || Self::is_spent(most, whole.recoveries) {
            return;
        }
        let mut before = whole.clone();
        before.recoveries += u32::from(most != ANY_NUMBER);
        before.lanes.retain(|(_, to, _), _| *to != me);
        self.start_again(&before, me, &NaiveAction::new(ActionKind::Recover, Some(me), None), next);
    }

    pub(super) fn lose(&self, whole: &WholeOf<P>, next: &mut Next<P>) {
        let most = self.scenario.network.losses;
        for (&lane, list) in &whole.lanes {
            let (from, to, _) = lane;
            let orphaned = self.scenario.faults.crash_loses && whole.processes[from.index()].is_crashed();
            let early = !whole.stable && self.before().is_some_and(|before| before.losses);
            let free = orphaned || early;
            if !free && Self::is_spent(most, whole.losses) {
                continue;
            }
            for at in self.different(list) {
                let mut after = whole.clone();
                let msg = list[at].0.clone();
                remove::<P>(&mut after, lane, at);
                after.losses += u32::from(!free && most != ANY_NUMBER);
                self.show(&mut after, &Observation::Lost { from, to, msg: &msg });
                next.steps.push((NaiveAction::new(ActionKind::Lose, None, None), after));
            }
        }
    }

    pub(super) fn duplicate(&self, whole: &WholeOf<P>, next: &mut Next<P>) {
        let most = self.scenario.network.duplications;
        if Self::is_spent(most, whole.duplications) {
            return;
        }
        for (&lane, list) in &whole.lanes {
            if self.is_full(whole, lane) {
                next.cut |= matches!(self.scenario.network.capacity, Capacity::Unbounded { .. });
                continue;
            }
            for at in self.different(list) {
                let mut after = whole.clone();
                after.duplications += u32::from(most != ANY_NUMBER);
                let list = after.lanes.get_mut(&lane).expect("it holds something");
                let copy = list[at].clone();
                list.insert(at + 1, copy);
                next.steps.push((NaiveAction::new(ActionKind::Duplicate, None, None), after));
            }
        }
    }
}

/// Takes a message out of its channel.
fn remove<P: Promises>(whole: &mut WholeOf<P>, lane: ChannelId, at: usize) {
    let list = whole.lanes.get_mut(&lane).expect("it holds something");
    list.remove(at);
    if list.is_empty() {
        whole.lanes.remove(&lane);
    }
}
