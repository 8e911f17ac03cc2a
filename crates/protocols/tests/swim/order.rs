//! Whom a process turns to: in either order it comes to every member before it comes to one again, finds those who can help
//! however few they are among the dead, and asks all of the dead in turn.

use crate::effects::{Effect, EffectsOf, p, start_with, step_with};
use crate::network::Dice;
use crate::{ordered, plain, small};
use std::collections::BTreeSet;
use watchkeeper_core::{Input, Member, Pid, Protocol};
use watchkeeper_protocols::swim::{
    CarriedNews, FirstMembers, MemberEntry, MemberUpdate, ProbeOrder, Swim, SwimConfig, SwimMsg, SwimStatus,
    SwimTimer,
};

/// Who is probed, and what it is told.
type Told = (usize, CarriedNews);

/// One process, whose probes are all answered, and its choices.
struct Prober {
    group: Swim,
    me: Pid,
    state: <Swim as Protocol>::State,
    dice: Dice,
}

impl Prober {
    fn new(group: Swim, me: usize, seed: u64) -> Prober {
        let mut dice = Dice(seed);
        let state = start_with(&group, p(me), &mut |ways| dice.index(ways)).0;
        Prober { group, me: p(me), state, dice }
    }

    fn gives(&mut self, input: Input<'_, Swim>) -> EffectsOf<Swim> {
        let Prober { group, me, state, dice } = self;
        step_with(group, *me, state, input, &mut |ways| dice.index(ways))
    }

    fn fires(&mut self, timer: SwimTimer) -> EffectsOf<Swim> {
        self.gives(Input::Fire(timer))
    }

    /// It hears of each of these members that it has this status in incarnation 0.
    fn hears(&mut self, members: impl Iterator<Item = usize>, status: SwimStatus) {
        let entry = MemberEntry::new(status, 0);
        let news = members.map(|number| MemberUpdate { member: member(number), entry, by: None });
        for one in news {
            let msg = SwimMsg::Table { news: CarriedNews(vec![one]) };
            let from = p(if self.me == p(0) { 1 } else { 0 });
            self.gives(Input::Receive { from, msg: &msg });
        }
    }

    /// A period begins, and its probe is answered: what goes to whom of the dead, and to its target.
    fn tells(&mut self) -> (Vec<Told>, Option<Told>) {
        let asked = self.fires(SwimTimer::Period).into_iter().filter_map(|effect| match effect {
            Effect::Send(to, SwimMsg::Ping { news, .. }) => Some((to.index(), news)),
            _ => None,
        });
        let table = self.state.table().clone();
        let dead = |(to, _): &Told| table.get(member(*to)).status() == SwimStatus::Dead;
        let (dead, mut up): (Vec<_>, Vec<_>) = asked.partition(dead);
        let target = up.pop();
        assert_eq!(up, []);
        if let Some((to, _)) = &target {
            let news = CarriedNews::default();
            let msg = SwimMsg::Ack { target: member(*to), origin: Member(self.me), news };
            self.gives(Input::Receive { from: p_of(*to), msg: &msg });
        }
        (dead, target)
    }

    /// A period begins, and its probe is answered: whom it asks of the dead, and its target.
    fn asks(&mut self) -> (Vec<usize>, Option<usize>) {
        let (dead, target) = self.tells();
        (dead.into_iter().map(|(to, _)| to).collect(), target.map(|(to, _)| to))
    }
}

fn member(number: usize) -> Member {
    Member(Pid::member(number).expect("a member"))
}

fn p_of(number: usize) -> Pid {
    member(number).0
}

fn pinged(effects: &EffectsOf<Swim>) -> impl Iterator<Item = Pid> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Send(to, SwimMsg::Ping { .. }) => Some(*to),
        _ => None,
    })
}

#[test]
fn every_member_is_probed_once_before_one_is_probed_again() {
    for order in [ProbeOrder::Ring, ProbeOrder::Random] {
        for n in [2, 3, 8, 12, 41] {
            let mut prober = Prober::new(plain(n, ordered(order)), n / 2, n as u64);
            let gone: Vec<usize> = [5, 7].into_iter().filter(|gone| *gone < n).collect();
            let live: BTreeSet<usize> = (0..n).filter(|it| *it != n / 2 && !gone.contains(it)).collect();
            prober.hears(gone.iter().copied().take(1), SwimStatus::Dead);
            prober.hears(gone.iter().copied().skip(1), SwimStatus::Left);
            let mut laps = BTreeSet::new();
            for _ in 0..50 {
                let lap: Vec<usize> = live.iter().filter_map(|_| prober.asks().1).collect();
                assert_eq!(lap.iter().copied().collect::<BTreeSet<usize>>(), live, "{order} of {n}: {lap:?}");
                laps.insert(lap);
            }
            let many = order == ProbeOrder::Random && n > 3;
            assert_eq!(laps.len() > 4, many, "{order} of {n}: {} orders", laps.len());
        }
    }
}

