//! The window against a plain set of all numbers that were ever seen.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What a window must do, written without any cleverness.
#[derive(Default)]
struct Naive {
    seen: BTreeSet<u64>,
}

impl Naive {
    fn check(&self, number: u64) -> Result<(), DatagramRefusal> {
        let highest = self.seen.last().copied().unwrap_or(0);
        if number == 0 || u128::from(number) + u128::from(WINDOW) <= u128::from(highest) {
            return Err(DatagramRefusal::TooOld);
        }
        if self.seen.contains(&number) { Err(DatagramRefusal::Replayed) } else { Ok(()) }
    }
}

fn follow(numbers: impl IntoIterator<Item = u64>) -> [usize; 3] {
    let (mut window, mut naive, mut counts) = (Window::EMPTY, Naive::default(), [0; 3]);
    for number in numbers {
        let verdict = window.check(number);
        assert_eq!(verdict, naive.check(number), "number {number}");
        match verdict {
            Ok(()) => {
                window.mark(number);
                naive.seen.insert(number);
                counts[0] += 1;
            }
            Err(DatagramRefusal::Replayed) => counts[1] += 1,
            Err(_) => counts[2] += 1,
        }
        let highest = window.highest();
        assert_eq!(Some(&highest), naive.seen.last().or(Some(&0)));
        if highest > 0 {
            let lowest = highest.saturating_sub(WINDOW - 1).max(1);
            let unseen = highest - lowest + 1 - naive.seen.range(lowest..).count() as u64;
            assert_eq!(window.unseen(lowest, highest), unseen, "after number {number}");
        }
    }
    counts
}

#[test]
fn the_edges_of_the_window_are_where_they_should_be() {
    let top = WINDOW + 10;
    assert_eq!(follow([0, 1, 1, 2]), [2, 1, 1]);
    assert_eq!(follow([top, top - WINDOW, top - WINDOW + 1, top - WINDOW + 1]), [2, 1, 1]);
    assert_eq!(follow([1, 1 + WINDOW, 1, 2, 2 + WINDOW, 2]), [4, 0, 2]);
    assert_eq!(follow([5, u64::MAX, u64::MAX, u64::MAX - WINDOW + 1, u64::MAX - WINDOW, 5]), [3, 1, 2]);
}

#[test]
fn a_bit_is_not_mistaken_for_that_of_a_number_one_turn_earlier() {
    for step in [1, 2, 63, 64, 65, 512, 1023, 1024, 1025, 2048] {
        let [taken, replayed, too_old] = follow((1..=20).map(|i| i * step).chain((1..=20 * step).rev()));
        let top = 20 * step;
        let within = top.min(WINDOW);
        let seen = within.div_ceil(step).min(20);
        assert_eq!((taken as u64, replayed as u64), (20 + within - seen, seen), "steps of {step}");
        assert_eq!(too_old as u64, top - within, "steps of {step}");
    }
}

#[test]
fn a_part_of_the_window_is_counted_too() {
    let mut window = Window::EMPTY;
    for number in (1..=3000).filter(|number| number % 3 != 0) {
        window.mark(number);
    }
    assert_eq!(window.unseen(2001, 2001), 1);
    assert_eq!(window.unseen(2002, 2003), 0);
    for (first, last) in [(1977u64, 3000u64), (2000, 2063), (2047, 2049), (2048, 2111), (2500, 2900)] {
        let last = last.min(window.highest());
        let expected = (first..=last).filter(|number| number % 3 == 0).count() as u64;
        assert_eq!(window.unseen(first, last), expected, "{first} to {last}");
    }
    assert_eq!(window.unseen(2500, 2499), 0);
}

proptest! {
    #[test]
    fn any_order_gives_what_the_set_gives(steps in proptest::collection::vec((0u8..10, 0u64..3000), 1..600)) {
        let mut near = 1u64;
        let numbers = steps.into_iter().map(|(way, by)| {
            near = match way {
                0..5 => near + by % 8,
                5 | 6 => near.saturating_sub(by % 64),
                7 => near + by % 1200,
                8 => near.saturating_sub(by % 1200),
                _ => near + by,
            };
            near
        });
        follow(numbers);
    }
}
