//! A group that probes in the order of the ring cannot see a rotation of it: along whole runs, a step of the rotated process
//! from the rotated state is the rotated step.

use crate::effects::{Effect, EffectsOf, p, start, step};
use crate::network::{Conditions, Dice, Network};
use crate::{guarded, plain, small};
use watchkeeper_core::{Input, Pack, Perm, Promises, Slot, Symmetry};
use watchkeeper_protocols::swim::{
    FirstMembers, ProbeOrder, SMALL_GROUP, Swim, SwimConfig, SwimPolicy, SwimTimer,
};

fn renamed<P: SwimPolicy>(effects: &EffectsOf<Swim<P>>, perm: &Perm) -> EffectsOf<Swim<P>> {
    let rename = |effect: &Effect<_, _, _>| match effect {
        Effect::Send(to, msg) => Effect::Send(perm.apply(*to), Pack::rename(msg, perm)),
        Effect::Reply(to, msg) => Effect::Reply(perm.apply(*to), Pack::rename(msg, perm)),
        Effect::Arm(timer, bound) => Effect::Arm(*timer, *bound),
        Effect::Disarm(timer) => Effect::Disarm(*timer),
        Effect::Emit(output) => Effect::Emit(Pack::rename(output, perm)),
    };
    effects.iter().map(rename).collect()
}

/// States along runs in which much is lost, each of which takes every message and timer there is.
fn rotations_are_not_seen<P: SwimPolicy>(group: &Swim<P>, n: usize) {
    assert_eq!(group.symmetry(), Symmetry::Rotations);
    for seed in 0..4 {
        let conditions = Conditions { lost: 40, twice: 0, delay: 0..=5 };
        let mut network = Network::new(group.clone(), n, conditions, seed);
        let mut dice = Dice(seed);
        for _ in 0..300 {
            network.turn();
            let (me, perm) = (p(dice.index(n)), Perm::rotation(n, 1 + dice.index(n - 1)));
            let there = perm.apply(me);
            assert_eq!(start(group, there).0, start(group, me).0.rename(&perm));
            let before = &network.states[me.index()];
            for timer in SwimTimer::all() {
                let (mut here, mut other) = (before.clone(), before.rename(&perm));
                let effects = step(group, me, &mut here, Input::Fire(timer));
                let others = step(group, there, &mut other, Input::Fire(timer));
                assert_eq!((other, others), (here.rename(&perm), renamed::<P>(&effects, &perm)), "{timer:?}");
            }
            for sent in network.in_flight.iter().filter(|it| it.from != me) {
                let (mut here, mut other) = (before.clone(), before.rename(&perm));
                let effects = step(group, me, &mut here, Input::Receive { from: sent.from, msg: &sent.msg });
                let msg = sent.msg.rename(&perm);
                let input = Input::Receive { from: perm.apply(sent.from), msg: &msg };
                let others = step(group, there, &mut other, input);
                assert_eq!((other, others), (here.rename(&perm), renamed::<P>(&effects, &perm)), "{sent:?}");
            }
        }
    }
}

#[test]
fn rotations_of_the_ring_are_not_seen() {
    for n in 2..=5 {
        rotations_are_not_seen(&plain(n, small()), n);
        rotations_are_not_seen(&guarded(n, small()), n);
    }
}

#[test]
fn where_there_is_a_seed_or_chance_nothing_is_promised() {
    let seeded = SwimConfig { start: FirstMembers::Seed, ..small() };
    let ordered = |order| SwimConfig { order, ..small() };
    assert_eq!(plain(3, seeded).symmetry(), Symmetry::None);
    assert_eq!(plain(3, ordered(ProbeOrder::Random)).symmetry(), Symmetry::None);
    let auto = ordered(ProbeOrder::Auto);
    assert_eq!(plain(SMALL_GROUP, auto.clone()).symmetry(), Symmetry::Rotations);
    assert_eq!(plain(SMALL_GROUP + 1, auto).symmetry(), Symmetry::None);
}
