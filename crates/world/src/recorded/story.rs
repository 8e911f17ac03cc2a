//! A recorded run told as a trace, so that it can be drawn and written like a counterexample. It is told from
//! the recordings alone: what is shown is what the nodes did, whether the model allows it or not.

use super::conduct::label;
use super::deviation::decimal;
use super::fates::{Item, Timed};
use crate::automaton::{Automaton, OutputId, StateId};
use watchkeeper_core::{Event, MessageId, Pid, RecordedInput, Step, Trace, Value, View};

/// What can be told of a run.
pub(crate) struct Story<'a> {
    pub(crate) automaton: &'a dyn Automaton,
    pub(crate) run: &'a Timed<'a>,
    pub(crate) items: &'a [Item],
}

impl Story<'_> {
    /// The last `shown` things that happened, with a remark at the end if there is one.
    pub(crate) fn tell(&self, shown: usize, remark: Option<String>) -> Trace {
        let n = self.processes();
        let cut = self.items.len().saturating_sub(shown);
        let mut stage = Stage { states: vec![None; n], pending: vec![false; self.run.letters.list.len()] };
        self.items[..cut].iter().for_each(|item| self.play(*item, &mut stage));
        let mut trace = Trace {
            processes: (0..n).map(|p| Pid::at(p).to_string()).collect(),
            start: self.view(&stage),
            opening: self.opening(&stage, cut),
            ..Trace::default()
        };
        for item in &self.items[cut..] {
            let events = self.events(*item);
            self.play(*item, &mut stage);
            trace.steps.push(Step {
                action: self.action(*item),
                at: Some(self.moment(*item)),
                events,
                after: self.view(&stage),
            });
        }
        if let (Some(text), Some(last)) = (remark, trace.steps.last_mut()) {
            last.events.push(Event::Remark { text });
        }
        trace
    }

    /// Something that happens, as a person reads it.
    pub(crate) fn action(&self, item: Item) -> String {
        let lives = self.run.lives;
        match item {
            Item::Crash(life) => match lives.list[life].ended {
                Some(_) => format!("{} ends", lives.list[life].process),
                None => format!("{} crashes", lives.list[life].process),
            },
            Item::Lose(letter) => {
                let sent = &self.run.letters.list[letter];
                format!("lose {} from {} to {}", sent.label, sent.from, sent.to)
            }
            Item::Step(step) => {
                let me = lives.process(step);
                match &lives.step(step).input {
                    RecordedInput::Start if lives.is_first(lives.life(step)) => format!("{me} starts"),
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
        let named = self.run.lives.list.iter().map(|life| life.process.index() + 1);
        named.max().unwrap_or(0).max(self.run.scenario.n)
    }

    /// The time of a thing in units of the model, from the first step on.
    fn moment(&self, item: Item) -> String {
        let step = match item {
            Item::Step(step) => step,
            Item::Lose(letter) => self.run.letters.list[letter].by,
            Item::Crash(life) => self.run.lives.last(life),
        };
        let first = self.run.times.iter().copied().min().unwrap_or(0);
        decimal((self.run.times[step] - first) as f64 / self.run.lives.tick.max(1) as f64)
    }

    /// What is so before the first thing that is shown: who is down, and what is on its way and will be seen
    /// to arrive.
    fn opening(&self, stage: &Stage, cut: usize) -> Vec<Event> {
        let down = (0..self.processes()).filter(|&p| stage.states[p].is_none());
        let late = |p: &usize| {
            let begins = |life: usize| self.run.lives.list[life].process.index() == *p;
            let lives = 0..self.run.lives.list.len();
            cut > 0 || !lives.filter(|&life| begins(life)).any(|life| self.run.together[life])
        };
        let known = |p: &usize| self.run.lives.recorded().contains(Pid::at(*p));
        let down = down.filter(late).filter(known).map(|p| Event::Crash { process: Pid::at(p) });
        let mut events: Vec<Event> = down.collect();
        for item in &self.items[cut..] {
            let letter = match *item {
                Item::Step(step) => self.run.letters.read[step],
                Item::Lose(letter) => Some(letter),
                Item::Crash(_) => None,
            };
            if let Some(letter) = letter.filter(|&letter| stage.pending[letter]) {
                events.push(self.sent(letter));
            }
        }
        events
    }

    fn sent(&self, letter: usize) -> Event {
        let sent = &self.run.letters.list[letter];
        let (from, to, label) = (sent.from, sent.to, sent.label.clone());
        Event::Send { message: MessageId(letter as u32), from, to, label }
    }

    fn events(&self, item: Item) -> Vec<Event> {
        let lives = self.run.lives;
        let step = match item {
            Item::Crash(life) => return vec![Event::Crash { process: lives.list[life].process }],
            Item::Lose(letter) => return vec![Event::Lose { message: MessageId(letter as u32) }],
            Item::Step(step) => step,
        };
        let (process, life, recorded) = (lives.process(step), lives.life(step), lives.step(step));
        let mut events = match &recorded.input {
            RecordedInput::Start if self.run.together[life] => Vec::new(),
            RecordedInput::Start => vec![Event::Recover { process }],
            RecordedInput::Receive { from, msg, .. } => match self.run.letters.read[step] {
                Some(letter) => vec![Event::Receive { message: MessageId(letter as u32) }],
                // Nobody has recorded its sending: it comes from nowhere, and at once.
                None => {
                    let message = MessageId((self.run.letters.list.len() + step) as u32);
                    let (from, to, label) = (*from, process, label(self.automaton.messages(), msg));
                    vec![Event::Send { message, from, to, label }, Event::Receive { message }]
                }
            },
            RecordedInput::Fire { slot, .. } => vec![Event::Fire { process, timer: self.timer(*slot) }],
            RecordedInput::Call { call } => {
                vec![Event::Call { process, label: label(self.automaton.calls(), call) }]
            }
        };
        events.extend(self.run.letters.sent(step).map(|letter| self.sent(letter)));
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

    /// Lets a thing happen on the stage.
    fn play(&self, item: Item, stage: &mut Stage) {
        match item {
            Item::Crash(life) => stage.states[self.run.lives.list[life].process.index()] = None,
            Item::Lose(letter) => stage.pending[letter] = false,
            Item::Step(step) => {
                stage.states[self.run.lives.process(step).index()] = Some(step);
                if let Some(letter) = self.run.letters.read[step] {
                    stage.pending[letter] = false;
                }
                self.run.letters.sent(step).for_each(|letter| stage.pending[letter] = true);
            }
        }
    }

    fn view(&self, stage: &Stage) -> View {
        let shown = |(p, step): (usize, &Option<usize>)| {
            let value = match step {
                Some(step) => self.state(&self.run.lives.step(*step).state),
                None if self.run.lives.recorded().contains(Pid::at(p)) => Value::str("down"),
                None => Value::str("not recorded"),
            };
            (Pid::at(p).to_string(), value)
        };
        stage.states.iter().enumerate().map(shown).collect()
    }
}

/// What is so at a moment of a run.
struct Stage {
    /// The last step of each process that is up.
    states: Vec<Option<usize>>,
    /// The messages that are on their way.
    pending: Vec<bool>,
}
