//! A recorded run told as a trace, so that it can be drawn and written like a counterexample. It is told from
//! the recordings alone: what is shown is what the nodes did, whether the model allows it or not.

use super::deviation::decimal;
use super::local_replay::label;
use super::outcomes::{RunItem, TimedRun};
use watchkeeper_automaton::{OutputId, ProtocolAutomaton, StateId};
use watchkeeper_core::{Event, MessageId, Pid, RecordedInput, Step, Trace, Value, View};

/// What can be told of a run.
pub(crate) struct Story<'a> {
    pub(crate) automaton: &'a dyn ProtocolAutomaton,
    pub(crate) run: &'a TimedRun<'a>,
    pub(crate) items: &'a [RunItem],
}

impl Story<'_> {
    /// The last `shown` things that happened, with a remark at the end if there is one.
    pub(crate) fn tell(&self, shown: usize, remark: Option<String>) -> Trace {
        let n = self.processes();
        let cut = self.items.len().saturating_sub(shown);
        let mut stage = Stage { states: vec![None; n], pending: vec![false; self.run.messages.list.len()] };
        for item in &self.items[..cut] {
            self.play(*item, &mut stage);
        }
        let mut view: View = (0..n).map(|p| (Pid::at(p).to_string(), self.shown(&stage, p))).collect();
        let mut trace = Trace {
            processes: (0..n).map(|p| Pid::at(p).to_string()).collect(),
            start: view.clone(),
            opening: self.opening(&stage, cut),
            ..Trace::default()
        };
        let first = self.run.times.iter().copied().min().unwrap_or(0);
        for item in &self.items[cut..] {
            let events = self.events(*item);
            if let Some(process) = self.play(*item, &mut stage) {
                view[process].1 = self.shown(&stage, process);
            }
            trace.steps.push(Step {
                action: self.action(*item),
                at: Some(self.moment(*item, first)),
                events,
                after: view.clone(),
            });
        }
        if let (Some(text), Some(last)) = (remark, trace.steps.last_mut()) {
            last.events.push(Event::Remark { text });
        }
        trace
    }

    /// Something that happens, as a person reads it.
    pub(crate) fn action(&self, item: RunItem) -> String {
        let incarnations = self.run.incarnations;
        match item {
            RunItem::Crash(incarnation) => match incarnations.list[incarnation].ended {
                Some(_) => format!("{} ends", incarnations.list[incarnation].process),
                None => format!("{} crashes", incarnations.list[incarnation].process),
            },
            RunItem::Lose(message) => {
                let sent = &self.run.messages.list[message];
                format!("lose {} from {} to {}", self.run.messages.label(message), sent.from, sent.to)
            }
            RunItem::Step(step) => {
                let me = incarnations.process(step);
                match &incarnations.step(step).input {
                    RecordedInput::Start if incarnations.is_first(incarnations.incarnation(step)) => {
                        format!("{me} starts")
                    }
                    RecordedInput::Start => format!("{me} recovers"),
                    RecordedInput::Receive { from, msg, .. } => {
                        format!("{me} receives {} from {from}", label(self.automaton.messages(), msg))
                    }
                    RecordedInput::Fire { slot, .. } => format!("{me}: {} fires", self.timer(*slot)),
                    RecordedInput::Call { call } => {
                        format!("{me} is asked {}", label(self.automaton.calls(), call))
                    }
                }
            }
        }
    }

    fn processes(&self) -> usize {
        let named = self.run.incarnations.list.iter().map(|incarnation| incarnation.process.index() + 1);
        named.max().unwrap_or(0).max(self.run.scenario.n)
    }

    /// The time of a thing in units of the model, from the first step on.
    fn moment(&self, item: RunItem, first: i64) -> String {
        let step = match item {
            RunItem::Step(step) => step,
            RunItem::Lose(message) => self.run.messages.list[message].by,
            RunItem::Crash(incarnation) => self.run.incarnations.last(incarnation),
        };
        decimal((self.run.times[step] - first) as f64 / self.run.incarnations.tick.max(1) as f64)
    }

    /// What is so before the first thing that is shown: who is down, and what is on its way and will be seen
    /// to arrive.
    fn opening(&self, stage: &Stage, cut: usize) -> Vec<Event> {
        let down = (0..self.processes()).filter(|&p| stage.states[p].is_none());
        let late = |p: &usize| {
            let begins = |incarnation: usize| self.run.incarnations.list[incarnation].process.index() == *p;
            let incarnations = 0..self.run.incarnations.list.len();
            cut > 0
                || !incarnations
                    .filter(|&incarnation| begins(incarnation))
                    .any(|incarnation| self.run.together[incarnation])
        };
        let known = |p: &usize| self.run.incarnations.recorded().contains(Pid::at(*p));
        let down = down.filter(late).filter(known).map(|p| Event::Crash { process: Pid::at(p) });
        let mut events: Vec<Event> = down.collect();
        for item in &self.items[cut..] {
            let message = match *item {
                RunItem::Step(step) => self.run.messages.read[step],
                RunItem::Lose(message) => Some(message),
                RunItem::Crash(_) => None,
            };
            if let Some(message) = message.filter(|&message| stage.pending[message]) {
                events.push(self.sent(message));
            }
        }
        events
    }

    fn sent(&self, message: usize) -> Event {
        let sent = &self.run.messages.list[message];
        let (from, to, label) = (sent.from, sent.to, self.run.messages.label(message));
        Event::Send { message: MessageId(message as u32), from, to, label }
    }

    fn events(&self, item: RunItem) -> Vec<Event> {
        let incarnations = self.run.incarnations;
        let step = match item {
            RunItem::Crash(incarnation) => {
                return vec![Event::Crash { process: incarnations.list[incarnation].process }];
            }
            RunItem::Lose(message) => return vec![Event::Lose { message: MessageId(message as u32) }],
            RunItem::Step(step) => step,
        };
        let (process, incarnation, recorded) =
            (incarnations.process(step), incarnations.incarnation(step), incarnations.step(step));
        let mut events = match &recorded.input {
            RecordedInput::Start if self.run.together[incarnation] => Vec::new(),
            RecordedInput::Start => vec![Event::Recover { process }],
            RecordedInput::Receive { from, msg, .. } => match self.run.messages.read[step] {
                Some(message) => vec![Event::Receive { message: MessageId(message as u32) }],
                // Nobody has recorded its sending: it comes from nowhere, and at once.
                None => {
                    let message = MessageId((self.run.messages.list.len() + step) as u32);
                    let (from, to, label) = (*from, process, label(self.automaton.messages(), msg));
                    vec![Event::Send { message, from, to, label }, Event::Receive { message }]
                }
            },
            RecordedInput::Fire { slot, .. } => vec![Event::Fire { process, timer: self.timer(*slot) }],
            RecordedInput::Call { call } => {
                vec![Event::Call { process, label: label(self.automaton.calls(), call) }]
            }
        };
        events.extend(self.run.messages.sent(step).map(|message| self.sent(message)));
        events.extend(recorded.outputs.iter().map(|bytes| self.announced(process, bytes)));
        events
    }

    fn announced(&self, process: Pid, bytes: &[u8]) -> Event {
        match self.automaton.outputs().read(bytes) {
            Ok(output) => {
                let label = self.automaton.outputs().label(output);
                let tone = self.automaton.meaning(OutputId(output)).tone();
                Event::Output { process, label, tone }
            }
            Err(_) => Event::Note { process, text: "announces something unknown".to_string() },
        }
    }

    fn state(&self, bytes: &[u8]) -> Value {
        match self.automaton.states().read(bytes) {
            Ok(state) => self.automaton.view(StateId(state)),
            Err(_) => Value::str("no state of the protocol"),
        }
    }

    fn timer(&self, slot: usize) -> String {
        let timers = &self.automaton.facts().timers;
        timers.get(slot).map_or_else(|| format!("timer {slot}"), |(name, _)| name.clone())
    }

    /// Lets a thing happen on the stage; says whose state it changed.
    fn play(&self, item: RunItem, stage: &mut Stage) -> Option<usize> {
        match item {
            RunItem::Crash(incarnation) => {
                let process = self.run.incarnations.list[incarnation].process.index();
                stage.states[process] = None;
                Some(process)
            }
            RunItem::Lose(message) => {
                stage.pending[message] = false;
                None
            }
            RunItem::Step(step) => {
                let process = self.run.incarnations.process(step).index();
                stage.states[process] = Some(step);
                if let Some(message) = self.run.messages.read[step] {
                    stage.pending[message] = false;
                }
                self.run.messages.sent(step).for_each(|message| stage.pending[message] = true);
                Some(process)
            }
        }
    }

    /// What is shown of a process.
    fn shown(&self, stage: &Stage, p: usize) -> Value {
        match stage.states[p] {
            Some(step) => self.state(&self.run.incarnations.step(step).state),
            None if self.run.incarnations.recorded().contains(Pid::at(p)) => Value::str("down"),
            None => Value::str("not recorded"),
        }
    }
}

/// What is so at a moment of a run.
struct Stage {
    /// The last step of each process that is up.
    states: Vec<Option<usize>>,
    /// The messages that are on their way.
    pending: Vec<bool>,
}
