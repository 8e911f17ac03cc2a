//! Whoever has no key does not get in, and whatever is said again changes nothing.

use crate::field::{Field, MS, address, key, member};
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_node::wire::{
    ClusterId, DatagramKind, DirectoryEntry, JOIN_LEN, JoinAnswer, JoinVerdict, MemberPlace, OpenedDatagram,
    Sessions,
};
use watchkeeper_node::{DatagramRefusal, JoinFailure, KeyId};

fn is_kind(datagram: &[u8], kind: DatagramKind) -> bool {
    datagram.get(1) == Some(&(kind as u8))
}

#[test]
fn who_has_another_key_is_not_answered() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    let stranger = field.start_with(member("m1", 7001, &[7000], false), key(8), Duration::from_secs(5));
    field.run(6000);
    assert!(matches!(field.failure(stranger), Some(JoinFailure::Unanswered(_))));
    assert!(field.places[0].node.counters().refused(DatagramRefusal::Forged) > 10);
    assert!(field.sent.iter().all(|(from, ..)| *from != address(7000)), "not a word");
    assert_eq!(field.known(0), [""; 0]);
}

#[test]
fn what_is_forged_is_refused() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    field.start(member("m1", 7001, &[7000], false));
    field.run(3000);
    let is_join = |(_, _, datagram): &&(_, _, Vec<u8>)| is_kind(datagram, DatagramKind::Join);
    let join = field.sent.iter().find(is_join).expect("a request").2.clone();
    assert_eq!(join.len(), JOIN_LEN);
    let refused = |field: &Field| field.places[0].node.counters().refused(DatagramRefusal::Forged);
    let before = refused(&field);
    for bit in (8 * 31..8 * join.len()).step_by(7) {
        let mut forged = join.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        field.under_way.push((field.now + MS, address(9), address(7000), forged));
    }
    let tried = (8 * 31..8 * join.len()).step_by(7).count() as u64;
    field.run(500);
    assert_eq!(refused(&field) - before, tried);
    assert_eq!(field.known(0), ["m1"]);
}

/// Whatever was ever sent to the seed is sent to it again, many times, from elsewhere.
#[test]
fn requests_that_are_replayed_change_nothing_and_are_answered_only_so_often() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    field.start(member("m1", 7001, &[7000], false));
    field.start(member("m2", 7002, &[7000], false));
    field.run(4000);
    // The second comes back, so what it said first is old.
    field.kill(1);
    let again = field.start(member("m1", 7001, &[7000], false));
    field.run(3000);
    let entries = |field: &Field| {
        let peers = field.places[0].node.status(field.now).peers;
        peers
            .into_iter()
            .map(|peer| (peer.peer, peer.name, peer.address, peer.incarnation, peer.left))
            .collect::<Vec<_>>()
    };
    let before = entries(&field);
    assert_eq!(before.len(), 2);
    let to_seed = |(_, to, _): &&(_, _, _)| *to == address(7000);
    let said: Vec<Vec<u8>> =
        field.sent.iter().filter(to_seed).map(|(_, _, datagram)| datagram.clone()).collect();
    let requests: Vec<Vec<u8>> =
        said.iter().filter(|datagram| is_kind(datagram, DatagramKind::Join)).cloned().collect();
    assert!(requests.len() >= 3);
    let answers = |field: &Field| {
        let answers = field.sent.iter().filter(|(_, _, datagram)| is_kind(datagram, DatagramKind::Answer));
        answers.map(|(_, to, datagram)| (*to, datagram.len())).collect::<Vec<_>>()
    };
    let answered = answers(&field).len();
    for round in 0..1000 {
        let replayed = requests.iter().chain(said.iter().filter(|_| round == 0));
        for datagram in replayed {
            field.under_way.push((field.now + MS, address(9), address(7000), datagram.clone()));
        }
    }
    field.run(1000);
    let more = &answers(&field)[answered..];
    assert!(more.len() <= 512, "{} answers to {} requests", more.len(), 1000 * requests.len());
    assert!(
        more.iter().all(|(to, length)| *to != address(9) && *length <= JOIN_LEN),
        "to those who asked once"
    );
    assert_eq!(entries(&field), before);
    field.run(2000);
    assert_eq!(entries(&field), before);
    assert_eq!(field.number(again), Some(Pid::at(1)));
}

