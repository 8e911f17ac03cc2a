//! A world executed directly: real protocol states, real lists of messages, the protocol called anew for
//! every step. It is slow and plain on purpose. Nothing of the search is used here, neither ids nor
//! remembered steps, so that a mistake there cannot hide behind the same mistake here.

use crate::act::Act;
use crate::local::{Armed, Local};
use crate::route::Routes;
use crate::snapshot::{Snapshot, SnapshotOf};
use crate::world::CallEntry;
use crate::{Capacity, Order, Scenario, WhenFull, World};
use std::collections::BTreeSet;
use watchkeeper_core::{Event, Input, Kind, MessageId, Pid, Protocol, Slot, packed};

pub(crate) mod performance;

use performance::{Effect, Performance, performances};

/// Executes the actions of one world.
pub(crate) struct Interpreter<'a, P: Protocol> {
    protocol: &'a P,
    scenario: &'a Scenario,
    routes: &'a Routes,
    calls: &'a [CallEntry<P::Call>],
}

/// A global state with numbered messages, in the order in which they were sent.
#[derive(Clone, Debug)]
pub(crate) struct Config<S, M> {
    processes: Vec<Local<S, M>>,
    lanes: Vec<Vec<(MessageId, M)>>,
    losses: u32,
    duplications: u32,
    calls: Vec<u32>,
    overflow: Option<usize>,
    messages: u32,
}

/// The configuration of a protocol's world.
pub(crate) type ConfigOf<P> = Config<<P as Protocol>::State, <P as Protocol>::Msg>;

/// An initial configuration, with what happens at once.
pub(crate) type Start<P> = (ConfigOf<P>, Vec<Event>);

/// What an action was, to a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    pub(crate) label: String,
    /// The kind of the message or call that it was about, where there is one.
    pub(crate) kind: Option<usize>,
    pub(crate) events: Vec<Event>,
}

