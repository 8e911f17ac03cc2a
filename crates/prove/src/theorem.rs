//! Theorems for all parameters: a property of a system that holds, with an invariant that is found, or one that
//! fails for all parameters, with a run for each. A theorem counts as shown when every solver that was asked has
//! discharged every obligation.

use crate::finding::{Found, NotFound, Progress, Search, find};
use crate::houdini::{is_proof, minimised};
use crate::induction::{Judge, Judged, Outcome, judge_all};
use crate::obligation::{Claim, Duty, Obligation};
use crate::smtlib::Query;
use crate::solver::{Answer, Solver, SolverError};
use crate::{Grammar, System, SystemError, Term, Witness, WitnessError};
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
    pub witnesses: Vec<Witness>,
    /// Values of the parameters at which the runs can be shown.
    pub points: Vec<Vec<i64>>,
}

/// A theorem of either kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Case {
    /// It holds.
    Holds(Theorem),
    /// It fails.
    Fails(Refutation),
}

impl Case {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Case::Holds(theorem) => &theorem.name,
            Case::Fails(refutation) => &refutation.name,
        }
    }

    /// What it says.
    pub fn statement(&self) -> &str {
        match self {
            Case::Holds(theorem) => &theorem.statement,
            Case::Fails(refutation) => &refutation.statement,
        }
    }

    /// The system that it is about.
    pub fn system(&self) -> &System {
        match self {
            Case::Holds(theorem) => &theorem.system,
            Case::Fails(refutation) => &refutation.system,
        }
    }

    /// The property.
    pub fn property(&self) -> &Claim {
        match self {
            Case::Holds(theorem) => &theorem.property,
            Case::Fails(refutation) => &refutation.property,
        }
    }
}

/// How to go about a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effort {
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

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            grammars: Grammar::LADDER.to_vec(),
            lemmas: true,
            limit: Duration::from_secs(20),
            total: Duration::from_secs(120),
            most_states: 200_000,
        }
    }
}

/// What was shown, and by whom.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The invariant; empty for a refutation.
    pub invariant: Vec<Claim>,
    /// How the invariant was found, if it was.
    pub found: Option<Found>,
    /// How many of its conjuncts a person wrote. The property is not one of them, nor what follows from the sorts.
    pub written: usize,
    /// The obligations.
    pub obligations: Vec<Obligation>,
    /// What each solver made of them.
    pub judged: Vec<(Solver, Vec<Judged>)>,
    /// Whether the system can begin; for a refutation, whether some run is there for some parameters.
    pub begins: bool,
    /// What should be possible, and whether it is.
    pub premises: Vec<(String, bool)>,
    /// How long the search for the invariant took.
    pub searched: Duration,
}

impl Shown {
    /// Whether every solver discharged every obligation, and the system can begin.
    pub fn is_shown(&self) -> bool {
        let discharged = |judged: &Judged| judged.outcome == Outcome::Discharged;
        // One answer to each obligation, and not as many answers to others.
        let owed = |all: &[Judged]| {
            let asked = all.iter().map(|judged| (judged.duty, &judged.name));
            asked.eq(self.obligations.iter().map(|obligation| (obligation.duty, &obligation.name)))
        };
        let shown = |(_, all): &(Solver, Vec<Judged>)| owed(all) && all.iter().all(discharged);
        !self.judged.is_empty()
            && !self.obligations.is_empty()
            && self.judged.iter().all(shown)
            && self.begins
    }

    /// The first obligation that was refuted or left undecided, with the solver that says so.
    pub fn open(&self) -> Option<(&Solver, &Judged)> {
        let all = self.judged.iter().flat_map(|(solver, all)| all.iter().map(move |judged| (solver, judged)));
        all.into_iter().find(|(_, judged)| judged.outcome != Outcome::Discharged)
    }
}

/// Why a theorem could not be taken up.
#[derive(Clone, PartialEq, Debug)]
pub enum Trouble {
    /// No invariant was found.
    NotFound(NotFound),
    /// The solver failed.
    Solver(SolverError),
    /// The run is none of the system.
    Witness(WitnessError),
    /// The system has no meaning.
    System(SystemError),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::NotFound(why) => why.fmt(f),
            Trouble::Solver(error) => error.fmt(f),
            Trouble::Witness(error) => error.fmt(f),
            Trouble::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<SolverError> for Trouble {
    fn from(error: SolverError) -> Trouble {
        Trouble::Solver(error)
    }
}

impl From<NotFound> for Trouble {
    fn from(why: NotFound) -> Trouble {
        match why {
            NotFound::Solver(error) => Trouble::Solver(error),
            why => Trouble::NotFound(why),
        }
    }
}

impl From<SystemError> for Trouble {
    fn from(error: SystemError) -> Trouble {
        Trouble::System(error)
    }
}

impl From<WitnessError> for Trouble {
    fn from(error: WitnessError) -> Trouble {
        Trouble::Witness(error)
    }
}

impl Theorem {
    /// The search that finds an invariant of this theorem.
    pub fn search(&self, effort: &Effort) -> Search {
        Search {
            points: self.points.clone(),
            most_states: effort.most_states,
            grammars: effort.grammars.clone(),
            limit: effort.limit,
            total: effort.total,
        }
    }

