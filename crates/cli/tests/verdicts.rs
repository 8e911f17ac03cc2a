//! What a check says and how it ends: the exit code, the chart, the counts.

mod binary;

use binary::watchkeeper;

#[test]
fn dropping_channels_never_deadlock() {
    let said = watchkeeper(&["check", "ring", "--n", "3", "--crashes", "1", "--channel", "drop:1"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("HOLDS: no deadlock, in all 79,203 states\n"), "{}", said.out);
    assert!(
        said.out.contains("watchkeeper check ring --n 3 --crashes 1 --channel drop:1 --property deadlock")
    );
}

#[test]
fn blocking_channels_deadlock_and_the_chart_shows_why() {
    let said = watchkeeper(&["check", "ring", "--n", "3", "--crashes", "1", "--channel", "block:1"]);
    assert_eq!(said.code, 11, "{}", said.err);
    assert!(said.out.starts_with("VIOLATED: deadlock after 6 steps"), "{}", said.out);
    for part in ["suspect p2", "blocked: channel", "ARE-YOU-ALIVE"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    let plain = watchkeeper(&["check", "ring", "--crashes", "1", "--channel", "block:1", "--ascii"]);
    assert!(plain.out.is_ascii(), "{}", plain.out);
}

#[test]
fn a_channel_that_reports_is_a_violation_of_safety() {
    let said = watchkeeper(&["check", "ring", "--channel", "report:1"]);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(said.out.starts_with("VIOLATED: within-capacity"), "{}", said.out);
}

#[test]
fn a_late_message_makes_the_suspicion_of_the_crashed_oscillate() {
    let asked = ["check", "ring", "--crashes", "1", "--channel", "drop:1", "--property", "oscillation:1"];
    let said = watchkeeper(&asked);
    assert_eq!(said.code, 12, "{}", said.err);
    assert!(said.out.contains("stop suspecting p1"), "{}", said.out);
}

#[test]
fn limits_end_in_unknown_and_a_summary() {
    let cases: [&[&str]; 6] = [
        &["--max-states", "500"],
        &["--max-depth", "3"],
        &["--n", "4", "--max-memory", "1MiB"],
        &["--n", "5", "--timeout", "1ms"],
        &["--search", "walks:3", "--max-depth", "20"],
        &["--search", "beam:10", "--max-depth", "20"],
    ];
    for case in cases {
        let args = [&["check", "ring", "--crashes", "1", "--channel", "drop:1"], case].concat();
        let said = watchkeeper(&args);
        assert_eq!(said.code, 153, "{case:?}\n{}{}", said.out, said.err);
        // Random walks store nothing: they count runs and steps.
        let walks = "3 runs, 60 steps, 63 states checked";
        let figures = if case.contains(&"walks:3") { walks } else { "distinct state" };
        for part in ["UNKNOWN: no deadlock", "next:", figures, "Again"] {
            assert!(said.out.contains(part), "{case:?}: {part} is missing:\n{}", said.out);
        }
        let limit = case[case.len() - 2..].join(" ");
        assert!(said.out.contains(&limit), "{limit} is not in the command:\n{}", said.out);
    }
}

/// A beam says how much of each depth it saw, and one that is wide enough has an answer.
#[test]
fn a_beam_says_what_it_left_out() {
    let beam = |search: &str, rest: &[&str]| {
        let around = ["check", "ring", "--n", "2", "--channel", "drop:1", "--search", search];
        watchkeeper(&[&around[..], rest].concat())
    };
    let said = beam("beam:2", &["--json", "-"]);
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let figures = |key: &str| -> Vec<u64> { serde_json::from_value(json[key].clone()).expect("numbers") };
    let (sizes, kept) = (figures("level_sizes"), figures("level_kept"));
    assert_eq!(kept, sizes.iter().map(|&size| size.min(2)).collect::<Vec<_>>());
    assert!(kept != sizes, "{sizes:?}");
    for part in ["  beam: kept 2 of ", "the smallest share of all depths", " states at depth "] {
        assert!(said.err.contains(part), "{part} is missing:\n{}", said.err);
    }
    let said = beam("beam:100000", &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("the beam left no state out"), "{}", said.out);
    assert!(!beam("breadth", &[]).out.contains("beam left"));
}

#[test]
fn unbounded_channels_are_unknown_beyond_their_cap() {
    let said = watchkeeper(&["check", "ring", "--n", "2", "--channel", "unbounded:2"]);
    assert_eq!(said.code, 153, "{}", said.out);
    assert!(said.out.contains("unbounded:4"), "{}", said.out);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let verdict = |workers: &str| {
        let args = ["check", "ring", "--crashes", "1", "--channel", "block:1", "--workers", workers];
        let said = watchkeeper(&args);
        let figures = said.out.lines().find(|line| line.contains("distinct states")).map(str::to_string);
        (said.code, figures, said.out.lines().next().map(str::to_string))
    };
    let one = verdict("1");
    assert_eq!(verdict("2"), one);
    assert_eq!(verdict("4"), one);
}

#[test]
fn a_symmetry_reduction_gives_the_same_verdict_with_fewer_states() {
    let args = ["check", "ring", "--crashes", "1", "--channel", "drop:1"];
    let said = watchkeeper(&[&args[..], &["--symmetry"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("in all 26,415 states"), "{}", said.out);
    let one = watchkeeper(&[&args[..], &["--symmetry", "--crashable", "p1"]].concat());
    assert_eq!(one.code, 150, "{}", one.out);
    assert!(one.err.contains("symmetry"), "{}", one.err);
}

#[test]
fn quiet_says_nothing() {
    let said = watchkeeper(&["check", "ring", "--n", "2", "--channel", "drop:1", "--quiet"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
}
