//! An environment that only writes down what a protocol asks of it. Nothing here is random: whoever lets a protocol leave a
//! choice to it makes that choice.

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

struct Recorder<'a, P: Protocol> {
    effects: EffectsOf<P>,
    pick: &'a mut dyn FnMut(usize) -> usize,
}

impl<P: Protocol> Effects<P> for Recorder<'_, P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.effects.push(Effect::Send(to, msg));
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.effects.push(Effect::Reply(to, msg));
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.effects.push(Effect::Arm(timer, bound));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.effects.push(Effect::Disarm(timer));
    }

    fn emit(&mut self, output: P::Output) {
        self.effects.push(Effect::Emit(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        let picked = (self.pick)(ways);
        assert!(picked < ways, "{picked} of {ways}");
        picked
    }
}

/// The state after `init`, and its effects, of a protocol that leaves nothing to chance.
pub fn start<P: Protocol>(protocol: &P, me: Pid) -> (P::State, EffectsOf<P>) {
    start_with(protocol, me, &mut no_choice)
}

/// The state after `init`, and its effects, with these choices.
pub fn start_with<P: Protocol>(
    protocol: &P,
    me: Pid,
    pick: &mut dyn FnMut(usize) -> usize,
) -> (P::State, EffectsOf<P>) {
    let mut recorder = Recorder { effects: Vec::new(), pick };
    let state = protocol.init(me, &mut recorder);
    (state, recorder.effects)
}

/// The effects of one step of a protocol that leaves nothing to chance.
pub fn step<P: Protocol>(protocol: &P, me: Pid, state: &mut P::State, input: Input<'_, P>) -> EffectsOf<P> {
    step_with(protocol, me, state, input, &mut no_choice)
}

/// The effects of one step, with these choices.
pub fn step_with<P: Protocol>(
    protocol: &P,
    me: Pid,
    state: &mut P::State,
    input: Input<'_, P>,
    pick: &mut dyn FnMut(usize) -> usize,
) -> EffectsOf<P> {
    let mut recorder = Recorder { effects: Vec::new(), pick };
    protocol.step(me, state, input, &mut recorder);
    recorder.effects
}

fn no_choice(_: usize) -> usize {
    panic!("this protocol leaves nothing to chance")
}

pub fn p(number: usize) -> Pid {
    Pid::at(number)
}
