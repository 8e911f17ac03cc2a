//! Nodes whose datagrams all go through a relay that delays, duplicates, reorders and loses them. What is only
//! late arrives in the end, so once the relay behaves everyone trusts everyone; what is lost these detectors may
//! never get over, and then all that is asked is that what they did is a run of the model.

use super::fleet::{Fleet, SOON};
use super::models::{Model, STRONG_COMPLETENESS, TICK, WEAK_COMPLETENESS};
use super::relay::{Manners, Relay};
use super::replays::{Supposing, replays};
use super::seeds::{seconds, seed};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

/// A cluster whose nodes send to each other through a relay.
pub fn through_a_relay(name: &str, model: Model) -> (Fleet, Relay) {
    let fleet = Fleet::new(name, model);
    let relay = Relay::between(&fleet.places, seed(), Manners::PERFECT);
    for process in 0..model.processes {
        let mut config = fleet.config(process);
        for (peer, address) in &mut config.peers {
            *address = relay.entrance(process, *peer);
        }
        fleet.write(process, &config);
    }
    (fleet, relay)
}

#[test]
fn what_is_late_is_got_over_and_what_is_lost_is_in_the_model() {
    thread::scope(|scope| {
        let mut runs = Vec::new();
        for model in [WEAK_COMPLETENESS, STRONG_COMPLETENESS] {
            for loss in [0, 200] {
                runs.push(scope.spawn(move || run(model, loss)));
            }
        }
        for run in runs {
            run.join().unwrap_or_else(|why| std::panic::resume_unwind(why));
        }
    });
}

fn everyone_trusts_everyone(fleet: &Fleet) {
    let n = fleet.model.processes;
    fleet.until(fleet.model.round() * 10 + SOON, "everyone trusts everyone again", |recordings| {
        (0..n).all(|p| recordings.suspects(p).is_empty())
    });
}

fn run(model: Model, loss: u64) {
    let name = if loss == 0 { "late" } else { "lossy" };
    let (mut fleet, relay) = through_a_relay(name, model);
    fleet.start_all();
    relay.behave(Manners { loss, duplication: 300, delay: (TICK / 10, TICK * model.delay * 2) });
    thread::sleep(seconds("WATCHKEEPER_LOSSY", 12));
    relay.behave(Manners::PERFECT);
    if loss == 0 {
        everyone_trusts_everyone(&fleet);
        let across = [0, 1].iter().flat_map(|a| [2, 3, 4].iter().flat_map(move |b| [(*a, *b), (*b, *a)]));
        relay.hold(&across.collect::<Vec<_>>());
        fleet.until(model.round() * 12 + SOON, "p1 and p4 lose sight of the other side", |recordings| {
            recordings.suspects(1).is_superset(&BTreeSet::from([2, 3, 4]))
                && recordings.suspects(4).contains(&0)
        });
        relay.hold(&[]);
        everyone_trusts_everyone(&fleet);
    }
    let counts = relay.counts();
    let [received, lost, twice, passed] =
        [&counts.received, &counts.lost, &counts.duplicated, &counts.overtaking]
            .map(|count| count.load(Relaxed));
    println!(
        "{} through a relay, seed {}: {received} datagrams, {lost} lost, {twice} duplicated, {passed} overtook \
         others; {} changes of mind",
        model.name,
        seed(),
        fleet.recordings().said().len(),
    );
    assert!((lost > 0) == (loss > 0) && twice > 0);
    assert!(!fleet.recordings().said().is_empty(), "the relay was too kind to be a test");
    for process in 0..model.processes {
        fleet.stop(process);
    }
    replays(&fleet, if loss == 0 { Supposing::AnyTime } else { Supposing::AnyTimeAndLoss });
}
