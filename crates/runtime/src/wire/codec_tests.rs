//! Whatever is sealed is opened, and whatever is not exactly that is refused with a reason.

use super::super::{ClusterKey, DatagramKind, KeyError};
use super::*;
use proptest::prelude::*;

const HERE: ClusterId = ClusterId::of_name("here");
const THERE: ClusterId = ClusterId::of_name("there");

fn key(byte: u8) -> ClusterKey {
    format!("{byte:02x}").repeat(32).parse().expect("a key")
}

fn ring(id: u8) -> KeyRing {
    KeyRing::new((KeyId(id), key(id)))
}

fn codec(me: usize) -> Codec {
    Codec::new(HERE, ring(1), Pid::at(me))
}

fn header(sender: usize, receiver: usize) -> DatagramHeader {
    let (sender, receiver) = (Pid::at(sender), Pid::at(receiver));
    DatagramHeader {
        kind: DatagramKind::Message,
        sender,
        receiver,
        incarnation: 5,
        peer_incarnation: 6,
        number: 7,
    }
}

fn sealed(codec: &Codec, header: &DatagramHeader, stamp: &Stamp, body: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; HEADER_LEN + STAMP_LEN];
    buffer.extend_from_slice(body);
    codec.seal(header, stamp, &mut buffer, 0).expect("a body that fits");
    buffer
}

fn refusal(codec: &Codec, datagram: &[u8]) -> Option<DatagramRefusal> {
    let mut copy = datagram.to_vec();
    let refusal = codec.open(&mut copy).err();
    assert!(refusal.is_none() || copy == datagram, "what is refused is left as it was");
    refusal
}

fn any_header() -> impl Strategy<Value = DatagramHeader> {
    let kind = proptest::sample::select(DatagramKind::ALL);
    (kind, 0..64usize, 0..64usize, any::<u64>(), any::<u64>(), any::<u64>()).prop_map(
        |(kind, sender, receiver, incarnation, peer_incarnation, number)| DatagramHeader {
            kind,
            sender: Pid::at(sender),
            receiver: Pid::at(receiver),
            incarnation,
            peer_incarnation,
            number,
        },
    )
}

fn any_stamp() -> impl Strategy<Value = Stamp> {
    any::<[u64; 3]>().prop_map(|[sent, echo, held]| Stamp { sent, echo, held })
}

fn any_body() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..=MAX_DATAGRAM - LEAST_DATAGRAM)
}

#[test]
fn the_bytes_of_one_datagram_are_these() {
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".parse().expect("a key");
    let codec = Codec::new(ClusterId::of_name("foobar"), KeyRing::new((KeyId(9), key)), Pid::at(3));
    let header = DatagramHeader {
        kind: DatagramKind::Begin,
        sender: Pid::at(3),
        receiver: Pid::at(62),
        incarnation: 0x0102_0304_0506_0708,
        peer_incarnation: 0x1112_1314_1516_1718,
        number: 0x2122_2324_2526_2728,
    };
    let stamp = Stamp { sent: 1, echo: 2, held: 3 };
    let bytes = sealed(&codec, &header, &stamp, b"are you alive?");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // Computed by an independent implementation of the construction.
    assert_eq!(hex, include_str!("golden_datagram.txt").replace('\n', ""));
}

#[test]
fn a_datagram_may_begin_anywhere_in_its_buffer() {
    let body = b"body";
    let alone = sealed(&codec(0), &header(0, 1), &Stamp::default(), body);
    let mut buffer = vec![0xee; 5 + HEADER_LEN + STAMP_LEN];
    buffer.extend_from_slice(body);
    codec(0).seal(&header(0, 1), &Stamp::default(), &mut buffer, 5).expect("a body that fits");
    assert_eq!(buffer[..5], [0xee; 5]);
    assert_eq!(buffer[5..], alone);
}

