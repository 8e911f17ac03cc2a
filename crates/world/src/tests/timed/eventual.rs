//! Bounds that hold only eventually: worlds counted by hand, and worlds made at random held against worlds whose
//! bounds hold always, against the interpreter, and against themselves under other names.

use super::draw::Draw;
use super::reach::exact;
use super::script::{Do, Hand, Letter, On, Script, between, diaries, scenario, written};
use crate::interpreter::Interpreter;
use crate::local::LocalState;
use crate::remaining::Remaining;
use crate::snapshot::Snapshot;
use crate::tests::differential::thinkable;
use crate::tests::random::{Dice, Random, bound};
use crate::tests::walk::{Collect, count};
use crate::{
    ANY_NUMBER, BeforeStable, Delay, Synchrony, Timing, TypedWorld, World, WorldError, WorldTime,
    transition::Transition,
};
use std::collections::{BTreeSet, HashSet};
use watchkeeper_automaton::MsgId;
use watchkeeper_core::{Bound, Event, Symmetry, Value};
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Narration, Role, Space, StatePath, Symmetries};

/// The same timing, which holds only eventually.
fn late(timing: Timing, delay: Bound, losses: bool) -> Timing {
    Timing { synchrony: Synchrony::Eventual(BeforeStable { delay, losses }), ..timing }
}

/// p1 sends one message when it starts.
fn letter() -> Script {
    Script(vec![(1, On::Start, vec![Do::Send(0, Letter::X)])])
}

fn ticks(script: &Script, timing: Timing) -> TypedWorld<Script> {
    super::script::world(script, "drop:1", WorldTime::Ticks(timing))
}

/// Before: on its way, for as long as it likes, or there. After: on its way with one tick left, with none, or there.
#[test]
fn one_message_and_one_moment() {
    let timing = Timing::per_message(Bound::exactly(1));
    let found = count(&ticks(&letter(), late(timing, Bound::at_least(0), false)));
    assert_eq!((found.states, found.transitions), (2 + 3, 3 + 3));
    assert_eq!((found.classes["stabilise"], found.classes["tick"], found.classes["deliver X"]), (2, 1, 3));
    assert!(!found.classes.contains_key("lose"));
    // The same, and lost, before and after.
    let found = count(&ticks(&letter(), late(timing, Bound::at_least(0), true)));
    assert_eq!((found.states, found.transitions), (5 + 2, 6 + 2));
    assert_eq!((found.classes["lose"], found.deadlocks), (1, 2));
    // 2 to 3 left, 1 to 2, 0 to 1, 0, there; then exactly 1 left, 0 to 1, 0, there.
    let found = count(&ticks(&letter(), late(timing, between(2, 3), false)));
    assert_eq!((found.states, found.classes["tick"], found.classes["stabilise"]), (5 + 4, 3 + 2, 5));
}

/// A message that is lost before the moment leaves the budget for after it untouched.
#[test]
fn losses_before_are_not_counted() {
    let timing = late(Timing::per_message(Bound::exactly(1)), Bound::at_least(0), true);
    let ping = Script(vec![
        (1, On::Start, vec![Do::Send(0, Letter::X), Do::Arm(Hand::A, Bound::exactly(1))]),
        (1, On::Fire(Hand::A), vec![Do::Send(0, Letter::Y)]),
    ]);
    let mut scenario = scenario("drop:1", WorldTime::Ticks(timing));
    scenario.network.losses = 1;
    let world = TypedWorld::new(ping, scenario).expect("a world");
    let rows = exact(&world, 1000).expect("a small world").rows;
    let lost = |row: &Vec<Id>| world.snapshot(row).expect("a row").losses;
    let stable = world.shape().atom("stable").expect("the network stabilises");
    assert!(rows.iter().all(|row| world.atom(stable, row) || lost(row) == 0));
    // Everything sent is gone, and only one of the two counted: the other was lost before.
    let silent = |row: &&Vec<Id>| {
        diaries(&world, row) == "|A"
            && world.snapshot(row).is_some_and(|state| state.channels.iter().all(Vec::is_empty))
    };
    let counted: BTreeSet<u32> = rows.iter().filter(silent).map(lost).collect();
    assert_eq!(counted, BTreeSet::from([0, 1]));
}

