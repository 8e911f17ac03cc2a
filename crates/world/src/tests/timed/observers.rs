//! Observers with deadlines in ticks and in dense time. One that is decided by the first deadline that runs out
//! finds the same in both. One that goes on finds in ticks only part of what there is: two deadlines that run
//! out say twice that something took strictly longer, and there may not be a whole tick for each of them.

use super::draw::Draw;
use super::keeper::{Keeper, Then, kept};
use super::reach::{covering, exact};
use super::script::{Do, Hand, On, Please, Script, both};
use crate::{Timing, TypedWorld, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Deadlines, Judgement, Observation, Observer, Pack, Pid, Slot, Symmetry};
use watchkeeper_space::{Space, Stuck, steps};

/// The most rows of a comparison.
const MOST: usize = 4000;

/// What was found on many draws.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    compared: usize,
    skipped: usize,
    states: usize,
    /// In how many a deadline ran out.
    expired: usize,
    /// In how many ticks found less.
    strict: usize,
    /// In how many of these ticks on a finer clock found everything.
    closed: usize,
}

fn compare(seeds: std::ops::Range<u64>, then: Then) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let draw = Draw::new(seed, Symmetry::None).brief();
        let keeper = Keeper { seed: seed ^ 0xabc, then, unit: 1 };
        let worlds = [WorldTime::Ticks as fn(Timing) -> WorldTime, WorldTime::Dense]
            .map(|time| kept(&draw, time, &keeper));
        let [Some(ticks), Some(dense)] = worlds else { continue };
        let (Some(ticks), Some(zones)) = (exact(&ticks, MOST), exact(&dense, MOST)) else {
            tally.skipped += 1;
            continue;
        };
        let covered = covering(&dense, MOST).expect("no more than without");
        assert!(covered.states == zones.states && covered.locked == zones.locked, "seed {seed}: {draw:?}");
        assert!(ticks.states.is_subset(&zones.states), "seed {seed}: {draw:?}");
        tally.compared += 1;
        tally.states += zones.states.len();
        let class = dense.shape().classes.iter().position(|class| class.name == "deadline passes");
        tally.expired += usize::from(zones.classes[class.expect("it is dense")] > 0);
        if ticks.states.len() < zones.states.len() {
            tally.strict += 1;
            tally.closed += usize::from(closes(&draw, &keeper, &zones.states));
        }
    }
    tally
}

/// Whether ticks on some finer clock find everything that there is in dense time.
fn closes(draw: &Draw, keeper: &Keeper, all: &BTreeSet<Vec<u8>>) -> bool {
    (2..6).any(|unit| {
        let keeper = Keeper { unit, ..keeper.clone() };
        let world = kept(&draw.finer(unit), WorldTime::Ticks, &keeper).expect("a world");
        exact(&world, 20_000).is_some_and(|ticks| ticks.states == *all)
    })
}

/// There is one strict bound in a run at most, so that its times can be moved to whole ticks.
#[test]
fn what_the_first_watch_decides_is_the_same_in_ticks_and_dense_time() {
    let tally = compare(0..300, Then::IsWrong);
    report(Then::IsWrong, tally);
    assert_eq!(tally.strict, 0);
    assert!(tally.compared > 200 && tally.expired * 3 > tally.compared * 2, "{tally:?}");
}

#[test]
fn an_observer_that_goes_on_finds_no_more_in_ticks() {
    for then in [Then::GoesOn, Then::StartsMore] {
        let tally = compare(0..150, then);
        report(then, tally);
        assert!(tally.compared > 75 && tally.strict > 30, "{tally:?}");
        // Whatever dense time finds beyond ticks is there on a clock that is fine enough, unless a deadline is
        // started by one that ran out: that one is told later the coarser the clock is.
        assert!(tally.closed == tally.strict || then == Then::StartsMore, "{tally:?}");
    }
}

#[expect(clippy::print_stdout, reason = "the numbers are asked for")]
fn report(then: Then, tally: Tally) {
    println!("observers, {then:?}: {tally:?}");
}

/// Keeps a diary of a script: timers of p0 as A, B, C and of p1 as a, b, c; calls as ?; deadlines that ran out
/// by their numbers. Deadlines are started before anything happens and when timers fire, with these bounds.
#[derive(Clone)]
struct Diarist {
    at_start: Vec<(usize, u32)>,
    on: Vec<(u8, usize, u32)>,
    /// Watch 0 is started anew, with this bound, the first time that it runs out.
    again: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
struct Entries(Vec<u8>);

impl Observer<Script> for Diarist {
    type State = Entries;

    fn name(&self) -> String {
        "diarist".to_string()
    }

    fn start(&self, deadlines: &mut Deadlines) -> Entries {
        self.at_start.iter().for_each(|&(deadline, bound)| deadlines.start(deadline, bound));
        Entries(Vec::new())
    }

    fn see(&self, entries: &mut Entries, observation: &Observation<'_, Script>, deadlines: &mut Deadlines) {
        let entry = match observation {
            Observation::Fired { by, timer } => [b'A', b'a'][by.index()] + timer.index() as u8,
            Observation::Called { .. } => b'?',
            _ => return,
        };
        entries.0.push(entry);
        for &(_, deadline, bound) in self.on.iter().filter(|(on, _, _)| *on == entry) {
            deadlines.start(deadline, bound);
        }
    }

    fn expired(&self, entries: &mut Entries, deadline: usize, deadlines: &mut Deadlines) {
        if let (Some(bound), false) = (self.again, entries.0.contains(&b'0')) {
            deadlines.start(0, bound);
        }
        entries.0.push(b'0' + deadline as u8);
    }

