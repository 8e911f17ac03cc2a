//! Dense time against ticks. With closed integer bounds and simultaneous events in any order both reach the same states
//! but for clocks; where deliveries come first, dense time reaches what ticks reach, and more.

use super::{Bench, Disagreement, Either, Truth, shown};
use crate::ask::Minded;
use crate::engines::{Looks, look_at_naive, looking, question};
use crate::tally::{CaseTally, CompareMode};
use std::collections::HashSet;
use watchkeeper_core::Promises;
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_space::Space;
use watchkeeper_world::{Scenario, Simultaneous, Synchrony, WorldTime};

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn zones(&self, truth: &Truth<'_, P>, tally: &mut CaseTally) -> Result<(), Disagreement> {
        let mode = CompareMode::Zones;
        let Some(timing) = self.scenarios[0].time.timing().filter(|_| self.scope.has(mode)) else {
            return Ok(());
        };
        if timing.synchrony != Synchrony::Always {
            return Ok(());
        }
        let dense = |scenario: &Scenario| {
            let timing = scenario.time.timing().expect("all of a family have time");
            Scenario { time: WorldTime::Dense(timing), ..scenario.clone() }
        };
        let scenarios: Vec<Scenario> = self.scenarios.iter().map(dense).collect();
        let looks = Looks::default();
        let any_order = timing.simultaneous == Simultaneous::AnyOrder;
        match self.worlds(&scenarios, &looks) {
            Ok(Either::One(world)) => self.in_zones(&**world, truth, &looks, any_order, tally),
            Ok(Either::Many(worlds)) => self.in_zones(&*worlds, truth, &looks, any_order, tally),
            Err(what) => Err(Disagreement { mode, what: format!("no dense world: {what}") }),
        }
    }

    fn in_zones(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        looks: &Looks,
        any_order: bool,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let mode = CompareMode::Zones;
        let wrong = |what: String| Err(Disagreement { mode, what });
        let search = Search::default();
        let said = check(space, &looking(space.shape()), &search, &NoCallback);
        let Some(verdict) = self.asked(mode, said, tally)? else { return Ok(()) };
        let order = self.scenarios[0].network.order;
        let states = truth.graph.states.iter();
        let expected: HashSet<u64> = states.map(|whole| look_at_naive::<P>(whole, order)).collect();
        let seen = looks.lock().expect("nobody panics there").clone();
        let (missing, extra) = (expected.difference(&seen).count(), seen.difference(&expected).count());
        if missing > 0 || any_order && extra > 0 {
            let what = format!("of the states that can be seen {missing} are missed and {extra} invented");
            return wrong(format!("{what}; ticks {:?}, zones {}", truth.graph.levels(), shown(&verdict)));
        }
        for (ask, answer) in self.case.asks.iter().zip(&truth.answers) {
            // A monitor sees steps, of which dense time has others. A deadline that begins again whenever it runs out is always
            // something to come, and ticks tell that nothing changes by it only where its bound is 0.
            let deadlines = self.watchers.iter().any(|watcher| watcher.deadlines);
            if ask.monitor.is_some() || ask.deadlock && deadlines {
                continue;
            }
            let question = question::<P>(space.shape(), self.props, ask);
            let Some(verdict) = self.asked(mode, check(space, &question, &search, &NoCallback), tally)?
            else {
                continue;
            };
            let fine = match (answer.word(), verdict.word()) {
                (ticks, zones) if ticks == zones => true,
                // Dense time reaches more.
                ("holds" | "unknown", _) => !any_order,
                _ => false,
            };
            if !fine {
                return wrong(format!("{ask:?}\n  ticks {answer:?}\n  zones {}", shown(&verdict)));
            }
            tally.of(mode).count(verdict.word());
            let symmetric = Search { symmetry: true.into(), ..Search::default() };
            if space.symmetry().map_or(1, |symmetry| symmetry.symmetries()) > 1
                && let Some(renamed) =
                    self.asked(mode, check(space, &question, &symmetric, &NoCallback), tally)?
                && renamed.word() != verdict.word()
            {
                let said = shown(&renamed);
                return wrong(format!("{ask:?}\n  zones {}\n  up to renaming {said}", shown(&verdict)));
            }
        }
        Ok(())
    }
}
