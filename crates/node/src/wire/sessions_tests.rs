//! Nodes that talk through memory: they find each other, survive restarts, lost greetings and rotations of keys, and take
//! nothing twice, whoever repeats what they said and whoever had a key.

use super::super::{ClusterKey, STAMP_LEN, TAG_LEN, WINDOW};
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;
use watchkeeper_core::ProcSet;

const A: Pid = Pid::at(0);
const B: Pid = Pid::at(1);
const HERE: ClusterId = ClusterId::of_name("here");

fn key(id: u8) -> (KeyId, ClusterKey) {
    (KeyId(id), format!("{:02x}", id + 16).repeat(32).parse().expect("a key"))
}

/// A ring whose first key is the current one.
fn ring(ids: &[u8]) -> KeyRing {
    let first = KeyRing::new(key(ids[0]));
    ids[1..].iter().fold(first, |ring, id| ring.with(key(*id).0, key(*id).1).expect("few keys"))
}

fn node(me: Pid, incarnation: u64, ids: &[u8]) -> Sessions {
    let mut entropy = [me.index() as u8; 32];
    entropy[..8].copy_from_slice(&incarnation.to_le_bytes());
    Sessions::new(HERE, &ring(ids), me, incarnation, ProcSet::first(3), entropy)
}

impl Sessions {
    /// Uses up all numbers of greetings but so many.
    pub(crate) fn leave_greetings(&mut self, count: u64) {
        self.greetings = LAST_NUMBER - count;
    }
}

fn other(me: Pid) -> Pid {
    if me == A { B } else { A }
}

/// Two nodes, and everything that was ever on the wire between them.
struct Pair {
    nodes: [Sessions; 2],
    wire: Vec<Vec<u8>>,
    now: u64,
}

impl Pair {
    fn new() -> Pair {
        Pair { nodes: [node(A, 100, &[1]), node(B, 200, &[1])], wire: Vec::new(), now: 0 }
    }

    fn at(&mut self, me: Pid) -> &mut Sessions {
        &mut self.nodes[me.index()]
    }

    /// A greeting of somebody who asks for a session.
    fn hello(&mut self, from: Pid) -> Vec<u8> {
        let [again, first] = self.at(from).greetings_to(other(from));
        let (key, hello) = first.or(again).expect("somebody to greet");
        self.greeting(from, key, &hello)
    }

    fn greeting(&mut self, from: Pid, key: KeyId, hello: &Hello) -> Vec<u8> {
        let bytes = self.at(from).greeting(other(from), key, &Stamp::default(), hello).expect("a number");
        self.wire.push(bytes.to_vec());
        bytes.to_vec()
    }

    /// Hands a greeting to its receiver; returns what it opened, and the answer.
    fn greet(&mut self, to: Pid, datagram: &[u8]) -> Option<(Opening, Option<Vec<u8>>)> {
        let mut copy = datagram.to_vec();
        let Ok(OpenedDatagram::Greeting { from, key, hello, .. }) = self.at(to).open(&mut copy) else {
            return None;
        };
        let now = self.now;
        let GreetingOutcome { opened, answer, .. } = self.at(to).greeted(now, from, key, &hello);
        let answer = answer.map(|(key, answer)| self.greeting(to, key, &answer));
        Some((opened, answer))
    }

    /// One asks for a session, and greetings go to and fro until none is answered. Returns how many there were.
    fn shake(&mut self, from: Pid) -> usize {
        let (mut to, mut next) = (other(from), Some(self.hello(from)));
        let mut count = 0;
        while let Some(datagram) = next {
            count += 1;
            assert!(count < 10, "greetings come to an end");
            next = self.greet(to, &datagram).and_then(|(_, answer)| answer);
            to = other(to);
        }
        count
    }

    /// Seals a message; `None` if there is no session.
    fn message(&mut self, from: Pid) -> Option<Vec<u8>> {
        let number = self.at(from).number(other(from))?;
        let mut datagram = vec![0; HEADER_LEN + STAMP_LEN + 1 + TAG_LEN];
        let sealed =
            self.at(from).seal(DatagramKind::Message, other(from), number, &Stamp::default(), &mut datagram);
        sealed.expect("a session");
        self.wire.push(datagram.clone());
        Some(datagram)
    }

    fn take(&mut self, to: Pid, datagram: &[u8]) -> Result<(), DatagramRefusal> {
        self.at(to).open(&mut datagram.to_vec()).map(|_| ())
    }

