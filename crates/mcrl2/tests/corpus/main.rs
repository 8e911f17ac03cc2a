//! Public specifications and formulas, where a folder of them is: in the variable `WATCHKEEPER_CORPUS`, or beside the checkout.

#![allow(clippy::print_stdout, reason = "what was left out, and why, is told")]

mod sorts;

use std::path::{Path, PathBuf};

use watchkeeper_mcrl2::syntax::{parse_formula, parse_specification};

/// The files with that ending, or nothing, with a reason, where there is no folder.
fn files(extension: &str) -> Vec<(PathBuf, String)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("WATCHKEEPER_CORPUS").map_or(beside, PathBuf::from).join("mcrl2");
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            println!("skipped: there is no folder {}", directory.display());
            return Vec::new();
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
                found.push((path.strip_prefix(&root).expect("below").to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_specification_is_read() {
    let mut wrong = Vec::new();
    for (path, text) in files("mcrl2") {
        match parse_specification(&text) {
            Ok(specification) => {
                let printed = specification.init.to_string();
                let again = watchkeeper_mcrl2::syntax::parse_process_expression(&printed);
                assert_eq!(again.map(|again| again.to_string()), Ok(printed), "{}", path.display());
            }
            Err(error) => wrong.push(format!("{}: {error}", path.display())),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_formula_is_read() {
    let mut wrong = Vec::new();
    for (path, text) in files("mcf") {
        match parse_formula(&text) {
            Ok(formula) => {
                let printed = formula.formula.to_string();
                let again = parse_formula(&printed).map(|again| again.formula.to_string());
                assert_eq!(again, Ok(printed), "{}", path.display());
            }
            Err(error) => wrong.push(format!("{}: {error}", path.display())),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_specification_is_typed() {
    let mut wrong = Vec::new();
    for (path, text) in files("mcrl2") {
        let specification = parse_specification(&text).expect("read");
        if let Err(error) = sorts::Walk::specification(&specification) {
            wrong.push(format!("{}: {error}", path.display()));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_formula_is_typed_with_its_specifications() {
    let specifications = files("mcrl2");
    let formulas = files("mcf");
    let (mut wrong, mut typed, mut missing) = (Vec::new(), 0, 0);
    let table = results();
    for (specification, formula) in &table {
        let find = |files: &[(PathBuf, String)], name: &str| {
            files.iter().find(|(path, _)| path == Path::new(name)).map(|(_, text)| text.clone())
        };
        let (Some(text), Some(formula_text)) =
            (find(&specifications, specification), find(&formulas, formula))
        else {
            missing += 1;
            continue;
        };
        let specification_read = parse_specification(&text).expect("read");
        let mut walk = sorts::Walk::specification(&specification_read).expect("typed");
        match walk.formula_file(&parse_formula(&formula_text).expect("read")) {
            Ok(()) => typed += 1,
            Err(error) => wrong.push(format!("{specification}, {formula}: {error}")),
        }
    }
    println!("{typed} of {} pairs are typed; of {missing} the formula is not in the folder", table.len());
    assert_eq!(wrong, Vec::<String>::new());
}

/// The pairs of a specification and a formula for which there are results.
fn results() -> Vec<(String, String)> {
    let table = files("csv").into_iter().map(|(_, text)| text).collect::<String>();
    let column = |line: &str, number: usize| line.split(',').nth(number).unwrap_or_default().to_owned();
    let pairs = table.lines().skip(1).map(|line| (column(line, 0), column(line, 10)));
    pairs.filter(|(_, formula)| !formula.is_empty()).collect()
}
