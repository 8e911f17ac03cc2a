//! Searches on disk that are interrupted and go on from their checkpoints, in spaces whose ids differ from run to run, with
//! buffers so small that little spaces have many runs. A journal does not tell where the states were kept: a search that
//! began in memory may go on on disk, and the other way round.

mod interrupted;
mod toy;

use interrupted::{Renumbered, Trouble, checkpoints, figures, questions, toy};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use toy::Toy;
use watchkeeper_disk::testing::{Scratch, cut, files, flip, len};
use watchkeeper_explore::{
    DiskStore, ExploreError, Hooks, KeyWidth, NoCallback, ProgressCallback, Search, Store, check,
};
use watchkeeper_logic::{Guard, Monitor, MonitorEdge, Outcome, Question, Verdict};
use watchkeeper_space::{
    Action, AtomId, Id, Mismatch, Narration, Parts, Shape, Space, StatePath, Stuck, Successors, Trace, View,
};

fn disk() -> Store {
    Store::Disk(DiskStore::default())
}

fn hooks() -> Vec<Hooks> {
    let small = Hooks { small_tables: true, ..Hooks::default() };
    let few = Hooks { threads: true, ..small };
    vec![
        small,
        Hooks { narrow: true, ..few },
        Hooks { keys: KeyWidth::TwoWords, narrow: true, ..few },
        Hooks { keys: KeyWidth::Collapsed, ..few },
        Hooks { small_tables: false, ..few },
    ]
}

/// Asks until there is an answer: each search is stopped after some looks, and the next one begins with its checkpoints, with
/// other ids, and with the store that is next.
fn stopped_again_and_again(
    (seed, question): (u64, &Question),
    search: &Search,
    stores: &[Store],
    stop: u64,
) -> (Verdict, usize) {
    let scratch = Scratch::new("stopped-on-disk");
    for salt in 1.. {
        let space = Renumbered { toy: toy(seed), salt };
        let store = stores[salt as usize % stores.len()].clone();
        let search = Search { checkpoints: checkpoints(scratch.path()), store, ..search.clone() };
        // What is there must be read first, which takes more looks each time; and a depth is expanded in one go.
        let trouble = Trouble { stop_at: stop * u64::from(salt), ..Trouble::new(scratch.path(), 5) };
        let verdict = check(&space, question, &search, &trouble).expect("a verdict");
        if !matches!(verdict.outcome, Outcome::Unknown(_)) {
            return (verdict, salt as usize);
        }
        assert!(salt < 1000, "it never ends: {verdict:?}");
    }
    unreachable!("it ends or goes on")
}

#[test]
fn a_search_on_disk_that_is_stopped_again_and_again_ends_like_one_that_is_not() {
    let (mut runs, mut answers) = (0, [0; 2]);
    let stores =
        [vec![disk()], vec![Store::Memory, disk()], vec![disk(), disk(), Store::Memory, Store::Memory]];
    for seed in 0..5 {
        for (i, question) in questions().iter().enumerate() {
            let hooks = hooks();
            let hooks = hooks[(seed as usize + i) % hooks.len()];
            let search = Search { workers: 1 + seed as usize % 3, hooks, ..Search::default() };
            let undisturbed = check(&toy(seed), question, &search, &NoCallback).expect("a verdict");
            answers[usize::from(undisturbed.holds())] += 1;
            let stores = &stores[(seed as usize + i) % stores.len()];
            let (verdict, tries) = stopped_again_and_again((seed, question), &search, stores, 11);
            assert_eq!(figures(&verdict), figures(&undisturbed), "seed {seed}, {question:?}, {search:?}");
            runs += tries;
        }
    }
    assert!(runs > 40 && answers.iter().all(|&count| count >= 2), "{runs} runs, {answers:?}");
}

