//! Somebody who had a key of the cluster says that he is p1, once or for as long as he can; then keys are replaced and p1
//! starts again and again. Whatever he said, p0 hears the real p1, nobody is suspected for good, and of all datagrams that
//! the honest nodes have ever sent no two have the same nonce under the same key.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

mod support;

use std::collections::HashSet;
use std::sync::Arc;
use support::{Birth, Cluster, WALL, ring, start};
use watchkeeper_core::{Pid, ProcSet, packed};
use watchkeeper_node::wire::{
    ClusterId, DatagramKind, HEADER_LEN, OpenedDatagram, STAMP_LEN, Sessions, Stamp, TAG_LEN,
};
use watchkeeper_node::{Announcement, Count, DatagramRefusal, Node, NodeEvent, NodeEventKind, SystemClocks};
use watchkeeper_protocols::ring::{GossipMsg, Ring, StrongCompleteness, TimeoutAdaptation};

type Detector = Ring<StrongCompleteness>;

const P0: Pid = Pid::at(0);
const P1: Pid = Pid::at(1);

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// How long each stage lasts, in milliseconds: ten rounds of the detector.
const STAGE: u64 = 5000;

/// What the attacker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attack {
    /// He sends one greeting.
    OneDatagram,
    /// He also hears what p0 answers, and opens a session as p1, and says in it whatever does harm.
    Handshake,
}

/// Which incarnation of p1 the attacker says he is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Claim {
    /// The last that there can be.
    Last,
    /// One that a clock may show which is ahead by most of a year.
    Ahead,
    /// The very one that p1 is in.
    Same,
}

/// What has been counted.
#[derive(Clone, Copy, Default, Debug)]
struct Figures {
    datagrams: usize,
    nonces: usize,
    /// Messages of p1 that p0 has delivered.
    delivered: u64,
    restarts: u64,
}

/// Somebody who had key 1.
struct Attacker {
    sessions: Sessions,
    /// How much of what was sent he has looked at.
    heard: usize,
}

impl Attacker {
    fn new(incarnation: u64) -> Attacker {
        let (cluster, keys) = (ClusterId::of_name("test"), ring(&[1]));
        let sessions = Sessions::new(cluster, &keys, P1, incarnation, ProcSet::first(3), [99; 32]);
        Attacker { sessions, heard: 0 }
    }

    /// "I am p1."
    fn greeting(&mut self) -> Vec<u8> {
        let (key, hello) = self.sessions.greetings_to(P0)[1].expect("no session is open");
        self.sessions.greeting(P0, key, &Stamp::default(), &hello).expect("a number").to_vec()
    }

    /// Answers all that p0 has sent to p1, as p1 would.
    fn answer(&mut self, cluster: &mut Cluster) {
        let heard = std::mem::replace(&mut self.heard, cluster.sent.len());
        let to_p1 = cluster.sent[heard..].iter().filter(|(from, to, _)| (*from, *to) == (0, 1));
        let to_p1: Vec<Vec<u8>> = to_p1.map(|(_, _, datagram)| datagram.clone()).collect();
        for mut datagram in to_p1 {
            if let Ok(OpenedDatagram::Greeting { from, key, hello, .. }) = self.sessions.open(&mut datagram)
                && let Some((key, answer)) = self.sessions.greeted(cluster.now, from, key, &hello).answer
                && let Some(answer) = self.sessions.greeting(P0, key, &Stamp::default(), &answer)
            {
                cluster.inject(1, 0, answer.to_vec());
            }
        }
    }

