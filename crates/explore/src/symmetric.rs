//! Symmetry reduction. The wrapper replaces each row by its canonical renaming, so a search visits every orbit of states once;
//! a counterexample is reported in real names again.

use crate::ExploreError;
use std::collections::HashSet;
use std::sync::OnceLock;
use watchkeeper_space::{
    Action, AmpleSets, AtomId, DataLabel, DataLabels, Edit, Expansion, Id, Mismatch, Narration, Parts,
    Refusal, Shape, Space, SpaceQuery, StatePath, StatePicture, Steps, Stuck, Successors, Symmetries, Trace,
    View, Vocabulary, Zones, steps, successors,
};

/// Renamed states compared before a search.
const AUDITED: usize = 4000;
/// Of so many states that a search expands, one is compared with one of its renamings.
const ONE_IN: u64 = 16;

/// A space up to renaming. Use it through [`Search::symmetry`](crate::Search): that search checks whether the model kept its
/// promise, and a search of this space by hand does not.
pub struct Symmetric<'a> {
    inner: &'a dyn Symmetries,
    shape: Shape,
    /// The atoms that must say the same of all renamings.
    atoms: OnceLock<Vec<AtomId>>,
    /// How a state that was expanded differs from its renaming, once that was seen.
    broken: OnceLock<String>,
}

