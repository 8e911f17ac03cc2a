//! The capabilities that a space may have beyond its core. Each is a small trait, which a space offers or does not
//! ([`Space::symmetry`] and the accessors beside it). A space around a space offers the inner capability as it is where rows
//! and ids mean the same, and its own elsewhere.

use crate::{
    Action, ActionLabel, DataLabel, Expansion, Id, Mismatch, Space, SpaceQuery, StatePath, StatePicture,
    Successors, TimedTrace, TimesRefused, Trace, View, Vocabulary,
};

/// States, actions and runs as a person reads them. Every space has this; no engine searches by it.
pub trait Narration {
    /// The row as variables and values.
    fn view(&self, row: &[Id]) -> View;

    /// The row as a page draws it. A model that knows its processes, timers and messages says so here; else the variables
    /// have to do.
    fn picture(&self, row: &[Id]) -> StatePicture {
        StatePicture::of_view(self.view(row))
    }

    /// An action as a person reads it; `row` is the state it leaves.
    fn label(&self, row: &[Id], action: Action) -> String;

    /// Executes the actions of a path again and returns the run as a trace, or says where the path and the execution
    /// differ. It uses nothing that [`Space::expand`] caches or shares with an engine.
    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch>;
}

/// Symmetry: renamings of processes under which the space stays the same.
pub trait Symmetries: Space {
    /// The number of renamings, the identity included.
    fn symmetries(&self) -> usize;

