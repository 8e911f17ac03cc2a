//! A world executed directly: real protocol states, real lists of messages, the protocol called anew for
//! every step. It is slow and plain on purpose. Nothing of the search is used here, neither rows nor
//! remembered steps, so that a mistake there cannot hide behind the same mistake here. What both share is the
//! boundary to the protocol, which numbers values and decides nothing.

use crate::observer::ObserverMachine;
use crate::oracle::state::OracleDecisions;
use crate::route::Routes;
use crate::snapshot::Snapshot;
use crate::transition::Transition;
use crate::world::{CallEntry, message_bound};
use crate::{Capacity, Delay, DeliveryOrder, Scenario, Simultaneous, WhenFull, World, WorldTime};
use config::{Config, Flight, ProcessConfig};
use timeline::{Pending, Timeline};
use watchkeeper_automaton::{
    MsgId, Performance, ProtocolAutomaton, RawObservation, Request, RequestLog, StateId, Stimulus,
    performances,
};
use watchkeeper_core::{Event, MessageId, Pid, Reception};

pub(crate) mod config;
mod faults;
mod oracle;
mod passing;
mod selective;
pub(crate) mod timeline;

/// Executes the actions of one world.
pub(crate) struct Interpreter<'a> {
    automaton: &'a dyn ProtocolAutomaton,
    scenario: &'a Scenario,
    routes: &'a Routes,
    calls: &'a [CallEntry],
    observers: &'a [ObserverMachine],
    /// Whether states past the horizon of the protocol are left out.
    limited: bool,
    /// Whether steps and events are put into words.
    worded: bool,
}

/// An initial configuration, with what happens at once.
pub(crate) type Start = (Config, Vec<Event>);

/// What an action was, to a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    pub(crate) label: String,
    /// The kind of the message or call that it was about, where there is one.
    pub(crate) kind: Option<usize>,
    pub(crate) events: Vec<Event>,
}

impl Done {
    fn new(label: String, events: Vec<Event>) -> Done {
        Done { label, kind: None, events }
    }
}

/// A process that takes a step: who, from which state, and what it answers.
struct Taking {
    me: Pid,
    state: StateId,
    timers: Vec<(usize, Pending)>,
    request: Option<(Pid, Pending)>,
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(world: &'a World) -> Interpreter<'a> {
        let World { scenario, routes, calls, observers, .. } = world;
        let automaton = &*world.automaton;
        let limited = automaton.facts().horizon.is_some();
        Interpreter { automaton, scenario, routes, calls, observers, limited, worded: true }
    }

    /// For a run that really happened: it knows of no horizon and no observers, and somebody else tells it.
    pub(crate) fn wordless(
        automaton: &'a dyn ProtocolAutomaton,
        scenario: &'a Scenario,
        routes: &'a Routes,
        calls: &'a [CallEntry],
    ) -> Interpreter<'a> {
        let (observers, limited, worded) = (&[], false, false);
        Interpreter { automaton, scenario, routes, calls, observers, limited, worded }
    }

