//! Nodes that talk through memory: they find each other, survive restarts and clocks that were set back, and take
//! nothing twice, whoever repeats what they said.

use super::super::WINDOW;
use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

const A: Pid = Pid::at(0);
const B: Pid = Pid::at(1);
const STRANGER: Pid = Pid::at(9);

fn node(me: Pid, incarnation: u64) -> Sessions {
    Sessions::new(me, incarnation, ProcSet::first(3))
}

fn refused(refusal: DatagramRefusal, hint: HandshakeHint) -> Result<Admission, AdmissionError> {
    Err(AdmissionError { refusal, hint })
}

/// Admits a datagram, and holds the node to it that nothing changes if it is refused.
fn admit(node: &mut Sessions, header: &DatagramHeader) -> Result<Admission, AdmissionError> {
    let before = node.clone();
    let result = node.admit(header);
    assert!(result.is_ok() || *node == before, "nothing changes for what is refused: {header:?}");
    result
}

/// A hello from `from` to `to`, and what follows from it, as a driver would let it follow: whoever is asked to
/// introduces itself, whoever opened a session says hello, whoever was outlived goes on and says hello. Returned is
/// all that was sent, in order, and to whom.
fn greet(from: &mut Sessions, to: &mut Sessions) -> Vec<DatagramHeader> {
    let mut sent = vec![from.next(DatagramKind::Hello, to.me)];
    let mut at = 0;
    while at < sent.len() {
        let header = sent[at];
        at += 1;
        assert!(at < 20, "greetings come to an end");
        let receiver = if header.receiver == to.me { &mut *to } else { &mut *from };
        sent.extend(match admit(receiver, &header) {
            Ok(Admission::New) => Some(receiver.next(DatagramKind::Hello, header.sender)),
            Ok(Admission::Known) | Err(AdmissionError { hint: HandshakeHint::Nothing, .. }) => None,
            Err(AdmissionError { hint: HandshakeHint::Introduce, .. }) => {
                Some(receiver.answer(header.sender, header.incarnation))
            }
            Err(AdmissionError { hint: HandshakeHint::Outlived(above), .. }) => {
                receiver.outlive(above);
                Some(receiver.next(DatagramKind::Hello, header.sender))
            }
        });
    }
    sent
}

fn assert_open(a: &Sessions, b: &Sessions) {
    assert_eq!((a.peer_incarnation(b.me), b.peer_incarnation(a.me)), (b.incarnation(), a.incarnation()));
    assert!(a.is_open(b.me) && b.is_open(a.me));
}

/// Messages in both directions, all of them admitted.
fn talk(a: &mut Sessions, b: &mut Sessions, messages: usize) -> Vec<DatagramHeader> {
    let mut sent = Vec::new();
    for _ in 0..messages {
        let there = a.next(DatagramKind::Message, b.me);
        assert_eq!(admit(b, &there), Ok(Admission::Known));
        let back = b.next(DatagramKind::Message, a.me);
        assert_eq!(admit(a, &back), Ok(Admission::Known));
        sent.extend([there, back]);
    }
    sent
}

#[test]
fn two_nodes_find_each_other_from_cold() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    assert!(!a.is_open(B) && a.peer_incarnation(B) == 0 && a.open_with().is_empty());

    let hello = a.next(DatagramKind::Hello, B);
    assert_eq!((hello.incarnation, hello.peer_incarnation, hello.number), (100, 0, 1));
    assert_eq!(admit(&mut b, &hello), refused(DatagramRefusal::Unfamiliar, HandshakeHint::Introduce));

    let answer = b.answer(A, hello.incarnation);
    assert_eq!(
        (answer.kind, answer.incarnation, answer.peer_incarnation, answer.number),
        (DatagramKind::Hello, 200, 100, 1)
    );
    assert!(!b.is_open(A), "answering opens nothing");
    assert_eq!(admit(&mut a, &answer), Ok(Admission::New));
    assert_eq!(a.open_with(), ProcSet::only(B));

    let message = a.next(DatagramKind::Message, B);
    assert_eq!((message.incarnation, message.peer_incarnation, message.number), (100, 200, 2));
    assert_eq!(admit(&mut b, &message), Ok(Admission::New));
    assert_open(&a, &b);
    assert_eq!(admit(&mut b, &message), refused(DatagramRefusal::Replayed, HandshakeHint::Nothing));
    talk(&mut a, &mut b, 5);
}

