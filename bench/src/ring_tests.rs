//! The Stateright model against known counts, and with a search of its own where Stateright's does not say what
//! is asked.

use super::*;
use crate::known::{AT_START, BLOCKING_LATE, BLOCKING_LEVELS, LOCAL_STATES};
use stateright::Checker;
use std::collections::{BTreeSet, HashSet};

const BLOCKING: Ring = Ring { buffer: 1, when_full: WhenFull::Block, crash: Crash::AnyTime };

/// The states within 0, 1, 2, ... `depth` steps, and the first level with a deadlock.
fn levels(ring: &Ring, depth: usize) -> (Vec<u64>, Option<usize>) {
    let mut level = ring.init_states();
    let mut seen: HashSet<_> = level.iter().copied().collect();
    let mut sizes = vec![seen.len() as u64];
    let mut deadlock = None;
    for number in 0.. {
        let mut next = Vec::new();
        for state in &level {
            let successors = ring.next_states(state);
            if successors.is_empty() {
                deadlock = deadlock.or(Some(number));
            }
            next.extend(successors.into_iter().filter(|successor| seen.insert(*successor)));
        }
        if number == depth || deadlock.is_some() {
            break;
        }
        sizes.push(seen.len() as u64);
        level = next;
    }
    (sizes, deadlock)
}

/// All states of one process, whatever its neighbours send.
fn closure(me: u8) -> BTreeSet<u64> {
    let ring = Ring { when_full: WhenFull::Ignore, ..BLOCKING };
    let mut flooded = ring.init_states()[0];
    flooded.channels = 0x1111_1111_1111;
    let mut seen = BTreeSet::from([flooded.local(me).pack()]);
    let mut pending = vec![flooded.local(me)];
    while let Some(local) = pending.pop() {
        let mut state = flooded;
        state.set_local(me, local);
        let mut steps = Vec::new();
        ring.actions(&state, &mut steps);
        for step in steps.into_iter().filter(|step| step.process == me) {
            let after = ring.next_state(&state, step).expect("every offered step can be taken").local(me);
            if seen.insert(after.pack()) {
                pending.push(after);
            }
        }
    }
    seen
}

#[test]
fn local_states() {
    for me in 0..PROCESSES {
        assert_eq!(closure(me).len(), LOCAL_STATES[usize::from(me)], "process {me}");
    }
}

#[test]
fn packing_is_exact() {
    for me in 0..PROCESSES {
        for bits in closure(me) {
            assert_eq!(Local::unpack(bits).pack(), bits);
            assert!(bits < 1 << Local::BITS);
        }
    }
}

#[test]
fn blocking_levels() {
    let (sizes, deadlock) = levels(&BLOCKING, BLOCKING_LEVELS.len() - 1);
    assert_eq!(sizes, BLOCKING_LEVELS);
    assert_eq!(deadlock, None);
}

#[test]
fn the_shortest_deadlock_of_blocking_channels() {
    let (sizes, deadlock) = levels(&BLOCKING, 20);
    assert_eq!(sizes[BLOCKING_LEVELS.len()..], BLOCKING_LATE);
    assert_eq!(deadlock, Some(20));
}

#[test]
fn stateright_finds_the_deadlock_of_blocking_channels() {
    let checker = BLOCKING.checker().threads(1).spawn_bfs().join();
    let path = checker.discovery(Ring::DEADLOCK).expect("there is a deadlock");
    assert_eq!(path.into_actions().len(), 20);
}

#[test]
fn crashed_from_the_start() {
    for (buffer, states, transitions) in AT_START {
        let ring = Ring { buffer, when_full: WhenFull::Ignore, crash: Crash::AtStart };
        let checker = ring.checker().threads(1).spawn_bfs().join();
        assert_eq!(checker.unique_state_count() as u64, states, "buffer {buffer}");
        assert_eq!(checker.state_count() as u64 - 1, transitions, "buffer {buffer}");
        assert!(checker.discovery(Ring::DEADLOCK).is_none(), "buffer {buffer}");
    }
}
