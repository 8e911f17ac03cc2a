//! Losses counted in constant time, against a model that remembers when every number came.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const PATIENCE: u64 = 100;

fn fed(numbers: impl IntoIterator<Item = u64>) -> Gaps {
    let mut gaps = Gaps::new();
    for (number, now) in numbers.into_iter().zip(0..) {
        gaps.saw(number, now);
    }
    gaps
}

#[test]
fn what_comes_in_order_is_not_lost() {
    let mut gaps = fed(1..=5000);
    assert_eq!((gaps.lost(u64::MAX, 0), gaps.seen(), gaps.out_of_order(), gaps.late()), (0, 5000, 0, 0));
}

#[test]
fn a_number_is_lost_when_patience_has_run_out() {
    let mut gaps = Gaps::new();
    gaps.saw(1, 10);
    gaps.saw(4, 20);
    gaps.saw(6, 50);
    assert_eq!(gaps.lost(20 + PATIENCE, PATIENCE), 0);
    assert_eq!(gaps.lost(21 + PATIENCE, PATIENCE), 2, "2 and 3");
    gaps.saw(3, 140);
    assert_eq!((gaps.out_of_order(), gaps.late()), (1, 1), "3 came after it was given up");
    gaps.saw(5, 149);
    assert_eq!((gaps.out_of_order(), gaps.late()), (2, 1), "5 came in time");
    assert_eq!(gaps.lost(1000, PATIENCE), 2);
    assert_eq!(gaps.seen(), 5);
}

#[test]
fn what_was_sent_before_the_first_that_came_does_not_count() {
    let mut gaps = fed([7, 8, 6, 10]);
    assert_eq!((gaps.lost(u64::MAX, 0), gaps.out_of_order(), gaps.late()), (1, 1, 0));
}

#[test]
fn what_leaves_the_window_is_lost_however_patient_one_is() {
    let mut gaps = fed([1, 3]);
    gaps.saw(2 + WINDOW - 1, 2);
    assert_eq!(gaps.lost(2, u64::MAX), 0, "2 can still come");
    gaps.saw(2 + WINDOW, 3);
    assert_eq!(gaps.lost(3, u64::MAX), 1, "now it cannot");
    gaps.saw(100_000, 4);
    let left = 100_000 - WINDOW;
    assert_eq!(gaps.lost(4, u64::MAX), left - 4, "all that was not seen and cannot come");
    assert_eq!(gaps.lost(10, 0), 100_000 - 5);
}

#[test]
fn a_new_incarnation_begins_with_new_numbers_and_old_counts() {
    let mut gaps = fed([1, 2, 4]);
    assert_eq!(gaps.lost(3, PATIENCE), 0);
    gaps.restart();
    assert_eq!(gaps.lost(3, PATIENCE), 1, "3 of the old incarnation is not admitted any more");
    for number in [1, 2, 3, 4] {
        gaps.saw(number, 5);
    }
    assert_eq!((gaps.lost(u64::MAX, 0), gaps.seen(), gaps.out_of_order(), gaps.late()), (1, 7, 0, 0));
}

#[test]
fn the_worst_order_needs_no_more_memory_than_was_taken_at_the_start() {
    let mut gaps = Gaps::new();
    let capacity = gaps.open.capacity();
    for number in (1..20_000).step_by(2) {
        gaps.saw(number, number);
        assert!(gaps.open.len() <= MOST_GAPS);
    }
    assert_eq!(gaps.open.len(), MOST_GAPS);
    assert_eq!(gaps.open.capacity(), capacity);
    assert_eq!(gaps.lost(u64::MAX, 0), 9_999);
}

#[test]
fn absurd_numbers_do_no_harm() {
    let mut gaps = fed([0, 5, u64::MAX, u64::MAX, 5, u64::MAX - 1, 0]);
    assert_eq!(gaps.lost(u64::MAX, 0), u64::MAX - 5 - 2);
    gaps.restart();
    gaps.saw(1, 0);
    gaps.saw(u64::MAX, 0);
    assert_eq!(gaps.lost(u64::MAX, 0), u64::MAX, "the count stays at its end");
}

/// The same by remembering everything: when each number came, and when it began to be missing.
#[derive(Default)]
struct Naive {
    came: BTreeMap<u64, u64>,
    missing: BTreeMap<u64, u64>,
    lost: u64,
}

impl Naive {
    fn saw(&mut self, number: u64, now: u64) {
        let highest = self.came.last_key_value().map(|(highest, _)| *highest);
        if self.came.contains_key(&number) || highest.is_some_and(|highest| highest >= number + WINDOW) {
            return;
        }
        if let Some(highest) = highest {
            self.missing.extend((highest + 1..number).map(|missing| (missing, now)));
        }
        self.missing.remove(&number);
        self.came.insert(number, now);
        let top = highest.unwrap_or(0).max(number);
        self.give_up(|missing, _| missing + WINDOW <= top);
    }

    fn lost(&mut self, now: u64, patience: u64) -> u64 {
        self.give_up(|_, since| now - since > patience);
        self.lost
    }

    fn give_up(&mut self, hopeless: impl Fn(u64, u64) -> bool) {
        let before = self.missing.len();
        self.missing.retain(|missing, since| !hopeless(*missing, *since));
        self.lost += (before - self.missing.len()) as u64;
    }
}

proptest! {
    #[test]
    fn the_count_is_that_of_a_model_that_remembers_everything(
        steps in proptest::collection::vec((0u8..10, 0u64..3000, 0u64..60), 1..400),
    ) {
        let (mut gaps, mut naive) = (Gaps::new(), Naive::default());
        let (mut near, mut now) = (1u64, 0);
        for (way, by, wait) in steps {
            near = match way {
                0..5 => near + 1 + by % 3,
                5 | 6 => near.saturating_sub(by % 40).max(1),
                7 => near + by % 1200,
                8 => near.saturating_sub(by % 1200).max(1),
                _ => near + by,
            };
            now += wait;
            gaps.saw(near, now);
            naive.saw(near, now);
            if way % 2 == 0 {
                prop_assert_eq!(gaps.lost(now, PATIENCE), naive.lost(now, PATIENCE));
            }
            prop_assert_eq!(gaps.seen(), naive.came.len() as u64);
        }
        prop_assert_eq!(gaps.lost(now + 1, 0), naive.lost(now + 1, 0));
    }
}
