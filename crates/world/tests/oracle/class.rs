//! Oracles are detectors of the classes that they are called by, and whoever only waits for others on one comes to
//! an end.

use crate::waiter::{ACCURACIES, Waiter, oracle, scenario};
use watchkeeper_core::{Effects, Input, Never, Pid, Promises, Protocol};
use watchkeeper_explore::{NoCallback, Search, liveness};
use watchkeeper_logic::{
    Accuracy as Asked, Completeness, Fairness, Formula, Outcome, Suspicions, TemporalProperty, Verdict,
};
use watchkeeper_space::Space;
use watchkeeper_world::{Global, OracleAccuracy, Scenario, SuspicionMemory, TypedWorld, World};

/// Does nothing at all.
pub struct Idle;

impl Protocol for Idle {
    type State = ();
    type Msg = Never;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) {}

    fn step(&self, _: Pid, (): &mut (), _: Input<'_, Self>, _: &mut impl Effects<Self>) {}
}

impl Promises for Idle {}

fn holds(verdict: &Verdict) -> bool {
    match &verdict.outcome {
        Outcome::Holds(_) => true,
        Outcome::Violated(_) => false,
        Outcome::Unknown(limit) => panic!("{limit:?}"),
    }
}

/// The properties of Chandra and Toueg, asked of the oracles themselves: nothing but what is owed is fair.
#[test]
fn oracles_have_the_properties_of_their_classes() {
    const N: usize = 3;
    for (accuracy, expected) in [
        (OracleAccuracy::Strong { mistakes: 0 }, [true, true, true, true, true]),
        (OracleAccuracy::Strong { mistakes: 1 }, [true, false, true, false, true]),
        (OracleAccuracy::EventuallyStrong, [true, false, true, false, true]),
        (OracleAccuracy::Weak, [true, false, false, true, true]),
        (OracleAccuracy::EventuallyWeak, [true, false, false, false, true]),
        (OracleAccuracy::None, [true, false, false, false, false]),
    ] {
        let mut world = TypedWorld::new(Idle, scenario(N, 2, oracle(accuracy, SuspicionMemory::Lasting)))
            .expect("a world");
        for (q, p) in (0..N * N).map(|pair| (Pid::at(pair / N), Pid::at(pair % N))) {
            world = world.with_atom(format!("suspects({q},{p})"), false, move |global: &Global<'_, Idle>| {
                global.suspects(q).contains(p)
            });
        }
        let atom = |name: String| world.shape().atom(&name).expect("an atom");
        let suspicions = Suspicions::new(
            N,
            |q, p| atom(format!("suspects({},{})", Pid::at(q), Pid::at(p))),
            |p| atom(format!("crashed({})", Pid::at(p))),
        );
        let claims = [
            suspicions.completeness(Completeness::Strong),
            suspicions.accuracy(Asked::Strong),
            suspicions.accuracy(Asked::EventualStrong),
            suspicions.accuracy(Asked::Weak),
            suspicions.accuracy(Asked::EventualWeak),
        ];
        let verdicts = liveness(&*world, &claims, &[], &Search::default(), &NoCallback).expect("verdicts");
        let found: Vec<bool> = verdicts.iter().map(holds).collect();
        assert_eq!(found, expected, "{accuracy:?}");
        assert!(verdicts[0].warnings.is_empty(), "{:?}", verdicts[0].warnings);
    }
}

fn ends(world: &World, fairness: &[Fairness]) -> Vec<bool> {
    let claim = |p: Pid| {
        let atom = |name: &str| Formula::atom(world.shape().atom(&format!("{name}({p})")).expect("an atom"));
        TemporalProperty::new(format!("{p} comes to an end"), atom("crashed").or(atom("done")).eventually())
    };
    let claims: Vec<TemporalProperty> = Pid::all(3).map(claim).collect();
    let verdicts = liveness(world, &claims, fairness, &Search::default(), &NoCallback).expect("verdicts");
    verdicts.iter().map(holds).collect()
}

/// A world whose propositions say who has come to an end.
fn noted(scenario: Scenario) -> TypedWorld<Waiter> {
    let mut world = TypedWorld::new(Waiter { n: 3 }, scenario).expect("a world");
    for p in Pid::all(3) {
        let done = move |global: &Global<'_, Waiter>| global.state(p).is_some_and(|state| state.next == 3);
        world = world.with_atom(format!("done({p})"), false, done);
    }
    world
}

/// Nobody waits for the dead for ever: each suspicion that is owed comes, whoever else is told meanwhile.
#[test]
fn nobody_waits_for_the_dead_for_ever() {
    for accuracy in ACCURACIES {
        for memory in [SuspicionMemory::Lasting, SuspicionMemory::Momentary] {
            let mut all = scenario(3, 2, oracle(accuracy, memory));
            all.faults.crash_loses = true;
            let world = noted(all);
            let messages = Fairness::messages(world.shape()).expect("there are messages");
            assert_eq!(ends(&world, &[messages]), [true; 3], "{accuracy:?} {memory:?}");
            // Suspicions that last can come and go for ever while a message waits; momentary ones lead on.
            assert_eq!(
                ends(&world, &[]),
                [memory == SuspicionMemory::Momentary; 3],
                "{accuracy:?} {memory:?}"
            );
        }
    }
    // Without an oracle they do, unless channels are reliable also for the dead.
    for (crash_loses, end) in [(false, true), (true, false)] {
        let mut alone = scenario(3, 1, None);
        alone.faults.crash_loses = crash_loses;
        let world = noted(alone);
        let messages = Fairness::messages(world.shape()).expect("there are messages");
        assert_eq!(ends(&world, &[messages]), [end; 3]);
    }
}
