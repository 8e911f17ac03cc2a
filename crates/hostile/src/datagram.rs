//! Datagrams: an input is a script of those that come to one node, from random bytes over good datagrams
//! that were changed on their way to authentic ones with any header. The node is held to what the format promises,
//! and its sessions to a model that remembers everything.

mod model;
mod script;

use model::SessionModel;
pub(crate) use script::AttackScript;
use watchkeeper_core::{Pack, Pid, ProcSet, packed, unpacked};
use watchkeeper_protocols::chandra_toueg::ChandraTouegMsg;
use watchkeeper_protocols::consensus::RotatingMsg;
use watchkeeper_protocols::heartbeat::HeartbeatMsg;
use watchkeeper_protocols::ring::{GossipMsg, RingMsg};
use watchkeeper_protocols::stack::{Layer, Numbered, ReliableMsg};
use watchkeeper_runtime::wire::{
    ClusterId, ClusterKey, Codec, DatagramHeader, DatagramRefusal, Gaps, HEADER_LEN, HandshakeHint, KeyId,
    KeyRing, LEAST_DATAGRAM, MAX_DATAGRAM, STAMP_LEN, Sessions, Stamp,
};

const CLUSTER: ClusterId = ClusterId::of_name("fuzzed");
const ME: Pid = Pid::at(0);
/// Others than the peers can hold the key, or have left the configuration.
const PEERS: ProcSet = ProcSet::first(5);
const INCARNATION: u64 = 1000;

/// Plays an input to a node that has heard of nobody.
pub(crate) fn attack(input: &[u8]) {
    Attack::begin().play(input);
}

/// One node under attack.
pub struct Attack {
    mine: Codec,
    sessions: Sessions,
    gaps: Gaps,
    model: SessionModel,
    /// What was sealed so far, to be replayed.
    recorded: Vec<Vec<u8>>,
    /// How many datagrams were refused for each reason, and how many were admitted.
    counts: [u64; DatagramRefusal::ALL.len() + 1],
}

impl Attack {
    /// A node that has heard of nobody.
    pub fn begin() -> Attack {
        let ring = KeyRing::new((KeyId(1), key(1))).with(KeyId(2), key(2)).expect("two keys fit");
        Attack {
            mine: Codec::new(CLUSTER, ring, ME),
            sessions: Sessions::new(ME, INCARNATION, PEERS),
            gaps: Gaps::new(),
            model: SessionModel::new(INCARNATION, PEERS),
            recorded: Vec::new(),
            counts: [0; DatagramRefusal::ALL.len() + 1],
        }
    }

    /// Lets everything happen that a script says, and returns how many datagrams were refused for each reason, in the
    /// order of [`DatagramRefusal::ALL`], and behind those how many were admitted.
    ///
    /// # Panics
    /// If the node breaks a promise: that is what is looked for.
    pub fn play(mut self, input: &[u8]) -> [u64; DatagramRefusal::ALL.len() + 1] {
        let mut script = AttackScript::new(input);
        while let Some(what) = script.byte() {
            match what % 8 {
                0 => self.stranger(script.bytes()),
                1 => self.stranger_with_header(&mut script),
                2 | 3 => self.insider(&mut script),
                4 => self.changed_on_its_way(&mut script),
                5 => self.other_sender(&mut script),
                6 => self.replay(&mut script),
                _ => self.own_datagram(&mut script),
            }
        }
        self.counts
    }

    /// Bytes that nobody sealed are refused.
    fn stranger(&mut self, bytes: &[u8]) {
        let refusal = self.refuse(bytes);
        assert!(!admitting(refusal), "strangers are found out before their numbers are looked at: {refusal}");
        if bytes.len() < LEAST_DATAGRAM {
            assert_eq!(refusal, DatagramRefusal::TooShort);
        }
        if bytes.len() > MAX_DATAGRAM {
            assert_eq!(refusal, DatagramRefusal::TooLong);
        }
    }

    /// Bytes behind a header that is right as far as it can be without a key.
    fn stranger_with_header(&mut self, script: &mut AttackScript<'_>) {
        let header = script.header(ME, self.sessions.incarnation());
        let mut datagram = sealed(&codec(CLUSTER, 1, 1), &header, &Stamp::default(), &[]);
        datagram.truncate(HEADER_LEN);
        datagram.extend_from_slice(script.bytes());
        self.stranger(&datagram);
    }

    /// Whoever has the key can say anything, and still nothing breaks.
    fn insider(&mut self, script: &mut AttackScript<'_>) {
        let header = script.header(ME, self.sessions.incarnation());
        let stamp = Stamp { sent: script.number(), echo: script.number(), held: script.number() };
        let id = 1 + script.byte().unwrap_or(0) % 2;
        let body = script.bytes();
        let body = &body[..body.len().min(MAX_DATAGRAM - LEAST_DATAGRAM)];
        let datagram = sealed(&codec(CLUSTER, id, id), &header, &stamp, body);
        let mut copy = datagram.clone();
        let opened = self.mine.open(&mut copy).expect("what was sealed is opened");
        assert_eq!(opened, (header, stamp, body));
        self.recorded.push(datagram);
        self.authentic(&header, body);
    }