    /// All initial states.
    pub(crate) fn starts(&self) -> Result<Vec<Start>, String> {
        let mut blank = Config {
            processes: (0..self.scenario.n).map(|_| ProcessConfig::Unborn).collect(),
            channels: vec![Vec::new(); self.routes.len()],
            losses: 0,
            duplications: 0,
            recoveries: 0,
            stable: self.before().is_none(),
            oracle: None,
            calls: vec![0; self.calls.len()],
            overflow: None,
            observers: Vec::new(),
            messages: 0,
            timeline: Timeline::new(self.scenario.time),
        };
        self.start_observers(&mut blank);
        let dead = self.scenario.faults.crashed_at_start;
        for process in Pid::all(self.scenario.n).filter(|p| dead.contains(*p)) {
            blank.processes[process.index()] = ProcessConfig::Crashed;
            self.show(&mut blank, &RawObservation::Crashed { process });
        }
        // Whoever overflows a channel does not keep the others from starting.
        let mut partial = vec![(blank, Vec::new(), Vec::new())];
        for me in Pid::all(self.scenario.n).filter(|p| !dead.contains(*p)) {
            let mut next = Vec::new();
            for (config, events, overflows) in partial {
                for run in performances(|fx| self.automaton.init(me, fx)) {
                    let (mut config, mut events, mut overflows): (Config, Vec<Event>, Vec<usize>) =
                        (config.clone(), events.clone(), overflows.clone());
                    let taking = Taking { me, state: run.state, timers: Vec::new(), request: None };
                    self.carry_out(&mut config, taking, run, &mut events)?;
                    overflows.extend(config.overflow.take());
                    next.push((config, events, overflows));
                }
            }
            partial = next;
        }
        let mut starts = Vec::new();
        for (config, events, overflows) in partial {
            if overflows.is_empty() {
                starts.push((config, events));
                continue;
            }
            for channel in overflows {
                starts.push((Config { overflow: Some(channel), ..config.clone() }, events.clone()));
            }
        }
        if self.scenario.oracle.is_none() {
            return Ok(starts);
        }
        let decisions = OracleDecisions::first(self.scenario);
        let under = |(config, events): Start| {
            let begin = |decisions: &OracleDecisions| {
                (Config { oracle: Some(decisions.clone()), ..config.clone() }, events.clone())
            };
            decisions.iter().map(begin).collect::<Vec<Start>>()
        };
        Ok(starts.into_iter().flat_map(under).collect())
    }

    /// Executes one action, or says why it cannot happen.
    pub(crate) fn apply(&self, config: &mut Config, transition: Transition) -> Result<Done, String> {
        if config.overflow.is_some() {
            return Err("nothing happens any more after an overflow".to_string());
        }
        if self.has_seen_enough(config) {
            return Err("no observer has anything more to find out".to_string());
        }
        let urgent = Pid::all(self.scenario.n).any(|p| self.could_send_on(config, p));
        config.timeline.next(urgent);
        if matches!(self.scenario.time, WorldTime::Dense(_)) {
            config.pending().into_iter().for_each(|pending| config.timeline.keeps(pending));
        }
        self.keep_watching(config, transition);
        let mut done = match transition {
            Transition::Deliver { channel, place, choice } => self.deliver(config, channel, place, choice),
            Transition::Swallow { channel, place } => self.swallow(config, channel, place),
            Transition::Fire { process, slot, choice } => self.fire(config, process, slot, choice),
            Transition::Call { entry, choice } => self.call(config, entry, choice),
            Transition::Unblock { process } => self.unblock(config, process),
            Transition::Crash { process } => self.crash(config, process),
            Transition::Recover { process, choice } => self.recover(config, process, choice),
            Transition::Lose { channel, place } => self.lose(config, channel, place),
            Transition::Duplicate { channel, place } => self.duplicate(config, channel, place),
            Transition::Tick => self.tick(config, urgent),
            Transition::EnableTimer { process, slot } => self.enable_timer(config, process, slot),
            Transition::EnableMessage { channel, place } => self.enable_message(config, channel, place),
            Transition::Expire { deadlines } => self.expire(config, deadlines),
            Transition::Stabilise => self.stabilise(config),
            Transition::Tell { process, peer, news, choice } => {
                self.tell(config, process, peer, news, choice)
            }
            Transition::Settle { immune } => self.settle(config, immune),
        }?;
        done.events.extend(self.remarks(config));
        Ok(done)
    }

    /// The state that a configuration stands for.
    pub(crate) fn settled(&self, config: &Config) -> Snapshot {
        config.settled(self.automaton, self.scenario.time, self.scenario.network.order)
    }

    /// A configuration that stands for a state.
    pub(crate) fn unsettled(&self, snapshot: &Snapshot) -> Config {
        Config::unsettled(self.scenario.time, snapshot)
    }

    fn deliver(
        &self,
        config: &mut Config,
        channel: usize,
        place: usize,
        choice: usize,
    ) -> Result<Done, String> {
        let (from, to) = self.ends(channel)?;
        let mut taking = ready(config, to)?;
        let Flight { message, msg, pending } = self.arrive(config, channel, place)?;
        self.is_wanted(config, (from, to), msg)?;
        if matches!(self.scenario.time.timing(), Some(timing) if matches!(timing.delay, Delay::RoundTrip(_)))
        {
            taking.request = Some((from, pending));
        }
        let run = self.perform(&taking, choice, Stimulus::Receive { from, msg })?;
        let label = self.words(|| format!("{to} receives {} from {from}{}", self.label(msg), run.picked()));
        let mut events = vec![Event::Receive { message }];
        self.show(config, &RawObservation::Received { by: to, from, msg });
        self.carry_out(config, taking, run, &mut events)?;
        Ok(Done { label, kind: Some(self.kind(msg)), events })
    }

