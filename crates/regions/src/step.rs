//! One step of the discrete part: who does what, and what comes of it. It mirrors `docs/semantics.md`, with durations
//! that are expressions; what time allows is written by `edge`.

use crate::config::{
    DiscreteState, FlightMeaning, FreshBound, Origin, SymbolicFlight, SymbolicObserver, SymbolicProcess,
    VariableRole,
};
use crate::edge::EdgeGuard;
use crate::model::Model;
use crate::transition::SymbolicTransition;
use watchkeeper_automaton::{MsgId, Performance, RawObservation, Request, StateId, Stimulus, performances};
use watchkeeper_core::{Bound, Deadlines, Judgement, Pid};
use watchkeeper_world::{ANY_NUMBER, Capacity, Delay, WhenFull};

/// A state after a step, with where its variables come from.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicStep {
    pub(crate) config: DiscreteState<Origin>,
    pub(crate) fresh: Vec<FreshBound>,
    /// The limit of the model that was met.
    pub(crate) cut: Option<String>,
}

/// A process that takes a step, and the request that it answers, if it does.
struct Taking {
    me: Pid,
    timers: Vec<(usize, Origin)>,
    request: Option<(Pid, Origin)>,
}

impl SymbolicStep {
    /// All initial states.
    pub(crate) fn start(model: &Model) -> Vec<SymbolicStep> {
        let n = model.scenario.n;
        let config = DiscreteState {
            processes: vec![SymbolicProcess::Crashed; n],
            channels: vec![Vec::new(); model.routes.len()],
            losses: 0,
            duplications: 0,
            recoveries: 0,
            calls: vec![0; model.calls.len()],
            observers: Vec::new(),
        };
        let mut first = SymbolicStep { config, fresh: Vec::new(), cut: None };
        for observer in &model.observers {
            let mut deadlines = Deadlines::default();
            let state = observer.start(&mut deadlines);
            let mut own = SymbolicObserver { state, running: Vec::new() };
            first.order(&mut own, &deadlines);
            first.config.observers.push(own);
        }
        let dead = model.scenario.faults.crashed_at_start;
        for process in Pid::all(n).filter(|p| dead.contains(*p)) {
            first.show(model, RawObservation::Crashed { process });
        }
        // Nobody has started yet, but nobody has crashed either: messages to those who come later are kept.
        let alive: Vec<bool> = Pid::all(n).map(|p| !dead.contains(p)).collect();
        let mut partial = vec![first];
        for me in Pid::all(n).filter(|p| !dead.contains(*p)) {
            let mut next = Vec::new();
            for step in partial {
                for run in performances(|fx| model.automaton.init(me, fx)) {
                    let mut step = step.clone();
                    let taking = Taking { me, timers: Vec::new(), request: None };
                    step.carry_out(model, taking, run, &alive);
                    next.push(step);
                }
            }
            partial = next;
        }
        partial
    }

    /// What a transition can come to, and when it can happen.
    pub(crate) fn take(
        model: &Model,
        config: &DiscreteState,
        transition: &SymbolicTransition,
    ) -> (EdgeGuard, Vec<SymbolicStep>) {
        let step = SymbolicStep { config: config.numbered(), fresh: Vec::new(), cut: None };
        match transition {
            SymbolicTransition::Deliver { channel, place } => step.deliver(model, *channel, *place),
            SymbolicTransition::Fire { process, slot } => step.fire(model, *process, *slot),
            SymbolicTransition::Call { entry } => (EdgeGuard::Ever, step.call(model, *entry)),
            SymbolicTransition::Unblock { process } => (EdgeGuard::Ever, vec![step.unblock(model, *process)]),
            SymbolicTransition::Crash { process } => (EdgeGuard::Ever, vec![step.crash(model, *process)]),
            SymbolicTransition::Recover { process } => (EdgeGuard::Ever, step.recover(model, *process)),
            SymbolicTransition::Lose { channel, place } => {
                (EdgeGuard::Ever, vec![step.lose(model, *channel, *place)])
            }
            SymbolicTransition::Duplicate { channel, place } => {
                (EdgeGuard::Ever, vec![step.duplicate(model, *channel, *place)])
            }
            SymbolicTransition::Expire { deadlines } => step.expire(model, config, deadlines),
        }
    }

    fn deliver(mut self, model: &Model, channel: usize, place: usize) -> (EdgeGuard, Vec<SymbolicStep>) {
        let (from, to, _) = model.routes.ends(channel);
        let SymbolicFlight { msg, meaning, variable } = self.config.channels[channel].remove(place);
        let guard = match (meaning, variable) {
            (FlightMeaning::Moment, Origin::Kept(j)) => EdgeGuard::At(j),
            (_, Origin::Kept(j)) => EdgeGuard::Before(j),
            (_, Origin::Fresh(_)) => EdgeGuard::Ever,
        };
        let SymbolicProcess::Up { state, timers, .. } = self.config.processes[to.index()].clone() else {
            return (guard, vec![self]);
        };
        let round_trip = matches!(model.timing.delay, Delay::RoundTrip(_));
        let request = round_trip.then_some((from, variable));
        self.show(model, RawObservation::Received { by: to, from, msg });
        let taking = Taking { me: to, timers, request };
        (guard, self.react(model, taking, state, Stimulus::Receive { from, msg }))
    }

