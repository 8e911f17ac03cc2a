//! A formula about a space: whether the space admits it, the answer as a verdict, and the evidence as a graph and, where it is
//! a path or a lasso, as a run that the space has executed again.

use crate::answer::{GameProgress, ModalAnswer, ModalError, answer};
use crate::data::FormulaData;
use crate::evidence::{AnswerEvidence, EvidenceRun};
use crate::graph::{LabelledGraph, SpaceGraph};
use crate::normal::NormalFormula;
use std::collections::HashMap;
use std::ops::ControlFlow;
use thiserror::Error;
use watchkeeper_logic::{Exhausted, Ledger, Limit, Outcome, Stats, Verdict, Violation, ViolationKind};
use watchkeeper_space::{Event, Graph, Mismatch, Refusal, Space, SpaceQuery, StatePath, Step, Trace};

/// What is asked, and how far the search may go.
pub struct ModalSearch<'a> {
    /// The formula.
    pub formula: &'a NormalFormula,
    /// What its data means.
    pub data: &'a dyn FormulaData,
    /// The formula as it is written, for the verdict.
    pub text: &'a str,
    /// The most states.
    pub max_states: Option<u64>,
    /// The most bytes of the graph, the game and its solution.
    pub max_bytes: Option<u64>,
}

/// The answer to a formula about a space.
#[derive(Clone, Debug)]
pub struct SpaceAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The part of the space that proves it; nothing if it is unknown.
    pub evidence: Option<Graph>,
    /// That part as a run, if it is one.
    pub run: Option<Trace>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpaceCheckError {
    /// The space has not all of the steps, or not one by one.
    #[error("this formula cannot be asked of this space: {0}")]
    Refused(Refusal),
    /// Steps have no labels.
    #[error(
        "the formula tells steps apart by their actions, and this space does not say which actions its steps are; ask with `true` for \
         every step, or with propositions (--query)"
    )]
    NoLabels,
    /// The data in the formula has no value, or the strategy does not win.
    #[error(transparent)]
    Modal(#[from] ModalError),
    /// The evidence is no run of the space: this program is wrong.
    #[error("internal error, please report it: {0}; no verdict is given")]
    Replay(#[from] Mismatch),
    /// The evidence of a verified strategy does not balance: this program is wrong.
    #[error("internal error, please report it: the strategy that was verified is empty; no verdict is given")]
    Empty,
}

impl SpaceCheckError {
    /// Whether it is the program that is wrong, and not what was asked.
    pub fn is_internal(&self) -> bool {
        match self {
            SpaceCheckError::Modal(ModalError::Strategy(_))
            | SpaceCheckError::Replay(_)
            | SpaceCheckError::Empty => true,
            SpaceCheckError::Refused(_)
            | SpaceCheckError::NoLabels
            | SpaceCheckError::Modal(ModalError::Data(_)) => false,
        }
    }
}

/// The bytes that solving and verifying take for each node and each edge.
const SOLVING: (usize, usize) = (60, 20);

/// Asks a formula of a space. The callback hears of progress and may stop the search, with the limit that is told.
pub fn check_space(
    space: &dyn Space,
    search: &ModalSearch<'_>,
    watch: &mut dyn FnMut(&GameProgress) -> ControlFlow<Limit>,
) -> Result<SpaceAnswer, SpaceCheckError> {
    let formula = search.formula;
    let query = SpaceQuery {
        events: true,
        invariants: formula.atoms().into_iter().map(|atom| (None, atom)).collect(),
        ..SpaceQuery::default()
    };
    space.admits(&query).map_err(SpaceCheckError::Refused)?;
    if formula.reads_labels() && space.data_labels().is_none() {
        return Err(SpaceCheckError::NoLabels);
    }
    let mut graph = SpaceGraph::new(space);
    let mut limit = None;
    let mut stop = |progress: &GameProgress| {
        let bytes = progress.bytes + progress.nodes * SOLVING.0 + progress.edges * SOLVING.1 + space.bytes();
        let reached = if search.max_states.is_some_and(|most| progress.states as u64 > most) {
            search.max_states.map(Limit::States)
        } else if search.max_bytes.is_some_and(|most| bytes as u64 >= most) {
            search.max_bytes.map(Limit::Memory)
        } else {
            None
        };
        limit = match (reached, watch(progress)) {
            (Some(reached), _) => Some(reached),
            (None, ControlFlow::Break(told)) => Some(told),
            (None, ControlFlow::Continue(())) => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(())
    };
    let found = answer(formula, search.data, &mut graph, &mut stop)?;
    let caps = || space.shape().caps.iter().map(|cap| cap.name.clone()).collect::<Vec<_>>().join(", ");
    let limit = limit.unwrap_or_else(|| if found.capped { Limit::Cap(caps()) } else { Limit::Interrupted });
    let run = match (found.holds, &found.evidence.run) {
        (Some(_), Some(run)) => Some(trace(space, &graph, run)?),
        _ => None,
    };
    let verdict = verdict(space, search, &found, run.clone(), limit)?;
    let evidence = found.holds.is_some().then(|| part(space, &graph, &found.evidence));
    Ok(SpaceAnswer { verdict, evidence, run })
}

fn verdict(
    space: &dyn Space,
    search: &ModalSearch<'_>,
    found: &ModalAnswer,
    run: Option<Trace>,
    limit: Limit,
) -> Result<Verdict, SpaceCheckError> {
    let mut warnings = Vec::new();
    let mut assumptions = space.shape().assumptions.clone();
    let outcome = match found.holds {
        None => Outcome::Unknown(limit),
        Some(true) => Outcome::Holds(evidence(found)?),
        Some(false) => {
            if run.is_none() {
                warnings.push(
                    "no single run shows this: --evidence FILE writes the part of the space that does"
                        .to_string(),
                );
            }
            let trace = match run {
                Some(trace) => trace,
                // The formula is false in the initial state.
                None => space.replay(&StatePath {
                    rows: space.initial().into_iter().take(1).collect(),
                    actions: Vec::new(),
                })?,
            };
            let what = "the formula is false".to_string();
            let safety = search.formula.is_safety();
            let finding = if safety { ViolationKind::Safety } else { ViolationKind::Liveness };
            Outcome::Violated(Box::new(Violation { finding, what, trace, shortest: false }))
        }
    };
    if found.holds.is_some() {
        assumptions.push(format!(
            "the winner's strategy in the parity game of {} positions was verified at {} of them",
            found.progress.nodes, found.verified
        ));
    }
    let states = found.progress.states;
    let stats = Stats {
        distinct_states: states as u64,
        transitions: found.progress.transitions as u64,
        peak_bytes: (found.progress.bytes + space.bytes()) as u64,
        bytes_per_state: found.progress.bytes as f64 / states.max(1) as f64,
        workers: 1,
        ..Stats::default()
    };
    let property = search.text.trim().to_string();
    Ok(Verdict { outcome, property, assumptions, warnings, coverage: Vec::new(), stats })
}

/// The evidence of a strategy: it goes on from every position that it leads to, and each was verified.
fn evidence(found: &ModalAnswer) -> Result<Exhausted, SpaceCheckError> {
    let mut ledger = Ledger::of_strategy();
    let verified = found.verified as u64;
    ledger.stores(verified);
    ledger.expands(verified, verified, verified);
    ledger.close().map_err(|_| SpaceCheckError::Empty)
}

/// A run as a trace, after the space has executed it again.
fn trace(space: &dyn Space, graph: &SpaceGraph<'_>, run: &EvidenceRun) -> Result<Trace, SpaceCheckError> {
    let mut path = StatePath { rows: vec![graph.row(run.start).to_vec()], actions: Vec::new() };
    let mut still = Vec::new();
    let mut state = run.start;
    for (at, &(label, to)) in run.steps.iter().enumerate() {
        match graph.action(state, label, to) {
            Some(action) => {
                path.actions.push(action);
                path.rows.push(graph.row(to).to_vec());
            }
            None => still.push(at),
        }
        state = to;
    }
    let mut trace = space.replay(&path)?;
    for at in still {
        let after = match at {
            0 => trace.start.clone(),
            at => trace.steps[at - 1].after.clone(),
        };
        let text = "time passes, and nothing changes".to_string();
        let events = vec![Event::Remark { text: text.clone() }];
        trace.steps.insert(at, Step { action: text, at: None, events, after });
    }
    trace.loops_to = run.loops_to;
    Ok(trace)
}

/// A part of the space as a graph for files.
fn part(space: &dyn Space, graph: &SpaceGraph<'_>, evidence: &AnswerEvidence) -> Graph {
    let mut states: Vec<u32> = evidence.initial.clone();
    states.extend(evidence.states.iter().copied().filter(|state| !evidence.initial.contains(state)));
    let numbers: HashMap<u32, usize> = states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
    let edges = evidence
        .steps
        .iter()
        .map(|&(from, label, to)| (numbers[&from], graph.labels()[label as usize].to_string(), numbers[&to]));
    Graph {
        states: states.iter().map(|&state| space.view(graph.row(state))).collect(),
        initial: (0..evidence.initial.len()).collect(),
        edges: edges.collect(),
    }
}
