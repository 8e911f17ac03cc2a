//! Collapse compression, for rows too long for a key. Neighbouring slots form a group, and the combinations of ids that
//! occur in a group are numbered, so that a long row becomes a short one. It is exact: a number always stands for the same
//! combination, and a slot of zones stays a slot of its own. It is slower than packing, and only used where packing does
//! not fit.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, AmpleSets, AtomId, DataLabel, DataLabels, Edit, Expansion, Id,
    Mismatch, Narration, Parts, Refusal, Shape, Space, SpaceQuery, StatePath, StatePicture, Stuck,
    Successors, Trace, View, Vocabulary,
};

/// Few enough for a key of two words whatever the numbers become.
const GROUPS: usize = 3;
const SHELVES: usize = 64;

/// A space whose rows have few slots, whatever the inner space has.
pub struct Collapsed<'a> {
    inner: &'a dyn Space,
    groups: Vec<Group>,
    /// The group of each slot of the inner space.
    group_of: Vec<usize>,
    shape: Shape,
}

/// Some neighbouring slots, and the numbers of the combinations of ids seen there. Ids of another table than the first have
/// the number of their table behind them, since they stand for other contents.
struct Group {
    first: usize,
    len: usize,
    numbers: Vec<RwLock<HashMap<Box<[Id]>, Id>>>,
    combinations: boxcar::Vec<Box<[Id]>>,
    hasher: RandomState,
    bytes: AtomicUsize,
}

impl Group {
    fn new(first: usize, len: usize) -> Group {
        let numbers = (0..SHELVES).map(|_| RwLock::default()).collect();
        let (combinations, hasher) = (boxcar::Vec::new(), RandomState::new());
        Group { first, len, numbers, combinations, hasher, bytes: AtomicUsize::new(0) }
    }

    /// The number of what a row has here, whose ids are of this table.
    fn number_in(&self, row: &[Id], table: Id) -> Id {
        let ids = &row[self.first..self.first + self.len];
        match table {
            0 => self.number(ids),
            table => self.number(&[ids, &[table]].concat()),
        }
    }

    fn number(&self, ids: &[Id]) -> Id {
        let shelf = &self.numbers[self.hasher.hash_one(ids) as usize % SHELVES];
        if let Some(&number) = shelf.read().unwrap_or_else(PoisonError::into_inner).get(ids) {
            return number;
        }
        let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
        *shelf.entry(ids.into()).or_insert_with(|| {
            // Both copies of the ids, and what the map and the list keep beside them.
            self.bytes.fetch_add(2 * size_of_val(ids) + 64, Ordering::Relaxed);
            self.combinations.push(ids.into()) as Id
        })
    }

    fn restore(&self, number: Id, row: &mut [Id]) {
        row[self.first..self.first + self.len].copy_from_slice(self.ids(number).0);
    }

    /// A combination of ids, and their table.
    fn ids(&self, number: Id) -> (&[Id], Id) {
        let (ids, table) = self.combinations[number as usize].split_at(self.len);
        (ids, table.first().copied().unwrap_or(0))
    }
}

impl<'a> Collapsed<'a> {
    /// The same space with short rows.
    pub fn new(inner: &'a dyn Space) -> Collapsed<'a> {
        let mut shape = inner.shape().clone();
        let lens = lens(shape.slots.len(), shape.zone);
        let (mut groups, mut group_of) = (Vec::new(), Vec::new());
        for len in lens.into_iter().filter(|&len| len > 0) {
            groups.push(Group::new(group_of.len(), len));
            group_of.resize(group_of.len() + len, groups.len() - 1);
        }
        shape.slots = groups.iter().map(|group| shape.slots[group.first].clone()).collect();
        shape.zone = shape.zone.map(|slot| group_of[slot]);
        Collapsed { inner, groups, group_of, shape }
    }

    fn collapse(&self, row: &[Id]) -> Vec<Id> {
        let table = self.table_of(row);
        self.groups.iter().map(|group| group.number_in(row, table)).collect()
    }

    /// The table of a row of the inner space.
    fn table_of(&self, row: &[Id]) -> Id {
        self.inner.parts().map_or(0, |parts| parts.table(row))
    }

    fn inner_parts(&self) -> &dyn Parts {
        self.inner.parts().expect("offered only where the inner space offers them")
    }

    /// The row of the inner space.
    pub(crate) fn restore(&self, row: &[Id]) -> Vec<Id> {
        let mut long = vec![0; self.inner.shape().slots.len()];
        for (group, &number) in self.groups.iter().zip(row) {
            group.restore(number, &mut long);
        }
        long
    }

    /// Passes steps of a row on with the numbers of the combinations they lead to.
    fn collapse_steps<T>(
        &self,
        before: &[Id],
        out: &mut Successors,
        fill: impl FnOnce(&mut Successors) -> T,
    ) -> T {
        let (mut after, mut edited) = (before.to_vec(), Vec::with_capacity(GROUPS));
        out.through(fill, |out, action, edits| {
            after.copy_from_slice(before);
            let mut touched = [false; GROUPS];
            for edit in edits {
                after[edit.slot as usize] = edit.id;
                touched[self.group_of[edit.slot as usize]] = true;
            }
            edited.clear();
            let table = self.table_of(&after);
            for (i, group) in self.groups.iter().enumerate().filter(|(i, _)| touched[*i]) {
                edited.push(Edit::new(i, group.number_in(&after, table)));
            }
            out.step(action, &edited);
        })
    }
}

/// How many slots each group has.
fn lens(slots: usize, zone: Option<usize>) -> [usize; GROUPS] {
    let share = slots.div_ceil(GROUPS);
    match zone {
        None => [share, share.min(slots - share), slots.saturating_sub(2 * share)],
        Some(0) => [1, (slots - 1) / 2, slots / 2],
        Some(zone) if zone + 1 == slots => [slots / 2, (slots - 1) / 2, 1],
        Some(zone) => [zone, 1, slots - 1 - zone],
    }
}

impl Space for Collapsed<'_> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.inner.initial().iter().map(|row| self.collapse(row)).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let long = self.restore(row);
        self.collapse_steps(&long, out, |inner| self.inner.expand(&long, inner));
    }

    fn admits(&self, asked: &SpaceQuery) -> Result<(), Refusal> {
        self.inner.admits(asked)
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(&self.restore(row))
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, &self.restore(row))
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.inner.pack(&self.restore(row), out);
    }

    fn lift(&self, path: &[Vec<Id>]) -> Result<StatePath, Mismatch> {
        let long: Vec<Vec<Id>> = path.iter().map(|row| self.restore(row)).collect();
        self.inner.lift(&long)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.inner.guide(&self.restore(row))
    }

    fn bytes(&self) -> usize {
        let held: usize = self.groups.iter().map(|group| group.bytes.load(Ordering::Relaxed)).sum();
        self.inner.bytes() + held
    }

    fn ample_sets(&self) -> Option<&dyn AmpleSets> {
        self.inner.ample_sets().map(|_| self as &dyn AmpleSets)
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        self.inner.data_labels().map(|_| self as &dyn DataLabels)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        self.inner.parts().map(|_| self as &dyn Parts)
    }
}