#[test]
fn greetings_come_to_an_end() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    assert_eq!(greet(&mut a, &mut b).len(), 4, "hello, answer, hello that opens, hello in return");
    assert_open(&a, &b);
    assert_eq!(greet(&mut a, &mut b).len(), 1, "those who know each other need no answer");
}

#[test]
fn greetings_that_cross_do_no_harm() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    let (from_a, from_b) = (a.next(DatagramKind::Hello, B), b.next(DatagramKind::Hello, A));
    assert_eq!(admit(&mut a, &from_b), refused(DatagramRefusal::Unfamiliar, HandshakeHint::Introduce));
    assert_eq!(admit(&mut b, &from_a), refused(DatagramRefusal::Unfamiliar, HandshakeHint::Introduce));
    let (answer_a, answer_b) = (a.answer(B, from_b.incarnation), b.answer(A, from_a.incarnation));
    assert_eq!(admit(&mut a, &answer_b), Ok(Admission::New));
    assert_eq!(admit(&mut b, &answer_a), Ok(Admission::New));
    assert_open(&a, &b);
}

#[test]
fn a_restarted_node_is_known_again_and_nothing_old_is_taken() {
    for restarted in [A, B] {
        let (mut a, mut b) = (node(A, 100), node(B, 200));
        let mut recorded = greet(&mut a, &mut b);
        recorded.extend(talk(&mut a, &mut b, 10));
        // A message that was held back on its way until after the restart.
        recorded.push(a.next(DatagramKind::Message, B));
        recorded.push(b.next(DatagramKind::Message, A));

        *(if restarted == A { &mut a } else { &mut b }) = node(restarted, 300);
        let replay = |a: &mut Sessions, b: &mut Sessions, recorded: &[DatagramHeader]| {
            for header in recorded {
                let receiver = if header.receiver == A { &mut *a } else { &mut *b };
                let why = admit(receiver, header).expect_err("nothing old is taken").refusal;
                let restarted_itself = receiver.me == restarted;
                assert!(!restarted_itself || why == DatagramRefusal::Unfamiliar, "{why} for {header:?}");
            }
        };
        // Before the other has noticed the restart, all that it has had is refused.
        let had = recorded.len() - 2;
        replay(&mut a, &mut b, &recorded[..had]);
        let (first, second) = if restarted == A { (&mut a, &mut b) } else { (&mut b, &mut a) };
        let mut new = greet(first, second);
        assert_open(&a, &b);
        replay(&mut a, &mut b, &recorded);
        new.extend(talk(&mut a, &mut b, 10));
        replay(&mut a, &mut b, &recorded);
        for header in &new {
            let receiver = if header.receiver == A { &mut a } else { &mut b };
            assert!(admit(receiver, header).is_err(), "{header:?}");
        }
    }
}

#[test]
fn a_restart_is_noticed_by_a_peer_that_just_goes_on_talking() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    greet(&mut a, &mut b);
    b = node(B, 300);
    let message = a.next(DatagramKind::Message, B);
    assert_eq!(admit(&mut b, &message), refused(DatagramRefusal::Unfamiliar, HandshakeHint::Introduce));
    let answer = b.answer(A, message.incarnation);
    assert_eq!(admit(&mut a, &answer), Ok(Admission::New));
    assert_eq!(a.peer_incarnation(B), 300);
    talk_opens(&mut a, &mut b);
}

