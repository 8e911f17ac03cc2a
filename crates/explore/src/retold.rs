//! Whether a space tells its states so that another run of it knows them: its rows are written by one instance and read by
//! another one, which has other ids, and must be the same states there; and bytes that were damaged must not make it
//! panic. No search uses this; the tests of every space do.

use crate::{PartsReader, PartsWriter};
use fastrand::Rng;
use std::collections::{HashMap, HashSet};
use watchkeeper_space::{ClassId, Id, Parts, Space, Stuck, steps};

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retold {
    /// The states that were told.
    pub states: usize,
    /// Those whose rows have other ids where they were read.
    pub renumbered: usize,
    /// How often damaged bytes or rows were refused.
    pub refused: usize,
    /// How often they were states nevertheless.
    pub accepted: usize,
}

/// Tells the first states of a space, at most so many, to another instance of it, and says what is not the same there. Then
/// as many times as wanted tells some of them in damaged bytes, which a seed decides.
pub fn retold(
    here: &dyn Space,
    there: &dyn Space,
    most: usize,
    (times, seed): (usize, u64),
) -> Result<Retold, String> {
    let (Some(tells), Some(hears)) = (here.parts(), there.parts()) else {
        return Err("the space has no parts".to_string());
    };
    let rows = reached(here, most, false);
    // Something else first, and the rows the other way round, so that ids differ.
    reached(there, most / 4 + 1, true);
    let (mut writer, mut reader, mut told) = (PartsWriter::new(), PartsReader::new(), Vec::new());
    for row in rows.iter().rev() {
        told.clear();
        writer.describe(tells, row, &mut told);
        reader.learn(hears, &told).map_err(|why| format!("{row:?} of {:?}: {why}", here.view(row)))?;
        told.clear();
        writer.describe(tells, row, &mut told);
        if !told.is_empty() {
            return Err(format!("{row:?} is told twice"));
        }
    }
    let mut found = Retold { states: rows.len(), ..Retold::default() };
    let mut known = HashMap::new();
    for row in &rows {
        let mut read = row.clone();
        reader
            .translate(hears, &mut read)
            .map_err(|why| format!("{row:?} of {:?}: {why}", here.view(row)))?;
        found.renumbered += usize::from(read != *row);
        let (written, seen) = (looks(here, row), looks(there, &read));
        if written != seen {
            return Err(format!("{row:?} is read as {read:?}: {written:?}, and there {seen:?}"));
        }
        if hears.is_settled() && here.view(row) != there.view(&read) {
            return Err(format!("{:?} is read as {:?}", here.view(row), there.view(&read)));
        }
        if known.insert(written.bytes, read).is_some() {
            return Err(format!("{row:?} is another state where it is read"));
        }
    }
    if reader.is_identity() && found.renumbered > 0 {
        return Err("ids are said to be the same, and are not".to_string());
    }
    // A state that was read has the row by which a search there finds it.
    let again = reached(there, most, false);
    let (mut met, mut bytes) = (0, Vec::new());
    for row in &again {
        bytes.clear();
        there.pack(row, &mut bytes);
        if let Some(read) = known.get(&bytes) {
            met += 1;
            if read != row {
                return Err(format!("{:?} is read as {read:?} and found as {row:?}", there.view(row)));
            }
        }
    }
    let whole = rows.len() < most;
    if met == 0 || whole && (met, again.len()) != (rows.len(), rows.len()) {
        return Err(format!("{} states are told, {met} of them found again", rows.len()));
    }
    let mut random = Rng::with_seed(seed);
    (0..times).for_each(|_| damage(here, there, &rows, &mut random, &mut found));
    Ok(found)
}

/// What must be the same of a state in every run.
#[derive(PartialEq, Eq, Debug)]
struct StateLooks {
    bytes: Vec<u8>,
    stuck: Option<Stuck>,
    atoms: Vec<bool>,
    cut: Vec<usize>,
    next: Vec<(ClassId, Vec<u8>)>,
}

