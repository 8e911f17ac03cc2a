//! Checks with time: the heartbeat protocols by name, requirement by requirement, in ticks and in dense time;
//! time-locks; and detectors whose timeouts grow.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

/// The exit code and the first line.
fn answer(args: &str) -> (i32, String) {
    let said = watchkeeper(&args.split(' ').collect::<Vec<_>>());
    (said.code, said.out.lines().next().unwrap_or(&said.err).to_string())
}

#[test]
fn the_binary_protocol_at_four_and_ten_fails_r1_in_both_models_of_time() {
    let (code, line) = answer("check binary --tmin 4 --tmax 10 --property R1 --time dense");
    assert_eq!(code, 12);
    assert_eq!(line, "VIOLATED: R1 after 4 steps, at time 21 (no shorter run exists)");
    let (code, line) = answer("check binary --tmin 4 --tmax 10 --property R1 --time ticks");
    assert_eq!((code, line.contains("at time 21")), (12, true), "{line}");
}

#[test]
fn every_protocol_of_the_family_is_known_by_name() {
    for (args, code) in [
        ("check revised --tmin 9", 0),
        ("check two-phase --tmin 9", 0),
        ("check static --n 2 --tmin 9", 0),
        ("check expanding --n 1 --tmin 9 --property R1,R3", 0),
        ("check expanding --n 1 --tmin 9 --property R2", 12),
        ("check dynamic --n 1 --tmin 10 --property R3", 12),
        ("check dynamic --n 1 --tmin 10 --corrected", 0),
        ("check binary --tmin 10 --corrected --time ticks", 0),
    ] {
        let said = answer(args);
        assert_eq!(said.0, code, "{args}: {}", said.1);
    }
}

#[test]
fn without_a_property_each_requirement_has_its_verdict_and_the_worst_decides() {
    let said = watchkeeper(&["check", "binary", "--tmin", "5"]);
    assert_eq!(said.code, 12, "{}", said.err);
    let lines: Vec<&str> = said.out.lines().take(3).collect();
    assert!(lines[0].starts_with("VIOLATED: R1 after 4 steps, at time 21"), "{}", said.out);
    assert!(lines[1].starts_with("HOLDS: R2, in all ") && lines[1].ends_with(" zones"), "{}", said.out);
    assert!(lines[2].starts_with("HOLDS: R3, in all "), "{}", said.out);
    for part in
        ["Search for R1\n", "Search for R3\n", "Rests on\n", "Again\n  watchkeeper check binary --n 1"]
    {
        assert_eq!(said.out.matches(part).count(), 1, "{part}:\n{}", said.out);
    }
    assert!(!said.out.contains("leave"), "binary has no such message:\n{}", said.out);
}

