//! One process of a protocol, and everything that depends on its types. A node is compiled once, and calls the protocol
//! through this module; so does a simulation that wants nothing else of a node.

use crate::event::Announcement;
use crate::outbox::{Outbox, StepEffects};
use std::sync::Arc;
use watchkeeper_core::{Input, Kind, Meaning, Pid, Protocol, Slot, packed, unpacked};

/// One process of a protocol. What a step sends and times goes to the outbox; what it announces is kept here until
/// the next step.
pub trait Host: Send {
    /// The process as it is now, once more. The two share their protocol and nothing else.
    fn fork(&self) -> Box<dyn Host>;

    /// Whether the process has started.
    fn has_begun(&self) -> bool;

    /// Starts the process under its number.
    fn begin(&mut self, me: Pid, outbox: &mut Outbox);

    /// Reads a message and keeps it; false if the bytes are none.
    fn read(&mut self, body: &[u8]) -> bool;

    /// Takes the step for the message that was read last; returns the name of its kind.
    fn receive(&mut self, from: Pid, outbox: &mut Outbox) -> &'static str;

    /// Takes the step for a timer.
    fn fire(&mut self, slot: usize, outbox: &mut Outbox);

    /// Takes the step for a packed call; returns the name of its kind, or `None` if the bytes are no call.
    fn call(&mut self, call: &[u8], outbox: &mut Outbox) -> Option<&'static str>;

    /// How many announcements the last step made.
    fn outputs(&self) -> usize;

    /// What one of them means.
    fn meaning(&self, output: usize) -> Meaning;

    /// Its bytes, and how a person reads it.
    fn announcement(&self, output: usize) -> Announcement;

    /// How a person reads a message.
    fn label(&self, msg: &[u8]) -> String;

    /// The bytes of the state.
    fn packed_state(&self) -> Option<Vec<u8>>;

    /// The state as a person reads it.
    fn state_text(&self) -> String;
}

/// A process of a protocol, before it begins.
pub fn hosted<P: Protocol + Send + 'static>(protocol: Arc<P>) -> Box<dyn Host> {
    Box::new(Hosted::new(protocol, Vec::new()))
}

/// A process of the protocol `P`.
pub(crate) struct Hosted<P: Protocol> {
    protocol: Arc<P>,
    /// Its number and its state, once it has started.
    started: Option<(Pid, P::State)>,
    read: Option<P::Msg>,
    outputs: Vec<P::Output>,
}

impl<P: Protocol> Hosted<P> {
    /// The room for outputs is what a step may announce without an allocation.
    pub(crate) fn new(protocol: Arc<P>, outputs: Vec<P::Output>) -> Hosted<P> {
        Hosted { protocol, started: None, read: None, outputs }
    }

    /// Forgets the last step.
    fn clear(&mut self, outbox: &mut Outbox) {
        outbox.clear();
        self.outputs.clear();
    }

    fn step(&mut self, input: Input<'_, P>, outbox: &mut Outbox) {
        let Some((me, state)) = &mut self.started else { return };
        self.protocol.step(*me, state, input, &mut StepEffects { outbox, outputs: &mut self.outputs });
    }
}

impl<P: Protocol + Send + 'static> Host for Hosted<P> {
    fn fork(&self) -> Box<dyn Host> {
        let started = self.started.clone();
        Box::new(Hosted { started, ..Hosted::new(Arc::clone(&self.protocol), Vec::new()) })
    }

    fn has_begun(&self) -> bool {
        self.started.is_some()
    }

    fn begin(&mut self, me: Pid, outbox: &mut Outbox) {
        self.clear(outbox);
        let mut fx = StepEffects { outbox, outputs: &mut self.outputs };
        self.started = Some((me, self.protocol.init(me, &mut fx)));
    }

    fn read(&mut self, body: &[u8]) -> bool {
        self.read = unpacked(body).ok();
        self.read.is_some()
    }

    fn receive(&mut self, from: Pid, outbox: &mut Outbox) -> &'static str {
        self.clear(outbox);
        let Some(msg) = self.read.take() else { return "" };
        self.step(Input::Receive { from, msg: &msg }, outbox);
        P::Msg::KINDS[msg.kind()]
    }

    fn fire(&mut self, slot: usize, outbox: &mut Outbox) {
        self.clear(outbox);
        if let Some(timer) = P::Timer::from_index(slot) {
            self.step(Input::Fire(timer), outbox);
        }
    }

    fn call(&mut self, call: &[u8], outbox: &mut Outbox) -> Option<&'static str> {
        let call = unpacked::<P::Call>(call).ok()?;
        self.clear(outbox);
        self.step(Input::Call(&call), outbox);
        Some(P::Call::KINDS[call.kind()])
    }

    fn outputs(&self) -> usize {
        self.outputs.len()
    }

    fn meaning(&self, output: usize) -> Meaning {
        self.protocol.meaning(&self.outputs[output])
    }

    fn announcement(&self, output: usize) -> Announcement {
        let output = &self.outputs[output];
        Announcement { packed: packed(output), label: output.label() }
    }

    fn label(&self, msg: &[u8]) -> String {
        unpacked::<P::Msg>(msg).map_or("something".to_string(), |msg| msg.label())
    }

    fn packed_state(&self) -> Option<Vec<u8>> {
        self.started.as_ref().map(|(_, state)| packed(state))
    }

    fn state_text(&self) -> String {
        self.started.as_ref().map_or_else(String::new, |(_, state)| format!("{state:?}"))
    }
}
