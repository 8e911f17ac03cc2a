//! Bounds on detection against arguments by hand, in ticks and in dense time.
//!
//! In a ring whose rounds last R and whose messages take [lo, hi], a process that crashes right after it has
//! answered, lo into a round, is asked in vain in the next one and suspected at its end: 2R - lo after the
//! crash. Its suspecter tells the next in the very question that begins the round after, and so on around the
//! ring: while all begin their rounds at once, the last of n - 2 hears of it (n - 3)R + hi later. Where rounds are
//! not in step, a process may hear of it just after it has asked, so every hop costs a round and a delay.

mod binary;

use binary::{Said, watchkeeper};
use serde_json::Value;

fn said(args: &str) -> Said {
    watchkeeper(&args.split_whitespace().collect::<Vec<_>>())
}

/// The bound that is found, and whether accuracy holds.
fn bound(args: &str) -> (u32, bool) {
    let said = said(&format!("bound {args} --json - -q"));
    assert_eq!(said.code, 0, "{args}: {}{}", said.out, said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!((&rows[0]["asked"], &rows[0]["verdict"]), (&Value::from("detection"), &Value::from("holds")));
    let found: u32 = rows[0]["bound"].as_str().and_then(|text| text.parse().ok()).expect("a number");
    let below = (found - 1).to_string();
    let refuted = |row: &Value| row["bound"] == below.as_str() && row["verdict"] == "violated";
    assert!(rows.iter().any(refuted), "{args}: {json}");
    let accuracy = rows.iter().find(|row| row["asked"] == "accuracy").expect("accuracy");
    (found, accuracy["verdict"] == "holds")
}

#[test]
fn a_ring_finds_out_within_two_rounds() {
    for (round, lo, hi) in [(4, 0, 1), (5, 0, 2), (5, 1, 2), (3, 0, 1), (6, 2, 2)] {
        let ring = format!("ring --param round={round} --delay {lo}..{hi} --channel drop:2");
        for time in ["dense", "ticks"] {
            assert_eq!(bound(&format!("{ring} --time {time}")), (2 * round - lo, true), "{ring} {time}");
        }
    }
}

#[test]
fn timeouts_that_need_not_grow_change_nothing() {
    for detector in ["ring-weak-accuracy", "ring-strong-accuracy"] {
        let ring = format!("{detector} --param round=4 --param max-delta=6 --delay 0..1 --channel drop:2");
        assert_eq!(bound(&ring), (8, true), "{detector}");
        assert_eq!(bound(&format!("{ring} --time ticks")), (8, true), "{detector}");
    }
}

#[test]
fn news_travel_a_round_for_every_process_between() {
    for (n, round, hi) in [(3, 4, 1), (3, 5, 2), (4, 4, 1)] {
        for detector in ["ring-strong-completeness", "ring-asking-again"] {
            let ring = format!("{detector} --n {n} --param round={round} --delay 0..{hi} --channel drop:2");
            for time in ["dense", "ticks"] {
                let expected = (n - 1) * round + hi;
                assert_eq!(bound(&format!("{ring} --time {time}")), (expected, true), "{ring} {time}");
            }
        }
    }
}

#[test]
fn rounds_that_are_not_in_step_cost_a_delay_for_every_hop() {
    let ring = "ring --param round=4 --delay 0..1 --channel drop:3 --stagger 2";
    assert_eq!(bound(ring), (8, true));
    let strong = "ring-strong-completeness --param round=4 --delay 0..1 --channel drop:3 --stagger 1";
    assert_eq!(bound(&format!("{strong} --n 3")), (2 * 4 + 1, true));
    // 3R + 2 hi, where rounds in step make it 3R + hi.
    assert_eq!(bound(&format!("{strong} --n 4 --time ticks")), (3 * 4 + 2, true));
}

/// p0 counts a participant as heard at the start, waits tmax, then tmax, tmax/2 and so on down to tmin. That is
/// the bound of R1, and nobody can wait longer: 3 tmax - tmin at the most, and a participant 2 tmax after its last
/// beat.
#[test]
fn heartbeats_stop_within_the_bound_of_the_coordinator() {
    for (tmin, tmax) in [(2, 8), (1, 4)] {
        let beats = format!("--tmin {tmin} --tmax {tmax} --corrected --loss 0");
        for protocol in ["binary", "static --n 2"] {
            let (dense, accurate) = bound(&format!("{protocol} {beats}"));
            let (ticks, _) = bound(&format!("{protocol} {beats} --time ticks"));
            assert_eq!((dense, accurate), (ticks, true), "{protocol} {beats}");
        }
        assert_eq!(bound(&format!("binary {beats}")).0, 3 * tmax - tmin);
    }
}

#[test]
fn the_report_tells_the_bound_its_time_and_the_run_that_refutes_the_next_lower_one() {
    let said = said("bound ring --param round=4 --delay 0..1 --channel drop:2 --tick 20ms");
    assert_eq!(said.code, 0, "{}", said.err);
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(
        lines[0].starts_with("detection within 8 ticks of 20ms, 0.16 s (proved: 188 zones in "),
        "{}",
        lines[0]
    );
    assert!(lines[0].ends_with("; 7 is refuted, chart below)"), "{}", lines[0]);
    assert!(lines[1].starts_with("accuracy holds too (proved: 116 zones in "), "{}", lines[1]);
    for part in [
        "detection:7: more than 7 after the last crash nobody suspects p",
        "  - whoever is up at the start begins at once, and rounds that begin together stay in step",
        "Again\n  watchkeeper bound ring --n 3 --crashes 1 --channel drop:2 --time dense --delay 0..1 --param \
         round=4 --symmetry --tick 20ms\n",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert!(said.err.contains("HOLDS: detection:8, in all 188 zones"), "{}", said.err);
}

#[test]
fn a_delay_beyond_the_round_leaves_a_bound_but_no_accuracy() {
    let (_, accurate) = bound("ring --n 2 --param round=3 --delay 0..2 --channel drop:4");
    assert!(!accurate);
}

#[test]
fn what_is_not_found_is_not_found() {
    let crash_before_joining = said("bound expanding --tmin 2 --tmax 4 --corrected --loss 0 --most 40");
    assert_eq!(crash_before_joining.code, 12, "{}", crash_before_joining.err);
    let line = crash_before_joining.out.lines().next().unwrap_or("");
    assert_eq!(line, "no detection within 40 (refuted, chart below); --most tries more");
    let limited = said("bound ring --param round=4 --delay 0..1 --channel drop:2 --max-states 100");
    assert_eq!(limited.code, 153, "{}", limited.out);
    assert!(limited.out.starts_with("no bound is known: UNKNOWN"), "{}", limited.out);
    let locked = said("bound ring --n 2 --param round=3 --delay 1..2 --channel block:1");
    assert_eq!(locked.code, 11, "{}", locked.out);
    assert!(locked.out.starts_with("no bound is looked for in such a scenario: VIOLATED: time-lock"));
}

#[test]
fn detection_and_accuracy_are_properties_of_a_check() {
    let ring = "check ring --crashes 1 --time dense --param round=4 --delay 0..1 --channel drop:2";
    for (property, code) in [
        ("detection:8,accuracy", 0),
        ("detection:7", 12),
        ("detection:8:p0:p1", 0),
        // p0 watches p2 only after it has come to suspect p1.
        ("detection:100:p0:p2", 12),
        ("accuracy:p2", 0),
    ] {
        let said = said(&format!("{ring} --property {property}"));
        assert_eq!(said.code, code, "{property}: {}{}", said.out, said.err);
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let timed = "--time dense --delay 0..1 --channel drop:2";
    for (args, why) in [
        ("check ring --crashes 1 --property detection:5".to_string(), "untimed check knows no bounds"),
        ("check ring --property accuracy".to_string(), "add --time dense, and --delay"),
        (format!("check ring {timed} --property detection:5"), "nobody can crash in this scenario"),
        (format!("check ring --crashable p1 {timed} --property detection:5:p0:p2"), "p2 cannot crash"),
        (format!("check ring --crashes 1 {timed} --property detection:5:p9:p2"), "there is no p9"),
        (format!("check ring --crashes 1 {timed} --property detection:soon"), "write detection:B"),
        (format!("check ring --crashes 1 {timed} --property detection:5:p1"), "write detection:B"),
        (format!("check ring --crashes 1 {timed} --property detection:5:p1:p1"), "write detection:B"),
        (format!("check ring {timed} --property accuracy:p1:p2"), "write accuracy"),
        (format!("bound ring {timed} --property accuracy"), "leave --property out"),
        (format!("bound ring {timed} --tick soon"), "`soon` is not a span of time"),
        (format!("bound ring {timed} --most -1"), ""),
        (format!("bound ring {timed} --stagger many"), "`many` is not a number of units of time"),
        ("bound ring --time untimed".to_string(), "untimed check knows no bounds"),
        ("bound ring".to_string(), "how long messages are on their way"),
    ] {
        let said = said(&args);
        assert_eq!(said.code, 150, "{args}: {}", said.out);
        assert!(said.err.contains(why), "{args}: {}", said.err);
    }
}