/// Of a row that stands for its renamings only what is the same of all of them.
fn looks(space: &dyn Space, row: &[Id]) -> StateLooks {
    let settled = space.parts().is_none_or(Parts::is_settled);
    let atoms = space.shape().atoms.iter().enumerate().filter(|(_, atom)| settled || atom.symmetric);
    let packed = |row: &[Id]| {
        let mut bytes = Vec::new();
        space.pack(row, &mut bytes);
        bytes
    };
    let steps = steps(space, row);
    let mut next: Vec<(ClassId, Vec<u8>)> =
        steps.next.iter().map(|(action, row)| (action.class(), packed(row))).collect();
    next.sort();
    let mut cut = steps.cut;
    cut.sort_unstable();
    StateLooks {
        bytes: packed(row),
        stuck: steps.stuck.then(|| space.stuck(row)),
        atoms: atoms.map(|(atom, _)| space.atom(atom, row)).collect(),
        cut,
        next,
    }
}

/// Some states: breadth first, or depth first from the other end.
fn reached(space: &dyn Space, most: usize, backwards: bool) -> Vec<Vec<Id>> {
    let mut rows: Vec<Vec<Id>> = Vec::new();
    let mut known = HashSet::new();
    let mut waiting = std::collections::VecDeque::from(space.initial());
    while let Some(row) = if backwards { waiting.pop_back() } else { waiting.pop_front() } {
        if rows.len() >= most {
            break;
        }
        if !known.insert(row.clone()) {
            continue;
        }
        waiting.extend(steps(space, &row).next.into_iter().map(|(_, row)| row));
        rows.push(row);
    }
    rows
}

/// Bytes and rows that were damaged are refused, or are states that a search can go on from.
fn damage(here: &dyn Space, there: &dyn Space, rows: &[Vec<Id>], random: &mut Rng, found: &mut Retold) {
    let (Some(tells), Some(hears)) = (here.parts(), there.parts()) else { return };
    let some: Vec<&Vec<Id>> = (0..6).map(|_| &rows[random.usize(..rows.len())]).collect();
    let (mut writer, mut told) = (PartsWriter::new(), Vec::new());
    some.iter().for_each(|row| writer.describe(tells, row, &mut told));
    match random.u8(..8) {
        0 => told.truncate(random.usize(..told.len())),
        1 => told = std::iter::repeat_with(|| random.u8(..) >> random.u32(..8)).take(60).collect(),
        // The bytes as they are, for rows that are not.
        2 | 3 => {}
        _ => {
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..told.len());
                told[at] = if random.bool() { random.u8(..) } else { told[at] ^ 1 << random.u32(..8) };
            }
        }
    }
    let mut reader = PartsReader::new();
    if reader.learn(hears, &told).is_err() {
        found.refused += 1;
        return;
    }
    for row in &some {
        let mut read: Vec<Id> = match random.bool() {
            true => row.to_vec(),
            // A bit of each: every id was told, but the parts may not go together.
            false => (0..row.len()).map(|slot| some[random.usize(..some.len())][slot]).collect(),
        };
        if random.u8(..10) == 0 {
            read[random.usize(..row.len())] = random.u32(..) >> random.u32(..32);
        }
        match reader.translate(hears, &mut read) {
            Ok(()) => found.accepted += 1,
            Err(_) => {
                found.refused += 1;
                continue;
            }
        }
        use_up(there, hears, &read);
    }
}

/// Does with a row whatever a search does, and tells it on.
fn use_up(space: &dyn Space, parts: &dyn Parts, row: &[Id]) {
    let mut told = Vec::new();
    PartsWriter::new().describe(parts, row, &mut told);
    looks(space, row);
    space.view(row);
    space.picture(row);
    space.guide(row);
    let mut next = steps(space, row).next;
    if let Some((action, _)) = next.first() {
        space.label(row, *action);
        space.action_label(row, *action);
    }
    if let Some(symmetry) = space.symmetry() {
        let mut least = Vec::new();
        symmetry.least(row, &mut least);
        looks(space, &least);
    }
    next.truncate(5);
    next.iter().for_each(|(_, row)| drop(looks(space, row)));
}
