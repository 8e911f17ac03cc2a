//! Consensus on the command line: verdicts of the two protocols of Chandra and Toueg, mistakes that are found, and what is
//! refused. Figures are exact: the same scenario has the same states on every machine.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

/// The verdicts of a check, by the property they are about.
fn verdicts(args: &[&str], code: i32) -> Vec<(String, Value)> {
    let args = [&["check"], args, &["--json", "-", "--quiet"]].concat();
    let said = watchkeeper(&args);
    assert_eq!(said.code, code, "{args:?}: {}{}", said.out, said.err);
    let found: Value = serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}", said.out));
    let all = found["verdicts"].as_array().cloned().unwrap_or_else(|| vec![found.clone()]);
    all.into_iter()
        .map(|verdict| (verdict["property"].as_str().unwrap_or("?").to_string(), verdict))
        .collect()
}

/// Each property with its verdict in a word.
fn words(args: &[&str], code: i32) -> Vec<String> {
    let word = |(property, verdict): (String, Value)| {
        format!("{property} {}", verdict["verdict"].as_str().unwrap_or("?"))
    };
    verdicts(args, code).into_iter().map(word).collect()
}

fn warnings(args: &[&str], code: i32) -> String {
    verdicts(args, code).iter().map(|(_, verdict)| verdict["warnings"].to_string()).collect()
}

fn refused(args: &[&str], parts: &[&str]) {
    let said = watchkeeper(&[&["check"], args].concat());
    assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "{args:?}: `{part}` is missing in:\n{}", said.err);
    }
}

const ALL: [&str; 4] = ["agreement holds", "integrity holds", "validity holds", "termination holds"];

#[test]
fn both_protocols_fulfil_all_four_requirements() {
    assert_eq!(words(&["consensus-strong"], 0), ALL);
    assert_eq!(words(&["consensus-rotating"], 0), ALL);
    assert_eq!(words(&["consensus-strong", "--n", "2", "--values", "binary"], 0), ALL);
    assert_eq!(words(&["consensus-rotating", "--n", "2", "--values", "5,5"], 0), ALL);
}

#[test]
fn what_is_searched_in_stages_says_so() {
    let found = verdicts(&["consensus-rotating", "--n", "2", "--property", "agreement"], 0);
    let assumptions = found[0].1["assumptions"].to_string();
    assert_eq!(assumptions.matches("stage by stage").count(), 1, "{assumptions}");
}

#[test]
fn two_values_are_searched_in_every_assignment() {
    let found = verdicts(&["consensus-rotating", "--values", "binary", "--property", "agreement"], 0);
    let assumptions = found[0].1["assumptions"].to_string();
    for name in ["0,0,0 (or 1,1,1)", "0,0,1 (or 1,1,0)", "0,1,0 (or 1,0,1)", "0,1,1 (or 1,0,0)"] {
        assert!(assumptions.contains(&format!("proposals {name}: ")), "{name}: {assumptions}");
    }
}

/// With all orders of steps the rounds have to be limited, and then nothing can be said to hold.
#[test]
fn all_interleavings_of_few_rounds_leave_it_open() {
    let limited = [
        "consensus-rotating",
        "--n",
        "2",
        "--interleaving",
        "all",
        "--param",
        "rounds=2",
        "--property",
        "agreement",
    ];
    let found = verdicts(&limited, 153);
    assert_eq!(found[0].1["verdict"], "unknown");
    assert!(found[0].1.to_string().contains("round"), "{}", found[0].1);
    let strong = ["consensus-strong", "--n", "2", "--interleaving", "all"];
    assert_eq!(words(&strong, 0), ALL);
}

#[test]
fn planted_mistakes_are_found_by_the_requirement_they_break() {
    for (flaw, property, code) in
        [("no-exchange", "agreement", 12), ("own-value", "agreement", 12), ("deaf", "termination", 13)]
    {
        let flaw = format!("flaw={flaw}");
        let args = ["consensus-strong", "--param", &flaw, "--property", property];
        assert_eq!(words(&args, code), [format!("{property} violated")], "{flaw}");
    }
    for (flaw, property, code) in [
        ("hasty-decision", "agreement", 12),
        ("nacks-count", "agreement", 12),
        ("merges", "validity", 12),
        ("decides-again", "integrity", 12),
        ("no-relay", "termination", 13),
        ("deaf", "termination", 13),
    ] {
        let flaw = format!("flaw={flaw}");
        let args = ["consensus-rotating", "--param", &flaw, "--property", property];
        assert_eq!(words(&args, code), [format!("{property} violated")], "{flaw}");
    }
}

