//! The obligations and premises of a proof by induction, built from its definitions alone: the same for the file that
//! is written, for the file that is read, and for the solver that is asked.

use super::definitions::{Definitions, Formula, Way, all_of, quoted};
use super::literal;
use crate::obligation::Duty;
use std::fmt::Write;

/// One question to a solver, over what is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Question {
    pub(super) duty: Duty,
    pub(super) name: String,
    pub(super) asserted: Vec<String>,
}

impl Question {
    fn write(&self, out: &mut String) {
        out.push_str("(push 1)\n");
        for asserted in &self.asserted {
            let _ = writeln!(out, "(assert {asserted})");
        }
        let _ = writeln!(out, "(echo {})\n(check-sat)\n(pop 1)", literal(&self.name));
    }
}

/// How many obligations there are.
pub(super) fn count(definitions: &Definitions) -> usize {
    let ways = definitions.beginnings.len().saturating_add(definitions.paths.len());
    ways.saturating_mul(definitions.conjuncts.len()).saturating_add(1)
}

/// What is known of the parameters, and of the state before a step, as definitions.
pub(super) fn opening(definitions: &Definitions) -> String {
    let mut known: Vec<String> = (1..=definitions.assumptions.len()).map(|i| format!("assumption.{i}")).collect();
    let assumptions = all_of(&known);
    known = vec!["assumptions.hold".to_string()];
    known.extend(definitions.conjuncts.iter().enumerate().map(|(i, conjunct)| now("conjunct", i, conjunct)));
    let invariant = all_of(&known);
    format!(
        "(define-fun assumptions.hold () Bool {assumptions})\n(define-fun invariant.holds () Bool {invariant})\n"
    )
}

/// All obligations, one after the other; each must be unsatisfiable.
pub(super) fn obligations(definitions: &Definitions) -> impl Iterator<Item = Question> + '_ {
    let conjuncts = || definitions.conjuncts.iter().enumerate();
    let ways = |kind: &'static str, ways: &'static str, known: &'static str, duty: Duty| {
        let all = if kind == "beginning" { &definitions.beginnings } else { &definitions.paths };
        all.iter().enumerate().flat_map(move |(i, way)| {
            conjuncts().map(move |(j, conjunct)| {
                let head = format!("{kind}.{}", i + 1);
                let after = applied(&format!("conjunct.{}", j + 1), conjunct, &head, Some(way));
                let name = format!("{} of {} {ways} \"{}\"", duty.name(), conjunct.name, way.name);
                Question { duty, name, asserted: vec![known.to_string(), head, format!("(not {after})")] }
            })
        })
    };
    let initiation = ways("beginning", "in", "assumptions.hold", Duty::Initiation);
    let consecution = ways("path", "under", "invariant.holds", Duty::Consecution);
    let property = &definitions.property;
    let safety = Question {
        duty: Duty::Safety,
        name: format!("safety: the invariant implies {}", property.name),
        asserted: vec!["invariant.holds".to_string(), format!("(not {})", now("property", 0, property))],
    };
    initiation.chain(consecution).chain([safety])
}

/// What must be satisfiable, lest the proof be about nothing: the assumptions; each beginning; each path from some
/// state of the invariant.
pub(super) fn premises(definitions: &Definitions) -> Vec<Question> {
    let question = |duty, name: String, known: &str, head: Option<String>| {
        let asserted = [known.to_string()].into_iter().chain(head).collect();
        Question { duty, name, asserted }
    };
    let known = "assumptions.hold";
    let mut all = vec![question(Duty::Lemma, "the assumptions are possible".to_string(), known, None)];
    for (i, way) in definitions.beginnings.iter().enumerate() {
        let name = format!("\"{}\" can begin", way.name);
        all.push(question(Duty::Initiation, name, known, Some(format!("beginning.{}", i + 1))));
    }
    for (i, way) in definitions.paths.iter().enumerate() {
        let name = format!("\"{}\" can happen", way.name);
        all.push(question(Duty::Consecution, name, "invariant.holds", Some(format!("path.{}", i + 1))));
    }
    all
}

/// The section of the file.
pub(super) fn write(definitions: &Definitions, out: &mut String) {
    out.push_str(&opening(definitions));
    obligations(definitions).for_each(|question| question.write(out));
}

/// A formula about the state before.
fn now(kind: &str, i: usize, formula: &Formula) -> String {
    applied(&format!("{kind}.{}", i + 1), formula, "", None)
}

/// A formula about the state before, or about the one after a way called `head`.
fn applied(name: &str, formula: &Formula, head: &str, way: Option<&Way>) -> String {
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
