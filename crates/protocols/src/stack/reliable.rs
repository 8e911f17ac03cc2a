//! Links that lose nothing, on a network that loses, duplicates and reorders: each message has a number, is
//! sent again until it is acknowledged, and is handed over once and in its turn. Nothing is ever given up but
//! by a limit that is stated, and nobody's memory grows with what a peer sends.
//!
//! # How it works
//! - Every ordered pair of processes is a link of its own, with numbers from 0. The receiver remembers only
//!   the number that is next in turn. It drops what comes too early, which the sender will send again, and
//!   acknowledges what comes a second time, because the first acknowledgement may have been lost.
//! - Messages are handed over in the order in which they were sent. That costs a wait where one is lost and
//!   the next is not; in return the receiver keeps no message at all, and what stands on top gets more than
//!   it needs.
//! - An acknowledgement is the number that the receiver expects next. It rides on every message; if the step
//!   in which a message was taken sends nothing to its sender, it goes alone.
//! - What is not acknowledged is sent again after every `resend` units of time, all of it, at most `window`
//!   messages for each peer. The rest waits its turn. The timer is armed only while something is not
//!   acknowledged, so that in the end the wire falls silent.
//!
//! # What it does not do
//! - A suspicion may be wrong, so messages to a suspect are kept and sent like all others. But a peer that
//!   has left `most` messages without acknowledgement counts as unreachable: for each new message the oldest
//!   is given up. Every message says how far back its sender can still go, so that a peer that is back after
//!   all goes on from there, with a gap.
//! - A process that starts again begins at number 0, which others take for old until it has sent as much as before,
//!   and for new after that. These are links between processes that crash for good, and what stands on them must not
//!   be started again.
//! - Numbers only grow, so that states are finitely many only if the protocol sends finitely many messages.

mod link;
mod message;

pub use link::Link;
pub use message::{ReliableMsg, ReliableTimer};

use watchkeeper_core::{
    Bound, Effects, Input, MAX_PROCESSES, Meaning, Pack, PerProc, Pid, ProcSet, Promises, Protocol, Symmetry,
};

/// The protocol `P`, whose messages all arrive, once and in order, if their receiver goes on.
///
/// A selective protocol has to be put in a [`Mailbox`](super::Mailbox) first, because a message that waited
/// outside would hold up all those behind it. What the protocol sends to a process that is not among the `n`
/// is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reliable<P> {
    protocol: P,
    n: usize,
    resend: u32,
    window: usize,
    most: usize,
}

impl<P: Protocol> Reliable<P> {
    /// How many messages to one peer are on the wire at once if nothing else is said.
    pub const WINDOW: usize = 16;

    /// How many messages are kept for one peer if nothing else is said.
    pub const MOST: usize = 1024;

    /// This protocol of `n` processes, sending again every `resend` units of time what is not acknowledged. A
    /// selective one is refused when this is compiled.
    pub fn new(protocol: P, n: usize, resend: u32) -> Result<Reliable<P>, ReliableError> {
        const {
            assert!(
                P::SELECTIVE_RECEIVE.is_none(),
                "a selective protocol cannot have reliable links: put it in a Mailbox first"
            );
        }
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(ReliableError::Size { n });
        }
        if resend == 0 {
            return Err(ReliableError::NoPause);
        }
        Ok(Reliable { protocol, n, resend, window: Reliable::<P>::WINDOW, most: Reliable::<P>::MOST })
    }

    /// These links with at most `window` messages to one peer on the wire at once, and at most `most` kept
    /// for it.
    pub fn limited(self, window: usize, most: usize) -> Result<Reliable<P>, ReliableError> {
        if window == 0 {
            return Err(ReliableError::NoWindow);
        }
        if most < window {
            return Err(ReliableError::Most { most, window });
        }
        Ok(Reliable { window, most, ..self })
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The time after which what is not acknowledged is sent again.
    pub fn resend(&self) -> u32 {
        self.resend
    }

    /// Takes what comes off the wire.
    fn receive(
        &self,
        me: Pid,
        state: &mut ReliableState<P::State, P::Msg>,
        from: Pid,
        msg: &ReliableMsg<P::Msg>,
        fx: &mut impl Effects<Reliable<P>>,
    ) {
        let Some(link) = state.links.get_mut(from) else { return };
        link.acknowledged(msg.expects(), self.window, |msg| fx.send(from, msg));
        let ReliableMsg::Data { number, behind, msg, .. } = msg else { return };
        let mut told = false;
        if link.in_turn(*number, *behind) {
            let mut fx =
                Passing { reliable: self, links: &mut state.links, fx: &mut *fx, told: ProcSet::EMPTY };
            self.protocol.step(me, &mut state.inner, Input::Receive { from, msg }, &mut fx);
            told = fx.told.contains(from);
        }
        let Some(link) = state.links.get(from) else { return };
        if !told && link.has_heard(*number) {
            fx.send(from, link.acknowledgement());
        }
    }

    /// Lets the protocol take an input that is no message.
    fn pass_on(
        &self,
        me: Pid,
        state: &mut ReliableState<P::State, P::Msg>,
        input: Input<'_, P>,
        fx: &mut impl Effects<Reliable<P>>,
    ) {
        let mut fx = Passing { reliable: self, links: &mut state.links, fx, told: ProcSet::EMPTY };
        self.protocol.step(me, &mut state.inner, input, &mut fx);
    }

    /// Sends again whatever is on the wire.
    fn send_again(&self, links: &PerProc<Link<P::Msg>>, fx: &mut impl Effects<Reliable<P>>) {
        for (to, link) in links.iter() {
            link.on_the_wire(self.window).for_each(|msg| fx.send(to, msg));
        }
    }
}

