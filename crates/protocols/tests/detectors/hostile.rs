//! Nothing that comes off the wire or out of a file may make a detector panic, hang, or speak to someone who is not there.

use crate::effects::{Effect, p, step};
use crate::phi::config;
use proptest::prelude::*;
use watchkeeper_core::{Input, MAX_PROCESSES, Meaning, Pid, Protocol, Slot, unpacked};
use watchkeeper_protocols::kubernetes::{Kubernetes, KubernetesDurations};
use watchkeeper_protocols::nfd_e::{NfdE, NfdEConfig};
use watchkeeper_protocols::nfd_s::NfdS;
use watchkeeper_protocols::phi::{Phi, PhiConfig, PhiForm};

/// Plays inputs to a process in a state of these bytes, if they are one: timers that it has, and messages of these bytes.
fn play<P: Protocol>(
    detector: &P,
    me: Pid,
    n: usize,
    state: &[u8],
    inputs: &[(usize, Vec<u8>)],
) -> Result<(), TestCaseError> {
    let Ok(mut state) = unpacked::<P::State>(state) else { return Ok(()) };
    for (what, bytes) in inputs {
        let effects = match (unpacked::<P::Msg>(bytes), P::Timer::from_index(what % P::Timer::COUNT)) {
            (Ok(msg), _) if what % 2 == 0 => {
                let input = Input::Receive { from: p(what / 2 % MAX_PROCESSES), msg: &msg };
                step(detector, me, &mut state, input)
            }
            (_, Some(timer)) => step(detector, me, &mut state, Input::Fire(timer)),
            _ => continue,
        };
        for effect in effects {
            let peer = match effect {
                Effect::Send(peer, _) => peer,
                Effect::Emit(said) => match detector.meaning(&said) {
                    Meaning::Suspects(peer) | Meaning::Trusts(peer) => peer,
                    _ => continue,
                },
                _ => continue,
            };
            prop_assert!(peer != me && peer.index() < n, "{:?}", peer);
        }
    }
    Ok(())
}

fn inputs() -> impl Strategy<Value = Vec<(usize, Vec<u8>)>> {
    prop::collection::vec((0..4096usize, prop::collection::vec(0..8u8, 0..4)), 0..40)
}

proptest! {
    #[test]
    fn nothing_upsets_nfd_s(
        n in 2..=MAX_PROCESSES,
        me in 0..MAX_PROCESSES,
        state in prop::collection::vec(0..=255u8, 0..12),
        inputs in inputs(),
    ) {
        let detector = NfdS::with_numbers(n, 3, 2, 4).expect("a detector");
        play(&detector, p(me % n), n, &state, &inputs)?;
    }

    #[test]
    fn nothing_upsets_phi(
        n in 2..=5usize,
        me in 0..5usize,
        state in prop::collection::vec(0..=255u8, 0..40),
        inputs in inputs(),
        longest in 1000..u32::MAX,
    ) {
        for form in PhiForm::ALL {
            let config = PhiConfig { grain: 1 + longest / (1 << 24), longest, first: 1000, ..config(form) };
            play(&Phi::new(n, config).expect("a detector"), p(me % n), n, &state, &inputs)?;
        }
    }

    #[test]
    fn nothing_upsets_nfd_e(
        n in 2..=5usize,
        me in 0..5usize,
        state in prop::collection::vec(0..=255u8, 0..40),
        inputs in inputs(),
    ) {
        let config = NfdEConfig { eta: 3, alpha: 2, window: 2, grain: 1, numbers: 4 };
        play(&NfdE::new(n, config).expect("a detector"), p(me % n), n, &state, &inputs)?;
    }

    #[test]
    fn nothing_upsets_the_chain_of_kubernetes(
        nodes in 1..=4usize,
        me in 0..6usize,
        state in prop::collection::vec(0..=20u8, 0..6),
        inputs in inputs(),
    ) {
        let durations = KubernetesDurations { renewal: 2, poll: 1, grace: 8, toleration: 60, keepalive: 8 };
        let n = nodes + 2;
        play(&Kubernetes::new(nodes, durations).expect("a chain"), p(me % n), n, &state, &inputs)?;
    }
}