    /// Everything that does harm: p0 is told that all are suspected, that p1 leaves, and clocks and numbers that cannot be.
    fn say(&mut self, cluster: &mut Cluster) {
        let lie = packed(&GossipMsg::AreYouAlive(ProcSet::first(3)));
        let stamp = Stamp { sent: 1, echo: cluster.now, held: 0 };
        for (kind, number, body) in [
            (DatagramKind::Message, 1, &lie[..]),
            (DatagramKind::Farewell, 2, &[]),
            (DatagramKind::Message, u64::MAX, &[0xff; 40]),
        ] {
            let mut datagram = vec![0; HEADER_LEN + STAMP_LEN];
            datagram.extend_from_slice(body);
            datagram.resize(datagram.len() + TAG_LEN, 0);
            self.sessions.seal(kind, P0, number, &stamp, &mut datagram).expect("a session");
            cluster.inject(1, 0, datagram);
        }
    }
}

/// A cluster of three under attack, and what the rotation has come to.
struct Scene {
    cluster: Cluster,
    detector: Detector,
    keys: Vec<u8>,
    lives: u8,
    figures: Figures,
}

impl Scene {
    /// A cluster that runs; p0's wall clock shows this.
    fn new(wall: i128) -> Scene {
        let asking_again = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
        let detector = Ring::with_policy(asking_again, 3, 10).expect("a ring");
        let mut cluster = Cluster::new(&detector, 3);
        cluster.nodes[0] = start(detector.clone(), 0, 3, 0, &Birth { wall, ..Birth::default() });
        cluster.run(2000);
        assert!(cluster.all_run());
        Scene { cluster, detector, keys: vec![1], lives: 1, figures: Figures::default() }
    }

    fn rotate(&mut self, keys: &[u8]) {
        self.keys = keys.to_vec();
        for node in &mut self.cluster.nodes {
            node.handle_keys(self.cluster.now, &ring(keys));
        }
    }

    /// p1 ends without a word and starts again after so many milliseconds, when its wall clock shows this.
    fn restart(&mut self, after: u64, wall: i128) {
        let now = self.cluster.now;
        self.cluster.nodes[1].handle_shutdown(now);
        self.cluster.run(after);
        self.lives += 1;
        self.figures.restarts += 1;
        let birth = Birth { life: self.lives, wall, keys: self.keys.clone(), ..Birth::default() };
        self.cluster.nodes[1] = start(self.detector.clone(), 1, 3, self.cluster.now, &birth);
    }

    fn attack(&mut self, attack: Attack, claim: Claim) {
        let ahead = SystemClocks { wall: WALL + 300 * DAY, suspended: 0 };
        let mut attacker = Attacker::new(match claim {
            Claim::Last => u64::MAX,
            Claim::Ahead => ahead.incarnation(0),
            Claim::Same => self.cluster.nodes[1].incarnation(),
        });
        attacker.heard = self.cluster.sent.len();
        self.cluster.inject(1, 0, attacker.greeting());
        if attack == Attack::Handshake {
            for _ in 0..100 {
                self.cluster.run(1);
                let was_open = attacker.sessions.is_open(P0);
                attacker.answer(&mut self.cluster);
                if !was_open && attacker.sessions.is_open(P0) {
                    attacker.say(&mut self.cluster);
                }
            }
        }
        self.cluster.run(100);
    }

    /// Time passes. p0 must hear p1, as the incarnation that p1 is in, and at the end nobody may be suspected.
    fn goes_on(&mut self, what: &str) {
        let before = heard(&self.cluster.nodes[0]);
        self.cluster.run(STAGE);
        let delivered = heard(&self.cluster.nodes[0]) - before;
        self.figures.delivered += delivered;
        assert!(delivered >= 5, "{what}: p0 has heard {delivered} messages of p1 in {STAGE} ms");
        let status = self.cluster.nodes[0].status(self.cluster.now);
        assert_eq!(status.peers[0].incarnation, self.cluster.nodes[1].incarnation(), "{what}");
        for node in &self.cluster.nodes {
            let suspects = node.counters().suspects();
            assert!(suspects.is_empty(), "{what}: {:?} suspects {suspects}", node.process());
        }
    }

    fn finish(mut self) -> Figures {
        self.figures.datagrams = self.cluster.sent.len();
        self.figures.nonces = nonces(&self.cluster);
        assert_eq!(self.figures.nonces, self.figures.datagrams, "no nonce comes twice");
        self.figures
    }
}

