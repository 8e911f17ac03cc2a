//! Some thousands of cases whenever tests run: every engine answers like the naive explorer, and the cases are worth
//! asking about. A failure names the seed and the case; the tool itself makes it smaller.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use strum::VariantArray;
use watchkeeper_differential::{CaseTally, CompareMode, CompareScope, RandomCase, compare};

const SEED: u64 = 1;
const CASES: u64 = 2500;

#[test]
fn every_engine_answers_like_the_naive_explorer() {
    let (next, total, wrong) = (AtomicU64::new(0), Mutex::new(CaseTally::default()), Mutex::new(Vec::new()));
    let scope = CompareScope { only: Vec::new(), most: 250 };
    std::thread::scope(|threads| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            threads.spawn(|| {
                let mut tally = CaseTally::default();
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&n| n < CASES) {
                    if let Err(disagreement) = compare(&RandomCase::draw(SEED, number), &scope, &mut tally) {
                        let again = format!("--seed {SEED} --case {number}");
                        wrong.lock().expect("nobody panics").push(format!("{again}: {disagreement}"));
                    }
                }
                total.lock().expect("nobody panics").join(&tally);
            });
        }
    });
    let (mut tally, wrong) =
        (total.into_inner().expect("nobody panics"), wrong.into_inner().expect("nobody panics"));
    assert!(
        wrong.is_empty(),
        "{} of {CASES} cases differ; again with cargo run --release -p watchkeeper-differential -- and:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // A comparison is worth something only if there is enough of it, and both answers come up.
    for &mode in CompareMode::VARIANTS {
        let counts = *tally.of(mode);
        let (compared, holds, violated) = (counts.compared(), counts.holds, counts.violated);
        assert!(compared > CASES / 8, "{mode}: {counts:?}");
        assert!(holds * 20 > compared && violated * 20 > compared, "{mode}: {counts:?}");
    }
    assert!(tally.cases * 2 > CASES, "{tally}");
    for feature in [
        "blocking",
        "calls",
        "crashes",
        "deadlines",
        "dropping",
        "duplications",
        "eventual",
        "families",
        "fifo",
        "ladders",
        "losses",
        "oracles",
        "recoveries",
        "reporting",
        "searched in part",
        "selective",
        "unbounded",
        "watchers",
    ] {
        let count = tally.features.get(feature).copied().unwrap_or(0);
        assert!(count > CASES / 100, "{feature} in {count} cases only: {tally}");
    }
}

/// A case is the same whenever it is drawn, and no two neighbours are.
#[test]
fn a_case_can_be_had_again_alone() {
    for number in 0..50 {
        assert_eq!(RandomCase::draw(7, number), RandomCase::draw(7, number));
        assert_ne!(RandomCase::draw(7, number), RandomCase::draw(7, number + 1));
        assert_ne!(RandomCase::draw(7, number), RandomCase::draw(8, number));
    }
}
