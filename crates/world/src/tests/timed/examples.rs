//! Timed worlds worked out by hand: how many states in ticks, how many zones, and in which orders things
//! can happen. `A`, `B` are timers that fired, `x`, `y` messages that arrived; p0 is left of the bar.

use super::script::{Do, Hand, Letter, On, Script, all, between, both, scenario, world, written};
use crate::{Timing, TypedWorld, WorldTime};
use watchkeeper_core::Bound;
use watchkeeper_space::{Space, Stuck, steps};

/// p0 waits for a message of p1 with a timer.
fn race(timer: Bound) -> Script {
    Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, timer)]), (1, On::Start, vec![Do::Send(0, Letter::X)])])
}

/// The number of states in ticks, the number of zones, and the diaries, which must be the same.
fn counted(script: &Script, channel: &str, timing: Timing) -> (usize, usize, Vec<String>) {
    let [ticks, dense] = both(script, channel, timing);
    let orders = written(&ticks);
    assert_eq!(orders, written(&dense));
    (all(&ticks).rows.len(), all(&dense).rows.len(), orders.into_iter().collect())
}

/// The message takes 1 to 3, the timer 2. In ticks: nothing has happened at 0, 1 and 2; the message has
/// arrived, and the timer is due, at 1 and 2; the timer has fired and the message has not arrived at 2 and
/// 3; and both, in either order. In zones each of these five is one.
#[test]
fn a_message_and_a_timer_race() {
    let timing = Timing::per_message(between(1, 3));
    let orders = ["Ax|", "A|", "xA|", "x|", "|"];
    for timing in [timing, timing.deliveries_first()] {
        let (ticks, zones, found) = counted(&race(Bound::exactly(2)), "drop:1", timing);
        assert_eq!((ticks, zones), (3 + 2 + 2 + 2, 5));
        assert_eq!(found, orders);
    }
    // On a clock a thousand times as fine there are as many zones, and 2001 + 1001 + 1001 + 2 states.
    let fine = Timing::per_message(between(1000, 3000));
    let (ticks, zones, found) = counted(&race(Bound::exactly(2000)), "drop:1", fine);
    assert_eq!((ticks, zones), (4005, 5));
    assert_eq!(found, orders);
    // What a process takes to handle a message adds up with what the message takes.
    let slow = Timing { processing: Bound::within(1), ..Timing::per_message(between(1, 2)) };
    assert_eq!(counted(&race(Bound::exactly(2)), "drop:1", slow).0, 9);
}

/// The message takes 1 to 2. At 2 it is due together with the timer: either comes first, or the message.
#[test]
fn a_due_message_comes_first_if_told_so() {
    let timing = Timing::per_message(between(1, 2));
    let (ticks, zones, found) = counted(&race(Bound::exactly(2)), "drop:1", timing);
    assert_eq!((ticks, zones), (3 + 2 + 1 + 2, 5));
    assert_eq!(found, ["Ax|", "A|", "xA|", "x|", "|"]);
    let (ticks, zones, found) = counted(&race(Bound::exactly(2)), "drop:1", timing.deliveries_first());
    assert_eq!((ticks, zones), (3 + 2 + 1, 3));
    assert_eq!(found, ["xA|", "x|", "|"]);
    // A timer that may fire before is not held back before.
    let (_, _, found) = counted(&race(between(1, 2)), "drop:1", timing.deliveries_first());
    assert_eq!(found, ["Ax|", "A|", "xA|", "x|", "|"]);
}

/// Everything at once: no time ever passes.
#[test]
fn what_takes_no_time_happens_at_once() {
    let timing = Timing::per_message(Bound::exactly(0));
    let (ticks, zones, found) = counted(&race(Bound::exactly(0)), "drop:1", timing);
    assert_eq!((ticks, zones), (5, 5));
    assert_eq!(found, ["Ax|", "A|", "xA|", "x|", "|"]);
    let (ticks, zones, _) = counted(&race(Bound::exactly(0)), "drop:1", timing.deliveries_first());
    assert_eq!((ticks, zones), (3, 3));
    // Without an end a message need not arrive, so time passes while it is on its way.
    let (ticks, zones, found) =
        counted(&race(Bound::exactly(1)), "drop:1", Timing::per_message(Bound::at_least(0)));
    assert_eq!((ticks, zones), (2 + 2 + 1 + 2, 5));
    assert_eq!(found, ["Ax|", "A|", "xA|", "x|", "|"]);
}

/// From 2 on, perhaps never: 2 left, 1 left, any moment, fired. In zones: later, any moment, fired.
#[test]
fn an_open_timer_becomes_enabled_and_then_may_fire() {
    let script = Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, Bound::at_least(2))])]);
    let (ticks, zones, found) = counted(&script, "drop:1", Timing::per_message(Bound::exactly(1)));
    assert_eq!((ticks, zones), (4, 3));
    assert_eq!(found, ["A|", "|"]);
    // The same for a message, which p0's timer of 2 can meet: at 2 both orders, before only the timer.
    let open = Timing::per_message(Bound::at_least(2));
    assert_eq!(counted(&race(Bound::exactly(1)), "drop:1", open).2, ["Ax|", "A|", "|"]);
    assert_eq!(counted(&race(Bound::exactly(2)), "drop:1", open).2, ["Ax|", "A|", "xA|", "x|", "|"]);
    // The timer is due at 2, the message is not, so it does not come first.
    assert_eq!(counted(&race(Bound::exactly(2)), "drop:1", open.deliveries_first()).2.len(), 5);
}

