//! Oracles that leave everyone alone who has not crashed: counted by hand, step by step, and as those who wait on them
//! find them.

use crate::class::Idle;
use crate::waiter::{STRONG, Waiter, oracle, scenario, world};
use crate::walk::{class, counted, follow, whole};
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Pid, ProcSet, Value};
use watchkeeper_explore::{NoCallback, Search, liveness};
use watchkeeper_logic::{Formula, Outcome, TemporalProperty};
use watchkeeper_space::{Action, ActionLabels, Id, Narration, Role, Space, successors};
use watchkeeper_world::{Global, OracleAccuracy, SuspicionMemory, TypedWorld, World};

fn idle(n: usize, crashes: u32, accuracy: OracleAccuracy) -> TypedWorld<Idle> {
    TypedWorld::new(Idle, scenario(n, crashes, oracle(accuracy, SuspicionMemory::Lasting))).expect("a world")
}

fn figures(n: usize, crashes: u32, accuracy: OracleAccuracy) -> (usize, BTreeMap<String, usize>) {
    counted(&*idle(n, crashes, accuracy))
}

fn steps(list: &[(&str, usize)]) -> BTreeMap<String, usize> {
    list.iter().map(|&(class, count)| (class.to_string(), count)).collect()
}

/// With c of n down, each of the others suspects any part of those c: 2^(c (n - c)) states for each choice of them.
#[test]
fn whoever_is_perfect_only_detects() {
    let none = OracleAccuracy::Strong { mistakes: 0 };
    for (n, crashes, states) in [(2, 1, 1 + 2 * 2), (3, 1, 1 + 3 * 4), (3, 2, 1 + 3 * 4 + 3 * 4)] {
        assert_eq!(figures(n, crashes, none).0, states, "{crashes} of {n}");
    }
    assert_eq!(figures(4, 3, none).0, 1 + 4 * 8 + 6 * 16 + 4 * 8);
    assert_eq!(figures(2, 1, none).1, steps(&[("crash", 2), ("detect", 2)]));
    assert_eq!(figures(3, 0, none), (1, BTreeMap::new()));
}

/// Of two that do not crash, a and b may be suspected. One mistake: none yet; one made, of a, of b or over. Two: none
/// yet; one, as before; and then any of four sets. Each made in every state that has one left, for everyone not
/// suspected; each ends by itself.
#[test]
fn mistakes_are_counted_and_end() {
    let of = |mistakes, crashes| figures(2, crashes, OracleAccuracy::Strong { mistakes });
    assert_eq!(of(1, 0), (1 + 3, steps(&[("suspect", 2), ("relent", 2)])));
    assert_eq!(of(2, 0), (1 + 3 + 4, steps(&[("suspect", 2 + (2 + 1 + 1)), ("relent", 2 + (1 + 1 + 2))])));
    // Whoever is left of the two suspects the other or does not yet, with the mistake made or not.
    let expected = [("crash", 4 * 2), ("detect", 2 * 2), ("relent", 2), ("suspect", 2)];
    assert_eq!(of(1, 1), (4 + 2 * (2 * 2), steps(&expected)));
}

/// Of two, all of this before it settles and after: any of four sets while both are up, any of two once one is down.
#[test]
fn whoever_is_perfect_in_the_end_settles() {
    let of = |crashes| figures(2, crashes, OracleAccuracy::EventuallyStrong);
    let expected = [("suspect", 4), ("trust", 4), ("settle", 4), ("relent", 4)];
    assert_eq!(of(0), (2 * 4, steps(&expected)));
    let expected = [
        ("crash", 2 * 4 * 2),
        ("suspect", 4 + 2),
        ("trust", 4 + 2),
        ("settle", 4 + 2 * 2),
        ("detect", 2),
        ("relent", 4),
    ];
    assert_eq!(of(1), (2 * (4 + 2 * 2), steps(&expected)));
}

/// Of a row: who has crashed, who suspects whom, the mistakes, and whether the oracle has settled.
struct Stance {
    crashed: ProcSet,
    suspects: Vec<Value>,
    mistakes: i64,
    settled: bool,
}

