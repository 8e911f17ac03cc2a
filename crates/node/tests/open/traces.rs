//! What joining leaves behind: nothing of numbers that were not taken, of members that died at once, of greetings that came
//! to nothing. And how it goes where the way is long.

use crate::field::{Field, MS, address, key, member};
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_node::{ClusterKey, JoinFailure, KeyId, KeyRing, OpenMember};

/// A seed and so many members whose numbers are their places.
fn cluster(members: u16) -> Field {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    field.run(3100);
    for port in 1..=members {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
        field.run(100);
    }
    field.run(3000);
    field
}

#[test]
fn nodes_join_where_a_round_trip_takes_longer_than_until_the_next_request() {
    let mut field = Field { delay: 400 * MS, ..Field::default() };
    field.start(member("seed", 7000, &[], true));
    let far = field.start(member("m1", 7001, &[7000], false));
    field.run(8000);
    assert_eq!(field.number(far), Some(Pid::at(1)));
}

#[test]
fn a_seed_that_gives_a_number_and_is_silent_then_is_told_as_that() {
    let mut field = cluster(0);
    let patience = Duration::from_secs(3);
    let lost = field.start_with(member("m1", 7001, &[7000], false), key(7), patience);
    // The request and its answer.
    field.run(3);
    field.kill(0);
    field.run(4000);
    assert!(matches!(field.failure(lost), Some(JoinFailure::NoSession(_))), "{:?}", field.failure(lost));
}

#[test]
fn a_node_that_is_given_another_number_has_no_other() {
    let mut field = Field::default();
    let seeds = [7000, 7001];
    field.start(member("s0", 7000, &seeds, true));
    field.start(member("s1", 7001, &seeds, true));
    field.run(4000);
    let joiner = field.start(member("j", 7002, &seeds, false));
    // The first answers with a number, and is not heard any more.
    field.run(3);
    field.cut = vec![7000];
    field.run(5000);
    assert_eq!(field.number(joiner), Some(Pid::at(3)));
    field.cut.clear();
    field.run(5000);
    for place in 0..2 {
        assert_eq!(field.known(place).iter().filter(|name| *name == "j").count(), 1, "{place}");
    }
}

/// It comes back while the seed knows of nobody, so it gets another number, and the first one is over.
#[test]
fn a_member_that_comes_back_under_another_number_has_left_the_first() {
    let mut field = cluster(3);
    field.kill(0);
    field.kill(3);
    field.cut = vec![7001, 7002];
    let seed = field.start(member("seed", 7000, &[], true));
    let again = OpenMember { wish: Pid::new(9), ..member("m3", 7003, &[7000], false) };
    let again = field.start(again);
    field.run(4000);
    assert_eq!(field.number(again), Some(Pid::at(9)));
    field.cut.clear();
    field.run(8000);
    for place in [1, 2, seed] {
        assert_eq!(field.known(place).iter().filter(|name| *name == "m3").count(), 1, "{place}");
    }
}

/// Others greet it and send it messages as soon as it says its number.
#[test]
fn a_member_that_comes_back_begins_when_the_seed_has_let_it_in() {
    let mut field = cluster(2);
    field.kill(1);
    let again = field.start(member("m1", 7001, &[7000], false));
    // The seed answers, and is not heard any more.
    field.run(3);
    field.cut = vec![7000];
    field.run(4000);
    assert_eq!((field.places[again].node.process(), field.number(again)), (Some(Pid::at(1)), None));
    field.cut.clear();
    field.run(4000);
    assert_eq!(field.number(again), Some(Pid::at(1)));
}

/// Two that ask two seeds at the same time get two numbers. The one that was there first stays.
#[test]
fn of_two_members_of_one_name_one_stays() {
    let mut field = Field::default();
    let seeds = [7000, 7001];
    field.start(member("s0", 7000, &seeds, true));
    field.start(member("s1", 7001, &seeds, true));
    field.run(4000);
    let first = field.start(member("m", 7002, &[7000], false));
    field.run(1);
    let second = field.start(member("m", 7003, &[7001], false));
    field.run(5000);
    assert!(field.number(first).is_some() && field.failure(first).is_none());
    assert!(matches!(field.failure(second), Some(JoinFailure::NameInUse(_))), "{:?}", field.failure(second));
}

/// No protocol that has never heard of it suspects it.
#[test]
fn a_member_that_is_silent_for_hours_is_gone() {
    let mut field = cluster(4);
    field.kill(2);
    field.sleep(4 * 3600);
    field.run(2000);
    for place in [0, 1, 3, 4] {
        assert_eq!(field.known(place).len(), 3, "{place}: {:?}", field.known(place));
        assert!(!field.known(place).contains(&"m2".to_string()));
    }
}

/// What was said under a key that is gone is doubted, but not who has left.
#[test]
fn whoever_has_left_has_left_when_keys_are_replaced() {
    let mut field = cluster(2);
    field.leave(2);
    field.run(2000);
    assert_eq!(field.known(0), ["m1"]);
    let now = field.now;
    let other = ClusterKey::from_bytes([9; 32]).expect("a key");
    field.places[0].node.handle_keys(now, &KeyRing::new((KeyId(2), other)));
    assert_eq!(field.known(0), ["m1"]);
}

#[test]
fn whoever_greets_and_becomes_no_member_leaves_nothing() {
    let mut field = cluster(2);
    // Somebody that the seed has forgotten greets once: what m2 said to the first incarnation of the seed.
    let greetings: Vec<Vec<u8>> = field
        .sent
        .iter()
        .filter(|(from, to, sent)| (*from, *to, sent[1]) == (address(7002), address(7000), 2))
        .map(|(_, _, sent)| sent.clone())
        .collect();
    assert!(!greetings.is_empty());
    field.kill(0);
    field.cut = vec![7001, 7002];
    let seed = field.start(member("seed", 7000, &[], true));
    field.run(100);
    for greeting in greetings {
        field.under_way.push((field.now + MS, address(7000), address(7000), greeting));
    }
    field.run(200);
    let counters = field.places[seed].node.counters();
    assert_eq!(counters.accounted(), counters.received.get());
    assert_eq!(field.places[seed].node.status(field.now).peers.len(), 1, "its challenge has to be kept");
    field.run(25_000);
    assert_eq!(field.places[seed].node.status(field.now).peers.len(), 0, "and not for ever");
}
