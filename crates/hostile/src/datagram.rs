//! Datagrams: an input is a script of those that come to one whole node, from random bytes over good datagrams that were changed
//! on their way to peers who have the key and say anything. The node is held to what the wire promises: whatever was not
//! sealed for it in an open session does nothing, and nothing is taken twice.

mod script;

pub(crate) use script::AttackScript;
use std::collections::HashSet;
use std::net::SocketAddr;
use watchkeeper_core::{Pack, Pid, ProcSet, packed, unpacked};
use watchkeeper_node::wire::{
    Challenge, ClusterId, ClusterKey, DatagramKind, DatagramRefusal, HEADER_LEN, Hello, KeyId, KeyRing,
    LEAST_DATAGRAM, MAX_DATAGRAM, OpenedDatagram, STAMP_LEN, Sessions, Stamp, TAG_LEN,
};
use watchkeeper_node::{Node, NodeConfig, NodeStart, SystemClocks};
use watchkeeper_protocols::chandra_toueg::ChandraTouegMsg;
use watchkeeper_protocols::consensus::RotatingMsg;
use watchkeeper_protocols::heartbeat::HeartbeatMsg;
use watchkeeper_protocols::kubernetes::KubernetesMsg;
use watchkeeper_protocols::nfd_e::NfdEMsg;
use watchkeeper_protocols::nfd_s::NfdSMsg;
use watchkeeper_protocols::phi::PhiMsg;
use watchkeeper_protocols::ring::{GossipMsg, Ring, RingMsg};
use watchkeeper_protocols::stack::{Layer, Numbered, ReliableMsg};

const CLUSTER: &str = "fuzzed";
const ME: Pid = Pid::at(0);
const N: usize = 5;

/// 2027, in nanoseconds.
const WALL: i128 = 1_800_000_000_000_000_000;

/// Plays an input to a node that has heard of nobody.
pub(crate) fn attack(input: &[u8]) {
    Attack::begin().play(input);
}

/// One node under attack, and peers that have the key.
pub struct Attack {
    node: Node,
    now: u64,
    /// The peers, by their number less one.
    peers: Vec<Sessions>,
    /// How often a peer has started.
    starts: u64,
    keys: KeyRing,
    /// What peers have sealed so far, to be replayed.
    recorded: Vec<(Pid, Vec<u8>)>,
    /// What the node has taken.
    taken: HashSet<Vec<u8>>,
}

impl Attack {
    /// A node that has heard of nobody.
    pub fn begin() -> Attack {
        let keys = ring(&[1, 2]);
        let mut config = NodeConfig::new(ME);
        config.peers = (1..N).map(|peer| (Pid::at(peer), Some(address(peer)))).collect();
        config.cluster = CLUSTER.to_string();
        config.keys = Some(keys.clone());
        let clock = SystemClocks { wall: WALL, suspended: 0 };
        let start = NodeStart { now: 1, clock, clock_name: "fuzzed".to_string(), entropy: [99; 32] };
        let node = Node::new(Ring::new(N, 10).expect("a ring"), config, start).expect("a node");
        let mut attack = Attack {
            node,
            now: 1,
            peers: Vec::new(),
            starts: 0,
            keys,
            recorded: Vec::new(),
            taken: HashSet::new(),
        };
        for peer in 1..N {
            let sessions = attack.started(Pid::at(peer));
            attack.peers.push(sessions);
        }
        attack
    }

    /// Lets everything happen that a script says, and returns how many datagrams were refused for each reason, in the
    /// order of [`DatagramRefusal::ALL`], and behind those how many messages were taken.
    ///
    /// # Panics
    /// If the node breaks a promise: that is what is looked for.
    pub fn play(mut self, input: &[u8]) -> [u64; DatagramRefusal::ALL.len() + 1] {
        let mut script = AttackScript::new(input);
        while let Some(what) = script.byte() {
            let peer = Pid::at(1 + usize::from(what >> 4) % (N - 1));
            match what % 16 {
                0 => self.stranger(peer, script.bytes()),
                1 => self.stranger_with_header(peer, &mut script),
                2 | 3 => self.changed_on_its_way(peer, &mut script),
                4 | 5 => self.replay(&mut script),
                6 => self.message(peer, script.bytes()),
                7 => self.message(peer, &packed(&RingMsg::AreYouAlive)),
                8 => self.word(peer, &mut script),
                9 => self.hello(peer, script.number()),
                10 => self.other_sender(peer, &mut script),
                11 => self.elsewhere(&mut script),
                12 => {
                    let sessions = self.started(peer);
                    self.peers[peer.index() - 1] = sessions;
                }
                13 => self.rotate(script.byte().unwrap_or(0)),
                _ => self.pass_time(script.number()),
            }
        }
        self.settle()
    }

