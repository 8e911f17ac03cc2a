//! Nothing that comes off the wire or out of a file may make a process panic, send to itself, or speak to
//! someone outside.

use crate::script::{Effect, Event, heartbeat, p, step};
use proptest::prelude::*;
use watchkeeper_core::{MAX_PROCESSES, PerProc, ProcSet, unpacked};
use watchkeeper_protocols::heartbeat::HeartbeatTimer::{GiveUp, Join, Round};
use watchkeeper_protocols::heartbeat::{HeartbeatMsg, HeartbeatState, HeartbeatVariant};

fn any_state() -> impl Strategy<Value = HeartbeatState> {
    let coordinator = (any::<u64>(), any::<u64>(), 0..=MAX_PROCESSES, any::<u32>()).prop_map(
        |(counted, received, places, wait)| HeartbeatState::Coordinator {
            counted: ProcSet::from_bits(counted),
            received: ProcSet::from_bits(received),
            tm: PerProc::new(places, wait),
        },
    );
    prop_oneof![
        4 => coordinator,
        1 => Just(HeartbeatState::Joining),
        1 => Just(HeartbeatState::Joined),
        1 => Just(HeartbeatState::Leaving),
        1 => Just(HeartbeatState::Inactive),
    ]
}

proptest! {
    #[test]
    fn no_state_and_no_input_can_upset_a_process(
        variant in prop::sample::select(HeartbeatVariant::ALL.to_vec()),
        n in 1..MAX_PROCESSES,
        me in 0..MAX_PROCESSES,
        state in any_state(),
        inputs in prop::collection::vec((0..MAX_PROCESSES, 0u8..8), 0..40),
    ) {
        let n = if variant.takes_many() { n } else { 1 };
        let heartbeat = heartbeat(variant, 2, 10, n);
        let (me, mut state) = (p(me), state);
        for (from, which) in inputs {
            let event = match unpacked::<HeartbeatMsg>(&[which]) {
                Ok(msg) => Event::Receive(p(from), msg),
                Err(_) => [Event::Fire(Round), Event::Fire(GiveUp), Event::Fire(Join), Event::Leave]
                    [usize::from(which % 4)],
            };
            for effect in step(&heartbeat, me, &mut state, &event) {
                if let Effect::Send(to, _) | Effect::Reply(to, _) = effect {
                    prop_assert!(to != me && to.index() <= n);
                    prop_assert!(me == p(0) || to == p(0), "participants speak to p0 only");
                }
            }
        }
    }
}

#[test]
fn messages_that_nobody_sends_change_nothing_at_p0() {
    let heartbeat = heartbeat(HeartbeatVariant::Dynamic, 2, 10, 2);
    let tm = PerProc::new(3, 10);
    let both = ProcSet::from_bits(0b110);
    let before = HeartbeatState::Coordinator { counted: both, received: ProcSet::EMPTY, tm };
    for from in [p(0), p(3), p(63)] {
        for msg in [HeartbeatMsg::Beat, HeartbeatMsg::Leave] {
            let mut after = before.clone();
            assert_eq!(step(&heartbeat, p(0), &mut after, &Event::Receive(from, msg)), []);
            assert_eq!(after, before);
        }
    }
    let heartbeat = crate::script::heartbeat(HeartbeatVariant::Expanding, 2, 10, 2);
    let unheard_of = Event::Receive(p(1), HeartbeatMsg::Leave);
    for event in [Event::Fire(GiveUp), Event::Fire(Join), Event::Leave, unheard_of] {
        let mut after = before.clone();
        assert_eq!(step(&heartbeat, p(0), &mut after, &event), []);
        assert_eq!(after, before);
    }
}

#[test]
fn bytes_that_are_no_state_and_no_message_are_refused() {
    for bytes in [&[][..], &[5], &[0, 0], &[1, 0], &[0, 2, 2, 3, 10]] {
        assert!(unpacked::<HeartbeatState>(bytes).is_err(), "{bytes:?}");
    }
    for bytes in [&[][..], &[2], &[0, 0]] {
        assert!(unpacked::<HeartbeatMsg>(bytes).is_err(), "{bytes:?}");
    }
}