    /// Messages in both directions, all of them taken once.
    fn talk(&mut self) {
        for from in [A, B, A, B] {
            let message = self.message(from).expect("a session");
            assert_eq!(self.take(other(from), &message), Ok(()));
            assert_eq!(self.take(other(from), &message), Err(DatagramRefusal::Replayed));
        }
    }

    /// Replays everything to everybody: nothing is taken and no session opens.
    fn replay(&mut self) {
        for datagram in self.wire.clone() {
            for me in [A, B] {
                let before = self.at(me).peer_incarnation(other(me));
                match self.greet(me, &datagram) {
                    Some((opened, _)) => assert_eq!(opened, Opening::Nothing),
                    None => assert!(self.take(me, &datagram).is_err(), "nothing is taken twice"),
                }
                assert_eq!(self.at(me).peer_incarnation(other(me)), before);
            }
        }
    }

    /// No nonce came twice under one key. In the clear are the key or session and the number, the sender, and the salt.
    fn nonces_are_unique(&self) {
        let mut seen = HashSet::new();
        for datagram in &self.wire {
            let (session, number) = (&datagram[15..23], &datagram[23..31]);
            let salt = if session == [0; 8] { &datagram[31..47] } else { &[] };
            assert!(seen.insert((datagram[2], &datagram[3..5], session, salt, number)), "a nonce came twice");
        }
    }
}

#[test]
fn two_nodes_find_each_other_in_three_greetings() {
    for first in [A, B] {
        let mut pair = Pair::new();
        assert!(!pair.at(A).is_open(B) && pair.at(A).open_with().is_empty());
        assert_eq!(pair.at(A).to_greet(), ProcSet::first(3).without(A));
        assert_eq!(pair.shake(first), 3);
        assert_eq!((pair.at(A).peer_incarnation(B), pair.at(B).peer_incarnation(A)), (200, 100));
        assert_eq!(pair.at(A).open_with(), ProcSet::only(B));
        pair.talk();
        pair.replay();
        pair.talk();
        pair.nonces_are_unique();
    }
}

#[test]
fn a_greeting_alone_stores_nothing() {
    let mut pair = Pair::new();
    let hello = pair.hello(A);
    let (opened, answer) = pair.greet(B, &hello).expect("authentic");
    assert!(opened == Opening::Nothing && answer.is_some() && !pair.at(B).is_open(A));
    assert_eq!(pair.at(B).number(A), None, "nothing can be sent before a session is open");
}

#[test]
fn greetings_that_cross_open_one_session() {
    let mut pair = Pair::new();
    let (from_a, from_b) = (pair.hello(A), pair.hello(B));
    let (_, answer_a) = pair.greet(A, &from_b).expect("authentic");
    let (_, answer_b) = pair.greet(B, &from_a).expect("authentic");
    let (opened_a, last_a) = pair.greet(A, &answer_b.expect("an answer")).expect("authentic");
    let (opened_b, last_b) = pair.greet(B, &answer_a.expect("an answer")).expect("authentic");
    assert_eq!((opened_a, opened_b), (Opening::New, Opening::New));
    for (to, last) in [(B, last_a), (A, last_b)] {
        let (opened, answer) = pair.greet(to, &last.expect("it says that it has opened")).expect("authentic");
        assert_eq!((opened, answer), (Opening::Nothing, None));
    }
    pair.talk();
}

#[test]
fn a_lost_greeting_is_made_good_by_the_next() {
    let mut pair = Pair::new();
    let hello = pair.hello(A);
    let (_, answer) = pair.greet(B, &hello).expect("authentic");
    // A opens, and what it says of it is lost.
    let (opened, lost) = pair.greet(A, &answer.expect("an answer")).expect("authentic");
    assert!(opened == Opening::New && lost.is_some() && !pair.at(B).is_open(A));
    let message = pair.message(A).expect("a session");
    assert_eq!(pair.take(B, &message), Err(DatagramRefusal::Unfamiliar));
    assert_eq!(pair.shake(B), 2, "B asks, and A says again what was lost");
    assert!(pair.at(B).is_open(A));
    pair.talk();
}

