//! Exact numbers of states, each computed by hand in the comment beside it.

use super::samples::{Ask, Flood, PingPong, Register, Silent, Stray, TokenRing};
use super::walk::{count, rows};
use crate::{Capacity, Channel, DeliveryOrder, Faults, Lanes, Network, Scenario, TypedWorld, WorldError};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_explore::{NoCallback, Search, naive};
use watchkeeper_logic::{Invariant, Outcome, Question, ViolationKind};
use watchkeeper_space::Space;

fn two(channel: &str) -> Scenario {
    let channel: Channel = channel.parse().expect("a channel");
    Scenario { network: Network::default().with_channel(channel), ..Scenario::new(2) }
}

fn crashing(mut scenario: Scenario, crashable: u64, crashes: u32) -> Scenario {
    scenario.faults = Faults { crashable: ProcSet::from_bits(crashable), crashes, ..Faults::default() };
    scenario
}

#[test]
fn ping_pong_has_two_states_and_no_end() {
    let world = TypedWorld::new(PingPong, two("block:1")).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.transitions, found.deadlocks), (2, 2, 0));
}

/// PING or PONG on its way, p1 up or crashed, makes four; a crashed p1 swallows PING, which makes the
/// fifth: nothing is on its way and p0 waits for ever.
#[test]
fn a_crash_in_ping_pong_is_a_deadlock() {
    let world = TypedWorld::new(PingPong, crashing(two("block:1"), 0b10, 1)).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.deadlocks, found.nearest), (5, 1, Some(2)));
    assert_eq!(found.classes["swallow"], 1);
    assert_eq!(found.classes["crash"], 2);
    let verdict =
        naive(&*world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
    let Outcome::Violated(violation) = &verdict.outcome else { panic!("a deadlock") };
    assert_eq!((violation.finding, violation.trace.steps.len()), (ViolationKind::Deadlock, 2));
}

/// If both may crash, one that is left alone can still do that; and that nobody is left is no deadlock.
#[test]
fn that_everyone_has_crashed_is_an_end_and_no_deadlock() {
    let world = TypedWorld::new(PingPong, crashing(two("block:1"), 0b11, 2)).expect("a world");
    let found = count(&world);
    // Up-up has 2 states; p1 dead 3 and p0 dead 3 as above; both dead 3.
    assert_eq!((found.states, found.deadlocks, found.finished), (11, 0, 1));
}

/// The token is on one of three channels, and goes round twice until the bits are as they were.
#[test]
fn the_token_ring_goes_round_twice() {
    let world = TypedWorld::new(TokenRing { n: 3 }, Scenario::new(3)).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.transitions), (6, 6));
    // There is never room for a copy: the token is alone in its channel of one place.
    let mut scenario = Scenario::new(3);
    scenario.network.duplications = 1;
    assert_eq!(count(&TypedWorld::new(TokenRing { n: 3 }, scenario).expect("a world")).states, 6);
    // A lost token leaves the three bits of the six states behind, and nothing to do.
    let mut scenario = Scenario::new(3);
    scenario.network.losses = 5;
    let found = count(&TypedWorld::new(TokenRing { n: 3 }, scenario).expect("a world"));
    assert_eq!((found.states, found.deadlocks, found.nearest), (12, 6, Some(1)));
}

/// Two channels of 0 to c messages.
#[test]
fn dropping_channels_fill_up_and_stay_full() {
    for c in 1..4usize {
        let world = TypedWorld::new(Flood::PLAIN, two(&format!("drop:{c}"))).expect("a world");
        let found = count(&world);
        assert_eq!(found.states, (c + 1).pow(2));
        assert_eq!(found.deadlocks, 0);
        // Each process fires in each state; its channel is full in c + 1 of them.
        assert_eq!(found.classes["fire Tick"], 2 * (c + 1).pow(2));
        assert_eq!(found.classes["drop (full)"], 2 * (c + 1));
    }
}

