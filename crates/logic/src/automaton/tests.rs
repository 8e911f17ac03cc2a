//! Automata against the definition on random lassos, and the sizes of those that are often needed. The judge here
//! must stay the one of `lasso.rs`, which knows no automaton.

use super::components::{components, has_cycle};
use super::decision::{ALWAYS, DiagramStore, NEVER};
use super::normal::normal;
use super::*;
use crate::holds_on_lasso;
use crate::random::Random;

fn p() -> Formula {
    Formula::atom(0)
}

fn q() -> Formula {
    Formula::atom(1)
}

/// Whether there is an accepting path over a lasso: a cycle of the product that visits every acceptance set.
fn accepts(
    automaton: &Automaton,
    len: usize,
    loops_to: usize,
    atom: &impl Fn(usize, AtomId) -> bool,
) -> bool {
    let truths: Vec<u64> = (0..len).map(|at| automaton.read_state(&|id| atom(at, id))).collect();
    let node = |at: usize, state: u32| (at * automaton.states.len() + state as usize) as u32;
    let fits = |at: usize, state: u32| automaton.states[state as usize].label.allows(truths[at]);
    let mut next = Vec::new();
    for at in 0..len {
        let after = if at + 1 == len { loops_to } else { at + 1 };
        for state in &automaton.states {
            let steps = state.next.iter().filter(|&&to| fits(after, to));
            next.push(steps.map(|&to| node(after, to)).collect::<Vec<u32>>());
        }
    }
    let next: Vec<&[u32]> = next.iter().map(Vec::as_slice).collect();
    let mut reached = vec![false; next.len()];
    let starts = automaton.initial.iter().filter(|&&state| fits(0, state));
    let mut waiting: Vec<u32> = starts.map(|&state| node(0, state)).collect();
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut reached[at as usize], true) {
            waiting.extend(next[at as usize]);
        }
    }
    components(&next, &|at| reached[at]).iter().any(|component| {
        let set = |at: &usize| automaton.states[at % automaton.states.len()].accepting;
        has_cycle(component, &next)
            && component.iter().map(set).fold(0, |sets, more| sets | more) == automaton.all_sets()
    })
}

fn random_formula(random: &mut Random, depth: u32) -> Formula {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(10) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::atom(random.below(3) as AtomId),
        };
    }
    let mut part = || Box::new(random_formula(random, depth - 1));
    let (a, b) = (part(), part());
    match random.below(9) {
        0 => Formula::Not(a),
        1 => Formula::And(a, b),
        2 => Formula::Or(a, b),
        3 => Formula::Next(a),
        4 => Formula::Until(a, b),
        5 => Formula::Release(a, b),
        6 => a.eventually(),
        7 => a.always(),
        _ => a.leads_to(*b),
    }
}

/// Twenty thousand formulas, each on one random lasso, with labels over atoms and with opaque ones.
#[test]
fn an_automaton_accepts_what_the_definition_says() {
    let mut random = Random::new(5);
    let (mut held, mut largest) = (0, 0);
    for round in 0..20_000 {
        let depth = 1 + random.below(5) as u32;
        let formula = random_formula(&mut random, depth);
        let len = 1 + random.below(6) as usize;
        let loops_to = random.below(len as u64) as usize;
        let letters: Vec<u64> = (0..len).map(|_| random.below(8)).collect();
        let atom = |at: usize, id: AtomId| letters[at] >> id & 1 == 1;
        let expected = holds_on_lasso(&formula, len, loops_to, &atom);
        held += u32::from(expected);
        let simpler = normal(&formula);
        assert_eq!(holds_on_lasso(&simpler, len, loops_to, &atom), expected, "{formula:?}\n{simpler:?}");
        for open in [true, false] {
            let automaton = Automaton::read(&formula, open).unwrap();
            largest = largest.max(automaton.states.len());
            assert_eq!(
                accepts(&automaton, len, loops_to, &atom),
                expected,
                "round {round}, open {open}: {formula:?} on {letters:?} back to {loops_to}: {automaton:?}"
            );
        }
    }
    assert!((6_000..14_000).contains(&held), "both answers should be common: {held} of 20,000");
    assert!(largest < 1_000, "{largest}");
}

fn size(formula: &Formula) -> (usize, usize) {
    let automaton = Automaton::of(formula).unwrap();
    (automaton.states.len(), automaton.acceptance)
}

