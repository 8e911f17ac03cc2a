//! The search on disk against the one in memory: the same verdicts, counts, depths and traces, with buffers so small that
//! little spaces have many runs, merges and layouts. And whatever the disk does, the answer is that one or none.

mod toy;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use toy::Toy;
use watchkeeper_explore::{
    DiskStore, ExploreError, Hooks, KeyWidth, NoCallback, Progress, ProgressCallback, Reduction, Search,
    Store, Strategy, check,
};
use watchkeeper_logic::{Invariant, Limit, Monitor, Outcome, Question, Verdict};

fn on_disk(search: &Search) -> Search {
    Search { store: Store::Disk(DiskStore::default()), ..search.clone() }
}

fn questions() -> [Question; 4] {
    let fine = Invariant { name: "fine".into(), when: None, then: 0 };
    let of = |invariants: Vec<Invariant>, deadlock| Question { invariants, deadlock, ..Question::default() };
    [of(vec![], false), of(vec![], true), of(vec![fine.clone()], false), of(vec![fine], true)]
}

fn all_hooks() -> Vec<Hooks> {
    let plain = Hooks::default();
    let small = Hooks { small_tables: true, ..plain };
    vec![
        plain,
        small,
        Hooks { narrow: true, ..small },
        Hooks { threads: true, narrow: true, ..small },
        Hooks { threads: true, keys: KeyWidth::TwoWords, narrow: true, ..small },
        Hooks { threads: true, keys: KeyWidth::Collapsed, narrow: true, ..small },
    ]
}

/// The answer with its evidence or its trace.
fn outcome(verdict: &Verdict) -> String {
    format!("{:?}", verdict.outcome)
}

/// Everything that must not depend on where the states are.
fn same(found: &Verdict, expected: &Verdict, what: &str) {
    assert_eq!(outcome(found), outcome(expected), "{what}");
    assert_eq!(found.coverage, expected.coverage, "{what}");
    assert_eq!(found.warnings, expected.warnings, "{what}");
    let figures = |verdict: &Verdict| {
        let stats = verdict.stats.clone();
        (stats.level_sizes, stats.distinct_states, stats.transitions, stats.unit, stats.renamings)
    };
    assert_eq!(figures(found), figures(expected), "{what}");
}

#[test]
fn small_spaces_of_many_shapes_have_the_same_answers_on_disk() {
    let (mut violated, mut states) = (0, 0);
    for seed in 0..60 {
        let mut toy = Toy::new(2 + seed as usize % 5, 2 + seed % 4, 1 + seed % 4, seed);
        toy.starts = 1 + (seed % 4) as u32;
        toy.spread = [1, 1 << 3, 1 << 7][seed as usize % 3];
        toy.rare = [5003, 40][seed as usize % 2];
        let hooks = all_hooks();
        for (q, question) in questions().into_iter().enumerate() {
            let memory = check(&toy, &question, &Search::default(), &NoCallback).expect("a verdict");
            violated += u64::from(memory.trace().is_some_and(|trace| trace.steps.len() > 3));
            states = memory.stats.distinct_states.max(states);
            let hooks = hooks[(seed as usize + q) % hooks.len()];
            for workers in [1, 3] {
                let search = on_disk(&Search { workers, hooks, ..Search::default() });
                let found = check(&toy, &question, &search, &NoCallback).expect("a verdict");
                same(&found, &memory, &format!("seed {seed}, question {q}, {search:?}"));
                assert!(found.stats.disk_written > 0);
            }
        }
    }
    assert!(violated > 10 && states > 1_000, "{violated} long traces, at most {states} states");
}

#[test]
fn a_space_with_wide_ids_and_every_way_to_pack_it() {
    for (seed, spread, ballast) in [(77, 1, 0), (5, 1 << 10, 0), (5, 1 << 13, 0), (3, 1, 12)] {
        let mut toy = Toy::new(5, 5, 4, seed);
        if ballast > 0 {
            toy = toy.with_ballast(ballast);
        }
        toy.spread = spread;
        for question in [&questions()[0], &questions()[3]] {
            let memory = check(&toy, question, &Search::default(), &NoCallback).expect("a verdict");
            for hooks in all_hooks() {
                let search = on_disk(&Search { workers: 4, hooks, ..Search::default() });
                let found = check(&toy, question, &search, &NoCallback).expect("a verdict");
                same(&found, &memory, &format!("seed {seed}, {search:?}"));
            }
        }
    }
}

