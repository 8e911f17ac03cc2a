//! Bounds that hold from the start but are unknown: a family of worlds is the disjoint union of its worlds, in
//! ticks and in zones, with and without renaming, and says so.

use super::draw::Draw;
use super::reach::{covering, exact};
use super::script::{Do, Hand, Letter, On, Script, between, scenario};
use crate::tests::random::Dice;
use crate::{
    BeforeStable, Delay, Scenario, Synchrony, Timing, TypedWorld, World, WorldError, WorldTime, Worlds,
    unknown_bounds,
};
use std::collections::HashSet;
use watchkeeper_core::{Bound, Pid, Symmetry, Trace, Value};
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Narration, Space, StatePath, Symmetries, successors};

/// p0 waits for 2, p1 sends at the start.
fn race() -> Script {
    Script(vec![
        (0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(2))]),
        (1, On::Start, vec![Do::Send(0, Letter::X)]),
    ])
}

fn family(scenarios: &[Scenario]) -> Worlds {
    let worlds = scenarios.iter().map(|scenario| {
        let world = TypedWorld::new(race(), scenario.clone()).expect("a world");
        world.with_atom("silent", true, |state| state.in_flight().count() == 1)
    });
    Worlds::new(worlds.collect()).expect("a family")
}

fn some(time: fn(Timing) -> WorldTime) -> Vec<Scenario> {
    unknown_bounds(&scenario("drop:1", time(Timing::per_message(between(1, 3)))), 1..=3, 1..=2)
}

/// All rows of a space.
fn rows(space: &impl Space) -> Vec<Vec<Id>> {
    let mut rows = space.initial();
    let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
    let mut at = 0;
    while at < rows.len() {
        for (_, next) in successors(space, &rows[at]) {
            if known.insert(next.clone()) {
                rows.push(next);
            }
        }
        at += 1;
    }
    rows
}

/// A shortest run to a row of some kind, executed again.
fn shortest(space: &impl Space, wanted: impl Fn(&[Id]) -> bool) -> Option<Trace> {
    let mut trails: Vec<StatePath> =
        space.initial().into_iter().map(|row| StatePath { rows: vec![row], actions: Vec::new() }).collect();
    let mut known: HashSet<Vec<Id>> = space.initial().into_iter().collect();
    let mut at = 0;
    while at < trails.len() {
        let trail = trails[at].clone();
        let last = trail.rows.last()?;
        if wanted(last) {
            return Some(space.replay(&trail).unwrap_or_else(|wrong| panic!("{wrong}")));
        }
        for (action, row) in successors(space, last) {
            if known.insert(row.clone()) {
                let mut longer = trail.clone();
                longer.actions.push(action);
                longer.rows.push(row);
                trails.push(longer);
            }
        }
        at += 1;
    }
    None
}

/// With a delay of 1 to `hi`, a timer of 2 and speed 1: nothing has happened at 0, 1 and, unless hi is 1, 2; and so
/// on. Each world is counted alone; together they are as many.
#[test]
fn a_family_is_the_sum_of_its_worlds() {
    for time in [WorldTime::Ticks, WorldTime::Dense] {
        let scenarios = some(time);
        assert_eq!(scenarios.len(), 6);
        let worlds = family(&scenarios);
        let alone: Vec<usize> = worlds.members().iter().map(|world| rows(world).len()).collect();
        // The race of 1 to 3 against 2 has 9 states and 5 zones, as counted in `examples`.
        assert_eq!(alone[4], if worlds.shape().zone.is_some() { 5 } else { 9 });
        let together = rows(&worlds);
        assert_eq!(together.len(), alone.iter().sum::<usize>());
        for (member, count) in alone.iter().enumerate() {
            assert_eq!(together.iter().filter(|row| worlds.member(row) == member).count(), *count);
        }
    }
}