#[test]
fn a_search_on_disk_that_is_killed_at_any_look_ends_like_one_that_is_not() {
    let mut resumed = 0;
    for (seed, due_every) in [(0, 5), (1, 9), (2, 4), (3, 7), (4, 6)] {
        let search = Search { workers: 2, hooks: hooks()[seed as usize], ..Search::default() };
        let question = &questions()[seed as usize % 3];
        let undisturbed = check(&toy(seed), question, &search, &NoCallback).expect("a verdict");
        let mut kill_at = 1;
        loop {
            let scratch = Scratch::new("killed-on-disk");
            let ask = |dir: &Path, salt, store, callback: &dyn ProgressCallback| {
                let search = Search { checkpoints: checkpoints(dir), store, ..search.clone() };
                check(&Renumbered { toy: toy(seed), salt }, question, &search, callback).expect("a verdict")
            };
            let trouble = Trouble { kill_at, ..Trouble::new(scratch.path(), due_every) };
            let verdict = ask(scratch.path(), 1, disk(), &trouble);
            assert_eq!(figures(&verdict), figures(&undisturbed), "with checkpoints");
            let Some(killed) = trouble.killed.into_inner().expect("no panic") else { break };
            let copy = Scratch::copy_of(killed.path());
            for (dir, salt, store) in [(&killed, 1, disk()), (&killed, 5, disk()), (&copy, 5, Store::Memory)]
            {
                let verdict = ask(dir.path(), salt, store, &NoCallback);
                assert_eq!(figures(&verdict), figures(&undisturbed), "seed {seed}, killed at {kill_at}");
            }
            resumed += 3;
            kill_at = 2 * kill_at + 1;
        }
    }
    assert!(resumed > 30, "{resumed}");
}

/// A space that counts how many states are expanded.
struct Counted<'e> {
    inner: Renumbered,
    expanded: &'e AtomicU64,
}

impl Space for Counted<'_> {
    fn shape(&self) -> &Shape {
        self.inner.shape()
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.inner.initial()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        self.expanded.fetch_add(1, Ordering::Relaxed);
        self.inner.expand(row, out);
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.inner.pack(row, out);
    }

    fn parts(&self) -> Option<&dyn Parts> {
        self.inner.parts()
    }
}

impl Narration for Counted<'_> {
    fn view(&self, row: &[Id]) -> View {
        self.inner.view(row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(row, action)
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.inner.replay(trail)
    }
}

/// When memory is full, what was found there is read back and not searched again.
#[test]
fn an_automatic_store_goes_on_where_memory_was_full() {
    let large = || Renumbered { toy: Toy::new(5, 12, 2, 1), salt: 3 };
    let question = Question::default();
    let undisturbed = check(&large(), &question, &Search::default(), &NoCallback).expect("a verdict");
    let states = undisturbed.stats.distinct_states;
    assert!(states > 50_000, "{states}");
    let asked = |store: Store, saved: Option<&Scratch>| {
        let expanded = AtomicU64::new(0);
        // Much less than the table of all states, and enough for a store on disk.
        let max_bytes = Some(undisturbed.stats.peak_bytes / 4);
        let saved = saved.and_then(|saved| checkpoints(saved.path()));
        let search = Search { store, max_bytes, checkpoints: saved, workers: 2, ..Search::default() };
        let space = Counted { inner: large(), expanded: &expanded };
        let verdict = check(&space, &question, &search, &NoCallback).expect("a verdict");
        (verdict, expanded.into_inner())
    };
    let full = asked(Store::Memory, None).0;
    assert!(matches!(full.outcome, Outcome::Unknown(_)), "{full:?}");
    let auto = || Store::Auto(DiskStore::default());
    let (anew, twice) = asked(auto(), None);
    let saved = Scratch::new("auto-saved");
    let (gone_on, once) = asked(auto(), Some(&saved));
    for verdict in [&anew, &gone_on] {
        assert_eq!(figures(verdict), figures(&undisturbed));
        assert!(verdict.stats.disk_written > 0);
    }
    assert!(
        once < twice && once < states * 13 / 10,
        "{once} expansions, {twice} without a journal, {states} states"
    );
    // A search that is over, and does not fit into memory: it is read once more, and its last depth is looked at again.
    let (again, few) = asked(auto(), Some(&saved));
    assert_eq!(figures(&again), figures(&undisturbed));
    assert!(few < states / 2, "{few}");
    let (again, few) = asked(disk(), Some(&saved));
    assert_eq!(figures(&again), figures(&undisturbed));
    assert!(few < states / 2, "{few}");
}

