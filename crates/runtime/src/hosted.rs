//! The protocol of a node, and everything that depends on its types. The loop of a node is compiled once, and calls the
//! protocol through this module.

use crate::event::{Evidence, NodeEvent, NodeEventKind};
use crate::outbox::{Outbox, StepEffects};
use std::any::Any;
use std::time::Duration;
use tokio::sync::broadcast;
use watchkeeper_core::{Input, Kind, Meaning, Never, Pid, Protocol, Slot, packed, unpacked};

/// A call of whatever type the protocol has for calls. Calls are rare.
pub(crate) type AnyCall = Box<dyn Any + Send>;

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

    /// Takes the step for a call; returns the name of its kind.
    fn call(&mut self, call: &AnyCall, outbox: &mut Outbox) -> &'static str;

    /// The bytes of a call.
    fn packed_call(&self, call: &AnyCall) -> Vec<u8>;

    /// How many announcements the last step made.
    fn outputs(&self) -> usize;

    /// What one of them means.
    fn meaning(&self, output: usize) -> Meaning;

    /// Its bytes, and how a person reads it.
    fn written(&self, output: usize) -> (Vec<u8>, String);

    /// Tells it to whoever reads events.
    fn announce(&self, at: Duration, output: usize, meaning: Meaning, evidence: Evidence);

    /// Tells of anything else.
    fn tell(&self, at: Duration, kind: NodeEventKind<Never>);

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
    events: broadcast::Sender<NodeEvent<P::Output>>,
}

impl<P: Protocol> Hosted<P> {
    pub(crate) fn new(protocol: P, me: Pid, events: broadcast::Sender<NodeEvent<P::Output>>) -> Hosted<P> {
        Hosted { protocol, me, state: None, read: None, outputs: Vec::with_capacity(64), events }
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

    fn call(&mut self, call: &AnyCall, outbox: &mut Outbox) -> &'static str {
        self.clear(outbox);
        let Some(call) = call.downcast_ref::<P::Call>() else { return "" };
        self.step(Input::Call(call), outbox);
        P::Call::KINDS[call.kind()]
    }

    fn packed_call(&self, call: &AnyCall) -> Vec<u8> {
        call.downcast_ref::<P::Call>().map_or(Vec::new(), packed)
    }

    fn outputs(&self) -> usize {
        self.outputs.len()
    }

    fn meaning(&self, output: usize) -> Meaning {
        self.protocol.meaning(&self.outputs[output])
    }

    fn written(&self, output: usize) -> (Vec<u8>, String) {
        (packed(&self.outputs[output]), self.outputs[output].label())
    }

    fn announce(&self, at: Duration, output: usize, meaning: Meaning, evidence: Evidence) {
        let output = self.outputs[output].clone();
        // That nobody reads events is no reason to stop.
        let _ =
            self.events.send(NodeEvent { at, kind: NodeEventKind::Announced { output, meaning, evidence } });
    }

    fn tell(&self, at: Duration, kind: NodeEventKind<Never>) {
        let _ = self.events.send(NodeEvent { at, kind: kind.of_any() });
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