/// The timer is armed for 2. A message of at most 1 is there before that, unless the bound holds only later.
#[test]
fn a_timeout_is_too_short_only_before() {
    let race = Script(vec![
        (0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(2))]),
        (1, On::Start, vec![Do::Send(0, Letter::X)]),
    ]);
    let timing = Timing::per_message(Bound::within(1));
    assert!(!written(&ticks(&race, timing)).contains("Ax|"));
    let world = ticks(&race, late(timing, Bound::at_least(0), false));
    assert!(written(&world).contains("Ax|"));
    // What is asked first, and in time, is answered in time.
    let start = world.initial().remove(0);
    let (_, stable) = step(&world, &start, "stabilise");
    assert!(!reached(&world, vec![stable]).iter().any(|row| diaries(&world, row) == "Ax|"));
}

#[test]
fn it_is_told_in_views_labels_and_assumptions() {
    let timing = late(Timing::per_message(Bound::within(2)), Bound::at_least(0), true);
    let world = ticks(&letter(), timing);
    let shape = world.shape();
    let class = shape.classes.iter().position(|class| class.name == "stabilise").expect("a class");
    assert_eq!((shape.classes[class].role, shape.justice.as_slice()), (Role::Other, &[class as u8][..]));
    assert!(shape.progress()[class] && shape.atoms[shape.atom("stable").expect("an atom")].symmetric);
    for part in ["what is sent until then: a message takes [0, inf)", "a message takes [0, 2]", "any number"]
    {
        assert!(shape.assumptions.iter().any(|sentence| sentence.contains(part)), "{:?}", shape.assumptions);
    }
    let start = world.initial().remove(0);
    let (action, after) = step(&world, &start, "stabilise");
    assert_eq!(world.label(&start, action), "the network stabilises");
    let variable = |row: &[Id]| world.view(row).into_iter().find(|(name, _)| name == "stable");
    assert_eq!(variable(&start), Some(("stable".to_string(), Value::Bool(false))));
    assert_eq!(variable(&after), Some(("stable".to_string(), Value::Bool(true))));
    let trace =
        world.replay(&StatePath { rows: vec![start, after.clone()], actions: vec![action] }).expect("a run");
    assert_eq!(trace.steps[0].events, [Event::Remark { text: "the network stabilises".to_string() }]);
    assert!(world.label(&after, action).starts_with("impossible"));
    let always = ticks(&letter(), Timing::per_message(Bound::within(2)));
    assert_eq!((always.shape().atom("stable"), always.shape().justice.len()), (None, 0));
    assert!(!always.shape().slots.iter().any(|slot| slot == "stable"));
}

#[test]
fn it_is_for_ticks_and_single_messages() {
    let refused =
        |time| TypedWorld::new(letter(), scenario("drop:1", time)).expect_err("this makes no sense");
    let timing = late(Timing::per_message(Bound::within(2)), Bound::at_least(0), false);
    assert_eq!(refused(WorldTime::Dense(timing)), WorldError::EventualDense);
    let trip = late(Timing::round_trip(2), Bound::at_least(0), false);
    assert_eq!(refused(WorldTime::Ticks(trip)), WorldError::EventualRoundTrip);
    let long = late(timing, Bound::at_least(crate::MAX_DURATION + 1), false);
    assert!(matches!(refused(WorldTime::Ticks(long)), WorldError::Duration { .. }));
    for error in [WorldError::EventualDense, WorldError::EventualRoundTrip] {
        assert!(error.to_string().contains("bounds that hold from the start"), "{error}");
    }
}

