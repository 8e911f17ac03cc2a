//! Tests of conjectures: what made a region is found again from its cells alone.

use super::*;

/// All pairs with 1 <= x <= y <= n.
fn pairs(n: i64, holds: impl Fn(i64, i64) -> bool) -> Vec<GridPoint> {
    let pairs = (1..=n).flat_map(|y| (1..=y).map(move |x| (x, y)));
    pairs.map(|(x, y)| GridPoint { x, y, holds: holds(x, y) }).collect()
}

fn found(points: &[GridPoint]) -> Option<String> {
    conjecture(points).map(|conjecture| conjecture.told("tmin", "tmax"))
}

#[test]
fn the_conditions_of_the_heartbeat_protocols_are_recovered() {
    type Case = (fn(i64, i64) -> bool, &'static str);
    let cases: [Case; 9] = [
        (|x, y| 2 * x > y, "2*tmin > tmax"),
        (|x, y| 2 * x < y, "2*tmin < tmax"),
        (|x, y| x < y, "tmin < tmax"),
        (|x, y| 2 * x >= y, "2*tmin >= tmax"),
        (|x, y| x == y, "tmin = tmax"),
        (|x, y| 3 * x > 2 * y, "3*tmin > 2*tmax"),
        (|_, _| true, "always"),
        (|_, _| false, "never"),
        (|x, y| x + 2 <= y, "tmin + 1 < tmax"),
    ];
    for (holds, told) in cases {
        assert_eq!(found(&pairs(24, holds)).as_deref(), Some(told));
    }
}

#[test]
fn two_conditions_are_found_where_one_does_not_do() {
    let band = pairs(24, |x, y| 2 * x > y && x < y);
    assert_eq!(found(&band).as_deref(), Some("tmin < tmax and 2*tmin > tmax"));
    let wings = pairs(24, |x, y| 3 * x < y || x == y);
    assert_eq!(found(&wings).as_deref(), Some("tmin = tmax or 3*tmin < tmax"));
}

#[test]
fn a_threshold_on_one_parameter_may_be_any_number() {
    let points = |holds: fn(i64) -> bool| -> Vec<GridPoint> {
        (1..=40).map(|x| GridPoint { x, y: 0, holds: holds(x) }).collect()
    };
    assert_eq!(found(&points(|x| x >= 17)).as_deref(), Some("tmin > 16"));
    assert_eq!(found(&points(|x| x < 9)).as_deref(), Some("tmin <= 8"));
    assert_eq!(found(&points(|x| x == 30)).as_deref(), Some("tmin = 30"));
    assert_eq!(found(&points(|x| (5..30).contains(&x))).as_deref(), Some("tmin > 4 and tmin <= 29"));
    let wide = pairs(24, |_, y| y > 12);
    assert_eq!(found(&wide).as_deref(), Some("tmax > 12"));
}

#[test]
fn one_wrong_cell_is_enough_to_have_none() {
    let mut points = pairs(24, |x, y| (x * y) % 3 != 0);
    assert_eq!(found(&points), None);
    points = pairs(24, |x, y| 2 * x > y);
    let stray = points.iter().position(|point| (point.x, point.y) == (5, 20)).expect("a cell");
    points[stray].holds = true;
    assert_eq!(found(&points), None);
    assert_eq!(found(&[]), None);
}

#[test]
fn every_conjecture_is_right_in_every_cell() {
    for n in [1, 2, 5, 9] {
        for seed in 0..40i64 {
            let holds = |x: i64, y: i64| (seed * x + 7 * y + seed * seed) % 5 < 3;
            let points = pairs(n, holds);
            let Some(conjecture) = conjecture(&points) else { continue };
            let says = |x, y| match conjecture {
                LinearConjecture::Always => true,
                LinearConjecture::Never => false,
                LinearConjecture::Where(p) => p.holds(x, y),
                LinearConjecture::Both(p, q) => p.holds(x, y) && q.holds(x, y),
                LinearConjecture::Either(p, q) => p.holds(x, y) || q.holds(x, y),
            };
            for point in &points {
                assert_eq!(says(point.x, point.y), point.holds, "{conjecture} at {point:?}");
            }
        }
    }
}

#[test]
fn a_border_lies_between_what_holds_and_what_does_not() {
    let border = |points: &[GridPoint]| conjecture(points).expect("a conjecture").borders();
    assert_eq!(border(&pairs(9, |x, y| 2 * x > y)), [Border { a: 4, b: -2, c: -1 }]);
    assert_eq!(border(&pairs(9, |x, y| x < y)), [Border { a: 2, b: -2, c: 1 }]);
    assert_eq!(border(&pairs(9, |x, y| x == y)), [Border { a: 2, b: -2, c: 0 }]);
    assert_eq!(border(&pairs(9, |_, _| true)), []);
}
