//! The dictionary with toy parts: words that each run numbers as it meets them.

use super::*;
use std::cell::Cell;
use std::sync::Mutex;
use watchkeeper_space::FixedIds;

/// Slots of words; the first slot is a number that chooses the table, and odd tables have words of their own. A row is
/// settled if its words stand in the order of their ids.
#[derive(Default)]
struct Words {
    known: Mutex<HashMap<(Id, usize), Vec<String>>>,
    sorts: bool,
}

impl Words {
    fn intern(&self, table: Id, slot: usize, word: &str) -> Id {
        let mut known = self.known.lock().unwrap();
        let words = known.entry((table, slot)).or_default();
        let place = words.iter().position(|known| known == word);
        place.unwrap_or_else(|| {
            words.push(word.to_string());
            words.len() - 1
        }) as Id
    }

    fn row(&self, table: Id, words: &[&str]) -> Vec<Id> {
        let words = words.iter().enumerate().map(|(at, word)| self.intern(table, at + 1, word));
        [table].into_iter().chain(words).collect()
    }

    fn words(&self, row: &[Id]) -> Vec<String> {
        let known = self.known.lock().unwrap();
        (1..row.len()).map(|slot| known[&(row[0], slot)][row[slot] as usize].clone()).collect()
    }
}

impl Parts for Words {
    fn table(&self, row: &[Id]) -> Id {
        row.first().copied().unwrap_or(0)
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match slot {
            0 => FixedIds.part(table, slot, id, out),
            _ => out.extend_from_slice(self.known.lock().unwrap()[&(table, slot)][id as usize].as_bytes()),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        match slot {
            0 => FixedIds.part_id(table, slot, bytes).filter(|&id| id == table),
            _ => Some(self.intern(table, slot, std::str::from_utf8(bytes).ok()?)),
        }
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        if self.sorts {
            row[1..].sort_unstable();
        }
        !row.contains(&7)
    }

    fn is_settled(&self) -> bool {
        !self.sorts
    }
}

fn told(parts: &dyn Parts, rows: &[Vec<Id>]) -> Vec<u8> {
    let (mut writer, mut out) = (PartsWriter::new(), Vec::new());
    rows.iter().for_each(|row| writer.describe(parts, row, &mut out));
    out
}

fn learnt(parts: &dyn Parts, told: &[u8]) -> PartsReader {
    let mut reader = PartsReader::new();
    reader.learn(parts, told).expect("what was written");
    reader
}

#[test]
fn rows_mean_the_same_in_a_run_with_other_ids() {
    let (here, there) = (Words::default(), Words::default());
    there.row(0, &["three", "zwei"]);
    there.row(1, &["two", "one"]);
    let rows = [here.row(0, &["one", "eins"]), here.row(0, &["two", "zwei"]), here.row(1, &["one", "one"])];
    let reader = learnt(&there, &told(&here, &rows));
    assert!(!reader.is_identity());
    for row in rows {
        let mut read = row.clone();
        reader.translate(&there, &mut read).expect("told");
        assert_eq!(there.words(&read), here.words(&row));
        assert_ne!(read, row, "else this tests nothing");
        assert_eq!(reader.own_id(row[0], 1, row[1]), Some(read[1]));
    }
}

#[test]
fn a_content_is_told_once_also_that_of_id_0() {
    let words = Words::default();
    let rows = [words.row(0, &["a", "b"]), words.row(0, &["a", "c"]), words.row(3, &["a", "b"])];
    let (mut writer, mut out) = (PartsWriter::new(), Vec::new());
    let mut grown = Vec::new();
    for row in [&rows[0], &rows[0], &rows[1], &rows[2], &rows[1], &rows[2]] {
        let before = out.len();
        writer.describe(&words, row, &mut out);
        grown.push(out.len() - before);
    }
    // A content takes four numbers of a byte each, and its own bytes.
    assert_eq!(grown, [8 + 5 + 5, 0, 5, 18, 0, 0]);
}

#[test]
fn the_same_ids_are_told_apart_from_other_ids() {
    let words = Words::default();
    let rows = [words.row(0, &["a", "b"]), words.row(0, &["b", "a"])];
    let told = told(&words, &rows);
    assert!(learnt(&words, &told).is_identity());
    let sorts = Words { sorts: true, ..Words::default() };
    assert!(!learnt(&sorts, &told).is_identity(), "rows have to be settled");
    let other = Words::default();
    other.row(0, &["b"]);
    assert!(!learnt(&other, &told).is_identity());
}

#[test]
fn rows_are_settled_in_the_ids_of_the_reader() {
    let (here, there) = (Words::default(), Words { sorts: true, ..Words::default() });
    let rows = [here.row(0, &["a", "b"]), here.row(0, &["b", "a"])];
    there.row(0, &["b", "b"]);
    there.row(0, &["a", "a"]);
    let reader = learnt(&there, &told(&here, &rows));
    let mut row = rows[0].clone();
    reader.translate(&there, &mut row).expect("told");
    assert_eq!(row, [0, 0, 1]);
    assert_eq!(reader.own_id(0, 1, rows[0][1]), Some(1), "before it is settled");
}

#[test]
fn what_was_never_told_is_refused() {
    let words = Words::default();
    let row = words.row(0, &["a", "b"]);
    let reader = learnt(&words, &told(&words, &[row]));
    let refused = |row: &[Id]| reader.translate(&words, &mut row.to_vec()).unwrap_err();
    assert_eq!(refused(&[0, 1, 0]), BadParts::Untold { slot: 1, id: 1 });
    assert_eq!(refused(&[0, 0, NONE]), BadParts::Untold { slot: 2, id: NONE });
    assert_eq!(refused(&[4, 0, 0]), BadParts::Untold { slot: 0, id: 4 });
    assert_eq!(refused(&[0, 0, 0, 0]), BadParts::Untold { slot: 3, id: 0 });
    assert_eq!(refused(&[NONE]), BadParts::Untold { slot: 0, id: NONE });
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let words = Words::default();
    let rows: Vec<Vec<Id>> = (0..8).map(|word| words.row(0, &[&word.to_string()])).collect();
    let reader = learnt(&words, &told(&words, &rows));
    assert_eq!(reader.translate(&words, &mut rows[6].clone()), Ok(()));
    assert_eq!(reader.translate(&words, &mut rows[7].clone()), Err(BadParts::NoState));
}

#[test]
fn an_id_with_two_contents_is_refused() {
    let (one, other) = (Words::default(), Words::default());
    let first = told(&one, &[one.row(0, &["a"])]);
    let second = told(&other, &[other.row(0, &["b"])]);
    let mut reader = learnt(&one, &first);
    assert_eq!(reader.learn(&one, &first), Ok(()), "the same may be told again");
    assert_eq!(reader.learn(&one, &second), Err(BadParts::Ambiguous { slot: 1, id: 0 }));
}

#[test]
fn ids_that_are_far_apart_cost_no_memory() {
    let ids = [0, 1, 100, 5000, 1 << 20, 1 << 30, NONE - 1, NONE];
    let rows: Vec<Vec<Id>> = ids.iter().map(|&id| vec![id, 3]).collect();
    let bytes = told(&FixedIds, &rows);
    assert!(told(&FixedIds, &[&rows[..], &rows[..]].concat()) == bytes, "told once");
    let reader = learnt(&FixedIds, &bytes);
    assert!(reader.is_identity());
    for row in &rows {
        let mut read = row.clone();
        reader.translate(&FixedIds, &mut read).expect("told");
        assert_eq!(read, *row);
    }
    let near: usize = reader.tables.0.iter().flat_map(|(_, slots)| slots).map(|ids| ids.near.len()).sum();
    assert!(near < 2000, "{near}");
}

#[test]
fn an_id_found_near_and_far_is_one_id() {
    let (mut told, mut own) = (ToldIds::default(), OwnIds::default());
    let mut seen = HashMap::new();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let id = random.u32(..) >> random.u32(..32);
        assert_eq!(told.contains(id), seen.contains_key(&id));
        assert_eq!(own.get(id), seen.get(&id).copied());
        if seen.insert(id, !id).is_none() {
            told.insert(id);
            own.insert(id, !id);
        }
    }
    assert!(!told.far.is_empty() && !own.far.is_empty(), "else this tests nothing");
}

