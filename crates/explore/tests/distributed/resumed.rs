//! Searches on several workers that are interrupted and go on from their checkpoints, on as many workers or another number:
//! the end is that of a search that nobody disturbed. What workers have not all committed does not count; what is missing or
//! damaged is an error, and never another answer.

use crate::renumbered::Renumbered;
use crate::same::told;
use crate::threads::asked;
use crate::toy::Toy;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_disk::testing::{Scratch, cut, files, flip, len};
use watchkeeper_explore::{
    Checkpoints, ExploreError, Hooks, KeyWidth, NoCallback, Progress, ProgressCallback, Search, Strategy,
    check,
};
use watchkeeper_logic::{Guard, Invariant, Limit, Monitor, MonitorEdge, Outcome, Question, Verdict};
use watchkeeper_space::Space;

/// Ends the search at a look of any worker, and lets a checkpoint be due at every so many questions.
struct Stopping {
    stop_at: u64,
    due_every: u64,
    looks: AtomicU64,
    questions: AtomicU64,
}

impl Stopping {
    fn at(stop_at: u64, due_every: u64) -> Stopping {
        Stopping { stop_at, due_every, looks: AtomicU64::new(0), questions: AtomicU64::new(0) }
    }
}

impl ProgressCallback for Stopping {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        match self.looks.fetch_add(1, Ordering::SeqCst) + 1 >= self.stop_at {
            true => ControlFlow::Break(Limit::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }

