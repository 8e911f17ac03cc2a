//! Whole groups: who crashes is found out about, who is alive comes back, whoever comes by the seed is known to all, and
//! whoever leaves has not died.

use crate::effects::{Effect, p, start_with};
use crate::network::{Conditions, Network};
use crate::{guarded, ordered, plain, small};
use watchkeeper_core::{Meaning, Member, Pid, ProcSet, Protocol};
use watchkeeper_protocols::swim::{
    FirstMembers, ProbeOrder, SuspectSet, Swim, SwimCall, SwimConfig, SwimFlaw, SwimOutput, SwimPolicy,
    SwimStatus, SwimTimer,
};

/// Auto is the order of the ring or at random, as the group is small or large.
const ORDERS: [ProbeOrder; 3] = [ProbeOrder::Auto, ProbeOrder::Ring, ProbeOrder::Random];

/// What everyone who is up holds of `of`.
fn held<P: SwimPolicy>(network: &Network<Swim<P>>, of: usize) -> Vec<SwimStatus> {
    let up = (0..network.states.len()).filter(|me| *me != of && !network.down.contains(p(*me)));
    up.map(|me| network.states[me].table().get(Member(p(of))).status()).collect()
}

fn all_hold<P: SwimPolicy>(network: &Network<Swim<P>>, of: usize, status: SwimStatus) -> bool {
    held(network, of).into_iter().all(|held| held == status)
}

fn all_alive<P: SwimPolicy>(network: &Network<Swim<P>>) -> bool {
    let mut up = (0..network.states.len()).filter(|me| !network.down.contains(p(*me)));
    up.all(|of| all_hold(network, of, SwimStatus::Alive))
}

#[test]
fn a_crash_is_known_to_all_and_nobody_else_is_suspected() {
    let groups = [2, 3, 8, 12, 40].into_iter().flat_map(|n| ORDERS.map(|order| (n, order)));
    for ((n, order), seed) in groups.zip(1..) {
        let mut network = Network::new(plain(n, ordered(order)), n, Conditions::reliable(0..=1), seed);
        network.run_until(100);
        network.crash(p(n / 2));
        network.run_until(100 + 8 * n as u64 + 100);
        assert!(all_hold(&network, n / 2, SwimStatus::Dead), "{n}, {order}: {:?}", held(&network, n / 2));
        let about_others =
            network.announced.iter().filter(|(_, output)| output.about().0 != Member(p(n / 2)));
        assert_eq!(about_others.count(), 0, "{n}, {order}");
    }
}

#[test]
fn whoever_starts_again_without_a_memory_comes_back_in_a_new_incarnation() {
    let mut network = Network::new(plain(5, small()), 5, Conditions::reliable(0..=1), 7);
    network.crash(p(2));
    network.run_until(200);
    assert!(all_hold(&network, 2, SwimStatus::Dead));
    network.restart(p(2));
    network.run_until(400);
    assert!(all_alive(&network), "{:?}", held(&network, 2));
    assert_eq!(network.states[0].table().get(Member(p(2))).incarnation(), 1);
    assert!(network.announced.contains(&(p(0), SwimOutput::Back(Member(p(2)), 1))));
}

/// Both halves declare each other dead; then the network heals, and so do they, unless nobody asks the dead.
fn after_a_partition<P: SwimPolicy>(group: Swim<P>, seed: u64) -> bool {
    let mut network = Network::new(group, 6, Conditions::reliable(0..=1), seed);
    network.sides = vec![0, 0, 1, 1, 1, 0];
    network.run_until(400);
    assert!(all_hold_each_other_dead(&network));
    network.sides = vec![0; 6];
    network.run_until(1000);
    all_alive(&network)
}

fn all_hold_each_other_dead<P: SwimPolicy>(network: &Network<Swim<P>>) -> bool {
    Pid::all(6).all(|me| {
        let sides = &network.sides;
        let table = network.states[me.index()].table();
        Pid::all(6).all(|of| {
            let together = sides[me.index()] == sides[of.index()];
            (table.get(Member(of)).status() == SwimStatus::Alive) == together
        })
    })
}

#[test]
fn halves_that_hold_each_other_for_dead_find_together_again_if_they_ask_the_dead() {
    for seed in 0..20 {
        for order in ORDERS {
            assert!(after_a_partition(plain(6, ordered(order)), seed), "seed {seed}, {order}");
            assert!(after_a_partition(guarded(6, ordered(order)), seed), "seed {seed}, {order}");
        }
        let deaf = SwimConfig { reclaim: false, ..small() };
        assert!(
            !after_a_partition(plain(6, deaf), seed),
            "seed {seed}: nobody asks, and still they come back"
        );
    }
}

