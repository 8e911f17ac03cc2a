//! One process as the check of the class sees it: its state with its armed timers, what can happen to it, and
//! everything it does then, bounds of timers included. It runs the protocol once, with the first way of every
//! choice, and notes that there was one.

use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_automaton::{MsgId, OutputId, ProtocolAutomaton, Requests, StateId, Stimulus};
use watchkeeper_core::{Bound, Pid};

/// A local state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CutoffLocal {
    pub(super) state: StateId,
    /// The slots that are armed.
    pub(super) armed: BTreeSet<usize>,
}

/// What happens to a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CutoffInput {
    Start,
    Receive { from: Pid, msg: MsgId },
    Fire(usize),
}

impl CutoffInput {
    /// As part of a sentence.
    pub(super) fn text(self, automaton: &dyn ProtocolAutomaton) -> String {
        match self {
            CutoffInput::Start => "it starts".to_string(),
            CutoffInput::Receive { from, msg } => {
                format!("{} arrives from {from}", automaton.messages().label(msg.0))
            }
            CutoffInput::Fire(slot) => format!("{} fires", automaton.facts().timer(slot)),
        }
    }
}

/// What was done to a timer slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Touch {
    Armed(Bound),
    Freed,
}

/// A message that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutoffSend {
    pub(super) to: Pid,
    pub(super) msg: MsgId,
    pub(super) reply: bool,
}

/// Everything that a step does.
pub(super) struct CutoffReaction {
    pub(super) state: StateId,
    pub(super) sends: Vec<CutoffSend>,
    /// What was done to each slot in the end. A slot that was free and is free again is not touched.
    pub(super) timers: BTreeMap<usize, Touch>,
    pub(super) outputs: Vec<OutputId>,
    /// Whether there was more than one way.
    pub(super) picked: bool,
}

impl CutoffReaction {
    /// The slots that are armed afterwards.
    pub(super) fn armed(&self, before: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut armed = before.clone();
        for (slot, touch) in &self.timers {
            match touch {
                Touch::Armed(_) => armed.insert(*slot),
                Touch::Freed => armed.remove(slot),
            };
        }
        armed
    }

    /// As part of a sentence.
    pub(super) fn text(&self, automaton: &dyn ProtocolAutomaton) -> String {
        let mut words = vec![automaton.states().label(self.state.0)];
        let label = |msg: MsgId| automaton.messages().label(msg.0);
        let sends = self.sends.iter().map(|CutoffSend { to, msg, .. }| format!("{} to {to}", label(*msg)));
        words.extend(sends);
        for (slot, touch) in &self.timers {
            let name = automaton.facts().timer(*slot);
            words.push(match touch {
                Touch::Armed(bound) => format!("{name} in {bound}"),
                Touch::Freed => format!("no {name}"),
            });
        }
        words.extend(self.outputs.iter().map(|output| automaton.outputs().label(output.0)));
        words.join(", ")
    }
}

/// What a process does at the start.
pub(super) fn started(automaton: &dyn ProtocolAutomaton, me: Pid) -> CutoffReaction {
    let mut notes = Notes::default();
    let state = automaton.init(me, &mut notes);
    notes.reaction(state, &BTreeSet::new())
}

/// What a process does when something happens to it.
pub(super) fn reaction(
    automaton: &dyn ProtocolAutomaton,
    me: Pid,
    before: &CutoffLocal,
    cause: &CutoffInput,
) -> CutoffReaction {
    let mut armed = before.armed.clone();
    let input = match *cause {
        CutoffInput::Start => return started(automaton, me),
        CutoffInput::Receive { from, msg } => Stimulus::Receive { from, msg },
        CutoffInput::Fire(slot) => {
            armed.remove(&slot);
            Stimulus::Fire(slot)
        }
    };
    let mut notes = Notes::default();
    let state = automaton.step(me, before.state, input, &mut notes);
    notes.reaction(state, &armed)
}

/// Effects as they are handed out.
#[derive(Default)]
struct Notes {
    sends: Vec<CutoffSend>,
    timers: BTreeMap<usize, Touch>,
    outputs: Vec<OutputId>,
    picked: bool,
}

impl Notes {
    fn reaction(self, state: StateId, armed: &BTreeSet<usize>) -> CutoffReaction {
        let Notes { sends, mut timers, outputs, picked } = self;
        timers.retain(|slot, touch| *touch != Touch::Freed || armed.contains(slot));
        CutoffReaction { state, sends, timers, outputs, picked }
    }
}

impl Requests for Notes {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool) {
        self.sends.push(CutoffSend { to, msg, reply });
    }

    fn arm(&mut self, slot: usize, bound: Bound) {
        self.timers.insert(slot, Touch::Armed(bound));
    }

    fn disarm(&mut self, slot: usize) {
        self.timers.insert(slot, Touch::Freed);
    }

    fn emit(&mut self, output: OutputId) {
        self.outputs.push(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.picked |= ways > 1;
        0
    }
}
