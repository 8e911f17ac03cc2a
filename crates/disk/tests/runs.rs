//! Sorted runs in memory and in files: merged, subtracted, divided, and damaged.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper_disk::{
    AsWritten, DiskError, Remap, RunCursor, RunDirectory, RunMerge, RunPlace, RunWriter, SortedRun, quantiles,
};

/// A fresh directory for a test, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("watchkeeper-disk-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Place(path)
    }

    fn open(&self) -> RunDirectory {
        RunDirectory::open(&self.0, None).expect("a directory")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn draw(seed: u64, count: usize, below: u64) -> BTreeSet<u64> {
    let mut hash = seed;
    let mut next = || {
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ 0x1234_5678;
        (hash >> 8) % below
    };
    (0..count).map(|_| next()).collect()
}

fn run(directory: &RunDirectory, words: &BTreeSet<u64>, to_file: bool, block: usize) -> SortedRun<u64> {
    let place = match to_file {
        true => RunPlace::File(Arc::new(directory.create("test").expect("a file"))),
        false => RunPlace::Memory,
    };
    let mut writer = RunWriter::new(directory, place, 0, block);
    let words: Vec<u64> = words.iter().copied().collect();
    for piece in words.chunks(11) {
        writer.extend(piece).expect("there is room");
    }
    SortedRun::of([writer.finish().expect("there is room")])
}

fn all(runs: &[SortedRun<u64>], remap: &dyn Remap<u64>, from: Option<u64>, until: Option<u64>) -> Vec<u64> {
    let mut merge = RunMerge::new(runs, remap, from, until).expect("readable");
    let (mut batch, mut words) = (Vec::new(), Vec::new());
    while merge.next(&mut batch).expect("readable") {
        words.extend_from_slice(&batch);
    }
    words
}

#[test]
fn runs_are_merged_and_subtracted_like_sets() {
    let place = Place::new("sets");
    let directory = place.open();
    for seed in 1..40 {
        let below = [50, 1000, u64::MAX >> 8][seed as usize % 3];
        let sets: Vec<BTreeSet<u64>> =
            (0..seed % 6).map(|i| draw(seed * 10 + i, 1 + (seed * 37) as usize % 300, below)).collect();
        let block = 1 + seed as usize % 9;
        let runs: Vec<_> =
            sets.iter().enumerate().map(|(i, set)| run(&directory, set, i % 2 == 0, block)).collect();
        let union: BTreeSet<u64> = sets.iter().flatten().copied().collect();
        assert_eq!(all(&runs, &AsWritten, None, None), union.iter().copied().collect::<Vec<_>>());

        let bounds = quantiles(&runs, &AsWritten, 4);
        let mut parts = Vec::new();
        let ends = bounds.iter().copied().map(Some).chain([None]);
        for (from, until) in [None].into_iter().chain(bounds.iter().copied().map(Some)).zip(ends) {
            parts.extend(all(&runs, &AsWritten, from, until));
        }
        assert_eq!(parts, union.iter().copied().collect::<Vec<_>>(), "in parts, {bounds:?}");

        let asked = draw(seed * 77, 400, below);
        let mut rest = asked.clone();
        for (set, run) in sets.iter().zip(&runs) {
            rest.retain(|word| !set.contains(word));
            let words: Vec<u64> = asked.iter().copied().collect();
            let mut cursor = RunCursor::new(run, &AsWritten);
            let mut kept = Vec::new();
            for piece in words.chunks(13) {
                let mut piece = piece.to_vec();
                cursor.remove_from(&mut piece).expect("readable");
                kept.extend(piece);
            }
            assert_eq!(kept, asked.difference(set).copied().collect::<Vec<_>>());
        }
    }
}

/// Doubles the words of segments with tag 0.
struct Doubled;

impl Remap<u64> for Doubled {
    fn remap(&self, _: u32, words: &mut [u64]) {
        words.iter_mut().for_each(|word| *word *= 2);
    }
}

#[test]
fn words_are_mapped_while_they_are_read() {
    let place = Place::new("mapped");
    let directory = place.open();
    let set = draw(3, 300, 1 << 20);
    let run = run(&directory, &set, true, 7);
    let doubled: Vec<u64> = set.iter().map(|word| word * 2).collect();
    assert_eq!(all(std::slice::from_ref(&run), &Doubled, None, None), doubled);
    let from = doubled[150];
    assert_eq!(all(std::slice::from_ref(&run), &Doubled, Some(from), None), doubled[150..]);
    let mut asked: Vec<u64> = (0..1 << 21).step_by(3).collect();
    let kept: Vec<u64> = asked.iter().copied().filter(|word| doubled.binary_search(word).is_err()).collect();
    RunCursor::new(&run, &Doubled).remove_from(&mut asked).expect("readable");
    assert_eq!(asked, kept);
}

#[test]
fn a_cut_or_changed_file_is_damaged() {
    let place = Place::new("damaged");
    let directory = place.open();
    let set = draw(3, 300, 1 << 40);
    let run = run(&directory, &set, true, 16);
    let file = || fs::read_dir(&place.0).expect("there").map(|entry| entry.expect("there").path());
    let file = file().find(|path| path.extension().is_some_and(|kind| kind == "run")).expect("a file");
    let whole = fs::read(&file).expect("readable");
    let read = || -> Result<(), DiskError> {
        let mut merge = RunMerge::new(std::slice::from_ref(&run), &AsWritten, None, None)?;
        let mut batch = Vec::new();
        while merge.next(&mut batch)? {}
        Ok(())
    };
    read().expect("whole");
    for bit in (0..8 * whole.len()).step_by(61) {
        let mut other = whole.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &other).expect("writable");
        assert!(matches!(read(), Err(DiskError::Damaged { .. })), "bit {bit}");
    }
    for length in (0..whole.len()).step_by(29) {
        fs::write(&file, &whole[..length]).expect("writable");
        assert!(matches!(read(), Err(DiskError::Damaged { .. })), "{length} bytes");
    }
}

