//! Seeds that were away, have forgotten or are replaced: nobody gets a number that another has, and nobody stays alone.

use crate::field::{Field, Running, member};
use std::time::Duration;
use watchkeeper_core::Pid;

/// A seed and so many members, all of which know each other; their numbers are their places.
fn cluster(mut field: Field, members: u16) -> Field {
    field.start(member("seed", 7000, &[], true));
    field.run(3100);
    for port in 1..=members {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
        field.run(100);
    }
    field.run(3000);
    let all = 0..=usize::from(members);
    assert!({ all }.all(|place| field.number(place) == Pid::member(place)));
    field
}

fn swim() -> Field {
    Field { protocol: Running::Swim, ..Field::default() }
}

fn suspects(field: &Field, place: usize) -> Vec<usize> {
    field.places[place].node.counters().suspects().iter().map(Pid::index).collect()
}

#[test]
fn a_seed_that_was_away_for_hours_is_found_again() {
    let mut field = cluster(Field::default(), 3);
    field.leave(0);
    field.run(1000);
    field.sleep(3 * 3600);
    let seed = field.start(member("seed", 7000, &[], true));
    let late = field.start(member("late", 7009, &[7000], false));
    field.run(8000);
    assert_eq!((field.number(seed), field.number(late)), (Some(Pid::at(0)), Some(Pid::at(4))));
    assert!([1, 2, 3, seed, late].iter().all(|place| field.known(*place).len() == 4));
}

/// Each side holds the other for dead, and has dropped its entries.
#[test]
fn two_sides_that_were_apart_for_hours_find_together() {
    let mut field = cluster(swim(), 4);
    field.run(5000);
    field.cut = vec![7003, 7004];
    field.run(60_000);
    assert_eq!((suspects(&field, 0), suspects(&field, 3)), (vec![3, 4], vec![0, 1, 2]));
    field.sleep(3 * 3600);
    assert_eq!((field.known(0).len(), field.known(3)), (2, vec!["seed".to_string(), "m4".to_string()]));
    field.cut.clear();
    let late = field.start(member("late", 7009, &[7000], false));
    field.run(60_000);
    assert_eq!(field.number(late), Some(Pid::at(5)));
    for place in 0..=late {
        assert_eq!(field.known(place).len(), 5, "{place}: {:?}", field.known(place));
        assert_eq!(suspects(&field, place), [0; 0], "{place}");
        assert_eq!(field.failure(place), None, "{place}");
    }
}

#[test]
fn whoever_joins_while_the_first_seed_is_down_is_watched() {
    let mut field = swim();
    let seeds = [7000, 7001];
    field.start(member("s0", 7000, &seeds, true));
    field.start(member("s1", 7001, &seeds, true));
    let first = field.start(member("a", 7002, &seeds, false));
    field.run(10_000);
    assert!(field.number(first).is_some());
    field.kill(0);
    field.run(3000);
    let [b, c] = [7003, 7004].map(|port| field.start(member(&format!("m{port}"), port, &[7001], false)));
    field.run(30_000);
    let gone = field.number(b).expect("it has joined").index();
    assert!(field.number(c).is_some());
    for place in [1, first, b, c] {
        assert_eq!(suspects(&field, place), [0], "{place}: {}", field.heard(place));
    }
    field.kill(b);
    field.run(30_000);
    for place in [1, first, c] {
        assert_eq!(suspects(&field, place), [0, gone], "{place}: {}", field.heard(place));
    }
}

/// The protocol sends something every few seconds at most, so the members have to find out by themselves that the seed has
/// forgotten them.
#[test]
fn a_seed_that_has_forgotten_gives_out_no_number_that_is_in_use() {
    for (members, phase) in (0..32).map(|run| (1 + run % 2, 73 * u64::from(run))) {
        let field = Field { tick: Duration::from_secs(1), ..Field::default() };
        let mut field = cluster(field, members);
        field.run(phase);
        field.kill(0);
        field.run(20);
        field.start(member("seed", 7000, &[], true));
        let late = field.start(member("late", 7009, &[7000], false));
        field.run(6000);
        assert_eq!(field.number(late), Pid::member(usize::from(members) + 1), "{members} {phase}");
        field.run(3000);
        assert!((0..=late).all(|place| field.failure(place).is_none()), "{members} {phase}");
    }
}

