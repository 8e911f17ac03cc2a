//! The labels of the steps of the ring: what the process does, and what becomes of a message that finds its channel full.

use super::FullChannel;
use super::automaton::RingAction;
use super::closure::decoded;
use super::network::RingNetwork;
use crate::labels::{RingDeed, ring_vocabulary};
use watchkeeper_core::Pid;
use watchkeeper_space::{Action, ActionLabel, ActionLabels, DataLabel, DataLabels, Id, Vocabulary};

impl DataLabels for RingNetwork {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        let (me, step) = decoded(action.code());
        let Some((action, step)) = self.processes[me.index()].action(row[me.index()], step) else {
            return DataLabel::TAU;
        };
        let full = step.finds_full(row[step.slot()]);
        let mut actions: Vec<_> = self.deeds(me, action, full).into_iter().map(RingDeed::action).collect();
        actions.sort();
        DataLabel { actions }
    }

    fn vocabulary(&self) -> Vocabulary {
        let each = Pid::all(self.processes.len()).flat_map(|me| {
            let actions = self.processes[me.index()].actions().into_iter();
            actions.flat_map(move |action| [false, true].map(|full| self.deeds(me, action, full)))
        });
        ring_vocabulary(each.flatten())
    }

    fn any_of_several(&self) -> bool {
        true
    }
}

/// A process has at most one step of a class with another process in each state, but for its two tasks that both move on.
impl ActionLabels for RingNetwork {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        let (me, step) = decoded(action.code());
        let of = self.processes[me.index()].action(row[me.index()], step).map(|(action, _)| action);
        let peer = match of {
            Some(RingAction::Put(channel) | RingAction::Hand(channel)) => Some(channel.to),
            Some(RingAction::Take(channel)) => Some(channel.from),
            Some(
                RingAction::Suspect(q)
                | RingAction::Trust(q)
                | RingAction::ReplyReceived(q)
                | RingAction::Discard(q),
            ) => Some(q),
            Some(RingAction::Proceed(_) | RingAction::Crash) | None => None,
        };
        let which = match of {
            Some(RingAction::Proceed(place)) => u64::from(place.starts_with("Task2")),
            _ => 0,
        };
        ActionLabel { process: Some(me), peer, which }
    }
}

impl RingNetwork {
    /// What a step of a process does, given whether it finds its channel full.
    fn deeds(&self, me: Pid, action: RingAction, full: bool) -> Vec<RingDeed> {
        match action {
            RingAction::Put(to) => {
                let sent = RingDeed::Of("send", me, to.to, to.message);
                match (full, self.case().when_full) {
                    (false, _) | (_, FullChannel::Block) => vec![sent],
                    (true, FullChannel::Ignore) => vec![sent, RingDeed::Of("drop", me, to.to, to.message)],
                    (true, FullChannel::Report) => vec![sent, RingDeed::About("overflow", me, to.to)],
                }
            }
            RingAction::Hand(to) => vec![
                RingDeed::Of("send", me, to.to, to.message),
                RingDeed::Of("swallow", to.to, me, to.message),
            ],
            RingAction::Take(from) => vec![RingDeed::Of("receive", me, from.from, from.message)],
            RingAction::Suspect(q) => vec![RingDeed::About("suspect", me, q)],
            RingAction::Trust(q) => vec![RingDeed::About("trust", me, q)],
            RingAction::ReplyReceived(q) => vec![RingDeed::About("reply_received", me, q)],
            RingAction::Discard(q) => vec![RingDeed::About("discard", me, q)],
            RingAction::Proceed(what) => vec![RingDeed::Alone(what, me)],
            RingAction::Crash => vec![RingDeed::Alone("crash", me)],
        }
    }
}
