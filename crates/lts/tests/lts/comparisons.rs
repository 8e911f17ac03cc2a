//! Comparisons against the definitions of the equivalences, on random pairs of systems: unrelated ones, and such that differ in
//! one transition. The formula or trace of each difference is looked at.

use crate::naive::{bisimilar, drawn, words};
use watchkeeper_explore::NoCallback;
use watchkeeper_lts::{Equivalence, Lts, LtsComparison, LtsDifference, SubsetLimit, compare};

const CASES: u64 = 1500;

fn compared(one: &Lts, other: &Lts, modulo: Equivalence) -> LtsComparison {
    let limit = SubsetLimit { max_sets: None, max_bytes: None, callback: &NoCallback };
    compare(one, other, modulo, limit).expect("a formula that tells them apart").expect("no limit")
}

/// A random system and another one: a fresh one, or the same without one of its transitions.
fn pair(seed: u64) -> (Lts, Lts) {
    let mut random = fastrand::Rng::with_seed(seed);
    let one = drawn(&mut random);
    if seed.is_multiple_of(3) || one.transitions() == 0 {
        return (one, drawn(&mut random));
    }
    let without = random.usize(0..one.transitions());
    let rest = one.all().enumerate().filter(|(at, _)| *at != without).map(|(_, transition)| transition);
    let other = Lts::new(0, one.states(), one.labels().clone(), rest);
    (one, other)
}

#[test]
fn bisimilarity_is_told_by_its_definition_and_differences_by_formulas() {
    for modulo in [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergencePreservingBranching] {
        let (mut equal, mut different) = (0, 0);
        for seed in 0..CASES {
            let (one, other) = pair(seed);
            let shift = one.states() as u32;
            let moved = other.all().map(|(from, mut edge)| {
                edge.to += shift;
                (from + shift, edge)
            });
            let transitions: Vec<_> = one.all().chain(moved).collect();
            let both = Lts::new(0, one.states() + other.states(), one.labels().clone(), transitions);
            let expected = bisimilar(&both, modulo)[0][shift as usize];
            match compared(&one, &other, modulo) {
                LtsComparison::Equivalent(_) => {
                    assert!(expected, "seed {seed}, {modulo}: {one:?} {other:?}");
                    equal += 1;
                }
                LtsComparison::Different(LtsDifference::Formula(text)) => {
                    assert!(!expected, "seed {seed}, {modulo}: {text}");
                    different += 1;
                }
                LtsComparison::Different(other) => panic!("seed {seed}, {modulo}: {other:?}"),
            }
        }
        assert!(
            equal > CASES / 10 && different > CASES / 10,
            "{modulo}: {equal} equal, {different} different"
        );
    }
}

#[test]
fn a_trace_tells_apart_what_has_different_traces() {
    for (modulo, weak) in [(Equivalence::Trace, false), (Equivalence::WeakTrace, true)] {
        let (mut equal, mut different) = (0, 0);
        for seed in 0..CASES / 3 {
            let (one, other) = pair(seed);
            match compared(&one, &other, modulo) {
                LtsComparison::Equivalent(_) => {
                    assert_eq!(words(&one, weak, 5), words(&other, weak, 5), "seed {seed}, {modulo}");
                    equal += 1;
                }
                LtsComparison::Different(LtsDifference::Trace { first_has_it, trace }) => {
                    let (has, lacks) = if first_has_it { (&one, &other) } else { (&other, &one) };
                    assert!(words(has, weak, trace.len()).contains(&trace), "seed {seed}, {modulo}");
                    assert!(!words(lacks, weak, trace.len()).contains(&trace), "seed {seed}, {modulo}");
                    let before = trace.len() - 1;
                    assert_eq!(words(has, weak, before), words(lacks, weak, before), "no shorter one");
                    different += 1;
                }
                LtsComparison::Different(other) => panic!("seed {seed}, {modulo}: {other:?}"),
            }
        }
        assert!(equal > 50 && different > 50, "{modulo}: {equal} equal, {different} different");
    }
}

#[test]
fn what_differs_is_said_in_the_words_of_the_mu_calculus() {
    let read = |text: &str| watchkeeper_lts::read_aut(&mut text.as_bytes()).expect("a system");
    let formula = |one: &str, other: &str, modulo| match compared(&read(one), &read(other), modulo) {
        LtsComparison::Different(LtsDifference::Formula(text)) => text,
        other => panic!("{other:?}"),
    };
    // After a there is a choice, or the choice was made before a.
    let late = "des (0, 3, 4)\n(0, \"a\", 1)\n(1, \"b\", 2)\n(1, \"c\", 3)\n";
    let early = "des (0, 4, 5)\n(0, \"a\", 1)\n(0, \"a\", 2)\n(1, \"b\", 3)\n(2, \"c\", 4)\n";
    assert_eq!(formula(late, early, Equivalence::Strong), "<a>(<c>true && <b>true)");
    assert_eq!(formula(early, late, Equivalence::Strong), "<a>[c]false");
    assert_eq!(formula(late, early, Equivalence::Branching), "<tau* . a>(<tau* . c>true && <tau* . b>true)");
    // One may silently lose b, or do the same for ever.
    let sure = "des (0, 1, 2)\n(0, \"b\", 1)\n";
    let unsure = "des (0, 2, 2)\n(0, \"b\", 1)\n(0, \"tau\", 1)\n";
    assert_eq!(formula(unsure, sure, Equivalence::Branching), "<tau*>[tau* . b]false");
    let idle = "des (0, 2, 2)\n(0, \"b\", 1)\n(0, \"tau\", 0)\n";
    assert!(matches!(
        compared(&read(idle), &read(sure), Equivalence::Branching),
        LtsComparison::Equivalent(2)
    ));
    let modulo = Equivalence::DivergencePreservingBranching;
    assert_eq!(formula(idle, sure, modulo), "(nu X1. (<tau>X1))");
}
