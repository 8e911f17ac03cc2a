//! A run executed by the interpreter of the model, the one that replays counterexamples: every recorded step
//! is an action there, and what comes of it must be what was recorded. The interpreter decides; here is only
//! which of its messages is which.

use super::FaultLimits;
use super::deviation::BrokenAssumption;
use super::outcomes::{Outcomes, RunItem, TimedRun};
use super::reasons::unsure;
use crate::interpreter::config::{Config, ProcessConfig};
use crate::interpreter::{Done, Interpreter};
use crate::route::Routes;
use crate::transition::Transition;
use crate::world::{CallEntry, call_entries, validate};
use crate::{ANY_NUMBER, Capacity, DeliveryOrder, Faults, MAX_CAPACITY, Network, Scenario, WorldTime};
use std::collections::{BTreeMap, VecDeque};
use watchkeeper_automaton::{CallId, ProtocolAutomaton};
use watchkeeper_core::{Event, MessageId, ProcSet, RecordedInput};

/// What a run is executed in: the model, with the faults and calls that happened and are allowed.
pub(crate) struct ExecutionModel<'a> {
    pub(super) automaton: &'a dyn ProtocolAutomaton,
    pub(super) scenario: Scenario,
    pub(super) routes: &'a Routes,
    calls: Vec<CallEntry>,
}

impl<'a> ExecutionModel<'a> {
    pub(crate) fn of(
        automaton: &'a dyn ProtocolAutomaton,
        routes: &'a Routes,
        run: &TimedRun<'_>,
        scenario: Scenario,
    ) -> Result<ExecutionModel<'a>, String> {
        let incarnations = run.incarnations;
        let mut calls = Vec::new();
        for step in 0..incarnations.steps() {
            if let RecordedInput::Call { call } = &incarnations.step(step).input {
                let call = automaton.calls().read(call).map_err(|why| why.to_string())?;
                calls.push((incarnations.process(step), CallId(call), 1));
            }
        }
        validate(automaton.facts(), &scenario).map_err(|why| why.to_string())?;
        let calls = call_entries(scenario.n, calls).map_err(|why| why.to_string())?;
        Ok(ExecutionModel { automaton, scenario, routes, calls })
    }
}

/// The scenario of the model, with the faults that happened and are allowed.
pub(crate) fn scenario(run: &TimedRun<'_>, outcomes: &Outcomes, limits: &FaultLimits) -> Scenario {
    let Scenario { n, network, time, .. } = run.scenario;
    let incarnations = run.incarnations;
    let all = ProcSet::first(*n);
    let up = (0..incarnations.list.len())
        .filter(|&incarnation| run.together[incarnation])
        .map(|incarnation| incarnations.list[incarnation].process);
    let crashed_at_start = all.difference(up.collect());
    let restarts = (0..incarnations.list.len())
        .filter(|&incarnation| !incarnations.is_first(incarnation))
        .count() as u32;
    let recoveries = match limits.recoveries {
        Some(ANY_NUMBER) => ANY_NUMBER,
        most => late_starts(run) + restarts.min(most.unwrap_or(u32::MAX)),
    };
    let crashable = limits.crashable.unwrap_or(all);
    let most = match recoveries {
        _ if crashable.is_empty() => 0,
        ANY_NUMBER => crashable.len() as u32,
        again => crashable.difference(crashed_at_start).len() as u32 + again,
    };
    let happened = outcomes.crashed.iter().filter(|crashed| **crashed).count() as u32;
    let crashes = happened.min(limits.crashes.unwrap_or(u32::MAX)).min(most);
    // The cap of a channel without a limit is the search's, not the network's.
    let capacity = match network.capacity {
        Capacity::Unbounded { .. } => Capacity::Unbounded { cap: MAX_CAPACITY },
        bounded => bounded,
    };
    Scenario {
        n: *n,
        network: Network { capacity, duplications: 0, ..network.clone() },
        faults: Faults { crashable, crashes, crashed_at_start, recoveries, crash_loses: false },
        oracle: None,
        time: *time,
    }
}

/// How many processes began after the run did.
pub(crate) fn late_starts(run: &TimedRun<'_>) -> u32 {
    let incarnations = run.incarnations;
    (0..incarnations.list.len())
        .filter(|&incarnation| incarnations.is_first(incarnation) && !run.together[incarnation])
        .count() as u32
}

/// A part of a run that was executed; or the step at which it could not be, and the assumption that it broke.
type Played<T = ()> = Result<T, (usize, BrokenAssumption)>;

