//! Windows against brute force: all times on a grid that is fine enough for every moment that is asked about.

use crate::dice::Dice;
use crate::schedules::{at_most, below, draw};
use watchkeeper_zones::{Difference, EventWindow, ImpossibleTimes, Moment, event_times, schedule};

/// How far moments are asked about, and how far events can be from each other.
const REACH: i64 = 5;

/// For each event the moments up to the reach at which it can happen, in halves of one over the denominator of the picks.
struct Brute {
    possible: Vec<Vec<bool>>,
    /// Whether there are any times, of events up to twice the reach.
    any: bool,
}

fn brute(events: usize, constraints: &[Difference], picks: &[(usize, Moment)], denominator: i64) -> Brute {
    let fine = events as i64;
    let parts = 2 * denominator * fine;
    let most = (REACH + 2 * (fine - 1)) * parts;
    let picked = |event: usize| {
        let mut found = picks.iter().filter(|(other, _)| *other == event).map(|(_, at)| at);
        found.next().map(|at| at.numerator() * (parts / at.denominator()))
    };
    let picks_agree =
        picks.iter().all(|(event, at)| picked(*event) == Some(at.numerator() * (parts / at.denominator())));
    let keeps = |times: &[i64]| {
        constraints.iter().all(|constraint| {
            let difference = times[constraint.a] - times[constraint.b];
            let bound = i64::from(constraint.bound.value()) * parts;
            difference < bound || difference == bound && !constraint.bound.is_strict()
        })
    };
    let mut brute =
        Brute { possible: vec![vec![false; (REACH * 2 * denominator) as usize + 1]; events], any: false };
    let first = |event: usize| if event == 0 { 0 } else { picked(event).unwrap_or(0) };
    let last = |event: usize| if event == 0 { 0 } else { picked(event).unwrap_or(most) };
    if !picks_agree || picked(0).is_some_and(|at| at != 0) || picks.iter().any(|(_, at)| at.numerator() < 0) {
        return brute;
    }
    let mut times: Vec<i64> = (0..events).map(first).collect();
    loop {
        if keeps(&times) {
            brute.any = true;
            for (event, &time) in times.iter().enumerate() {
                if time % fine == 0 && time <= REACH * parts {
                    brute.possible[event][(time / fine) as usize] = true;
                }
            }
        }
        let Some(next) = (1..events).find(|&event| times[event] < last(event)) else { return brute };
        times[next] += 1;
        (1..next).for_each(|event| times[event] = first(event));
    }
}

/// Whether a window has the moment `at / parts`.
fn has(window: &EventWindow, at: i64, parts: i64) -> bool {
    let side = |end: Moment| (at * end.denominator()).cmp(&(end.numerator() * parts));
    let after = side(window.least);
    let before = window.most.map(side);
    (after.is_gt() || after.is_eq() && !window.least_is_open)
        && before.is_none_or(|before| before.is_lt() || before.is_eq() && !window.most_is_open)
}

fn same(window: &EventWindow, possible: &[bool], parts: i64, what: &str) {
    for (at, &possible) in possible.iter().enumerate() {
        assert_eq!(has(window, at as i64, parts), possible, "{what}: {window:?} and {at} / {parts}");
    }
}

fn draw_picks(dice: &mut Dice, events: usize, denominator: i64) -> Vec<(usize, Moment)> {
    let mut picks = Vec::new();
    for _ in 0..dice.below(3) {
        let at = Moment::new(dice.below(3 * denominator as usize) as i64, denominator);
        picks.push((1 + dice.below(events - 1), at));
    }
    picks
}