    fn swallow(&self, config: &mut Config, channel: usize, place: usize) -> Result<Done, String> {
        let (from, to) = self.ends(channel)?;
        if !matches!(config.processes[to.index()], ProcessConfig::Crashed) {
            return Err(format!("{to} has not crashed"));
        }
        let Flight { message, msg, .. } = self.arrive(config, channel, place)?;
        let label = self.words(|| format!("{to}, crashed, swallows {} from {from}", self.label(msg)));
        Ok(Done::new(label, vec![Event::Swallow { message }]))
    }

    /// Takes a message out of its channel that arrives now.
    fn arrive(&self, config: &mut Config, channel: usize, place: usize) -> Result<Flight, String> {
        let (from, to) = self.ends(channel)?;
        let at = self.find(config, channel, place)?;
        if self.scenario.network.order == DeliveryOrder::Fifo && at > 0 {
            return Err(format!("another message is before this one from {from} to {to}"));
        }
        let flight = config.channels[channel].remove(at);
        config.timeline.does(flight.pending)?;
        Ok(flight)
    }

    fn fire(&self, config: &mut Config, process: usize, slot: usize, choice: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        let mut taking = ready(config, me)?;
        let armed = taking.timers.iter().position(|(other, _)| *other == slot);
        let at = armed.ok_or_else(|| format!("{me} has no armed timer {slot}"))?;
        let (_, pending) = taking.timers.remove(at);
        config.timeline.does(pending)?;
        let first = |timing: crate::Timing| timing.simultaneous == Simultaneous::DeliveriesFirst;
        if self.scenario.time.timing().is_some_and(first) {
            let flights: Vec<Pending> =
                config.channels.iter().flatten().map(|flight| flight.pending).collect();
            flights.into_iter().try_for_each(|pending| config.timeline.is_not_due(pending))?;
        }
        let run = self.perform(&taking, choice, Stimulus::Fire(slot))?;
        let name = self.automaton.facts().timer(slot);
        let label = self.words(|| format!("{me}: {name} fires{}", run.picked()));
        let mut events = vec![Event::Fire { process: me, timer: self.words(|| name.to_string()) }];
        self.show(config, &RawObservation::Fired { by: me, slot });
        self.carry_out(config, taking, run, &mut events)?;
        Ok(Done::new(label, events))
    }

    fn call(&self, config: &mut Config, entry: usize, choice: usize) -> Result<Done, String> {
        let CallEntry { process: me, call, budget } =
            *self.calls.get(entry).ok_or_else(|| format!("there is no call {entry}"))?;
        let taking = ready(config, me)?;
        let asked = self.automaton.calls().label(call.0);
        if config.calls[entry] >= budget {
            return Err(format!("{asked} was called as often as it may be"));
        }
        config.calls[entry] += 1;
        let run = self.perform(&taking, choice, Stimulus::Call(call))?;
        let label = format!("{me} is asked {asked}{}", run.picked());
        let mut events = vec![Event::Call { process: me, label: asked }];
        self.show(config, &RawObservation::Called { by: me, call });
        self.carry_out(config, taking, run, &mut events)?;
        Ok(Done { label, kind: Some(self.automaton.calls().kind(call.0)), events })
    }

    fn unblock(&self, config: &mut Config, process: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        let ProcessConfig::Up { state, timers, outbox } = config.processes[process].clone() else {
            return Err(format!("{me} has crashed"));
        };
        let (to, first) = outbox.first().cloned().ok_or_else(|| format!("{me} is not blocked"))?;
        if !self.could_send_on(config, me) {
            return Err(format!("there is still no room for what {me} wants to send"));
        }
        let (mut events, mut left) = (Vec::new(), Vec::new());
        for (to, msg) in outbox {
            match left.is_empty() {
                true => left.extend(self.put(config, (me, to), msg, None, &mut events)?),
                false => left.push((to, msg)),
            }
        }
        config.processes[process] = ProcessConfig::Up { state, timers, outbox: left };
        let label = self.words(|| format!("{me} sends blocked {} to {to}", self.label(first)));
        Ok(Done::new(label, events))
    }

