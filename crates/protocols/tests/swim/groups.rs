//! Whole groups: who crashes is found out about, who is alive comes back, whoever comes by the seed is known to all, and
//! whoever leaves has not died.

use crate::effects::p;
use crate::network::{Conditions, Network};
use crate::{guarded, plain, small};
use watchkeeper_core::{Member, Pid};
use watchkeeper_protocols::swim::{
    FirstMembers, Swim, SwimCall, SwimConfig, SwimFlaw, SwimOutput, SwimPolicy, SwimStatus,
};

/// What everyone who is up holds of `of`.
fn held<P: SwimPolicy>(network: &Network<Swim<P>>, of: usize) -> Vec<SwimStatus> {
    let up = (0..network.states.len()).filter(|me| *me != of && !network.down.contains(p(*me)));
    up.map(|me| network.states[me].table().get(Member(p(of))).status()).collect()
}

fn all_hold<P: SwimPolicy>(network: &Network<Swim<P>>, of: usize, status: SwimStatus) -> bool {
    held(network, of).into_iter().all(|held| held == status)
}

fn all_alive<P: SwimPolicy>(network: &Network<Swim<P>>) -> bool {
    (0..network.states.len()).all(|of| all_hold(network, of, SwimStatus::Alive))
}

#[test]
fn a_crash_is_known_to_all_and_nobody_else_is_suspected() {
    for (seed, n) in [(1, 2), (2, 3), (3, 8), (4, 40)] {
        let mut network = Network::new(plain(n, small()), n, Conditions::reliable(0..=1), seed);
        network.run_until(100);
        network.crash(p(n / 2));
        network.run_until(100 + 8 * n as u64 + 100);
        assert!(all_hold(&network, n / 2, SwimStatus::Dead), "{n}: {:?}", held(&network, n / 2));
        let about_others =
            network.announced.iter().filter(|(_, output)| output.about().0 != Member(p(n / 2)));
        assert_eq!(about_others.count(), 0, "{n}");
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
        assert!(after_a_partition(plain(6, small()), seed), "seed {seed}");
        assert!(after_a_partition(guarded(6, small()), seed), "seed {seed}");
        let deaf = SwimConfig { reclaim: false, ..small() };
        assert!(
            !after_a_partition(plain(6, deaf), seed),
            "seed {seed}: nobody asks, and still they come back"
        );
    }
}

#[test]
fn whoever_comes_by_the_seed_is_known_to_all_also_if_much_is_lost() {
    for seed in 0..20 {
        let config = SwimConfig { start: FirstMembers::Seed, ..small() };
        let lossy = Conditions { lost: 10, twice: 5, delay: 0..=1 };
        let mut network = Network::new(plain(30, config), 30, lossy, seed);
        network.run_until(3000);
        network.conditions = Conditions::reliable(0..=1);
        network.run_until(4000);
        assert!(all_alive(&network), "seed {seed}");
        // The seed forgets everybody.
        network.crash(p(0));
        network.run_until(4100);
        network.restart(p(0));
        network.run_until(6000);
        assert!(all_alive(&network), "seed {seed}: {:?}", held(&network, 0));
    }
}

#[test]
fn whoever_leaves_has_left_for_all_and_nobody_declares_it_dead() {
    for seed in 0..20 {
        let mut network = Network::new(plain(12, small()), 12, Conditions::reliable(0..=1), seed);
        network.run_until(100 + seed);
        network.call(p(5), SwimCall::Leave);
        let sent = network.sent;
        network.run_until(101 + seed);
        network.run_until(400);
        assert!(all_hold(&network, 5, SwimStatus::Left), "seed {seed}: {:?}", held(&network, 5));
        assert!(
            network.announced.iter().all(|(_, it)| *it == SwimOutput::Left(Member(p(5)), 0)),
            "seed {seed}"
        );
        assert!(network.sent > sent);
        network.crash(p(5));
        network.restart(p(5));
        network.run_until(800);
        assert!(all_alive(&network), "seed {seed}: {:?}", held(&network, 5));
    }
}

#[test]
fn groups_settle_after_any_losses_and_a_planted_mistake_keeps_them_from_it() {
    let settles = |flaw, seed| {
        let config = SwimConfig { flaw, ..small() };
        let mut network = Network::new(plain(7, config), 7, Conditions::reliable(0..=1), seed);
        network.conditions = Conditions { lost: 60, twice: 10, delay: 0..=6 };
        network.run_until(600);
        network.conditions = Conditions::reliable(0..=1);
        network.run_until(1500);
        all_alive(&network)
    };
    for seed in 0..20 {
        assert!(settles(None, seed), "seed {seed}");
    }
    for flaw in [SwimFlaw::NoRefutation, SwimFlaw::SameIncarnation] {
        assert!((0..20).any(|seed| !settles(Some(flaw), seed)), "{flaw}");
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
