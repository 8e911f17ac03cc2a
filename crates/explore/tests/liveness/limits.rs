//! Claims about infinite runs under every limit: the answer is the one without limits, or unknown.

use crate::draw;
use crate::engines::{Answer, reference};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_explore::{
    ExploreError, Hooks, KeyWidth, NoCallback, Progress, ProgressCallback, Search, Strategy, liveness,
    liveness_eager, liveness_general,
};
use watchkeeper_logic::{Limit, Outcome, TemporalProperty, Verdict};

/// Stops at a look, and counts them.
struct StopAtLook(u64, AtomicU64);

impl ProgressCallback for StopAtLook {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        let look = self.1.fetch_add(1, Ordering::Relaxed) + 1;
        if look >= self.0 { ControlFlow::Break(Limit::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

/// Asks in all three ways; how many answers there were.
fn ask(
    case: &draw::Case,
    search: &Search,
    callback: &impl ProgressCallback,
    truth: Answer,
    what: &str,
) -> usize {
    let draw::Case { table, claim, fairness } = case;
    let claims = [TemporalProperty::new("claim", claim.clone())];
    let ways: [Result<Vec<Verdict>, ExploreError>; 3] = [
        liveness(table, &claims, fairness, search, callback),
        liveness_general(table, &claims, fairness, search, callback),
        liveness_eager(table, &claims, fairness, search, callback),
    ];
    let mut answered = 0;
    for verdicts in ways {
        let verdict = &verdicts.expect("a verdict")[0];
        let fits = match (&verdict.outcome, truth) {
            (Outcome::Unknown(_), _) => true,
            (Outcome::Holds(_), truth) => truth == Answer::Holds,
            (Outcome::Violated(_), truth) => truth != Answer::Holds,
        };
        assert!(fits, "{what}: {}, but {truth:?}; {search:?}\n{case}", verdict.word());
        answered += usize::from(!matches!(verdict.outcome, Outcome::Unknown(_)));
    }
    answered
}

#[test]
fn every_limit_gives_the_answer_or_none_on_runs() {
    let plain = Hooks::default();
    let hooks = [
        plain,
        Hooks { threads: true, narrow: true, small_tables: true, ..plain },
        Hooks { keys: KeyWidth::TwoWords, narrow: true, ..plain },
        Hooks { threads: true, keys: KeyWidth::Collapsed, small_tables: true, ..plain },
    ];
    let (mut answered, mut asked, mut held) = (0, 0, 0);
    for seed in 0..120 {
        let case = draw::case(seed);
        let truth = reference(&case.table, &case.claim, &case.fairness);
        held += usize::from(truth == Answer::Holds);
        let workers = [1, 4][seed as usize % 2];
        let search = Search { workers, hooks: hooks[seed as usize % hooks.len()], ..Search::default() };
        answered += ask(&case, &search, &NoCallback, truth, "no limit");
        let states = case.table.states.len() as u64;
        for most in 1..=states + 1 {
            let search = Search { max_states: Some(most), ..search.clone() };
            answered += ask(&case, &search, &NoCallback, truth, "states");
            let strategy = Strategy::Breadth { max_depth: Some(most - 1) };
            answered +=
                ask(&case, &Search { max_states: None, strategy, ..search }, &NoCallback, truth, "depth");
            asked += 6;
        }
        let mut bytes = 1;
        while bytes < 1 << 20 {
            answered +=
                ask(&case, &Search { max_bytes: Some(bytes), ..search.clone() }, &NoCallback, truth, "bytes");
            bytes *= 2;
            asked += 3;
        }
        let mut at = 1;
        loop {
            let callback = StopAtLook(at, AtomicU64::new(0));
            answered += ask(&case, &search, &callback, truth, "look");
            asked += 3;
            if callback.1.load(Ordering::Relaxed) < at {
                break;
            }
            at += 1;
        }
    }
    assert!(held > 20 && held < 100, "{held} of 120 claims hold");
    assert!(answered > asked / 10 && answered < asked, "{answered} of {asked} answers");
}
