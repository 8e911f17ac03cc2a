//! One process with what it hands out written down.

use watchkeeper_core::{Bound, Effects, Input, Never, Pid, Protocol, Suspicion};
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput};

/// What a process handed out in one step.
pub struct Noted<M> {
    pub sent: Vec<(usize, M)>,
    pub said: Vec<ConsensusOutput>,
}

impl<P> Effects<P> for Noted<P::Msg>
where
    P: Protocol<Timer = Never, Output = ConsensusOutput>,
{
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.sent.push((to.index(), msg));
    }

    fn arm(&mut self, timer: Never, _: Bound) {
        match timer {}
    }

    fn disarm(&mut self, timer: Never) {
        match timer {}
    }

    fn emit(&mut self, output: ConsensusOutput) {
        self.said.push(output);
    }

    fn pick(&mut self, _: usize) -> usize {
        0
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
        let mut noted = Noted { sent: Vec::new(), said: Vec::new() };
        let state = protocol.init(Pid::at(me), &mut noted);
        assert!(noted.sent.is_empty() && noted.said.is_empty());
        Player { protocol, me: Pid::at(me), state }
    }

    pub fn take(&mut self, input: Input<'_, P>) -> Noted<P::Msg> {
        let mut noted = Noted { sent: Vec::new(), said: Vec::new() };
        self.protocol.step(self.me, &mut self.state, input, &mut noted);
        noted
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
