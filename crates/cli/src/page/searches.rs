//! The long searches that a page asks for: a check, a sweep, the classes of a detector, a measurement, a comparison. Each is
//! a run of this program by itself; what it writes for machines becomes what the page shows.

use super::child::{ChildEnd, run};
use super::scenario::PageScenario;
use super::told::FileRun;
use crate::commands::compare::CompareArgs;
use crate::commands::measure::MeasureArgs;
use crate::program::Program;
use clap::{Args, Command};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use watchkeeper::Problem;
use watchkeeper_web::{Answered, JobProgress, WebProblem};

/// Flags that name files to write.
const OUTPUTS: [&str; 4] = ["csv", "json", "markdown", "svg"];

/// Flags of every search for a page: a page draws its own charts, and colours mean nothing in it.
pub(super) fn plain(mut words: Vec<String>) -> Vec<String> {
    words.push("--no-color".to_string());
    words
}

fn document(end: &ChildEnd) -> Result<Value, WebProblem> {
    let text = end.file("answer.json").ok_or_else(|| end.problem())?;
    serde_json::from_str(&text)
        .map_err(|why| WebProblem::new(500, format!("the answer cannot be read: {why}")))
}

/// Checks a scenario: its verdicts, each with the run behind it as a link.
pub(super) fn check(program: &Program, scenario: &PageScenario, progress: &JobProgress) -> Answered {
    let end = run(&plain(scenario.words("check")), &[("--json", "answer.json")], progress)?;
    let answer = document(&end)?;
    let several = answer.get("verdicts").and_then(Value::as_array).cloned();
    let verdicts = several.unwrap_or_else(|| vec![answer]);
    progress.tell("looking for the run in the model", None);
    // The report begins with a line for each verdict.
    let lines: Vec<&str> = end.report.lines().take(verdicts.len()).collect();
    let told = verdicts.iter().enumerate().map(|(at, verdict)| {
        let goes_on = || !progress.is_cancelled();
        let mut told = told_verdict(program, scenario, verdict, &end.report, &goes_on)?;
        if let Some(line) = lines.get(at).filter(|line| line.contains(": ")) {
            told["headline"] = json!(line);
        }
        Ok(told)
    });
    Ok(json!({ "verdicts": told.collect::<Result<Vec<_>, WebProblem>>()? }))
}

/// One verdict for the page.
pub(super) fn told_verdict(
    program: &Program,
    scenario: &PageScenario,
    verdict: &Value,
    report: &str,
    goes_on: &dyn Fn() -> bool,
) -> Answered {
    let text = |key: &str| verdict.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let (word, property) = (text("verdict"), text("property"));
    let steps = verdict.get("trace_steps").and_then(Value::as_u64);
    let run = verdict.get("trace").and_then(FileRun::of_verdict);
    let find = |run: &FileRun| run.find(program, &candidates(program, scenario, &property), goes_on);
    let found = run.as_ref().map(find).transpose()?;
    let whole = found.as_ref().is_none_or(|found| found.whole);
    Ok(json!({
        "verdict": word,
        "property": property,
        "headline": headline(&word, &property, verdict, steps),
        "text": report,
        "json": verdict,
        "settings": found.as_ref().map_or_else(|| scenario.json(), |found| found.scenario.json()),
        "clients": found.as_ref().map(|found| found.clients),
        "run": found.as_ref().filter(|_| whole).map(|found| &found.link),
        "loop": run.as_ref().and_then(|run| run.loops_to),
        "steps": steps,
        "note": (!whole).then_some("this run was found with clients or bounds that the page does not show"),
    }))
}

/// The verdict in one line.
fn headline(word: &str, property: &str, verdict: &Value, steps: Option<u64>) -> String {
    let states = verdict.get("distinct_states").and_then(Value::as_u64).map(watchkeeper_report::thousands);
    let unit = verdict.get("unit").and_then(Value::as_str).unwrap_or("states");
    let lasso = verdict.get("loop_steps").and_then(Value::as_u64);
    // What is violated is that there is no deadlock; what is found is one.
    let property =
        if word == "violated" { property.strip_prefix("no ").unwrap_or(property) } else { property };
    match (word, steps, lasso) {
        ("violated", Some(_), Some(lap)) => {
            let stem = verdict.get("stem_steps").and_then(Value::as_u64).unwrap_or(0);
            format!("VIOLATED: {property}: a run of {stem} steps and then a loop of {lap} for ever")
        }
        ("violated", Some(steps), None) => format!("VIOLATED: {property} after {steps} steps"),
        ("holds", ..) => format!("HOLDS: {property}, in all {} {unit}", states.unwrap_or_default()),
        _ => {
            let limit = verdict.get("limit").and_then(|limit| limit.get("kind")).and_then(Value::as_str);
            let limit = limit.unwrap_or("a limit");
            format!(
                "UNKNOWN: {property}, after {} {unit}: {limit} ended the search",
                states.unwrap_or_default()
            )
        }
    }
}

