//! Processes that crash and start again, in worlds without time: numbers of states computed by hand, what a
//! verdict says of it, and what replay tells and refuses.

use super::samples::{Flood, PingPong};
use super::walk::{Collect, count, rows};
use crate::{ANY_NUMBER, Faults, Network, Scenario, TypedWorld, World};
use watchkeeper_core::{Event, MessageId, Pid, ProcSet};
use watchkeeper_explore::{NoCallback, Search, check, naive};
use watchkeeper_logic::{Outcome, Question, ViolationKind};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::{Narration, Role, Space, StatePath, Stuck};

fn scenario(channel: &str, crashable: u64, crashes: u32, recoveries: u32) -> Scenario {
    let network = Network::default().with_channel(channel.parse().expect("a channel"));
    let crashable = ProcSet::from_bits(crashable);
    let faults = Faults { crashable, crashes, recoveries, ..Faults::default() };
    Scenario { network, faults, ..Scenario::new(2) }
}

fn ping_pong(crashable: u64, crashes: u32, recoveries: u32) -> TypedWorld<PingPong> {
    TypedWorld::new(PingPong, scenario("block:1", crashable, crashes, recoveries)).expect("a world")
}

/// Before it recovers: PING or PONG on its way, p1 up or down, or nothing on its way and p1 down, which makes
/// five. Afterwards PING or PONG is on its way, or nothing: PING was for the life before.
#[test]
fn ping_pong_after_a_recovery_has_a_ball_or_none() {
    let found = count(&ping_pong(0b10, 1, 1));
    assert_eq!((found.states, found.classes["crash"], found.classes["recover"]), (5 + 3, 2, 3));
    assert_eq!(found.deadlocks, 1, "p1 is up again, and the ball is gone");
    // It may crash once more: three states more, which it cannot leave.
    assert_eq!(count(&ping_pong(0b10, 2, 1)).states, 5 + 3 + 3);
    assert_eq!(count(&ping_pong(0b10, 2, 2)).states, 5 + 6 + 3);
    // Where nobody counts there are the three contents, with p1 up or down.
    assert_eq!(count(&ping_pong(0b10, 1, ANY_NUMBER)).states, 6);
    assert_eq!(count(&ping_pong(0b10, 0, 3)).states, 2, "nobody is down");
}

/// p0 brings a new ball when it recovers. Before: 2 up, 3 down. Afterwards one ball, PING or PONG, if the
/// old one was lost to the crash; or two, if PING was on its way to p1. Then p0 waits with its ball for room,
/// and the old one is PING or PONG; or both are on their way; or p1 waits with PONG, and the other is PONG
/// or PING.
#[test]
fn what_is_sent_at_a_recovery_is_on_its_way() {
    let found = count(&ping_pong(0b01, 1, 1));
    assert_eq!((found.states, found.deadlocks), (5 + 2 + 5, 0));
    assert_eq!((found.classes["recover"], found.classes["block"]), (3, 1 + 2));
}

/// Channels of 0 to 2 messages are independent of who is up. Whoever is down and whoever has recovered has crashed,
/// so with c crashes and r recoveries so far at most c - r are down.
#[test]
fn crashes_are_counted_and_not_the_crashed() {
    let of = |crashes, recoveries| {
        let world = TypedWorld::new(Flood::PLAIN, scenario("drop:2", 0b11, crashes, recoveries));
        count(&world.expect("a world")).states
    };
    // The ways to be down: none, or one of two, or both.
    let (up, one, both) = (1, 1 + 2, 1 + 2 + 1);
    assert_eq!(of(1, 1), 9 * (one + up));
    assert_eq!(of(1, 5), 9 * (one + up), "nobody is left who could recover");
    assert_eq!(of(2, 1), 9 * (both + one));
    assert_eq!(of(2, 2), 9 * (both + one + up));
    assert_eq!(of(3, 1), 9 * (both + both));
    assert_eq!(of(4, 2), 9 * (both + both + both));
    assert_eq!(of(1, ANY_NUMBER), 9 * one);
    assert_eq!(of(2, ANY_NUMBER), 9 * both);
}

/// p1 has sent nothing before it recovers: 3 contents of the other channel, then all 9.
#[test]
fn whoever_has_crashed_before_the_start_may_recover() {
    let with = |crashes, recoveries| {
        let mut scenario = scenario("drop:2", 0b10, crashes, recoveries);
        scenario.faults.crashed_at_start = ProcSet::only(Pid::at(1));
        TypedWorld::new(Flood::PLAIN, scenario).map(|world| count(&world).states)
    };
    assert_eq!(with(0, 0), Ok(3));
    assert_eq!(with(0, 1), Ok(3 + 9));
    // Where nobody counts, one was down at the start and one may be down again.
    assert_eq!(with(0, ANY_NUMBER), Ok(9 + 9));
    // It crashes once more: down with all that it can have sent.
    assert_eq!(with(1, 1), Ok(3 + 9 + 9));
    assert_eq!(with(1, ANY_NUMBER), Ok(9 + 9));
    assert!(with(2, 1).is_err(), "it cannot crash twice");
    assert!(with(1, 0).is_err(), "it cannot crash at all");
}

