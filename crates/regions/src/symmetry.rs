//! Symmetry: of states that differ only in the names of processes, one is searched. The renamings are those that the
//! protocol and the observers promise and that leave the scenario as it is. An edge leads to the representative of its
//! target, with the remaining times in the order of the representative.

use crate::config::{DiscreteState, Origin, SymbolicFlight, SymbolicObserver, SymbolicProcess};
use crate::edge::Edge;
use crate::model::Model;
use watchkeeper_automaton::{CallId, MsgId, StateId};
use watchkeeper_core::{Perm, Pid, ProcSet};
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron};

/// The renamings that leave a model as it is, the identity first.
pub(crate) fn renamings(model: &Model) -> Vec<Perm> {
    let n = model.scenario.n;
    let faults = &model.scenario.faults;
    let keeps =
        |set: ProcSet, perm: &Perm| Pid::all(n).all(|p| set.contains(p) == set.contains(perm.apply(p)));
    let promised = model.automaton.facts().symmetry.perms(n);
    let mut allowed: Vec<Perm> = promised
        .into_iter()
        .filter(|perm| model.observers.iter().all(|observer| observer.symmetry().allows(perm, n)))
        .filter(|perm| keeps(faults.crashable, perm) && keeps(faults.crashed_at_start, perm))
        .filter(|perm| (0..model.calls.len()).all(|entry| renamed_call(model, entry, perm).is_some()))
        .collect();
    if allowed.is_empty() {
        allowed.push(Perm::identity(n));
    }
    allowed
}

/// The entry of a call after a renaming.
fn renamed_call(model: &Model, entry: usize, perm: &Perm) -> Option<usize> {
    let (process, call, budget) = model.calls[entry];
    let renamed = CallId(model.automaton.calls().renamed(call.0, perm));
    let wanted = (perm.apply(process), renamed, budget);
    model.calls.iter().position(|known| *known == wanted)
}

/// The edge to the representative of its target.
pub(crate) fn to_representative(model: &Model, perms: &[Perm], edge: Edge) -> Edge {
    let numbered = edge.target.numbered();
    let (target, from) = perms
        .iter()
        .map(|perm| renamed(model, &numbered, perm))
        .min_by(|(a, _), (b, _)| a.cmp(b))
        .unwrap_or_else(|| (edge.target.clone(), Vec::new()));
    let (k, m, n) = edge.sizes;
    if from.iter().copied().eq(0..n) {
        return Edge { target, ..edge };
    }
    let first = k + m + 1;
    let moved = |constraint: &Constraint| {
        let old = constraint.coefficients();
        let after = from.iter().map(|&place| old[first + place]);
        let coefficients = old[..first].iter().copied().chain(after).collect();
        Constraint::new(coefficients, constraint.constant(), constraint.relation())
    };
    let relation = edge.relation.iter().map(moved).collect();
    Edge { target, relation, ..edge }
}

/// All renamings of a state and its polyhedra: what one representative stands for.
pub(crate) fn orbit(
    model: &Model,
    perms: &[Perm],
    config: &DiscreteState,
    zones: &[Polyhedron],
) -> Result<Vec<(DiscreteState, Vec<Polyhedron>)>, Overflow> {
    let k = model.parameters.len();
    let numbered = config.numbered();
    let mut found: Vec<(DiscreteState, Vec<Polyhedron>)> = Vec::new();
    for perm in perms {
        let (renamed, from) = renamed(model, &numbered, perm);
        let keep: Vec<usize> = (0..k).chain(from.iter().map(|&place| k + place)).collect();
        let moved: Vec<Polyhedron> =
            zones.iter().map(|zone| zone.project(&keep)).collect::<Result<_, _>>()?;
        match found.iter_mut().find(|(known, _)| *known == renamed) {
            Some((_, known)) => known.extend(moved),
            None => found.push((renamed, moved)),
        }
    }
    Ok(found)
}

/// A state after a renaming, and for each of its variables the place that it had before.
fn renamed(model: &Model, config: &DiscreteState<Origin>, perm: &Perm) -> (DiscreteState, Vec<usize>) {
    let automaton = &model.automaton;
    let message = |MsgId(id): MsgId| MsgId(automaton.messages().renamed(id, perm));
    let mut after = config.clone();
    for (p, process) in config.processes.iter().enumerate() {
        let moved = match process {
            SymbolicProcess::Crashed => SymbolicProcess::Crashed,
            SymbolicProcess::Up { state, timers, outbox } => SymbolicProcess::Up {
                state: StateId(automaton.states().renamed(state.0, perm)),
                timers: timers.iter().map(|&(slot, v)| (automaton.renamed_slot(slot, perm), v)).collect(),
                outbox: outbox.iter().map(|&(to, msg)| (perm.apply(to), message(msg))).collect(),
            },
        };
        after.processes[perm.apply(Pid::at(p)).index()] = moved;
    }
    for (channel, flights) in config.channels.iter().enumerate() {
        let (from, to, kind) = model.routes.ends(channel);
        let moved = model.routes.channel(perm.apply(from), perm.apply(to), kind).unwrap_or(channel);
        let renamed =
            |flight: &SymbolicFlight<Origin>| SymbolicFlight { msg: message(flight.msg), ..flight.clone() };
        after.channels[moved] = flights.iter().map(renamed).collect();
    }
    for (entry, count) in config.calls.iter().enumerate() {
        after.calls[renamed_call(model, entry, perm).unwrap_or(entry)] = *count;
    }
    for (k, own) in config.observers.iter().enumerate() {
        let observer = &model.observers[k];
        let running = own.running.iter().map(|&(deadline, v)| (observer.rename_deadline(deadline, perm), v));
        after.observers[k] =
            SymbolicObserver { state: observer.rename(&own.state, perm), running: running.collect() };
    }
    after.settle(model.any_order());
    let place = |(_, origin): (_, Origin)| match origin {
        Origin::Kept(place) | Origin::Fresh(place) => place,
    };
    let from = after.variables().into_iter().map(place).collect();
    (after.map(|_| ()), from)
}
