//! One decision after another, each of a fresh cluster over UDP whose nodes are killed while they decide: fewer than half
//! of them, at moments that a seed draws. Nobody disagrees, whoever is alive decides, what is decided was proposed, and
//! every recorded run is a run of the model. `WATCHKEEPER_DECISIONS` says how many.

use super::fleet::{Fleet, SOON};
use super::lossy::through_a_relay;
use super::models::CONSENSUS;
use super::recordings::{Recordings, Said};
use super::relay::{Manners, Relay};
use super::replays::{Supposing, replays_in, replays_within};
use super::seeds::{Numbers, seed};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// The longest that a message takes through a relay.
const DELAY: Duration = Duration::from_millis(30);

/// What the network is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Straight from node to node.
    Straight,
    /// Through a relay that takes its time, so that kills find messages on their way.
    Slow,
    /// Through one that also loses and duplicates.
    Lossy,
}

impl Way {
    const ALL: [Way; 3] = [Way::Straight, Way::Slow, Way::Lossy];

    /// Within which time after the first node has begun kills happen.
    fn hazardous(self) -> Duration {
        Duration::from_millis(if self == Way::Straight { 10 } else { 120 })
    }

    /// One unit of time, half of which is more than nodes may begin apart.
    fn tick(self) -> Duration {
        if self == Way::Straight { CONSENSUS.tick } else { DELAY * 5 / 2 }
    }

    fn manners(self) -> Manners {
        let delay = (Duration::ZERO, DELAY);
        match self {
            Way::Straight => Manners::PERFECT,
            Way::Slow => Manners { delay, ..Manners::PERFECT },
            Way::Lossy => Manners { loss: 100, duplication: 100, delay },
        }
    }
}

/// What came of one decision.
struct Decision {
    /// How many nodes were killed after the first had begun, and how many never started.
    killed: usize,
    absent: usize,
    /// How many of those who were killed had decided.
    late: usize,
    /// The longest that a node that was not killed took from when it began.
    took: Duration,
    replayed: Supposing,
}

#[test]
fn every_cluster_decides_one_value_whoever_is_killed() {
    let given = std::env::var("WATCHKEEPER_DECISIONS").ok().and_then(|text| text.parse().ok());
    let count: u64 = given.unwrap_or(2);
    let mut decisions: Vec<Decision> = (0..count).map(decide).collect();
    let sum = |of: fn(&Decision) -> usize| decisions.iter().map(of).sum::<usize>();
    let (killed, absent, late) = (sum(|d| d.killed), sum(|d| d.absent), sum(|d| d.late));
    let timed = sum(|d| usize::from(d.replayed == Supposing::AsChecked));
    decisions.sort_by_key(|decision| decision.took);
    let (Some(median), Some(worst)) = (decisions.get(decisions.len() / 2), decisions.last()) else { return };
    println!(
        "seed {}: {count} decisions, all agreed; {killed} nodes killed on the way ({late} of them when they had decided), \
         {absent} never started; time to decide: median {:.3?}, worst {:.3?}; all {count} runs replayed, {timed} of them \
         with their bounds on time",
        seed(),
        median.took,
        worst.took,
    );
}

fn decide(number: u64) -> Decision {
    let mut numbers = Numbers::new(seed() + number, "consensus");
    let n = if numbers.happens(500) { 3 } else { 5 };
    let limit = (n - 1) / 2;
    let way = Way::ALL[(number % 3) as usize];
    let (mut fleet, _relay) = cluster(n, way, number);
    let proposals: Vec<u64> = (0..n).map(|_| numbers.below(1000)).collect();
    for (process, value) in proposals.iter().enumerate() {
        propose(&fleet, _relay.as_ref(), process, *value);
    }
    let doomed = doomed(&mut numbers, n, limit);
    let absent: Vec<usize> = doomed.iter().copied().filter(|_| numbers.happens(250)).collect();
    for process in (0..n).filter(|p| !absent.contains(p)) {
        fleet.start(process);
    }
    let began = first_begins(&fleet);
    let mut killed: Vec<(Duration, usize)> = doomed
        .iter()
        .filter(|p| !absent.contains(p))
        .map(|p| (Duration::from_micros(numbers.below(way.hazardous().as_micros() as u64)), *p))
        .collect();
    killed.sort();
    for (at, victim) in &killed {
        thread::sleep(at.saturating_sub(began.elapsed()));
        fleet.kill(*victim);
    }
    let alive: Vec<usize> = (0..n).filter(|p| !doomed.contains(p)).collect();
    let what = format!("{alive:?} of {n} decide, {way:?}, decision {number}, seed {}", seed());
    let found =
        fleet.until(SOON, &what, |recordings| alive.iter().all(|p| recordings.decision(*p).is_some()));
    let took = alive.iter().filter_map(|p| found.decision(*p)).map(|(_, took)| took).max();
    judge(&found, &proposals, &what);
    for process in 0..n {
        fleet.stop(process);
    }
    let late = killed.iter().filter(|(_, p)| found.decision(*p).is_some()).count();
    println!(
        "decision {number}: {n} nodes, {way:?}, absent {absent:?}, killed {killed:?}, decided after {took:.3?}"
    );
    let (killed, absent) = (killed.len(), absent.len());
    let replayed = replayed(&fleet, &found);
    Decision { killed, absent, late, took: took.expect("somebody is alive"), replayed }
}

