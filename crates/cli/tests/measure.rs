//! `measure` and `compare`: what they print and write, what is had again, and what is refused.

mod binary;

use binary::{Room, Said, watchkeeper};
use serde_json::Value;

/// A measurement of a few batches.
const SHORT: [&str; 6] = ["--batches", "40", "--crashes", "20", "--bound", "none"];

const NFD_S: [&str; 11] = [
    "nfd-s",
    "--n",
    "2",
    "--param",
    "eta=1s",
    "--param",
    "delta=50ms",
    "--delay",
    "exp:20ms",
    "--loss",
    "1%",
];

fn measure(args: &[&str]) -> Said {
    watchkeeper(&[&["measure"], args].concat())
}

fn json(said: &Said) -> Value {
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    serde_json::from_str(&said.out).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_exact_figures_are_within_the_intervals() {
    let found = json(&measure(&[&NFD_S[..], &SHORT, &["--json", "-"]].concat()));
    // By the formulas of Chen, Toueg and Aguilera.
    for (name, truth) in
        [("mistake_recurrence", 11.068), ("mistake_duration", 0.12525), ("query_accuracy", 0.98868)]
    {
        let figure = &found[name];
        assert!(number(&figure["low"]) < truth && truth < number(&figure["high"]), "{name}: {figure}");
        assert!(number(&figure["low"]) < number(&figure["mean"]), "{name}: {figure}");
    }
    for name in ["detection", "mistake_recurrence", "mistake_duration"] {
        assert!(number(&found[name]["p50"]) <= number(&found[name]["p99"]), "{name}: {}", found[name]);
    }
    assert!(number(&found["detection"]["p99"]) <= 1.05 * 1.01, "{}", found["detection"]);
    assert_eq!((&found["protocol"], &found["n"], &found["tick"]), (&"nfd-s".into(), &2.into(), &0.05.into()));
    assert_eq!(found["params"], serde_json::json!({ "eta": "1s", "delta": "50ms" }));
    assert_eq!((&found["undetected"], &found["detections"]), (&0.into(), &800.into()));
    assert_eq!((number(&found["messages_per_second"]) * 1000.0).round(), 1000.0);
    assert_eq!(found["ended_by"], "batches");
}

#[test]
fn the_command_that_is_printed_gives_the_same_figures() {
    let first =
        json(&measure(&[&NFD_S[..], &["--precision", "20%", "--bound", "none", "--json", "-"]].concat()));
    assert_eq!((&first["ended_by"], &first["precise"]), (&"precision".into(), &true.into()));
    let again = first["again"].as_str().expect("a command");
    let words: Vec<&str> = again.split_whitespace().skip(1).collect();
    let second = json(&watchkeeper(&[&words[..], &["--workers", "1", "--json", "-"]].concat()));
    for name in ["detection", "mistake_recurrence", "mistake_duration", "query_accuracy", "events", "again"] {
        assert_eq!(first[name], second[name], "{name}");
    }
}

#[test]
fn the_bound_that_the_model_proves_stands_beside_the_figures() {
    let room = Room::new("measure-bound");
    let svg = room.arg("spread.svg");
    let args = [
        "chandra-toueg",
        "--n",
        "2",
        "--param",
        "period=100ms",
        "--param",
        "timeout=300ms",
        "--param",
        "cap=300ms",
    ];
    let short = ["--delay", "uniform:0ms,50ms", "--batches", "10", "--bound", "60s", "--svg", &svg];
    let said = measure(&[&args[..], &short].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    // A heartbeat leaves up to 100 ms before the crash, arrives 50 ms later at most, and is waited for 300 ms.
    assert!(
        said.out.contains("every crash is detected within 0.3500 s, if there are 2 processes"),
        "{}",
        said.out
    );
    assert!(said.out.contains("takes at most 50ms, as all do here"), "{}", said.out);
    assert!(room.read("spread.svg").contains("proved bound 0.3500 s"));
}

#[test]
fn detectors_are_compared_in_one_table() {
    let room = Room::new("compare");
    let (svg, file) = (room.arg("plot.svg"), room.arg("all.json"));
    let two = [
        "compare",
        "nfd-s:eta=1s,delta=50ms",
        "chandra-toueg:period=1s,timeout=1100ms,cap=1100ms",
        "--n",
        "2",
    ];
    let said = watchkeeper(
        &[&two[..], &["--loss", "2%", "--markdown", "--svg", &svg, "--json", &file], &SHORT].concat(),
    );
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("| nfd-s:delta=50ms,eta=1s "), "{}", said.out);
    let all: Value = serde_json::from_str(&room.read("all.json")).expect("JSON");
    let rows = all["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[1]["protocol"], &rows[1]["tick"]), (&"chandra-toueg".into(), &0.05.into()));
    assert!(room.read("plot.svg").contains("nfd-s:delta=50ms,eta=1s"));
    let family =
        [&NFD_S[..5], &["--loss", "2%", "--family", "delta=50ms,100ms,200ms", "--svg", &svg], &SHORT]
            .concat();
    let said = measure(&family);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for delta in ["50ms", "100ms", "200ms"] {
        assert!(room.read("plot.svg").contains(&format!("delta={delta}")), "{delta}");
    }
}

#[test]
fn a_trace_is_a_network() {
    let room = Room::new("measure-trace");
    let line = |k: u32| {
        format!(
            "{},{}\n",
            f64::from(k),
            if k.is_multiple_of(10) { String::new() } else { f64::from(k).to_string() }
        )
    };
    let good = room.file("good.csv", &format!("sent,received\n{}", (1..=50).map(line).collect::<String>()));
    let found = json(&measure(&[&NFD_S[..7], &["--trace", &good, "--json", "-"], &SHORT].concat()));
    assert!(
        (number(&found["mistake_recurrence"]["mean"]) - 10.0).abs() < 0.1,
        "{}",
        found["mistake_recurrence"]
    );
    let dir = room.arg("recorded");
    let said = watchkeeper(&[
        "simulate",
        "ring",
        "--n",
        "3",
        "--nemesis",
        "none",
        "--seeds",
        "6..7",
        "--record",
        &dir,
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    let found = json(&measure(&[&NFD_S[..7], &["--trace", &dir, "--json", "-"], &SHORT].concat()));
    assert_eq!(found["network"]["trace"], dir.as_str());
    for (lines, why) in [
        ("1,2\n3,2.5\n", "line 3: the message was received before it was sent"),
        ("1,2\n0.5,2.5\n", "line 3: the message was sent before the one above it"),
        ("1,x\n", "line 2: expected two numbers of seconds"),
    ] {
        let bad = room.file("bad.csv", &format!("sent,received\n{lines}"));
        let said = measure(&[&NFD_S[..7], &["--trace", &bad]].concat());
        assert_eq!(said.code, 150, "{lines}: {}{}", said.out, said.err);
        assert!(said.err.contains(why), "{lines}: {}", said.err);
    }
}

#[test]
fn bad_input_is_refused_with_what_to_write() {
    for (args, part) in [
        (&["nfd-s", "--delay", "exp:-20ms"][..], "`-20ms` is negative"),
        (
            &["nfd-s", "--delay", "expo:20ms"],
            "`expo` is no distribution; did you mean `exp`? Known: constant, uniform",
        ),
        (&["nfd-s", "--delay", "20ms"], "`20ms` is not a distribution of delays; write constant:2ms"),
        (&["nfd-s", "--delay", "lognormal:20ms,-1"], "`-1` does not do for a sigma or a shape"),
        (&["nfd-s", "--delay", "uniform:4ms,2ms"], "ends before it begins"),
        (&["nfd-s", "--loss", "101%"], "`101%` is not between 0% and 100%"),
        (&["nfd-s", "--loss", "1.5"], "`1.5` is not between 0% and 100%"),
        (&["nfd-s", "--loss", "some"], "`some` is not a share; write one like 1% or 0.01"),
        (&["nfd-s", "--precision", "0%"], "above 0% and below 100%"),
        (&["nfd-s", "--confidence", "100%"], "above 0% and below 100%"),
        (&["nfd-s", "--burst", "gilbert:1%"], "write gilbert-elliott:TO_BAD"),
        (&["nfd-s", "--burst", "gilbert-elliott:1%,0%,0%,50%"], "stays bad"),
        (&["nfd-s", "--slow", "9:blocked=exp:1s,normal=exp:1s"], "so that 9 of them cannot be slow"),
        (&["nfd-s", "--slow", "1:blocked=exp:1s"], "write COUNT:blocked=DISTRIBUTION,normal=DISTRIBUTION"),
        (&["nfd-s", "--slow", "1:blocked=exp:1s,normal=constant:0ms"], "takes no time"),
        (&["nfd-s", "--rare", "allways"], "did you mean `always`?"),
        (&["nfd-s", "--batches", "1"], "`1` is not a number; give one from 2 on"),
        (&["nfd-s", "--param", "eta=1s", "--tick", "300ms"], "no whole number of ticks of 300ms"),
        (&["nfd-s", "--param", "etta=1s"], "did you mean `eta`?"),
        (&["nfd-s", "--trace", "/nowhere/at.all"], "cannot be read"),
        (&["nfd-s", "--family", "delta"], "expected NAME=VALUE,VALUE"),
        (&["nfd-s", "--param", "delta=1", "--family", "delta=1,2"], "leave it out"),
        (&["nfd-s", "--lasts", "48h"], "nothing here takes longer than a day"),
        (&["consensus-strong"], "it is no failure detector, so it has no suspect set"),
        (&["binary"], "no suspect set and its mistakes never end"),
        (&["nfd-x"], "did you mean `nfd-"),
        (&[], "which protocol? Name one of: ring"),
    ] {
        let said = measure(args);
        assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
    let said = watchkeeper(&["compare", "nfd-s:eta", "ring"]);
    assert_eq!(said.code, 150, "{}{}", said.out, said.err);
}

#[test]
fn time_that_is_up_ends_it_with_what_is_known() {
    let said =
        measure(&[&NFD_S[..], &["--precision", "0.001%", "--timeout", "1s", "--bound", "none"]].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("The time was up before every interval was within 0.001%"), "{}", said.out);
    assert!(said.out.contains(" --seed 1 --batches "), "{}", said.out);
}
