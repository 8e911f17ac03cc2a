//! The time for a refutation is at least what it should be, and at most one grain more if the grain divides it, also for those who are suspected
//! while the grains of another suspicion are being counted. A time that has more grains than are counted is refused.

use crate::effects::{Effect, p, start, step};
use crate::{built, plain, small};
use watchkeeper_core::{Input, Member};
use watchkeeper_protocols::lifeguard::Lifeguard;
use watchkeeper_protocols::swim::{
    CarriedNews, FirstMembers, MemberEntry, MemberUpdate, PlainSwim, Swim, SwimConfig, SwimError, SwimMsg,
    SwimOutput, SwimStatus, SwimTimer,
};

fn suspected(member: usize) -> SwimMsg {
    let entry = MemberEntry::new(SwimStatus::Suspected, 0);
    SwimMsg::News { news: CarriedNews(vec![MemberUpdate { member: Member(p(member)), entry, by: None }]) }
}

/// How long p0 waits for refutations of p1, and of p2 which is suspected `later`.
fn waited(config: SwimConfig, later: u32) -> (u32, u32) {
    let grain = config.grain;
    let group = plain(4, config);
    let mut state = start(&group, p(0)).0;
    let (mut now, mut next, mut dead) = (0, None, [None; 3]);
    while dead[1].is_none() || dead[2].is_none() {
        let mut effects = Vec::new();
        if now == 0 {
            effects.extend(step(&group, p(0), &mut state, Input::Receive { from: p(3), msg: &suspected(1) }));
        }
        if now == later {
            effects.extend(step(&group, p(0), &mut state, Input::Receive { from: p(3), msg: &suspected(2) }));
        }
        if next == Some(now) {
            next = None;
            effects.extend(step(&group, p(0), &mut state, Input::Fire(SwimTimer::Suspicions)));
        }
        for effect in effects {
            match effect {
                Effect::Arm(SwimTimer::Suspicions, _) => next = Some(now + grain),
                Effect::Disarm(SwimTimer::Suspicions) => next = None,
                Effect::Emit(SwimOutput::Dead(member, 0)) => dead[member.0.index()] = Some(now),
                _ => {}
            }
        }
        now += 1;
    }
    (dead[1].unwrap_or(0), dead[2].unwrap_or(0) - later)
}

#[test]
fn a_suspect_has_its_time_in_whole_grains_and_at_most_one_more() {
    for grain in 1..=9 {
        let config = SwimConfig { grain, ..small() };
        let least = config.suspicion * config.period;
        for later in 0..60 {
            let (one, other) = waited(config.clone(), later);
            let whole = least.next_multiple_of(grain);
            for time in [one, other] {
                assert!((least..=whole + grain).contains(&time), "grain {grain}, {later} later: {time}");
            }
        }
    }
}

#[test]
fn a_time_to_refute_that_cannot_be_counted_is_refused_with_the_grain_that_can() {
    let config = |grain| SwimConfig { period: 1000, timeout: 500, suspicion: 500, grain, ..small() };
    let refused = Swim::new(3, config(1), PlainSwim).expect_err("500,000 grains");
    assert_eq!(refused, SwimError::Uncountable { longest: 500_000, grain: 1, least: 8 });
    assert!(refused.to_string().contains("choose a grain of at least 8"), "{refused}");
    assert!(Swim::new(3, config(7), PlainSwim).is_err());
    built(3, config(8), PlainSwim);
    // Lifeguard waits six times as long, where there is anybody to confirm a suspicion.
    let guarded = |n, grain| Swim::new(n, config(grain), Lifeguard::new(8, 6, 1));
    assert!(
        guarded(2, 8).is_ok() && guarded(3, 8).is_err() && guarded(3, 45).is_err() && guarded(3, 46).is_ok()
    );
    // Who comes later counts too, up to the largest group: the logarithm of 32,768 is 4.515.
    let seeded = |grain| SwimConfig { start: FirstMembers::Seed, ..config(grain) };
    assert!(Swim::new(3, seeded(34), PlainSwim).is_err());
    assert!(Swim::new(3, seeded(35), PlainSwim).is_ok());
    let most = SwimConfig { period: u32::MAX, suspicion: u32::MAX, ..config(u32::MAX) };
    assert!(Swim::new(32_768, most, Lifeguard::new(8, u32::MAX, 1)).is_err());
}
