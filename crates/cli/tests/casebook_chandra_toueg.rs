//! The detector of Chandra and Toueg from the command line: the published figures, verdicts with charts, and the
//! least timeouts with the formula that is conjectured from them.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

const CASE: [&str; 2] = ["casebook", "chandra-toueg"];

fn run(args: &[&str]) -> binary::Said {
    watchkeeper(&[&CASE[..], args].concat())
}

#[test]
fn alone_it_prints_both_tables_with_the_misprint() {
    let room = Room::new("chandra-toueg");
    let csv = room.arg("t.csv");
    let said = run(&["--csv", &csv, "--json", "-"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for part in ["Tables 1 and 2", "6 (printed 5)", "misprint", "not searched: heavy"] {
        assert!(said.err.contains(part), "{part} is missing:\n{}", said.err);
    }
    let table: Value = serde_json::from_str(&said.out).expect("JSON");
    let rows = table["rows"].as_array().expect("rows");
    let figures: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            let cell = |name: &str| row[name].as_str().expect("a text");
            (cell("buffer"), cell("depth"), cell(""))
        })
        .collect();
    assert_eq!(figures[0], ("predicate", "176 levels", "as printed"));
    assert_eq!(figures[5], ("counter", "267 levels", "as printed"));
    assert_eq!(figures[6], ("predicate", "42 steps", "steps as printed"));
    assert_eq!(rows.len(), 11);
    assert_eq!(room.read("t.csv").lines().count(), 12);
    assert_eq!(table["command"], "watchkeeper casebook chandra-toueg");
}

