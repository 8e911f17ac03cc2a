//! Where nothing can be left out, the search says why instead of searching on in silence.

use crate::compare::invariant;
use crate::samples::{PingPong, TokenRing};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_explore::{ExploreError, NoCallback, Reduction, Search, Strategy, check, liveness};
use watchkeeper_logic::{Fairness, Formula, Monitor, Question, TemporalProperty};
use watchkeeper_space::{FullyExpanded, Space};
use watchkeeper_world::{ANY_NUMBER, Faults, Network, Scenario, Timing, TypedWorld, WorldTime};

fn reduced() -> Search {
    Search { reduction: Reduction::PartialOrder, ..Search::default() }
}

/// Why there is no reduction.
fn why(space: &impl Space, question: &Question, search: &Search) -> FullyExpanded {
    match check(space, question, search, &NoCallback) {
        Err(ExploreError::FullyExpanded(why)) => why,
        other => panic!("it should be refused: {other:?}"),
    }
}

fn world(scenario: Scenario) -> TypedWorld<TokenRing> {
    TypedWorld::new(TokenRing { n: scenario.n }, scenario).expect("a world")
}

#[test]
fn where_time_passes() {
    let ticks =
        Scenario { time: WorldTime::Ticks(Timing::per_message(Bound::within(1))), ..Scenario::new(2) };
    let dense =
        Scenario { time: WorldTime::Dense(Timing::per_message(Bound::within(1))), ..Scenario::new(2) };
    for scenario in [ticks, dense] {
        assert_eq!(why(&*world(scenario), &Question::no_deadlock(), &reduced()), FullyExpanded::Time);
    }
}

#[test]
fn where_faults_have_no_limit() {
    let crashable = ProcSet::first(2);
    let faults = Faults { crashable, crashes: 1, recoveries: ANY_NUMBER, ..Faults::default() };
    let recovers = world(Scenario { faults, ..Scenario::new(2) });
    assert_eq!(why(&*recovers, &Question::no_deadlock(), &reduced()), FullyExpanded::Recoveries);
    let network = Network { duplications: ANY_NUMBER, ..Network::default() };
    let doubles = world(Scenario { network, ..Scenario::new(2) });
    assert_eq!(why(&*doubles, &Question::no_deadlock(), &reduced()), FullyExpanded::Duplications);
}

#[test]
fn atoms_that_promise_nothing() {
    let plain =
        world(Scenario::new(2)).with_atom("even", true, |global| global.state(Pid::at(0)) != Some(&true));
    let even = invariant(&plain, None, "even");
    assert_eq!(why(&*plain, &even, &reduced()), FullyExpanded::Atom("even".to_string()));
    // That it stays false is no help where it is only asked of some states.
    let lasting = world(Scenario::new(2)).with_lasting_atom("even", true, |_| true);
    let sometimes = invariant(&lasting, Some("crashed(p0)"), "even");
    assert_eq!(why(&*lasting, &sometimes, &reduced()), FullyExpanded::Atom("even".to_string()));
    assert!(check(&*lasting, &invariant(&lasting, None, "even"), &reduced(), &NoCallback).is_ok());
    let message = ExploreError::FullyExpanded(FullyExpanded::Atom("even".to_string())).to_string();
    assert!(
        message.starts_with("partial-order reduction is not possible: the property speaks of even"),
        "{message}"
    );
}

#[test]
fn questions_about_more_than_single_states() {
    let space = TypedWorld::new(PingPong, Scenario::new(2)).expect("a world");
    let monitor =
        Monitor { name: "watch".into(), states: vec!["start".into()], edges: vec![], errors: vec![] };
    let question = Question { monitor: Some(monitor), ..Question::default() };
    assert_eq!(why(&*space, &question, &reduced()), FullyExpanded::Monitor);
    let claim = TemporalProperty::new("up", Formula::atom(0).always());
    let question =
        Question { temporal: vec![claim.clone()], fairness: vec![Fairness::steps()], ..Question::default() };
    assert_eq!(why(&*space, &question, &reduced()), FullyExpanded::Runs);
    let told = liveness(&*space, &[claim], &[Fairness::steps()], &reduced(), &NoCallback);
    assert_eq!(told.map(|_| ()), Err(ExploreError::FullyExpanded(FullyExpanded::Runs)));
    for strategy in [Strategy::Beam { width: 5, max_depth: 9 }, Strategy::Walks { count: 5, max_depth: 9 }] {
        let search = Search { strategy, ..reduced() };
        assert_eq!(why(&*space, &Question::no_deadlock(), &search), FullyExpanded::Strategy);
    }
}
