//! `space`, `compare --modulo` and `refine`: files and protocols, exact counts, runs and formulas that show a difference, and words that
//! name nothing.

mod binary;

use binary::{Room, Said, watchkeeper};

const RING: &str = "ring --n 2 --crashes 1 --channel drop:1";

/// A vending machine, one that keeps a coin now and then, and one that decides before the coin what it will not give.
const VENDING: &str = "des (0, 3, 2)\n(0, \"coin\", 1)\n(1, \"tea\", 0)\n(1, \"coffee\", 0)\n";
const GREEDY: &str = "des (0, 5, 3)\n(0, \"coin\", 1)\n(1, \"tea\", 0)\n(1, \"coffee\", 0)\n(1, \"tau\", 2)\n(2, \"coin\", 1)\n";

fn json(said: &Said) -> serde_json::Value {
    serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {} {}", said.out, said.err))
}

fn refused(args: &[&str], parts: &[&str]) {
    let said = watchkeeper(args);
    assert_eq!(said.code, 150, "{args:?}: {} {}", said.out, said.err);
    for part in parts {
        assert!(said.err.contains(part), "{args:?}: `{part}` is missing:\n{}", said.err);
    }
}

#[test]
fn a_space_is_counted_as_a_check_counts_it_and_read_again_from_its_file() {
    let room = Room::new("space-ring");
    let file = room.arg("ring.aut");
    let words: Vec<&str> = RING.split(' ').collect();
    let said = watchkeeper(&[&["space"][..], &words, &["--out", &file, "--json", "-", "-q"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let space = json(&said);
    let check = watchkeeper(
        &[&["check"][..], &words, &["--property", "deadlock", "--symmetry=false", "--json", "-", "-q"]]
            .concat(),
    );
    assert_eq!(space["states"], json(&check)["distinct_states"], "{}", check.err);
    let header = format!("des (0, {}, {})\n", space["transitions"], space["states"]);
    assert!(room.read("ring.aut").starts_with(&header));
    let again = json(&watchkeeper(&["space", &file, "--json", "-", "-q"]));
    for key in ["states", "transitions", "labels", "deadlocks"] {
        assert_eq!(space[key], again[key], "{key}");
    }
    let same = watchkeeper(&["compare", RING, &file, "--modulo", "strong"]);
    assert_eq!(same.code, 0, "{} {}", same.out, same.err);
    assert!(same.out.starts_with("EQUIVALENT: modulo strong bisimilarity"), "{}", same.out);
}

#[test]
fn a_space_is_reduced_written_and_drawn() {
    let room = Room::new("space-reduced");
    let greedy = room.file("greedy.aut", GREEDY);
    let (aut, dot, svg) = (room.arg("least.aut"), room.arg("least.dot"), room.arg("least.svg"));
    let said = watchkeeper(&[
        "space",
        &greedy,
        "--hide",
        "tea,coffee",
        "--reduce",
        "weak-trace",
        "--out",
        &aut,
        "--out",
        &dot,
        "--out",
        &svg,
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("3 states, 4 transitions, 2 labels, 0 deadlocks"), "{}", said.out);
    assert!(
        said.out.contains("modulo weak trace equivalence: 1 state, 1 transition, 1 label"),
        "{}",
        said.out
    );
    assert_eq!(room.read("least.aut"), "des (0, 1, 1)\n(0, \"coin\", 0)\n");
    assert!(room.read("least.dot").contains("s0 -> s0 [label=\"coin\"];"));
    assert!(room.read("least.svg").contains("coin"));
    let renamed =
        watchkeeper(&["space", &greedy, "--rename", "tea=drink,coffee=drink", "--reduce", "strong"]);
    assert!(
        renamed.out.contains("modulo strong bisimilarity: 2 states, 3 transitions, 3 labels"),
        "{}",
        renamed.out
    );
}

#[test]
fn a_process_can_be_looked_at_alone() {
    let words: Vec<&str> = RING.split(' ').collect();
    let alone = |process: &str| {
        let flags = ["--only", process, "--reduce", "branching", "--json", "-", "-q"];
        json(&watchkeeper(&[&["space"][..], &words, &flags].concat()))
    };
    let (p0, whole) =
        (alone("p0"), json(&watchkeeper(&[&["space"][..], &words, &["--json", "-", "-q"]].concat())));
    assert_eq!(p0["states"], whole["states"]);
    assert!(p0["labels"].as_u64() < whole["labels"].as_u64(), "{p0} {whole}");
    assert!(p0["reduced"]["states"].as_u64() < whole["states"].as_u64(), "{p0}");
}

#[test]
fn differences_are_shown_by_a_formula_or_a_trace() {
    let room = Room::new("space-compared");
    let (vending, greedy) = (room.file("vending.aut", VENDING), room.file("greedy.aut", GREEDY));
    let branching =
        watchkeeper(&["compare", &greedy, &vending, "--modulo", "branching", "--json", "-", "-q"]);
    assert_eq!(branching.code, 12, "{}", branching.err);
    let answer = json(&branching);
    assert_eq!(answer["equivalent"], false);
    assert_eq!(answer["formula"], "<tau* . coin><tau* . coin>true");
    let traces = watchkeeper(&["compare", &vending, &greedy, "--modulo", "weak-trace"]);
    assert_eq!(traces.code, 12, "{}", traces.err);
    assert!(
        traces.out.contains(&format!("a shortest trace of {greedy} that {vending} does not have")),
        "{}",
        traces.out
    );
    assert!(traces.out.contains("    coin\n    coin\n"), "{}", traces.out);
}

#[test]
fn refinement_has_three_models_and_shows_a_shortest_run() {
    let room = Room::new("space-refined");
    let (vending, greedy) = (room.file("vending.aut", VENDING), room.file("greedy.aut", GREEDY));
    let told = |flags: &[&str]| {
        let said = watchkeeper(&[&["refine", &greedy, &vending, "--json", "-", "-q"], flags].concat());
        (said.code, json(&said))
    };
    let (code, traces) = told(&[]);
    assert_eq!((code, traces["trace_steps"].as_u64()), (12, Some(3)), "{traces}");
    let what = traces["what"].as_str().expect("what is wrong");
    assert!(what.ends_with("coin is not allowed here; the specification allows coffee, tea"), "{what}");
    let (code, failures) = told(&["--model", "failures", "--rename", "coin=pay"]);
    assert_eq!((code, failures["trace_steps"].as_u64()), (12, Some(2)), "{failures}");
    let what = failures["what"].as_str().expect("what is wrong");
    assert!(
        what.ends_with("rests here offering pay; the specification offers at least coffee, tea"),
        "{what}"
    );
    let back = watchkeeper(&["refine", &vending, &greedy, "--model", "failures-divergences"]);
    assert_eq!(back.code, 12, "{}", back.out);
    let hidden = ["--hide", "coin,tea,coffee"];
    let (code, _) = told(&[&hidden[..], &["--model", "failures-divergences"]].concat());
    assert_eq!(code, 0, "both go on for ever");
}

#[test]
fn a_violation_of_a_protocol_is_a_run_of_it_with_its_chart() {
    let room = Room::new("space-protocol");
    let silent = room.file("silent.aut", "des (0, 0, 1)\n");
    let said = watchkeeper(&["refine", RING, &silent, "--json", "-", "-q"]);
    assert_eq!(said.code, 12, "{}", said.err);
    let verdict = json(&said);
    assert_eq!(verdict["trace_steps"], 1);
    assert_eq!(verdict["trace"]["processes"].as_array().map(Vec::len), Some(2), "{verdict}");
    let itself = watchkeeper(&["refine", RING, RING, "--model", "failures-divergences"]);
    assert_eq!(itself.code, 0, "{} {}", itself.out, itself.err);
    assert!(itself.out.starts_with("HOLDS"), "{}", itself.out);
}

#[test]
fn a_model_of_the_casebook_is_a_space_too() {
    let case = "casebook ring --model tasks-atomic --channel ignore --buffer 1 --crash at-start";
    let words: Vec<&str> = case.split(' ').collect();
    let counted = json(&watchkeeper(&[&words[..], &["--count", "--json", "-", "-q"]].concat()));
    let space = json(&watchkeeper(&["space", case, "--json", "-", "-q"]));
    assert_eq!(space["states"], counted["distinct_states"]);
}

#[test]
fn limits_end_in_their_exit_code() {
    let room = Room::new("space-limits");
    let file = room.arg("large.aut");
    let said = watchkeeper(&[
        "space",
        "ring",
        "--n",
        "3",
        "--crashes",
        "1",
        "--channel",
        "drop:1",
        "--max-states",
        "100",
        "--out",
        &file,
    ]);
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.err.contains("more than 100 states, the limit (--max-states)"), "{}", said.err);
    assert!(room.names().is_empty());
    let refined = watchkeeper(&["refine", "ring --n 3 --channel drop:1 --max-states 100", RING]);
    assert_eq!(refined.code, 153, "{}", refined.err);
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let room = Room::new("space-refused");
    let vending = room.file("vending.aut", VENDING);
    let broken = room.file("broken.aut", "des (0, 1, 2)\n(0, coin)\n");
    refused(&["space", &broken], &["broken.aut: line 2: expected `(FROM"]);
    refused(&["space", &room.arg("none.aut")], &["none.aut: No such file"]);
    refused(&["space", "x.lts"], &["ltsconvert x.lts x.aut"]);
    refused(&["space", &vending, "--out", &room.arg("x.png")], &["end the name in .aut, .dot or .svg"]);
    refused(&["space", &vending, "--reduce", "order"], &["choose one of strong, branching"]);
    refused(&["space", &vending, "--hide", "cion"], &["no label has the action `cion`", "coffee, coin, tea"]);
    refused(&["space", &vending, "--n", "3"], &["--n", "a file with a space says everything about it"]);
    refused(&["space", &vending, "--only", "p0"], &["does not say whose steps are whose"]);
    refused(&["space", "ring", "--property", "deadlock"], &["--property", "use `check`"]);
    refused(&["space", "rign"], &["no protocol `rign`"]);
    refused(&["compare", &vending, &vending], &["say modulo what", "--modulo branching"]);
    refused(&["compare", &vending, &vending, "--modulo", "weak"], &["choose one of strong"]);
    refused(&["compare", &vending, "--modulo", "strong"], &["two spaces are compared"]);
    refused(&["refine", &vending, "ring --out x.aut"], &["leave it out of the quotation marks"]);
    refused(&["refine", &vending, "ring 'n"], &["a quotation mark in it does not end"]);
    refused(&["refine", "binary --time dense --tmin 2 --tmax 4", &vending], &["compare it in ticks"]);
    refused(&["space", "casebook heartbeats"], &["these are single spaces"]);
}

/// The vending machine as a process, one that decides what it gives when it takes the coin, and one that gives up on a sum.
const MACHINE: &str = "act coin, tea, coffee;\nproc Vend = coin . (tea + coffee) . Vend;\ninit Vend;\n";
const DECIDED: &str =
    "act coin, tea, coffee;\nproc Vend = coin . tea . Vend + coin . coffee . Vend;\ninit Vend;\n";

#[test]
fn a_specification_is_a_model_like_a_file_of_its_space() {
    let room = Room::new("space-specification");
    let (vending, machine) = (room.file("vending.aut", VENDING), room.file("machine.mcrl2", MACHINE));
    let decided = room.file("decided.mcrl2", DECIDED);
    let space = json(&watchkeeper(&["space", &machine, "--json", "-", "-q"]));
    assert_eq!((space["states"].as_u64(), space["transitions"].as_u64()), (Some(2), Some(3)));
    let same = watchkeeper(&["compare", &machine, &vending, "--modulo", "strong"]);
    assert_eq!(same.code, 0, "{} {}", same.out, same.err);
    let traces = watchkeeper(&["compare", &machine, &decided, "--modulo", "trace"]);
    assert_eq!(traces.code, 0, "{} {}", traces.out, traces.err);
    let differ = watchkeeper(&["compare", &machine, &decided, "--modulo", "branching"]);
    assert_eq!(differ.code, 12, "{} {}", differ.out, differ.err);
    let refuses = watchkeeper(&["refine", &decided, &machine, "--model", "failures"]);
    assert_eq!(refuses.code, 12, "{} {}", refuses.out, refuses.err);
    let refines = watchkeeper(&["refine", &machine, &decided, "--model", "failures"]);
    assert_eq!(refines.code, 0, "{} {}", refines.out, refines.err);
    let endless = room.file(
        "endless.mcrl2",
        "act a: Nat;\nmap f: Nat -> Nat;\nvar n: Nat;\neqn f(n) = f(n + 1);\ninit a(1) . a(f(0));\n",
    );
    refused(&["space", &endless], &["endless.mcrl2", "f"]);
}
