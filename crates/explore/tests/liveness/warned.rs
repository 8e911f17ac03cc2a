//! Claims that hold of nothing, and what the verdict says of that.

use crate::formulas::read;
use crate::spelling::{ATOMS, read_fairness, read_line};
use crate::table::Table;
use watchkeeper_explore::{NoCallback, Search, liveness, liveness_general};
use watchkeeper_logic::{Outcome, TemporalProperty};

const BLINKS: &str = "0 p start
0 -a-> 1 -a-> 0";
const LOCKED: &str = "0 p start locked
0 -!crash-> 0
time passes";

/// The warnings on a claim, which holds.
fn warnings(space: &str, fairness: &str, claim: &str, premise: Option<&str>) -> Vec<String> {
    let mut table = Table::new(ATOMS);
    space.lines().for_each(|line| read_line(&mut table, line));
    let fairness = read_fairness(&mut table, fairness);
    let claim =
        TemporalProperty { premise: premise.map(read), ..TemporalProperty::new("claim", read(claim)) };
    let (claims, search) = (std::slice::from_ref(&claim), Search::default());
    let mut fast = liveness(&table, claims, &fairness, &search, &NoCallback).expect("a verdict").remove(0);
    let general =
        liveness_general(&table, claims, &fairness, &search, &NoCallback).expect("a verdict").remove(0);
    assert!(matches!(fast.outcome, Outcome::Holds(_)) && matches!(general.outcome, Outcome::Holds(_)));
    // What leads to something is known of fast paths only.
    fast.warnings.retain(|warning| premise.is_none() || general.warnings.contains(warning));
    fast.warnings
}

#[test]
fn a_claim_that_says_something_has_no_warning() {
    assert_eq!(warnings(BLINKS, "weak a", "p ~> !p", None), [""; 0]);
    assert_eq!(warnings(BLINKS, "weak a", "G F p", Some("G F !p")), [""; 0]);
}

#[test]
fn what_never_happens_leads_to_anything() {
    let warnings = warnings(BLINKS, "weak a", "q ~> p", None);
    assert!(warnings.len() == 1 && warnings[0].contains("never happens"), "{warnings:?}");
}

#[test]
fn a_premise_of_no_run() {
    let warnings = warnings(BLINKS, "weak a", "F G p -> F q", Some("F G p"));
    assert!(warnings.len() == 1 && warnings[0].contains("premise"), "{warnings:?}");
}

#[test]
fn no_fair_run_at_all() {
    for (space, fairness) in [(BLINKS, "always b"), (LOCKED, "")] {
        let warnings = warnings(space, fairness, "F q", None);
        assert!(warnings.len() == 1 && warnings[0].contains("no fair run"), "{warnings:?}");
    }
}
