//! What every consensus protocol should fulfil: three requirements on runs so far, and termination, which is about
//! infinite ones.

use crate::description::{Described, Description, Requirement, TemporalClaim};
use watchkeeper_core::Pid;
use watchkeeper_logic::Formula;
use watchkeeper_protocols::consensus::{Agreement, Consensus, Integrity, Validity};
use watchkeeper_space::Shape;
use watchkeeper_world::TypedWorld;

/// The description with all of it. The requirements are about all processes together.
pub(super) fn with_consensus<C: Described + Consensus>(description: Description<C>) -> Description<C> {
    description
        .requirement(Requirement {
            name: "agreement",
            about: "no two processes decide differently, also those that crash later",
            observed: |world, of| of.is_none().then(|| world.observed_by(Agreement)).transpose(),
        })
        .requirement(Requirement {
            name: "integrity",
            about: "no process decides twice",
            observed: |world, of| of.is_none().then(|| world.observed_by(Integrity)).transpose(),
        })
        .requirement(Requirement {
            name: "validity",
            about: "every decided value was proposed",
            observed: |world, of| of.is_none().then(|| world.observed_by(Validity)).transpose(),
        })
        .claim(TemporalClaim {
            name: "termination",
            about: "every process decides or crashes, under weak fairness of every step",
            formula: termination,
        })
        .atoms(deciding)
        .ends()
}

/// How many values each process has propositions of, beside those that are proposed.
const MOST_VALUES: usize = 8;

/// The name of the proposition that a process has decided and is up.
fn decided(p: Pid) -> String {
    format!("decided({p})")
}

fn termination(shape: &Shape, n: usize) -> Formula {
    let atom = |name: String| {
        Formula::atom(shape.atom(&name).unwrap_or_else(|| panic!("a world without the atom {name}")))
    };
    Formula::all(Pid::all(n).map(|p| atom(decided(p)).or(atom(format!("crashed({p})"))).eventually()))
}

/// The world with propositions for each process: that it has decided, and on which value. There are values for everything
/// that is proposed, and for the numbers of processes, which clients propose where nobody says otherwise.
fn deciding<C: Described + Consensus>(mut world: TypedWorld<C>) -> TypedWorld<C> {
    let (protocol, n) = (world.protocol().clone(), world.scenario().n);
    let mut values: Vec<u64> = world.calls().into_iter().filter_map(|(_, call)| C::proposes(call)).collect();
    values.extend(0..n.min(MOST_VALUES) as u64);
    values.sort_unstable();
    values.dedup();
    for p in Pid::all(n) {
        let decides = protocol.clone();
        world = world.with_outcome(decided(p), p, move |state| decides.decision(state).is_some());
        for &value in &values {
            let decides = protocol.clone();
            let on = move |state: &C::State| decides.decision(state) == Some(value);
            world = world.with_outcome(format!("decided({p},{value})"), p, on);
        }
    }
    world
}
