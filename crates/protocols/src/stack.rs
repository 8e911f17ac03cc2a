//! Protocols put on one another, each composition again a protocol that is checked, simulated and run like
//! any other. Nothing here knows what it composes, and nothing may keep more than a limit that it was given:
//! whatever a peer sends, memory is bounded.
//!
//! - [`Stack`]: a protocol on a failure detector, which tells it whom it suspects.
//! - [`Mailbox`]: a protocol with selective receive, in an environment that delivers every message as it arrives.
//! - [`Reliable`]: a protocol that needs links that lose nothing, on a network that loses, duplicates and
//!   reorders.
//! - [`Series`]: one decision of a consensus protocol after another.
//!
//! A consensus protocol that is to run on a real network stands so, from top to bottom: a series, its
//! mailbox, reliable links, and all of that on a detector, `Stack<Reliable<Mailbox<Series<C>>>, D>`. The
//! detector stands on the network itself, because it is the loss and the delay of messages that it is there
//! to notice.

mod deciding;
mod grouping;
mod layer;
mod mailbox;
mod reliable;
mod series;

pub use layer::Layer;
pub use mailbox::{DeferredMessages, Mailbox, MailboxState};
pub use reliable::{Link, Reliable, ReliableError, ReliableMsg, ReliableState, ReliableTimer};
pub use series::{Numbered, Series, SeriesDecision, SeriesState};

use watchkeeper_core::{
    Bound, Effects, Input, Meaning, Pack, Pid, ProcSet, Promises, Protocol, Slot, Suspicion, Symmetry,
};

/// The protocol `A` standing on the failure detector `D`.
///
/// - Whenever the detector announces that it suspects or trusts a process ([`Protocol::meaning`]), the
///   protocol above is given that as [`Input::Notice`] right after the detector's step, in the order of the
///   announcements. They are announced all the same. Whether one is really a change is the detector's
///   business: what it repeats is repeated.
/// - The protocol above begins first. It begins trusting everyone, which is what a detector that has not
///   begun says; what the detector announces at its own beginning it is told right after.
/// - A layer that stops of its own accord ([`Meaning::Stops`]) takes the whole process with it: its timers
///   are freed, and no input changes anything any more. To its peers a detector that has stopped is a process
///   that has crashed, and a protocol above it that went on would contradict them, and would never again be
///   told of a crash.
/// - A notice that the environment gives to the whole stack is for the detector, which is what stands on the
///   environment.
/// - Timers above and below are different slots.
///
/// Both layers have to be for the same number of processes. A protocol with selective receive has to be put in a
/// [`Mailbox`] first, because the detector's messages must never wait:
///
/// ```
/// use watchkeeper_protocols::{consensus::Rotating, ring::Ring, stack::{Mailbox, Stack}};
///
/// let (consensus, detector) = (Rotating::new(3)?, Ring::new(3, 4)?);
/// let stack = Stack::new(Mailbox::new(consensus), detector);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Without that, it does not compile:
///
/// ```compile_fail
/// use watchkeeper_protocols::{consensus::Rotating, ring::Ring, stack::Stack};
///
/// let (consensus, detector) = (Rotating::new(3)?, Ring::new(3, 4)?);
/// let stack = Stack::new(consensus, detector);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stack<A, D> {
    above: A,
    below: D,
}

impl<A: Protocol, D: Protocol> Stack<A, D> {
    /// This protocol, on this detector. Selective ones are refused when this is compiled.
    pub fn new(above: A, below: D) -> Stack<A, D> {
        const {
            assert!(
                A::SELECTIVE_RECEIVE.is_none(),
                "a protocol with selective receive cannot stand on a detector: put it in a Mailbox first"
            );
            assert!(
                D::SELECTIVE_RECEIVE.is_none(),
                "a detector with selective receive cannot be stood on: put it in a Mailbox first"
            );
        }
        Stack { above, below }
    }

    /// The protocol above.
    pub fn above(&self) -> &A {
        &self.above
    }

    /// The detector.
    pub fn below(&self) -> &D {
        &self.below
    }

