//! A protocol that only waits: everyone greets everyone, and waits for each of the others in turn, until it has heard
//! from it or suspects it. What comes too early it leaves lying; what comes too late it does not want.

use watchkeeper_core::{
    Effects, Input, Kind, Never, Pack, Pid, ProcSet, Promises, Protocol, Reception, SelectiveReceive,
    Suspicion,
};
use watchkeeper_world::{
    Capacity, Faults, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory, TypedWorld,
};

pub struct Waiter {
    pub n: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Waiting {
    /// The process that it waits for, or `n` if for nobody any more.
    pub next: u8,
    /// Those that it has given up.
    pub missed: ProcSet,
    pub suspects: ProcSet,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Greeting {
    #[kind("HELLO")]
    Hello,
}

impl Waiter {
    /// Goes on to the next process that it has to wait for.
    fn go_on(&self, me: Pid, state: &mut Waiting) {
        while usize::from(state.next) < self.n {
            let whom = Pid::at(usize::from(state.next));
            if whom != me && !state.suspects.contains(whom) {
                return;
            }
            if whom != me {
                state.missed.insert(whom);
            }
            state.next += 1;
        }
    }
}

impl Protocol for Waiter {
    type State = Waiting;
    type Msg = Greeting;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Waiting {
        Pid::all(self.n).filter(|&p| p != me).for_each(|p| fx.send(p, Greeting::Hello));
        let mut state = Waiting { next: 0, missed: ProcSet::EMPTY, suspects: ProcSet::EMPTY };
        self.go_on(me, &mut state);
        state
    }

    fn step(&self, me: Pid, state: &mut Waiting, input: Input<'_, Self>, _: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, .. } => {
                assert_eq!(from.index(), usize::from(state.next), "only what is wanted now is handed over");
                state.next += 1;
            }
            Input::Notice(Suspicion::Suspect(p)) => state.suspects.insert(p),
            Input::Notice(Suspicion::Trust(p)) => state.suspects.remove(p),
            Input::Fire(_) | Input::Call(_) => {}
        }
        self.go_on(me, state);
    }
}

impl Waiter {
    fn reception(&self, _: Pid, state: &Waiting, from: Pid, _: &Greeting) -> Reception {
        match from.index().cmp(&usize::from(state.next)) {
            std::cmp::Ordering::Equal => Reception::Accepted,
            std::cmp::Ordering::Greater => Reception::Deferred,
            std::cmp::Ordering::Less => Reception::Discarded,
        }
    }
}

impl Promises for Waiter {}

/// A network that a selective protocol can live with.
pub fn scenario(n: usize, crashes: u32, oracle: Option<Oracle>) -> Scenario {
    let network = Network { capacity: Capacity::Unbounded { cap: 2 }, ..Network::default() };
    let faults = Faults { crashable: ProcSet::first(n), crashes, ..Faults::default() };
    Scenario { network, faults, oracle, ..Scenario::new(n) }
}

pub fn world(n: usize, crashes: u32, oracle: Option<Oracle>) -> TypedWorld<Waiter> {
    TypedWorld::new(Waiter { n }, scenario(n, crashes, oracle)).expect("a world")
}

/// The oracles that leave everyone alone who has not crashed, those that do not count mistakes first.
pub const STRONG: [OracleAccuracy; 4] = [
    OracleAccuracy::Strong { mistakes: 0 },
    OracleAccuracy::EventuallyStrong,
    OracleAccuracy::Strong { mistakes: 1 },
    OracleAccuracy::Strong { mistakes: 2 },
];

pub const ACCURACIES: [OracleAccuracy; 3] =
    [OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None];

pub fn oracle(accuracy: OracleAccuracy, memory: SuspicionMemory) -> Option<Oracle> {
    Some(Oracle { accuracy, memory })
}