    fn checkpoint_due(&self) -> bool {
        (self.questions.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(self.due_every)
    }
}

/// A search with checkpoints in a directory, by one of its workers.
fn saved(dir: &Path, search: &Search) -> Search {
    Search { checkpoints: Some(Arc::new(Checkpoints::within(dir, "a test"))), ..search.clone() }
}

/// What so many workers answer, whose ids depend on the salt, with checkpoints in a directory.
fn answers(
    (workers, salt): (usize, usize),
    toy: &(dyn Fn() -> Toy + Sync),
    question: &Question,
    (dir, search, callback): (&Path, &Search, &dyn ProgressCallback),
) -> Vec<Result<Verdict, ExploreError>> {
    let space = |me: usize| Box::new(Renumbered::new(toy(), me + salt)) as Box<dyn Space>;
    asked(workers, space, question, |_| (saved(dir, search), callback))
}

/// The same, where all have the same verdict.
fn verdict(
    team: (usize, usize),
    toy: &(dyn Fn() -> Toy + Sync),
    question: &Question,
    with: (&Path, &Search, &dyn ProgressCallback),
) -> Verdict {
    let mut all: Vec<Verdict> =
        answers(team, toy, question, with).into_iter().map(|answer| answer.expect("a verdict")).collect();
    let last = all.pop().expect("a worker");
    all.iter().for_each(|verdict| assert_eq!(told(verdict), told(&last), "{} workers", team.0));
    last
}

fn questions() -> Vec<Question> {
    let hurt = || Guard::Not(Guard::Atom(0).into());
    let edges = [(0, 1), (1, 2)].map(|(from, to)| MonitorEdge { from, guard: hurt(), to });
    let states = ["well", "hurt", "hurt twice"].map(str::to_string).to_vec();
    let errors = vec![(2, "it hurts again".to_string())];
    let monitor = Monitor { name: "at most once".into(), states, edges: edges.to_vec(), errors };
    let fine = Invariant { name: "fine".into(), when: None, then: 0 };
    vec![
        Question::default(),
        Question { deadlock: true, ..Question::default() },
        Question { invariants: vec![fine], ..Question::default() },
        Question { monitor: Some(monitor), ..Question::default() },
    ]
}

#[test]
fn a_search_that_is_stopped_again_and_again_ends_like_one_that_is_not() {
    let (mut tries, mut answers) = (0, [0; 2]);
    let few = Hooks { small_tables: true, ..Hooks::default() };
    let hooks = [
        Hooks::default(),
        Hooks { narrow: true, ..few },
        Hooks { keys: KeyWidth::TwoWords, narrow: true, ..few },
        Hooks { keys: KeyWidth::Collapsed, ..few },
    ];
    for (number, question) in questions().iter().enumerate() {
        for seed in 1..4u64 {
            let toy = || Toy { rare: [700, 2500][seed as usize % 2], ..Toy::new(5, 5, 3, seed) };
            let search = Search { hooks: hooks[(number + seed as usize) % 4], ..Search::default() };
            let alone = check(&toy(), question, &search, &NoCallback).expect("a verdict");
            answers[usize::from(alone.holds())] += 1;
            let scratch = Scratch::new("stopped");
            // Always the same number of workers, or always another.
            let sizes = [&[3][..], &[2, 4, 1, 3], &[1, 3, 2]][seed as usize % 3];
            for salt in 0.. {
                let workers = sizes[salt % sizes.len()];
                // What is there must be read first, which takes more looks each time.
                let callback = Stopping::at(12 + 9 * salt as u64, 2 + seed);
                let verdict = verdict((workers, salt), &toy, question, (scratch.path(), &search, &callback));
                if !matches!(verdict.outcome, Outcome::Unknown(_)) {
                    assert_eq!(told(&verdict), told(&alone), "seed {seed}, {question:?}");
                    tries += salt + 1;
                    break;
                }
                assert!(salt < 200, "it never ends: {verdict:?}");
            }
        }
    }
    assert!(tries > 30 && answers.iter().all(|&count| count >= 2), "{tries} tries, {answers:?}");
}

fn up_to(depth: u64) -> Search {
    Search { strategy: Strategy::Breadth { max_depth: Some(depth) }, ..Search::default() }
}

fn toy() -> Toy {
    Toy::new(6, 5, 2, 11)
}

/// Searches up to a depth and commits after each.
fn searched(dir: &Path, workers: usize, depth: u64) -> Verdict {
    verdict((workers, workers), &toy, &Question::default(), (dir, &up_to(depth), &Stopping::at(u64::MAX, 1)))
}

/// Puts the part of a worker into the place of another one.
fn replace(dir: &Path, part: &str, by: &Path) {
    let (to, from) = (dir.join("search-1").join(part), by.join("search-1").join(part));
    std::fs::remove_dir_all(&to).expect("it was there");
    std::fs::create_dir_all(&to).expect("made");
    for file in files(&from) {
        std::fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("copied");
    }
}

/// What a kill leaves between the commits of two workers: some have one depth more than others.
#[test]
fn what_not_all_have_committed_does_not_count() {
    let question = Question::default();
    let alone = check(&toy(), &question, &Search::default(), &NoCallback).expect("a verdict");
    assert!(alone.stats.level_sizes.len() > 9, "{:?}", alone.stats.level_sizes);
    let ends = |dir: &Path, workers: usize| {
        let callback = Stopping::at(u64::MAX, 3);
        let verdict = verdict((workers, 9), &toy, &question, (dir, &Search::default(), &callback));
        assert_eq!(told(&verdict), told(&alone), "{workers} workers");
    };
    let first = Scratch::new("first");
    searched(first.path(), 3, 3);
    let [shorter, longer] = [5, 7].map(|depth| {
        let copy = Scratch::copy_of(first.path());
        searched(copy.path(), 2, depth);
        copy
    });
    for workers in [1, 2, 4] {
        let mixed = Scratch::copy_of(longer.path());
        replace(mixed.path(), "run-2/worker-1", shorter.path());
        ends(mixed.path(), workers);
        // It is over, and goes on from there nevertheless.
        ends(mixed.path(), 3);
    }
    // Parts of one run or another were lost after all had committed.
    for (part, missing) in [("run-1/worker-2", "worker 2 of run 1"), ("run-2/worker-0", "worker 0 of run 2")]
    {
        let lost = Scratch::copy_of(longer.path());
        std::fs::remove_dir_all(lost.path().join("search-1").join(part)).expect("it was there");
        for answer in answers((2, 9), &toy, &question, (lost.path(), &Search::default(), &NoCallback)) {
            let told = answer.expect_err("refused").to_string();
            assert!(told.contains(&format!("the part of {missing} is missing")), "{told}");
        }
    }
}

#[test]
fn damage_and_another_search_are_errors_of_all_workers() {
    let question = Question::default();
    let first = Scratch::new("whole");
    searched(first.path(), 2, 4);
    searched(first.path(), 3, 6);
    let alone = check(&toy(), &question, &Search::default(), &NoCallback).expect("a verdict");
    let (mut refused, mut same) = (0, 0);
    let mut hit = |damage: &dyn Fn(&Path)| {
        let copy = Scratch::copy_of(first.path());
        damage(copy.path());
        let answers = answers((2, 9), &toy, &question, (copy.path(), &Search::default(), &NoCallback));
        let failed = answers.iter().filter(|answer| answer.is_err()).count();
        assert!(failed == 0 || failed == answers.len(), "some go on: {answers:?}");
        for answer in answers {
            match answer {
                Err(ExploreError::Checkpoint(why)) => {
                    assert!(why.contains("damaged at byte") && why.contains("begin anew"), "{why}");
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
                Ok(verdict) => {
                    assert_eq!(told(&verdict), told(&alone));
                    same += 1;
                }
            }
        }
    };
    for name in files(first.path()) {
        let name = name.strip_prefix(first.path()).expect("in it").to_path_buf();
        let length = len(&first.path().join(&name));
        for at in [0, length / 3, length / 2, length - 1] {
            hit(&|dir| flip(&dir.join(&name), at, (at % 8) as u8));
        }
        hit(&|dir| cut(&dir.join(&name), length - 1));
    }
    assert!(refused > 40 && same < refused / 4, "{refused} refused, {same} the same");
    let other = Question { deadlock: true, ..Question::default() };
    for answer in answers((2, 9), &toy, &other, (first.path(), &Search::default(), &NoCallback)) {
        let told = answer.expect_err("refused").to_string();
        assert!(told.contains("the checkpoint of another search"), "{told}");
    }
}

/// A disk that fails at one worker ends the checkpoints of all, and all say so.
#[test]
fn a_disk_that_is_full_at_one_worker_ends_the_checkpoints_and_not_the_search() {
    let scratch = Scratch::new("full");
    let question = Question::default();
    let alone = check(&toy(), &question, &Search::default(), &NoCallback).expect("a verdict");
    let space = |me: usize| Box::new(Renumbered::new(toy(), me)) as Box<dyn Space>;
    let callback = Stopping::at(u64::MAX, 1);
    let answers = asked(3, space, &question, |me| {
        let most = (me == 1).then_some(1000);
        let checkpoints = Checkpoints::within(scratch.path(), "a test").limited(most);
        (Search { checkpoints: Some(Arc::new(checkpoints)), ..Search::default() }, &callback)
    });
    for answer in answers {
        let mut verdict = answer.expect("a verdict");
        let warning = verdict.warnings.pop().expect("a warning");
        assert!(warning.contains("no more checkpoints of search 1 were written"), "{warning}");
        assert_eq!(told(&verdict), told(&alone));
    }
    let verdict = verdict((2, 9), &toy, &question, (scratch.path(), &Search::default(), &callback));
    assert_eq!(told(&verdict), told(&alone));
}

#[test]
fn a_checkpoint_before_the_first_depth_is_gone_on_from_again_and_again() {
    let scratch = Scratch::new("depth-0");
    for workers in [2, 3, 2, 1] {
        searched(scratch.path(), workers, 0);
    }
    let alone = check(&toy(), &Question::default(), &up_to(4), &NoCallback).expect("a verdict");
    assert_eq!(told(&searched(scratch.path(), 2, 4)), told(&alone));
}