    /// Lets the protocol above take an input; the return value says whether it has stopped. It answers a
    /// message only if it was given one.
    fn raise(
        &self,
        me: Pid,
        state: &mut A::State,
        input: Input<'_, A>,
        fx: &mut impl Effects<Stack<A, D>>,
    ) -> bool {
        let answers = matches!(input, Input::Receive { .. });
        let mut upper = Upper { stack: self, fx, answers, stops: false };
        self.above.step(me, state, input, &mut upper);
        upper.stops
    }

    /// Passes on what the detector has announced in one call.
    fn pass_on(
        &self,
        me: Pid,
        state: &mut StackState<A::State, D::State>,
        news: News,
        fx: &mut impl Effects<Stack<A, D>>,
    ) {
        let mut stops = news.stops;
        for change in news.changes {
            stops = stops || self.raise(me, &mut state.above, Input::Notice(change), fx);
        }
        if stops {
            stop(state, fx);
        }
    }

    /// Which layer an input is for.
    fn addressed(input: Input<'_, Self>) -> Layer<Input<'_, A>, Input<'_, D>> {
        match input {
            Input::Receive { from, msg: Layer::Above(msg) } => Layer::Above(Input::Receive { from, msg }),
            Input::Receive { from, msg: Layer::Below(msg) } => Layer::Below(Input::Receive { from, msg }),
            Input::Fire(Layer::Above(timer)) => Layer::Above(Input::Fire(timer)),
            Input::Fire(Layer::Below(timer)) => Layer::Below(Input::Fire(timer)),
            Input::Call(Layer::Above(call)) => Layer::Above(Input::Call(call)),
            Input::Call(Layer::Below(call)) => Layer::Below(Input::Call(call)),
            Input::Notice(change) => Layer::Below(Input::Notice(change)),
        }
    }
}

/// Makes a process fall silent for good.
fn stop<P: Protocol, A, B>(state: &mut StackState<A, B>, fx: &mut impl Effects<P>) {
    state.stopped = true;
    P::Timer::all().for_each(|timer| fx.disarm(timer));
}

impl<A: Protocol, D: Protocol> Protocol for Stack<A, D> {
    type State = StackState<A::State, D::State>;
    type Msg = Layer<A::Msg, D::Msg>;
    type Timer = Layer<A::Timer, D::Timer>;
    type Call = Layer<A::Call, D::Call>;
    type Output = Layer<A::Output, D::Output>;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State {
        let mut upper = Upper { stack: self, fx: &mut *fx, answers: false, stops: false };
        let above = self.above.init(me, &mut upper);
        let stops = upper.stops;
        let mut lower = Lower { stack: self, fx: &mut *fx, news: News { changes: Vec::new(), stops } };
        let below = self.below.init(me, &mut lower);
        let news = lower.news;
        let mut state = StackState { above, below, stopped: false };
        self.pass_on(me, &mut state, news, fx);
        state
    }

    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if state.stopped {
            return;
        }
        match Stack::addressed(input) {
            Layer::Above(input) => {
                if self.raise(me, &mut state.above, input, fx) {
                    stop(state, fx);
                }
            }
            Layer::Below(input) => {
                let news = News { changes: Vec::new(), stops: false };
                let mut lower = Lower { stack: self, fx: &mut *fx, news };
                self.below.step(me, &mut state.below, input, &mut lower);
                let news = lower.news;
                self.pass_on(me, state, news, fx);
            }
        }
    }

    fn meaning(&self, output: &Self::Output) -> Meaning {
        match output {
            Layer::Above(output) => self.above.meaning(output),
            Layer::Below(output) => self.below.meaning(output),
        }
    }
}

impl<A: Promises, D: Promises> Promises for Stack<A, D> {
    fn horizon(&self) -> Option<String> {
        match (self.above.horizon(), self.below.horizon()) {
            (Some(above), Some(below)) => Some(format!("{above}; and {below}")),
            (above, below) => above.or(below),
        }
    }

    fn beyond(&self, state: &Self::State) -> bool {
        self.above.beyond(&state.above) || self.below.beyond(&state.below)
    }

