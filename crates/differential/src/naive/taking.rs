//! A process takes an input: it is called through its contract, once for each way in which it can pick, and what it asks
//! for is done in the order in which it asked. Also what watchers see of it.

use super::{
    ActionKind, ChannelId, Cut, Left, NaiveAction, NaiveActionOf, NaiveProcess, NaiveWorld, Next,
    ObserverState, Whole, WholeOf,
};
use std::collections::BTreeMap;
use watchkeeper_core::{
    Bound, Deadlines, Effects, Input, Judgement, Kind, Observation, Observer, Pid, Promises, Reception, Slot,
};
use watchkeeper_world::{
    ANY_NUMBER, Capacity, Delay, DeliveryOrder, Lanes, OracleAccuracy, WhenFull, WorldTime,
};

/// What a process asks for.
enum Wish<P: Promises> {
    Send { to: Pid, msg: P::Msg, reply: bool },
    Arm(usize, Bound),
    Disarm(usize),
    Emit(P::Output),
}

/// Takes down what a process asks for, with its picks decided beforehand as far as they are known.
struct Pad<P: Promises> {
    wishes: Vec<Wish<P>>,
    picks: Vec<usize>,
    asked: usize,
    /// The ways of the first pick that was not decided.
    open: Option<usize>,
}

impl<P: Promises> Effects<P> for Pad<P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.wishes.push(Wish::Send { to, msg, reply: false });
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.wishes.push(Wish::Send { to, msg, reply: true });
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.wishes.push(Wish::Arm(timer.index(), bound));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.wishes.push(Wish::Disarm(timer.index()));
    }

    fn emit(&mut self, output: P::Output) {
        self.wishes.push(Wish::Emit(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        let at = self.asked;
        self.asked += 1;
        if let Some(&way) = self.picks.get(at) {
            return way;
        }
        if self.open.is_none() {
            self.open = Some(ways.max(1));
        }
        0
    }
}

/// All ways in which something can go that a protocol does.
fn ways<P: Promises>(go: &dyn Fn(&mut Pad<P>) -> P::State) -> Vec<(P::State, Vec<Wish<P>>)> {
    let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(picks) = open.pop() {
        let mut pad = Pad { wishes: Vec::new(), picks, asked: 0, open: None };
        let state = go(&mut pad);
        match pad.open {
            None => found.push((state, pad.wishes)),
            Some(ways) => open.extend((0..ways).map(|way| {
                let mut picks = pad.picks.clone();
                picks.push(way);
                picks
            })),
        }
    }
    found
}

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// All initial states; `None` if one of them lies beyond the cap of a channel.
    pub fn starts(&self) -> Option<Vec<WholeOf<P>>> {
        let n = self.scenario.n;
        let mut blank: WholeOf<P> = Whole {
            processes: (0..n).map(|_| NaiveProcess::Unborn).collect(),
            lanes: BTreeMap::new(),
            losses: 0,
            duplications: 0,
            recoveries: 0,
            stable: self.before().is_none(),
            oracle: None,
            calls: vec![0; self.calls.len()],
            overflow: None,
            watching: Vec::new(),
        };
        for watcher in self.watchers {
            let mut deadlines = Deadlines::default();
            let memory = Observer::<P>::start(watcher, &mut deadlines);
            let mut watching = ObserverState { memory, running: BTreeMap::new() };
            order(&mut watching, &deadlines);
            blank.watching.push(watching);
        }
        let dead = self.scenario.faults.crashed_at_start;
        for process in Pid::all(n).filter(|&p| dead.contains(p)) {
            blank.processes[process.index()] = NaiveProcess::Crashed;
            self.show(&mut blank, &Observation::Crashed { process });
        }
        // Whoever overflows a channel at the start does not keep the others from starting, and any one may be named.
        let mut open: Vec<(WholeOf<P>, Vec<ChannelId>)> = vec![(blank, Vec::new())];
        for me in Pid::all(n).filter(|&p| !dead.contains(p)) {
            let mut next = Vec::new();
            for (whole, overflows) in open {
                for (state, wishes) in ways::<P>(&|pad| self.protocol.init(me, pad)) {
                    let mut whole = whole.clone();
                    self.carry_out(&mut whole, me, state, BTreeMap::new(), wishes, None).ok()?;
                    let mut overflows = overflows.clone();
                    overflows.extend(whole.overflow.take());
                    next.push((whole, overflows));
                }
            }
            open = next;
        }
        let mut found: Vec<WholeOf<P>> = Vec::new();
        for (whole, overflows) in open {
            let mut named = vec![whole.clone()];
            if !overflows.is_empty() {
                named =
                    overflows.iter().map(|&lane| Whole { overflow: Some(lane), ..whole.clone() }).collect();
            }
            for whole in named {
                found.extend(self.stances().into_iter().map(|oracle| Whole { oracle, ..whole.clone() }));
            }
        }
        let mut known = std::collections::HashSet::new();
        found.retain(|whole| known.insert(whole.clone()));
        Some(found)
    }

    /// What a process does about its inputs, in all ways.
    pub(super) fn take<'i>(
        &self,
        whole: &WholeOf<P>,
        me: Pid,
        cause: NaiveCause<'_, P>,
        inputs: &dyn Fn() -> Vec<Input<'i, P>>,
        next: &mut Next<P>,
    ) where
        P: 'i,
    {
        let NaiveCause { action, observation, answers } = cause;
        let NaiveProcess::Up { state, timers, .. } = &whole.processes[me.index()] else { return };
        let go = |pad: &mut Pad<P>| {
            let mut state = state.clone();
            inputs().into_iter().for_each(|input| self.protocol.step(me, &mut state, input, pad));
            state
        };
        let momentary = action.process.is_some() && inputs().len() > 1;
        for (after, wishes) in ways(&go) {
            if momentary && after == *state && is_idle(timers, &wishes) {
                continue;
            }
            let mut whole = whole.clone();
            if let Some(observation) = &observation {
                self.show(&mut whole, observation);
            }
            match self.carry_out(&mut whole, me, after, timers.clone(), wishes, answers) {
                Ok(()) => next.steps.push((action.clone(), whole)),
                Err(Cut) => next.cut = true,
            }
        }
    }

    /// A process that has crashed starts again.
    pub(super) fn start_again(
        &self,
        whole: &WholeOf<P>,
        me: Pid,
        action: &NaiveActionOf<P>,
        next: &mut Next<P>,
    ) {
        for (state, wishes) in ways::<P>(&|pad| self.protocol.init(me, pad)) {
            let mut whole = whole.clone();
            self.show(&mut whole, &Observation::Recovered { process: me });
            match self.carry_out(&mut whole, me, state, BTreeMap::new(), wishes, None) {
                Ok(()) => next.steps.push((action.clone(), whole)),
                Err(Cut) => next.cut = true,
            }
        }
    }

    fn carry_out(
        &self,
        whole: &mut WholeOf<P>,
        me: Pid,
        state: P::State,
        mut timers: BTreeMap<usize, Left>,
        wishes: Vec<Wish<P>>,
        answers: Option<(Pid, Left)>,
    ) -> Result<(), Cut> {
        if self.protocol.horizon().is_some() && self.protocol.beyond(&state) {
            return Err(Cut);
        }
        let (mut outbox, mut dropped) = (Vec::new(), Vec::new());
        for wish in wishes {
            match wish {
                Wish::Emit(output) => self.show(whole, &Observation::Emitted { by: me, output: &output }),
                Wish::Arm(slot, bound) => drop(timers.insert(slot, self.timer(bound))),
                Wish::Disarm(slot) => drop(timers.remove(&slot)),
                Wish::Send { to, msg, reply } => {
                    self.show(whole, &Observation::Sent { by: me, to, msg: &msg });
                    let answered = answers.filter(|(from, _)| reply && *from == to);
                    let left = answered.map(|(_, left)| Left { lo: 0, hi: left.hi });
                    if !outbox.is_empty() {
                        outbox.push((to, msg));
                        continue;
                    }
                    match self.put(whole, me, to, &msg, left)? {
                        Fate::Sent => {}
                        Fate::Waits => outbox.push((to, msg)),
                        Fate::Dropped => dropped.push((to, msg)),
                    }
                }
            }
        }
        whole.processes[me.index()] = NaiveProcess::Up { state, timers, outbox };
        self.forget_unwanted(whole, me);
        for (to, msg) in &dropped {
            self.show(whole, &Observation::Lost { from: me, to: *to, msg });
        }
        Ok(())
    }

    /// The channel of a message.
    pub(super) fn lane(&self, from: Pid, to: Pid, msg: &P::Msg) -> ChannelId {
        let kind = if self.scenario.network.lanes == Lanes::PerKind { msg.kind() } else { 0 };
        (from, to, kind)
    }

    /// Whether what is sent to a crashed process is gone at once, because nobody can tell.
    pub(super) fn no_dead_letters(&self) -> bool {
        let timed = self.scenario.time != WorldTime::Untimed;
        P::SELECTIVE_RECEIVE.is_some()
            || timed && matches!(self.scenario.network.capacity, Capacity::Unbounded { .. })
    }

    fn put(
        &self,
        whole: &mut WholeOf<P>,
        from: Pid,
        to: Pid,
        msg: &P::Msg,
        left: Option<Left>,
    ) -> Result<Fate, Cut> {
        if whole.overflow.is_some() {
            return Ok(Fate::Sent);
        }
        match &whole.processes[to.index()] {
            NaiveProcess::Crashed if self.no_dead_letters() => return Ok(Fate::Sent),
            NaiveProcess::Up { state, .. }
                if Reception::of(self.protocol, to, state, from, msg) == Reception::Discarded =>
            {
                return Ok(Fate::Sent);
            }
            _ => {}
        }
        let lane = self.lane(from, to, msg);
        if self.is_full(whole, lane) {
            return match (self.scenario.network.capacity, self.scenario.network.when_full) {
                (Capacity::Unbounded { .. }, _) => Err(Cut),
                (_, WhenFull::Block) => Ok(Fate::Waits),
                (_, WhenFull::Drop) => Ok(Fate::Dropped),
                (_, WhenFull::Report) => {
                    whole.overflow = Some(lane);
                    Ok(Fate::Sent)
                }
            };
        }
        let left = left.unwrap_or_else(|| self.message(whole.stable));
        let list = whole.lanes.entry(lane).or_default();
        list.push((msg.clone(), left));
        if self.scenario.network.order == DeliveryOrder::AnyOrder {
            list.sort();
        }
        Ok(Fate::Sent)
    }

    fn forget_unwanted(&self, whole: &mut WholeOf<P>, me: Pid) {
        let NaiveProcess::Up { state, .. } = &whole.processes[me.index()] else { return };
        let state = state.clone();
        for (&(from, _, _), list) in whole.lanes.iter_mut().filter(|((_, to, _), _)| *to == me) {
            list.retain(|(msg, _)| {
                Reception::of(self.protocol, me, &state, from, msg) != Reception::Discarded
            });
        }
        whole.lanes.retain(|_, list| !list.is_empty());
    }

    pub(super) fn unblock(&self, whole: &WholeOf<P>, me: Pid, next: &mut Next<P>) {
        if !self.may_send_on(whole, me) {
            return;
        }
        let mut after = whole.clone();
        let NaiveProcess::Up { state, timers, outbox } = whole.processes[me.index()].clone() else { return };
        let mut left: Vec<(Pid, P::Msg)> = Vec::new();
        for (to, msg) in outbox {
            let waits =
                !left.is_empty() || matches!(self.put(&mut after, me, to, &msg, None), Ok(Fate::Waits));
            if waits {
                left.push((to, msg));
            }
        }
        after.processes[me.index()] = NaiveProcess::Up { state, timers, outbox: left };
        next.steps.push((NaiveAction::new(ActionKind::Unblock, Some(me), None), after));
    }

    /// Whether a process waits for room, and has it.
    pub(super) fn may_send_on(&self, whole: &WholeOf<P>, me: Pid) -> bool {
        let NaiveProcess::Up { outbox, .. } = &whole.processes[me.index()] else { return false };
        outbox.first().is_some_and(|(to, msg)| !self.is_full(whole, self.lane(me, *to, msg)))
    }

    /// Lets all watchers see something, but those who have made up their mind.
    pub(super) fn show(&self, whole: &mut WholeOf<P>, observation: &Observation<'_, P>) {
        for (watcher, watching) in self.watchers.iter().zip(&mut whole.watching) {
            if Observer::<P>::judge(watcher, &watching.memory) != Judgement::Open {
                continue;
            }
            let mut deadlines = Deadlines::default();
            watcher.see(&mut watching.memory, observation, &mut deadlines);
            order(watching, &deadlines);
            if Observer::<P>::judge(watcher, &watching.memory) != Judgement::Open {
                watching.running.clear();
            }
        }
    }

    /// Whether there are watchers, and all have made up their mind.
    pub(super) fn all_judged(&self, whole: &WholeOf<P>) -> bool {
        let open = |(watcher, watching): (&crate::observer::RandomObserver, &ObserverState)| {
            Observer::<P>::judge(watcher, &watching.memory) == Judgement::Open
        };
        !self.watchers.is_empty() && !self.watchers.iter().zip(&whole.watching).any(open)
    }

    /// What a timer has left that is armed now: a slow process is late, and never early.
    fn timer(&self, bound: Bound) -> Left {
        match self.scenario.time.timing() {
            None => Left { lo: 0, hi: None },
            Some(timing) => Left { lo: bound.lo(), hi: bound.hi().map(|hi| hi * timing.speed) },
        }
    }

    /// What a message has left that is sent now.
    pub(super) fn message(&self, stable: bool) -> Left {
        let Some(timing) = self.scenario.time.timing() else { return Left { lo: 0, hi: None } };
        match timing.delay {
            Delay::RoundTrip(most) => Left { lo: 0, hi: Some(most) },
            Delay::PerMessage(delay) => {
                let delay = if stable { delay } else { self.before().map_or(delay, |before| before.delay) };
                let more = timing.processing;
                let hi = delay.hi().and_then(|hi| Some(hi + more.hi()?));
                Left { lo: delay.lo() + more.lo(), hi }
            }
        }
    }

    /// Whether a budget of faults is used up.
    pub(super) fn is_spent(budget: u32, used: u32) -> bool {
        budget != ANY_NUMBER && used >= budget
    }

    /// Whether the oracle makes mistakes that are counted.
    pub(super) fn counts_mistakes(&self) -> bool {
        let accuracy = self.scenario.oracle.map(|oracle| oracle.accuracy);
        matches!(accuracy, Some(OracleAccuracy::Strong { mistakes: 1.. }))
    }
}

