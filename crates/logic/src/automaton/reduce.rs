//! A smaller automaton of the same language: states that accept nothing go, states that do the same become
//! one, successors that another successor makes superfluous are not listed.

use super::all_sets;
use super::components::{components, has_cycle};
use super::decision::DiagramStore;
use super::tableau::{DraftAutomaton, DraftState};
use std::collections::HashMap;

/// Up to this number of states they are compared in pairs.
const FEW: usize = 300;

/// Makes an automaton smaller, until nothing more is found.
pub fn reduce(mut sketch: DraftAutomaton, diagrams: &mut DiagramStore) -> DraftAutomaton {
    loop {
        let before = size(&sketch);
        drop_dead(&mut sketch);
        drop_acceptance(&mut sketch);
        settle_acceptance(&mut sketch);
        merge_bisimilar(&mut sketch);
        if sketch.states.len() <= FEW {
            merge_similar(&mut sketch, diagrams);
        }
        merge_labels(&mut sketch, diagrams);
        if size(&sketch) == before {
            return sketch;
        }
    }
}

fn size(sketch: &DraftAutomaton) -> (usize, usize, usize) {
    let edges: usize = sketch.states.iter().map(|state| state.next.len()).sum();
    (sketch.states.len(), edges + sketch.initial.len(), sketch.acceptance)
}

/// For each state whether it lies on a cycle that visits all the acceptance sets of `wanted`, of states `within`.
fn recurring(sketch: &DraftAutomaton, wanted: u64, within: &impl Fn(usize) -> bool) -> Vec<bool> {
    let next: Vec<&[u32]> = sketch.states.iter().map(|state| state.next.as_slice()).collect();
    let mut recurring = vec![false; next.len()];
    for component in components(&next, within) {
        let sets = component.iter().fold(0, |sets, &state| sets | sketch.states[state].accepting);
        if sets & wanted == wanted && has_cycle(&component, &next) {
            component.iter().for_each(|&state| recurring[state] = true);
        }
    }
    recurring
}

/// Removes what cannot be reached or cannot reach an accepting cycle.
fn drop_dead(sketch: &mut DraftAutomaton) {
    let mut alive = recurring(sketch, all_sets(sketch.acceptance), &|_| true);
    loop {
        let mut grown = false;
        for state in 0..alive.len() {
            if !alive[state] && sketch.states[state].next.iter().any(|&to| alive[to as usize]) {
                alive[state] = true;
                grown = true;
            }
        }
        if !grown {
            break;
        }
    }
    let mut reached = vec![false; alive.len()];
    let mut waiting = sketch.initial.clone();
    while let Some(state) = waiting.pop() {
        let state = state as usize;
        if alive[state] && !std::mem::replace(&mut reached[state], true) {
            waiting.extend(&sketch.states[state].next);
        }
    }
    let kept: Vec<usize> = (0..alive.len()).filter(|&state| reached[state]).collect();
    let mut place = vec![None; alive.len()];
    kept.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new as u32));
    rename(sketch, &kept, &place);
}

