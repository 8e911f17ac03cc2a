//! What single processes make of what they hear: when they say that a target is silent, when they have joined, and whose
//! suspicions they pass on.

use crate::effects::{Effect, EffectsOf, p, start, step};
use crate::{guarded, plain, small};
use watchkeeper_core::{Input, Member, Pid, Protocol};
use watchkeeper_protocols::swim::{
    CarriedNews, FirstMembers, MemberEntry, MemberUpdate, ProbeOrder, SwimConfig, SwimMsg, SwimStatus,
    SwimTimer,
};

fn said(member: usize, status: SwimStatus, incarnation: u32, by: Option<usize>) -> MemberUpdate {
    let entry = MemberEntry::new(status, incarnation);
    MemberUpdate { member: Member(p(member)), entry, by: by.map(|by| Member(p(by))) }
}

/// After how long p1 tells p0, and p3 which asks `later`, that p2 has not answered.
fn refused(config: SwimConfig, later: u32) -> [u32; 2] {
    let group = guarded(4, config);
    let mut state = start(&group, p(1)).0;
    let (mut next, mut told) = (None, [None; 2]);
    for now in 0.. {
        let mut effects = Vec::new();
        for (from, at) in [(0, 0), (3, later)] {
            if now == at {
                let msg = SwimMsg::PingReq { target: Member(p(2)), news: CarriedNews::default() };
                effects.extend(step(&group, p(1), &mut state, Input::Receive { from: p(from), msg: &msg }));
            }
        }
        if next == Some(now) {
            next = None;
            effects.extend(step(&group, p(1), &mut state, Input::Fire(SwimTimer::Relays)));
        }
        for effect in effects {
            match effect {
                Effect::Arm(SwimTimer::Relays, bound) => next = Some(now + bound.lo()),
                Effect::Send(to, SwimMsg::Nack { .. }) if to == p(0) => told[0] = Some(now),
                Effect::Send(to, SwimMsg::Nack { .. }) if to == p(3) => told[1] = Some(now - later),
                _ => {}
            }
        }
        if let [Some(one), Some(other)] = told {
            return [one, other];
        }
    }
    unreachable!("both are told")
}

#[test]
fn a_helper_refuses_before_four_fifths_of_the_timeout_are_over() {
    for later in 0..30 {
        let [one, other] = refused(SwimConfig { order: ProbeOrder::Ring, ..SwimConfig::default() }, later);
        assert_eq!(one, 8);
        // With a message of one unit each way it arrives in the period of 20 in which help was asked for at 10.
        assert!((6..=8).contains(&other), "{later} later: {other}");
    }
}

/// Whether p5 still asks for a table in a period after it has received this from p2.
fn still_asks(news: Vec<MemberUpdate>) -> bool {
    let group = plain(6, SwimConfig { start: FirstMembers::Seed, ..small() });
    let mut state = start(&group, p(5)).0;
    let msg = SwimMsg::Table { news: CarriedNews(news) };
    step(&group, p(5), &mut state, Input::Receive { from: p(2), msg: &msg });
    let effects = step(&group, p(5), &mut state, Input::Fire(SwimTimer::Period));
    effects.iter().any(|effect| matches!(effect, Effect::Send(_, SwimMsg::Join { .. })))
}

#[test]
fn a_goodbye_or_a_part_without_its_sender_is_no_table() {
    let (alive, left) = (SwimStatus::Alive, SwimStatus::Left);
    assert!(still_asks(vec![]));
    assert!(still_asks(vec![said(2, left, 0, None)]), "p2 has left");
    assert!(still_asks(vec![said(1, alive, 0, None)]), "there is more");
    assert!(!still_asks(vec![said(1, alive, 0, None), said(2, alive, 0, None)]));
}

#[test]
fn whoever_hands_its_table_over_is_in_the_last_part_of_it() {
    let group = plain(1, SwimConfig { start: FirstMembers::Seed, ..small() });
    let mut state = start(&group, p(0)).0;
    let all = CarriedNews((1..60).map(|member| said(member, SwimStatus::Alive, 0, None)).collect());
    let far = Pid::member(100).expect("a member");
    step(&group, p(0), &mut state, Input::Receive { from: p(1), msg: &SwimMsg::Table { news: all } });
    let more = (60..90)
        .filter_map(Pid::member)
        .map(|member| MemberUpdate { member: Member(member), ..said(1, SwimStatus::Alive, 0, None) });
    let more = SwimMsg::Table { news: CarriedNews(more.collect()) };
    step(&group, p(0), &mut state, Input::Receive { from: p(1), msg: &more });
    let asked = SwimMsg::Join { news: CarriedNews::default() };
    let effects = step(&group, p(0), &mut state, Input::Receive { from: far, msg: &asked });
    let has_sender: Vec<(usize, bool)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Reply(_, SwimMsg::Table { news }) => {
                Some((news.0.len(), news.0.iter().any(|it| it.member == Member(p(0)))))
            }
            _ => None,
        })
        .collect();
    assert_eq!(has_sender, [(64, false), (27, true)]);
}

fn hears<P: Protocol>(group: &P, state: &mut P::State, from: usize, msg: &P::Msg) -> EffectsOf<P> {
    step(group, p(0), state, Input::Receive { from: p(from), msg })
}

#[test]
fn who_suspected_an_earlier_incarnation_does_not_suspect_a_later_one() {
    let group = guarded(5, small());
    let mut state = start(&group, p(0)).0;
    let suspected = said(1, SwimStatus::Suspected, 0, Some(2));
    hears(&group, &mut state, 4, &SwimMsg::News { news: CarriedNews(vec![suspected]) });
    // By a table, which is not passed on.
    let later = said(1, SwimStatus::Suspected, 3, None);
    hears(&group, &mut state, 4, &SwimMsg::Table { news: CarriedNews(vec![later]) });
    let told = step(&group, p(0), &mut state, Input::Fire(SwimTimer::News));
    let accuses = |effect: &Effect<_, _, _>| match effect {
        Effect::Send(_, SwimMsg::News { news }) => news.0.iter().any(|it| it.by == Some(Member(p(2)))),
        _ => false,
    };
    assert!(!told.iter().any(accuses), "{told:?}");
}
