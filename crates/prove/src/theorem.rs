//! Theorems for all parameters. A property holds, with an invariant that is searched for, or it fails for all
//! parameters, with a run for each. A theorem is proven when every solver that was asked has discharged every
//! obligation.

use crate::houdini::{is_proof, minimised};
use crate::induction::{CheckedObligation, ObligationChecker, ObligationStatus, check_all};
use crate::obligation::{Claim, Obligation};
use crate::smtlib::SmtQuery;
use crate::solver::{Solver, SolverAnswer, SolverError};
use crate::synthesis::{FoundInvariant, InvariantProgress, NoInvariant, find};
use crate::{Grammar, ParametricWitness, System, SystemError, Term, WitnessError};
use std::time::{Duration, Instant};

/// A property that holds for all parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theorem {
    /// Its name on the command line.
    pub name: String,
    /// What it says, in a sentence.
    pub statement: String,
    /// The system.
    pub system: System,
    /// The property.
    pub property: Claim,
    /// Conjuncts of the invariant that a person wrote, for where the search finds none.
    pub lemmas: Vec<Claim>,
    /// Small values of the parameters, whose reachable states filter candidates.
    pub points: Vec<Vec<i64>>,
}

/// A property that fails for all parameters: each has a run that breaks it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// Its name on the command line.
    pub name: String,
    /// What it says, in a sentence.
    pub statement: String,
    /// The system.
    pub system: System,
    /// The property that fails.
    pub property: Claim,
    /// Runs; for all parameters that the system assumes, the condition of one of them must be true.
    pub witnesses: Vec<ParametricWitness>,
    /// Values of the parameters at which the runs can be shown.
    pub points: Vec<Vec<i64>>,
}

/// A theorem of either kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofGoal {
    /// It holds.
    Holds(Theorem),
    /// It fails.
    Fails(Refutation),
}

impl ProofGoal {
    /// Its name.
    pub fn name(&self) -> &str {
        self.parts().0
    }

    /// What it says.
    pub fn statement(&self) -> &str {
        self.parts().1
    }

    /// The system that it is about.
    pub fn system(&self) -> &System {
        self.parts().2
    }

    /// The property.
    pub fn property(&self) -> &Claim {
        self.parts().3
    }

    fn parts(&self) -> (&str, &str, &System, &Claim) {
        match self {
            ProofGoal::Holds(it) => (&it.name, &it.statement, &it.system, &it.property),
            ProofGoal::Fails(it) => (&it.name, &it.statement, &it.system, &it.property),
        }
    }
}

/// Options of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofOptions {
    /// The grammars to be tried in turn.
    pub grammars: Vec<Grammar>,
    /// Whether conjuncts that a person wrote may be used.
    pub lemmas: bool,
    /// How long a solver may take for one question.
    pub limit: Duration,
    /// How long the search for an invariant may take.
    pub total: Duration,
    /// The most states of one small instance.
    pub most_states: usize,
}

impl Default for ProofOptions {
    fn default() -> ProofOptions {
        ProofOptions {
            grammars: Grammar::LADDER.to_vec(),
            lemmas: true,
            limit: Duration::from_secs(20),
            total: Duration::from_secs(120),
            most_states: 200_000,
        }
    }
}

/// The result of an attempt to prove or refute, with the judgement of every solver.
#[derive(Clone, Debug)]
pub struct ProofAttempt {
    /// The invariant; empty for a refutation.
    pub invariant: Vec<Claim>,
    /// How the invariant was found, if it was.
    pub found: Option<FoundInvariant>,
    /// How many of its conjuncts a person wrote. The property is not one of them, nor what follows from the sorts.
    pub written: usize,
    /// The obligations.
    pub obligations: Vec<Obligation>,
    /// What each solver made of them.
    pub judged: Vec<(Solver, Vec<CheckedObligation>)>,
    /// Whether the system can begin; for a refutation, whether some run is there for some parameters.
    pub begins: bool,
    /// What should be possible, and whether it is.
    pub premises: Vec<(String, bool)>,
    /// How long the search for the invariant took.
    pub searched: Duration,
}