impl<P: Protocol> Protocol for Reliable<P> {
    type State = ReliableState<P::State, P::Msg>;
    type Msg = ReliableMsg<P::Msg>;
    type Timer = ReliableTimer<P::Timer>;
    type Call = P::Call;
    type Output = P::Output;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State {
        let mut links = PerProc::new(self.n, Link::default());
        let mut passing = Passing { reliable: self, links: &mut links, fx: &mut *fx, told: ProcSet::EMPTY };
        let inner = self.protocol.init(me, &mut passing);
        let state = ReliableState { inner, links };
        if state.waits() {
            fx.arm(ReliableTimer::Resend, Bound::exactly(self.resend));
        }
        state
    }

    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let mut armed = state.waits();
        match input {
            Input::Receive { from, msg } => self.receive(me, state, from, msg, fx),
            Input::Fire(ReliableTimer::Resend) => {
                self.send_again(&state.links, fx);
                armed = false;
            }
            Input::Fire(ReliableTimer::Own(timer)) => self.pass_on(me, state, Input::Fire(timer), fx),
            Input::Call(call) => self.pass_on(me, state, Input::Call(call), fx),
            Input::Notice(change) => self.pass_on(me, state, Input::Notice(change), fx),
        }
        match (armed, state.waits()) {
            (false, true) => fx.arm(ReliableTimer::Resend, Bound::exactly(self.resend)),
            (true, false) => fx.disarm(ReliableTimer::Resend),
            _ => {}
        }
    }

    fn meaning(&self, output: &P::Output) -> Meaning {
        self.protocol.meaning(output)
    }
}

impl<P: Promises> Promises for Reliable<P> {
    fn horizon(&self) -> Option<String> {
        self.protocol.horizon()
    }

    fn beyond(&self, state: &Self::State) -> bool {
        self.protocol.beyond(&state.inner)
    }

    fn symmetry(&self) -> Symmetry {
        self.protocol.symmetry()
    }
}

/// The local state, around state `S` and messages `M` of the protocol inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct ReliableState<S, M: Clone> {
    inner: S,
    links: PerProc<Link<M>>,
}

impl<S, M: Clone> ReliableState<S, M> {
    /// The state of the protocol inside.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The link to and from a peer; `None` if there is no such peer.
    pub fn link(&self, peer: Pid) -> Option<&Link<M>> {
        self.links.get(peer)
    }

    /// Whether anything is not acknowledged. That is when the timer is armed.
    pub fn waits(&self) -> bool {
        self.links.iter().any(|(_, link)| !link.waiting().is_empty())
    }
}

/// The effects of the protocol inside, as those of the one around it: what it sends, or answers, is put on a
/// link.
struct Passing<'a, P: Protocol, E> {
    reliable: &'a Reliable<P>,
    links: &'a mut PerProc<Link<P::Msg>>,
    fx: &'a mut E,
    /// To whom something went out.
    told: ProcSet,
}

impl<P: Protocol, E: Effects<Reliable<P>>> Effects<P> for Passing<'_, P, E> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        let Reliable { window, most, .. } = *self.reliable;
        let Some(link) = self.links.get_mut(to) else { return };
        if let Some(msg) = link.put(msg, window, most) {
            self.told.insert(to);
            self.fx.send(to, msg);
        }
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.fx.arm(ReliableTimer::Own(timer), bound);
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.fx.disarm(ReliableTimer::Own(timer));
    }

    fn emit(&mut self, output: P::Output) {
        self.fx.emit(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}

/// An invalid configuration of the links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReliableError {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// There is no time between sending and sending again.
    #[error("sending again after 0 units of time never ends at one moment: choose 1 or more")]
    NoPause,
    /// Nothing may be on the wire.
    #[error("with a window of 0 nothing is ever sent: choose 1 or more")]
    NoWindow,
    /// Less may be kept than may be on the wire.
    #[error("keeping {most} messages is less than the window: choose {window} or more")]
    Most {
        /// How much may be kept.
        most: usize,
        /// How much may be on the wire.
        window: usize,
    },
}
