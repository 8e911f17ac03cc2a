//! The definitions of a proof by induction as SMT-LIB text: parameters, assumptions, variables, choices, the ways
//! to begin, the paths, the invariant and the property. They are made from a system or read from a file, and the
//! two are compared. The text for a solver is written from here alone.

use super::formula::name_of;
use super::{CertificateError, literal, one_line};
use crate::sexpr::{is_symbol_byte, symbol};
use crate::smtlib::SmtWriter;
use crate::{Claim, Path, System, TermSort};
use std::fmt::Write;

/// Everything that a proof by induction is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definitions {
    /// Whether numbers are real numbers.
    pub(super) dense: bool,
    pub(super) parameters: Vec<String>,
    pub(super) assumptions: Vec<String>,
    pub(super) variables: Vec<(String, TermSort)>,
    /// What is chosen or drawn on any path.
    pub(super) choices: Vec<(String, TermSort)>,
    pub(super) beginnings: Vec<CertificatePath>,
    pub(super) paths: Vec<CertificatePath>,
    pub(super) conjuncts: Vec<CertificateFormula>,
    pub(super) property: CertificateFormula,
}

/// A way to begin, or a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CertificatePath {
    pub(super) name: String,
    pub(super) guard: String,
    /// The variables that get a value, in their order, and the values.
    pub(super) values: Vec<(String, String)>,
}

/// A formula about a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CertificateFormula {
    pub(super) name: String,
    /// The same in the notation of the tool, for people.
    pub(super) remark: String,
    /// The variables that it looks at, in their order.
    pub(super) arguments: Vec<String>,
    pub(super) body: String,
}

impl Definitions {
    pub(super) fn of(
        system: &System,
        invariant: &[Claim],
        property: &Claim,
    ) -> Result<Definitions, CertificateError> {
        let script = SmtWriter::of(system);
        let (beginnings, paths) = (system.beginnings(), system.paths());
        let mut choices: Vec<(String, TermSort)> = Vec::new();
        for path in beginnings.iter().chain(&paths) {
            let chosen = path.choices.iter().map(|choice| (name_of(&choice.name), TermSort::Number));
            let drawn = path.draws.iter().map(|draw| (name_of(&draw.name), TermSort::Set));
            for choice in chosen.chain(drawn) {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            }
        }
        let way = |path: &Path| {
            let draws = path.draws.iter().map(|draw| script.draw(draw));
            let guards: Vec<String> =
                path.guard.iter().map(|guard| script.term(guard)).chain(draws).collect();
            let updates = system.variables.iter().filter_map(|variable| {
                Some((name_of(&variable.name), script.term(path.updates.get(&variable.name)?)))
            });
            CertificatePath { name: one_line(&path.name), guard: all_of(&guards), values: updates.collect() }
        };
        let formula = |claim: &Claim| {
            let used = claim.formula.names();
            let arguments = system.variables.iter().filter(|variable| used.contains(variable.name.as_str()));
            CertificateFormula {
                name: one_line(&claim.name),
                remark: one_line(&claim.formula.to_string()),
                arguments: arguments.map(|variable| name_of(&variable.name)).collect(),
                body: script.term(&claim.formula),
            }
        };
        let definitions = Definitions {
            dense: system.dense,
            parameters: system.parameters.iter().map(|parameter| name_of(&parameter.name)).collect(),
            assumptions: system.assumptions.iter().map(|assumption| script.term(assumption)).collect(),
            variables: system.variables.iter().map(|v| (name_of(&v.name), v.sort)).collect(),
            choices,
            beginnings: beginnings.iter().map(way).collect(),
            paths: paths.iter().map(way).collect(),
            conjuncts: invariant.iter().map(formula).collect(),
            property: formula(property),
        };
        // The initial block assigns everything, but a value may be dropped where it is the name itself.
        match definitions.beginnings.iter().find(|way| way.values.len() != definitions.variables.len()) {
            Some(way) => Err(CertificateError::Beginning(way.name.clone())),
            None => Ok(definitions),
        }
    }

