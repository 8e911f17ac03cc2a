//! Claims about infinite runs (liveness). The states are found breadth-first, over all cores; their graph is built, at first
//! early and then at the end, and searched for strongly connected components in which a fair run breaks a claim. A
//! counterexample that is found early is valid, and a near one.

mod adjacency;
mod bits;
mod cancellation;
mod components;
mod cycles;
mod emptiness;
mod fair;
mod graph_view;
mod lasso;
mod narrowing;
mod product_graph;
mod reach;
mod state_graph;

use crate::ExploreError;
use crate::admission::{Admitted, admitted};
use crate::breadth::{Failure, Look, inspected};
use crate::collapse::Collapsed;
use crate::hooks::KeyWidth;
use crate::journal::Journal;
use crate::search::{Progress, ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult};
use crate::store::Key;
use crate::verdict::unknown;
use crate::visited::Visited;
use cancellation::Cancellation;
use emptiness::{EmptinessCheck, Goal, NodeLasso, goals};
use fair::FairnessConstraints;
use lasso::Lasso;
use state_graph::StateGraph;
use watchkeeper_logic::{
    Exhausted, Fairness, Formula, Limit, Outcome, Question, Stats, TemporalProperty, Verdict, Violation,
    ViolationKind,
};
use watchkeeper_space::{Shape, Space};

/// The number of states at which the graph is first looked at, and how much it grows before it is again. A look at
/// a large graph is a good part of the last one, and what breaks a claim is mostly found in a small one.
const FIRST_LOOK: u64 = 4096;
const GROWTH: u64 = 8;
const LARGE: u64 = 1 << 21;
const LATE_GROWTH: u64 = 64;

