//! The comparisons: the same case by the naive explorer and by the engines, in every mode that fits. Whatever differs that
//! must not is a disagreement, and ends the case.

mod full;
mod limits;
mod live;
mod parts;
mod reduced;
mod stages;
mod zones;

use crate::ask::{CaseQuery, Minded, Prop};
use crate::case::RandomCase;
use crate::engines::{Looks, WorldParts, question};
use crate::naive::{NaiveAnswer, NaiveGraph, NaiveWorld, NoGraph};
use crate::observer::RandomObserver;
use crate::table::TableProtocol;
use crate::tally::{CaseTally, CompareMode};
use std::fmt;
use std::sync::Arc;
use watchkeeper_core::{Pid, Promises};
use watchkeeper_explore::{ExploreError, NoCallback, Search, check};
use watchkeeper_logic::{Outcome, Verdict};
use watchkeeper_space::Space;
use watchkeeper_world::{Scenario, TypedWorld, Worlds};

/// Two answers that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// In which mode.
    pub mode: CompareMode,
    /// What was asked, and both answers.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.mode, self.what)
    }
}

/// How much is compared.
#[derive(Clone, Debug)]
pub struct CompareScope {
    /// The modes; none for all.
    pub only: Vec<CompareMode>,
    /// The most states of a case.
    pub most: usize,
}

impl CompareScope {
    /// Whether a mode is in it.
    pub fn has(&self, mode: CompareMode) -> bool {
        self.only.is_empty() || self.only.contains(&mode)
    }
}

/// Compares one case in all modes that fit.
pub fn compare(case: &RandomCase, scope: &CompareScope, tally: &mut CaseTally) -> Result<(), Disagreement> {
    if let Some(climb) = &case.climb {
        return stages::compare(climb, scope, tally);
    }
    if scope.only == [CompareMode::Stages] {
        return Ok(());
    }
    match case.selective {
        true => of_protocol(&TableProtocol::<true>(Arc::clone(&case.rules)), case, scope, tally),
        false => of_protocol(&TableProtocol::<false>(Arc::clone(&case.rules)), case, scope, tally),
    }
}

fn of_protocol<const S: bool>(
    protocol: &TableProtocol<S>,
    case: &RandomCase,
    scope: &CompareScope,
    tally: &mut CaseTally,
) -> Result<(), Disagreement> {
    let bench = Bench {
        protocol,
        scenarios: &case.scenarios,
        calls: &case.calls,
        watchers: &case.watchers,
        props: &case.props,
        case,
        scope,
    };
    bench.compare(tally)
}

/// A case with the types of its protocol.
pub(crate) struct Bench<'a, P: Promises> {
    pub(crate) protocol: &'a P,
    pub(crate) scenarios: &'a [Scenario],
    pub(crate) calls: &'a [(Pid, P::Call, u32)],
    pub(crate) watchers: &'a [RandomObserver],
    pub(crate) props: &'a [Prop],
    pub(crate) case: &'a RandomCase,
    pub(crate) scope: &'a CompareScope,
}