#[test]
fn the_longest_body_fits_and_one_byte_more_does_not() {
    let mut buffer = vec![0; MAX_DATAGRAM - TAG_LEN];
    codec(0).seal(&header(0, 1), &Stamp::default(), &mut buffer, 0).expect("a body that fits");
    assert_eq!(buffer.len(), MAX_DATAGRAM);
    assert_eq!(codec(1).open(&mut buffer).map(|(_, _, body)| body.len()), Ok(MAX_DATAGRAM - LEAST_DATAGRAM));

    let mut long = vec![7; MAX_DATAGRAM - TAG_LEN + 1];
    let told = codec(0).seal(&header(0, 1), &Stamp::default(), &mut long, 0).expect_err("too long");
    assert_eq!(told, DatagramTooLong { bytes: 1401 });
    assert_eq!(long, vec![7; MAX_DATAGRAM - TAG_LEN + 1]);
    assert_eq!(refusal(&codec(1), &[1; MAX_DATAGRAM + 1]), Some(DatagramRefusal::TooLong));
}

#[test]
fn a_hello_is_not_larger_than_any_message() {
    let length = |kind, body: &[u8]| {
        sealed(&codec(0), &DatagramHeader { kind, ..header(0, 1) }, &Stamp::default(), body).len()
    };
    let hello = length(DatagramKind::Hello, &[]);
    assert_eq!(hello, LEAST_DATAGRAM);
    assert_eq!(hello, 77);
    for len in 0..=MAX_DATAGRAM - LEAST_DATAGRAM {
        assert!(hello <= length(DatagramKind::Message, &vec![0; len]));
    }
}

#[test]
fn strangers_are_refused_by_what_gives_them_away() {
    let mine = codec(1);
    let seal = |codec: &Codec, header: &DatagramHeader| sealed(codec, header, &Stamp::default(), b"x");
    let good = seal(&codec(0), &header(0, 1));
    assert_eq!(refusal(&mine, &good), None);

    assert_eq!(refusal(&mine, &[]), Some(DatagramRefusal::TooShort));
    assert_eq!(refusal(&mine, &good[..LEAST_DATAGRAM - 1]), Some(DatagramRefusal::TooShort));
    assert_eq!(refusal(&codec(2), &good), Some(DatagramRefusal::NotForMe));
    // A datagram that is sent back to its own sender is not for it either.
    assert_eq!(refusal(&codec(0), &good), Some(DatagramRefusal::NotForMe));
    let elsewhere = Codec::new(THERE, ring(1), Pid::at(0));
    assert_eq!(refusal(&mine, &seal(&elsewhere, &header(0, 1))), Some(DatagramRefusal::Cluster));
    let unknown = Codec::new(HERE, ring(2), Pid::at(0));
    assert_eq!(refusal(&mine, &seal(&unknown, &header(0, 1))), Some(DatagramRefusal::UnknownKey));
    let wrong = Codec::new(HERE, KeyRing::new((KeyId(1), key(2))), Pid::at(0));
    assert_eq!(refusal(&mine, &seal(&wrong, &header(0, 1))), Some(DatagramRefusal::Forged));

    let changed = |at: usize, to: u8| {
        let mut copy = good.clone();
        copy[at] = to;
        refusal(&mine, &copy)
    };
    assert_eq!(changed(0, 0), Some(DatagramRefusal::Version));
    assert_eq!(changed(0, 2), Some(DatagramRefusal::Version));
    assert_eq!(changed(1, 0), Some(DatagramRefusal::Kind));
    assert_eq!(changed(1, 6), Some(DatagramRefusal::Kind));
    assert_eq!(changed(1, 2), Some(DatagramRefusal::Forged), "a message is not made a hello");
    assert_eq!(changed(3, 2), Some(DatagramRefusal::Forged), "nor one of another sender");
    assert_eq!(changed(3, 64), Some(DatagramRefusal::UnknownSender));
}

