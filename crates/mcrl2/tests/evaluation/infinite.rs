//! Quantifiers over infinite sorts: bounded by a condition, by what a function says, or by nothing.

use super::{Data, table};

#[test]
fn a_bound_is_found() {
    table(
        "sort M = struct req(n: Nat) | ack; map valid: Nat -> Bool; N: Pos; var k: Nat; eqn valid(k) = k < N; N = 5;",
        &[
            ("exists x: Nat . x < 10 && x * x == 49", "true"),
            ("exists x: Nat . x < 7 && x * x == 49", "false"),
            ("forall x: Nat . x < 10 => x * x < 82", "true"),
            ("forall x: Nat . x < 10 => x * x < 81", "false"),
            ("forall x: Nat . valid(x) => x <= 4", "true"),
            ("forall x, y: Nat . valid(x) && valid(y) && x != y => x + y < 8", "true"),
            ("exists x: Int . -3 <= x && x < 3 && x * x == 4", "true"),
            ("exists x: Pos . x in [2, 4] && x mod 2 == 1", "false"),
            ("exists x: Pos . 2 * x + 1 < 10 && x > 3", "true"),
            ("exists x: Pos . 2 * x + 1 < 9 && x > 3", "false"),
            ("exists l: List(Bool) . #l < 3 && l == [true, false]", "true"),
            ("exists l: List(Bool) . #l < 2 && l == [true, false]", "false"),
            ("exists m: M . m == req(3)", "true"),
            ("forall m: M . m == req(3) => n(m) == 3", "true"),
            ("exists x: Pos . true", "true"),
            ("exists x, y: Pos . x + y > 0", "true"),
            ("exists x: Nat . x * x == 144", "true"),
            ("forall x: Nat . x * x != 144", "false"),
            ("exists x: Nat . !(x >= 4) && x * x == 9", "true"),
            ("forall x: Nat . x in {1, 2} => x < 3", "true"),
            ("forall x: Nat . if(x < 3, x < 4, true)", "true"),
        ],
    );
}

#[test]
fn recursion_on_what_is_not_known_ends() {
    table(
        "map even, odd, down, up: Nat -> Bool; fib: Nat -> Nat; var n: Nat;
         eqn even(n) = if(n == 0, true, odd(Int2Nat(n - 1))); odd(n) = n > 0 && even(Int2Nat(n - 1));
             down(n) = n == 0 || down(Int2Nat(n - 1)); up(n) = n > 5 || up(n + 1);
             fib(n) = if(n < 2, n, fib(Int2Nat(n - 1)) + fib(Int2Nat(n - 2)));",
        &[
            ("exists x: Nat . x < 9 && even(x) && x > 6", "true"),
            ("exists x: Nat . even(x) && x < 9 && odd(x)", "false"),
            ("forall x: Nat . x < 20 => down(x)", "true"),
            ("forall x: Nat . up(x) || x > 20", "true"),
            ("exists x: Nat . fib(x) == 21 && x < 30", "true"),
            ("exists x: Nat . x < 10 && fib(x) == 22", "false"),
        ],
    );
}

#[test]
fn without_a_bound_the_variable_is_named() {
    let mut data = Data::of("");
    let error = data.evaluate("1 == 1 && (forall x: Nat . x * x != 2)").unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1, column 12: the variable 'x' of sort Nat ranges over infinitely many values; \
         bound it by a condition such as x < 10"
    );
    let error = data.evaluate("exists x: Real . x * x == 2").unwrap_err().to_string();
    assert!(error.starts_with("line 1, column 1: the variable 'x' of sort Real"), "{error}");
    // What worked before works afterwards.
    assert_eq!(data.evaluate("exists x: Nat . x < 3 && x == 2").as_deref(), Ok("true"));
}
