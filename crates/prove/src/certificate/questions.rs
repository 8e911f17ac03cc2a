//! The obligations and premises of a proof by induction, built from its definitions alone: the same for the file that
//! is written, for the file that is read, and for the solver that is asked.

use super::definitions::{CertificateFormula, CertificatePath, Definitions, quoted};
use super::literal;
use crate::obligation::ObligationKind;
use std::fmt::Write;

/// One question to a solver, over what is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CertificateQuery {
    pub(super) kind: ObligationKind,
    pub(super) name: String,
    pub(super) asserted: Vec<String>,
}

/// One question as commands: its declarations and assertions on a level of their own, its name, and the check.
pub(super) fn write_query(declarations: &[String], asserted: &[String], name: &str, out: &mut String) {
    out.push_str("(push 1)\n");
    for declaration in declarations {
        let _ = writeln!(out, "{declaration}");
    }
    for formula in asserted {
        let _ = writeln!(out, "(assert {formula})");
    }
    let _ = writeln!(out, "(echo {})\n(check-sat)\n(pop 1)", literal(name));
}

/// How many obligations there are.
pub(super) fn count(definitions: &Definitions) -> usize {
    let ways = definitions.beginnings.len().saturating_add(definitions.paths.len());
    ways.saturating_mul(definitions.conjuncts.len()).saturating_add(1)
}

/// What is known at one stage of the file, and what is asked there. A solver that hears each fact by itself decides
/// more than one that hears their conjunction.
pub(super) struct CertificateStage {
    pub(super) remark: &'static str,
    pub(super) known: Vec<String>,
    /// Each must be unsatisfiable.
    pub(super) obligations: Vec<CertificateQuery>,
    /// Each must be satisfiable, lest the proof be about nothing.
    pub(super) premises: Vec<CertificateQuery>,
}

/// The two stages: first only the parameters are known, then also that the state before is one of the invariant.
pub(super) fn stages(definitions: &Definitions) -> [CertificateStage; 2] {
    let assumptions = (1..=definitions.assumptions.len()).map(|i| format!("assumption.{i}"));
    let conjuncts = definitions.conjuncts.iter().enumerate();
    let property = &definitions.property;
    let possible = CertificateQuery {
        kind: ObligationKind::Lemma,
        name: "the assumptions are possible".to_string(),
        asserted: Vec::new(),
    };
    let mut begins = ways(definitions, "beginning", &definitions.beginnings, ObligationKind::Initiation);
    begins.1.insert(0, possible);
    let mut goes_on = ways(definitions, "path", &definitions.paths, ObligationKind::Consecution);
    goes_on.0.push(CertificateQuery {
        kind: ObligationKind::Safety,
        name: format!("safety: the invariant implies {}", property.name),
        asserted: vec![format!("(not {})", now("property", 0, property))],
    });
    [
        CertificateStage {
            remark: "The parameters are as assumed.",
            known: assumptions.collect(),
            obligations: begins.0,
            premises: begins.1,
        },
        CertificateStage {
            remark: "From here on the state before is one of the invariant.",
            known: conjuncts.map(|(i, conjunct)| now("conjunct", i, conjunct)).collect(),
            obligations: goes_on.0,
            premises: goes_on.1,
        },
    ]
}

/// That each way makes each conjunct true, and that each way is possible.
fn ways(
    definitions: &Definitions,
    prefix: &str,
    all: &[CertificatePath],
    kind: ObligationKind,
) -> (Vec<CertificateQuery>, Vec<CertificateQuery>) {
    let (mut obligations, mut premises) = (Vec::new(), Vec::new());
    let (where_, can) =
        if kind == ObligationKind::Initiation { ("in", "can begin") } else { ("under", "can happen") };
    for (i, way) in all.iter().enumerate() {
        let head = format!("{prefix}.{}", i + 1);
        for (j, conjunct) in definitions.conjuncts.iter().enumerate() {
            let after = applied(&format!("conjunct.{}", j + 1), conjunct, &head, Some(way));
            let name = format!("{} of {} {where_} \"{}\"", kind, conjunct.name, way.name);
            obligations.push(CertificateQuery {
                kind,
                name,
                asserted: vec![head.clone(), format!("(not {after})")],
            });
        }
        premises.push(CertificateQuery {
            kind,
            name: format!("\"{}\" {can}", way.name),
            asserted: vec![head],
        });
    }
    (obligations, premises)
}

/// The section of the file.
pub(super) fn write(definitions: &Definitions, out: &mut String) {
    for stage in stages(definitions) {
        let _ = writeln!(out, "; {}", stage.remark);
        for known in &stage.known {
            let _ = writeln!(out, "(assert {known})");
        }
        stage.obligations.iter().for_each(|query| write_query(&[], &query.asserted, &query.name, out));
    }
}

/// A formula about the state before.
fn now(prefix: &str, i: usize, formula: &CertificateFormula) -> String {
    applied(&format!("{prefix}.{}", i + 1), formula, "", None)
}

/// A formula about the state before, or about the one after a way called `head`.
fn applied(name: &str, formula: &CertificateFormula, head: &str, way: Option<&CertificatePath>) -> String {
    if formula.arguments.is_empty() {
        return name.to_string();
    }
    let value = |argument: &String| {
        let changed = way.is_some_and(|way| way.values.iter().any(|(variable, _)| variable == argument));
        if changed { quoted(&format!("{head}.{argument}")) } else { quoted(argument) }
    };
    let values: Vec<String> = formula.arguments.iter().map(value).collect();
    format!("({name} {})", values.join(" "))
}
