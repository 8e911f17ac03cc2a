//! What a space may be able to do beyond its core: each capability is a small trait of its own, which a space offers or
//! does not ([`Space::symmetry`] and the accessors beside it). A space around a space offers the inner capability as it is
//! where rows and ids mean the same, and its own elsewhere.

use crate::{Action, Asked, Doing, Given, Id, Mismatch, Space, Successors, Trace, Trail, View};

/// States, actions and runs as a person reads them. Every space has this; no engine searches by it.
pub trait Narration {
    /// The row as variables and values.
    fn view(&self, row: &[Id]) -> View;

    /// An action as a person reads it; `row` is the state it leaves.
    fn label(&self, row: &[Id], action: Action) -> String;

    /// Executes the actions of a trail again, without anything that [`Space::expand`] keeps or shares with an engine,
    /// and tells the run as a trace; or says where the trail and the execution differ.
    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch>;
}

/// Renamings of processes under which a space looks the same.
pub trait Symmetries: Space {
    /// The number of renamings, the identity included.
    fn symmetries(&self) -> usize;

    /// The row renamed by one of [`Symmetries::symmetries`]; 0 is the identity.
    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>);

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

    /// Whether the model keeps the promise of its [`Symmetries::symmetries`] in all that it has done since the first time
    /// that this was asked, as far as it can tell by itself; if not, how it breaks it. A search up to renaming asks before
    /// it begins and when it has ended.
    fn keeps_symmetry(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Inclusion of zones, where [`Shape::zone`](crate::Shape::zone) names a slot of them.
pub trait Zones: Sync {
    /// Whether the zone `large` has every point of the zone `small`: rows that are equal but for that slot are then states
    /// of which one covers the other, and whatever can follow the smaller one can follow the larger one too.
    fn covers(&self, large: Id, small: Id) -> bool;

    /// A size of a zone: if `large` covers `small` and they differ, its extent is greater.
    fn extent(&self, zone: Id) -> i64;

    /// Eight sizes of a zone in one word, a byte for each and none above 127: if `large` covers `small`, no
    /// byte of `large` is smaller. An engine tells most pairs apart by them without asking
    /// [`Zones::covers`]; all 0 is always right, and tells nothing.
    fn outline(&self, _zone: Id) -> u64 {
        0
    }
}

/// Partial-order reduction: some successors of a state that stand for all.
pub trait AmpleSets: Sync {
    /// Appends successors of a row that do for what is asked: all, or some that stand for all.
    ///
    /// # What is promised of some
    /// Take any run from this row in which only steps are taken that were left out, here and on the way. Then
    /// - if a step follows that was given, it may as well come first: the run leads to the same state, and is seen
    ///   alike by what is asked;
    /// - each step given that is progress ([`Shape::progress`](crate::Shape::progress)) may be put before the run,
    ///   whether it follows or not, and what is asked is still wrong at its end if it was before;
    /// - at least one step given is progress.
    ///
    /// The choice depends on the row and on what is asked, never on what ids stand for what.
    ///
    /// # What a search owes
    /// Steps must not be left out for ever. A search that keeps depths takes the steps given for all only if one
    /// of them that is progress leads to a state of the next depth, and else asks for all. Then whatever was left out is
    /// left out again only at greater depths, of which there are finitely many.
    fn expand_some(&self, row: &[Id], asked: &Asked, out: &mut Successors) -> Given;
}

/// What claims about infinite runs have to know of actions and of time.
pub trait ActionLabels: Sync {
    /// What a claim of fairness may say of an action; `row` is the state it leaves.
    fn doing(&self, _row: &[Id], _action: Action) -> Doing {
        Doing::default()
    }

    /// Where [`Shape::time`](crate::Shape::time) names a class: whether time can pass in this row and change nothing, so
    /// that no step of that class is offered.
    fn idles(&self, _row: &[Id]) -> bool {
        false
    }
}

impl dyn Space + '_ {
    /// What a claim of fairness may say of an action; nothing where the space has no labels.
    pub fn doing(&self, row: &[Id], action: Action) -> Doing {
        self.action_labels().map_or(Doing::default(), |labels| labels.doing(row, action))
    }

    /// Whether time can pass in this row and change nothing.
    pub fn idles(&self, row: &[Id]) -> bool {
        self.action_labels().is_some_and(|labels| labels.idles(row))
    }
}
