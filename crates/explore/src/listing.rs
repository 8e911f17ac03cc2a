//! All states and steps of a space, told one state after the other: for whoever makes a labelled transition system of it. The
//! states are found by the search with all cores and kept packed; then they are numbered breadth-first, in the order in which the
//! model offers its steps, so that the numbers do not depend on the number of threads.

use crate::ExploreError;
use crate::admission::{Admitted, admitted};
use crate::breadth::{Failure, Look, inspected};
use crate::collapse::Collapsed;
use crate::hooks::KeyWidth;
use crate::layout::KeyLayout;
use crate::search::{Progress, ProgressCallback, Search, Store, Strategy};
use crate::search_result::SearchEnd;
use crate::store::Key;
use crate::verdict::unknown;
use crate::visited::Visited;
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_logic::{Limit, Outcome, Question, Stats};
use watchkeeper_space::{Action, Id, Space, Successors};

/// How many states are expanded between two looks at the progress.
const LOOK: u32 = 1 << 14;

/// Is told each state in the order of the numbers: its row, and its steps with the numbers of the states they lead to.
pub type ListState<'a> = dyn FnMut(&[Id], &[(Action, u32)]) + 'a;

/// The states of a space by their numbers. The first ones are the initial states.
pub struct StateList {
    rows: Box<dyn Rows>,
    states: u32,
    initial: u32,
    /// What was searched.
    pub stats: Stats,
    /// A cap of the model that cut steps away, if one did.
    pub cut: Option<Limit>,
}

impl StateList {
    /// The number of states.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// The number of initial states.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// The row of a state.
    pub fn row(&self, state: u32) -> Vec<Id> {
        self.rows.row(state)
    }

    /// The bytes that the rows take.
    pub fn bytes(&self) -> u64 {
        self.rows.bytes()
    }
}

/// Packed rows.
trait Rows {
    fn row(&self, state: u32) -> Vec<Id>;
    fn bytes(&self) -> u64;
}

struct Packed<K> {
    layout: Arc<KeyLayout>,
    keys: Vec<K>,
    slots: usize,
}

impl<K: Key> Rows for Packed<K> {
    fn row(&self, state: u32) -> Vec<Id> {
        let mut row = vec![0; self.slots];
        self.layout.decode(self.keys[state as usize], &mut row);
        row
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.keys) as u64
    }
}

/// Rows of a space that was too wide for a key, as they are.
struct Plain(Vec<Box<[Id]>>);

impl Rows for Plain {
    fn row(&self, state: u32) -> Vec<Id> {
        self.0[state as usize].to_vec()
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|row| 16 + size_of_val(&**row) as u64).sum()
    }
}

/// Lists a whole space, or says which limit it is larger than; then nothing, or a part, has been told. Of a space with zones
/// each zone is a state.
pub fn list(
    space: &dyn Space,
    search: &Search,
    callback: &dyn ProgressCallback,
    tell: &mut ListState<'_>,
) -> Result<Result<StateList, Limit>, ExploreError> {
    if !matches!(search.strategy, Strategy::Breadth { .. }) {
        return Err(ExploreError::Space(
            "all of its states are listed breadth-first only; leave the strategy out".into(),
        ));
    }
    if search.store != Store::Memory {
        return Err(ExploreError::InMemoryOnly("a list of all states"));
    }
    let admitted = admitted(space, &Question::default(), search)?;
    let keys = admitted.search.hooks.keys;
    let mut found = Err(Failure::TooWide);
    if keys == KeyWidth::Narrowest {
        found = listed::<u64>(space, &admitted, callback, tell);
    }
    if let (Err(Failure::TooWide), false) = (&found, keys == KeyWidth::Collapsed) {
        found = listed::<u128>(space, &admitted, callback, tell);
    }
    if let Err(Failure::TooWide) = found {
        let folded = Collapsed::new(space);
        let mut rows = Vec::new();
        let mut unfolded = |row: &[Id], steps: &[(Action, u32)]| {
            let row = folded.restore(row);
            tell(&row, steps);
            rows.push(row.into_boxed_slice());
        };
        found = listed::<u128>(&folded, &admitted, callback, &mut unfolded);
        if let Ok(Ok(list)) = &mut found {
            list.rows = Box::new(Plain(rows));
        }
    }
    match found {
        Ok(found) => Ok(found),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::TooWide) => Err(ExploreError::Space("it has too many different parts to number".into())),
    }
}

