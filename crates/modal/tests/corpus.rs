//! The public formulas of the mCRL2 examples on their specifications: the verdicts that the mCRL2 tools gave. The examples are not
//! part of the project; where their folder is not, the test has nothing to ask, and says so. `WATCHKEEPER_CORPUS` names the folder.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it")]

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use watchkeeper_logic::{Limit, Outcome};
use watchkeeper_mcrl2::process::ProcessSpace;
use watchkeeper_mcrl2::syntax::parse_specification;
use watchkeeper_modal::{FormulaNames, LanguageData, ModalSearch, NormalFormula, check_space, read_formula};

/// How long one formula may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The folder of the examples, if it is there.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("WATCHKEEPER_CORPUS")?;
    Some(PathBuf::from(named)).filter(|folder| folder.join("results.csv").is_file())
}

/// The cells of a line with commas, some in quotation marks.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("there is one").push(c),
        }
    }
    cells
}

/// What this program says: `true`, `false`, or why it says nothing.
fn answer(folder: &Path, specification: &str, formula: &str) -> Result<bool, String> {
    let read = |name: &str| read_to_string(folder.join(name)).map_err(|why| format!("{name}: {why}"));
    let specification = parse_specification(&read(specification)?).map_err(|why| format!("read: {why}"))?;
    let space = ProcessSpace::new(&specification).map_err(|why| format!("space: {why}"))?;
    let names = FormulaNames::of_specification(&specification).map_err(|why| format!("names: {why}"))?;
    let text = read(formula)?;
    let typed = read_formula(&text, names).map_err(|why| format!("formula: {why}"))?;
    let data = LanguageData::new(&typed).map_err(|why| format!("data: {why}"))?;
    let normal = NormalFormula::new(&typed.formula, &data).map_err(|why| format!("formula: {why}"))?;
    let search =
        ModalSearch { formula: &normal, data: &data, text: &text, max_states: None, max_bytes: None };
    let began = Instant::now();
    let found = check_space(&space, &search, &mut |_| match began.elapsed() > PATIENCE {
        true => ControlFlow::Break(Limit::Time("20s".to_string())),
        false => ControlFlow::Continue(()),
    });
    if let Some(why) = space.failure().error() {
        return Err(format!("search: {why}"));
    }
    match found.map_err(|why| format!("answer: {why}"))?.verdict.outcome {
        Outcome::Holds(_) => Ok(true),
        Outcome::Violated(_) => Ok(false),
        Outcome::Unknown(limit) => Err(format!("unknown: {limit:?}")),
    }
}

#[test]
fn the_verdicts_of_the_examples_are_those_of_the_tools() {
    let Some(folder) = folder() else {
        println!("skipped: WATCHKEEPER_CORPUS does not name the folder of the mCRL2 examples");
        return;
    };
    let table = read_to_string(folder.join("results.csv")).expect("it is there");
    let mut lines = table.lines();
    let head = cells(lines.next().expect("it has a first line"));
    let mut disagreements = Vec::new();
    let (mut asked, mut agreed, mut beyond) = (0, 0, 0);
    let mut silent: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        let row: BTreeMap<&str, String> = head.iter().map(String::as_str).zip(cells(line)).collect();
        let (specification, formula, verdict) = (&row["spec"], &row["formula"], row["verdict"].as_str());
        if formula.is_empty() {
            continue;
        }
        asked += 1;
        let began = Instant::now();
        let found = answer(&folder, specification, formula);
        let seconds = began.elapsed().as_secs_f64();
        let shown = match &found {
            Ok(found) => found.to_string(),
            Err(why) => why.lines().next().unwrap_or_default().to_string(),
        };
        println!("{specification}\t{formula}\t{verdict}\t{shown}\t{seconds:.2}\t{}", row["seconds"]);
        match (found, verdict) {
            (Ok(found), "true" | "false") if found.to_string() == verdict => agreed += 1,
            (Ok(_), "true" | "false") => disagreements.push(line.to_string()),
            (Ok(_), _) => beyond += 1,
            (Err(why), _) => {
                *silent.entry(why.split(':').next().unwrap_or_default().to_string()).or_default() += 1;
            }
        }
    }
    println!(
        "{asked} asked, {agreed} agree, {beyond} where the tools gave no verdict, no answer: {silent:?}"
    );
    assert_eq!(disagreements, [""; 0]);
    assert!(agreed * 10 >= asked * 7, "{agreed} of {asked}");
}
