//! Several verdicts about one scenario as one report: all answers first, then the run behind each violation,
//! then what they rest on, which is mostly the same and said once.

use crate::chart::Chart;
use crate::numbers::thousands;
use crate::style::{Ink, Style};
use crate::verdict_json::{RunFacts, verdict_object};
use crate::verdict_text::{Page, figures, headline};
use crate::warnings::warnings;
use crate::width::{columns, tame};
use serde_json::json;
use watchkeeper_logic::{ExitCode, Verdict};

/// The whole report, with a line break at the end.
pub fn render_verdicts(answers: &[(Verdict, RunFacts)], style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    for (verdict, _) in answers {
        page.answer(verdict);
    }
    for (verdict, _) in answers {
        if let Some(trace) = verdict.trace() {
            page.section(&headline(verdict));
            page.out.push('\n');
            page.out.push_str(&Chart::of(trace).text(style));
        }
    }
    let warned: Vec<String> = answers
        .iter()
        .flat_map(|(verdict, _)| {
            warnings(verdict).into_iter().map(|text| format!("{}: {text}", verdict.property))
        })
        .collect();
    if !warned.is_empty() {
        page.section("Warnings");
        warned.iter().for_each(|warning| page.bullet("!", Ink::Caution, warning));
    }
    rests(answers, &mut page);
    coverage(answers, &mut page);
    for (verdict, run) in answers {
        page.section(&format!("Search for {}", tame(&verdict.property)));
        figures(verdict, run).iter().for_each(|line| page.bullet("", Ink::Plain, line));
    }
    page.section("Again");
    let command = answers.first().map_or("", |(_, run)| run.command.as_str());
    page.out.push_str(&format!("  {}\n", tame(command)));
    page.out
}

/// The verdicts as one object of JSON, with a line break at the end: the worst first, then each of them as it
/// would be alone.
pub fn verdicts_json(answers: &[(Verdict, RunFacts)], worst: ExitCode) -> String {
    let first = answers.iter().find(|(verdict, _)| verdict.exit_code() == worst);
    let verdicts: Vec<_> = answers.iter().map(|(verdict, run)| verdict_object(verdict, run)).collect();
    let object = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": first.map(|(verdict, _)| verdict.word()),
        "exit_code": worst.0,
        "seconds": answers.iter().map(|(_, run)| run.seconds).sum::<f64>(),
        "command": answers.first().map(|(_, run)| &run.command),
        "verdicts": verdicts,
    });
    format!("{object:#}\n")
}

/// What all of them rest on, and what only some do.
fn rests(answers: &[(Verdict, RunFacts)], page: &mut Page<'_>) {
    let mut all: Vec<&String> = Vec::new();
    for assumption in answers.iter().flat_map(|(verdict, _)| &verdict.assumptions) {
        if !all.contains(&assumption) {
            all.push(assumption);
        }
    }
    if all.is_empty() {
        return;
    }
    page.section("Rests on");
    for assumption in all {
        let whose: Vec<&str> = answers
            .iter()
            .filter(|(verdict, _)| verdict.assumptions.contains(assumption))
            .map(|(verdict, _)| verdict.property.as_str())
            .collect();
        match whose.len() == answers.len() {
            true => page.bullet("-", Ink::Faint, assumption),
            false => page.bullet("-", Ink::Faint, &format!("{}: {assumption}", whose.join(", "))),
        }
    }
}

/// How often each class of actions happened, in a column for each search.
fn coverage(answers: &[(Verdict, RunFacts)], page: &mut Page<'_>) {
    let mut classes: Vec<&String> = Vec::new();
    for class in answers.iter().flat_map(|(verdict, _)| &verdict.coverage) {
        if !classes.contains(&&class.name) {
            classes.push(&class.name);
        }
    }
    if classes.is_empty() {
        return;
    }
    page.section("Coverage");
    let heads: Vec<String> = answers.iter().map(|(verdict, _)| tame(&verdict.property)).collect();
    let count = |verdict: &Verdict, name: &String| {
        let class = verdict.coverage.iter().find(|class| class.name == *name);
        class.map_or("-".to_string(), |class| thousands(class.count))
    };
    let rows: Vec<Vec<String>> = classes
        .iter()
        .map(|name| answers.iter().map(|(verdict, _)| count(verdict, name)).collect())
        .collect();
    let wide =
        |i: usize| rows.iter().map(|row| columns(&row[i])).chain([columns(&heads[i])]).max().unwrap_or(0);
    let wide: Vec<usize> = (0..heads.len()).map(wide).collect();
    let line = |cells: &[String]| {
        let cells = cells
            .iter()
            .zip(&wide)
            .map(|(cell, &wide)| format!("{}{cell}", " ".repeat(wide - columns(cell))));
        cells.collect::<Vec<_>>().join("  ")
    };
    page.out.push_str(&format!("  {}\n", page.style.paint(Ink::Faint, &line(&heads))));
    for (name, cells) in classes.iter().zip(&rows) {
        page.out.push_str(&format!("  {}  {}\n", line(cells), tame(name)));
    }
}
