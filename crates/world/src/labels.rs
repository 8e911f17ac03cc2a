//! The labels of the steps of a world: what the world does, what a process sends and what it announces, as actions with
//! arguments. The first argument of an action is the process that does it. A step of a process that sends and announces is one
//! multi-action of all of these.
//!
//! Labels are made from what the search remembers of a step, by the same tables; nothing is executed again.

mod names;

pub(crate) use names::LabelNames;

use crate::channel::Removal;
use crate::expand::SendResult;
use crate::machine::StepOutcome;
use crate::transition::{News, Transition};
use crate::{Capacity, WhenFull, World};
use watchkeeper_automaton::MsgId;
use watchkeeper_core::{Meaning, Pid};
use watchkeeper_space::{Action, DataAction, DataLabel, DataLabels, Edit, Id, Successors, Vocabulary};

impl DataLabels for World {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        let mut actions = match self.classes.transition(action) {
            Some(transition) => self.done(row, transition),
            None => Vec::new(),
        };
        actions.sort();
        DataLabel { actions }
    }

    fn vocabulary(&self) -> Vocabulary {
        self.label_names().vocabulary(self)
    }

    fn any_of_several(&self) -> bool {
        true
    }
}

impl World {
    fn label_names(&self) -> &LabelNames {
        self.label_names.get_or_init(|| LabelNames::new(self.automaton.facts()))
    }

    /// The actions of a step, in no order.
    fn done(&self, row: &[Id], transition: Transition) -> Vec<DataAction> {
        let alone = |name: &str, process: usize| vec![DataAction::new(name, [Pid::at(process).to_string()])];
        match transition {
            Transition::Deliver { channel, place, choice } => {
                let Some(removal) = self.arriving(row, channel, place) else { return Vec::new() };
                let receiver = self.routes.receiver(channel).index();
                let outcomes = self.received(receiver, row[receiver], removal.flight);
                let first = self.arrival("receive", channel, removal.flight);
                let edits = [Edit::new(self.layout.channel(channel), removal.after)];
                self.reaction(row, first, receiver, outcomes.get(choice), &edits)
            }
            Transition::Swallow { channel, place } => {
                let removal = self.arriving(row, channel, place);
                removal.map(|removal| self.arrival("swallow", channel, removal.flight)).into_iter().collect()
            }
            Transition::Fire { process, slot, choice } => {
                let timer = self.label_names().timer(slot);
                let first = DataAction::new("fire", [Pid::at(process).to_string(), timer.to_string()]);
                let outcomes = self.fired(process, row[process], slot);
                self.reaction(row, first, process, outcomes.get(choice), &[])
            }
            Transition::Call { entry, choice } => {
                let Some(asked) = self.calls.get(entry) else { return Vec::new() };
                let (me, call) = (asked.process, asked.call.0);
                let request = self.label_names().call(&*self.automaton, call);
                let first = DataAction::new("call", [me.to_string(), request]);
                let outcomes = self.called(me.index(), row[me.index()], entry);
                self.reaction(row, first, me.index(), outcomes.get(choice), &[])
            }
            Transition::Unblock { process } => {
                let (first, outcome) = (alone("unblock", process), self.unblocked(process, row[process]));
                // What is sent on was handed out before; only what finds no room again is to be told.
                let told = self.refused(row, process, outcome, &[]);
                first.into_iter().chain(told).collect()
            }
            Transition::Crash { process } => alone("crash", process),
            Transition::Recover { process, choice } => {
                let first = DataAction::new("recover", [Pid::at(process).to_string()]);
                let emptied: Vec<Edit> = (self.routes.inbound(process))
                    .map(|channel| Edit::new(self.layout.channel(channel), crate::channel::EMPTY))
                    .collect();
                let outcomes = self.recovered(process);
                self.reaction(row, first, process, outcomes.get(choice), &emptied)
            }
            Transition::Lose { channel, place } => {
                let content = row[self.layout.channel(channel)];
                let removals = self.channels[channel].losses(content, || self.rules(channel));
                self.fault("lose", channel, place, removals)
            }
            Transition::Duplicate { channel, place } => {
                let content = row[self.layout.channel(channel)];
                let removals = self.channels[channel].copies(content, || self.rules(channel));
                self.fault("duplicate", channel, place, removals)
            }
            Transition::Tick => vec![DataAction::new("time", [""; 0])],
            // The clocks of obligations are bookkeeping of the zones; nothing happens.
            Transition::EnableTimer { .. } | Transition::EnableMessage { .. } => Vec::new(),
            Transition::Expire { deadlines } => self.expired(row, deadlines),
            Transition::Stabilise => vec![DataAction::new("stabilise", [""; 0])],
            Transition::Tell { process, peer, news, choice } => {
                let begins = matches!(news, News::Suspect | News::Detect);
                let name = if begins { "suspect" } else { "trust" };
                let ends = [process, peer].map(|p| Pid::at(p).to_string());
                let outcomes = self.noticed(process, row[process], peer, begins);
                let told = DataAction::new(name, ends.clone());
                let mut actions = self.reaction(row, told, process, outcomes.get(choice), &[]);
                // A suspicion that is momentary ends in the step in which it begins.
                actions
                    .extend(self.layout.suspects(process).is_none().then(|| DataAction::new("trust", ends)));
                actions
            }
            Transition::Settle { immune: None } => vec![DataAction::new("settle", [""; 0])],
            Transition::Settle { immune: Some(process) } => alone("settle", process),
        }
    }

