//! The detector cannot see any renaming of processes: a step of the renamed process from the renamed state is
//! the renamed step, if timers are renamed with the peers that they wait for.

use crate::script::{Effect, Event, TIMEOUT, detector, events, p, start, step};
use std::collections::BTreeSet;
use watchkeeper_core::{Pack, Perm, Pid, Promises, Symmetry, packed};
use watchkeeper_protocols::chandra_toueg::{ChandraToueg, ChandraTouegState, ChandraTouegTimer};

fn renamed(effects: &[Effect], perm: &Perm) -> Vec<Effect> {
    let rename = |effect: &Effect| match effect {
        Effect::Send(to, msg) => Effect::Send(perm.apply(*to), msg.rename(perm)),
        Effect::Arm(ChandraTouegTimer::Wait(peer), bound) => {
            Effect::Arm(ChandraTouegTimer::Wait(perm.apply(*peer)), *bound)
        }
        Effect::Arm(timer, bound) => Effect::Arm(*timer, *bound),
        Effect::Emit(output) => Effect::Emit(output.rename(perm)),
    };
    sorted(effects.iter().map(rename).collect())
}

/// What is sent to all is sent at one moment, whatever the order in which it is said.
fn sorted(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.sort_by_key(|effect| format!("{effect:?}"));
    effects
}

fn renamed_event(event: Event, perm: &Perm) -> Event {
    match event {
        Event::Hear(from) => Event::Hear(perm.apply(from)),
        Event::Late(peer) => Event::Late(perm.apply(peer)),
        Event::Beat => Event::Beat,
    }
}

/// All states of a process, whatever happens to it.
fn reached(detector: &ChandraToueg, me: Pid) -> Vec<ChandraTouegState> {
    let mut found = vec![start(detector, me).0];
    let mut known = BTreeSet::from([packed(&found[0])]);
    let mut next = 0;
    while next < found.len() {
        for event in events(detector.n()) {
            let mut after = found[next].clone();
            step(detector, me, &mut after, event);
            if known.insert(packed(&after)) {
                found.push(after);
            }
        }
        next += 1;
    }
    found
}

#[test]
fn renaming_before_a_step_is_renaming_after_it() {
    for n in 2..=4 {
        let detector = detector(n);
        for perm in Perm::all(n) {
            for me in Pid::all(n) {
                let there = perm.apply(me);
                let (first, effects) = start(&detector, me);
                let (there_first, there_effects) = start(&detector, there);
                assert_eq!(
                    (there_first, sorted(there_effects)),
                    (first.rename(&perm), renamed(&effects, &perm))
                );
                for before in reached(&detector, me) {
                    for event in events(n + 1) {
                        let (mut after, mut there_after) = (before.clone(), before.rename(&perm));
                        let effects = step(&detector, me, &mut after, event);
                        let there_effects =
                            step(&detector, there, &mut there_after, renamed_event(event, &perm));
                        assert_eq!(there_after, after.rename(&perm), "n={n} {me} {before:?} {event:?}");
                        assert_eq!(sorted(there_effects), renamed(&effects, &perm));
                    }
                }
            }
        }
    }
}

/// A peer is trusted or suspected with each of its timeouts 5, 7 and 8, which makes six states for each peer.
#[test]
fn the_states_of_a_process_are_a_product_over_its_peers() {
    for n in 2..=4 {
        assert_eq!(reached(&detector(n), p(0)).len(), 6usize.pow(n as u32 - 1));
        let fixed = ChandraToueg::new(n, 1, TIMEOUT).and_then(|detector| detector.capped(TIMEOUT));
        assert_eq!(reached(&fixed.expect("a detector"), p(0)).len(), 1 << (n - 1));
    }
}

#[test]
fn all_renamings_are_promised() {
    assert_eq!(detector(3).symmetry(), Symmetry::Full);
}
