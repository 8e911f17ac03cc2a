//! Verdicts of several questions put together: what either of them does not know, neither do both.

use watchkeeper_logic::{
    Coverage, Ledger, Limit, Outcome, PartialExpansion, StateUnit, Stats, Verdict, Violation, ViolationKind,
};
use watchkeeper_space::{Role, Trace};

fn verdict(name: &str, outcome: Outcome) -> Verdict {
    Verdict {
        outcome,
        property: name.to_string(),
        assumptions: vec!["both".to_string(), name.to_string()],
        warnings: vec![format!("{name} warns")],
        coverage: vec![
            Coverage { name: "step".to_string(), role: Role::Other, count: 3 },
            Coverage { name: name.to_string(), role: Role::Other, count: 1 },
        ],
        stats: Stats { distinct_states: 2, transitions: 5, level_sizes: vec![1, 1], ..Stats::default() },
    }
}

fn holds(name: &str) -> Verdict {
    let mut ledger = Ledger::open();
    ledger.stores(2);
    ledger.expands(2, 5, 5);
    verdict(name, Outcome::Holds(ledger.close().expect("it balances")))
}

fn unknown(name: &str) -> Verdict {
    verdict(name, Outcome::Unknown(Limit::Depth(7)))
}

fn violated(name: &str) -> Verdict {
    let trace = Trace::default();
    let violation =
        Violation { finding: ViolationKind::Safety, what: name.to_string(), trace, shortest: true };
    verdict(name, Outcome::Violated(Box::new(violation)))
}

#[test]
fn a_violation_comes_before_what_is_unknown_and_that_before_what_holds() {
    type Make = fn(&str) -> Verdict;
    let all: [Make; 3] = [violated, unknown, holds];
    for (mine, left) in all.iter().enumerate() {
        for (theirs, right) in all.iter().enumerate() {
            let both = left("a").and(right("b"));
            assert_eq!(both.word(), ["violated", "unknown", "holds"][mine.min(theirs)]);
            if mine.min(theirs) < 2 {
                let whose = if mine <= theirs { "a" } else { "b" };
                assert_eq!((both.property.as_str(), both.stats.distinct_states), (whose, 2));
            }
        }
    }
}

#[test]
fn what_both_have_seen_and_rest_on_is_told_of_both() {
    let both = holds("a").and(holds("b"));
    let Outcome::Holds(seen) = &both.outcome else { panic!("{}", both.word()) };
    assert_eq!((seen.states(), seen.transitions()), (4, 10));
    assert_eq!(both.property, "a, b");
    assert_eq!(both.assumptions, ["both", "a", "b"]);
    assert_eq!(both.warnings, ["a warns", "b warns"]);
    let counts: Vec<(&str, u64)> = both.coverage.iter().map(|it| (it.name.as_str(), it.count)).collect();
    assert_eq!(counts, [("step", 6), ("a", 1), ("b", 1)]);
    assert_eq!((both.stats.distinct_states, both.stats.transitions), (4, 10));
    assert_eq!(both.stats.level_sizes, [2, 2]);
}

#[test]
fn figures_of_two_searches_add_up_and_their_peaks_do_not() {
    let part = |in_part| Some(PartialExpansion { in_part, whole: 1 });
    let left = Stats { level_sizes: vec![1, 2, 3], peak_bytes: 10, partial: part(4), ..Stats::default() };
    let right = Stats { level_sizes: vec![1], peak_bytes: 30, unit: StateUnit::Zones, ..Stats::default() };
    let both = left.clone().and(right.clone());
    assert_eq!((both.level_sizes.as_slice(), both.peak_bytes, both.partial), (&[2, 2, 3][..], 30, part(4)));
    assert_eq!(both, right.and(left.clone()), "in either order");
    assert_eq!(left.clone().and(left).partial, Some(PartialExpansion { in_part: 8, whole: 2 }));
}
