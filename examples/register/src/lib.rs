//! A register with a copy at every member. Members tell each other what they want to write, and agree on one write after
//! another, so that all copies take the same writes in the same order while fewer than half of the members crash. Two limits:
//! a member can write 65,535 times, and one that is cut off while more than a thousand messages for it pile up stays
//! behind for good; no member may be started again under the same cluster name.
//!
//! The protocol here is what a user adds; [`agreement`] puts it on what it needs: a mailbox, links that lose nothing, and
//! a failure detector.

use std::error::Error;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, Never, Pack, PerProc, Pid, Promises, Protocol, Reception, SelectiveReceive,
    Suspicion,
};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, Rotating, RotatingMsg, RotatingState};
use watchkeeper_protocols::stack::{Layer, Mailbox, Numbered, Reliable, Series, SeriesState, Stack};
use watchkeeper_runtime::{NodeEvent, NodeEventKind};

/// The register on a real network.
pub type Agreement = Stack<Reliable<Mailbox<Register>>, ChandraToueg>;

/// What a member asks of its node.
pub type Asked = Layer<Ask, Never>;

/// What its node announces.
pub type Announced = Layer<Written, Suspicion>;

/// The register of `n` members on heartbeats every 3 units of time, with a first timeout of 12; messages that are not
/// acknowledged are sent again after 5.
pub fn agreement(n: usize) -> Result<Agreement, Box<dyn Error + Send + Sync>> {
    let register = Register { n, order: Series::new(Rotating::new(n)?) };
    let detector = ChandraToueg::new(n, 3, 12)?.growing_by(6)?.capped(240)?;
    Ok(Stack::new(Reliable::new(Mailbox::new(register), n, 5)?, detector))
}

/// The write that an event of a node tells of: the next one of the log, whose last one is in the register.
pub fn written(event: &NodeEvent<Announced>) -> Option<Write> {
    match &event.kind {
        NodeEventKind::Announced { output: Layer::Above(Written::Next(write)), .. } => Some(*write),
        _ => None,
    }
}

/// The protocol: whoever learns of a write tells all others, and each member proposes the first write that it knows of and
/// that is not decided. So a majority takes part in each decision, and nobody does where there is nothing to write.
#[derive(Clone, Debug)]
pub struct Register {
    n: usize,
    order: Series<Rotating>,
}

/// A write, told apart from all others by its author and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Write {
    /// Who writes.
    pub author: Pid,
    /// Which of its writes it is, from 1 on.
    pub number: u16,
    /// What is written.
    pub value: u32,
}

/// What a client asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Ask {
    /// To write this.
    #[kind("write")]
    Write(u32),
}

/// What a member announces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Written {
    /// The next write of the log.
    #[kind("written")]
    Next(Write),
}

/// What members tell each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Msg {
    /// That there is something to write.
    #[kind("write")]
    Write(Write),
    /// Which write is the next.
    #[kind("order")]
    Order(Numbered<RotatingMsg>),
}

/// What one member remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct State {
    order: SeriesState<RotatingState>,
    /// Writes that are not decided, in their order.
    open: Vec<Write>,
    /// The number of the last write of each member that was decided.
    done: PerProc<u16>,
    /// How often this member has been asked to write.
    asked: u16,
    /// Whether it has proposed for the decision that comes next.
    proposed: bool,
}

impl Write {
    fn proposal(self) -> u64 {
        (self.author.index() as u64) << 48 | u64::from(self.number) << 32 | u64::from(self.value)
    }

    fn decided(value: u64) -> Option<Write> {
        let author = usize::try_from(value >> 48).ok().and_then(Pid::new)?;
        Some(Write { author, number: (value >> 32) as u16, value: value as u32 })
    }
}

impl Register {
    /// Takes note of a write and passes it on, unless it is known already or was decided before.
    fn learn(&self, me: Pid, state: &mut State, write: Write, fx: &mut impl Effects<Register>) {
        let news = state.done.get(write.author).is_some_and(|done| write.number > *done);
        if let (true, Err(place)) = (news, state.open.binary_search(&write)) {
            state.open.insert(place, write);
            Pid::all(self.n).filter(|peer| *peer != me).for_each(|peer| fx.send(peer, Msg::Write(write)));
            self.propose(me, state, fx);
        }
    }

    /// Proposes the first open write, once for each decision.
    fn propose(&self, me: Pid, state: &mut State, fx: &mut impl Effects<Register>) {
        let Some(first) = state.open.first().filter(|_| !state.proposed) else { return };
        let call = ConsensusCall::Propose(first.proposal());
        state.proposed = true;
        self.drive(me, state, Input::Call(&call), fx);
    }

    /// Lets the protocol of the order take an input, and takes up what it decides.
    fn drive(
        &self,
        me: Pid,
        state: &mut State,
        input: Input<'_, Series<Rotating>>,
        fx: &mut impl Effects<Self>,
    ) {
        let mut ordering = Ordering { fx: &mut *fx, decided: Vec::new() };
        self.order.step(me, &mut state.order, input, &mut ordering);
        for value in ordering.decided {
            state.proposed = false;
            if let Some(write) = Write::decided(value) {
                state.open.retain(|open| *open != write);
                state.done.get_mut(write.author).into_iter().for_each(|done| *done = write.number);
                fx.emit(Written::Next(write));
            }
        }
        self.propose(me, state, fx);
    }
}

impl Protocol for Register {
    type State = State;
    type Msg = Msg;
    type Timer = Never;
    type Call = Ask;
    type Output = Written;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> State {
        let order = self.order.init(me, &mut Ordering { fx, decided: Vec::new() });
        State { order, open: Vec::new(), done: PerProc::new(self.n, 0), asked: 0, proposed: false }
    }

    fn step(&self, me: Pid, state: &mut State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Call(Ask::Write(value)) => {
                state.asked = state.asked.saturating_add(1);
                let write = Write { author: me, number: state.asked, value: *value };
                self.learn(me, state, write, fx);
            }
            Input::Receive { msg: Msg::Write(write), .. } => self.learn(me, state, *write, fx),
            Input::Receive { from, msg: Msg::Order(msg) } => {
                self.drive(me, state, Input::Receive { from, msg }, fx);
            }
            Input::Fire(timer) => match timer {},
            Input::Notice(change) => self.drive(me, state, Input::Notice(change), fx),
        }
    }
}

impl Register {
    fn reception(&self, me: Pid, state: &State, from: Pid, msg: &Msg) -> Reception {
        match msg {
            Msg::Write(_) => Reception::Accepted,
            Msg::Order(msg) => Reception::of(&self.order, me, &state.order, from, msg),
        }
    }
}

impl Promises for Register {}

/// The effects of the order, as those of the register; what is decided is kept aside.
struct Ordering<'a, E> {
    fx: &'a mut E,
    decided: Vec<u64>,
}

impl<E: Effects<Register>> Effects<Series<Rotating>> for Ordering<'_, E> {
    fn send(&mut self, to: Pid, msg: Numbered<RotatingMsg>) {
        self.fx.send(to, Msg::Order(msg));
    }

    fn arm(&mut self, timer: Never, _: Bound) {
        match timer {}
    }

    fn disarm(&mut self, timer: Never) {
        match timer {}
    }

    fn emit(&mut self, output: <Series<Rotating> as Protocol>::Output) {
        self.decided.extend(Series::<Rotating>::decided(&output).map(|decision| decision.value));
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}