/// The halves of a group declare each other dead, and of each half the first crashes; then the network heals.
fn after_a_partition_with_crashes(n: usize, order: ProbeOrder, seed: u64) -> bool {
    let mut network = Network::new(plain(n, ordered(order)), n, Conditions::reliable(0..=1), seed);
    network.sides = (0..n).map(|me| (2 * me / n) as u64).collect();
    network.run_until(60 * n as u64);
    network.crash(p(0));
    network.crash(p(n / 2));
    network.run_until(120 * n as u64);
    network.sides = vec![0; n];
    network.run_until(180 * n as u64);
    all_alive(&network)
}

#[test]
fn halves_find_together_also_if_those_whom_they_would_ask_first_are_really_dead() {
    for seed in 0..10 {
        for order in ORDERS {
            for n in [4, 6, 8, 12, 20] {
                assert!(after_a_partition_with_crashes(n, order, seed), "{n}, {order}, seed {seed}");
            }
        }
    }
}

#[test]
fn whoever_comes_by_the_seed_is_known_to_all_also_if_much_is_lost() {
    for (seed, order) in (0..18).zip(ORDERS.into_iter().cycle()) {
        let config = SwimConfig { start: FirstMembers::Seed, ..ordered(order) };
        let lossy = Conditions { lost: 10, twice: 5, delay: 0..=1 };
        let mut network = Network::new(plain(30, config), 30, lossy, seed);
        network.run_until(3000);
        network.conditions = Conditions::reliable(0..=1);
        network.run_until(4000);
        assert!(all_alive(&network), "seed {seed}, {order}");
        // The seed forgets everybody.
        network.crash(p(0));
        network.run_until(4100);
        network.restart(p(0));
        network.run_until(6000);
        assert!(all_alive(&network), "seed {seed}, {order}: {:?}", held(&network, 0));
    }
}

/// The seed is down, and others come by another member: all of them are known to all, and so is the seed when it is back.
#[test]
fn whoever_comes_by_another_member_is_known_to_all_without_the_seed() {
    for seed in 0..20 {
        let config = SwimConfig { start: FirstMembers::Seed, ..small() };
        let lossy = Conditions { lost: 10, twice: 5, delay: 0..=1 };
        let mut network = Network::new(plain(6, config), 6, lossy, seed);
        [4, 5].into_iter().for_each(|late| network.crash(p(late)));
        network.run_until(1000);
        network.crash(p(0));
        network.run_until(1200);
        for late in [4, 5] {
            network.restart(p(late));
            network.call(p(late), SwimCall::Meet(Member(p(1))));
        }
        network.run_until(1300);
        network.conditions = Conditions::reliable(0..=1);
        network.run_until(2000);
        for member in 1..6 {
            assert!(
                all_hold(&network, member, SwimStatus::Alive),
                "seed {seed}: {:?}",
                held(&network, member)
            );
        }
        network.crash(p(4));
        network.run_until(2500);
        assert!(all_hold(&network, 4, SwimStatus::Dead), "seed {seed}: {:?}", held(&network, 4));
        [0, 4].into_iter().for_each(|back| network.restart(p(back)));
        network.run_until(3500);
        assert!(all_alive(&network), "seed {seed}: {:?}", held(&network, 0));
    }
}

/// Who has a table needs no other.
#[test]
fn whoever_has_a_table_asks_for_none() {
    let mut network = Network::new(plain(4, small()), 4, Conditions::reliable(0..=1), 1);
    let sent = network.sent;
    network.call(p(2), SwimCall::Meet(Member(p(1))));
    assert_eq!(network.sent, sent);
}

#[test]
fn whoever_leaves_has_left_for_all_and_nobody_declares_it_dead() {
    for (seed, order) in (0..18).zip(ORDERS.into_iter().cycle()) {
        let mut network = Network::new(plain(12, ordered(order)), 12, Conditions::reliable(0..=1), seed);
        network.run_until(100 + seed);
        let sent = network.sent;
        network.call(p(5), SwimCall::Leave);
        // Four times the digits of the number of those who take part.
        assert_eq!(network.sent - sent, 8, "seed {seed}, {order}");
        network.run_until(102 + seed);
        while network.now < 400 {
            assert!(
                network.in_flight.iter().all(|it| it.from != p(5)),
                "seed {seed}: who has left is silent"
            );
            network.turn();
        }
        assert!(all_hold(&network, 5, SwimStatus::Left), "seed {seed}, {order}: {:?}", held(&network, 5));
        assert!(
            network.announced.iter().all(|(_, it)| *it == SwimOutput::Left(Member(p(5)), 0)),
            "seed {seed}, {order}"
        );
        network.crash(p(5));
        network.restart(p(5));
        network.run_until(800);
        assert!(all_alive(&network), "seed {seed}, {order}: {:?}", held(&network, 5));
    }
}