    /// The run of the protocol that the choice names.
    fn perform(&self, taking: &Taking, choice: usize, input: Stimulus) -> Result<Performance, String> {
        let step = |fx: &mut RequestLog<'_>| self.automaton.step(taking.me, taking.state, input, fx);
        let run = performances(step).into_iter().nth(choice);
        run.ok_or_else(|| format!("{} has no choice {choice}", taking.me))
    }

    /// Lets the effects of a run happen, in their order.
    fn carry_out(
        &self,
        config: &mut Config,
        taking: Taking,
        run: Performance,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let Taking { me, mut timers, request, .. } = taking;
        if self.limited && self.automaton.beyond(run.state) {
            return Err(format!("{me} would be past the horizon of the search"));
        }
        let mut outbox: Vec<(Pid, MsgId)> = Vec::new();
        let mut dropped = Vec::new();
        for effect in run.effects {
            match effect {
                Request::Emit(output) => {
                    if self.worded {
                        let label = self.automaton.outputs().label(output.0);
                        let tone = self.automaton.meaning(output).tone();
                        events.push(Event::Output { process: me, label, tone });
                    }
                    self.show(config, &RawObservation::Emitted { by: me, output });
                }
                Request::Arm { slot, bound } => {
                    timers.retain(|(other, _)| *other != slot);
                    timers.push((slot, config.timeline.pending(self.scenario.time.timer(bound))));
                }
                Request::Disarm { slot } => timers.retain(|(other, _)| *other != slot),
                Request::Send { to, msg, reply } => {
                    self.show(config, &RawObservation::Sent { by: me, to, msg });
                    let answers = request.filter(|(from, _)| reply && *from == to);
                    let pending = answers.map(|(_, pending)| pending.inherited());
                    if outbox.is_empty() && self.drops(config, (me, to), msg) {
                        dropped.push(RawObservation::Lost { from: me, to, msg });
                    }
                    match outbox.is_empty() {
                        true => outbox.extend(self.put(config, (me, to), msg, pending, events)?),
                        false => outbox.push((to, msg)),
                    }
                }
            }
        }
        config.processes[me.index()] = ProcessConfig::Up { state: run.state, timers, outbox };
        self.forget_unwanted(config, me);
        dropped.iter().for_each(|lost| self.show(config, lost));
        Ok(())
    }

    /// Whether a message would find its channel full and be dropped.
    fn drops(&self, config: &Config, (from, to): (Pid, Pid), msg: MsgId) -> bool {
        let network = &self.scenario.network;
        matches!((network.capacity, network.when_full), (Capacity::Bounded(_), WhenFull::Drop))
            && self
                .routes
                .channel(from, to, self.kind(msg))
                .is_some_and(|channel| self.is_full(config, channel))
    }

