//! Runs are executed again by the interpreter: every run that a search takes is one, with times that fit
//! together, and what no moment allows is none.

use super::draw::Draw;
use super::keeper::{Keeper, Then, kept};
use super::reach::discrete;
use crate::tests::random::{Dice, Random};
use crate::tests::walk::Collect;
use crate::{TypedWorld, World, WorldTime};
use std::collections::{BTreeMap, HashMap};
use watchkeeper_core::{Symmetry, Trace};
use watchkeeper_space::{Action, Id, Narration, Role, Space, StatePath};

/// The first rows of a world, each with the row before it and the action between.
struct Tree {
    rows: Vec<Vec<Id>>,
    before: Vec<Option<(usize, Action)>>,
}

impl Tree {
    fn of(world: &World, most: usize) -> Tree {
        let mut tree = Tree { rows: world.initial(), before: Vec::new() };
        tree.before = vec![None; tree.rows.len()];
        let mut known: HashMap<Vec<Id>, ()> = tree.rows.iter().map(|row| (row.clone(), ())).collect();
        let mut at = 0;
        while at < tree.rows.len() && tree.rows.len() < most {
            for (action, row) in Collect::of(world, &tree.rows[at].clone()).steps {
                if known.insert(row.clone(), ()).is_none() {
                    tree.rows.push(row);
                    tree.before.push(Some((at, action)));
                }
            }
            at += 1;
        }
        tree
    }

    /// A shortest way to a row.
    fn trail(&self, mut at: usize) -> StatePath {
        let mut trail = StatePath { rows: vec![self.rows[at].clone()], actions: Vec::new() };
        while let Some((parent, action)) = self.before[at] {
            trail.rows.push(self.rows[parent].clone());
            trail.actions.push(action);
            at = parent;
        }
        trail.rows.reverse();
        trail.actions.reverse();
        trail
    }
}

/// The times of a trace, as fractions.
fn times(trace: &Trace) -> Vec<f64> {
    let time = |text: &str| {
        text.split(' ')
            .map(|part| match part.split_once('/') {
                Some((over, under)) => number(over) / number(under),
                None => number(part),
            })
            .sum()
    };
    trace.steps.iter().map(|step| time(step.at.as_deref().expect("time is known"))).collect()
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// Replays a trail, and looks at the times: they never go back, and ticks are whole.
fn replayed(world: &World, trail: &StatePath, what: &str) -> Vec<f64> {
    let trace = world.replay(trail).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
    assert_eq!(trace.steps.len(), trail.actions.len());
    let times = times(&trace);
    assert!(times.is_sorted() && times.iter().all(|&time| time >= 0.0), "{what}: {times:?}");
    if matches!(world.scenario().time, WorldTime::Ticks(_)) {
        assert!(times.iter().all(|time| time.fract() == 0.0), "{what}: {times:?}");
    }
    for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
        assert_eq!(step.after, world.view(row), "{what}");
    }
    times
}

/// Worlds of all kinds, half of them with an observer.
fn worlds(seed: u64) -> Vec<TypedWorld<Random>> {
    let draw = drawn(seed);
    let then = [Then::IsWrong, Then::GoesOn, Then::StartsMore][seed as usize / 4 % 3];
    let keeper = Keeper { seed, then, unit: 1 };
    let time: [fn(crate::Timing) -> WorldTime; 2] = [WorldTime::Ticks, WorldTime::Dense];
    let world = |time: fn(crate::Timing) -> WorldTime| match seed / 2 % 2 {
        0 => draw.world(time(draw.timing)),
        _ => kept(&draw, time, &keeper),
    };
    time.into_iter().filter_map(world).collect()
}

#[test]
fn shortest_ways_replay() {
    let (mut trails, mut broken) = (0, 0);
    for seed in 0..120 {
        for world in worlds(seed) {
            let tree = Tree::of(&world, 200);
            for at in 0..tree.rows.len() {
                let what = format!("seed {seed}, {}, row {at}", world.scenario().time.name());
                let times = replayed(&world, &tree.trail(at), &what);
                trails += 1;
                broken += usize::from(times.iter().any(|time| time.fract() != 0.0));
            }
        }
    }
    assert!(trails > 20_000 && broken > 50, "{trails} trails, {broken} with times between ticks");
}

#[test]
fn long_walks_replay() {
    for seed in 200..320 {
        for world in worlds(seed) {
            let mut dice = Dice::new(seed);
            for _ in 0..3 {
                let starts = world.initial();
                let start = starts[dice.roll(starts.len() as u64) as usize].clone();
                let mut trail = StatePath { rows: vec![start], actions: Vec::new() };
                for _ in 0..60 {
                    let row = trail.rows.last().expect("there is a start").clone();
                    let mut next = Collect::of(&world, &row).steps;
                    if next.is_empty() {
                        break;
                    }
                    let (action, after) = next.swap_remove(dice.roll(next.len() as u64) as usize);
                    trail.rows.push(after);
                    trail.actions.push(action);
                }
                replayed(&world, &trail, &format!("seed {seed}, {}", world.scenario().time.name()));
            }
        }
    }
}