/// Two timers due at 2: nobody has fired at 0, 1 and 2, then one, or the other, then both.
#[test]
fn simultaneous_timers_fire_in_any_order() {
    let arm = |p| (p, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(2))]);
    let (ticks, zones, found) =
        counted(&Script(vec![arm(0), arm(1)]), "drop:1", Timing::per_message(Bound::exactly(0)));
    assert_eq!((ticks, zones), (3 + 2 + 1, 4));
    assert_eq!(found, ["A|", "A|A", "|", "|A"]);
}

/// A reply has what its request left: both together take at most 3. What is sent afresh has 3 of its own.
#[test]
fn a_reply_inherits_what_its_request_left() {
    let ask = |answer: Do, patience: u32| {
        Script(vec![
            (0, On::Start, vec![Do::Send(1, Letter::X), Do::Arm(Hand::A, Bound::exactly(patience))]),
            (1, On::Get(Letter::X), vec![answer]),
        ])
    };
    let timing = Timing::round_trip(3);
    let impatient = |answer, patience| {
        let found = counted(&ask(answer, patience), "drop:1", timing).2;
        found.iter().any(|diary| diary.starts_with("Ay"))
    };
    let (reply, fresh) = (Do::Reply(0, Letter::Y), Do::Send(0, Letter::Y));
    assert_eq!([2, 3, 4].map(|patience| impatient(reply, patience)), [true, true, false]);
    assert_eq!([4, 6, 7].map(|patience| impatient(fresh, patience)), [true, true, false]);
    // With due deliveries first the end of the budget itself is safe: a chain in no time at all is heard.
    let first = |patience| {
        let found = counted(&ask(reply, patience), "drop:1", timing.deliveries_first()).2;
        found.iter().any(|diary| diary.starts_with("Ay"))
    };
    assert_eq!([2, 3].map(first), [true, false]);
    // A reply to a reply inherits from it in turn.
    let echo = Script(vec![
        (0, On::Start, vec![Do::Send(1, Letter::X)]),
        (1, On::Get(Letter::X), vec![Do::Reply(0, Letter::Y)]),
        (0, On::Get(Letter::Y), vec![Do::Reply(1, Letter::Z)]),
    ]);
    // On its way: X with 3, 2, 1, 0 left, then Y and Z with no more than that: 4 states of each, and the end.
    let (ticks, zones, _) = counted(&echo, "drop:1", timing);
    assert_eq!((ticks, zones), (4 + 4 + 4 + 1, 4));
}

/// One message that arrives at 1, one copy: alone or with its copy at 0 and 1; arrived alone; one of the two
/// arrived, the other due; both arrived. Copies share the clock of what they are copies of.
#[test]
fn a_copy_is_due_with_its_original() {
    let script = Script(vec![(1, On::Start, vec![Do::Send(0, Letter::X)])]);
    let timing = Timing::per_message(Bound::exactly(1));
    let found = [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| {
        let mut scenario = scenario("drop:2", time);
        scenario.network.duplications = 1;
        all(&TypedWorld::new(script.clone(), scenario).expect("a world")).rows.len()
    });
    assert_eq!(found, [4 + 1 + 1 + 1, 5]);
}

/// p1 sends at some s from 0 to 1, a message that takes exactly 1; p0's timer of 1 beats it if s > 0. p0 then
/// sends one that is due at 2, and p1's timer, due at s + 1, beats that if s < 1. Ticks know no such s.
#[test]
fn with_deliveries_first_ticks_are_too_coarse() {
    let beats = |units: u32| {
        let script = Script(vec![
            (0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(units))]),
            (1, On::Start, vec![Do::Arm(Hand::B, Bound::within(units))]),
            (1, On::Fire(Hand::B), vec![Do::Send(0, Letter::X), Do::Arm(Hand::C, Bound::exactly(units))]),
            (0, On::Fire(Hand::A), vec![Do::Send(1, Letter::Z)]),
        ]);
        let timing = Timing::per_message(Bound::exactly(units));
        let both = |timing| both(&script, "drop:1", timing).map(|world| written(&world).contains("Ax|BCz"));
        (both(timing), both(timing.deliveries_first()))
    };
    assert_eq!(beats(1), ([true, true], [false, true]));
    assert_eq!(beats(2), ([true, true], [true, true]), "on a clock twice as fine s is a tick");
}

/// The end of a run in which nothing is pending any more is a deadlock, not a time-lock.
#[test]
fn a_world_that_idles_is_no_time_lock() {
    for world in both(&race(Bound::exactly(2)), "drop:1", Timing::per_message(between(1, 3))) {
        let stuck: Vec<Vec<u32>> =
            all(&world).rows.into_iter().filter(|row| steps(&*world, row).stuck).collect();
        assert_eq!(stuck.len(), 2);
        assert!(stuck.iter().all(|row| world.stuck(row) == Stuck::Deadlock));
        assert!(all(&world).locked.is_empty());
    }
}

/// Without time everything pending may happen, and bounds mean nothing.
#[test]
fn bounds_mean_nothing_without_time() {
    let untimed = world(&race(Bound::exactly(9)), "drop:1", WorldTime::Untimed);
    assert_eq!(all(&untimed).rows.len(), 5);
    let timed = both(&race(Bound::exactly(9)), "drop:1", Timing::per_message(between(1, 3)));
    assert!(timed.iter().all(|world| written(world).is_subset(&written(&untimed))));
    assert!(timed.iter().all(|world| !written(world).contains("Ax|")));
}
