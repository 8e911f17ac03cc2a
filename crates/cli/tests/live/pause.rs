//! A node is stopped where it is and let go on: others have suspected it meanwhile, and it does not hold its own
//! absence against them. Its lateness is an event and a metric.

use super::fleet::{Fleet, SOON};
use super::models::{Model, STRONG_COMPLETENESS, WEAK_COMPLETENESS};
use super::recordings::Said;
use super::replays::{Supposing, replays};
use super::seeds::{Numbers, seconds, seed};
use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

#[test]
fn a_node_that_was_stopped_suspects_no_healthy_peer_when_it_goes_on() {
    let lasts = seconds("WATCHKEEPER_PAUSE", 5);
    thread::scope(|scope| {
        let runs =
            [WEAK_COMPLETENESS, STRONG_COMPLETENESS].map(|model| scope.spawn(move || run(model, lasts)));
        for run in runs {
            run.join().unwrap_or_else(|why| std::panic::resume_unwind(why));
        }
    });
}

fn run(model: Model, lasts: Duration) {
    let sleeper = Numbers::new(seed(), "sleeper").below(5) as usize;
    let predecessor = (sleeper + 4) % 5;
    let mut fleet = Fleet::new("pause", model);
    fleet.start_all();
    fleet.pause(sleeper);
    thread::sleep(lasts);
    let suspected =
        |recordings: &super::recordings::Recordings| recordings.suspects(predecessor).contains(&sleeper);
    fleet.until(model.round() * 2 + SOON, "the stopped node is suspected", suspected);
    fleet.resume(sleeper);
    let heard = fleet.until(SOON, "the stopped node knows that it was stopped", |recordings| {
        recordings.stalls(sleeper).iter().any(|lasted| *lasted >= lasts - model.round())
    });
    let lasted = heard.stalls(sleeper).into_iter().max().expect("a stall");
    fleet.until(model.round() * 2 + SOON, "it is trusted again", |recordings| !suspected(recordings));
    // What others have gossiped meanwhile goes around the ring until it is gone.
    fleet.until(model.round() * 12 + SOON, "everyone trusts everyone", |recordings| {
        (0..5).all(|p| recordings.suspects(p).is_empty())
    });
    // Long enough for anything that it might still hold against others to come out.
    let after = fleet.rounds(3);
    let (own, of_others): (Vec<_>, Vec<_>) = after.said().into_iter().partition(|(_, by, _)| *by == sleeper);
    assert_eq!(own, [], "{}: p{sleeper} has nothing to say against anybody", model.name);
    let others: BTreeSet<Said> = of_others.iter().map(|(.., said)| *said).collect();
    assert_eq!(others, BTreeSet::from([Said::Suspects(sleeper), Said::Trusts(sleeper)]), "{}", model.name);
    let stalled = fleet.metric(sleeper, "watchkeeper_stalled_seconds_total");
    assert!(stalled >= lasted.as_secs_f64() * 0.99, "{stalled} s of {lasted:?}");
    let log = fleet.said(sleeper);
    assert!(log.contains("stalled"), "{log}");
    println!("{}: p{sleeper} was stopped for {lasts:?}, and noticed {lasted:.3?}", model.name);
    for process in 0..5 {
        fleet.stop(process);
    }
    replays(&fleet, Supposing::AnyTime);
}
