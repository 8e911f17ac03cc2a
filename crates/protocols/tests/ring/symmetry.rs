//! The ring cannot see rotations: a step of the renamed process from the renamed state is the renamed
//! step. Every state and input of every small ring is tried, those that no run reaches included.

use crate::script::{Effect, Event, ring, start, state, step};
use std::collections::BTreeSet;
use watchkeeper_core::{Pack, Perm, Pid, Protocol, Suspicion, packed};
use watchkeeper_protocols::ring::RingMsg;
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};

fn renamed_effects(effects: &[Effect], perm: &Perm) -> Vec<Effect> {
    let rename = |effect: &Effect| match effect {
        Effect::Send(to, msg) => Effect::Send(perm.apply(*to), msg.rename(perm)),
        Effect::Reply(to, msg) => Effect::Reply(perm.apply(*to), msg.rename(perm)),
        Effect::Arm(bound) => Effect::Arm(*bound),
        Effect::Emit(output) => Effect::Emit(output.rename(perm)),
    };
    effects.iter().map(rename).collect()
}

/// All inputs, with senders from one beyond the ring too.
fn events(n: usize) -> Vec<Event> {
    let from_all = |msg: RingMsg| Pid::all(n + 1).map(move |from| Event::Receive(from, msg));
    from_all(AreYouAlive).chain(from_all(IAmAlive)).chain([Event::Round]).collect()
}

fn renamed_event(event: Event, perm: &Perm) -> Event {
    match event {
        Event::Receive(from, msg) => Event::Receive(perm.apply(from), msg.rename(perm)),
        Event::Round => Event::Round,
    }
}

#[test]
fn renaming_before_a_step_is_renaming_after_it() {
    let mut tried = 0;
    for n in 2..=6 {
        let ring = ring(n);
        for perm in ring.symmetry().perms(n) {
            for me in Pid::all(n) {
                let there = perm.apply(me);
                let (first, effects) = start(&ring, me);
                assert_eq!(start(&ring, there), (first.rename(&perm), renamed_effects(&effects, &perm)));
                for (target, received) in Pid::all(n + 1).flat_map(|p| [(p, false), (p, true)]) {
                    for event in events(n) {
                        let before = state(target, received);
                        let mut renamed = before.rename(&perm);
                        let there_effects = step(&ring, there, &mut renamed, &renamed_event(event, &perm));
                        let mut after = before;
                        let effects = step(&ring, me, &mut after, &event);
                        assert_eq!(renamed, after.rename(&perm), "n={n} {me} {target} {event:?}");
                        assert_eq!(there_effects, renamed_effects(&effects, &perm));
                        tried += 1;
                    }
                }
            }
        }
    }
    let all = |n: usize| n * n * 2 * (n + 1) * (2 * (n + 1) + 1);
    assert_eq!(tried, (2..=6).map(all).sum::<usize>());
}

/// More symmetry than rotations would be a wrong promise to the checker: the order of the ring matters.
#[test]
fn a_renaming_that_is_no_rotation_can_be_seen() {
    let ring = ring(3);
    let swap = Perm::all(3).into_iter().find(|perm| !Perm::rotations(3).contains(perm)).unwrap();
    let (state, _) = start(&ring, Pid::at(0));
    assert_ne!(start(&ring, swap.apply(Pid::at(0))).0, state.rename(&swap));
}

/// A process is its own target only with its answer counted, so a ring of n has 2n - 1 local states.
#[test]
fn a_process_of_a_ring_of_n_has_2n_minus_1_states() {
    for n in 2..=8 {
        let ring = ring(n);
        let me = Pid::at(1);
        let mut queue = vec![start(&ring, me).0];
        let mut known = BTreeSet::from([packed(&queue[0])]);
        let mut announced = BTreeSet::new();
        while let Some(state) = queue.pop() {
            for event in events(n) {
                let mut after = state.clone();
                for effect in step(&ring, me, &mut after, &event) {
                    if let Effect::Emit(output) = effect {
                        announced.insert(output);
                    }
                }
                if known.insert(packed(&after)) {
                    queue.push(after);
                }
            }
        }
        assert_eq!(known.len(), 2 * n - 1);
        let others = || Pid::all(n).filter(|&p| p != me);
        let both = others().map(Suspicion::Suspect).chain(others().map(Suspicion::Trust)).collect();
        assert_eq!(announced, both, "everyone else, and never oneself");
    }
}
