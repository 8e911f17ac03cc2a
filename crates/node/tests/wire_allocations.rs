//! Sealing and opening a datagram allocates nothing once the buffers are there.

#[path = "../../runtime/tests/support/counting.rs"]
mod counting;

use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_node::wire::{
    ClusterId, ClusterKey, DatagramKind, DatagramRefusal, Gaps, HEADER_LEN, KeyId, KeyRing, MAX_DATAGRAM,
    OpenedDatagram, STAMP_LEN, Sessions, Stamp, TAG_LEN,
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

/// Hands a greeting to its receiver, and gives back the answer, if there is one.
fn greeted(receiver: &mut Sessions, mut datagram: Vec<u8>) -> Option<Vec<u8>> {
    let Ok(OpenedDatagram::Greeting { from, key, hello, .. }) = receiver.open(&mut datagram) else {
        panic!("a greeting")
    };
    let (key, answer) = receiver.greeted(0, from, key, &hello).answer?;
    receiver.greeting(from, key, &Stamp::default(), &answer)
}

#[test]
fn a_datagram_is_sealed_and_opened_without_allocating() {
    let (alice, bob) = (Pid::at(0), Pid::at(1));
    let key: ClusterKey = "5a".repeat(32).parse().expect("a key");
    let keys = KeyRing::new((KeyId(0), key));
    let node = |me: Pid| {
        Sessions::new(ClusterId::of_name("c"), &keys, me, 5, ProcSet::first(2), [me.index() as u8 + 1; 32])
    };
    let (mut sender, mut receiver) = (node(alice), node(bob));
    let (key, hello) = sender.greetings_to(bob)[1].expect("no session is open");
    let mut datagram = sender.greeting(bob, key, &Stamp::default(), &hello);
    let mut to_bob = true;
    while let Some(greeting) = datagram {
        datagram = greeted(if to_bob { &mut receiver } else { &mut sender }, greeting);
        to_bob = !to_bob;
    }
    assert!(sender.is_open(bob) && receiver.is_open(alice));

    let mut gaps = Gaps::new();
    let mut buffer = Vec::with_capacity(MAX_DATAGRAM);
    let mut copy = Vec::with_capacity(MAX_DATAGRAM);
    let body = [7u8; 300];
    let mut admitted = 0;
    let counted = allocations(|| {
        for round in 1..=10_000u64 {
            buffer.clear();
            buffer.resize(HEADER_LEN + STAMP_LEN, 0);
            buffer.extend_from_slice(&body[..round as usize % 300]);
            buffer.resize(buffer.len() + TAG_LEN, 0);
            let stamp = Stamp { sent: round, echo: 0, held: 0 };
            let number = sender.number(bob).expect("a session");
            sender.seal(DatagramKind::Message, bob, number, &stamp, &mut buffer).expect("a short body");
            if round % 3 == 0 {
                // Lost, so that gaps come and go.
                continue;
            }
            copy.clear();
            copy.extend_from_slice(&buffer);
            let opened = receiver.open(&mut buffer).expect("an authentic datagram");
            let OpenedDatagram::InSession { header, body, .. } = opened else { panic!("a message") };
            assert_eq!(body.len(), round as usize % 300);
            gaps.saw(header.number, round);
            admitted += 1;
            // The same again is refused, and that allocates nothing either.
            assert_eq!(receiver.open(&mut copy), Err(DatagramRefusal::Replayed));
        }
    });
    assert_eq!(counted, 0);
    assert_eq!((admitted, gaps.seen(), gaps.lost(20_000, 0)), (6_667, 6_667, 3_333));
}
