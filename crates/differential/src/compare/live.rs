//! Claims about infinite runs: the naive explorer against all ways in which engines decide them.

use super::{Bench, Disagreement, Truth, shown};
use crate::ask::Minded;
use crate::engines::{fairness, temporal};
use crate::tally::{CaseTally, CompareMode};
use watchkeeper_core::Promises;
use watchkeeper_explore::{
    ExploreError, NoCallback, Search, liveness, liveness_eager, liveness_general, naive_liveness,
};
use watchkeeper_logic::Verdict;
use watchkeeper_space::Space;

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn liveness(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = CompareMode::Liveness;
        // What is left out could be what makes a run fair.
        if !self.scope.has(mode) || truth.graph.is_cut() || truth.graph.states.len() > 250 {
            return Ok(());
        }
        let mut checked = 0;
        for (claim, rules) in &self.case.claims {
            let Some(holds) = truth.graph.holds(claim, rules, &truth.props) else { continue };
            let word = if holds { "holds" } else { "violated" };
            let claims = [temporal(space.shape(), self.props, claim)];
            let rules: Vec<_> = rules.iter().filter_map(|rule| fairness(space.shape(), *rule)).collect();
            let search = Search::default();
            let ways: [(&str, Result<Vec<Verdict>, ExploreError>); 3] = [
                ("liveness", liveness(space, &claims, &rules, &search, &NoCallback)),
                ("liveness_general", liveness_general(space, &claims, &rules, &search, &NoCallback)),
                ("liveness_eager", liveness_eager(space, &claims, &rules, &search, &NoCallback)),
            ];
            for (way, said) in ways {
                let said = said.map(|mut verdicts| verdicts.remove(0));
                let Some(verdict) = self.asked(mode, said, tally)? else { continue };
                if verdict.word() != word {
                    let what =
                        format!("{claim:?} under {rules:?}\n  naive {word}\n  {way} {}", shown(&verdict));
                    return Err(Disagreement { mode, what });
                }
                tally.of(mode).count(verdict.word());
            }
            // The naive search of the engines' own room is slow.
            if truth.graph.states.len() < 40 && checked == 0 {
                checked += 1;
                let said = naive_liveness(space, &claims[0].formula, &rules).ok().flatten();
                if said.is_some_and(|said| said != holds) {
                    let what = format!(
                        "{claim:?} under {rules:?}\n  naive {word}\n  naive_liveness says the opposite"
                    );
                    return Err(Disagreement { mode, what });
                }
            }
        }
        Ok(())
    }
}