/// The step of a class that leaves a row.
fn step(world: &World, row: &[Id], class: &str) -> (watchkeeper_space::Action, Vec<Id>) {
    let is =
        |action: watchkeeper_space::Action| world.shape().classes[usize::from(action.class())].name == class;
    Collect::of(world, row).steps.into_iter().find(|(action, _)| is(*action)).expect("a step of this class")
}

/// Everything that can be reached from some rows.
fn reached(world: &World, mut rows: Vec<Vec<Id>>) -> Vec<Vec<Id>> {
    let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
    let mut at = 0;
    while at < rows.len() {
        for (_, next) in Collect::of(world, &rows[at].clone()).steps {
            if known.insert(next.clone()) {
                rows.push(next);
            }
        }
        at += 1;
    }
    rows
}

/// A draw with bounds on single messages that hold only eventually, and what they are before.
fn drawn(seed: u64, symmetry: Symmetry) -> (Draw, BeforeStable) {
    let mut draw = Draw::new(seed, symmetry);
    let mut dice = Dice::new(seed ^ 0x1a7e);
    if matches!(draw.timing.delay, Delay::RoundTrip(_)) {
        draw.timing = Timing::per_message(bound(&mut dice, 1));
    }
    if dice.roll(3) == 0 {
        draw = draw.deliveries_first();
    }
    draw.timing.speed = 1 + dice.roll(2) as u32;
    let delay = if dice.roll(2) == 0 { Bound::at_least(0) } else { bound(&mut dice, 1) };
    let before = BeforeStable { delay, losses: dice.roll(3) == 0 };
    (draw, before)
}

/// A world in ticks that does not end before it begins.
fn with(draw: &Draw, synchrony: Synchrony) -> Option<TypedWorld<Random>> {
    let world = draw.world(WorldTime::Ticks(Timing { synchrony, ..draw.timing }))?;
    world.initial().iter().all(|row| world.overflow(row).is_none()).then_some(world)
}

const MOST: usize = 4000;

type States = HashSet<Snapshot>;

/// A state whose values are told by their bytes, since each world numbers them for itself: the processes, the channels,
/// and the rest.
type Told = (Vec<Vec<u8>>, Vec<Vec<(Vec<u8>, Remaining)>>, String);

/// The states of rows, as those of a world whose bounds hold always.
fn states(world: &World, rows: &[Vec<Id>]) -> HashSet<Told> {
    let automaton = &*world.automaton;
    let told = |row: &Vec<Id>| {
        let mut state = Snapshot { stable: true, ..world.snapshot(row).expect("a row") };
        let process = |local: LocalState| {
            let mut bytes = Vec::new();
            local.pack(automaton, &mut bytes);
            bytes
        };
        let message = |(msg, due): (MsgId, Remaining)| (automaton.messages().packed(msg.0).to_vec(), due);
        let processes = std::mem::take(&mut state.processes).into_iter().map(process).collect();
        let channels = std::mem::take(&mut state.channels).into_iter();
        let channels = channels.map(|channel| channel.into_iter().map(message).collect()).collect();
        (processes, channels, format!("{state:?}"))
    };
    rows.iter().map(told).collect()
}

