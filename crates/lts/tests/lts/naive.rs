//! Equivalences by their definitions: greatest fixed points over pairs of states, and sets of words up to a length. Nothing here is
//! shared with the crate but the rows of a system. It is made to be obviously right, for a few states.

use std::collections::BTreeSet;
use watchkeeper_lts::{Equivalence, LabelTable, Lts, LtsEdge, TAU};

/// A random system: few states, few labels, so that much is equivalent.
pub fn drawn(random: &mut fastrand::Rng) -> Lts {
    let states = random.u32(1..=9);
    let labels = random.u32(1..=3);
    let transitions = random.u32(0..=2 * states + 2);
    let silent = random.f64() * 0.8;
    let mut table = LabelTable::new();
    let names: Vec<u32> = ["a", "b", "c"].iter().map(|name| table.number(name)).collect();
    let mut step = || {
        let label = if random.f64() < silent { TAU } else { names[random.u32(0..labels) as usize] };
        (random.u32(0..states), LtsEdge { label, to: random.u32(0..states) })
    };
    let transitions: Vec<_> = (0..transitions).map(|_| step()).collect();
    Lts::new(0, states as usize, table, transitions)
}

/// The relation of equivalent states, as a matrix: by plain partition refinement, and then held against the definition.
pub fn bisimilar(lts: &Lts, modulo: Equivalence) -> Vec<Vec<bool>> {
    let states = lts.states();
    let mut related = vec![vec![true; states]; states];
    loop {
        let signatures: Vec<_> =
            (0..states as u32).map(|state| signature(lts, modulo, &related, state)).collect();
        let next: Vec<Vec<bool>> = (0..states)
            .map(|s| (0..states).map(|t| related[s][t] && signatures[s] == signatures[t]).collect())
            .collect();
        if next == related {
            break;
        }
        related = next;
    }
    for s in 0..states as u32 {
        for t in (0..states as u32).filter(|&t| related[s as usize][t as usize]) {
            assert!(simulates(lts, modulo, &related, s, t), "{modulo}: {s} and {t} of {lts:?}");
        }
    }
    related
}

/// The labels and classes that a state reaches by a step, in branching bisimulations after internal steps in its class; and
/// whether it diverges there, where that matters. A class is named by its first state.
fn signature(
    lts: &Lts,
    modulo: Equivalence,
    related: &[Vec<bool>],
    state: u32,
) -> (BTreeSet<(u32, usize)>, bool) {
    let class = |of: u32| related[of as usize].iter().position(|&is| is).expect("a state is in its class");
    let (mut reached, mut at, mut steps) = (vec![state], 0, BTreeSet::new());
    while at < reached.len() {
        for edge in lts.of(reached[at]) {
            if modulo != Equivalence::Strong && edge.label == TAU && class(edge.to) == class(state) {
                if !reached.contains(&edge.to) {
                    reached.push(edge.to);
                }
            } else {
                steps.insert((edge.label, class(edge.to)));
            }
        }
        at += 1;
    }
    (steps, modulo == Equivalence::DivergencePreservingBranching && diverges(lts, related, state))
}

/// Whether every step of s is matched by t, for the definition of the equivalence.
fn simulates(lts: &Lts, modulo: Equivalence, related: &[Vec<bool>], s: u32, t: u32) -> bool {
    let is = |a: u32, b: u32| related[a as usize][b as usize];
    if modulo == Equivalence::Strong {
        return lts
            .of(s)
            .iter()
            .all(|step| lts.with(t, step.label).iter().any(|other| is(step.to, other.to)));
    }
    // The states that t reaches by internal steps through states that are related to s.
    let within = |from: u32| {
        let (mut found, mut at) = (vec![from], 0);
        while at < found.len() {
            for edge in lts.silently(found[at]) {
                if is(s, edge.to) && !found.contains(&edge.to) {
                    found.push(edge.to);
                }
            }
            at += 1;
        }
        found
    };
    let reached = within(t);
    let matched = |step: &LtsEdge| {
        step.label == TAU && is(step.to, t)
            || reached.iter().any(|&u| lts.with(u, step.label).iter().any(|other| is(step.to, other.to)))
    };
    if !lts.of(s).iter().all(matched) {
        return false;
    }
    modulo != Equivalence::DivergencePreservingBranching
        || !diverges(lts, related, s)
        || diverges(lts, related, t)
}

/// Whether internal steps can go on for ever through states that are related to this one.
fn diverges(lts: &Lts, related: &[Vec<bool>], state: u32) -> bool {
    let mut alive: BTreeSet<u32> =
        (0..lts.states() as u32).filter(|&other| related[state as usize][other as usize]).collect();
    loop {
        let dead: Vec<u32> = alive
            .iter()
            .copied()
            .filter(|&at| !lts.silently(at).iter().any(|edge| alive.contains(&edge.to)))
            .collect();
        if dead.is_empty() {
            return alive.contains(&state);
        }
        alive.retain(|at| !dead.contains(at));
    }
}

/// The words of at most this length.
pub fn words(lts: &Lts, weak: bool, length: usize) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    let mut now: BTreeSet<(Vec<String>, u32)> = BTreeSet::from([(Vec::new(), lts.initial())]);
    while let Some((word, state)) = now.pop_first() {
        all.insert(word.clone());
        // Words of internal steps do not grow: each state once for each word.
        let mut reached = vec![state];
        let mut at = 0;
        while weak && at < reached.len() {
            for edge in lts.silently(reached[at]) {
                if !reached.contains(&edge.to) {
                    reached.push(edge.to);
                }
            }
            at += 1;
        }
        if word.len() == length {
            continue;
        }
        for edge in reached.iter().flat_map(|&state| lts.of(state)) {
            if weak && edge.label == TAU {
                continue;
            }
            let longer = [&word[..], &[lts.labels().text(edge.label).to_string()]].concat();
            now.insert((longer, edge.to));
        }
    }
    all
}

/// The number of states that can be reached, and are not equivalent to each other.
pub fn classes(lts: &Lts, modulo: Equivalence) -> usize {
    let related = bisimilar(lts, modulo);
    (0..lts.states()).filter(|&s| (0..s).all(|t| !related[s][t])).count()
}
