//! Whatever is called proven is called so with every assumption of its system: for all theorems of all subjects, and
//! with properties and assumptions of the user's own.

use super::ProveArgs;
use super::proving::Prover;
use super::request::ProofRequest;
use super::words::told;
use crate::clock::Showing;
use watchkeeper_casebook::parametric::{self, ProofSubject};
use watchkeeper_prove::{ProofGoal, ProofOptions, System, Term};
use watchkeeper_report::{Proof, ProofStatus};

fn requested(subject: &ProofSubject, args: ProveArgs) -> ProofRequest {
    ProofRequest::of(&args, &subject.name, parametric::subjects()).expect("it can be asked")
}

/// A proof of a claim, as if every solver had discharged all of it.
fn proven(request: &ProofRequest, case: &ProofGoal) -> Proof {
    let effort = ProofOptions::default();
    let prover = Prover {
        request,
        solvers: &[],
        missing: &[],
        effort,
        showing: Showing::Nothing,
        command: String::new(),
    };
    Proof { standing: ProofStatus::Proven, claimed: true, ..prover.blank(case) }
}

/// Every conjunct of every assumption; what is true of all parameters is none.
fn conjuncts(system: &System) -> Vec<String> {
    fn parts(term: &Term) -> Vec<&Term> {
        match term {
            Term::And(all) => all.iter().flat_map(parts).collect(),
            Term::Bool(true) => Vec::new(),
            one => vec![one],
        }
    }
    system.assumptions.iter().flat_map(parts).map(|part| told(system, part)).collect()
}

fn is_complete(proof: &Proof, system: &System) {
    let headline = proof.headline();
    let (all, with) = headline.split_once(" with ").unwrap_or((&headline, ""));
    for parameter in &system.parameters {
        assert!(all.contains(&parameter.name), "{} is not in {headline}", parameter.name);
    }
    for assumption in conjuncts(system) {
        assert!(with.contains(&assumption), "{assumption} is not in {headline}");
    }
    let refuted = Proof { standing: ProofStatus::Refuted, ..proof.clone() };
    assert!(refuted.headline().contains(with), "{}", refuted.headline());
}

#[test]
fn every_theorem_of_every_subject_is_proven_with_its_assumptions() {
    let (mut theorems, mut assumed) = (0, 0);
    for subject in parametric::subjects() {
        for case in &subject.cases {
            let mut forms =
                vec![ProveArgs { theorems: vec![case.name().to_string()], ..ProveArgs::default() }];
            forms.push(ProveArgs { property: Some("true".to_string()), ..forms[0].clone() });
            let parameter = &case.system().parameters[0].name;
            let narrow =
                vec![format!("{parameter} >= 977 or {parameter} = 5"), format!("{parameter} < 31337")];
            forms.push(ProveArgs { assume: narrow, ..forms[1].clone() });
            for (i, args) in forms.into_iter().enumerate() {
                let request = requested(&subject, args);
                let case = &request.cases[0];
                let proof = proven(&request, case);
                is_complete(&proof, case.system());
                if i == 2 {
                    let headline = proof.headline();
                    assert!(headline.contains("(977 <= ") && headline.contains(" < 31337"), "{headline}");
                }
                assumed += conjuncts(case.system()).len();
            }
            theorems += 1;
        }
        for case in &subject.broken {
            let args = ProveArgs { broken: Some(case.name().to_string()), ..ProveArgs::default() };
            let request = requested(&subject, args);
            is_complete(&proven(&request, &request.cases[0]), request.cases[0].system());
        }
    }
    assert!(theorems > 50 && assumed > 3 * theorems, "{theorems} theorems with {assumed} assumptions");
}
