//! `prove` and `recheck`: theorems for all parameters, where induction breaks, certificates that the other solver
//! verifies, and what is said where there is no solver.

mod binary;

use binary::{Room, Said, program, said, watchkeeper};
use serde_json::Value;

fn prove(args: &[&str]) -> Said {
    watchkeeper(&[&["prove"], args].concat())
}

/// The JSON of a proof.
fn json(args: &[&str]) -> (i32, Value) {
    let said = prove(&[args, &["--json", "-", "-q"]].concat());
    let json = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{args:?}: {}", said.err));
    (said.code, json)
}

/// Whether the tests have solvers to ask: by default both, unless the environment says that there are none.
fn solvers() -> Vec<String> {
    watchkeeper_prove::solver::for_tests().iter().map(|solver| solver.backend.name().to_string()).collect()
}

fn both() -> bool {
    solvers().len() == 2
}

/// What is said has these parts, wherever its lines are broken.
fn tells(said: &Said, parts: &[&str]) {
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(text.contains(part), "{part} is missing:\n{}{}", said.out, said.err);
    }
}

fn contains(said: &Said, parts: &[&str]) {
    for part in parts {
        assert!(said.out.contains(part), "{part} is missing:\n{}{}", said.out, said.err);
    }
}

#[test]
fn all_subjects_are_listed_with_their_theorems_and_need_no_solver() {
    let said = without_solvers(&["prove"]);
    assert_eq!(said.code, 0, "{}", said.err);
    contains(
        &said,
        &["chandra-toueg\n", "binary\n", "binary-corrected\n", "  R2 ", "Try: watchkeeper prove"],
    );
    assert_eq!(said.out, prove(&["--list"]).out);
    let one = prove(&["binary-corrected", "--list"]);
    assert!(one.out.starts_with("binary-corrected\n") && !one.out.contains("chandra"), "{}", one.out);
}

