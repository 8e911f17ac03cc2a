//! From a claim to what is told of it: the prover is asked, and its answer put into words. What is not shown by every
//! solver that was asked is never called proven.

use super::findings::{DISAGREE, check, conjuncts, disagreements, open, why};
use super::progress::Ticker;
use super::request::{Engine, ProofRequest};
use super::runs;
use super::words::{listed, scope, told};
use crate::clock::Showing;
use std::time::{Duration, Instant};
use watchkeeper::Problem;
use watchkeeper_prove::solver::{MissingSolver, Solver};
use watchkeeper_prove::{
    Certificate, CertificateError, CertificateOrigin, Claim, NoInvariant, ObligationStatus, ProofAttempt,
    ProofError, ProofGoal, ProofOptions, Refutation, System, Term, Theorem, check_all,
};
use watchkeeper_report::{InvariantHunt, OpenObligation, Proof, ProofStatus, SolverCheck, counted};

/// How proofs are sought.
pub(super) struct Prover<'a> {
    pub(super) request: &'a ProofRequest,
    pub(super) solvers: &'a [Solver],
    pub(super) missing: &'a [MissingSolver],
    pub(super) effort: ProofOptions,
    pub(super) showing: Showing,
    /// The command that gives the proofs again.
    pub(super) command: String,
}

/// A proof in words, and as what can be written to a file.
pub(super) struct ProofAnswer {
    pub(super) proof: Proof,
    pub(super) certificate: Option<Result<Certificate, CertificateError>>,
}

const TEMPLATES: &str = "templates";

impl From<Proof> for ProofAnswer {
    fn from(proof: Proof) -> ProofAnswer {
        ProofAnswer { proof, certificate: None }
    }
}