    fn fire(mut self, model: &Model, process: usize, slot: usize) -> (EdgeGuard, Vec<SymbolicStep>) {
        let me = Pid::at(process);
        let SymbolicProcess::Up { state, mut timers, .. } = self.config.processes[process].clone() else {
            return (EdgeGuard::Ever, Vec::new());
        };
        let Some(at) = timers.iter().position(|(other, _)| *other == slot) else {
            return (EdgeGuard::Ever, Vec::new());
        };
        let (_, variable) = timers.remove(at);
        let guard = if let Origin::Kept(j) = variable { EdgeGuard::At(j) } else { EdgeGuard::Ever };
        self.show(model, RawObservation::Fired { by: me, slot });
        (guard, self.react(model, Taking { me, timers, request: None }, state, Stimulus::Fire(slot)))
    }

    fn call(mut self, model: &Model, entry: usize) -> Vec<SymbolicStep> {
        let (me, call, _) = model.calls[entry];
        let SymbolicProcess::Up { state, timers, .. } = self.config.processes[me.index()].clone() else {
            return Vec::new();
        };
        self.config.calls[entry] += 1;
        self.show(model, RawObservation::Called { by: me, call });
        self.react(model, Taking { me, timers, request: None }, state, Stimulus::Call(call))
    }

    fn unblock(mut self, model: &Model, process: usize) -> SymbolicStep {
        let me = Pid::at(process);
        let SymbolicProcess::Up { state, timers, outbox } = self.config.processes[process].clone() else {
            return self;
        };
        let alive = self.alive();
        let mut left: Vec<(Pid, MsgId)> = Vec::new();
        for (to, msg) in outbox {
            if left.is_empty() {
                left.extend(self.put(model, (me, to), msg, None, &alive));
            } else {
                left.push((to, msg));
            }
        }
        self.config.processes[process] = SymbolicProcess::Up { state, timers, outbox: left };
        self
    }

    fn crash(mut self, model: &Model, process: usize) -> SymbolicStep {
        self.config.processes[process] = SymbolicProcess::Crashed;
        if model.scenario.swallows_at_once() {
            model.routes.inbound(process).for_each(|channel| self.config.channels[channel].clear());
        }
        self.show(model, RawObservation::Crashed { process: Pid::at(process) });
        self
    }

    fn recover(mut self, model: &Model, process: usize) -> Vec<SymbolicStep> {
        let me = Pid::at(process);
        self.config.recoveries += u32::from(model.scenario.faults.recoveries != ANY_NUMBER);
        model.routes.inbound(process).for_each(|channel| self.config.channels[channel].clear());
        self.show(model, RawObservation::Recovered { process: me });
        let mut alive = self.alive();
        alive[process] = true;
        let runs = performances(|fx| model.automaton.init(me, fx));
        let steps = runs.into_iter().map(|run| {
            let mut step = self.clone();
            step.carry_out(model, Taking { me, timers: Vec::new(), request: None }, run, &alive);
            step
        });
        steps.collect()
    }

    fn lose(mut self, model: &Model, channel: usize, place: usize) -> SymbolicStep {
        let (from, to, _) = model.routes.ends(channel);
        let msg = self.config.channels[channel].remove(place).msg;
        let orphan = model.scenario.faults.crash_loses
            && matches!(self.config.processes[from.index()], SymbolicProcess::Crashed);
        self.config.losses += u32::from(!orphan && model.scenario.network.losses != ANY_NUMBER);
        self.show(model, RawObservation::Lost { from, to, msg });
        self
    }

    fn duplicate(mut self, model: &Model, channel: usize, place: usize) -> SymbolicStep {
        self.config.duplications += u32::from(model.scenario.network.duplications != ANY_NUMBER);
        let copy = self.config.channels[channel][place].clone();
        self.config.channels[channel].insert(place + 1, copy);
        self
    }

    fn expire(
        mut self,
        model: &Model,
        before: &DiscreteState,
        deadlines: &[(usize, usize)],
    ) -> (EdgeGuard, Vec<SymbolicStep>) {
        let variables = before.variables();
        let is_expiring = |role: &VariableRole| match role {
            VariableRole::Deadline { observer, deadline } => deadlines.contains(&(*observer, *deadline)),
            _ => false,
        };
        let over: Vec<usize> = (0..variables.len()).filter(|&j| is_expiring(&variables[j].0)).collect();
        for &(k, deadline) in deadlines {
            let mut own = self.config.observers[k].clone();
            own.running.retain(|(number, _)| *number != deadline);
            let mut orders = Deadlines::default();
            own.state = model.observers[k].expired(&own.state, deadline, &mut orders);
            self.order(&mut own, &orders);
            if model.observers[k].judge(&own.state) != Judgement::Open {
                own.running.clear();
            }
            self.config.observers[k] = own;
        }
        (EdgeGuard::After(over), vec![self])
    }