    /// A peer as it is after a start.
    fn started(&mut self, peer: Pid) -> Sessions {
        self.starts += 1;
        let mut entropy = [peer.index() as u8; 32];
        entropy[..8].copy_from_slice(&self.starts.to_le_bytes());
        // Numbers of incarnations are in no order.
        let incarnation = 1 + self.starts.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << 50);
        Sessions::new(ClusterId::of_name(CLUSTER), &self.keys, peer, incarnation, ProcSet::first(N), entropy)
    }

    /// Hands bytes to the node; returns whether it took a message, and the reason for a refusal.
    fn arrive(&mut self, from: SocketAddr, bytes: &[u8]) -> (bool, Option<DatagramRefusal>) {
        let counters = self.node.counters().clone();
        let refused = |at: &DatagramRefusal| counters.refused(*at);
        let before: Vec<u64> = DatagramRefusal::ALL.iter().map(refused).collect();
        let delivered = counters.delivered.get();
        self.node.handle_datagram(self.now, from, &mut bytes.to_vec());
        let reason = DatagramRefusal::ALL.iter().zip(before).find(|(at, count)| refused(at) > *count);
        (counters.delivered.get() > delivered, reason.map(|(at, _)| *at))
    }

    /// Bytes that nobody sealed do nothing.
    fn stranger(&mut self, peer: Pid, bytes: &[u8]) {
        let greetings = self.node.counters().greetings.get();
        let (taken, refusal) = self.arrive(address(peer.index()), bytes);
        assert!(
            !taken && self.node.counters().greetings.get() == greetings,
            "nobody gets in without the key"
        );
        if bytes.len() < LEAST_DATAGRAM {
            assert_eq!(refusal, Some(DatagramRefusal::TooShort));
        }
        if bytes.len() > MAX_DATAGRAM {
            assert_eq!(refusal, Some(DatagramRefusal::TooLong));
        }
    }

    /// Bytes behind a header that is right as far as it can be without a key.
    fn stranger_with_header(&mut self, peer: Pid, script: &mut AttackScript<'_>) {
        let mut header = self.sealed_hello(peer);
        header.truncate(HEADER_LEN);
        if let Some((_, real)) = self.recorded.last().filter(|_| script.byte().unwrap_or(0).is_multiple_of(2))
        {
            header = real[..HEADER_LEN].to_vec();
            let at = 21 + usize::from(script.byte().unwrap_or(0) % 8);
            header[at] = header[at].wrapping_add(1);
        }
        let datagram = [&header[..], script.bytes()].concat();
        self.stranger(peer, &datagram);
    }

    fn changed_on_its_way(&mut self, peer: Pid, script: &mut AttackScript<'_>) {
        let body = script.bytes();
        let good = match script.byte().unwrap_or(0) % 2 {
            0 => self.sealed_message(peer, &body[..body.len().min(200)]),
            _ => None,
        };
        let good = good.unwrap_or_else(|| self.sealed_hello(peer));
        let mut bad = good.clone();
        match script.byte().unwrap_or(0) % 4 {
            0 => bad.truncate(script.number() as usize % bad.len()),
            1 => bad.extend_from_slice(script.bytes()),
            2 => {
                let (from, to) = (script.number() as usize % bad.len(), script.number() as usize % bad.len());
                bad.swap(from, to);
            }
            _ => {
                for _ in 0..=script.byte().unwrap_or(0) % 4 {
                    let at = script.number() as usize % bad.len();
                    bad[at] ^= script.byte().unwrap_or(1);
                }
            }
        }
        if bad != good {
            self.stranger(peer, &bad);
        }
    }

    /// What was sealed once is taken once at most.
    fn replay(&mut self, script: &mut AttackScript<'_>) {
        if self.recorded.is_empty() {
            return;
        }
        let which = script.number() as usize % self.recorded.len();
        let (peer, datagram) = self.recorded[which].clone();
        self.authentic(peer, datagram);
    }

    /// A peer says anything as a message.
    fn message(&mut self, peer: Pid, body: &[u8]) {
        let body = &body[..body.len().min(MAX_DATAGRAM - LEAST_DATAGRAM)];
        canonical::<RingMsg>(body);
        canonical::<GossipMsg>(body);
        canonical::<HeartbeatMsg>(body);
        canonical::<NfdSMsg>(body);
        canonical::<NfdEMsg>(body);
        canonical::<PhiMsg>(body);
        canonical::<KubernetesMsg>(body);
        canonical::<Layer<ReliableMsg<RotatingMsg>, ChandraTouegMsg>>(body);
        canonical::<Layer<ReliableMsg<Numbered<RotatingMsg>>, ChandraTouegMsg>>(body);
        if let Some(datagram) = self.sealed_message(peer, body) {
            self.recorded.push((peer, datagram.clone()));
            self.authentic(peer, datagram);
        }
    }

    /// A peer says a word of the runtime, at any time.
    fn word(&mut self, peer: Pid, script: &mut AttackScript<'_>) {
        let kind = DatagramKind::ALL[usize::from(script.byte().unwrap_or(0)) % DatagramKind::ALL.len()];
        if let Some(datagram) = self.sealed(peer, kind, &[]).filter(|_| kind != DatagramKind::Hello) {
            self.recorded.push((peer, datagram.clone()));
            self.authentic(peer, datagram);
        }
    }

    fn hello(&mut self, peer: Pid, times: u64) {
        for _ in 0..=times % 3 {
            let datagram = self.sealed_hello(peer);
            self.recorded.push((peer, datagram.clone()));
            self.arrive(address(peer.index()), &datagram);
            self.exchange();
        }
    }

    /// Another key, another cluster, another receiver.
    fn other_sender(&mut self, peer: Pid, script: &mut AttackScript<'_>) {
        let here = ClusterId::of_name(CLUSTER);
        let (cluster, keys, to, expected) = match script.byte().unwrap_or(0) % 4 {
            0 => (here, KeyRing::new((KeyId(self.keys.current().0), key(77))), ME, DatagramRefusal::Forged),
            1 => (here, ring(&[9]), ME, DatagramRefusal::UnknownKey),
            2 => (ClusterId::of_name("other"), self.keys.clone(), ME, DatagramRefusal::Cluster),
            _ => (here, self.keys.clone(), Pid::at(63), DatagramRefusal::NotForMe),
        };
        let mut sessions =
            Sessions::new(cluster, &keys, peer, 7, ProcSet::first(64), [script.byte().unwrap_or(0); 32]);
        let (key, hello) = sessions.greetings_to(to)[1].expect("no session is open");
        let datagram = sessions.greeting(to, key, &Stamp::default(), &hello).expect("a number");
        assert_eq!(self.arrive(address(peer.index()), &datagram), (false, Some(expected)));
    }

    /// From an address that is no peer's not even the best datagram is looked at.
    fn elsewhere(&mut self, script: &mut AttackScript<'_>) {
        let port = 1 + script.number() as u16 % 6999;
        let datagram = self.sealed_hello(Pid::at(1));
        let from = SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(self.arrive(from, &datagram), (false, Some(DatagramRefusal::Stranger)));
    }

    fn rotate(&mut self, how: u8) {
        let rings: [&[u8]; 5] = [&[1], &[1, 2], &[2, 1], &[2], &[3, 2]];
        self.keys = ring(rings[usize::from(how) % rings.len()]);
        let keys = self.keys.clone();
        self.node.handle_keys(self.now, &keys);
        // Some peers follow at once, the others when they start again.
        for peer in self.peers.iter_mut().skip(usize::from(how) % 3) {
            peer.rotate(&keys);
        }
        self.exchange();
    }

    fn pass_time(&mut self, ms: u64) {
        self.now += 1 + ms % 1000 * 1_000_000;
        self.node.handle_timeout(self.now);
        if self.node.wants_clock() {
            let wall = WALL + i128::from(self.now);
            self.node.handle_clock(self.now, SystemClocks { wall, suspended: 0 });
        }
        self.exchange();
    }

    /// Hands an authentic datagram to the node: it is taken at most once.
    fn authentic(&mut self, peer: Pid, datagram: Vec<u8>) {
        let malformed = self.node.counters().refused(DatagramRefusal::Malformed);
        let (taken, _) = self.arrive(address(peer.index()), &datagram);
        if taken || self.node.counters().refused(DatagramRefusal::Malformed) > malformed {
            assert!(self.taken.insert(datagram), "nothing is taken twice");
        }
        self.exchange();
    }

    /// Carries what the node sends to its peers, and their answers to greetings back, until there is nothing more.
    fn exchange(&mut self) {
        for _ in 0..20 {
            let sent: Vec<(Pid, Vec<u8>)> = self
                .node
                .transmits()
                .filter_map(|transmit| Some((transmit.peer?, transmit.datagram.to_vec())))
                .collect();
            self.node.transmitted(sent.len());
            while self.node.poll_event().is_some() {}
            if sent.is_empty() {
                return;
            }
            for (to, mut datagram) in sent {
                let own = self.arrive(address(to.index()), &datagram);
                assert_eq!(own, (false, Some(DatagramRefusal::NotForMe)), "its own datagrams are not for it");
                let peer = &mut self.peers[to.index() - 1];
                let Ok(OpenedDatagram::Greeting { from, key, hello, .. }) = peer.open(&mut datagram) else {
                    continue;
                };
                let answer = peer.greeted(self.now, from, key, &hello).answer;
                let answer =
                    answer.and_then(|(key, answer)| peer.greeting(from, key, &Stamp::default(), &answer));
                if let Some(answer) = answer {
                    self.recorded.push((to, answer.to_vec()));
                    self.arrive(address(to.index()), &answer);
                }
            }
        }
        panic!("greetings come to an end");
    }

    fn sealed_hello(&mut self, peer: Pid) -> Vec<u8> {
        let sessions = &mut self.peers[peer.index() - 1];
        let key = sessions.keys().next().expect("a ring has a key");
        let asking = Hello {
            incarnation: sessions.incarnation(),
            mine: Challenge::NONE,
            yours: Challenge::NONE,
            open: false,
        };
        let [again, first] = sessions.greetings_to(ME);
        let (key, hello) = first.or(again).unwrap_or((key, asking));
        sessions.greeting(ME, key, &Stamp::default(), &hello).expect("a number").to_vec()
    }

    fn sealed_message(&mut self, peer: Pid, body: &[u8]) -> Option<Vec<u8>> {
        self.sealed(peer, DatagramKind::Message, body)
    }

    fn sealed(&mut self, peer: Pid, kind: DatagramKind, body: &[u8]) -> Option<Vec<u8>> {
        let sessions = &mut self.peers[peer.index() - 1];
        let number = sessions.number(ME)?;
        let mut datagram = vec![0; HEADER_LEN + STAMP_LEN];
        datagram.extend_from_slice(body);
        datagram.resize(datagram.len() + TAG_LEN, 0);
        let stamp = Stamp { sent: number, echo: u64::MAX, held: number };
        sessions.seal(kind, ME, number, &stamp, &mut datagram).ok()?;
        Some(datagram)
    }

    /// Every datagram is in exactly one counter.
    fn settle(self) -> [u64; DatagramRefusal::ALL.len() + 1] {
        let counters = self.node.counters();
        assert_eq!(counters.received.get(), counters.accounted(), "every datagram is accounted for");
        let mut counts = [0; DatagramRefusal::ALL.len() + 1];
        for (count, refusal) in counts.iter_mut().zip(DatagramRefusal::ALL) {
            *count = counters.refused(*refusal);
        }
        counts[DatagramRefusal::ALL.len()] = counters.delivered.get();
        counts
    }
}