    /// The row renamed by one of [`Symmetries::symmetries`]; 0 is the identity.
    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>);

    /// The canonical representative of a row and its renamings: the smallest by ids, or in a space with zones by packed
    /// bytes. A space may know a cheaper way, and every choice is correct that is the same for all renamings of a row.
    /// With zones the choice must not depend on ids: it decides which zones include each other after the renaming, and so
    /// the number of zones that a search stores would differ from run to run.
    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        if self.shape().zone.is_some() {
            return self.least_by_bytes(row, out);
        }
        let mut other = Vec::with_capacity(row.len());
        out.clear();
        out.extend_from_slice(row);
        for symmetry in 1..self.symmetries() {
            self.renamed(symmetry, row, &mut other);
            if other < *out {
                std::mem::swap(out, &mut other);
            }
        }
    }

    /// The renaming of a row that has the smallest packed bytes: a choice that is the same in every run.
    fn least_by_bytes(&self, row: &[Id], out: &mut Vec<Id>) {
        let (mut other, mut least, mut bytes) = (Vec::with_capacity(row.len()), Vec::new(), Vec::new());
        out.clear();
        out.extend_from_slice(row);
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

    /// Whether the model has kept its promise of symmetry in everything that it did since the first call, as far as it can
    /// tell by itself; if not, how it broke it. A search with symmetry reduction calls this before it begins and when it has
    /// ended.
    fn keeps_symmetry(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Inclusion of zones, where [`Shape::zone`](crate::Shape::zone) names a slot of them.
pub trait Zones: Sync {
    /// Whether the zone `large` includes every point of the zone `small`. Of two rows that are equal but for that slot,
    /// the one then subsumes the other: every continuation of the smaller one is a continuation of the larger one.
    fn includes(&self, large: Id, small: Id) -> bool;

    /// A size of a zone: if `large` includes `small` and they differ, its extent is greater.
    fn extent(&self, zone: Id) -> i64;

    /// Eight sizes of a zone in one word, a byte for each and none above 127: if `large` includes `small`, no byte of
    /// `large` is smaller. An engine rules out most pairs by them without a call of [`Zones::includes`]; all 0 is always
    /// correct, and rules out nothing.
    fn outline(&self, _zone: Id) -> u64 {
        0
    }
}

/// Partial-order reduction: an ample set of the successors of a state stands for all of them.
pub trait AmpleSets: Sync {
    /// Appends successors of a row that suffice for the query: all, or an ample set.
    ///
    /// # What an ample set promises
    /// Take any run from this row that takes only steps outside the ample sets, here and on the way. Then
    /// - if a step of the ample set follows, it may as well come first: the run leads to the same state, and the query sees
    ///   no difference;
    /// - each step of the ample set that is progress ([`Shape::progress`](crate::Shape::progress)) may be put before the
    ///   run, whether it follows or not, and a state that violates the query at its end still does;
    /// - at least one step of the ample set is progress.
    ///
    /// The choice depends on the row and on the query, never on which id stands for which part.
    ///
    /// # What a search owes
    /// Steps must not be left out for ever (the cycle proviso). A search that stores depths uses the ample set only if one
    /// of its steps that is progress leads to a state of the next depth, and else expands fully. Then a step that was left
    /// out is left out again only at greater depths, of which there are finitely many.
    fn expand_ample(&self, row: &[Id], query: &SpaceQuery, out: &mut Successors) -> Expansion;
}

/// The labels of actions that fairness constraints use, and the passing of time.
pub trait ActionLabels: Sync {
    /// The label of an action; `row` is the state it leaves.
    fn action_label(&self, _row: &[Id], _action: Action) -> ActionLabel {
        ActionLabel::default()
    }

    /// Where [`Shape::time`](crate::Shape::time) names a class: whether time can pass in this row and change nothing, so
    /// that the space offers no step of that class.
    fn idles(&self, _row: &[Id]) -> bool {
        false
    }
}

/// The labels of steps as actions with arguments, which formulas about actions, comparisons and refinements read.
pub trait DataLabels: Sync {
    /// What the step does; `row` is the state it leaves.
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel;

    /// The sorts and actions of all labels.
    fn vocabulary(&self) -> Vocabulary;

    /// Whether an action of a formula means every label that has it among its actions, as in a world, where a process that
    /// receives, sends and suspects does so in one step. Else it means the label that has it and no other, as in mCRL2.
    fn any_of_several(&self) -> bool {
        false
    }
}

/// The times of a run, where a step has no time of its own but a window of them, as in dense time.
pub trait RunTimes: Sync {
    /// The run with each picked step at its moment and the others as early as then possible, and for each step the window
    /// in which it can be moved while the other picks stay. A pick is a step, counted from 1, and the numerator and
    /// denominator of its moment. Like [`Narration::replay`], this executes the path again; without picks the trace is
    /// the one of a replay.
    fn at_times(&self, path: &StatePath, picks: &[(usize, (i64, i64))]) -> Result<TimedTrace, TimesRefused>;
}

/// States that leave the process: the content of a slot as bytes that mean the same in every run, and back.
///
/// Whoever writes rows writes each content once, and then the rows in ids of its own; whoever reads them translates ids, and
/// packs nothing. So what is read may be of another run and of another machine, with other ids, and it may be damaged.
///
/// A row is read in three steps: [`Parts::part_id`] of each content, once; each id of the row by what that gave; and
/// [`Parts::settle`] of the row as a whole. A search may use it after the third step only.
pub trait Parts: Sync {
    /// Which ids a row uses: rows of different tables may have one id for different contents. A space that is several
    /// spaces side by side has a table for each. The same row tells the same table in every run, also with ids of another.
    fn table(&self, _row: &[Id]) -> Id {
        0
    }

    /// Appends bytes that identify this content of a slot in every run, and from which [`Parts::part_id`] makes it again.
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>);

    /// The id of a content in this run, which may be new; `None` for bytes that [`Parts::part`] cannot have written in a
    /// space of this scenario. It does not panic, whatever the bytes are.
    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id>;

    /// Makes a row of contents that were read the row by which this run knows the state; `false` if these contents cannot
    /// be parts of one state. Only a space that chooses rows by their ids, as up to symmetry, changes any.
    ///
    /// The row has as many ids as [`Shape::slots`](crate::Shape::slots), each given by [`Parts::part_id`] for the table of
    /// the row. Where this says `true`, no other method of the space panics on the row.
    fn settle(&self, _row: &mut [Id]) -> bool {
        true
    }

    /// Whether [`Parts::settle`] changes no row.
    fn is_settled(&self) -> bool {
        true
    }
}

/// The parts of a space whose ids mean the same in every run: a number is its own content. A space that cannot do with any
/// number has parts of its own, and reads them by [`FixedIds::up_to`].
pub struct FixedIds;

impl FixedIds {
    /// The number of some bytes, if it is at most this.
    pub fn up_to(most: Id, bytes: &[u8]) -> Option<Id> {
        FixedIds.part_id(0, 0, bytes).filter(|&id| id <= most)
    }
}

impl Parts for FixedIds {
    fn part(&self, _: Id, _: usize, id: Id, out: &mut Vec<u8>) {
        out.extend_from_slice(&id.to_le_bytes());
    }

    fn part_id(&self, _: Id, _: usize, bytes: &[u8]) -> Option<Id> {
        Some(Id::from_le_bytes(bytes.try_into().ok()?))
    }
}

impl dyn Space + '_ {
    /// The label of an action; the empty one where the space has no labels.
    pub fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        self.action_labels().map_or(ActionLabel::default(), |labels| labels.action_label(row, action))
    }

    /// Whether time can pass in this row and change nothing.
    pub fn idles(&self, row: &[Id]) -> bool {
        self.action_labels().is_some_and(|labels| labels.idles(row))
    }
}
