//! Every reduction against the definition of its equivalence, on random systems.

use crate::naive::{bisimilar, classes, drawn, words};
use watchkeeper_explore::NoCallback;
use watchkeeper_lts::{Equivalence, Lts, SubsetLimit, reduce};

const CASES: u64 = 1000;
const BISIMULATIONS: [Equivalence; 3] =
    [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergencePreservingBranching];

fn reduced(lts: &Lts, modulo: Equivalence) -> Lts {
    let limit = SubsetLimit { max_sets: None, max_bytes: None, callback: &NoCallback };
    reduce(lts, modulo, limit).expect("no limit")
}

/// Both systems as one, and the initial states of both in it.
fn beside(one: &Lts, other: &Lts) -> (Lts, usize, usize) {
    let mut labels = one.labels().clone();
    let shift = one.states() as u32;
    let mut transitions: Vec<_> = one.all().collect();
    for (from, mut edge) in other.all() {
        edge.label = labels.number(other.labels().text(edge.label));
        edge.to += shift;
        transitions.push((from + shift, edge));
    }
    let both = Lts::new(one.initial(), one.states() + other.states(), labels, transitions);
    (both, one.initial() as usize, (shift + other.initial()) as usize)
}

#[test]
fn a_quotient_is_bisimilar_and_none_of_its_states_are() {
    let mut smaller = [0; 3];
    for seed in 0..CASES {
        let lts = drawn(&mut fastrand::Rng::with_seed(seed)).reachable();
        for (modulo, smaller) in BISIMULATIONS.into_iter().zip(&mut smaller) {
            let least = reduced(&lts, modulo);
            assert_eq!(least.states(), classes(&lts, modulo), "seed {seed}, {modulo}: {lts:?}");
            assert_eq!(least.states(), classes(&least, modulo), "seed {seed}, {modulo}");
            let (both, one, other) = beside(&lts, &least);
            assert!(bisimilar(&both, modulo)[one][other], "seed {seed}, {modulo}: {lts:?} {least:?}");
            assert_eq!(reduced(&least, modulo), least, "seed {seed}, {modulo}");
            *smaller += usize::from(least.states() < lts.states());
        }
    }
    assert!(smaller.iter().all(|&count| count > 100), "{smaller:?} of {CASES} became smaller");
}

#[test]
fn a_deterministic_system_has_the_same_words_and_no_two_states_have() {
    for seed in 0..CASES / 2 {
        let lts = drawn(&mut fastrand::Rng::with_seed(seed)).reachable();
        for (modulo, weak) in [(Equivalence::Trace, false), (Equivalence::WeakTrace, true)] {
            let least = reduced(&lts, modulo);
            assert_eq!(words(&lts, weak, 5), words(&least, false, 5), "seed {seed}, {modulo}: {lts:?}");
            let next = |state: u32| least.of(state).iter().map(|edge| edge.label);
            assert!((0..least.states() as u32).all(|state| next(state).is_sorted_by(|a, b| a < b)));
            assert_eq!(least.states(), classes(&least, Equivalence::Strong), "seed {seed}, {modulo}");
        }
    }
}
