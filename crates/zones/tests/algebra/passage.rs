//! Time passing, and single clocks set or forgotten: each is a question whether some moment, or some value of
//! the clock before, leads to the point.

use crate::dice::Dice;
use crate::model::{Model, assert_canonical, sample, scale};
use watchkeeper_zones::{DbmBound, Zone};

/// The largest constant drawn, and the box in which points are looked at.
const MOST: i32 = 2;
const BOX: i32 = 3;

/// Asks of many zones whether an operation has the points that it should. `expected` is told the point and
/// a question, whether a point of the finer grid was in the zone before; `steps` of that grid are as far as
/// a constant and the box together.
fn hold(
    seed: u64,
    operation: impl Fn(&mut Dice, &mut Zone) -> i32,
    expected: impl Fn(i32, &[i32], i32, &dyn Fn(&[i32]) -> bool) -> bool,
) {
    let mut dice = Dice::new(seed);
    let (mut inside, mut outside) = (0, 0);
    for clocks in 1..=3 {
        for case in 0..400 {
            let (model, before) = Model::draw_zone(&mut dice, clocks, MOST, case % 2 == 0);
            let mut after = before.clone();
            let choice = operation(&mut dice, &mut after);
            assert_canonical(&after);
            let finer = 2 * scale(clocks);
            let steps = (MOST + BOX + 1) * finer;
            for point in sample(&mut dice, clocks, BOX, 500) {
                let doubled: Vec<i32> = point.iter().map(|x| 2 * x).collect();
                let should = expected(choice, &doubled, steps, &|point| model.has(point, finer));
                assert_eq!(
                    after.contains(&point, scale(clocks)),
                    should,
                    "{point:?} from {before} to {after}"
                );
                if should { inside += 1 } else { outside += 1 }
            }
        }
    }
    assert!(inside > 20_000 && outside > 20_000, "{inside} inside and {outside} outside");
}

fn moved(point: &[i32], by: i32) -> Vec<i32> {
    point.iter().map(|x| x + by).collect()
}

fn with(point: &[i32], clock: i32, value: i32) -> Vec<i32> {
    let mut point = point.to_vec();
    point[clock as usize - 1] = value;
    point
}

fn draw_clock(dice: &mut Dice, zone: &Zone) -> i32 {
    dice.between(1, zone.clocks() as i32)
}

#[test]
fn the_future() {
    let up = |_: &mut Dice, zone: &mut Zone| {
        zone.up();
        0
    };
    hold(11, up, |_, point, steps, had| (0..=steps).any(|wait| had(&moved(point, -wait))));
}

#[test]
fn the_past() {
    let down = |_: &mut Dice, zone: &mut Zone| {
        zone.down();
        0
    };
    hold(12, down, |_, point, steps, had| (0..=steps).any(|wait| had(&moved(point, wait))));
}

#[test]
fn a_forgotten_clock() {
    let free = |dice: &mut Dice, zone: &mut Zone| {
        let clock = draw_clock(dice, zone);
        zone.free(clock as usize);
        clock
    };
    hold(13, free, |clock, point, steps, had| (-steps..=steps).any(|was| had(&with(point, clock, was))));
}

#[test]
fn a_clock_that_is_set() {
    // Half of the points are put on the value, or hardly any would be inside.
    let mut dice = Dice::new(14);
    let mut inside = 0;
    for clocks in 1..=3 {
        for case in 0..400 {
            let (model, before) = Model::draw_zone(&mut dice, clocks, MOST, case % 2 == 0);
            let (clock, value) = (draw_clock(&mut dice, &before), dice.between(-BOX, BOX));
            let mut after = before.clone();
            after.reset(clock as usize, value);
            assert_canonical(&after);
            let (fine, finer) = (scale(clocks), 2 * scale(clocks));
            let steps = (MOST + BOX + 1) * finer;
            for mut point in sample(&mut dice, clocks, BOX, 100) {
                if dice.coin() {
                    point[clock as usize - 1] = value * fine;
                }
                let doubled: Vec<i32> = point.iter().map(|x| 2 * x).collect();
                let had = || (-steps..=steps).any(|was| model.has(&with(&doubled, clock, was), finer));
                let should = doubled[clock as usize - 1] == value * finer && had();
                assert_eq!(after.contains(&point, fine), should, "{point:?} from {before} to {after}");
                inside += usize::from(should);
            }
        }
    }
    assert!(inside > 5000, "{inside}");
}

#[test]
fn the_future_under_a_ceiling() {
    let mut dice = Dice::new(15);
    let (mut inside, mut grown) = (0, 0);
    for clocks in 1..=3 {
        for case in 0..600 {
            let ceiling = dice.between(-1, MOST);
            let (mut model, mut before) = Model::draw_zone(&mut dice, clocks, MOST, case % 2 == 0);
            let below = |i: usize| (i, 0, DbmBound::at_most(ceiling));
            if !(1..=clocks).all(|i| before.constrain(i, 0, DbmBound::at_most(ceiling))) {
                continue;
            }
            model.constraints.extend((1..=clocks).map(below));
            let mut after = before.clone();
            after.up_to(ceiling);
            assert_canonical(&after);
            assert!(after.includes(&before));
            grown += usize::from(after != before);

            let mut slowly = before.clone();
            slowly.up();
            assert!((1..=clocks).all(|i| slowly.constrain(i, 0, DbmBound::at_most(ceiling))));
            assert_eq!(after, slowly, "{before}");
            let mut again = after.clone();
            again.up_to(ceiling);
            assert_eq!(again, after, "what has let time pass is closed under it");

            let finer = 2 * scale(clocks);
            for point in sample(&mut dice, clocks, BOX, 500) {
                let doubled: Vec<i32> = point.iter().map(|x| 2 * x).collect();
                let under = doubled.iter().all(|&x| x <= ceiling * finer);
                let had = || (0..=6 * finer).any(|wait| model.has(&moved(&doubled, -wait), finer));
                let should = under && had();
                assert_eq!(
                    after.contains(&point, scale(clocks)),
                    should,
                    "{point:?} from {before} to {after}"
                );
                inside += usize::from(should);
            }
        }
    }
    assert!(inside > 20_000 && grown > 300, "{inside} inside, {grown} grown");
}

#[test]
#[should_panic(expected = "no clock is above the ceiling")]
fn time_that_came_too_far_is_refused() {
    Zone::point(&[-1, 1]).up_to(0);
}