#[test]
fn a_quota_is_kept_and_given_back() {
    let place = Place::new("quota");
    let directory = RunDirectory::open(&place.0, Some(4000)).expect("a directory");
    let set = draw(3, 300, 1 << 40);
    let first = run(&directory, &set, true, 16);
    assert!(directory.used() > 1000 && directory.used() == first.bytes());
    let file = Arc::new(directory.create("test").expect("a file"));
    let mut writer = RunWriter::new(&directory, RunPlace::File(file), 0, 16);
    let words: Vec<u64> = (0..2000).map(|word| word << 20).collect();
    let full = writer.extend(&words).and_then(|()| writer.finish().map(|_| ()));
    let full = full.expect_err("no room");
    assert!(matches!(full, DiskError::Full { .. }), "{full}");
    assert!(full.to_string().contains("4000 bytes"), "{full}");
    drop(first);
    assert_eq!(directory.used(), 0);
    assert!(directory.peak() > 1000);
}

#[test]
fn a_directory_is_empty_and_has_one_user_and_is_left_as_it_was() {
    let place = Place::new("user");
    let directory = place.open();
    assert!(matches!(RunDirectory::open(&place.0, None), Err(DiskError::InUse { .. })));
    let written = run(&directory, &draw(1, 100, 1000), true, 5);
    assert!(fs::read_dir(&place.0).expect("there").count() == 2);
    drop((directory, written));
    assert!(!place.0.exists(), "it was made for the search");
    fs::create_dir(&place.0).expect("a directory");
    drop(place.open());
    assert_eq!(fs::read_dir(&place.0).expect("still there").count(), 0);
    fs::write(place.0.join("letter"), "dear").expect("writable");
    let refused = RunDirectory::open(&place.0, None).expect_err("something is there");
    assert!(matches!(refused, DiskError::NotEmpty { .. }) && refused.to_string().contains("letter"));
    // What a search left that was killed goes, once nothing else is there.
    for name in ["depths-0.run", "found-12.run"] {
        fs::write(place.0.join(name), "left").expect("writable");
    }
    RunDirectory::open(&place.0, None).expect_err("the letter is still there");
    assert!(place.0.join("found-12.run").exists());
    fs::remove_file(place.0.join("letter")).expect("removed");
    for name in ["depths.run", "depths-.run", "-1.run", "Depths-1.run", "depths-1.run.txt", "a-b-1.run"] {
        fs::write(place.0.join(name), "mine").expect("writable");
        let refused = RunDirectory::open(&place.0, None).expect_err("it is of no search").to_string();
        assert!(refused.contains(&format!("`{name}`")), "{refused}");
        fs::remove_file(place.0.join(name)).expect("removed");
    }
    drop(place.open());
    assert_eq!(fs::read_dir(&place.0).expect("still there").count(), 0);
    let temporary = RunDirectory::temporary(None).expect("a directory");
    let path = temporary.path().to_path_buf();
    assert!(path.exists());
    drop(temporary);
    assert!(!path.exists());
}
