//! The detectors that promise it cannot see any renaming of processes: a step of the renamed process from the renamed state
//! is the renamed step.

use crate::effects::{Effect, EffectsOf, start, step};
use std::collections::BTreeSet;
use std::fmt::Debug;
use watchkeeper_core::{Input, Pack, Perm, Pid, Promises, Protocol, Slot, Symmetry, packed};
use watchkeeper_protocols::nfd_e::{NfdE, NfdEConfig, NfdEMsg, NfdETimer};
use watchkeeper_protocols::nfd_s::{NfdS, NfdSMsg};
use watchkeeper_protocols::phi::{Phi, PhiConfig, PhiForm, PhiMsg};

/// A timer, with the peer that it is about by its new name.
type RenamedTimer<P> = fn(&Perm, <P as Protocol>::Timer) -> <P as Protocol>::Timer;

/// An input that owns its message.
enum Event<P: Protocol> {
    Hear(Pid, P::Msg),
    Fire(P::Timer),
}

impl<P: Protocol> Event<P> {
    fn input(&self) -> Input<'_, P> {
        match self {
            Event::Hear(from, msg) => Input::Receive { from: *from, msg },
            Event::Fire(timer) => Input::Fire(*timer),
        }
    }
}

/// What is said at one moment, whatever the order.
fn said<P: Protocol>(effects: &EffectsOf<P>, perm: &Perm, timer: RenamedTimer<P>) -> Vec<String>
where
    P::Timer: Debug,
{
    let rename = |effect: &Effect<P::Msg, P::Timer, P::Output>| match effect {
        Effect::Send(to, msg) => format!("{} {:?}", perm.apply(*to), msg.rename(perm)),
        Effect::Reply(to, msg) => format!("reply {} {:?}", perm.apply(*to), msg.rename(perm)),
        Effect::Arm(slot, bound) => format!("{:?} {bound}", timer(perm, *slot)),
        Effect::Disarm(slot) => format!("{:?}", timer(perm, *slot)),
        Effect::Emit(output) => format!("{:?}", output.rename(perm)),
    };
    let mut said: Vec<String> = effects.iter().map(rename).collect();
    said.sort_unstable();
    said
}

/// All local states within so many steps, and each step beside its renaming; returns how many states there were.
fn unchanged<P: Promises>(
    protocol: &P,
    n: usize,
    messages: &[P::Msg],
    timer: RenamedTimer<P>,
    steps: usize,
) -> usize
where
    P::Timer: Debug,
{
    assert_eq!(protocol.symmetry(), Symmetry::Full);
    let identity = Perm::identity(n);
    let slots = (0..P::Timer::COUNT).filter_map(P::Timer::from_index);
    let concerns_us = |slot: &P::Timer| {
        !slot.name().split_whitespace().any(|word| {
            word.strip_prefix('p').and_then(|id| id.parse::<usize>().ok()).is_some_and(|id| id >= n)
        })
    };
    let fires = slots.filter(concerns_us).map(Event::Fire);
    let hears = Pid::all(n).flat_map(|from| messages.iter().map(move |msg| Event::Hear(from, msg.clone())));
    let events: Vec<Event<P>> = fires.chain(hears).collect();
    let me = Pid::at(0);
    let mut found = vec![start(protocol, me).0];
    let mut known = BTreeSet::from([packed(&found[0])]);
    let mut next = 0;
    for _ in 0..steps {
        let end = found.len();
        for at in next..end {
            for event in &events {
                let before = found[at].clone();
                let mut after = before.clone();
                let effects = step(protocol, me, &mut after, event.input());
                for perm in Perm::all(n) {
                    let there = match event {
                        Event::Hear(from, msg) => Event::Hear(perm.apply(*from), msg.rename(&perm)),
                        Event::Fire(slot) => Event::Fire(timer(&perm, *slot)),
                    };
                    let mut there_after = before.rename(&perm);
                    let there_effects = step(protocol, perm.apply(me), &mut there_after, there.input());
                    assert_eq!(there_after, after.rename(&perm));
                    assert_eq!(
                        said::<P>(&there_effects, &identity, timer),
                        said::<P>(&effects, &perm, timer)
                    );
                }
                if known.insert(packed(&after)) {
                    found.push(after);
                }
            }
        }
        next = end;
    }
    found.len()
}

#[test]
fn nfd_s_cannot_see_renamings() {
    let detector = NfdS::with_numbers(3, 3, 2, 4).expect("a detector");
    let messages: Vec<NfdSMsg> = (0..5).map(|number| NfdSMsg::Heartbeat { number }).collect();
    // Four numbers of the next beat, four of the last point, and 0, 1 or 2 points ahead of each of two peers.
    assert_eq!(unchanged(&detector, 3, &messages, |_, timer| timer, 20), 4 * 4 * 9);
}

#[test]
fn phi_cannot_see_renamings() {
    use watchkeeper_protocols::phi::PhiTimer;
    let renamed: RenamedTimer<Phi> = |perm, timer| match timer {
        PhiTimer::Wait(peer) => PhiTimer::Wait(perm.apply(peer)),
        other => other,
    };
    for form in PhiForm::ALL {
        let config = PhiConfig {
            form,
            period: 2,
            threshold: 1000,
            window: 2,
            grain: 1,
            first: 2,
            longest: 2,
            pause: 0,
            deviation: 1,
        };
        let detector = Phi::new(3, config).expect("a detector");
        assert!(unchanged(&detector, 3, &[PhiMsg::Heartbeat], renamed, 8) > 500, "{form:?}");
    }
}

#[test]
fn nfd_e_cannot_see_renamings() {
    let renamed: RenamedTimer<NfdE> = |perm, timer| match timer {
        NfdETimer::Wait(peer) => NfdETimer::Wait(perm.apply(peer)),
        other => other,
    };
    let config = NfdEConfig { eta: 2, alpha: 1, window: 2, grain: 1, numbers: 4 };
    let detector = NfdE::new(3, config).expect("a detector");
    let messages: Vec<NfdEMsg> = (0..5).map(|number| NfdEMsg::Heartbeat { number }).collect();
    assert!(unchanged(&detector, 3, &messages, renamed, 6) > 500);
}