/// Somebody says again, much more often than a node answers, what members have said when they joined.
#[test]
fn requests_that_are_replayed_keep_nobody_out() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    for port in 1..4 {
        field.start(member(&format!("m{port}"), 7000 + port, &[7000], false));
    }
    field.run(4000);
    let is_join = |(_, _, datagram): &&(_, _, Vec<u8>)| is_kind(datagram, DatagramKind::Join);
    let said: Vec<Vec<u8>> = field.sent.iter().filter(is_join).map(|(_, _, sent)| sent.clone()).collect();
    let flood = |field: &mut Field, ms: u64| {
        for _ in 0..ms {
            // They come before whatever else comes in this millisecond.
            let replayed = said.iter().map(|join| (field.now, address(9), address(7000), join.clone()));
            let first: Vec<_> = replayed.chain(field.under_way.drain(..)).collect();
            field.under_way = first;
            field.run(1);
        }
    };
    flood(&mut field, 1500);
    // One that has not been there, and one that comes back.
    field.kill(2);
    let newcomers =
        [(7009, "late"), (7002, "m2")].map(|(port, name)| field.start(member(name, port, &[7000], false)));
    flood(&mut field, 1000);
    assert_eq!(newcomers.map(|place| field.number(place)), [Some(Pid::at(4)), Some(Pid::at(2))]);
}

/// The seed says that the number of a greeting is taken. If it is said again when the node has another, that is nothing.
#[test]
fn only_the_present_number_can_be_taken() {
    let mut field = Field::default();
    field.start(member("seed", 7000, &[], true));
    let told = field.start(member("m1", 7001, &[7000], false));
    field.run(4000);
    let own = field.number(told).expect("it has joined");
    // The last greeting that it sent, opened as the seed would.
    let mut seed = Sessions::unnumbered(ClusterId::of_name("test"), &key(7), 5, [1; 32]);
    let place = MemberPlace { address: address(7000), name: "seed".parse().expect("a name") };
    seed.settle(&DirectoryEntry { number: Pid::at(0), version: 1, incarnation: 5, left: false, place });
    let greets = |(from, _, datagram): &&(_, _, Vec<u8>)| {
        *from == address(7001) && is_kind(datagram, DatagramKind::Hello)
    };
    let mut greeting = field.sent.iter().rfind(greets).expect("a greeting").2.clone();
    let Ok(OpenedDatagram::Greeting { hello, .. }) = seed.open(&mut greeting) else { panic!("a greeting") };
    for (number, ends) in [(Pid::at(5), false), (own, true)] {
        let answer = JoinAnswer { nonce: hello.mine, verdict: JoinVerdict::NumberTaken(number) };
        let datagram = seed.join_answer(KeyId(1), &answer).expect("a number");
        field.under_way.push((field.now, address(9), address(7001), datagram));
        field.run(2);
        assert_eq!(field.places[told].node.has_ended(), ends, "{number}");
    }
}

/// A node of a cluster that does not grow knows nothing of all this.
#[test]
fn a_fixed_cluster_takes_no_requests() {
    let mut field = Field::default();
    field.start(member("m1", 7001, &[7000], false));
    field.run(300);
    let mut join = field.sent[0].2.clone();
    let here = ClusterId::of_name("test");
    let mut fixed = Sessions::new(here, &key(7), Pid::at(0), 5, watchkeeper_core::ProcSet::first(2), [1; 32]);
    assert_eq!(fixed.open(&mut join), Err(DatagramRefusal::Kind));
}
