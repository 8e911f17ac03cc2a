//! What every membership protocol should fulfil: five requirements on runs so far, and merging, which is about infinite
//! ones.

use crate::description::{Described, Description, Requirement, TemporalClaim};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_logic::Formula;
use watchkeeper_protocols::membership::{
    CausalOrder, GroupProtocol, Insiders, MemberStatus, NoDuplication, VirtualSynchrony,
};
use watchkeeper_space::Shape;
use watchkeeper_world::{DeliveryOrder, OracleAccuracy, Scenario, TypedWorld};

/// The description with all of it. The requirements are about all processes together.
pub(super) fn with_group<G: Described + GroupProtocol>(description: Description<G>) -> Description<G> {
    description
        .requirement(Requirement {
            name: "consensus",
            about: "members with nothing to agree on who are in each other's configuration have the same one",
            observed: |world, of| Ok(of.is_none().then(|| agreeing(world))),
        })
        .requirement(Requirement {
            name: "synchrony",
            about: "members that go from one view to the same next one have delivered the same words in between",
            observed: |world, of| {
                let synchrony = VirtualSynchrony::of(world.protocol(), world.scenario().n);
                of.is_none().then(|| world.observed_by(synchrony)).transpose()
            },
        })
        .requirement(Requirement {
            name: "causality",
            about: "nobody delivers a word after one that follows it",
            observed: |world, of| {
                let n = world.scenario().n;
                of.is_none().then(|| world.observed_by(CausalOrder { n })).transpose()
            },
        })
        .requirement(Requirement {
            name: "no-duplication",
            about: "nobody delivers a word twice",
            observed: |world, of| {
                let n = world.scenario().n;
                of.is_none().then(|| world.observed_by(NoDuplication { n })).transpose()
            },
        })
        .requirement(Requirement {
            name: "insiders",
            about: "nobody delivers a word of somebody outside of its view",
            observed: |world, of| {
                let insiders = Insiders::of(world.protocol(), world.scenario().n);
                of.is_none().then(|| world.observed_by(insiders)).transpose()
            },
        })
        .claim(TemporalClaim {
            name: "merging",
            about: "all processes that are up come into one view and stay there, under weak fairness of every step",
            formula: merges,
        })
        .atoms(|world| configured(merging(world)))
        .ends()
}

/// The name of the proposition that all who are up are in one view, and nothing is being agreed on.
const MERGED: &str = "merged";

fn merges(shape: &Shape, _: usize) -> Formula {
    let merged = shape.atom(MERGED).unwrap_or_else(|| panic!("a world without the atom {MERGED}"));
    Formula::atom(merged).always().eventually()
}

/// The world with the proposition of consensus (T, section 5.5.1). It is a requirement on states, and sees of each
/// process whether it is up and has nothing to agree on, and its configuration.
fn agreeing<G: Described + GroupProtocol>(world: TypedWorld<G>) -> TypedWorld<G> {
    let protocol = world.protocol().clone();
    let glance = move |_: Pid, state: Option<&G::State>| {
        state.map_or(0, |state| {
            let standing = protocol.standing(state);
            1 | u64::from(standing.stable) << 1 | standing.ccs.bits() << 2
        })
    };
    world.with_glancing_atom("consensus", true, glance, |all| {
        let settled = |it: u64| it & 3 == 3;
        let has = |it: u64, q: usize| it >> 2 >> q & 1 == 1;
        let agree = |one: u64| {
            all.iter()
                .enumerate()
                .all(|(q, &other)| !settled(one) || !settled(other) || !has(one, q) || one == other)
        };
        all.iter().all(|&one| agree(one))
    })
}

/// The world with the proposition that all who are up are in one view.
fn merging<G: Described + GroupProtocol>(world: TypedWorld<G>) -> TypedWorld<G> {
    let protocol = world.protocol().clone();
    world.with_atom(MERGED, true, move |global| {
        let up: ProcSet = global.processes().filter(|&p| !global.crashed(p)).collect();
        up.iter().filter_map(|p| global.state(p)).all(|state| {
            let standing = protocol.standing(state);
            standing.stable && standing.view == up && standing.ccs == up
        })
    })
}

/// What is said of the configurations of a process.
type Standing = Box<dyn Fn(MemberStatus) -> bool + Send + Sync>;

/// Up to how many processes there is a proposition for each set that a view may be.
const MOST_IN_SETS: usize = 5;

/// The world with propositions about the configurations of each process that is up: its view and the configuration that it has
/// assented to, member by member and as sets, and whether it has nothing to agree on.
fn configured<G: Described + GroupProtocol>(mut world: TypedWorld<G>) -> TypedWorld<G> {
    let (protocol, n) = (world.protocol().clone(), world.scenario().n);
    let with = |world: TypedWorld<G>, name: String, p: Pid, holds: Standing| {
        let protocol = protocol.clone();
        let test = move |state: &G::State| holds(protocol.standing(state));
        world.with_atom(name, false, move |global| global.state(p).is_some_and(&test))
    };
    for p in Pid::all(n) {
        world = with(world, format!("agreed({p})"), p, Box::new(|standing| standing.stable));
        for q in Pid::all(n) {
            world = with(
                world,
                format!("in-view({p},{q})"),
                p,
                Box::new(move |standing| standing.view.contains(q)),
            );
            world = with(
                world,
                format!("in-ccs({p},{q})"),
                p,
                Box::new(move |standing| standing.ccs.contains(q)),
            );
        }
        for bits in 0..if n <= MOST_IN_SETS { 1_u64 << n } else { 0 } {
            let set = ProcSet::from_bits(bits);
            let written: Vec<String> = set.iter().map(|q| q.to_string()).collect();
            let written = written.join(",");
            world = with(
                world,
                format!("view({p},{{{written}}})"),
                p,
                Box::new(move |standing| standing.view == set),
            );
            world = with(
                world,
                format!("ccs({p},{{{written}}})"),
                p,
                Box::new(move |standing| standing.ccs == set),
            );
        }
    }
    world
}

/// What is outside of what the protocol needs.
pub(super) fn cautions(around: &Scenario) -> Vec<(&'static str, String)> {
    let network = &around.network;
    let mistaken =
        around.oracle.is_some_and(|oracle| oracle.accuracy != OracleAccuracy::Strong { mistakes: 0 });
    let all = [
        (
            network.order != DeliveryOrder::Fifo || network.losses > 0 || network.duplications > 0,
            "synchrony",
            "this protocol is for channels that lose nothing and keep the order of each sender, and these do not; \
             what comes out of its turn is refused, and those who miss it never merge again",
        ),
        (
            around.faults.crash_loses,
            "synchrony",
            "what the crashed had sent may be lost to some and not to others; with --param collect=stable members \
             pass it on",
        ),
        (
            mistaken,
            "merging",
            "this detector may suspect those who have not crashed; with --param returns=yes they may come back",
        ),
    ];
    let cautioned = all.into_iter().filter(|(outside, ..)| *outside);
    cautioned.map(|(_, property, why)| (property, why.to_string())).collect()
}
