//! `simulate`: seeds, plans, what it prints and writes, and the runs that once showed a mistake.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

fn simulate(args: &[&str]) -> binary::Said {
    watchkeeper(&[&["simulate"], args].concat())
}

#[test]
fn runs_in_which_nothing_goes_wrong_follow_the_model() {
    let said =
        simulate(&["ring", "--n", "3..4", "--seeds", "0..20", "--nemesis", "none", "--json", "-", "-q"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((json["runs"].as_u64(), json["follows"].as_u64()), (Some(20), Some(20)));
    assert_eq!(json["sizes"], serde_json::json!([3, 4]));
    assert_eq!(json["requirements_asked"].as_u64(), Some(20));
    assert_eq!(json["faults"], serde_json::json!({}));
}

#[test]
fn a_requirement_that_does_not_hold_is_found_shortened_and_found_again_from_its_plan() {
    let room = Room::new("simulate-fails");
    let hasty = ["chandra-toueg", "--n", "3", "--param", "timeout=3", "--bare"];
    let (json, dir) = (room.arg("answer.json"), room.arg("run"));
    let said = simulate(&[&hasty[..], &["--seeds", "0..50", "--json", &json, "--record", &dir]].concat());
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("an answer")).expect("JSON");
    let failure = &json["failure"];
    assert_eq!(failure["oracle"], "properties");
    assert!(failure["what"].as_str().is_some_and(|what| what.starts_with("accuracy: ")), "{failure}");
    let seed = failure["seed"].as_u64().expect("a seed");
    for part in [
        format!("FAILS: chandra-toueg with seed {seed}: properties: accuracy: "),
        format!("--seeds {seed}..{}", seed + 1),
        "Its plan, shortened from ".to_string(),
        "  watchkeeper-plan 1\n".to_string(),
    ] {
        assert!(said.out.contains(&part), "{part} is missing:\n{}", said.out);
    }
    let plan = room.file("failing.plan", failure["shortened"].as_str().expect("a plan"));
    let again = simulate(&[&hasty[..], &["--plan", &plan]].concat());
    assert_eq!(again.code, 12, "{}{}", again.out, again.err);
    let replayed = watchkeeper(&["replay", &dir]);
    assert_eq!(replayed.code, 0, "the run follows the model: {}{}", replayed.out, replayed.err);
}

#[test]
fn a_recorded_run_of_nodes_is_replayed_by_the_same_command() {
    let room = Room::new("simulate-records");
    let dir = room.arg("run");
    let said = simulate(&["ring", "--n", "3", "--nemesis", "none", "--seeds", "5..6", "--record", &dir]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let replayed = watchkeeper(&["replay", &dir]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
    assert!(replayed.out.starts_with("FOLLOWS: the recorded run of 3 nodes"), "{}", replayed.out);
    let again = simulate(&["ring", "--n", "3", "--nemesis", "none", "--seeds", "5..6", "--record", &dir]);
    assert_eq!(again.code, 150, "{}", again.err);
    assert!(again.err.contains("is not empty"), "{}", again.err);
}

#[test]
fn workers_do_not_change_the_answer() {
    let flawed =
        ["consensus-live", "--n", "3", "--param", "flaw=small-majority", "--bare", "--seeds", "0..400"];
    let with = |workers: &str| {
        let said = simulate(&[&flawed[..], &["--workers", workers, "--json", "-", "-q"]].concat());
        let json: Value = serde_json::from_str(&said.out).expect("JSON");
        (said.code, json["failure"].clone())
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn bad_input_is_refused_with_what_to_write() {
    for (args, part) in [
        (&["ring", "--seeds", "7"][..], "`7` is not a range of seeds; write one like 0..1000"),
        (&["ring", "--seeds", "7..7"], "`7..7` is not a range of seeds"),
        (
            &["ring", "--nemesis", "war"],
            "`war` is no family of faults; write all, none, or some of delay, loss",
        ),
        (&["ring", "--bare", "--nemesis", "keys"], "keys does nothing to the protocol alone"),
        (&["ring", "--n", "7..3"], "`7..3` is not a range of sizes"),
        (&["ring", "--n", "1"], "--n"),
        (&["ring", "--lasts", "5"], "`5` is not a span of time"),
        (&["ring", "--plan", "/nowhere/at.all"], "cannot be read"),
        (&["consensus-strong"], "asks an oracle"),
    ] {
        let said = simulate(args);
        assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}

#[test]
fn time_that_is_up_leaves_the_answer_open() {
    let said = simulate(&["ring", "--seeds", "0..100000000", "--timeout", "1s", "--bare"]);
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("UNKNOWN: the time of 1s was up after "), "{}", said.out);
}

/// Each of these showed a mistake of the program once.
#[test]
fn seeds_that_found_something_find_nothing_any_more() {
    for args in [
        // A message that is never received was due when a timer fired, where due deliveries come first: it was lost.
        &["two-phase", "--seeds", "1..2", "--bare"][..],
        &["expanding", "--n", "3..5", "--seeds", "23..24", "--bare"],
        // Of clocks that messages alone relate nobody knows who began late, and here nobody did.
        &["expanding", "--n", "3..5", "--seeds", "393..394"],
        // A node whose disk is full before it begins has an incarnation all the same.
        &["consensus-live", "--n", "3..5", "--seeds", "142..143"],
        // What cannot be sent to a node that starts late is lost, and nothing else went wrong.
        &["chandra-toueg", "--n", "3..5", "--seeds", "98..99"],
        // A message that is still on its way when it should have arrived, or that could not be sent, is lost.
        &["static", "--n", "3..5", "--seeds", "1052..1053"],
        &["expanding", "--n", "3..5", "--seeds", "1215..1216"],
        // Clocks that contradict each other leave no order of the steps.
        &["ring", "--n", "5", "--seeds", "12..13", "--nemesis", "clock", "--bare"],
        // Whoever crashes, or takes no further step, after a stop has crashed when it was stopped.
        &["ring", "--n", "3..7", "--seeds", "31936..31937"],
        &["ring", "--n", "3..7", "--seeds", "240167..240168"],
        &["chandra-toueg", "--n", "3..7", "--seeds", "20813..20814"],
        &["chandra-toueg", "--n", "3..7", "--seeds", "1005297..1005298", "--bare"],
        // A stop that a node cannot notice, and nodes that start apart, are not the stop's fault.
        &["ring", "--n", "3..7", "--seeds", "26143..26144"],
        &["ring-asking-again", "--n", "3..7", "--seeds", "30264..30265"],
        // Slow greetings leave peers unfound, and a peer that starts when others stop waiting is late.
        &["chandra-toueg", "--n", "3..7", "--seeds", "1071..1072"],
        &["ring", "--n", "3..7", "--seeds", "114042..114043"],
        // A greeting that somebody brings sooner than the network does opens its session.
        &["chandra-toueg", "--n", "3..7", "--seeds", "13778..13779"],
        // Two changes at one place of a captured datagram undid each other.
        &["ring-asking-again", "--n", "3..7", "--seeds", "209516..209517"],
    ] {
        let said = simulate(args);
        assert_eq!(said.code, 0, "{args:?}: {}{}", said.out, said.err);
    }
}
