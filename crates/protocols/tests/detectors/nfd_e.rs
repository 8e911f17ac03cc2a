//! NFD-E beside its definition, with a clock: the mean of `A - eta * s` over the window, the expected arrival, and the
//! freshness point.

use crate::effects::p;
use crate::watcher::Watcher;
use proptest::prelude::*;
use watchkeeper_core::Suspicion;
use watchkeeper_protocols::nfd_e::{NfdE, NfdEConfig, NfdEError, NfdEMsg};

const NUMBERS: u32 = 64;

fn heartbeat(number: u64) -> NfdEMsg {
    NfdEMsg::Heartbeat { number: (number % u64::from(NUMBERS)) as u32 }
}

fn detector(eta: u64, alpha: u64, window: usize, grain: u64) -> NfdE {
    let config = NfdEConfig {
        eta: eta as u32,
        alpha: alpha as u32,
        window: window as u32,
        grain: grain as u32,
        numbers: NUMBERS,
    };
    NfdE::new(2, config).expect("a detector")
}

/// The paper's observer of one peer.
struct Literal {
    eta: i64,
    alpha: i64,
    window: usize,
    /// Whether heartbeats by which the newest came too early are taken to be of a life before, which the paper does not have.
    lives: bool,
    /// Times of arrival and numbers of the window, the newest last.
    received: Vec<(i64, i64)>,
    /// From here on it suspects.
    fresh_until: i64,
}

impl Literal {
    fn receive(&mut self, at: i64, number: i64) {
        if self.received.last().is_some_and(|(_, newest)| number <= *newest) {
            return;
        }
        self.received.push((at, number));
        self.received.drain(..self.received.len().saturating_sub(self.window));
        if self.lives {
            let (eta, most) = (self.eta, self.eta + self.alpha);
            self.received.retain(|(before, old)| before + eta * (number - old) - at <= most);
        }
        let sum: i64 = self.received.iter().map(|(at, number)| at - self.eta * number).sum();
        // The mean rounded up, as the whole units of a timer are.
        let mean = -(-sum).div_euclid(self.received.len() as i64);
        self.fresh_until = mean + (number + 1) * self.eta + self.alpha;
    }
}

proptest! {
    /// With a grain of one unit, and messages at whole moments from 1 on, both suspect at the same moments: as the paper has it
    /// where delays vary by no more than eta + alpha, and with the rule about lives before where they vary by more.
    #[test]
    fn the_definition_is_followed_at_every_moment(
        eta in 1..6u64,
        alpha in 0..10u64,
        window in 1..6usize,
        lives in any::<bool>(),
        delays in prop::collection::vec(prop::option::of(0..1000u64), 1..60),
    ) {
        let mut literal =
            Literal { eta: eta as i64, alpha: alpha as i64, window, lives, received: Vec::new(), fresh_until: (eta + alpha) as i64 };
        let mut watcher = Watcher::new(detector(eta, alpha, window, 1));
        let longest = if lives { 30 } else { eta + alpha + 1 };
        let arrives = |(number, delay): (usize, &Option<u64>)| {
            delay.map(|delay| (number as u64 * eta + 1 + delay % longest, number as u64))
        };
        let mut received: Vec<(u64, u64)> = delays.iter().enumerate().filter_map(arrives).collect();
        received.sort_unstable();
        // A silence after which everything is forgotten ends the comparison.
        let gap = received.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap_or(0);
        prop_assume!(gap < eta * (u64::from(NUMBERS) / 2 - 1));
        let end = received.last().map_or(0, |(at, _)| *at) + eta + alpha;
        for t in 0..end {
            for (_, number) in received.iter().filter(|(at, _)| *at == t) {
                watcher.hear(t, p(1), &heartbeat(*number));
                literal.receive(t as i64, *number as i64);
            }
            watcher.pass(t + 1);
            prop_assert_eq!(watcher.suspects().contains(p(1)), t as i64 >= literal.fresh_until, "at {}", t);
        }
    }

    /// With a coarse grain, the freshness point is at most a grain from that of the paper, both rounded up.
    #[test]
    fn a_freshness_point_is_within_a_grain_of_the_paper(
        grain in 1..20u64,
        window in 1..8usize,
        delays in prop::collection::vec(0..60u64, 1..40),
    ) {
        let (eta, alpha) = (100, 80);
        let mut literal = Literal { eta: 100, alpha: 80, window, lives: false, received: Vec::new(), fresh_until: 180 };
        let mut watcher = Watcher::new(detector(eta, alpha, window, grain));
        for (number, delay) in delays.iter().enumerate() {
            let at = number as u64 * eta + delay;
            watcher.hear(at, p(1), &heartbeat(number as u64));
            literal.receive(at as i64, number as i64);
        }
        watcher.pass(10_000);
        let (at, last) = watcher.announced.pop().expect("a suspicion");
        prop_assert_eq!(last, Suspicion::Suspect(p(1)));
        prop_assert!((at as i64 - literal.fresh_until).unsigned_abs() <= grain, "{} for {}", at, literal.fresh_until);
    }
}

