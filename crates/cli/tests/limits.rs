//! Limits on the command line: none of them makes an answer out of what was not seen, they hold from the first instruction
//! on, and what ended a search is named truthfully.

mod binary;

use binary::{Said, program, said, watchkeeper};
use std::process::Command;

/// Searches of every kind, each of which has more than one state.
const SEARCHES: [&str; 10] = [
    "check ring --n 3 --crashes 1 --channel block:1",
    "check ring --n 3 --crashes 1 --channel block:1 --search beam:5",
    "check consensus-strong --n 3 --crashes 2 --property agreement --param flaw=one-round-less",
    "check ring --crashes 1 --channel drop:1 --fairness steps --ltl crashed(p1)~>suspects(p0,p1)",
    "check binary --tmin 5 --tmax 10 --crashes 0 --property R1",
    "classify ring",
    "bound ring-strong-completeness --n 3 --param round=5 --param max-delta=5 --delay 0..1 --channel drop:3",
    "sweep binary --tmin 1..2 --tmax 3..4 --property R1",
    "casebook ring --model process-algebra --channel block --buffer 1",
    "casebook chandra-toueg --delta 2 --phi 4 --timeout 3 --property strong-accuracy",
];

fn run(line: &str, limit: &str) -> Said {
    let words: Vec<&str> = line.split(' ').chain(limit.split(' ').filter(|word| !word.is_empty())).collect();
    watchkeeper(&words)
}

#[test]
fn a_limit_of_no_states_is_bad_input() {
    for search in SEARCHES {
        let said = run(search, "--max-states 0");
        assert_eq!(said.code, 150, "{search}: {}", said.out);
        assert!(said.err.contains("leaves nothing to search; give at least 1"), "{search}: {}", said.err);
    }
}

#[test]
fn fewer_states_than_there_are_never_make_an_answer_hold() {
    for search in SEARCHES {
        for most in ["--max-states 1", "--max-states 2", "--max-states 5"] {
            let said = run(search, most);
            assert_ne!(said.code, 0, "{search} {most}: {}", said.out);
            assert!(
                !said.out.starts_with("HOLDS") && !said.out.contains("class P\n"),
                "{search}: {}",
                said.out
            );
        }
    }
}

/// A ring of 64 has rows of thousands of parts, so that the first states alone are gigabytes if nobody looks.
const LARGE: [&str; 8] = ["check", "ring", "--n", "64", "--crashes", "1", "--channel", "drop:1"];

#[test]
fn the_start_of_a_search_obeys_the_time_limit() {
    let said = watchkeeper(&[&LARGE[..], &["--timeout", "1s", "--json", "-"]].concat());
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.out.contains("\"kind\": \"time\""), "{}", said.out);
}

#[test]
#[cfg(target_os = "linux")]
fn the_start_of_a_search_obeys_the_memory_limit_also_where_the_system_gives_little() {
    let bytes = |said: &Said| -> u64 {
        let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        json["peak_bytes"].as_u64().expect("a number")
    };
    let limits = ["--max-memory", "200MB", "--timeout", "20s", "--json", "-"];
    let free = watchkeeper(&[&LARGE[..], &limits].concat());
    assert_eq!(free.code, 153, "{}", free.err);
    assert!(bytes(&free) < 600_000_000, "{}", free.out);
    let line = "ulimit -v 1200000; exec \"$0\" \"$@\"";
    let exe = program(&[]).get_program().to_os_string();
    let mut small = Command::new("sh");
    small.args(["-c", line]).arg(exe).args(LARGE).args(["--max-memory", "500MB", "--timeout", "20s"]);
    let said = said(&mut small);
    assert_eq!(said.code, 153, "it ends, and is not aborted: {}{}", said.out, said.err);
    assert!(said.out.starts_with("UNKNOWN"), "{}", said.out);
}

/// What stages do not keep is asked of all interleavings, and refused where these have no end.
#[test]
fn a_question_that_stages_do_not_keep_is_asked_of_every_order() {
    let kept = watchkeeper(&["check", "consensus-strong", "--n", "2", "--property", "agreement"]);
    assert!(kept.code == 0 && kept.out.contains("stage by stage"), "{}{}", kept.out, kept.err);
    let claim = ["check", "consensus-strong", "--n", "2", "--fairness", "steps", "--ltl"];
    let other = watchkeeper(&[&claim[..], &["G (decided(p1) -> decided(p0))"]].concat());
    assert!(other.code == 13 || other.code == 12, "{}{}", other.out, other.err);
    assert!(!other.out.contains("stage by stage"), "{}", other.out);
    let forced = watchkeeper(&[
        "check",
        "consensus-strong",
        "--n",
        "2",
        "--fairness",
        "steps",
        "--interleaving",
        "stages",
        "--ltl",
        "G (decided(p1) -> decided(p0))",
    ]);
    assert_eq!(forced.code, 150, "{}", forced.out);
    assert!(forced.err.contains("only some of the runs"), "{}", forced.err);
    let endless = watchkeeper(&["check", "consensus-rotating", "--property", "deadlock"]);
    assert_eq!(endless.code, 150, "{}", endless.out);
    assert!(endless.err.contains("--param rounds=3"), "{}", endless.err);
}