    /// The renamings that neither layer sees.
    fn symmetry(&self) -> Symmetry {
        common(self.above.symmetry(), self.below.symmetry())
    }
}

/// The renamings that are among both.
fn common(one: Symmetry, other: Symmetry) -> Symmetry {
    match (fixed(one), fixed(other)) {
        (Some(ProcSet::EMPTY), _) => other,
        (_, Some(ProcSet::EMPTY)) => one,
        (Some(these), Some(those)) => Symmetry::FixingAll(these.union(those)),
        (None, None) if one == other => one,
        // A rotation that leaves anyone its name moves nobody.
        _ => Symmetry::None,
    }
}

/// Who keeps its name, if everyone else may be renamed at will.
fn fixed(symmetry: Symmetry) -> Option<ProcSet> {
    match symmetry {
        Symmetry::Full => Some(ProcSet::EMPTY),
        Symmetry::Fixing(p) => Some(ProcSet::only(p)),
        Symmetry::FixingAll(set) => Some(set),
        Symmetry::None | Symmetry::Rotations => None,
    }
}

/// The local state: state `A` of the protocol above, and state `B` of the detector.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct StackState<A, B> {
    above: A,
    below: B,
    stopped: bool,
}

impl<A, B> StackState<A, B> {
    /// The state of the protocol above.
    pub fn above(&self) -> &A {
        &self.above
    }

    /// The state of the detector.
    pub fn below(&self) -> &B {
        &self.below
    }

    /// Whether the process has stopped of its own accord.
    pub fn stopped(&self) -> bool {
        self.stopped
    }
}

/// What the detector has announced in one call, as far as it matters above.
struct News {
    changes: Vec<Suspicion>,
    stops: bool,
}

/// The effects of the protocol above, as those of the stack.
struct Upper<'a, A, D, E> {
    stack: &'a Stack<A, D>,
    fx: &'a mut E,
    answers: bool,
    stops: bool,
}

impl<A: Protocol, D: Protocol, E: Effects<Stack<A, D>>> Effects<A> for Upper<'_, A, D, E> {
    fn send(&mut self, to: Pid, msg: A::Msg) {
        self.fx.send(to, Layer::Above(msg));
    }

    fn reply(&mut self, to: Pid, msg: A::Msg) {
        if self.answers {
            self.fx.reply(to, Layer::Above(msg));
        } else {
            self.fx.send(to, Layer::Above(msg));
        }
    }

    fn arm(&mut self, timer: A::Timer, bound: Bound) {
        self.fx.arm(Layer::Above(timer), bound);
    }

    fn disarm(&mut self, timer: A::Timer) {
        self.fx.disarm(Layer::Above(timer));
    }

    fn emit(&mut self, output: A::Output) {
        self.stops |= self.stack.above.meaning(&output) == Meaning::Stops;
        self.fx.emit(Layer::Above(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}

/// The effects of the detector, as those of the stack; what it announces is also noted.
struct Lower<'a, A, D, E> {
    stack: &'a Stack<A, D>,
    fx: &'a mut E,
    news: News,
}

impl<A: Protocol, D: Protocol, E: Effects<Stack<A, D>>> Effects<D> for Lower<'_, A, D, E> {
    fn send(&mut self, to: Pid, msg: D::Msg) {
        self.fx.send(to, Layer::Below(msg));
    }

    fn reply(&mut self, to: Pid, msg: D::Msg) {
        self.fx.reply(to, Layer::Below(msg));
    }

    fn arm(&mut self, timer: D::Timer, bound: Bound) {
        self.fx.arm(Layer::Below(timer), bound);
    }

    fn disarm(&mut self, timer: D::Timer) {
        self.fx.disarm(Layer::Below(timer));
    }

    fn emit(&mut self, output: D::Output) {
        match self.stack.below.meaning(&output) {
            Meaning::Suspects(p) => self.news.changes.push(Suspicion::Suspect(p)),
            Meaning::Trusts(p) => self.news.changes.push(Suspicion::Trust(p)),
            Meaning::Stops => self.news.stops = true,
            Meaning::Other(_) => {}
        }
        self.fx.emit(Layer::Below(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}

#[cfg(test)]
mod tests;
