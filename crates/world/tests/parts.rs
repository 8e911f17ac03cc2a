//! Rows that one world writes and another one reads, whose ids are others: in stages, in families, in dense time; and what
//! no world could have written is refused.

use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_explore::{BadParts, Collapsed, PartsReader, PartsWriter, Retold, Symmetric, retold};
use watchkeeper_protocols::consensus::{Agreement, ConsensusCall, Rotating};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_space::{Id, Parts, Space, successors};
use watchkeeper_world::{
    Capacity, Channel, Faults, InStages, Network, Oracle, OracleAccuracy, Scenario, StageRules,
    SuspicionMemory, Timing, TypedWorld, World, WorldTime, Worlds, unknown_bounds,
};

fn told(here: &dyn Space, there: &dyn Space) -> Retold {
    let found = retold(here, there, 1000, (40, 11)).unwrap_or_else(|why| panic!("{why}"));
    assert!(found.renumbered * 2 > found.states && found.states > 100, "{found:?}");
    assert!(found.refused > 10 && found.accepted > 10, "{found:?}");
    found
}

fn in_stages() -> InStages {
    let scenario = Scenario {
        network: Network { capacity: Capacity::Unbounded { cap: 32 }, ..Network::default() },
        faults: Faults { crashable: ProcSet::first(3), crashes: 1, crash_loses: true, ..Faults::default() },
        oracle: Some(Oracle { accuracy: OracleAccuracy::EventuallyWeak, memory: SuspicionMemory::Momentary }),
        ..Scenario::new(3)
    };
    let calls = Pid::all(3).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 1)).collect();
    let protocol = Rotating::new(3).expect("a protocol");
    let world = TypedWorld::new(protocol, scenario).expect("a world").with_calls(calls).expect("calls");
    let world = world.observed_by(Agreement).expect("an observer");
    InStages::new(world, StageRules::of()).expect("a world in stages")
}

#[test]
fn consensus_in_stages() {
    let (here, there) = (in_stages(), in_stages());
    told(&here, &there);
    told(&Collapsed::new(&here), &Collapsed::new(&there));
}

fn timed(time: fn(Timing) -> WorldTime) -> Scenario {
    Scenario {
        network: Network::default().with_channel(Channel::Drop(1)),
        faults: Faults { crashable: ProcSet::first(3), crashes: 1, ..Faults::default() },
        time: time(Timing::per_message(Bound::within(2))),
        ..Scenario::new(3)
    }
}

fn ring(scenario: Scenario) -> World {
    TypedWorld::new(Ring::new(3, 2).expect("a ring"), scenario).expect("a world").into_world()
}

fn family(time: fn(Timing) -> WorldTime) -> Worlds {
    let members = unknown_bounds(&timed(time), 1..=2, 1..=2);
    Worlds::new(members.into_iter().map(ring).collect()).expect("a family")
}

/// Equal ids of two members stand for different contents, also folded, and up to renaming.
#[test]
fn families_in_ticks_and_in_dense_time() {
    for time in [WorldTime::Ticks, WorldTime::Dense] {
        let (here, there) = (family(time), family(time));
        told(&here, &there);
        told(&Collapsed::new(&here), &Collapsed::new(&there));
        let (here, there) = (here.symmetry().expect("a ring"), there.symmetry().expect("a ring"));
        assert!(here.symmetries() > 1);
        let (here, there) = (Symmetric::new(here), Symmetric::new(there));
        told(&here, &there);
        told(&Collapsed::new(&here), &Collapsed::new(&there));
    }
}

/// The id in a world of what another world has in a slot.
fn read(there: &World, here: &World, row: &[Id], slot: usize) -> Option<Id> {
    let mut bytes = Vec::new();
    here.part(0, slot, row[slot], &mut bytes);
    there.part_id(0, slot, &bytes)
}

/// Some states of a world, from the first on.
fn states(world: &World) -> Vec<Vec<Id>> {
    let mut rows = world.initial();
    for at in 0..60 {
        rows.extend(successors(world, &rows[at].clone()).into_iter().map(|(_, row)| row));
    }
    rows
}