    /// How sorts are written here.
    pub(super) fn sorts(&self) -> SmtWriter {
        SmtWriter { dense: self.dense }
    }

    /// The definitions, in the order in which they are read.
    pub(super) fn write(&self, out: &mut String) {
        let numbers = if self.dense { "reals" } else { "integers" };
        let _ = writeln!(out, "(set-info :numbers {numbers})");
        let constant = |name: &str, sort: TermSort, out: &mut String| {
            let _ = writeln!(out, "(declare-const {} {})", quoted(name), self.sorts().sort(sort));
        };
        section("parameters", "The parameters.", out);
        self.parameters.iter().for_each(|name| constant(name, TermSort::Number, out));
        section("assumptions", "What is known of the parameters.", out);
        for (i, assumption) in self.assumptions.iter().enumerate() {
            defined(&format!("assumption.{}", i + 1), "()", "Bool", assumption, out);
        }
        section("variables", "The state before a step.", out);
        self.variables.iter().for_each(|(name, sort)| constant(name, *sort, out));
        section("choices", "What is chosen or drawn in a step.", out);
        self.choices.iter().for_each(|(name, sort)| constant(name, *sort, out));
        section("beginnings", "The ways to begin: when each is possible, and the values it gives.", out);
        self.ways("beginning", &self.beginnings, out);
        section(
            "paths",
            "The paths: when each is possible, and the new values. What has none keeps its value.",
            out,
        );
        self.ways("path", &self.paths, out);
        section("invariant", "The invariant, a conjunct each.", out);
        for (i, conjunct) in self.conjuncts.iter().enumerate() {
            self.formula("conjunct", i + 1, conjunct, out);
        }
        section("property", "What the invariant implies.", out);
        self.formula("property", 1, &self.property, out);
    }

    fn ways(&self, kind: &str, ways: &[CertificatePath], out: &mut String) {
        for (i, way) in ways.iter().enumerate() {
            let _ = writeln!(out, "(set-info :{kind} {})", literal(&way.name));
            let head = format!("{kind}.{}", i + 1);
            defined(&head, "()", "Bool", &way.guard, out);
            for (name, value) in &way.values {
                defined(&format!("{head}.{name}"), "()", self.sort_of(name), value, out);
            }
        }
    }

    fn formula(&self, kind: &str, i: usize, formula: &CertificateFormula, out: &mut String) {
        if !formula.remark.is_empty() {
            let _ = writeln!(out, "; {}", formula.remark);
        }
        let _ = writeln!(out, "(set-info :{kind} {})", literal(&formula.name));
        let bound: Vec<String> = formula
            .arguments
            .iter()
            .map(|name| format!("({} {})", quoted(name), self.sort_of(name)))
            .collect();
        defined(&format!("{kind}.{i}"), &format!("({})", bound.join(" ")), "Bool", &formula.body, out);
    }

    fn sort_of(&self, variable: &str) -> &'static str {
        let known = self.variables.iter().find(|(name, _)| name == variable);
        self.sorts().sort(known.map_or(TermSort::Bool, |(_, sort)| *sort))
    }
}

fn section(name: &str, remark: &str, out: &mut String) {
    let _ = writeln!(out, "\n; {remark}\n(set-info :section {name})");
}

fn defined(name: &str, arguments: &str, sort: &str, body: &str, out: &mut String) {
    let _ = writeln!(out, "(define-fun {} {arguments} {sort} {body})", quoted(name));
}

/// A conjunction in the fewest words.
fn all_of(parts: &[String]) -> String {
    match parts {
        [] => "true".to_string(),
        [one] => one.clone(),
        parts => format!("(and {})", parts.join(" ")),
    }
}

/// A name that came from a file or from [`name_of`], as a symbol: in bars unless it is plainly one without.
pub(super) fn quoted(name: &str) -> String {
    // A `%` spells what cannot stand in bars, and is not to be spelled again.
    let is_word = symbol(&name.replace('%', "_")).starts_with('|');
    if name.bytes().all(is_symbol_byte) && !is_word { name.to_string() } else { format!("|{name}|") }
}