impl ProofAttempt {
    /// Whether every solver discharged every obligation, and the system can begin.
    pub fn is_shown(&self) -> bool {
        let discharged = |judged: &CheckedObligation| judged.outcome == ObligationStatus::Discharged;
        // One answer to each obligation, and not as many answers to others.
        let owed = |all: &[CheckedObligation]| {
            let asked = all.iter().map(|judged| (judged.kind, &judged.name));
            asked.eq(self.obligations.iter().map(|obligation| (obligation.kind, &obligation.name)))
        };
        let shown = |(_, all): &(Solver, Vec<CheckedObligation>)| owed(all) && all.iter().all(discharged);
        !self.judged.is_empty()
            && !self.obligations.is_empty()
            && self.judged.iter().all(shown)
            && self.begins
    }

    /// The first obligation that was refuted or left undecided, with the solver that says so.
    pub fn open(&self) -> Option<(&Solver, &CheckedObligation)> {
        let all = self.judged.iter().flat_map(|(solver, all)| all.iter().map(move |judged| (solver, judged)));
        all.into_iter().find(|(_, judged)| judged.outcome != ObligationStatus::Discharged)
    }
}

/// Why a theorem could not be attempted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ProofError {
    /// No invariant was found.
    #[error(transparent)]
    NoInvariant(NoInvariant),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The run is none of the system.
    #[error(transparent)]
    Witness(#[from] WitnessError),
    /// The system has no meaning.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl From<NoInvariant> for ProofError {
    fn from(why: NoInvariant) -> ProofError {
        match why {
            NoInvariant::Solver(error) => ProofError::Solver(error),
            why => ProofError::NoInvariant(why),
        }
    }
}

impl Theorem {
    /// Proves it: finds an invariant with the first solver, and has all of them judge every obligation. First
    /// without what a person wrote; with it only if that fails.
    pub fn prove(
        &self,
        solvers: &[Solver],
        options: &ProofOptions,
        mut heard: impl FnMut(&InvariantProgress),
    ) -> Result<ProofAttempt, ProofError> {
        let started = Instant::now();
        let Some(finder) = solvers.first() else {
            return self.judged(Vec::new(), None, solvers, options);
        };
        self.system.checked()?;
        // What is inductive by itself needs no search, nor instances that are finite.
        let bare = self.closed(Vec::new());
        let mut judge = ObligationChecker::new(&self.system, finder, options.limit)?;
        if is_proof(&mut judge, &self.system, &bare, &self.property)? {
            return self.judged(bare, None, solvers, options);
        }
        let found = match find(&self.system, &self.property, &[], &self.points, options, finder, &mut heard) {
            Err(NoInvariant::Nothing { .. } | NoInvariant::Time | NoInvariant::Point(_))
                if options.lemmas && !self.lemmas.is_empty() =>
            {
                return self.prove_by_hand(solvers, options, started, heard);
            }
            found => found?,
        };
        let invariant = self.closed(found.invariant.clone());
        let searched = started.elapsed();
        let mut shown = self.judged(invariant, Some(found), solvers, options)?;
        shown.searched = searched;
        Ok(shown)
    }

    /// With the conjuncts that a person wrote; they alone, if they are enough.
    fn prove_by_hand(
        &self,
        solvers: &[Solver],
        options: &ProofOptions,
        started: Instant,
        heard: impl FnMut(&InvariantProgress),
    ) -> Result<ProofAttempt, ProofError> {
        let finder = &solvers[0];
        let written = self.closed(self.lemmas.clone());
        let mut judge = ObligationChecker::new(&self.system, finder, options.limit)?;
        let (invariant, found) = if is_proof(&mut judge, &self.system, &written, &self.property)? {
            (minimised(&self.system, &written, &self.property, finder, options.limit)?, None)
        } else {
            let (property, lemmas) = (&self.property, &self.lemmas);
            let found = find(&self.system, property, lemmas, &self.points, options, finder, heard)?;
            (found.invariant.clone(), Some(found))
        };
        let searched = started.elapsed();
        let mut shown = self.judged(self.closed(invariant), found, solvers, options)?;
        shown.searched = searched;
        Ok(shown)
    }

