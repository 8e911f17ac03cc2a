//! The windows of the steps of a run, and runs with times that are picked.

use super::draw::Draw;
use crate::tests::narration::follow;
use crate::tests::picture::heartbeat;
use crate::tests::random::Dice;
use crate::tests::walk::Collect;
use crate::{Scenario, TypedWorld, World, WorldTime, Worlds};
use watchkeeper_core::{Symmetry, Trace};
use watchkeeper_space::{Narration, RunTimes, Space, StatePath, TimeWindow, TimesRefused};

/// The violation of R1 that the README shows: two rounds without an answer, then more than 20 without a beat.
const SILENCE: [&str; 4] =
    ["p0: Round fires", "lose beat from p0 to p1", "p0: Round fires", "R1: a deadline passes"];

fn told(windows: &[TimeWindow]) -> Vec<String> {
    windows.iter().map(TimeWindow::to_string).collect()
}

fn times(trace: &Trace) -> Vec<&str> {
    trace.steps.iter().map(|step| step.at.as_deref().expect("dense time")).collect()
}

#[test]
fn the_silence_of_a_participant_can_be_moved_by_hand() {
    let world = heartbeat(WorldTime::Dense, 1);
    let path = follow(&world, &SILENCE);
    let run_times = world.run_times().expect("dense time");
    let free = run_times.at_times(&path, &[]).expect("a run");
    assert_eq!(free.trace, world.replay(&path).expect("a run"));
    assert_eq!(times(&free.trace), ["10", "10", "20", "21"]);
    let windows = ["at 10", "from 10 to 15", "at 20", "after 20 to 25"].map(|it| format!("it happens {it}"));
    assert_eq!(told(&free.windows), windows);

    let picked = run_times.at_times(&path, &[(4, (25, 1)), (2, (37, 3))]).expect("inside the windows");
    assert_eq!(times(&picked.trace), ["10", "12 1/3", "20", "25"]);
    assert_eq!(told(&picked.windows), windows, "the others can be moved as before");

    let refused = |picks: &[(usize, (i64, i64))]| {
        let refused = run_times.at_times(&path, picks).expect_err("impossible");
        refused.to_string()
    };
    assert_eq!(
        refused(&[(2, (11, 1)), (4, (20, 1))]),
        "step 4 cannot happen at 20: it happens after 20 to 25; pick a moment there, or move the steps that are picked"
    );
    assert!(refused(&[(4, (51, 2))]).starts_with("step 4 cannot happen at 25.5: "));
    assert_eq!(refused(&[(5, (1, 1))]), "there is no step 5: the run has steps 1 to 4");
    assert_eq!(refused(&[(0, (1, 1))]), "there is no step 0: the run has steps 1 to 4");
    assert_eq!(refused(&[(1, (1, 0))]), "step 1 cannot happen at 1/0: the denominator must be above 0");
    assert!(refused(&[(2, (12_345, 1234))]).starts_with("the moment of step 2 is too fine"));
    let mut wrong = path.clone();
    wrong.actions[1] = wrong.actions[0];
    let wrong = run_times.at_times(&wrong, &[]).expect_err("no run");
    assert!(matches!(wrong, TimesRefused::Path(_)), "{wrong}");
}

#[test]
fn only_dense_time_has_windows() {
    assert!(heartbeat(WorldTime::Ticks, 1).run_times().is_none());
    let untimed = TypedWorld::new(crate::tests::samples::PingPong, Scenario::new(2)).expect("a world");
    assert!(untimed.run_times().is_none());
}