#[test]
fn helpers_and_hearers_are_found_however_few_are_alive() {
    for seed in 0..300 {
        let config = SwimConfig { start: FirstMembers::Seed, ..ordered(ProbeOrder::Auto) };
        let mut prober = Prober::new(plain(1, config), 0, seed);
        prober.hears((1..200).filter(|it| it % 20 != 1), SwimStatus::Left);
        prober.hears((1..200).filter(|it| it % 20 == 1), SwimStatus::Alive);
        let live: BTreeSet<Pid> = (1..200).filter(|it| it % 20 == 1).map(p_of).collect();
        let target = pinged(&prober.fires(SwimTimer::Period)).next().expect("a target");
        let helpers: BTreeSet<Pid> = to(
            &prober.fires(SwimTimer::Direct),
            |msg| matches!(msg, SwimMsg::PingReq { target: of, .. } if of.0 == target),
        );
        assert_eq!(helpers.len(), 3, "seed {seed}");
        assert!(helpers.is_subset(&live) && !helpers.contains(&target), "seed {seed}: {helpers:?}");
        // It suspects the target, and tells others.
        prober.fires(SwimTimer::Period);
        let hearers = to(&prober.fires(SwimTimer::News), |msg| matches!(msg, SwimMsg::News { .. }));
        assert_eq!(hearers.len(), 3, "seed {seed}");
        assert!(hearers.is_subset(&live), "seed {seed}: {hearers:?}");
    }
}

/// Those to whom such a message goes.
fn to(effects: &EffectsOf<Swim>, such: impl Fn(&SwimMsg) -> bool) -> BTreeSet<Pid> {
    let goes = |effect: &Effect<_, _, _>| match effect {
        Effect::Send(to, msg) if such(msg) => Some(*to),
        _ => None,
    };
    effects.iter().filter_map(goes).collect()
}

#[test]
fn of_a_traversal_that_is_over_nothing_is_remembered() {
    // Both come to p1 and p2 in turn, one of them backwards, and end there.
    let after = |picks: [usize; 2], targets: [usize; 2]| {
        let mut prober = Prober::new(plain(3, ordered(ProbeOrder::Random)), 0, 1);
        let mut picks = picks.into_iter();
        for target in targets {
            let Prober { group, state, .. } = &mut prober;
            let chosen = &mut |_: usize| picks.next().expect("two choices");
            let effects = step_with(group, p(0), state, Input::Fire(SwimTimer::Period), chosen);
            assert_eq!(pinged(&effects).collect::<Vec<Pid>>(), [p(target)]);
            let news = CarriedNews::default();
            let msg = SwimMsg::Ack { target: member(target), origin: member(0), news };
            prober.gives(Input::Receive { from: p(target), msg: &msg });
        }
        prober.state
    };
    assert_eq!(after([0, 0], [1, 2]), after([0, 1], [2, 1]));
}

#[test]
fn one_of_the_dead_is_asked_in_each_period_and_all_in_turn() {
    for order in [ProbeOrder::Ring, ProbeOrder::Random] {
        let mut prober = Prober::new(plain(40, ordered(order)), 4, 7);
        assert_eq!(prober.asks().0, []);
        prober.hears([3, 11, 12, 13, 39].into_iter(), SwimStatus::Dead);
        for _ in 0..30 {
            let asked: Vec<Vec<usize>> = (0..5).map(|_| prober.asks().0).collect();
            assert_eq!(asked, [[3], [11], [12], [13], [39]], "{order}");
        }
        // Who is asked next comes back, and then all but one.
        prober.hears([3].into_iter(), SwimStatus::Left);
        assert_eq!(prober.asks().0, [3], "{order}: who is dead has not left");
        let back = |prober: &mut Prober, number| {
            let entry = MemberEntry::new(SwimStatus::Alive, 1);
            let news = CarriedNews(vec![MemberUpdate { member: member(number), entry, by: None }]);
            prober.gives(Input::Receive { from: p(0), msg: &SwimMsg::News { news } });
        };
        back(&mut prober, 11);
        back(&mut prober, 39);
        let asked: Vec<Vec<usize>> = (0..4).map(|_| prober.asks().0).collect();
        assert_eq!(asked, [[12], [13], [3], [12]], "{order}");
        [3, 12, 13].into_iter().for_each(|number| back(&mut prober, number));
        assert_eq!((0..40).map(|_| prober.asks().0.len()).sum::<usize>(), 0, "{order}");
    }
}

#[test]
fn the_dead_are_told_that_they_are_and_take_no_news_from_others() {
    let mut prober = Prober::new(plain(4, small()), 0, 1);
    prober.hears([2].into_iter(), SwimStatus::Dead);
    let news = CarriedNews(vec![MemberUpdate {
        member: member(3),
        entry: MemberEntry::new(SwimStatus::Alive, 5),
        by: None,
    }]);
    prober.gives(Input::Receive { from: p(3), msg: &SwimMsg::News { news } });
    let about = |news: &CarriedNews| news.0.iter().map(|it| it.member.0.index()).collect::<Vec<usize>>();
    let mut heard = 0;
    for _ in 0..6 {
        let (dead, target) = prober.tells();
        let dead: Vec<(usize, Vec<usize>)> = dead.iter().map(|(to, news)| (*to, about(news))).collect();
        assert_eq!(dead, [(2, vec![2])]);
        heard += usize::from(target.is_some_and(|(_, news)| about(&news).contains(&3)));
    }
    assert_eq!(heard, 4, "whenever it is sent it goes to somebody who may hear it");
}