/// Ready or blocked, with 0 to c messages in each channel: all of it unless both are blocked. Then one of them
/// blocked last, and its channel is still full, as its reader is blocked: c + 1 and c + 1, counted once where
/// both are full, which is the deadlock.
#[test]
fn blocking_channels_deadlock_once_both_are_full() {
    for c in 1..4usize {
        let world = TypedWorld::new(Flood::PLAIN, two(&format!("block:{c}"))).expect("a world");
        let found = count(&world);
        assert_eq!(found.states, 3 * (c + 1).pow(2) + 2 * c + 1);
        // To fill both channels and to block twice.
        assert_eq!((found.deadlocks, found.nearest), (1, Some(2 * c + 2)));
        let verdict =
            naive(&*world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(verdict.trace().map(|trace| trace.steps.len()), Some(2 * c + 2));
        // Nothing is as promising as the deadlock: two who have stopped, and two full channels.
        let mut promising: Vec<u32> = rows(&world).iter().map(|(row, _)| world.guide(row)).collect();
        promising.sort_unstable();
        assert_eq!(promising.pop(), Some(4 * c as u32));
        assert!(promising.pop() < Some(4 * c as u32));
    }
}

/// As with dropping, and the ends: p0's channel was full and p1's has 0 to c, or the other way round.
#[test]
fn reporting_channels_end_at_the_first_overflow() {
    for c in 1..4usize {
        let world = TypedWorld::new(Flood::PLAIN, two(&format!("report:{c}"))).expect("a world");
        let found = count(&world);
        assert_eq!(found.states, (c + 1).pow(2) + 2 * (c + 1));
        assert_eq!((found.deadlocks, found.finished), (0, 2 * (c + 1)));
        let within = world.shape().atom("within-capacity").expect("every world has it");
        let invariants = vec![Invariant { name: "within capacity".into(), when: None, then: within }];
        let question = Question { invariants, ..Question::default() };
        let verdict = naive(&*world, &question, &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(verdict.trace().map(|trace| trace.steps.len()), Some(c + 1));
    }
}

#[test]
fn unbounded_channels_are_cut_at_their_cap() {
    let world = TypedWorld::new(Flood::PLAIN, two("unbounded:3")).expect("a world");
    let found = count(&world);
    assert_eq!(found.states, 16);
    let (&cap, &times) = found.cuts.iter().next().expect("it is reached");
    assert_eq!(times, 8);
    assert_eq!(world.shape().caps[cap].name, "channel cap 3; raise it with channel unbounded:6");
}

/// What happened to the budgets is part of the state; a channel of one message has no room for a copy.
#[test]
fn losses_and_copies_are_counted_in_the_state() {
    let mut scenario = two("drop:2");
    scenario.network.losses = 2;
    assert_eq!(count(&TypedWorld::new(Flood::PLAIN, scenario.clone()).expect("a world")).states, 9 * 3);
    scenario.network.duplications = 1;
    assert_eq!(count(&TypedWorld::new(Flood::PLAIN, scenario.clone()).expect("a world")).states, 9 * 3 * 2);
    scenario.network.capacity = Capacity::Bounded(1);
    let found = count(&TypedWorld::new(Flood::PLAIN, scenario).expect("a world"));
    assert_eq!(found.states, 4 * 3);
    assert!(!found.classes.contains_key("duplicate"));
}

/// Whoever has crashed sends no more; the channels are independent of it.
#[test]
fn crashes_multiply_the_channels() {
    let of = |crashable, crashes| {
        count(&TypedWorld::new(Flood::PLAIN, crashing(two("drop:2"), crashable, crashes)).expect("a world"))
            .states
    };
    assert_eq!(of(0b11, 0), 9);
    assert_eq!(of(0b01, 1), 2 * 9);
    assert_eq!(of(0b11, 1), 3 * 9);
    assert_eq!(of(0b11, 2), 4 * 9);
    let mut scenario = two("drop:2");
    scenario.faults.crashed_at_start = ProcSet::only(Pid::at(1));
    assert_eq!(count(&TypedWorld::new(Flood::PLAIN, scenario).expect("a world")).states, 3);
}

/// One channel, two kinds, picked: multisets of at most c of two kinds; sequences of at most c; or two channels.
#[test]
fn order_and_lanes_decide_what_a_channel_can_hold() {
    let of = |order, channels| {
        let mut scenario = two("drop:3");
        scenario.network.order = order;
        scenario.network.lanes = channels;
        let flood = Flood { kinds: 2, one_way: true, ..Flood::PLAIN };
        count(&TypedWorld::new(flood, scenario).expect("a world")).states
    };
    assert_eq!(of(DeliveryOrder::AnyOrder, Lanes::PerPair), 10);
    assert_eq!(of(DeliveryOrder::Fifo, Lanes::PerPair), 15);
    assert_eq!(of(DeliveryOrder::AnyOrder, Lanes::PerKind), 16);
    assert_eq!(of(DeliveryOrder::Fifo, Lanes::PerKind), 16);
}

/// A step that sends more than fits blocks in its middle. One channel of one place, three messages at a time:
/// waiting to send the second with a full channel, the second with an empty one, and the same for the third;
/// or ready with one or with none; or waiting for the first, if the channel was full when the timer fired.
#[test]
fn the_rest_of_a_blocked_step_waits_in_order() {
    let flood = Flood { burst: 3, one_way: true, ..Flood::PLAIN };
    let world = TypedWorld::new(flood, two("block:1")).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.deadlocks), (8, 0));
    let unsent = |row: &[u32]| world.global(row).outbox(Pid::at(0)).count();
    assert_eq!(rows(&world).iter().map(|(row, _)| unsent(row)).max(), Some(3));
}

/// Three messages at a time into a channel of two places that has 0, 1 or 2: 1, 2 and 3 are dropped.
#[test]
fn every_message_of_a_step_is_sent_or_dropped_for_itself() {
    let flood = Flood { burst: 3, one_way: true, ..Flood::PLAIN };
    let found = count(&TypedWorld::new(flood, two("drop:2")).expect("a world"));
    assert_eq!((found.states, found.classes["drop (full)"]), (3, 6));
}