#[test]
fn beyond_the_theorems_a_warning_names_them_and_the_verdict_shows_why() {
    let eventual = ["consensus-strong", "--oracle", "<>S", "--property", "agreement"];
    assert_eq!(words(&eventual, 12), ["agreement violated"]);
    assert!(warnings(&eventual, 12).contains("1996, figure 5"), "{}", warnings(&eventual, 12));
    let blind = ["consensus-rotating", "--oracle", "none", "--property", "agreement,termination"];
    assert_eq!(words(&blind, 13), ["agreement holds", "termination violated"]);
    assert!(
        warnings(&blind, 13).contains("class ◇S, and this one has no accuracy"),
        "{}",
        warnings(&blind, 13)
    );
    let half = ["consensus-rotating", "--crashes", "2", "--property", "termination"];
    assert_eq!(words(&half, 13), ["termination violated"]);
    assert!(warnings(&half, 13).contains("2 of 3 may"), "{}", warnings(&half, 13));
    assert!(!warnings(&["consensus-rotating", "--property", "validity"], 0).contains("1996"));
}

#[test]
fn decisions_can_be_spoken_of() {
    let formula = "G (decided(p0) -> G (decided(p0) | crashed(p0)))";
    let args = ["consensus-strong", "--n", "2", "--ltl", formula, "--fairness", "steps"];
    assert_eq!(words(&args, 0), [format!("{formula} holds")]);
}

/// The order between processes is what stages leave out: p2 can decide before everyone else.
#[test]
fn formulas_are_asked_of_all_orders() {
    let formula = "G (decided(p2) -> decided(p0) | decided(p1))";
    let args = ["consensus-strong", "--crashes", "0", "--fairness", "steps", "--ltl", formula];
    assert_eq!(words(&args, 12), [format!("{formula} violated")]);
    let staged = [&args[..], &["--interleaving", "stages"]].concat();
    refused(&staged, &["--interleaving: ", "only some of the runs", "outcomes of processes"]);
    let rotating = ["consensus-rotating", "--fairness", "steps", "--ltl", formula];
    refused(&rotating, &["all interleavings", "--param rounds=3"]);
}

#[test]
fn proposals_that_cannot_be() {
    let strong = |rest: &[&str], parts: &[&str]| refused(&[&["consensus-strong"], rest].concat(), parts);
    strong(&["--values", "1,2"], &["--values: 2 values for 3 processes", "each proposes once"]);
    strong(&["--values", "1,2,3,2"], &["--values: 4 values for 3 processes"]);
    strong(&["--values", "1,two,3"], &["--values: `two` is not a value", "distinct, binary"]);
    strong(&["--values", "0,1,2", "--param", "domain=2"], &["--values: p2 would propose 2", "0 to 1"]);
    strong(&["--param", "domain=2"], &["p2 would propose 2, which is outside of the domain"]);
    strong(&["--param", "domain=0"], &["--param domain=0", "choose 1 or more"]);
    strong(&["--param", "flaw=typo"], &["--param flaw=typo", "no-exchange"]);
    refused(&["ring", "--values", "1,2,3"], &["--values: ring has no parameter values"]);
}

#[test]
fn systems_and_detectors_that_cannot_be() {
    let strong = |rest: &[&str], parts: &[&str]| refused(&[&["consensus-strong"], rest].concat(), parts);
    strong(&["--crashes", "3"], &["--crashes: all 3 processes may crash", "at most 2"]);
    strong(&["--n", "2", "--crashes", "5"], &["all 2 processes may crash"]);
    strong(&["--crashed-at-start", "p0", "--crashes", "2"], &["all 3 processes may crash"]);
    strong(&["--oracle", "Q"], &["--oracle: `Q` is not an oracle", "P, <>P, S, <>S or none"]);
    strong(&["--oracle", "<>P:mistakes=1"], &["--oracle: `<>P:mistakes=1`: ", "write P:mistakes=1, or <>P"]);
    strong(&["--oracle", "P:mistakes=1"], &["momentary ones are not counted", "write :lasting"]);
    strong(&["--oracle", "P", "--interleaving", "stages"], &["everyone alone who has not crashed"]);
    strong(&["--oracle", "S:briefly"], &["--oracle: `S:briefly`"]);
    strong(&["--crash-loses=maybe"], &["--crash-loses: `maybe`"]);
    refused(
        &["ring", "--oracle", "S"],
        &["--oracle: ring has no oracle", "consensus-strong, consensus-rotating"],
    );
    refused(&["rotating-on-ring", "--oracle", "S"], &["--oracle: rotating-on-ring has no oracle"]);
}

