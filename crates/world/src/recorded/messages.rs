//! The messages of a run: each send of a recording, with the receive of another that it came to. A message is
//! known by its sender's incarnation, its destination and its number. Nothing is assumed of the network here but that
//! it does not invent messages.

use super::deviation::BrokenAssumption;
use super::incarnations::Incarnations;
use super::local_replay::LocalReplay;
use crate::DeliveryOrder;
use crate::route::Routes;
use std::collections::HashMap;
use std::ops::Range;
use watchkeeper_automaton::Values;
use watchkeeper_core::{Pid, ProcSet, RecordedInput, Recording};
use watchkeeper_space::Id;

/// A message that a recorded step sent.
#[derive(Clone, Debug)]
pub(crate) struct RecordedMessage {
    /// The step that sent it.
    pub(crate) by: usize,
    pub(crate) from: Pid,
    pub(crate) to: Pid,
    pub(crate) number: Option<u64>,
    pub(crate) reply: bool,
    /// The channel that it went through; `None` if there is none.
    pub(crate) channel: Option<usize>,
    /// What it says; `None` if that is no message of the protocol.
    msg: Option<Id>,
    /// The step that received it.
    pub(crate) received: Option<usize>,
}

/// All messages of a run, in the order of the steps that sent them.
pub(crate) struct RecordedMessages<'a> {
    values: &'a dyn Values,
    pub(crate) list: Vec<RecordedMessage>,
    /// The messages that each step sent.
    sent: Vec<Range<usize>>,
    /// The message that each step received, if a recording has sent it.
    pub(crate) read: Vec<Option<usize>>,
    /// Receives that no recording has sent.
    pub(crate) unsent: Vec<(usize, BrokenAssumption)>,
}

