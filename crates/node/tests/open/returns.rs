//! Members that come back, seeds that have forgotten, names and numbers that two want.

use crate::field::{Field, key, member};
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_node::{JoinFailure, NodeEventKind};

/// A seed and four members, all of which know each other.
fn five() -> Field {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    for port in 1..5 {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
    }
    field.run(4000);
    assert!((0..5).all(|place| field.number(place).is_some() && field.known(place).len() == 4));
    field
}

fn incarnation(field: &Field, place: usize, of: &str) -> Option<u64> {
    let status = field.places[place].node.status(field.now);
    let peer = status.peers.into_iter().find(|peer| peer.name.as_deref() == Some(of))?;
    peer.found.then_some(peer.incarnation)
}

#[test]
fn who_comes_back_has_its_number_again_in_a_new_incarnation() {
    let mut field = five();
    let number = field.number(2);
    let before = field.places[2].node.incarnation();
    field.kill(2);
    field.run(500);
    let again = field.start(member("m2", 7002, &[7000], false));
    field.run(3000);
    assert_eq!(field.number(again), number);
    let now = field.places[again].node.incarnation();
    assert_ne!(now, before);
    for place in [0, 1, 3, 4] {
        assert_eq!(incarnation(&field, place, "m2"), Some(now), "{place} talks to the new incarnation");
    }
}

#[test]
fn who_comes_back_elsewhere_has_its_number_again_once_the_old_one_is_silent() {
    let mut field = five();
    let number = field.number(3);
    field.kill(3);
    let again = field.start(member("m3", 7099, &[7000], false));
    field.run(5000);
    assert_eq!(field.number(again), number);
    assert!(
        (0..3).all(|place| incarnation(&field, place, "m3") == Some(field.places[again].node.incarnation()))
    );
}

#[test]
fn a_name_that_is_in_use_is_refused() {
    let mut field = five();
    let second = field.start(member("m3", 7099, &[7000], false));
    field.run(3000);
    assert_eq!(field.failure(second), Some(JoinFailure::NameInUse("m3".parse().expect("a name"))));
    assert!(field.places[second].node.has_ended());
    assert!(field.number(3).is_some() && field.failure(3).is_none(), "the first one stays");
}

/// A seed that starts again alone is told of all members before it gives out a number.
#[test]
fn a_seed_that_has_forgotten_learns_all_again() {
    let mut field = five();
    field.kill(0);
    let seed = field.start(member("seed", 7000, &[], true));
    let late = field.start(member("late", 7005, &[7000], false));
    field.run(8000);
    assert_eq!((field.number(seed), field.number(late)), (Some(Pid::at(0)), Some(Pid::at(5))));
    assert_eq!(field.known(seed).len(), 5);
    let now = field.places[seed].node.incarnation();
    assert!([1, 2, 3, 4, late].iter().all(|place| incarnation(&field, *place, "seed") == Some(now)));
}

/// A seed that hears nobody for a while gives out numbers that others have. Whoever was first keeps its number.
#[test]
fn of_two_with_one_number_the_first_keeps_it() {
    let mut field = five();
    field.kill(0);
    // While the seed is away nobody hears it, so it does not learn whom there is.
    let cut: Vec<usize> = (1..5).collect();
    cut.iter().for_each(|place| field.places[*place].is_dead = true);
    let seed = field.start(member("seed", 7000, &[], true));
    let late = field.start(member("late", 7005, &[7000], false));
    field.run(4000);
    assert_eq!(field.number(late), Some(Pid::at(1)), "the seed knows of no other");
    cut.iter().for_each(|place| field.places[*place].is_dead = false);
    field.run(6000);
    assert_eq!(field.failure(late), Some(JoinFailure::NumberTaken(Pid::at(1))));
    assert!(field.places[late].node.has_ended());
    assert!(cut.iter().all(|place| field.number(*place).is_some() && field.failure(*place).is_none()));
    // Started again, it gets another.
    let again = field.start(member("late", 7005, &[7000], false));
    field.run(4000);
    assert_eq!(field.number(again), Some(Pid::at(5)));
    assert_eq!(field.known(seed).len(), 5);
}

#[test]
fn a_join_to_nobody_is_told_and_given_up() {
    let mut field = Field::default();
    let alone = field.start_with(member("m1", 7001, &[7000], false), key(7), Duration::from_secs(9));
    field.run(8500);
    let asking = |event: &&watchkeeper_node::NodeEvent<_>| {
        matches!(event.kind, NodeEventKind::Asking { answers: 0, .. })
    };
    assert_eq!(field.places[alone].events.iter().filter(asking).count(), 4, "every two seconds");
    assert_eq!(field.failure(alone), None);
    field.run(1000);
    assert!(matches!(field.failure(alone), Some(JoinFailure::Unanswered(_))));
    assert!(field.places[alone].node.has_ended() && field.places[alone].records.is_empty());
}