/// The scenarios in whose spaces a run may be that violates one of all that is asked, and does not say which.
pub(super) fn candidates_of_any(program: &Program, scenario: &PageScenario) -> Vec<PageScenario> {
    let planned = scenario.planned(program);
    let asked: Vec<String> =
        planned.iter().flat_map(|planned| &planned.plan.asked).map(ToString::to_string).collect();
    let each = asked.iter().flat_map(|property| candidates(program, scenario, property));
    std::iter::once(scenario.clone()).chain(each).collect()
}

/// The scenarios in whose spaces the run of a property may be: with the observer of that property, or as it was asked.
fn candidates(program: &Program, scenario: &PageScenario, property: &str) -> Vec<PageScenario> {
    // A verdict says `no deadlock` of what is asked as `deadlock`.
    let property = property.strip_prefix("no ").unwrap_or(property);
    let mut alone = scenario.clone();
    for name in ["ltl", "property"] {
        alone.settings.remove(name);
    }
    let named = alone.with("property", property);
    let claimed = alone.with("ltl", property);
    let fits = |scenario: &PageScenario| scenario.planned(program).is_ok();
    let mut all: Vec<PageScenario> = Vec::new();
    let with_formula = scenario.settings.contains_key("ltl");
    for candidate in
        [Some(named), Some(scenario.clone()), with_formula.then_some(claimed)].into_iter().flatten()
    {
        if !all.contains(&candidate) && fits(&candidate) {
            all.push(candidate);
        }
    }
    all
}

/// A map over one or two ranges of parameters.
pub(super) fn sweep(scenario: &PageScenario, progress: &JobProgress) -> Answered {
    let files = [("--json", "answer.json"), ("--svg", "map.svg")];
    let end = run(&plain(scenario.words("sweep")), &files, progress)?;
    let answer = document(&end)?;
    let rows = answer.get("rows").and_then(Value::as_array).cloned().unwrap_or_default();
    let first = rows.first().and_then(Value::as_object).cloned().unwrap_or_default();
    // The columns before the property are the parameters.
    let axes: Vec<String> = first.keys().take_while(|name| *name != "property").cloned().collect();
    let value =
        |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    let number = |text: &str| text.replace(',', "").parse::<i64>().unwrap_or_default();
    let axis = |name: &String| {
        let values: BTreeSet<i64> = rows.iter().map(|row| number(&value(row, name))).collect();
        json!({ "name": name, "values": values })
    };
    let mut panels: Vec<(String, Vec<Value>)> = Vec::new();
    for row in &rows {
        let property = value(row, "property");
        let mut cell = scenario.clone();
        let mut place = Vec::new();
        for name in &axes {
            let text = value(row, name);
            place.push(number(&text));
            cell.settings.insert(name.clone(), text);
        }
        cell.settings.insert("property".to_string(), property.clone());
        let verdict = value(row, "verdict");
        let cell = json!({
            "x": place.first(),
            "y": place.get(1),
            "verdict": verdict,
            "steps": value(row, "steps").replace(',', "").parse::<u64>().ok(),
            "why": (verdict == "impossible").then(|| value(row, "witness")),
            "settings": cell.json(),
        });
        match panels.iter_mut().find(|(name, _)| *name == property) {
            Some((_, cells)) => cells.push(cell),
            None => panels.push((property, vec![cell])),
        }
    }
    let notes: Vec<String> = answer
        .get("notes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|note| note.as_str().map(str::to_string))
        .collect();
    let caption = |property: &String| notes.iter().find(|note| note.contains(property.as_str())).cloned();
    let panel = |(property, cells): (String, Vec<Value>)| json!({ "caption": caption(&property), "property": property, "cells": cells });
    Ok(json!({
        "x": axes.first().map(axis),
        "y": axes.get(1).map(axis),
        "panels": panels.into_iter().map(panel).collect::<Vec<_>>(),
        "svg": end.file("map.svg"),
        "text": end.report,
        "command": answer.get("command"),
    }))
}

/// The classes of a detector.
pub(super) fn classify(program: &Program, scenario: &PageScenario, progress: &JobProgress) -> Answered {
    let mut asked = scenario.clone();
    for name in ["property", "ltl"] {
        asked.settings.remove(name);
    }
    let end = run(&plain(asked.words("classify")), &[("--json", "answer.json")], progress)?;
    let answer = document(&end)?;
    let planned = asked.planned(program).map_err(problem)?;
    if planned.time() == "untimed" {
        asked.settings.entry("fairness".to_string()).or_insert("steps".to_string());
    }
    let crash = ["crashes", "crashable", "crashed-at-start"];
    if !crash.iter().any(|name| asked.settings.contains_key(*name)) {
        asked.settings.insert("crashes".to_string(), "1".to_string());
    }
    let abouts = &planned.entry.outline().properties;
    let (mut rows, mut class) = (Vec::new(), String::new());
    for row in answer.get("rows").and_then(Value::as_array).into_iter().flatten() {
        let cell = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
        let property = cell("property");
        if property == "class" {
            class = cell("verdict");
            continue;
        }
        rows.push(json!({
            "property": property,
            "about": abouts.iter().find(|(name, _)| *name == property).map(|(_, about)| about),
            "verdict": cell("verdict"),
            "counterexample": cell("counterexample"),
            "states": cell("states"),
            "settings": asked.with("property", property.as_str()).json(),
        }));
    }
    Ok(json!({
        "rows": rows,
        "headline": format!("{}: class {class}", scenario.protocol),
        "class": class,
        "text": end.report,
        "command": answer.get("command"),
    }))
}

/// The command that measures one detector.
pub(super) fn measure(body: &Value) -> Result<Vec<String>, WebProblem> {
    let scenario = PageScenario::of(body)?;
    measuring::<MeasureArgs>(vec!["measure".to_string(), scenario.protocol], body, true)
}

/// The command that compares several.
pub(super) fn compare(body: &Value) -> Result<Vec<String>, WebProblem> {
    let wrong = || {
        WebProblem::bad("the request needs the key contenders, a list such as [\"ring\", \"phi:period=1s\"]")
    };
    let contenders = body.get("contenders").and_then(Value::as_array).ok_or_else(wrong)?;
    let mut words = vec!["compare".to_string()];
    for contender in contenders {
        words.push(contender.as_str().filter(|text| !text.starts_with('-')).ok_or_else(wrong)?.to_string());
    }
    measuring::<CompareArgs>(words, body, false)
}

/// The flags of a measurement, as its command has them, but for those that name files to write: the page saves by itself.
/// Where there is one protocol, what is no flag is a parameter of it.
fn measuring<A: Args>(
    mut words: Vec<String>,
    body: &Value,
    has_params: bool,
) -> Result<Vec<String>, WebProblem> {
    let command = A::augment_args(Command::new("measure"));
    let settings = body.get("settings").and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, text) in settings {
        let text = text.as_str().ok_or_else(|| WebProblem::bad("the settings must be texts"))?;
        let flag = command.get_arguments().find(|arg| arg.get_long() == Some(name.as_str()));
        match (flag, text) {
            _ if OUTPUTS.contains(&name.as_str()) => {
                return Err(WebProblem::bad(format!(
                    "{name} writes a file, and the page writes none: save what it shows"
                )));
            }
            (Some(flag), _) if flag.get_action().takes_values() => words.push(format!("--{name}={text}")),
            (Some(_), "true") => words.push(format!("--{name}")),
            (Some(_), "false") => {}
            (Some(_), _) => {
                return Err(WebProblem::bad(format!(
                    "{name} is a switch: write {name}=true, or leave it out"
                )));
            }
            (None, _) if has_params => words.push(format!("--param={name}={text}")),
            (None, _) => {
                return Err(WebProblem::bad(format!(
                    "{name} is no flag of `compare`; a parameter goes to its contender, such as phi:period=1s"
                )));
            }
        }
    }
    Ok(words)
}