/// Times are part of the contents: what is left of a bound in ticks is nothing that dense time has, and an untimed world
/// has neither.
#[test]
fn parts_of_worlds_with_another_time_are_refused() {
    let untimed = Scenario { time: WorldTime::Untimed, ..timed(WorldTime::Ticks) };
    let worlds = [ring(untimed), ring(timed(WorldTime::Ticks)), ring(timed(WorldTime::Dense))];
    for (at, here) in worlds.iter().enumerate() {
        for (other, there) in worlds.iter().enumerate() {
            let rows = states(here);
            let all = rows.iter().all(|row| (0..3).all(|slot| read(there, here, row, slot).is_some()));
            assert_eq!(all, at == other, "{at} read by {other}");
        }
    }
}

/// A process that cannot crash has not; a channel of one message does not hold two.
#[test]
fn parts_that_the_scenario_excludes_are_refused() {
    let faultless = ring(Scenario { faults: Faults::default(), ..timed(WorldTime::Ticks) });
    let here = ring(timed(WorldTime::Ticks));
    let crashed = |row: &Vec<Id>| (0..3).any(|slot| read(&faultless, &here, row, slot).is_none());
    assert!(states(&here).iter().any(crashed));
    let roomy = Network::default().with_channel(Channel::Drop(3));
    let roomy = ring(Scenario { network: roomy, ..timed(WorldTime::Ticks) });
    let crowded = |row: &Vec<Id>| (3..row.len()).any(|slot| read(&here, &roomy, row, slot).is_none());
    let mut rows = states(&roomy);
    for at in 0..3000.min(rows.len()) {
        let next: Vec<Vec<Id>> =
            successors(&roomy, &rows[at].clone()).into_iter().map(|(_, row)| row).collect();
        rows.extend(next);
    }
    assert!(rows.iter().any(crowded));
    assert_eq!(here.part_id(0, 99, &[0]), None, "no such slot");
}

/// A zone has the clocks of the other parts, or the row is none.
#[test]
fn a_zone_with_other_clocks_is_refused() {
    let world = ring(timed(WorldTime::Dense));
    let slot = world.shape().zone.expect("dense time");
    let rows = states(&world);
    let (mut writer, mut reader, mut bytes) = (PartsWriter::new(), PartsReader::new(), Vec::new());
    rows.iter().for_each(|row| writer.describe(&world, row, &mut bytes));
    reader.learn(&world, &bytes).expect("what was written");
    let (mut same, mut other) = (0, 0);
    for row in &rows {
        let mut mixed = row.clone();
        assert_eq!(reader.translate(&world, &mut mixed), Ok(()));
        mixed[slot] = rows[rows.len() - 1][slot];
        match reader.translate(&world, &mut mixed) {
            Ok(()) => same += 1,
            Err(why) => {
                assert_eq!(why, BadParts::NoState);
                other += 1;
            }
        }
    }
    assert!(same > 0 && other > 0, "{same} and {other}");
}

/// A zone that is empty, not canonical or past its ends is none.
#[test]
fn bytes_that_are_no_zone_are_refused() {
    let world = ring(timed(WorldTime::Dense));
    let slot = world.shape().zone.expect("dense time");
    let (mut good, start) = (Vec::new(), world.initial()[0].clone());
    world.part(0, slot, start[slot], &mut good);
    assert_eq!(world.part_id(0, slot, &good), Some(start[slot]));
    let mut accepted = 0;
    for at in 0..good.len() {
        for change in [1, 2, 4, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= change;
            accepted += usize::from(world.part_id(0, slot, &bad).is_some_and(|id| id == start[slot]));
        }
    }
    assert_eq!(accepted, 0, "other bytes are no other form of the same zone");
    assert_eq!(world.part_id(0, slot, &[]), None);
    assert_eq!(world.part_id(0, slot, &good[..good.len() - 1]), None);
}