/// Before the moment a world is one with the bounds and losses of before; once it has come at the start, it is one
/// whose bounds always held, if those of before were no tighter.
#[test]
fn before_and_after_are_worlds_of_their_own() {
    let (mut compared, mut started) = (0, 0);
    for seed in 0..250 {
        let (draw, before) = drawn(seed, Symmetry::None);
        let Some(world) = with(&draw, Synchrony::Eventual(before)) else { continue };
        let Some(all) = exact(&world, MOST) else { continue };
        let mut bad = draw.clone();
        bad.timing.delay = Delay::PerMessage(before.delay);
        if before.losses {
            bad.network.losses = ANY_NUMBER;
        }
        let bad = with(&bad, Synchrony::Always).expect("a world");
        let bad_rows = exact(&bad, MOST).expect("no more than with the moment").rows;
        let early: Vec<Vec<Id>> = all.rows.iter().filter(|row| !world.is_stable(row)).cloned().collect();
        assert_eq!(states(&world, &early), states(&bad, &bad_rows), "seed {seed}: {draw:?} {before:?}");
        compared += 1;
        let Delay::PerMessage(delay) = draw.timing.delay else { panic!("single messages") };
        let end = |bound: Bound| bound.hi().unwrap_or(u32::MAX);
        if before.delay.lo() >= delay.lo() && end(before.delay) >= end(delay) {
            let starts: Vec<Vec<Id>> =
                world.initial().iter().map(|row| step(&world, row, "stabilise").1).collect();
            let good = with(&draw, Synchrony::Always).expect("a world");
            let good_rows = exact(&good, MOST).expect("no more than with the moment").rows;
            assert_eq!(states(&world, &reached(&world, starts)), states(&good, &good_rows), "seed {seed}");
            started += 1;
        }
    }
    assert!(compared > 100 && started > 40, "{compared} compared, {started} from the start");
}

/// Where the bounds of before are those of after and nothing is lost, the moment makes no difference.
#[test]
fn bounds_that_never_change_give_the_verdicts_of_always() {
    let (mut compared, mut deadlocks) = (0, 0);
    for seed in 0..200 {
        let (draw, _) = drawn(seed, Symmetry::None);
        let Delay::PerMessage(delay) = draw.timing.delay else { panic!("single messages") };
        let same = Synchrony::Eventual(BeforeStable { delay, losses: false });
        let (Some(always), Some(late)) = (with(&draw, Synchrony::Always), with(&draw, same)) else {
            continue;
        };
        let (Some(one), Some(other)) = (exact(&always, MOST / 2), exact(&late, MOST)) else { continue };
        assert_eq!(one.states, other.states, "seed {seed}: {draw:?}");
        assert_eq!(one.locked, other.locked, "seed {seed}: {draw:?}");
        let stable = other.rows.iter().filter(|row| late.is_stable(row)).cloned().collect::<Vec<_>>();
        assert_eq!(states(&late, &stable), states(&always, &one.rows), "seed {seed}: {draw:?}");
        let verdict = |world| {
            check(world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict")
        };
        let (one, other) = (verdict(&*always), verdict(&*late));
        assert_eq!(one.word(), other.word(), "seed {seed}");
        if let (Some(short), Some(long)) = (one.trace(), other.trace()) {
            // One step more, since before the moment something can always happen.
            assert_eq!(short.steps.len() + 1, long.steps.len(), "seed {seed}");
            deadlocks += 1;
        }
        compared += 1;
    }
    assert!(compared > 120 && deadlocks > 30, "{compared} compared, {deadlocks} deadlocks");
}

/// Of every state the search finds the successors that the interpreter finds by trying everything.
#[test]
fn the_search_and_the_interpreter_agree() {
    let (mut compared, mut stabilised) = (0, 0);
    for seed in 0..60 {
        let (draw, before) = drawn(seed + 5000, Symmetry::None);
        let Some(world) = with(&draw, Synchrony::Eventual(before)) else { continue };
        let interpreter = Interpreter::new(&world);
        let starts = interpreter.starts().expect("the world starts");
        let starts: States = starts.iter().map(|(config, _)| interpreter.settled(config)).collect();
        let told = |rows: &[Vec<Id>]| -> States {
            rows.iter().map(|row| world.snapshot(row).expect("a row")).collect()
        };
        assert_eq!(starts, told(&world.initial()), "seed {seed}");
        let mut rows = first(&world, 60);
        rows.truncate(60);
        for row in rows {
            let state = world.snapshot(&row).expect("a row");
            let mut transitions = thinkable(&world, &state);
            transitions.push(vec![Transition::Tick]);
            transitions.push(vec![Transition::Stabilise]);
            let mut tried = States::default();
            for choices in transitions {
                for transition in choices {
                    let mut config = interpreter.unsettled(&state);
                    match interpreter.apply(&mut config, transition) {
                        Err(why) if why.contains("has no choice") => break,
                        Err(_) => continue,
                        Ok(_) => stabilised += usize::from(transition == Transition::Stabilise),
                    };
                    // A tick that changes nothing is not offered.
                    let after = interpreter.settled(&config);
                    if transition != Transition::Tick || after != state {
                        tried.insert(after);
                    }
                }
            }
            let next: Vec<Vec<Id>> =
                Collect::of(&world, &row).steps.into_iter().map(|(_, row)| row).collect();
            assert_eq!(tried, told(&next), "seed {seed}: {state:?}");
            compared += 1;
        }
    }
    assert!(compared > 1500 && stabilised > 500, "{compared} compared, {stabilised} stabilised");
}

/// The first rows of a world.
fn first(world: &World, most: usize) -> Vec<Vec<Id>> {
    let mut rows = world.initial();
    let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
    let mut at = 0;
    while at < rows.len() && rows.len() < most {
        for (_, row) in Collect::of(world, &rows[at].clone()).steps {
            if known.insert(row.clone()) {
                rows.push(row);
            }
        }
        at += 1;
    }
    rows
}

#[test]
fn random_walks_replay() {
    let mut stabilised = 0;
    for seed in 0..120 {
        let (draw, before) = drawn(seed + 900, Symmetry::None);
        let Some(world) = with(&draw, Synchrony::Eventual(before)) else { continue };
        let mut dice = Dice::new(seed);
        let starts = world.initial();
        let start = starts[dice.roll(starts.len() as u64) as usize].clone();
        let mut trail = StatePath { rows: vec![start], actions: Vec::new() };
        for _ in 0..50 {
            let row = trail.rows.last().expect("there is a start").clone();
            let mut next = Collect::of(&world, &row).steps;
            if next.is_empty() {
                break;
            }
            let (action, after) = next.swap_remove(dice.roll(next.len() as u64) as usize);
            assert!(!world.label(&row, action).starts_with("impossible"), "seed {seed}");
            stabilised += usize::from(world.is_stable(&after) && !world.is_stable(&row));
            trail.rows.push(after);
            trail.actions.push(action);
        }
        let trace = world.replay(&trail).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
            assert_eq!(step.after, world.view(row), "seed {seed}");
        }
    }
    assert!(stabilised > 60, "{stabilised} stabilised");
}