/// How many messages of p1 this node has delivered, but for the first.
fn heard(node: &Node) -> u64 {
    let of_p1 = node.counters().peer(P1).expect("a peer");
    of_p1.interarrival.classes.iter().map(Count::get).sum()
}

/// How many different pairs of key and nonce the nodes have sealed with. A greeting is sealed with the key that it names, under its salt
/// and its number; anything else with the key of its session, under its sender and its number.
fn nonces(cluster: &Cluster) -> usize {
    let sealed = cluster.sent.iter().map(|(_, _, datagram)| {
        let (key, sender, session, number) =
            (datagram[2], &datagram[3..5], &datagram[15..23], &datagram[23..31]);
        let greeting = datagram[1] == DatagramKind::Hello as u8;
        let nonce = if greeting { [&datagram[31..47], number].concat() } else { [sender, number].concat() };
        (key, session, nonce)
    });
    sealed.collect::<HashSet<_>>().len()
}

/// The attack at some stage of a rotation: with key 1 alone, when key 2 was added, when it is the current one, and when
/// key 1 is gone.
fn survived(attack: Attack, claim: Claim, stage: usize, wall: i128) -> Figures {
    let mut scene = Scene::new(wall);
    let refused = |scene: &Scene, refusal| scene.cluster.nodes[0].counters().refused(refusal);
    for (at, keys) in [[1].as_slice(), &[1, 2], &[2, 1], &[2]].into_iter().enumerate() {
        let what = format!("{attack:?} as {claim:?} at stage {stage}, keys {keys:?}");
        scene.rotate(keys);
        if at == stage {
            scene.goes_on("before the attack");
            let before =
                [DatagramRefusal::FarAhead, DatagramRefusal::UnknownKey].map(|why| refused(&scene, why));
            scene.attack(attack, claim);
            let after =
                [DatagramRefusal::FarAhead, DatagramRefusal::UnknownKey].map(|why| refused(&scene, why));
            let far_ahead = stage < 3 && claim == Claim::Last && wall == WALL;
            assert_eq!(after[0] - before[0], u64::from(far_ahead), "{what}");
            assert_eq!(after[1] - before[1], u64::from(stage == 3), "{what}");
            // Whoever has gone on to key 2 with an incarnation of a peer does not fall back.
            let fell_behind = stage == 2 && claim == Claim::Same;
            let is_believed = attack == Attack::Handshake && stage < 3 && !far_ahead && !fell_behind;
            let told = |event: &NodeEvent<Announcement>| event.kind == NodeEventKind::PeerLeft { peer: P1 };
            assert_eq!(scene.cluster.events[0].iter().any(told), is_believed, "{what}");
        }
        // Whoever has the current key is p1, as far as p0 can tell.
        if at < stage || keys[0] != 1 || attack == Attack::OneDatagram {
            scene.goes_on(&what);
        } else {
            scene.cluster.run(STAGE);
        }
    }
    let left = scene.cluster.nodes[0].status(scene.cluster.now).peers[0].left;
    assert!(!left, "{attack:?} as {claim:?} at stage {stage}: p1 has never said that it leaves");
    let now = WALL + i128::from(scene.cluster.now);
    for (what, after, wall) in [
        ("at once", 0, now),
        ("after a while", 2000, now + 2 * SECOND),
        ("with its clock set back by a year", 2000, now - 365 * DAY),
        ("with a clock that was never set", 0, 100 * SECOND),
        ("before 1970", 2000, -30 * 365 * DAY),
        ("with its clock right again", 2000, now + 60 * SECOND),
    ] {
        scene.restart(after, wall);
        scene.goes_on(&format!("{attack:?} as {claim:?} at stage {stage}: p1 starts again {what}"));
    }
    scene.finish()
}

