//! Equations without an end are told with the name and the place of the function; deep ones are not taken for such.

use super::Data;

const LOOPS: &str = "map spin, grow, deep, total: Nat -> Nat; tree: Nat # Nat -> Nat; mk: Nat -> List(Nat);
var n, m: Nat;
eqn spin(n) = spin(n + 1);
    grow(n) = 1 + grow(n + 1);
    deep(0) = 0; n > 0 -> deep(n) = 1 + deep(Int2Nat(n - 1));
    total(n) = tree(n, 0); tree(0, m) = m; n > 0 -> tree(n, m) = tree(Int2Nat(n - 1), m + n);
    mk(0) = []; n > 0 -> mk(n) = n |> mk(Int2Nat(n - 1));";

#[test]
fn endless_rewriting_is_noticed() {
    let mut data = Data::of(LOOPS);
    data.rewriter.limit_steps(1_000_000);
    let error = data.evaluate("spin(0)").unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1, column 5: the equations of 'spin' were used without an end in sight, 1000000 steps for one \
         expression; let one argument become smaller in each step"
    );
    let error = data.evaluate("grow(0) > 3").unwrap_err().to_string();
    assert!(error.starts_with("line 1, column 11: the equations of 'grow'"), "{error}");
    assert_eq!(data.evaluate("total(10)").as_deref(), Ok("55"));
}

#[test]
fn endless_nesting_is_noticed() {
    let mut data = Data::of(LOOPS);
    let error = data.evaluate("grow(0)").unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1, column 11: the equations of 'grow' nest too deeply, probably without an end; \
         let one argument become smaller in each step"
    );
}

#[test]
fn deep_and_long_evaluations_end() {
    let mut data = Data::of(LOOPS);
    assert_eq!(data.evaluate("deep(100000)").as_deref(), Ok("100000"));
    assert_eq!(data.evaluate("total(1000000)").as_deref(), Ok("500000500000"));
    assert_eq!(data.evaluate("#mk(100000)").as_deref(), Ok("100000"));
    assert_eq!(data.evaluate("mk(50000) == mk(50000) && mk(50000) < mk(50001)").as_deref(), Ok("true"));
}
