//! A path told as a run: every step is taken again by the naive network, and what happened is put in the words of
//! a sequence chart.

use super::automaton::{ChartRemark, ProcessModel, RingAction};
use super::channel::{MORTAL, PROCESSES, RingChannel};
use super::closure::decoded;
use super::naive::{NaiveRing, NaiveState, NaiveStep, SendOutcome};
use super::network::{class, view};
use super::{Crash, FullChannel};
use crate::replay::retell;
use std::collections::VecDeque;
use watchkeeper_core::{Kind, Pid, Suspicion, Value};
use watchkeeper_space::{Action, Event, Id, MessageId, Mismatch, Shape, StatePath, Step, Tone, Trace, View};

/// Tells paths.
pub(super) trait Replay: Send + Sync {
    /// The path as a trace, or where the naive network cannot follow it.
    fn replay(&self, shape: &Shape, path: &StatePath) -> Result<Trace, Mismatch>;
}

/// The messages under way, oldest first in each channel. All of a kind are alike, so a chart may as well
/// let the oldest arrive first.
struct UnderWay {
    channels: Vec<VecDeque<MessageId>>,
    sent: u32,
}

impl UnderWay {
    fn new() -> UnderWay {
        UnderWay { channels: vec![VecDeque::new(); RingChannel::COUNT], sent: 0 }
    }

    fn send(&mut self, channel: RingChannel) -> (MessageId, Event) {
        let message = MessageId(self.sent);
        self.sent += 1;
        let RingChannel { from, to, message: kind } = channel;
        (message, Event::Send { message, from, to, label: kind.name().to_string() })
    }
}

impl<A: ProcessModel> Replay for NaiveRing<A> {
    fn replay(&self, shape: &Shape, path: &StatePath) -> Result<Trace, Mismatch> {
        let numbers: Vec<Vec<A::Local>> = Pid::all(PROCESSES).map(|p| self.numbered(p)).collect();
        let mut state = self.start();
        let mut under_way = UnderWay::new();
        let start = self.row(&state, &numbers);
        let mut steps = retell(path, &start, |action| {
            let taken = self.turn(shape, &state, action)?;
            let action = self.automaton.label(taken.me, taken.taken.action);
            let events = self.events(&state, &taken, &mut under_way);
            state = taken.after;
            let step = Step { action, at: None, events, after: self.view(&state) };
            Some((self.row(&state, &numbers), step))
        })?;
        if let Some(last) = steps.last_mut()
            && !state.overflow
            && self.turns(&state).is_empty()
        {
            last.events.extend(self.blocks(&state));
        }
        let processes = Pid::all(PROCESSES).map(|p| p.to_string()).collect();
        let dead = self.case.crash == Crash::AtStart;
        let opening = dead.then_some(Event::Crash { process: MORTAL }).into_iter().collect();
        Ok(Trace { processes, start: self.view(&self.start()), opening, steps, loops_to: None })
    }
}

impl<A: ProcessModel> NaiveRing<A> {
    /// The step that an action names, if it is possible.
    fn turn(
        &self,
        shape: &Shape,
        state: &NaiveState<A::Local>,
        action: Action,
    ) -> Option<NaiveStep<A::Local>> {
        let (me, number) = decoded(action.code());
        let turn = self.turns(state).into_iter().find(|turn| turn.me == me && turn.number == number)?;
        let named = shape.classes.get(usize::from(action.class()))?;
        (*named == class(turn.taken.action)).then_some(turn)
    }

    fn events(
        &self,
        before: &NaiveState<A::Local>,
        turn: &NaiveStep<A::Local>,
        under_way: &mut UnderWay,
    ) -> Vec<Event> {
        let process = turn.me;
        let mut events = Vec::new();
        match turn.taken.action {
            RingAction::Put(channel) => {
                let RingChannel { from, to, message } = channel;
                let label = message.name().to_string();
                events.push(match turn.fate {
                    SendOutcome::Ignored => Event::Ignore { from, to, label },
                    SendOutcome::Reported => Event::Overflow { from, to, label },
                    SendOutcome::Well => {
                        let (message, sent) = under_way.send(channel);
                        under_way.channels[channel.index()].push_back(message);
                        sent
                    }
                });
            }
            RingAction::Hand(channel) => {
                let (message, sent) = under_way.send(channel);
                events.extend([sent, Event::Swallow { message }]);
            }
            RingAction::Take(channel) => {
                let message = under_way.channels[channel.index()].pop_front();
                let message = message.expect("the counts say that there is a message");
                let dead = before.locals[process.index()] == self.automaton.crashed();
                events.push(if dead { Event::Swallow { message } } else { Event::Receive { message } });
            }
            RingAction::Crash => events.push(Event::Crash { process }),
            _ => {}
        }
        events.extend(turn.taken.says.iter().map(|said| told(process, said)));
        events
    }

    /// Who waits for room in a full channel, in a state in which nothing is possible any more.
    fn blocks(&self, state: &NaiveState<A::Local>) -> Vec<Event> {
        let mut events = Vec::new();
        for process in Pid::all(PROCESSES) {
            let local = &state.locals[process.index()];
            let waiting: Vec<RingChannel> = self
                .moves(process, local)
                .into_iter()
                .filter_map(|step| match step.action {
                    RingAction::Put(channel) if self.is_full(state, channel) => Some(channel),
                    _ => None,
                })
                .collect();
            for RingChannel { to, message, .. } in &waiting {
                events.push(Event::Block { process, to: *to, label: message.name().to_string() });
            }
            if !waiting.is_empty()
                && let Some(text) = self.automaton.while_blocked(local)
            {
                events.push(Event::Note { process, text: text.to_string() });
            }
        }
        events
    }

    fn view(&self, state: &NaiveState<A::Local>) -> View {
        let locals = Pid::all(PROCESSES).zip(&state.locals).map(|(p, local)| {
            let variables = self.automaton.variables(p, local).into_iter();
            Value::Record(variables.map(|(name, value)| (name.to_string(), value)).collect())
        });
        let overflow = (self.case.when_full == FullChannel::Report).then_some(state.overflow);
        let messages: &[Id] = &state.messages;
        view(locals, messages, overflow)
    }
}

fn told(process: Pid, said: &ChartRemark) -> Event {
    match said {
        ChartRemark::Suspect(q) => {
            Event::Output { process, label: Suspicion::Suspect(*q).label(), tone: Tone::Alarm }
        }
        ChartRemark::Trust(q) => {
            Event::Output { process, label: Suspicion::Trust(*q).label(), tone: Tone::Relief }
        }
        ChartRemark::Note(text) => Event::Note { process, text: text.clone() },
    }
}
