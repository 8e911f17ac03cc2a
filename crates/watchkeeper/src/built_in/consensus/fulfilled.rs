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

/// The world with a proposition for each process: that it has decided.
fn deciding<C: Described + Consensus>(world: TypedWorld<C>) -> TypedWorld<C> {
    let (protocol, n) = (world.protocol().clone(), world.scenario().n);
    Pid::all(n).fold(world, |world, p| {
        let protocol = protocol.clone();
        world.with_outcome(decided(p), p, move |state| protocol.decision(state).is_some())
    })
}
