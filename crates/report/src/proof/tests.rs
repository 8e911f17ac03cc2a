//! Proofs as they are printed: what a reader must find in the text and in the JSON, and nothing that could move a
//! terminal.

use super::*;
use crate::{RunFacts, proofs_json};
use serde_json::Value;

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn proof(standing: ProofStatus, extent: &str) -> Proof {
    Proof {
        name: "lamp never-too-long".to_string(),
        statement: "The lamp is never on for longer than T.".to_string(),
        property: "lit <= T".to_string(),
        standing,
        claimed: standing == ProofStatus::Proven,
        scope: TheoremScope::new(vec!["T".to_string()], vec!["1 <= T".to_string(), "T <= 9".to_string()]),
        extent: extent.to_string(),
        next: None,
        invariant: Vec::new(),
        hunt: None,
        open: Vec::new(),
        run: None,
        checks: Vec::new(),
        warnings: Vec::new(),
        rests_on: vec!["1 <= T.".to_string()],
        certificate: None,
        seconds: 0.5,
    }
}

fn conjunct(formula: &str, written: bool) -> Conjunct {
    Conjunct { name: "c".to_string(), formula: formula.to_string(), written }
}

fn proven() -> Proof {
    Proof {
        invariant: vec![conjunct("lit <= T", false), conjunct("lamp = OFF => lit = 0", true)],
        hunt: Some(InvariantHunt {
            engine: "templates".to_string(),
            candidates: Some(1234),
            states: 56,
            inductive: 7,
            counterexamples: 1,
            seconds: 2.5,
        }),
        checks: vec![SolverCheck {
            solver: "z3 4.8.12".to_string(),
            duties: vec![
                ("initiation".to_string(), 2),
                ("consecution".to_string(), 6),
                ("safety".to_string(), 1),
            ],
            seconds: 0.25,
            ..SolverCheck::default()
        }],
        certificate: Some("proof.smt2".to_string()),
        ..proof(ProofStatus::Proven, "")
    }
}

#[test]
fn a_proof_is_told_from_the_answer_to_what_it_rests_on() {
    let expected = "\
PROVEN: lamp never-too-long, for all T with 1 <= T and T <= 9
  The lamp is never on for longer than T.

Property
  lit <= T

Invariant: 2 conjuncts, 1 of them written by a person
  lit <= T
  lamp = OFF => lit = 0 (by a person)

Search for the invariant
  templates: 1,234 candidates that are true of 56 states of small instances, 7 of them inductive
  together after 1 counterexample, 2.5 s

Checked by
  - z3 4.8.12: 9 obligations (2 initiation, 6 consecution, 1 safety), all discharged, 0.2 s

Rests on
  - 1 <= T.

Certificate
  proof.smt2
";
    assert_eq!(render_proof(&proven(), &Style::default()), expected);
}

fn broken(name: &str) -> OpenObligation {
    let variable = |name: &str, before: &str, after: &str| OpenVariable {
        name: name.to_string(),
        before: Some(before.to_string()),
        after: Some(after.to_string()),
        meaning: format!("the {name}"),
    };
    OpenObligation {
        obligation: name.to_string(),
        solver: "z3 4.8.12".to_string(),
        undecided: None,
        step: Some("time passes (d = 2)".to_string()),
        parameters: pairs(&[("T", "3")]),
        variables: vec![variable("lamp", "ON", "ON"), variable("lit", "2", "4")],
        broken: "lit <= T".to_string(),
    }
}

#[test]
fn where_induction_breaks_is_told_in_the_words_of_the_model() {
    let mut failed = proof(ProofStatus::NotInductive, "; 3 of 9 obligations are refuted");
    failed.open = vec![broken("consecution of a under \"time passes\"")];
    let expected = "\
Refuted by z3 4.8.12: consecution of a under \"time passes\"
  with T = 3
  step: time passes (d = 2)
        before  after
  lamp  ON      =      the lamp
  lit   2       4      the lit
  false at the end: lit <= T
";
    let text = render_proof(&failed, &Style::default());
    assert!(
        text.starts_with("NOT INDUCTIVE: lamp never-too-long; 3 of 9 obligations are refuted\n"),
        "{text}"
    );
    assert!(text.contains(expected), "{text}");
    failed.open = ["a", "b", "c"].map(broken).to_vec();
    let text = render_proof(&failed, &Style::default());
    assert_eq!(text.matches("false at the end").count(), SHOWN, "{text}");
    assert!(text.contains("Not discharged either\n  - c\n"), "{text}");
}

