//! Lists, sets, bags and functions.

use super::table;

#[test]
fn lists() {
    table(
        "",
        &[
            ("[]", "[]"),
            ("[1, 2, 3]", "[1, 2, 3]"),
            ("1 |> [2]", "[1, 2]"),
            ("1 |> 2 |> []", "[1, 2]"),
            ("[1] <| 2 <| 3", "[1, 2, 3]"),
            ("[1] ++ [2, 3]", "[1, 2, 3]"),
            ("[] ++ [1] ++ []", "[1]"),
            ("10 |> [20] ++ [#[1, 2]] <| 100", "[10, 20, 2, 100]"),
            ("#[1, 2, 3]", "3"),
            ("#[]", "0"),
            ("[1, 2, 3] . 0", "1"),
            ("[1, 2, 3] . 2", "3"),
            ("[1, 2, 3] . 3", "[1, 2, 3] . 3"),
            ("head([1, 2])", "1"),
            ("tail([1, 2])", "[2]"),
            ("rhead([1, 2])", "2"),
            ("rtail([1, 2])", "[1]"),
            ("head(tail([1]))", "head([])"),
            ("2 in [1, 2]", "true"),
            ("3 in [1, 2]", "false"),
            ("[1, 2] == [1, 2]", "true"),
            ("[1, 2] < [1, 3]", "true"),
            ("[1] < [1, 0]", "true"),
            ("[2] < [1, 0]", "false"),
            ("[[1], []]", "[[1], []]"),
        ],
    );
}

#[test]
fn finite_sets() {
    table(
        "",
        &[
            ("{}", "{}"),
            ("{3, 1, 2, 1}", "{1, 2, 3}"),
            ("{1} + {2}", "{1, 2}"),
            ("{1, 2, 3} - {2}", "{1, 3}"),
            ("{1, 2, 3} * {2, 3, 4}", "{2, 3}"),
            ("#{1, 2, 1}", "2"),
            ("1 in {1}", "true"),
            ("2 in {1}", "false"),
            ("{1} == {1, 1}", "true"),
            ("{1} <= {1, 2}", "true"),
            ("{1} < {1}", "false"),
            ("{1, 3} <= {1, 2}", "false"),
            ("{1, 2} >= {2}", "true"),
            ("pick({5})", "5"),
            ("{{2}, {1}, {}}", "{{}, {1}, {2}}"),
            ("{-1} + {1}", "{-1, 1}"),
        ],
    );
}

#[test]
fn other_sets() {
    table(
        "sort D = struct a | b | c;",
        &[
            ("3 in {n: Nat | n < 4}", "true"),
            ("4 in {n: Nat | n < 4}", "false"),
            ("4 in {n: Nat | n < 4} + {4}", "true"),
            ("3 in {n: Nat | n < 4} - {3}", "false"),
            ("5 in {n: Nat | n < 4} - {3}", "false"),
            ("3 in !{n: Nat | n < 4}", "false"),
            ("7 in !{1, 2}", "true"),
            ("1 in !{1, 2}", "false"),
            ("{1, 5} * {n: Nat | n < 4}", "{1}"),
            ("{1, 5} - {n: Nat | n < 4}", "{5}"),
            ("{1, 3} <= {n: Nat | n < 4}", "true"),
            ("{1, 4} <= {n: Nat | n < 4}", "false"),
            ("!!{1}", "{1}"),
            ("({n: Nat | n < 4} + {9}) - {9} == {n: Nat | n < 4}", "true"),
            ("{x: D | x != a} == {b, c}", "true"),
            ("{x: D | x != a} == {b}", "false"),
            ("!{a} == {b, c}", "true"),
            ("{x: D | true} - {a} <= {b, c}", "true"),
            ("{a} < {x: D | true}", "true"),
            ("exists x: D . x in !{a, b}", "true"),
        ],
    );
}

#[test]
fn bags() {
    table(
        "sort D = struct a | b;",
        &[
            ("{:}", "{:}"),
            ("{a: 2, b: 1}", "{a: 2, b: 1}"),
            ("{b: 1, a: 1, b: 2}", "{a: 1, b: 3}"),
            ("{(a): 0}", "{:}"),
            ("{:} + {a: 1}", "{a: 1}"),
            ("{a: 1} + {a: 1}", "{a: 2}"),
            ("{a: 3} - {a: 1}", "{a: 2}"),
            ("{a: 1} - {a: 3}", "{:}"),
            ("{a: 3, b: 1} * {a: 2}", "{a: 2}"),
            ("count(a, {a: 3})", "3"),
            ("count(b, {a: 3})", "0"),
            ("a in {a: 3}", "true"),
            ("b in {a: 3}", "false"),
            ("#{a: 3, b: 1}", "4"),
            ("{a: 1} <= {a: 2}", "true"),
            ("{a: 1} < {a: 1}", "false"),
            ("{a: 1, b: 1} <= {a: 2}", "false"),
            ("Bag2Set({a: 3})", "{a}"),
            ("Set2Bag({a, b})", "{a: 1, b: 1}"),
            ("count(2, {n: Nat | n + 1})", "3"),
            ("count(2, {n: Nat | n + 1} + {(2): 4})", "7"),
            ("count(2, {n: Nat | n + 1} - {(2): 3})", "0"),
            ("count(3, {n: Nat | n + 1} - {(2): 3})", "4"),
            ("2 in Bag2Set({n: Nat | n})", "true"),
            ("0 in Bag2Set({n: Nat | n})", "false"),
            ("count(1, Set2Bag({n: Nat | n > 0}))", "1"),
        ],
    );
}

#[test]
fn functions() {
    table(
        "sort D = struct a | b; F = D -> Nat;
         map f: Nat -> Bool; g: F; twice: (Nat -> Nat) # Nat -> Nat; add: Nat -> Nat -> Nat;
         var n, m: Nat; x: D; h: Nat -> Nat;
         eqn f(n) = n > 2; g(x) = 0; twice(h, n) = h(h(n)); add(n)(m) = n + m;",
        &[
            ("(lambda n: Nat . n + 1)(2)", "3"),
            ("(lambda n, m: Nat . n * m)(2, 3)", "6"),
            ("(lambda n: Nat . lambda m: Nat . n * m)(2)(3)", "6"),
            ("twice(lambda n: Nat . n + 3, 1)", "7"),
            ("twice(add(5), 1)", "11"),
            ("add(1)", "add(1)"),
            ("f[1 -> true](1)", "true"),
            ("f[1 -> true](3)", "true"),
            ("f[3 -> false](3)", "false"),
            ("f[1 -> true]", "f[1 -> true]"),
            ("f[1 -> false]", "f"),
            ("f[1 -> true][0 -> true]", "f[0 -> true][1 -> true]"),
            ("f[1 -> true][1 -> false]", "f"),
            ("g[a -> 3][b -> 4](a)", "3"),
            ("g[a -> 3] == g[b -> 0][a -> 3]", "true"),
            ("g[a -> 3] == (lambda x: D . if(x == a, 3, 0))", "true"),
            ("g[a -> 3] == g", "false"),
            ("f[1 -> true] == f", "false"),
            ("exists h: D -> Bool . h(a) && !h(b)", "true"),
            ("forall h: D -> Bool . h(a) || !h(b)", "false"),
        ],
    );
}
