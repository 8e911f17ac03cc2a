//! Searches that are interrupted and go on from their checkpoints, in spaces whose ids differ from run to run: whenever a
//! search was killed, and as often as it was, the end is that of a search that nobody disturbed. And a checkpoint that is
//! damaged, or of another search, gives an error and never another answer.

mod interrupted;
mod toy;

use interrupted::{Renumbered, Trouble, checkpoints, figures, questions, toy};
use std::path::Path;
use std::sync::Arc;
use toy::Toy;
use watchkeeper_disk::ClaimedDirectory;
use watchkeeper_disk::testing::{Scratch, cut, files, flip, len};
use watchkeeper_explore::{
    Checkpoints, ExploreError, Hooks, KeyWidth, NoCallback, ProgressCallback, Search, Strategy, check,
};
use watchkeeper_logic::{
    Fairness, Formula, Guard, Monitor, MonitorEdge, Outcome, Question, TemporalProperty, Verdict,
};
use watchkeeper_space::Space;

fn hooks() -> Vec<Hooks> {
    let few = Hooks { threads: true, ..Hooks::default() };
    vec![
        few,
        Hooks { narrow: true, small_tables: true, ..few },
        Hooks { keys: KeyWidth::TwoWords, narrow: true, ..few },
        Hooks { keys: KeyWidth::Collapsed, ..few },
    ]
}

/// Asks until there is an answer: each search is stopped at its `stop`-th look, and the next one begins with its
/// checkpoints and with other ids.
fn stopped_again_and_again(seed: u64, question: &Question, search: &Search, stop: u64) -> (Verdict, usize) {
    let scratch = Scratch::new("stopped");
    for salt in 1.. {
        let space = Renumbered { toy: toy(seed), salt };
        let search = Search { checkpoints: checkpoints(scratch.path()), ..search.clone() };
        // What is there must be read first, which takes more looks each time.
        let trouble = Trouble { stop_at: stop + 4 * u64::from(salt), ..Trouble::new(scratch.path(), 3) };
        let verdict = check(&space, question, &search, &trouble).expect("a verdict");
        if !matches!(verdict.outcome, Outcome::Unknown(_)) {
            return (verdict, salt as usize);
        }
        assert!(salt < 1000, "it never ends: {verdict:?}");
    }
    unreachable!("it ends or goes on")
}

#[test]
fn a_search_that_is_stopped_again_and_again_ends_like_one_that_is_not() {
    let (mut runs, mut answers) = (0, [0; 2]);
    for seed in 0..4 {
        for (i, question) in questions().iter().enumerate() {
            let hooks = hooks();
            let hooks = hooks[(seed as usize + i) % hooks.len()];
            let search = Search { workers: 1 + seed as usize % 3, hooks, ..Search::default() };
            let undisturbed = check(&toy(seed), question, &search, &NoCallback).expect("a verdict");
            answers[usize::from(undisturbed.holds())] += 1;
            for stop in [12, 21] {
                let (verdict, tries) = stopped_again_and_again(seed, question, &search, stop);
                assert_eq!(figures(&verdict), figures(&undisturbed), "seed {seed}, {question:?}, {search:?}");
                runs += tries;
            }
        }
    }
    assert!(runs > 50 && answers.iter().all(|&count| count >= 2), "{runs} runs, {answers:?}");
}

#[test]
fn a_search_that_is_killed_at_any_look_ends_like_one_that_is_not() {
    let mut resumed = 0;
    for (seed, due_every) in [(0, 1), (1, 2), (2, 5), (3, 9)] {
        let hooks = hooks()[seed as usize];
        let search = Search { workers: 2, hooks, ..Search::default() };
        let question = &questions()[seed as usize % 3];
        let undisturbed = check(&toy(seed), question, &search, &NoCallback).expect("a verdict");
        let mut kill_at = 1;
        loop {
            let scratch = Scratch::new("killed");
            let ask = |dir: &Path, salt, callback: &dyn ProgressCallback| {
                let search = Search { checkpoints: checkpoints(dir), ..search.clone() };
                check(&Renumbered { toy: toy(seed), salt }, question, &search, callback).expect("a verdict")
            };
            let trouble = Trouble { kill_at, ..Trouble::new(scratch.path(), due_every) };
            let verdict = ask(scratch.path(), 1, &trouble);
            assert_eq!(figures(&verdict), figures(&undisturbed), "with checkpoints");
            let Some(killed) = trouble.killed.into_inner().expect("no panic") else { break };
            for salt in [1, 5] {
                let verdict = ask(killed.path(), salt, &NoCallback);
                assert_eq!(figures(&verdict), figures(&undisturbed), "seed {seed}, killed at {kill_at}");
            }
            resumed += 2;
            kill_at += 1 + kill_at / 2;
        }
    }
    assert!(resumed > 30, "{resumed}");
}