/// A run that is being executed.
pub(crate) struct Execution<'a> {
    pub(super) model: &'a ExecutionModel<'a>,
    interpreter: Interpreter<'a>,
    pub(super) config: Config,
    pub(super) run: &'a TimedRun<'a>,
    choices: &'a [(usize, usize)],
    limits: &'a FaultLimits,
    /// The number that the interpreter has given to each message.
    ids: Vec<Option<MessageId>>,
    messages: Vec<Option<usize>>,
    /// What each process waits to send.
    waiting: Vec<VecDeque<usize>>,
    /// Messages to processes that are down, by the moment from which on they may arrive.
    dead: BTreeMap<(i64, usize), usize>,
}

impl<'a> Execution<'a> {
    /// The run before its first step; everyone who begins with it has begun.
    pub(crate) fn begin(
        model: &'a ExecutionModel<'a>,
        run: &'a TimedRun<'a>,
        choices: &'a [(usize, usize)],
        limits: &'a FaultLimits,
    ) -> Played<Execution<'a>> {
        let ExecutionModel { automaton, scenario, routes, calls } = model;
        let interpreter = Interpreter::wordless(*automaton, scenario, routes, calls);
        let starting: Vec<usize> = (0..run.incarnations.list.len())
            .filter(|&incarnation| run.together[incarnation])
            .map(|incarnation| run.incarnations.start(incarnation))
            .collect();
        let step = starting.first().copied().unwrap_or(0);
        let wrong = |why: String| (step, BrokenAssumption::Unconfirmed { why });
        // Whoever comes later in the list of processes makes its choice in the inner loop.
        let index = starting.iter().fold(0, |index, &step| index * choices[step].1 + choices[step].0);
        let starts = interpreter.starts().map_err(wrong)?;
        let (config, events) = starts.into_iter().nth(index).ok_or_else(|| wrong("no such start".into()))?;
        let mut execution = Execution {
            model,
            interpreter,
            config,
            run,
            choices,
            limits,
            ids: vec![None; run.messages.list.len()],
            messages: Vec::with_capacity(run.messages.list.len()),
            waiting: vec![VecDeque::new(); run.scenario.n],
            dead: BTreeMap::new(),
        };
        let mut events = events.as_slice();
        for &step in &starting {
            events = execution.put(step, events)?;
            execution.same(step)?;
        }
        execution.settle(run.times[step])?;
        Ok(execution)
    }

    /// Lets one thing happen; says what is broken if it cannot, and at which step.
    pub(crate) fn take(&mut self, item: RunItem) -> Played {
        match item {
            RunItem::Step(step) => self.step(step),
            RunItem::Lose(message) => self.lose(message),
            RunItem::Crash(incarnation) => self.crash(incarnation),
        }
    }

    /// Asks a timed interpreter whether what has happened has times, by its own reckoning.
    pub(crate) fn has_times(&self) -> bool {
        self.config.timeline.solved().is_ok()
    }

    fn step(&mut self, step: usize) -> Played {
        let incarnations = self.run.incarnations;
        let (incarnation, me, choice) =
            (incarnations.incarnation(step), incarnations.process(step), self.choices[step].0);
        let process = me.index();
        self.settle(self.run.times[step])?;
        let transition = match &incarnations.step(step).input {
            RecordedInput::Start if self.run.together[incarnation] => return Ok(()),
            RecordedInput::Start => Transition::Recover { process, choice },
            RecordedInput::Fire { slot, .. } => {
                let slot = *slot;
                self.enable_timer(step, process, slot)?;
                Transition::Fire { process, slot, choice }
            }
            RecordedInput::Call { call } => {
                let same = |entry: &CallEntry| {
                    entry.process == me && self.model.automaton.calls().packed(entry.call.0) == *call
                };
                let entry = self.model.calls.iter().position(same);
                Transition::Call { entry: entry.unwrap_or(usize::MAX), choice }
            }
            RecordedInput::Receive { .. } => {
                let message = self.run.messages.read[step];
                let message =
                    message.ok_or_else(|| (step, unsure("the message is of nobody".to_string())))?;
                self.enable_message(step, message)?;
                let (channel, place) = self.find(message).ok_or_else(|| (step, self.missing(message)))?;
                Transition::Deliver { channel, place, choice }
            }
        };
        let done = self.apply(step, transition)?;
        if let (Some(message), Some(Event::Receive { message: taken })) =
            (self.run.messages.read[step], done.events.first())
        {
            self.swap(message, *taken);
        }
        self.put(step, &done.events)?;
        self.same(step)?;
        if let Some(channel) = self.config.overflow {
            let (from, to, _) = self.model.routes.ends(channel);
            let why = "the model reports that as an error".to_string();
            return Err((step, BrokenAssumption::Capacity { from, to, why }));
        }
        self.settle(self.run.times[step])
    }

    fn lose(&mut self, message: usize) -> Played {
        let sent = &self.run.messages.list[message];
        // The model has dropped it by itself, or it went to a process that was down.
        let Some((channel, place)) = self.find(message) else { return Ok(()) };
        let done = self.interpreter.apply(&mut self.config, Transition::Lose { channel, place });
        let done = done.map_err(|_| (sent.by, self.lost(message)))?;
        if let Some(Event::Lose { message: taken }) = done.events.first() {
            self.swap(message, *taken);
        }
        Ok(())
    }

    fn crash(&mut self, incarnation: usize) -> Played {
        let (process, last) =
            (self.run.incarnations.list[incarnation].process, self.run.incarnations.last(incarnation));
        let allowed = self.model.scenario.faults.crashes;
        let done = self.interpreter.apply(&mut self.config, Transition::Crash { process: process.index() });
        done.map_err(|_| {
            (last, BrokenAssumption::Crashes { process, allowed: self.limits.crashes.unwrap_or(allowed) })
        })?;
        self.waiting[process.index()].clear();
        let inbound = self.model.routes.inbound(process.index());
        let flights = inbound.flat_map(|channel| &self.config.channels[channel]).map(|flight| flight.message);
        let messages: Vec<usize> = flights.filter_map(|id| self.message(id)).collect();
        messages.into_iter().for_each(|message| self.bury(message));
        self.settle(self.run.times[last])
    }

    /// Applies the action of a step; says which assumption is broken if it cannot happen.
    fn apply(&mut self, step: usize, transition: Transition) -> Played<Done> {
        let me = self.run.incarnations.process(step);
        if let Some(&message) = self.waiting[me.index()].front() {
            let label = self.run.messages.label(message);
            let why = format!("{me} would wait for room for {label} and do nothing else");
            let sent = &self.run.messages.list[message];
            return Err((step, self.capacity(sent.channel, sent.from, sent.to, why)));
        }
        let done = self.interpreter.apply(&mut self.config, transition);
        done.map_err(|why| match transition {
            Transition::Recover { .. } => {
                let allowed = self.limits.recoveries.unwrap_or(0);
                (step, BrokenAssumption::Recoveries { process: me, allowed })
            }
            Transition::Deliver { channel, .. }
                if self.model.scenario.network.order == DeliveryOrder::Fifo =>
            {
                (step, self.in_front(step, channel, why))
            }
            _ => (step, unsure(why)),
        })
    }

    /// Takes down what became of the messages of a step; gives back the events that are not about them.
    fn put<'e>(&mut self, step: usize, events: &'e [Event]) -> Played<&'e [Event]> {
        let me = self.run.incarnations.process(step);
        let mut open = self.run.messages.sent(step);
        for (i, event) in events.iter().enumerate() {
            match event {
                _ if open.is_empty() => return Ok(&events[i..]),
                Event::Send { message, from, .. } if *from == me => self.sent(*message, open.next()),
                Event::Ignore { from, .. } if *from == me => {
                    open.next();
                }
                Event::Block { process, .. } if *process == me => {
                    self.waiting[me.index()] = open.collect();
                    return Ok(&events[i + 1..]);
                }
                Event::Overflow { from, .. } if *from == me => return Ok(&events[i + 1..]),
                _ => {}
            }
        }
        if open.is_empty() { Ok(&[]) } else { Err((step, unsure("fewer messages were sent".to_string()))) }
    }

    fn sent(&mut self, id: MessageId, message: Option<usize>) {
        let Some(message) = message else { return };
        self.ids[message] = Some(id);
        let place = id.0 as usize;
        if self.messages.len() <= place {
            self.messages.resize(place + 1, None);
        }
        self.messages[place] = Some(message);
        let to = self.run.messages.list[message].to;
        if matches!(self.config.processes.get(to.index()), Some(ProcessConfig::Crashed)) {
            self.bury(message);
        }
    }

    /// A message to a process that is down.
    fn bury(&mut self, message: usize) {
        let TimedRun { scenario, times, roots, .. } = *self.run;
        let bounded = matches!(scenario.network.capacity, Capacity::Bounded(_));
        let wait = if bounded { super::constraints::message_bound_of(scenario, false).lo() } else { 0 };
        let wait = if scenario.time == WorldTime::Untimed { 0 } else { wait };
        let from =
            times[roots[message]].saturating_add(i64::from(wait).saturating_mul(self.run.incarnations.tick));
        self.dead.insert((from, message), message);
    }

    /// Everything that happens by itself up to a moment: messages reach processes that are down, and whoever
    /// has room sends on.
    fn settle(&mut self, now: i64) -> Played {
        while let Some((&(from, message), _)) =
            self.dead.first_key_value().filter(|((from, _), _)| *from <= now)
        {
            self.dead.remove(&(from, message));
            let to = self.run.messages.list[message].to;
            let down = matches!(self.config.processes[to.index()], ProcessConfig::Crashed);
            if let Some((channel, place)) = self.find(message).filter(|_| down) {
                let done = self.interpreter.apply(&mut self.config, Transition::Swallow { channel, place });
                let done = done.map_err(|why| (self.run.messages.list[message].by, unsure(why)))?;
                if let Some(Event::Swallow { message: taken }) = done.events.first() {
                    self.swap(message, *taken);
                }
            }
        }
        for process in 0..self.waiting.len() {
            while self.has_room(process) {
                let step = self.run.messages.list[self.waiting[process][0]].by;
                let done = self.interpreter.apply(&mut self.config, Transition::Unblock { process });
                let done = done.map_err(|why| (step, unsure(why)))?;
                for event in done.events {
                    if let Event::Send { message: id, .. } = event {
                        let message = self.waiting[process].pop_front();
                        self.sent(id, message);
                    }
                }
            }
        }
        Ok(())
    }

    fn has_room(&self, process: usize) -> bool {
        let channel =
            self.waiting[process].front().and_then(|&message| self.run.messages.list[message].channel);
        let limit = self.model.scenario.network.capacity.limit() as usize;
        channel.is_some_and(|channel| self.config.channels[channel].len() < limit)
    }

    /// In dense time an obligation without an upper bound is enabled before it happens.
    fn enable_timer(&mut self, step: usize, process: usize, slot: usize) -> Played {
        let ProcessConfig::Up { timers, .. } = &self.config.processes[process] else { return Ok(()) };
        let remaining =
            timers.iter().find(|(other, _)| *other == slot).map(|(_, p)| self.config.timeline.remaining(*p));
        if remaining == Some(crate::remaining::Remaining::Stage) {
            let transition = Transition::EnableTimer { process, slot };
            self.interpreter.apply(&mut self.config, transition).map_err(|why| (step, unsure(why)))?;
        }
        Ok(())
    }

    fn enable_message(&mut self, step: usize, message: usize) -> Played {
        let Some((channel, place)) = self.find(message) else { return Ok(()) };
        let id = self.ids[message];
        let flight = self.config.channels[channel].iter().find(|flight| Some(flight.message) == id);
        if flight.map(|flight| self.config.timeline.remaining(flight.pending))
            == Some(crate::remaining::Remaining::Stage)
        {
            let transition = Transition::EnableMessage { channel, place };
            self.interpreter.apply(&mut self.config, transition).map_err(|why| (step, unsure(why)))?;
        }
        Ok(())
    }

    /// The state of a process must be the one that was recorded.
    fn same(&self, step: usize) -> Played {
        let me = self.run.incarnations.process(step);
        let recorded = &self.run.incarnations.step(step).state;
        match &self.config.processes[me.index()] {
            ProcessConfig::Up { state, .. } if self.model.automaton.states().packed(state.0) == *recorded => {
                Ok(())
            }
            _ => Err((step, unsure(format!("{me} is in another state than was recorded")))),
        }
    }

    /// Where a message is: its channel and its place there, as an action names it.
    fn find(&self, message: usize) -> Option<(usize, usize)> {
        let (channel, id) = (self.run.messages.list[message].channel?, self.ids[message]?);
        let list = &self.config.channels[channel];
        let at = list.iter().position(|flight| flight.message == id)?;
        if self.model.scenario.network.order == DeliveryOrder::Fifo {
            return Some((channel, at));
        }
        if list.len() == 1 {
            return Some((channel, 0));
        }
        let messages = self.model.automaton.messages();
        let mut keys: Vec<(Vec<u8>, usize)> =
            list.iter().enumerate().map(|(at, flight)| (self.config.key(messages, flight), at)).collect();
        keys.sort();
        let (key, mut place) = (self.config.key(messages, &list[at]), 0);
        for pair in 0..keys.len() {
            let clock = self.config.timeline.remaining(list[keys[pair].1].pending).has_clock();
            let fresh = pair == 0 || keys[pair].0 != keys[pair - 1].0 || clock;
            place += usize::from(fresh && pair > 0);
            if keys[pair].1 == at || (!clock && keys[pair].0 == key) {
                return Some((channel, place));
            }
        }
        None
    }

    /// Equal messages without clocks are the same to the model: it takes the one that was sent first.
    fn swap(&mut self, message: usize, taken: MessageId) {
        let own = self.ids[message].take();
        if let (Some(own), Some(other)) = (own.filter(|own| *own != taken), self.message(taken)) {
            self.ids[other] = Some(own);
            self.messages[own.0 as usize] = Some(other);
        }
        if let Some(place) = self.messages.get_mut(taken.0 as usize) {
            *place = None;
        }
    }

    /// The message that the interpreter has given a number.
    pub(super) fn message(&self, id: MessageId) -> Option<usize> {
        self.messages.get(id.0 as usize).copied().flatten()
    }
}