/// What the naive explorer has found out.
pub(crate) struct Truth<'a, P: Promises> {
    pub(crate) graph: NaiveGraph<'a, P>,
    pub(crate) props: Vec<Vec<bool>>,
    pub(crate) answers: Vec<NaiveAnswer>,
}

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    fn compare(&self, tally: &mut CaseTally) -> Result<(), Disagreement> {
        let naives = self.scenarios.iter().map(|scenario| NaiveWorld {
            protocol: self.protocol,
            scenario,
            calls: self.calls,
            watchers: self.watchers,
        });
        let wrong = |what: String| Err(Disagreement { mode: CompareMode::Full, what });
        let looks = Looks::default();
        let graph = NaiveGraph::of(naives.collect(), self.scope.most);
        if matches!(graph, Err(NoGraph::Large)) {
            tally.large += 1;
            return Ok(());
        }
        let (graph, world) = match (graph, self.worlds(self.scenarios, &looks)) {
            (Ok(graph), Ok(world)) => (graph, world),
            (Ok(_), Err(why)) => return wrong(format!("there is no world, though it can start: {why}")),
            (Err(_), Ok(_)) => return wrong("a world was made whose start is beyond a cap".to_string()),
            (Err(_), Err(_)) => {
                tally.impossible += 1;
                return Ok(());
            }
        };
        tally.cases += 1;
        tally.states += graph.states.len() as u64;
        self.note(tally);
        let props = graph.truth(self.props);
        let answers = self.case.asks.iter().map(|ask| graph.answer(ask, self.props, &props)).collect();
        let truth = Truth { graph, props, answers };
        match world {
            Either::One(world) => self.engines(&**world, &truth, &looks, tally)?,
            Either::Many(worlds) => self.engines(&*worlds, &truth, &looks, tally)?,
        }
        self.parts(tally)?;
        self.zones(&truth, tally)
    }

    fn engines(
        &self,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        looks: &Looks,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        self.full(space, truth, looks, tally)?;
        self.order(space, truth, tally)?;
        self.symmetry(space, truth, tally)?;
        self.limits(space, truth, tally)?;
        self.liveness(space, truth, tally)
    }

    /// The world of a scenario, or the family of several.
    pub(crate) fn worlds(&self, scenarios: &[Scenario], looks: &Looks) -> Result<Either<P>, String> {
        let Bench { protocol, calls, watchers, props, .. } = *self;
        let parts = WorldParts { protocol, calls, watchers, props };
        let mut all = Vec::new();
        for scenario in scenarios {
            all.push(parts.world(scenario, looks).map_err(|why| why.to_string())?);
        }
        match all.len() {
            1 => Ok(Either::One(Box::new(all.remove(0)))),
            _ => Ok(Either::Many(Box::new(Worlds::new(all).map_err(|why| why.to_string())?))),
        }
    }

    fn note(&self, tally: &mut CaseTally) {
        use watchkeeper_world::{Capacity, DeliveryOrder, Synchrony, WhenFull};
        let scenario = &self.scenarios[0];
        let (network, faults) = (&scenario.network, &scenario.faults);
        let eventual = scenario.time.timing().is_some_and(|t| t.synchrony != Synchrony::Always);
        let bounded = matches!(network.capacity, Capacity::Bounded(_));
        for (feature, has) in [
            ("families", self.scenarios.len() > 1),
            ("selective", P::SELECTIVE_RECEIVE.is_some()),
            ("oracles", scenario.oracle.is_some()),
            ("calls", !self.calls.is_empty()),
            ("watchers", !self.watchers.is_empty()),
            ("deadlines", self.watchers.iter().any(|watcher| watcher.deadlines)),
            ("losses", network.losses > 0),
            ("duplications", network.duplications > 0),
            ("crashes", faults.crashes > 0),
            ("recoveries", faults.recoveries > 0),
            ("fifo", network.order == DeliveryOrder::Fifo),
            ("blocking", bounded && network.when_full == WhenFull::Block),
            ("dropping", bounded && network.when_full == WhenFull::Drop),
            ("reporting", bounded && network.when_full == WhenFull::Report),
            ("unbounded", !bounded),
            ("eventual", eventual),
            ("timed", self.case.is_timed()),
        ] {
            if has {
                tally.note(feature);
            }
        }
    }

    /// Puts each query of the case to an engine, which searches as `search` says for the index of the query, and compares
    /// its verdict with the naive answer by `same`. Returns the verdicts.
    pub(crate) fn each_query(
        &self,
        mode: CompareMode,
        space: &dyn Space,
        truth: &Truth<'_, P>,
        tally: &mut CaseTally,
        search: &dyn Fn(usize) -> Search,
        same: &dyn Fn(&CaseQuery, &NaiveAnswer, &Verdict) -> Result<(), String>,
    ) -> Result<Vec<Verdict>, Disagreement> {
        let mut verdicts = Vec::new();
        for (at, (ask, answer)) in self.case.asks.iter().zip(&truth.answers).enumerate() {
            let question = question::<P>(space.shape(), self.props, ask);
            let said = check(space, &question, &search(at), &NoCallback);
            let Some(verdict) = self.asked(mode, said, tally)? else { continue };
            if let Err(why) = same(ask, answer, &verdict) {
                let what = format!("{ask:?}: {why}\n  naive {answer:?}\n  engine {}", shown(&verdict));
                return Err(Disagreement { mode, what });
            }
            tally.of(mode).count(verdict.word());
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    /// What an engine said in some mode, unless the question cannot be asked there.
    pub(crate) fn asked(
        &self,
        mode: CompareMode,
        said: Result<Verdict, ExploreError>,
        tally: &mut CaseTally,
    ) -> Result<Option<Verdict>, Disagreement> {
        match said {
            Ok(verdict) => Ok(Some(verdict)),
            Err(why @ (ExploreError::Replay(_) | ExploreError::Space(_) | ExploreError::Lost(_))) => {
                Err(Disagreement { mode, what: format!("the engine gave no verdict: {why}") })
            }
            // The promise of a table is true, so whoever finds it broken is wrong.
            Err(ExploreError::Asymmetric(why)) if why.contains("promises too much") => {
                Err(Disagreement { mode, what: format!("the promise of the table is doubted: {why}") })
            }
            Err(_) => {
                tally.of(mode).refused += 1;
                Ok(None)
            }
        }
    }
}

/// One world or a family.
pub(crate) enum Either<P: Promises> {
    One(Box<TypedWorld<P>>),
    Many(Box<Worlds>),
}

/// A verdict in a line.
pub(crate) fn shown(verdict: &Verdict) -> String {
    let Verdict { outcome, stats, .. } = verdict;
    let states = format!("{} states, {:?}", stats.distinct_states, stats.level_sizes);
    match outcome {
        Outcome::Violated(violation) => {
            let steps: Vec<&str> = violation.trace.steps.iter().map(|step| step.action.as_str()).collect();
            let (finding, what) = (violation.finding, &violation.what);
            format!(
                "violated: {finding:?} of {what} after {} steps ({}), {states}",
                steps.len(),
                steps.join("; ")
            )
        }
        Outcome::Unknown(limit) => format!("unknown: {limit:?}, {states}"),
        _ => format!("holds, {states}"),
    }
}