#[test]
fn what_is_undecided_has_no_states_but_a_reason() {
    let mut unknown = proof(ProofStatus::Unknown, "; 1 obligation left undecided");
    unknown.next = Some("give it longer".to_string());
    unknown.open = vec![OpenObligation { undecided: Some("time".to_string()), ..broken("safety") }];
    let text = render_proof(&unknown, &Style::default());
    assert!(text.contains("  next: give it longer\n"), "{text}");
    assert!(text.contains("Undecided by z3 4.8.12 (time): safety\n\nRests on"), "{text}");
}

#[test]
fn a_run_tells_what_each_step_changed() {
    let run = ShownRun {
        parameters: pairs(&[("T", "1")]),
        by: "the witness of the theorem".to_string(),
        states: vec![
            ("initially".to_string(), pairs(&[("lamp", "OFF"), ("lit", "0")])),
            ("switch on".to_string(), pairs(&[("lamp", "ON"), ("lit", "0")])),
            ("nothing".to_string(), pairs(&[("lamp", "ON"), ("lit", "0")])),
        ],
    };
    let expected = "
A run with T = 1, by the witness of the theorem
  0  initially
     lamp = OFF, lit = 0
  1  switch on
     lamp = ON
  2  nothing
";
    assert_eq!(render_run(&run, &Style::default()), expected);
}

#[test]
fn all_theorems_stand_in_one_table() {
    let mut refuted = proof(ProofStatus::Refuted, "after 3 steps with T = 2");
    refuted.name = "lamp too-long".to_string();
    let table = proofs_table("All theorems", &[proven(), refuted]);
    assert_eq!(table.header[6..], ["z3 4.8.12", "obligations", "with"]);
    let with = "1 <= T and T <= 9";
    assert_eq!(
        table.rows[0],
        ["lamp never-too-long", "proven", "2", "1", "1,234", "2.5 s", "0.2 s", "9", with]
    );
    assert_eq!(table.rows[1], ["lamp too-long", "refuted", "", "", "", "", "", "", ""]);
}

#[test]
fn whatever_is_said_for_all_parameters_is_said_with_its_assumptions() {
    let scope = ", for all T with 1 <= T and T <= 9";
    for standing in
        [ProofStatus::Proven, ProofStatus::Refuted, ProofStatus::NotInductive, ProofStatus::Unknown]
    {
        for claimed in [false, true] {
            let proof = Proof { claimed, ..proof(standing, ", by some means") };
            let for_all = standing == ProofStatus::Proven || standing == ProofStatus::Refuted && claimed;
            let expected = if for_all { scope } else { "" };
            let headline = format!("{}: lamp never-too-long{expected}, by some means", standing.word());
            assert_eq!(proof.headline(), headline);
            assert!(render_proof(&proof, &Style::default()).starts_with(&(headline.clone() + "\n")));
            let json: Value =
                serde_json::from_str(&proofs_json("lamp", &[], &[proof], 0, &RunFacts::default()))
                    .expect("JSON");
            let theorem = &json["theorems"][0];
            assert_eq!(theorem["headline"], Value::from(headline));
            assert_eq!(theorem["assumptions"], serde_json::json!(["1 <= T", "T <= 9"]));
            assert_eq!(theorem["parameters"], serde_json::json!(["T"]));
        }
    }
}

#[test]
fn json_has_every_figure_and_null_for_what_does_not_apply() {
    let mut failed = proof(ProofStatus::NotInductive, "");
    failed.open = vec![broken("consecution")];
    let text = proofs_json("lamp", &["a note".to_string()], &[proven(), failed], 12, &RunFacts::default());
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["subject"], &json["exit_code"]), (&Value::from("lamp"), &Value::from(12)));
    let first = &json["theorems"][0];
    assert_eq!(
        (&first["verdict"], &first["conjuncts"], &first["written"]),
        (&"proven".into(), &2.into(), &1.into())
    );
    assert_eq!(first["solvers"][0]["duties"]["consecution"], 6);
    assert_eq!((&first["search"]["candidates"], &first["run"]), (&1234.into(), &Value::Null));
    let second = &json["theorems"][1];
    assert_eq!(second["verdict"], "not inductive");
    assert_eq!(
        (&second["open"][0]["before"]["lit"], &second["open"][0]["after"]["lit"]),
        (&"2".into(), &"4".into())
    );
    assert_eq!(second["search"], Value::Null);
}

#[test]
fn names_from_elsewhere_do_not_move_the_cursor() {
    let mut hostile = proof(ProofStatus::Unknown, "; no\x1b[2Jthing");
    hostile.name = "a\nPROVEN: b".to_string();
    let text = render_proof(&hostile, &Style::default());
    assert!(text.starts_with("UNKNOWN: a PROVEN: b; no [2Jthing\n"), "{text}");
}
