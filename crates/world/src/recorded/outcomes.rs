//! What became of messages that nobody received and of nodes that fell silent. A message is lost only if its
//! destination lived on beyond the moment by which it had to arrive; a node has crashed only if something of it
//! is overdue, or if it lived again.

use super::constraints::{Cause, RecordedConstraint, message_bound_of};
use super::incarnations::Incarnations;
use super::local_replay::LocalReplay;
use super::messages::RecordedMessages;
use super::order::Sequence;
use crate::{ANY_NUMBER, DeliveryOrder, Scenario, Simultaneous};
use std::collections::{BTreeSet, HashMap};

/// What became of messages and incarnations.
pub(crate) struct Outcomes {
    /// The messages that were lost.
    pub(crate) lost: Vec<bool>,
    /// The incarnations that end with a crash.
    pub(crate) crashed: Vec<bool>,
    /// Lost messages that may yet turn out to have been on their way if other times can be found.
    pub(crate) doubtful: Vec<RecordedConstraint>,
}

/// One thing that happens in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunItem {
    /// A recorded step.
    Step(usize),
    /// The network loses a message.
    Lose(usize),
    /// An incarnation ends.
    Crash(usize),
}

/// A run with times: what outcomes are read from.
pub(crate) struct TimedRun<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) incarnations: &'a Incarnations<'a>,
    pub(crate) messages: &'a RecordedMessages<'a>,
    pub(crate) roots: &'a [usize],
    pub(crate) sequence: &'a Sequence,
    pub(crate) times: &'a [i64],
    /// The incarnations that begin with the run.
    pub(crate) together: &'a [bool],
}

impl TimedRun<'_> {
    /// The outcomes as they can be known at a moment.
    pub(crate) fn outcomes(&self, replay: &LocalReplay, known: i64) -> Outcomes {
        let TimedRun { incarnations, messages, .. } = *self;
        let end = self.times.iter().copied().max().unwrap_or(0).min(known);
        let mut outcomes = Outcomes {
            lost: vec![false; messages.list.len()],
            crashed: (0..incarnations.list.len())
                .map(|incarnation| incarnations.next(incarnation).is_some())
                .collect(),
            doubtful: Vec::new(),
        };
        for (incarnation, open) in replay.open.iter().enumerate() {
            let due = |timer: &super::local_replay::Armed| {
                let bound = self.scenario.time.timer(timer.bound);
                bound.hi().map(|hi| self.times[timer.by].saturating_add(self.ns(hi)))
            };
            outcomes.crashed[incarnation] |= open.iter().filter_map(due).any(|due| due < end);
        }
        // The last message that each incarnation received, of each channel in which one was left over.
        let mut newest: HashMap<(usize, usize), usize> = HashMap::new();
        let left = messages.list.iter().filter(|sent| sent.received.is_none());
        let left: BTreeSet<usize> = left.filter_map(|sent| sent.channel).collect();
        for (message, sent) in messages.list.iter().enumerate() {
            if let (Some(step), Some(channel)) = (sent.received, sent.channel)
                && left.contains(&channel)
            {
                newest.insert((channel, incarnations.incarnation(step)), message);
            }
        }
        for (message, sent) in messages.list.iter().enumerate() {
            let (None, Some(incarnation)) = (sent.received, self.up(message, &outcomes)) else { continue };
            let newer = sent.channel.and_then(|channel| newest.get(&(channel, incarnation)));
            let overtaken = newer.is_some_and(|newer| *newer > message);
            self.decide(message, incarnation, overtaken, end, &mut outcomes);
        }
        outcomes
    }

    /// What became of a message to an incarnation that was up when it was sent and never received it.
    fn decide(&self, message: usize, incarnation: usize, overtaken: bool, end: i64, outcomes: &mut Outcomes) {
        let network = &self.scenario.network;
        let (root, last) = (self.roots[message], self.incarnations.last(incarnation));
        let bound = message_bound_of(self.scenario, root != self.messages.list[message].by);
        let Some(hi) = bound.hi().map(|hi| self.ns(hi)) else {
            outcomes.lost[message] =
                overtaken && (network.order == DeliveryOrder::Fifo || network.losses == ANY_NUMBER);
            return;
        };
        // Where due deliveries come first, no timer fires at the moment at which a message has to arrive.
        let timing = self.scenario.time.timing();
        let first = timing.is_some_and(|timing| timing.simultaneous == Simultaneous::DeliveriesFirst);
        let hi = if first { hi - 1 } else { hi };
        let due = self.times[root].saturating_add(hi);
        if overtaken && network.order == DeliveryOrder::Fifo {
            outcomes.lost[message] = true;
        } else if self.times[last].min(end) > due {
            outcomes.lost[message] = true;
            // Times of different clocks may be far from each other only because no message ties them closer.
            let near = self.times[last] - due <= 2 * (self.incarnations.precision + hi);
            if near || self.incarnations.clock(last) != self.incarnations.clock(root) {
                outcomes.doubtful.push(RecordedConstraint::steps(
                    last,
                    root,
                    hi,
                    Cause::OnItsWay { message },
                ));
            }
        } else if first && end == due + 1 && network.losses == ANY_NUMBER {
            outcomes.lost[message] = true;
        } else if end > due + i64::from(first) {
            outcomes.crashed[incarnation] = true;
        }
    }

    /// The incarnation of its destination that was up when a message was sent.
    fn up(&self, message: usize, outcomes: &Outcomes) -> Option<usize> {
        let TimedRun { incarnations, sequence, .. } = *self;
        let sent = &self.messages.list[message];
        let place = sequence.place[sent.by];
        incarnations.of_process(sent.to).find(|&incarnation| {
            let begun = self.together[incarnation] || sequence.place[incarnations.start(incarnation)] < place;
            let over =
                outcomes.crashed[incarnation] && sequence.place[incarnations.last(incarnation)] < place;
            begun && !over
        })
    }

    fn ns(&self, units: u32) -> i64 {
        i64::from(units).saturating_mul(self.incarnations.tick)
    }

    /// Everything that happens, in order: a message is lost as soon as it is sent, and an incarnation is over as soon as
    /// it has taken its last step.
    pub(crate) fn items(&self, outcomes: &Outcomes) -> Vec<RunItem> {
        let mut items = Vec::new();
        for &step in &self.sequence.steps {
            items.push(RunItem::Step(step));
            let lost = self.messages.sent(step).filter(|&message| outcomes.lost[message]);
            items.extend(lost.map(RunItem::Lose));
            let incarnation = self.incarnations.incarnation(step);
            if self.incarnations.is_last(step) && outcomes.crashed[incarnation] {
                items.push(RunItem::Crash(incarnation));
            }
        }
        items
    }
}