/// What came of the numbering of a store.
type Numbered<K> = Option<Result<(Packed<K>, u32, Option<Limit>), Limit>>;

fn listed<K: Key>(
    space: &dyn Space,
    admitted: &Admitted,
    callback: &dyn ProgressCallback,
    tell: &mut ListState<'_>,
) -> Result<Result<StateList, Limit>, Failure> {
    let mut numbered: Numbered<K> = None;
    let mut look = |visited: &Visited<K>, stats: &Stats, look: Look<'_>| {
        if let Look::Last(Some(_)) = look {
            let max_bytes = admitted.search.max_bytes;
            numbered = Some(in_order(space, visited, stats, (max_bytes, callback), tell));
        }
        true
    };
    let found = inspected::<K>(space, &Question::default(), admitted, callback, (None, &mut look))?;
    let whole = match (found.end, numbered) {
        (SearchEnd::Whole(_), Some(numbered)) => numbered,
        (SearchEnd::Short(shortfall), _) => match unknown(shortfall).map_err(Failure::Error)? {
            Outcome::Unknown(limit) => Err(limit),
            _ => Err(Limit::Interrupted),
        },
        _ => Err(Limit::Interrupted),
    };
    Ok(whole.map(|(packed, initial, cut)| {
        let states = packed.keys.len() as u32;
        StateList { rows: Box::new(packed), states, initial, stats: found.figures.stats, cut }
    }))
}

/// Numbers all states of a store, and tells each with its steps.
fn in_order<K: Key>(
    space: &dyn Space,
    visited: &Visited<K>,
    stats: &Stats,
    (max_bytes, callback): (Option<u64>, &dyn ProgressCallback),
    tell: &mut ListState<'_>,
) -> Result<(Packed<K>, u32, Option<Limit>), Limit> {
    const NONE: u32 = u32::MAX;
    let shelf = visited.open();
    let (layout, table, len) = (Arc::clone(&shelf.layout), &shelf.table, visited.len());
    let bytes = visited.bytes() + 4 * table.places() + len * size_of::<K>() as u64;
    if let Some(most) = max_bytes.filter(|&most| bytes > most) {
        return Err(Limit::Memory(most));
    }
    if len >= u64::from(NONE) {
        return Err(Limit::States(u64::from(NONE) - 1));
    }
    let mut number = vec![NONE; table.places() as usize];
    let mut keys: Vec<K> = Vec::with_capacity(len as usize);
    // A state that is not stored would be a mistake of the search; it has evidence that there is none.
    let numbered = |key: K, number: &mut Vec<u32>, keys: &mut Vec<K>| -> Option<u32> {
        let place = table.place(key, table.hash(key))?;
        if number[place] == NONE {
            number[place] = keys.len() as u32;
            keys.push(key);
        }
        Some(number[place])
    };
    for row in space.initial() {
        layout.encode(&row).and_then(|key| numbered(key, &mut number, &mut keys));
    }
    let initial = keys.len() as u32;
    let slots = space.shape().slots.len();
    let (mut row, mut out, mut steps, mut cut) = (vec![0; slots], Successors::new(), Vec::new(), None);
    let mut targets: Vec<Option<K>> = Vec::new();
    let (mut next, mut transitions) = (0u32, 0);
    while (next as usize) < keys.len() {
        if next.is_multiple_of(LOOK) {
            let progress = Progress {
                distinct_states: len,
                transitions,
                depth: stats.level_sizes.len() as u64,
                queue: len - u64::from(next),
                bytes,
            };
            if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
                return Err(limit);
            }
        }
        let key = keys[next as usize];
        layout.decode(key, &mut row);
        out.clear();
        space.expand(&row, &mut out);
        if let (None, Some(&cap)) = (&cut, out.cuts().first()) {
            cut = space.shape().caps.get(cap).map(|cap| Limit::Cap(cap.name.clone()));
        }
        targets.clear();
        for (_, edits) in out.iter() {
            let target = layout.edited(key, edits);
            target.into_iter().for_each(|key| table.prefetch(table.hash(key)));
            targets.push(target);
        }
        steps.clear();
        for ((action, _), target) in out.iter().zip(&targets) {
            let to = target.and_then(|key| numbered(key, &mut number, &mut keys));
            steps.extend(to.map(|to| (action, to)));
        }
        transitions += steps.len() as u64;
        tell(&row, &steps);
        next += 1;
    }
    Ok((Packed { layout, keys, slots }, initial, cut))
}
