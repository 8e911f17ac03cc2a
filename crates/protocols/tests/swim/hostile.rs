//! Nothing that comes off the wire or out of a file may make a member panic or hang.

use crate::effects::{Effect, p, start_with, step_with};
use crate::network::Dice;
use crate::{guarded, ordered, plain, small};
use proptest::prelude::*;
use std::fmt::Debug;
use watchkeeper_core::{Input, Member, Pack, Pid, Protocol, Slot, packed, unpacked};
use watchkeeper_protocols::swim::{
    CarriedNews, FirstMembers, MemberEntry, MemberUpdate, ProbeOrder, Swim, SwimCall, SwimConfig, SwimFlaw,
    SwimMsg, SwimPolicy, SwimStatus, SwimTimer,
};

/// What bytes can be read as, if as anything; and then they are its only bytes.
fn read<T: Pack + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let value = unpacked::<T>(bytes).ok()?;
    assert_eq!(packed(&value), bytes);
    Some(value)
}

/// Takes one input, and checks that all that comes of it can be written down and goes to somebody else.
fn takes<P: SwimPolicy>(
    group: &Swim<P>,
    state: &mut <Swim<P> as Protocol>::State,
    input: Input<'_, Swim<P>>,
    dice: &mut Dice,
) {
    for effect in step_with(group, p(1), state, input, &mut |ways| dice.index(ways)) {
        match effect {
            Effect::Send(to, msg) | Effect::Reply(to, msg) => {
                assert_ne!(to, p(1));
                assert_eq!(unpacked::<SwimMsg>(&packed(&msg)), Ok(msg));
            }
            Effect::Arm(timer, bound) => {
                assert!(timer.index() < SwimTimer::COUNT);
                assert!(bound.lo() > 0, "time has to pass");
            }
            Effect::Disarm(_) => {}
            Effect::Emit(output) => assert_eq!(unpacked(&packed(&output)), Ok(output)),
        }
    }
    assert_eq!(unpacked(&packed(&*state)).as_ref(), Ok(&*state));
}

fn member() -> impl Strategy<Value = Member> {
    prop_oneof![6 => 0usize..4, 1 => 0usize..32_768]
        .prop_map(|number| Member(Pid::member(number).expect("a member")))
}

fn update() -> impl Strategy<Value = MemberUpdate> {
    let status = prop::sample::select(vec![
        SwimStatus::Unknown,
        SwimStatus::Alive,
        SwimStatus::Suspected,
        SwimStatus::Dead,
        SwimStatus::Left,
    ]);
    let incarnation = prop_oneof![6 => 0u32..4, 1 => any::<u32>()];
    (member(), status, incarnation, prop::option::of(member())).prop_map(
        |(member, status, incarnation, by)| MemberUpdate {
            member,
            entry: MemberEntry::new(status, incarnation),
            by,
        },
    )
}

fn message() -> impl Strategy<Value = SwimMsg> {
    let news = || prop::collection::vec(update(), 0..4).prop_map(CarriedNews);
    prop_oneof![
        (member(), news()).prop_map(|(origin, news)| SwimMsg::Ping { origin, news }),
        (member(), news()).prop_map(|(target, news)| SwimMsg::PingReq { target, news }),
        (member(), member(), news()).prop_map(|(target, origin, news)| SwimMsg::Ack { target, origin, news }),
        member().prop_map(|target| SwimMsg::Nack { target }),
        news().prop_map(|news| SwimMsg::News { news }),
        news().prop_map(|news| SwimMsg::Join { news }),
        news().prop_map(|news| SwimMsg::Table { news }),
    ]
}

#[derive(Clone, Debug)]
enum Happening {
    Hears(Member, SwimMsg),
    Fires(SwimTimer),
    Leaves,
    Meets(Member),
}

fn happening() -> impl Strategy<Value = Happening> {
    let timers: Vec<SwimTimer> = SwimTimer::all().collect();
    prop_oneof![
        12 => (member(), message()).prop_map(|(from, msg)| Happening::Hears(from, msg)),
        8 => prop::sample::select(timers).prop_map(Happening::Fires),
        1 => Just(Happening::Leaves),
        1 => member().prop_map(Happening::Meets),
    ]
}

fn started<P: SwimPolicy>(group: &Swim<P>) -> <Swim<P> as Protocol>::State {
    start_with(group, p(1), &mut |ways| ways / 2).0
}

fn live<P: SwimPolicy>(group: &Swim<P>, state: &mut <Swim<P> as Protocol>::State, all: &[Happening]) {
    let dice = &mut Dice(all.len() as u64);
    for happening in all {
        match happening {
            Happening::Hears(from, msg) => takes(group, state, Input::Receive { from: from.0, msg }, dice),
            Happening::Fires(timer) => takes(group, state, Input::Fire(*timer), dice),
            Happening::Leaves => takes(group, state, Input::Call(&SwimCall::Leave), dice),
            Happening::Meets(member) => takes(group, state, Input::Call(&SwimCall::Meet(*member)), dice),
        }
    }
}

fn configs() -> Vec<SwimConfig> {
    let mut all = vec![
        small(),
        SwimConfig { start: FirstMembers::Seed, cap: 2, ..small() },
        SwimConfig { reclaim: false, spread: 0, ..small() },
        ordered(ProbeOrder::Random),
        SwimConfig { start: FirstMembers::Seed, ..ordered(ProbeOrder::Auto) },
    ];
    all.extend(SwimFlaw::ALL.iter().map(|flaw| SwimConfig { flaw: Some(*flaw), ..small() }));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_member_survives_whatever_happens(all in prop::collection::vec(happening(), 0..60)) {
        for config in configs() {
            let (one, other) = (plain(3, config.clone()), guarded(3, config));
            live(&one, &mut started(&one), &all);
            live(&other, &mut started(&other), &all);
        }
    }

    #[test]
    fn a_state_out_of_bytes_survives_whatever_happens(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        first in prop::collection::vec(happening(), 0..20),
        then in prop::collection::vec(happening(), 0..20),
        random in any::<bool>(),
    ) {
        let order = if random { ProbeOrder::Random } else { ProbeOrder::Ring };
        let group = guarded(3, ordered(order));
        let mut state = started(&group);
        live(&group, &mut state, &first);
        let mut bytes = packed(&state);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(mut state) = read::<<Swim<watchkeeper_protocols::lifeguard::Lifeguard> as Protocol>::State>(&bytes) {
            live(&group, &mut state, &then);
        }
    }

    #[test]
    fn bytes_are_a_message_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        read::<SwimMsg>(&bytes);
    }
}
