//! The ring cannot see rotations: a step of the renamed process from the renamed state is the renamed
//! step. For weak completeness every state and input of every small ring is tried, those that no run
//! reaches included; for the others all states that runs reach. A candidate can be seen.

use crate::script::{Effect, Event, TIMEOUT, p, ring, start, state, step};
use std::collections::BTreeSet;
use watchkeeper_core::{Pack, Perm, Pid, ProcSet, Promises, Suspicion, Symmetry, packed};
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};
use watchkeeper_protocols::ring::{
    GossipMsg, Ring, RingPolicy, RingState, StrongAccuracy, StrongCompleteness, TimeoutAdaptation,
    WeakAccuracy,
};

fn renamed_effects<M: Pack>(effects: &[Effect<M>], perm: &Perm) -> Vec<Effect<M>> {
    let rename = |effect: &Effect<M>| match effect {
        Effect::Send(to, msg) => Effect::Send(perm.apply(*to), msg.rename(perm)),
        Effect::Reply(to, msg) => Effect::Reply(perm.apply(*to), msg.rename(perm)),
        Effect::Arm(bound) => Effect::Arm(*bound),
        Effect::Emit(output) => Effect::Emit(output.rename(perm)),
    };
    effects.iter().map(rename).collect()
}

/// All inputs, with senders from one beyond the ring too.
fn events(n: usize) -> Vec<Event> {
    all_events(n, &[AreYouAlive, IAmAlive])
}

fn all_events<M: Copy>(n: usize, messages: &[M]) -> Vec<Event<M>> {
    let from_all = |&msg: &M| Pid::all(n + 1).map(move |from| Event::Receive(from, msg));
    messages.iter().flat_map(from_all).chain([Event::Round]).collect()
}

fn renamed_event<M: Pack>(event: &Event<M>, perm: &Perm) -> Event<M> {
    match event {
        Event::Receive(from, msg) => Event::Receive(perm.apply(*from), msg.rename(perm)),
        Event::Round => Event::Round,
    }
}

/// All states of a process, whatever it is told, in the order in which a walk meets them.
fn reached<P: RingPolicy>(ring: &Ring<P>, me: Pid, events: &[Event<P::Msg>]) -> Vec<RingState<P::Memory>> {
    let mut found = vec![start(ring, me).0];
    let mut known = BTreeSet::from([packed(&found[0])]);
    let mut next = 0;
    while next < found.len() {
        for event in events {
            let mut after = found[next].clone();
            step(ring, me, &mut after, event);
            if known.insert(packed(&after)) {
                found.push(after);
            }
        }
        next += 1;
    }
    found
}

/// Whether a renaming commutes with every step from every state that can be reached.
fn commutes<P: RingPolicy>(ring: &Ring<P>, perm: &Perm, messages: &[P::Msg]) -> bool
where
    P::Msg: Copy,
{
    let events = all_events(ring.n(), messages);
    Pid::all(ring.n()).all(|me| {
        let there = perm.apply(me);
        let (first, effects) = start(ring, me);
        start(ring, there) == (first.rename(perm), renamed_effects(&effects, perm))
            && reached(ring, me, &events).into_iter().all(|before| {
                events.iter().all(|event| {
                    let (mut after, mut renamed) = (before.clone(), before.rename(perm));
                    let effects = step(ring, me, &mut after, event);
                    let there_effects = step(ring, there, &mut renamed, &renamed_event(event, perm));
                    renamed == after.rename(perm) && there_effects == renamed_effects(&effects, perm)
                })
            })
    })
}

/// Exactly the renamings that the ring promises commute, among all there are.
fn keeps_its_promise<P: RingPolicy>(ring: &Ring<P>, messages: &[P::Msg])
where
    P::Msg: Copy,
{
    let promised = ring.symmetry().perms(ring.n());
    for perm in Perm::all(ring.n()) {
        assert_eq!(commutes(ring, &perm, messages), promised.contains(&perm), "{perm:?}");
    }
}

/// Every question, with every set of suspects.
fn gossip(n: usize) -> Vec<GossipMsg> {
    let sets = (0..1u64 << n).map(ProcSet::from_bits);
    sets.map(GossipMsg::AreYouAlive).chain([GossipMsg::IAmAlive]).collect()
}

#[test]
fn timeouts_that_grow_for_all_leave_the_rotations() {
    for (n, cap) in [(3, TIMEOUT + 2), (4, TIMEOUT + 1)] {
        let ring = Ring::with_policy(StrongAccuracy::new(Some(cap)), n, TIMEOUT).expect("a ring");
        assert_eq!(ring.symmetry(), Symmetry::Rotations);
        keeps_its_promise(&ring, &[AreYouAlive, IAmAlive]);
    }
}

#[test]
fn a_set_that_travels_leaves_the_rotations() {
    for adaptation in [TimeoutAdaptation::Fixed, TimeoutAdaptation::ForAll { max_delta: Some(TIMEOUT + 1) }] {
        let policy = StrongCompleteness::new(adaptation);
        for policy in [policy, policy.asking_again()] {
            let ring = Ring::with_policy(policy, 3, TIMEOUT).expect("a ring");
            assert_eq!(ring.symmetry(), Symmetry::Rotations);
            keeps_its_promise(&ring, &gossip(3));
        }
    }
}

/// In a ring of four a process may ask two suspects again, in an order that a rotation has to keep.
#[test]
fn the_order_in_which_suspects_are_asked_again_is_that_of_the_ring() {
    let policy = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
    keeps_its_promise(&Ring::with_policy(policy, 4, TIMEOUT).expect("a ring"), &gossip(4));
}

#[test]
fn a_candidate_leaves_no_symmetry() {
    for n in 3..=4 {
        let weak = WeakAccuracy::new(p(1), Some(TIMEOUT + 1));
        let ring = Ring::with_policy(weak, n, TIMEOUT).expect("a ring");
        assert_eq!(ring.symmetry(), Symmetry::None);
        keeps_its_promise(&ring, &[AreYouAlive, IAmAlive]);
    }
}

/// Timeouts multiply the states by less than their number: only what was suspected has grown, and p2 is
/// suspected only after p1. The set G has the arc in it, and lacks whoever ended the last suspicion: with
/// an arc of nobody, p1, or both there are 6 + 4 + 1 states. To ask suspects again takes no memory.
#[test]
fn the_states_of_a_process_are_counted() {
    let strong = |n, cap| Ring::with_policy(StrongAccuracy::new(Some(cap)), n, TIMEOUT).expect("a ring");
    let count = |cap| reached(&strong(3, cap), p(0), &events(3)).len();
    assert_eq!([count(TIMEOUT), count(TIMEOUT + 1), count(TIMEOUT + 2)], [5, 11, 30]);
    let complete = StrongCompleteness::new(TimeoutAdaptation::Fixed);
    for policy in [complete, complete.asking_again()] {
        let ring = Ring::with_policy(policy, 3, TIMEOUT).expect("a ring");
        assert_eq!(reached(&ring, p(0), &all_events(3, &gossip(3))).len(), 11);
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
                        let there_effects = step(&ring, there, &mut renamed, &renamed_event(&event, &perm));
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
