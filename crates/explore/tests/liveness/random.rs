//! Spaces and claims drawn at random, each claim with its opposite, the engine against the reference. `WATCHKEEPER_CLAIMS=1000000` draws so
//! many of them instead of ten thousand.

use crate::draw::{Case, case};
use crate::engines::{agree, reference};
use crate::shrink::smallest;

const SOME: u64 = 10_400;

/// One question in so many is asked of two threads too.
const THREADS: u64 = 8;

fn wrong(case: &Case, threads: bool) -> Option<String> {
    let Case { table, claim, fairness } = case;
    agree(table, claim, fairness, reference(table, claim, fairness), threads).err()
}

fn compare(seeds: impl Iterator<Item = u64>) {
    let (mut asked, mut answers) = (0, [0u64; 3]);
    for seed in seeds {
        let (drawn, threads) = (case(seed), seed / 2 % THREADS == 0);
        asked += 1;
        answers[reference(&drawn.table, &drawn.claim, &drawn.fairness) as usize] += 1;
        if let Some(why) = wrong(&drawn, threads) {
            let small = smallest(drawn, |smaller| wrong(smaller, threads).is_some());
            let still = wrong(&small, threads).unwrap_or_default();
            panic!("seed {seed}: {why}\nThe smallest case found:\n{small}\n{still}");
        }
    }
    assert!(answers.iter().take(2).all(|&some| some * 5 > asked), "both answers are common: {answers:?}");
}

fn number() -> u64 {
    std::env::var("WATCHKEEPER_CLAIMS").map_or(SOME, |text| text.parse().expect("a number"))
}

#[test]
fn drawn_claims_with_even_seeds() {
    compare((0..number()).step_by(2));
}

#[test]
fn drawn_claims_with_odd_seeds() {
    compare((1..number()).step_by(2));
}