/// A measurement or a comparison: figures, a table and a plot.
pub(super) fn measured(words: &[String], progress: &JobProgress) -> Answered {
    let end = run(words, &[("--json", "answer.json"), ("--svg", "plot.svg")], progress)?;
    let answer = document(&end)?;
    Ok(json!({
        "headline": end.report.lines().find(|line| !line.trim().is_empty()),
        "table": table(&end.report),
        "svg": end.file("plot.svg"),
        "text": end.report,
        "json": answer,
    }))
}

/// The first table of a report, if it has one: a line of dashes under its header.
fn table(report: &str) -> Option<Value> {
    let lines: Vec<&str> = report.lines().collect();
    let rule = lines
        .iter()
        .position(|line| line.starts_with("---") && line.chars().all(|c| c == '-' || c == ' '))?;
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in lines[rule].chars().enumerate() {
        if c == '-' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    let cells = |line: &str| -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        let cell = |i: usize| {
            let end = starts.get(i + 1).copied().unwrap_or(chars.len()).min(chars.len());
            chars[starts[i].min(end)..end].iter().collect::<String>().trim().to_string()
        };
        (0..starts.len()).map(cell).collect()
    };
    let rows = lines[rule + 1..].iter().take_while(|line| !line.trim().is_empty()).map(|line| cells(line));
    let mut table = Map::new();
    table.insert("header".to_string(), json!(cells(lines.get(rule.checked_sub(1)?)?)));
    table.insert("rows".to_string(), json!(rows.collect::<Vec<_>>()));
    Some(Value::Object(table))
}

/// A problem of the program as one of the page.
pub(super) fn problem(problem: Problem) -> WebProblem {
    WebProblem::bad(problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_a_report_is_read_by_its_rule() {
        let report = "Detectors\n\nname   time\n-----  ----\nring    1.2\nphi     3.4\n\nAgain\n";
        let read = table(report).expect("a table");
        assert_eq!(read["header"], json!(["name", "time"]));
        assert_eq!(read["rows"], json!([["ring", "1.2"], ["phi", "3.4"]]));
        assert_eq!(table("no table"), None);
    }
}
