//! Help that teaches: every command explains itself, with examples and exit codes, and ends well.

mod binary;

use binary::watchkeeper;

#[test]
fn the_program_introduces_its_commands() {
    let said = watchkeeper(&["--help"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for part in ["check ", "sweep ", "casebook ", "list ", "Examples:", "Exit codes:", "153  unknown"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert_eq!(watchkeeper(&["--version"]).out.trim(), concat!("watchkeeper ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_command_the_help_is_shown_as_an_error() {
    let said = watchkeeper(&[]);
    assert_eq!((said.code, said.out.as_str()), (150, ""));
    assert!(said.err.contains("Usage: watchkeeper"), "{}", said.err);
}

#[test]
fn every_flag_of_check_is_explained() {
    let said = watchkeeper(&["check", "--help"]);
    assert_eq!(said.code, 0);
    let flags = [
        "n",
        "crashes",
        "crashable",
        "crashed-at-start",
        "recoveries",
        "crash-loses",
        "oracle",
        "values",
        "interleaving",
        "channel",
        "order",
        "lanes",
        "loss",
        "duplicate",
        "time",
        "delay",
        "round-trip",
        "processing",
        "simultaneous",
        "speed",
        "synchrony",
        "before-delay",
        "before-loss",
        "ltl",
        "fairness",
        "tmin",
        "tmax",
        "corrected",
        "property",
        "param",
        "symmetry",
        "reduce",
        "search",
        "max-depth",
        "max-states",
        "max-memory",
        "timeout",
        "workers",
        "seed",
        "json",
        "chart",
        "out-itf",
        "out-dot",
        "out-aut",
        "quiet",
        "no-color",
        "ascii",
    ];
    for flag in flags {
        assert!(said.out.contains(&format!("--{flag}")), "--{flag} is missing:\n{}", said.out);
    }
    for part in
        ["Examples:", "Exit codes:", "protocol = \"ring\"", "WATCHKEEPER_TIMEOUT", "WATCHKEEPER_TIME]"]
    {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn a_protocol_has_help_of_its_own() {
    let said = watchkeeper(&["check", "ring", "--help"]);
    assert_eq!(said.code, 0);
    for part in ["Failure detector on a ring", "oscillation:K", "round  how long the first round lasts"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert!(watchkeeper(&["list"]).out.starts_with("ring\n"));
}

#[test]
fn a_family_is_told_once() {
    let list = watchkeeper(&["list"]).out;
    for name in ["binary", "revised", "two-phase", "static", "expanding", "dynamic"] {
        assert!(list.contains(&format!("\n{name}\n")), "{name} is missing:\n{list}");
    }
    assert_eq!(list.matches("p0 gives up in time").count(), 1, "{list}");
    let said = watchkeeper(&["check", "static", "--help"]);
    for part in ["Participants: --n from 1 to 63 [default: 2]", "also --tmin", "R1:p2"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn consensus_has_examples_of_its_own() {
    let said = watchkeeper(&["check", "consensus-strong", "--help"]);
    for part in ["class S", "--values binary", "oracle = \"S\"", "termination", "one-round-less"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert!(!said.out.contains("--channel block:1 --chart"), "{}", said.out);
}

#[test]
fn sweep_explains_itself() {
    let said = watchkeeper(&["sweep", "--help"]);
    assert_eq!(said.code, 0);
    for part in ["conjecture", "--csv", "--svg", "--json", "--tmin 1..24", "Exit codes:", "Examples:"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn casebook_explains_itself() {
    let said = watchkeeper(&["casebook", "--help"]);
    assert_eq!(said.code, 0);
    for part in ["--model", "--channel", "--buffer", "--crash", "--oscillations", "--heavy", "Examples:"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn prove_and_recheck_explain_themselves() {
    let said = watchkeeper(&["prove", "--help"]);
    assert_eq!(said.code, 0);
    for part in [
        "--property",
        "--invariant",
        "--lemma",
        "--at",
        "--certificate",
        "Examples:",
        "153  unknown: no solver",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    let said = watchkeeper(&["recheck", "--help"]);
    for part in ["--solver", "Examples:", "12  an obligation is refuted", "150  the file is no certificate"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
}
