//! Messages that cannot be, one at a time: each is refused with its reason, the state stays as it was, and the next
//! good message is delivered.

use crate::script::{Effect, hear, p, start, step};
use watchkeeper_core::{Input, PerProc, Pid, ProcSet};
use watchkeeper_protocols::membership::{
    GroupCall, GroupMsg, GroupOutput, GroupState, MOST_MESSAGES, Membership, Multicast, MulticastBody,
    RefusalReason,
};

const ME: Pid = Pid::at(1);

fn past(counts: &[u32]) -> PerProc<u32> {
    let mut past = PerProc::new(counts.len(), 0);
    for (p, count) in counts.iter().enumerate() {
        past[Pid::at(p)] = *count;
    }
    past
}

/// Message `number` of a process, with these acknowledgements.
fn multicast(number: u32, acknowledged: &[u32], body: MulticastBody) -> Multicast {
    Multicast { number, past: past(acknowledged), body }
}

/// A word of p0 that follows nothing but its own words.
fn word(number: u32, word: u64) -> GroupMsg {
    GroupMsg::Fresh(multicast(number, &[number, 0, 0], MulticastBody::User(word)))
}

/// What was announced.
fn told(group: &Membership, state: &mut GroupState, from: Pid, msg: GroupMsg) -> Vec<GroupOutput> {
    let asked = hear(group, ME, state, from, msg);
    asked
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Emit(output) => Some(output),
            _ => None,
        })
        .collect()
}

fn heard(from: usize, number: u32, word: u64) -> GroupOutput {
    GroupOutput::Deliver { from: p(from), number, word }
}

/// Groups of three that keep messages in all ways.
fn groups() -> [Membership; 3] {
    let group = Membership::new(3).expect("a group");
    [group.clone(), group.clone().relaying(), group.without_joins().without_returns()]
}

#[test]
fn what_cannot_be_is_refused_with_its_reason_and_good_messages_after_it_are_delivered() {
    let join = |bits| ProcSet::from_bits(bits);
    let fault = MulticastBody::Fault { faulty: join(0b1000), join: join(0b111), before: ProcSet::EMPTY };
    let cases = [
        (
            "an acknowledgement of what was never sent",
            p(0),
            word_with(1, &[1, 5, 0], 9),
            RefusalReason::Forged,
        ),
        ("one that does not count its own words", p(0), word_with(1, &[0, 0, 0], 9), RefusalReason::Forged),
        ("too few acknowledgements", p(0), word_with(1, &[1, 0], 9), RefusalReason::Stranger),
        ("too many acknowledgements", p(0), word_with(1, &[1, 0, 0, 0], 9), RefusalReason::Stranger),
        (
            "a fault of a stranger",
            p(0),
            GroupMsg::Fresh(multicast(1, &[1, 0, 0], fault)),
            RefusalReason::Stranger,
        ),
        (
            "a join with a stranger",
            p(0),
            GroupMsg::Fresh(multicast(
                1,
                &[1, 0, 0],
                MulticastBody::Join { join: join(0b1111), faulty: join(0) },
            )),
            RefusalReason::Stranger,
        ),
        (
            "an attempt to join a stranger",
            p(2),
            GroupMsg::Fresh(multicast(0, &[0, 0, 0], MulticastBody::Attempt(join(1 << 63)))),
            RefusalReason::Stranger,
        ),
        ("a word of a stranger", p(7), word_with(0, &[0, 0, 0], 9), RefusalReason::Stranger),
        (
            "a word of a stranger, passed on",
            p(0),
            GroupMsg::Relay { origin: p(63), multicast: multicast(0, &[0, 0, 0], MulticastBody::User(9)) },
            RefusalReason::Stranger,
        ),
    ];
    for group in groups() {
        for (what, from, msg, why) in &cases {
            let mut state = start(&group, ME).0;
            assert_eq!(told(&group, &mut state, p(0), word(0, 3)), [heard(0, 0, 3)]);
            let before = state.clone();
            let origin = match msg {
                GroupMsg::Fresh(_) => *from,
                GroupMsg::Relay { origin, .. } => *origin,
            };
            let refused = GroupOutput::Refuse { from: origin, why: *why };
            assert_eq!(told(&group, &mut state, *from, msg.clone()), [refused], "{what}");
            assert_eq!(state, before, "{what}");
            assert_eq!(told(&group, &mut state, p(0), word(1, 4)), [heard(0, 1, 4)], "after {what}");
        }
    }
}

fn word_with(number: u32, acknowledged: &[u32], said: u64) -> GroupMsg {
    GroupMsg::Fresh(multicast(number, acknowledged, MulticastBody::User(said)))
}

