//! A run executed by the interpreter of the model, the one that replays counterexamples: every recorded step
//! is an action there, and what comes of it must be what was recorded. The interpreter decides; here is only
//! which of its messages is which.

use super::Limits;
use super::deviation::Broken;
use super::fates::{Fates, Item, Timed};
use super::reasons::unsure;
use crate::act::Act;
use crate::automaton::CallId;
use crate::interpreter::config::{Config, Process};
use crate::interpreter::{Done, Interpreter};
use crate::{ANY_NUMBER, Capacity, Faults, MAX_CAPACITY, Network, Order, Scenario, Time, World};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use watchkeeper_core::{Event, MessageId, ProcSet, RecordedInput};

/// The world in which a run is executed: that of the model, with the faults that happened and are allowed.
pub(crate) fn world(
    model: &World,
    run: &Timed<'_>,
    fates: &Fates,
    limits: &Limits,
    time: Time,
) -> Result<World, String> {
    let lives = run.lives;
    let mut calls = Vec::new();
    for step in 0..lives.steps() {
        if let RecordedInput::Call { call } = &lives.step(step).input {
            let call = model.automaton.calls().read(call).map_err(|why| why.to_string())?;
            calls.push((lives.process(step), CallId(call), 1));
        }
    }
    let scenario = Scenario { time, ..scenario(run, fates, limits) };
    let world = World::new(Arc::clone(&model.automaton), scenario).map_err(|why| why.to_string())?;
    if calls.is_empty() { Ok(world) } else { world.with_entries(calls).map_err(|why| why.to_string()) }
}

/// The scenario of the model, with the faults that happened and are allowed.
pub(crate) fn scenario(run: &Timed<'_>, fates: &Fates, limits: &Limits) -> Scenario {
    let Scenario { n, network, time, .. } = run.scenario;
    let lives = run.lives;
    let all = ProcSet::first(*n);
    let up = (0..lives.list.len()).filter(|&life| run.together[life]).map(|life| lives.list[life].process);
    let crashed_at_start = all.difference(up.collect());
    let restarts = (0..lives.list.len()).filter(|&life| !lives.is_first(life)).count() as u32;
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
    let happened = fates.crashed.iter().filter(|crashed| **crashed).count() as u32;
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
pub(crate) fn late_starts(run: &Timed<'_>) -> u32 {
    let lives = run.lives;
    (0..lives.list.len()).filter(|&life| lives.is_first(life) && !run.together[life]).count() as u32
}

/// A run that is being executed.
pub(crate) struct Execution<'a> {
    pub(super) world: &'a World,
    interpreter: Interpreter<'a>,
    pub(super) config: Config,
    pub(super) run: &'a Timed<'a>,
    choices: &'a [(usize, usize)],
    limits: &'a Limits,
    /// The number that the interpreter has given to each message.
    ids: Vec<Option<MessageId>>,
    pub(super) letters: BTreeMap<MessageId, usize>,
    /// What each process waits to send.
    waiting: Vec<VecDeque<usize>>,
    /// Messages to processes that are down, by the moment from which on they may arrive.
    dead: BTreeMap<(i64, usize), usize>,
}

