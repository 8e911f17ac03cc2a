//! Nothing that comes off the wire or out of a file may make a detector panic, hang, or speak to someone who is not there.

use crate::effects::{Effect, EffectsOf, p, start, step};
use crate::phi::config;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use watchkeeper_core::{Input, MAX_PROCESSES, Meaning, Pid, Protocol, Slot, packed, unpacked};
use watchkeeper_protocols::kubernetes::{Kubernetes, KubernetesDurations, KubernetesMsg};
use watchkeeper_protocols::nfd_e::{NfdE, NfdEConfig, NfdEMsg};
use watchkeeper_protocols::nfd_s::{NfdS, NfdSMsg};
use watchkeeper_protocols::phi::{Phi, PhiConfig, PhiForm, PhiMsg};

/// How many lives each detector has here.
const CASES: u32 = 400;

/// Numbers of heartbeats where there are four, and two that there are not.
const NUMBERS: [u32; 6] = [0, 1, 2, 3, 4, u32::MAX];

/// What happens to a process: a timer fires or a message arrives, by a number, and which of the messages.
type Happening = (usize, Index);

/// A life: in a system of some size it has inputs, then bytes of its state are changed one after the other, and in a system
/// of another size or the same it has more inputs.
#[derive(Clone, Debug)]
struct Life {
    size: Index,
    me: Index,
    first: Vec<Happening>,
    changes: Vec<(Index, u8)>,
    then: Vec<Happening>,
}

fn life() -> impl Strategy<Value = Life> {
    let happenings = || prop::collection::vec((0..4096usize, any::<Index>()), 0..40);
    // Small numbers are what most bytes of a state are.
    let byte = prop_oneof![3 => 0..=8u8, 1 => any::<u8>()];
    let changes = prop::collection::vec((any::<Index>(), byte), 1..40);
    (any::<(Index, Index)>(), happenings(), changes, happenings())
        .prop_map(|((size, me), first, changes, then)| Life { size, me, first, changes, then })
}

/// Plays inputs to a process, and checks whom it speaks to and of.
fn play<P: Protocol>(
    detector: &P,
    me: Pid,
    n: usize,
    state: &mut P::State,
    messages: &[P::Msg],
    inputs: &[Happening],
) -> Result<(), TestCaseError> {
    for (what, which) in inputs {
        // One in four is of somebody who may not be there.
        let (of, strange) = (what / 8, what % 8 < 2);
        let effects: EffectsOf<P> = if what % 2 == 0 {
            let from = p(if strange { of % MAX_PROCESSES } else { of % n });
            step(detector, me, state, Input::Receive { from, msg: which.get(messages) })
        } else {
            let slots = if strange { P::Timer::COUNT } else { P::Timer::COUNT.min(8) };
            let Some(timer) = P::Timer::from_index(of % slots) else { continue };
            step(detector, me, state, Input::Fire(timer))
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

/// Plays many lives that end in a system of `n` processes, and asserts that the changed bytes were a state often enough to be
/// worth it.
fn survives<P: Protocol>(n: usize, messages: &[P::Msg], detector: impl Fn(usize) -> Option<P>) {
    let accepted = Cell::new(0);
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let sizes: Vec<(usize, P)> = (n - 1..=n + 1).filter_map(|n| Some((n, detector(n)?))).collect();
    let detector = detector(n).expect("a detector");
    let ended = runner.run(&life(), |life| {
        let (before, reached_in) = &sizes[life.size.index(sizes.len())];
        // The first three have all roles that there are.
        let me = p(life.me.index(n.min(*before).min(3)));
        let mut state = start(reached_in, me).0;
        play(reached_in, me, *before, &mut state, messages, &life.first)?;
        let mut changed = state.clone();
        for (place, byte) in &life.changes {
            let mut bytes = packed(&changed);
            let place = place.index(bytes.len());
            bytes[place] = *byte;
            // What is no state is refused, and the next change is one of the last state.
            changed = unpacked::<P::State>(&bytes).unwrap_or(changed);
        }
        accepted.set(accepted.get() + u32::from(changed != state));
        play(&detector, me, n, &mut changed, messages, &life.then)
    });
    ended.unwrap_or_else(|why| panic!("{why}"));
    assert!(accepted.get() >= CASES / 8, "only {} of {CASES} were states", accepted.get());
}

#[test]
fn nothing_upsets_nfd_s() {
    let messages = NUMBERS.map(|number| NfdSMsg::Heartbeat { number });
    for n in [2, 3, MAX_PROCESSES] {
        survives(n, &messages, |n| NfdS::with_numbers(n, 3, 2, 4).ok());
    }
}

#[test]
fn nothing_upsets_phi() {
    for form in PhiForm::ALL {
        for (n, longest) in [(2, 1000), (5, u32::MAX)] {
            let config = PhiConfig { grain: 1 + longest / (1 << 24), longest, first: 1000, ..config(form) };
            survives(n, &[PhiMsg::Heartbeat], |n| Phi::new(n, config.clone()).ok());
        }
    }
}

#[test]
fn nothing_upsets_nfd_e() {
    let messages = NUMBERS.map(|number| NfdEMsg::Heartbeat { number });
    for n in [2, 5] {
        let config = NfdEConfig { eta: 3, alpha: 2, window: 2, grain: 1, numbers: 4 };
        survives(n, &messages, |n| NfdE::new(n, config).ok());
    }
}

#[test]
fn nothing_upsets_the_chain_of_kubernetes() {
    let durations = KubernetesDurations { renewal: 2, poll: 1, grace: 8, toleration: 60, keepalive: 8 };
    let leases = [0, 1, 2, 3, 4, 63].map(|of| KubernetesMsg::Lease(p(of)));
    let messages: Vec<KubernetesMsg> = leases.into_iter().chain([KubernetesMsg::Renew; 3]).collect();
    for nodes in [1, 4] {
        survives(nodes + 2, &messages, |n| Kubernetes::new(n - 2, durations).ok());
    }
}