/// Keeps some states, and puts in the place of each old number a new one or none.
fn rename(sketch: &mut DraftAutomaton, kept: &[usize], place: &[Option<u32>]) {
    let renamed = |list: &[u32]| {
        let mut list: Vec<u32> = list.iter().filter_map(|&old| place[old as usize]).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let states = kept.iter().map(|&old| {
        let state = &sketch.states[old];
        DraftState { next: renamed(&state.next), ..*state }
    });
    sketch.states = states.collect();
    sketch.initial = renamed(&sketch.initial);
}

/// Works out for each component which acceptance sets its cycles must still be asked for, and numbers them anew:
/// a cycle stays in one component, so that components need not agree on what a number means.
fn drop_acceptance(sketch: &mut DraftAutomaton) {
    let next: Vec<&[u32]> = sketch.states.iter().map(|state| state.next.as_slice()).collect();
    let mut renumbered: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
    let mut rejecting = false;
    for component in components(&next, &|_| true) {
        let sets = component.iter().fold(0, |sets, &state| sets | sketch.states[state].accepting);
        if !has_cycle(&component, &next) {
            continue;
        }
        if sets != all_sets(sketch.acceptance) {
            rejecting = true;
            continue;
        }
        let mut needed = sets;
        for set in 0..sketch.acceptance as u32 {
            let others = needed & !(1 << set);
            let avoids =
                |state: usize| component.contains(&state) && sketch.states[state].accepting & 1 << set == 0;
            if !recurring(sketch, others, &avoids).contains(&true) {
                needed = others;
            }
        }
        let needed = (0..sketch.acceptance as u32).filter(|set| needed >> set & 1 == 1).collect();
        renumbered.push((component, needed));
    }
    // Where there are cycles that do not accept, there must be a set that they do not visit.
    let most = renumbered.iter().map(|(_, needed)| needed.len()).max().unwrap_or(0);
    sketch.acceptance = most.max(usize::from(rejecting));
    let all = all_sets(sketch.acceptance);
    let mut accepting = vec![0; sketch.states.len()];
    for (component, needed) in renumbered {
        for state in component {
            let missing = |(new, set): (usize, &u32)| (!sketch.states[state].accepting >> set & 1) << new;
            let missing = needed.iter().enumerate().map(missing).fold(0, |sets, bit| sets | bit);
            accepting[state] = all & !missing;
        }
    }
    sketch.states.iter_mut().zip(accepting).for_each(|(state, sets)| state.accepting = sets);
}

/// A state that is on no accepting cycle may be in any acceptance sets: those of one that it can be merged with.
fn settle_acceptance(sketch: &mut DraftAutomaton) {
    let matters = recurring(sketch, all_sets(sketch.acceptance), &|_| true);
    for state in 0..matters.len() {
        if !matters[state] {
            let this = &sketch.states[state];
            let twin = (0..matters.len()).find(|&other| {
                let that = &sketch.states[other];
                matters[other] && that.letter == this.letter && that.next == this.next
            });
            sketch.states[state].accepting = twin.map_or(0, |twin| sketch.states[twin].accepting);
        }
    }
}

/// Merges states with equal letters, equal acceptance and, class by class, the same successors.
fn merge_bisimilar(sketch: &mut DraftAutomaton) {
    let mut class = vec![0u32; sketch.states.len()];
    let mut count = 0;
    loop {
        let mut known = HashMap::new();
        let refined: Vec<u32> = sketch
            .states
            .iter()
            .enumerate()
            .map(|(number, state)| {
                let mut next: Vec<u32> = state.next.iter().map(|&to| class[to as usize]).collect();
                next.sort_unstable();
                next.dedup();
                let fresh = known.len() as u32;
                *known.entry((class[number], state.letter, state.accepting, next)).or_insert(fresh)
            })
            .collect();
        class = refined;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    let kept: Vec<usize> =
        (0..count).filter_map(|wanted| class.iter().position(|&is| is as usize == wanted)).collect();
    let place: Vec<Option<u32>> = class.into_iter().map(Some).collect();
    rename(sketch, &kept, &place);
}

/// Merges states that simulate each other directly, and removes from each list of successors those that another
/// one of the list simulates.
fn merge_similar(sketch: &mut DraftAutomaton, diagrams: &mut DiagramStore) {
    let larger = simulation(&sketch.states, diagrams);
    let states = 0..sketch.states.len();
    let first = |state: usize| (0..=state).find(|&other| larger[state][other] && larger[other][state]);
    let class: Vec<usize> = states.clone().map(|state| first(state).unwrap_or(state)).collect();
    let kept: Vec<usize> = states.filter(|&state| class[state] == state).collect();
    let thin = |list: &mut Vec<u32>| {
        let all = list.clone();
        list.retain(|&small| {
            !all.iter().any(|&large| {
                let (small, large) = (small as usize, large as usize);
                larger[small][large] && !larger[large][small]
            })
        });
    };
    thin(&mut sketch.initial);
    sketch.states.iter_mut().for_each(|state| thin(&mut state.next));
    let place: Vec<Option<u32>> =
        class.iter().map(|&state| kept.binary_search(&state).ok().map(|place| place as u32)).collect();
    rename(sketch, &kept, &place);
}

/// For each pair of states whether the second can do all that the first does, state by state.
fn simulation(states: &[DraftState], diagrams: &mut DiagramStore) -> Vec<Vec<bool>> {
    let mut larger: Vec<Vec<bool>> = states
        .iter()
        .map(|a| {
            let covers =
                |b: &DraftState| a.accepting & !b.accepting == 0 && diagrams.implies(a.letter, b.letter);
            states.iter().map(covers).collect()
        })
        .collect();
    loop {
        let mut changed = false;
        for (a, small) in states.iter().enumerate() {
            for (b, large) in states.iter().enumerate() {
                let follows = |&to: &u32| large.next.iter().any(|&by| larger[to as usize][by as usize]);
                if larger[a][b] && !small.next.iter().all(follows) {
                    larger[a][b] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return larger;
        }
    }
}

/// Merges states that differ in their letters only and are entered from the same states.
fn merge_labels(sketch: &mut DraftAutomaton, diagrams: &mut DiagramStore) {
    const START: u32 = u32::MAX;
    let mut entered: Vec<Vec<u32>> = vec![Vec::new(); sketch.states.len()];
    for (from, state) in sketch.states.iter().enumerate() {
        state.next.iter().for_each(|&to| entered[to as usize].push(from as u32));
    }
    sketch.initial.iter().for_each(|&to| entered[to as usize].push(START));
    let mut known: HashMap<(u64, Vec<u32>, Vec<u32>), usize> = HashMap::new();
    let mut kept: Vec<usize> = Vec::new();
    let mut place = vec![None; sketch.states.len()];
    for (number, from) in entered.into_iter().enumerate() {
        let DraftState { letter, accepting, ref next } = sketch.states[number];
        let new = *known.entry((accepting, next.clone(), from)).or_insert(kept.len());
        place[number] = Some(new as u32);
        match kept.get(new) {
            Some(&old) => sketch.states[old].letter = diagrams.or(sketch.states[old].letter, letter),
            None => kept.push(number),
        }
    }
    rename(sketch, &kept, &place);
}
