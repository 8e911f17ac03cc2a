//! Holds what nodes have recorded against the model.

use super::fleet::Fleet;
use super::models::{TICK, WEAK_COMPLETENESS};
use crate::binary::{Said, watchkeeper};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// What is supposed of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supposing {
    /// Everything that the checker was told.
    AsChecked,
    /// Nothing about time.
    AnyTime,
    /// Nothing about time, and any message may be lost.
    AnyTimeAndLoss,
}

fn replay(dir: &Path, supposing: Supposing) -> Said {
    let dir = dir.display().to_string();
    let mut args = vec!["replay", &dir];
    args.extend(match supposing {
        Supposing::AsChecked => [].as_slice(),
        Supposing::AnyTime => &["--time", "untimed"],
        Supposing::AnyTimeAndLoss => &["--time", "untimed", "--loss", "any"],
    });
    watchkeeper(&args)
}

/// The recordings of a fleet are a path of the model: of the one that was checked only where the machine has kept
/// to what that assumes, which is found out here without the help of `replay`.
pub fn replays(fleet: &Fleet, supposing: Supposing) {
    let broken = fleet.recordings().broken(&fleet.model, 0, u64::MAX);
    match broken.filter(|_| supposing == Supposing::AsChecked) {
        None => replays_in(fleet.dir(), supposing),
        Some(why) => {
            println!("{}: replayed without bounds on time, since {why}", fleet.name);
            replays_in(fleet.dir(), Supposing::AnyTime);
        }
    }
}

/// The recordings in a directory are a path of the model.
pub fn replays_in(dir: &Path, supposing: Supposing) {
    let said = replay(dir, supposing);
    assert_eq!(said.code, 0, "{}, {supposing:?}: {}{}", dir.display(), said.out, said.err);
}

/// The same as checked, with steps that may have been taken so much later.
pub fn replays_within(dir: &Path, precision: Duration) {
    let precision = format!("{}ms", precision.as_millis());
    let said = watchkeeper(&["replay", &dir.display().to_string(), "--precision", &precision]);
    assert_eq!(said.code, 0, "{}, within {precision}: {}{}", dir.display(), said.out, said.err);
}

#[test]
fn a_delivery_moved_past_its_bound_is_no_run_of_the_model_and_the_bound_is_named() {
    let model = WEAK_COMPLETENESS.of_size(3);
    let mut fleet = Fleet::new("moved", model);
    fleet.start_all();
    fleet.rounds(3);
    for process in 0..3 {
        fleet.stop(process);
    }
    let recordings = fleet.recordings();
    let moved = recordings.0.iter().any(|incarnation| move_a_delivery(&incarnation.path));
    assert!(moved, "no delivery has room behind it");
    let said = replay(fleet.dir(), Supposing::AsChecked);
    assert_ne!(said.code, 0, "{}", said.out);
    assert!(format!("{}{}", said.out, said.err).contains("delay"), "{}{}", said.out, said.err);
    let said = replay(fleet.dir(), Supposing::AnyTime);
    assert_eq!(said.code, 0, "without a bound it is a run: {}{}", said.out, said.err);
}

/// Moves a delivery that nothing was sent on, and behind which nothing happens for long enough, to a moment that
/// is past the bound.
fn move_a_delivery(path: &Path) -> bool {
    let by = (TICK * 9 / 2).as_nanos() as u64;
    let text = std::fs::read_to_string(path).expect("a recording");
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let at = |line: &Value| line["at"].as_u64().unwrap_or(0);
    let found = (1..lines.len() - 1).find(|i| {
        let (line, next) = (&lines[*i], &lines[i + 1]);
        line["in"] == "receive" && line.get("sends").is_none() && at(next) > at(line) + by + 1_000_000
    });
    let Some(i) = found else { return false };
    // Nothing but this moment changes, down to the order of the keys.
    let (then, later) = (format!("\"at\":{},", at(&lines[i])), format!("\"at\":{},", at(&lines[i]) + by));
    let text: String = text
        .lines()
        .enumerate()
        .map(|(k, line)| match k == i {
            true => format!("{}\n", line.replacen(&then, &later, 1)),
            false => format!("{line}\n"),
        })
        .collect();
    std::fs::write(path, text).expect("written");
    true
}
