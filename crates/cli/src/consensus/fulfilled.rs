//! What every consensus protocol should fulfil, as the command line names it: three requirements on runs so far, and
//! termination, which is about infinite ones.

use crate::subject::{Claim, Subject};
use watchkeeper_core::Pid;
use watchkeeper_logic::Formula;
use watchkeeper_protocols::consensus::{Agreement, Consensus, Integrity, Validity};
use watchkeeper_space::Shape;
use watchkeeper_world::{World, WorldError};

pub(super) const REQUIREMENTS: [(&str, &str); 3] = [
    ("agreement", "no two processes decide differently, also those that crash later"),
    ("integrity", "no process decides twice"),
    ("validity", "whatever is decided was proposed"),
];

pub(super) const TERMINATION: Claim = Claim {
    name: "termination",
    about: "every process decides or crashes, in every run in which no possible step is put off for ever",
    formula: termination,
};

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

/// The world with an observer of one of [`REQUIREMENTS`]. They are about all processes together.
pub(super) fn observed<C: Subject + Consensus>(
    world: World<C>,
    requirement: &str,
    of: Option<Pid>,
) -> Result<Option<World<C>>, WorldError> {
    match (requirement, of) {
        ("agreement", None) => world.observed_by(Agreement).map(Some),
        ("integrity", None) => world.observed_by(Integrity).map(Some),
        ("validity", None) => world.observed_by(Validity).map(Some),
        _ => Ok(None),
    }
}

/// The world with a proposition for each process: that it has decided.
pub(super) fn deciding<C: Subject + Consensus>(world: World<C>) -> World<C> {
    let (protocol, n) = (world.protocol().clone(), world.scenario().n);
    Pid::all(n).fold(world, |world, p| {
        let protocol = protocol.clone();
        world.with_outcome(decided(p), p, move |state| protocol.decision(state).is_some())
    })
}
