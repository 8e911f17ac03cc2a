//! The messages of a run: each send of a recording, with the receive of another that it came to. A message is
//! known by its sender's incarnation, its destination and its number. Nothing is assumed of the network here but that
//! it does not invent messages.

use super::deviation::BrokenAssumption;
use super::incarnations::Incarnations;
use crate::DeliveryOrder;
use crate::route::Routes;
use std::collections::HashMap;
use std::ops::Range;
use watchkeeper_automaton::Values;
use watchkeeper_core::{Pid, ProcSet, RecordedInput};

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
    pub(crate) label: String,
    /// The step that received it.
    pub(crate) received: Option<usize>,
}

/// All messages of a run, in the order of the steps that sent them.
pub(crate) struct RecordedMessages {
    pub(crate) list: Vec<RecordedMessage>,
    /// The messages that each step sent.
    sent: Vec<Range<usize>>,
    /// The message that each step received, if a recording has sent it.
    pub(crate) read: Vec<Option<usize>>,
    /// Receives that nobody sent.
    pub(crate) forged: Vec<(usize, BrokenAssumption)>,
}

impl RecordedMessages {
    /// The messages between processes of which those in `present` are recorded.
    pub(crate) fn of(
        messages: &dyn Values,
        run: &Incarnations<'_>,
        routes: &Routes,
        present: ProcSet,
    ) -> RecordedMessages {
        let (mut list, mut sent) = (Vec::new(), Vec::new());
        let mut known: HashMap<(usize, Pid, u64), usize> = HashMap::new();
        for step in 0..run.steps() {
            let from = run.process(step);
            let first = list.len();
            for send in &run.step(step).sends {
                let msg = messages.read(&send.msg).ok();
                let channel = msg.and_then(|msg| routes.channel(from, send.to, messages.kind(msg)));
                let label = msg.map_or("something".to_string(), |msg| messages.label(msg));
                if let Some(number) = send.number {
                    known.insert((run.incarnation(step), send.to, number), list.len());
                }
                let (to, number, reply) = (send.to, send.number, send.reply);
                list.push(RecordedMessage {
                    by: step,
                    from,
                    to,
                    number,
                    reply,
                    channel,
                    label,
                    received: None,
                });
            }
            sent.push(first..list.len());
        }
        let mut messages = RecordedMessages { list, sent, read: vec![None; run.steps()], forged: Vec::new() };
        for step in 0..run.steps() {
            let RecordedInput::Receive { from, incarnation, number, msg } = &run.step(step).input else {
                continue;
            };
            if !present.contains(*from) {
                continue;
            }
            let me = run.process(step);
            let known = run
                .find(*from, *incarnation)
                .map(|incarnation| known.get(&(incarnation, me, *number)).copied());
            match messages.delivered(run, step, known, msg) {
                Ok(message) => messages.read[step] = Some(message),
                Err(why) => {
                    let broken = BrokenAssumption::Forged { from: *from, to: me, number: *number, why };
                    messages.forged.push((step, broken));
                }
            }
        }
        messages
    }

    /// The messages that a step sent.
    pub(crate) fn sent(&self, step: usize) -> Range<usize> {
        self.sent[step].clone()
    }

    fn delivered(
        &mut self,
        run: &Incarnations<'_>,
        step: usize,
        known: Option<Option<usize>>,
        msg: &[u8],
    ) -> Result<usize, String> {
        let message = match known {
            None => return Err("there is no recording of that incarnation of its sender".to_string()),
            Some(None) => return Err("its sender has not sent it".to_string()),
            Some(Some(message)) => message,
        };
        let RecordedMessage { by, received, .. } = self.list[message];
        if run.step(by).sends[message - self.sent[by].start].msg != msg {
            return Err("its sender sent something else under that number".to_string());
        }
        if received.is_some() {
            return Err("it had been received before".to_string());
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
                        message: fast.label.clone(),
                        number: fast.number.unwrap_or(0),
                        overtaken: slow.label.clone(),
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
