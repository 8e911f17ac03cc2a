//! An environment that only writes down what a heartbeat protocol asks of it.

use watchkeeper_core::{Bound, Effects, Input, Pid, Protocol};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatCall, HeartbeatMsg, HeartbeatOutput, HeartbeatState, HeartbeatTimer, HeartbeatVariant,
};

/// One thing that the protocol asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    Send(Pid, HeartbeatMsg),
    Reply(Pid, HeartbeatMsg),
    Arm(HeartbeatTimer, Bound),
    Disarm(HeartbeatTimer),
    Inactivated,
}

/// What the protocol asked for, in order.
#[derive(Default)]
pub struct Script(pub Vec<Effect>);

impl Effects<Heartbeat> for Script {
    fn send(&mut self, to: Pid, msg: HeartbeatMsg) {
        self.0.push(Effect::Send(to, msg));
    }

    fn reply(&mut self, to: Pid, msg: HeartbeatMsg) {
        self.0.push(Effect::Reply(to, msg));
    }

    fn arm(&mut self, timer: HeartbeatTimer, bound: Bound) {
        self.0.push(Effect::Arm(timer, bound));
    }

    fn disarm(&mut self, timer: HeartbeatTimer) {
        self.0.push(Effect::Disarm(timer));
    }

    fn emit(&mut self, HeartbeatOutput::Inactivated: HeartbeatOutput) {
        self.0.push(Effect::Inactivated);
    }

    fn pick(&mut self, _: usize) -> usize {
        panic!("heartbeats leave nothing to chance");
    }
}

/// An input that owns its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Receive(Pid, HeartbeatMsg),
    Fire(HeartbeatTimer),
    Leave,
}

/// The state after `init`, and its effects.
pub fn start(heartbeat: &Heartbeat, me: Pid) -> (HeartbeatState, Vec<Effect>) {
    let mut script = Script::default();
    let state = heartbeat.init(me, &mut script);
    (state, script.0)
}

/// The effects of one step.
pub fn step(heartbeat: &Heartbeat, me: Pid, state: &mut HeartbeatState, event: &Event) -> Vec<Effect> {
    let mut script = Script::default();
    let input = match event {
        Event::Receive(from, msg) => Input::Receive { from: *from, msg },
        Event::Fire(timer) => Input::Fire(*timer),
        Event::Leave => Input::Call(&HeartbeatCall::Leave),
    };
    heartbeat.step(me, state, input, &mut script);
    script.0
}

pub fn heartbeat(variant: HeartbeatVariant, tmin: u32, tmax: u32, participants: usize) -> Heartbeat {
    Heartbeat::new(variant, tmin, tmax, participants).expect("a heartbeat protocol")
}

/// Both forms of a protocol: as published, and corrected.
pub fn both(variant: HeartbeatVariant, tmin: u32, tmax: u32, participants: usize) -> [Heartbeat; 2] {
    let published = heartbeat(variant, tmin, tmax, participants);
    [published, published.corrected()]
}

pub fn p(number: usize) -> Pid {
    Pid::at(number)
}

/// A round of p0 of this length begins.
pub fn round(t: u32) -> Effect {
    Effect::Arm(HeartbeatTimer::Round, Bound::exactly(t))
}
