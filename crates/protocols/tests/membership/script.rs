//! An environment that only writes down what a protocol asks of it.

use watchkeeper_core::{Bound, Effects, Input, Pid, Protocol};

/// One thing that was asked for, of a protocol with messages `M`, timer slots `T` and announcements `O`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<M, T, O> {
    Send(Pid, M),
    Reply(Pid, M),
    Arm(T, Bound),
    Disarm(T),
    Emit(O),
}

/// What one call asked for, in order.
pub type Asked<P> = Vec<Effect<<P as Protocol>::Msg, <P as Protocol>::Timer, <P as Protocol>::Output>>;

struct Script<P: Protocol>(Asked<P>);

impl<P: Protocol> Effects<P> for Script<P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.0.push(Effect::Send(to, msg));
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.0.push(Effect::Reply(to, msg));
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.0.push(Effect::Arm(timer, bound));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.0.push(Effect::Disarm(timer));
    }

    fn emit(&mut self, output: P::Output) {
        self.0.push(Effect::Emit(output));
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }
}

/// The state after `init`, and its effects.
pub fn start<P: Protocol>(protocol: &P, me: Pid) -> (P::State, Asked<P>) {
    let mut script = Script(Vec::new());
    let state = protocol.init(me, &mut script);
    (state, script.0)
}

/// The effects of one step.
pub fn step<P: Protocol>(protocol: &P, me: Pid, state: &mut P::State, input: Input<'_, P>) -> Asked<P> {
    let mut script = Script(Vec::new());
    protocol.step(me, state, input, &mut script);
    script.0
}

/// The effects of a message.
pub fn hear<P: Protocol>(protocol: &P, me: Pid, state: &mut P::State, from: Pid, msg: P::Msg) -> Asked<P> {
    step(protocol, me, state, Input::Receive { from, msg: &msg })
}

pub fn p(number: usize) -> Pid {
    Pid::at(number)
}