/// The answer of a search that is over comes from what is written, and needs no step.
#[test]
fn a_search_that_is_over_is_not_done_again() {
    let scratch = Scratch::new("over");
    let search = || Search { checkpoints: checkpoints(scratch.path()), ..Search::default() };
    let question = Question::default();
    let space = |salt| Renumbered { toy: toy(1), salt };
    let first = check(&space(1), &question, &search(), &NoCallback).expect("a verdict");
    let bytes: u64 = files(scratch.path()).iter().map(|file| len(file)).sum();
    let again = check(&space(2), &question, &search(), &NoCallback).expect("a verdict");
    assert_eq!(figures(&again), figures(&first));
    assert_eq!(files(scratch.path()).iter().map(|file| len(file)).sum::<u64>(), bytes);
}

/// A search to its end, with commits on the way.
fn saved(dir: &Path) -> Verdict {
    let search = Search { checkpoints: checkpoints(dir), ..search_of_few() };
    let callback = Trouble::new(dir, 2);
    check(&Renumbered { toy: toy(1), salt: 3 }, &Question::default(), &search, &callback).expect("a verdict")
}

fn search_of_few() -> Search {
    Search { workers: 2, hooks: hooks()[0], ..Search::default() }
}

fn gone_on(dir: &Path, question: &Question, seed: u64) -> Result<Verdict, ExploreError> {
    let search = Search { checkpoints: checkpoints(dir), ..search_of_few() };
    check(&Renumbered { toy: toy(seed), salt: 6 }, question, &search, &NoCallback)
}