    /// Claims with the property and the sorts among them.
    fn closed(&self, mut claims: Vec<Claim>) -> Vec<Claim> {
        let more =
            self.system.typing().into_iter().filter(|_| self.system.dense).chain([self.property.clone()]);
        for claim in more {
            if !claims.iter().any(|other| other.formula == claim.formula) {
                claims.push(claim);
            }
        }
        claims
    }

    /// Every solver's judgement of an invariant.
    pub fn judged(
        &self,
        invariant: Vec<Claim>,
        found: Option<FoundInvariant>,
        solvers: &[Solver],
        options: &ProofOptions,
    ) -> Result<ProofAttempt, ProofError> {
        self.system.checked()?;
        let obligations = self.system.obligations(&invariant, &self.property);
        let premises = self.system.premises(&invariant);
        let (judged, premises) = judged_by(&self.system, &obligations, premises, solvers, options.limit)?;
        let begins = premises.iter().take(self.system.beginnings().len()).any(|(_, possible)| *possible);
        let is_written = |claim: &&Claim| {
            self.lemmas.iter().any(|lemma| lemma.formula == claim.formula && lemma.name == claim.name)
        };
        let written = invariant.iter().filter(is_written).count();
        let searched = Duration::ZERO;
        Ok(ProofAttempt { invariant, found, written, obligations, judged, begins, premises, searched })
    }
}

impl Refutation {
    /// What has to be shown: of each witness, and that together they are there for all parameters.
    pub fn obligations(&self) -> Result<Vec<Obligation>, WitnessError> {
        let mut all = Vec::new();
        for (i, witness) in self.witnesses.iter().enumerate() {
            let mut owed = witness.obligations(&self.system, &self.property)?;
            if self.witnesses.len() > 1 {
                owed.iter_mut().for_each(|one| one.name = format!("run {}, {}", i + 1, one.name));
            }
            all.extend(owed);
        }
        let conditions = self.witnesses.iter().map(|witness| Term::and(witness.condition.iter().cloned()));
        let goal = Term::or(conditions);
        let name = "every choice of the parameters has a run".to_string();
        all.push(Obligation::lemma(name, goal, self.assuming()));
        Ok(all)
    }

    /// A query over the parameters as the system assumes them.
    fn assuming(&self) -> SmtQuery {
        let (unknowns, asserted) = (self.system.unknowns(None, false), self.system.assumptions.clone());
        SmtQuery { unknowns, asserted, ..SmtQuery::default() }
    }

    /// Refutes the property: every solver judges every obligation.
    pub fn refute(&self, solvers: &[Solver], options: &ProofOptions) -> Result<ProofAttempt, ProofError> {
        self.system.checked()?;
        let obligations = self.obligations()?;
        let premises = self.witnesses.iter().enumerate().map(|(i, witness)| {
            let mut query = self.assuming();
            query.asserted.extend(witness.condition.iter().cloned());
            (format!("run {} is there for some parameters", i + 1), query)
        });
        let premises = premises.collect();
        let (judged, premises) = judged_by(&self.system, &obligations, premises, solvers, options.limit)?;
        Ok(ProofAttempt {
            invariant: Vec::new(),
            found: None,
            written: 0,
            obligations,
            judged,
            begins: premises.iter().any(|(_, possible)| *possible),
            premises,
            searched: Duration::ZERO,
        })
    }
}

/// What each solver makes of the obligations, and the first of what should be possible.
#[expect(clippy::type_complexity, reason = "two lists that are taken apart at once")]
fn judged_by(
    system: &System,
    obligations: &[Obligation],
    premises: Vec<(String, SmtQuery)>,
    solvers: &[Solver],
    limit: Duration,
) -> Result<(Vec<(Solver, Vec<CheckedObligation>)>, Vec<(String, bool)>), SolverError> {
    let judged = solvers
        .iter()
        .map(|solver| Ok((solver.clone(), check_all(system, obligations, solver, limit, |_| {})?)))
        .collect::<Result<Vec<_>, SolverError>>()?;
    let Some(solver) = solvers.first() else { return Ok((judged, Vec::new())) };
    let mut judge = ObligationChecker::new(system, solver, limit)?;
    let possible = |(name, query)| Ok((name, judge.decide(&query)? == SolverAnswer::Sat));
    let premises = premises.into_iter().map(possible).collect::<Result<Vec<_>, SolverError>>()?;
    Ok((judged, premises))
}
