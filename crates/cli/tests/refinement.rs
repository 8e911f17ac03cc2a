//! `casebook ring-refinement`, as a user meets it: claims that hold, claims that do not with their runs, limits and
//! misspelled names.

mod binary;

use binary::watchkeeper;

fn claim(name: &str, more: &[&str]) -> binary::Said {
    watchkeeper(&[&["casebook", "ring-refinement", "--model", name][..], more].concat())
}

#[test]
fn a_claim_that_holds_says_what_it_rests_on() {
    let said = claim("lossy-dead", &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("HOLDS: ring refines tasks in traces, in all "), "{}", said.out);
    for part in
        ["every other step is internal", "no order that anyone can see", "tasks: The model is the UPPAAL"]
    {
        assert!(
            said.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(part),
            "{part}:\n{}",
            said.out
        );
    }
    assert!(said.out.contains("watchkeeper casebook ring-refinement --model lossy-dead\n"), "{}", said.out);
}

#[test]
fn the_planted_mistake_is_drawn_with_what_would_have_been_allowed() {
    let said = claim("hasty", &[]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("VIOLATED: hasty refines tasks in traces: "), "{}", said.out);
    let plain = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["seen so far: ", "the specification allows ", "(no shorter run exists)"] {
        assert!(plain.contains(part), "{part} is missing:\n{}", said.out);
    }
}

#[test]
fn limits_and_wrong_names() {
    let said = claim("dead", &["--max-states", "100"]);
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    let said = claim("rung", &[]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("there is no claim `rung`: choose one of ring, "), "{}", said.err);
    let said = watchkeeper(&["casebook", "ring-refinement", "--model", "dead", "--buffer", "2"]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("unexpected argument '--buffer'"), "{}", said.err);
}
