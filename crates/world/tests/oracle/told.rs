//! What an oracle may do, state by state, and how a run under it is told.

use crate::waiter::{ACCURACIES, Greeting, STRONG, Waiter, Waiting, oracle, world};
use crate::walk::{class, follow, whole};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use watchkeeper_core::{Event, Pid, ProcSet, Tone, Value};
use watchkeeper_space::{Action, ActionLabels, Id, Narration, Role, Space, successors};
use watchkeeper_world::{Global, OracleAccuracy, SuspicionMemory, TypedWorld, World};

/// Who has crashed, and what is on its way, in a row.
pub fn global(world: &World, row: &[Id]) -> (ProcSet, Vec<(Pid, Pid, Greeting)>) {
    let view = world.view(row);
    let crashed =
        |p: &Pid| view.iter().any(|(name, value)| *name == p.to_string() && *value == Value::str("crashed"));
    let dead = Pid::all(3).filter(crashed).collect();
    let Some((_, Value::Record(lanes))) = view.iter().find(|(name, _)| name == "channels") else {
        panic!("every world has channels")
    };
    let pid = |name: &str| Pid::at(name.trim_start_matches('p').parse().expect("a number"));
    let ends = |(name, _): &(String, Value)| {
        let (from, to) = name.split_once("->").expect("two ends");
        (pid(from), pid(to), Greeting::Hello)
    };
    (dead, lanes.iter().map(ends).collect())
}

/// What of a state the processes of a protocol that only waits can know: who has crashed, where each of the others
/// is, and what is on its way.
type Known = (ProcSet, Vec<Option<(u8, ProcSet)>>, Vec<(Pid, Pid)>);

fn known(world: TypedWorld<Waiter>) -> BTreeSet<Known> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let notes = Arc::clone(&seen);
    let world = world.with_atom("noted", true, move |global: &Global<'_, Waiter>| {
        let at = |p| global.state(p).map(|Waiting { next, missed, .. }| (*next, *missed));
        let processes = global.processes().map(at).collect();
        let flights = global.in_flight().map(|(from, to, _)| (from, to)).collect();
        notes.lock().expect("no writer panics").insert((global.crashed_set(), processes, flights))
    });
    let atom = world.shape().atom("noted").expect("an atom");
    for row in whole(&*world).0 {
        world.atom(atom, &row);
    }
    drop(world);
    Arc::into_inner(seen).expect("nobody else writes").into_inner().expect("no writer panics")
}

/// To a protocol that only waits it does not matter how long suspicions last.
#[test]
fn momentary_suspicions_are_as_good_as_lasting_ones() {
    for accuracy in ACCURACIES.into_iter().chain(STRONG.into_iter().take(2)) {
        let of = |memory| known(world(3, 1, oracle(accuracy, memory)));
        let (lasting, momentary) = (of(SuspicionMemory::Lasting), of(SuspicionMemory::Momentary));
        assert!(momentary.len() > 80, "{} under {accuracy:?}", momentary.len());
        assert_eq!(lasting, momentary, "{accuracy:?}");
        // And without any oracle nobody ever gives anyone up.
        let alone = known(world(3, 1, None));
        assert!(alone.is_subset(&momentary) && alone.len() < momentary.len());
    }
}

/// No step does what the class forbids, and everything else is offered.
#[test]
fn the_class_is_respected() {
    for accuracy in ACCURACIES {
        for memory in [SuspicionMemory::Lasting, SuspicionMemory::Momentary] {
            let world = world(3, 2, oracle(accuracy, memory));
            let rows = whole(&*world).0;
            let mut seen = BTreeSet::new();
            for row in &rows {
                let stance = stance(&world, row);
                for (action, after) in successors(&*world, row) {
                    seen.insert(class(&*world, action).to_string());
                    respects(&world, &stance, row, action, &after);
                }
            }
            let mut expected = vec!["crash", "deliver HELLO", "detect", "settle", "suspect"];
            if memory == SuspicionMemory::Lasting {
                expected.push("trust");
                expected.extend((accuracy == OracleAccuracy::EventuallyWeak).then_some("relent"));
            }
            expected.sort_unstable();
            assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected, "{accuracy:?} {memory:?}");
            assert_eq!(world.initial().len(), if accuracy == OracleAccuracy::Weak { 3 } else { 1 });
            assert!(rows.len() > 100);
        }
    }
}

