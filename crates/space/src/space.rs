//! The one interface between models and engines.

use crate::{
    ActionLabels, AmpleSets, Asked, AtomId, Mismatch, Narration, Refusal, Shape, Successors, Symmetries,
    Trail, Unreduced, Zones, trail,
};

/// What stands in a slot of a row. Ids are dense: a slot that has had `k` values has had the ids below
/// `k`, or few more. Which value has which id may differ from run to run.
pub type Id = u32;

/// What it means that a state has no successor, or only faults can leave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// A process that has not crashed can never act again: a deadlock.
    Deadlock,
    /// Time cannot pass, and nothing can happen: something is due that cannot be done.
    Timelock,
    /// Every process has crashed, or the model says that this is an end.
    Finished,
}

/// A model as a graph of rows: the core that every engine needs, and accessors for what a space may be able to do beyond it.
///
/// `expand` is called from many threads at once. It must not depend on anything but the row: the same
/// row has the same successors, in the same order, whenever it is asked.
pub trait Space: Narration + Sync {
    /// What does not change from state to state.
    fn shape(&self) -> &Shape;

    /// The initial rows.
    fn initial(&self) -> Vec<Vec<Id>>;

    /// Appends all successors of a row.
    fn expand(&self, row: &[Id], out: &mut Successors);

    /// Whether this question may be asked of this space: whether its answer here is the answer. Every engine asks
    /// before it begins, and a refusal is an error that says why, never a verdict.
    ///
    /// A space that has all runs admits everything that needs neither of the two reductions, which it has to know
    /// about. One that has only some ([`Shape::some_runs`]) admits nothing unless it says here what its runs
    /// decide. A space around a space asks the inner one too.
    fn admits(&self, asked: &Asked) -> Result<(), Refusal> {
        admits_by_default(self.shape(), self.symmetry(), asked)
    }

    /// What it means if this row has no successor that is progress ([`Shape::progress`]).
    fn stuck(&self, row: &[Id]) -> Stuck;

    /// Whether an atom holds in this row.
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool;

    /// Appends bytes that stand for this row in every run: equal for equal states, whatever ids a run
    /// gave their parts. Engines choose by them among equally good states, so that results do not depend
    /// on the number of threads.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>);

    /// The actions between the rows of a path that an engine has found. A space whose rows stand for more
    /// than one state (a reduction) gives here a path of real states.
    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        trail::name_steps(self, path)
    }

    /// How promising a row is to a search that cannot keep all of them; more is better.
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
}

/// What [`Space::admits`] says of a space that has all runs, knows no independent steps, and has these symmetries:
/// for spaces that have more to say and begin with this.
pub fn admits_by_default(
    shape: &Shape,
    symmetry: Option<&dyn Symmetries>,
    asked: &Asked,
) -> Result<(), Refusal> {
    if let Some(stranger) = asked.atoms().find(|&atom| atom >= shape.atoms.len()) {
        return Err(Refusal::NoAtom(stranger));
    }
    if shape.zone.is_some() && (!asked.claims.is_empty() || asked.events) {
        return Err(Refusal::Dense);
    }
    if asked.in_part {
        return Err(Refusal::Unreduced(Unreduced::Space));
    }
    if asked.renamed {
        admits_renaming(shape, symmetry.map_or(1, |symmetry| symmetry.symmetries()), asked)?;
    }
    let asks = asked.deadlock || asked.atoms().next().is_some() || !asked.is_of_states();
    if shape.some_runs && asks {
        let (what, why) =
            ("this question".to_string(), "it does not say which questions they decide".to_string());
        return Err(Refusal::SomeRuns { what, why });
    }
    Ok(())
}

/// Whether a question is the same for all renamings of a state, in a space that has so many.
pub fn admits_renaming(shape: &Shape, symmetries: usize, asked: &Asked) -> Result<(), Refusal> {
    let refused = |why: &str| Err(Refusal::Asymmetric(why.to_string()));
    if !asked.claims.is_empty() {
        return refused(
            "fairness tells processes apart, so claims about infinite runs are searched without it",
        );
    }
    if asked.events {
        return refused("refinement follows named events; compare without it");
    }
    if symmetries < 2 {
        return refused(
            "no renaming of processes leaves this scenario as it is; let every process crash alike, or search \
             without it",
        );
    }
    match asked.atoms().map(|atom| &shape.atoms[atom]).find(|atom| !atom.symmetric) {
        None => Ok(()),
        Some(atom) => {
            let name = &atom.name;
            refused(&format!("the property speaks of {name}, which names a process; search without it"))
        }
    }
}
