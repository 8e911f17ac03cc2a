//! Fischer's mutual exclusion. A contender tests that the variable is free, writes its name within `a`, waits for at
//! least `b`, and enters if the variable still has its name.
//!
//! p0 is the memory: it has the variable, and a timer for each contender's next look at it. The pen of contender i is
//! p(i): p0 tells it to write, and the write is its reply, so that both together take at most `a`. With bounds that are
//! closed on both sides, a write that takes `a` and a check after `b = a` fall on one moment. In any order, the check may
//! be first: exclusion iff `b > a`. Where what is due is delivered first, the write is: exclusion iff `b >= a`, the published
//! form for a write in less than `a`, or a check after more than `b`.

use std::ops::ControlFlow;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot, Time,
};
use watchkeeper_regions::{
    Condition, Linear, RegionAnswer, RegionLimits, Trouble, TypedModel, durations, same_region,
};
use watchkeeper_world::{Capacity, Network, Scenario, Timing, WorldTime};

#[derive(Clone)]
struct Fischer<T> {
    contenders: usize,
    wait: T,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Order {
    Write,
    Written,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
struct Memory {
    owner: Option<Pid>,
    inside: ProcSet,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Look {
    Test(Pid),
    Check(Pid),
    Leave(Pid),
}

impl<T: Time> Fischer<T> {
    fn some_day(look: Look, fx: &mut impl Effects<Self, T>) {
        fx.arm(look, Bound::at_least(T::from(0)));
    }
}

impl<T: Time> Protocol<T> for Fischer<T> {
    type State = Memory;
    type Msg = Order;
    type Timer = Look;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> Memory {
        if me == Pid::at(0) {
            Pid::all(self.contenders + 1).skip(1).for_each(|who| Self::some_day(Look::Test(who), fx));
        }
        Memory { owner: None, inside: ProcSet::EMPTY }
    }

    fn step(&self, _: Pid, memory: &mut Memory, input: Input<'_, Self, T>, fx: &mut impl Effects<Self, T>) {
        match input {
            Input::Fire(Look::Test(who)) if memory.owner.is_none() => fx.send(who, Order::Write),
            Input::Receive { from, msg: Order::Write } => fx.reply(from, Order::Written),
            Input::Receive { from, msg: Order::Written } => {
                memory.owner = Some(from);
                fx.arm(Look::Check(from), Bound::at_least(self.wait));
            }
            Input::Fire(Look::Check(who)) if memory.owner == Some(who) => {
                memory.inside.insert(who);
                Self::some_day(Look::Leave(who), fx);
            }
            Input::Fire(Look::Leave(who)) => {
                memory.inside.remove(who);
                memory.owner = None;
                Self::some_day(Look::Test(who), fx);
            }
            Input::Fire(Look::Test(who) | Look::Check(who)) => Self::some_day(Look::Test(who), fx),
            Input::Call(_) | Input::Notice(_) => {}
        }
    }
}

impl<T: Time> Promises<T> for Fischer<T> {}

fn exclusion(contenders: usize, deliveries_first: bool) -> Result<RegionAnswer, Trouble> {
    let parameters = vec!["a".to_string(), "b".to_string()];
    let timing = Timing::round_trip(Linear::parameter("a"));
    let timing = if deliveries_first { timing.deliveries_first() } else { timing };
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() };
    let scenario = Scenario { network, ..Scenario::new(contenders + 1) }.with_time(WorldTime::Dense(timing));
    let domain = durations(&parameters)?;
    let protocol = Fischer { contenders, wait: Linear::parameter("b") };
    let model = TypedModel::new(protocol, scenario, parameters, domain).expect("a model");
    let alone = |_: &Fischer<Linear>, states: &[Option<&Memory>]| {
        states.iter().flatten().all(|memory| memory.inside.len() <= 1)
    };
    let models = [model.always("exclusion", alone).into_model()];
    RegionAnswer::of(&models, RegionLimits::default(), &mut |_| ControlFlow::Continue(()))
}

fn assert_holds_iff(found: &RegionAnswer, condition: &str) -> Result<(), Trouble> {
    let wanted = Condition::parse(condition, &found.parameters).expect("a condition").regions()?;
    assert!(found.undecided.is_empty(), "undecided: {:?}", found.limits);
    assert_eq!(same_region(&found.holds, &wanted, &found.domain)?, None, "not iff {condition}");
    Ok(())
}

#[test]
fn with_closed_bounds_the_wait_is_longer_than_the_write() -> Result<(), Trouble> {
    for (contenders, states) in [(2, (43, 33)), (3, (280, 177))] {
        let found = exclusion(contenders, false)?;
        assert_eq!((found.states, found.discrete), states, "{contenders} contenders");
        assert_holds_iff(&found, "b > a")?;
    }
    Ok(())
}

#[test]
fn where_what_is_due_comes_first_the_wait_is_at_least_the_write() -> Result<(), Trouble> {
    for (contenders, states) in [(2, (43, 33)), (3, (286, 177))] {
        let found = exclusion(contenders, true)?;
        assert_eq!((found.states, found.discrete), states, "{contenders} contenders");
        assert_holds_iff(&found, "b >= a")?;
    }
    Ok(())
}
