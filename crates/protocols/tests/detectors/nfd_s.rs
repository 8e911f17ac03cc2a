//! NFD-S beside its definition: at every moment, a peer is trusted if and only if a heartbeat was received by then whose
//! number is that of the last freshness point or later.

use crate::effects::p;
use crate::watcher::Watcher;
use proptest::prelude::*;
use watchkeeper_core::Suspicion;
use watchkeeper_protocols::nfd_s::{NfdS, NfdSError, NfdSMsg};

const fn heartbeat(number: u64, numbers: u32) -> NfdSMsg {
    NfdSMsg::Heartbeat { number: (number % numbers as u64) as u32 }
}

/// Whether a peer is trusted at moment `t`, where these numbers arrived at these moments. Before the first freshness point
/// it is.
fn trusted(t: u64, eta: u64, delta: u64, received: &[(u64, u64)]) -> bool {
    let Some(past) = t.checked_sub(delta) else { return true };
    received.iter().any(|&(at, number)| at <= t && number >= past / eta)
}

proptest! {
    /// Every heartbeat has a delay, or is lost. No delay is so long that a number could be misread.
    #[test]
    fn the_definition_is_followed_at_every_moment(
        eta in 1..6u64,
        delta in 0..14u64,
        half in 2..12u64,
        delays in prop::collection::vec(prop::option::of(0..1000u64), 1..40),
    ) {
        let numbers = 2 * half as u32;
        let made = NfdS::with_numbers(2, eta as u32, delta as u32, numbers);
        if delta >= (half - 1) * eta {
            let refused = matches!(made, Err(NfdSError::DeltaTooLong { .. }));
            prop_assert!(refused);
            return Ok(());
        }
        let mut watcher = Watcher::new(made.expect("a detector"));
        let longest = delta + (half + 1) * eta;
        let arrives = |(number, delay): (usize, &Option<u64>)| {
            delay.map(|delay| (number as u64 * eta + delay % longest, number as u64))
        };
        let mut received: Vec<(u64, u64)> = delays.iter().enumerate().filter_map(arrives).collect();
        received.sort_unstable();
        let end = delays.len() as u64 * eta + 2 * longest;
        for t in 0..end {
            for (_, number) in received.iter().filter(|(at, _)| *at == t) {
                watcher.hear(t, p(1), &heartbeat(*number, numbers));
            }
            watcher.pass(t + 1);
            prop_assert_eq!(!watcher.suspects().contains(p(1)), trusted(t, eta, delta, &received), "at {}", t);
        }
    }
}

/// Number 0 of 8 is taken for number 8 once it is more than 5 periods behind its freshness point.
#[test]
fn a_heartbeat_that_is_too_late_is_read_as_a_new_one() {
    for (at, misread) in [(10 + 1 + 5 * 10, false), (10 + 1 + 5 * 10 + 1, true)] {
        let detector = NfdS::with_numbers(2, 10, 11, 8).expect("a detector");
        let mut watcher = Watcher::new(detector);
        watcher.hear(at, p(1), &heartbeat(0, 8));
        assert_eq!(!watcher.suspects().contains(p(1)), misread, "{at}");
    }
}

/// A crash just after a heartbeat that took no time: the suspicion comes with the freshness point of the next one.
#[test]
fn a_crash_is_suspected_after_eta_and_delta() {
    let mut watcher = Watcher::new(NfdS::new(2, 20, 10).expect("a detector"));
    for number in 0..=50 {
        watcher.hear(20 * number, p(1), &heartbeat(number, 256));
    }
    watcher.pass(2000);
    assert_eq!(watcher.announced, [(50 * 20 + 20 + 10, Suspicion::Suspect(p(1)))]);
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(NfdS::new(1, 1, 1), Err(NfdSError::Size { n: 1 }));
    assert_eq!(NfdS::new(2, 0, 1), Err(NfdSError::NoEta));
    let numbered = |numbers| NfdS::with_numbers(2, 4, 3, numbers);
    assert_eq!([2, 7, 1 << 17].map(|numbers| numbered(numbers).is_err()), [true; 3]);
    assert!(numbered(4).is_ok());
    let long = Err(NfdSError::DeltaTooLong { delta: 508, ahead: 508 });
    assert_eq!(NfdS::new(2, 4, 4 * 127), long);
    assert!(NfdS::with_numbers(2, 4, 4 * 127, 258).is_ok(), "as the refusal says, more numbers will do");
}