impl Stance {
    fn of(world: &World, row: &[Id]) -> Stance {
        let view = world.view(row);
        let value = |name: &str| view.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        assert_eq!(value("leaves alone"), None, "nobody in particular");
        let mistakes = match value("mistakes") {
            Some(Value::Int(count)) => count,
            None => 0,
            other => panic!("{other:?}"),
        };
        let set = |p: Pid| value(&format!("suspects {p}")).unwrap_or(Value::set([]));
        Stance {
            crashed: crate::told::global(world, row).0,
            suspects: Pid::all(3).map(set).collect(),
            mistakes,
            settled: value("settled") == Some(Value::Bool(true)),
        }
    }
}

/// No step does what the class forbids, and every class of steps that it has is taken.
#[test]
fn the_class_is_respected() {
    for accuracy in STRONG {
        let counts = matches!(accuracy, OracleAccuracy::Strong { mistakes: 1.. });
        let late = accuracy == OracleAccuracy::EventuallyStrong;
        let memories = [SuspicionMemory::Lasting, SuspicionMemory::Momentary];
        for memory in memories.into_iter().filter(|&memory| !counts || memory == SuspicionMemory::Lasting) {
            let world = world(3, 2, oracle(accuracy, memory));
            let mut seen = BTreeSet::new();
            let rows = whole(&*world).0;
            for row in &rows {
                let stance = Stance::of(&world, row);
                for (action, after) in successors(&*world, row) {
                    seen.insert(class(&*world, action).to_string());
                    respects(&world, &stance, row, action, &after);
                }
            }
            let lasting = memory == SuspicionMemory::Lasting;
            let mut expected = vec!["crash", "deliver HELLO", "detect"];
            expected.extend((late || counts).then_some("suspect"));
            expected.extend(late.then_some("settle"));
            expected.extend((late && lasting).then_some("trust"));
            expected.extend(((late || counts) && lasting).then_some("relent"));
            expected.sort_unstable();
            assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected, "{accuracy:?} {memory:?}");
            let declared = |class: &watchkeeper_space::ActionClass| expected.contains(&class.name.as_str());
            assert!(world.shape().classes.iter().all(declared), "{:?}", world.shape().classes);
            assert_eq!(world.initial().len(), 1);
        }
    }
}

fn respects(world: &World, stance: &Stance, row: &[Id], action: Action, after: &[Id]) {
    let doing = world.action_label(row, action);
    let later = Stance::of(world, after);
    let dead = doing.peer.is_some_and(|p| stance.crashed.contains(p));
    let OracleAccuracy::Strong { mistakes: granted } = world.scenario().oracle.expect("an oracle").accuracy
    else {
        return respects_in_the_end(class(world, action), stance, &later, dead);
    };
    let made = later.mistakes - stance.mistakes;
    assert!(stance.settled && later.settled && later.mistakes <= i64::from(granted));
    match class(world, action) {
        "suspect" => assert!(!dead && made == 1),
        "detect" => assert!(dead && made == 0),
        "relent" => assert!(!dead && made == 0),
        "crash" | "deliver HELLO" => assert_eq!(made, 0),
        other => panic!("{other}"),
    }
    let told = doing.process.filter(|_| doing.peer.is_some());
    assert!(told.is_none_or(|p| !stance.crashed.contains(p)), "the dead are told nothing");
    assert_ne!(row, after, "nothing changes in {}", world.label(row, action));
}

fn respects_in_the_end(class: &str, stance: &Stance, later: &Stance, dead: bool) {
    match class {
        "suspect" | "trust" => assert!(!stance.settled),
        "detect" => assert!(stance.settled && dead),
        "relent" => assert!(stance.settled && !dead),
        "settle" => assert!(!stance.settled && later.settled && stance.suspects == later.suspects),
        other => assert!(["crash", "deliver HELLO"].contains(&other), "{other}"),
    }
}