impl<'a> RecordedMessages<'a> {
    /// The messages between processes of which those in `present` are recorded.
    pub(crate) fn of(
        values: &'a dyn Values,
        run: &Incarnations<'_>,
        routes: &Routes,
        present: ProcSet,
        replay: &LocalReplay,
    ) -> RecordedMessages<'a> {
        let (mut list, mut sent) = (Vec::new(), Vec::new());
        let mut known = NumberedMessages::of(run);
        for step in 0..run.steps() {
            let from = run.process(step);
            let first = list.len();
            let mut replayed = replay.sent(step).iter().copied();
            for send in &run.step(step).sends {
                // The protocol has just sent the same, unless the step is none of the protocol's.
                let msg = match replayed.next() {
                    Some(msg) => Some(msg.0),
                    None => values.read(&send.msg).ok(),
                };
                let channel = msg.and_then(|msg| routes.channel(from, send.to, values.kind(msg)));
                if let Some(number) = send.number {
                    known.insert(run.incarnation(step), send.to, number, list.len());
                }
                let (to, number, reply) = (send.to, send.number, send.reply);
                list.push(RecordedMessage {
                    by: step,
                    from,
                    to,
                    number,
                    reply,
                    channel,
                    msg,
                    received: None,
                });
            }
            sent.push(first..list.len());
        }
        let mut messages =
            RecordedMessages { values, list, sent, read: vec![None; run.steps()], unsent: Vec::new() };
        known.sort();
        for step in 0..run.steps() {
            let RecordedInput::Receive { from, incarnation, number, msg } = &run.step(step).input else {
                continue;
            };
            if !present.contains(*from) {
                continue;
            }
            let me = run.process(step);
            let found = run.find(*from, *incarnation);
            let last = found.and_then(|incarnation| known.last(incarnation, me));
            let known = found.and_then(|incarnation| known.get(incarnation, me, *number));
            let read = match known {
                Some(message) => messages.delivered(run, step, message, msg),
                None => Err("its sender has not sent it"),
            };
            match read {
                Ok(message) => messages.read[step] = Some(message),
                Err(why) => {
                    let (from, incarnation, number) = (*from, *incarnation, *number);
                    let recording = run.recording(from, incarnation);
                    // Without its end a recording does not say what else was sent.
                    let open = recording.is_none_or(|recording| recording.ended.is_none());
                    let broken = if open && last < Some(number) {
                        let steps = recording.map(|recording| recording.steps.len());
                        BrokenAssumption::Recording { process: from, incarnation, steps, to: me, number }
                    } else {
                        BrokenAssumption::Forged { from, to: me, number, why: why.to_string() }
                    };
                    messages.unsent.push((step, broken));
                }
            }
        }
        messages
    }

    /// What a message says, as a person reads it.
    pub(crate) fn label(&self, message: usize) -> String {
        self.list[message].msg.map_or("something".to_string(), |msg| self.values.label(msg))
    }

    /// The messages that a step sent.
    pub(crate) fn sent(&self, step: usize) -> Range<usize> {
        self.sent[step].clone()
    }

    fn delivered(
        &mut self,
        run: &Incarnations<'_>,
        step: usize,
        message: usize,
        msg: &[u8],
    ) -> Result<usize, &'static str> {
        let RecordedMessage { by, received, .. } = self.list[message];
        if run.step(by).sends[message - self.sent[by].start].msg != msg {
            return Err("its sender sent something else under that number");
        }
        if received.is_some() {
            return Err("it had been received before");
        }
        self.list[message].received = Some(step);
        Ok(message)
    }

    /// Receives of messages that have overtaken others, where that cannot happen.
    pub(crate) fn overtaking(
        &self,
        run: &Incarnations<'_>,
        order: DeliveryOrder,
    ) -> Vec<(usize, BrokenAssumption)> {
        let mut found = Vec::new();
        if order != DeliveryOrder::Fifo {
            return found;
        }
        // Of each channel: what was received, in the order of receiving.
        let mut channels: HashMap<usize, Vec<usize>> = HashMap::new();
        for step in 0..run.steps() {
            let Some(message) = self.read[step] else { continue };
            let Some(channel) = self.list[message].channel else { continue };
            let earlier = channels.entry(channel).or_default();
            // Messages have the order of sending within a sender, and of its incarnations.
            if earlier.last().is_some_and(|&last| last > message) {
                let by = earlier.iter().position(|&other| other > message).map(|at| earlier[at]);
                if let Some((by, at)) = by.and_then(|by| Some((by, self.list[by].received?))) {
                    let (fast, slow) = (&self.list[by], &self.list[message]);
                    let (from, to) = (fast.from, fast.to);
                    let broken = BrokenAssumption::Order {
                        message: self.label(by),
                        number: fast.number.unwrap_or(0),
                        overtaken: self.label(message),
                        overtaken_number: slow.number.unwrap_or(0),
                        from,
                        to,
                    };
                    found.push((at, broken));
                }
                continue;
            }
            earlier.push(message);
        }
        found
    }
}

/// The messages that have a number, to be found by it.
struct NumberedMessages {
    /// How many processes are spoken of.
    processes: usize,
    /// For each incarnation and destination: numbers and messages.
    sent: Vec<Vec<(u64, usize)>>,
}

impl NumberedMessages {
    fn of(run: &Incarnations<'_>) -> NumberedMessages {
        let named = |incarnation: &&Recording| {
            let to = incarnation.steps.iter().flat_map(|step| &step.sends).map(|send| send.to);
            to.chain([incarnation.process]).map(|process| process.index() + 1).max()
        };
        let processes = run.list.iter().filter_map(named).max().unwrap_or(0);
        NumberedMessages { processes, sent: vec![Vec::new(); processes * run.list.len()] }
    }

    fn insert(&mut self, incarnation: usize, to: Pid, number: u64, message: usize) {
        self.sent[incarnation * self.processes + to.index()].push((number, message));
    }

    /// Nodes count up, but a recording may say anything.
    fn sort(&mut self) {
        self.sent.iter_mut().for_each(|sent| sent.sort());
    }

    /// What an incarnation has sent to a process under a number.
    fn get(&self, incarnation: usize, to: Pid, number: u64) -> Option<usize> {
        let sent = &self.sent[incarnation * self.processes + to.index()];
        let last = sent.partition_point(|(other, _)| *other <= number).checked_sub(1)?;
        Some(sent[last]).filter(|(other, _)| *other == number).map(|(_, message)| message)
    }

    /// The greatest number of what an incarnation has sent to a process.
    fn last(&self, incarnation: usize, to: Pid) -> Option<u64> {
        self.sent[incarnation * self.processes + to.index()].last().map(|(number, _)| *number)
    }
}
