//! Nothing that comes off the wire or out of a file may make a composition panic, hang, or keep more than its
//! limits.

use crate::script::{Effect, start, step};
use crate::small::{Counter, Courier, Listener};
use proptest::prelude::*;
use std::fmt::Debug;
use watchkeeper_core::{Input, Pack, Pid, Protocol, Slot, Suspicion, packed, unpacked};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{Rotating, Strong};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_protocols::stack::{Mailbox, Reliable, Series, Stack};

const LIMIT: usize = 3;

/// What bytes can be read as, if as anything; and then they are its only bytes.
fn read<T: Pack + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let value = unpacked::<T>(bytes).ok()?;
    assert_eq!(packed(&value), bytes);
    Some(value)
}

/// Inputs as they may come: a sender or a slot, what it is, and its bytes.
type Inputs = Vec<(usize, u8, Vec<u8>)>;

fn inputs() -> impl Strategy<Value = Inputs> {
    let small = prop::collection::vec(prop_oneof![0u8..5, 0u8..=255], 0..12);
    prop::collection::vec((0..64usize, 0..6u8, small), 0..60)
}

/// Takes all inputs in a state that was made of bytes, and in the first one; checks each state that comes of
/// it.
fn survives<P: Protocol>(protocol: &P, state: &[u8], inputs: &Inputs, sound: impl Fn(&P::State) -> bool) {
    let me = Pid::at(1);
    let fresh = start(protocol, me).0;
    for (mut state, made) in
        [Some((fresh, false)), read::<P::State>(state).map(|state| (state, true))].into_iter().flatten()
    {
        for (who, what, bytes) in inputs {
            let who = Pid::at(*who);
            let asked = match what {
                0 => step(protocol, me, &mut state, Input::Notice(Suspicion::Suspect(who))),
                1 => step(protocol, me, &mut state, Input::Notice(Suspicion::Trust(who))),
                2 => match P::Timer::from_index(who.index()) {
                    Some(timer) => step(protocol, me, &mut state, Input::Fire(timer)),
                    None => continue,
                },
                3 => match read::<P::Call>(bytes) {
                    Some(call) => step(protocol, me, &mut state, Input::Call(&call)),
                    None => continue,
                },
                _ => match read::<P::Msg>(bytes) {
                    Some(msg) => step(protocol, me, &mut state, Input::Receive { from: who, msg: &msg }),
                    None => continue,
                },
            };
            for effect in asked {
                match effect {
                    Effect::Send(_, msg) | Effect::Reply(_, msg) => {
                        assert_eq!(unpacked::<P::Msg>(&packed(&msg)), Ok(msg));
                    }
                    Effect::Arm(timer, _) | Effect::Disarm(timer) => {
                        assert!(timer.index() < P::Timer::COUNT)
                    }
                    Effect::Emit(output) => assert_eq!(unpacked::<P::Output>(&packed(&output)), Ok(output)),
                }
            }
            assert_eq!(unpacked::<P::State>(&packed(&state)).as_ref(), Ok(&state));
            assert!(made || sound(&state), "{state:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_mailbox_survives_anything(state in prop::collection::vec(0u8..6, 0..20), inputs in inputs()) {
        let protocol = Mailbox::new(Rotating::new(3).expect("a protocol")).holding(LIMIT);
        survives(&protocol, &state, &inputs, |state| state.kept().len() <= 3 * LIMIT);
        let protocol = Mailbox::new(Strong::new(3).expect("a protocol")).holding(LIMIT);
        survives(&protocol, &state, &inputs, |state| state.kept().len() <= 3 * LIMIT);
        let protocol = Mailbox::new(Series::new(Rotating::new(3).expect("a protocol"))).holding(LIMIT);
        survives(&protocol, &state, &inputs, |state| state.kept().len() <= 64 * LIMIT);
        let protocol = Mailbox::new(Counter).holding(0);
        survives(&protocol, &[], &inputs, |state| state.kept().is_empty());
    }

    #[test]
    fn links_survive_anything(state in prop::collection::vec(0u8..6, 0..20), inputs in inputs()) {
        let protocol = Reliable::new(Courier, 3, 5).and_then(|links| links.limited(2, LIMIT)).expect("links");
        survives(&protocol, &state, &inputs, |state| {
            Pid::all(3).all(|peer| state.link(peer).is_some_and(|link| link.waiting().len() <= LIMIT))
        });
    }

    #[test]
    fn stacks_survive_anything(state in prop::collection::vec(0u8..6, 0..30), inputs in inputs()) {
        let ring = Ring::new(3, 4).expect("a ring");
        survives(&Stack::new(Listener, ring.clone()), &state, &inputs, |_| true);
        let series = Series::new(Rotating::new(3).expect("a protocol"));
        let links = Reliable::new(Mailbox::new(series), 3, 5).expect("links");
        survives(&Stack::new(links.clone(), ring), &state, &inputs, |_| true);
        let detector = ChandraToueg::new(3, 2, 5).expect("a detector");
        survives(&Stack::new(links, detector), &state, &inputs, |_| true);
    }
}

/// The largest numbers there are, everywhere.
#[test]
fn no_number_is_too_large() {
    let protocol = Reliable::new(Courier, 2, 5).and_then(|links| links.limited(1, 2)).expect("links");
    let mut top = Vec::new();
    u64::MAX.pack(&mut top);
    let link = [&top[..], &[2, 0, 3, 1, 3], &top].concat();
    let state = [&[2][..], &link, &link].concat();
    let messages: Vec<Vec<u8>> =
        [vec![top.clone(), top.clone(), top.clone()], vec![top.clone(), vec![0], vec![0]]]
            .map(|numbers| [&[0][..], &numbers.concat(), &[0, 3]].concat())
            .into();
    let received = [&[1][..], &top].concat();
    let mut inputs: Inputs = vec![(0, 4, received), (0, 3, vec![0, 0, 5]), (0, 2, vec![])];
    inputs.extend(messages.into_iter().map(|bytes| (0, 4, bytes)));
    for (_, what, bytes) in &inputs {
        assert!(*what != 4 || read::<<Reliable<Courier> as Protocol>::Msg>(bytes).is_some(), "{bytes:?}");
    }
    assert!(read::<<Reliable<Courier> as Protocol>::State>(&state).is_some());
    survives(&protocol, &state, &inputs, |_| true);
}