/// Whether a step is one that the class of the oracle allows.
fn respects(world: &World, stance: &Stance, row: &[Id], action: Action, after: &[Id]) {
    let label = world.action_label(row, action);
    let immune = label.peer == stance.immune;
    let dead = stance.settled && label.peer.is_some_and(|p| stance.crashed.contains(p));
    match class(world, action) {
        "suspect" | "trust" => assert!(!immune && !dead),
        "detect" => assert!(!immune && dead),
        "relent" => assert!(immune && stance.settled),
        "crash" => assert!(label.process != stance.immune),
        "settle" => {
            let later = self::stance(world, after);
            assert!(!stance.settled && later.settled);
            assert!(later.immune.is_none_or(|p| !stance.crashed.contains(p)));
            let oracle = world.scenario().oracle.expect("an oracle");
            assert_eq!(later.immune.is_some(), oracle.accuracy != OracleAccuracy::None);
        }
        other => assert_eq!(other, "deliver HELLO"),
    }
    let told = label.process.filter(|_| label.peer.is_some());
    assert!(told.is_none_or(|p| !stance.crashed.contains(p)), "the dead are told nothing");
    assert_ne!(row, after, "nothing changes in {}", world.label(row, action));
}

struct Stance {
    immune: Option<Pid>,
    settled: bool,
    crashed: ProcSet,
}

/// What the view of a row says of the oracle.
fn stance(world: &World, row: &[Id]) -> Stance {
    let view = world.view(row);
    let value = |name: &str| &view.iter().find(|(other, _)| other == name).expect("a variable").1;
    let immune = Pid::all(3).find(|p| *value("leaves alone") == Value::Str(p.to_string()));
    Stance { immune, settled: *value("settled") == Value::Bool(true), crashed: global(world, row).0 }
}

#[test]
fn a_run_under_an_oracle_is_told() {
    let world = world(3, 1, oracle(OracleAccuracy::EventuallyWeak, SuspicionMemory::Lasting));
    let labels = [
        "p0 suspects p2",
        "p1 crashes",
        "the oracle settles and leaves p2 alone from now on",
        "p2 suspects p1",
        "p0 stops suspecting p2",
    ];
    let trail = follow(&*world, &labels);
    let classes: Vec<&str> = trail.actions.iter().map(|&action| class(&*world, action)).collect();
    assert_eq!(classes, ["suspect", "crash", "settle", "detect", "relent"]);
    let trace = world.replay(&trail).expect("it replays");
    let said = |process: usize, label: &str, tone| {
        vec![Event::Output { process: Pid::at(process), label: label.to_string(), tone }]
    };
    assert_eq!(trace.steps[0].events, said(0, "suspect p2", Tone::Alarm));
    assert_eq!(trace.steps[2].events, [Event::Remark { text: labels[2].to_string() }]);
    assert_eq!(trace.steps[3].events, said(2, "suspect p1", Tone::Alarm));
    assert_eq!(trace.steps[4].events, said(0, "stop suspecting p2", Tone::Relief));
    let last = world.view(trail.rows.last().expect("a row"));
    let value = |name: &str| last.iter().find(|(other, _)| other == name).expect("a variable").1.to_string();
    assert_eq!(
        [value("leaves alone"), value("settled"), value("suspects p2"), value("suspects p0")].join(" "),
        format!("{} true {} {}", Value::str("p2"), Value::set([Value::str("p1")]), Value::set([]))
    );
    let shape = world.shape();
    let role = |name: &str| shape.classes.iter().find(|class| class.name == name).map(|class| class.role);
    assert_eq!(["suspect", "trust"].map(role), [Some(Role::Fault); 2]);
    assert_eq!(["detect", "relent", "settle"].map(role), [Some(Role::Other); 3]);
    let owed: Vec<&str> =
        shape.justice.iter().map(|&id| shape.classes[usize::from(id)].name.as_str()).collect();
    assert_eq!(owed, ["detect", "relent", "settle"]);
    assert_eq!(shape.slots[9..], ["oracle", "suspects p0", "suspects p1", "suspects p2"]);
    for part in
        ["an oracle of class <>S", "the oracle settles at some moment", "a process takes only the messages"]
    {
        assert!(shape.assumptions.iter().any(|one| one.contains(part)), "{:?}", shape.assumptions);
    }
    let settled = shape.atom("settled").expect("an atom");
    assert!(shape.atoms[settled].symmetric);
    let holds: Vec<bool> = trail.rows.iter().map(|row| world.atom(settled, row)).collect();
    assert_eq!(holds, [false, false, false, true, true, true]);
}