    /// Proves it: finds an invariant with the first solver, and has all of them judge every obligation. First
    /// without what a person wrote; with it only if that fails.
    pub fn prove(
        &self,
        solvers: &[Solver],
        effort: &Effort,
        mut heard: impl FnMut(&Progress),
    ) -> Result<Shown, Trouble> {
        let started = Instant::now();
        let Some(finder) = solvers.first() else {
            return self.judged(Vec::new(), None, solvers, effort);
        };
        self.system.checked()?;
        // What is inductive by itself needs no search, nor instances that are finite.
        let bare = self.closed(Vec::new());
        let mut judge = Judge::new(&self.system, finder, effort.limit)?;
        if is_proof(&mut judge, &self.system, &bare, &self.property)? {
            return self.judged(bare, None, solvers, effort);
        }
        let search = self.search(effort);
        let found = match find(&self.system, &self.property, &[], &search, finder, &mut heard) {
            Err(NotFound::Nothing { .. } | NotFound::Time | NotFound::Point(_))
                if effort.lemmas && !self.lemmas.is_empty() =>
            {
                return self.prove_by_hand(solvers, effort, started, heard);
            }
            found => found?,
        };
        let invariant = self.closed(found.invariant.clone());
        let searched = started.elapsed();
        let mut shown = self.judged(invariant, Some(found), solvers, effort)?;
        shown.searched = searched;
        Ok(shown)
    }

    /// With the conjuncts that a person wrote; they alone, if they are enough.
    fn prove_by_hand(
        &self,
        solvers: &[Solver],
        effort: &Effort,
        started: Instant,
        heard: impl FnMut(&Progress),
    ) -> Result<Shown, Trouble> {
        let finder = &solvers[0];
        let written = self.closed(self.lemmas.clone());
        let mut judge = Judge::new(&self.system, finder, effort.limit)?;
        let (invariant, found) = if is_proof(&mut judge, &self.system, &written, &self.property)? {
            (minimised(&self.system, &written, &self.property, finder, effort.limit)?, None)
        } else {
            let search = self.search(effort);
            let found = find(&self.system, &self.property, &self.lemmas, &search, finder, heard)?;
            (found.invariant.clone(), Some(found))
        };
        let searched = started.elapsed();
        let mut shown = self.judged(self.closed(invariant), found, solvers, effort)?;
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
        found: Option<Found>,
        solvers: &[Solver],
        effort: &Effort,
    ) -> Result<Shown, Trouble> {
        self.system.checked()?;
        let obligations = self.system.obligations(&invariant, &self.property);
        let mut judged = Vec::new();
        for solver in solvers {
            let all = judge_all(&self.system, &obligations, solver, effort.limit, |_| {})?;
            judged.push((solver.clone(), all));
        }
        let mut premises = Vec::new();
        if let Some(solver) = solvers.first() {
            let mut judge = Judge::new(&self.system, solver, effort.limit)?;
            for (name, query) in self.system.premises(&invariant) {
                let answer = judge.ask(&query)?;
                match answer {
                    Answer::Unknown(_) => judge.renew()?,
                    _ => judge.done()?,
                }
                premises.push((name, answer == Answer::Sat));
            }
        }
        let begins = premises.iter().take(self.system.beginnings().len()).any(|(_, possible)| *possible);
        let is_written = |claim: &&Claim| {
            self.lemmas.iter().any(|lemma| lemma.formula == claim.formula && lemma.name == claim.name)
        };
        let written = invariant.iter().filter(is_written).count();
        let searched = Duration::ZERO;
        Ok(Shown { invariant, found, written, obligations, judged, begins, premises, searched })
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
        let mut asserted = self.system.assumptions.clone();
        asserted.push(goal.clone().negated());
        let name = "every choice of the parameters has a run".to_string();
        all.push(Obligation {
            duty: Duty::Lemma,
            path: None,
            goal: Claim { name: name.clone(), formula: goal },
            query: Query { unknowns: self.system.unknowns(None, false), draws: Vec::new(), asserted },
            name,
        });
        Ok(all)
    }

    /// Refutes the property: every solver judges every obligation.
    pub fn refute(&self, solvers: &[Solver], effort: &Effort) -> Result<Shown, Trouble> {
        self.system.checked()?;
        let obligations = self.obligations()?;
        let mut judged = Vec::new();
        for solver in solvers {
            let all = judge_all(&self.system, &obligations, solver, effort.limit, |_| {})?;
            judged.push((solver.clone(), all));
        }
        let mut premises = Vec::new();
        if let Some(solver) = solvers.first() {
            let mut judge = Judge::new(&self.system, solver, effort.limit)?;
            for (i, witness) in self.witnesses.iter().enumerate() {
                let mut asserted = self.system.assumptions.clone();
                asserted.extend(witness.condition.iter().cloned());
                let query =
                    Query { unknowns: self.system.unknowns(None, false), draws: Vec::new(), asserted };
                let answer = judge.ask(&query)?;
                match answer {
                    Answer::Unknown(_) => judge.renew()?,
                    _ => judge.done()?,
                }
                premises.push((format!("run {} is there for some parameters", i + 1), answer == Answer::Sat));
            }
        }
        Ok(Shown {
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
