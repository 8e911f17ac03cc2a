//! Scenarios that make no sense are refused with what to change; those that do are told in full.

use super::samples::{Ask, Flood, PingPong, Register};
use super::walk::rows;
use crate::{Capacity, Scenario, TypedWorld, WorldError};
use watchkeeper_core::{Pid, ProcSet, Value};
use watchkeeper_space::{Narration, Role, Space};

fn refused(change: impl Fn(&mut Scenario)) -> String {
    let mut scenario = Scenario::new(3);
    change(&mut scenario);
    TypedWorld::new(PingPong, scenario).expect_err("this makes no sense").to_string()
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert_eq!(refused(|s| s.n = 0), "n is 0: there must be from 2 to 64 processes");
    assert_eq!(refused(|s| s.n = 1), "n is 1: there must be from 2 to 64 processes");
    assert_eq!(refused(|s| s.n = 65), "n is 65: there must be from 2 to 64 processes");
    assert_eq!(
        refused(|s| s.network.capacity = Capacity::Bounded(0)),
        "channel size 0: a channel must hold from 1 to 4095 messages"
    );
    assert_eq!(
        refused(|s| s.network.capacity = Capacity::Unbounded { cap: 5000 }),
        "channel size 5000: a channel must hold from 1 to 4095 messages"
    );
    assert_eq!(
        refused(|s| s.faults.crashable = ProcSet::from_bits(0b11000)),
        "crashable names {p3,p4}, but with n = 3 the processes are p0 to p2"
    );
    assert_eq!(
        refused(|s| s.faults.crashed_at_start = ProcSet::from_bits(0b1001)),
        "crashed-at-start names {p3}, but with n = 3 the processes are p0 to p2"
    );
    assert_eq!(
        refused(|s| {
            s.faults.crashable = ProcSet::from_bits(0b111);
            s.faults.crashed_at_start = ProcSet::from_bits(0b001);
            s.faults.crashes = 3;
        }),
        "crashes is 3, but only the 2 processes of {p1,p2} may crash: lower crashes, or name more processes \
         as crashable"
    );
    assert_eq!(
        refused(|s| {
            s.faults.crashable = ProcSet::from_bits(0b011);
            s.faults.recoveries = 2;
            s.faults.crashes = 5;
        }),
        "crashes is 5, but the 2 processes of {p0,p1} can crash no more than 4 times with recoveries 2: lower \
         crashes, raise recoveries, or name more processes as crashable"
    );
    assert_eq!(
        refused(|s| s.faults.crashed_at_start = ProcSet::first(3)),
        "crashed-at-start names every process: leave at least one alive"
    );
    let world = TypedWorld::new(Register, Scenario::new(2)).expect("a world");
    let wrong = world.with_calls(vec![(Pid::at(2), Ask::Write(0), 1)]).unwrap_err();
    assert_eq!(wrong, WorldError::Call { process: Pid::at(2), n: 2 });
    assert_eq!(wrong.to_string(), "a call goes to p2, but with n = 2 the processes are p0 to p1");
}

#[test]
fn a_world_says_what_it_rests_on_and_what_it_counts() {
    let mut scenario = Scenario::new(3);
    scenario.network = scenario.network.with_channel("unbounded:4".parse().expect("a channel"));
    scenario.network.losses = 1;
    scenario.faults.crashable = ProcSet::from_bits(0b011);
    scenario.faults.crashes = 1;
    scenario.faults.crashed_at_start = ProcSet::from_bits(0b100);
    let world = TypedWorld::new(Register, scenario).expect("a world");
    let world = world.with_calls(vec![(Pid::at(0), Ask::Write(7), 2)]).expect("a world");
    assert_eq!(
        world.shape().assumptions,
        [
            "there are 3 processes",
            "time: untimed, so an armed timer may fire and a message may arrive at any moment, or never",
            "each ordered pair of processes has one channel, which delivers in any order, holds any number of \
         messages",
            "the network loses at most 1 messages in a run, and duplicates none",
            "no channel holds more than 4 messages: this is a cap of the search, not of the network",
            "at most 1 of the processes {p0,p1} crash, at any moment and for ever",
            "the processes {p2} have crashed before the start",
            "a client calls write 7 of p0 at most 2 times in a run",
        ]
    );
    let classes: Vec<(&str, Role)> =
        world.shape().classes.iter().map(|class| (class.name.as_str(), class.role)).collect();
    assert_eq!(
        classes,
        [
            ("deliver STORE", Role::Message),
            ("deliver STORED", Role::Message),
            ("fire Patience", Role::Timer),
            ("fire Unused", Role::Timer),
            ("call write", Role::Other),
            ("swallow", Role::Other),
            ("crash", Role::Fault),
            ("lose", Role::Fault),
        ]
    );
    let plain = TypedWorld::new(PingPong, Scenario::new(2)).expect("a world");
    let names: Vec<&str> = plain.shape().classes.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["deliver PING", "deliver PONG", "unblock", "block"]);
}