#[test]
fn damage_is_an_error_or_changes_nothing() {
    let scratch = Scratch::new("damaged");
    let first = saved(scratch.path());
    let (mut refused, mut same) = (0, 0);
    let mut hit = |damage: &dyn Fn(&Path)| {
        let copy = Scratch::copy_of(scratch.path());
        damage(copy.path());
        match gone_on(copy.path(), &Question::default(), 1) {
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
        for at in (0..size).step_by(1 + size as usize / 60) {
            hit(&|dir| flip(&file(dir), at, (at % 8) as u8));
        }
        for at in (0..size).step_by(1 + size as usize / 10) {
            hit(&|dir| cut(&file(dir), at));
        }
    }
    hit(&|_| ());
    assert!(refused > 100 && same == 1, "{refused} refused, {same} the same");
}

#[test]
fn the_checkpoint_of_another_search_is_refused() {
    let scratch = Scratch::new("another");
    saved(scratch.path());
    let told = |found: Result<Verdict, ExploreError>| match found {
        Err(ExploreError::Checkpoint(why)) => why,
        other => panic!("{other:?}"),
    };
    let why = told(gone_on(scratch.path(), &Question::no_deadlock(), 1));
    assert!(why.contains("the checkpoint of another search") && why.contains("another directory"), "{why}");
    // Of another space with the same slots: it begins elsewhere.
    let why = told(gone_on(scratch.path(), &Question::default(), 2));
    assert!(why.contains("initial states are not those of this search"), "{why}");
    let directory = ClaimedDirectory::claim(scratch.path()).expect("free");
    let checkpoints = Some(Arc::new(Checkpoints::new(directory, "another version")));
    let search = Search { checkpoints, ..search_of_few() };
    let space = Renumbered { toy: toy(1), salt: 1 };
    let why = told(check(&space, &Question::default(), &search, &NoCallback));
    assert!(why.contains("the checkpoint of another search"), "{why}");
    drop(search);
    gone_on(scratch.path(), &Question::default(), 1).expect("a verdict");
}

#[test]
fn a_search_that_leaves_no_checkpoints_says_so_and_searches_nothing() {
    let scratch = Scratch::new("none");
    let refused = |space: &dyn Space, search: Search| {
        let search = Search { checkpoints: checkpoints(scratch.path()), ..search };
        let told = check(space, &Question::default(), &search, &NoCallback).expect_err("refused").to_string();
        assert!(told.contains("leaves no checkpoints\n  Nothing was searched"), "{told}");
    };
    let space = Renumbered { toy: toy(1), salt: 1 };
    refused(&space, Search { strategy: Strategy::Beam { width: 3, max_depth: 9 }, ..Search::default() });
    refused(&space, Search { strategy: Strategy::Walks { count: 3, max_depth: 9 }, ..Search::default() });
    refused(&toy(1), Search::default());
    assert_eq!(files(scratch.path()).len(), 1, "the lock");
}

/// A disk without room ends the checkpoints and not the search; the last one that is complete can be used.
#[test]
fn a_full_disk_ends_the_checkpoints_and_not_the_search() {
    let whole = Scratch::new("whole");
    let undisturbed = saved(whole.path());
    let size = len(&whole.path().join("search-1/log"));
    for most in [1, size / 3, size / 2, size - 1] {
        let scratch = Scratch::new("full");
        let directory = ClaimedDirectory::claim(scratch.path()).expect("free");
        let checkpoints = Some(Arc::new(Checkpoints::new(directory, "a test").limited(Some(most))));
        let search = Search { checkpoints, ..search_of_few() };
        let callback = Trouble::new(scratch.path(), 2);
        let space = Renumbered { toy: toy(1), salt: 3 };
        let mut verdict = check(&space, &Question::default(), &search, &callback).expect("a verdict");
        let warning = verdict.warnings.pop().expect("a warning");
        assert!(warning.starts_with("no more checkpoints of search 1 were written: "), "{warning}");
        assert!(warning.contains("no room: it may have"), "{warning}");
        assert_eq!(figures(&verdict), figures(&undisturbed));
        drop(search);
        let verdict = gone_on(scratch.path(), &Question::default(), 1).expect("a verdict");
        assert_eq!(figures(&verdict), figures(&undisturbed), "{most} of {size} bytes");
    }
}

/// Monitors and claims about infinite runs: the product goes through the journal; a graph that was searched for fair cycles
/// on the way is not searched once more, so that the end is the same.
#[test]
fn monitors_and_claims_about_infinite_runs_are_resumed() {
    let edge = |from, guard, to| MonitorEdge { from, guard, to };
    let twice = Monitor {
        name: "twice".into(),
        states: vec!["fine".into(), "was not fine".into(), "fine again".into(), "twice".into()],
        edges: vec![
            edge(0, Guard::Atom(0).negated(), 1),
            edge(1, Guard::Atom(0), 2),
            edge(2, Guard::Atom(0).negated(), 3),
        ],
        errors: vec![(3, "it was not fine twice".into())],
    };
    let fine = || Formula::atom(0);
    let claim = |name: &str, formula: Formula| Question {
        temporal: vec![TemporalProperty::new(name, formula)],
        fairness: vec![Fairness::processes()],
        ..Question::default()
    };
    let questions = [
        Question { monitor: Some(twice), ..Question::default() },
        claim("again and again", fine().eventually().always()),
        claim("never rare", fine().not().leads_to(fine())),
        Question { deadlock: true, ..claim("in the end", fine().always().eventually()) },
    ];
    let (mut resumed, mut answers) = (0, [0; 2]);
    for (question, seed) in questions.iter().flat_map(|question| [(question, 4), (question, 7)]) {
        let space = |salt| Renumbered {
            toy: Toy { rare: if seed == 4 { 40 } else { 1 << 40 }, ..Toy::new(4, 9, 3, seed) },
            salt,
        };
        let search = Search { workers: 2, ..Search::default() };
        let undisturbed = check(&space(1), question, &search, &NoCallback).expect("a verdict");
        answers[usize::from(undisturbed.holds())] += 1;
        for kill_at in [33, 36, 40, 46] {
            let scratch = Scratch::new("infinite");
            let ask = |dir: &Path, salt, callback: &dyn ProgressCallback| {
                let search = Search { checkpoints: checkpoints(dir), ..search.clone() };
                check(&space(salt), question, &search, callback).expect("a verdict")
            };
            let trouble = Trouble { kill_at, ..Trouble::new(scratch.path(), 1) };
            assert_eq!(figures(&ask(scratch.path(), 1, &trouble)), figures(&undisturbed), "with checkpoints");
            let Some(killed) = trouble.killed.into_inner().expect("no panic") else { break };
            let verdict = ask(killed.path(), 1, &NoCallback);
            assert_eq!(figures(&verdict), figures(&undisturbed), "{question:?}, killed at {kill_at}");
            resumed += 1;
        }
    }
    assert!(resumed > 12 && answers.iter().all(|&count| count > 1), "{resumed}, {answers:?}");
}