#[test]
fn a_space_large_enough_for_threads_and_many_chunks() {
    let toy = Toy::new(6, 7, 4, 77);
    let memory = check(&toy, &Question::default(), &Search::default(), &NoCallback).expect("a verdict");
    assert!(memory.stats.distinct_states > 50_000);
    // Chunks of a few thousand keys, and no room for candidates.
    for max_bytes in [None, Some(2 << 20)] {
        let search = on_disk(&Search { workers: 2, max_bytes, ..Search::default() });
        let found = check(&toy, &Question::default(), &search, &NoCallback).expect("a verdict");
        same(&found, &memory, &format!("{max_bytes:?}"));
        assert!(found.stats.peak_bytes <= max_bytes.unwrap_or(u64::MAX), "{}", found.stats.peak_bytes);
    }
}

#[test]
fn monitors_are_searched_on_disk_too() {
    for seed in 0..20 {
        let toy = Toy { rare: 7, ..Toy::new(4, 4, 3, seed) };
        let monitor = Monitor::oscillation(0, 0, 1 + seed as u32 % 2);
        let question = Question { monitor: Some(monitor), ..Question::default() };
        let memory = check(&toy, &question, &Search::default(), &NoCallback).expect("a verdict");
        let hooks = Hooks { small_tables: true, threads: true, narrow: true, ..Hooks::default() };
        let search = on_disk(&Search { workers: 2, hooks, ..Search::default() });
        let found = check(&toy, &question, &search, &NoCallback).expect("a verdict");
        same(&found, &memory, &format!("seed {seed}"));
    }
}

/// Does something at one look, and may stop the search there.
struct AtLook<F> {
    at: u64,
    looks: AtomicU64,
    deed: F,
}

impl<F: Fn() -> ControlFlow<Limit>> AtLook<F> {
    fn new(at: u64, deed: F) -> AtLook<F> {
        AtLook { at, looks: AtomicU64::new(0), deed }
    }
}

impl<F: Fn() -> ControlFlow<Limit> + Sync> ProgressCallback for AtLook<F> {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if look == self.at { (self.deed)() } else { ControlFlow::Continue(()) }
    }
}

fn tiny(threads: bool) -> Hooks {
    Hooks { small_tables: true, threads, narrow: true, ..Hooks::default() }
}

#[test]
fn every_limit_ends_as_in_memory_or_in_unknown() {
    let (mut answered, mut unknown) = (0, 0);
    for seed in 0..8 {
        let toy = Toy { rare: 12, starts: 1 + seed as u32 % 3, ..Toy::new(3, 3, 1 + seed % 3, seed) };
        for question in questions() {
            let whole = check(&toy, &question, &Search::default(), &NoCallback).expect("a verdict");
            let states = whole.stats.distinct_states;
            for most in 1..=states.min(60) + 1 {
                let memory = Search { max_states: Some(most), ..Search::default() };
                let disk = on_disk(&Search { workers: 2, hooks: tiny(true), ..memory.clone() });
                let [memory, disk] = [memory, disk]
                    .map(|search| check(&toy, &question, &search, &NoCallback).expect("a verdict"));
                same(&disk, &memory, &format!("seed {seed}, {most} states"));
            }
            for depth in 0..=whole.stats.level_sizes.len() as u64 + 1 {
                let strategy = Strategy::Breadth { max_depth: Some(depth) };
                let memory = Search { strategy, ..Search::default() };
                let disk = on_disk(&Search { workers: 2, hooks: tiny(true), ..memory.clone() });
                let [memory, disk] = [memory, disk]
                    .map(|search| check(&toy, &question, &search, &NoCallback).expect("a verdict"));
                same(&disk, &memory, &format!("seed {seed}, depth {depth}"));
            }
            let mut same_or_none = |found: Verdict, what: &str| match found.outcome {
                Outcome::Unknown(_) => unknown += 1,
                _ => {
                    answered += 1;
                    assert_eq!(found.word(), whole.word(), "{what}");
                }
            };
            for most in (0..200_000u64).step_by(9_973) {
                let search =
                    on_disk(&Search { max_bytes: Some(most + 1), hooks: tiny(true), ..Search::default() });
                same_or_none(check(&toy, &question, &search, &NoCallback).expect("a verdict"), "bytes");
            }
            for at in 1.. {
                let stop = AtLook::new(at, || ControlFlow::Break(Limit::Interrupted));
                let search = on_disk(&Search { workers: 2, hooks: tiny(true), ..Search::default() });
                same_or_none(check(&toy, &question, &search, &stop).expect("a verdict"), "look");
                if stop.looks.into_inner() < at {
                    break;
                }
            }
        }
    }
    assert!(answered > 100 && unknown > 100, "{answered} answered, {unknown} unknown");
}

