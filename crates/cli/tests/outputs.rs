//! What a run leaves behind: JSON with every field, charts by their ending, traces, small spaces.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

const DEADLOCK: [&str; 6] = ["check", "ring", "--crashes", "1", "--channel", "block:1"];
const HOLDS: [&str; 6] = ["check", "ring", "--n", "2", "--channel", "drop:1"];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why} in:\n{text}"))
}

#[test]
fn json_on_standard_output_is_pure_and_the_report_goes_to_standard_error() {
    let said = watchkeeper(&[&HOLDS[..], &["--json", "-"]].concat());
    assert_eq!(said.code, 0);
    assert_eq!(json(&said.out)["verdict"], "holds");
    assert!(said.err.contains("HOLDS: no deadlock"), "{}", said.err);
}

#[test]
fn the_json_verdict_has_every_field() {
    let said = watchkeeper(&[&DEADLOCK[..], &["--json", "-", "--quiet"]].concat());
    assert_eq!(said.code, 11);
    let verdict = json(&said.out);
    let fields = [
        "verdict",
        "property",
        "distinct_states",
        "transitions",
        "levels",
        "trace_steps",
        "seconds",
        "peak_bytes",
        "assumptions",
        "coverage",
        "command",
    ];
    for field in fields {
        assert!(!verdict[field].is_null(), "{field} is missing:\n{}", said.out);
    }
    assert_eq!(verdict["verdict"], "violated");
    assert_eq!(verdict["trace_steps"], 6);
    assert_eq!(verdict["exit_code"], 11);
    assert_eq!(verdict["trace"]["steps"].as_array().map(Vec::len), Some(6));
    assert!(verdict["peak_bytes"].as_u64() > Some(1 << 20), "{}", verdict["peak_bytes"]);
}

#[test]
fn the_command_of_a_verdict_gives_it_again() {
    let room = Room::new("again");
    let file =
        room.file("s.toml", "protocol = \"ring\"\ncrashes = 1\nchannel = \"block:1\"\nmax-depth = 9\n");
    let first = json(&watchkeeper(&["check", &file, "--json", "-", "-q"]).out);
    let command = first["command"].as_str().expect("a command");
    let mut words: Vec<&str> = command.split(' ').skip(1).collect();
    words.extend(["--json", "-", "-q"]);
    let again = json(&watchkeeper(&words).out);
    for field in ["verdict", "limit", "distinct_states", "transitions", "level_sizes", "coverage", "command"]
    {
        assert_eq!(again[field], first[field], "{field}");
    }
}

#[test]
fn every_output_of_a_violation_is_written_and_nothing_else() {
    let room = Room::new("all");
    let names = ["verdict.json", "why.mmd", "why.svg", "why.txt", "trace.itf.json"];
    let [verdict, mermaid, svg, text, trace] = names.map(|name| room.arg(name));
    let outputs =
        ["--json", &verdict, "--chart", &mermaid, "--chart", &svg, "--chart", &text, "--out-itf", &trace];
    let said = watchkeeper(&[&DEADLOCK[..], &outputs[..]].concat());
    assert_eq!(said.code, 11, "{}", said.err);
    assert!(said.out.starts_with("VIOLATED"), "{}", said.out);
    let mut sorted = names.map(str::to_string);
    sorted.sort();
    assert_eq!(room.names(), sorted);
    assert_eq!(json(&room.read("verdict.json"))["trace"]["steps"].as_array().map(Vec::len), Some(6));
    assert!(room.read("why.mmd").contains("sequenceDiagram"));
    assert!(room.read("why.svg").starts_with("<svg"), "{}", &room.read("why.svg")[..80]);
    assert!(room.read("why.txt").contains("blocked"));
    assert_eq!(json(&room.read("trace.itf.json"))["states"].as_array().map(Vec::len), Some(7));
}

#[test]
fn where_nothing_is_violated_there_is_no_chart_and_a_note_says_so() {
    let room = Room::new("nothing");
    let said = watchkeeper(
        &[&HOLDS[..], &["--chart", &room.arg("why.svg"), "--json", &room.arg("v.json")]].concat(),
    );
    assert_eq!(said.code, 0);
    assert!(said.err.contains("why.svg is not written"), "{}", said.err);
    assert_eq!(room.names(), ["v.json"]);
}

#[test]
fn small_spaces_are_listed() {
    let room = Room::new("listed");
    let (dot, aut) = (room.arg("all.dot"), room.arg("all.aut"));
    let said =
        watchkeeper(&[&HOLDS[..], &["--out-dot", &dot, "--out-aut", &aut, "--json", "-", "-q"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let verdict = json(&said.out);
    let (aut, states) = (room.read("all.aut"), format!(", {})", verdict["distinct_states"]));
    let header = aut.lines().next().expect("a header");
    assert!(header.starts_with("des (0, ") && header.ends_with(&states), "{header}");
    assert!(room.read("all.dot").contains("digraph"));
}

#[cfg(target_os = "linux")]
#[test]
fn one_output_that_fails_does_not_lose_the_others() {
    let room = Room::new("full");
    let said =
        watchkeeper(&[&DEADLOCK[..], &["--json", "/dev/full", "--chart", &room.arg("why.txt")]].concat());
    assert_eq!(said.code, 150, "{}", said.err);
    assert!(said.err.contains("not every output was written:\n  /dev/full: "), "{}", said.err);
    assert!(said.out.starts_with("VIOLATED: deadlock after 6 steps"), "{}", said.out);
    assert!(room.read("why.txt").contains("blocked"));
}
