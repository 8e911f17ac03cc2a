//! Tables 3.1 and 3.2 of the thesis of M. Atif over all runs, tick by tick, by a search that is as simple as
//! can be: for the pairs that the tables have, and for all pairs of small instances.

use crate::play::Play;
use crate::script::{heartbeat, p};
use std::collections::HashSet;
use watchkeeper_core::{Judgement, Pid};
use watchkeeper_protocols::heartbeat::HeartbeatRequirement::{R1, R2, R3};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};

/// Whether no run violates the requirement, any message lost and any process crashing at any moment. The
/// corrected protocol is played with due deliveries before timeouts. Of several participants p1 stands for all.
fn holds(heartbeat: Heartbeat, requirement: HeartbeatRequirement) -> bool {
    let monitor = HeartbeatObserver::new(requirement, &heartbeat).only(p(1)).expect("p1 is a participant");
    let first = Play::new(heartbeat, monitor);
    let mut known = HashSet::from([first.moment.clone()]);
    let mut queue = vec![first];
    while let Some(play) = queue.pop() {
        for next in successors(&play) {
            match next.judgement() {
                Judgement::Violated(_) => return false,
                Judgement::Settled => {}
                Judgement::Open if known.insert(next.moment.clone()) => queue.push(next),
                Judgement::Open => {}
            }
        }
    }
    true
}

fn successors(play: &Play) -> Vec<Play> {
    let mut found = Vec::new();
    let mut also = |happens: &dyn Fn(&mut Play) -> &mut Play| {
        let mut next = play.clone();
        happens(&mut next);
        found.push(next);
    };
    if play.can_tick() {
        also(&Play::tick);
    }
    for place in 0..play.moment.flights.len() {
        also(&|next| next.arrive(place));
        also(&|next| next.vanish(place));
    }
    let waits = play.heartbeat.is_corrected() && play.moment.flights.iter().any(|flight| flight.left == 0);
    for (&(me, timer), _) in play.moment.timers.iter().filter(|(_, left)| **left == 0 && !waits) {
        also(&|next| next.fire(me, timer));
    }
    for me in Pid::all(play.heartbeat.processes()).filter(|&me| play.state(me).is_active()) {
        also(&|next| next.crash(me));
    }
    for (me, _) in play.heartbeat.calls().into_iter().filter(|(me, _)| play.state(*me).is_joined()) {
        also(&|next| next.leave(me));
    }
    found
}

/// Whether the published protocol satisfies the requirement, from the tables and the text around them.
fn reported(variant: HeartbeatVariant, requirement: HeartbeatRequirement, tmin: u32, tmax: u32) -> bool {
    match requirement {
        R1 => 2 * tmin > tmax,
        R2 if variant.expects_joins() => 2 * tmin < tmax,
        R2 | R3 => tmin < tmax,
    }
}

fn compare(variant: HeartbeatVariant, n: usize, pairs: impl IntoIterator<Item = (u32, u32)>) {
    for (tmin, tmax) in pairs {
        let published = heartbeat(variant, tmin, tmax, n);
        for requirement in HeartbeatRequirement::ALL {
            let expected = reported(variant, requirement, tmin, tmax);
            let of = format!("{requirement} of {variant} {n} at ({tmin}, {tmax})");
            assert_eq!(holds(published, requirement), expected, "{of}");
            assert!(holds(published.corrected(), requirement), "corrected {of}");
        }
    }
}

/// All pairs up to a tmax.
fn up_to(most: u32) -> impl Iterator<Item = (u32, u32)> {
    (1..=most).flat_map(|tmax| (1..=tmax).map(move |tmin| (tmin, tmax)))
}

/// The pairs of the tables.
const PUBLISHED: [(u32, u32); 5] = [(1, 10), (4, 10), (5, 10), (9, 10), (10, 10)];

#[test]
fn one_participant_known_from_the_start() {
    for variant in [
        HeartbeatVariant::Binary,
        HeartbeatVariant::Revised,
        HeartbeatVariant::TwoPhase,
        HeartbeatVariant::Static,
    ] {
        compare(variant, 1, up_to(6).chain(PUBLISHED));
    }
}

#[test]
fn one_participant_that_joins() {
    compare(HeartbeatVariant::Expanding, 1, up_to(4).chain(PUBLISHED));
    compare(HeartbeatVariant::Dynamic, 1, up_to(4).chain(PUBLISHED));
}

#[test]
fn two_participants() {
    compare(HeartbeatVariant::Static, 2, up_to(3));
    compare(HeartbeatVariant::Expanding, 2, up_to(2));
    compare(HeartbeatVariant::Dynamic, 2, up_to(2));
}
