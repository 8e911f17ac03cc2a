//! Reductions against the naive explorer: some interleavings, and states up to renaming.

use super::{Bench, Disagreement, Truth, shown};
use crate::ask::Minded;
use crate::engines::looking;
use crate::tally::{CaseTally, CompareMode};
use watchkeeper_core::Promises;
use watchkeeper_explore::{NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Limit, Outcome, Verdict};
use watchkeeper_space::Space;

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn order(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = CompareMode::Order;
        if self.case.is_timed() || !self.scope.has(mode) {
            return Ok(());
        }
        let search = Search { reduction: Reduction::PartialOrder, ..Search::default() };
        let verdicts =
            self.each_query(mode, space, truth, tally, &|_| search.clone(), &|_, answer, verdict| {
                let all: u64 = answer.levels.iter().sum();
                // A search that leaves out interleavings may get by without the cap of a channel, or meet it on a detour.
                let cap = matches!(&verdict.outcome, Outcome::Unknown(Limit::Cap(_)));
                let fine = match (answer.word(), verdict.word()) {
                    ("violated", "violated") => {
                        let steps = verdict.trace().map_or(0, |trace| trace.steps.len());
                        answer.fault.is_some_and(|fault| steps >= fault.depth)
                    }
                    ("holds", "holds") => verdict.stats.distinct_states <= all,
                    ("unknown", "holds") => true,
                    (_, "unknown") => cap && answer.cut,
                    _ => false,
                };
                if fine { Ok(()) } else { Err("another answer".to_string()) }
            })?;
        let in_part = |verdict: &&Verdict| verdict.stats.partial.is_some_and(|partial| partial.in_part > 0);
        verdicts.iter().filter(in_part).for_each(|_| tally.note("searched in part"));
        Ok(())
    }

    pub(super) fn symmetry(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = CompareMode::Symmetry;
        let count = truth.graph.members[0].renamings().len();
        if !self.scope.has(mode) {
            return Ok(());
        }
        let wrong = |what: String| Err(Disagreement { mode, what });
        if space.symmetry().map_or(1, |symmetry| symmetry.symmetries()) != count {
            return wrong(format!(
                "{count} renamings by the naive explorer, {} by the world",
                space.symmetry().map_or(1, |symmetry| symmetry.symmetries())
            ));
        }
        if count < 2 {
            return Ok(());
        }
        let orbits = truth.graph.orbits();
        let search = Search { symmetry: true.into(), ..Search::default() };
        if let Some(verdict) =
            self.asked(mode, check(space, &looking(space.shape()), &search, &NoCallback), tally)?
            && verdict.stats.distinct_states != orbits
        {
            return wrong(format!("{orbits} states up to renaming, engine {}", shown(&verdict)));
        }
        self.each_query(mode, space, truth, tally, &|_| search.clone(), &|_, answer, verdict| {
            let steps = verdict.trace().map(|trace| trace.steps.len());
            let same = verdict.word() == answer.word() && steps == answer.fault.map(|fault| fault.depth);
            if same { Ok(()) } else { Err("another answer".to_string()) }
        })?;
        Ok(())
    }
}
