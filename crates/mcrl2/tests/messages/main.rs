//! What a text is told that is wrong: the place, what was expected, and what is there.

use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::data::Rewriter;
use watchkeeper_mcrl2::syntax::{parse_formula, parse_specification};
use watchkeeper_mcrl2::typing::{Scope, Signature, SortId};

/// What is wrong with the data of a specification.
fn data(text: &str) -> String {
    let found = parse_specification(&format!("{text} init delta;"))
        .and_then(|specification| Signature::of(&specification.data))
        .and_then(|signature| Rewriter::new(&signature));
    found.map(|_| "nothing".to_owned()).unwrap_or_else(|error| error.to_string())
}

/// What is wrong with an expression, where `n: Nat` and `s: S` can be seen.
fn expression(text: &str) -> String {
    let declarations = "sort S = struct one | two(left: S, size: Nat)?isTwo; map f: Nat # Bool -> S; f: S -> S; c, d: S; c: Bool;
        init delta;";
    let found = parse_specification(declarations).and_then(|specification| {
        let mut signature = Signature::of(&specification.data)?;
        let mut scope = Scope::new();
        scope.declare(&mut signature, "n", SortId::NAT);
        let sort =
            signature.named_sorts().find(|(name, _)| *name == "S").map_or(SortId::NAT, |(_, sort)| sort);
        scope.declare(&mut signature, "s", sort);
        let read = watchkeeper_mcrl2::syntax::parse_data_expression(text)?;
        signature.typed(&scope, &read, None).map(|_| ())
    });
    message(found)
}

