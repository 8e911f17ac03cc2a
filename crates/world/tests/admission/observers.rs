//! Runs end where all observers have made up their minds. What else is asked of such a world is not answered with holds.

use watchkeeper_core::{
    Bound, Deadlines, Effects, Input, Judgement, Kind, Never, Observation, Observer, Pack, Pid, Promises,
    Protocol, Slot,
};
use watchkeeper_explore::{NoCallback, Search, check, naive};
use watchkeeper_logic::{Fairness, Formula, Invariant, Limit, Outcome, Question, TemporalProperty, Verdict};
use watchkeeper_space::Space;
use watchkeeper_world::{Scenario, TypedWorld};

/// Counts to five, one firing after the other.
struct Counter;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Nothing {
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Next {
    Next,
}

impl Protocol for Counter {
    type State = u8;
    type Msg = Nothing;
    type Timer = Next;
    type Call = Never;
    type Output = Nothing;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self>) -> u8 {
        fx.arm(Next::Next, Bound::exactly(1));
        0
    }

    fn step(&self, _: Pid, state: &mut u8, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Fire(Next::Next) = input {
            *state += 1;
            if *state < 5 {
                fx.arm(Next::Next, Bound::exactly(1));
            }
        }
    }
}

impl Promises for Counter {}

/// Has seen enough after the first firing.
struct SeenEnough;

impl Observer<Counter> for SeenEnough {
    type State = bool;

    fn name(&self) -> String {
        "seen enough".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> bool {
        false
    }

    fn see(&self, state: &mut bool, _: &Observation<'_, Counter>, _: &mut Deadlines) {
        *state = true;
    }

    fn judge(&self, state: &bool) -> Judgement {
        if *state { Judgement::Settled } else { Judgement::Open }
    }
}

fn world() -> TypedWorld<Counter> {
    let small = |global: &watchkeeper_world::Global<'_, Counter>| {
        global.processes().all(|p| global.state(p).is_none_or(|&count| count < 4))
    };
    TypedWorld::new(Counter, Scenario::new(2)).expect("a world").with_atom("small", true, small)
}

fn asked(space: &impl Space, name: &str) -> Question {
    let then = space.shape().atom(name).expect("an atom");
    Question {
        invariants: vec![Invariant { name: name.to_string(), when: None, then }],
        ..Question::default()
    }
}

fn both(space: &impl Space, question: &Question) -> [Verdict; 2] {
    let search = Search::default();
    [check(space, question, &search, &NoCallback), naive(space, question, &search, &NoCallback)]
        .map(|found| found.expect("a verdict"))
}

#[test]
fn an_observer_that_has_seen_enough_hides_nothing_else() {
    let observed = world().observed_by(SeenEnough).expect("an observer");
    for verdict in both(&*observed, &asked(&*observed, "seen enough")) {
        assert!(verdict.holds(), "what the observer says is decided: {:?}", verdict.outcome);
    }
    let (plain, question) = (world(), Question::no_deadlock());
    for verdict in both(&*plain, &asked(&*plain, "small")).into_iter().chain(both(&*plain, &question)) {
        assert_eq!(verdict.word(), "violated", "without it both are wrong");
    }
    for question in [asked(&*observed, "small"), question] {
        for verdict in both(&*observed, &question) {
            let cap =
                matches!(&verdict.outcome, Outcome::Unknown(Limit::Cap(cap)) if cap.contains("observers"));
            assert!(cap, "{}: {:?}", question.name(), verdict.outcome);
        }
    }
    let then = observed.shape().atom("small").expect("an atom");
    let temporal = vec![TemporalProperty::new("small", Formula::atom(then).always())];
    let runs = Question { temporal, fairness: vec![Fairness::steps()], ..Question::default() };
    let verdict = check(&*observed, &runs, &Search::default(), &NoCallback).expect("a verdict");
    assert_eq!(verdict.word(), "unknown");
}