#[test]
fn it_says_what_is_unknown_and_which_bounds_a_run_has() {
    let worlds = family(&some(WorldTime::Ticks));
    let sentence = "the bounds hold from the start, are unknown to the protocol, and are one of: a delay of [1, 1] \
                    or [1, 2] or [1, 3], together with a speed of 1 or 2";
    assert_eq!(worlds.shape().assumptions.last().map(String::as_str), Some(sentence));
    let fixed = |sentence: &String| sentence.starts_with("a message takes") || sentence.contains("too slow");
    assert!(!worlds.shape().assumptions.iter().any(fixed), "{:?}", worlds.shape().assumptions);
    assert!(worlds.shape().assumptions.contains(&"simultaneous events happen in any order".to_string()));
    let last = worlds.initial().pop().expect("a start");
    let bounds = ("bounds".to_string(), Value::str("delay [1, 3], speed 2"));
    assert_eq!(worlds.view(&last).pop(), Some(bounds));
    assert_eq!(worlds.shape().slots.last().map(String::as_str), Some("bounds"));
    // Not all pairs: they are listed.
    let two = [some(WorldTime::Ticks).remove(0), some(WorldTime::Ticks).remove(3)];
    let said = family(&two).shape().assumptions.last().cloned().unwrap_or_default();
    assert!(said.ends_with("one of: delay [1, 1], speed 1; delay [1, 2], speed 2"), "{said}");
    let slow = Timing { processing: Bound::within(1), ..Timing::per_message(between(1, 3)) };
    let late = Timing { synchrony: Synchrony::Eventual(BeforeStable::default()), ..slow };
    let said = family(&[scenario("drop:1", WorldTime::Ticks(late))]).shape().assumptions.last().cloned();
    let said = said.unwrap_or_default();
    assert!(
        said.contains("hold from the moment on") && said.contains("[1, 3] and [0, 1] to handle it"),
        "{said}"
    );
}

/// The timer beats the message only where the bound is 2 or more: a shortest run has those bounds.
#[test]
fn a_violation_names_the_bounds_that_it_needs() {
    for time in [WorldTime::Ticks, WorldTime::Dense] {
        let scenarios =
            unknown_bounds(&scenario("drop:1", time(Timing::per_message(Bound::within(3)))), 1..=3, 1..=1);
        let patient = |world: TypedWorld<Script>| {
            world.with_atom("patient", true, |state| {
                let diary = state.state(Pid::at(0)).map(|diary| format!("{diary:?}")).unwrap_or_default();
                // Only the timer has been written down, and the message is still on its way.
                !(diary.contains("65") && state.in_flight().count() == 1)
            })
        };
        let worlds =
            scenarios.iter().map(|scenario| TypedWorld::new(race(), scenario.clone()).expect("a world"));
        let worlds = Worlds::new(worlds.map(patient).collect()).expect("a family");
        let patient = worlds.shape().atom("patient").expect("an atom");
        let trace = shortest(&worlds, |row| !worlds.atom(patient, row)).expect("somebody is too patient");
        let named = trace.start.last().map(|(_, value)| value.to_string()).unwrap_or_default();
        assert!(named.contains("delay [0, 2], speed 1"), "{named}");
        assert!(trace.steps.iter().all(|step| step.after.last() == trace.start.last()));
    }
}

/// Random worlds that differ in delay and speed, with symmetry or without.
fn drawn(seed: u64, symmetry: Symmetry, time: fn(Timing) -> WorldTime) -> Option<Worlds> {
    let mut draw = Draw::new(seed, symmetry).brief();
    let lo = match draw.timing.delay {
        Delay::PerMessage(bound) => bound.lo(),
        Delay::RoundTrip(_) => 0,
    };
    let mut members = Vec::new();
    for scenario in unknown_bounds(draw.ticks()?.scenario(), lo..=lo + 1, 1..=2) {
        draw.timing = scenario.time.timing().expect("a timed scenario");
        members.push(draw.world(time(draw.timing))?);
    }
    Some(Worlds::new(members).expect("a family"))
}

