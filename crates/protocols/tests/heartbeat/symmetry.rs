//! Participants are alike: renaming them before a step is renaming them after it, for the protocol and for
//! the observers of its requirements. Also that states and messages are read back from their bytes.

use crate::requirements::Seen;
use crate::script::{Effect, Event, heartbeat, p, start, step};
use std::collections::BTreeSet;
use watchkeeper_core::{Deadlines, Observer, Pack, PerProc, Perm, Pid, ProcSet, Promises, packed, unpacked};
use watchkeeper_protocols::heartbeat::HeartbeatMsg::{Beat, Leave};
use watchkeeper_protocols::heartbeat::HeartbeatTimer::{GiveUp, Join, Round};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatObserverState, HeartbeatRequirement, HeartbeatState,
    HeartbeatVariant,
};

const N: usize = 3;

/// The order in which p0 sends its beats follows the numbers of the participants; nothing else does.
fn renamed_effects(effects: &[Effect], perm: &Perm) -> Vec<Effect> {
    let rename = |effect: &Effect| match *effect {
        Effect::Send(to, msg) => Effect::Send(perm.apply(to), msg.rename(perm)),
        Effect::Reply(to, msg) => Effect::Reply(perm.apply(to), msg.rename(perm)),
        other => other,
    };
    sorted(effects.iter().map(rename).collect())
}

fn sorted(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.sort_unstable();
    effects
}

fn events() -> Vec<Event> {
    let heard = Pid::all(N + 2).flat_map(|from| [Event::Receive(from, Beat), Event::Receive(from, Leave)]);
    heard.chain([Event::Fire(Round), Event::Fire(GiveUp), Event::Fire(Join), Event::Leave]).collect()
}

fn renamed_event(event: Event, perm: &Perm) -> Event {
    match event {
        Event::Receive(from, msg) => Event::Receive(perm.apply(from), msg.rename(perm)),
        other => other,
    }
}

/// All states of p0 with these waits, whether they can be reached or not, and those of participants.
fn states(waits: &[u32]) -> Vec<HeartbeatState> {
    let mut states = vec![
        HeartbeatState::Joining,
        HeartbeatState::Joined,
        HeartbeatState::Leaving,
        HeartbeatState::Inactive,
    ];
    let sets = || (0..1u64 << N).map(|bits| ProcSet::from_bits(bits << 1));
    for (counted, received) in sets().flat_map(|counted| sets().map(move |received| (counted, received))) {
        for choice in 0..waits.len().pow(N as u32) {
            let mut tm = PerProc::new(N + 1, waits[0]);
            for i in 0..N {
                tm[p(i + 1)] = waits[choice / waits.len().pow(i as u32) % waits.len()];
            }
            states.push(HeartbeatState::Coordinator { counted, received, tm });
        }
    }
    states
}

#[test]
fn renaming_before_a_step_is_renaming_after_it() {
    let mut tried = 0;
    for variant in [HeartbeatVariant::Static, HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        let heartbeat = heartbeat(variant, 2, 10, N);
        let perms = heartbeat.symmetry().perms(N + 1);
        assert_eq!(perms.len(), 6);
        for perm in perms {
            for me in Pid::all(N + 1) {
                let there = perm.apply(me);
                let (first, effects) = start(&heartbeat, me);
                let (first_there, effects_there) = start(&heartbeat, there);
                assert_eq!(first_there, first.rename(&perm));
                assert_eq!(sorted(effects_there), renamed_effects(&effects, &perm));
                for before in states(&[10, 5, 2]) {
                    for event in events() {
                        let mut renamed = before.rename(&perm);
                        let effects_there =
                            step(&heartbeat, there, &mut renamed, &renamed_event(event, &perm));
                        let mut after = before.clone();
                        let effects = step(&heartbeat, me, &mut after, &event);
                        assert_eq!(renamed, after.rename(&perm), "{variant} {me} {before:?} {event:?}");
                        assert_eq!(sorted(effects_there), renamed_effects(&effects, &perm));
                        tried += 1;
                    }
                }
            }
        }
    }
    assert_eq!(tried, 3 * 6 * 4 * (4 + 8 * 8 * 27) * (2 * 5 + 4));
}

/// More symmetry would be a wrong promise to a checker.
#[test]
fn p0_is_not_like_the_others() {
    let heartbeat = heartbeat(HeartbeatVariant::Static, 2, 10, N);
    let turn = Perm::rotation(N + 1, 1);
    assert_ne!(start(&heartbeat, turn.apply(p(0))).0, start(&heartbeat, p(0)).0.rename(&turn));
}

/// What can be seen of a protocol with `n` participants.
fn observations(n: usize, with_leaving: bool) -> Vec<Seen> {
    let told = |i: Pid| [Seen::ToldBeat(i), Seen::Asked(i), Seen::Loses(p(0), i), Seen::Loses(i, p(0))];
    let left = |i: Pid| [Seen::SaysLeave(i), Seen::ToldLeave(i)].into_iter().filter(move |_| with_leaving);
    let any = |i: Pid| [Seen::Stops(i), Seen::Crashes(i), Seen::Timer(i)];
    let participants = || Pid::all(n + 1).skip(1);
    let all = participants().flat_map(told).chain(participants().flat_map(left));
    all.chain(Pid::all(n + 1).flat_map(any)).collect()
}