impl Prover<'_> {
    /// What becomes of a claim.
    pub(super) fn answer(&self, case: &ProofGoal) -> Result<ProofAnswer, Problem> {
        let started = Instant::now();
        let mut answer = match (case, &self.request.invariant, self.request.engine) {
            (ProofGoal::Holds(theorem), Some(invariant), _) => self.checked(theorem, invariant)?,
            (ProofGoal::Fails(refutation), Some(_), _) => {
                return Err(Problem::Usage(format!(
                    "--invariant: `{}` is claimed to fail, which no invariant shows; name a theorem that holds, or give a \
                     --property",
                    refutation.name
                )));
            }
            (ProofGoal::Holds(theorem), None, Engine::Templates) if self.request.broken => {
                self.broken(theorem)?
            }
            (ProofGoal::Holds(theorem), None, Engine::Templates) => self.proven(theorem)?,
            (ProofGoal::Fails(refutation), None, Engine::Templates) => self.refuted(refutation)?,
            (case, None, Engine::Bounded(depth)) => self.bounded(case, depth)?,
            (ProofGoal::Holds(theorem), None, Engine::Spacer) => self.spacer(theorem)?,
            (ProofGoal::Holds(theorem), None, Engine::KInduction(depth)) => {
                self.k_induction(theorem, depth)?
            }
            (ProofGoal::Fails(refutation), None, _) => {
                return Err(Problem::Usage(format!(
                    "--engine: `{}` is claimed to fail, which this engine cannot show; choose templates or bounded",
                    refutation.name
                )));
            }
        };
        answer.proof.seconds = started.elapsed().as_secs_f64();
        Ok(answer)
    }

    /// A proof with an invariant that is looked for.
    fn proven(&self, theorem: &Theorem) -> Result<ProofAnswer, Problem> {
        let mut ticker = Ticker::new(self.showing, &theorem.name);
        let started = Instant::now();
        let found = theorem.prove(self.solvers, &self.effort, |progress| ticker.hear(progress));
        drop(ticker);
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        match found {
            Ok(shown) => Ok(self.shown(theorem, &shown)),
            Err(ProofError::NoInvariant(NoInvariant::False { parameters, .. })) => {
                self.fails_at(theorem, &parameters, &mut proof)?;
                Ok(proof.into())
            }
            Err(trouble) => {
                if let ProofError::NoInvariant(NoInvariant::Point(_)) = trouble
                    && let Some(proof) = self.fails_somewhere(theorem)?
                {
                    return Ok(proof.into());
                }
                let (extent, next) = why(&trouble, &self.effort);
                (proof.extent, proof.next) = (extent, Some(next));
                proof.hunt = Some(InvariantHunt {
                    engine: TEMPLATES.to_string(),
                    candidates: match trouble {
                        ProofError::NoInvariant(NoInvariant::Nothing { candidates }) => Some(candidates),
                        _ => None,
                    },
                    seconds: started.elapsed().as_secs_f64(),
                    ..InvariantHunt::default()
                });
                if matches!(trouble, ProofError::NoInvariant(NoInvariant::Nothing { .. } | NoInvariant::Time))
                {
                    let mut tried = theorem.lemmas.clone();
                    tried.push(theorem.property.clone());
                    proof.open = self.first_break(&theorem.system, &tried, &theorem.property);
                }
                Ok(proof.into())
            }
        }
    }

    /// A proof that stands, or where it does not, in words.
    pub(super) fn shown(&self, theorem: &Theorem, shown: &ProofAttempt) -> ProofAnswer {
        let system = &theorem.system;
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        let written = |claim: &Claim| {
            theorem.lemmas.iter().any(|lemma| lemma.formula == claim.formula && lemma.name == claim.name)
        };
        proof.invariant = conjuncts(system, &shown.invariant, written);
        proof.hunt = Some(match &shown.found {
            Some(found) => InvariantHunt {
                engine: TEMPLATES.to_string(),
                candidates: Some(found.candidates),
                states: found.states,
                inductive: found.inductive,
                counterexamples: found.counterexamples,
                seconds: shown.searched.as_secs_f64(),
            },
            None => InvariantHunt {
                engine: match shown.written {
                    0 => "no search, since the property is inductive by itself".to_string(),
                    _ => "templates gave none, and the lemmas alone are enough".to_string(),
                },
                seconds: shown.searched.as_secs_f64(),
                ..InvariantHunt::default()
            },
        });
        self.judged(&mut proof, system, shown);
        let certificate = (proof.standing == ProofStatus::Proven).then(|| {
            let origin = self.origin(proof.hunt.as_ref().map_or("", |hunt| &hunt.engine));
            Certificate::induction(system, &shown.invariant, &theorem.property, origin)
        });
        ProofAnswer { proof, certificate }
    }

    /// That a property fails for all parameters.
    fn refuted(&self, refutation: &Refutation) -> Result<ProofAnswer, Problem> {
        let system = &refutation.system;
        let mut proof = self.blank(&ProofGoal::Fails(refutation.clone()));
        let shown = match refutation.refute(self.solvers, &self.effort) {
            Ok(shown) => shown,
            Err(trouble) => {
                let (extent, next) = why(&trouble, &self.effort);
                (proof.extent, proof.next) = (extent, Some(next));
                return Ok(proof.into());
            }
        };
        self.judged(&mut proof, system, &shown);
        proof.run = runs::witnessed_somewhere(refutation);
        if proof.standing == ProofStatus::Proven {
            proof.standing = ProofStatus::Refuted;
            proof.extent = ", as claimed".to_string();
        }
        let claim = format!("{} fails: {}", refutation.property.name, refutation.statement);
        let certificate = (proof.standing == ProofStatus::Refuted).then(|| {
            Certificate::lemmas(system, &claim, &shown.obligations, self.origin("a run written by a person"))
        });
        Ok(ProofAnswer { proof, certificate })
    }

    /// A broken form: a real run at a small point, and where the invariant of the sound form breaks.
    fn broken(&self, theorem: &Theorem) -> Result<ProofAnswer, Problem> {
        let mut answer = match self.fails_somewhere(theorem)? {
            Some(proof) => proof.into(),
            None => self.proven(theorem)?,
        };
        if answer.proof.standing == ProofStatus::Proven {
            return Ok(answer);
        }
        let mut invariant = theorem.lemmas.clone();
        let mut whose = "what a person wrote for it";
        if let Some(sound) = self.request.sound(theorem).filter(|_| invariant.is_empty()) {
            let mut ticker = Ticker::new(self.showing, &sound.name);
            if let Ok(shown) = sound.prove(&self.solvers[..1], &self.effort, |progress| ticker.hear(progress))
            {
                invariant = shown.invariant;
                whose = "the invariant of the sound form";
            }
        }
        if !invariant.iter().any(|claim| claim.formula == theorem.property.formula) {
            invariant.push(theorem.property.clone());
        }
        answer.proof.open = self.first_break(&theorem.system, &invariant, &theorem.property);
        answer.proof.invariant =
            conjuncts(&theorem.system, &invariant, |claim| theorem.lemmas.contains(claim));
        answer.proof.hunt = None;
        answer.proof.warnings.push(format!("the invariant above is {whose}, and this form breaks it"));
        Ok(answer)
    }

    /// Just this invariant: every obligation, and where one is refuted.
    fn checked(&self, theorem: &Theorem, invariant: &[Claim]) -> Result<ProofAnswer, Problem> {
        let theorem = Theorem { lemmas: invariant.to_vec(), points: Vec::new(), ..theorem.clone() };
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        let shown = match theorem.judged(invariant.to_vec(), None, self.solvers, &self.effort) {
            Ok(shown) => shown,
            Err(trouble) => {
                let (extent, next) = why(&trouble, &self.effort);
                (proof.extent, proof.next) = (extent, Some(next));
                return Ok(proof.into());
            }
        };
        proof.invariant = conjuncts(&theorem.system, invariant, |_| true);
        self.judged(&mut proof, &theorem.system, &shown);
        let refuted = proof.checks.iter().map(|check| check.refuted).max().unwrap_or(0);
        if refuted > 0 && !proof.warnings.iter().any(|warning| warning.starts_with(DISAGREE)) {
            proof.standing = ProofStatus::NotInductive;
            proof.extent = format!(
                "; {refuted} of {} are refuted",
                counted(shown.obligations.len() as u64, "obligation")
            );
            proof.next = Some(
                "exclude the state before with one more --invariant, or see with --at whether it can be reached".into(),
            );
        }
        let certificate = (proof.standing == ProofStatus::Proven).then(|| {
            Certificate::induction(&theorem.system, invariant, &theorem.property, self.origin("given"))
        });
        Ok(ProofAnswer { proof, certificate })
    }

    /// That the property is false at a point, with the run that shows it, if there is one.
    pub(super) fn fails_at(
        &self,
        theorem: &Theorem,
        values: &[i64],
        proof: &mut Proof,
    ) -> Result<(), Problem> {
        proof.run = runs::shortest(&theorem.system, &theorem.property, values)?;
        if proof.run.is_none() {
            return Ok(());
        }
        let with: Vec<String> = runs::parameters(&theorem.system, values)
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let steps = proof.run.as_ref().map_or(0, |run| run.states.len().saturating_sub(1));
        proof.standing = ProofStatus::Refuted;
        proof.claimed = false;
        // The run is there whatever a solver says.
        proof.rests_on.pop();
        proof.extent = format!("after {} with {}", counted(steps as u64, "step"), with.join(", "));
        Ok(())
    }

    /// A run at one of the small points that breaks the property, if there is one: even an instance that has no end of
    /// states can have a short one.
    fn fails_somewhere(&self, theorem: &Theorem) -> Result<Option<Proof>, Problem> {
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        for point in &theorem.points {
            self.fails_at(theorem, point, &mut proof)?;
            if proof.run.is_some() {
                return Ok(Some(proof));
            }
        }
        Ok(None)
    }

    /// Where induction breaks first, by the solver that is asked first.
    fn first_break(&self, system: &System, invariant: &[Claim], property: &Claim) -> Vec<OpenObligation> {
        let Some(solver) = self.solvers.first() else { return Vec::new() };
        let obligations = system.obligations(invariant, property);
        let limit = self.effort.limit.min(Duration::from_secs(5));
        let Ok(judged) = check_all(system, &obligations, solver, limit, |_| {}) else { return Vec::new() };
        let refuted = judged.iter().filter(|judged| matches!(judged.outcome, ObligationStatus::Refuted(_)));
        refuted.take(1).filter_map(|judged| open(system, solver, judged)).collect()
    }

    /// What the solvers made of the obligations: standing, extent, figures, warnings.
    fn judged(&self, proof: &mut Proof, system: &System, shown: &ProofAttempt) {
        proof.checks = shown.judged.iter().map(|(solver, all)| check(solver, all)).collect();
        proof.warnings.extend(disagreements(&shown.judged));
        let impossible = shown.premises.iter().filter(|(_, possible)| !possible);
        proof.warnings.extend(impossible.map(|(name, _)| match name.strip_suffix(" can happen") {
            Some(path) => {
                format!("{path} never happens, as far as is known: nothing is said of what follows it")
            }
            None => format!("it is not known that {name}"),
        }));
        let mut told: Vec<&str> = Vec::new();
        for (solver, all) in &shown.judged {
            for judged in all {
                if let Some(open) =
                    open(system, solver, judged).filter(|_| !told.contains(&judged.name.as_str()))
                {
                    told.push(&judged.name);
                    proof.open.push(open);
                }
            }
        }
        if shown.is_shown() {
            (proof.standing, proof.claimed) = (ProofStatus::Proven, true);
            return;
        }
        let count = |which: fn(&SolverCheck) -> usize| proof.checks.iter().map(which).max().unwrap_or(0);
        (proof.extent, proof.next) = match (count(|check| check.refuted), count(|check| check.undecided)) {
            (0, 0) => (
                "; the system cannot begin, so this is about nothing".to_string(),
                Some("look at the assumptions with --system".to_string()),
            ),
            (0, some) => (
                format!("; {} left undecided", counted(some as u64, "obligation")),
                Some(
                    "give each question longer with --limit, or ask another solver with --solver".to_string(),
                ),
            ),
            (some, _) => (
                format!("; {} refuted", counted(some as u64, "obligation")),
                Some("see which below; a proof counts only if every solver discharges all of it".to_string()),
            ),
        };
    }

    /// A claim of which nothing is known yet.
    pub(super) fn blank(&self, case: &ProofGoal) -> Proof {
        let system = case.system();
        let assumed = system.assumptions.iter().filter(|assumed| **assumed != Term::Bool(true));
        let mut rests_on: Vec<String> = assumed.map(|assumed| format!("{assumed}.")).collect();
        rests_on.push(format!("Numbers are {}.", if system.dense { "real numbers" } else { "integers" }));
        rests_on.extend(system.notes.iter().cloned());
        let solvers: Vec<String> = self.solvers.iter().map(ToString::to_string).collect();
        let solvers: Vec<&str> = solvers.iter().map(String::as_str).collect();
        rests_on.push(format!("Every answer of {} is right.", listed(&solvers)));
        let alone = |missing: &MissingSolver| {
            format!("only {} was asked, nobody confirms it: {missing}", listed(&solvers))
        };
        Proof {
            name: format!("{} {}", self.request.subject.name, case.name()),
            statement: case.statement().to_string(),
            property: told(system, &case.property().formula),
            standing: ProofStatus::Unknown,
            claimed: matches!(case, ProofGoal::Fails(_)),
            scope: scope(system),
            extent: String::new(),
            next: None,
            invariant: Vec::new(),
            hunt: None,
            open: Vec::new(),
            run: None,
            checks: Vec::new(),
            warnings: self.missing.iter().map(alone).collect(),
            rests_on,
            certificate: None,
            seconds: 0.0,
        }
    }

    /// Where a certificate comes from.
    pub(super) fn origin(&self, found: &str) -> CertificateOrigin {
        let solvers: Vec<String> = self.solvers.iter().map(ToString::to_string).collect();
        CertificateOrigin {
            found: found.to_string(),
            solver: solvers.join(", "),
            command: self.command.clone(),
        }
    }
}
