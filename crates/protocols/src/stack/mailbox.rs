//! Selective receive in an environment that delivers every message as it arrives, as a real network does. The mailbox
//! keeps deferred messages, up to a limit for each sender; it delivers a message only while the protocol accepts it.

mod kept;

pub use kept::DeferredMessages;

use watchkeeper_core::{Bound, Effects, Input, Meaning, Pack, Pid, Promises, Protocol, Reception};

/// The protocol `P` with a mailbox, which takes every message when it comes.
///
/// A message that arrives is delivered if the protocol accepts it, kept if it defers it, and dropped if it discards it
/// ([`Protocol::SELECTIVE_RECEIVE`]). After every step the mailbox drops the kept messages that the protocol now discards,
/// and delivers the first that it now accepts, until it accepts none.
///
/// # Which is first
/// The messages of the process with the lowest number, and among those the one whose bytes are first in the
/// order of words in a dictionary. So a mailbox is a set in which a message may be several times, not a
/// queue: two orders of arrival leave the same state, which keeps searches small, and a sender's messages
/// that had to wait need not be delivered in the order of their arrival. A protocol with selective receive does not
/// rely on that order. As the order goes by the numbers of processes, a mailbox promises no
/// symmetry, whatever the protocol in it promises.
///
/// # How much is kept
/// At most [`holding`](Mailbox::holding) messages of each sender, [`Mailbox::LIMIT`] if nothing is said. What
/// comes on top of that is lost, so the limit has to be as high as one process can be ahead of another. Of
/// the consensus protocols, Algorithm 10 sends at most n messages from one process to another, and Algorithm
/// 11 at most two in each round, and the decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mailbox<P> {
    protocol: P,
    limit: usize,
}

impl<P> Mailbox<P> {
    /// How many messages of each sender are kept if nothing else is said.
    pub const LIMIT: usize = 256;

    /// This protocol with a mailbox.
    pub fn new(protocol: P) -> Mailbox<P> {
        Mailbox { protocol, limit: Mailbox::<P>::LIMIT }
    }

    /// This mailbox, keeping at most so many messages of each sender.
    #[must_use]
    pub fn holding(self, limit: usize) -> Mailbox<P> {
        Mailbox { limit, ..self }
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }
}

impl<P: Protocol> Mailbox<P> {
    /// Delivers the deferred messages that are accepted by now. It ends, because each turn takes a message out and none puts one in.
    fn settle(&self, me: Pid, state: &mut MailboxState<P::State, P::Msg>, fx: &mut impl Effects<Mailbox<P>>) {
        let MailboxState { inner, kept } = state;
        loop {
            kept.retain(|from, msg| {
                Reception::of(&self.protocol, me, inner, from, msg) != Reception::Discarded
            });
            let next = kept.take_first(|from, msg| {
                Reception::of(&self.protocol, me, inner, from, msg) == Reception::Accepted
            });
            let Some((from, msg)) = next else { return };
            let mut fx = Passing { fx: &mut *fx, answers: false };
            self.protocol.step(me, inner, Input::Receive { from, msg: &msg }, &mut fx);
        }
    }
}

impl<P: Protocol> Protocol for Mailbox<P> {
    type State = MailboxState<P::State, P::Msg>;
    type Msg = P::Msg;
    type Timer = P::Timer;
    type Call = P::Call;
    type Output = P::Output;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State {
        let inner = self.protocol.init(me, &mut Passing { fx, answers: false });
        MailboxState { inner, kept: DeferredMessages::default() }
    }

    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let input = match input {
            Input::Receive { from, msg } => {
                match Reception::of(&self.protocol, me, &state.inner, from, msg) {
                    Reception::Accepted => Input::Receive { from, msg },
                    Reception::Deferred => return state.kept.keep(from, msg.clone(), self.limit),
                    Reception::Discarded => return,
                }
            }
            Input::Fire(timer) => Input::Fire(timer),
            Input::Call(call) => Input::Call(call),
            Input::Notice(change) => Input::Notice(change),
        };
        self.protocol.step(me, &mut state.inner, input, &mut Passing { fx: &mut *fx, answers: true });
        self.settle(me, state, fx);
    }

    fn meaning(&self, output: &P::Output) -> Meaning {
        self.protocol.meaning(output)
    }
}

impl<P: Promises> Promises for Mailbox<P> {
    fn horizon(&self) -> Option<String> {
        self.protocol.horizon()
    }

    fn beyond(&self, state: &Self::State) -> bool {
        self.protocol.beyond(&state.inner)
    }
}

/// The local state, around state `S` and messages `M` of the protocol inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct MailboxState<S, M> {
    inner: S,
    kept: DeferredMessages<M>,
}

impl<S, M> MailboxState<S, M> {
    /// The state of the protocol inside.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// What is kept for it.
    pub fn kept(&self) -> &DeferredMessages<M> {
        &self.kept
    }
}

/// The effects of the protocol inside, as those of the one around it. What had to wait is no longer being
/// handled by the environment, so an answer to it is a message like any other.
struct Passing<'a, E> {
    fx: &'a mut E,
    answers: bool,
}

impl<P: Protocol, E: Effects<Mailbox<P>>> Effects<P> for Passing<'_, E> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.fx.send(to, msg);
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        if self.answers {
            self.fx.reply(to, msg);
        } else {
            self.fx.send(to, msg);
        }
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.fx.arm(timer, bound);
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.fx.disarm(timer);
    }

    fn emit(&mut self, output: P::Output) {
        self.fx.emit(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}
