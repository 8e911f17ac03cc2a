//! Searches with limits: whatever ends them, the answer is the one without limits or that it is not known.

use super::{Bench, Disagreement, Truth, shown};
use crate::ask::Minded;
use crate::dice::Dice;
use crate::engines::question;
use crate::tally::{CaseTally, CompareMode};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_core::Promises;
use watchkeeper_explore::{Progress, ProgressCallback, Reduction, Search, Strategy, check};
use watchkeeper_logic::Limit;
use watchkeeper_space::Space;

/// Stops a search when it has looked so often.
struct Patience(AtomicU64);

impl ProgressCallback for Patience {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(Limit::Interrupted) }
    }
}

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn limits(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = CompareMode::Limits;
        if !self.scope.has(mode) {
            return Ok(());
        }
        let mut dice = Dice::new(self.case.searches).mix(1);
        for _ in 0..2 {
            let at = dice.roll(self.case.asks.len() as u64) as usize;
            let (ask, answer) = (&self.case.asks[at], &truth.answers[at]);
            let states = truth.graph.states.len() as u64;
            let (search, patience) = limited(&mut dice, states, truth.graph.depths.iter().max().copied());
            let question = question::<P>(space.shape(), self.props, ask);
            let watch = Patience(AtomicU64::new(patience));
            let said = check(space, &question, &search, &watch);
            let Some(verdict) = self.asked(mode, said, tally)? else { continue };
            let steps = verdict.trace().map_or(0, |trace| trace.steps.len());
            let fine = match verdict.word() {
                "unknown" => true,
                "violated" => answer.fault.is_some_and(|fault| steps >= fault.depth),
                word => {
                    word == answer.word() || answer.word() == "unknown" && search.reduction != Reduction::None
                }
            };
            if !fine {
                let said = shown(&verdict);
                let what =
                    format!("{ask:?} by {search:?}, {patience} looks\n  naive {answer:?}\n  engine {said}");
                return Err(Disagreement { mode, what });
            }
            tally.of(mode).count(verdict.word());
        }
        Ok(())
    }
}

/// A search with some limit, and how many looks it may take.
fn limited(dice: &mut Dice, states: u64, depth: Option<usize>) -> (Search, u64) {
    let depth = depth.unwrap_or(0) as u64;
    let mut search = Search { seed: dice.roll(1 << 40), ..Search::default() };
    let mut patience = u64::MAX;
    match dice.roll(12) {
        0..5 => search.max_states = Some(1 + dice.roll(states + 1)),
        5 | 6 => search.strategy = Strategy::Breadth { max_depth: Some(dice.roll(depth + 2)) },
        7 => search.max_bytes = Some(1 + dice.roll(1 << (8 + dice.clone().roll(16)))),
        8 => patience = dice.roll(6),
        9 | 10 => {
            let width = 1 + dice.roll(4) as usize;
            search.strategy = Strategy::Beam { width, max_depth: dice.roll(depth + 2) };
        }
        _ => search.strategy = Strategy::Walks { count: 1 + dice.roll(4), max_depth: dice.roll(depth + 2) },
    }
    if dice.chance(4) {
        search.symmetry = true.into();
    } else if dice.chance(4) {
        search.reduction = Reduction::PartialOrder;
    }
    if dice.chance(16) {
        search.workers = 4;
    }
    (search, patience)
}
