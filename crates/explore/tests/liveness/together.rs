//! Several things asked at once: as long as one of them has no answer, all of them together have none.

use crate::draw;
use crate::engines::{Answer, reference};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_explore::{Hooks, NoCallback, Progress, ProgressCallback, Search, check, liveness};
use watchkeeper_logic::{Formula, Limit, Outcome, Question, TemporalProperty};

/// Stops the first search, and lets all others be.
struct StopOnce(AtomicU64);

impl ProgressCallback for StopOnce {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => ControlFlow::Break(Limit::Interrupted),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Cases whose claims hold, and that have rules of fairness.
fn held() -> impl Iterator<Item = draw::Case> {
    let holds = |case: &draw::Case| reference(&case.table, &case.claim, &case.fairness) == Answer::Holds;
    (0..200).map(draw::case).filter(|case| !case.fairness.is_empty()).filter(holds)
}

#[test]
fn a_claim_that_has_no_answer_is_not_hidden_by_one_that_holds() {
    let hooks = Hooks { small_tables: true, ..Hooks::default() };
    let mut between = 0;
    // Its opposite remembers where the atom held in the last six steps, so the product with it is large.
    let again = (0..6).fold(Formula::atom(0), |then, _| then.next());
    let wide = Formula::atom(0).and(again).eventually();
    for case in held().take(40) {
        let claims = [
            TemporalProperty::new("nothing is said", Formula::True.always()),
            TemporalProperty::new("claim", case.claim.clone().or(wide.clone())),
        ];
        let within = |bytes: u64| Search { max_bytes: Some(bytes), hooks, ..Search::default() };
        let holds = |claim: usize, bytes: u64| {
            let verdicts = liveness(&case.table, &claims, &case.fairness, &within(bytes), &NoCallback);
            verdicts.expect("verdicts")[claim].holds()
        };
        // The least memory for an answer to the first, which needs the graph of the space and no more.
        let (mut less, mut enough) = (1, 1 << 24);
        while enough - less > 1 {
            let bytes = (less + enough) / 2;
            *if holds(0, bytes) { &mut enough } else { &mut less } = bytes;
        }
        if holds(0, enough) && !holds(1, enough) {
            between += 1;
            let temporal = claims.to_vec();
            let question = Question { temporal, fairness: case.fairness.clone(), ..Question::default() };
            let verdict = check(&case.table, &question, &within(enough), &NoCallback).expect("a verdict");
            assert!(matches!(verdict.outcome, Outcome::Unknown(_)), "{enough} bytes\n{case}");
        }
    }
    assert!(between > 5, "the first had an answer and the second had none: {between}");
}

#[test]
fn what_is_unknown_about_states_is_not_hidden_by_what_holds_of_runs() {
    let mut asked = 0;
    for case in held() {
        let question = Question {
            deadlock: true,
            temporal: vec![TemporalProperty::new("claim", case.claim.clone())],
            fairness: case.fairness.clone(),
            ..Question::default()
        };
        let stopped = check(&case.table, &question, &Search::default(), &StopOnce(AtomicU64::new(0)));
        let outcome = stopped.expect("a verdict").outcome;
        assert!(matches!(outcome, Outcome::Unknown(Limit::Interrupted)), "{case}");
        asked += 1;
    }
    assert!(asked > 20, "{asked} cases");
}