#[test]
fn a_system_is_shown_with_its_parameters_variables_and_paths() {
    let said = without_solvers(&["prove", "binary-corrected", "R2", "--system"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let parts =
        ["Parameters\n  tmin", "where 1 <= tmin", "Variables\n", "only observes", "Steps: ", "  time passes"];
    contains(&said, &parts);
}

/// The program where no solver is to be found.
fn without_solvers(args: &[&str]) -> Said {
    let mut command = program(args);
    for variable in ["WATCHKEEPER_Z3", "WATCHKEEPER_CVC5", "PATH", "HOME"] {
        command.env(variable, "");
    }
    said(&mut command)
}

#[test]
fn without_a_solver_it_says_what_to_install() {
    let said = without_solvers(&["prove", "binary-corrected", "R2"]);
    assert_eq!((said.code, said.out.as_str()), (153, ""), "{}", said.err);
    for part in ["`apt install z3`", "`pip install z3-solver`", "`apt install cvc5`", "WATCHKEEPER_CVC5"] {
        assert!(said.err.contains(part), "{part} is missing:\n{}", said.err);
    }
    let said = without_solvers(&["prove", "binary-corrected", "R2", "--at", "tmin=1,tmax=2"]);
    assert_eq!(said.code, 0, "{}", said.err);
    contains(&said, &["HOLDS: not wrong, in all", "tmin = 1, tmax = 2"]);
}

#[test]
fn one_solver_that_was_named_and_is_missing_is_no_proof() {
    let mut command = program(&["prove", "binary-corrected", "R2", "--solver", "cvc5"]);
    command.env("WATCHKEEPER_CVC5", "/nowhere/cvc5");
    let said = said(&mut command);
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.err.contains("/nowhere/cvc5, where no file is"), "{}", said.err);
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_do() {
    for (args, part) in [
        (&["binari"][..], "there is no subject `binari`; did you mean `binary`?"),
        (&["binary-corrected", "R4"], "there is no theorem `R4`"),
        (&["binary", "--broken", "nothing"], "there is no broken form `nothing`"),
        (
            &["binary", "R2", "--property", "round <="],
            "--property: `round <=` is not a formula: at character 9",
        ),
        (&["binary", "R2", "--property", "rund <= tmax"], "`rund` is not a name of the system"),
        (&["binary", "R2", "--property", "round + 1"], "is not true or false"),
        (&["binary", "R2", "--assume", "round <= 2"], "`round` changes during a run"),
        (&["binary", "--invariant", "round <= tmax"], "--invariant is checked for one theorem; name it: "),
        (
            &["binary", "R2", "--invariant", "up0", "--lemma", "up1"],
            "--invariant and --lemma do not go together",
        ),
        (
            &["binary", "R2", "--at", "tmin=2"],
            "--at: no value for tmax; write all of them, such as tmin=2,tmax=2",
        ),
        (&["binary", "R2", "--at", "tmin=2,tmux=3"], "there is no parameter `tmux`; did you mean `tmax`?"),
        (&["binary", "R2", "--at", "tmin=5,tmax=2"], "which the theorem assumes; choose others"),
        (
            &["binary", "R2", "--at", "tmin=2,tmax=5", "--solver", "z3"],
            "--at and --solver do not go together",
        ),
        (&["binary", "R2", "--engine", "spicer"], "there is no engine `spicer`; did you mean `spacer`?"),
        (&["binary", "R2", "--depth", "4"], "--depth: `templates` has no depth"),
        (&["binary", "R2-fails", "--invariant", "up0"], "`R2-fails` is claimed to fail"),
        (&["binary", "R2", "--engine", "bounded", "--depth", "0"], "`0` is not a number of steps"),
        (
            &["binary", "R2", "--solver", "yices"],
            "`yices` is not a solver that is known; write z3, cvc5 or all",
        ),
        (&["binary", "R2", "--limit", "20"], "--limit: `20` is not a span of time"),
        (&["binary", "R2", "--timeout", "soon"], "--timeout: `soon` is not a span of time"),
    ] {
        let said = prove(args);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}

/// The corrected binary protocol never has p0 in a round that is longer than tmax.
const SHORT: [&str; 4] = ["binary-corrected", "R2", "--property", "round <= tmax"];

#[test]
fn a_property_of_ones_own_is_proven_by_all_solvers_and_the_other_one_verifies_it() {
    if !both() {
        return;
    }
    let room = Room::new("prove-own");
    let file = room.arg("proof.smt2");
    let (code, json) = json(&[&SHORT[..], &["--certificate", &file]].concat());
    let theorem = &json["theorems"][0];
    assert_eq!((code, &theorem["verdict"]), (0, &"proven".into()), "{json:#}");
    assert_eq!(theorem["written"], 0);
    let solvers = theorem["solvers"].as_array().expect("solvers");
    assert_eq!(solvers.len(), 2);
    for solver in solvers {
        assert_eq!((&solver["refuted"], &solver["undecided"]), (&0.into(), &0.into()), "{solver}");
        assert_eq!(solver["duties"]["safety"], 1);
    }
    assert_eq!(theorem["certificate"], Value::from(file.as_str()));

    let again = prove(&[&SHORT[..], &["--certificate", &file]].concat());
    assert_eq!(again.code, 150);
    assert!(again.err.contains("is there already, and a proof must not be lost"), "{}", again.err);

    for solver in ["cvc5", "z3"] {
        let said = watchkeeper(&["recheck", &file, "--solver", solver]);
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
        let line = format!(
            "VERIFIED: (<= round tmax) of the system of binary-corrected R2, for all tmin and tmax with 1 <= tmin and \
             tmin <= tmax; {file}, 31 obligations\n"
        );
        assert!(said.out.starts_with(&line), "{}", said.out);
        contains(&said, &[solver, "all discharged", "found by: templates"]);
        contains(&said, &["the system is that of `binary-corrected R2`, and the property is another"]);
    }
    let said = watchkeeper(&["recheck", &file, "--theorem", "binary-corrected R2"]);
    assert_eq!(said.code, 20, "{}{}", said.out, said.err);
    contains(
        &said,
        &["ANOTHER CLAIM: ", "is no certificate of binary-corrected R2", "the property is another"],
    );
    hostile(&room);
}

/// Without a solver nothing is verified; a certificate whose claim was made stronger afterwards is refuted, and one
/// that was cut is none.
fn hostile(room: &Room) {
    let said = without_solvers(&["recheck", &room.arg("proof.smt2")]);
    assert_eq!((said.code, said.out.as_str()), (153, ""), "{}", said.err);
    let honest = room.read("proof.smt2");
    let cut = room.file("cut.smt2", &honest[..honest.len() * 3 / 4]);
    let said = watchkeeper(&["recheck", &cut]);
    assert_eq!(said.code, 150, "{}{}", said.out, said.err);
    let stronger = honest.replace("(<= round tmax)", "(<= round tmin)");
    assert_ne!(stronger, honest, "{honest}");
    let stronger = room.file("stronger.smt2", &stronger);
    let said = watchkeeper(&["recheck", &stronger, "--solver", "z3"]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    contains(&said, &["NOT VERIFIED: ", "! refuted: "]);
    let (code, out) =
        (said.code, watchkeeper(&["recheck", &stronger, "--solver", "z3", "--json", "-", "-q"]).out);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (json["verdict"].as_str(), json["exit_code"].as_i64()),
        (Some("not verified"), Some(code.into()))
    );
}

#[test]
fn what_is_proven_is_told_with_every_assumption() {
    if solvers().is_empty() {
        return;
    }
    let solver = &solvers()[0];
    let args = ["binary", "R2", "--property", "not wrong", "--solver", solver];
    let line =
        "PROVEN: binary property, for all tmin and tmax with 1 <= tmin and tmin <= tmax and tmin < tmax";
    let said = prove(&args);
    assert_eq!((said.code, said.out.lines().next()), (0, Some(line)), "{}{}", said.out, said.err);
    let (_, json) = json(&[&args[..], &["--assume", "tmax <= 9"]].concat());
    let theorem = &json["theorems"][0];
    assert_eq!(theorem["headline"], Value::from(format!("{line} and tmax <= 9")));
    assert_eq!(
        theorem["assumptions"],
        serde_json::json!(["1 <= tmin", "tmin <= tmax", "tmin < tmax", "tmax <= 9"])
    );
    let said = prove(&["binary", "R2-fails", "--solver", solver]);
    let line = "REFUTED: binary R2-fails, for all tmin and tmax with 1 <= tmin and tmin <= tmax and tmax <= tmin, as \
                claimed";
    assert_eq!((said.code, said.out.lines().next()), (0, Some(line)), "{}{}", said.out, said.err);
}

#[test]
fn a_certificate_is_verified_for_the_theorem_that_is_named_and_no_other() {
    if solvers().is_empty() {
        return;
    }
    let room = Room::new("recheck-theorem");
    let solver = &solvers()[0];
    let made = |name: &str, args: &[&str]| {
        let file = room.arg(name);
        let said = prove(&[args, &["--certificate", &file, "--solver", solver, "-q"]].concat());
        assert_eq!(said.code, 0, "{args:?}: {}", said.err);
        file
    };
    let again =
        |file: &str, more: &[&str]| watchkeeper(&[&["recheck", file, "--solver", solver], more].concat());
    let own = made("own.smt2", &["binary", "R2"]);
    let line = format!(
        "VERIFIED: binary R2, for all tmin and tmax with 1 <= tmin and tmin <= tmax and tmin < tmax; {own}, "
    );
    for named in [&[][..], &["--theorem", "binary R2"]] {
        let said = again(&own, named);
        assert!(said.code == 0 && said.out.starts_with(&line), "{named:?}: {}{}", said.out, said.err);
    }
    let said = again(&own, &["--theorem", "binary R1"]);
    assert_eq!(said.code, 20, "{}{}", said.out, said.err);
    tells(&said, &["ANOTHER CLAIM: ", "is no certificate of binary R1", "are those of `binary R2`"]);
    let said = without_solvers(&["recheck", &own, "--theorem", "binary-corrected R2"]);
    assert_eq!(said.code, 20, "no solver is needed to see that: {}{}", said.out, said.err);
    let said = again(&own, &["--theorem", "binary R9"]);
    assert_eq!(said.code, 150, "{}{}", said.out, said.err);
    assert!(said.err.contains("there is no theorem `binary R9`"), "{}", said.err);

    // A narrower system is none of this program's, whatever the file calls itself.
    let narrow = made("narrow.smt2", &["binary", "R2", "--assume", "tmax <= 9"]);
    for named in [&[][..], &["--theorem", "binary R2"]] {
        let said = again(&narrow, named);
        assert_eq!(said.code, 20, "{named:?}: {}{}", said.out, said.err);
        assert!(!said.out.contains("VERIFIED: "), "{named:?}: {}", said.out);
        tells(&said, &["the system is none of this program", "The assumptions are others.", "(<= tmax 9"]);
    }
    tells(&again(&narrow, &[]), &["VERIFIED, BUT OF NO SYSTEM OF THIS PROGRAM: "]);
    let json = again(&narrow, &["--json", "-", "-q"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["exit_code"], &json["theorem"]), (&20.into(), &Value::Null));
    assert_ne!(json["verdict"], "verified");

    // Runs and inductions over several steps have lemmas, which are compared with those of the theorem.
    let fails = made("fails.smt2", &["binary", "R2-fails"]);
    let said = again(&fails, &["--theorem", "binary R2-fails"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    tells(&said, &["VERIFIED: binary R2-fails, for all tmin and tmax with "]);
    assert_eq!(again(&fails, &["--theorem", "binary R2"]).code, 20);
    assert_eq!(again(&own, &["--theorem", "binary R2-fails"]).code, 20);
}

#[test]
fn a_formula_that_never_ends_is_refused_at_once_and_in_few_words() {
    let long = "q".repeat(100_000);
    let deep = format!("{}up0{}", "min(".repeat(400), ", 1)".repeat(400));
    let grown = (0..60).fold("round".to_string(), |inner, _| format!("min({inner}, tmax)")) + " <= tmax";
    for formula in [long, "not ".repeat(20_000) + "up0", deep, grown] {
        for flag in ["--property", "--assume", "--lemma", "--invariant"] {
            let said = prove(&["binary", "R2", flag, &formula]);
            assert_eq!((said.code, said.out.as_str()), (150, ""), "{flag}");
            assert!(said.err.len() < 1_000 && said.err.contains("is not a formula"), "{}", said.err);
        }
    }
}

#[test]
fn what_is_no_certificate_is_refused() {
    let room = Room::new("recheck-bad");
    let long = format!("(set-info :watchkeeper-certificate 1){}", "(".repeat(100_000));
    for (name, content, part) in [
        ("empty", "", "this is no certificate"),
        ("text", "hello", "this is no certificate"),
        ("open", "(set-info :watchkeeper-certificate 1", "is not SMT-LIB"),
        ("future", "(set-info :watchkeeper-certificate 9)", "format 9"),
        ("short", "(set-info :watchkeeper-certificate 1)", "is the end of the file"),
        ("deep", &long, "is not SMT-LIB"),
    ] {
        let said = watchkeeper(&["recheck", &room.file(name, content)]);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{name}: {}", said.err);
        assert!(said.err.contains(part), "{name}: {}", said.err);
    }
    let said = watchkeeper(&["recheck", &room.arg("missing")]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("cannot read the certificate"), "{}", said.err);
    std::fs::write(room.path("bytes"), [0xff, 0xfe, 0x00]).expect("written");
    let said = watchkeeper(&["recheck", &room.arg("bytes")]);
    assert!(said.code == 150 && said.err.contains("it is not text"), "{}", said.err);
}

#[test]
fn where_induction_breaks_is_shown_before_and_after() {
    if solvers().is_empty() {
        return;
    }
    let solver = &solvers()[0];
    let given = ["--invariant", "round <= tmax", "--invariant", "patience <= tmax", "--solver", solver];
    let said = prove(&[&SHORT[..], &given].concat());
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    let parts = [
        "NOT INDUCTIVE: binary-corrected property; ",
        "Invariant: 2 conjuncts, all of them written by a person",
        "of invariant 2",
        "before  after",
        "false at the end: patience <= tmax",
        "what is left of the patience of p1",
    ];
    contains(&said, &parts);
}

#[test]
fn a_false_property_is_refuted_by_a_real_run() {
    if solvers().is_empty() {
        return;
    }
    let solver = &solvers()[0];
    let said = prove(&["binary-corrected", "R2", "--property", "round >= 1", "--solver", solver]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    contains(&said, &["REFUTED: binary-corrected property after ", "none is shorter", "  0  initially\n"]);
    let bounded = ["--engine", "bounded", "--depth", "4"];
    let said =
        prove(&[&["binary-corrected", "R2", "--property", "up0", "--solver", solver], &bounded[..]].concat());
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    contains(&said, &["REFUTED: binary-corrected property after 1 step, for some parameters"]);
}

#[test]
fn induction_over_several_steps_and_bounded_search_say_what_they_can() {
    if solvers().is_empty() {
        return;
    }
    let several = ["--engine", "k-induction", "--depth", "2"];
    let (code, json) = json(&[&SHORT[..], &several, &["--lemma", "wait <= tmax"]].concat());
    assert_eq!((code, &json["theorems"][0]["verdict"]), (0, &"proven".into()), "{json:#}");
    assert_eq!((&json["theorems"][0]["conjuncts"], &json["theorems"][0]["written"]), (&2.into(), &1.into()));
    let alone = prove(&[&SHORT[..], &several].concat());
    assert_eq!(alone.code, 153, "{}{}", alone.out, alone.err);
    contains(&alone, &["; not inductive over 2 steps", "false at the end: round <= tmax"]);
    let (code, json) = self::json(&[&SHORT[..], &["--engine", "bounded", "--depth", "2"]].concat());
    assert_eq!((code, &json["theorems"][0]["verdict"]), (153, &"unknown".into()), "{json:#}");
}