#[test]
fn an_instance_that_holds_has_the_published_states() {
    for encoding in ["predicate", "counter"] {
        let args = ["--delta", "2", "--phi", "4", "--timeout", "26", "--property", "strong-accuracy"];
        let said = run(&[&args[..], &["--encoding", encoding, "--json", "-"]].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        let verdict: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(verdict["level_sizes"].as_array().map(Vec::len), Some(176));
        let command = format!(
            "watchkeeper casebook chandra-toueg --delta 2 --phi 4 --timeout 26 --property strong-accuracy \
             --encoding {encoding} --crash never"
        );
        assert_eq!(verdict["command"], command);
    }
}

#[test]
fn a_violation_is_a_chart_of_its_42_steps() {
    let said = run(&["--delta", "2", "--phi", "4", "--timeout", "3"]);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(said.out.starts_with("VIOLATED: strong-accuracy"), "{}", said.out);
    for part in ["after 42 steps", "no shorter run exists", "suspect sender", "waits 3 of 3", "receiver"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn a_number_is_the_first_timeout_and_a_span_the_time_to_search() {
    let args = ["--delta", "2", "--phi", "4", "--initial-timeout", "3", "--timeout", "10min"];
    let said = run(&args);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(
        said.out.contains("--initial-timeout 3 ") && said.out.contains("--timeout 10min"),
        "{}",
        said.out
    );
    let usual = run(&["--delta", "2", "--phi", "4"]);
    assert_eq!(usual.code, 0, "{}", usual.err);
    assert!(usual.out.contains("--timeout 26 "), "{}", usual.out);
}

#[test]
fn liveness_is_asked_of_infinite_runs() {
    let bounds = ["--delta", "2", "--phi", "2", "--timeout", "1"];
    for property in ["eventual-strong-accuracy", "strong-completeness", "bounded-completeness"] {
        let said = run(&[&bounds[..], &["--property", property]].concat());
        assert_eq!(said.code, 0, "{property}: {}{}", said.out, said.err);
        assert!(said.out.starts_with(&format!("HOLDS: {property}")), "{}", said.out);
        let crash = if property.ends_with("accuracy") { "--crash never" } else { "--crash any-time" };
        assert!(said.out.contains(crash), "{property}: {}", said.out);
    }
}

#[test]
fn the_least_timeouts_are_a_table_with_a_conjecture() {
    let room = Room::new("chandra-toueg-least");
    let csv = room.arg("least.csv");
    let said = run(&["--delta", "0..5", "--phi", "1..5", "--least", "timeout", "--csv", &csv]);
    assert_eq!(said.code, 0, "{}", said.err);
    let rows = "delta,phi=1,phi=2,phi=3,phi=4,phi=5\r\n0,3,6,9,12,15\r\n1,3,7,10,13,16\r\n2,3,7,10,13,16\r\n\
                3,6,9,12,15,18\r\n4,6,10,13,16,19\r\n5,6,10,13,16,19\r\n";
    assert_eq!(room.read("least.csv"), rows);
    for part in [
        "Conjecture, exact in all 30 decided cells of delta 0..5 and phi 1..5 and not proved beyond",
        "max(3*phi + 3*floor(delta/3), 3*phi + 3*floor((delta + 2)/3) - 2) for phi >= 2",
        "6*phi + delta of the paper is enough in every one of them",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn a_limit_leaves_cells_open() {
    let said = run(&["--delta", "0..1", "--phi", "1..3", "--least", "timeout", "--max-states", "500"]);
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.out.contains("left open by a limit"), "{}", said.out);
}

#[test]
fn what_is_not_in_the_book_is_refused() {
    let cases: [(&[&str], &str); 22] = [
        (&["--delta", "31", "--phi", "4"], "--delta: a delta of 31 is not possible: give 0 to 30"),
        (&["--delta", "2", "--phi", "0"], "--phi: a phi of 0 is not possible: give 1 to 40"),
        (&["--delta", "2", "--phi", "41"], "give 1 to 40"),
        (&["--delta=-1", "--phi", "4"], "--delta -1: `-1` is not a number of steps"),
        (&["--delta", "2"], "--phi is missing"),
        (&["--property", "strong-accuracy"], "--delta is missing"),
        (&["--delta", "two", "--phi", "4"], "`two` is not a number"),
        (&["--delta", "0..8", "--phi", "4"], "--delta 0..8: one instance has one delta"),
        (&["--delta", "2", "--phi", "4", "--timeout", "1001"], "--timeout 1001: a timeout of 1001"),
        (
            &["--delta", "2", "--phi", "4", "--timeout", "26", "--initial-timeout", "3"],
            "leave one of them out",
        ),
        (&["--delta", "2", "--phi", "4", "--timeout", "soon"], "is not a span of time"),
        (
            &["--delta", "2", "--phi", "4", "--property", "accuracy"],
            "strong-accuracy, eventual-strong-accuracy",
        ),
        (&["--delta", "2", "--phi", "4", "--encoding", "set"], "choose one of predicate, counter"),
        (&["--delta", "2", "--phi", "4", "--crash", "at-start"], "write any-time or never"),
        (
            &["--delta", "2", "--phi", "4", "--property", "strong-completeness", "--crash", "never"],
            "completeness is about a sender that crashes",
        ),
        (&["--least", "delta"], "--least delta: there is nothing but the timeout"),
        (&["--least", "timeout", "--timeout", "3"], "leave it out"),
        (&["--least", "timeout", "--delta", "8..0"], "8..0 is empty; write 0..8"),
        (&["--least", "timeout", "--phi", "0..8"], "--phi: a phi of 0 is not possible: give 1 to 40"),
        (&["--least", "timeout", "--property", "strong-completeness"], "is that for strong-accuracy"),
        (&["--delta", "2", "--phi", "4", "--heavy"], "--heavy is for the tables"),
        (&["--model", "csp"], "unexpected argument '--model'"),
    ];
    for (args, part) in cases {
        let said = run(args);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(part), "{args:?}: `{part}` is missing in:\n{}", said.err);
    }
    let said = watchkeeper(&["casebook", "ring", "--crash", "never"]);
    assert_eq!(said.code, 150, "{}", said.err);
    assert!(said.err.contains("--model"), "{}", said.err);
    let said = watchkeeper(&["casebook", "ring", "--delta", "2"]);
    assert!(said.err.contains("unexpected argument '--delta'"), "{}", said.err);
}
