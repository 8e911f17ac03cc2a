//! The protocol of a node, and everything that depends on its types. A node is compiled once, and calls the protocol
//! through this module.

use crate::event::Announcement;
use crate::outbox::{Outbox, StepEffects};
use watchkeeper_core::{Input, Kind, Meaning, Pid, Protocol, Slot, packed, unpacked};

/// One process of a protocol. What a step sends and times goes to the outbox; what it announces is kept here until
/// the next step.
pub(crate) trait Host: Send {
    /// Whether the process has started.
    fn has_begun(&self) -> bool;

    /// Starts the process.
    fn begin(&mut self, outbox: &mut Outbox);

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

/// Process `me` of the protocol `P`.
pub(crate) struct Hosted<P: Protocol> {
    protocol: P,
    me: Pid,
    state: Option<P::State>,
    read: Option<P::Msg>,
    outputs: Vec<P::Output>,
}

impl<P: Protocol> Hosted<P> {
    pub(crate) fn new(protocol: P, me: Pid) -> Hosted<P> {
        Hosted { protocol, me, state: None, read: None, outputs: Vec::with_capacity(64) }
    }

    /// Forgets the last step.
    fn clear(&mut self, outbox: &mut Outbox) {
        outbox.clear();
        self.outputs.clear();
    }

    fn step(&mut self, input: Input<'_, P>, outbox: &mut Outbox) {
        let Some(state) = &mut self.state else { return };
        self.protocol.step(self.me, state, input, &mut StepEffects { outbox, outputs: &mut self.outputs });
    }
}

impl<P: Protocol + Send + 'static> Host for Hosted<P> {
    fn has_begun(&self) -> bool {
        self.state.is_some()
    }

    fn begin(&mut self, outbox: &mut Outbox) {
        self.clear(outbox);
        let mut fx = StepEffects { outbox, outputs: &mut self.outputs };
        self.state = Some(self.protocol.init(self.me, &mut fx));
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
        self.state.as_ref().map(packed)
    }

    fn state_text(&self) -> String {
        self.state.as_ref().map_or_else(String::new, |state| format!("{state:?}"))
    }
}
