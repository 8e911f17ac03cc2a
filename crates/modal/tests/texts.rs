//! Formulas as texts on small graphs whose answers are known, and texts that are refused.

use std::ops::ControlFlow;
use watchkeeper_mcrl2::syntax::parse_specification;
use watchkeeper_modal::{
    DataError, FormulaNames, LanguageData, ModalError, NormalFormula, StoredGraph, answer, read_formula,
};
use watchkeeper_space::DataLabel;

/// Two branches: `b(0)` leads to a state where only `a` is possible, `b(1)` and `b(7)` to one where only `c(2)` is.
fn graph() -> StoredGraph {
    let label = |name: &str, arguments: &[&str]| DataLabel::new(name, arguments.iter().copied());
    let steps = [
        (0, label("b", &["0"]), 1),
        (0, label("b", &["1"]), 2),
        (0, label("b", &["7"]), 2),
        (1, label("a", &[]), 1),
        (2, label("c", &["2"]), 0),
    ];
    StoredGraph::new(3, 0, steps)
}

fn names() -> FormulaNames {
    let text = "sort D = struct d0 | d1; map limit: Nat; eqn limit = 3; act a; b: Nat; c: Int; init delta;";
    FormulaNames::of_specification(&parse_specification(text).expect("it is a specification"))
        .expect("it is typed")
}

fn ask(text: &str) -> Result<bool, ModalError> {
    let typed = read_formula(text, names()).unwrap_or_else(|why| panic!("{text}: {why}"));
    let data = LanguageData::new(&typed).expect("it compiles");
    let normal = NormalFormula::new(&typed.formula, &data).expect("it is closed and monotone");
    let found = answer(&normal, &data, &mut graph(), &mut |_| ControlFlow::Continue(()))?;
    Ok(found.holds.expect("nothing stops it"))
}

#[test]
fn quantifiers_over_numbers_are_decided_by_labels_and_bounds() {
    for (text, expected) in [
        ("forall n: Nat. [b(n)]<a>true", false),
        ("forall n: Nat. [b(n)]val(n < 8)", true),
        ("forall n: Nat. [b(n)]val(n < 7)", false),
        ("exists n: Nat. <b(n)><a>true", true),
        ("exists n: Nat. val(n > 0) && <b(n)>true", true),
        ("exists n: Nat. val(n > 7) && <b(n)>true", false),
        ("exists n: Nat. val(n < 8) && <b(n)>val(n == 7)", true),
        ("exists n: Nat. val(n <= 6) && <b(n)>val(n == 7)", false),
        ("exists n: Nat. val(n < limit && n == limit - 1)", true),
        ("exists n: Nat. val(n < limit && n == limit)", false),
        ("forall n: Nat. val(n < limit) => val(n != 2)", false),
        ("forall n: Nat. val(n < limit) => val(n != 3)", true),
        ("forall n: Pos. val(n < limit) => val(n > 0)", true),
        ("exists n: Int. val(-2 <= n && n < 0 && n + 2 == 0)", true),
        ("forall m, n: Nat. [b(m)][c(n)]val(m == 1 || m == 7)", true),
        ("forall m: Nat. [b(m)]forall n: Nat. [c(n)]val(n == 2 * m)", false),
        ("<exists n: Nat. b(n) && val(n > 5)>true", true),
        ("<exists n: Nat. b(n) && val(n > 7)>true", false),
        ("[forall n: Nat. !b(n)]false", true),
        ("exists n: Nat. val(n in {1, 7}) && <b(n)>true", true),
        ("forall n: Nat. [b(n)]val(n < 8) && [a]false && <b(1)>true", true),
        ("forall n: Nat. [b(n)]val(n < 8) && <a>true", false),
        ("exists n: Nat. (val(n < 2) && <b(n)><a>true) || [b(7)]<a>true", true),
        ("exists n: Nat. (val(n < 1) && <b(n)><c(2)>true) || [b(7)]<a>true", false),
        ("exists n: Nat. val(n > 2) => <b(n)><a>true", true),
        ("forall n: Nat. val(n < limit) => val(n * n < 4)", false),
        ("forall n: Nat. val(n <= limit) => val(n * n < 9)", false),
        ("exists n: Nat. val(n < limit && n > 1)", true),
        ("exists n: Nat. val(n < limit && n > 2)", false),
        ("exists d: D. val(d == d1)", true),
        ("forall d: D. val(d == d1)", false),
        (
            "nu X(n: Nat = 0). val(n < 3) && [exists m: Nat. b(m)]X(n + 1) && [!exists m: Nat. b(m)]X(n)",
            false,
        ),
        ("mu X(n: Nat = 0). val(n == 3) || <exists m: Nat. b(m)>X(n + 1) || <exists m: Int. c(m)>X(n)", true),
        ("[nil]<b(0)>true", true),
        ("[true*]<true>true", true),
        ("<true*.a.a+>true", true),
        ("<(b(1) + b(7)).c(2).b(0)>true", true),
    ] {
        assert_eq!(ask(text), Ok(expected), "{text}");
    }
}

#[test]
fn a_quantifier_without_a_bound_is_refused_by_its_name() {
    let Err(ModalError::Data(DataError::Endless { variable })) =
        ask("exists size: Nat. [true*]val(size > 3)")
    else {
        panic!("nothing limits it");
    };
    assert_eq!(variable, "size of sort Nat");
}

#[test]
fn declarations_of_a_formula_file_are_known() {
    assert_eq!(
        ask(
            "map twice: Nat -> Nat; var n: Nat; eqn twice(n) = 2 * n; form exists n: Nat. <b(n)>val(twice(n) == 14);"
        ),
        Ok(true)
    );
}

#[test]
fn what_means_nothing_is_refused_where_it_is() {
    for (text, place, what) in [
        ("[true*]<d>true", "line 1, column 9", "action"),
        ("[true*]\n  <b(true)>true", "line 2, column 4", "Nat"),
        ("[b(0, 1)]false", "line 1, column 2", "b"),
        ("mu X. X", "line 1, column 7", "without a step"),
        ("nu X. [a*]X", "line 1, column 11", "without a step"),
        ("mu X. <a>!X", "line 1, column 11", "negations"),
        ("mu X. (<a>X => true)", "line 1, column 11", "negations"),
        ("nu X(n: Nat = 0). [a]X", "line 1, column 22", "1 parameters"),
        ("nu X(n: Nat = 0). [a]X(true)", "line 1, column 24", ""),
        ("[true*]Y", "line 1, column 8", "mu Y."),
        ("val(1)", "line 1, column 5", ""),
        ("forall x: E. true", "line 1, column 11", "E"),
        ("[a@3]false", "line 1, column 2", "real time"),
        ("delay", "line 1, column 1", "delay"),
        ("[true*]<true", "line 1, column 13", "expected"),
    ] {
        let why = read_formula(text, names()).expect_err(text).to_string();
        assert!(why.starts_with(&format!("{place}:")) && why.contains(what), "{text}: {why}");
    }
}