    fn changed_on_its_way(&mut self, script: &mut AttackScript<'_>) {
        let header = script.header(ME, self.sessions.incarnation());
        let body = script.bytes();
        let body = &body[..body.len().min(200)];
        let good = sealed(&codec(CLUSTER, 1, 1), &header, &Stamp::default(), body);
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
            self.stranger(&bad);
        }
    }

    /// Another key, another cluster, another receiver.
    fn other_sender(&mut self, script: &mut AttackScript<'_>) {
        let mut header = script.header(ME, self.sessions.incarnation());
        let (other, expected) = match script.byte().unwrap_or(0) % 4 {
            0 => (codec(CLUSTER, 1, 9), DatagramRefusal::Forged),
            1 => (codec(CLUSTER, 9, 1), DatagramRefusal::UnknownKey),
            2 => (codec(ClusterId::of_name("other"), 1, 1), DatagramRefusal::Cluster),
            _ => {
                header.receiver = Pid::at(1 + script.number() as usize % 63);
                (codec(CLUSTER, 1, 1), DatagramRefusal::NotForMe)
            }
        };
        let body = script.bytes();
        let datagram = sealed(&other, &header, &Stamp::default(), &body[..body.len().min(100)]);
        assert_eq!(self.refuse(&datagram), expected);
    }

    fn replay(&mut self, script: &mut AttackScript<'_>) {
        if self.recorded.is_empty() {
            return;
        }
        let which = script.number() as usize % self.recorded.len();
        let mut copy = self.recorded[which].clone();
        let (header, _, body) = self.mine.open(&mut copy).expect("what was authentic is so still");
        self.authentic(&header, body);
    }

    /// The node's own datagrams say what it knows, and never come back to it.
    fn own_datagram(&mut self, script: &mut AttackScript<'_>) {
        let header = script.header(ME, self.sessions.incarnation());
        let own = self.sessions.next(header.kind, header.sender);
        self.model.sent(&own);
        if header.sender != ME {
            let datagram = sealed(&self.mine, &own, &Stamp::default(), &[]);
            assert_eq!(self.refuse(&datagram), DatagramRefusal::NotForMe);
        }
    }

    /// Decides on an authentic datagram as a node does, and holds the decision to the model's.
    fn authentic(&mut self, header: &DatagramHeader, body: &[u8]) {
        let before = self.sessions.clone();
        let decided = self.sessions.admit(header);
        assert_eq!(decided, self.model.admit(header), "{header:?}");
        match decided {
            Ok(_) => {
                let again = self.sessions.admit(header).expect_err("nothing is admitted twice");
                assert_eq!((again.refusal, again.hint), (DatagramRefusal::Replayed, HandshakeHint::Nothing));
                self.gaps.saw(header.number, self.gaps.seen());
                self.gaps.lost(self.gaps.seen(), 50);
                *self.counts.last_mut().expect("a counter") += 1;
                canonical::<RingMsg>(body);
                canonical::<GossipMsg>(body);
                canonical::<HeartbeatMsg>(body);
                canonical::<Layer<ReliableMsg<RotatingMsg>, ChandraTouegMsg>>(body);
                canonical::<Layer<ReliableMsg<Numbered<RotatingMsg>>, ChandraTouegMsg>>(body);
            }
            Err(refused) => {
                assert!(self.sessions == before, "nothing changes for what is refused: {header:?}");
                self.counts[refused.refusal.index()] += 1;
                match refused.hint {
                    HandshakeHint::Nothing => {}
                    HandshakeHint::Introduce => {
                        let answer = self.sessions.answer(header.sender, header.incarnation);
                        self.model.sent(&answer);
                        assert!(answer.peer_incarnation >= header.incarnation);
                    }
                    HandshakeHint::Outlived(above) => {
                        self.sessions.outlive(above);
                        assert!(self.sessions.incarnation() > above || above == u64::MAX);
                        self.model = SessionModel::new(self.sessions.incarnation(), PEERS);
                        self.gaps.restart();
                    }
                }
            }
        }
    }

    /// Opens what must be refused; nothing of it may be changed on the way.
    fn refuse(&mut self, bytes: &[u8]) -> DatagramRefusal {
        let mut copy = bytes.to_vec();
        let refusal = self.mine.open(&mut copy).expect_err("nobody gets in without the key");
        assert!(copy == bytes, "what is refused is left as it was");
        self.counts[refusal.index()] += 1;
        refusal
    }
}

/// Whether a reason is one that only sessions give.
fn admitting(refusal: DatagramRefusal) -> bool {
    use DatagramRefusal::{Malformed, Replayed, StaleIncarnation, TooOld, Unfamiliar};
    [StaleIncarnation, Unfamiliar, Replayed, TooOld, Malformed].contains(&refusal)
}

/// Bytes that are a message are those of that message and of no other.
fn canonical<T: Pack>(body: &[u8]) {
    if let Ok(message) = unpacked::<T>(body) {
        assert_eq!(packed(&message), body, "a message has one form");
    }
}

fn key(byte: u8) -> ClusterKey {
    format!("{byte:02x}").repeat(32).parse().expect("a key")
}

/// A codec that seals with the key made of this byte, under this id. The node that it is for only matters in opening.
fn codec(cluster: ClusterId, id: u8, byte: u8) -> Codec {
    Codec::new(cluster, KeyRing::new((KeyId(id), key(byte))), ME)
}

fn sealed(codec: &Codec, header: &DatagramHeader, stamp: &Stamp, body: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; HEADER_LEN + STAMP_LEN];
    buffer.extend_from_slice(body);
    codec.seal(header, stamp, &mut buffer, 0).expect("a body that fits");
    buffer
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
        for (refusal, count) in DatagramRefusal::ALL.iter().copied().zip(total) {
            // Only the driver, which knows the protocol, calls a body malformed.
            assert_eq!(count == 0, refusal == DatagramRefusal::Malformed, "{refusal}: {count}");
        }
        assert!(total[DatagramRefusal::ALL.len()] > 1000, "{total:?}");
    }
}
