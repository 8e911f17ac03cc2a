//! A world in stages refuses what depends on the order between processes, whoever asks, and says why.

use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid, ProcSet};
use watchkeeper_explore::{
    ExploreError, NoCallback, ProgressCallback, Search, SymmetryReduction, check, liveness, liveness_eager,
    liveness_general, naive, naive_liveness,
};
use watchkeeper_logic::{Fairness, Formula, Invariant, Monitor, Outcome, Question, TemporalProperty};
use watchkeeper_protocols::consensus::{Agreement, Consensus, ConsensusCall, Integrity, Strong, Validity};
use watchkeeper_space::{Refusal, Space};
use watchkeeper_world::{
    Capacity, Faults, InStages, Network, Oracle, OracleAccuracy, Scenario, StageRules, SuspicionMemory,
    TypedWorld,
};

/// That p2 decides only after p0 has: a claim about the order between two processes.
struct AfterP0;

impl Observer<Strong> for AfterP0 {
    type State = (bool, bool);

    fn name(&self) -> String {
        "p2 decides only after p0".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> (bool, bool) {
        (false, false)
    }

    fn see(
        &self,
        (first, wrong): &mut (bool, bool),
        observation: &Observation<'_, Strong>,
        _: &mut Deadlines,
    ) {
        if let Observation::Emitted { by, output } = observation
            && <Strong as Consensus>::decides(output).is_some()
        {
            *first |= by.index() == 0;
            *wrong |= by.index() == 2 && !*first;
        }
    }

    fn judge(&self, &(_, wrong): &(bool, bool)) -> Judgement {
        if wrong { Judgement::Violated("p2 decides first".to_string()) } else { Judgement::Open }
    }
}

fn world() -> TypedWorld<Strong> {
    let scenario = Scenario {
        network: Network { capacity: Capacity::Unbounded { cap: 32 }, ..Network::default() },
        faults: Faults { crashable: ProcSet::first(3), crashes: 2, ..Faults::default() },
        oracle: Some(Oracle { accuracy: OracleAccuracy::Weak, memory: SuspicionMemory::Momentary }),
        ..Scenario::new(3)
    };
    let calls = Pid::all(3).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 1)).collect();
    let world = TypedWorld::new(Strong::new(3).expect("a protocol"), scenario);
    world.and_then(|world| world.with_calls(calls)).expect("a world")
}

fn staged(world: TypedWorld<Strong>) -> InStages {
    InStages::new(world, StageRules::of()).expect("a world in stages")
}

fn invariant(space: &impl Space, name: &str) -> Question {
    let then = space.shape().atom(name).expect("an atom of this name");
    Question {
        invariants: vec![Invariant { name: name.to_string(), when: None, then }],
        ..Question::default()
    }
}

/// How every engine that answers such questions refuses this one.
fn refused(space: &impl Space, question: &Question) -> Vec<String> {
    let search = Search::default();
    let mut answers = vec![
        check(space, question, &search, &NoCallback).map(|_| ()),
        naive(space, question, &search, &NoCallback).map(|_| ()),
    ];
    if !question.temporal.is_empty() {
        let Question { temporal, fairness, .. } = question;
        answers.extend([
            liveness(space, temporal, fairness, &search, &NoCallback).map(|_| ()),
            liveness_general(space, temporal, fairness, &search, &NoCallback).map(|_| ()),
            liveness_eager(space, temporal, fairness, &search, &NoCallback).map(|_| ()),
            naive_liveness(space, &temporal[0].formula, fairness).map(|_| ()),
        ]);
    }
    let why = |answer: Result<(), ExploreError>| answer.expect_err("no verdict").to_string();
    answers.into_iter().map(why).collect()
}

#[test]
fn the_order_between_two_processes_is_not_asked_in_stages() {
    let observed = || world().observed_by(AfterP0).expect("an observer");
    let name = Observer::name(&AfterP0);
    let whole = check(&*observed(), &invariant(&*observed(), &name), &Search::default(), &NoCallback);
    assert!(matches!(whole.expect("a verdict").outcome, Outcome::Violated(_)), "the world violates it");
    let space = staged(observed());
    for why in refused(&space, &invariant(&space, &name)) {
        assert!(why.contains("p2 decides only after p0") && why.contains("all interleavings"), "{why}");
    }
}

#[test]
fn nor_are_deadlocks_states_monitors_and_other_claims() {
    let space = staged(world().with_outcome("decided(p0)", Pid::at(0), |_| false));
    let (crashed, decided) = (space.shape().atom("crashed(p0)"), space.shape().atom("decided(p0)"));
    let (crashed, decided) = (crashed.expect("an atom"), decided.expect("an atom"));
    let claim = |formula: Formula, fairness: Vec<Fairness>| Question {
        temporal: vec![TemporalProperty::new("the claim", formula)],
        fairness,
        ..Question::default()
    };
    let steps = || vec![Fairness::steps()];
    let later = Formula::atom(crashed).eventually();
    let questions = [
        Question::no_deadlock(),
        invariant(&space, "crashed(p0)"),
        Question { monitor: Some(Monitor::oscillation(crashed, decided, 1)), ..Question::default() },
        claim(Formula::atom(crashed).implies(Formula::atom(decided).eventually()).always(), steps()),
        claim(Formula::atom(decided).not().eventually(), steps()),
        claim(later.clone(), Vec::new()),
        claim(later.clone(), vec![Fairness::processes()]),
    ];
    for question in questions {
        refused(&space, &question);
    }
    let asked = claim(later, steps()).query();
    assert_eq!(space.admits(&asked), Ok(()), "that an outcome becomes true is what stages are for");
}

#[test]
fn the_requirements_of_consensus_are_asked_in_stages_and_answered_as_in_all_interleavings() {
    fn answers(name: &str, observed: impl Fn() -> TypedWorld<Strong>, watch: &impl ProgressCallback) {
        let space = staged(observed());
        let question = invariant(&space, name);
        let short = check(&space, &question, &Search::default(), watch).expect("a verdict");
        let whole = check(&*observed(), &question, &Search::default(), watch).expect("a verdict");
        assert_eq!((short.word(), whole.word()), ("holds", "holds"), "{name}");
        assert!(short.stats.distinct_states < whole.stats.distinct_states, "{name}");
    }
    answers("agreement", || world().observed_by(Agreement).expect("an observer"), &NoCallback);
    answers("integrity", || world().observed_by(Integrity).expect("an observer"), &NoCallback);
    answers("validity", || world().observed_by(Validity).expect("an observer"), &NoCallback);
}

#[test]
fn a_reduction_of_a_reduction_is_refused() {
    let space = staged(world().observed_by(Agreement).expect("an observer"));
    let question = invariant(&space, "agreement");
    let search = Search { symmetry: SymmetryReduction::On, ..Search::default() };
    assert!(check(&space, &question, &search, &NoCallback).is_err());
    let asked = watchkeeper_space::SpaceQuery { partial_order: true, ..question.query() };
    assert!(matches!(space.admits(&asked), Err(Refusal::SomeRuns { .. })));
}