    /// What a process does when something happens to it: that, what it sends, what the network makes of it, and what it announces.
    fn reaction(
        &self,
        row: &[Id],
        first: DataAction,
        process: usize,
        outcome: Option<&StepOutcome>,
        before: &[Edit],
    ) -> Vec<DataAction> {
        let mut actions = vec![first];
        let Some(outcome) = outcome else { return actions };
        for send in &outcome.sends {
            let channel = send.channel as usize;
            actions.push(self.carried("send", channel, self.in_flight(channel, send.flight).msg));
        }
        actions.extend(self.refused(row, process, outcome, before));
        let me = Pid::at(process);
        for &output in &outcome.outputs {
            let announced = self.label_names().output(&*self.automaton, me, output);
            // A detector may call its suspicions what it likes; formulas call them all by one name.
            let meant = match self.automaton.meaning(output) {
                Meaning::Suspects(whom) => Some(("suspect", whom)),
                Meaning::Trusts(whom) => Some(("trust", whom)),
                Meaning::Stops | Meaning::Other(_) => None,
            };
            let meant = meant.map(|(name, whom)| DataAction::new(name, [me.to_string(), whom.to_string()]));
            actions.extend(meant.filter(|meant| *meant != announced));
            actions.push(announced);
        }
        actions
    }

    /// The messages of a step that find their channels full, and what becomes of them.
    fn refused(&self, row: &[Id], process: usize, outcome: &StepOutcome, before: &[Edit]) -> Vec<DataAction> {
        if !matches!(self.scenario.network.capacity, Capacity::Bounded(_)) || outcome.sends.is_empty() {
            return Vec::new();
        }
        let (mut draft, mut dropped) = (Successors::new(), Vec::new());
        before.iter().for_each(|edit| draft.edit(edit.slot as usize, edit.id));
        let carried = |name: &str, send: &crate::machine::Send| {
            let channel = send.channel as usize;
            self.carried(name, channel, self.in_flight(channel, send.flight).msg)
        };
        match self.send(row, &outcome.sends, &mut draft, None, &mut dropped) {
            SendResult::Waits { at } => vec![carried("block", &outcome.sends[at])],
            SendResult::Overflows { channel } => {
                let (from, to, _) = self.routes.ends(channel);
                debug_assert_eq!(from.index(), process);
                vec![DataAction::new("overflow", [from.to_string(), to.to_string()])]
            }
            SendResult::Through | SendResult::Cut => {
                debug_assert!(dropped.is_empty() || self.scenario.network.when_full == WhenFull::Drop);
                dropped.iter().map(|send| carried("drop", send)).collect()
            }
        }
    }

    /// The message that arrives.
    fn arriving(&self, row: &[Id], channel: usize, place: usize) -> Option<&Removal> {
        let content = row[self.layout.channel(channel)];
        let deliveries = self.channels[channel].deliveries(content, || self.rules(channel));
        deliveries.iter().find(|removal| usize::from(removal.place) == place)
    }

    /// What the network does to a message.
    fn fault(&self, name: &str, channel: usize, place: usize, removals: &[Removal]) -> Vec<DataAction> {
        let message = removals.iter().find(|removal| usize::from(removal.place) == place);
        let told =
            |removal: &Removal| self.carried(name, channel, self.in_flight(channel, removal.flight).msg);
        message.map(told).into_iter().collect()
    }

    /// An action of the sender of a message: sender, receiver, message.
    fn carried(&self, name: &str, channel: usize, msg: MsgId) -> DataAction {
        let (from, to, _) = self.routes.ends(channel);
        let message = self.label_names().message(&*self.automaton, msg.0);
        DataAction::new(name, [from.to_string(), to.to_string(), message])
    }

    /// An action of the receiver of a message: receiver, sender, message.
    fn arrival(&self, name: &str, channel: usize, flight: Id) -> DataAction {
        let mut action = self.carried(name, channel, self.in_flight(channel, flight).msg);
        action.arguments.swap(0, 1);
        action
    }

    /// The deadlines that pass, by the requirements that set them.
    fn expired(&self, row: &[Id], deadlines: usize) -> Vec<DataAction> {
        let names = self.label_names();
        let running = self.observers.iter().enumerate().flat_map(|(k, observer)| {
            observer.running(row[self.layout.observer(k)]).iter().map(move |_| observer.name())
        });
        let passing = running.enumerate().filter(|(i, _)| deadlines >> i & 1 == 1);
        passing.map(|(_, name)| DataAction::new("deadline", [names.requirement(&name)])).collect()
    }
}
