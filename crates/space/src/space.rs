//! The one interface between models and engines.

use crate::{
    Action, Asked, AtomId, Doing, Given, Mismatch, Refusal, Shape, Successors, Trace, Trail, Unreduced, View,
    trail,
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

/// A model as a graph of rows.
///
/// `expand` is called from many threads at once. It must not depend on anything but the row: the same
/// row has the same successors, in the same order, whenever it is asked.
pub trait Space: Sync {
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
        admits_by_default(self.shape(), self.symmetries(), asked)
    }

    /// Appends successors of a row that do for what is asked: all, or some that stand for all.
    ///
    /// # What is promised of some
    /// Take any run from this row in which only steps are taken that were left out, here and on the way. Then
    /// - if a step follows that was given, it may as well come first: the run leads to the same state, and is seen
    ///   alike by what is asked;
    /// - each step given that is progress ([`Shape::progress`]) may be put before the run, whether it follows or
    ///   not, and what is asked is still wrong at its end if it was before;
    /// - at least one step given is progress.
    ///
    /// The choice depends on the row and on what is asked, never on what ids stand for what.
    ///
    /// # What a search owes
    /// Steps must not be left out for ever. A search that keeps depths takes the steps given for all only if one
    /// of them that is progress leads to a state of the next depth, and else asks for all. Then whatever was left out is
    /// left out again only at greater depths, of which there are finitely many.
    fn expand_some(&self, row: &[Id], _asked: &Asked, out: &mut Successors) -> Given {
        self.expand(row, out);
        Given::All
    }

    /// What it means if this row has no successor that is progress ([`Shape::progress`]).
    fn stuck(&self, row: &[Id]) -> Stuck;

    /// Whether an atom holds in this row.
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool;

    /// Appends bytes that stand for this row in every run: equal for equal states, whatever ids a run
    /// gave their parts. Engines choose by them among equally good states, so that results do not depend
    /// on the number of threads.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>);

    /// The row as variables and values.
    fn view(&self, row: &[Id]) -> View;

    /// An action as a person reads it; `row` is the state it leaves.
    fn label(&self, row: &[Id], action: Action) -> String;

    /// Executes the actions of a trail again, without anything that `expand` keeps or shares with an
    /// engine, and tells the run as a trace; or says where the trail and the execution differ.
    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch>;

    /// The actions between the rows of a path that an engine has found. A space whose rows stand for more
    /// than one state (a reduction) gives here a path of real states.
    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        trail::name_steps(self, path)
    }

    /// What a claim of fairness may say of an action; `row` is the state it leaves.
    fn doing(&self, _row: &[Id], _action: Action) -> Doing {
        Doing::default()
    }

    /// Where [`Shape::time`] names a class: whether time can pass in this row and change nothing, so that no
    /// step of that class is offered.
    fn idles(&self, _row: &[Id]) -> bool {
        false
    }

    /// How promising a row is to a search that cannot keep all of them; more is better.
    fn guide(&self, _row: &[Id]) -> u32 {
        0
    }

    /// The number of renamings under which the space looks the same, the identity included.
    fn symmetries(&self) -> usize {
        1
    }

    /// The row renamed by one of [`Space::symmetries`]; 0 is the identity.
    fn renamed(&self, _symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        out.clear();
        out.extend_from_slice(row);
    }

    /// The renaming of a row that stands for all of them: the smallest by ids, or in a space with zones by
    /// packed bytes. A space may know a cheaper way, and any choice will do that is the same for all
    /// renamings of a row. With zones it must not depend on ids: which zones cover each other after the
    /// renaming, and so the number of zones that a search keeps, would else differ from run to run.
    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        let mut other = Vec::with_capacity(row.len());
        out.clear();
        out.extend_from_slice(row);
        if self.shape().zone.is_none() {
            for symmetry in 1..self.symmetries() {
                self.renamed(symmetry, row, &mut other);
                if other < *out {
                    std::mem::swap(out, &mut other);
                }
            }
            return;
        }
        let (mut least, mut bytes) = (Vec::new(), Vec::new());
        self.pack(row, &mut least);
        for symmetry in 1..self.symmetries() {
            self.renamed(symmetry, row, &mut other);
            bytes.clear();
            self.pack(&other, &mut bytes);
            if bytes < least {
                std::mem::swap(out, &mut other);
                std::mem::swap(&mut least, &mut bytes);
            }
        }
    }

    /// Whether the model keeps the promise of its [`Space::symmetries`] in all that it has done since the first time that
    /// this was asked, as far as it can tell by itself; if not, how it breaks it. A search up to renaming asks before
    /// it begins and when it has ended.
    fn keeps_symmetry(&self) -> Result<(), String> {
        Ok(())
    }

    /// Whether the zone `large` has every point of the zone `small`, where [`Shape::zone`] names a slot of
    /// zones: rows that are equal but for that slot are then states of which one covers the other, and
    /// whatever can follow the smaller one can follow the larger one too.
    fn covers(&self, large: Id, small: Id) -> bool {
        large == small
    }

    /// A size of a zone: if `large` covers `small` and they differ, its extent is greater.
    fn extent(&self, _zone: Id) -> i64 {
        0
    }

    /// Eight sizes of a zone in one word, a byte for each and none above 127: if `large` covers `small`, no
    /// byte of `large` is smaller. An engine tells most pairs apart by them without asking
    /// [`Space::covers`]; all 0 is always right, and tells nothing.
    fn outline(&self, _zone: Id) -> u64 {
        0
    }

    /// The bytes of memory that the space itself holds: interned parts, remembered steps.
    fn bytes(&self) -> usize {
        0
    }
}

/// What [`Space::admits`] says of a space that has all runs, knows no independent steps, and has so many symmetries:
/// for spaces that have more to say and begin with this.
pub fn admits_by_default(shape: &Shape, symmetries: usize, asked: &Asked) -> Result<(), Refusal> {
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
        admits_renaming(shape, symmetries, asked)?;
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
