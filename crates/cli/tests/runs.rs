//! Claims about infinite runs and classes of detectors on the command line: verdicts, exit codes, lassos in every
//! format, and errors that point at the mistake.

mod binary;

use binary::{Room, watchkeeper};

const RING: [&str; 6] = ["check", "ring", "--channel", "drop:1", "--crashable", "p1"];

fn ring(more: &[&str]) -> binary::Said {
    watchkeeper(&[&RING[..], more].concat())
}

fn refused(more: &[&str], parts: &[&str]) {
    let said = ring(more);
    assert_eq!(said.code, 150, "{more:?}: {}{}", said.out, said.err);
    assert_eq!(said.out, "", "{more:?}");
    for part in parts {
        assert!(said.err.contains(part), "{more:?}: `{part}` is missing in:\n{}", said.err);
    }
}

#[test]
fn weak_completeness_of_the_ring_holds_under_fairness() {
    let said = ring(&["--property", "weak-completeness", "--fairness", "steps"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for part in ["HOLDS", "weak fairness: every step that stays possible is taken", "may rest for ever"] {
        assert!(said.out.contains(part), "`{part}` is missing in:\n{}", said.out);
    }
}

#[test]
fn strong_completeness_of_the_ring_fails_with_a_lasso_in_every_format() {
    let room = Room::new("lasso");
    let (itf, svg, mmd) = (room.arg("lasso.itf.json"), room.arg("lasso.svg"), room.arg("lasso.mmd"));
    let files = ["--out-itf", &itf, "--chart", &svg, "--chart", &mmd];
    let said = ring(&[&["--property", "strong-completeness", "--fairness", "steps"], &files[..]].concat());
    assert_eq!(said.code, 13, "{}{}", said.out, said.err);
    assert!(said.out.contains("repeats itself"), "{}", said.out);
    assert!(room.read("lasso.itf.json").contains("\"loop\""));
    assert!(room.read("lasso.mmd").contains("loop "), "{}", room.read("lasso.mmd"));
    assert!(room.read("lasso.svg").contains("<svg"));
    let again = said.out.lines().find(|line| line.contains("watchkeeper check ring")).expect("a command");
    assert!(
        again.contains("--fairness steps") && again.contains("--property strong-completeness"),
        "{again}"
    );
}

#[test]
fn a_formula_says_the_same_as_the_property() {
    let complete = "F G all p != q: crashed(p) & !crashed(q) -> suspects(q,p)";
    let said = ring(&["--ltl", complete, "--fairness", "steps"]);
    assert_eq!(said.code, 13, "{}{}", said.out, said.err);
    let weaker = "crashed(p1) ~> suspects(p0,p1); F G (crashed(p1) -> suspects(p0,p1))";
    let said = ring(&["--ltl", weaker, "--fairness", "steps"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.matches("HOLDS").count(), 2, "{}", said.out);
}

#[test]
fn without_time_and_without_fairness_a_claim_is_refused_with_the_reason() {
    refused(
        &["--property", "strong-completeness"],
        &["which runs count", "--fairness steps", "--time ticks"],
    );
    refused(&["--ltl", "G F suspects(p0,p1)", "--fairness", "none"], &["which runs count"]);
    // What is asked of single states needs no fairness.
    let said = ring(&["--ltl", "G (suspects(p0,p1) | !suspects(p0,p1))"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

#[test]
fn mistakes_in_formulas_are_pointed_at() {
    refused(&["--ltl", "G (crashed(p1) ->", "--fairness", "steps"], &["--ltl", "^"]);
    refused(
        &["--ltl", "F G suspect(p0,p1)", "--fairness", "steps"],
        &["there is no atom `suspect(p0,p1)`", "did you mean `suspects(p0,p1)`?", "    ^^^^^^^^^^^^^^"],
    );
    refused(&["--ltl", "G F suspects(p0,p7)", "--fairness", "steps"], &["suspects(p0,p7)", "^"]);
    refused(&["--ltl", " ; ", "--fairness", "steps"], &["--ltl"]);
}

#[test]
fn fairness_that_names_nothing_is_refused_with_what_there_is() {
    let claim = ["--property", "weak-completeness", "--fairness"];
    let of = |word: &'static str| [&claim[..], &[word]].concat();
    refused(&of("stepps"), &["--fairness: there is no fairness `stepps`; did you mean `steps`?"]);
    refused(&of("weak:I-AM-ALIV"), &["`I-AM-ALIV`", "deliver I-AM-ALIVE"]);
    refused(&of("strong:Round@p9"), &["there is no p9", "p0 to p2"]);
    refused(&of("strong:crash"), &["`crash`"]);
    // Nothing that is asked is about runs.
    refused(&["--fairness", "steps"], &["nothing that is asked is about infinite runs"]);
}

#[test]
fn dense_time_and_partial_searches_say_what_to_do_instead() {
    let timed = ["--property", "strong-completeness", "--delay", "0..1", "--param", "round=3"];
    refused(&[&timed[..], &["--time", "dense"]].concat(), &["not in zones", "--time ticks"]);
    refused(
        &["--property", "strong-completeness", "--fairness", "steps", "--search", "beam:10"],
        &["breadth-first"],
    );
    refused(
        &["--property", "strong-completeness", "--fairness", "steps", "--symmetry"],
        &["fairness tells processes apart"],
    );
}

#[test]
fn a_limit_leaves_a_claim_unknown() {
    let said = ring(&["--property", "weak-completeness", "--fairness", "steps", "--max-states", "1000"]);
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    assert!(said.out.contains("UNKNOWN"), "{}", said.out);
}

#[test]
fn a_claim_whose_premise_never_comes_true_carries_a_warning() {
    let never = ["check", "ring", "--channel", "drop:1", "--fairness", "steps"];
    let said = watchkeeper(&[&never[..], &["--property", "weak-completeness"]].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("no fair run satisfies its premise"), "{}", said.out);
    let said = watchkeeper(&[&never[..], &["--ltl", "crashed(p1) ~> suspects(p0,p1)"]].concat());
    assert!(said.out.contains("what should lead to something never happens"), "{}", said.out);
    let implied = ["--ltl", "G (crashed(p1) -> F G suspects(p0,p1))"];
    let said = watchkeeper(&[&never[..], &implied].concat());
    assert!(said.out.contains("no fair run satisfies"), "{}", said.out);
}

#[test]
fn the_ring_is_classified_in_asynchrony_and_in_synchrony() {
    let ring = ["classify", "ring", "--channel", "drop:1", "--crashable", "p1"];
    let said = watchkeeper(&ring);
    assert!(said.out.contains("weak-completeness") && said.out.contains("Not "), "{}", said.out);
    assert_eq!(said.code, 13, "asynchrony leaves it no accuracy: {}{}", said.out, said.err);
    let ring = ["classify", "ring", "--channel", "unbounded:4", "--crashes", "1"];
    let timed = ["--time", "ticks", "--delay", "0..1", "--param", "round=3"];
    let said = watchkeeper(&[&ring[..], &timed].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("ring: class Q"), "{}", said.out);
}

#[test]
fn a_class_does_not_hide_that_time_is_locked() {
    let locks = ["classify", "chandra-toueg", "--n", "2", "--channel", "block:1", "--time", "ticks"];
    let said = watchkeeper(&[&locks[..], &["--delay", "0..1"]].concat());
    assert!(said.out.contains("of the states time is locked"), "{}", said.out);
}

#[test]
fn a_product_too_large_for_the_memory_is_unknown() {
    let next = "F (!(crashed(p1) & crashed(p2)) & XXXXXXXXX !(crashed(p0) & crashed(p1)))";
    let ring = ["check", "ring", "--channel", "drop:1", "--crashes", "1", "--fairness", "steps"];
    let said = watchkeeper(&[&ring[..], &["--max-memory", "24MB", "--ltl", next]].concat());
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
}

#[test]
fn what_is_no_detector_has_no_class() {
    let said = watchkeeper(&["classify", "ring", "--property", "deadlock"]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("leave --property and --ltl out"), "{}", said.err);
    let said = watchkeeper(&["classify", "ring", "--channel", "drop:1", "--crashes", "0"]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("add --crashes 1"), "{}", said.err);
}