impl<'a> Execution<'a> {
    /// The run before its first step; everyone who begins with it has begun.
    pub(crate) fn begin(
        world: &'a World,
        run: &'a Timed<'a>,
        choices: &'a [(usize, usize)],
        limits: &'a Limits,
    ) -> Result<Execution<'a>, (usize, Broken)> {
        let interpreter = Interpreter::new(world).without_horizon();
        let starting: Vec<usize> = (0..run.lives.list.len())
            .filter(|&life| run.together[life])
            .map(|life| run.lives.start(life))
            .collect();
        let step = starting.first().copied().unwrap_or(0);
        let wrong = |why: String| (step, Broken::Unconfirmed { why });
        // Whoever comes later in the list of processes makes its choice in the inner loop.
        let index = starting.iter().fold(0, |index, &step| index * choices[step].1 + choices[step].0);
        let starts = interpreter.starts().map_err(wrong)?;
        let (config, events) = starts.into_iter().nth(index).ok_or_else(|| wrong("no such start".into()))?;
        let mut execution = Execution {
            world,
            interpreter,
            config,
            run,
            choices,
            limits,
            ids: vec![None; run.letters.list.len()],
            letters: BTreeMap::new(),
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
    pub(crate) fn take(&mut self, item: Item) -> Result<(), (usize, Broken)> {
        match item {
            Item::Step(step) => self.step(step),
            Item::Lose(letter) => self.lose(letter),
            Item::Crash(life) => self.crash(life),
        }
    }

    /// Asks a timed interpreter whether what has happened has times, by its own reckoning.
    pub(crate) fn has_times(&self) -> bool {
        self.config.timeline.solved().is_ok()
    }

    fn step(&mut self, step: usize) -> Result<(), (usize, Broken)> {
        let lives = self.run.lives;
        let (life, me, choice) = (lives.life(step), lives.process(step), self.choices[step].0);
        let process = me.index();
        self.settle(self.run.times[step])?;
        let act = match &lives.step(step).input {
            RecordedInput::Start if self.run.together[life] => return Ok(()),
            RecordedInput::Start => Act::Recover { process, choice },
            RecordedInput::Fire { slot, .. } => {
                let slot = *slot;
                self.ripen_timer(step, process, slot)?;
                Act::Fire { process, slot, choice }
            }
            RecordedInput::Call { call } => {
                let same = |entry: &crate::world::CallEntry| {
                    entry.process == me && self.world.automaton.calls().packed(entry.call.0) == *call
                };
                let entry = self.world.calls.iter().position(same);
                Act::Call { entry: entry.unwrap_or(usize::MAX), choice }
            }
            RecordedInput::Receive { .. } => {
                let letter = self.run.letters.read[step];
                let letter = letter.ok_or_else(|| (step, unsure("the message is of nobody".to_string())))?;
                self.ripen_message(step, letter)?;
                let (lane, place) = self.find(letter).ok_or_else(|| (step, self.missing(letter)))?;
                Act::Deliver { lane, place, choice }
            }
        };
        let done = self.apply(step, act)?;
        if let (Some(letter), Some(Event::Receive { message })) =
            (self.run.letters.read[step], done.events.first())
        {
            self.swap(letter, *message);
        }
        self.put(step, &done.events)?;
        self.same(step)?;
        if let Some(lane) = self.config.overflow {
            let (from, to, _) = self.world.routes.ends(lane);
            let why = "the model reports that as an error".to_string();
            return Err((step, Broken::Capacity { from, to, why }));
        }
        self.settle(self.run.times[step])
    }

    fn lose(&mut self, letter: usize) -> Result<(), (usize, Broken)> {
        let sent = &self.run.letters.list[letter];
        // The model has dropped it by itself, or it went to a process that was down.
        let Some((lane, place)) = self.find(letter) else { return Ok(()) };
        let done = self.interpreter.apply(&mut self.config, Act::Lose { lane, place });
        let done = done.map_err(|_| (sent.by, self.lost(letter)))?;
        if let Some(Event::Lose { message }) = done.events.first() {
            self.swap(letter, *message);
        }
        Ok(())
    }

    fn crash(&mut self, life: usize) -> Result<(), (usize, Broken)> {
        let (process, last) = (self.run.lives.list[life].process, self.run.lives.last(life));
        let allowed = self.world.scenario.faults.crashes;
        let done = self.interpreter.apply(&mut self.config, Act::Crash { process: process.index() });
        done.map_err(|_| {
            (last, Broken::Crashes { process, allowed: self.limits.crashes.unwrap_or(allowed) })
        })?;
        self.waiting[process.index()].clear();
        let inbound = self.world.routes.inbound(process.index());
        let flights = inbound.flat_map(|lane| &self.config.lanes[lane]).map(|flight| flight.message);
        let letters: Vec<usize> = flights.filter_map(|id| self.letters.get(&id).copied()).collect();
        letters.into_iter().for_each(|letter| self.bury(letter));
        self.settle(self.run.times[last])
    }

    /// Applies the action of a step; says which assumption is broken if it cannot happen.
    fn apply(&mut self, step: usize, act: Act) -> Result<Done, (usize, Broken)> {
        let me = self.run.lives.process(step);
        let waits_for = self.waiting[me.index()].front().map(|&letter| &self.run.letters.list[letter]);
        if let Some(letter) = waits_for {
            let why = format!("{me} would wait for room for {} and do nothing else", letter.label);
            return Err((step, self.capacity(letter.lane, letter.from, letter.to, why)));
        }
        let done = self.interpreter.apply(&mut self.config, act);
        done.map_err(|why| match act {
            Act::Recover { .. } => {
                let allowed = self.limits.recoveries.unwrap_or(0);
                (step, Broken::Recoveries { process: me, allowed })
            }
            Act::Deliver { lane, .. } if self.world.scenario.network.order == Order::Fifo => {
                (step, self.in_front(step, lane, why))
            }
            _ => (step, unsure(why)),
        })
    }

    /// Takes down what became of the messages of a step; gives back the events that are not about them.
    fn put<'e>(&mut self, step: usize, events: &'e [Event]) -> Result<&'e [Event], (usize, Broken)> {
        let me = self.run.lives.process(step);
        let mut open: VecDeque<usize> = self.run.letters.sent(step).collect();
        for (i, event) in events.iter().enumerate() {
            match event {
                _ if open.is_empty() => return Ok(&events[i..]),
                Event::Send { message, from, .. } if *from == me => self.sent(*message, open.pop_front()),
                Event::Ignore { from, .. } if *from == me => {
                    open.pop_front();
                }
                Event::Block { process, .. } if *process == me => {
                    self.waiting[me.index()] = std::mem::take(&mut open);
                    return Ok(&events[i + 1..]);
                }
                Event::Overflow { from, .. } if *from == me => return Ok(&events[i + 1..]),
                _ => {}
            }
        }
        if open.is_empty() { Ok(&[]) } else { Err((step, unsure("fewer messages were sent".to_string()))) }
    }

    fn sent(&mut self, message: MessageId, letter: Option<usize>) {
        let Some(letter) = letter else { return };
        self.ids[letter] = Some(message);
        self.letters.insert(message, letter);
        let to = self.run.letters.list[letter].to;
        if matches!(self.config.processes.get(to.index()), Some(Process::Crashed)) {
            self.bury(letter);
        }
    }

    /// A message to a process that is down.
    fn bury(&mut self, letter: usize) {
        let Timed { scenario, times, roots, .. } = *self.run;
        let bounded = matches!(scenario.network.capacity, Capacity::Bounded(_));
        let wait = if bounded { super::bonds::letter_bound(scenario, false).lo() } else { 0 };
        let wait = if scenario.time == Time::Untimed { 0 } else { wait };
        let from = times[roots[letter]].saturating_add(i64::from(wait).saturating_mul(self.run.lives.tick));
        self.dead.insert((from, letter), letter);
    }

    /// Everything that happens by itself up to a moment: messages reach processes that are down, and whoever
    /// has room sends on.
    fn settle(&mut self, now: i64) -> Result<(), (usize, Broken)> {
        while let Some((&(from, letter), _)) =
            self.dead.first_key_value().filter(|((from, _), _)| *from <= now)
        {
            self.dead.remove(&(from, letter));
            let to = self.run.letters.list[letter].to;
            let down = matches!(self.config.processes[to.index()], Process::Crashed);
            if let Some((lane, place)) = self.find(letter).filter(|_| down) {
                let done = self.interpreter.apply(&mut self.config, Act::Swallow { lane, place });
                let done = done.map_err(|why| (self.run.letters.list[letter].by, unsure(why)))?;
                if let Some(Event::Swallow { message }) = done.events.first() {
                    self.swap(letter, *message);
                }
            }
        }
        for process in 0..self.waiting.len() {
            while self.has_room(process) {
                let step = self.run.letters.list[self.waiting[process][0]].by;
                let done = self.interpreter.apply(&mut self.config, Act::Unblock { process });
                let done = done.map_err(|why| (step, unsure(why)))?;
                for event in done.events {
                    if let Event::Send { message, .. } = event {
                        let letter = self.waiting[process].pop_front();
                        self.sent(message, letter);
                    }
                }
            }
        }
        Ok(())
    }

    fn has_room(&self, process: usize) -> bool {
        let lane = self.waiting[process].front().and_then(|&letter| self.run.letters.list[letter].lane);
        let limit = self.world.scenario.network.capacity.limit() as usize;
        lane.is_some_and(|lane| self.config.lanes[lane].len() < limit)
    }

    /// In dense time what has no end becomes free before it happens.
    fn ripen_timer(&mut self, step: usize, process: usize, slot: usize) -> Result<(), (usize, Broken)> {
        let Process::Up { timers, .. } = &self.config.processes[process] else { return Ok(()) };
        let due = timers.iter().find(|(other, _)| *other == slot).map(|(_, p)| self.config.timeline.due(*p));
        if due == Some(crate::due::Due::Stage) {
            let act = Act::RipenTimer { process, slot };
            self.interpreter.apply(&mut self.config, act).map_err(|why| (step, unsure(why)))?;
        }
        Ok(())
    }

    fn ripen_message(&mut self, step: usize, letter: usize) -> Result<(), (usize, Broken)> {
        let Some((lane, place)) = self.find(letter) else { return Ok(()) };
        let id = self.ids[letter];
        let flight = self.config.lanes[lane].iter().find(|flight| Some(flight.message) == id);
        if flight.map(|flight| self.config.timeline.due(flight.pending)) == Some(crate::due::Due::Stage) {
            let act = Act::RipenMessage { lane, place };
            self.interpreter.apply(&mut self.config, act).map_err(|why| (step, unsure(why)))?;
        }
        Ok(())
    }

    /// The state of a process must be the one that was recorded.
    fn same(&self, step: usize) -> Result<(), (usize, Broken)> {
        let me = self.run.lives.process(step);
        let recorded = &self.run.lives.step(step).state;
        match &self.config.processes[me.index()] {
            Process::Up { state, .. } if self.world.automaton.states().packed(state.0) == *recorded => Ok(()),
            _ => Err((step, unsure(format!("{me} is in another state than was recorded")))),
        }
    }

    /// Where a message is: its lane and its place there, as an action names it.
    fn find(&self, letter: usize) -> Option<(usize, usize)> {
        let (lane, id) = (self.run.letters.list[letter].lane?, self.ids[letter]?);
        let list = &self.config.lanes[lane];
        let at = list.iter().position(|flight| flight.message == id)?;
        if self.world.scenario.network.order == Order::Fifo {
            return Some((lane, at));
        }
        let messages = self.world.automaton.messages();
        let mut keys: Vec<(Vec<u8>, usize)> =
            list.iter().enumerate().map(|(at, flight)| (self.config.key(messages, flight), at)).collect();
        keys.sort();
        let (key, mut place) = (self.config.key(messages, &list[at]), 0);
        for pair in 0..keys.len() {
            let clock = self.config.timeline.due(list[keys[pair].1].pending).has_clock();
            let fresh = pair == 0 || keys[pair].0 != keys[pair - 1].0 || clock;
            place += usize::from(fresh && pair > 0);
            if keys[pair].1 == at || (!clock && keys[pair].0 == key) {
                return Some((lane, place));
            }
        }
        None
    }

    /// Equal messages without clocks are the same to the model: it takes the one that was sent first.
    fn swap(&mut self, letter: usize, taken: MessageId) {
        let own = self.ids[letter].take();
        if let (Some(own), Some(other)) = (own.filter(|own| *own != taken), self.letters.get(&taken).copied())
        {
            self.ids[other] = Some(own);
            self.letters.insert(own, other);
        }
        self.letters.remove(&taken);
    }
}
