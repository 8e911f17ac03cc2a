//! The one interface between models and engines.

use crate::{
    ActionLabels, AmpleSets, AtomId, DataLabels, FullyExpanded, Mismatch, Narration, Parts, Refusal,
    RunTimes, Shape, SpaceQuery, StatePath, Successors, Symmetries, Zones, path,
};

/// The content of a slot of a row. Ids are dense: a slot that has had `k` values has had the ids below `k`, or few more. A
/// value may have another id in another run.
pub type Id = u32;

/// The meaning of a state that has no successor, or that only faults can leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// A process that has not crashed can never act again: a deadlock.
    Deadlock,
    /// A time-lock: time cannot pass and nothing can happen, because an action is due that is not possible.
    Timelock,
    /// Every process has crashed, or the model says that this is an end.
    Finished,
}

/// A model as a graph of rows: the core that every engine needs, and accessors for the capabilities beyond it.
///
/// `expand` is called from many threads at once. It must not depend on anything but the row: the same
/// row has the same successors, in the same order, whenever it is query.
pub trait Space: Narration + Send + Sync {
    /// The parts that do not change from state to state.
    fn shape(&self) -> &Shape;

    /// The initial rows.
    fn initial(&self) -> Vec<Vec<Id>>;

    /// Appends all successors of a row.
    fn expand(&self, row: &[Id], out: &mut Successors);

    /// Whether the answer to this query in this space is the right one. Every engine asks before it begins; a refusal is an
    /// error that says why, never a verdict.
    ///
    /// A space that has all runs admits every query that needs neither of the two reductions. A space that has only some
    /// ([`Shape::some_runs`]) admits nothing unless it says here which queries its runs decide. A space around a space
    /// asks the inner one too.
    fn admits(&self, query: &SpaceQuery) -> Result<(), Refusal> {
        admits_by_default(self.shape(), self.symmetry(), query)
    }

    /// The meaning of this row if it has no successor that is progress ([`Shape::progress`]).
    fn stuck(&self, row: &[Id]) -> Stuck;

    /// Whether an atom holds in this row.
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool;

    /// Appends bytes that identify this row in every run: equal for equal states, whichever ids a run gave to their parts.
    /// Engines choose by them among equally good states, so that results do not depend on the number of threads.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>);

    /// The actions between the rows of a path that an engine has found. A space whose rows stand for more
    /// than one state (a reduction) gives here a path of real states.
    fn lift(&self, path: &[Vec<Id>]) -> Result<StatePath, Mismatch> {
        path::name_steps(self, path)
    }

    /// The heuristic value of a row for a search that cannot keep all of them; more is better.
    fn guide(&self, _row: &[Id]) -> u32 {
        0
    }

    /// The bytes of memory that the space itself holds: interned parts, remembered steps.
    fn bytes(&self) -> usize {
        0
    }

    /// The renamings under which the space looks the same, if it knows any.
    fn symmetry(&self) -> Option<&dyn Symmetries> {
        None
    }

    /// The inclusion of zones, if [`Shape::zone`] names a slot of them.
    fn zones(&self) -> Option<&dyn Zones> {
        None
    }

    /// Ample sets, if the space knows which of its steps are independent.
    fn ample_sets(&self) -> Option<&dyn AmpleSets> {
        None
    }

    /// The labels of actions that fairness speaks of, if actions have any.
    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        None
    }

    /// What steps do, as actions with arguments, if the model says so.
    fn data_labels(&self) -> Option<&dyn DataLabels> {
        None
    }

    /// The windows of the steps of a run, if steps have any.
    fn run_times(&self) -> Option<&dyn RunTimes> {
        None
    }

    /// The contents of slots as bytes, if states can leave the process and come back.
    fn parts(&self) -> Option<&dyn Parts> {
        None
    }
}

/// The default of [`Space::admits`], for a space that has all runs, knows no independent steps, and has these symmetries.
pub fn admits_by_default(
    shape: &Shape,
    symmetry: Option<&dyn Symmetries>,
    query: &SpaceQuery,
) -> Result<(), Refusal> {
    if let Some(stranger) = query.atoms().find(|&atom| atom >= shape.atoms.len()) {
        return Err(Refusal::NoAtom(stranger));
    }
    if shape.zone.is_some() && (!query.claims.is_empty() || query.events) {
        return Err(Refusal::Dense);
    }
    if query.partial_order {
        return Err(Refusal::FullyExpanded(FullyExpanded::Space));
    }
    if query.symmetry {
        admits_renaming(shape, symmetry.map_or(1, |symmetry| symmetry.symmetries()), query)?;
    }
    let asks = query.deadlock || query.atoms().next().is_some() || !query.is_of_states();
    if shape.some_runs && asks {
        let (what, why) =
            ("this question".to_string(), "it does not say which questions they decide".to_string());
        return Err(Refusal::SomeRuns { what, why });
    }
    Ok(())
}

/// Whether a query has the same answer for all renamings of a state, in a space that has so many.
pub fn admits_renaming(shape: &Shape, symmetries: usize, query: &SpaceQuery) -> Result<(), Refusal> {
    let refused = |why: &str| Err(Refusal::Asymmetric(why.to_string()));
    if !query.claims.is_empty() {
        return refused(
            "fairness tells processes apart, so claims about infinite runs are searched without it",
        );
    }
    if query.events {
        return refused("refinement follows named events; compare without it");
    }
    if symmetries < 2 {
        return refused(
            "no renaming of processes leaves this space as it is; treat all processes alike in the scenario, or \
             leave --symmetry out",
        );
    }
    match query.atoms().map(|atom| &shape.atoms[atom]).find(|atom| !atom.symmetric) {
        None => Ok(()),
        Some(atom) => {
            let name = &atom.name;
            refused(&format!(
                "the property speaks of {name}, which may depend on the names of processes; if it does not, mark the \
                 property with `.symmetric()` (an observer: with `Observer::symmetry`), or leave --symmetry out"
            ))
        }
    }
}
