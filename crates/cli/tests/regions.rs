//! `regions` on the command line: the formula, the runs that `check` finds again, the JSON that others read, and bad
//! input.

mod binary;

use binary::watchkeeper;
use serde_json::{Value, json};

const BINARY: [&str; 6] = ["regions", "binary", "--param", "tmin", "--param", "tmax"];

#[test]
fn the_requirements_of_the_binary_protocol_are_formulas_with_charts() {
    let said = watchkeeper(&BINARY);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in [
        "HOLDS IFF 2*tmin > tmax: binary R1, for all tmin and tmax with tmin <= tmax and tmin > 0",
        "HOLDS IFF tmin < tmax: binary R2, for all tmin and tmax with tmin <= tmax and tmin > 0",
        "R1 fails where 2*tmin <= tmax",
        "  at tmin = 1, tmax = 2: R1: p0 has received no beat of p1 for more than 2*tmax, and is still active",
        "1,2  2      timeout Round ○─beat─✗ lost on the way to p1    │",
        "  - durations are rational numbers: halving is exact, where a node counts whole units",
        "  watchkeeper regions binary --param tmin --param tmax --property R1,R2,R3",
    ] {
        assert!(said.out.lines().any(|told| told == line), "{line}\n{}", said.out);
    }
}

#[test]
fn the_keys_that_others_read_are_there() {
    let said = watchkeeper(&[&BINARY[..], &["--property", "R2", "--json", "-", "-q"]].concat());
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["holds_iff"], "tmin < tmax");
    let above = |tmin: i64, tmax: i64, strict: bool| json!({ "coefficients": { "tmin": tmin, "tmax": tmax }, "constant": 0, "strict": strict });
    assert_eq!(json["holds"], json!([[above(-1, 1, true)]]));
    // An equality is two constraints.
    assert_eq!(json["fails"], json!([[above(1, -1, false), above(-1, 1, false)]]));
    assert_eq!(json["undecided"], json!([]));
    assert_eq!((&json["verdict"], &json["exit_code"]), (&"regions".into(), &0.into()));
    assert_eq!(json["witnesses"][0]["point"], json!({ "tmin": 1, "tmax": 1 }));
    let command = json["witnesses"][0]["command"].as_str().expect("a command");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(watchkeeper(&words).code, 12, "{command}");
}

#[test]
fn what_is_undecided_has_a_hint_that_decides_it() {
    let corrected =
        [&BINARY[..], &["--corrected", "--property", "R1", "--max-states", "300", "-q", "--json", "-"]]
            .concat();
    let said = watchkeeper(&corrected);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &json["verdict"]), (153, &"unknown".into()));
    let hint = json["hint"].as_str().expect("a hint");
    let (_, condition) = hint.split_once("--where '").expect("a condition");
    let condition = condition.trim_end_matches('\'');
    assert_eq!(condition, "tmax <= 16*tmin");
    let bounded = [&BINARY[..], &["--corrected", "--property", "R1", "--where", condition]].concat();
    let said = watchkeeper(&bounded);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("HOLDS ALWAYS: binary R1, for all tmin and tmax with "), "{}", said.out);
}

#[test]
fn a_free_bound_gives_the_tightest_one() {
    let asked = ["--param", "bound", "--property", "R1", "--where", "2*tmin > tmax", "-q", "--json", "-"];
    let said = watchkeeper(&[&BINARY[..], &asked].concat());
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["holds_iff"], "2*tmax <= bound");
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let cases: [(&[&str], &str); 9] = [
        (&["--param", "tmim"], "there is no parameter `tmim`; did you mean `tmin`?"),
        (&["--param", "tmin"], "`tmin` is named twice; once is enough"),
        (&["--tmin", "3"], "`tmin` has a value and is unknown; leave out one of the two"),
        (&["--where", "tmin > tmax"], "no parameters are left to ask about, for the protocol refuses"),
        (&["--where", "tmin < 0"], "no parameters fulfil this and the conditions before it"),
        (&["--where", "tmin*tmax > 3"], "multiplies parameters; regions are linear"),
        (&["--where", "tmin >"], "the text ends; write an expression"),
        (&["--property", "R7"], "there is no property for regions `R7`"),
        (&["--property", "detection"], "detection has a bound: write detection:B"),
    ];
    for (flags, why) in cases {
        let said = watchkeeper(&[&BINARY[..], flags].concat());
        assert_eq!(said.code, 150, "{flags:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(why), "{flags:?}: {}", said.err);
    }
    let said = watchkeeper(&["regions", "binary"]);
    assert!(said.code == 150 && said.err.contains("name at least one with --param NAME"), "{}", said.err);
    let said = watchkeeper(&["regions", "membership", "--param", "delay"]);
    assert!(said.code == 150 && said.err.contains("durations of membership are numbers"), "{}", said.err);
}

/// Numbers that are too large are no answer, and no panic.
#[test]
fn overflow_is_undecided() {
    let large = "4611686018427387904*tmin < 4611686018427387903*tmax";
    let said =
        watchkeeper(&[&BINARY[..], &["--property", "R1", "--max-states", "300", "--where", large]].concat());
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.out.contains("became too large to be exact"), "{}", said.out);
}