#[test]
fn several_verdicts_are_one_object_of_json() {
    let said = watchkeeper(&["check", "binary", "--tmin", "5", "--json", "-", "-q"]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&json["verdict"], &json["exit_code"]), (&Value::from("violated"), &Value::from(12)));
    let verdicts = json["verdicts"].as_array().expect("a list");
    let words: Vec<(&str, &str)> = verdicts
        .iter()
        .map(|one| (one["property"].as_str().unwrap_or(""), one["verdict"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(words, [("R1", "violated"), ("R2", "holds"), ("R3", "holds")]);
    assert_eq!(verdicts[0]["unit"], "zones");
    let times: Vec<&Value> =
        verdicts[0]["trace"]["steps"].as_array().expect("steps").iter().map(|step| &step["at"]).collect();
    assert_eq!(times.last(), Some(&&Value::from("21")));
}

/// A timeout, a loss, a timeout, and the bound is passed.
#[test]
fn the_failure_of_r1_at_five_and_ten_has_the_time_of_each_action() {
    let room = Room::new("timed-chart");
    let names = ["why.txt", "why.svg", "why.mmd", "why.itf.json"];
    let [text, svg, mermaid, itf] = names.map(|name| room.arg(name));
    let args = ["check", "binary", "--tmin", "5", "--tmax", "10", "--crashes", "0", "--property", "R1"];
    let outputs = ["--chart", &text, "--chart", &svg, "--chart", &mermaid, "--out-itf", &itf];
    for time in ["dense", "ticks"] {
        let said = watchkeeper(&[&args[..], &["--time", time], &outputs[..]].concat());
        assert_eq!(said.code, 12, "{}", said.err);
        let chart = room.read("why.txt");
        let lines: Vec<&str> = chart.lines().collect();
        assert!(lines[0].contains("time"), "{chart}");
        let order =
            [" 10 ", "timeout Round", "beat", "lost", " 20 ", "timeout Round", "beat", " 21 ", "R1: p0 has"];
        let mut rest = chart.as_str();
        for part in order {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} is missing or too early:\n{chart}"));
            rest = &rest[at + part.len()..];
        }
        assert!(lines.len() <= 8, "ticks have no lines:\n{chart}");
        assert!(room.read("why.svg").contains(">21</text>"));
        assert!(room.read("why.mmd").contains("[20] timeout Round"));
        let trace: Value = serde_json::from_str(&room.read("why.itf.json")).expect("ITF");
        let last = trace["states"].as_array().and_then(|states| states.last()).expect("a state");
        assert_eq!(last["time"]["#bigint"], "21", "{time}");
    }
}

#[test]
fn large_constants_are_decided_in_zones() {
    let (code, line) = answer("check binary --tmin 1000 --tmax 10000 --property R1");
    assert_eq!(code, 12);
    assert!(line.contains("at time 20001"), "{line}");
    let said = watchkeeper(&["check", "binary", "--tmin", "1000", "--tmax", "10000", "--corrected"]);
    assert_eq!(said.code, 0, "{}", said.out);
}

#[test]
fn a_requirement_can_be_asked_of_one_participant() {
    let (code, line) = answer("check static --n 2 --tmin 9 --property R1:p2");
    assert_eq!(code, 0);
    assert!(line.starts_with("HOLDS: R1:p2, in all "), "{line}");
}

#[test]
fn participants_are_alike_unless_somebody_says_otherwise() {
    let zones = |args: &[&str]| -> u64 {
        let args =
            [&["check", "static", "--tmin", "9", "--property", "R2", "--json", "-", "-q"], args].concat();
        let json: Value = serde_json::from_str(&watchkeeper(&args).out).expect("JSON");
        assert_eq!(json["verdict"], "holds");
        json["distinct_states"].as_u64().expect("a number")
    };
    let (usual, whole) = (zones(&[]), zones(&["--symmetry=false"]));
    assert!(usual < whole, "{usual} {whole}");
    assert_eq!(zones(&["--symmetry"]), usual);
}

#[test]
fn a_time_lock_is_named_as_such() {
    let args = "check ring --n 2 --time ticks --delay 1..2 --channel block:1 --param round=3";
    let (code, line) = answer(args);
    assert_eq!(code, 11);
    assert!(line.starts_with("VIOLATED: time-lock after "), "{line}");
    let mut words: Vec<&str> = args.split(' ').collect();
    words.extend(["--json", "-", "-q"]);
    let json: Value = serde_json::from_str(&watchkeeper(&words).out).expect("JSON");
    assert_eq!(json["finding"], "time-lock");
    let (code, line) = answer("check ring --n 2 --time ticks --delay 1..2 --channel drop:1 --param round=3");
    assert_eq!((code, line.contains("time-lock")), (0, false), "{line}");
}

#[test]
fn timeouts_grow_up_to_their_cap() {
    let ring = "check ring-strong-accuracy --n 2 --time ticks --delay 1..2 --channel drop:2";
    assert_eq!(answer(&format!("{ring} --param max-delta=4")).0, 0);
    let (code, line) = answer(&format!("{ring} --param max-delta=4 --property below-max-delta"));
    assert_eq!(code, 12, "{line}");
    for detector in ["ring-weak-accuracy", "ring-strong-completeness", "ring-asking-again"] {
        let args =
            format!("check {detector} --n 2 --time dense --delay 1 --channel drop:2 --param max-delta=3");
        assert_eq!(answer(&args).0, 0, "{detector}");
    }
}

#[test]
fn the_command_of_a_timed_verdict_gives_it_again() {
    let room = Room::new("timed-again");
    let text = "protocol = \"static\"\nn = 2\ntmin = 4\ncorrected = true\ntime = \"ticks\"\nloss = 1\n\
                crashes = 1\nproperty = [\"R2\"]\n[param]\ntmax = 6\n";
    let file = room.file("s.toml", text);
    let read = |args: &[&str]| -> Value {
        serde_json::from_str(&watchkeeper(&[args, &["--json", "-", "-q"]].concat()).out).expect("JSON")
    };
    let first = read(&["check", &file]);
    let command = first["command"].as_str().expect("a command");
    assert_eq!(
        command,
        "watchkeeper check static --n 2 --crashes 1 --channel unbounded:8 --loss 1 --time ticks --round-trip 4 \
         --simultaneous deliveries-first --property R2 --tmin 4 --tmax 6 --corrected"
    );
    let again = read(&command.split(' ').skip(1).collect::<Vec<_>>());
    for field in ["verdict", "distinct_states", "transitions", "coverage", "command"] {
        assert_eq!(again[field], first[field], "{field}");
    }
}