#[test]
fn every_moment_of_a_window_is_possible_and_none_outside() {
    let mut dice = Dice::new(11);
    let (mut solved, mut outside, mut contradictions, mut open) = (0, 0, 0, 0);
    for (events, denominator, cases) in [(2, 3, 2000), (3, 1, 4000), (3, 2, 4000), (4, 1, 300)] {
        for case in 0..cases {
            let mut constraints = draw(&mut dice, events, case % 3 == 0);
            constraints.truncate(events);
            let picks = draw_picks(&mut dice, events, denominator);
            let what = format!("{constraints:?} {picks:?}");
            let (all, parts) = (brute(events, &constraints, &picks, denominator), 2 * denominator);
            match event_times(events, &constraints, &picks) {
                Ok(found) => {
                    assert!(all.any, "{what}");
                    solved += 1;
                    for (event, window) in found.windows.iter().enumerate() {
                        open += usize::from(window.most_is_open || window.least_is_open);
                        let others: Vec<_> =
                            picks.iter().copied().filter(|(other, _)| *other != event).collect();
                        let twice = picks.len() - others.len() > 1;
                        if twice || others.len() == picks.len() {
                            same(window, &all.possible[event], parts, &what);
                        } else {
                            let possible = brute(events, &constraints, &others, denominator).possible;
                            same(window, &possible[event], parts, &what);
                        }
                        let at = found.times[event];
                        assert!(has(window, at.numerator(), at.denominator()), "{what}: {window:?} and {at}");
                    }
                    assert!(picks.iter().all(|&(event, at)| found.times[event] == at), "{what}: {found:?}");
                    kept(&found.times, &constraints, &what);
                    if picks.is_empty() {
                        let earliest = schedule(events, &constraints).expect("there are times");
                        let earliest: Vec<Moment> = (0..events).map(|event| earliest.time(event)).collect();
                        assert_eq!(found.times, earliest, "{what}");
                    }
                }
                Err(ImpossibleTimes::Contradiction) => {
                    contradictions += 1;
                    assert!(schedule(events, &constraints).is_err(), "{what}");
                }
                Err(ImpossibleTimes::Outside { pick, window }) => {
                    outside += 1;
                    let before = brute(events, &constraints, &picks[..pick], denominator);
                    assert!(before.any, "{what}");
                    assert!(!brute(events, &constraints, &picks[..=pick], denominator).any, "{what}");
                    same(&window, &before.possible[picks[pick].0], parts, &what);
                }
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
    assert!(
        solved > 2000 && outside > 1000 && contradictions > 1000 && open > 1500,
        "{solved} {outside} {contradictions} {open}"
    );
}

/// The times keep the bounds.
fn kept(times: &[Moment], constraints: &[Difference], what: &str) {
    for &Difference { a, b, bound } in constraints {
        let common = times[a].denominator() * times[b].denominator();
        let scaled = |event: usize| times[event].numerator() * (common / times[event].denominator());
        let (difference, most) = (scaled(a) - scaled(b), i64::from(bound.value()) * common);
        assert!(difference < most || difference == most && !bound.is_strict(), "{what}: {times:?}");
    }
}

#[test]
fn windows_are_told_as_people_say_them() {
    // A timer of 2 to 4, a deadline of more than 3 that passes before a second timer of 5 fires.
    let run = [
        at_most(0, 1, -2),
        at_most(1, 0, 4),
        at_most(1, 2, 0),
        below(0, 2, -3),
        at_most(2, 3, 0),
        at_most(3, 0, 5),
        at_most(0, 3, -5),
        at_most(3, 4, 0),
    ];
    let texts = |picks: &[(usize, Moment)]| {
        let found = event_times(5, &run, picks).expect("there are times");
        found.windows.iter().map(EventWindow::to_string).collect::<Vec<_>>()
    };
    assert_eq!(texts(&[]), ["at 0", "from 2 to 4", "after 3 to 5", "at 5", "from 5 on"]);
    let late = [(1, Moment::new(7, 2))];
    assert_eq!(texts(&late), ["at 0", "from 2 to 4", "from 3.5 to 5", "at 5", "from 5 on"]);
    let outside = event_times(5, &run, &[(4, Moment::new(6, 1)), (1, Moment::new(9, 2))]).expect_err("4.5");
    assert_eq!(outside.to_string(), "pick 1 is outside its window: the event can happen from 2 to 4");
}

#[test]
fn numbers_that_are_not_exact_are_refused() {
    let run = [at_most(1, 0, 10)];
    let pick = |numerator, denominator| (1, Moment::new(numerator, denominator));
    let refused = |picks: &[(usize, Moment)]| event_times(2, &run, picks).expect_err("refused");
    assert_eq!(refused(&[pick(1, 1001)]), ImpossibleTimes::TooFine { pick: 0 });
    assert_eq!(refused(&[pick(1, 997), pick(1, 991), pick(1, 983)]), ImpossibleTimes::TooFine { pick: 2 });
    assert_eq!(refused(&[pick(i64::MAX, 1)]), ImpossibleTimes::TooFine { pick: 0 });
    let both = [pick(i64::MAX, 65), (1, Moment::new(1, i64::MAX))];
    assert_eq!(refused(&both), ImpossibleTimes::TooFine { pick: 0 });
    assert_eq!(refused(&[pick(1, 1000), pick(1, i64::MAX)]), ImpossibleTimes::TooFine { pick: 1 });
    assert_eq!(refused(&[pick(i64::MIN + 1, 1)]), ImpossibleTimes::TooFine { pick: 0 });
    let ImpossibleTimes::Outside { window, .. } = refused(&[pick(-1, 1)]) else {
        panic!("nothing is before 0")
    };
    assert_eq!(window.to_string(), "from 0 to 10");
}

/// A run of many rounds, in each of which something may happen at any moment.
#[test]
fn windows_of_a_long_run() {
    let rounds = 3000;
    let mut run = vec![];
    for round in 0..rounds {
        let (fire, free) = (2 * round + 2, 2 * round + 1);
        let last = 2 * round;
        run.extend([at_most(fire, last, 10), at_most(last, fire, -10)]);
        run.extend([at_most(last, free, 0), at_most(free, fire, 0), below(free, last, 7)]);
    }
    let found = event_times(2 * rounds + 1, &run, &[(1, Moment::new(13, 2))]).expect("there are times");
    assert_eq!(found.windows[2 * rounds].to_string(), "at 30000");
    assert_eq!(found.windows[2 * rounds - 1].to_string(), "from 29990 and before 29997");
    assert_eq!(found.times[1].to_string(), "6.5");
}