/// Whoever tells the last ids first is not punished for it.
#[test]
fn ids_that_are_dense_in_the_end_are_found_in_the_list() {
    let mut own = OwnIds::default();
    let mut ids: Vec<Id> = (0..50_000).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut ids[..40_000]);
    ids[..40_000].reverse();
    ids.iter().for_each(|&id| own.insert(id, id + 1));
    assert!(own.far.len() < 500, "{}", own.far.len());
    assert!(own.near.len() < 120_000, "{}", own.near.len());
    assert!(ids.iter().all(|&id| own.get(id) == Some(id + 1)));
}

#[test]
fn numbers_are_read_as_they_were_written() {
    for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
        let mut bytes = Vec::new();
        put(number, &mut bytes);
        assert_eq!(take(&mut &bytes[..]), Ok(number));
        assert_eq!(take(&mut &bytes[..bytes.len() - 1]), Err(BadParts::Damaged));
    }
    assert_eq!(take(&mut &[0xff; 9][..]), Err(BadParts::Damaged));
    assert_eq!(
        take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..]),
        Err(BadParts::Damaged)
    );
}

#[test]
fn damaged_bytes_are_refused_or_give_rows_of_the_space() {
    let here = Words::default();
    let rows: Vec<Vec<Id>> = (0..40).map(|at| here.row(at % 3, &[&format!("word {at}"), "same"])).collect();
    let bytes = told(&here, &rows);
    let (mut random, refused) = (fastrand::Rng::with_seed(3), Cell::new(0));
    for _ in 0..5000 {
        let mut bad = bytes.clone();
        match random.u8(..3) {
            0 => bad.truncate(random.usize(..bytes.len())),
            1 => bad[random.usize(..bytes.len())] = random.u8(..),
            _ => bad = std::iter::repeat_with(|| random.u8(..) >> random.u32(..8)).take(40).collect(),
        }
        let there = Words::default();
        let mut reader = PartsReader::new();
        if reader.learn(&there, &bad).is_err() {
            refused.set(refused.get() + 1);
            continue;
        }
        for row in &rows {
            let mut read = row.clone();
            if reader.translate(&there, &mut read).is_ok() {
                there.words(&read);
            }
        }
    }
    assert!(refused.get() > 1000, "{}", refused.get());
}
