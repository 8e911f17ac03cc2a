//! Where solvers are looked for, in which order, and what is said where there is none.

use std::ffi::OsString;
use std::fs;

use super::fake::Fake;
use super::find::{SolverLocations, wanted_by_tests};
use super::{Backend, MissingSolver, Solver, for_tests, found};

const VERSION: &str = "echo 'This is cvc5 version 9.8.7 [git tag 9.8.7]'";

fn path(fakes: &[&Fake]) -> Option<OsString> {
    Some(std::env::join_paths(fakes.iter().map(|fake| &fake.directory)).unwrap())
}

#[test]
fn real_solvers_tell_their_version() {
    let solvers = for_tests();
    for solver in &solvers {
        assert!(solver.version.split('.').all(|part| part.parse::<u32>().is_ok()), "{solver:?}");
        assert!(found().contains(solver));
    }
}

#[test]
fn the_variable_comes_before_the_path() {
    let (one, other) = (Fake::named("cvc5", VERSION), Fake::named("cvc5", VERSION));
    let places =
        SolverLocations { told: Some(one.program.clone().into()), path: path(&[&other]), home: None };
    let solver = places.find(Backend::Cvc5).unwrap();
    assert_eq!(solver, Solver { version: "9.8.7".to_string(), ..one.solver(Backend::Cvc5) });
    assert_eq!(solver.to_string(), "cvc5 9.8.7");
    let solver = SolverLocations { told: None, ..places }.find(Backend::Cvc5).unwrap();
    assert_eq!(solver.path, other.program);
}

#[test]
fn the_directory_of_the_user_comes_last() {
    let (fake, home) = (Fake::named("cvc5", VERSION), Fake::new(""));
    let place = home.directory.join(".local/bin");
    fs::create_dir_all(&place).unwrap();
    fs::hard_link(&fake.program, place.join("cvc5")).unwrap();
    let places =
        SolverLocations { told: None, path: path(&[&home]), home: Some(home.directory.clone().into()) };
    assert_eq!(places.find(Backend::Cvc5).unwrap().path, place.join("cvc5"));
    assert_eq!(places.find(Backend::Z3), Err(MissingSolver::Nowhere { backend: Backend::Z3 }));
    let places = SolverLocations { path: path(&[&home, &fake]), ..places };
    assert_eq!(places.find(Backend::Cvc5).unwrap().path, fake.program);
}

#[test]
fn a_broken_program_is_passed_over_and_told_of() {
    let (broken, sound) = (Fake::named("cvc5", "exit 1"), Fake::named("cvc5", VERSION));
    let places = SolverLocations { told: None, path: path(&[&broken, &sound]), home: None };
    assert_eq!(places.find(Backend::Cvc5).unwrap().path, sound.program);
    let places = SolverLocations { path: path(&[&broken]), ..places };
    let missing = places.find(Backend::Cvc5).unwrap_err();
    let expected = format!(
        "{} does not tell the version of cvc5 (it answered \"\"): set WATCHKEEPER_CVC5 to a program that does, or install \
         the package cvc5",
        broken.program.display()
    );
    assert_eq!(missing.to_string(), expected);
}

#[test]
fn another_solver_is_not_the_one_that_was_asked_for() {
    let fake = Fake::new(VERSION);
    let missing = Solver::at(Backend::Z3, &fake.program).unwrap_err();
    assert!(
        matches!(&missing, MissingSolver::Silent { why, .. } if why.contains("cvc5 version 9.8.7")),
        "{missing}"
    );
    let nothing = Solver::at(Backend::Z3, &fake.directory).unwrap_err();
    assert!(matches!(nothing, MissingSolver::Silent { .. }), "{nothing}");
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let nowhere = SolverLocations::default();
    let said = |backend| nowhere.find(backend).unwrap_err().to_string();
    assert_eq!(
        said(Backend::Z3),
        "z3 is not installed: `apt install z3` (or `pip install z3-solver`), or set WATCHKEEPER_Z3 to the path of the program"
    );
    assert_eq!(
        said(Backend::Cvc5),
        "cvc5 is not installed: `apt install cvc5`, or set WATCHKEEPER_CVC5 to the path of the program"
    );
    let absent = Fake::new("").directory.join("absent");
    let places = SolverLocations { told: Some(absent.clone().into()), ..SolverLocations::default() };
    let missing = places.find(Backend::Z3).unwrap_err();
    assert_eq!(missing, MissingSolver::NoFile { backend: Backend::Z3, path: absent.clone() });
    let expected = format!(
        "WATCHKEEPER_Z3 is set to {}, where no file is: correct it, or unset it to search the PATH",
        absent.display()
    );
    assert_eq!(missing.to_string(), expected);
}

#[test]
fn tests_can_do_without() {
    assert_eq!(wanted_by_tests("none"), Ok(vec![]));
    assert_eq!(wanted_by_tests("cvc5"), Ok(vec![Backend::Cvc5]));
    assert_eq!(wanted_by_tests("z3, cvc5"), Ok(Backend::ALL.to_vec()));
    assert!(wanted_by_tests("").is_err());
    let error = wanted_by_tests("yices").unwrap_err();
    assert_eq!(error, "WATCHKEEPER_SOLVERS: no solver is called \"yices\": write z3 or cvc5, or none");
}