#[test]
fn propositions_see_real_values() {
    let mut scenario = Scenario::new(2);
    scenario.faults.crashable = ProcSet::only(Pid::at(1));
    scenario.faults.crashes = 1;
    let world = TypedWorld::new(Flood::PLAIN, scenario)
        .expect("a world")
        .with_atom("full", true, |state| state.in_flight().count() == 2)
        .with_atom("p1 is up", false, |state| state.state(Pid::at(1)).is_some());
    let atom = |name: &str| world.shape().atom(name).expect("it was added");
    assert!(world.shape().atoms[atom("full")].symmetric && !world.shape().atoms[atom("p1 is up")].symmetric);
    let (mut full, mut dead, mut blocked) = (0, 0, 0);
    for (row, _) in rows(&world) {
        let state = world.global(&row);
        assert_eq!(world.atom(atom("crashed(p1)"), &row), !world.atom(atom("p1 is up"), &row));
        assert_eq!(state.crashed_set().contains(Pid::at(1)), state.crashed(Pid::at(1)));
        assert_eq!(world.atom(atom("blocked(p0)"), &row), state.outbox(Pid::at(0)).next().is_some());
        assert!(world.atom(atom("within-capacity"), &row));
        full += usize::from(world.atom(atom("full"), &row));
        dead += usize::from(state.crashed(Pid::at(1)));
        blocked += usize::from(state.blocked(Pid::at(0)));
    }
    // Up: 15 states as counted elsewhere. Dead: p0 ready or blocked, and any contents.
    assert_eq!((rows(&world).len(), dead), (15 + 8, 8));
    assert_eq!((full, blocked), (4 + 2, 4 + 3 + 4));
}

/// An atom stays when calls are added later.
#[test]
fn calls_keep_the_atoms() {
    let world = TypedWorld::new(Register, Scenario::new(2)).expect("a world");
    let world = world.with_atom("late", true, |state| {
        state.processes().any(|p| state.state(p).is_some_and(|kept| kept.late))
    });
    let world = world.with_calls(vec![(Pid::at(0), Ask::Write(1), 1)]).expect("a world");
    let late = world.shape().atom("late").expect("it is still there");
    assert_eq!(rows(&world).iter().filter(|(row, _)| world.atom(late, row)).count(), 3);
}

#[test]
fn a_view_shows_fields_timers_and_channels() {
    let world = TypedWorld::new(Register, Scenario::new(2)).expect("a world");
    let world = world.with_calls(vec![(Pid::at(0), Ask::Write(9), 1)]).expect("a world");
    let shown: Vec<Vec<String>> = rows(&world)
        .iter()
        .take(2)
        .map(|(row, _)| world.view(row).iter().map(|(name, value)| format!("{name}: {value}")).collect())
        .collect();
    assert_eq!(
        shown[0],
        [
            "p0: value=0 late=false timers={}",
            "p1: value=0 late=false timers={}",
            "channels: ",
            "calls p0 write 9: 0",
        ]
    );
    assert_eq!(
        shown[1],
        [
            "p0: value=0 late=false timers={Patience}",
            "p1: value=0 late=false timers={}",
            "channels: p0->p1=[STORE 9]",
            "calls p0 write 9: 1",
        ]
    );
    let names = |row: &[u32]| world.view(row).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let all = rows(&world);
    assert!(all.iter().all(|(row, _)| names(row) == names(&all[0].0)), "the variables never change");
    let Value::Record(fields) = &world.view(&all[0].0)[0].1 else { panic!("a record") };
    assert_eq!(fields[0], ("value".to_string(), Value::Int(0)));
}
