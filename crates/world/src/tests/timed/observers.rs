//! Observers with watches in ticks and in dense time. One that is decided by the first watch that runs out
//! finds the same in both. One that goes on finds in ticks only part of what there is: two watches that run
//! out say twice that something took strictly longer, and there may not be a whole tick for each of them.

use super::draw::Draw;
use super::keeper::{Keeper, Then, kept};
use super::reach::{covering, exact};
use super::script::{Do, Hand, On, Please, Script, both};
use crate::tests::random::Random;
use crate::{Time, Timing, World};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Judgement, Observer, Pack, Pid, Sight, Slot, Symmetry, Watches};
use watchkeeper_space::{Id, Space, steps};

const MOST: usize = 4000;

/// What was found on many draws.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    compared: usize,
    skipped: usize,
    states: usize,
    /// In how many a watch ran out, and in how many it could have without.
    expired: usize,
    /// In how many ticks found less.
    strict: usize,
    /// In how many of these a finer clock found everything.
    closed: usize,
}

fn compare(seeds: std::ops::Range<u64>, then: Then) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let draw = Draw::new(seed, Symmetry::None);
        let keeper = Keeper { seed: seed ^ 0xabc, then, unit: 1 };
        let (Some(ticks), Some(dense)) =
            (kept(&draw, Time::Ticks, &keeper), kept(&draw, Time::Dense, &keeper))
        else {
            continue;
        };
        let (Some(ticks), Some(zones)) = (exact(&ticks, MOST), exact(&dense, MOST)) else {
            tally.skipped += 1;
            continue;
        };
        let covered = covering(&dense, MOST).expect("no more than without");
        assert!(covered.states == zones.states && covered.locked == zones.locked, "seed {seed}: {draw:?}");
        assert!(ticks.states.is_subset(&zones.states), "seed {seed}: {draw:?}");
        tally.compared += 1;
        tally.states += zones.states.len();
        let class = dense.shape().classes.iter().position(|class| class.name == "watch runs out");
        tally.expired += usize::from(zones.classes[class.expect("it is dense")] > 0);
        if ticks.states.len() < zones.states.len() {
            tally.strict += 1;
            tally.closed += usize::from(closes(&draw, &keeper, &zones.states));
        }
    }
    tally
}

/// Whether ticks on some finer clock find everything that is in dense time.
fn closes(draw: &Draw, keeper: &Keeper, all: &BTreeSet<Vec<u8>>) -> bool {
    (2..5).any(|unit| {
        let keeper = Keeper { unit, ..keeper.clone() };
        let world = kept(&draw.finer(unit), Time::Ticks, &keeper).expect("a world");
        exact(&world, 40_000).is_some_and(|ticks| ticks.states == *all)
    })
}

#[test]
fn experiment_observers() {
    for then in [Then::IsWrong, Then::GoesOn, Then::StartsMore] {
        println!("{then:?} {:?}", compare(0..150, then));
    }
    let _: Option<(Do, Hand, On, Please, Script, World<Random>, Timing, Bound, Judgement, Pid, Id)> = None;
}
