//! Proofs for machines. Keys keep their order from version to version, new ones are added at the end of their
//! object, and a value that does not apply is `null`, never absent.

use crate::RunFacts;
use crate::proof::{InvariantHunt, OpenObligation, Proof, ShownRun, SolverCheck};
use serde_json::{Map, Value as Json, json};

/// All proofs of a run as JSON, with a line break at the end.
pub fn proofs_json(
    subject: &str,
    notes: &[String],
    proofs: &[Proof],
    exit_code: u8,
    run: &RunFacts,
) -> String {
    let object = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "subject": subject,
        "theorems": proofs.iter().map(proof).collect::<Vec<_>>(),
        "notes": notes,
        "exit_code": exit_code,
        "seconds": run.seconds,
        "peak_bytes": run.peak_bytes,
        "command": run.command,
    });
    format!("{object:#}\n")
}

fn proof(proof: &Proof) -> Json {
    let conjunct = |conjunct: &crate::proof::Conjunct| json!({ "name": conjunct.name, "formula": conjunct.formula, "written": conjunct.written });
    json!({
        "name": proof.name,
        "statement": proof.statement,
        "property": proof.property,
        "verdict": proof.standing.word().to_lowercase(),
        "as_claimed": proof.claimed,
        "extent": proof.extent,
        "next": proof.next,
        "invariant": proof.invariant.iter().map(conjunct).collect::<Vec<_>>(),
        "conjuncts": proof.invariant.len(),
        "written": proof.invariant.iter().filter(|conjunct| conjunct.written).count(),
        "search": proof.hunt.as_ref().map(hunt),
        "solvers": proof.checks.iter().map(check).collect::<Vec<_>>(),
        "open": proof.open.iter().map(open).collect::<Vec<_>>(),
        "run": proof.run.as_ref().map(run_of),
        "warnings": proof.warnings,
        "rests_on": proof.rests_on,
        "certificate": proof.certificate,
        "seconds": proof.seconds,
        "headline": proof.headline(),
        "parameters": proof.scope.parameters(),
        "assumptions": proof.scope.assumptions(),
    })
}

fn hunt(hunt: &InvariantHunt) -> Json {
    json!({
        "engine": hunt.engine,
        "candidates": hunt.candidates,
        "states": hunt.states,
        "inductive": hunt.inductive,
        "counterexamples": hunt.counterexamples,
        "seconds": hunt.seconds,
    })
}

fn check(check: &SolverCheck) -> Json {
    let duties: Map<String, Json> =
        check.duties.iter().map(|(duty, count)| (duty.clone(), json!(count))).collect();
    json!({
        "solver": check.solver,
        "obligations": check.obligations(),
        "duties": duties,
        "refuted": check.refuted,
        "undecided": check.undecided,
        "seconds": check.seconds,
    })
}

fn open(open: &OpenObligation) -> Json {
    let side = |which: fn(&crate::proof::OpenVariable) -> &Option<String>| {
        let values = open.variables.iter().filter_map(|v| Some((v.name.clone(), json!(which(v).as_ref()?))));
        let values: Map<String, Json> = values.collect();
        if values.is_empty() { Json::Null } else { Json::Object(values) }
    };
    json!({
        "obligation": open.obligation,
        "solver": open.solver,
        "undecided": open.undecided,
        "step": open.step,
        "parameters": object(&open.parameters),
        "before": side(|v| &v.before),
        "after": side(|v| &v.after),
        "broken": open.broken,
    })
}

fn run_of(run: &ShownRun) -> Json {
    let states = run.states.iter().map(|(step, state)| json!({ "step": step, "after": object(state) }));
    json!({
        "parameters": object(&run.parameters),
        "by": run.by,
        "states": states.collect::<Vec<_>>(),
    })
}

fn object(pairs: &[(String, String)]) -> Json {
    Json::Object(pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}
