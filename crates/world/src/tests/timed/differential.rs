//! Ticks, zones and no time on protocols made at random. Where simultaneous events come in any order, every
//! bound is closed and whole, so the times of a run can be moved to whole ticks, and ticks and dense time
//! reach the same discrete states. Where due deliveries come first, a timeout says that a message is due
//! strictly later, and ticks may reach less. Time only ever takes runs away.

use super::draw::Draw;
use super::reach::{Reached, covering, exact};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::{AddAssign, Range};
use watchkeeper_core::Symmetry;

/// The most rows of a search in ticks or dense time, without time, and on a finer clock.
const MOST: usize = 5000;
const MOST_UNTIMED: usize = 10_000;
const MOST_FINER: usize = 20_000;

/// What was found.
#[derive(Clone, Copy, Default)]
struct Tally {
    compared: usize,
    skipped: usize,
    discrete: usize,
    ticks: usize,
    zones: usize,
    covering: usize,
    /// Worlds in which something is locked, and discrete states in which it is.
    locking: usize,
    locked: usize,
    /// With due deliveries first: other states than in any order; fewer states in ticks than in dense time;
    /// as many on a finer clock; as many on no clock that was tried.
    differing: usize,
    strict: usize,
    closed: usize,
    open: usize,
    /// Worlds that were also searched without time, and those in which time made a difference.
    untimed: usize,
    fewer: usize,
    /// Worlds in which a cap cut something away.
    cut: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        let Tally { compared, skipped, discrete, ticks, zones, covering, locking, locked, .. } = other;
        self.compared += compared;
        self.skipped += skipped;
        self.discrete += discrete;
        self.ticks += ticks;
        self.zones += zones;
        self.covering += covering;
        self.locking += locking;
        self.locked += locked;
        let Tally { differing, strict, closed, open, untimed, fewer, cut, .. } = other;
        self.differing += differing;
        self.strict += strict;
        self.closed += closed;
        self.open += open;
        self.untimed += untimed;
        self.fewer += fewer;
        self.cut += cut;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |sum: usize| sum / self.compared.max(1);
        writeln!(
            f,
            "{} protocols compared, {} too large ({} with a cap)",
            self.compared, self.skipped, self.cut
        )?;
        writeln!(
            f,
            "any order: equal in all; on average {} discrete states, {} in ticks, {} zones, {} not covered",
            each(self.discrete),
            each(self.ticks),
            each(self.zones),
            each(self.covering)
        )?;
        writeln!(f, "time-locks: in {} worlds, {} discrete states, equal in all", self.locking, self.locked)?;
        writeln!(
            f,
            "deliveries first: ticks a subset in all, a strict one in {}, of which {} are equal on a finer \
             clock and {} were not tried to the end; other states than in any order in {}",
            self.strict, self.closed, self.open, self.differing
        )?;
        write!(f, "untimed: {} searched, a superset in all, a strict one in {}", self.untimed, self.fewer)
    }
}