#[test]
fn a_restarted_node_is_known_again_and_nothing_old_is_taken() {
    for restarted in [A, B] {
        let mut pair = Pair::new();
        pair.shake(A);
        pair.talk();
        // Messages that are held back on their way until after the restart.
        let held = [A, B].map(|from| (other(from), pair.message(from).expect("a session")));
        *pair.at(restarted) = node(restarted, 77, &[1]);
        pair.shake(restarted);
        assert_eq!(pair.at(other(restarted)).peer_incarnation(restarted), 77, "lower than before");
        for (to, message) in held {
            assert_eq!(pair.take(to, &message), Err(DatagramRefusal::Unfamiliar));
        }
        pair.talk();
        pair.replay();
        pair.nonces_are_unique();
    }
}

#[test]
fn keys_are_rotated_while_messages_are_under_way() {
    let mut pair = Pair::new();
    pair.shake(A);
    for (step, ids) in [[1, 2].as_slice(), &[2, 1], &[2]].into_iter().enumerate() {
        for me in [A, B] {
            let under_way = [A, B].map(|from| (other(from), pair.message(from).expect("a session")));
            pair.at(me).rotate(&ring(ids));
            if pair.at(me).to_greet().contains(other(me)) {
                pair.shake(me);
            }
            for (to, message) in under_way {
                assert_eq!(pair.take(to, &message), Ok(()), "step {step}, {me}");
            }
            pair.talk();
        }
    }
    pair.nonces_are_unique();
}

#[test]
fn sessions_end_with_the_key_that_they_come_from() {
    let mut pair = Pair::new();
    pair.shake(A);
    let message = pair.message(A).expect("a session");
    pair.at(B).rotate(&ring(&[2]));
    assert!(!pair.at(B).is_open(A) && pair.at(B).peer_incarnation(A) == 0);
    assert_eq!(pair.take(B, &message), Err(DatagramRefusal::UnknownKey));
    // The same id with other bytes is another key.
    let mut pair = Pair::new();
    pair.shake(A);
    let message = pair.message(A).expect("a session");
    pair.at(B).rotate(&KeyRing::new((KeyId(1), key(9).1)));
    assert_eq!(pair.take(B, &message), Err(DatagramRefusal::Unfamiliar));
    let hello = node(A, 101, &[1]).greetings_to(B)[1].map(|(key, hello)| pair.greeting(A, key, &hello));
    assert_eq!(pair.take(B, &hello.expect("a greeting")), Err(DatagramRefusal::Forged));
}

/// Somebody has an old key, and says that it is B in an incarnation that no other can be above.
#[test]
fn whoever_had_a_key_leaves_no_trace_when_the_key_is_gone() {
    let mut pair = Pair::new();
    pair.shake(A);
    let mut attacker = Pair { nodes: [node(A, 5, &[1]), node(B, u64::MAX, &[1])], wire: Vec::new(), now: 0 };
    // One datagram changes nothing; who also hears the answers can be B, as long as the key is there.
    let forged = attacker.hello(B);
    let (opened, answer) = pair.greet(A, &forged).expect("authentic");
    assert_eq!(opened, Opening::Nothing);
    pair.talk();
    let (_, forged) = attacker.greet(B, &answer.expect("an answer")).expect("authentic");
    let (opened, _) = pair.greet(A, &forged.expect("an answer")).expect("authentic");
    assert_eq!((opened, pair.at(A).peer_incarnation(B)), (Opening::New, u64::MAX));
    // The key is replaced: B is found again under its own number, and the attacker is nobody.
    for me in [A, B] {
        pair.at(me).rotate(&ring(&[2]));
    }
    pair.shake(B);
    assert_eq!(pair.at(A).peer_incarnation(B), 200);
    pair.talk();
    for datagram in attacker.wire.clone() {
        assert_eq!(pair.take(A, &datagram), Err(DatagramRefusal::UnknownKey));
    }
    // B starts again, under a lesser number if its clock was set back, and seals nothing under a nonce that it has used.
    for incarnation in [201, 150, 3] {
        *pair.at(B) = node(B, incarnation, &[2]);
        pair.shake(B);
        pair.talk();
    }
    pair.nonces_are_unique();
}