#[test]
fn whoever_had_a_key_leaves_no_trace() {
    let never_set = 50 * SECOND;
    let mut all = Figures::default();
    let mut attacks = 0;
    for attack in [Attack::OneDatagram, Attack::Handshake] {
        for claim in [Claim::Last, Claim::Ahead, Claim::Same] {
            for stage in 0..4 {
                for wall in [WALL, never_set] {
                    let one = survived(attack, claim, stage, wall);
                    attacks += 1;
                    all.datagrams += one.datagrams;
                    all.nonces += one.nonces;
                    all.delivered += one.delivered;
                    all.restarts += one.restarts;
                }
            }
        }
    }
    println!(
        "{attacks} attacks, {} restarts of p1: {} datagrams captured, {} nonces, {} repeated; p0 has delivered {} messages of p1",
        all.restarts,
        all.datagrams,
        all.nonces,
        all.datagrams - all.nonces,
        all.delivered
    );
}

/// The count finds what it is for: whoever is given the same randomness at the same moment seals under the same nonces.
#[test]
fn a_copy_of_a_node_repeats_nonces() {
    let mut scene = Scene::new(WALL);
    scene.restart(0, WALL);
    scene.goes_on("p1 starts again");
    assert_eq!(nonces(&scene.cluster), scene.cluster.sent.len());
    scene.lives -= 1;
    scene.restart(0, WALL);
    scene.cluster.run(STAGE);
    assert!(nonces(&scene.cluster) < scene.cluster.sent.len());
}

/// A clock that is years behind takes everybody for far ahead, and the counter says so; setting it is enough.
#[test]
fn a_node_whose_clock_is_years_behind_hears_nobody_until_it_is_set() {
    let mut scene = Scene::new(WALL);
    scene.restart(2000, WALL - 3 * 365 * DAY);
    scene.cluster.run(STAGE);
    let (now, counters) = (scene.cluster.now, Arc::clone(scene.cluster.nodes[1].counters()));
    assert!(counters.refused(DatagramRefusal::FarAhead) > 10 && counters.delivered.get() == 0);
    let clock = SystemClocks { wall: WALL + i128::from(now), suspended: 0 };
    scene.cluster.nodes[1].handle_clock(now, clock);
    scene.cluster.run(STAGE);
    scene.goes_on("its clock was set");
}

/// Where the system has no filter the node drops strangers by itself, and before anything is decrypted: an authentic
/// datagram from elsewhere is left as it was, and still is taken when it comes from its sender.
#[test]
fn a_stranger_costs_a_look_at_its_address() {
    let mut scene = Scene::new(WALL);
    let Scene { cluster, .. } = &mut scene;
    let message = loop {
        let before = cluster.sent.len();
        cluster.run(1);
        let of_p1 = |(from, to, datagram): &&(usize, usize, Vec<u8>)| {
            (*from, *to, datagram[1]) == (1, 0, DatagramKind::Message as u8)
        };
        if let Some((_, _, message)) = cluster.sent[before..].iter().find(of_p1) {
            break message.clone();
        }
    };
    let (now, node) = (cluster.now, &mut cluster.nodes[0]);
    let counted = |node: &Node| {
        let counters = node.counters();
        let refused: u64 = counters.refused.iter().map(Count::get).sum();
        (
            counters.received.get(),
            counters.refused(DatagramRefusal::Stranger),
            refused,
            counters.delivered.get(),
        )
    };
    let (received, strangers, refused, delivered) = counted(node);
    let mut datagram = message.clone();
    for stranger in ["127.0.0.1:7003", "127.0.0.2:7001", "[::1]:7001"] {
        node.handle_datagram(now, stranger.parse().expect("an address"), &mut datagram);
        assert_eq!(datagram, message, "nothing was decrypted");
    }
    assert_eq!(counted(node), (received + 3, strangers + 3, refused + 3, delivered));
    assert!(node.transmits().len() == 0, "a stranger is not answered");
    node.handle_datagram(now, support::address(1), &mut datagram);
    assert_ne!(datagram, message);
    assert_eq!(counted(node), (received + 4, strangers + 3, refused + 3, delivered + 1));
}