/// Answers claims about all fair infinite runs of a space, each with a verdict of its own, from one search.
///
/// A run may rest for ever where nothing but faults can happen. Where [`Shape::time`] names a class, only runs
/// in which time never stops passing count.
pub fn liveness(
    space: &dyn Space,
    claims: &[TemporalProperty],
    fairness: &[Fairness],
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Vec<Verdict>, ExploreError> {
    LivenessQuery { claims, fairness, search, general: false, eager: false }.answers(space, callback)
}

/// The same as [`liveness`], every claim by its automaton, whatever its form: a second way to the same answers.
pub fn liveness_general(
    space: &dyn Space,
    claims: &[TemporalProperty],
    fairness: &[Fairness],
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Vec<Verdict>, ExploreError> {
    LivenessQuery { claims, fairness, search, general: true, eager: false }.answers(space, callback)
}

/// The same as [`liveness`], with a look at the graph after every depth and by all threads, however small it is: a
/// third way to the same answers, that sees many parts of a space.
pub fn liveness_eager(
    space: &dyn Space,
    claims: &[TemporalProperty],
    fairness: &[Fairness],
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Vec<Verdict>, ExploreError> {
    LivenessQuery { claims, fairness, search, general: false, eager: true }.answers(space, callback)
}

/// The answer to a question about runs: of the first claim that is broken, or of all of them together.
pub(crate) fn answer(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let fairness = &question.fairness;
    let safe = |claim: &TemporalProperty| {
        let parts = watchkeeper_logic::shortcuts(&claim.formula);
        parts.iter().all(|part| matches!(part, watchkeeper_logic::Shortcut::Always(_)))
    };
    if fairness.is_empty() && space.shape().time.is_none() && !question.temporal.iter().all(safe) {
        return Err(ExploreError::Unfair);
    }
    let query = LivenessQuery { claims: &question.temporal, fairness, search, general: false, eager: false };
    let mut verdicts = query.answers(space, callback)?;
    let rank = |verdict: &Verdict| match verdict.outcome {
        Outcome::Violated(_) => 0,
        Outcome::Unknown(_) => 1,
        Outcome::Holds(_) => 2,
    };
    let worst = (0..verdicts.len()).min_by_key(|&i| rank(&verdicts[i])).unwrap_or(0);
    let warnings: Vec<String> = verdicts.iter().flat_map(|verdict| verdict.warnings.clone()).collect();
    let mut verdict = verdicts.swap_remove(worst);
    verdict.property = question.name();
    if verdict.holds() {
        verdict.warnings = warnings;
    }
    Ok(verdict)
}

/// Some claims, and how they are to be answered.
struct LivenessQuery<'t> {
    claims: &'t [TemporalProperty],
    fairness: &'t [Fairness],
    search: &'t Search,
    general: bool,
    eager: bool,
}

/// What is known about a claim.
enum State {
    Open,
    Broken(Lasso),
    Stopped(Limit),
    Kept { evidence: Exhausted, warnings: Vec<String> },
}

/// A claim in the form in which it is searched for.
struct ClaimSearch {
    goals: Vec<Goal>,
    /// The opposite of the premise, if there is one: a run that breaks it satisfies the premise.
    premise: Vec<Goal>,
    state: State,
}

impl LivenessQuery<'_> {
    fn answers(
        &self,
        space: &dyn Space,
        callback: &dyn ProgressCallback,
    ) -> Result<Vec<Verdict>, ExploreError> {
        let question = Question {
            temporal: self.claims.to_vec(),
            fairness: self.fairness.to_vec(),
            ..Question::default()
        };
        let admitted = admitted(space, &question, self.search)?;
        if !matches!(self.search.strategy, Strategy::Breadth { .. }) {
            return Err(ExploreError::Partial);
        }
        let mut journal = Journal::of(&admitted, space, &question, &|| true)?;
        let keys = admitted.search.hooks.keys;
        let collapsed =
            keys == KeyWidth::Collapsed || journal.as_ref().is_some_and(|journal| journal.is_collapsed());
        let mut found = Err(Failure::TooWide);
        if keys == KeyWidth::Narrowest && !collapsed {
            found = self.with_keys::<u64>(space, &admitted, callback, journal.as_mut());
        }
        if let (Err(Failure::TooWide), false) = (&found, collapsed) {
            found = self.with_keys::<u128>(space, &admitted, callback, journal.as_mut());
        }
        if let Err(Failure::TooWide) = found {
            let folded = Collapsed::new(space);
            if let Some(journal) = &mut journal {
                journal.collapse();
            }
            found = self.with_keys::<u128>(&folded, &admitted, callback, journal.as_mut());
        }
        match found {
            Ok(found) => found,
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::TooWide) => {
                Err(ExploreError::Space("it has too many different parts to number".into()))
            }
        }
    }

    /// Searches with keys of this width.
    fn with_keys<K: Key>(
        &self,
        space: &dyn Space,
        admitted: &Admitted,
        callback: &dyn ProgressCallback,
        journal: Option<&mut Journal<'_>>,
    ) -> Result<Result<Vec<Verdict>, ExploreError>, Failure> {
        let mut propositions = Vec::new();
        let mut cases = Vec::new();
        for claim in self.claims {
            let refused = |why| Failure::Error(ExploreError::Formula(claim.name.clone(), why));
            let found = goals(&claim.formula, self.general, &mut propositions).map_err(refused)?;
            let premise = claim.premise.as_ref().map(|premise| premise.clone().not());
            let premise = premise.map(|premise| goals(&premise, self.general, &mut propositions));
            let premise = premise.transpose().map_err(refused)?.unwrap_or_default();
            cases.push(ClaimSearch { goals: found, premise, state: State::Open });
        }
        let rules = FairnessConstraints::new(space.shape(), self.fairness);
        let (mut next_look, mut held) = (FIRST_LOOK, 0);
        let mut look = |visited: &Visited<K>, stats: &Stats, look: Look<'_>| {
            let states = if let Look::Before(states) = look { states } else { visited.len() };
            if matches!(look, Look::Early | Look::Before(_)) && states < next_look && !self.eager {
                return true;
            }
            while next_look <= states {
                next_look *= if next_look < LARGE { GROWTH } else { LATE_GROWTH };
            }
            if let Look::Before(_) = look {
                return true;
            }
            let open = cases.iter().any(|case| matches!(case.state, State::Open));
            if open {
                // Threads cost more than a few thousand states.
                let small = visited.len() < FIRST_LOOK && !self.eager;
                let workers = if small { 1 } else { admitted.search.workers };
                let inspection = Inspection { space, rules: &rules, propositions: &propositions, workers };
                held = held.max(inspection.look(
                    visited,
                    stats,
                    callback,
                    look,
                    &mut cases,
                    self.search.max_bytes,
                ));
            }
            cases.iter().any(|case| matches!(case.state, State::Open))
        };
        let question = Question::default();
        let found = inspected::<K>(space, &question, admitted, callback, (journal, &mut look))?;
        Ok(self.tell(space, found, cases, held))
    }

    /// The verdicts on what was found.
    fn tell(
        &self,
        space: &dyn Space,
        mut found: SearchResult,
        cases: Vec<ClaimSearch>,
        held: u64,
    ) -> Result<Vec<Verdict>, ExploreError> {
        found.figures.stats.peak_bytes += held;
        let cut = found.cut;
        // The end of the search is the answer to no claim; what was not settled before ends as the search did.
        let unsettled = match found.end {
            SearchEnd::Short(shortfall) => unknown(shortfall)?,
            SearchEnd::Whole(_) | SearchEnd::Enough | SearchEnd::Violation(..) => {
                Outcome::Unknown(Limit::Interrupted)
            }
        };
        let base = found.figures.verdict(space, &Question::default(), unsettled);
        let mut verdicts = Vec::new();
        for (claim, case) in self.claims.iter().zip(cases) {
            let mut verdict = base.clone();
            verdict.property = claim.name.clone();
            verdict.assumptions.extend(assumptions(space.shape(), self.fairness));
            verdict.outcome = match case.state {
                State::Kept { evidence, warnings } => {
                    verdict.warnings.extend(warnings.iter().map(|what| format!("{}: {what}", claim.name)));
                    Outcome::Holds(evidence)
                }
                State::Stopped(limit) => Outcome::Unknown(limit),
                State::Open => verdict.outcome,
                State::Broken(lasso) => 'broken: {
                    // Another run may show the same without a cap; it is not looked for.
                    if let Some(cap) = lasso.cut(space, self.fairness) {
                        break 'broken Outcome::Unknown(Limit::Cap(cap));
                    }
                    lasso.judge(space, &claim.formula, self.fairness)?;
                    let trace = lasso.trace(space)?;
                    let what = claim.name.clone();
                    let (finding, shortest) = match lasso.loops_to {
                        Some(_) => (ViolationKind::Liveness, false),
                        // With time, a nearer state may have been passed over that has no fair continuation yet.
                        None => {
                            let every = !cut && !space.shape().some_runs;
                            (ViolationKind::Safety, every && space.shape().time.is_none())
                        }
                    };
                    Outcome::Violated(Box::new(Violation { finding, what, trace, shortest }))
                }
            };
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }
}