#[test]
fn numbers_are_never_used_twice_and_end_before_they_begin_again() {
    let mut pair = Pair::new();
    pair.shake(A);
    pair.at(A).peer_mut(B).expect("a peer").sent = LAST_NUMBER - 1;
    assert!(!pair.at(A).is_used_up());
    assert_eq!(pair.at(A).number(B), Some(LAST_NUMBER));
    assert_eq!(pair.at(A).number(B), None);
    assert!(pair.at(A).is_used_up());
    pair.at(B).greetings = LAST_NUMBER;
    let hello = Hello { incarnation: 200, mine: Challenge([1; 16]), yours: Challenge::NONE, open: false };
    assert_eq!(pair.at(B).greeting(A, KeyId(1), &Stamp::default(), &hello), None);
    assert!(pair.at(B).is_used_up());
}

#[test]
fn strangers_are_refused_by_what_gives_them_away() {
    let mut pair = Pair::new();
    pair.shake(A);
    let message = pair.message(A).expect("a session");
    let hello = Hello { incarnation: 100, mine: Challenge([1; 16]), yours: Challenge::NONE, open: false };
    let hello = pair.greeting(A, KeyId(1), &hello);
    let refusal = |pair: &mut Pair, datagram: &[u8]| pair.take(B, datagram).expect_err("refused");
    assert_eq!(refusal(&mut pair, &[]), DatagramRefusal::TooShort);
    assert_eq!(refusal(&mut pair, &message[..LEAST_DATAGRAM - 1]), DatagramRefusal::TooShort);
    assert_eq!(refusal(&mut pair, &[2; MAX_DATAGRAM + 1]), DatagramRefusal::TooLong);
    assert_eq!(refusal(&mut pair, &hello[..GREETING_LEN - 1]), DatagramRefusal::TooShort);
    assert_eq!(refusal(&mut pair, &[&hello[..], &[0]].concat()), DatagramRefusal::TooLong);
    let mut changed = |at: usize, to: u8, bytes: &[u8]| {
        let mut copy = bytes.to_vec();
        copy[at] = to;
        refusal(&mut pair, &copy)
    };
    assert_eq!(changed(0, 1, &message), DatagramRefusal::Version);
    assert_eq!(changed(1, 0, &message), DatagramRefusal::Kind);
    assert_eq!(changed(1, 10, &message), DatagramRefusal::Kind);
    assert_eq!(changed(1, 4, &message), DatagramRefusal::Forged, "a message is not made a beginning");
    assert_eq!(changed(2, 9, &message), DatagramRefusal::UnknownKey);
    assert_eq!(changed(2, 9, &hello), DatagramRefusal::UnknownKey);
    assert_eq!(changed(4, 2, &message), DatagramRefusal::Unfamiliar, "nor one of another sender");
    assert_eq!(changed(4, 2, &hello), DatagramRefusal::Forged);
    assert_eq!(changed(4, 9, &message), DatagramRefusal::UnknownSender);
    assert_eq!(changed(3, 0x80, &message), DatagramRefusal::UnknownSender);
    assert_eq!(changed(6, 2, &message), DatagramRefusal::NotForMe);
    assert_eq!(changed(15, 1, &message), DatagramRefusal::Unfamiliar);
    assert_eq!(changed(60, 1, &message), DatagramRefusal::Forged);
    // What is refused does not stand in the way of the real one.
    assert_eq!(pair.take(B, &message), Ok(()));
    // A datagram that is sent back to its own sender is not for it.
    assert_eq!(pair.take(A, &message), Err(DatagramRefusal::NotForMe));
}