#[test]
fn walks_of_families_replay_and_nothing_else_does() {
    let mut walked = 0;
    for seed in 0..80 {
        for time in [WorldTime::Ticks, WorldTime::Dense] {
            let Some(worlds) = drawn(seed, Symmetry::None, time) else { continue };
            let mut dice = Dice::new(seed);
            let mut pick = |most: usize| dice.roll(most as u64) as usize;
            let starts = worlds.initial();
            let mut trail = StatePath { rows: vec![starts[pick(starts.len())].clone()], actions: Vec::new() };
            for _ in 0..25 {
                let row = trail.rows.last().expect("a row").clone();
                let mut next = successors(&worlds, &row);
                if next.is_empty() {
                    break;
                }
                let (action, after) = next.swap_remove(pick(next.len()));
                assert!(!worlds.label(&row, action).starts_with("impossible"), "seed {seed}");
                trail.actions.push(action);
                trail.rows.push(after);
            }
            let trace = worlds.replay(&trail).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
            assert_eq!(trace.start, worlds.view(&trail.rows[0]));
            for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
                assert_eq!(step.after, worlds.view(row), "seed {seed}");
            }
            walked += trail.actions.len();
            if trail.actions.is_empty() {
                continue;
            }
            let member = trail.rows[0].len() - 1;
            let last = trail.rows.len() - 1;
            let mut changed = trail.clone();
            changed.rows[last][member] = (trail.rows[0][member] + 1) % 4;
            assert_eq!(worlds.replay(&changed).expect_err("other bounds").step, last);
            changed.rows[last][member] = 99;
            assert_eq!(worlds.replay(&changed).expect_err("no such bounds").step, last);
            if let Some(slot) = worlds.shape().zone {
                let mut changed = trail.clone();
                changed.rows[last][slot] += 1;
                assert_eq!(worlds.replay(&changed).expect_err("a zone of other bounds").step, last);
            }
        }
    }
    assert!(walked > 1000, "{walked} steps");
}

/// Each world of a family reaches what it reaches alone; and a search up to renaming keeps as many states of all
/// as of each alone.
#[test]
fn families_reduce_like_their_worlds() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..120 {
        let symmetry = [Symmetry::Full, Symmetry::Rotations][seed as usize % 2];
        for time in [WorldTime::Ticks, WorldTime::Dense] {
            let Some(worlds) = drawn(seed, symmetry, time) else { continue };
            let small = |world: &World| match world.shape().zone {
                Some(_) => covering(world, 800).is_some_and(|all| !all.cut),
                None => exact(world, 800).is_some_and(|all| !all.cut),
            };
            if worlds.symmetries() == 1 || !worlds.members().iter().all(small) {
                continue;
            }
            let search = |symmetry: bool| Search { symmetry: symmetry.into(), ..Search::default() };
            for symmetry in [false, true] {
                let distinct = |verdict: watchkeeper_logic::Verdict| verdict.stats.distinct_states;
                let alone = worlds.members().iter().map(|world| found(world, &search(symmetry)));
                let (alone, together) = (alone.map(distinct).sum::<u64>(), found(&worlds, &search(symmetry)));
                assert_eq!(distinct(together), alone, "seed {seed}, {symmetry}");
            }
            let (all, kept) = (found(&worlds, &search(false)), found(&worlds, &search(true)));
            smaller += usize::from(kept.stats.distinct_states < all.stats.distinct_states);
            compared += 1;
        }
    }
    assert!(compared > 40 && smaller > 30, "{compared} compared, {smaller} smaller");
}

fn found(space: &impl Space, search: &Search) -> watchkeeper_logic::Verdict {
    check(space, &Question::default(), search, &NoCallback).expect("a verdict")
}

#[test]
fn what_is_no_family_is_refused() {
    assert_eq!(Worlds::new(Vec::<TypedWorld<Script>>::new()).expect_err("nothing"), WorldError::NoWorlds);
    let timing = Timing::per_message(Bound::within(2));
    let world = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = scenario("drop:1", WorldTime::Ticks(timing));
        change(&mut scenario);
        TypedWorld::new(race(), scenario).expect("a world")
    };
    let plain = || world(&|_| {});
    let unlike = |other: TypedWorld<Script>| match Worlds::new(vec![plain(), plain(), other]) {
        Err(WorldError::Unlike { world: 2, what }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(unlike(world(&|it| it.time = WorldTime::Dense(timing))), "the parts of its states");
    assert_eq!(unlike(world(&|it| it.network.losses = 3)), "the parts of its states");
    assert_eq!(unlike(world(&|it| it.network.losses = crate::ANY_NUMBER)), "what can happen in it");
    assert_eq!(unlike(plain().with_atom("more", true, |_| true)), "its propositions");
    let unbounded = |it: &mut Scenario| {
        it.network = it.network.clone().with_channel("unbounded:1".parse().expect("a channel"));
    };
    assert_eq!(unlike(world(&unbounded)), "what can happen in it");
    assert!(
        Worlds::new(vec![plain(), world(&|it| it.time = WorldTime::Ticks(Timing { speed: 2, ..timing }))])
            .is_ok()
    );
}