fn talk_opens(a: &mut Sessions, b: &mut Sessions) {
    assert_eq!(admit(b, &a.next(DatagramKind::Message, b.me)), Ok(Admission::New));
    assert_open(a, b);
}

#[test]
fn a_node_whose_clock_was_set_back_goes_on_above_its_former_incarnation() {
    // Whoever speaks first, the node that restarted or the one that did not.
    for restarted_speaks in [true, false] {
        let (mut a, mut b) = (node(A, 100), node(B, 200));
        let mut recorded = greet(&mut a, &mut b);
        recorded.extend(talk(&mut a, &mut b, 3));
        a = node(A, 50);
        let sent = if restarted_speaks { greet(&mut a, &mut b) } else { greet(&mut b, &mut a) };
        assert!(a.incarnation() > 100, "{} is above the incarnation that was known", a.incarnation());
        assert!(a.incarnation() - 100 <= 1 << 32, "and not far above it");
        assert_open(&a, &b);
        talk(&mut a, &mut b, 3);
        for header in recorded.iter().chain(&sent) {
            let receiver = if header.receiver == A { &mut a } else { &mut b };
            assert!(admit(receiver, header).is_err(), "{header:?}");
        }
    }
}

#[test]
fn incarnations_that_were_outlived_by_the_same_one_do_not_become_the_same() {
    let mut incarnations: Vec<u64> = (1..=1000)
        .map(|incarnation| {
            let mut node = node(A, incarnation);
            node.outlive(1 << 60);
            node.incarnation()
        })
        .collect();
    assert!(incarnations.iter().all(|incarnation| *incarnation > 1 << 60));
    incarnations.sort_unstable();
    incarnations.dedup();
    assert_eq!(incarnations.len(), 1000);
}

#[test]
fn a_incarnation_only_grows() {
    let mut a = node(A, 500);
    a.outlive(3);
    assert!(a.incarnation() > 500);
    a.outlive(u64::MAX);
    assert_eq!(a.incarnation(), u64::MAX);
    a.outlive(u64::MAX);
    assert_eq!(a.incarnation(), u64::MAX);
    assert_eq!(node(A, 0).incarnation(), 1, "0 is what an unknown incarnation is called");
}

#[test]
fn outliving_forgets_all_sessions_and_counts_from_one() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    greet(&mut a, &mut b);
    a.outlive(150);
    assert!(a.open_with().is_empty());
    let hello = a.next(DatagramKind::Hello, B);
    assert_eq!((hello.peer_incarnation, hello.number), (0, 1));
}

#[test]
fn a_late_datagram_of_a_former_incarnation_is_not_answered() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    greet(&mut a, &mut b);
    let late = a.next(DatagramKind::Message, B);
    a = node(A, 300);
    greet(&mut a, &mut b);
    assert_eq!(admit(&mut b, &late), refused(DatagramRefusal::StaleIncarnation, HandshakeHint::Nothing));
}

#[test]
fn strangers_and_impossible_incarnations_and_numbers_are_refused() {
    let (mut a, mut b) = (node(A, 100), node(B, 200));
    greet(&mut a, &mut b);
    let good = a.next(DatagramKind::Message, B);
    for sender in [B, STRANGER] {
        let forged = DatagramHeader { sender, ..good };
        assert_eq!(admit(&mut b, &forged), refused(DatagramRefusal::UnknownSender, HandshakeHint::Nothing));
    }
    assert_eq!(
        admit(&mut b, &DatagramHeader { incarnation: 0, ..good }),
        refused(DatagramRefusal::StaleIncarnation, HandshakeHint::Nothing)
    );
    assert_eq!(
        admit(&mut b, &DatagramHeader { number: 0, ..good }),
        refused(DatagramRefusal::TooOld, HandshakeHint::Nothing)
    );
    let new_incarnation = DatagramHeader { incarnation: 101, number: 0, ..good };
    assert_eq!(admit(&mut b, &new_incarnation), refused(DatagramRefusal::TooOld, HandshakeHint::Nothing));
    assert_eq!(admit(&mut b, &DatagramHeader { number: WINDOW + 90, ..good }), Ok(Admission::Known));
    assert_eq!(
        admit(&mut b, &DatagramHeader { number: 90, ..good }),
        refused(DatagramRefusal::TooOld, HandshakeHint::Nothing)
    );
    assert_eq!(admit(&mut b, &DatagramHeader { number: 91, ..good }), Ok(Admission::Known));
    let mut cold = node(Pid::at(2), 7);
    let nobody = DatagramHeader { receiver: Pid::at(2), incarnation: 0, peer_incarnation: 7, ..good };
    assert_eq!(admit(&mut cold, &nobody), refused(DatagramRefusal::StaleIncarnation, HandshakeHint::Nothing));
}

