//! A protocol that promises too much symmetry is found out, however deep in a run it breaks its promise; and a search
//! that was to use symmetry where it is possible goes without it and says so.

use watchkeeper_core::{
    Bound, Deadlines, Effects, Input, Judgement, Kind, Never, Observation, Observer, Pack, Pid, ProcSet,
    Promises, Protocol, Slot, Symmetry,
};
use watchkeeper_explore::{ExploreError, NoCallback, Search, Symmetric, SymmetryReduction, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_space::{Space, Symmetries};
use watchkeeper_world::{Faults, Global, Scenario, Timing, TypedWorld, World, WorldTime};

/// Everyone counts, and whoever has counted to the end is done. Only `odd` goes on by another way from `from` on, if
/// there is such a process: the promise of symmetry is broken there and nowhere else.
#[derive(Clone)]
struct Counters {
    end: u16,
    odd: Option<(Pid, u16)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Nothing {
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Next {
    Next,
}

impl Protocol for Counters {
    type State = u16;
    type Msg = Nothing;
    type Timer = Next;
    type Call = Never;
    type Output = Nothing;

    fn init(&self, _: Pid, fx: &mut impl Effects<Self>) -> u16 {
        fx.arm(Next::Next, Bound::exactly(1));
        0
    }

    fn step(&self, me: Pid, state: &mut u16, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Fire(Next::Next) = input {
            let odd = self.odd == Some((me, *state));
            *state += 1;
            if *state < self.end && !odd {
                fx.arm(Next::Next, Bound::exactly(1));
            }
        }
    }
}

impl Promises for Counters {
    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// That not everyone has counted to the end.
fn world(protocol: Counters, time: WorldTime) -> (TypedWorld<Counters>, Question) {
    let end = protocol.end;
    let scenario = Scenario { time, ..Scenario::new(3) };
    let world = TypedWorld::new(protocol, scenario).expect("a world").with_atom(
        "somebody counts",
        true,
        move |global| global.processes().any(|p| global.state(p).is_none_or(|&count| count < end)),
    );
    let then = world.shape().atom("somebody counts").expect("an atom");
    let invariants = vec![Invariant { name: "somebody counts".to_string(), when: None, then }];
    (world, Question { invariants, ..Question::default() })
}

fn searched(
    protocol: &Counters,
    time: WorldTime,
    symmetry: SymmetryReduction,
) -> Result<Verdict, ExploreError> {
    let (world, question) = world(protocol.clone(), time);
    check(&*world, &question, &Search { symmetry, ..Search::default() }, &NoCallback)
}

/// The last process stops one step before the end. Up to renaming the first one that comes there does not, so a search
/// that believed the promise would see a run to the end that there is not, or miss those that there are.
#[test]
fn a_promise_that_is_broken_deep_in_a_run_is_found_out() {
    let deep = 39;
    for time in [WorldTime::Untimed, WorldTime::Ticks(timing()), WorldTime::Dense(timing())] {
        for last in 0..3 {
            let protocol = Counters { end: deep + 1, odd: Some((Pid::at(last), deep - 1)) };
            let refused = searched(&protocol, time, SymmetryReduction::On);
            let why = refused.expect_err("the promise is broken").to_string();
            assert!(why.contains("promises too much"), "{why}");
            let full = searched(&protocol, time, SymmetryReduction::Off).expect("a verdict");
            assert_eq!(full.word(), "holds", "p{last} never comes to the end");
            let back = searched(&protocol, time, SymmetryReduction::WherePossible).expect("a verdict");
            assert_eq!((back.word(), back.stats.distinct_states), ("holds", full.stats.distinct_states));
            let told = back.warnings.iter().any(|warning| warning.contains("without the symmetry reduction"));
            assert!(told && back.stats.renamings == 0, "{:?}", back.warnings);
        }
    }
}

#[test]
fn a_promise_that_is_kept_is_made_use_of() {
    let protocol = Counters { end: 12, odd: None };
    let full = searched(&protocol, WorldTime::Untimed, SymmetryReduction::Off).expect("a verdict");
    for symmetry in [SymmetryReduction::On, SymmetryReduction::WherePossible] {
        let fewer = searched(&protocol, WorldTime::Untimed, symmetry).expect("a verdict");
        assert_eq!((fewer.word(), full.word()), ("violated", "violated"));
        assert_eq!(fewer.stats.renamings, 6);
        assert!(fewer.stats.distinct_states < full.stats.distinct_states / 4);
    }
}

/// A world that was searched before without its symmetry remembers its steps; they are looked at all the same.
#[test]
fn steps_that_are_known_from_before_are_looked_at_too() {
    let (world, question) = world(Counters { end: 30, odd: Some((Pid::at(1), 20)) }, WorldTime::Untimed);
    let search = |symmetry| check(&*world, &question, &Search { symmetry, ..Search::default() }, &NoCallback);
    search(SymmetryReduction::Off).expect("a verdict");
    assert!(matches!(search(SymmetryReduction::On), Err(ExploreError::Asymmetric(_))));
}

/// The world finds them by itself, whatever else a search looks at on its way.
#[test]
fn a_world_holds_all_the_steps_that_it_knows_against_their_renamings() {
    for (odd, kept) in [(None, true), (Some((Pid::at(1), 20)), false)] {
        let (world, question) = world(Counters { end: 30, odd }, WorldTime::Untimed);
        check(&*world, &question, &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(world.keeps_symmetry().is_ok(), kept, "{odd:?}");
    }
}

/// A space up to renaming is asked only for what is the same under every name, whoever asks it.
#[test]
fn what_names_a_process_is_not_asked_up_to_renaming() {
    let (world, mut question) = world(Counters { end: 3, odd: None }, WorldTime::Untimed);
    let first = |global: &Global<'_, Counters>| global.state(Pid::at(0)).is_none_or(|&count| count < 3);
    let world = world.with_atom("the first counts", false, first);
    let symmetric = Symmetric::new(&*world);
    symmetric.audit(&question.query()).expect("the promise is kept");
    let ask = |question: &Question| check(&symmetric, question, &Search::default(), &NoCallback);
    assert_eq!(ask(&question).expect("a verdict").word(), "violated");
    question.invariants[0].then = world.shape().atom("the first counts").expect("an atom");
    assert!(matches!(ask(&question), Err(ExploreError::Asymmetric(_))));
}

/// Whoever asks for the reduction in vain learns what breaks the symmetry, and what to do.
#[test]
fn a_refusal_names_the_cause_and_the_remedy() {
    let refused = |world: &World, question: &Question| {
        let search = Search { symmetry: SymmetryReduction::On, ..Search::default() };
        check(world, question, &search, &NoCallback).expect_err("no symmetry").to_string()
    };
    let (plain, question) = world(Counters { end: 3, odd: None }, WorldTime::Untimed);
    let named = plain.with_atom("the first counts", false, |_| true);
    let then = named.shape().atom("the first counts").expect("an atom");
    let invariants = vec![Invariant { name: "first".to_string(), when: None, then }];
    let why = refused(&named, &Question { invariants, ..Question::default() });
    assert!(why.contains("the first counts") && why.contains("`.symmetric()`"), "{why}");

    let faults = Faults { crashable: ProcSet::from_bits(1), crashes: 1, ..Faults::default() };
    let uneven = Scenario { faults, ..Scenario::new(2) };
    let uneven = TypedWorld::new(Counters { end: 3, odd: None }, uneven).expect("a world");
    let why = refused(&uneven, &Question::default());
    assert!(why.contains("crashable") && why.contains("leave --symmetry out"), "{why}");

    let watched = TypedWorld::new(Counters { end: 3, odd: None }, Scenario::new(3)).expect("a world");
    let watched = watched.observed_by(First).expect("a world");
    let why = refused(&watched, &Question::default());
    assert!(why.contains("the observer first-counts tells the processes apart"), "{why}");
    assert!(why.contains("`Observer::symmetry`"), "{why}");

    let silent = TypedWorld::new(Silent(Counters { end: 3, odd: None }), Scenario::new(3)).expect("a world");
    let why = refused(&silent, &Question::default());
    assert!(why.contains("promises no symmetry") && why.contains("`Promises::symmetry`"), "{why}");

    let (odd, question) =
        (world(Counters { end: 9, odd: Some((Pid::at(1), 5)) }, WorldTime::Untimed).0, question);
    let why = refused(&odd, &question);
    assert!(why.contains("in the state 5 takes timeout Next"), "{why}");
}

/// An observer of the first process alone.
struct First;

impl<P: Protocol> Observer<P> for First {
    type State = bool;

    fn name(&self) -> String {
        "first-counts".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> bool {
        false
    }

    fn see(&self, seen: &mut bool, event: &Observation<'_, P>, _: &mut Deadlines) {
        *seen |= matches!(event, Observation::Fired { by, .. } if *by == Pid::at(0));
    }

    fn judge(&self, _: &bool) -> Judgement {
        Judgement::Open
    }
}

/// The counters without a promise.
#[derive(Clone)]
struct Silent(Counters);

impl Protocol for Silent {
    type State = u16;
    type Msg = Nothing;
    type Timer = Next;
    type Call = Never;
    type Output = Nothing;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> u16 {
        self.0.end
    }

    fn step(&self, _: Pid, _: &mut u16, _: Input<'_, Self>, _: &mut impl Effects<Self>) {}
}

impl Promises for Silent {}

fn timing() -> Timing {
    Timing::per_message(Bound::exactly(1))
}
