//! A protocol with a horizon: what is past it is left out, and nothing can be said to hold.

use watchkeeper_core::{Bound, Effects, Input, Never, Pid, Promises, Protocol, Slot};
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::{Invariant, Outcome, Question};
use watchkeeper_space::{Narration, Space, StatePath, steps, successors};
use watchkeeper_world::{Scenario, TypedWorld, WorldError};

/// Counts for ever; a search follows it up to a number.
struct Counter {
    most: u64,
    first: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Clock {
    Tick,
}

impl Protocol for Counter {
    type State = u64;
    type Msg = Never;
    type Timer = Clock;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> u64 {
        if me.index() == 0 {
            fx.arm(Clock::Tick, Bound::exactly(1));
        }
        self.first
    }

    fn step(&self, _: Pid, count: &mut u64, _: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        *count += 1;
        fx.arm(Clock::Tick, Bound::exactly(1));
    }
}

impl Promises for Counter {
    fn horizon(&self) -> Option<String> {
        Some(format!("{} ticks", self.most))
    }

    fn beyond(&self, count: &u64) -> bool {
        *count > self.most
    }
}

#[test]
fn what_is_past_the_horizon_is_cut() {
    let world = TypedWorld::new(Counter { most: 3, first: 0 }, Scenario::new(2)).expect("a world");
    assert_eq!(world.shape().caps.last().expect("a cap").name, "3 ticks");
    assert!(world.shape().assumptions.iter().any(|one| one.starts_with("runs are followed up to 3 ticks")));
    let within = world.shape().atom("within-capacity").expect("an atom");
    let question = Question {
        invariants: vec![Invariant { name: "within-capacity".into(), when: None, then: within }],
        ..Question::default()
    };
    let verdict = check(&*world, &question, &Search::default(), &NoCallback).expect("a verdict");
    assert_eq!(verdict.stats.distinct_states, 4);
    match verdict.outcome {
        Outcome::Unknown(limit) => assert!(format!("{limit:?}").contains("3 ticks"), "{limit:?}"),
        other => panic!("{other:?}"),
    }
    let mut trail = StatePath { rows: world.initial(), actions: Vec::new() };
    while let Some((action, next)) = successors(&*world, trail.rows.last().expect("a row")).pop() {
        trail.rows.push(next);
        trail.actions.push(action);
    }
    assert_eq!(trail.actions.len(), 3);
    assert!(!steps(&*world, trail.rows.last().expect("a row")).stuck, "what is cut is no deadlock");
    // The interpreter knows the horizon too.
    let last = trail.rows.last().expect("a row").clone();
    assert!(world.label(&last, trail.actions[2]).contains("past the horizon"));
    world.replay(&trail).expect("up to there it replays");
}

#[test]
fn a_start_past_the_horizon_is_refused() {
    let refused =
        TypedWorld::new(Counter { most: 3, first: 4 }, Scenario::new(2)).expect_err("it starts past it");
    assert_eq!(refused, WorldError::StartBeyondHorizon { horizon: "3 ticks".into() });
    assert!(refused.to_string().ends_with("raise it"));
}
