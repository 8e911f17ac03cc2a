//! Help that teaches: every command explains itself, with examples and exit codes, and ends well.

mod binary;

use binary::watchkeeper;
use watchkeeper::Settings;

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
    let own = ["oracle", "interleaving"];
    let settings = Settings::TABLE.iter().map(|row| row.name).filter(|name| !own.contains(name));
    let flags = settings
        .chain(["param", "json", "chart", "out-itf", "out-dot", "out-aut", "quiet", "no-color", "ascii"]);
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

/// Whether the help of a command line has this flag in its list.
fn shows(args: &[&str], flag: &str) -> bool {
    let said = watchkeeper(&[args, &["--help"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    said.out.lines().any(|line| {
        line.trim_start().starts_with(&format!("--{flag} "))
            || line.trim() == format!("--{flag}")
            || line.trim_start().starts_with(&format!("--{flag}["))
    })
}

#[test]
fn a_flag_of_some_protocols_is_shown_where_they_have_it() {
    for command in ["check", "sweep", "bound", "classify", "cutoff"] {
        for flag in ["tmin", "tmax", "corrected", "values", "oracle", "interleaving"] {
            assert!(!shows(&[command], flag), "{command} --{flag}");
            assert!(!shows(&[command, "ring"], flag), "{command} ring --{flag}");
        }
        for flag in ["tmin", "tmax", "corrected"] {
            assert!(shows(&[command, "binary"], flag), "{command} binary --{flag}");
        }
        assert!(!shows(&[command, "binary"], "values") && !shows(&[command, "binary"], "oracle"));
        for flag in ["values", "oracle", "interleaving"] {
            assert!(shows(&[command, "consensus-strong"], flag), "{command} consensus-strong --{flag}");
        }
    }
    let said = watchkeeper(&["check", "--help"]);
    for part in ["  ring ", "  consensus-strong ", "check PROTOCOL --help` shows"] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    assert!(!said.out.contains("round  how long"), "{}", said.out);
}

#[test]
fn a_flag_that_the_protocol_does_not_have_is_refused_with_those_that_have_it() {
    let said = watchkeeper(&["check", "ring", "--tmin", "4"]);
    assert_eq!(said.code, 150);
    assert!(
        said.err.contains(
            "--tmin: ring has no parameter tmin, so leave it out; these protocols have it: binary, revised"
        ),
        "{}",
        said.err
    );
    let said = watchkeeper(&["check", "ring", "--oracle", "S"]);
    assert!(
        said.err.contains("--oracle: ring has no oracle") && said.err.contains("consensus-strong"),
        "{}",
        said.err
    );
}

#[test]
fn a_list_of_one_protocol_says_what_formulas_can_use() {
    let said = watchkeeper(&["list", "dynamic", "--n", "2", "--loss", "1", "--time", "ticks"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for part in [
        "Process = struct p0 | p1 | p2",
        "Message = struct beat | leave",
        "send(Process, Process, Message)",
        "inactivated(Process)",
        "\n    time\n",
        "counted(p2)",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    let reliable = watchkeeper(&["list", "dynamic", "--n", "2", "--loss", "0", "--time", "ticks"]).out;
    assert!(said.out.contains("lose(Process") && !reliable.contains("lose(Process"), "{reliable}");
    assert_eq!(watchkeeper(&["list", "nobody"]).code, 150);
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
fn casebook_lists_its_cases_and_every_case_explains_its_own_flags() {
    let said = watchkeeper(&["casebook", "--help"]);
    assert_eq!(said.code, 0);
    let flags = [
        (
            "ring",
            &["--model", "--channel", "--buffer", "--crash", "--oscillations", "--count", "--heavy"][..],
        ),
        (
            "ring-timed",
            &["--model", "--order", "--buffer", "--max-delta", "--clock", "--crash", "--ask", "--heavy"],
        ),
        ("ring-refinement", &["--model", "--heavy"]),
        ("heartbeats", &["--time", "--corrected", "--original", "--protocol", "--n"]),
        (
            "chandra-toueg",
            &[
                "--delta",
                "--phi",
                "--initial-timeout",
                "--property",
                "--encoding",
                "--crash",
                "--least",
                "--heavy",
            ],
        ),
        ("classes", &["--protocol"]),
        ("consensus", &["--part"]),
        ("membership", &["--model", "--part"]),
    ];
    assert!(said.out.contains("--max-states") && said.out.contains("Examples:"), "{}", said.out);
    let all: Vec<&str> = flags.iter().flat_map(|(_, own)| own.iter().copied()).collect();
    let has =
        |text: &str, flag: &str| text.lines().any(|line| line.trim_start().split(' ').next() == Some(flag));
    for (case, own) in flags {
        assert!(said.out.contains(&format!("  {case} ")), "{case} is missing:\n{}", said.out);
        let help = watchkeeper(&["casebook", case, "--help"]).out;
        for flag in &all {
            assert!(!has(&said.out, flag), "{flag} is a flag of one case:\n{}", said.out);
            assert_eq!(has(&help, flag), own.contains(flag), "{case} {flag}:\n{help}");
        }
        assert!(help.contains("--max-states") && help.contains("--csv"), "{help}");
    }
}

/// The flags that all cases share stand before or after the case.
#[test]
fn shared_flags_of_the_casebook_stand_anywhere() {
    for args in [
        ["casebook", "--max-states", "10", "ring-refinement", "--model", "dead"],
        ["casebook", "ring-refinement", "--max-states", "10", "--model", "dead"],
    ] {
        let said = watchkeeper(&args);
        assert_eq!(said.code, 153, "{args:?}: {}{}", said.out, said.err);
        assert!(said.out.contains("ring-refinement --model dead --max-states 10"), "{}", said.out);
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
