//! One process as the check of the class sees it: its state with its armed timers, what can happen to it, and
//! everything it does then, bounds of timers included. It runs the protocol once, with the first way of every
//! choice, and notes that there was one.

use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Bound, Effects, Input, Kind, Pack, Pid, Promises, Slot, packed};

/// A local state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Local<S> {
    pub(super) state: S,
    /// The slots that are armed.
    pub(super) armed: BTreeSet<usize>,
}

impl<S: Pack> Local<S> {
    /// Bytes that tell it from every other one.
    pub(super) fn key(&self) -> Vec<u8> {
        let mut bytes = packed(&self.state);
        bytes.extend(self.armed.iter().map(|&slot| slot as u8));
        bytes.push(self.armed.len() as u8);
        bytes
    }
}

/// What happens to a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cause<M> {
    Start,
    Receive { from: Pid, msg: M },
    Fire(usize),
}

impl<M: Kind> Cause<M> {
    /// As part of a sentence.
    pub(super) fn text<P: Promises>(&self) -> String {
        match self {
            Cause::Start => "it starts".to_string(),
            Cause::Receive { from, msg } => format!("{} arrives from {from}", msg.label()),
            Cause::Fire(slot) => format!("{} fires", crate::local::name::<P>(*slot)),
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
#[derive(Clone, Debug)]
pub(super) struct Sent<M> {
    pub(super) to: Pid,
    pub(super) msg: M,
    pub(super) reply: bool,
}

/// Everything that a step does.
pub(super) struct Reaction<P: Promises> {
    pub(super) state: P::State,
    pub(super) sends: Vec<Sent<P::Msg>>,
    /// What was done to each slot in the end. A slot that was free and is free again is not touched.
    pub(super) timers: BTreeMap<usize, Touch>,
    pub(super) outputs: Vec<P::Output>,
    /// Whether there was more than one way.
    pub(super) picked: bool,
}

impl<P: Promises> Reaction<P> {
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
    pub(super) fn text(&self) -> String {
        let mut words = vec![format!("{:?}", self.state)];
        let sends = self.sends.iter().map(|Sent { to, msg, .. }| format!("{} to {to}", msg.label()));
        words.extend(sends);
        for (slot, touch) in &self.timers {
            let name = crate::local::name::<P>(*slot);
            words.push(match touch {
                Touch::Armed(bound) => format!("{name} in {bound}"),
                Touch::Freed => format!("no {name}"),
            });
        }
        words.extend(self.outputs.iter().map(Kind::label));
        words.join(", ")
    }
}

/// What a process does at the start.
pub(super) fn started<P: Promises>(protocol: &P, me: Pid) -> Reaction<P> {
    let mut notes = Notes::new();
    let state = protocol.init(me, &mut notes);
    notes.reaction(state, &BTreeSet::new())
}

/// What a process does when something happens to it.
pub(super) fn reaction<P: Promises>(
    protocol: &P,
    me: Pid,
    before: &Local<P::State>,
    cause: &Cause<P::Msg>,
) -> Reaction<P> {
    let mut armed = before.armed.clone();
    let input = match cause {
        Cause::Start => return started(protocol, me),
        Cause::Receive { from, msg } => Input::Receive { from: *from, msg },
        Cause::Fire(slot) => {
            armed.remove(slot);
            Input::Fire(P::Timer::from_index(*slot).expect("an armed slot is a slot"))
        }
    };
    let (mut notes, mut state) = (Notes::new(), before.state.clone());
    protocol.step(me, &mut state, input, &mut notes);
    notes.reaction(state, &armed)
}

/// Effects as they are handed out.
struct Notes<P: Promises> {
    sends: Vec<Sent<P::Msg>>,
    timers: BTreeMap<usize, Touch>,
    outputs: Vec<P::Output>,
    picked: bool,
}

impl<P: Promises> Notes<P> {
    fn new() -> Notes<P> {
        Notes { sends: Vec::new(), timers: BTreeMap::new(), outputs: Vec::new(), picked: false }
    }

    fn reaction(self, state: P::State, armed: &BTreeSet<usize>) -> Reaction<P> {
        let Notes { sends, mut timers, outputs, picked } = self;
        timers.retain(|slot, touch| *touch != Touch::Freed || armed.contains(slot));
        Reaction { state, sends, timers, outputs, picked }
    }
}

impl<P: Promises> Effects<P> for Notes<P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.sends.push(Sent { to, msg, reply: false });
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.sends.push(Sent { to, msg, reply: true });
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.timers.insert(timer.index(), Touch::Armed(bound));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.timers.insert(timer.index(), Touch::Freed);
    }

    fn emit(&mut self, output: P::Output) {
        self.outputs.push(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.picked |= ways > 1;
        0
    }
}