#[test]
fn numbers_count_for_each_receiver_and_all_kinds_together() {
    let mut a = node(A, 100);
    let kinds = DatagramKind::ALL.iter().map(|kind| a.next(*kind, B).number).collect::<Vec<_>>();
    assert_eq!(kinds, [1, 2, 3, 4, 5]);
    assert_eq!(a.next(DatagramKind::Message, Pid::at(2)).number, 1);
    assert_eq!(a.answer(B, 7).number, 6);
}

/// One thing that happens to two nodes and the network between them.
#[derive(Clone, Debug)]
enum Happening {
    Says(bool, usize),
    Delivered(Index),
    Restarts(bool, i64),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (any::<bool>(), 0..4usize).prop_map(|(a, kind)| Happening::Says(a, kind)),
        6 => any::<Index>().prop_map(Happening::Delivered),
        1 => (any::<bool>(), -50i64..200).prop_map(|(a, by)| Happening::Restarts(a, by)),
    ]
}

proptest! {
    /// Whatever is delivered, in whatever order and how often, between whatever restarts: no datagram is admitted
    /// twice, or by another incarnation than the one it was meant for; and when the network behaves, all ends well.
    #[test]
    fn nothing_is_admitted_twice(happenings in proptest::collection::vec(happening(), 1..200)) {
        let (mut a, mut b) = (node(A, 1000), node(B, 1000));
        let mut boots = 1000i64;
        let mut sent: Vec<DatagramHeader> = Vec::new();
        let mut admitted: Vec<DatagramHeader> = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Says(by_a, kind) => {
                    let (from, to) = if by_a { (&mut a, B) } else { (&mut b, A) };
                    sent.push(from.next(DatagramKind::ALL[kind], to));
                }
                Happening::Delivered(which) if !sent.is_empty() => {
                    let header = sent[which.index(sent.len())];
                    let receiver = if header.receiver == A { &mut a } else { &mut b };
                    match admit(receiver, &header) {
                        Ok(_) => {
                            prop_assert_eq!(header.peer_incarnation, receiver.incarnation());
                            prop_assert!(!admitted.contains(&header), "twice: {:?}", header);
                            admitted.push(header);
                        }
                        Err(AdmissionError { hint: HandshakeHint::Introduce, .. }) => {
                            sent.push(receiver.answer(header.sender, header.incarnation));
                        }
                        Err(AdmissionError { hint: HandshakeHint::Outlived(above), .. }) => receiver.outlive(above),
                        Err(_) => {}
                    }
                }
                Happening::Delivered(_) => {}
                Happening::Restarts(is_a, by) => {
                    // Never the same incarnation twice: the random bits of a boot, so to speak.
                    boots += if by == 0 { 1 } else { by };
                    let incarnation = (boots.max(1) as u64) << 16 | sent.len() as u64;
                    let (me, node_of) = if is_a { (A, &mut a) } else { (B, &mut b) };
                    *node_of = node(me, incarnation);
                }
            }
        }
        greet(&mut a, &mut b);
        greet(&mut b, &mut a);
        assert_open(&a, &b);
        talk(&mut a, &mut b, 2);
    }
}
