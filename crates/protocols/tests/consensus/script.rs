//! One process with what it hands out written down.

use crate::effects::{Effect, EffectsOf, start, step};
use watchkeeper_core::{Input, Never, Pid, Protocol, Suspicion};
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput};

/// What a process handed out in one step.
pub struct Noted<M> {
    pub sent: Vec<(usize, M)>,
    pub said: Vec<ConsensusOutput>,
}

impl<M> Noted<M> {
    fn of<P>(effects: EffectsOf<P>) -> Noted<M>
    where
        P: Protocol<Msg = M, Timer = Never, Output = ConsensusOutput>,
    {
        let mut noted = Noted { sent: Vec::new(), said: Vec::new() };
        for effect in effects {
            match effect {
                Effect::Send(to, msg) | Effect::Reply(to, msg) => noted.sent.push((to.index(), msg)),
                Effect::Emit(output) => noted.said.push(output),
                Effect::Arm(timer, _) | Effect::Disarm(timer) => match timer {},
            }
        }
        noted
    }
}

/// One process.
pub struct Player<P: Protocol> {
    pub protocol: P,
    pub me: Pid,
    pub state: P::State,
}

impl<P> Player<P>
where
    P: Protocol<Timer = Never, Call = ConsensusCall, Output = ConsensusOutput>,
{
    pub fn new(protocol: P, me: usize) -> Player<P> {
        let (state, effects) = start(&protocol, Pid::at(me));
        assert!(effects.is_empty());
        Player { protocol, me: Pid::at(me), state }
    }

    pub fn take(&mut self, input: Input<'_, P>) -> Noted<P::Msg> {
        Noted::of::<P>(step(&self.protocol, self.me, &mut self.state, input))
    }

    pub fn propose(&mut self, value: u64) -> Noted<P::Msg> {
        self.take(Input::Call(&ConsensusCall::Propose(value)))
    }

    pub fn hear(&mut self, from: usize, msg: P::Msg) -> Noted<P::Msg> {
        self.take(Input::Receive { from: Pid::at(from), msg: &msg })
    }

    pub fn suspect(&mut self, whom: usize) -> Noted<P::Msg> {
        self.take(Input::Notice(Suspicion::Suspect(Pid::at(whom))))
    }

    pub fn trust(&mut self, whom: usize) -> Noted<P::Msg> {
        self.take(Input::Notice(Suspicion::Trust(Pid::at(whom))))
    }

    pub fn reception(&self, from: usize, msg: P::Msg) -> watchkeeper_core::Reception {
        watchkeeper_core::Reception::of(&self.protocol, self.me, &self.state, Pid::at(from), &msg)
    }
}
