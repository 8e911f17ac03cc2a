//! Truth values and numbers.

use super::table;

#[test]
fn truth_values() {
    table(
        "",
        &[
            ("true", "true"),
            ("!true", "false"),
            ("!!true", "true"),
            ("true && false", "false"),
            ("true || false", "true"),
            ("false => false", "true"),
            ("true => false", "false"),
            ("true == false", "false"),
            ("true != false", "true"),
            ("false < true", "true"),
            ("true <= false", "false"),
            ("true > false", "true"),
            ("if(1 < 2, 3, 4)", "3"),
            ("if(1 > 2, 3, 4)", "4"),
        ],
    );
}

#[test]
fn arithmetic() {
    table(
        "",
        &[
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("7 - 9", "-2"),
            ("-3 + 1", "-2"),
            ("- (3 + 1)", "-4"),
            ("7 div 2", "3"),
            ("7 mod 2", "1"),
            ("-7 div 2", "-4"),
            ("-7 mod 2", "1"),
            ("(-6) div 3", "-2"),
            ("6 / 4", "3/2"),
            ("6 / 3", "2"),
            ("1 / 3 + 1 / 6", "1/2"),
            ("1 / 3 - 1 / 2", "-1/6"),
            ("2 * 3 mod 4", "2"),
            ("exp(2, 10)", "1024"),
            ("exp(2, 100)", "1267650600228229401496703205376"),
            ("exp(2, 100) - exp(2, 100) + 1", "1"),
            ("exp(2, -1)", "1/2"),
            ("max(3, -4)", "3"),
            ("min(3, -4)", "-4"),
            ("abs(-4)", "4"),
            ("abs(-1 / 2)", "1/2"),
            ("succ(0)", "1"),
            ("pred(0)", "-1"),
            ("pred(1)", "0"),
            ("floor(-1 / 2)", "-1"),
            ("ceil(-1 / 2)", "0"),
            ("round(1 / 2)", "1"),
            ("round(-1 / 2)", "0"),
            ("floor(7 / 2)", "3"),
            ("ceil(7 / 2)", "4"),
            ("sqrt(99)", "9"),
            ("sqrt(100)", "10"),
            ("sqrt(exp(10, 40))", "100000000000000000000"),
            ("Int2Nat(3 - 2)", "1"),
            ("Int2Pos(3 - 2)", "1"),
            ("Nat2Pos(4)", "4"),
            ("Pos2Nat(4)", "4"),
            ("Real2Int(4 / 2)", "2"),
            ("3 < 4 && 4 <= 4 && 5 > 4 && 4 >= 4", "true"),
            ("1 / 2 < 2 / 3", "true"),
            ("123456789012345678901234567890 div 987654321", "124999998873437499901"),
            ("123456789012345678901234567890 mod 987654321", "574845669"),
            ("exp(3, 50) mod 1000007", "961749"),
        ],
    );
}

#[test]
fn what_is_not_defined_is_a_value_of_its_own() {
    table(
        "",
        &[
            ("Int2Nat(-1)", "Int2Nat(-1)"),
            ("Int2Pos(0)", "Int2Pos(0)"),
            ("1 / 0", "1 / 0"),
            ("Real2Int(1 / 2)", "Real2Int(1/2)"),
            ("if(true, 1, Int2Nat(-1))", "1"),
            ("Int2Nat(-1) == Int2Nat(-1)", "true"),
            ("Int2Nat(-1) == 3", "Int2Nat(-1) == 3"),
            ("false && Int2Nat(-1) == 3", "false"),
            ("Int2Nat(-1) == 3 && false", "false"),
            ("Int2Nat(-1) == 3 || true", "true"),
        ],
    );
}

#[test]
fn numbers_widen() {
    table(
        "map f: Real -> Real; var r: Real; eqn f(r) = r * 2;
         map g: Nat -> Bool; var p: Pos; eqn g(p) = true; g(0) = false;
         map h: Int -> Nat; var n: Nat; q: Pos; eqn h(n) = n; h(-1) = 100;
         map k: Int; eqn k = -3;",
        &[
            ("f(1)", "2"),
            ("f(-1 / 4)", "-1/2"),
            ("g(3)", "true"),
            ("g(0)", "false"),
            ("h(5)", "5"),
            ("h(-1)", "100"),
            ("h(-2)", "h(-2)"),
            ("if(true, 1, -1)", "1"),
            ("[1, -1, 1 / 2]", "[1, -1, 1/2]"),
            ("k + 1", "-2"),
        ],
    );
}
