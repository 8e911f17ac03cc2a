//! Structured sorts, constructors and equations of the specification.

use super::table;

#[test]
fn structured_sorts() {
    table(
        "sort S = struct leaf?isLeaf | node(left: S, value: Nat, right: S)?isNode | two(value: Nat, Bool);",
        &[
            ("leaf", "leaf"),
            ("node(leaf, 3, leaf)", "node(leaf, 3, leaf)"),
            ("isLeaf(leaf)", "true"),
            ("isNode(leaf)", "false"),
            ("value(node(leaf, 3, leaf))", "3"),
            ("value(two(4, true))", "4"),
            ("left(node(leaf, 3, leaf))", "leaf"),
            ("left(leaf)", "left(leaf)"),
            ("leaf == node(leaf, 3, leaf)", "false"),
            ("leaf < node(leaf, 3, leaf)", "true"),
            ("node(leaf, 3, leaf) < node(leaf, 4, leaf)", "true"),
            ("two(9, true) > node(leaf, 4, leaf)", "true"),
            ("node(leaf, 3, leaf) <= node(leaf, 3, leaf)", "true"),
        ],
    );
}

#[test]
fn patterns() {
    table(
        "sort D = struct a | b(Nat) | c(D, D);
         map f: D -> Nat; same: D # D -> Bool; total: List(Nat) -> Nat; two: List(Nat) -> Bool; lit: Nat # Bool -> Nat;
         var n, m: Nat; x, y: D; l: List(Nat);
         eqn f(a) = 0; f(b(n)) = n + 1; f(c(x, y)) = f(x) + f(y);
             same(x, x) = true; x != y -> same(x, y) = false;
             total([]) = 0; total(n |> l) = n + total(l);
             two([n, m]) = true; two([]) = false;
             lit(0, true) = 1; lit(5, false) = 2; lit(n, true) = n * 10;",
        &[
            ("f(a)", "0"),
            ("f(b(4))", "5"),
            ("f(c(b(1), c(a, b(2))))", "5"),
            ("same(b(1), b(1))", "true"),
            ("same(b(1), b(2))", "false"),
            ("total([1, 2, 3])", "6"),
            ("two([1, 2])", "true"),
            ("two([])", "false"),
            ("two([1])", "two([1])"),
            ("lit(0, true)", "1"),
            ("lit(5, false)", "2"),
            ("lit(5, true)", "50"),
            ("lit(6, false)", "lit(6, false)"),
        ],
    );
}

#[test]
fn constructors_and_opaque_sorts() {
    table(
        "sort N; E;
         cons z: N; s: N -> N;
         map plus: N # N -> N; e, d: E; next: E -> E; neq: E # E -> Bool;
         var x, y: N; v: E;
         eqn plus(z, y) = y; plus(s(x), y) = s(plus(x, y)); next(e) = d;",
        &[
            ("plus(s(s(z)), s(z))", "s(s(s(z)))"),
            ("s(z) == z", "false"),
            ("s(z) > z", "true"),
            ("next(e)", "d"),
            ("next(d)", "next(d)"),
            ("e == e", "true"),
            ("e == d", "e == d"),
        ],
    );
}

#[test]
fn conditions_where_and_quantifiers() {
    table(
        "sort D = struct d1 | d2 | d3; P = struct p(x: Nat, y: Nat);
         map fac, fib: Nat -> Nat; big: Nat -> Bool; norm: P -> Nat; gcd: Nat # Nat -> Nat; other: D -> D;
         var n, m: Nat; q: P; d: D;
         eqn fac(0) = 1; n > 0 -> fac(n) = n * fac(Int2Nat(n - 1));
             n <= 1 -> fib(n) = n; n > 1 -> fib(n) = fib(Int2Nat(n - 1)) + fib(Int2Nat(n - 2));
             big(n) = exists m: Nat . m < n && m * m > n;
             norm(q) = a * a + b whr a = x(q), b = y(q) end;
             gcd(n, 0) = n; m > 0 -> gcd(n, m) = gcd(m, n mod Nat2Pos(m));
             other(d) = if(d == d1, d2, d1);",
        &[
            ("fac(20)", "2432902008176640000"),
            ("fac(25)", "15511210043330985984000000"),
            ("fib(30)", "832040"),
            ("gcd(84, 36)", "12"),
            ("big(2)", "false"),
            ("big(3)", "true"),
            ("norm(p(3, 4))", "13"),
            ("x whr x = 3 end", "3"),
            ("x + y whr x = 3, y = 4 end", "7"),
            ("(x whr x = y + 1 end) whr y = 4 end", "5"),
            ("forall d: D . other(d) != d", "true"),
            ("forall d, e: D . d == e", "false"),
            ("exists d, e: D . other(d) == other(e) && d != e", "true"),
            ("exists d: D . other(d) == d3", "false"),
            ("forall b: Bool . b || !b", "true"),
            ("forall d: D . exists e: D . d == e", "true"),
        ],
    );
}

#[test]
fn equations_for_built_in_operations() {
    table(
        "sort T; map t0, t1: T; up: T -> T;
         var a, b: Bool; x, y: T;
         eqn if(a, b, true) = a => b; t0 < t1 = true; t1 < t0 = false; up(x) == up(y) = x == y; t0 == t1 = false;",
        &[
            ("t0 < t1", "true"),
            ("t1 < t0", "false"),
            ("t0 <= t1", "t0 <= t1"),
            ("up(t0) == up(t1)", "false"),
            ("if(true, false, true)", "false"),
        ],
    );
}