/// Why a process takes a step.
pub(super) struct NaiveCause<'c, P: Promises> {
    /// What happens.
    pub(super) action: NaiveActionOf<P>,
    /// What watchers see of it before they see what the process does.
    pub(super) observation: Option<Observation<'c, P>>,
    /// Who is answered, and what its request has left, where that matters.
    pub(super) answers: Option<(Pid, Left)>,
}

/// What became of a message.
enum Fate {
    Sent,
    Waits,
    Dropped,
}

/// Carries out the orders of a watcher.
pub(super) fn order(watching: &mut ObserverState, deadlines: &Deadlines) {
    for &(deadline, bound) in deadlines.orders() {
        match bound {
            Some(bound) => drop(watching.running.insert(deadline, bound)),
            None => drop(watching.running.remove(&deadline)),
        }
    }
}

/// Whether nothing is asked for that anyone could notice.
fn is_idle<P: Promises>(timers: &BTreeMap<usize, Left>, wishes: &[Wish<P>]) -> bool {
    let mut armed: Vec<usize> = timers.keys().copied().collect();
    for wish in wishes {
        match wish {
            Wish::Send { .. } | Wish::Emit(_) => return false,
            Wish::Arm(slot, _) if !armed.contains(slot) => armed.push(*slot),
            Wish::Arm(..) => {}
            Wish::Disarm(slot) => armed.retain(|other| other != slot),
        }
    }
    armed.sort_unstable();
    armed.into_iter().eq(timers.keys().copied())
}
