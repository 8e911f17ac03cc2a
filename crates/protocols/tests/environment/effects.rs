//! An environment that only writes down what a protocol asks of it. Nothing here is random, so no protocol may leave a
//! choice to it.

use watchkeeper_core::{Bound, Effects, Input, Pid, Protocol};

/// One effect, of a protocol with messages `M`, timer slots `T` and announcements `O`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect<M, T, O> {
    Send(Pid, M),
    Reply(Pid, M),
    Arm(T, Bound),
    Disarm(T),
    Emit(O),
}

/// The effects of one call, in order.
pub type EffectsOf<P> = Vec<Effect<<P as Protocol>::Msg, <P as Protocol>::Timer, <P as Protocol>::Output>>;

struct Recorder<P: Protocol>(EffectsOf<P>);

impl<P: Protocol> Effects<P> for Recorder<P> {
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
        panic!("these protocols leave nothing to chance");
    }
}

/// The state after `init`, and its effects.
pub fn start<P: Protocol>(protocol: &P, me: Pid) -> (P::State, EffectsOf<P>) {
    let mut recorder = Recorder(Vec::new());
    let state = protocol.init(me, &mut recorder);
    (state, recorder.0)
}

/// The effects of one step.
pub fn step<P: Protocol>(protocol: &P, me: Pid, state: &mut P::State, input: Input<'_, P>) -> EffectsOf<P> {
    let mut recorder = Recorder(Vec::new());
    protocol.step(me, state, input, &mut recorder);
    recorder.0
}

pub fn p(number: usize) -> Pid {
    Pid::at(number)
}
