//! Searches over a dataflow whose workers are threads: the answer is the one of a search on one worker.

#[path = "../../explore/tests/distributed/renumbered.rs"]
mod renumbered;
#[path = "../../explore/tests/toy/mod.rs"]
mod toy;

use renumbered::Renumbered;
use std::sync::Arc;
use toy::Toy;
use watchkeeper_explore::{NoCallback, Search, SearchPeers, check};
use watchkeeper_fleet::{hang_up, threads};
use watchkeeper_logic::{Invariant, Outcome, Question, Verdict};
use watchkeeper_space::Space;

fn together<S: Space>(
    workers: usize,
    space: impl Fn(usize) -> S + Sync,
    questions: &[Question],
) -> Vec<Vec<Verdict>> {
    std::thread::scope(|scope| {
        let (space, mut running) = (&space, Vec::new());
        for (me, team) in threads(workers).into_iter().enumerate() {
            running.push(scope.spawn(move || {
                let peers = Some(SearchPeers(Arc::new(team)));
                let search = Search { peers, ..Search::default() };
                let ask = |question| check(&space(me), question, &search, &NoCallback).expect("a verdict");
                let verdicts: Vec<Verdict> = questions.iter().map(ask).collect();
                hang_up();
                verdicts
            }));
        }
        running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn several_questions_one_after_the_other_get_the_answers_of_one_worker() {
    let toy = || Toy { rare: 2500, ..Toy::new(6, 5, 4, 7) };
    let invariants = vec![Invariant { name: "fine".into(), when: None, then: 0 }];
    let questions = [Question::default(), Question { invariants, ..Question::default() }];
    let trace = |verdict: &Verdict| match &verdict.outcome {
        Outcome::Violated(found) => Some(found.trace.clone()),
        _ => None,
    };
    let alone: Vec<Verdict> = (questions.iter())
        .map(|question| check(&toy(), question, &Search::default(), &NoCallback).expect("a verdict"))
        .collect();
    assert!(alone[0].holds() && trace(&alone[1]).is_some());
    for workers in 1..=4 {
        for verdicts in together(workers, |me| Renumbered::new(toy(), me), &questions) {
            for (verdict, alone) in verdicts.iter().zip(&alone) {
                assert_eq!(verdict.stats.level_sizes, alone.stats.level_sizes, "{workers} workers");
                assert_eq!(verdict.stats.transitions, alone.stats.transitions, "{workers} workers");
                assert_eq!(trace(verdict), trace(alone), "{workers} workers");
            }
        }
    }
}