impl Narration for Collapsed<'_> {
    fn view(&self, row: &[Id]) -> View {
        self.inner.view(&self.restore(row))
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        self.inner.picture(&self.restore(row))
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(&self.restore(row), action)
    }

    /// A path of this space has the rows of the inner one: [`Collapsed::lift`] has restored them.
    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.inner.replay(trail)
    }
}

impl AmpleSets for Collapsed<'_> {
    fn expand_ample(&self, row: &[Id], asked: &SpaceQuery, out: &mut Successors) -> Expansion {
        let long = self.restore(row);
        let inner = self.inner.ample_sets().expect("offered only where the inner space offers them");
        self.collapse_steps(&long, out, |out| inner.expand_ample(&long, asked, out))
    }
}

/// The steps are those of the inner space.
impl DataLabels for Collapsed<'_> {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        self.inner
            .data_labels()
            .map_or(DataLabel::TAU, |labels| labels.data_label(&self.restore(row), action))
    }

    fn vocabulary(&self) -> Vocabulary {
        self.inner.data_labels().map(DataLabels::vocabulary).unwrap_or_default()
    }

    fn any_of_several(&self) -> bool {
        self.inner.data_labels().is_some_and(DataLabels::any_of_several)
    }
}

impl ActionLabels for Collapsed<'_> {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        self.inner.action_label(&self.restore(row), action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        self.inner.idles(&self.restore(row))
    }
}

/// The numbers of this run stand for ids of this run, so a combination is told by the contents of its ids, and of which
/// table they are.
impl Parts for Collapsed<'_> {
    fn part(&self, _: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        let group = &self.groups[slot];
        let (ids, table) = group.ids(id);
        out.extend_from_slice(&table.to_le_bytes());
        let mut bytes = Vec::new();
        for (at, &id) in ids.iter().enumerate() {
            bytes.clear();
            self.inner_parts().part(table, group.first + at, id, &mut bytes);
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(&bytes);
        }
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let group = self.groups.get(slot)?;
        let (table, mut rest) = bytes.split_first_chunk()?;
        let table = Id::from_le_bytes(*table);
        let mut row = vec![0; self.group_of.len()];
        for (at, id) in row.iter_mut().enumerate().skip(group.first).take(group.len) {
            let (len, after) = rest.split_first_chunk()?;
            let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
            *id = self.inner_parts().part_id(table, at, bytes)?;
            rest = after;
        }
        rest.is_empty().then(|| group.number_in(&row, table))
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        let mut long = self.restore(row);
        let table = self.inner_parts().table(&long);
        let alike = self.groups.iter().zip(&*row).all(|(group, &number)| group.ids(number).1 == table);
        let settled = alike && self.inner_parts().settle(&mut long);
        if settled && !self.is_settled() {
            row.copy_from_slice(&self.collapse(&long));
        }
        settled
    }

    fn is_settled(&self) -> bool {
        self.inner_parts().is_settled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_in_one_group_and_the_zone_alone_in_its_own() {
        for slots in 1..20 {
            assert_eq!(lens(slots, None).iter().sum::<usize>(), slots, "{slots} slots");
            for zone in 0..slots {
                let lens = lens(slots, Some(zone));
                assert_eq!(lens.iter().sum::<usize>(), slots, "{slots} slots, zone {zone}");
                let starts: Vec<usize> = (0..GROUPS).map(|group| lens[..group].iter().sum()).collect();
                let alone = (0..GROUPS).any(|group| lens[group] == 1 && starts[group] == zone);
                assert!(alone, "{slots} slots, zone {zone}: {lens:?}");
            }
        }
    }
}