impl<'a> Symmetric<'a> {
    /// The space up to all its renamings.
    pub fn new(inner: &'a dyn Symmetries) -> Symmetric<'a> {
        let mut shape = inner.shape().clone();
        shape.assumptions.push(format!(
            "States that differ only in the names of processes are searched once ({} renamings).",
            inner.symmetries()
        ));
        Symmetric { inner, shape, atoms: OnceLock::new(), broken: OnceLock::new() }
    }

    /// Looks at the states near the start: whether each of them and all its renamings lead to the same states up to
    /// renaming, and look alike to what is asked. The model promises that. From here on the model looks at what it does
    /// itself ([`Symmetries::keeps_symmetry`]), and some of all states that are expanded are compared like this;
    /// [`Symmetric::audited`] says in the end whether the promise was kept.
    pub fn audit(&self, asked: &SpaceQuery) -> Result<(), ExploreError> {
        self.atoms.get_or_init(|| asked.atoms().collect());
        self.audited()?;
        let mut queue = self.initial();
        let mut known: HashSet<Vec<Id>> = queue.iter().cloned().collect();
        let mut effort = AUDITED;
        let mut at = 0;
        while at < queue.len() && effort > 0 {
            let row = queue[at].clone();
            for symmetry in 1..self.inner.symmetries() {
                self.compare(symmetry, &row);
                effort = effort.saturating_sub(1);
            }
            self.audited()?;
            for (_, row) in successors(self, &row) {
                if known.insert(row.clone()) {
                    queue.push(row);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Whether the model has kept its promise in all that was looked at so far.
    pub fn audited(&self) -> Result<(), ExploreError> {
        // What the model says of itself names the step.
        let seen = self.broken.get().map_or(Ok(()), |how| Err(how.clone()));
        match self.inner.keeps_symmetry().and(seen) {
            Ok(()) => Ok(()),
            Err(how) => Err(ExploreError::Asymmetric(format!(
                "{how}; the protocol sees the names of processes (the order in which it sends, for example), so its \
                 `symmetry` promises too much. Search without it"
            ))),
        }
    }

    /// Compares a row with one of its renamings, and keeps how they differ.
    fn compare(&self, symmetry: usize, row: &[Id]) {
        let mut other = Vec::new();
        self.inner.renamed(symmetry, row, &mut other);
        if self.looks(row) != self.looks(&other) {
            let how = || {
                let view = self.inner.view(row).into_iter().take(4);
                let parts: Vec<String> = view.map(|(name, value)| format!("{name} = {value}")).collect();
                let shown: String = parts.join(", ").chars().take(300).collect();
                format!("a state and its renaming do not behave alike ({shown}, ...)")
            };
            self.broken.get_or_init(how);
        }
    }

    /// What must be the same of a row and its renamings: where its steps lead, up to renaming, in a fixed order; whether
    /// it is stuck; what was cut; and what the atoms say.
    fn looks(&self, row: &[Id]) -> (Vec<Vec<Id>>, Option<Stuck>, usize, Vec<bool>) {
        let Steps { next, stuck, cut } = steps(self.inner, row);
        let mut rows: Vec<Vec<Id>> = next.iter().map(|(_, row)| self.canonical(row)).collect();
        rows.sort();
        let atoms = self.atoms.get().into_iter().flatten().map(|&atom| self.inner.atom(atom, row));
        (rows, stuck.then(|| self.inner.stuck(row)), cut.len(), atoms.collect())
    }

    /// Compares one of so many rows with one of its renamings, whichever its ids decide.
    fn sample(&self, row: &[Id]) {
        let lot = row.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &id| {
            (hash ^ u64::from(id)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        let others = self.inner.symmetries() as u64 - 1;
        if lot % ONE_IN == 0 && others > 0 && self.broken.get().is_none() {
            self.compare(1 + ((lot >> 32) % others) as usize, row);
        }
    }

    /// Passes steps on to the smallest renaming of where they lead: `leaving` is the row whose steps these are, and
    /// `before` the one that edits are told of; they are renamings of each other.
    fn rename<T>(
        &self,
        leaving: &[Id],
        before: &[Id],
        out: &mut Successors,
        fill: impl FnOnce(&mut Successors) -> T,
    ) -> T {
        let (mut after, mut least, mut edited) = (leaving.to_vec(), Vec::new(), Vec::new());
        out.through(fill, |out, action, edits| {
            after.copy_from_slice(leaving);
            edits.iter().for_each(|edit| after[edit.slot as usize] = edit.id);
            self.inner.least(&after, &mut least);
            let changed = least.iter().zip(before).enumerate().filter(|(_, (new, old))| new != old);
            edited.clear();
            edited.extend(changed.map(|(slot, (new, _))| Edit::new(slot, *new)));
            out.step(action, &edited);
        })
    }

    fn canonical(&self, row: &[Id]) -> Vec<Id> {
        let mut least = Vec::new();
        self.inner.least(row, &mut least);
        least
    }

    fn inner_parts(&self) -> &dyn Parts {
        self.inner.parts().expect("offered only where the inner space offers them")
    }

    fn bytes_of(&self, row: &[Id]) -> Vec<u8> {
        let mut out = Vec::new();
        self.inner.pack(row, &mut out);
        out
    }
}

impl Space for Symmetric<'_> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut rows: Vec<Vec<Id>> = self.inner.initial().iter().map(|row| self.canonical(row)).collect();
        rows.sort();
        rows.dedup();
        rows
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        self.sample(row);
        self.rename(row, row, out, |inner| self.inner.expand(row, inner));
    }

    fn admits(&self, asked: &SpaceQuery) -> Result<(), Refusal> {
        if self.atoms.get().is_none() {
            let why = "no audit of the promise of symmetry has begun; search with `Search::symmetry`";
            return Err(Refusal::Asymmetric(why.to_string()));
        }
        self.inner.admits(&SpaceQuery { symmetry: true, ..asked.clone() })
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, row)
    }

    /// The smallest bytes of all renamings, where the row that stands for them depends on the ids of the
    /// run. With zones it does not, and every renaming would create zones that no search needs.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        if self.shape.zone.is_some() {
            return self.inner.pack(&self.canonical(row), out);
        }
        let mut least = self.bytes_of(row);
        let mut other = Vec::new();
        for symmetry in 1..self.inner.symmetries() {
            self.inner.renamed(symmetry, row, &mut other);
            least = least.min(self.bytes_of(&other));
        }
        out.extend_from_slice(&least);
    }

    /// Walks along the path in the inner space: at each step to a real state that is a renaming of the
    /// next row of the path, the smallest by bytes if there are several.
    fn lift(&self, path: &[Vec<Id>]) -> Result<StatePath, Mismatch> {
        let lost =
            |step: usize| Mismatch { step, why: "no real state is a renaming of the one stored".into() };
        let starts = self.inner.initial().into_iter().filter(|row| self.canonical(row) == path[0]);
        let start = starts.min_by_key(|row| self.bytes_of(row)).ok_or_else(|| lost(0))?;
        let mut trail = StatePath { rows: vec![start], actions: Vec::new() };
        for (i, stored) in path.iter().enumerate().skip(1) {
            let steps = successors(self.inner, &trail.rows[i - 1]).into_iter();
            let fits = steps.filter(|(_, row)| self.canonical(row) == *stored);
            let (action, row) = fits.min_by_key(|(_, row)| self.bytes_of(row)).ok_or_else(|| lost(i))?;
            trail.actions.push(action);
            trail.rows.push(row);
        }
        Ok(trail)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.inner.guide(row)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn zones(&self) -> Option<&dyn Zones> {
        self.inner.zones()
    }

    fn ample_sets(&self) -> Option<&dyn AmpleSets> {
        self.inner.ample_sets().map(|_| self as &dyn AmpleSets)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        self.inner.data_labels().map(|_| self as &dyn DataLabels)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        self.inner.parts().map(|_| self as &dyn Parts)
    }
}

impl Narration for Symmetric<'_> {
    fn view(&self, row: &[Id]) -> View {
        self.inner.view(row)
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        self.inner.picture(row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(row, action)
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.inner.replay(trail)
    }
}

/// A row is one of the states that it stands for, and a step is what that state does: names are those of the row that it leaves. The
/// row after it may be a renaming of where the step leads, so labels of steps that follow each other do not speak of one run.
impl DataLabels for Symmetric<'_> {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        self.inner.data_labels().map_or(DataLabel::TAU, |labels| labels.data_label(row, action))
    }

    fn vocabulary(&self) -> Vocabulary {
        self.inner.data_labels().map(DataLabels::vocabulary).unwrap_or_default()
    }

    fn any_of_several(&self) -> bool {
        self.inner.data_labels().is_some_and(DataLabels::any_of_several)
    }
}

impl AmpleSets for Symmetric<'_> {
    /// Which row stands for its renamings depends on the ids of the run, and which steps are given may depend on the
    /// names of processes: so the choice is made for the renaming that has the smallest bytes.
    fn expand_ample(&self, row: &[Id], asked: &SpaceQuery, out: &mut Successors) -> Expansion {
        self.sample(row);
        let chosen = least_by_bytes(self.inner, row);
        let inner = self.inner.ample_sets().expect("offered only where the inner space offers them");
        self.rename(&chosen, row, out, |out| inner.expand_ample(&chosen, asked, out))
    }
}