#[test]
fn keys_are_replaced_while_the_cluster_runs() {
    let codec =
        |me: usize, ring: Result<KeyRing, KeyError>| Codec::new(HERE, ring.expect("a ring"), Pid::at(me));
    let stages = [Ok(ring(1)), ring(1).with(KeyId(2), key(2)), ring(2).with(KeyId(1), key(1)), Ok(ring(2))];
    // The old key alone; the new one known; the new one current; the new one alone. Nodes that are at most one stage
    // apart understand each other. Of the others, those that lack the key that is sealed with say so.
    let deaf = [(0, 2), (0, 3), (1, 3)];
    for (i, from) in stages.iter().enumerate() {
        for (j, to) in stages.iter().enumerate() {
            let datagram = sealed(&codec(0, from.clone()), &header(0, 1), &Stamp::default(), b"x");
            let why = refusal(&codec(1, to.clone()), &datagram);
            let sealed_with_old = i < 2;
            let expected = if sealed_with_old { j == 3 } else { j == 0 };
            assert_eq!(why, expected.then_some(DatagramRefusal::UnknownKey), "stage {i} to stage {j}");
            assert!(why.is_none() || deaf.contains(&(i.min(j), i.max(j))), "stage {i} to stage {j}");
        }
    }
}

#[test]
fn a_codec_does_not_show_its_keys() {
    let ring = KeyRing::new((KeyId(1), key(0xab)));
    let shown = format!("{:?}", Codec::new(HERE, ring, Pid::at(0)));
    assert!(shown.contains("KeyId(1)") && !shown.contains("ab, ") && !shown.contains("171"), "{shown}");
}

proptest! {
    #[test]
    fn what_is_sealed_is_opened(header in any_header(), stamp in any_stamp(), body in any_body()) {
        let sender = Codec::new(HERE, ring(1), header.sender);
        let mut datagram = sealed(&sender, &header, &stamp, &body);
        prop_assert_eq!(datagram.len(), LEAST_DATAGRAM + body.len());
        let receiver = Codec::new(HERE, ring(1), header.receiver);
        prop_assert_eq!(receiver.open(&mut datagram), Ok((header, stamp, &body[..])));
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..=MAX_DATAGRAM + 40)) {
        let why = refusal(&codec(1), &bytes).expect("nobody guesses a key");
        let by_length = match bytes.len() {
            len if len < LEAST_DATAGRAM => Some(DatagramRefusal::TooShort),
            len if len > MAX_DATAGRAM => Some(DatagramRefusal::TooLong),
            _ => None,
        };
        prop_assert!(by_length.is_none_or(|expected| expected == why));
    }

    /// Random bytes rarely come past the header, so these begin with one that is right.
    #[test]
    fn random_bytes_behind_a_good_header_are_forged(bytes in any_body(), header in any_header()) {
        let mine = Codec::new(HERE, ring(1), header.receiver);
        let mut datagram = vec![0; LEAST_DATAGRAM];
        datagram.extend_from_slice(&bytes);
        header.write(KeyId(1), HERE, datagram.first_chunk_mut().expect("room for a header"));
        prop_assert_eq!(refusal(&mine, &datagram), Some(DatagramRefusal::Forged));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn one_flipped_bit_anywhere_is_refused(header in any_header(), stamp in any_stamp(), body in any_body()) {
        let sender = Codec::new(HERE, ring(1), header.sender);
        let mine = Codec::new(HERE, ring(1).with(KeyId(0), key(1)).expect("a ring"), header.receiver);
        let mut datagram = sealed(&sender, &header, &stamp, &body[..body.len().min(100)]);
        for bit in 0..8 * datagram.len() {
            datagram[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(refusal(&mine, &datagram).is_some(), "bit {}", bit);
            datagram[bit / 8] ^= 1 << (bit % 8);
        }
        prop_assert_eq!(refusal(&mine, &datagram), None);
    }

    #[test]
    fn every_truncation_and_every_extension_is_refused(header in any_header(), body in any_body()) {
        let sender = Codec::new(HERE, ring(1), header.sender);
        let mine = Codec::new(HERE, ring(1), header.receiver);
        let mut datagram = sealed(&sender, &header, &Stamp::default(), &body);
        for len in 0..datagram.len() {
            let expected = if len < LEAST_DATAGRAM { DatagramRefusal::TooShort } else { DatagramRefusal::Forged };
            prop_assert_eq!(refusal(&mine, &datagram[..len]), Some(expected));
        }
        datagram.push(0);
        let expected = if datagram.len() > MAX_DATAGRAM { DatagramRefusal::TooLong } else { DatagramRefusal::Forged };
        prop_assert_eq!(refusal(&mine, &datagram), Some(expected));
    }
}
