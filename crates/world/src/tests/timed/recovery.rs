//! Processes that crash and start again in timed worlds: a recovery happens at any moment, and what the new life
//! arms and sends counts from then.

use super::reach::{covering, exact};
use super::script::{Do, Hand, Letter, On, Script, between, diaries, scenario};
use crate::tests::walk::Collect;
use crate::{ANY_NUMBER, Faults, Network, Scenario, Timing, TypedWorld, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Deadlines, Judgement, Observation, Observer, Pid, ProcSet, Promises};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::{Narration, Space};

fn worlds(script: &Script, channel: &str, timing: Timing, faults: &Faults) -> [TypedWorld<Script>; 2] {
    [WorldTime::Ticks(timing), WorldTime::Dense(timing)].map(|time| {
        let scenario = Scenario { faults: faults.clone(), ..scenario(channel, time) };
        TypedWorld::new(script.clone(), scenario).expect("a world")
    })
}

fn once(process: usize, recoveries: u32) -> Faults {
    Faults { crashable: ProcSet::only(Pid::at(process)), crashes: 1, recoveries, ..Faults::default() }
}

/// What is written in both time models, which must be the same.
fn written(worlds: &[TypedWorld<Script>; 2]) -> BTreeSet<String> {
    let [ticks, dense] = worlds.each_ref().map(|world| {
        let found = exact(world, 10_000).expect("a small world");
        found.rows.iter().map(|row| diaries(world, row)).collect::<BTreeSet<String>>()
    });
    assert_eq!(ticks, dense);
    ticks
}

/// p0 rings at 2 and p1 at 3. If p0 starts again after 1, p1 is first; and p0 can ring again in its new life.
#[test]
fn timers_of_the_new_life_count_from_its_beginning() {
    let arm = |at| vec![Do::Arm(Hand::A, Bound::exactly(at))];
    let script = Script(vec![(0, On::Start, arm(2)), (1, On::Start, arm(3))]);
    let timing = Timing::per_message(Bound::exactly(1));
    let all = |recoveries| written(&worlds(&script, "drop:1", timing, &once(0, recoveries)));
    let set = |list: &[&str]| list.iter().map(ToString::to_string).collect::<BTreeSet<String>>();
    assert_eq!(all(0), set(&["|", "A|", "A|A", "dead|", "dead|A"]));
    assert_eq!(all(1), set(&["|", "A|", "A|A", "dead|", "dead|A", "|A"]));
    assert_eq!(all(ANY_NUMBER), all(1));
}

/// p0 is down at the start. Where recoveries are not counted it may be down again, also once it has rung in a new
/// life; nothing new is written by that, since it forgets.
#[test]
fn whoever_was_down_at_the_start_may_be_down_again() {
    let arm = |at| vec![Do::Arm(Hand::A, Bound::exactly(at))];
    let script = Script(vec![(0, On::Start, arm(2)), (1, On::Start, arm(3))]);
    let timing = Timing::per_message(Bound::exactly(1));
    for (recoveries, again) in [(1, false), (ANY_NUMBER, true)] {
        let crashed_at_start = ProcSet::only(Pid::at(0));
        let faults = Faults { crashes: 0, crashed_at_start, ..once(0, recoveries) };
        let worlds = worlds(&script, "drop:1", timing, &faults);
        let all: Vec<String> = written(&worlds).into_iter().collect();
        assert_eq!(all, ["A|", "A|A", "dead|", "dead|A", "|", "|A"]);
        for world in &worlds {
            let rows = exact(world, 10_000).expect("a small world").rows;
            let rung: Vec<_> = rows.iter().filter(|row| diaries(world, row).starts_with('A')).collect();
            assert!(!rung.is_empty());
            for row in rung {
                let labels =
                    Collect::of(world, row).steps.into_iter().map(|(action, _)| world.label(row, action));
                assert_eq!(labels.filter(|label| label == "p0 crashes").count(), usize::from(again));
            }
        }
    }
}