/// Which row stands for its renamings depends on the ids of the run, so it is chosen anew from a row that was read.
impl Parts for Symmetric<'_> {
    fn table(&self, row: &[Id]) -> Id {
        self.inner_parts().table(row)
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        self.inner_parts().part(table, slot, id, out);
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        self.inner_parts().part_id(table, slot, bytes)
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        if !self.inner_parts().settle(row) {
            return false;
        }
        let least = self.canonical(row);
        row.copy_from_slice(&least);
        true
    }

    fn is_settled(&self) -> bool {
        false
    }
}

/// A row that stands for others, as a renaming does: the one of the smallest bytes among them, so that a choice made
/// there is the same in every run.
fn least_by_bytes(space: &dyn Symmetries, row: &[Id]) -> Vec<Id> {
    let (mut least, mut least_bytes) = (row.to_vec(), Vec::new());
    space.pack(row, &mut least_bytes);
    let (mut other, mut bytes) = (Vec::new(), Vec::new());
    for symmetry in 1..space.symmetries() {
        space.renamed(symmetry, row, &mut other);
        bytes.clear();
        space.pack(&other, &mut bytes);
        if bytes < least_bytes {
            std::mem::swap(&mut least, &mut other);
            std::mem::swap(&mut least_bytes, &mut bytes);
        }
    }
    least
}
