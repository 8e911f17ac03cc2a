//! One decision after another: a consensus protocol, begun anew each time it has decided, with a number on
//! everything that is said. A process is in one instance at a time, and remembers nothing of the earlier
//! ones.

use crate::consensus::Consensus;
use watchkeeper_core::{
    Bound, Datum, Effects, Input, Kind, KindData, Meaning, Pack, Pid, ProcSet, Promises, Protocol, Reception,
    SelectiveReceive, Slot, Suspicion,
};

/// Decisions of the consensus protocol `C`, one after another, numbered from 0.
///
/// - A process that has decided in an instance is in the next one at once, as at the beginning: until it is
///   asked to propose, it takes only what the protocol takes before that. A call is for the instance that the
///   process is in. A second one for the same instance is refused, or whatever else the protocol does with a
///   second one.
/// - A process defers messages of later instances and discards those of earlier ones, so a series always receives
///   selectively.
/// - A process that has decided takes no further part in that instance, and others must be able to decide
///   without it. With Algorithm 11 they can, because a decision is relayed before it is announced, and the
///   relayed decision waits for those who are behind: they learn each decision in its turn, also without
///   proposing. With Algorithm 10 they can, because whoever decides has sent all that it ever sends.
/// - Whom the detector suspects is remembered from instance to instance. A new one begins with a notice for
///   each suspect, in the order of their numbers, because it begins trusting everyone.
///
/// A protocol must not decide before it was asked to propose or has heard anything. How far a process can be
/// behind depends on how much its [`Mailbox`](super::Mailbox) holds. As instances are counted, the states are
/// infinitely many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Series<C> {
    protocol: C,
}

impl<C: Consensus> Series<C> {
    /// Decisions of this protocol.
    pub fn new(protocol: C) -> Series<C> {
        Series { protocol }
    }

    /// The protocol.
    pub fn protocol(&self) -> &C {
        &self.protocol
    }

    /// The decision that this announcement is.
    pub fn decided(output: &Numbered<C::Output>) -> Option<SeriesDecision> {
        let value = C::decides(&output.inner)?;
        Some(SeriesDecision { instance: output.instance, value })
    }

    /// Begins an instance, for a process that is told of these suspects.
    fn begin(
        &self,
        me: Pid,
        instance: u64,
        suspects: ProcSet,
        fx: &mut impl Effects<Series<C>>,
    ) -> SeriesState<C::State> {
        let mut fx = Passing { instance, fx, decided: false };
        let mut inner = self.protocol.init(me, &mut fx);
        for suspect in suspects.iter() {
            self.protocol.step(me, &mut inner, Input::Notice(Suspicion::Suspect(suspect)), &mut fx);
        }
        SeriesState { instance, suspects, inner }
    }
}

impl<C: Consensus> Protocol for Series<C> {
    type State = SeriesState<C::State>;
    type Msg = Numbered<C::Msg>;
    type Timer = C::Timer;
    type Call = C::Call;
    type Output = Numbered<C::Output>;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Self::State {
        self.begin(me, 0, ProcSet::EMPTY, fx)
    }

    fn step(&self, me: Pid, state: &mut Self::State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let input = match input {
            Input::Receive { msg, .. } if msg.instance != state.instance => return,
            Input::Receive { from, msg } => Input::Receive { from, msg: &msg.inner },
            Input::Fire(timer) => Input::Fire(timer),
            Input::Call(call) => Input::Call(call),
            Input::Notice(change) => {
                match change {
                    Suspicion::Suspect(p) => state.suspects.insert(p),
                    Suspicion::Trust(p) => state.suspects.remove(p),
                }
                Input::Notice(change)
            }
        };
        let mut passing = Passing { instance: state.instance, fx: &mut *fx, decided: false };
        self.protocol.step(me, &mut state.inner, input, &mut passing);
        if passing.decided {
            C::Timer::all().for_each(|timer| fx.disarm(timer));
            *state = self.begin(me, state.instance.saturating_add(1), state.suspects, fx);
        }
    }

    fn meaning(&self, output: &Self::Output) -> Meaning {
        self.protocol.meaning(&output.inner)
    }
}

impl<C: Consensus> Series<C> {
    fn reception(
        &self,
        me: Pid,
        state: &SeriesState<C::State>,
        from: Pid,
        msg: &Numbered<C::Msg>,
    ) -> Reception {
        match msg.instance.cmp(&state.instance) {
            std::cmp::Ordering::Less => Reception::Discarded,
            std::cmp::Ordering::Equal => Reception::of(&self.protocol, me, &state.inner, from, &msg.inner),
            std::cmp::Ordering::Greater => Reception::Deferred,
        }
    }
}

impl<C: Consensus + Promises> Promises for Series<C> {
    fn horizon(&self) -> Option<String> {
        self.protocol.horizon()
    }

    fn beyond(&self, state: &Self::State) -> bool {
        self.protocol.beyond(&state.inner)
    }
}

/// The local state, around state `S` of the protocol inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct SeriesState<S> {
    instance: u64,
    suspects: ProcSet,
    inner: S,
}

impl<S> SeriesState<S> {
    /// The instance that the process is in; it has decided in all before.
    pub fn instance(&self) -> u64 {
        self.instance
    }

    /// The suspects of its detector.
    pub fn suspects(&self) -> ProcSet {
        self.suspects
    }

    /// The state of the protocol in this instance.
    pub fn inner(&self) -> &S {
        &self.inner
    }
}

/// A message or an announcement `T` of the protocol, in one instance of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Numbered<T> {
    /// The instance.
    pub instance: u64,
    /// What is said in it.
    pub inner: T,
}

impl<T: Kind> Kind for Numbered<T> {
    const KINDS: &'static [&'static str] = T::KINDS;

    fn kind(&self) -> usize {
        self.inner.kind()
    }

    fn label(&self) -> String {
        format!("{} in {}", self.inner.label(), self.instance)
    }

    fn data() -> Vec<KindData> {
        let numbered = |mut kind: KindData| {
            kind.sorts.push(u64::sort());
            kind
        };
        T::data().into_iter().map(numbered).collect()
    }

    fn terms(&self) -> Vec<String> {
        let mut terms = self.inner.terms();
        terms.push(self.instance.term());
        terms
    }
}

/// A decision of a series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesDecision {
    /// Which one.
    pub instance: u64,
    /// The value.
    pub value: u64,
}

/// The effects of one instance, as those of the series.
struct Passing<'a, E> {
    instance: u64,
    fx: &'a mut E,
    decided: bool,
}

impl<C: Consensus, E: Effects<Series<C>>> Effects<C> for Passing<'_, E> {
    fn send(&mut self, to: Pid, inner: C::Msg) {
        self.fx.send(to, Numbered { instance: self.instance, inner });
    }

    fn reply(&mut self, to: Pid, inner: C::Msg) {
        self.fx.reply(to, Numbered { instance: self.instance, inner });
    }

    fn arm(&mut self, timer: C::Timer, bound: Bound) {
        self.fx.arm(timer, bound);
    }

    fn disarm(&mut self, timer: C::Timer) {
        self.fx.disarm(timer);
    }

    fn emit(&mut self, inner: C::Output) {
        self.decided |= C::decides(&inner).is_some();
        self.fx.emit(Numbered { instance: self.instance, inner });
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}
