//! Whatever is sealed is opened, and whatever is not exactly that is not.

use super::super::DatagramKind;
use super::*;
use proptest::prelude::*;

const HERE: ClusterId = ClusterId::of_name("here");

fn ring(byte: u8) -> RingCipher {
    RingCipher::new(KeyId(1), &format!("{byte:02x}").repeat(32).parse().expect("a key"))
}

fn parts(challenge: u8) -> SessionParts {
    let ends = [(Pid::at(3), Challenge([challenge; 16]), 7), (Pid::at(1), Challenge([9; 16]), 8)];
    SessionParts { cluster: HERE, ends }
}

fn header(kind: DatagramKind, session: u64, number: u64) -> DatagramHeader {
    let (sender, receiver) = (Pid::at(3), Pid::at(1));
    DatagramHeader { kind, key: KeyId(1), sender, receiver, session, number }
}

fn in_session(cipher: &SessionCipher, header: &DatagramHeader, stamp: &Stamp, body: &[u8]) -> Vec<u8> {
    let mut datagram = vec![0; HEADER_LEN + STAMP_LEN];
    datagram.extend_from_slice(body);
    datagram.resize(datagram.len() + TAG_LEN, 0);
    cipher.seal(HERE, header, stamp, &mut datagram).expect("a body that fits");
    datagram
}

fn hello() -> Hello {
    Hello { incarnation: 5, mine: Challenge([1; 16]), yours: Challenge([2; 16]), open: true }
}

/// Computed by an independent implementation of the construction, from the hash and the ciphers of another library.
#[test]
fn the_bytes_of_a_greeting_and_of_a_message_are_these() {
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".parse().expect("a key");
    let ring = RingCipher::new(KeyId(9), &key);
    let cluster = ClusterId::of_name("foobar");
    let stamp = Stamp { sent: 1, echo: 2, held: 3 };
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let of = |kind, session, number| DatagramHeader { key: KeyId(9), ..header(kind, session, number) };
    let hello = Hello { incarnation: 0x0102_0304_0506_0708, mine: Challenge([0xaa; 16]), ..hello() };
    let greeting = |introduction: &[u8]| {
        let header = of(DatagramKind::Hello, 0, 11);
        ring.seal_greeting((cluster, &[0x55; SALT_LEN]), &header, &stamp, &hello, introduction)
    };
    let entry = super::super::DirectoryEntry {
        number: Pid::at(3),
        version: 1,
        incarnation: hello.incarnation,
        left: false,
        place: super::super::MemberPlace {
            address: "127.0.0.1:7003".parse().expect("an address"),
            name: "web-3".parse().expect("a name"),
        },
    };
    let mut introduction = Vec::new();
    entry.write(&mut introduction);
    let (name, cipher) = ring.session(&SessionParts { cluster, ..parts(4) });
    let mut message = vec![0; HEADER_LEN + STAMP_LEN];
    message.extend_from_slice(b"are you alive?");
    message.resize(message.len() + TAG_LEN, 0);
    cipher.seal(cluster, &of(DatagramKind::Message, name, 12), &stamp, &mut message).expect("it fits");
    let golden: Vec<&str> = include_str!("golden_datagrams.txt").lines().collect();
    assert_eq!([hex(&greeting(&[])), hex(&message), hex(&greeting(&introduction))], golden[..3]);
}

#[test]
fn both_ends_come_to_the_same_session_and_nobody_else_does() {
    let (name, _) = ring(1).session(&parts(4));
    let swapped = SessionParts {
        ends: {
            let [a, b] = parts(4).ends;
            [b, a]
        },
        ..parts(4)
    };
    assert_eq!(ring(1).session(&swapped).0, name, "the order of the ends does not matter");
    let changed = |change: fn(&mut SessionParts)| {
        let mut parts = parts(4);
        change(&mut parts);
        ring(1).session(&parts).0
    };
    let others = [
        ring(2).session(&parts(4)).0,
        changed(|parts| parts.cluster = ClusterId::of_name("there")),
        changed(|parts| parts.ends[0].0 = Pid::at(4)),
        changed(|parts| parts.ends[0].1 = Challenge([5; 16])),
        changed(|parts| parts.ends[1].1 = Challenge([5; 16])),
        changed(|parts| parts.ends[0].2 = 9),
        changed(|parts| parts.ends[1].2 = 9),
    ];
    assert!(others.iter().all(|other| *other != name));
}

#[test]
fn the_longest_body_fits_and_one_byte_more_does_not() {
    let (name, cipher) = ring(1).session(&parts(4));
    let header = header(DatagramKind::Message, name, 1);
    let mut longest = vec![0; MAX_DATAGRAM];
    cipher.seal(HERE, &header, &Stamp::default(), &mut longest).expect("a body that fits");
    let opened = cipher.open(&header, &mut longest).map(|(_, body)| body.len());
    assert_eq!(opened, Some(MAX_DATAGRAM - LEAST_DATAGRAM));
    let mut long = vec![7; MAX_DATAGRAM + 1];
    let told = cipher.seal(HERE, &header, &Stamp::default(), &mut long).expect_err("too long");
    assert_eq!((told, long), (DatagramTooLong { bytes: 1401 }, vec![7; MAX_DATAGRAM + 1]));
}

#[test]
fn keys_are_not_shown() {
    let shown = format!("{:?} {:?}", ring(0xab), ring(0xab).session(&parts(4)).1);
    assert!(shown.contains("KeyId(1)") && !shown.contains("ab, ") && !shown.contains("171"), "{shown}");
}

proptest! {
    #[test]
    fn what_is_sealed_is_opened(number in any::<u64>(), stamp in any::<[u64; 3]>(), body in proptest::collection::vec(any::<u8>(), 0..=MAX_DATAGRAM - LEAST_DATAGRAM)) {
        let (name, cipher) = ring(1).session(&parts(4));
        let header = header(DatagramKind::Message, name, number);
        let stamp = Stamp { sent: stamp[0], echo: stamp[1], held: stamp[2] };
        let mut datagram = in_session(&cipher, &header, &stamp, &body);
        prop_assert_eq!(cipher.open(&header, &mut datagram), Some((stamp, &body[..])));
    }
}

#[test]
fn one_flipped_bit_anywhere_is_found_out() {
    let (name, cipher) = ring(1).session(&parts(4));
    let in_session_header = header(DatagramKind::Message, name, 6);
    let message = in_session(&cipher, &in_session_header, &Stamp::default(), b"a body");
    let greeting_header = header(DatagramKind::Hello, 0, 6);
    let greeting =
        ring(1).seal_greeting((HERE, &[3; SALT_LEN]), &greeting_header, &Stamp::default(), &hello(), b"web");
    // A header that was changed is read as it stands, so the bits of the header are changed in both.
    let read =
        |datagram: &[u8]| DatagramHeader::read(datagram.first_chunk().expect("long"), HERE, Some(Pid::at(1)));
    for bit in 0..8 * message.len() {
        let mut changed = message.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let opened = read(&changed).ok().and_then(|header| cipher.open(&header, &mut changed).map(|_| ()));
        assert_eq!(opened, None, "bit {bit} of a message");
    }
    for bit in 0..8 * greeting.len() {
        let mut changed = greeting.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let header = read(&changed).ok();
        let opened = header.and_then(|header| ring(1).open_greeting(&header, &mut changed).map(|_| ()));
        assert_eq!(opened, None, "bit {bit} of a greeting");
    }
    let mut same = greeting;
    let opened = ring(1).open_greeting(&greeting_header, &mut same);
    assert_eq!(opened, Some((Stamp::default(), hello(), &b"web"[..])));
}
