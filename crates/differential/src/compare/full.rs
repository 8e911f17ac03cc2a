//! The engine on all states against the naive explorer: the same verdict, the same nearest fault, the same number of
//! states at each depth, and the same states, as far as a world shows them.

use super::{Bench, Disagreement, Truth, shown};
use crate::ask::{CaseQuery, Minded};
use crate::engines::{Looks, look_at_naive, looking};
use crate::naive::NaiveAnswer;
use crate::tally::{CaseTally, CompareMode};
use std::collections::HashSet;
use watchkeeper_core::Promises;
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::{Outcome, Verdict};
use watchkeeper_space::Space;

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn full(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        looks: &Looks,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = if self.case.is_timed() { CompareMode::Ticks } else { CompareMode::Full };
        if !self.scope.has(mode) {
            return Ok(());
        }
        self.looked_at(mode, space, truth, looks)?;
        // Threads cost more than most cases.
        let many = |at: usize| (self.case.searches >> (2 * at)).is_multiple_of(16);
        let search = |at| Search { workers: if many(at) { 4 } else { 1 }, ..Search::default() };
        self.each_query(mode, space, truth, tally, &search, &|ask, answer, verdict| {
            same(self, ask, answer, verdict, truth)
        })?;
        Ok(())
    }

    /// The states that the engine looks at are those of the naive explorer.
    fn looked_at(
        &self,
        mode: CompareMode,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        looks: &Looks,
    ) -> Result<(), Disagreement> {
        let wrong = |what: String| Err(Disagreement { mode, what });
        looks.lock().expect("nobody panics there").clear();
        let said = check(space, &looking(space.shape()), &Search::default(), &NoCallback);
        let verdict = match said {
            Ok(verdict) => verdict,
            Err(why) => return wrong(format!("nothing was counted: {why}")),
        };
        let order = self.scenarios[0].network.order;
        let states = truth.graph.states.iter();
        let expected: HashSet<u64> = states.map(|whole| look_at_naive::<P>(whole, order)).collect();
        let seen = looks.lock().expect("nobody panics there").clone();
        if seen != expected {
            let (missing, extra) = (expected.difference(&seen).count(), seen.difference(&expected).count());
            let what = format!("of the states that can be seen {missing} are missed and {extra} invented");
            return wrong(format!("{what}; naive {:?}, engine {}", truth.graph.levels(), shown(&verdict)));
        }
        if verdict.stats.level_sizes != truth.graph.levels() {
            return wrong(format!("naive {:?}, engine {}", truth.graph.levels(), shown(&verdict)));
        }
        Ok(())
    }
}

/// Whether a verdict is what the naive explorer says.
fn same<P: Promises>(
    bench: &Bench<'_, P>,
    ask: &CaseQuery,
    answer: &NaiveAnswer,
    verdict: &Verdict,
    truth: &Truth<'_, P>,
) -> Result<(), String> {
    if verdict.word() != answer.word() {
        return Err(format!("naive {}, engine {}", answer.word(), verdict.word()));
    }
    if verdict.stats.level_sizes != answer.levels {
        return Err("other numbers of states".to_string());
    }
    let (Some(fault), Outcome::Violated(violation)) = (answer.fault, &verdict.outcome) else { return Ok(()) };
    let name = match fault.finding {
        watchkeeper_logic::ViolationKind::Safety => match ask.invariants.get(fault.which) {
            Some((_, then)) => bench.props[*then].name(),
            None => "monitor".to_string(),
        },
        watchkeeper_logic::ViolationKind::Deadlock => "no deadlock".to_string(),
        _ => "no time-lock".to_string(),
    };
    if (violation.finding, &violation.what) != (fault.finding, &name) {
        return Err(format!("naive {:?} of {name}", fault.finding));
    }
    if violation.trace.steps.len() != fault.depth {
        return Err("another length of the run".to_string());
    }
    if !violation.shortest && !answer.cut && !truth.graph.cuts.contains(&true) {
        return Err("it is the shortest and does not say so".to_string());
    }
    Ok(())
}
