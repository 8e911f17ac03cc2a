//! Time-locks made by hand, in ticks and in dense time: time cannot pass and nothing can happen. They are
//! told apart from deadlocks, from what only a fault can leave, and from moments of the same zone that are
//! not locked.

use super::reach::{Reached, discrete};
use super::script::{Do, Hand, Letter, On, Please, Script, all, between, both, diaries, scenario};
use crate::{DeliveryOrder, Faults, Timing, TypedWorld, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::{Outcome, Question, ViolationKind};
use watchkeeper_space::{Space, Stuck, steps};

/// At 1 p0 sends two messages into a channel of one place, and waits for room. Its timer is due at 3.
fn waits() -> Script {
    Script(vec![
        (0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(1))]),
        (
            0,
            On::Fire(Hand::A),
            vec![Do::Send(1, Letter::X), Do::Send(1, Letter::Y), Do::Arm(Hand::B, Bound::exactly(2))],
        ),
    ])
}

/// The diaries of the rows that are locked, and how many rows are; the discrete states are the same.
fn locked(worlds: &[TypedWorld<Script>; 2]) -> (BTreeSet<String>, [usize; 2]) {
    let found: [Reached; 2] = [all(&worlds[0]), all(&worlds[1])];
    assert_eq!(found[0].locked, found[1].locked, "the same discrete states in both");
    let of = |world: &TypedWorld<Script>, reached: &Reached| -> Vec<String> {
        let rows = reached.rows.iter().filter(|row| is_locked(world, row));
        rows.map(|row| diaries(world, row)).collect()
    };
    let [ticks, dense] = [0, 1].map(|i| of(&worlds[i], &found[i]));
    let counts = [ticks.len(), dense.len()];
    assert_eq!(ticks.iter().collect::<BTreeSet<_>>(), dense.iter().collect::<BTreeSet<_>>());
    (ticks.into_iter().collect(), counts)
}

fn is_locked(world: &TypedWorld<Script>, row: &[u32]) -> bool {
    let atom = world.shape().atom("time-can-pass").expect("every world has it");
    !world.atom(atom, row)
}

/// What was sent at 1 arrives at 4, and the timer of the sender that waits is due at 3.
#[test]
fn a_timer_of_a_process_that_waits_for_room_locks_time() {
    let worlds = both(&waits(), "block:1", Timing::per_message(Bound::exactly(3)));
    assert_eq!(locked(&worlds), (["A|".to_string()].into(), [1, 1]));
    // In ticks 0 and 1 before, 1, 2 and 3 after; in zones before and after.
    assert_eq!([0, 1].map(|i| all(&worlds[i]).rows.len()), [5, 2]);
    for world in &worlds {
        let rows = all(world).rows;
        let last = rows.last().expect("there are rows");
        assert!(steps(&**world, last).stuck && world.stuck(last) == Stuck::Timelock);
        assert!(rows.iter().all(|row| is_locked(world, row) == (row == last)));
        let verdict =
            check(&**world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
        let Outcome::Violated(violation) = &verdict.outcome else { panic!("a time-lock") };
        assert_eq!(violation.finding, ViolationKind::Timelock);
        assert_eq!(violation.trace.steps.len(), if world.shape().zone.is_some() { 1 } else { 4 });
    }
}

/// If the message may arrive at 3, it must, since the timer is due then: nothing is locked.
#[test]
fn time_is_not_locked_while_what_makes_room_may_arrive() {
    let worlds = both(&waits(), "block:1", Timing::per_message(between(2, 5)));
    assert_eq!(locked(&worlds), (BTreeSet::new(), [0, 0]));
    let done = |world: &TypedWorld<Script>| all(world).rows.iter().any(|row| diaries(world, row) == "AB|xy");
    assert!(worlds.iter().all(done));
}

/// A fault may leave a time-lock, and it is one all the same; a crash of the process that waits ends it.
#[test]
fn a_fault_is_no_way_out_of_a_time_lock() {
    let timing = Timing::per_message(Bound::exactly(3));
    let worlds = [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| {
        let faults = Faults { crashable: ProcSet::first(1), crashes: 1, ..Faults::default() };
        TypedWorld::new(waits(), crate::Scenario { faults, ..scenario("block:1", time) }).expect("a world")
    });
    assert_eq!(locked(&worlds), (["A|".to_string()].into(), [1, 1]));
    for world in &worlds {
        for row in all(world).rows.iter().filter(|row| is_locked(world, row)) {
            let found = steps(&**world, row);
            assert!(found.stuck && found.next.len() == 1, "only a crash");
            assert_eq!(world.stuck(row), Stuck::Timelock);
        }
    }
}

/// A client may always ask, so while it has not there is something that can happen; afterwards there is not.
#[test]
fn a_call_that_is_left_is_a_way_out() {
    let worlds = both(&waits(), "block:1", Timing::per_message(Bound::exactly(3)))
        .map(|world| world.with_calls(vec![(Pid::at(1), Please::Please, 1)]).expect("a world"));
    assert_eq!(locked(&worlds), (["A|?".to_string()].into(), [1, 1]));
}

/// p0 sends at 0, and again when its first timer fires, at 0 to 2; it then waits until what it sent first
/// arrives at 3. Its second timer is due 2 after the first: before 3 if the first one fired before 1.
#[test]
fn some_moments_of_a_zone_are_locked_and_others_are_not() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Send(1, Letter::X), Do::Arm(Hand::A, Bound::within(2))]),
        (0, On::Fire(Hand::A), vec![Do::Send(1, Letter::Y), Do::Arm(Hand::B, Bound::exactly(2))]),
    ]);
    let worlds = both(&script, "block:1", Timing::per_message(Bound::exactly(3)));
    assert_eq!(locked(&worlds), (["A|".to_string()].into(), [1, 1]));
    let [ticks, dense] = &worlds;
    let rows = |world: &TypedWorld<Script>| -> Vec<Vec<u32>> {
        all(world).rows.into_iter().filter(|row| diaries(world, row) == "A|").collect()
    };
    // In ticks: fired at 0, 1 or 2, and then the moments until 2 (locked), 3 and 3, which are shared by none.
    let there = rows(ticks);
    assert_eq!(there.len(), 3 + 3 + 2);
    let stuck: Vec<&Vec<u32>> = there.iter().filter(|row| steps(&**ticks, row).stuck).collect();
    assert_eq!(stuck.len(), 1);
    assert!(is_locked(ticks, stuck[0]) && ticks.stuck(stuck[0]) == Stuck::Timelock);
    // In zones: one row, which is locked at some of its moments, and from which the message can arrive.
    let there = rows(dense);
    assert_eq!(there.len(), 1);
    assert!(is_locked(dense, &there[0]) && !steps(&**dense, &there[0]).stuck);
    let atom = dense.shape().atom("time-can-pass");
    let question = Question { timelock: atom, ..Question::default() };
    let verdict = check(&**dense, &question, &Search::default(), &NoCallback).expect("a verdict");
    assert!(matches!(&verdict.outcome, Outcome::Violated(it) if it.finding == ViolationKind::Timelock));
}

