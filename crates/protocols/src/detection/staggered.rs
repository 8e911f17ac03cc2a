//! A protocol whose processes do not all begin at once. Where they do, their rounds stay in step for ever,
//! and a bound that is found so may be too low for processes that were started one after the other.

use watchkeeper_core::{Bound, Effects, Input, Meaning, Pack, Pid, Promises, Protocol, Slot, Symmetry, Time};

/// The protocol `P` with durations `T`, of which every process begins at some moment within `within` of the start. Messages that
/// reach it before are kept, and handled when it begins; nobody can call it before.
///
/// That is how a cluster starts in which each node waits until it knows all others: they have heard of each
/// other, and begin within the time that such news takes. Where a node can be asked before it is there at all,
/// the question is lost, and nothing of this says what comes of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Staggered<P, T = u32> {
    protocol: P,
    within: T,
}

impl<P, T> Staggered<P, T> {
    /// This protocol, begun within this time.
    pub fn new(protocol: P, within: T) -> Staggered<P, T> {
        Staggered { protocol, within }
    }

    /// The protocol.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }
}

impl<P: Protocol<T>, T: Time> Protocol<T> for Staggered<P, T> {
    type State = StaggeredState<P::State, P::Msg>;
    type Msg = P::Msg;
    type Timer = StaggeredTimer<P::Timer>;
    type Call = P::Call;
    type Output = P::Output;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self, T>) -> Self::State {
        fx.arm(StaggeredTimer::Begin, Bound::within(self.within));
        StaggeredState::Waiting(Vec::new())
    }

    fn step(
        &self,
        me: Pid,
        state: &mut Self::State,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        let fx = &mut Passing(fx);
        let running = match (&mut *state, input) {
            (StaggeredState::Running(running), input) => {
                let input = match input {
                    Input::Receive { from, msg } => Input::Receive { from, msg },
                    Input::Fire(StaggeredTimer::Own(timer)) => Input::Fire(timer),
                    Input::Fire(StaggeredTimer::Begin) => return,
                    Input::Call(call) => Input::Call(call),
                    Input::Notice(change) => Input::Notice(change),
                };
                return self.protocol.step(me, running, input, fx);
            }
            (StaggeredState::Waiting(kept), Input::Receive { from, msg }) => {
                return kept.push((from, msg.clone()));
            }
            (StaggeredState::Waiting(kept), Input::Fire(StaggeredTimer::Begin)) => {
                let mut running = self.protocol.init(me, fx);
                for (from, msg) in kept.drain(..) {
                    self.protocol.step(me, &mut running, Input::Receive { from, msg: &msg }, fx);
                }
                running
            }
            (StaggeredState::Waiting(_), _) => return,
        };
        *state = StaggeredState::Running(running);
    }

    fn meaning(&self, output: &P::Output) -> Meaning {
        self.protocol.meaning(output)
    }
}

impl<P: Promises<T>, T: Time> Promises<T> for Staggered<P, T> {
    fn symmetry(&self) -> Symmetry {
        self.protocol.symmetry()
    }
}

/// The effects of the protocol inside, as those of the one around it.
struct Passing<'a, E>(&'a mut E);

impl<P: Protocol<T>, T: Time, E: Effects<Staggered<P, T>, T>> Effects<P, T> for Passing<'_, E> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.0.send(to, msg);
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.0.reply(to, msg);
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound<T>) {
        self.0.arm(StaggeredTimer::Own(timer), bound);
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.0.disarm(StaggeredTimer::Own(timer));
    }

    fn emit(&mut self, output: P::Output) {
        self.0.emit(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.0.pick(ways)
    }
}

/// The local state, around state `S` and messages `M` of the protocol inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum StaggeredState<S, M> {
    /// It has not begun, and keeps what has arrived, first to last.
    Waiting(Vec<(Pid, M)>),
    /// It has begun.
    Running(S),
}

/// The timer slots of a protocol with the slots `T`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum StaggeredTimer<T> {
    /// A slot of the protocol.
    Own(#[slot(inner)] T),
    /// When it begins.
    #[slot("begin")]
    Begin,
}