    fn alive(&self) -> Vec<bool> {
        self.config.processes.iter().map(|process| matches!(process, SymbolicProcess::Up { .. })).collect()
    }

    /// A process reacts to an input, in every way in which it can pick.
    fn react(self, model: &Model, taking: Taking, state: StateId, input: Stimulus) -> Vec<SymbolicStep> {
        let alive = self.alive();
        let runs = performances(|fx| model.automaton.step(taking.me, state, input, fx));
        let steps = runs.into_iter().map(|run| {
            let mut step = self.clone();
            let taking = Taking { me: taking.me, timers: taking.timers.clone(), request: taking.request };
            step.carry_out(model, taking, run, &alive);
            step
        });
        steps.collect()
    }

    /// Lets the effects of a reaction happen, in their order.
    fn carry_out(&mut self, model: &Model, taking: Taking, run: Performance<crate::Linear>, alive: &[bool]) {
        let Taking { me, mut timers, request } = taking;
        if let Some(horizon) = model.automaton.facts().horizon.clone()
            && model.automaton.beyond(run.state)
        {
            self.cut.get_or_insert(horizon);
        }
        let mut outbox: Vec<(Pid, MsgId)> = Vec::new();
        let mut dropped = Vec::new();
        for effect in run.effects {
            match effect {
                Request::Emit(output) => self.show(model, RawObservation::Emitted { by: me, output }),
                Request::Arm { slot, bound } => {
                    timers.retain(|(other, _)| *other != slot);
                    let variable = self.fresh(model.scenario.time.timer(bound));
                    timers.push((slot, variable));
                }
                Request::Disarm { slot } => timers.retain(|(other, _)| *other != slot),
                Request::Send { to, msg, reply } => {
                    self.show(model, RawObservation::Sent { by: me, to, msg });
                    let inherited =
                        request.filter(|(from, _)| reply && *from == to).map(|(_, origin)| origin);
                    if outbox.is_empty() && model.drops(&self.config, (me, to), msg) {
                        dropped.push(RawObservation::Lost { from: me, to, msg });
                    }
                    if outbox.is_empty() {
                        outbox.extend(self.put(model, (me, to), msg, inherited, alive));
                    } else {
                        outbox.push((to, msg));
                    }
                }
            }
        }
        self.config.processes[me.index()] = SymbolicProcess::Up { state: run.state, timers, outbox };
        dropped.into_iter().for_each(|lost| self.show(model, lost));
    }

    /// Puts a message into its channel; gives it back if it has to wait.
    fn put(
        &mut self,
        model: &Model,
        (from, to): (Pid, Pid),
        msg: MsgId,
        inherited: Option<Origin>,
        alive: &[bool],
    ) -> Option<(Pid, MsgId)> {
        let Some(channel) = model.routes.channel(from, to, model.kind(msg)) else {
            self.cut
                .get_or_insert(format!("{from} sends to {to}, where no channel leads; correct the protocol"));
            return None;
        };
        if model.scenario.swallows_at_once() && !alive.get(to.index()).copied().unwrap_or(false) {
            return None;
        }
        if !model.is_full(&self.config, channel) {
            let variable = inherited.unwrap_or_else(|| self.fresh(model.message));
            self.config.channels[channel].push(SymbolicFlight { msg, meaning: model.meaning, variable });
            return None;
        }
        match (model.scenario.network.capacity, model.scenario.network.when_full) {
            (Capacity::Unbounded { cap }, _) => {
                self.cut.get_or_insert(format!("a channel would hold more than {cap} messages"));
                None
            }
            (Capacity::Bounded(_), WhenFull::Block) => Some((to, msg)),
            (Capacity::Bounded(_), WhenFull::Drop) => None,
            (Capacity::Bounded(size), WhenFull::Report) => {
                self.cut.get_or_insert(format!("a channel of {size} overflows"));
                None
            }
        }
    }

    /// A variable of this step with a bound of its own.
    fn fresh(&mut self, bound: FreshBound) -> Origin {
        self.fresh.push(bound);
        Origin::Fresh(self.fresh.len() - 1)
    }

    /// Lets all observers see something.
    fn show(&mut self, model: &Model, seen: RawObservation) {
        for (k, observer) in model.observers.iter().enumerate() {
            let mut own = self.config.observers[k].clone();
            let mut deadlines = Deadlines::default();
            own.state = observer.see(&own.state, &[seen], &mut deadlines);
            self.order(&mut own, &deadlines);
            if observer.judge(&own.state) != Judgement::Open {
                own.running.clear();
            }
            self.config.observers[k] = own;
        }
    }

    /// Carries out the orders of an observer.
    fn order(&mut self, own: &mut SymbolicObserver<Origin>, deadlines: &Deadlines<crate::Linear>) {
        for &(deadline, bound) in deadlines.orders() {
            own.running.retain(|(number, _)| *number != deadline);
            if let Some(bound) = bound {
                let variable = self.fresh(Bound::exactly(bound));
                own.running.push((deadline, variable));
            }
        }
    }
}