/// What a member's message follows will not come any more, if it has not come on a link that keeps the order: that is
/// as good as a break. Nobody else is any the worse for it.
#[test]
fn an_unknown_predecessor_is_refused_and_taken_for_a_break() {
    for (what, msg) in [
        ("a word after one that has not come", word_with(2, &[2, 0, 0], 9)),
        ("a word after endlessly many of another", word_with(1, &[1, 0, u32::MAX], 9)),
        ("a word with the last of all numbers", word_with(u32::MAX, &[u32::MAX, 0, 0], 9)),
    ] {
        for group in groups() {
            let mut state = start(&group, ME).0;
            assert_eq!(told(&group, &mut state, p(0), word(0, 3)), [heard(0, 0, 3)]);
            let refused = GroupOutput::Refuse { from: p(0), why: RefusalReason::Unknown };
            assert_eq!(told(&group, &mut state, p(0), msg.clone()), [refused], "{what}");
            assert_eq!(state.faulty, ProcSet::only(p(0)), "{what}");
            let next = word_with(0, &[1, 0, 0], 8);
            assert_eq!(told(&group, &mut state, p(2), next), [heard(2, 0, 8)], "after {what}");
        }
    }
}

/// Nobody has to know what those outside have said before.
#[test]
fn a_foreign_message_may_follow_what_nobody_has_heard() {
    let alone: Vec<ProcSet> = Pid::all(3).map(ProcSet::only).collect();
    let group = Membership::new(3).and_then(|group| group.in_cliques(&alone)).expect("a group").relaying();
    let mut state = start(&group, ME).0;
    assert_eq!(told(&group, &mut state, p(0), word_with(5000, &[5000, 0, 9000], 7)), []);
    assert_eq!(told(&group, &mut state, p(0), word_with(5001, &[5001, 0, 9000], 7)), []);
    assert_eq!(state.graph.lines[p(0)].have(), 5002, "they are counted, and not delivered");
}

/// A copy is nothing wrong: it comes with every message that is passed on.
#[test]
fn copies_and_own_messages_change_nothing_and_are_no_offence() {
    for group in groups() {
        let mut state = start(&group, ME).0;
        assert_eq!(told(&group, &mut state, p(0), word(0, 3)), [heard(0, 0, 3)]);
        step(&group, ME, &mut state, Input::Call(&GroupCall::Say(5)));
        let before = state.clone();
        assert_eq!(told(&group, &mut state, p(0), word(0, 3)), []);
        let relayed =
            GroupMsg::Relay { origin: p(0), multicast: multicast(0, &[0, 0, 0], MulticastBody::User(3)) };
        assert_eq!(told(&group, &mut state, p(2), relayed), []);
        let own = GroupMsg::Relay { origin: ME, multicast: multicast(0, &[1, 0, 0], MulticastBody::User(5)) };
        assert_eq!(told(&group, &mut state, p(2), own), []);
        assert_eq!(state, before);
    }
}

/// Words wait for those that they follow, however they come.
#[test]
fn a_word_waits_for_what_it_follows() {
    let group = Membership::new(3).expect("a group");
    let mut state = start(&group, ME).0;
    assert_eq!(told(&group, &mut state, p(2), word_with(0, &[2, 0, 0], 8)), []);
    assert_eq!(told(&group, &mut state, p(0), word(0, 3)), [heard(0, 0, 3)]);
    assert_eq!(told(&group, &mut state, p(0), word(1, 4)), [heard(0, 1, 4), heard(2, 0, 8)]);
}

/// A graph that is full takes nothing more, and as soon as there is room it does.
#[test]
fn a_full_graph_refuses_words_and_keeps_what_it_has() {
    let group = Membership::new(3).expect("a group").relaying();
    let mut state = start(&group, ME).0;
    let mut refused = 0;
    for number in 0..MOST_MESSAGES as u64 {
        let asked = step(&group, ME, &mut state, Input::Call(&GroupCall::Say(number)));
        let full = Effect::Emit(GroupOutput::Refuse { from: ME, why: RefusalReason::Full });
        if asked.contains(&full) {
            assert_eq!(asked, [full], "nothing is said");
            refused += 1;
        }
    }
    assert_eq!(state.graph.size(), MOST_MESSAGES / 2, "half of the room is for others");
    assert_eq!(refused, MOST_MESSAGES / 2);
    // p0 acknowledges nothing and goes on talking.
    let mut number = 0;
    let full = loop {
        let before = state.clone();
        let told = told(&group, &mut state, p(0), word(number, 7));
        match told.as_slice() {
            [GroupOutput::Deliver { .. }] => number += 1,
            [GroupOutput::Refuse { from, why: RefusalReason::Full }] => break (*from, before),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((full.0, &full.1), (p(0), &state), "what does not fit changes nothing");
    assert!(state.graph.size() >= MOST_MESSAGES, "{}", state.graph.size());
}
