//! A probe with help, as in SWIM: p0 pings p1 and waits for `t`; then it asks p2 to ping p1 and waits for `u`; then it
//! suspects p1 for `s`, and declares it dead unless an answer comes. After an answer the next probe comes a period later.
//!
//! By hand: nothing lost, the answer comes within `2*delay`, so a live process is never declared dead iff
//! `2*delay < t + u + s`. If one message may be lost, the answer may have to take the detour of four messages, which begins
//! when the wait `t` is over: iff `4*delay < u + s`. If two may be lost, nothing helps.

use std::ops::ControlFlow;
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Promises, Protocol, Slot, Time};
use watchkeeper_polyhedra::{Constraint, Relation};
use watchkeeper_regions::{
    Condition, Linear, RegionAnswer, RegionLimits, Trouble, TypedModel, durations, same_region,
};
use watchkeeper_world::{Capacity, Network, Scenario, Timing, WorldTime};

#[derive(Clone)]
struct Probe<T> {
    direct: T,
    indirect: T,
    suspicion: T,
    period: T,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Question {
    Ping,
    PingForMe,
    Ack,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
enum Opinion {
    Alive,
    Dead,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Wait {
    Period,
    Direct,
    Indirect,
    Suspicion,
}

impl<T: Time> Probe<T> {
    fn ping(&self, fx: &mut impl Effects<Self, T>) {
        fx.send(Pid::at(1), Question::Ping);
        fx.arm(Wait::Direct, Bound::exactly(self.direct));
    }
}

impl<T: Time> Protocol<T> for Probe<T> {
    type State = Opinion;
    type Msg = Question;
    type Timer = Wait;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> Opinion {
        if me == Pid::at(0) {
            self.ping(fx);
        }
        Opinion::Alive
    }

    fn step(&self, me: Pid, of: &mut Opinion, input: Input<'_, Self, T>, fx: &mut impl Effects<Self, T>) {
        match input {
            Input::Receive { from, msg: Question::Ping } => fx.send(from, Question::Ack),
            Input::Receive { msg: Question::PingForMe, .. } => fx.send(Pid::at(1), Question::Ping),
            Input::Receive { msg: Question::Ack, .. } if me == Pid::at(2) => {
                fx.send(Pid::at(0), Question::Ack)
            }
            Input::Receive { msg: Question::Ack, .. } => {
                [Wait::Direct, Wait::Indirect, Wait::Suspicion].into_iter().for_each(|wait| fx.disarm(wait));
                fx.arm(Wait::Period, Bound::exactly(self.period));
            }
            Input::Fire(Wait::Period) => self.ping(fx),
            Input::Fire(Wait::Direct) => {
                fx.send(Pid::at(2), Question::PingForMe);
                fx.arm(Wait::Indirect, Bound::exactly(self.indirect));
            }
            Input::Fire(Wait::Indirect) => fx.arm(Wait::Suspicion, Bound::exactly(self.suspicion)),
            Input::Fire(Wait::Suspicion) => *of = Opinion::Dead,
            Input::Call(_) | Input::Notice(_) => {}
        }
    }
}

impl<T: Time> Promises<T> for Probe<T> {}

/// Where nobody is declared dead, with so many messages lost, for periods in which all answers arrive.
fn never_dead(losses: u32) -> Result<RegionAnswer, Trouble> {
    let parameters: Vec<String> = ["t", "u", "s", "p", "delay"].map(str::to_string).to_vec();
    let timing = Timing::per_message(Bound::within(Linear::parameter("delay")));
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, losses, ..Network::default() };
    let scenario = Scenario { network, ..Scenario::new(3) }.with_time(WorldTime::Dense(timing));
    let quiet = Constraint::new(vec![0, 0, 0, 1, -6], 0, Relation::Above);
    let domain = durations(&parameters)?.and(&[quiet])?;
    let [direct, indirect, suspicion, period] = ["t", "u", "s", "p"].map(Linear::parameter);
    let protocol = Probe { direct, indirect, suspicion, period };
    let model = TypedModel::new(protocol, scenario, parameters, domain).expect("a model");
    let alive = |_: &Probe<Linear>, states: &[Option<&Opinion>]| {
        states.iter().flatten().all(|opinion| **opinion == Opinion::Alive)
    };
    let models = [model.always("never-dead", alive).into_model()];
    RegionAnswer::of(&models, RegionLimits::default(), &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_live_process_is_never_declared_dead_where_the_waits_are_long_enough() -> Result<(), Trouble> {
    for (losses, condition, states) in
        [(0, "2*delay < t + u + s", (50, 31)), (1, "4*delay < u + s", (210, 75))]
    {
        let found = never_dead(losses)?;
        let wanted = Condition::parse(condition, &found.parameters).expect("a condition").regions()?;
        assert!(found.undecided.is_empty(), "undecided: {:?}", found.limits);
        assert_eq!(same_region(&found.holds, &wanted, &found.domain)?, None, "not iff {condition}");
        assert_eq!((found.states, found.discrete), states, "{losses} messages are lost");
    }
    Ok(())
}

#[test]
fn no_waits_are_long_enough_where_two_messages_may_be_lost() -> Result<(), Trouble> {
    let found = never_dead(2)?;
    assert!(found.holds.is_empty() && found.undecided.is_empty() && !found.fails.is_empty());
    assert_eq!((found.states, found.discrete), (120, 52));
    Ok(())
}