/// A directory for one test, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("watchkeeper-external-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Place(path)
    }

    fn search(&self, max_bytes: Option<u64>, workers: usize) -> Search {
        let store = Store::Disk(DiskStore { directory: Some(self.0.clone()), max_bytes, shared: false });
        Search { store, workers, hooks: tiny(workers > 1), ..Search::default() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn runs(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|kind| kind == "run")).collect()
}

type Damage = (&'static str, fn(&Path));

/// What is done to each file.
fn damages() -> [Damage; 3] {
    let flip = |path: &Path| {
        if let Ok(mut bytes) = fs::read(path)
            && let Some(byte) = {
                let middle = bytes.len() / 2;
                bytes.get_mut(middle)
            }
        {
            *byte ^= 16;
            let _ = fs::write(path, bytes);
        }
    };
    let cut = |path: &Path| {
        if let Ok(bytes) = fs::read(path) {
            let _ = fs::write(path, &bytes[..bytes.len() / 2]);
        }
    };
    let empty = |path: &Path| drop(fs::write(path, []));
    [("flip", flip), ("cut", cut), ("empty", empty)]
}

#[test]
fn a_damaged_file_never_gives_another_answer() {
    let place = Place::new("damage");
    let (mut unknown, mut failed) = (0, 0);
    for seed in 0..6 {
        let toy = Toy { rare: [5003, 60][seed as usize % 2], ..Toy::new(4, 4, 3, seed) };
        for question in [&questions()[0], &questions()[2]] {
            let whole = check(&toy, question, &Search::default(), &NoCallback).expect("a verdict");
            for (what, damage) in damages() {
                for at in (1..).step_by(1 + seed as usize) {
                    let deed = AtLook::new(at as u64, || {
                        runs(&place.0).iter().for_each(|path| damage(path));
                        ControlFlow::Continue(())
                    });
                    let search = place.search(None, 1 + seed as usize % 2);
                    let found = check(&toy, question, &search, &deed).expect("a verdict");
                    match &found.outcome {
                        Outcome::Unknown(limit) => {
                            unknown += 1;
                            failed += u64::from(matches!(limit, Limit::DiskFailed(_)));
                        }
                        _ => assert_eq!(outcome(&found), outcome(&whole), "seed {seed}, {what} at look {at}"),
                    }
                    assert!(!place.0.exists(), "nothing is left behind");
                    if deed.looks.into_inner() < at as u64 {
                        break;
                    }
                }
            }
        }
    }
    assert!(unknown > 100 && unknown == failed, "{unknown} unknown, {failed} of them by the disk");
}

#[test]
fn a_full_disk_gives_the_answer_or_none_and_a_violation_at_the_depth_that_is_expanded() {
    let place = Place::new("full");
    let (mut answered, mut unknown) = (0, 0);
    for seed in 0..12 {
        let toy = Toy { rare: 150, ..Toy::new(5, 4, 4, seed) };
        for question in [&questions()[0], &questions()[2]] {
            let whole = check(&toy, question, &place.search(None, 1), &NoCallback).expect("a verdict");
            for percent in (10..100).step_by(5) {
                let most = 1 + whole.stats.disk_bytes * percent / 100;
                let search = place.search(Some(most), 1 + seed as usize % 2);
                let found = check(&toy, question, &search, &NoCallback).expect("a verdict");
                match &found.outcome {
                    Outcome::Unknown(Limit::DiskFull(what)) => {
                        assert!(what.contains(&format!("limit of {most} bytes")), "{what}");
                        unknown += 1;
                    }
                    _ => {
                        assert_eq!(outcome(&found), outcome(&whole), "seed {seed}, {most} bytes");
                        answered += 1;
                    }
                }
                assert!(found.stats.disk_bytes <= most);
            }
        }
    }
    assert!(answered > 2 && unknown > 100, "{answered} answered, {unknown} unknown");
}

#[test]
fn a_directory_that_is_used_or_holds_something_is_refused_before_the_search() {
    let place = Place::new("used");
    let toy = Toy::new(3, 3, 2, 1);
    let question = Question::default();
    let inner = AtLook::new(2, || {
        let refused = check(&toy, &question, &place.search(None, 1), &NoCallback).expect_err("it is used");
        assert!(matches!(&refused, ExploreError::Store(why) if why.contains("another search")), "{refused}");
        ControlFlow::Continue(())
    });
    check(&toy, &question, &place.search(None, 1), &inner).expect("a verdict");
    assert!(inner.looks.into_inner() >= 2);
    let shared = DiskStore { directory: Some(place.0.clone()), shared: true, max_bytes: None };
    let shared = Search { store: Store::Disk(shared), ..place.search(None, 1) };
    let beside = AtLook::new(2, || {
        check(&toy, &question, &shared, &NoCallback).expect("a directory of its own");
        ControlFlow::Continue(())
    });
    check(&toy, &question, &shared, &beside).expect("a verdict");
    assert!(beside.looks.into_inner() >= 2);
    assert_eq!(fs::read_dir(&place.0).expect("there").count(), 0, "nothing is left in it");
    fs::write(place.0.join("letter"), "dear").expect("a file");
    let disk = place.search(None, 1);
    let Store::Disk(store) = disk.store.clone() else { panic!("on disk") };
    for store in [Store::Disk(store.clone()), Store::Auto(store)] {
        let search = Search { store, ..disk.clone() };
        let refused = check(&toy, &question, &search, &NoCallback).expect_err("it is not empty");
        assert!(matches!(&refused, ExploreError::Store(why) if why.contains("letter")), "{refused}");
    }
    assert_eq!(fs::read_dir(&place.0).expect("there").count(), 1, "the letter is still there, alone");
}

#[test]
fn what_cannot_be_done_on_disk_is_refused_with_a_reason() {
    let toy = Toy::new(3, 3, 2, 1);
    let beam = Search { strategy: Strategy::Beam { width: 2, max_depth: 9 }, ..Search::default() };
    let walks = Search { strategy: Strategy::Walks { count: 2, max_depth: 9 }, ..Search::default() };
    let partial = Search { reduction: Reduction::PartialOrder, ..Search::default() };
    for (search, what) in [(beam, "beam"), (walks, "walk"), (partial, "partial-order")] {
        let refused = check(&toy, &Question::default(), &on_disk(&search), &NoCallback).expect_err("refused");
        assert!(matches!(refused, ExploreError::InMemoryOnly(_)) && refused.to_string().contains(what));
    }
}

/// A search that begins in memory goes on on disk where memory ends.
#[test]
fn what_outgrows_memory_goes_to_disk() {
    let toy = Toy::new(6, 9, 4, 77);
    let mut spilled = 0;
    for question in [&questions()[0], &questions()[2]] {
        let memory = check(&toy, question, &Search::default(), &NoCallback).expect("a verdict");
        for share in [6, 8, 10] {
            let max_bytes = Some((memory.stats.peak_bytes / share).max(1 << 19));
            let store = Store::Auto(DiskStore::default());
            let search = Search { store, max_bytes, workers: 2, ..Search::default() };
            let found = check(&toy, question, &search, &NoCallback).expect("a verdict");
            same(&found, &memory, &format!("{search:?}"));
            spilled += u64::from(found.stats.disk_written > 0);
        }
    }
    assert!(spilled > 1, "{spilled}");
}
