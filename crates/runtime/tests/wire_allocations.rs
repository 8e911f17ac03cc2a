//! Sealing, opening and admitting a datagram allocates nothing once the buffers are there.

#[path = "support/counting.rs"]
mod counting;

use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_runtime::wire::{
    Admission, ClusterId, ClusterKey, Codec, DatagramKind, Gaps, HEADER_LEN, KeyId, KeyRing, MAX_DATAGRAM,
    STAMP_LEN, Sessions, Stamp,
};

/// How often this thread has allocated during a call.
fn allocations(call: impl FnOnce()) -> u64 {
    let before = counting::allocations();
    call();
    counting::allocations() - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn a_datagram_is_sealed_opened_and_admitted_without_allocating() {
    let (alice, bob) = (Pid::at(0), Pid::at(1));
    let key: ClusterKey = "5a".repeat(32).parse().expect("a key");
    let codec = |me| Codec::new(ClusterId::of_name("c"), KeyRing::new((KeyId(0), key.clone())), me);
    let (sealing, opening) = (codec(alice), codec(bob));
    let mut sender = Sessions::new(alice, 5, ProcSet::first(2));
    let mut receiver = Sessions::new(bob, 6, ProcSet::first(2));
    // The sender learns the receiver's incarnation, as from the answer to a hello.
    let answer = receiver.answer(alice, sender.incarnation());
    assert_eq!(sender.admit(&answer), Ok(Admission::New));

    let mut gaps = Gaps::new();
    let mut buffer = Vec::with_capacity(MAX_DATAGRAM);
    let body = [7u8; 300];
    let mut admitted = 0;
    let counted = allocations(|| {
        for round in 1..=10_000u64 {
            buffer.clear();
            buffer.resize(HEADER_LEN + STAMP_LEN, 0);
            buffer.extend_from_slice(&body[..round as usize % 300]);
            let stamp = Stamp { sent: round, echo: 0, held: 0 };
            let header = sender.next(DatagramKind::Message, bob);
            sealing.seal(&header, &stamp, &mut buffer, 0).expect("a short body");
            if round % 3 == 0 {
                // Lost, so that gaps come and go.
                continue;
            }
            let (header, _, opened) = opening.open(&mut buffer).expect("an authentic datagram");
            assert_eq!(opened.len(), round as usize % 300);
            receiver.admit(&header).expect("a new datagram");
            gaps.saw(header.number, round);
            admitted += 1;
            // The same again is refused, and that allocates nothing either.
            assert!(receiver.admit(&header).is_err());
            assert!(opening.open(&mut buffer).is_err());
        }
    });
    assert_eq!(counted, 0);
    assert_eq!((admitted, gaps.seen(), gaps.lost(20_000, 0)), (6_667, 6_667, 3_333));
}