/// One comparison does not tell of so many, and the first that it tells of are not all.
#[test]
fn a_seed_of_many_members_learns_of_all_of_them_before_it_gives_out_a_number() {
    const MEMBERS: u16 = 450;
    let mut field = Field { tick: Duration::from_secs(60), ..Field::default() };
    field.start(member("seed", 7000, &[], true));
    field.run(3100);
    for port in 1..=MEMBERS {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
        field.run(4);
    }
    field.run(2500);
    assert!((0..=usize::from(MEMBERS)).all(|place| field.number(place).is_some()));
    field.kill(0);
    let seed = field.start(member("seed", 7000, &[], true));
    // Somebody asks all the time.
    let late: Vec<usize> = (0..25)
        .map(|i| {
            field.run(10);
            field.start(member(&format!("late{i}"), 6900 + i, &[7000], false))
        })
        .collect();
    let mut waited = 250;
    while late.iter().all(|place| field.number(*place).is_none()) && waited < 10_000 {
        field.run(5);
        waited += 5;
    }
    assert!(waited < 10_000, "it takes too long");
    let members = field.known(seed).into_iter().filter(|name| name.starts_with('m'));
    assert_eq!(members.count(), usize::from(MEMBERS), "after {waited} ms");
    field.run(3000);
    assert!(
        late.iter()
            .all(|place| field.number(*place).is_some_and(|number| number.index() > usize::from(MEMBERS)))
    );
}

#[test]
fn a_seed_that_founds_a_cluster_waits_three_seconds() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    let first = field.start(member("m1", 7001, &[7000], false));
    field.run(2900);
    assert_eq!(field.number(first), None);
    field.run(500);
    assert_eq!(field.number(first), Some(Pid::at(1)));
}

#[test]
fn the_number_of_one_that_has_left_is_not_given_to_another_by_a_seed_that_has_forgotten() {
    let mut field = cluster(Field::default(), 2);
    field.leave(2);
    field.run(2000);
    field.kill(0);
    let seed = field.start(member("seed", 7000, &[], true));
    let late = field.start(member("late", 7009, &[7000], false));
    field.run(8000);
    assert_eq!(field.number(late), Some(Pid::at(3)));
    assert_eq!(field.known(seed), ["m1", "late"]);
}

/// The seed had no way to know. Whoever is there keeps the number, and whoever has left has none to lose.
#[test]
fn whoever_is_there_keeps_the_number_of_one_that_has_left() {
    let mut field = cluster(Field::default(), 3);
    field.leave(1);
    field.run(2000);
    field.kill(0);
    field.cut = vec![7002, 7003];
    let seed = field.start(member("seed", 7000, &[], true));
    let late = field.start(member("late", 7009, &[7000], false));
    field.run(4000);
    assert_eq!(field.number(late), Some(Pid::at(1)));
    field.cut.clear();
    field.run(8000);
    assert_eq!((field.number(late), field.failure(late)), (Some(Pid::at(1)), None));
    for place in [2, 3, seed] {
        assert!(field.known(place).contains(&"late".to_string()), "{place}: {:?}", field.known(place));
    }
}

#[test]
fn a_seed_may_be_replaced_by_one_of_another_name() {
    let mut field = cluster(Field::default(), 2);
    field.kill(0);
    field.run(500);
    let seed = field.start(member("seed-b", 7000, &[], true));
    let late = field.start(member("late", 7009, &[7000], false));
    field.run(8000);
    assert_eq!((field.number(seed), field.failure(seed)), (Some(Pid::at(0)), None));
    assert_eq!(field.number(late), Some(Pid::at(3)));
    assert!([1, 2, late].iter().all(|place| field.known(*place).contains(&"seed-b".to_string())));
}