fn message(found: Result<(), LanguageError>) -> String {
    found.map(|()| "nothing".to_owned()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn texts_that_are_none() {
    let rows = [
        ("init a", "line 1, column 7: expected an operator or ';', but found the end of the text"),
        (
            "proc P = a;",
            "line 1, column 12: expected a section: 'init', or another one before it, but found the end of the text",
        ),
        ("init a;\ninit b;", "line 2, column 1: expected one 'init' only, but found another initial process"),
        ("init a . ;", "line 1, column 10: expected a process expression, but found ';'"),
        ("init sum x Nat . a;", "line 1, column 12: expected ':', but found the keyword 'Nat'"),
        ("init (a + b;", "line 1, column 12: expected an operator or ')', but found ';'"),
        (
            "map f: Nat # Nat; init a;",
            "line 1, column 17: expected '->' behind the sorts of the arguments, but found ';'",
        ),
        ("sort init = Nat; init a;", "line 1, column 6: expected a sort, but found the keyword 'init'"),
        ("eqn f(x) + 1; init a;", "line 1, column 13: expected an operator or '=', but found ';'"),
        (
            "init comm({a -> b}, c);",
            "line 1, column 14: expected '|' and another action that takes part, but found '->'",
        ),
        (
            "init a $ b;",
            "line 1, column 8: expected a name, a number or a sign, but found the character '$', which the language does not know",
        ),
        (
            "init (c -> a + b <> d);",
            "line 1, column 18: expected an operator or ')'; put brackets around what stands between '->' and '<>', but found '<>'",
        ),
        (
            "act a: Nat init a(1);",
            "line 1, column 12: expected an operator or ';', but found the keyword 'init'",
        ),
        (
            "init a; nonsense",
            "line 1, column 9: expected a section or the end of the text, but found 'nonsense'",
        ),
        ("% µ ä\ninit hide({a) , b);", "line 2, column 13: expected ',' or '}', but found ')'"),
    ];
    for (text, expected) in rows {
        assert_eq!(message(parse_specification(text).map(|_| ())), expected, "{text}");
    }
}

#[test]
fn formulas_that_are_none() {
    let rows = [
        (
            "[true*]",
            "line 1, column 8: expected a state formula; data stands in val(..), but found the end of the text",
        ),
        ("<a true", "line 1, column 4: expected an operator or '>', but found 'true'"),
        (
            "mu X . X &&",
            "line 1, column 12: expected a state formula; data stands in val(..), but found the end of the text",
        ),
        (
            "[(a*) && b]true",
            "line 1, column 3: expected an action formula, but found a regular formula under an operator of action formulas",
        ),
        ("n < 3", "line 1, column 3: expected an operator or the end of the text, but found '<'"),
        (
            "inf x: Nat . val(x)",
            "line 1, column 1: 'inf', which belongs to formulas whose value is a number, is not supported",
        ),
        ("nu X(n: Nat) . X(n)", "line 1, column 12: expected '=', but found ')'"),
    ];
    for (text, expected) in rows {
        assert_eq!(message(parse_formula(text).map(|_| ())), expected, "{text}");
    }
}

#[test]
fn expressions_of_wrong_sorts() {
    let rows = [
        (
            "n + true",
            "line 1, column 1: '+' takes two numbers, two sets or two bags, but the left side is of sort Nat and the right side of sort Bool",
        ),
        (
            "n && true",
            "line 1, column 1: '&&' takes two conditions, but the left side is of sort Nat and the right side of sort Bool",
        ),
        (
            "7 div n",
            "line 1, column 1: 'div' takes an integer and a number of sort Pos, to which Nat2Pos and Int2Pos convert, but the left side is of sort Pos and the right side of sort Nat",
        ),
        ("!n", "line 1, column 2: '!' takes a condition or a set, but this is of sort Nat"),
        ("f(n)", "line 1, column 1: 'f' takes Nat # Bool or S, but here it is applied to Nat"),
        ("g(n)", "line 1, column 1: there is no variable or function 'g'"),
        ("left(one, n)", "line 1, column 1: 'left' takes S, but here it is applied to S # Nat"),
        ("isTw(one)", "line 1, column 1: there is no variable or function 'isTw'; did you mean 'isTwo'?"),
        ("two(one)", "line 1, column 1: 'two' takes S # Nat, but here it is applied to S"),
        ("n(1)", "line 1, column 1: this is of sort Nat and cannot be applied to Pos"),
        (
            "[1, true]",
            "line 1, column 5: the elements of a list are of one sort; this one is of sort Bool, those before it of sort Pos",
        ),
        ("head(n)", "line 1, column 1: 'head' takes a list, but here it is applied to Nat"),
        (
            "[1, 2] . (n - 1)",
            "line 1, column 1: '.' takes a list and a place of sort Nat, but the left side is of sort List(Pos) and the right side of sort Int",
        ),
        (
            "s == n",
            "line 1, column 1: '==' takes two values of the same sort, but the left side is of sort S and the right side of sort Nat",
        ),
        (
            "{x: Nat | s}",
            "line 1, column 11: what stands behind '|' must be a condition, or for a bag a number of sort Nat",
        ),
        ("{n: 1 / 2}", "line 1, column 5: expected an expression of sort Nat, but this is of sort Real"),
        (
            "forall x: Nat . x",
            "line 1, column 17: expected an expression of sort Bool, but this is of sort Nat",
        ),
        ("forall x: Natt . true", "line 1, column 11: there is no sort 'Natt'; did you mean 'Nat'?"),
        (
            "n[1 -> 2]",
            "line 1, column 1: in f[x -> y], f is a function of one argument, x an argument and y a value; here f is of sort Nat, x of sort Pos and y of sort Pos",
        ),
        (
            "succ",
            "line 1, column 1: the built-in function 'succ' needs its arguments; write a lambda around it",
        ),
        (
            "c",
            "line 1, column 1: this can be read in several ways, since a name in it is declared with several sorts",
        ),
        ("c == d", "nothing"),
        ("c && true", "nothing"),
        ("exp(n, n - 1)", "nothing"),
    ];
    for (text, expected) in rows {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn declarations_that_make_no_sense() {
    let rows = [
        (
            "sort S; sort S = Nat;",
            "line 1, column 14: sort 'S' is declared twice; the first time in line 1, column 6",
        ),
        (
            "sort S = List(T); T = Set(S);",
            "line 1, column 27: the sort 'S' is defined by itself; only structured sorts may be",
        ),
        (
            "sort S = struct a | b | a;",
            "line 1, column 25: constructor 'a' is declared twice; the first time in line 1, column 17",
        ),
        (
            "map f: Nat;\nmap f: Nat;",
            "line 2, column 5: function 'f' is declared twice; the first time in line 1, column 5",
        ),
        (
            "cons c: Nat;",
            "line 1, column 9: 'c' cannot be a constructor of Nat, which is no sort of the specification; declare it under 'map'",
        ),
        ("map f: Lst -> Nat; sort List2;", "line 1, column 8: there is no sort 'Lst'"),
        (
            "map f: Listt -> Nat; sort List2;",
            "line 1, column 8: there is no sort 'Listt'; did you mean 'List2'?",
        ),
        (
            "map f: Nat -> Nat; var n, m: Nat; eqn f(n) = m;",
            "line 1, column 46: the variable 'm' does not occur in the left side, so nothing tells its value",
        ),
        (
            "map f: Nat -> Nat; var n: Nat; eqn f(n) = n - 1;",
            "line 1, column 43: the left side is of sort Nat, but the right side of sort Int",
        ),
        (
            "map f: Nat -> Nat; var n: Nat; eqn n -> f(n) = n;",
            "line 1, column 36: expected an expression of sort Bool, but this is of sort Nat",
        ),
        (
            "map f: Nat -> Nat; var n: Nat; eqn f(n + 1) = n;",
            "line 1, column 38: this in the left side of an equation, where only variables, constructors and literals can be matched, is not supported",
        ),
        (
            "map f: Nat -> Nat; eqn 3 = 3;",
            "line 1, column 24: an equation whose left side is no function applied to arguments is not supported",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(data(text), expected, "{text}");
    }
}