/// One inspection of the graph.
struct Inspection<'r> {
    space: &'r dyn Space,
    rules: &'r FairnessConstraints,
    propositions: &'r [Formula],
    workers: usize,
}

impl Inspection<'_> {
    /// Looks for runs that break the claims that are still open; returns the bytes that it held.
    fn look<K: Key>(
        &self,
        visited: &Visited<K>,
        stats: &Stats,
        callback: &dyn ProgressCallback,
        look: Look<'_>,
        cases: &mut [ClaimSearch],
        max_bytes: Option<u64>,
    ) -> u64 {
        // Keys, depths, offsets, what the search for components remembers of each node, and the steps.
        let needed = visited.len() * (size_of::<K>() as u64 + 44) + 4 * stats.transitions;
        if let Some(most) = max_bytes.filter(|&most| visited.bytes() + needed > most) {
            let limit = Limit::Memory(most);
            if look != Look::Early {
                let open = cases.iter_mut().filter(|case| matches!(case.state, State::Open));
                open.for_each(|case| case.state = State::Stopped(limit.clone()));
            }
            return 0;
        }
        let progress = Progress {
            distinct_states: visited.len(),
            transitions: stats.transitions,
            depth: stats.level_sizes.len() as u64,
            queue: 0,
            bytes: visited.bytes() + needed,
        };
        let cancellation = Cancellation::new(callback, progress);
        let Some(state_graph) =
            StateGraph::new(self.space, visited, self.propositions, self.workers, &cancellation)
        else {
            return self.stopped(&cancellation, cases);
        };
        let room = max_bytes.map(|most| most.saturating_sub(visited.bytes() + needed));
        let check = EmptinessCheck {
            state_graph: &state_graph,
            rules: self.rules,
            workers: self.workers,
            room,
            cancellation: &cancellation,
        };
        let open = cases.iter_mut().filter(|case| matches!(case.state, State::Open));
        let mut unable = None;
        for case in open {
            let Some(lasso) = broken(&check, &case.goals) else { return self.stopped(&cancellation, cases) };
            if let Some(lasso) = lasso {
                case.state = State::Broken(Lasso::of(&state_graph, &lasso));
            } else if let Look::Last(Some(evidence)) = look {
                let Some(warnings) = vacuous(&check, case, &mut unable) else {
                    return self.stopped(&cancellation, cases);
                };
                case.state = State::Kept { evidence: evidence.clone(), warnings };
            }
        }
        state_graph.bytes() + 8 * state_graph.len() as u64
    }

    fn stopped(&self, cancellation: &Cancellation<'_>, cases: &mut [ClaimSearch]) -> u64 {
        let limit = cancellation.limit().unwrap_or(Limit::Interrupted);
        let open = cases.iter_mut().filter(|case| matches!(case.state, State::Open));
        open.for_each(|case| case.state = State::Stopped(limit.clone()));
        0
    }
}

