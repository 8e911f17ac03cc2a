//! The other means of a proof: Spacer, induction over several steps, and bounded search. What Spacer finds is judged
//! like any other invariant; a bounded search refutes, and never proves.

use super::findings::{conjuncts, taken, variables, why};
use super::proving::{ProofAnswer, Prover};
use super::words::told;
use std::time::Instant;
use watchkeeper::Problem;
use watchkeeper_prove::solver::{Backend, Solver};
use watchkeeper_prove::{
    BoundedError, BoundedResult, BoundedRun, Certificate, Claim, HornError, HornResult, KInductionResult,
    ProofError, ProofGoal, Spacer, System, Term, Theorem, bounded, horn, k_induction,
    k_induction_obligations, minimised, numbered,
};
use watchkeeper_report::{InvariantHunt, OpenObligation, Proof, ProofStatus, ShownRun, SolverCheck, counted};

impl Prover<'_> {
    /// With an invariant from Spacer.
    pub(super) fn spacer(&self, theorem: &Theorem) -> Result<ProofAnswer, Problem> {
        let started = Instant::now();
        let (system, limit) = (&theorem.system, self.effort.limit);
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        let Some(z3) = self.solvers.iter().find(|solver| solver.backend == Backend::Z3) else {
            let why = "--engine: Spacer is a part of Z3, which is not among the solvers; choose another engine, or --solver all";
            return Err(Problem::Usage(why.to_string()));
        };
        let (invariant, by) = match horn(system, &theorem.property.formula, &Spacer::LADDER, z3, limit) {
            Ok(HornResult::Candidate { invariant, by }) => (invariant, by.to_string()),
            Ok(HornResult::Refuted { by }) => {
                proof.warnings.push(format!("{by} says that the property fails, and shows no run"));
                proof.extent = "; there is no invariant".to_string();
                proof.next = Some("look for the run with --engine bounded".to_string());
                return Ok(proof.into());
            }
            Ok(HornResult::Unreadable { why, by, .. }) => {
                proof.extent = format!("; {by} found an invariant that is not of the language: {why}");
                proof.next = Some("try --engine templates".to_string());
                return Ok(proof.into());
            }
            Ok(HornResult::Undecided(tried)) => {
                proof.extent = format!("; Spacer found nothing, in {} ways", tried.len());
                proof.next = Some("give each way longer with --limit, or try --engine templates".to_string());
                proof.warnings.extend(tried.iter().map(|(by, why)| format!("{by}: {why}")));
                return Ok(proof.into());
            }
            Err(HornError::Solver(error)) => return Ok(self.unanswered(proof, ProofError::Solver(error))),
            Err(error) => {
                proof.extent = format!("; {error}");
                proof.next = Some("try --engine templates".to_string());
                return Ok(proof.into());
            }
        };
        let mut claims = numbered("conjunct ", invariant);
        for claim in system.typing().into_iter().chain([theorem.property.clone()]) {
            if !claims.iter().any(|other| other.formula == claim.formula) {
                claims.push(claim);
            }
        }
        let judged = minimised(system, &claims, &theorem.property, z3, limit)
            .map(|least| if least.is_empty() { claims } else { least })
            .map_err(ProofError::Solver)
            .and_then(|invariant| theorem.judged(invariant, None, self.solvers, &self.effort));
        let seconds = started.elapsed().as_secs_f64();
        match judged {
            Ok(shown) => {
                let mut answer = self.shown(theorem, &shown);
                answer.proof.hunt = Some(InvariantHunt { engine: by, seconds, ..InvariantHunt::default() });
                Ok(answer)
            }
            Err(trouble) => Ok(self.unanswered(proof, trouble)),
        }
    }

    /// By induction over several steps. Lemmas are shown together with the property.
    pub(super) fn k_induction(&self, theorem: &Theorem, depth: usize) -> Result<ProofAnswer, Problem> {
        let system = &theorem.system;
        let mut proof = self.blank(&ProofGoal::Holds(theorem.clone()));
        let all = || [&theorem.property].into_iter().chain(&theorem.lemmas);
        let together = Term::and(all().map(|claim| claim.formula.clone()));
        let goal = Claim { name: theorem.property.name.clone(), formula: together };
        let mut proven = None;
        for solver in self.solvers {
            let started = Instant::now();
            let found = k_induction(system, &goal.formula, &[], depth, true, solver, self.effort.limit);
            let seconds = started.elapsed().as_secs_f64();
            match found {
                Ok(KInductionResult::Proven(steps)) => {
                    proven = Some(proven.unwrap_or(0).max(steps));
                    let duties = vec![("lemma".to_string(), steps + 1)];
                    let solver = solver.to_string();
                    proof.checks.push(SolverCheck { solver, duties, seconds, ..SolverCheck::default() });
                }
                // The run may break a lemma and not the property.
                Ok(KInductionResult::Violated(run)) if !theorem.lemmas.is_empty() => {
                    let steps = counted(run.steps() as u64, "step");
                    proof.extent = format!("; the property or a lemma is broken after {steps}");
                    proof.next = Some("ask without a --lemma, or correct it".to_string());
                    proof.run = Some(shown_run(&run, solver));
                    return Ok(proof.into());
                }
                Ok(KInductionResult::Violated(run)) => {
                    proof.standing = ProofStatus::Refuted;
                    proof.extent = format!("after {} of some instance", counted(run.steps() as u64, "step"));
                    proof.run = Some(shown_run(&run, solver));
                    return Ok(proof.into());
                }
                Ok(KInductionResult::NotInductive(run)) => {
                    proof.extent = format!("; not inductive over {depth} steps");
                    proof.next = Some("take more steps with --depth, or help with a --lemma".to_string());
                    proof.open.push(last_step(system, &run, solver, &goal));
                    return Ok(proof.into());
                }
                Ok(KInductionResult::Undecided { steps, why }) => {
                    proof.extent = format!("; {solver} did not decide about {steps} steps ({why})");
                    proof.next = Some("give each question longer with --limit".to_string());
                    return Ok(proof.into());
                }
                Err(error) => return Ok(self.failed(proof, error)),
            }
        }
        let Some(steps) = proven else { return Ok(proof.into()) };
        proof.invariant =
            conjuncts(system, &all().cloned().collect::<Vec<_>>(), |claim| *claim != theorem.property);
        (proof.standing, proof.claimed) = (ProofStatus::Proven, true);
        proof.extent = format!(", by induction over {}", counted(steps as u64, "step"));
        let certificate = k_induction_obligations(system, &goal, &[], steps, true).ok().map(|obligations| {
            let claim = format!("{} by induction over {steps} steps", told(system, &goal.formula));
            Certificate::lemmas(system, &claim, &obligations, self.origin("k-induction"))
        });
        Ok(ProofAnswer { proof, certificate })
    }

    /// Runs of a few steps, for some parameters.
    pub(super) fn bounded(&self, case: &ProofGoal, depth: usize) -> Result<ProofAnswer, Problem> {
        let mut proof = self.blank(case);
        proof.claimed = false;
        for solver in &self.solvers[..1] {
            match bounded(case.system(), &case.property().formula, depth, solver, self.effort.limit) {
                Ok(BoundedResult::Violated(run)) => {
                    proof.standing = ProofStatus::Refuted;
                    proof.extent =
                        format!("after {}, for some parameters", counted(run.steps() as u64, "step"));
                    proof.run = Some(shown_run(&run, solver));
                    if run.checked {
                        proof.rests_on.pop();
                    }
                }
                Ok(BoundedResult::NoneUpTo(depth)) => {
                    proof.extent =
                        format!("; no run of at most {depth} steps breaks it, whatever the parameters");
                    proof.next = Some(
                        "a bounded search never proves: take --engine templates or k-induction".to_string(),
                    );
                }
                Ok(BoundedResult::Undecided { steps, why }) => {
                    proof.extent = format!("; {solver} did not decide about runs of {steps} steps ({why})");
                    proof.next = Some("give each question longer with --limit".to_string());
                }
                Err(error) => return Ok(self.failed(proof, error)),
            }
        }
        Ok(proof.into())
    }

    fn failed(&self, mut proof: Proof, error: BoundedError) -> ProofAnswer {
        if let BoundedError::Solver(error) = error {
            return self.unanswered(proof, ProofError::Solver(error));
        }
        proof.extent = format!("; {error}");
        proof.next = Some("try --engine templates".to_string());
        proof.into()
    }

    fn unanswered(&self, mut proof: Proof, trouble: ProofError) -> ProofAnswer {
        let (extent, next) = why(&trouble, &self.effort);
        (proof.extent, proof.next) = (extent, Some(next));
        proof.into()
    }
}

fn shown_run(run: &BoundedRun, solver: &Solver) -> ShownRun {
    let step = |moment: &watchkeeper_prove::BoundedState| {
        taken(moment.path.as_deref().unwrap_or("some state"), &moment.picks)
    };
    let by = if run.checked {
        format!("{solver}, worked out again step by step")
    } else {
        format!("{solver}; nobody has worked it out again")
    };
    let states = run.moments.iter().map(|moment| (step(moment), moment.told.clone())).collect();
    ShownRun { parameters: run.parameters.clone(), by, states }
}

/// The last of several steps through states with the property: where induction breaks.
fn last_step(system: &System, run: &BoundedRun, solver: &Solver, goal: &Claim) -> OpenObligation {
    let shown = shown_run(run, solver);
    let [.., (_, before), (step, after)] = &shown.states[..] else { return OpenObligation::default() };
    OpenObligation {
        obligation: format!(
            "{} after {} steps through states with it, the last of which is",
            goal.name,
            run.steps()
        ),
        solver: solver.to_string(),
        undecided: None,
        step: Some(step.clone()),
        parameters: run.parameters.clone(),
        variables: variables(system, before, after),
        broken: told(system, &goal.formula),
    }
}
