//! The casebook from the command line: the published models give the published answers.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

#[test]
fn alone_it_lists_the_cases() {
    let said = watchkeeper(&["casebook"]);
    assert_eq!(said.code, 0);
    for part in
        ["ring\n", "process-algebra, csp, tasks", "block, report, ignore", "Try: watchkeeper casebook"]
    {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn the_process_algebra_model_has_its_published_levels_and_deadlock() {
    let args = ["casebook", "ring", "--model", "process-algebra", "--channel", "block", "--buffer", "1"];
    let said = watchkeeper(&[&args[..], &["--json", "-"]].concat());
    assert_eq!(said.code, 11, "{}", said.err);
    assert!(
        said.err.starts_with("VIOLATED: deadlock after 20 steps (no shorter run exists)"),
        "{}",
        said.err
    );
    let verdict: Value = serde_json::from_str(&said.out).expect("JSON");
    let sizes: Vec<u64> = serde_json::from_value(verdict["level_sizes"].clone()).expect("numbers");
    let sums: Vec<u64> = sizes
        .iter()
        .scan(0, |sum, size| {
            *sum += size;
            Some(*sum)
        })
        .collect();
    let published = [
        1, 5, 17, 47, 120, 287, 641, 1357, 2744, 5315, 9933, 17989, 31674, 54403, 91346, 150235, 242273,
        383474, 595979, 909922, 1365150,
    ];
    assert_eq!(sums, published);
    let command =
        "watchkeeper casebook ring --model process-algebra --channel block --buffer 1 --crash any-time";
    assert_eq!(verdict["command"], command);
}

#[test]
fn a_published_model_is_asked_a_formula() {
    let ring = ["casebook", "ring", "--model", "csp", "--channel", "ignore"];
    let said = watchkeeper(&[&ring[..], &["--ltl", "G !suspects(p0,p2)", "--fairness", "steps"]].concat());
    // A state that breaks it is enough, whatever comes after.
    assert_eq!(said.code, 12, "{}", said.err);
    let again = "--crash any-time --ltl 'G !suspects(p0,p2)' --fairness steps";
    assert!(said.out.contains(again), "{}", said.out);
    let said = watchkeeper(&[&ring[..], &["--ltl", "G !suspect(p0,p2)"]].concat());
    assert_eq!(said.code, 150);
    assert!(said.err.contains("did you mean `suspects(p0,p2)`?"), "{}", said.err);
}

#[test]
fn a_channel_that_reports_and_an_oscillation_violate_safety() {
    let report = watchkeeper(&["casebook", "ring", "--model", "csp", "--channel", "report"]);
    assert_eq!(report.code, 12, "{}", report.err);
    assert!(report.out.starts_with("VIOLATED: within-capacity"), "{}", report.out);
    let args = ["casebook", "ring", "--model", "csp", "--channel", "ignore", "--oscillations", "1"];
    let once = watchkeeper(&args);
    assert_eq!(once.code, 12, "{}", once.err);
    assert!(once.out.contains("oscillation"), "{}", once.out);
}

#[test]
fn limits_and_outputs_are_those_of_check() {
    let room = Room::new("casebook");
    let svg = room.arg("why.svg");
    let args =
        ["casebook", "ring", "--model", "tasks", "--max-states", "1000", "--chart", &svg, "--workers", "1"];
    let said = watchkeeper(&args);
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.out.contains("--max-states 1000"), "{}", said.out);
    assert!(room.names().is_empty());
}

#[test]
fn the_table_is_printed_beside_what_is_found() {
    let said = watchkeeper(&["casebook", "ring", "--max-states", "2000", "--json", "-"]);
    assert_eq!(said.code, 153, "{}", said.err);
    let table: Value = serde_json::from_str(&said.out).expect("JSON");
    let rows = table["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 15);
    assert_eq!((&rows[0]["tool"], &rows[0]["states"]), (&Value::from("mCRL2"), &Value::from("588,641")));
    assert!(said.err.contains("Table 6.1"), "{}", said.err);
    assert_eq!(table["command"], "watchkeeper casebook ring --max-states 2000");
}

#[test]
fn the_tables_of_the_heartbeats_are_as_printed_cell_by_cell() {
    let room = Room::new("heartbeats");
    let (csv, json) = (room.arg("t.csv"), room.arg("t.json"));
    let args = ["casebook", "heartbeats", "--protocol", "binary,two-phase", "--original"];
    let said = watchkeeper(&[&args[..], &["--csv", &csv, "--json", &json]].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for part in
        ["Tables 3.1 and 3.2", "not reported", ", all as verified before and alike in ticks and in zones"]
    {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert_eq!(room.read("t.csv").lines().count(), 31);
    let table: Value = serde_json::from_str(&room.read("t.json")).expect("JSON");
    let rows = table["rows"].as_array().expect("rows");
    let cell = rows.iter().find(|row| row["tmin"] == "5" && row["requirement"] == "R1").expect("a cell");
    assert_eq!((&cell["thesis"], &cell["dense"]), (&Value::from("F"), &Value::from("F after 4 steps")));
    assert_eq!(table["command"], "watchkeeper casebook heartbeats --original --protocol binary,two-phase");
}

#[test]
fn a_choice_of_cells_and_a_limit() {
    let args =
        ["casebook", "heartbeats", "--protocol", "expanding", "--corrected", "--time", "dense", "--n", "1"];
    let said = watchkeeper(&args);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(
        said.out.contains("15 rows in ") && said.out.contains(", all as verified before\n"),
        "{}",
        said.out
    );
    let said = watchkeeper(&[&args[..], &["--max-states", "5"]].concat());
    assert_eq!(said.code, 153, "{}", said.out);
    assert!(said.out.contains(", 15 of them not decided"), "{}", said.out);
}

#[test]
fn the_block_of_figure_6_13_is_drawn_with_its_times() {
    let args = ["casebook", "ring-timed", "--model", "weak-accuracy", "--max-delta", "2", "--order", "any"];
    let said = watchkeeper(&args);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(said.out.starts_with("VIOLATED: p0 and p2 never block each other after "), "{}", said.out);
    assert!(said.out.contains(", at time 2 ") && said.out.contains("blocked: channel to"), "{}", said.out);
    let again = "watchkeeper casebook ring-timed --model weak-accuracy --order any --buffer 1 --max-delta 2 \
                 --clock every-resend --crash at-start --ask mutual-block";
    assert!(said.out.contains(again), "{}", said.out);
}

#[test]
fn what_is_not_in_the_book_is_refused() {
    let cases: [(&[&str], &str); 20] = [
        (&["casebook", "ring-timed", "--model", "petri-net"], "weak-accuracy"),
        (&["casebook", "ring-timed", "--model", "weak-accuracy", "--buffer", "0"], "--buffer: "),
        (&["casebook", "ring-timed", "--model", "weak-accuracy", "--max-delta", "99"], "--max-delta: "),
        (&["casebook", "ring-timed", "--model", "weak-accuracy", "--ask", "why"], "mutual-block"),
        (
            &["casebook", "ring-timed", "--model", "weak-accuracy", "--channel", "block"],
            "unexpected argument '--channel'",
        ),
        (&["casebook", "ring", "--model", "csp", "--clock", "every-resend"], "unexpected argument '--clock'"),
        (&["casebook", "heartbeats", "--model", "csp"], "unexpected argument '--model'"),
        (&["casebook", "ring", "--time", "dense"], "unexpected argument '--time'"),
        (&["casebook", "heartbeats", "--n", "0"], "--n 0: 0 participants"),
        (&["casebook", "heartbeats", "--protocol", "ring"], "--protocol ring"),
        (&["casebook", "heartbeats", "--time", "untimed"], "ticks, dense, both"),
        (&["casebook", "heartbeats", "--corrected", "--original"], "--original"),
        (&["casebook", "rign"], "unrecognized subcommand 'rign'"),
        (&["casebook", "ring", "--model", "petri-net"], "process-algebra"),
        (&["casebook", "ring", "--model", "csp", "--channel", "drop"], "block, report, ignore"),
        (&["casebook", "ring", "--model", "csp", "--buffer", "0"], "--buffer"),
        (
            &["casebook", "ring", "--model", "csp", "--buffer", "many"],
            "invalid value 'many' for '--buffer <N>'",
        ),
        (&["casebook", "ring", "--model", "csp", "--oscillations", "0"], "0 is not in 1.."),
        (&["casebook", "ring", "--channel", "block"], "--model"),
        (&["casebook", "ring", "--model", "csp", "--heavy"], "--heavy"),
    ];
    for (args, part) in cases {
        let said = watchkeeper(args);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(part), "{args:?}: `{part}` is missing in:\n{}", said.err);
    }
}