/// What p0 sent in its first life takes 2 to 3, and p0 sends the same when it starts again: p1 may hear both, but
/// what was sent to p0 while it was down it never hears.
#[test]
fn the_dead_are_heard_and_do_not_hear() {
    let script = Script(vec![
        (0, On::Start, vec![Do::Send(1, Letter::X)]),
        (1, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(1))]),
        (1, On::Fire(Hand::A), vec![Do::Send(0, Letter::Y)]),
    ]);
    let timing = Timing::per_message(between(2, 3));
    for channel in ["drop:2", "unbounded:2", "block:2"] {
        let heard = written(&worlds(&script, channel, timing, &once(0, 1)));
        assert!(heard.contains("|Axx") && heard.contains("y|Axx"), "{channel}: {heard:?}");
        // p0 is down from before 1 until after that: nothing that follows can reach it.
        let mut faults = once(0, 1);
        faults.crashed_at_start = ProcSet::only(Pid::at(0));
        faults.crashes = 0;
        let heard = written(&worlds(&script, channel, timing, &faults));
        let late: Vec<&String> = heard.iter().filter(|diary| diary.ends_with("xx")).collect();
        assert!(late.is_empty() && heard.contains("y|Ax") && heard.contains("|Ax"), "{channel}: {heard:?}");
    }
}

/// Says that it is wrong if a process is up again within 2 of its crash.
struct Haste;

impl Observer<Script> for Haste {
    type State = u8;

    fn name(&self) -> String {
        "no haste".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> u8 {
        0
    }

    fn see(&self, state: &mut u8, observation: &Observation<'_, Script>, deadlines: &mut Deadlines) {
        match (observation, *state) {
            (Observation::Crashed { .. }, 0) => {
                deadlines.start(0, 2);
                *state = 1;
            }
            (Observation::Recovered { .. }, 1) => *state = 3,
            // The new life is seen before what it sends.
            (Observation::Sent { .. }, 3) => *state = 4,
            _ => {}
        }
    }

    fn expired(&self, state: &mut u8, _: usize, _: &mut Deadlines) {
        *state = 2;
    }

    fn judge(&self, state: &u8) -> Judgement {
        match *state {
            4 => Judgement::Violated("it was up again at once".to_string()),
            2 => Judgement::Settled,
            _ => Judgement::Open,
        }
    }
}

/// A recovery is seen, and so is what is sent with it, at any moment around the end of a deadline.
#[test]
fn observers_see_a_recovery_before_what_comes_of_it() {
    let script = Script(vec![(0, On::Start, vec![Do::Send(1, Letter::X)])]);
    let timing = Timing::per_message(Bound::exactly(9));
    for world in worlds(&script, "drop:2", timing, &once(0, 1)) {
        let world = world.observed_by(Haste).expect("a timed world");
        let atom = world.shape().atom("no haste").expect("the observer's");
        let rows = exact(&world, 10_000).expect("a small world").rows;
        let wrong = rows.iter().filter(|row| !world.atom(atom, row)).count();
        assert!(wrong > 0 && wrong < rows.len());
        let unseen = |row: &&Vec<u32>| {
            world.view(row).iter().any(|(name, value)| name == "no haste" && value.to_string() == "3")
        };
        assert_eq!(rows.iter().filter(unseen).count(), 0, "the message goes out with the recovery");
    }
}

fn compared<P: Promises + Clone>(protocol: &P, n: usize, timing: Timing, recoveries: u32) -> usize {
    let world = |time| {
        let network = Network::default().with_channel("drop:1".parse().expect("a channel"));
        let scenario = Scenario { n, network, faults: once(1, recoveries), time, oracle: None };
        TypedWorld::new(protocol.clone(), scenario).expect("a world")
    };
    let ticks = exact(&world(WorldTime::Ticks(timing)), 400_000).expect("few enough in ticks");
    let dense = covering(&world(WorldTime::Dense(timing)), 400_000).expect("few enough zones");
    assert_eq!((&ticks.states, &ticks.locked), (&dense.states, &dense.locked));
    let untimed = exact(&world(WorldTime::Untimed), 400_000).expect("few enough without time");
    assert!(dense.states.is_subset(&untimed.states));
    ticks.states.len()
}

/// Once p1 has recovered, and cannot crash any more, everything is as it was before the crash: 61 of the 84
/// states. Where nobody counts, these are the same.
#[test]
fn a_ring_that_recovers_reaches_the_same_in_ticks_and_in_zones() {
    let ring = Ring::new(2, 2).expect("a ring");
    let timing = Timing::per_message(between(1, 2));
    let counts = [0, 1, ANY_NUMBER].map(|recoveries| compared(&ring, 2, timing, recoveries));
    assert_eq!(counts, [61 + 23, 61 + 23 + 61, 61 + 23]);
}
