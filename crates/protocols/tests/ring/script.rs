//! An environment that only writes down what a protocol asks of it.

pub use crate::effects::p;

use watchkeeper_core::{Bound, Effects, Input, Pack, Pid, Protocol, Suspicion, packed, unpacked};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingPolicy, RingState, RingTimer};

/// One thing that the ring asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<M = RingMsg> {
    Send(Pid, M),
    Reply(Pid, M),
    Arm(Bound),
    Emit(Suspicion),
}

/// What the ring asked for, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script<M = RingMsg>(pub Vec<Effect<M>>);

impl<P: RingPolicy> Effects<Ring<P>> for Script<P::Msg> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.0.push(Effect::Send(to, msg));
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.0.push(Effect::Reply(to, msg));
    }

    fn arm(&mut self, RingTimer::Round: RingTimer, bound: Bound) {
        self.0.push(Effect::Arm(bound));
    }

    fn disarm(&mut self, _: RingTimer) {
        panic!("the ring always has its round timer armed");
    }

    fn emit(&mut self, output: Suspicion) {
        self.0.push(Effect::Emit(output));
    }

    fn pick(&mut self, _: usize) -> usize {
        panic!("the ring leaves nothing to chance");
    }
}

/// An input that owns its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<M = RingMsg> {
    Receive(Pid, M),
    Round,
}

/// The state after `init`, and its effects.
pub fn start<P: RingPolicy>(ring: &Ring<P>, me: Pid) -> (RingState<P::Memory>, Vec<Effect<P::Msg>>) {
    let mut script = Script(Vec::new());
    let state = ring.init(me, &mut script);
    (state, script.0)
}

/// The effects of one step.
pub fn step<P: RingPolicy>(
    ring: &Ring<P>,
    me: Pid,
    state: &mut RingState<P::Memory>,
    event: &Event<P::Msg>,
) -> Vec<Effect<P::Msg>> {
    let mut script = Script(Vec::new());
    let input = match event {
        Event::Receive(from, msg) => Input::Receive { from: *from, msg },
        Event::Round => Input::Fire(RingTimer::Round),
    };
    ring.step(me, state, input, &mut script);
    script.0
}

/// A state of the detector for weak completeness with these contents, whether it can be reached or not.
pub fn state(target: Pid, received: bool) -> RingState<()> {
    unpacked(&packed(&(target, received))).expect("a state is its target and its flag")
}

/// What a state holds.
pub fn contents(state: &RingState<()>) -> (Pid, bool) {
    let mut bytes = Vec::new();
    state.pack(&mut bytes);
    unpacked(&bytes).expect("a state is its target and its flag")
}

pub fn ring(n: usize) -> Ring {
    Ring::new(n, TIMEOUT).expect("a ring of this size")
}

/// The timeout of [`ring`].
pub const TIMEOUT: u32 = 7;

/// What every round ends with.
pub const ARM: Effect = Effect::Arm(Bound::exactly(TIMEOUT));