/// A mistake ends, a crash is detected, and a mistake about someone who then crashes was none in the end.
#[test]
fn a_run_with_mistakes_is_told() {
    let world = world(3, 1, oracle(OracleAccuracy::Strong { mistakes: 2 }, SuspicionMemory::Lasting));
    let labels =
        ["p0 suspects p2", "p0 stops suspecting p2", "p0 suspects p1", "p1 crashes", "p2 suspects p1"];
    let trail = follow(&*world, &labels);
    let classes: Vec<&str> = trail.actions.iter().map(|&action| class(&*world, action)).collect();
    assert_eq!(classes, ["suspect", "relent", "suspect", "crash", "detect"]);
    let trace = world.replay(&trail).expect("it replays");
    let value = |row: usize, name: &str| {
        let after = &trace.steps[row].after;
        after.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    let mistakes: Vec<_> = (0..labels.len()).map(|row| value(row, "mistakes")).collect();
    assert_eq!(mistakes, [1, 1, 2, 2, 2].map(|count| Some(Value::Int(count))));
    for name in ["suspects p0", "suspects p2"] {
        assert_eq!(value(4, name), Some(Value::set([Value::str("p1")])));
    }
    // Both mistakes are made, and the dead stay suspected: all that is left is what is on its way.
    let left = successors(&*world, trail.rows.last().expect("a row"));
    assert!(left.iter().all(|(action, _)| class(&*world, *action) == "deliver HELLO"), "{}", left.len());
    let shape = world.shape();
    let role = |name: &str| shape.classes.iter().find(|class| class.name == name).map(|class| class.role);
    assert_eq!(["suspect", "trust", "settle"].map(role), [Some(Role::Fault), None, None]);
    let owed: Vec<&str> =
        shape.justice.iter().map(|&id| shape.classes[usize::from(id)].name.as_str()).collect();
    assert_eq!(owed, ["detect", "relent"]);
    assert_eq!(shape.slots[9..], ["oracle", "mistakes", "suspects p0", "suspects p1", "suspects p2"]);
    let settled = shape.atom("settled").expect("an atom");
    assert!(trail.rows.iter().all(|row| world.atom(settled, row)));
}

#[test]
fn a_verdict_says_which_oracle_it_rests_on() {
    for (accuracy, part) in STRONG.into_iter().zip([
        "the oracle makes no mistakes",
        "from the moment on at which it settles it suspects nobody anew",
        "at most once in a run",
        "at most 2 times in a run",
    ]) {
        let world = world(3, 1, oracle(accuracy, SuspicionMemory::Lasting));
        let sentences = &world.shape().assumptions;
        assert!(sentences.iter().any(|one| one.contains(part)), "{accuracy:?}: {sentences:?}");
    }
}

/// Whoever waits on a perfect oracle gives up nobody alive, but for as many as it is granted mistakes.
#[test]
fn nobody_alive_is_given_up_but_by_mistake() {
    for mistakes in 0..3 {
        let accuracy = OracleAccuracy::Strong { mistakes };
        let mut world = world(3, 1, oracle(accuracy, SuspicionMemory::Lasting));
        for most in 0..4 {
            let holds = move |global: &Global<'_, Waiter>| {
                let alive = |p: Pid| !global.crashed(p);
                let missed = |p: Pid| global.state(p).map_or(ProcSet::EMPTY, |state| state.missed);
                let wrongly = global.processes().map(|p| missed(p).iter().filter(|&q| alive(q)).count());
                wrongly.sum::<usize>() <= most
            };
            world = world.with_atom(format!("at most {most}"), true, holds);
        }
        let rows = whole(&*world).0;
        let found: Vec<bool> = (0..4)
            .map(|most| {
                let atom = world.shape().atom(&format!("at most {most}")).expect("an atom");
                rows.iter().all(|row| world.atom(atom, row))
            })
            .collect();
        let expected: Vec<bool> = (0..4).map(|most| most >= mistakes).collect();
        assert_eq!(found, expected, "{mistakes} mistakes");
    }
}

/// Everyone who waits comes to an end: whoever has crashed is detected, and the others are heard.
#[test]
fn nobody_waits_for_ever() {
    for accuracy in STRONG {
        let mut all = scenario(3, 2, oracle(accuracy, SuspicionMemory::Lasting));
        all.faults.crash_loses = true;
        let mut world = TypedWorld::new(Waiter { n: 3 }, all).expect("a world");
        for p in Pid::all(3) {
            let done =
                move |global: &Global<'_, Waiter>| global.state(p).is_some_and(|state| state.next == 3);
            world = world.with_atom(format!("done({p})"), false, done);
        }
        let ends = |p: Pid| {
            let atom =
                |name: &str| Formula::atom(world.shape().atom(&format!("{name}({p})")).expect("an atom"));
            TemporalProperty::new(
                format!("{p} comes to an end"),
                atom("crashed").or(atom("done")).eventually(),
            )
        };
        let claims: Vec<TemporalProperty> = Pid::all(3).map(ends).collect();
        // Once the oracle has settled nothing comes and goes for ever, so no fairness need be asked for.
        for verdict in liveness(&*world, &claims, &[], &Search::default(), &NoCallback).expect("verdicts") {
            assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{accuracy:?}: {:?}", verdict.outcome);
        }
    }
}