    fn judge(&self, _: &Entries) -> Judgement {
        Judgement::Open
    }
}

/// All diaries in ticks and in dense time.
fn diaries(worlds: [TypedWorld<Script>; 2], diarist: &Diarist) -> [BTreeSet<String>; 2] {
    worlds.map(|world| {
        let world = world.observed_by(diarist.clone()).expect("a timed world");
        let rows = exact(&world, 10_000).expect("a small world").rows;
        let diary = |row: &Vec<u32>| {
            let notes = &world.snapshot(row).expect("a row").observers[0].state;
            watchkeeper_core::unpacked::<Entries>(notes).expect("what was packed").0
        };
        rows.iter().map(|row| diary(row).into_iter().map(char::from).collect()).collect()
    })
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// Deadlines of 2 and 3; a call at some c, and a timer at c + 1. If the call comes after the first deadline ran
/// out, that is after 2, the timer is after 3, and the second deadline has run out before.
#[test]
fn what_follows_a_watch_that_ran_out_is_after_its_end() {
    let script = Script(vec![(0, On::Asked, vec![Do::Arm(Hand::A, Bound::exactly(1))])]);
    let worlds = both(&script, "drop:1", Timing::per_message(Bound::exactly(1)))
        .map(|world| world.with_calls(vec![(Pid::at(0), Please::Please, 1)]).expect("a world"));
    let diarist = Diarist { at_start: vec![(0, 2), (1, 3)], on: Vec::new(), again: None };
    let [ticks, dense] = diaries(worlds, &diarist);
    let early = ["", "?", "?A", "?A0", "?A01", "?0", "?0A", "?0A1"];
    let late = ["0", "0?", "0?1", "0?1A", "01", "01?", "01?A"];
    assert_eq!(dense, set(&[&early[..], &late[..]].concat()));
    assert_eq!(ticks, dense);
}

/// A fires at a and B at b, both from 0 to 1, and each again 2 later. A deadline of 2 from the start runs out
/// before a + 2 if a > 0; one from a on runs out before b + 2 if b > a. Whole ticks leave no room for both.
#[test]
fn two_watches_that_run_out_can_be_too_fine_for_ticks() {
    let finds = |unit: u32| {
        let arm = |hand, bound| vec![Do::Arm(hand, bound)];
        let script = Script(vec![
            (0, On::Start, arm(Hand::A, Bound::within(unit))),
            (0, On::Fire(Hand::A), arm(Hand::C, Bound::exactly(2 * unit))),
            (1, On::Start, arm(Hand::B, Bound::within(unit))),
            (1, On::Fire(Hand::B), arm(Hand::C, Bound::exactly(2 * unit))),
        ]);
        let diarist = Diarist { at_start: vec![(0, 2 * unit)], on: vec![(b'A', 1, 2 * unit)], again: None };
        diaries(both(&script, "drop:1", Timing::per_message(Bound::exactly(1))), &diarist)
    };
    let [ticks, dense] = finds(1);
    assert!(ticks.is_subset(&dense) && !ticks.contains("Ab0C1c") && dense.contains("Ab0C1c"));
    let [finer, same] = finds(2);
    assert!(finer.contains("Ab0C1c") && same == dense && finer == dense, "on a clock twice as fine");
}

/// A deadline of 1 runs out after 1, and is started anew then: it runs out again before the timer at 3, or after
/// it if it was told late, at 2 or later. In ticks it is told at 2, so that there is no time left.
#[test]
fn a_watch_started_by_one_that_ran_out_counts_from_when_that_was_told() {
    let script = Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(3))])]);
    let worlds = || both(&script, "drop:1", Timing::per_message(Bound::exactly(1)));
    let diarist = Diarist { at_start: vec![(0, 1)], on: Vec::new(), again: Some(1) };
    let [ticks, dense] = diaries(worlds(), &diarist);
    assert_eq!(ticks, set(&["", "0", "0A", "0A0"]));
    assert_eq!(dense, set(&["", "0", "0A", "0A0", "00", "00A"]));
    // A deadline of no duration runs out as soon as any time passes, and not before the timer that is due.
    let at_once = Diarist { at_start: vec![(0, 3), (1, 0)], on: Vec::new(), again: None };
    let [ticks, dense] = diaries(worlds(), &at_once);
    assert_eq!(ticks, set(&["", "1", "1A", "1A0"]));
    assert_eq!(ticks, dense);
}

/// A deadline never keeps time from passing, and is nothing that a process could still do.
#[test]
fn a_watch_is_no_obligation() {
    let script = Script(vec![(0, On::Start, vec![Do::Arm(Hand::A, Bound::exactly(1))])]);
    let diarist = Diarist { at_start: vec![(0, 5)], on: vec![(b'A', 1, 2)], again: None };
    for world in both(&script, "drop:1", Timing::per_message(Bound::exactly(1))) {
        let world = world.observed_by(diarist.clone()).expect("a timed world");
        let rows = exact(&world, 100).expect("a small world").rows;
        let stuck: Vec<&Vec<u32>> = rows.iter().filter(|row| steps(&*world, row).stuck).collect();
        assert_eq!(stuck.len(), 1, "when all has happened and all deadlines have run out");
        assert_eq!(world.stuck(stuck[0]), Stuck::Deadlock);
        // In ticks 0 to 6; the timer at 1, before and after; in zones before, after, and one deadline less twice.
        assert_eq!(rows.len(), if world.shape().zone.is_some() { 4 } else { 8 });
    }
}
