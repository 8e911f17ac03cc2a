//! Membership on the command line: what holds and what breaks it, the reduction beside the full search, and what
//! cannot be is refused with what to do.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

/// The verdicts of a check.
fn verdicts(args: &[&str], code: i32) -> Vec<Value> {
    let all = [&["check", "membership"], args, &["--json", "-", "--quiet"]].concat();
    let said = watchkeeper(&all);
    assert_eq!(said.code, code, "{all:?}: {}{}", said.out, said.err);
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    found["verdicts"].as_array().cloned().unwrap_or_else(|| vec![found.clone()])
}

fn states(args: &[&str]) -> u64 {
    let found = verdicts(args, 0);
    assert_eq!(found.len(), 1);
    found[0]["distinct_states"].as_u64().expect("a number of states")
}

fn refused(args: &[&str], parts: &[&str]) {
    let all = [&["check", "membership"], args].concat();
    let said = watchkeeper(&all);
    assert_eq!(said.code, 150, "{all:?}: {}{}", said.out, said.err);
    for part in parts {
        assert!(said.err.contains(part), "{all:?}: `{part}` is missing in {}", said.err);
    }
}

#[test]
fn a_reduced_search_sees_fewer_states_and_says_the_same() {
    let faults = ["--param", "joins=no", "--property", "synchrony"];
    let (full, reduced) = (states(&faults), states(&[&faults[..], &["--reduce", "order"]].concat()));
    assert!(reduced < full, "{reduced} of {full}");
    let flawed = ["--param", "joins=no", "--param", "flaw=no-fault-messages", "--property", "synchrony"];
    verdicts(&flawed, 12);
    let reduced = verdicts(&[&flawed[..], &["--reduce", "order"]].concat(), 12);
    let command = reduced[0]["command"].as_str().unwrap_or_default().to_string();
    for part in ["--reduce order", "--param joins=no", "--param flaw=no-fault-messages"] {
        assert!(command.contains(part), "{part} is missing in {command}");
    }
}

#[test]
fn a_reduction_that_is_not_possible_is_refused_and_told_why() {
    refused(&["--reduce", "some"], &["--reduce: `some` is not a reduction; write order, or none"]);
    refused(
        &["--n", "2", "--reduce", "order", "--property", "merging"],
        &["partial-order", "every interleaving"],
    );
    refused(
        &["--n", "2", "--reduce", "order", "--property", "delivery"],
        &["partial-order", "look at anything"],
    );
    refused(
        &["--n", "2", "--reduce", "order", "--property", "consensus", "--search", "walks:3"],
        &["partial-order", "breadth-first"],
    );
    let said = watchkeeper(&[
        "check", "ring", "--n", "2", "--time", "ticks", "--delay", "0..1", "--reduce", "order",
    ]);
    assert!(said.code == 150 && said.err.contains("choose an untimed world"), "{} {}", said.code, said.err);
}

#[test]
fn groups_that_cannot_be() {
    refused(&["--param", "cliques=01|1"], &["--param cliques=01|1", "name it in one of them only"]);
    refused(&["--param", "cliques=01|7"], &["--param cliques=01|7", "name those below p3"]);
    refused(&["--param", "cliques=0x|2"], &["`x` is not a process", "such as 01|2"]);
    refused(&["--param", "cliques="], &["such as 01|2"]);
    refused(&["--param", "cliqes=alone"], &["no parameter `cliqes`; did you mean `cliques`?"]);
    refused(&["--param", "flaw=basik"], &["--param flaw=basik", "basic", "one-by-one"]);
    refused(&["--param", "ask=everyone"], &["--param ask=everyone", "write found or own"]);
    refused(&["--param", "joins=maybe"], &["--param joins=maybe", "write yes or no"]);
    refused(&["--param", "collect=sometimes"], &["write at-once, stable or never"]);
    refused(&["--param", "speakers=p5"], &["--param speakers=p5", "name those below p3"]);
    refused(&["--param", "leavers=9"], &["--param leavers=9", "name those below p3"]);
    refused(&["--param", "words=many"], &["--param words=many"]);
    refused(&["--n", "33"], &["--n: 33 processes are not possible; choose from 2 to 32"]);
    refused(&["--crashable", "p0,p1,p2"], &["all 3 processes may crash"]);
    refused(&["--property", "synchrony:p1"], &["synchrony says nothing of this process"]);
    refused(&["--property", "agreement"], &["there is no property `agreement`"]);
}

#[test]
fn what_the_protocol_does_not_promise_is_warned_of() {
    let warned = |args: &[&str]| {
        let all = [&["check", "membership", "--n", "2", "--max-states", "50"], args].concat();
        let said = watchkeeper(&all);
        format!("{}{}", said.out, said.err)
    };
    let unordered = warned(&["--order", "any", "--property", "synchrony"]);
    assert!(unordered.contains("keep the order of each sender"), "{unordered}");
    let loses = warned(&["--crash-loses", "--property", "synchrony"]);
    assert!(loses.contains("--param collect=stable"), "{loses}");
    let mistaken = warned(&["--oracle", "P:mistakes=1", "--property", "merging"]);
    assert!(mistaken.contains("--param returns=yes"), "{mistaken}");
}

#[test]
fn a_scenario_file_says_what_flags_say() {
    let room = Room::new("membership");
    let text = "protocol = \"membership\"\nn = 2\nproperty = [\"consensus\"]\nreduce = \"order\"\n[param]\ncliques = \"0|1\"\n\
                words = 1\n";
    let file = room.file("group.toml", text);
    let said = watchkeeper(&["check", &file, "--json", "-", "--quiet"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    let flags = ["--n", "2", "--property", "consensus", "--reduce", "order", "--param", "cliques=alone"];
    assert_eq!(json["distinct_states"].as_u64(), Some(states(&flags)));
}

/// Every command of the page ends with the exit code that stands behind it.
#[test]
fn the_documentation_shows_what_the_program_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/membership.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let mut ran = 0;
    for block in page.split("```").skip(1).step_by(2).filter(|block| !block.starts_with("sh")) {
        for line in block.lines().filter_map(|line| line.strip_prefix("watchkeeper ")) {
            let (command, comment) = line.split_once('#').unwrap_or_else(|| panic!("no exit code: {line}"));
            let code = comment.split(':').next().and_then(|code| code.trim().parse().ok());
            let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('\'')).collect();
            let said = watchkeeper(&[&words[..], &["--quiet"]].concat());
            assert_eq!(Some(said.code), code, "{line}: {}", said.err);
            ran += 1;
        }
    }
    assert_eq!(ran, 9);
}
