//! Nothing that comes off the wire or out of a file may make a member panic, hang, or keep more than its limits.

use crate::script::{Effect, start, step};
use proptest::prelude::*;
use std::fmt::Debug;
use watchkeeper_core::{Input, Pack, PerProc, Pid, ProcSet, Protocol, Slot, Suspicion, packed, unpacked};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::membership::{
    GroupCall, GroupMsg, GroupProtocol, GroupTimer, MOST_MESSAGES, Membership, Multicast, MulticastBody,
};
use watchkeeper_protocols::stack::{Layer, Reliable, Stack};

/// What bytes can be read as, if as anything; and then they are its only bytes.
fn read<T: Pack + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let value = unpacked::<T>(bytes).ok()?;
    assert_eq!(packed(&value), bytes);
    Some(value)
}

/// Takes one input, and checks that all that comes of it can be written down.
fn takes<P: Protocol>(protocol: &P, state: &mut P::State, input: Input<'_, P>) {
    for effect in step(protocol, Pid::at(1), state, input) {
        match effect {
            Effect::Send(_, msg) | Effect::Reply(_, msg) => {
                assert_eq!(unpacked::<P::Msg>(&packed(&msg)), Ok(msg));
            }
            Effect::Arm(timer, _) | Effect::Disarm(timer) => assert!(timer.index() < P::Timer::COUNT),
            Effect::Emit(output) => assert_eq!(unpacked::<P::Output>(&packed(&output)), Ok(output)),
        }
    }
    assert_eq!(unpacked::<P::State>(&packed(&*state)).as_ref(), Ok(&*state));
}

fn groups() -> Vec<Membership> {
    let group = Membership::new(3).expect("a group");
    let two = [ProcSet::from_bits(0b11), ProcSet::from_bits(0b100)];
    vec![
        group.clone(),
        group.clone().relaying().timed(3, Some(5)),
        group.clone().in_cliques(&two).expect("cliques"),
        group.without_joins().without_returns().verbose(),
    ]
}

fn set() -> impl Strategy<Value = ProcSet> {
    prop_oneof![4 => 0u64..8, 1 => any::<u64>()].prop_map(ProcSet::from_bits)
}

fn body() -> impl Strategy<Value = MulticastBody> {
    prop_oneof![
        any::<u64>().prop_map(MulticastBody::User),
        Just(MulticastBody::Empty),
        set().prop_map(MulticastBody::Attempt),
        (set(), set()).prop_map(|(join, faulty)| MulticastBody::Join { join, faulty }),
        (set(), set(), set()).prop_map(|(faulty, join, before)| MulticastBody::Fault {
            faulty,
            join,
            before
        }),
    ]
}

/// Messages that are mostly of the right form, so that many are let in.
fn message() -> impl Strategy<Value = (usize, GroupMsg)> {
    let counts = prop::collection::vec(prop_oneof![6 => 0u32..4, 1 => any::<u32>()], 3);
    (0usize..4, prop_oneof![6 => 0u32..4, 1 => any::<u32>()], counts, body(), 0usize..8, any::<bool>())
        .prop_map(|(from, number, counts, body, origin, right)| {
            let mut past = PerProc::new(3, 0);
            for (p, count) in counts.into_iter().enumerate() {
                past[Pid::at(p)] = count;
            }
            if right && from < 3 {
                past[Pid::at(1)] = 0;
                past[Pid::at(from)] = number;
            }
            let multicast = Multicast { number, past, body };
            let msg = match origin {
                0..3 => GroupMsg::Relay { origin: Pid::at(origin), multicast },
                _ => GroupMsg::Fresh(multicast),
            };
            (from, msg)
        })
}

#[derive(Clone, Debug)]
enum Happening {
    Hears(usize, GroupMsg),
    Notices(bool, usize),
    Fires(bool),
    Asked(GroupCall),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => message().prop_map(|(from, msg)| Happening::Hears(from, msg)),
        2 => (any::<bool>(), 0usize..4).prop_map(|(suspects, whom)| Happening::Notices(suspects, whom)),
        2 => any::<bool>().prop_map(Happening::Fires),
        1 => any::<u64>().prop_map(|word| Happening::Asked(GroupCall::Say(word))),
        1 => Just(Happening::Asked(GroupCall::Leave)),
        1 => Just(Happening::Asked(GroupCall::Return)),
    ]
}

fn live(group: &Membership, state: &mut <Membership as Protocol>::State, happening: &Happening) {
    match happening {
        Happening::Hears(from, msg) => takes(group, state, Input::Receive { from: Pid::at(*from), msg }),
        Happening::Notices(true, whom) => {
            takes(group, state, Input::Notice(Suspicion::Suspect(Pid::at(*whom))))
        }
        Happening::Notices(false, whom) => {
            takes(group, state, Input::Notice(Suspicion::Trust(Pid::at(*whom))))
        }
        Happening::Fires(gather) => {
            takes(group, state, Input::Fire(if *gather { GroupTimer::Gather } else { GroupTimer::Probe }))
        }
        Happening::Asked(call) => takes(group, state, Input::Call(call)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_member_survives_whatever_happens(all in prop::collection::vec(happening(), 0..60)) {
        for group in groups() {
            let mut state = start(&group, Pid::at(1)).0;
            for happening in &all {
                live(&group, &mut state, happening);
                prop_assert!(state.graph.size() <= MOST_MESSAGES);
                let standing = group.standing(&state);
                prop_assert!(standing.view.contains(Pid::at(1)), "a member is in its own view: {standing:?}");
            }
        }
    }

    #[test]
    fn a_state_out_of_bytes_survives_whatever_happens(
        bytes in prop::collection::vec(prop_oneof![3 => 0u8..4, 1 => any::<u8>()], 0..120),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        all in prop::collection::vec(happening(), 0..20),
    ) {
        for group in groups() {
            // Bytes of a real state are nearer to being one than any others.
            let mut state = start(&group, Pid::at(1)).0;
            all.iter().take(6).for_each(|happening| live(&group, &mut state, happening));
            let mut changed = packed(&state);
            for (at, byte) in &changes {
                let at = at.index(changed.len());
                changed[at] = *byte;
            }
            for bytes in [&bytes, &changed] {
                let Some(mut state) = read(bytes) else { continue };
                all.iter().for_each(|happening| live(&group, &mut state, happening));
            }
        }
    }

    #[test]
    fn bytes_are_a_message_or_none(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        for group in groups() {
            let mut state = start(&group, Pid::at(1)).0;
            if let Some(msg) = read::<GroupMsg>(&bytes) {
                takes(&group, &mut state, Input::Receive { from: Pid::at(0), msg: &msg });
            }
            if let Some(call) = read::<GroupCall>(&bytes) {
                takes(&group, &mut state, Input::Call(&call));
            }
        }
    }

    #[test]
    fn the_stack_that_runs_survives_bytes(all in prop::collection::vec((0usize..4, prop::collection::vec(0u8..6, 0..24)), 0..40)) {
        let links = Reliable::new(groups().swap_remove(1), 3, 5).expect("links");
        let stack = Stack::new(links, ChandraToueg::new(3, 2, 5).expect("a detector"));
        let mut state = start(&stack, Pid::at(1)).0;
        takes(&stack, &mut state, Input::Call(&Layer::Above(GroupCall::Say(4))));
        for (from, bytes) in &all {
            if let Some(msg) = read(bytes) {
                takes(&stack, &mut state, Input::Receive { from: Pid::at(*from), msg: &msg });
            }
        }
        prop_assert!(stack.standing(&state).view.contains(Pid::at(1)));
    }
}