/// Who has crashed before the start does not use up the budget of the run.
#[test]
fn crashes_at_the_start_are_free() {
    let mut scenario = crashing(two("drop:1"), 0b11, 1);
    scenario.faults.crashed_at_start = ProcSet::only(Pid::at(0));
    let found = count(&TypedWorld::new(Flood::PLAIN, scenario).expect("a world"));
    // One channel with 0 or 1, its sender up or crashed; in the end nobody is left and nothing on its way.
    assert_eq!((found.states, found.finished), (4, 1));
}

/// What is sent at the start is there at the start, as far as there is room.
#[test]
fn the_start_can_block_drop_overflow_and_be_too_much() {
    let at_start = |channel| TypedWorld::new(Flood { at_start: 2, ..Flood::PLAIN }, two(channel));
    let first = |world: &TypedWorld<Flood>| {
        let rows = world.initial();
        let row = rows[0].clone();
        let state = world.global(&row);
        (rows.len(), state.in_flight().count(), state.blocked(Pid::at(0)), state.overflow().is_some())
    };
    assert_eq!(first(&at_start("block:1").expect("a world")), (1, 2, true, false));
    assert_eq!(first(&at_start("block:2").expect("a world")), (1, 4, false, false));
    assert_eq!(first(&at_start("drop:1").expect("a world")), (1, 2, false, false));
    // Both overflow, and each may be the one that is named.
    assert_eq!(first(&at_start("report:1").expect("a world")), (2, 2, false, true));
    assert_eq!(at_start("unbounded:1").unwrap_err(), WorldError::StartBeyondCap { cap: 1 });
    // Two messages of two kinds, picked at the start by both: 4 x 4 ways, 3 x 3 multisets.
    let picked = Flood { at_start: 2, kinds: 2, ..Flood::PLAIN };
    assert_eq!(TypedWorld::new(picked, two("block:2")).expect("a world").initial().len(), 9);
}

/// By hand, for one call of `write 1`: not yet called; STORE on its way; STORED on its way; done. From the
/// second on the timer may have fired, before p1 acts, before p0 hears, or after all: not at all any more,
/// because p0 has disarmed it. So 1 + 2 + 2, and the end with and without impatience.
#[test]
fn calls_are_issued_within_their_budget() {
    let world = TypedWorld::new(Register, two("block:1")).expect("a world");
    assert_eq!(count(&world).states, 1);
    let world = world.with_calls(vec![(Pid::at(0), Ask::Write(1), 1)]).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.deadlocks), (7, 2));
    assert_eq!(found.classes["call write"], 1);
    assert_eq!(found.classes["fire Patience"], 2);
    assert!(!found.classes.contains_key("fire Unused"));
    // The same call twice is one entry with both budgets.
    let both = vec![(Pid::at(0), Ask::Write(1), 1), (Pid::at(0), Ask::Write(1), 1)];
    let world = world.with_calls(both).expect("a world");
    assert_eq!(world.shape().slots.last().map(String::as_str), Some("calls p0 write 1"));
    let longest = rows(&world).iter().map(|(row, _)| row.last().copied()).max();
    assert_eq!(longest, Some(Some(2)));
}

/// A message to oneself or to nobody has no channel: the step is cut, and no search can say `holds`.
#[test]
fn misdirected_messages_are_cut_and_named() {
    for to in [0, 2, 63] {
        let stray = |at_start| TypedWorld::new(Stray { to: Pid::at(to), at_start }, two("drop:1"));
        let found = count(&stray(false).expect("a world"));
        assert_eq!((found.states, found.cuts.get(&0)), (2, Some(&2)));
        assert_eq!(stray(true).unwrap_err(), WorldError::StartMisdirected { from: Pid::at(0) });
    }
}

/// No messages, no channels: every process counts 0, 1, 2 on its own, and then everyone is done.
#[test]
fn a_protocol_without_messages_has_only_processes() {
    for channels in [Lanes::PerPair, Lanes::PerKind] {
        let mut scenario = Scenario::new(3);
        scenario.network.lanes = channels;
        let world = TypedWorld::new(Silent, scenario).expect("a world");
        assert_eq!(world.shape().slots, ["p0", "p1", "p2"]);
        let found = count(&world);
        assert_eq!((found.states, found.deadlocks, found.nearest), (27, 1, Some(6)));
    }
}

/// As many processes as there can be, of which two play.
#[test]
fn the_largest_world_is_a_world() {
    let mut scenario = Scenario::new(64);
    scenario.faults = Faults { crashable: ProcSet::first(64), crashes: 1, ..Faults::default() };
    let world = TypedWorld::new(PingPong, scenario).expect("a world");
    assert_eq!(world.shape().slots.len(), 64 + 64 * 63);
    // Nobody crashed: 2. One of the 62 others: 2 each. One of the players: 3 each.
    assert_eq!(count(&world).states, 2 + 62 * 2 + 2 * 3);
}