impl<'a, P: Protocol> Interpreter<'a, P> {
    pub(crate) fn new(world: &'a World<P>) -> Interpreter<'a, P> {
        let World { protocol, scenario, routes, calls, .. } = world;
        Interpreter { protocol, scenario, routes, calls }
    }

    /// All initial states.
    pub(crate) fn starts(&self) -> Result<Vec<Start<P>>, String> {
        let blank = Config {
            processes: vec![Local::Crashed; self.scenario.n],
            lanes: vec![Vec::new(); self.routes.len()],
            losses: 0,
            duplications: 0,
            calls: vec![0; self.calls.len()],
            overflow: None,
            messages: 0,
        };
        // Whoever overflows a channel does not keep the others from starting.
        let mut partial = vec![(blank, Vec::new(), Vec::new())];
        for me in Pid::all(self.scenario.n) {
            if self.scenario.faults.crashed_at_start.contains(me) {
                continue;
            }
            let mut next = Vec::new();
            for (config, events, overflows) in partial {
                for performance in performances(Armed::default(), |fx| self.protocol.init(me, fx)) {
                    let (mut config, mut events, mut overflows): (ConfigOf<P>, Vec<Event>, Vec<usize>) =
                        (config.clone(), events.clone(), overflows.clone());
                    self.carry_out(&mut config, me, performance, &mut events)?;
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
            for lane in overflows {
                starts.push((Config { overflow: Some(lane), ..config.clone() }, events.clone()));
            }
        }
        Ok(starts)
    }

    /// Executes one action, or says why it cannot happen.
    pub(crate) fn apply(&self, config: &mut ConfigOf<P>, act: Act) -> Result<Done, String> {
        if config.overflow.is_some() {
            return Err("nothing happens any more after an overflow".to_string());
        }
        match act {
            Act::Deliver { lane, place, choice } => self.deliver(config, lane, place, choice),
            Act::Swallow { lane, place } => self.swallow(config, lane, place),
            Act::Fire { process, slot, choice } => self.fire(config, process, slot, choice),
            Act::Call { entry, choice } => self.call(config, entry, choice),
            Act::Unblock { process } => self.unblock(config, process),
            Act::Crash { process } => self.crash(config, process),
            Act::Lose { lane, place } => self.lose(config, lane, place),
            Act::Duplicate { lane, place } => self.duplicate(config, lane, place),
        }
    }

    /// The state that a configuration stands for.
    pub(crate) fn settled(&self, config: &ConfigOf<P>) -> SnapshotOf<P> {
        let strip = |lane: &Vec<(MessageId, P::Msg)>| lane.iter().map(|(_, msg)| msg.clone()).collect();
        let mut snapshot = Snapshot {
            processes: config.processes.clone(),
            lanes: config.lanes.iter().map(strip).collect(),
            losses: config.losses,
            duplications: config.duplications,
            calls: config.calls.clone(),
            overflow: config.overflow,
        };
        snapshot.settle(self.scenario.network.order);
        snapshot
    }

    /// A configuration that stands for a state; its messages are numbered anew.
    pub(crate) fn unsettled(&self, snapshot: &SnapshotOf<P>) -> ConfigOf<P> {
        let mut messages = 0;
        let mut number = |msg: &P::Msg| {
            messages += 1;
            (MessageId(messages - 1), msg.clone())
        };
        let lanes = snapshot.lanes.iter().map(|lane| lane.iter().map(&mut number).collect()).collect();
        let Snapshot { processes, losses, duplications, calls, overflow, .. } = snapshot.clone();
        Config { processes, lanes, losses, duplications, calls, overflow, messages }
    }

    fn deliver(
        &self,
        config: &mut ConfigOf<P>,
        lane: usize,
        place: usize,
        choice: usize,
    ) -> Result<Done, String> {
        let (from, to) = self.ends(lane)?;
        let (state, armed) = ready(config, to)?;
        let at = self.find(config, lane, place)?;
        if self.scenario.network.order == Order::Fifo && at > 0 {
            return Err(format!("another message is before this one from {from} to {to}"));
        }
        let (message, msg) = config.lanes[lane].remove(at);
        let run = self.perform(to, state, armed, choice, || Input::Receive { from, msg: &msg })?;
        let label = format!("{to} receives {} from {from}{}", msg.label(), run.picked());
        let mut events = vec![Event::Receive { message }];
        self.carry_out(config, to, run, &mut events)?;
        Ok(Done { label, kind: Some(msg.kind()), events })
    }

    fn swallow(&self, config: &mut ConfigOf<P>, lane: usize, place: usize) -> Result<Done, String> {
        let (from, to) = self.ends(lane)?;
        if config.processes[to.index()] != Local::Crashed {
            return Err(format!("{to} has not crashed"));
        }
        let at = self.find(config, lane, place)?;
        if self.scenario.network.order == Order::Fifo && at > 0 {
            return Err(format!("another message is before this one from {from} to {to}"));
        }
        let (message, msg) = config.lanes[lane].remove(at);
        let label = format!("{to}, crashed, swallows {} from {from}", msg.label());
        Ok(Done { label, kind: None, events: vec![Event::Swallow { message }] })
    }

    fn fire(
        &self,
        config: &mut ConfigOf<P>,
        process: usize,
        slot: usize,
        choice: usize,
    ) -> Result<Done, String> {
        let me = self.process(process)?;
        let (state, mut armed) = ready(config, me)?;
        let timer = P::Timer::from_index(slot).filter(|_| armed.contains(slot));
        let timer = timer.ok_or_else(|| format!("{me} has no armed timer {slot}"))?;
        armed.disarm(slot);
        let run = self.perform(me, state, armed, choice, || Input::Fire(timer))?;
        let name = P::Timer::NAMES[slot];
        let label = format!("{me}: {name} fires{}", run.picked());
        let mut events = vec![Event::Fire { process: me, timer: name.to_string() }];
        self.carry_out(config, me, run, &mut events)?;
        Ok(Done { label, kind: None, events })
    }

    fn call(&self, config: &mut ConfigOf<P>, entry: usize, choice: usize) -> Result<Done, String> {
        let CallEntry { process: me, call, budget } =
            self.calls.get(entry).ok_or_else(|| format!("there is no call {entry}"))?;
        let (state, armed) = ready(config, *me)?;
        if config.calls[entry] >= *budget {
            return Err(format!("{} was called as often as it may be", call.label()));
        }
        config.calls[entry] += 1;
        let run = self.perform(*me, state, armed, choice, || Input::Call(call))?;
        let label = format!("{me} is asked {}{}", call.label(), run.picked());
        let mut events = vec![Event::Call { process: *me, label: call.label() }];
        self.carry_out(config, *me, run, &mut events)?;
        Ok(Done { label, kind: Some(call.kind()), events })
    }

    fn unblock(&self, config: &mut ConfigOf<P>, process: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        let Local::Up { state, armed, outbox } = config.processes[process].clone() else {
            return Err(format!("{me} has crashed"));
        };
        let (to, first) = outbox.first().cloned().ok_or_else(|| format!("{me} is not blocked"))?;
        let effects = outbox.into_iter().map(|(to, msg)| Effect::Send(to, msg)).collect();
        let mut events = Vec::new();
        self.carry_out(config, me, Performance { state, armed, effects, picks: Vec::new() }, &mut events)?;
        if matches!(events.first(), Some(Event::Block { .. })) {
            return Err(format!("there is still no room for what {me} wants to send"));
        }
        let label = format!("{me} sends blocked {} to {to}", first.label());
        Ok(Done { label, kind: None, events })
    }

    fn crash(&self, config: &mut ConfigOf<P>, process: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        let faults = &self.scenario.faults;
        let crashed = config.processes.iter().filter(|local| **local == Local::Crashed).count();
        if config.processes[process] == Local::Crashed || !faults.crashable.contains(me) {
            return Err(format!("{me} cannot crash"));
        }
        if crashed - faults.crashed_at_start.len() >= faults.crashes as usize {
            return Err("as many processes have crashed as may".to_string());
        }
        config.processes[process] = Local::Crashed;
        Ok(Done { label: format!("{me} crashes"), kind: None, events: vec![Event::Crash { process: me }] })
    }

    fn lose(&self, config: &mut ConfigOf<P>, lane: usize, place: usize) -> Result<Done, String> {
        let (from, to) = self.ends(lane)?;
        if config.losses >= self.scenario.network.losses {
            return Err("as many messages were lost as may be".to_string());
        }
        let at = self.find(config, lane, place)?;
        config.losses += 1;
        let (message, msg) = config.lanes[lane].remove(at);
        let label = format!("lose {} from {from} to {to}", msg.label());
        Ok(Done { label, kind: None, events: vec![Event::Lose { message }] })
    }

    fn duplicate(&self, config: &mut ConfigOf<P>, lane: usize, place: usize) -> Result<Done, String> {
        let (from, to) = self.ends(lane)?;
        if config.duplications >= self.scenario.network.duplications {
            return Err("as many messages were duplicated as may be".to_string());
        }
        let at = self.find(config, lane, place)?;
        if self.is_full(config, lane) {
            return Err(format!("there is no room for a copy from {from} to {to}"));
        }
        config.duplications += 1;
        let (message, msg) = config.lanes[lane][at].clone();
        let copy = MessageId(config.messages);
        config.messages += 1;
        let label = format!("duplicate {} from {from} to {to}", msg.label());
        config.lanes[lane].insert(at + 1, (copy, msg));
        Ok(Done { label, kind: None, events: vec![Event::Duplicate { message, copy }] })
    }

    /// The run of the protocol that the choice names.
    fn perform<'i>(
        &self,
        me: Pid,
        state: P::State,
        armed: Armed,
        choice: usize,
        input: impl Fn() -> Input<'i, P>,
    ) -> Result<Performance<P>, String>
    where
        P: 'i,
    {
        let step = |fx: &mut performance::Stage<P>| {
            let mut state = state.clone();
            self.protocol.step(me, &mut state, input(), fx);
            state
        };
        performances(armed, step)
            .into_iter()
            .nth(choice)
            .ok_or_else(|| format!("{me} has no choice {choice}"))
    }

    /// Lets the effects of a run happen, in their order.
    fn carry_out(
        &self,
        config: &mut ConfigOf<P>,
        me: Pid,
        run: Performance<P>,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let mut outbox: Vec<(Pid, P::Msg)> = Vec::new();
        for effect in run.effects {
            let (to, msg) = match effect {
                Effect::Emit(output) => {
                    let (label, tone) = (output.label(), self.protocol.tone(&output));
                    events.push(Event::Output { process: me, label, tone });
                    continue;
                }
                Effect::Send(to, msg) => (to, msg),
            };
            let lane = self.routes.lane(me, to, msg.kind());
            let lane = lane.ok_or_else(|| format!("{me} sends to {to}, where no channel leads"))?;
            if config.overflow.is_some() {
                continue;
            }
            let (from, label) = (me, msg.label());
            if !outbox.is_empty() {
                outbox.push((to, msg));
            } else if !self.is_full(config, lane) {
                let message = MessageId(config.messages);
                config.messages += 1;
                config.lanes[lane].push((message, msg));
                events.push(Event::Send { message, from, to, label });
            } else {
                match (self.scenario.network.capacity, self.scenario.network.when_full) {
                    (Capacity::Unbounded { cap }, _) => {
                        return Err(format!("a channel would hold more than {cap} messages"));
                    }
                    (_, WhenFull::Block) => {
                        outbox.push((to, msg));
                        events.push(Event::Block { process: me, to, label });
                    }
                    (_, WhenFull::Drop) => events.push(Event::Ignore { from, to, label }),
                    (_, WhenFull::Report) => {
                        config.overflow = Some(lane);
                        events.push(Event::Overflow { from, to, label });
                    }
                }
            }
        }
        config.processes[me.index()] = Local::Up { state: run.state, armed: run.armed, outbox };
        Ok(())
    }

    /// Where in the lane a message is that an action names. Of equal messages it is the one sent first.
    fn find(&self, config: &ConfigOf<P>, lane: usize, place: usize) -> Result<usize, String> {
        let list = &config.lanes[lane];
        let found = match self.scenario.network.order {
            Order::Fifo => (place < list.len()).then_some(place),
            Order::AnyOrder => {
                let different: BTreeSet<Vec<u8>> = list.iter().map(|(_, msg)| packed(msg)).collect();
                let bytes = different.into_iter().nth(place);
                bytes.and_then(|bytes| list.iter().position(|(_, msg)| packed(msg) == bytes))
            }
        };
        found.ok_or_else(|| format!("there is no message {place} in {}", self.routes.name(lane)))
    }

    fn is_full(&self, config: &ConfigOf<P>, lane: usize) -> bool {
        config.lanes[lane].len() >= self.scenario.network.capacity.limit() as usize
    }

    fn ends(&self, lane: usize) -> Result<(Pid, Pid), String> {
        if lane >= self.routes.len() {
            return Err(format!("there is no lane {lane}"));
        }
        let (from, to, _) = self.routes.ends(lane);
        Ok((from, to))
    }

    fn process(&self, number: usize) -> Result<Pid, String> {
        let exists = number < self.scenario.n;
        if exists { Ok(Pid::at(number)) } else { Err(format!("there is no process {number}")) }
    }
}

/// The state and the armed timers of a process that can take input.
fn ready<S: Clone, M>(config: &Config<S, M>, me: Pid) -> Result<(S, Armed), String> {
    match &config.processes[me.index()] {
        Local::Crashed => Err(format!("{me} has crashed")),
        Local::Up { outbox, .. } if !outbox.is_empty() => Err(format!("{me} is blocked")),
        Local::Up { state, armed, .. } => Ok((state.clone(), *armed)),
    }
}