/// The shortest run that is found to break one of the goals; `None` if the callback stopped it.
fn broken<K: Key>(check: &EmptinessCheck<'_, '_, K>, goals: &[Goal]) -> Option<Option<NodeLasso>> {
    let mut best: Option<NodeLasso> = None;
    for goal in goals {
        if let Some(lasso) = check.after(goal)?
            && best.as_ref().is_none_or(|known| lasso.len() < known.len())
        {
            best = Some(lasso);
        }
    }
    Some(best)
}

/// Why a claim that holds may say nothing, or less than it seems; `None` if the callback stopped it. `unable` is how many states
/// have no fair run from them, and whether any has one, once that is known.
fn vacuous<K: Key>(
    check: &EmptinessCheck<'_, '_, K>,
    case: &ClaimSearch,
    unable: &mut Option<(usize, bool)>,
) -> Option<Vec<String>> {
    let mut warnings = Vec::new();
    if check.rules.demand() && unable.is_none() {
        *unable = Some(check.unable()?);
    }
    match *unable {
        Some((_, false)) => {
            warnings.push("no fair run exists, so every claim about fair runs holds".to_string());
            return Some(warnings);
        }
        Some((lost @ 1.., _)) => warnings.push(format!(
            "from {lost} of the states no run goes on in which time passes: time is locked there, or too much happens at \
             one moment; runs that come there do not count"
        )),
        _ => {}
    }
    if check.state_graph.locked > 0 && matches!(*unable, Some((0, _))) {
        warnings.push(format!(
            "in {} of the states time is locked, and only a fault can end that; runs that stay there do not count",
            check.state_graph.locked
        ));
    }
    let idle = |goal: &Goal| matches!(goal, Goal::LeadsTo(p, _) if !check.occurs(*p));
    if case.goals.iter().any(idle) {
        warnings.push("what should lead to something never happens, so nothing was checked".to_string());
    }
    if !case.premise.is_empty() && broken(check, &case.premise)?.is_none() {
        warnings.push("no fair run satisfies its premise, so nothing was checked".to_string());
    }
    Some(warnings)
}

/// What answers about runs of a space rest on, beyond what the space says itself.
fn assumptions(shape: &Shape, fairness: &[Fairness]) -> Vec<String> {
    let mut sentences: Vec<String> = fairness.iter().map(|rule| rule.name.clone()).collect();
    for &class in &shape.justice {
        let name = &shape.classes[usize::from(class)].name;
        sentences.push(format!("`{name}` happens at some time, and the adversary picks when"));
    }
    sentences.push(match shape.time {
        Some(_) => "only runs in which time never stops passing count".to_string(),
        None => "a run may rest for ever where nothing but faults can happen".to_string(),
    });
    sentences
}