    /// Puts a message into its channel, or says what becomes of it; gives it back if its sender must wait.
    fn put(
        &self,
        config: &mut Config,
        (from, to): (Pid, Pid),
        msg: MsgId,
        pending: Option<Pending>,
        events: &mut Vec<Event>,
    ) -> Result<Option<(Pid, MsgId)>, String> {
        let channel = self.routes.channel(from, to, self.kind(msg));
        let channel = channel.ok_or_else(|| format!("{from} sends to {to}, where no channel leads"))?;
        if config.overflow.is_some() {
            return Ok(None);
        }
        let label = self.words(|| self.label(msg));
        if self.swallows_at_once() && matches!(config.processes[to.index()], ProcessConfig::Crashed) {
            let message = MessageId(config.messages);
            config.messages += 1;
            events.extend([Event::Send { message, from, to, label }, Event::Swallow { message }]);
            return Ok(None);
        }
        if self.reception(config, (from, to), msg) == Reception::Discarded {
            let message = MessageId(config.messages);
            config.messages += 1;
            events.push(Event::Send { message, from, to, label });
            return Ok(None);
        }
        if !self.is_full(config, channel) {
            let message = MessageId(config.messages);
            config.messages += 1;
            let bound = message_bound(self.scenario, config.stable);
            let pending = pending.unwrap_or_else(|| config.timeline.pending(bound));
            config.channels[channel].push(Flight { message, msg, pending });
            events.push(Event::Send { message, from, to, label });
            return Ok(None);
        }
        match (self.scenario.network.capacity, self.scenario.network.when_full) {
            (Capacity::Unbounded { cap }, _) => {
                return Err(format!("a channel would hold more than {cap} messages"));
            }
            (_, WhenFull::Block) => {
                events.push(Event::Block { process: from, to, label });
                return Ok(Some((to, msg)));
            }
            (_, WhenFull::Drop) => events.push(Event::Ignore { from, to, label }),
            (_, WhenFull::Report) => {
                config.overflow = Some(channel);
                events.push(Event::Overflow { from, to, label });
            }
        }
        Ok(None)
    }

    /// Where in the channel a message is that an action names. Of equal messages it is the one sent first,
    /// unless each has a clock: then each has a place of its own.
    fn find(&self, config: &Config, channel: usize, place: usize) -> Result<usize, String> {
        let list = &config.channels[channel];
        let found = match self.scenario.network.order {
            DeliveryOrder::Fifo => (place < list.len()).then_some(place),
            DeliveryOrder::AnyOrder if list.len() == 1 => (place == 0).then_some(0),
            DeliveryOrder::AnyOrder => {
                let mut places: Vec<(Vec<u8>, usize)> = list
                    .iter()
                    .enumerate()
                    .map(|(at, flight)| (config.key(self.automaton.messages(), flight), at))
                    .collect();
                places.sort();
                places.dedup_by(|(a, at), (b, _)| {
                    a == b && !config.timeline.remaining(list[*at].pending).has_clock()
                });
                places.get(place).map(|(_, at)| *at)
            }
        };
        found.ok_or_else(|| format!("there is no message {place} in {}", self.routes.name(channel)))
    }

    /// Whether a process waits for room, and has it.
    fn could_send_on(&self, config: &Config, me: Pid) -> bool {
        let ProcessConfig::Up { outbox, .. } = &config.processes[me.index()] else { return false };
        let channel = outbox.first().and_then(|(to, msg)| self.routes.channel(me, *to, self.kind(*msg)));
        channel.is_some_and(|channel| !self.is_full(config, channel))
    }

    fn is_full(&self, config: &Config, channel: usize) -> bool {
        config.channels[channel].len() >= self.scenario.network.capacity.limit() as usize
    }

    /// A sentence for a reader, if there is one.
    fn words(&self, words: impl FnOnce() -> String) -> String {
        if self.worded { words() } else { String::new() }
    }

    /// How a chart writes a message.
    fn label(&self, msg: MsgId) -> String {
        self.automaton.messages().label(msg.0)
    }

    fn kind(&self, msg: MsgId) -> usize {
        self.automaton.messages().kind(msg.0)
    }

    fn ends(&self, channel: usize) -> Result<(Pid, Pid), String> {
        if channel >= self.routes.len() {
            return Err(format!("there is no channel {channel}"));
        }
        let (from, to, _) = self.routes.ends(channel);
        Ok((from, to))
    }

    fn process(&self, number: usize) -> Result<Pid, String> {
        let exists = number < self.scenario.n;
        if exists { Ok(Pid::at(number)) } else { Err(format!("there is no process {number}")) }
    }
}

/// A process that can take input.
fn ready(config: &Config, me: Pid) -> Result<Taking, String> {
    match &config.processes[me.index()] {
        ProcessConfig::Crashed | ProcessConfig::Unborn => Err(format!("{me} has crashed")),
        ProcessConfig::Up { outbox, .. } if !outbox.is_empty() => Err(format!("{me} is blocked")),
        ProcessConfig::Up { state, timers, .. } => {
            Ok(Taking { me, state: *state, timers: timers.clone(), request: None })
        }
    }
}