#[test]
fn everyday_formulas_have_small_automata() {
    let [np, nq] = [p().not(), q().not()];
    for (formula, expected) in [
        (Formula::True, (1, 0)),
        (Formula::False, (0, 0)),
        (p().always(), (1, 0)),
        (p().eventually(), (3, 1)),
        (p().eventually().always(), (2, 1)),
        (p().always().eventually(), (2, 1)),
        (p().leads_to(q()), (4, 1)),
        (p().leads_to(q()).not(), (3, 1)),
        (p().until(q()), (3, 1)),
        (np.eventually().always().and(nq.eventually().always()), (4, 2)),
        (p().eventually().always().implies(q().eventually().always()), (4, 1)),
    ] {
        assert_eq!(size(&formula), expected, "{formula:?}");
    }
}

/// In `G F p` every state of a system has one state of the automaton to go with, so that the product is no larger
/// than the system.
#[test]
fn a_letter_leaves_little_to_choose() {
    let [a, b, c] = [0, 1, 2].map(Formula::atom);
    let recur = a.eventually().always().and(b.eventually().always()).and(c.eventually().always());
    for formula in [p().eventually().always(), p().leads_to(q()), p().until(q()), recur] {
        let automaton = Automaton::of(&formula).unwrap();
        let lists = automaton.states.iter().map(|state| &state.next).chain([&automaton.initial]);
        for list in lists {
            for letter in 0..8 {
                let truths = automaton.read_state(&|id| letter >> id & 1 == 1);
                let fitting = |&&to: &&u32| automaton.states[to as usize].label.allows(truths);
                assert!(list.iter().filter(fitting).count() <= 1, "{formula:?}: {automaton:?}");
            }
        }
    }
}

/// Four answers to four questions have more labels than there is room for, so states are split.
#[test]
fn labels_that_are_no_conjunctions_can_be_split() {
    let formula = Formula::all((0..4).map(|i| Formula::atom(2 * i).leads_to(Formula::atom(2 * i + 1))));
    let automaton = Automaton::of(&formula).unwrap();
    assert_eq!((automaton.states.len(), automaton.propositions.len()), (625, 8));
    let mut random = Random::new(9);
    let mut held = 0;
    for _ in 0..300 {
        let len = 1 + random.below(5) as usize;
        let loops_to = random.below(len as u64) as usize;
        let letters: Vec<u64> = (0..len).map(|_| random.below(256) | random.below(256)).collect();
        let atom = |at: usize, id: AtomId| letters[at] >> id & 1 == 1;
        let expected = holds_on_lasso(&formula, len, loops_to, &atom);
        held += u32::from(expected);
        assert_eq!(accepts(&automaton, len, loops_to, &atom), expected, "{letters:?} back to {loops_to}");
    }
    assert!((50..250).contains(&held), "{held}");
}

#[test]
fn what_is_too_large_is_refused() {
    let atoms = |count: usize| (0..count).map(Formula::atom);
    let script = atoms(70).rev().fold(Formula::True, |rest, atom| atom.and(rest.next()));
    assert_eq!(Automaton::of(&script), Err(AutomatonError::TooManyPropositions));
    let hopes = Formula::all(atoms(65).map(Formula::eventually));
    assert_eq!(Automaton::of(&hopes), Err(AutomatonError::TooManyPromises));
    let recur = |count| Formula::all(atoms(count).map(|atom| atom.eventually().always()));
    assert_eq!(Automaton::of(&recur(12)), Err(AutomatonError::TooManyStates));
    assert_eq!(size(&recur(12).not()), (13, 1));
    assert_eq!(size(&recur(6)), (64, 6));
}

#[test]
fn diagrams_are_canonical() {
    let mut diagrams = DiagramStore::new();
    let [a, b] = [0, 1].map(|variable| diagrams.variable(variable));
    let (both, either) = (diagrams.and(a, b), diagrams.or(a, b));
    let [not_a, not_b] = [a, b].map(|diagram| diagrams.not(diagram));
    let neither = diagrams.and(not_b, not_a);
    assert_eq!(diagrams.not(either), neither);
    assert_eq!(diagrams.or(either, neither), ALWAYS);
    assert_eq!(diagrams.minus(both, either), NEVER);
    assert!(diagrams.implies(both, either) && !diagrams.implies(either, both));
    assert_eq!(diagrams.cube(neither).map(|cube| (cube.yes, cube.no)), Some((vec![], vec![0, 1])));
    assert_eq!(diagrams.cube(either), None);
    assert_eq!(diagrams.cubes(either).len(), 2);
}