/// A peer that starts again counts from 0. Its numbers are old until they pass the last one that was heard, at 220, and then
/// it looks late until three more have come.
#[test]
fn a_peer_that_starts_again_is_trusted_again() {
    let mut watcher = Watcher::new(detector(10, 5, 4, 1));
    for number in 0..10 {
        watcher.hear(10 * number, p(1), &heartbeat(number));
    }
    for number in 0..40 {
        watcher.hear(120 + 10 * number, p(1), &heartbeat(number));
    }
    watcher.pass(515);
    assert_eq!(watcher.announced, [(105, Suspicion::Suspect(p(1))), (250, Suspicion::Trust(p(1)))]);
}

/// Number 0 is a greater one than 50 of 64. The observer does not wait for the moment at which it should have come, 14
/// periods later, when the peer crashes again.
#[test]
fn a_peer_that_starts_again_and_crashes_is_suspected_in_time() {
    for again in [1, 3, 100] {
        let mut watcher = Watcher::new(detector(10, 5, 4, 1));
        for number in 0..=50 {
            watcher.hear(10 * number, p(1), &heartbeat(number));
        }
        for number in 0..again {
            watcher.hear(512 + 10 * number, p(1), &heartbeat(number));
        }
        watcher.pass(10_000);
        let last = 512 + 10 * (again - 1);
        assert_eq!(watcher.announced, [(last + 10 + 5, Suspicion::Suspect(p(1)))]);
    }
}

/// However the numbers jump, and however often.
#[test]
fn nobody_is_trusted_for_longer_than_twice_eta_and_alpha_after_a_heartbeat() {
    let longest = |jump: u64| {
        let mut watcher = Watcher::new(detector(10, 5, 4, 1));
        let (mut number, mut longest) = (0, 0);
        for round in 0..40 {
            let (at, before) = (100 * round, watcher.announced.len());
            for k in 0..5 {
                number += jump;
                watcher.hear(at + k, p(1), &heartbeat(number));
            }
            watcher.pass(at + 100);
            let until =
                watcher.announced[before..].iter().filter(|(_, said)| *said == Suspicion::Suspect(p(1)));
            longest = longest.max(until.map(|(until, _)| until - at - 4).max().unwrap_or(0));
        }
        longest
    };
    let all: Vec<u64> = (1..32).map(longest).collect();
    assert!(all.iter().all(|longest| *longest <= 2 * (10 + 5)), "{all:?}");
    assert!(all.iter().any(|longest| *longest > 10 + 5), "{all:?}");
}

/// One that was silent for 31 periods is forgotten.
#[test]
fn a_peer_that_was_silent_for_long_begins_anew() {
    let mut watcher = Watcher::new(detector(10, 5, 4, 1));
    for number in 0..10 {
        watcher.hear(10 * number, p(1), &heartbeat(number));
    }
    watcher.hear(399, p(1), &heartbeat(3));
    assert_eq!(watcher.announced, [(105, Suspicion::Suspect(p(1)))], "number 3 is an old one");
    watcher.hear(400, p(1), &heartbeat(3));
    assert_eq!(watcher.announced[1..], [(400, Suspicion::Trust(p(1)))]);
}

#[test]
fn what_cannot_be_is_refused() {
    let good = NfdEConfig { eta: 10, alpha: 5, window: 4, grain: 1, numbers: 8 };
    let refused = |config| NfdE::new(2, config).err();
    assert_eq!(refused(good), None);
    assert_eq!(refused(NfdEConfig { eta: 0, ..good }), Some(NfdEError::NoEta));
    assert_eq!(refused(NfdEConfig { grain: 11, ..good }), Some(NfdEError::Grain { eta: 10 }));
    assert_eq!(refused(NfdEConfig { window: 0, ..good }), Some(NfdEError::Window { window: 0 }));
    assert_eq!(refused(NfdEConfig { numbers: 5, ..good }), Some(NfdEError::Numbers { numbers: 5 }));
    assert_eq!(refused(NfdEConfig { alpha: 30, ..good }), Some(NfdEError::AlphaTooLong { most: 30 }));
    assert_eq!(refused(NfdEConfig { eta: u32::MAX, ..good }), Some(NfdEError::EtaTooLong { numbers: 8 }));
    assert_eq!(NfdE::new(1, good), Err(NfdEError::Size { n: 1 }));
}
