//! The time for a refutation is at least what it should be, and at most one grain more if the grain divides it, also for those who are suspected
//! while the grains of another suspicion are being counted.

use crate::effects::{Effect, p, start, step};
use crate::{plain, small};
use watchkeeper_core::{Input, Member};
use watchkeeper_protocols::swim::{
    CarriedNews, MemberEntry, MemberUpdate, SwimConfig, SwimMsg, SwimOutput, SwimStatus, SwimTimer,
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