/// Without a count of recoveries `crashes` is how many more than at the start may be down. With none more there is
/// still one who may be down, whoever it is: nobody, p0 or p1, each with all nine contents of the channels.
#[test]
fn as_many_as_at_the_start_may_be_down_again() {
    let world = |crashes, recoveries| {
        let mut scenario = scenario("drop:2", 0b11, crashes, recoveries);
        scenario.faults.crashed_at_start = ProcSet::only(Pid::at(1));
        TypedWorld::new(Flood::PLAIN, scenario).expect("a world")
    };
    let found = count(&world(0, ANY_NUMBER));
    assert_eq!((found.states, found.classes["crash"]), (9 * 3, 2 * 9));
    assert_eq!(count(&world(1, ANY_NUMBER)).states, 9 * 4, "with one more both may be down");
    let counted = count(&world(0, 5));
    assert_eq!(counted.states, 3 + 9, "counted recoveries leave no crash");
    assert!(!counted.classes.contains_key("crash"));
    let world = world(0, ANY_NUMBER);
    let trail = follow(&world, &["p1 recovers", "p0 crashes"]);
    assert!(world.replay(&trail).is_ok());
    let crash = |process| {
        watchkeeper_space::Action::new(trail.actions[1].class(), crate::transition::code(process, 0, 0))
    };
    assert_eq!(world.label(&trail.rows[0], crash(0)), "impossible: as many processes have crashed as may");
    assert_eq!(world.label(&trail.rows[1], crash(1)), "p1 crashes");
    assert_eq!(world.label(&trail.rows[2], crash(1)), "impossible: as many processes have crashed as may");
    for (row, _) in rows(&world) {
        assert!((0..2).filter(|&p| world.is_crashed(p, &row)).count() <= 1);
    }
}

/// Two messages of two kinds are picked at the start: four ways, of which two are the same multiset.
#[test]
fn every_pick_of_a_recovery_is_a_choice() {
    let flood = Flood { at_start: 2, kinds: 2, one_way: true, ..Flood::PLAIN };
    let world = TypedWorld::new(flood, scenario("drop:2", 0b01, 1, 1)).expect("a world");
    let recover = world.shape().classes.iter().position(|class| class.name == "recover").expect("a class");
    let (mut seen, mut empty) = (0, 0);
    for (row, _) in rows(&world) {
        let steps = Collect::of(&world, &row).steps;
        let again: Vec<_> =
            steps.iter().filter(|(action, _)| usize::from(action.class()) == recover).collect();
        if again.is_empty() {
            continue;
        }
        assert_eq!(again.len(), 4);
        seen += 1;
        let in_flight = |row: &[u32]| world.global(row).in_flight().count();
        if in_flight(&row) == 0 {
            empty += 1;
            let labels: Vec<String> = again.iter().map(|(action, _)| world.label(&row, *action)).collect();
            assert_eq!(
                labels,
                ["0, 0", "0, 1", "1, 0", "1, 1"].map(|two| format!("p0 recovers and picks {two}"))
            );
            let after: std::collections::BTreeSet<_> = again.iter().map(|(_, row)| row).collect();
            assert_eq!(after.len(), 3);
        }
        assert!(again.iter().all(|(_, row)| in_flight(row) == 2));
    }
    // The multisets of at most two messages of two kinds.
    assert_eq!((seen, empty), (6, 1));
}

