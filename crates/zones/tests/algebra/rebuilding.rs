//! Zones over other clocks: a point is in the new zone if its fresh clocks have their values, and some old
//! point has the values of the kept ones.

use crate::dice::Dice;
use crate::model::{Constraint, Model, assert_canonical, satisfies, scale};
use watchkeeper_zones::{Source, Zone};

const MOST: i32 = 2;

fn draw_sources(dice: &mut Dice, clocks: usize, count: usize) -> Vec<Source> {
    let source = |dice: &mut Dice| {
        if dice.below(3) == 0 {
            Source::Fresh(dice.between(-MOST, MOST))
        } else {
            Source::Keep(1 + dice.below(clocks))
        }
    };
    (0..count).map(|_| source(dice)).collect()
}

fn draw_point(dice: &mut Dice, clocks: usize, scale: i32) -> Vec<i32> {
    (0..clocks).map(|_| dice.between(-(MOST + 1) * scale, (MOST + 1) * scale)).collect()
}

/// Whether an old point exists that begins with `point` and has the values known. Two clocks of three may be
/// unknown, so the grid must be three times as fine as that of the new point, and a clock may be two
/// constants away from one that is known.
fn completes(model: &Model, known: &[Option<i32>], point: &mut Vec<i32>, scale: i32) -> bool {
    let spoken_of = |&&(i, j, _): &&Constraint| i.max(j) <= point.len();
    if !model.constraints.iter().filter(spoken_of).all(|&constraint| satisfies(point, scale, constraint)) {
        return false;
    }
    let Some(next) = known.get(point.len()) else { return true };
    let values = match next {
        Some(value) => *value..=*value,
        None => -(3 * MOST + 2) * scale..=(3 * MOST + 2) * scale,
    };
    for value in values {
        point.push(value);
        let found = completes(model, known, point, scale);
        point.pop();
        if found {
            return true;
        }
    }
    false
}

#[test]
fn a_rebuilt_zone_has_the_points_of_its_sources() {
    let mut dice = Dice::new(21);
    let (mut inside, mut outside) = (0, 0);
    let mut after = Zone::default();
    for clocks in 1..=3 {
        for case in 0..500 {
            let (model, before) = Model::draw_zone(&mut dice, clocks, MOST, case % 2 == 0);
            let count = dice.below(5);
            let sources = draw_sources(&mut dice, clocks, count);
            before.rebuild_into(&sources, &mut after);
            assert_eq!(after.clocks(), sources.len());
            assert_canonical(&after);
            // Drawn points seldom fit a fresh value or a copy, so every other one is made to.
            for turn in 0..12 {
                let (fine, finer) = (scale(clocks), 3 * scale(clocks));
                let old = draw_point(&mut dice, clocks, fine);
                let mut point = draw_point(&mut dice, sources.len(), fine);
                for (x, source) in point.iter_mut().zip(&sources).filter(|_| turn % 2 == 0) {
                    *x = match *source {
                        Source::Keep(i) => old[i - 1],
                        Source::Fresh(v) => v * fine,
                    };
                }
                let mut known = vec![None; clocks];
                let fits = point.iter().zip(&sources).all(|(&x, source)| match *source {
                    Source::Fresh(v) => x == v * fine,
                    Source::Keep(i) => *known[i - 1].get_or_insert(3 * x) == 3 * x,
                });
                let should = fits && completes(&model, &known, &mut Vec::new(), finer);
                assert_eq!(after.contains(&point, fine), should, "{point:?} from {before} by {sources:?}");
                if should { inside += 1 } else { outside += 1 }
            }
        }
    }
    assert!(inside > 3000 && outside > 3000, "{inside} inside and {outside} outside");
}

#[test]
fn one_operation_does_for_the_single_ones() {
    let mut dice = Dice::new(22);
    let mut rebuilt = Zone::default();
    for case in 0..2000 {
        let clocks = 1 + case % 6;
        let (_, zone) = Model::draw_zone(&mut dice, clocks, 9, case % 2 == 0);
        let keep: Vec<Source> = (1..=clocks).map(Source::Keep).collect();
        zone.rebuild_into(&keep, &mut rebuilt);
        assert_eq!(rebuilt, zone);

        let (clock, value) = (1 + dice.below(clocks), dice.between(-9, 9));
        let mut reset = zone.clone();
        reset.reset(clock, value);
        let mut sources = keep.clone();
        sources[clock - 1] = Source::Fresh(value);
        zone.rebuild_into(&sources, &mut rebuilt);
        assert_eq!(rebuilt, reset);

        let reversed: Vec<Source> = keep.iter().rev().copied().collect();
        zone.rebuild_into(&reversed, &mut rebuilt);
        let mut back = Zone::default();
        rebuilt.rebuild_into(&reversed, &mut back);
        assert_eq!(back, zone);

        zone.rebuild_into(&[], &mut rebuilt);
        assert_eq!(rebuilt, Zone::point(&[]));
    }
}

#[test]
fn a_copy_of_a_clock_stays_with_it() {
    let mut zone = Zone::everything(1);
    assert!(zone.constrain(1, 0, watchkeeper_zones::DbmBound::at_most(5)));
    let mut copied = Zone::default();
    zone.rebuild_into(&[Source::Keep(1), Source::Fresh(-2), Source::Keep(1)], &mut copied);
    copied.up();
    assert_eq!(copied.to_string(), "x1 - x3 <= 0, x3 - x1 <= 0, x2 >= -2, x1 - x2 <= 7");
}