#[test]
fn worlds_side_by_side_pass_the_windows_on() {
    let alone = heartbeat(WorldTime::Dense, 1);
    let alone = alone.at_times(&follow(&alone, &SILENCE), &[(2, (12, 1))]).expect("a run");
    let family =
        Worlds::new(vec![heartbeat(WorldTime::Dense, 1), heartbeat(WorldTime::Dense, 1)]).expect("a family");
    for member in 0..2 {
        let mut path = StatePath { rows: vec![family.initial()[member].clone()], actions: Vec::new() };
        for label in SILENCE {
            let row = path.rows.last().expect("a start").clone();
            let steps = watchkeeper_space::successors(&family, &row);
            let step = steps.into_iter().find(|(action, _)| family.label(&row, *action) == label);
            let (action, next) = step.expect("the same steps");
            path.actions.push(action);
            path.rows.push(next);
        }
        let run_times = family.run_times().expect("dense time");
        let timed = run_times.at_times(&path, &[(2, (12, 1))]).expect("a run");
        assert_eq!((&timed.windows, times(&timed.trace)), (&alone.windows, times(&alone.trace)));
        assert_eq!(timed.trace.steps[3].after, family.view(&path.rows[4]));
    }
}

/// A random run of at most so many steps.
fn wander(world: &World, seed: u64, steps: usize) -> StatePath {
    let mut dice = Dice::new(seed);
    let mut path = StatePath { rows: vec![world.initial()[0].clone()], actions: Vec::new() };
    for _ in 0..steps {
        let mut offered = Collect::of(world, path.rows.last().expect("a start")).steps;
        if offered.is_empty() {
            break;
        }
        let (action, row) = offered.swap_remove(dice.roll(offered.len() as u64) as usize);
        path.actions.push(action);
        path.rows.push(row);
    }
    path
}

/// A moment as a fraction: `7`, `7.25`, `7 1/3` or `1/3`.
fn fraction(text: &str) -> (i64, i64) {
    let number = |text: &str| text.parse::<i64>().expect("a number");
    if let Some((whole, places)) = text.split_once('.') {
        let under = 10i64.pow(places.len() as u32);
        return (number(whole) * under + number(places), under);
    }
    match text.split_once(' ').unwrap_or(("0", text)) {
        (whole, fraction) if fraction.contains('/') => {
            let (over, under) = fraction.split_once('/').expect("a fraction");
            (number(whole) * number(under) + number(over), number(under))
        }
        (_, whole) => (number(whole), 1),
    }
}

/// On random runs: the closed ends of a window can be picked and are then the time of the step, what lies beyond cannot.
#[test]
fn ends_of_windows_can_be_picked_and_nothing_beyond() {
    let (mut closed, mut open, mut beyond) = (0, 0, 0);
    for seed in 0..400 {
        let draw = Draw::new(seed, Symmetry::None);
        let draw = if seed % 2 == 0 { draw } else { draw.deliveries_first() };
        let Some(world) = draw.dense() else { continue };
        let path = wander(&world, seed, 12);
        let free = world.at_times(&path, &[]).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert_eq!(free.trace, world.replay(&path).expect("a run"), "seed {seed}");
        for (i, window) in free.windows.iter().enumerate() {
            let pick = |at: (i64, i64)| world.at_times(&path, &[(i + 1, at)]);
            let least = fraction(&window.least);
            let ends = [
                Some((least, window.least_is_open, -1)),
                window.most.as_deref().map(|most| (fraction(most), window.most_is_open, 1)),
            ];
            for ((over, under), is_open, side) in ends.into_iter().flatten() {
                let outside = pick((7 * over + side * under, 7 * under));
                assert!(matches!(outside, Err(TimesRefused::Outside { .. })), "seed {seed}: {window}");
                beyond += 1;
                match pick((over, under)) {
                    Ok(found) => {
                        assert!(!is_open, "seed {seed}: {window}");
                        assert_eq!(fraction(times(&found.trace)[i]), (over, under), "seed {seed}");
                        assert_eq!(found.windows[i].to_string(), window.to_string(), "seed {seed}");
                        closed += 1;
                    }
                    Err(TimesRefused::Outside { .. }) => {
                        assert!(is_open, "seed {seed}: {window}");
                        open += 1;
                    }
                    Err(other) => panic!("seed {seed}: {other}"),
                }
            }
        }
    }
    assert!(closed > 500 && open > 10 && beyond > 500, "{closed} {open} {beyond}");
}
