//! What there is to prove: the subjects with their theorems, a line each, and a system in readable form. It proves
//! nothing and needs no solver.

use super::words::{listed, told};
use watchkeeper_casebook::parametric::ProofSubject;
use watchkeeper_prove::{Path, ProofGoal, System, Term, TermSort, Variable};

/// All subjects with their theorems.
pub(super) fn all(program: &str, subjects: &[ProofSubject]) -> String {
    let mut out = String::new();
    for subject in subjects {
        out.push_str(&of(subject));
        out.push('\n');
    }
    if let Some((subject, case)) = subjects.iter().find_map(|s| Some((s, s.cases.first()?))) {
        out.push_str(&format!(
            "Try: {program} prove {} {}\n     {program} prove {} --system\n",
            subject.name,
            case.name(),
            subject.name
        ));
    }
    out
}

/// One subject with its theorems.
pub(super) fn of(subject: &ProofSubject) -> String {
    let mut out = format!("{}\n    {}\n", subject.name, subject.about);
    let widest =
        |cases: &[ProofGoal]| cases.iter().map(|case| case.name().chars().count()).max().unwrap_or(0);
    let width = widest(&subject.cases).max(widest(&subject.broken));
    let line = |case: &ProofGoal| format!("{:width$}  {}\n", case.name(), case.statement());
    subject.cases.iter().for_each(|case| out.push_str(&format!("  {}", line(case))));
    if !subject.broken.is_empty() {
        out.push_str("  broken on purpose, for --broken\n");
        subject.broken.iter().for_each(|case| out.push_str(&format!("  {}", line(case))));
    }
    out
}

/// A system: parameters, variables with their meanings, steps with their paths.
pub(super) fn system(system: &System) -> String {
    let numbers = if system.dense { "real numbers" } else { "integers" };
    let mut out = format!("{}, in {numbers}\n\nParameters\n", system.name);
    let widest =
        |names: &mut dyn Iterator<Item = &str>| names.map(|name| name.chars().count()).max().unwrap_or(0);
    let width = widest(&mut system.parameters.iter().map(|parameter| parameter.name.as_str()));
    for parameter in &system.parameters {
        out.push_str(&format!("  {:width$}  {}\n", parameter.name, parameter.meaning));
    }
    for assumption in system.assumptions.iter().filter(|assumption| **assumption != Term::Bool(true)) {
        out.push_str(&format!("  where {assumption}\n"));
    }
    out.push_str("\nVariables\n");
    let width = widest(&mut system.variables.iter().map(|variable| variable.name.as_str()));
    for variable in &system.variables {
        let name = &variable.name;
        out.push_str(&format!("  {name:width$}  {}: {}\n", kind(variable), variable.meaning));
    }
    out.push_str("\nBeginning\n");
    system.beginnings().iter().for_each(|path| out.push_str(&way(system, path)));
    let paths = system.paths();
    out.push_str(&format!("\nSteps: {} paths\n", paths.len()));
    paths.iter().for_each(|path| out.push_str(&way(system, path)));
    if !system.notes.is_empty() {
        out.push_str("\nRests on\n");
        system.notes.iter().for_each(|note| out.push_str(&format!("  - {note}\n")));
    }
    out
}

fn kind(variable: &Variable) -> String {
    let what = match variable.sort {
        TermSort::Bool => "true or false".to_string(),
        TermSort::Set => "a set".to_string(),
        TermSort::Number if !variable.points.is_empty() => variable.points.join(", "),
        TermSort::Number => format!("a number, at least {}", variable.least),
    };
    if variable.ghost { format!("{what}, only observes") } else { what }
}

/// One way through a step: its guard and what it changes, at once.
fn way(system: &System, path: &Path) -> String {
    let mut out = format!("  {}\n", path.name);
    for choice in &path.choices {
        out.push_str(&format!("      choose {} in {} .. {}\n", choice.name, choice.low, choice.high));
    }
    for draw in &path.draws {
        let (name, element) = (&draw.name, &draw.element);
        let given = format!("such that for each {element}: {}", told(system, &draw.given));
        out.push_str(&format!("      draw {name} in {} .. {}, {given}\n", draw.low, draw.high));
    }
    let bounds: Vec<Term> = path
        .choices
        .iter()
        .flat_map(|choice| {
            let chosen = Term::name(&choice.name);
            [choice.low.clone().le(chosen.clone()), chosen.le(choice.high.clone())]
        })
        .collect();
    let guards: Vec<String> =
        path.guard.iter().filter(|guard| !bounds.contains(guard)).map(|guard| told(system, guard)).collect();
    if !guards.is_empty() {
        let guards: Vec<&str> = guards.iter().map(String::as_str).collect();
        out.push_str(&format!("      if {}\n", listed(&guards)));
    }
    for variable in &system.variables {
        let Some(after) = path.updates.get(&variable.name) else { continue };
        let value = match after {
            Term::Number(number) => variable.told(*number),
            other => told(system, other),
        };
        out.push_str(&format!("      {} := {value}\n", variable.name));
    }
    out
}