/// The smallest bytes of all renamings.
fn orbit(world: &World, row: &[Id]) -> Vec<u8> {
    let mut out = Vec::new();
    let all = (0..world.symmetries()).map(|symmetry| {
        world.renamed(symmetry, row, &mut out);
        crate::tests::walk::bytes(world, &out)
    });
    all.min().expect("the identity is there")
}

/// A search up to renaming keeps one state of each orbit, and gives the same verdict.
#[test]
fn renaming_reduces_and_misses_nothing() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..200 {
        let symmetry = [Symmetry::Full, Symmetry::Rotations][seed as usize % 2];
        let (draw, before) = drawn(seed, symmetry);
        let Some(world) = with(&draw, Synchrony::Eventual(before)) else { continue };
        if world.symmetries() == 1 {
            continue;
        }
        let Some(all) = exact(&world, 2000).filter(|all| !all.cut) else { continue };
        let orbits: BTreeSet<Vec<u8>> = all.rows.iter().map(|row| orbit(&world, row)).collect();
        let searched = |symmetry: bool| {
            let search = Search { symmetry: symmetry.into(), ..Search::default() };
            check(&*world, &Question::default(), &search, &NoCallback)
                .expect("a verdict")
                .stats
                .distinct_states
        };
        assert_eq!(
            (searched(false), searched(true)),
            (all.rows.len() as u64, orbits.len() as u64),
            "seed {seed}"
        );
        compared += 1;
        smaller += usize::from(orbits.len() < all.rows.len());
    }
    assert!(compared > 40 && smaller > 40, "{compared} compared, {smaller} smaller");
}
