//! Refinement against its definition on random systems: traces, failures and divergences up to a length that is more than enough for
//! so few states, collected by following all runs.

use crate::naive::drawn;
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_explore::NoCallback;
use watchkeeper_logic::{RefinementFailure, Semantics};
use watchkeeper_lts::{Lts, LtsRefinement, RefinementEnd, SubsetLimit, TAU, read_aut, refines};

const LENGTH: usize = 6;

type Word = Vec<String>;

/// What a system can do, by its words.
#[derive(Default)]
struct Behaviour {
    words: BTreeSet<Word>,
    /// What is on offer where it rests.
    offers: BTreeMap<Word, BTreeSet<BTreeSet<String>>>,
    divergent: BTreeSet<Word>,
}

fn behaviour(lts: &Lts) -> Behaviour {
    let mut found = Behaviour::default();
    let mut todo: Vec<(Word, BTreeSet<u32>)> = vec![(Vec::new(), BTreeSet::from([lts.initial()]))];
    while let Some((word, mut set)) = todo.pop() {
        loop {
            let more: BTreeSet<u32> =
                set.iter().flat_map(|&state| lts.silently(state)).map(|edge| edge.to).collect();
            if more.is_subset(&set) {
                break;
            }
            set.extend(more);
        }
        found.words.insert(word.clone());
        for &state in &set {
            if lts.silently(state).is_empty() {
                let offer = lts.of(state).iter().map(|edge| lts.labels().text(edge.label).to_string());
                found.offers.entry(word.clone()).or_default().insert(offer.collect());
            }
        }
        // So many internal steps pass a state twice.
        let mut ends: BTreeSet<u32> = set.clone();
        for _ in 0..=lts.states() {
            ends = ends.iter().flat_map(|&state| lts.silently(state)).map(|edge| edge.to).collect();
        }
        if !ends.is_empty() {
            found.divergent.insert(word.clone());
        }
        if word.len() < LENGTH {
            for label in 1..lts.labels().len() as u32 {
                let next: BTreeSet<u32> =
                    set.iter().flat_map(|&state| lts.with(state, label)).map(|edge| edge.to).collect();
                if !next.is_empty() {
                    todo.push(([&word[..], &[lts.labels().text(label).to_string()]].concat(), next));
                }
            }
        }
    }
    found
}

fn expected(implementation: &Behaviour, specification: &Behaviour, semantics: Semantics) -> bool {
    let fd = semantics == Semantics::FailuresDivergences;
    // After a divergence of the specification nothing is promised.
    let chaos =
        |word: &Word| fd && (0..=word.len()).any(|len| specification.divergent.contains(&word[..len]));
    let words = implementation.words.iter().filter(|word| !chaos(word));
    let mut refines = words.clone().all(|word| specification.words.contains(word));
    if semantics != Semantics::Traces {
        let none = BTreeSet::new();
        refines &= words.clone().all(|word| {
            let required = specification.offers.get(word).unwrap_or(&none);
            let offers = implementation.offers.get(word).unwrap_or(&none);
            offers.iter().all(|offer| required.iter().any(|required| required.is_subset(offer)))
        });
    }
    refines && (!fd || words.clone().all(|word| !implementation.divergent.contains(word)))
}

fn refined(implementation: &Lts, specification: &Lts, semantics: Semantics) -> LtsRefinement {
    let limit = SubsetLimit { max_sets: None, max_bytes: None, callback: &NoCallback };
    refines(implementation, specification, semantics, limit).expect("a ledger that balances")
}

#[test]
fn every_answer_is_that_of_the_definition() {
    for semantics in [Semantics::Traces, Semantics::StableFailures, Semantics::FailuresDivergences] {
        let (mut held, mut failed) = (0, 0);
        for seed in 0..1000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let specification = drawn(&mut random);
            let implementation = match seed % 2 {
                0 => drawn(&mut random),
                // With some of the transitions: much of that refines.
                _ => {
                    let some = specification.all().filter(|_| random.f64() < 0.8).collect::<Vec<_>>();
                    Lts::new(0, specification.states(), specification.labels().clone(), some)
                }
            };
            let [implemented, specified] = [&implementation, &specification].map(behaviour);
            let expected = expected(&implemented, &specified, semantics);
            let found = refined(&implementation, &specification, semantics);
            match found.end {
                RefinementEnd::Refines(_) => {
                    assert!(expected, "seed {seed}, {semantics}");
                    held += 1;
                }
                RefinementEnd::Fails { way, violation } => {
                    assert!(!expected, "seed {seed}, {semantics}: {violation}");
                    failed += 1;
                    assert_eq!(way[0].0, implementation.initial());
                    for pair in way.windows(2) {
                        let label = implementation.labels().find(&pair[1].1).expect("a label");
                        let steps = implementation.with(pair[0].0, label);
                        assert!(steps.iter().any(|edge| edge.to == pair[1].0), "seed {seed}: no such step");
                    }
                    if let RefinementFailure::Events(events) = &violation.wrong {
                        let word: Word = violation.trace.concat();
                        let longer = [&word[..], events].concat();
                        assert!(specified.words.contains(&word) && !specified.words.contains(&longer));
                    }
                }
                RefinementEnd::Stopped(limit) => panic!("seed {seed}: {limit:?}"),
            }
        }
        assert!(held > 100 && failed > 100, "{semantics}: {held} held, {failed} failed");
    }
}

#[test]
fn a_violation_is_told_with_what_would_have_been_allowed() {
    let read = |text: &str| read_aut(&mut text.as_bytes()).expect("a system");
    let vending = read("des (0, 3, 2)\n(0, \"coin\", 1)\n(1, \"tea\", 0)\n(1, \"coffee\", 0)\n");
    let broken =
        read("des (0, 4, 3)\n(0, \"coin\", 1)\n(1, \"tea\", 0)\n(1, \"tau\", 2)\n(2, \"coin\", 2)\n");
    let picky = read("des (0, 3, 3)\n(0, \"coin\", 1)\n(0, \"coin\", 2)\n(1, \"tea\", 0)\n");
    let looping = read("des (0, 3, 2)\n(0, \"coin\", 1)\n(1, \"tea\", 0)\n(1, \"tau\", 1)\n");
    let told = |implementation: &Lts, semantics| match refined(implementation, &vending, semantics).end {
        RefinementEnd::Fails { violation, way } => (violation.to_string(), violation.seen(), way.len() - 1),
        RefinementEnd::Refines(evidence) => {
            (format!("refines, {} pairs", evidence.states()), String::new(), 0)
        }
        RefinementEnd::Stopped(limit) => panic!("{limit:?}"),
    };
    let traces = "coin is not allowed here; the specification allows coffee, tea";
    assert_eq!(told(&broken, Semantics::Traces), (traces.to_string(), "coin".to_string(), 3));
    let refuses = "rests here offering coin; the specification offers at least coffee, tea";
    assert_eq!(told(&broken, Semantics::StableFailures), (refuses.to_string(), "coin".to_string(), 2));
    assert_eq!(told(&picky, Semantics::Traces).0, "refines, 3 pairs");
    assert_eq!(told(&picky, Semantics::StableFailures).0.split(';').next(), Some("rests here offering tea"));
    assert_eq!(told(&looping, Semantics::StableFailures).0, "refines, 2 pairs");
    let forever = "goes on for ever here without an event; the specification does not";
    assert_eq!(told(&looping, Semantics::FailuresDivergences).0, forever);
    let unlabelled = vending.labels().iter().collect::<Vec<_>>();
    assert_eq!((unlabelled[TAU as usize], vending.states()), ("tau", 2));
}
