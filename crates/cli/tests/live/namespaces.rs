//! Nodes in network namespaces of their own, joined by a bridge: a way that is cut in one direction only, a
//! partition, and its healing. Only where the machine allows namespaces; elsewhere the reason is printed.

use super::fleet::{Fleet, Place, SOON};
use super::models::{ASKING_AGAIN, Model, STRONG_COMPLETENESS, WEAK_COMPLETENESS};
use super::recordings::Recordings;
use super::replays::{Supposing, replays};
use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::thread;

/// Namespaces for nodes, joined by a bridge; all are gone with it.
struct Wires {
    names: Vec<String>,
    subnet: u8,
}

/// Runs `ip` with these words.
fn ip(words: &str) -> Result<(), String> {
    let output = Command::new("ip").args(words.split(' ')).output().map_err(|why| format!("ip: {why}"))?;
    let Output { status, stderr, .. } = output;
    if status.success() {
        return Ok(());
    }
    Err(format!("ip {words}: {}", String::from_utf8_lossy(&stderr).trim()))
}

impl Wires {
    /// Wires for `n` nodes; the reason if this machine does not allow it.
    fn new(n: usize, subnet: u8) -> Result<Wires, String> {
        let id = format!("{:x}{subnet}", std::process::id() & 0xffff);
        let names = (0..n).map(|i| format!("wk{id}n{i}")).collect();
        let wires = Wires { names, subnet };
        let bridge = wires.bridge();
        ip(&format!("link add {bridge} type bridge"))?;
        ip(&format!("link set {bridge} up"))?;
        for (i, name) in wires.names.iter().enumerate() {
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add {name} type veth peer name eth0 netns {name}"))?;
            ip(&format!("link set {name} master {bridge} up"))?;
            ip(&format!("-n {name} addr add {}/24 dev eth0", wires.address(i)))?;
            ip(&format!("-n {name} link set eth0 up"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        Ok(wires)
    }

    fn bridge(&self) -> String {
        format!("{}b", self.names[0].trim_end_matches("n0"))
    }

    fn address(&self, i: usize) -> String {
        format!("10.213.{}.{}", self.subnet, i + 1)
    }

    fn places(&self) -> Vec<Place> {
        let place = |(i, name): (usize, &String)| Place {
            bind: format!("{}:7100", self.address(i)).parse().expect("an address"),
            http: "127.0.0.1:7200".parse().expect("an address"),
            namespace: Some(name.clone()),
        };
        self.names.iter().enumerate().map(place).collect()
    }

    /// Nothing from one node reaches another any more; the way back stays open.
    fn cut(&self, from: usize, to: usize) {
        ip(&format!("-n {} route add blackhole {}/32", self.names[from], self.address(to))).expect("a route");
    }

    fn heal(&self, from: usize, to: usize) {
        ip(&format!("-n {} route del blackhole {}/32", self.names[from], self.address(to))).expect("a route");
    }
}

impl Drop for Wires {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = ip(&format!("netns del {name}"));
            let _ = ip(&format!("link del {name}"));
        }
        let _ = ip(&format!("link del {}", self.bridge()));
    }
}

/// Wires for five nodes, or a printed reason.
fn wires(subnet: u8) -> Option<Wires> {
    match Wires::new(5, subnet) {
        Ok(wires) => Some(wires),
        Err(why) => {
            println!("skipped: this machine does not allow network namespaces ({why})");
            None
        }
    }
}

fn all_trusted(recordings: &Recordings) -> bool {
    (0..5).all(|p| recordings.suspects(p).is_empty())
}

/// p1 hears p0 and answers, and its answers get lost: p0 suspects it, and nobody else suspects anybody.
fn one_way_cut() {
    let Some(wires) = wires(1) else { return };
    let model = WEAK_COMPLETENESS;
    let mut fleet = Fleet::at("one-way", model, wires.places());
    fleet.start_all();
    assert!(all_trusted(&fleet.rounds(1)), "all is quiet");
    wires.cut(1, 0);
    fleet.until(model.round() * 3 + SOON, "p0 suspects p1", |recordings| recordings.suspects(0).contains(&1));
    let cut = fleet.rounds(2);
    let suspects: Vec<BTreeSet<usize>> = (0..5).map(|p| cut.suspects(p)).collect();
    let none = BTreeSet::new;
    assert_eq!(suspects, [BTreeSet::from([1]), none(), none(), none(), none()], "only p0 lost its view");
    wires.heal(1, 0);
    // p0 asks p2 by now and nobody speaks to p0 but p4, so p0 can only hear of p1 from p1 itself: once p2, p3 and
    // p4 are gone it is asked by it.
    for process in [2, 3, 4] {
        fleet.kill(process);
    }
    fleet.until(model.round() * 10 + SOON, "p0 trusts p1 again", |recordings| {
        !recordings.suspects(0).contains(&1) && recordings.suspects(1) == BTreeSet::from([2, 3, 4])
    });
    println!("one-way cut: p0 lost p1, p1 kept p0, and p0 returned to p1 when it heard from it");
    fleet.stop(0);
    fleet.stop(1);
    replays(&fleet, Supposing::AnyTimeAndLoss);
}

/// {p0, p1} and {p2, p3, p4} lose each other, and then nothing is lost any more. Only a detector that asks its suspects
/// again `notices` that.
fn partition_and_healing(model: Model, subnet: u8, notices: bool) {
    let Some(wires) = wires(subnet) else { return };
    let mut fleet = Fleet::at("partition", model, wires.places());
    fleet.start_all();
    assert!(all_trusted(&fleet.rounds(1)), "all is quiet");
    let across: Vec<(usize, usize)> =
        [0, 1].iter().flat_map(|a| [2, 3, 4].iter().flat_map(move |b| [(*a, *b), (*b, *a)])).collect();
    for (from, to) in &across {
        wires.cut(*from, *to);
    }
    let sides = |recordings: &Recordings| {
        (0..5).all(|p| {
            let far = if p < 2 { BTreeSet::from([2, 3, 4]) } else { BTreeSet::from([0, 1]) };
            recordings.suspects(p) == far
        })
    };
    fleet.until(model.round() * 12 + SOON, "each side suspects the other", sides);
    for (from, to) in &across {
        wires.heal(*from, *to);
    }
    if notices {
        fleet.until(model.round() * 12 + SOON, "all trust each other again", all_trusted);
        assert!(all_trusted(&fleet.rounds(2)), "and go on to");
        println!("partition: each side suspected the other, and nobody does after the healing");
    } else {
        let healed = fleet.rounds(3);
        let suspects: Vec<BTreeSet<usize>> = (0..5).map(|p| healed.suspects(p)).collect();
        println!("partition: each side suspected the other; three rounds after the healing: {suspects:?}");
        // Both sides have closed their own rings, and nobody asks across: the paper's detector assumes that messages
        // are late and not lost.
        assert!(sides(&healed), "{suspects:?}");
    }
    for process in 0..5 {
        fleet.stop(process);
    }
    replays(&fleet, Supposing::AnyTimeAndLoss);
}

#[test]
fn cuts_and_partitions_between_namespaces() {
    thread::scope(|scope| {
        let runs = [
            scope.spawn(one_way_cut),
            scope.spawn(|| partition_and_healing(STRONG_COMPLETENESS, 2, false)),
            scope.spawn(|| partition_and_healing(ASKING_AGAIN, 3, true)),
        ];
        for run in runs {
            run.join().unwrap_or_else(|why| std::panic::resume_unwind(why));
        }
    });
}
