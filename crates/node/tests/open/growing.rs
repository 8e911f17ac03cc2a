//! Clusters that grow: by one seed, by two, far beyond 64 members.

use crate::field::{Field, MS, address, member};
use watchkeeper_core::Pid;
use watchkeeper_node::{NodeEventKind, RecordLine};

#[test]
fn whoever_asks_a_seed_becomes_a_member_and_is_known_to_all() {
    let mut field = Field::default();
    let seed = field.start(member("seed", 7000, &[], true));
    let others: Vec<usize> =
        (1..10).map(|port| field.start(member(&format!("m{port}"), 7000 + port, &[7000], false))).collect();
    field.run(4000);
    assert_eq!(field.number(seed), Some(Pid::at(0)));
    let mut numbers: Vec<Pid> = others.iter().filter_map(|place| field.number(*place)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, Pid::all(10).skip(1).collect::<Vec<_>>(), "dense, and no two the same");
    for place in 0..10 {
        assert_eq!(field.known(place).len(), 9, "{place}");
        assert!(!field.known(place).contains(&"?".to_string()));
        let all: Vec<String> = Pid::all(10).map(|p| p.to_string()).collect();
        assert_eq!(field.heard(place), format!("Heard([{}])", all.join(", ")), "{place}");
    }
    // The first line of the recording names number and name, and nothing was lost once all knew each other.
    for place in others {
        let Some(RecordLine::Header(header)) = field.places[place].records.first() else {
            panic!("no header")
        };
        assert_eq!(header.name.as_deref(), Some(format!("m{place}").as_str()));
        assert_eq!(Some(header.process), field.number(place));
    }
    let unsent =
        |field: &Field| -> u64 { field.places.iter().map(|place| place.node.counters().unsent.get()).sum() };
    let before = unsent(&field);
    field.run(2000);
    assert_eq!(unsent(&field), before);
}

/// What a protocol sends to a member before there is a session waits for it and is not lost.
#[test]
fn the_first_message_to_a_member_is_not_lost() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    field.run(3100);
    let joiner = field.start(member("late", 7001, &[7000], false));
    field.run(500);
    assert_eq!(field.number(joiner), Some(Pid::at(1)));
    assert_eq!(field.places[joiner].node.counters().unsent.get(), 0);
    assert_eq!(field.heard(0), "Heard([p0, p1])");
}

#[test]
fn two_seeds_never_give_the_same_number() {
    let mut field = Field::default();
    let seeds = [7000, 7001];
    for (place, port) in seeds.iter().enumerate() {
        assert_eq!(field.start(member(&format!("seed{place}"), *port, &seeds, true)), place);
    }
    // Each asks one of them alone.
    let others: Vec<usize> = (2..12)
        .map(|port| field.start(member(&format!("m{port}"), 7000 + port, &[7000 + port % 2], false)))
        .collect();
    field.run(6000);
    let mut numbers: Vec<Pid> = others.iter().filter_map(|place| field.number(*place)).collect();
    for (place, number) in others.iter().zip(&numbers) {
        assert_eq!(number.index() % 2, place % 2, "of the class of the seed");
    }
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 10);
    assert!((0..12).all(|place| field.known(place).len() == 11));
}

#[test]
fn whoever_asks_a_member_is_sent_to_a_seed() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    let first = field.start(member("first", 7001, &[7000], false));
    field.run(3000);
    let second = field.start(member("second", 7002, &[7001], false));
    field.run(1000);
    assert_eq!((field.number(first), field.number(second)), (Some(Pid::at(1)), Some(Pid::at(2))));
}

#[test]
fn more_members_than_a_search_has_processes_find_together() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    for port in 1..80 {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
    }
    field.run(5000);
    let mut numbers: Vec<usize> = (0..80).filter_map(|place| field.number(place)).map(Pid::index).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..80).collect::<Vec<_>>());
    for place in 0..80 {
        assert_eq!(field.known(place).len(), 79, "{place}");
        assert!(field.heard(place).contains("p79"), "{place}");
    }
}

#[test]
fn who_leaves_is_known_to_have_left_by_all() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    for port in 1..8 {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
    }
    field.run(4000);
    let gone = field.number(5);
    field.leave(5);
    field.run(1500);
    for place in (0..8).filter(|place| *place != 5) {
        assert!(!field.known(place).contains(&"m5".to_string()), "{place}");
        let left = field.places[place]
            .events
            .iter()
            .filter(|event| matches!(event.kind, NodeEventKind::PeerLeft { peer } if Some(peer) == gone));
        assert_eq!(left.count(), 1, "{place} is told once");
    }
    // An hour later nobody remembers, and the number is not given to others.
    for seconds in [12, 3600, 12] {
        field.now += seconds * 1000 * MS;
        field.run(200);
    }
    let status = field.places[0].node.status(field.now);
    assert!(status.peers.iter().all(|peer| Some(peer.peer) != gone));
    let late = field.start(member("late", 7050, &[7000], false));
    field.run(3000);
    assert_eq!(field.number(late), Some(Pid::at(8)));
    assert_eq!(field.places[late].address, address(7050));
}