/// Bytes that are a message are those of that message and of no other.
fn canonical<T: Pack>(body: &[u8]) {
    if let Ok(message) = unpacked::<T>(body) {
        assert_eq!(packed(&message), body, "a message has one form");
    }
}

fn address(process: usize) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 7000 + process as u16))
}

fn key(byte: u8) -> ClusterKey {
    format!("{byte:02x}").repeat(32).parse().expect("a key")
}

/// A ring whose first key is the current one.
fn ring(ids: &[u8]) -> KeyRing {
    let first = KeyRing::new((KeyId(ids[0]), key(ids[0])));
    ids[1..].iter().fold(first, |ring, id| ring.with(KeyId(*id), key(*id)).expect("few keys"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts of random bytes, from a generator that is the same everywhere.
    #[test]
    fn random_scripts_break_nothing_and_reach_every_reason() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut total = [0; DatagramRefusal::ALL.len() + 1];
        for _ in 0..1000 {
            let mut draw = || {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                seed
            };
            let script: Vec<u8> = (0..draw() % 3000).map(|_| draw() as u8).collect();
            let counts = Attack::begin().play(&script);
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        // Peers here are in incarnations that no clock is behind, and send too little to leave a window.
        let unreached = [DatagramRefusal::FarAhead, DatagramRefusal::TooOld];
        for (refusal, count) in DatagramRefusal::ALL.iter().copied().zip(total) {
            assert_eq!(count == 0, unreached.contains(&refusal), "{refusal}: {count}");
        }
        assert!(total[DatagramRefusal::ALL.len()] > 1000, "{total:?}");
    }
}
