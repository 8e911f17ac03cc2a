//! Requests to join and their answers: what is sealed is opened, byte for byte as another implementation has it, and
//! nothing else is.

use super::super::{ClusterKey, KeyRing};
use super::*;
use proptest::prelude::*;

const HERE: ClusterId = ClusterId::of_name("foobar");

fn key() -> ClusterKey {
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".parse().expect("a key")
}

fn sessions(entropy: u8) -> Sessions {
    Sessions::unnumbered(HERE, &KeyRing::new((KeyId(9), key())), 5, [entropy; 32])
}

fn place(port: u16, name: &str) -> MemberPlace {
    MemberPlace { address: SocketAddr::from(([127, 0, 0, 1], port)), name: name.parse().expect("a name") }
}

fn request() -> JoinRequest {
    let (nonce, incarnation) = (Challenge([7; 16]), 0x0102_0304_0506_0708);
    JoinRequest { nonce, incarnation, wish: Pid::new(42), place: place(7003, "web-3") }
}

fn answers() -> Vec<JoinVerdict> {
    let seed = DirectoryEntry {
        number: Pid::at(0),
        version: 1,
        incarnation: 5,
        left: false,
        place: place(7000, "seed"),
    };
    let number = Pid::member(42).expect("a member");
    vec![
        JoinVerdict::Number { number, version: 1, seeds: 1, seed },
        JoinVerdict::Wait,
        JoinVerdict::NameInUse,
        JoinVerdict::Full,
        JoinVerdict::NumberTaken(number),
        JoinVerdict::AskThere("[2001:db8::1]:7000".parse().expect("an address")),
    ]
}

/// Computed by an independent implementation of the construction, from the hash and the ciphers of another library.
#[test]
fn the_bytes_of_a_request_and_of_an_answer_are_these() {
    let ring = RingCipher::new(KeyId(9), &key());
    let under = |number| JoinSealing { cluster: HERE, salt: [0x55; SALT_LEN], number };
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let answer = JoinAnswer { nonce: Challenge([7; 16]), verdict: answers().swap_remove(0) };
    let sealed = [request().seal(&ring, &under(1)), answer.seal(&ring, &under(2))];
    let golden: Vec<&str> = include_str!("golden_datagrams.txt").lines().collect();
    assert_eq!(sealed.map(|datagram| hex(&datagram)), golden[3..]);
}

#[test]
fn what_is_sealed_is_opened_and_no_answer_is_longer_than_a_request() {
    let (mut here, mut there) = (sessions(1), sessions(2));
    let mut datagram = here.join_request(&request()).expect("a number");
    assert_eq!(datagram.len(), JOIN_LEN);
    let opened = there.open(&mut datagram).expect("authentic");
    assert_eq!(opened, OpenedDatagram::Join { key: KeyId(9), request: request() });
    for verdict in answers() {
        let answer = JoinAnswer { nonce: request().nonce, verdict };
        let mut datagram = there.join_answer(KeyId(9), &answer).expect("a number");
        assert!(datagram.len() <= JOIN_LEN);
        assert_eq!(here.open(&mut datagram), Ok(OpenedDatagram::Answer(answer)));
    }
    let long = JoinRequest { place: place(7003, &"x".repeat(64)), ..request() };
    assert_eq!(here.join_request(&long).map(|datagram| datagram.len()), Some(JOIN_LEN));
}

#[test]
fn one_flipped_bit_anywhere_is_found_out_and_so_is_another_key() {
    let (mut here, mut there) = (sessions(1), sessions(2));
    let datagram = here.join_request(&request()).expect("a number");
    for bit in 0..8 * datagram.len() {
        let mut changed = datagram.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(there.open(&mut changed).is_err(), "bit {bit}");
    }
    let wrong = KeyRing::new((KeyId(9), "ab".repeat(32).parse().expect("a key")));
    let mut other = Sessions::unnumbered(HERE, &wrong, 5, [3; 32]);
    assert_eq!(other.open(&mut datagram.clone()), Err(DatagramRefusal::Forged));
    let elsewhere = ClusterId::of_name("elsewhere");
    let mut other = Sessions::unnumbered(elsewhere, &KeyRing::new((KeyId(9), key())), 5, [3; 32]);
    assert_eq!(other.open(&mut datagram.clone()), Err(DatagramRefusal::Cluster));
}

proptest! {
    /// Whoever has a key may send any bytes: they are a request, an answer or an entry, or refused.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), verdict in 0..7u8) {
        if let Some(request) = JoinRequest::read(&bytes) {
            prop_assert!(request.nonce != Challenge::NONE);
        }
        let mut answer = bytes.clone();
        if let Some(byte) = answer.get_mut(16) {
            *byte = verdict;
        }
        let _ = JoinAnswer::read(&answer);
        let mut rest = &bytes[..];
        if let Some(entry) = DirectoryEntry::read(&mut rest) {
            let mut written = Vec::new();
            entry.write(&mut written);
            prop_assert_eq!(written.len(), bytes.len() - rest.len());
        }
    }
}