#[test]
fn interleavings_that_cannot_be() {
    let rotating = |rest: &[&str], parts: &[&str]| refused(&[&["consensus-rotating"], rest].concat(), parts);
    rotating(&["--interleaving", "some"], &["--interleaving: `some`", "stages or all"]);
    rotating(&["--interleaving", "all"], &["--interleaving: ", "infinitely many states", "--param rounds=3"]);
    rotating(&["--oracle", "<>S:lasting"], &["the suspicions of its oracle last", "--param rounds=3"]);
    rotating(&["--loss", "1"], &["its network loses or duplicates messages"]);
    rotating(&["--interleaving", "stages", "--param", "rounds=2"], &["its rounds are limited"]);
    rotating(&["--param", "rounds=0"], &["--param rounds=0", "choose 1 or more"]);
    refused(&["ring", "--interleaving", "stages"], &["--interleaving: ", "the protocol has none"]);
    let said = watchkeeper(&["bound", "consensus-rotating"]);
    assert_eq!(said.code, 150, "{}", said.err);
    let said = watchkeeper(&["classify", "consensus-strong"]);
    assert_eq!((said.code, said.err.contains("no failure detector")), (150, true), "{}", said.err);
}

#[test]
fn a_scenario_file_says_what_flags_say() {
    let room = Room::new("consensus");
    let text = "protocol = \"consensus-strong\"\nn = 3\ncrashes = 1\noracle = \"<>S:momentary\"\n\
                crash-loses = false\nvalues = [4, 7, 4]\nproperty = [\"validity\"]\n";
    let file = room.file("consensus.toml", text);
    let flags = [
        "consensus-strong",
        "--n",
        "3",
        "--crashes",
        "1",
        "--oracle",
        "<>S",
        "--crash-loses=false",
        "--values",
        "4,7,4",
        "--property",
        "validity",
    ];
    let (by_file, by_flags) = (verdicts(&[&file], 0), verdicts(&flags, 0));
    let states = |found: &[(String, Value)]| found[0].1["distinct_states"].clone();
    assert_eq!(states(&by_file), states(&by_flags));
    let command = by_file[0].1["command"].as_str().unwrap_or_default().to_string();
    for part in ["--values 4,7,4", "--crash-loses=false", "--oracle '<>S:momentary'", "--crashes 1"] {
        assert!(command.contains(part), "{part} is missing in {command}");
    }
}

#[test]
fn consensus_can_be_swept() {
    let said = watchkeeper(&[
        "sweep",
        "consensus-rotating",
        "--n",
        "2..3",
        "--property",
        "agreement",
        "--csv",
        "-",
        "--quiet",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out.matches(",holds,").count(), 2, "{}", said.out);
}

/// Every command of the page ends with the exit code that stands behind it, and a verdict that is shown is that of the
/// last command before it.
#[test]
fn the_documentation_shows_what_the_program_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/consensus.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (mut last, mut shown, mut ran) = (Vec::new(), 0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        for line in block.lines().filter_map(|line| line.strip_prefix("watchkeeper ")) {
            let (command, comment) = line.split_once('#').unwrap_or_else(|| panic!("no exit code: {line}"));
            let code = comment.split(':').next().and_then(|code| code.trim().parse().ok());
            last = command.split_whitespace().map(|word| word.trim_matches('\'')).collect::<Vec<_>>();
            let said = watchkeeper(&[&last[..], &["--quiet"]].concat());
            assert_eq!(Some(said.code), code, "{line}: {}", said.err);
            ran += 1;
        }
        let text = block.trim_start_matches('\n');
        if text.starts_with("VIOLATED") {
            let said = watchkeeper(&last);
            let text = text.trim_end().trim_end_matches("...").trim_end();
            assert!(said.out.contains(text), "the page shows:\n{text}\nthe program says:\n{}", said.out);
            shown += 1;
        }
    }
    assert_eq!((ran, shown), (23, 2));
}