/// p1 waits for room from 1 to 4, and a message to it is due at 3. p0 has a timer that may fire at any moment:
/// a way out until it has fired, unless due deliveries come first.
#[test]
fn a_delivery_that_is_due_and_cannot_be_made_holds_timers_back() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Send(1, Letter::X), Do::Arm(Hand::A, Bound::at_least(0))]),
        (1, On::Start, vec![Do::Arm(Hand::B, Bound::exactly(1))]),
        (1, On::Fire(Hand::B), vec![Do::Send(0, Letter::Y), Do::Send(0, Letter::Z)]),
    ]);
    let timing = Timing::per_message(Bound::exactly(3));
    assert_eq!(locked(&both(&script, "block:1", timing)), (["A|B".to_string()].into(), [1, 1]));
    let (diaries, counts) = locked(&both(&script, "block:1", timing.deliveries_first()));
    assert_eq!(diaries, ["A|B".to_string(), "|B".to_string()].into());
    assert_eq!(counts, [2, 2]);
}

/// The same with a timer that has an end, later than 3: it may fire at 3, if it may at all.
#[test]
fn a_timer_that_may_fire_is_a_way_out_in_any_order_only() {
    let script = |lo| {
        Script(vec![
            (0, On::Start, vec![Do::Send(1, Letter::X), Do::Arm(Hand::A, between(lo, 9))]),
            (1, On::Start, vec![Do::Arm(Hand::B, Bound::exactly(1))]),
            (1, On::Fire(Hand::B), vec![Do::Send(0, Letter::Y), Do::Send(0, Letter::Z)]),
        ])
    };
    let timing = Timing::per_message(Bound::exactly(3));
    let diaries = |lo, timing| locked(&both(&script(lo), "block:1", timing)).0;
    let (early, both_ways) = (["A|B".to_string()], ["A|B".to_string(), "|B".to_string()]);
    assert_eq!(diaries(3, timing), early.clone().into());
    assert_eq!(diaries(3, timing.deliveries_first()), ["|B".to_string()].into());
    assert_eq!(diaries(2, timing), early.into());
    assert_eq!(diaries(2, timing.deliveries_first()), both_ways.into());
    assert_eq!(diaries(4, timing), ["|B".to_string()].into());
}

/// In a FIFO channel a reply with little time left stands behind a message with more. It is no lock: what is
/// bounded by a round trip may arrive at any moment, so the first one arrives early.
#[test]
fn a_shorter_deadline_behind_a_longer_one_hurries_it() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Send(1, Letter::X), Do::Arm(Hand::A, Bound::exactly(4))]),
        (1, On::Get(Letter::X), vec![Do::Send(0, Letter::Z), Do::Reply(0, Letter::Y)]),
    ]);
    let timing = Timing::round_trip(3);
    let worlds = [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| {
        let mut scenario = scenario("unbounded:4", time);
        scenario.network.order = DeliveryOrder::Fifo;
        TypedWorld::new(script.clone(), scenario).expect("a world")
    });
    assert!(worlds.iter().all(|world| world.may_lock()));
    assert_eq!(locked(&worlds), (BTreeSet::new(), [0, 0]));
    for world in &worlds {
        let orders: BTreeSet<String> = all(world).rows.iter().map(|row| diaries(world, row)).collect();
        let expected = ["|", "|x", "z|x", "zy|x", "zyA|x"];
        assert_eq!(orders, expected.into_iter().map(String::from).collect());
    }
    // In any order the message that was sent afresh may come after the timer.
    let [ticks, dense] = both(&script, "unbounded:4", timing);
    assert!(all(&ticks).rows.iter().any(|row| diaries(&ticks, row) == "yAz|x"));
    let states = |world: &TypedWorld<Script>| -> BTreeSet<Vec<u8>> {
        all(world).rows.iter().map(|row| discrete(world, row)).collect()
    };
    assert_eq!(states(&ticks), states(&dense));
}