#[test]
fn a_monitor_is_resumed_on_disk() {
    let edge = |from, guard, to| MonitorEdge { from, guard, to };
    let monitor = Monitor {
        name: "twice".into(),
        states: vec!["fine".into(), "was not fine".into(), "fine again".into(), "twice".into()],
        edges: vec![
            edge(0, Guard::Atom(0).negated(), 1),
            edge(1, Guard::Atom(0), 2),
            edge(2, Guard::Atom(0).negated(), 3),
        ],
        errors: vec![(3, "it was not fine twice".into())],
    };
    let question = Question { monitor: Some(monitor), ..Question::default() };
    for seed in 0..4 {
        let search = Search { workers: 2, hooks: hooks()[seed as usize], ..Search::default() };
        let undisturbed = check(&toy(seed), &question, &search, &NoCallback).expect("a verdict");
        let (verdict, tries) = stopped_again_and_again((seed, &question), &search, &[disk()], 9);
        assert_eq!(figures(&verdict), figures(&undisturbed), "seed {seed}");
        assert!(tries > 2, "{tries}");
    }
}

/// A disk that has no room for the states that are read back: nothing is said, and the checkpoint stays.
#[test]
fn a_full_disk_ends_the_search_and_not_the_checkpoint() {
    let scratch = Scratch::new("full-on-disk");
    let ask = |salt, max_bytes| {
        let store = Store::Disk(DiskStore { max_bytes, ..DiskStore::default() });
        let (checkpoints, hooks) = (checkpoints(scratch.path()), hooks()[1]);
        let search = Search { checkpoints, hooks, store, workers: 2, ..Search::default() };
        let space = Renumbered { toy: toy(1), salt };
        check(&space, &Question::default(), &search, &NoCallback).expect("a verdict")
    };
    let whole = ask(1, None);
    let mut unknown = 0;
    for part in [1, 20, 50, 80] {
        let verdict = ask(part as Id, Some(1 + whole.stats.disk_bytes * part / 100));
        match verdict.outcome {
            Outcome::Unknown(_) => unknown += 1,
            _ => assert_eq!(figures(&verdict), figures(&whole)),
        }
    }
    assert!(unknown >= 2, "{unknown}");
    assert_eq!(figures(&ask(9, None)), figures(&whole));
}

#[test]
fn damage_is_an_error_or_changes_nothing_on_disk() {
    let scratch = Scratch::new("damaged-on-disk");
    let ask = |dir: &Path, salt, callback: &dyn ProgressCallback| {
        let (checkpoints, hooks) = (checkpoints(dir), hooks()[1]);
        let search = Search { checkpoints, hooks, store: disk(), workers: 2, ..Search::default() };
        check(&Renumbered { toy: toy(1), salt }, &Question::default(), &search, callback)
    };
    let first = ask(scratch.path(), 3, &Trouble::new(scratch.path(), 2)).expect("a verdict");
    let (mut refused, mut same) = (0, 0);
    let mut hit = |damage: &dyn Fn(&Path)| {
        let copy = Scratch::copy_of(scratch.path());
        damage(copy.path());
        match ask(copy.path(), 6, &NoCallback) {
            Err(ExploreError::Checkpoint(why)) => {
                assert!(why.contains("damaged at byte") && why.contains("begin anew"), "{why}");
                refused += 1;
            }
            Ok(verdict) => {
                assert_eq!(figures(&verdict), figures(&first));
                same += 1;
            }
            Err(other) => panic!("{other}"),
        }
    };
    for name in ["log", "committed"] {
        let file = |dir: &Path| dir.join("search-1").join(name);
        let size = len(&file(scratch.path()));
        for at in (0..size).step_by(1 + size as usize / 50) {
            hit(&|dir| flip(&file(dir), at, (at % 8) as u8));
        }
        for at in (0..size).step_by(1 + size as usize / 10) {
            hit(&|dir| cut(&file(dir), at));
        }
    }
    hit(&|_| ());
    assert!(refused > 80 && same == 1, "{refused} refused, {same} the same");
    assert!(!files(scratch.path()).is_empty());
}
