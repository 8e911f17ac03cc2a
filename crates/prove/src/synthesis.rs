//! The search for an invariant: candidates from ever richer grammars that are true of all small instances, reduced
//! to an inductive subset, and then to the conjuncts that the proof needs. The caller checks the result again.

use crate::houdini::{HoudiniProgress, HoudiniResult, inductive_subset, minimised};
use crate::instance::SystemInstance;
use crate::obligation::Claim;
use crate::solver::{Solver, SolverError};
use crate::template::{CandidateTable, Grammar, LARGEST, Sample};
use crate::{InstanceError, ProofOptions, System, SystemSpace};
use std::time::Instant;

/// So few conjuncts are tried to be left out one by one.
const FEW: usize = 14;

/// How the search goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InvariantProgress {
    /// The states of small instances are known.
    Sampled {
        /// How many instances.
        instances: usize,
        /// How many states of all of them.
        states: usize,
    },
    /// A grammar is tried.
    Candidates {
        /// The grammar.
        grammar: Grammar,
        /// How many candidates it has that are true of all samples.
        candidates: usize,
    },
    /// A counterexample to induction was found.
    Sifted(HoudiniProgress),
    /// An inductive part of the candidates implies the property.
    Inductive {
        /// How many conjuncts it has.
        conjuncts: usize,
    },
}

/// An invariant that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundInvariant {
    /// The conjuncts that are needed.
    pub invariant: Vec<Claim>,
    /// The grammar.
    pub grammar: Grammar,
    /// How many candidates there were.
    pub candidates: usize,
    /// How many of them were inductive together.
    pub inductive: usize,
    /// How many counterexamples to induction that took.
    pub counterexamples: usize,
    /// How many states of small instances the candidates are true of.
    pub states: usize,
}

/// Why no invariant was found.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoInvariant {
    /// A small instance breaks the property: it is false.
    #[error("a small instance breaks the property, so it is false")]
    False {
        /// The parameters.
        parameters: Vec<i64>,
        /// The state.
        state: Vec<i64>,
    },
    /// No grammar has one.
    #[error("no invariant among {candidates} candidates: give a lemma, or a richer grammar")]
    Nothing {
        /// How many candidates the richest grammar had.
        candidates: usize,
    },
    /// There was not enough time.
    #[error("no invariant was found in time: give it longer, or a lemma")]
    Time,
    /// A point is not possible, or has too many states.
    #[error("{0}")]
    Point(String),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl From<InstanceError> for NoInvariant {
    fn from(error: InstanceError) -> NoInvariant {
        NoInvariant::Point(error.to_string())
    }
}

/// The reachable states at each point, at most so many. The first state that breaks the property ends it.
pub fn sampled(
    system: &System,
    property: &Claim,
    points: &[Vec<i64>],
    most: usize,
) -> Result<Vec<Sample>, NoInvariant> {
    let mut samples = Vec::new();
    for point in points {
        let instance = SystemInstance::new(system, point)?;
        let too_many = || {
            NoInvariant::Point(format!(
                "the instance with {point:?} has more than {most} states: take a smaller one"
            ))
        };
        let space =
            SystemSpace::new(instance.clone(), &[]).map_err(|error| NoInvariant::Point(error.to_string()))?;
        let states = space.reachable(most).ok_or_else(too_many)?;
        let within = -LARGEST..=LARGEST;
        if let Some(number) = point.iter().chain(states.iter().flatten()).find(|n| !within.contains(n)) {
            let why = format!(
                "the instance with {point:?} has the number {number}, which is too large: take a smaller one"
            );
            return Err(NoInvariant::Point(why));
        }
        if let Some(state) = instance.first_false(&property.formula, &states)? {
            return Err(NoInvariant::False { parameters: point.clone(), state: state.clone() });
        }
        samples.push(Sample { instance, states });
    }
    Ok(samples)
}

/// An invariant that implies a property. The reachable states at the `points` filter the candidates. `lemmas` are conjuncts that a person wrote, and are sifted like the rest.
pub fn find(
    system: &System,
    property: &Claim,
    lemmas: &[Claim],
    points: &[Vec<i64>],
    options: &ProofOptions,
    solver: &Solver,
    mut heard: impl FnMut(&InvariantProgress),
) -> Result<FoundInvariant, NoInvariant> {
    let end = Instant::now() + options.total;
    let samples = sampled(system, property, points, options.most_states)?;
    let states = samples.iter().map(|sample| sample.states.len()).sum();
    heard(&InvariantProgress::Sampled { instances: samples.len(), states });
    let mut most = 0;
    let mut table = CandidateTable::new(system, &samples);
    for (i, grammar) in options.grammars.iter().enumerate() {
        // A poor grammar may take long to fail, so each gets a part of what time is left.
        let left = end.saturating_duration_since(Instant::now());
        let rest = (options.grammars.len() - i) as u32;
        let until = Instant::now() + if rest == 1 { left } else { left / (rest + 1) };
        let mut all = vec![property.clone()];
        all.extend(system.typing());
        all.extend(lemmas.iter().cloned());
        match table.candidates(grammar, until) {
            Some(found) => all.extend(found),
            None if rest == 1 => return Err(NoInvariant::Time),
            None => continue,
        }
        most = all.len();
        heard(&InvariantProgress::Candidates { grammar: *grammar, candidates: all.len() });
        let mut counterexamples = 0;
        let sieve = inductive_subset(system, &all, solver, options.limit, until, |sifted| {
            counterexamples = sifted.counterexamples;
            heard(&InvariantProgress::Sifted(sifted.clone()));
        })?;
        let inductive = match sieve {
            HoudiniResult::Enough(inductive) => inductive,
            HoudiniResult::Nothing => continue,
            HoudiniResult::Time if rest == 1 => return Err(NoInvariant::Time),
            HoudiniResult::Time => continue,
        };
        heard(&InvariantProgress::Inductive { conjuncts: inductive.len() });
        // What is left is few enough for one attempt at each, if there is time.
        let invariant = if inductive.len() <= FEW {
            minimised(system, &inductive, property, solver, options.limit)?
        } else {
            inductive.clone()
        };
        let (candidates, inductive, grammar) = (all.len(), inductive.len(), *grammar);
        return Ok(FoundInvariant { invariant, grammar, candidates, inductive, counterexamples, states });
    }
    Err(NoInvariant::Nothing { candidates: most })
}