#[test]
fn what_is_too_old_to_tell_is_refused() {
    let mut pair = Pair::new();
    pair.shake(A);
    let messages: Vec<Vec<u8>> = (0..WINDOW + 2).map(|_| pair.message(A).expect("a session")).collect();
    let last = messages.last().expect("some");
    assert_eq!(pair.take(B, last), Ok(()));
    assert_eq!(pair.take(B, &messages[0]), Err(DatagramRefusal::TooOld));
    assert_eq!(pair.take(B, &messages[2]), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is lost, repeated, reordered or replayed, and whoever starts again: nothing is taken twice, nothing of an
    /// earlier incarnation is taken once a later one is known, no nonce comes twice, and at the end they find each other.
    #[test]
    fn any_network_and_any_restarts(script in proptest::collection::vec((0..6u8, any::<prop::sample::Index>()), 1..120)) {
        let mut pair = Pair::new();
        let mut lives = 200u64;
        let mut taken = HashSet::new();
        let mut sent: Vec<(Vec<u8>, Pid, u64)> = Vec::new();
        for (what, which) in script {
            let me = if which.index(2) == 0 { A } else { B };
            match what {
                0 if pair.at(me).to_greet().contains(other(me)) => { pair.hello(me); }
                1 => if let Some(message) = pair.message(me) {
                    let life = pair.at(me).incarnation();
                    sent.push((message, me, life));
                },
                2 if which.index(4) == 0 => {
                    lives += 1;
                    *pair.at(me) = node(me, lives % 7 * 1000 + lives, &[1]);
                }
                _ if pair.wire.is_empty() => {}
                _ => {
                    let datagram = pair.wire[which.index(pair.wire.len())].clone();
                    let to = if datagram[6] == 0 { A } else { B };
                    if pair.greet(to, &datagram).is_some() {
                        continue;
                    }
                    let mut copy = datagram.clone();
                    if let Ok(OpenedDatagram::InSession { incarnation, .. }) = pair.at(to).open(&mut copy) {
                        prop_assert!(taken.insert(datagram.clone()), "taken twice");
                        let origin = sent.iter().find(|(bytes, ..)| *bytes == datagram);
                        let (_, from, life) = origin.expect("somebody sent it");
                        prop_assert_eq!((*from, *life), (other(to), incarnation));
                    }
                }
            }
        }
        pair.nonces_are_unique();
        // From now on nothing is lost: each says what it has to say, until both are content.
        for _ in 0..4 {
            for me in [A, B] {
                if pair.at(me).to_greet().contains(other(me)) {
                    pair.shake(me);
                }
                if let Some(message) = pair.message(me) {
                    let _ = pair.take(other(me), &message);
                }
            }
        }
        prop_assert_eq!(pair.at(A).peer_incarnation(B), pair.at(B).incarnation());
        prop_assert_eq!(pair.at(B).peer_incarnation(A), pair.at(A).incarnation());
        pair.talk();
    }
}

/// Somebody repeats an old greeting of B, and carries all answers: both would go on to a new session each time.
#[test]
fn replayed_greetings_do_not_wear_out_a_session() {
    let mut pair = Pair::new();
    pair.shake(A);
    pair.talk();
    let old = pair.wire[0].clone();
    let mut renewals = 0;
    for _ in 0..100 {
        pair.now += 50_000_000;
        let (mut to, mut next) = (B, Some(old.clone()));
        while let Some(datagram) = next {
            let (opened, answer) = pair.greet(to, &datagram).expect("authentic");
            renewals += u32::from(opened == Opening::Renewed);
            (to, next) = (other(to), answer);
        }
        pair.talk();
    }
    assert!(renewals <= 10, "{renewals} in five seconds");
}

/// A has gone on to key 2, and B has both but greets with key 1: A does not fall back.
#[test]
fn nobody_falls_back_to_a_key_that_it_has_replaced() {
    let mut pair = Pair::new();
    pair.shake(A);
    for me in [A, B] {
        pair.at(me).rotate(&ring(&[1, 2]));
    }
    pair.at(A).rotate(&ring(&[2, 1]));
    pair.shake(A);
    pair.talk();
    pair.now += 2 * RENEWAL;
    let hello = pair.hello(B);
    assert_eq!(hello[2], 1, "the current key of B");
    let (opened, answer) = pair.greet(A, &hello).expect("authentic");
    assert_eq!((opened, answer.expect("an answer")[2]), (Opening::Nothing, 2));
    pair.talk();
}

/// B has started again and opened a session, and what it says of it is lost; A still holds the session with the earlier
/// incarnation of B, so neither lacks one.
#[test]
fn an_end_that_holds_an_earlier_session_learns_of_the_new_one() {
    let mut pair = Pair::new();
    pair.shake(A);
    pair.talk();
    *pair.at(B) = node(B, 300, &[1]);
    let hello = pair.hello(B);
    let (_, answer) = pair.greet(A, &hello).expect("authentic");
    let (opened, lost) = pair.greet(B, &answer.expect("an answer")).expect("authentic");
    assert!(opened == Opening::New && lost.is_some());
    assert_eq!((pair.at(A).peer_incarnation(B), pair.at(B).peer_incarnation(A)), (200, 100));
    assert!(!pair.at(A).to_greet().contains(B), "A has no reason to ask");
    assert_eq!(pair.shake(B), 1, "B says again that it has opened the session");
    assert_eq!(pair.at(A).peer_incarnation(B), 300);
    pair.talk();
    assert!(!pair.at(A).to_greet().contains(B) && !pair.at(B).to_greet().contains(A));
}