#[test]
fn groups_settle_after_any_losses_and_a_planted_mistake_keeps_them_from_it() {
    let settles = |flaw, order, seed| {
        let config = SwimConfig { flaw, ..ordered(order) };
        let mut network = Network::new(plain(7, config), 7, Conditions::reliable(0..=1), seed);
        network.conditions = Conditions { lost: 60, twice: 10, delay: 0..=6 };
        network.run_until(600);
        network.conditions = Conditions::reliable(0..=1);
        network.run_until(1500);
        all_alive(&network)
    };
    for order in ORDERS {
        for seed in 0..20 {
            assert!(settles(None, order, seed), "seed {seed}, {order}");
        }
        for flaw in [SwimFlaw::NoRefutation, SwimFlaw::SameIncarnation] {
            assert!((0..20).any(|seed| !settles(Some(flaw), order, seed)), "{flaw}, {order}");
        }
    }
}

/// Whom each process suspects, by what it has announced.
fn announced_suspects<P: SwimPolicy>(network: &Network<Swim<P>>, me: Pid) -> ProcSet {
    let mut suspects = ProcSet::EMPTY;
    for (_, output) in network.announced.iter().filter(|(by, _)| *by == me) {
        match network.protocol.meaning(output) {
            Meaning::Suspects(who) => {
                assert!(!suspects.contains(who), "{me} suspects {who} twice: {output:?}");
                suspects.insert(who);
            }
            Meaning::Trusts(who) => suspects.remove(who),
            _ => {}
        }
    }
    suspects
}

#[test]
fn what_is_announced_is_who_is_suspected_whichever_members_count() {
    for (seed, order) in (0..30).zip(ORDERS.into_iter().cycle()) {
        let mut largest = [0; 2];
        for (suspects, largest) in [SuspectSet::Dead, SuspectSet::Suspected].into_iter().zip(&mut largest) {
            let config = SwimConfig { suspects, ..ordered(order) };
            let lossy = Conditions { lost: 50, twice: 5, delay: 0..=4 };
            let mut network = Network::new(plain(9, config), 9, lossy, seed);
            for time in 1..60 {
                network.run_until(10 * time);
                if time == 20 {
                    network.crash(p(3));
                }
                if time == 30 {
                    network.call(p(6), SwimCall::Leave);
                }
                for me in Pid::all(9) {
                    let held = network.protocol.suspects(me, &network.states[me.index()]);
                    assert_eq!(
                        announced_suspects(&network, me),
                        held,
                        "{me} at {}, seed {seed}",
                        network.now
                    );
                    *largest += held.len();
                }
            }
        }
        assert!(largest[0] > 0 && largest[1] > largest[0], "seed {seed}: {largest:?}");
    }
}

#[test]
fn messages_stay_below_a_datagram_however_many_members_there_are() {
    let config = SwimConfig { start: FirstMembers::Seed, gossip: 64, ..small() };
    let mut network = Network::new(plain(64, config), 64, Conditions::reliable(0..=1), 3);
    for _ in 0..200 {
        network.turn();
        let longest = network.in_flight.iter().map(|it| watchkeeper_core::packed(&it.msg).len()).max();
        assert!(longest.unwrap_or(0) <= 1000, "{longest:?}");
    }
}

/// If first moments were drawn, a model of forty members would begin in as many states as forty dice can show.
#[test]
fn a_large_group_starts_in_one_way_and_spread_over_a_period() {
    for order in [ProbeOrder::Auto, ProbeOrder::Random] {
        let group = plain(40, SwimConfig { order, ..SwimConfig::default() });
        let mut first = [0; 21];
        for me in Pid::all(40) {
            let (_, effects) = start_with(&group, me, &mut |_| panic!("{me} leaves something to chance"));
            let armed = effects.iter().find_map(|effect| match effect {
                Effect::Arm(SwimTimer::Period, bound) => Some(bound.lo()),
                _ => None,
            });
            first[armed.expect("a first probe") as usize] += 1;
        }
        assert!(first[0] == 0 && first[1..].iter().all(|members| *members <= 4), "{order}: {first:?}");
    }
}
