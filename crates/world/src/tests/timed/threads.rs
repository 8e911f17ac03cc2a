//! Timed worlds are the same in every run and on any number of threads: rows as bytes, successors in their
//! order, and what an engine counts.

use super::draw::Draw;
use super::keeper::{Keeper, Then, kept};
use crate::tests::concurrency::{shown, stir};
use crate::tests::random::Random;
use crate::{TypedWorld, WorldTime};
use watchkeeper_core::Symmetry;
use watchkeeper_explore::{NoCallback, Search, check, naive, naive_subsumption};
use watchkeeper_logic::{Question, Verdict};
use watchkeeper_space::Space;

fn world(seed: u64) -> Option<TypedWorld<Random>> {
    let draw = Draw::new(seed, Symmetry::None);
    let draw = if seed.is_multiple_of(3) { draw.deliveries_first() } else { draw };
    let time: fn(crate::Timing) -> WorldTime =
        if seed.is_multiple_of(4) { WorldTime::Ticks } else { WorldTime::Dense };
    match seed % 5 {
        0 => draw.world(time(draw.timing)),
        _ => kept(&draw, time, &Keeper { seed, then: Then::GoesOn, unit: 1 }),
    }
}

#[test]
fn timed_worlds_show_the_same_whatever_the_ids() {
    for seed in 0..60 {
        let (Some(calm), Some(stirred), Some(shared)) = (world(seed), world(seed), world(seed)) else {
            continue;
        };
        stir(&stirred, seed);
        std::thread::scope(|scope| {
            for t in 0..4 {
                let shared = &shared;
                scope.spawn(move || stir(shared, t));
            }
        });
        let expected = shown(&calm, 150);
        assert_eq!(shown(&stirred, 150), expected, "seed {seed}");
        assert_eq!(shown(&shared, 150), expected, "seed {seed}");
        assert!(shared.bytes() > 0);
    }
}

type Counts = (&'static str, u64, u64, Vec<u64>, Vec<u64>);

fn counts(verdict: &Verdict) -> Counts {
    let classes = verdict.coverage.iter().map(|class| class.count).collect();
    let stats = &verdict.stats;
    (verdict.word(), stats.distinct_states, stats.transitions, stats.level_sizes.clone(), classes)
}

/// The engine on one, two and four threads against the textbook, on timed worlds that have seen nothing.
#[test]
fn the_engine_counts_the_same_on_any_number_of_threads() {
    let (mut compared, mut states) = (0, 0);
    for seed in 0..60 {
        let Some(plain) = world(seed) else { continue };
        let question = Question::default();
        let search = |workers| Search { workers, max_states: Some(5000), ..Search::default() };
        let expected = match plain.shape().zone {
            Some(_) => naive_subsumption(&*plain, &question, &search(1), &NoCallback),
            None => naive(&*plain, &question, &search(1), &NoCallback),
        };
        let expected = expected.expect("a verdict");
        if expected.word() == "unknown" {
            continue;
        }
        let [one, two, four] = [1, 2, 4].map(|workers| {
            let fresh = world(seed).expect("as before");
            counts(&check(&*fresh, &question, &search(workers), &NoCallback).expect("a verdict"))
        });
        assert!(one == two && two == four, "seed {seed}: {one:?}, {two:?}, {four:?}");
        // The textbook knows nothing of caps, and does not count what is told beside a step.
        let expected_counts = counts(&expected);
        assert_eq!((one.1, one.2, &one.3), (expected_counts.1, expected_counts.2, &expected_counts.3));
        compared += 1;
        states += expected.stats.distinct_states;
    }
    assert!(compared > 35 && states > 10_000, "{compared} compared, {states} states");
}
