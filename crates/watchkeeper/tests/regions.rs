//! Regions from Rust: the assertion that a user writes, and what it says when it fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use watchkeeper::protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper::protocols::ring::{Ring, WeakCompleteness};
use watchkeeper::{
    Bound, Channel, Linear, Parametric, ParametricDescription, Pid, Problem, RegionsBuilder, regions,
};
use watchkeeper_core::{Effects, Input, Kind, Never, Pack, Promises, Protocol, Slot, Time};
use watchkeeper_polyhedra::{Constraint, Relation};

fn binary() -> RegionsBuilder {
    let heartbeat = Heartbeat::<Linear>::new(HeartbeatVariant::Binary, "tmin".into(), "tmax".into(), 1);
    // Outside of a search parameters are only positive: the rest is a condition.
    regions(heartbeat.expect("a protocol")).param("tmin").param("tmax").given("tmin <= tmax")
}

fn refusal(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it should have failed");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn the_requirements_of_the_binary_protocol_hold_where_they_do() {
    binary().property("R1").assert_holds_iff("2*tmin > tmax");
    binary().property("R2").assert_holds_iff("tmin < tmax");
    let found = binary().property("R3").assert_holds_iff("tmin < tmax");
    assert!(found.failing.iter().all(|piece| piece.reason.starts_with("R3: p0 is inactivated")));
}

#[test]
fn a_ring_is_accurate_where_a_round_is_longer_than_question_and_answer() {
    let ring = Ring::<_, Linear>::with_policy(WeakCompleteness, 3, "round".into()).expect("a ring");
    let asked = regions(ring).param("round").param("delay").channel(Channel::Unbounded(4));
    asked.assert_holds_iff("round > 2*delay");
}

/// Parameters for which a delay would end before it begins are no parameters.
#[test]
fn the_ends_of_a_delay_are_in_order() {
    let ring = Ring::<_, Linear>::with_policy(WeakCompleteness, 2, "round".into()).expect("a ring");
    let asked = regions(ring).n(2).param("round").param("delay-min").param("delay");
    let found = asked.channel(Channel::Unbounded(4)).assert_holds_iff("round > 2*delay");
    let reversed = Constraint::new(vec![0, 1, -1], 0, Relation::Above);
    assert!(found.domain.iter().all(|piece| !piece.meets(&reversed).expect("small numbers")));
}

#[test]
fn a_wrong_formula_is_told_with_the_right_one_and_a_point() {
    let told = refusal(|| {
        binary().property("R1").assert_holds_iff("2*tmin >= tmax");
    });
    assert!(told.contains("holds iff 2*tmin > tmax, and not iff 2*tmin >= tmax"), "{told}");
    assert!(told.contains("they differ at tmin = 1, tmax = 2"), "{told}");
}

#[test]
fn what_is_undecided_is_no_success() {
    let corrected = Heartbeat::<Linear>::new(HeartbeatVariant::Binary, "tmin".into(), "tmax".into(), 1)
        .expect("a protocol")
        .corrected();
    let asked = regions(corrected).param("tmin").param("tmax").given("2*tmin <= tmax").property("R1");
    let told = refusal(|| {
        asked.clone().max_states(200).assert_holds_iff("always");
    });
    assert!(told.contains("undecided for some parameters"), "{told}");
    asked.given("tmax <= 16*tmin").assert_holds_iff("always");
}

#[test]
fn unknown_names_and_foreign_properties_are_refused_by_name() {
    let told = refusal(|| {
        binary().property("R7").assert_holds_iff("always");
    });
    assert!(told.contains("there is no property for regions `R7`"), "{told}");
    let told = refusal(|| {
        binary().property("R1").assert_holds_iff("tmim > tmax");
    });
    assert!(told.contains("tmim"), "{told}");
}

/// R1 of very many participants has a deadline for each, too many for all sets of them: the answer is no `holds`.
#[test]
fn more_deadlines_than_can_be_searched_are_undecided() {
    let many = Heartbeat::<Linear>::new(HeartbeatVariant::Static, "tmin".into(), "tmax".into(), 13);
    let asked = regions(many.expect("a protocol")).param("tmin").param("tmax").given("tmin <= tmax");
    let found = asked.property("R1").run().expect("an answer");
    assert!(found.holds.is_empty() && !found.undecided.is_empty());
    assert!(
        found.limits.iter().any(|limit| limit.starts_with("more than 12 deadlines")),
        "{:?}",
        found.limits
    );
}

/// A message to a process that does not exist is a limit of the model, and not a message that is gone.
#[test]
fn a_message_without_a_channel_is_undecided() {
    let alone = Counting { period: "period".into(), beats: Linear::from(2) };
    let found = regions(alone).n(1).param("period").delay(Bound::exactly(1)).run().expect("an answer");
    assert!(found.holds.is_empty() && !found.undecided.is_empty());
    assert!(found.limits.iter().any(|limit| limit.contains("where no channel leads")), "{:?}", found.limits);
}

/// Waits `beats` times a period before it gives up, where both may be unknown.
#[derive(Clone)]
struct Counting<T> {
    period: T,
    beats: T,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Sign {
    Alive,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Alarm {
    Beat,
    GiveUp,
}

impl<T: Time> Protocol<T> for Counting<T> {
    type State = bool;
    type Msg = Sign;
    type Timer = Alarm;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> bool {
        if me.index() == 0 {
            fx.arm(Alarm::Beat, Bound::exactly(self.period));
        } else {
            fx.arm(Alarm::GiveUp, Bound::exactly(self.period.times(self.beats)));
        }
        false
    }

    fn step(&self, _: Pid, gone: &mut bool, input: Input<'_, Self, T>, fx: &mut impl Effects<Self, T>) {
        match input {
            Input::Fire(Alarm::Beat) => {
                fx.send(Pid::at(1), Sign::Alive);
                fx.arm(Alarm::Beat, Bound::exactly(self.period));
            }
            Input::Fire(Alarm::GiveUp) => *gone = true,
            Input::Receive { .. } if !*gone => {
                fx.arm(Alarm::GiveUp, Bound::exactly(self.period.times(self.beats)));
            }
            _ => {}
        }
    }
}

impl Promises<Linear> for Counting<Linear> {}

impl Parametric for Counting<Linear> {
    fn parametric() -> ParametricDescription<Counting<Linear>> {
        let build = |_: usize, _: &watchkeeper::Params| Err(Problem::Usage("only as a value".to_string()));
        ParametricDescription::new("counting", build)
            .always("patient", |_, states| states.iter().all(|state| state.is_none_or(|gone| !gone)))
    }
}

#[test]
fn a_factor_may_be_a_number_and_two_unknown_factors_are_refused_with_the_reason() {
    let twice = Counting { period: "period".into(), beats: Linear::from(2) };
    let asked =
        |protocol| regions(protocol).n(2).param("period").param("delay").channel(Channel::Unbounded(4));
    asked(twice).assert_holds_iff("period > delay");
    let unknown = Counting { period: Linear::from("period"), beats: Linear::from("beats") };
    let told = refusal(|| {
        asked(unknown).param("beats").assert_holds_iff("always");
    });
    assert!(told.contains("the code multiplies two unknown durations, (period) and (beats)"), "{told}");
    assert!(told.contains("give one of the two a number"), "{told}");
}
