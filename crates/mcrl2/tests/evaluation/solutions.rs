//! The values of variables that make a condition true, as sums over variables need them.

use super::Data;
use watchkeeper_mcrl2::syntax::{Span, parse_data_expression, parse_sort_expression};
use watchkeeper_mcrl2::typing::Scope;

impl Data {
    /// The values of variables for a value of the variable `k` of sort `Nat`.
    fn solve(&mut self, variables: &[(&str, &str)], condition: &str, k: i64) -> Result<Vec<String>, String> {
        let mut scope = Scope::new();
        let nat = watchkeeper_mcrl2::typing::SortId::NAT;
        let parameter = scope.declare(&mut self.signature, "k", nat);
        let mut ids = Vec::new();
        for (name, sort) in variables {
            let sort = parse_sort_expression(sort).expect("a sort");
            let sort = self.signature.sort(&sort).expect("known");
            ids.push(scope.declare(&mut self.signature, name, sort));
        }
        let expression = parse_data_expression(condition).expect("an expression");
        let term = self.signature.typed(&scope, &expression, None).expect("well typed");
        let compiled = self
            .rewriter
            .compile_condition(&self.signature, &term, &[parameter], &ids)
            .map_err(|error| error.to_string())?;
        let k = self.rewriter.integer(k);
        let found = self.rewriter.solutions(&compiled, &[k]).map_err(|error| error.to_string())?;
        let print = |values: Vec<_>| {
            let texts: Vec<_> = values.into_iter().map(|value| self.rewriter.print(value)).collect();
            texts.join(" ")
        };
        Ok(found.into_iter().map(print).collect())
    }
}

#[test]
fn all_solutions_in_their_order() {
    let mut data = Data::of(
        "sort D = struct d1 | d2; M = struct req(Nat) | ack(Bool);
         map valid: Nat -> Bool; isReq: M -> Bool; var n: Nat; m: M; eqn valid(n) = n < 3; isReq(req(n)) = n < 2; isReq(ack(true)) = true; isReq(ack(false)) = false;",
    );
    let mut solve = |variables: &[(&str, &str)], condition: &str, k| data.solve(variables, condition, k);
    let found = |rows: &[&str]| Ok(rows.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(solve(&[("x", "Nat")], "x < k", 3), found(&["0", "1", "2"]));
    assert_eq!(solve(&[("x", "Pos")], "x <= k && x != 2", 3), found(&["1", "3"]));
    assert_eq!(
        solve(&[("x", "Nat"), ("y", "Nat")], "valid(x) && valid(y) && x + y == k", 3),
        found(&["1 2", "2 1"])
    );
    assert_eq!(solve(&[("x", "Nat")], "x == k", 3), found(&["3"]));
    assert_eq!(solve(&[("x", "Pos")], "x == k", 0), found(&[]));
    assert_eq!(solve(&[("d", "D"), ("b", "Bool")], "true", 0).map(|rows| rows.len()), Ok(4));
    assert_eq!(
        solve(&[("d", "D"), ("b", "Bool")], "b || d == d2", 0),
        found(&["d1 true", "d2 false", "d2 true"])
    );
    assert_eq!(solve(&[("m", "M")], "isReq(m)", 0), found(&["req(0)", "req(1)", "ack(true)"]));
    assert_eq!(solve(&[("l", "List(D)")], "#l < k", 2), found(&["[]", "[d1]", "[d2]"]));
    assert_eq!(solve(&[("s", "Set(D)")], "d1 in s", 0), found(&["{d1}", "{d1, d2}"]));
    assert_eq!(
        solve(&[("x", "Nat")], "x > k", 2),
        Err("line 1, column 1: the variable 'x' of sort Nat ranges over infinitely many values; \
             bound it by a condition such as x < 10"
            .to_owned())
    );
    assert_eq!(solve(&[("x", "Nat")], "x < 100000 && x * x == k", 81), found(&["9"]));
}

#[test]
fn all_values_of_finite_sorts() {
    let mut data = Data::of("sort D = struct d1 | d2(Bool); E;");
    let mut sizes = Vec::new();
    for sort in
        ["Bool", "D", "Set(D)", "D -> Bool", "FSet(Set(Bool))", "struct x | y(D, D)", "Nat", "List(D)", "E"]
    {
        let sort = data.signature.sort(&parse_sort_expression(sort).expect("a sort")).expect("known");
        let finite = data.signature.is_finite(sort);
        let listed = data.rewriter.update(&data.signature).is_ok()
            && data
                .rewriter
                .elements(&data.signature, sort, Span::default(), "x")
                .map(|all| sizes.push(all.len()))
                .is_ok();
        assert_eq!(finite, listed);
    }
    assert_eq!(sizes, [2, 3, 8, 8, 16, 10]);
}
