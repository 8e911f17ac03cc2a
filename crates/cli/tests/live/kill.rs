//! A node is killed, and everyone who should find out does, within the time that the checker has proved for the
//! same parameters; nobody else is suspected before or after; a node that comes back is treated as the protocol
//! says. All protocols at once, each a cluster of its own.

use super::fleet::{Fleet, SOON};
use super::models::{ALL, FindsOut, Model, TICK};
use super::recordings::{Recordings, Said};
use super::replays::{Supposing, replays};
use super::seeds::{Numbers, seconds, seed};
use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

/// How often a run is repeated during which the machine did not keep to what the proof assumes.
const TRIES: u64 = 3;

/// What came of a run.
struct Report {
    model: Model,
    bound: Duration,
    victim: usize,
    /// How long it took to find out.
    took: Duration,
    /// What the machine did that the proof does not cover, if anything.
    broken: Option<String>,
}

#[test]
fn a_killed_node_is_found_out_within_the_bound_and_nobody_else_is_suspected() {
    // Proofs first: they take all processors for a moment, and nodes need them too.
    let bounds: Vec<Duration> = ALL.iter().map(Model::bound).collect();
    let reports: Vec<Report> = thread::scope(|scope| {
        let runs =
            ALL.into_iter().zip(bounds).map(|(model, bound)| scope.spawn(move || judged(model, bound)));
        let runs: Vec<_> = runs.collect();
        runs.into_iter().map(|run| run.join().unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    });
    println!("seed {}; one unit of time is {TICK:?}", seed());
    println!("{:<26}{:>8}{:>12}{:>12}", "protocol", "killed", "bound", "measured");
    for Report { model, bound, victim, took, broken } in &reports {
        let why = broken.as_ref().map_or(String::new(), |why| format!("  not judged: {why}"));
        let (bound, took) = (bound.as_secs_f64(), took.as_secs_f64());
        println!("{:<26}{:>8}{bound:>10.3} s{took:>10.3} s{why}", model.name, format!("p{victim}"));
    }
}

/// Runs until the machine has kept to what the proof assumes, or has failed to too often.
fn judged(model: Model, bound: Duration) -> Report {
    let mut number = 0;
    loop {
        let report = run(model, bound, number);
        number += 1;
        match &report.broken {
            Some(why) if number < TRIES => println!("{}: again, since {why}", model.name),
            _ => return report,
        }
    }
}

fn run(model: Model, bound: Duration, number: u64) -> Report {
    let mut numbers = Numbers::new(seed() + number, model.name);
    let mut fleet = Fleet::new(&format!("kill{number}"), model);
    fleet.start_all();
    thread::sleep(seconds("WATCHKEEPER_QUIET", 4));
    let quiet = fleet.recordings();
    let wrong = quiet.said();
    if let (Some(why), false) = (quiet.broken(&model, 0, u64::MAX), wrong.is_empty()) {
        return Report { model, bound, victim: 0, took: Duration::ZERO, broken: Some(why) };
    }
    assert_eq!(wrong, [], "{}: all is quiet", model.name);

    thread::sleep(Duration::from_micros(numbers.below(model.round().as_micros() as u64)));
    let victim = numbers.below(model.processes as u64) as usize;
    let killed = fleet.kill(victim);
    let found = fleet.until(bound * 2 + SOON, &format!("p{victim} is found out"), |recordings| {
        finders(&model, victim).iter().all(|p| found_out(recordings, *p, victim).is_some())
    });
    let last = finders(&model, victim).iter().filter_map(|p| found_out(&found, *p, victim)).max();
    let took = Duration::from_nanos(last.expect("somebody found out").saturating_sub(killed));
    println!("{}: p{victim} killed, bound {bound:.3?}, measured {took:.3?}", model.name);
    thread::sleep(model.round() * 2);
    let after = fleet.recordings();
    let broken = after.broken(&model, 0, u64::MAX);
    if broken.is_none() {
        // A step may be taken half a unit after it is due; the proof counts from when it is due.
        assert!(took <= bound + TICK / 2, "{}: {took:?} is more than {bound:?}", model.name);
        only_the_victim(&model, &after, victim);
    }
    match model.finds_out {
        FindsOut::AllStop => stays_stopped(&mut fleet, victim, bound),
        _ => comes_back(&mut fleet, victim),
    }
    drop_and_replay(fleet);
    Report { model, bound, victim, took, broken }
}

/// Who has to find out about a crash.
fn finders(model: &Model, victim: usize) -> Vec<usize> {
    match model.finds_out {
        FindsOut::Predecessor => vec![(victim + model.processes - 1) % model.processes],
        FindsOut::Everyone | FindsOut::AllStop => (0..model.processes).filter(|p| *p != victim).collect(),
    }
}

/// When a process found out about another.
fn found_out(recordings: &Recordings, by: usize, of: usize) -> Option<u64> {
    recordings.when(by, Said::Suspects(of)).or(recordings.when(by, Said::Stops))
}

/// Nobody has announced anything but what the crash of the victim calls for, and nobody has withdrawn it.
fn only_the_victim(model: &Model, recordings: &Recordings, victim: usize) {
    let expected: BTreeSet<(usize, Said)> = finders(model, victim)
        .into_iter()
        .map(|p| (p, if model.finds_out == FindsOut::AllStop { Said::Stops } else { Said::Suspects(victim) }))
        .collect();
    let found: BTreeSet<(usize, Said)> =
        recordings.said().into_iter().map(|(_, by, said)| (by, said)).collect();
    assert_eq!(found, expected, "{}: p{victim} was killed", model.name);
}

/// The heartbeat protocols: who has stopped stays so, and who starts again finds nobody and stops too.
fn stays_stopped(fleet: &mut Fleet, victim: usize, bound: Duration) {
    fleet.start(victim);
    fleet.begun(&[victim], 2);
    let what = format!("p{victim} stops again");
    let stopped = fleet.until(bound * 2 + SOON, &what, |recordings| recordings.has_stopped(victim));
    for p in 0..fleet.model.processes {
        assert!(stopped.has_stopped(p), "p{p} stays stopped");
        let status: serde_json::Value = serde_json::from_str(&fleet.ask(p, "/status")).expect("JSON");
        assert_eq!(status["phase"], "stopped", "p{p}: {status}");
    }
}

/// The ring: who comes back asks its successor, so its predecessor, who asks somebody else by now, does not hear
/// of it. It is trusted again as soon as it speaks to who suspects it: here because all between them are gone.
fn comes_back(fleet: &mut Fleet, victim: usize) {
    let n = fleet.model.processes;
    let predecessor = (victim + n - 1) % n;
    fleet.start(victim);
    fleet.begun(&[victim], 2);
    let back = fleet.rounds(2);
    assert_eq!(back.suspects(victim), BTreeSet::new(), "p{victim} finds its successor alive");
    assert_eq!(back.suspects(predecessor), BTreeSet::from([victim]), "p{predecessor} has not heard of it");
    let between: BTreeSet<usize> = (1..n - 1).map(|steps| (victim + steps) % n).collect();
    for p in &between {
        fleet.kill(*p);
    }
    let trusted =
        fleet.until(fleet.model.round() * 10 + SOON, &format!("p{victim} is trusted again"), |recordings| {
            !recordings.suspects(predecessor).contains(&victim) && recordings.suspects(victim) == between
        });
    assert!(trusted.when(predecessor, Said::Trusts(victim)).is_some());
    let what = format!("p{predecessor} and p{victim} suspect the dead and nobody else");
    fleet.until(fleet.model.round() * 10 + SOON, &what, |recordings| {
        [predecessor, victim].iter().all(|p| {
            let suspects = recordings.suspects(*p);
            suspects.is_subset(&between) && recordings.suspects(victim) == between
        })
    });
}

/// Ends the cluster; what it did is a run of the model.
fn drop_and_replay(mut fleet: Fleet) {
    for process in 0..fleet.model.processes {
        fleet.stop(process);
    }
    replays(&fleet, Supposing::AsChecked);
}
