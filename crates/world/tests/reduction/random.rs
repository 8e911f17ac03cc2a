//! Protocols drawn at random, each in a scenario drawn at random and with observers and atoms of all kinds, full search
//! against reduced. `WATCHKEEPER_DRAWS` says how many, and `WATCHKEEPER_DRAW` picks one of them.

use crate::compare::{Tally, compare, invariant};
use crate::draw::{Ask, Dice, Drawn, Mind, scenario};
use crate::observers::{Blind, Ordered};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_core::Pid;
use watchkeeper_explore::{NoCallback, Reduction, Search, check, naive};
use watchkeeper_logic::{self as logic, Question};
use watchkeeper_space::{Id, Space, successors};
use watchkeeper_world::{Global, TypedWorld, World};

/// As many as there is time for whenever tests run.
const DRAWS: u64 = 1500;
/// Draws with more states say no more than smaller ones.
const MOST_STATES: usize = 400;
/// How many endings are looked for in each.
const ENDINGS: usize = 6;
/// How many things are asked of each.
const QUESTIONS: usize = 4;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn some_interleavings_answer_like_all() {
    let one = number("WATCHKEEPER_DRAW");
    let count = if one.is_some() { 1 } else { number("WATCHKEEPER_DRAWS").unwrap_or(DRAWS) };
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    let mut seeds = one.unwrap_or(0)..;
    // Those that are too large do not count.
    while let Some(seed) = seeds.next().filter(|_| tally.worlds < count) {
        let told = if Dice::new(seed).mix(20).chance(6) {
            drawn::<true>(seed, &mut tally)
        } else {
            drawn::<false>(seed, &mut tally)
        };
        wrong.extend(told.err().map(|why| format!("draw {seed}: {why}")));
        if one.is_some() {
            break;
        }
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    if count >= DRAWS {
        let asked = tally.asked as f64;
        let share = |part: u64| part as f64 / asked;
        assert!(share(tally.holds) > 0.2 && share(tally.violated) > 0.2, "{tally:?}");
        assert!(share(tally.fewer) > 0.1 && share(tally.open) < 0.2, "{tally:?}");
    }
}

/// One protocol in one scenario, and everything that there is to ask.
fn drawn<const SELECTIVE: bool>(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut dice = Dice::new(seed).mix(21);
    let protocol = Drawn::<SELECTIVE>::new(seed);
    let (n, fuel) = (protocol.n, protocol.fuel.is_some());
    let scenario = scenario(seed, n, SELECTIVE, fuel);
    let forgets = scenario.faults.recoveries > 0;
    let ends = fuel && !forgets && scenario.faults.crashes == 0;
    let world = TypedWorld::new(protocol, scenario).map_err(|why| why.to_string())?;
    let calls = Pid::all(n).filter(|_| dice.chance(4)).map(|p| (p, Ask::Please, 1)).collect();
    let mut world = world.with_calls(calls).map_err(|why| why.to_string())?;
    let mut names: Vec<(Option<&str>, &str)> = Vec::new();
    let watched = dice.roll(6).saturating_sub(2);
    if watched & 1 > 0 {
        let blind = Blind { seed: dice.roll(1 << 40), settles: dice.chance(3) };
        world = world.observed_by(blind).map_err(|why| why.to_string())?;
        names.push((None, "blind"));
    }
    if watched & 2 > 0 {
        let ordered = Ordered { seed: dice.roll(1 << 40), all: dice.chance(3) };
        world = world.observed_by(ordered).map_err(|why| why.to_string())?;
        names.push((None, "ordered"));
    }
    let (a, b) = (dice.roll(3), dice.roll(3));
    world = world.with_glancing_atom("apart", false, mood, move |seen| (seen[0], seen[1]) != (a, b));
    world = world.with_glancing_atom("first", false, mood, move |seen| seen[0] != a);
    names.extend([(None, "apart"), (Some("first"), "apart")]);
    if !forgets {
        world = world.with_lasting_atom("unmarked", false, |global| {
            let marked = |p| global.state(p).is_none_or(|mind: &Mind| mind.marks & 1 > 0);
            !global.processes().all(marked)
        });
        names.push((None, "unmarked"));
    }
    let built_in = ["crashed(p0)", "blocked(p1)", "within-capacity"];
    names.push((None, built_in[2]));
    names.push((Some(built_in[dice.roll(2) as usize]), "first"));
    if watched & 1 > 0 {
        names.push((Some("blind"), "first"));
    }
    let outcome = Arc::new(Outcome::default());
    let (seen, sought) = (Arc::clone(&outcome), Arc::clone(&outcome));
    world = world.with_atom("look", false, move |global| {
        seen.seen.store(ending(global), Ordering::Relaxed);
        true
    });
    world = world.with_lasting_atom("not so", false, move |global| {
        ending(global) == 0 || ending(global) != sought.sought.load(Ordering::Relaxed)
    });
    ask(&world, &names, ends.then_some(&*outcome), dice, tally)
}

/// How a run has ended: where everyone has fallen silent, and how it was seen and is sought.
#[derive(Default)]
struct Outcome {
    seen: AtomicU64,
    sought: AtomicU64,
}

/// What each process has come to, if all have fallen silent, and else 0. Where nobody crashes it then stays so.
fn ending<const SELECTIVE: bool>(global: &Global<'_, Drawn<SELECTIVE>>) -> u64 {
    let mut all = 0;
    for p in global.processes() {
        all = all << 8
            | match global.state(p) {
                Some(mind) if mind.fuel > 0 => return 0,
                Some(mind) => 1 + u64::from(mind.mood) + 4 * u64::from(mind.marks),
                None => 99,
            };
    }
    all
}

fn mood(_: Pid, mind: Option<&Mind>) -> u64 {
    mind.map_or(9, |mind| u64::from(mind.mood))
}

/// How often each ending is among the states; `None` if there is no time for all of them.
fn endings(world: &World, outcome: Option<&Outcome>) -> Option<BTreeMap<u64, usize>> {
    let look = world.shape().atom("look").expect("it was added");
    let (mut queue, mut found) = (world.initial(), BTreeMap::new());
    let mut known: HashSet<Vec<Id>> = queue.iter().cloned().collect();
    let mut at = 0;
    while at < queue.len() {
        if queue.len() > MOST_STATES {
            return None;
        }
        let row = queue[at].clone();
        world.atom(look, &row);
        let seen = outcome.map_or(0, |outcome| outcome.seen.load(Ordering::Relaxed));
        if seen != 0 {
            *found.entry(seen).or_insert(0) += 1;
        }
        for (_, row) in successors(world, &row) {
            if known.insert(row.clone()) {
                queue.push(row);
            }
        }
        at += 1;
    }
    Some(found)
}

/// The rarest endings must all be found.
fn find(
    world: &World,
    outcome: &Outcome,
    endings: &BTreeMap<u64, usize>,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut rarest: Vec<(usize, u64)> = endings.iter().map(|(&ending, &count)| (count, ending)).collect();
    rarest.sort_unstable();
    let question = invariant(world, None, "not so");
    for &(_, ending) in rarest.iter().take(ENDINGS) {
        outcome.sought.store(ending, Ordering::Relaxed);
        let search = Search { reduction: Reduction::PartialOrder, ..Search::default() };
        let verdict = check(world, &question, &search, &NoCallback).map_err(|why| why.to_string())?;
        tally.endings += 1;
        let cut = matches!(verdict.outcome, logic::Outcome::Unknown(logic::Limit::Cap(_)));
        if verdict.word() != "violated" && !cut {
            return Err(format!("the ending {ending:x} is not found: {}", verdict.word()));
        }
    }
    Ok(())
}

/// Some of what there is to ask, each by itself; and the absence of deadlocks, alone or with the observers.
fn ask(
    world: &World,
    names: &[(Option<&str>, &str)],
    outcome: Option<&Outcome>,
    mut dice: Dice,
    tally: &mut Tally,
) -> Result<(), String> {
    let Some(endings) = endings(world, outcome) else {
        tally.large += 1;
        return Ok(());
    };
    tally.worlds += 1;
    if let Some(outcome) = outcome {
        find(world, outcome, &endings, tally)?;
    }
    let mut question = Question::no_deadlock();
    if dice.chance(2) {
        let observers = names.iter().filter(|(_, then)| matches!(*then, "blind" | "ordered"));
        question.invariants =
            observers.flat_map(|(_, then)| invariant(world, None, then).invariants).collect();
    }
    let all = |question: &Question| {
        naive(world, question, &Search::default(), &NoCallback).map_err(|why| why.to_string())
    };
    compare(world, &question, &all(&question)?, tally)?;
    let mut names = names.to_vec();
    for _ in 1..QUESTIONS.min(names.len()) {
        let (when, then) = names.swap_remove(dice.roll(names.len() as u64) as usize);
        let question = invariant(world, when, then);
        compare(world, &question, &all(&question)?, tally)?;
    }
    Ok(())
}