fn cluster(n: usize, way: Way, number: u64) -> (Fleet, Option<Relay>) {
    let name = format!("decision{number}");
    let model = CONSENSUS.of_size(n).ticking(way.tick());
    match way {
        Way::Straight => (Fleet::new(&name, model), None),
        _ => {
            let (fleet, relay) = through_a_relay(&name, model);
            relay.behave(way.manners());
            (fleet, Some(relay))
        }
    }
}

/// Writes what a node proposes into its file.
fn propose(fleet: &Fleet, relay: Option<&Relay>, process: usize, value: u64) {
    let mut config = fleet.config(process);
    for (peer, address) in &mut config.peers {
        *address = relay.map_or(*address, |relay| relay.entrance(process, *peer));
    }
    (config.gather, config.propose) = (1, Some(value));
    fleet.write(process, &config);
}

/// Holds the run against the model: with its bounds on time if nodes began within half a unit and the machine kept to what
/// is assumed, which is found out here without the help of `replay`. What a node begins later and what it then is late add up.
fn replayed(fleet: &Fleet, found: &Recordings) -> Supposing {
    let tick = fleet.model.tick;
    let apart = found.starts_apart();
    let broken = fleet.recordings().broken(&fleet.model, 0, u64::MAX);
    let broken = broken.or((apart > tick / 2).then(|| format!("nodes began {apart:.3?} apart")));
    match broken {
        None => {
            replays_within(fleet.dir(), tick);
            Supposing::AsChecked
        }
        Some(why) => {
            println!("{}: replayed without bounds on time, since {why}", fleet.name);
            replays_in(fleet.dir(), Supposing::AnyTime);
            Supposing::AnyTime
        }
    }
}

/// Who will not survive: fewer than half, and more often as many as possible than fewer.
fn doomed(numbers: &mut Numbers, n: usize, limit: usize) -> BTreeSet<usize> {
    let count = numbers.below(2 * limit as u64 + 1).min(limit as u64) as usize;
    let mut doomed = BTreeSet::new();
    while doomed.len() < count {
        doomed.insert(numbers.below(n as u64) as usize);
    }
    doomed
}

/// Waits until the first node begins, which is when it writes the first line of its recording.
fn first_begins(fleet: &Fleet) -> Instant {
    let deadline = Instant::now() + SOON;
    let begun = || {
        let files = std::fs::read_dir(fleet.dir()).expect("the directory").flatten();
        let mut recordings = files.filter(|file| file.path().extension().is_some_and(|end| end == "ndjson"));
        recordings.any(|file| file.metadata().is_ok_and(|about| about.len() > 0))
    };
    while !begun() {
        assert!(Instant::now() < deadline, "{}: nobody begins", fleet.name);
        thread::sleep(Duration::from_micros(500));
    }
    Instant::now()
}

/// Agreement, integrity and validity, of those who were killed too.
fn judge(recordings: &Recordings, proposals: &[u64], what: &str) {
    let said = recordings.said();
    let decided: Vec<(usize, u64)> = said
        .iter()
        .filter_map(|(_, by, said)| match said {
            Said::Decides(value) => Some((*by, *value)),
            _ => None,
        })
        .collect();
    let values: BTreeSet<u64> = decided.iter().map(|(_, value)| *value).collect();
    assert_eq!(values.len(), 1, "{what}: agreement: {decided:?}");
    assert!(values.iter().all(|value| proposals.contains(value)), "{what}: validity: {decided:?}");
    let deciders: BTreeSet<usize> = decided.iter().map(|(by, _)| *by).collect();
    assert_eq!(deciders.len(), decided.len(), "{what}: integrity: {decided:?}");
    assert!(!said.iter().any(|(.., said)| matches!(said, Said::Refuses(_))), "{what}: {said:?}");
}
