//! What can be seen of a ring from outside, whoever models it: who suspects whom, and that p1 crashes. Both the
//! deployable detector and the published models get the same alphabet, over atoms of the same names.

use crate::published_ring::{MORTAL, PROCESSES};
use crate::ring::Crash;
use std::fmt;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_logic::{Alphabet, Visibility};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingPolicy};
use watchkeeper_space::{AtomId, Shape, Space};
use watchkeeper_world::{Capacity, Lanes, Network, Scenario, TypedWorld, WhenFull};

/// The environment of the deployable ring: untimed, three processes, any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Environment {
    /// Which messages share a channel.
    pub lanes: Lanes,
    /// How many messages a channel holds; one more is dropped.
    pub capacity: u8,
    /// How many messages the network may lose; `ANY_NUMBER` without a limit.
    pub losses: u32,
    /// When p1 crashes.
    pub crash: Crash,
}

impl Environment {
    /// The environment of the published models: a channel for each kind, of capacity 1, and nothing is lost.
    pub const fn published(crash: Crash) -> Environment {
        Environment { lanes: Lanes::PerKind, capacity: 1, losses: 0, crash }
    }

    fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::new(PROCESSES);
        scenario.network = Network {
            capacity: Capacity::Bounded(self.capacity.into()),
            when_full: WhenFull::Drop,
            lanes: self.lanes,
            losses: self.losses,
            ..Network::default()
        };
        let mortal = ProcSet::only(MORTAL);
        match self.crash {
            Crash::Never => {}
            Crash::AnyTime => (scenario.faults.crashable, scenario.faults.crashes) = (mortal, 1),
            Crash::AtStart => scenario.faults.crashed_at_start = mortal,
        }
        scenario
    }

    /// The world of a ring in this environment, with the atoms that an alphabet and a witness ask.
    pub fn world<P>(&self, policy: P) -> TypedWorld<Ring<P>>
    where
        P: RingPolicy<Msg = RingMsg> + Clone + Send + 'static,
    {
        let ring = Ring::with_policy(policy, PROCESSES, 1).expect("a ring of three");
        let mut world = TypedWorld::new(ring.clone(), self.scenario()).expect("a possible environment");
        for (p, q) in pairs() {
            let ring = ring.clone();
            world = world.with_atom(suspects(p, q), false, move |global| {
                global.state(p).is_some_and(|state| ring.suspects(p, state).contains(q))
            });
        }
        for p in Pid::all(PROCESSES) {
            world = world.with_atom(received(p), false, move |global| {
                global.state(p).is_some_and(|state| state.received())
            });
        }
        for (from, to) in pairs() {
            for kind in [RingMsg::AreYouAlive, RingMsg::IAmAlive] {
                for least in 1..=self.capacity {
                    world = world.with_atom(holds(kind, from, to, least), false, move |global| {
                        let is_such = |&(a, b, msg): &(Pid, Pid, &RingMsg)| (a, b, *msg) == (from, to, kind);
                        global.in_flight().filter(is_such).count() >= usize::from(least)
                    });
                }
            }
        }
        world
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "drop {} {}", self.capacity, self.lanes)?;
        if self.losses > 0 { f.write_str(", lossy") } else { Ok(()) }
    }
}

/// Suspect, stop-suspect and crash. Whoever has crashed announces nothing: that its suspicions are gone with it
/// cannot be seen.
pub fn alphabet(space: &impl Space) -> Alphabet {
    let crashed = atom(space.shape(), &format!("crashed({MORTAL})"));
    let mut alphabet = Alphabet::new().rise(crashed, format!("crash({MORTAL})"));
    for (p, q) in pairs() {
        let suspects = atom(space.shape(), &suspects(p, q));
        let unless = (p == MORTAL).then_some(crashed);
        alphabet = alphabet.with(Visibility::Rise(suspects), format!("suspect({p},{q})"), unless);
        alphabet = alphabet.with(Visibility::Fall(suspects), format!("stop-suspect({p},{q})"), unless);
    }
    alphabet
}

/// All ordered pairs of different processes.
pub(super) fn pairs() -> impl Iterator<Item = (Pid, Pid)> {
    let all = || Pid::all(PROCESSES);
    all().flat_map(move |p| all().map(move |q| (p, q))).filter(|(p, q)| p != q)
}

pub(super) fn suspects(p: Pid, q: Pid) -> String {
    format!("suspects({p},{q})")
}

pub(super) fn received(p: Pid) -> String {
    format!("received({p})")
}

/// That at least so many messages of a kind are on their way.
pub(super) fn holds(kind: RingMsg, from: Pid, to: Pid, least: u8) -> String {
    format!("{kind:?}({from},{to}) {least}")
}

/// The atom of this name.
pub(super) fn atom(shape: &Shape, name: &str) -> AtomId {
    shape.atom(name).unwrap_or_else(|| panic!("a model of the ring without the atom {name}"))
}
