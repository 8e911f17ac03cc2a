//! Wrong suspicions that outlast their cause: one lost message, one restart or a partition leaves them for ever in every
//! published ring detector, and in none that asks its suspects again. The page on detection shows what is asserted here.

mod binary;

use binary::watchkeeper;
use serde_json::Value;

/// The detectors of the paper, where rounds last long enough for an answer, and whether timeouts grow or not.
const PUBLISHED: [&str; 5] = [
    "ring",
    "ring-weak-accuracy --param max-delta=4",
    "ring-strong-accuracy --param max-delta=4",
    "ring-strong-completeness",
    "ring-strong-completeness --param timeouts=all --param max-delta=4",
];

const TIMED: &str = "--param round=3 --time ticks --delay 0..1 --channel drop:2";
const LOSS: &str = "--crashes 0 --loss 1";
const RESTART: &str = "--crashes 1 --recoveries 1";
/// Any messages are lost, and from some moment on none.
const PARTITION: &str = "--crashes 0 --synchrony eventual --before-delay 0..1 --before-loss";

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/detection.md");
    std::fs::read_to_string(path).expect("the page")
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The verdict, and the number of states.
fn verdict(detector: &str, asked: &[&str]) -> (String, u64) {
    let line = format!("check {detector} {TIMED}");
    let said = watchkeeper(&[&words(&line)[..], asked, &["--json", "-", "-q"]].concat());
    let json: Value = serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}", said.err));
    let states = json["distinct_states"].as_u64().expect("a number");
    (json["verdict"].as_str().expect("a verdict").to_string(), states)
}

/// Whether every wrong suspicion ends for good.
fn accuracy(detector: &str, faults: &str) -> (String, u64) {
    verdict(detector, &[&words(faults)[..], &["--property", "eventual-strong-accuracy"]].concat())
}

#[test]
fn every_published_ring_keeps_a_wrong_suspicion_for_ever() {
    for detector in PUBLISHED {
        for faults in [LOSS, RESTART, PARTITION] {
            assert_eq!(accuracy(detector, faults).0, "violated", "{detector} {faults}");
        }
        let never_ends = [&words(LOSS)[..], &["--ltl", "G F !suspects(p0,p1)"]].concat();
        assert_eq!(verdict(detector, &never_ends).0, "violated", "{detector}: p0 suspects p1 for ever");
    }
}

#[test]
fn wrong_suspicions_end_where_suspects_are_asked_again() {
    let holds = |states| ("holds".to_string(), states);
    let fixed = "ring-asking-again";
    let growing = "ring-asking-again --param timeouts=all --param max-delta=4";
    assert_eq!(accuracy(fixed, LOSS), holds(3_248));
    assert_eq!(accuracy(fixed, RESTART), holds(12_482));
    assert_eq!(accuracy(growing, LOSS), holds(4_510));
    assert_eq!(accuracy(growing, RESTART), holds(16_346));
    assert_eq!(accuracy("ring-asking-again --n 4", LOSS), holds(24_920));
    // Three processes have 1,738,216 states in a partition.
    assert_eq!(accuracy("ring-asking-again --n 2", PARTITION), holds(488));
    let complete = [&words(RESTART)[..], &["--property", "strong-completeness"]].concat();
    assert_eq!(verdict(fixed, &complete), holds(12_482), "and who is down is suspected by all");
}

/// With any delay and any loss before a moment that the adversary picks.
#[test]
fn only_the_ring_that_asks_again_has_a_class_where_messages_are_lost_before_bounds_hold() {
    let class = |detector: &str| {
        let line = format!(
            "classify {detector} --param round=3 --crashes 0 --crashed-at-start p1 --channel drop:1 --lanes per-kind \
             --time ticks --synchrony eventual --delay 0..1 --before-loss"
        );
        let out = watchkeeper(&words(&line)).out;
        out.lines().next().expect("a class").rsplit_once("class ").expect("a class").1.to_string()
    };
    for detector in PUBLISHED {
        assert_eq!(class(detector), "none", "{detector}");
    }
    assert_eq!(class("ring-asking-again"), "◇P");
}

#[test]
fn where_nothing_is_lost_the_ring_that_asks_again_is_perfect() {
    let line = format!("classify ring-asking-again {TIMED} --crashes 1");
    let said = watchkeeper(&words(&line));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("ring-asking-again: class P\n"), "{}", said.out);
}

#[test]
fn the_page_shows_the_chart_of_a_suspicion_for_ever() {
    let line = format!("check ring {TIMED} {LOSS}");
    let said = watchkeeper(&[&words(&line)[..], &["--ltl", "G F !suspects(p0,p1)"]].concat());
    assert_eq!(said.code, 13, "{}", said.err);
    let (chart, _) = said.out.split_once("\nRests on").expect("assumptions");
    assert!(page().contains(chart), "the page does not have:\n{chart}");
}