fn renamed_observation(seen: Seen, perm: &Perm) -> Seen {
    let to = |i: Pid| perm.apply(i);
    match seen {
        Seen::ToldBeat(i) => Seen::ToldBeat(to(i)),
        Seen::ToldLeave(i) => Seen::ToldLeave(to(i)),
        Seen::SaysLeave(i) => Seen::SaysLeave(to(i)),
        Seen::Asked(i) => Seen::Asked(to(i)),
        Seen::Stops(i) => Seen::Stops(to(i)),
        Seen::Crashes(i) => Seen::Crashes(to(i)),
        Seen::Loses(from, by) => Seen::Loses(to(from), to(by)),
        Seen::Timer(i) => Seen::Timer(to(i)),
    }
}

/// The orders, renamed; those of one observation are about different deadlines, so that their order is no matter.
fn orders(monitor: &HeartbeatObserver, deadlines: &Deadlines, perm: &Perm) -> Vec<(usize, Option<u32>)> {
    let rename = |&(deadline, bound): &(usize, Option<u32>)| (monitor.rename_deadline(deadline, perm), bound);
    let mut renamed: Vec<_> = deadlines.orders().iter().map(rename).collect();
    renamed.sort_unstable();
    renamed
}

/// All that an observer can remember after a few observations.
fn memories(monitor: &HeartbeatObserver, observations: &[Seen]) -> Vec<HeartbeatObserverState> {
    let mut found = vec![monitor.start(&mut Deadlines::default())];
    let mut known = BTreeSet::from([packed(&found[0])]);
    let mut next = 0;
    while next < found.len() {
        for seen in observations {
            let mut state = found[next];
            monitor.see(&mut state, &seen.observation(), &mut Deadlines::default());
            if known.insert(packed(&state)) {
                found.push(state);
            }
        }
        next += 1;
    }
    found
}

#[test]
fn observers_cannot_tell_participants_apart() {
    for variant in [HeartbeatVariant::Static, HeartbeatVariant::Dynamic] {
        for requirement in HeartbeatRequirement::ALL {
            let all = HeartbeatObserver::new(requirement, &heartbeat(variant, 2, 10, N));
            for monitor in [all, all.only(p(2)).expect("p2 is a participant")] {
                let observations = observations(N, variant == HeartbeatVariant::Dynamic);
                let memories = memories(&monitor, &observations);
                for perm in monitor.symmetry().perms(N + 1) {
                    let same = Perm::identity(N + 1);
                    let (mut here, mut there) = (Deadlines::default(), Deadlines::default());
                    assert_eq!(monitor.start(&mut here).rename(&perm), monitor.start(&mut there));
                    assert_eq!(orders(&monitor, &here, &perm), orders(&monitor, &there, &same));
                    for &before in &memories {
                        for &seen in &observations {
                            let (mut here, mut there) = (Deadlines::default(), Deadlines::default());
                            let (mut state, mut renamed) = (before, before.rename(&perm));
                            monitor.see(&mut state, &seen.observation(), &mut here);
                            monitor.see(
                                &mut renamed,
                                &renamed_observation(seen, &perm).observation(),
                                &mut there,
                            );
                            assert_eq!(renamed, state.rename(&perm), "{monitor:?} {before:?} {seen:?}");
                            assert_eq!(orders(&monitor, &here, &perm), orders(&monitor, &there, &same));
                        }
                        for deadline in 0..N {
                            let (mut state, mut renamed) = (before, before.rename(&perm));
                            let moved = monitor.rename_deadline(deadline, &perm);
                            monitor.expired(&mut state, deadline, &mut Deadlines::default());
                            monitor.expired(&mut renamed, moved, &mut Deadlines::default());
                            assert_eq!(renamed, state.rename(&perm));
                        }
                    }
                }
            }
        }
    }
}

/// A requirement must not multiply the states of a search by more than it needs.
#[test]
fn observers_remember_little() {
    let count = |variant, requirement, n| {
        let of = heartbeat(variant, 2, 10, n);
        memories(
            &HeartbeatObserver::new(requirement, &of),
            &observations(n, variant == HeartbeatVariant::Dynamic),
        )
        .len()
    };
    // Open, settled, and violated by each of those that it speaks of; R1 is violated by its deadlines alone.
    assert_eq!(
        HeartbeatRequirement::ALL.map(|requirement| count(HeartbeatVariant::Static, requirement, 3)),
        [2, 5, 3]
    );
    // While it is open, each participant is counted, or down, or neither; for R2 not all are down.
    assert_eq!(
        HeartbeatRequirement::ALL.map(|requirement| count(HeartbeatVariant::Expanding, requirement, 2)),
        [2, 11, 11]
    );
    // Each may also have said that it leaves, and then be both counted and down.
    assert_eq!(
        HeartbeatRequirement::ALL.map(|requirement| count(HeartbeatVariant::Dynamic, requirement, 1)),
        [2, 6, 9]
    );
}

#[test]
fn what_is_packed_is_read_back() {
    let all = states(&[10, 5, 2]);
    let distinct: BTreeSet<Vec<u8>> = all.iter().map(packed).collect();
    assert_eq!(distinct.len(), all.len());
    for state in &all {
        assert_eq!(unpacked::<HeartbeatState>(&packed(state)).as_ref(), Ok(state));
        for perm in
            Heartbeat::new(HeartbeatVariant::Static, 1, 2, N).expect("a protocol").symmetry().perms(N + 1)
        {
            assert_eq!(state.rename(&perm).rename(&perm.inverse()), *state);
        }
    }
    assert_eq!((packed(&Beat), packed(&Leave)), (vec![0], vec![1]));
    let dynamic =
        HeartbeatObserver::new(HeartbeatRequirement::R3, &heartbeat(HeartbeatVariant::Dynamic, 2, 10, N));
    for memory in memories(&dynamic, &observations(N, true)) {
        assert_eq!(unpacked::<HeartbeatObserverState>(&packed(&memory)), Ok(memory));
    }
}