/// Trails that end in a step which can be taken from a row that has the same key, and not from the row where
/// it is taken. Faults are left out: they have no time, and one that is not offered is one of equal messages
/// of which another is. So are ticks that would change nothing, which are not offered either.
fn untimely<K: Ord>(world: &World, tree: &Tree, key: impl Fn(&[Id]) -> K) -> Vec<StatePath> {
    let mut alike: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, row) in tree.rows.iter().enumerate() {
        alike.entry(key(row)).or_default().push(at);
    }
    let mut trails = Vec::new();
    for group in alike.values().filter(|group| group.len() > 1) {
        let steps = |&at: &usize| Collect::of(world, &tree.rows[at]).steps.into_iter().collect();
        let next: Vec<BTreeMap<Action, Vec<Id>>> = group.iter().map(steps).collect();
        for (&at, possible) in group.iter().zip(&next) {
            for (action, after) in next.iter().flatten().filter(|(action, _)| !possible.contains_key(action))
            {
                let fault = world.shape().classes[usize::from(action.class())].role == Role::Fault;
                if !fault && world.snapshot(after) != world.snapshot(&tree.rows[at]) {
                    let mut trail = tree.trail(at);
                    trail.rows.push(after.clone());
                    trail.actions.push(*action);
                    trails.push(trail);
                }
            }
        }
    }
    trails
}

fn drawn(seed: u64) -> Draw {
    let draw = Draw::new(seed, Symmetry::None);
    if seed.is_multiple_of(2) { draw } else { draw.deliveries_first() }
}

/// Rows that differ in nothing but their zones: what can happen at the moments of one and not at those of
/// another must not replay there. The way to a row decides which moments it has.
#[test]
fn what_happens_out_of_time_is_refused() {
    let mut refused = 0;
    for seed in 0..160 {
        let Some(world) = drawn(seed).dense() else { continue };
        let tree = Tree::of(&world, 400);
        let slot = world.shape().zone.expect("dense time has zones");
        for trail in untimely(&world, &tree, |row| [&row[..slot], &row[slot + 1..]].concat()) {
            let wrong = world.replay(&trail).expect_err("there is no moment for it");
            assert_eq!(wrong.step, trail.actions.len(), "seed {seed}: {wrong}");
            assert_eq!(wrong.why, "there is no moment at which it can happen", "seed {seed}");
            refused += 1;
        }
    }
    assert!(refused > 1000, "{refused} refused");
}

/// The same in ticks, where a row says what is left, so that the interpreter sees at once that it is too
/// early, too late, or another message's turn.
#[test]
fn ticks_refuse_what_is_not_due() {
    let (mut refused, mut reasons) = (0, BTreeMap::<String, usize>::new());
    for seed in 0..80 {
        let Some(world) = drawn(seed).ticks() else { continue };
        let tree = Tree::of(&world, 200);
        for trail in untimely(&world, &tree, |row| discrete(&world, row)) {
            let wrong = world.replay(&trail).expect_err("it is not its time");
            let why = wrong.why.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
            *reasons.entry(why.to_string()).or_default() += 1;
            refused += 1;
        }
    }
    let counted = |why: &str| reasons.iter().filter(|(reason, _)| reason.contains(why)).map(|(_, n)| n).sum();
    let (early, late, first): (usize, usize, usize) =
        (counted("it is not due"), counted("something must happen"), counted("a message that is due"));
    assert!(refused > 1000 && early > 100 && late > 100 && first > 10, "{refused} refused: {reasons:?}");
}

/// A wrong row, a wrong action, a step left out: each is told, at the step where it is.
#[test]
fn planted_errors_are_found() {
    let mut found = [0; 3];
    for seed in 0..60 {
        for world in worlds(seed) {
            let tree = Tree::of(&world, 120);
            let mut dice = Dice::new(seed);
            let state = |row: &[Id]| world.snapshot(row).expect("a row");
            for at in (0..tree.rows.len()).filter(|&at| tree.before[at].is_some()) {
                let trail = tree.trail(at);
                let step = 1 + dice.roll(trail.actions.len() as u64) as usize;
                let other = dice.roll(tree.rows.len() as u64) as usize;
                let mut wrong_row = trail.clone();
                wrong_row.rows[step] = tree.rows[other].clone();
                if state(&tree.rows[other]) != state(&trail.rows[step]) {
                    assert_eq!(world.replay(&wrong_row).expect_err("a wrong row").step, step);
                    found[0] += 1;
                }
                let before = &trail.rows[step - 1];
                let (next, after) = (Collect::of(&world, before).steps, state(&trail.rows[step]));
                if let Some((_, action)) = tree.before[other] {
                    // Another action may lead to the same state: choices without a difference, or equal
                    // messages of a FIFO channel, of which the search offers one and either may be lost.
                    let same = |(other, row): &(Action, Vec<Id>)| *other == action && state(row) == after;
                    let lost = world.shape().classes[usize::from(action.class())].role == Role::Fault;
                    if !lost && !next.iter().any(same) {
                        let mut wrong_action = trail.clone();
                        wrong_action.actions[step - 1] = action;
                        assert_eq!(world.replay(&wrong_action).expect_err("a wrong action").step, step);
                        found[1] += 1;
                    }
                }
                if step < trail.actions.len() && state(before) != after {
                    let mut hasty = trail.clone();
                    hasty.actions.remove(step - 1);
                    hasty.rows.remove(step);
                    assert!(world.replay(&hasty).is_err() || leads(&world, before, &hasty.rows[step]));
                    found[2] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&planted| planted > 500), "{found:?}");
}

/// Whether a step leads from one row to a state like another one.
fn leads(world: &World, from: &[Id], to: &[Id]) -> bool {
    let next = Collect::of(world, from).steps;
    next.iter().any(|(_, row)| world.snapshot(row) == world.snapshot(to))
}
