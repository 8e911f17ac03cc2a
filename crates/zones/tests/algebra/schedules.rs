//! Schedules against brute force: all times on grids of every denominator that could matter.

use crate::dice::Dice;
use watchkeeper_zones::{Conflict, DbmBound, Difference, Moment, schedule};

pub(crate) fn at_most(a: usize, b: usize, v: i32) -> Difference {
    Difference::new(a, b, DbmBound::at_most(v))
}

pub(crate) fn below(a: usize, b: usize, v: i32) -> Difference {
    Difference::new(a, b, DbmBound::below(v))
}

/// Bounds of all sorts, or only strict ones with small constants: those need fine grids.
pub(crate) fn draw(dice: &mut Dice, events: usize, fine: bool) -> Vec<Difference> {
    let mut constraints = Vec::new();
    for _ in 0..1 + dice.below(3 * events) {
        let (a, b) = (dice.below(events), dice.below(events));
        let constraint = match (fine, dice.below(2)) {
            (true, _) => below(a, b, dice.between(0, 1)),
            (false, 0) => below(a, b, dice.between(-2, 2)),
            (false, _) => at_most(a, b, dice.between(-2, 2)),
        };
        constraints.push(constraint);
    }
    constraints
}

/// The earliest times on a grid, found by trying all; no constant is above 2, so no earliest time is above
/// 3 for each event.
fn brute(events: usize, constraints: &[Difference], denominator: i64) -> Option<Vec<i64>> {
    let keeps = |times: &[i64]| {
        constraints.iter().all(|constraint| {
            let (a, b) = (times[constraint.a], times[constraint.b]);
            let bound = i64::from(constraint.bound.value()) * denominator;
            a - b < bound || a - b == bound && !constraint.bound.is_strict()
        })
    };
    let most = 3 * (events as i64 - 1) * denominator;
    let mut earliest: Option<Vec<i64>> = None;
    let mut times = vec![0; events];
    loop {
        if keeps(&times) {
            let known = earliest.get_or_insert_with(|| times.clone());
            known.iter_mut().zip(&times).for_each(|(least, &time)| *least = time.min(*least));
        }
        let Some(next) = (1..events).find(|&event| times[event] < most) else { break };
        times[next] += 1;
        times[1..next].fill(0);
    }
    // The least of each event together are a solution too, as solutions of difference constraints are.
    assert!(earliest.as_ref().is_none_or(|times| keeps(times)));
    earliest
}

#[test]
fn schedules_are_the_earliest_with_the_smallest_denominator() {
    let mut dice = Dice::new(61);
    let mut found = [0; 5];
    for events in 1..=4 {
        for case in 0..[0, 200, 2000, 4000, 300][events] {
            let constraints = draw(&mut dice, events, case % 2 == 0);
            let grids = 1..=events as i64 + 1;
            let expected = grids.clone().find_map(|d| brute(events, &constraints, d).map(|times| (d, times)));
            match (schedule(events, &constraints), expected) {
                (Ok(schedule), Some((denominator, times))) => {
                    assert_eq!(schedule.denominator(), denominator, "{constraints:?}");
                    assert_eq!(schedule.numerators(), times, "{constraints:?}");
                    found[denominator as usize] += 1;
                }
                (Err(conflict), None) => {
                    assert_conflict(events, &constraints, &conflict);
                    found[0] += 1;
                }
                other => panic!("{constraints:?}: {other:?}"),
            }
        }
    }
    assert!(found[..4].iter().all(|&count| count > 10), "conflicts and denominators: {found:?}");
}

/// The bounds named cannot be kept together, but they can without any one of them.
fn assert_conflict(events: usize, constraints: &[Difference], conflict: &Conflict) {
    let mut named: Vec<Difference> = conflict.cycle().iter().map(|&place| constraints[place]).collect();
    assert_eq!(conflict.constraint(), conflict.cycle()[0]);
    assert_eq!(brute(events, &named, events as i64), None, "{named:?}");
    for _ in 0..named.len() {
        let spared = named.remove(0);
        assert!(brute(events, &named, events as i64).is_some(), "{named:?} without {spared:?}");
        named.push(spared);
    }
}

/// The binary heartbeat at (5, 10): a timeout at 10, one at 20, and more than 20 without a beat.
#[test]
fn a_strict_bound_is_kept_at_half_a_unit() {
    let run = [at_most(0, 1, -10), at_most(1, 0, 10), below(1, 2, -20), below(2, 1, 21)];
    let times = schedule(3, &run).unwrap();
    let shown: Vec<String> = (0..3).map(|event| times.time(event).to_string()).collect();
    assert_eq!(shown, ["0", "10", "30.5"]);
    assert_eq!(times.time(2), Moment::new(61, 2));
}

#[test]
fn a_chain_of_strict_bounds_needs_a_finer_grid() {
    let mut run: Vec<Difference> = (0..5).map(|event| below(event, event + 1, 0)).collect();
    run.push(below(5, 0, 1));
    let times = schedule(6, &run).unwrap();
    assert_eq!((times.denominator(), times.numerators()), (6, &[0, 1, 2, 3, 4, 5][..]));
    run.push(at_most(4, 0, 0));
    let conflict = schedule(6, &run).unwrap_err();
    let mut named = conflict.cycle().to_vec();
    named.sort_unstable();
    assert_eq!(named, [3, 6]);
    assert!(conflict.to_string().starts_with("no times keep the bounds "));
}

#[test]
fn a_long_run_is_scheduled() {
    let events = 400;
    let mut run: Vec<Difference> = (1..events).rev().map(|event| at_most(event - 1, event, -7)).collect();
    run.extend((1..events).map(|event| below(event, event - 1, 9)));
    assert_eq!(schedule(events, &run).unwrap().numerators()[events - 1], 7 * 399);
    run.push(below(events - 1, 0, 7 * 399));
    assert_eq!(schedule(events, &run).unwrap_err().cycle().len(), events);
}

#[test]
fn few_events_and_no_bounds() {
    assert_eq!(schedule(0, &[]).unwrap().numerators(), []);
    assert_eq!(schedule(2, &[Difference::new(0, 1, DbmBound::NONE)]).unwrap().numerators(), [0, 0]);
    assert_eq!(schedule(1, &[below(0, 0, 0)]).unwrap_err().cycle(), [0]);
    assert_eq!(schedule(2, &[at_most(0, 1, -5), at_most(1, 0, -1)]).unwrap_err().cycle(), [1]);
}
