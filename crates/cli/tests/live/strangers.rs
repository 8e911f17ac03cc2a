//! Nodes that do not belong: with another key, another name of the cluster, or as a process that nobody knows. The
//! others go on as if they were not there, and count what they refuse by reason.

use super::fleet::{Config, Fleet, SOON};
use super::models::{Model, WEAK_COMPLETENESS};
use super::replays::{Supposing, replays};
use std::collections::BTreeSet;
use std::thread;

const RING: Model = WEAK_COMPLETENESS;

/// A fleet of which one node has another file, and how the others count what it sends.
fn refused(name: &str, change: impl Fn(&mut Config), reason: &str) {
    let mut fleet = Fleet::new(name, RING);
    let stranger = 4;
    for process in 0..5 {
        let mut config = Config { gather: 3, ..fleet.config(process) };
        if process == stranger {
            change(&mut config);
        }
        fleet.write(process, &config);
        fleet.start(process);
    }
    // Nobody finds the stranger, so all begin when they have waited long enough; p3 watches it in vain.
    fleet.begun(&[0, 1, 2, 3, 4], 1);
    fleet.until(RING.round() * 4 + SOON, "p3 suspects the stranger", |recordings| {
        recordings.suspects(3).contains(&stranger)
    });
    let after = fleet.rounds(2);
    for p in 0..4 {
        let expected = if p == 3 { BTreeSet::from([stranger]) } else { BTreeSet::new() };
        assert_eq!(after.suspects(p), expected, "{name}: p{p} is not disturbed");
        let count = fleet.metric(p, &format!("watchkeeper_datagrams_refused_total{{reason=\"{reason}\"}}"));
        assert!(count > 0.0, "{name}: p{p} has refused nothing for `{reason}`");
        println!("{name}: p{p} refused {count} datagrams, reason {reason}");
    }
    fleet.stop(stranger);
    // What the others did is a run in which the stranger was down.
    for incarnation in fleet.recordings().0.iter().filter(|incarnation| incarnation.process == stranger) {
        std::fs::remove_file(&incarnation.path).expect("removed");
    }
    for process in 0..4 {
        fleet.stop(process);
    }
    replays(&fleet, Supposing::AsChecked);
}

#[test]
fn nodes_that_do_not_belong_are_refused_and_counted_by_reason() {
    thread::scope(|scope| {
        let key = |config: &mut Config| config.key = "0bad".repeat(16);
        let cluster = |config: &mut Config| config.cluster = "another".to_string();
        let runs = [
            scope.spawn(move || refused("key", key, "forged")),
            scope.spawn(move || refused("cluster", cluster, "cluster")),
            scope.spawn(unknown_peer),
        ];
        for run in runs {
            run.join().unwrap_or_else(|why| std::panic::resume_unwind(why));
        }
    });
}

/// Three nodes of three, and a fourth of a larger ring that talks to them.
fn unknown_peer() {
    let ring = RING.of_size(3);
    let mut fleet = Fleet::new("unknown", ring);
    fleet.start_all();
    let larger = RING.of_size(4);
    let mut places = fleet.places.clone();
    places.extend(super::fleet::free_places(1));
    let mut stranger = Fleet::at("unknown4", larger, places);
    let config = Config { cluster: fleet.name.clone(), gather: 1, ..stranger.config(3) };
    stranger.write(3, &config);
    stranger.start(3);
    stranger.begun(&[3], 1);
    fleet.rounds(2);
    for p in 0..3 {
        assert_eq!(fleet.recordings().suspects(p), BTreeSet::new(), "p{p} is not disturbed");
        let count = fleet.metric(p, "watchkeeper_datagrams_refused_total{reason=\"stranger\"}");
        // Where the system can, it drops what does not come from peers before the node is woken.
        assert_eq!(count > 0.0, !cfg!(target_os = "linux"), "p{p} has refused {count}");
        println!("unknown: p{p} refused {count} datagrams, reason stranger");
    }
    for process in 0..3 {
        fleet.stop(process);
    }
    replays(&fleet, Supposing::AsChecked);
}

#[test]
fn a_port_in_use_is_an_error_that_says_what_to_do_and_others_are_not_disturbed() {
    let mut fleet = Fleet::new("port", RING.of_size(3));
    fleet.start_all();
    let mut taken = Fleet::at("port2", fleet.model, fleet.places.clone());
    taken.start(0);
    let (code, said) = taken.ends(0);
    assert_eq!(code, Some(150), "{said}");
    assert!(said.contains("is in use by another program"), "{said}");
    fleet.rounds(2);
    for p in 0..3 {
        assert_eq!(fleet.recordings().suspects(p), BTreeSet::new(), "p{p} is not disturbed");
    }
}

#[test]
fn a_wall_clock_that_jumps() {
    println!(
        "skipped: setting the clock of the machine is not for a test; the runtime has one with a clock of its own"
    );
}