/// A fault is not progress: a state that only a recovery can leave is a deadlock, unless nobody is left.
#[test]
fn a_recovery_is_no_way_out_of_a_deadlock() {
    let world = ping_pong(0b10, 1, ANY_NUMBER);
    let verdict =
        naive(&*world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
    let Outcome::Violated(violation) = &verdict.outcome else { panic!("a deadlock") };
    assert_eq!((violation.finding, violation.trace.steps.len()), (ViolationKind::Deadlock, 2));
    let recover = verdict.coverage.iter().find(|class| class.name == "recover").expect("it is counted");
    assert_eq!(recover.role, Role::Fault);
    let world = ping_pong(0b11, 2, ANY_NUMBER);
    let all_down: Vec<_> = rows(&world).into_iter().filter(|(row, _)| row[0] == 0 && row[1] == 0).collect();
    assert!(!all_down.is_empty());
    for (row, _) in all_down {
        assert!(!Collect::of(&world, &row).steps.is_empty());
        assert_eq!(world.stuck(&row), Stuck::Finished);
    }
}

/// Of the 79,203 states of three detectors of which one may crash, 46,251 are those in which nobody has. Once the
/// one that crashed has recovered they are all there again, and no more; where nobody counts there are no more at
/// all.
#[test]
fn a_ring_that_recovers_is_as_it_was() {
    let searched = |recoveries| {
        let network = Network::default().with_channel("drop:1".parse().expect("a channel"));
        let faults = Faults { crashable: ProcSet::first(3), crashes: 1, recoveries, ..Faults::default() };
        let scenario = Scenario { network, faults, ..Scenario::new(3) };
        let world = TypedWorld::new(Ring::new(3, 1).expect("a ring"), scenario).expect("a world");
        let verdict =
            check(&*world, &Question::no_deadlock(), &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(verdict.word(), "holds");
        let of =
            |name: &str| verdict.coverage.iter().find(|class| class.name == name).map(|class| class.count);
        (verdict.stats.distinct_states, of("crash"), of("recover"))
    };
    let (up, down) = (46_251, 32_952);
    assert_eq!(searched(0), (up + down, Some(3 * up), None));
    assert_eq!(searched(1), (up + down + up, Some(3 * up), Some(down)));
    assert_eq!(searched(ANY_NUMBER), (up + down, Some(3 * up), Some(down)));
}

#[test]
fn a_verdict_says_how_often_processes_recover() {
    let says = |crashes, recoveries, dead: u64| {
        let mut scenario = scenario("drop:1", 0b11, crashes, recoveries);
        scenario.n = 3;
        scenario.faults.crashed_at_start = ProcSet::from_bits(dead);
        let world = TypedWorld::new(PingPong, scenario).expect("a world");
        world.shape().assumptions[4..].to_vec()
    };
    let rest = "at any moment: a process that has crashed starts again and remembers nothing, what was on its way \
                to it is gone, and what it had sent is still on its way";
    assert_eq!(
        says(1, 1, 0),
        [
            "there is at most 1 crash of the processes {p0,p1} in a run, at any moment".to_string(),
            format!("there is at most 1 recovery in a run, {rest}"),
        ]
    );
    assert_eq!(
        says(3, 2, 0),
        [
            "there are at most 3 crashes of the processes {p0,p1} in a run, at any moment".to_string(),
            format!("there are at most 2 recoveries in a run, {rest}"),
        ]
    );
    assert_eq!(
        says(1, ANY_NUMBER, 0b100),
        [
            "the processes {p0,p1} crash at any moment, with at most 2 down at once".to_string(),
            "the processes {p2} have crashed before the start".to_string(),
            format!("there is any number of recoveries in a run, {rest}"),
        ]
    );
    assert_eq!(says(0, 1, 0b100)[0], "no process crashes during a run");
    assert_eq!(says(0, ANY_NUMBER, 0)[0], "no process crashes during a run");
    assert_eq!(
        says(0, ANY_NUMBER, 0b100)[0],
        "the processes {p0,p1} crash at any moment, with at most 1 down at once"
    );
}

/// Follows labels from the start.
fn follow(world: &World, labels: &[&str]) -> StatePath {
    let mut trail = StatePath { rows: vec![world.initial()[0].clone()], actions: Vec::new() };
    for label in labels {
        let row = trail.rows.last().expect("there is a start").clone();
        let steps = Collect::of(world, &row).steps;
        let found = steps.into_iter().find(|(action, _)| world.label(&row, *action) == *label);
        let (action, after) = found.unwrap_or_else(|| panic!("no `{label}`"));
        trail.actions.push(action);
        trail.rows.push(after);
    }
    trail
}

#[test]
fn what_was_on_its_way_is_gone_before_the_new_life_begins() {
    let world = ping_pong(0b01, 1, 1);
    let trail = follow(&world, &["p1 receives PING from p0", "p0 crashes", "p0 recovers"]);
    let trace = world.replay(&trail).expect("it replays");
    let (p0, p1) = (Pid::at(0), Pid::at(1));
    assert_eq!(
        trace.steps[2].events,
        [
            Event::Swallow { message: MessageId(1) },
            Event::Recover { process: p0 },
            Event::Send { message: MessageId(2), from: p0, to: p1, label: "PING".to_string() },
        ]
    );
    let said: Vec<String> =
        trace.steps[2].after.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(said[2..], ["channels: p0->p1=[PING]", "recoveries: 1"]);
    // A row in which it has recovered and the ball is still there is none that the run comes to.
    let mut wrong = trail.clone();
    let channel = world.layout.channel(0);
    wrong.rows[3][channel] = trail.rows[2][channel];
    let why = world.replay(&wrong).expect_err("it differs").to_string();
    assert!(why.contains("after `p0 recovers` channels is"), "{why}");
}

#[test]
fn replay_refuses_recoveries_that_cannot_be() {
    let world = ping_pong(0b10, 2, 1);
    let trail = follow(&world, &["p1 crashes", "p1 recovers", "p1 crashes"]);
    assert!(world.replay(&trail).is_ok());
    let recover = trail.actions[1];
    let refused = |from: usize| world.label(&trail.rows[from], recover);
    assert_eq!(refused(0), "impossible: p1 has not crashed");
    assert_eq!(refused(1), "p1 recovers");
    assert_eq!(refused(3), "impossible: as many processes have recovered as may");
    let choice = watchkeeper_space::Action::new(recover.class(), crate::transition::code(1, 0, 1));
    assert_eq!(world.label(&trail.rows[1], choice), "impossible: p1 has no choice 1");
    let crash = trail.actions[0];
    let world = ping_pong(0b10, 1, 1);
    let trail = follow(&world, &["p1 crashes", "p1 recovers"]);
    assert_eq!(world.label(&trail.rows[2], crash), "impossible: as many processes have crashed as may");
}