/// Compares the worlds of one draw. Panics where they are not as they should be.
fn compare(seed: u64) -> Tally {
    let skipped = Tally { skipped: 1, ..Tally::default() };
    let draw = Draw::new(seed, Symmetry::None);
    let first = draw.deliveries_first();
    let (Some(ticks), Some(dense)) = (draw.ticks(), draw.dense()) else {
        return Tally::default();
    };
    let (Some(in_ticks), Some(zones)) = (exact(&ticks, MOST), exact(&dense, MOST)) else { return skipped };
    let covered = covering(&dense, MOST).expect("no more than without");
    same(&in_ticks, &zones, seed, &draw);
    same(&zones, &covered, seed, &draw);
    let (first_ticks, first_dense) = (first.ticks().expect("a world"), first.dense().expect("a world"));
    let (Some(coarse), Some(fine)) = (exact(&first_ticks, MOST), exact(&first_dense, MOST)) else {
        return skipped;
    };
    let first_covered = covering(&first_dense, MOST).expect("no more than without");
    same(&fine, &first_covered, seed, &first);
    assert!(coarse.states.is_subset(&fine.states), "seed {seed}: {first:?}");
    assert!(coarse.locked.is_subset(&fine.locked), "seed {seed}: {first:?}");
    assert!(fine.states.is_subset(&zones.states), "an order more takes runs away: seed {seed}: {first:?}");
    let untimed = exact(&draw.untimed().expect("a world"), MOST_UNTIMED);
    for timed in [&zones, &fine] {
        let inside = untimed.as_ref().is_none_or(|untimed| timed.states.is_subset(&untimed.states));
        assert!(inside, "seed {seed}: {draw:?}");
    }
    let strict = coarse.states.len() < fine.states.len();
    let closed = strict && closes(&first, &fine.states);
    Tally {
        compared: 1,
        skipped: 0,
        discrete: zones.states.len(),
        ticks: in_ticks.rows.len(),
        zones: zones.rows.len(),
        covering: covered.rows.len(),
        locking: usize::from(!zones.locked.is_empty()),
        locked: zones.locked.len(),
        differing: usize::from(fine.states != zones.states),
        strict: usize::from(strict),
        closed: usize::from(closed),
        open: usize::from(strict && !closed),
        untimed: usize::from(untimed.is_some()),
        fewer: usize::from(untimed.is_some_and(|untimed| zones.states.len() < untimed.states.len())),
        cut: usize::from(in_ticks.cut || zones.cut),
    }
}

/// The same discrete states, and the same of them locked.
fn same(one: &Reached, other: &Reached, seed: u64, draw: &Draw) {
    let (states, locked) = (one.states == other.states, one.locked == other.locked);
    assert!(states && locked && one.cut == other.cut, "seed {seed}: {states}, {locked}: {draw:?}");
}

/// Whether ticks on some finer clock reach all of these. None of them may reach more.
fn closes(draw: &Draw, all: &BTreeSet<Vec<u8>>) -> bool {
    for units in 2..7 {
        let world = draw.finer(units).ticks().expect("a world");
        let Some(ticks) = exact(&world, MOST_FINER) else { return false };
        assert!(ticks.states.is_subset(all), "{units} units: {draw:?}");
        if ticks.states.len() == all.len() {
            return true;
        }
    }
    false
}

/// All draws, on two threads.
fn run(seeds: Range<u64>) -> Tally {
    let half = |odd: u64| {
        let mut tally = Tally::default();
        seeds.clone().filter(|seed| seed % 2 == odd).for_each(|seed| tally += compare(seed));
        tally
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut tally = half(0);
        tally += other.join().expect("no comparison fails");
        tally
    })
}

/// Prints the numbers, and makes sure that they are worth something.
#[expect(clippy::print_stdout, reason = "the numbers are asked for")]
fn report(tally: Tally, least: usize) {
    println!("{tally}");
    let Tally { compared, skipped, .. } = tally;
    assert!(compared >= least && skipped * 5 < compared + skipped, "too few:\n{tally}");
    assert!(tally.discrete > 100 * compared && tally.zones > 150 * compared, "too small:\n{tally}");
    assert!(tally.locking * 50 > compared, "too few time-locks:\n{tally}");
    assert!(tally.strict * 50 > compared && tally.closed * 2 > tally.strict, "too few strict:\n{tally}");
    assert!(tally.untimed * 2 > compared && tally.fewer * 4 > compared, "time is for nothing:\n{tally}");
}

/// `WATCHKEEPER_DRAWS=12500` compares ten times as many, for minutes.
#[test]
fn ticks_dense_and_no_time_agree_on_a_thousand_protocols() {
    let draws = std::env::var("WATCHKEEPER_DRAWS").ok().and_then(|draws| draws.parse().ok()).unwrap_or(1250);
    report(run(0..draws), draws as usize / 5 * 4);
}
