//! Refinement by brute force: every word of the specification up to a length, with every state it may end in,
//! spelled out one by one; every run of the implementation up to as many events, each in all its orders. No
//! sets of states, no numbers, no sharing.

use super::graph::Labelled;
use std::collections::{BTreeSet, HashSet, VecDeque};
use watchkeeper_logic::{Alphabet, Semantics, Visibility};
use watchkeeper_space::{Space, successors};

type Word = Vec<String>;

/// What a step shows, sorted.
fn shown(space: &Labelled, alphabet: &Alphabet, before: u32, class: u8, after: u32) -> Word {
    let atom = |atom, state: u32| space.atom(atom, &[state]);
    let mut seen = Vec::new();
    for entry in alphabet.entries() {
        let happens = match entry.visibility {
            Visibility::Rise(x) => !atom(x, before) && atom(x, after),
            Visibility::Fall(x) => atom(x, before) && !atom(x, after),
            Visibility::Class(x) => class == x,
        };
        if happens && entry.unless.is_none_or(|x| !atom(x, after)) {
            seen.push(entry.event.clone());
        }
    }
    seen.sort();
    seen
}

fn steps(space: &Labelled, alphabet: &Alphabet, state: u32) -> Vec<(Word, u32)> {
    let next = successors(space, &[state]).into_iter();
    next.map(|(action, row)| (shown(space, alphabet, state, action.class(), row[0]), row[0])).collect()
}

fn orders(bag: &[String]) -> Vec<Word> {
    if bag.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for i in 0..bag.len() {
        let mut rest = bag.to_vec();
        let first = rest.remove(i);
        for mut order in orders(&rest) {
            order.insert(0, first.clone());
            found.push(order);
        }
    }
    found
}

/// What a state offers, and whether it is stable.
fn offers(space: &Labelled, alphabet: &Alphabet, state: u32) -> (BTreeSet<String>, bool) {
    let steps = steps(space, alphabet, state);
    let stable = steps.iter().all(|(bag, _)| !bag.is_empty());
    (steps.into_iter().flat_map(|(bag, _)| bag).collect(), stable)
}

/// All words up to a length, and what a stable place after each offers.
struct Language {
    words: HashSet<Word>,
    stable: HashSet<(Word, BTreeSet<String>)>,
}

impl Language {
    fn new(space: &Labelled, alphabet: &Alphabet, most: usize) -> Language {
        // A state, the word up to there, and what is still to be told before anything else, in this order.
        let begin = space.initial.iter().map(|&state| (state, Vec::new(), Vec::new()));
        let mut queue: VecDeque<(u32, Word, Word)> = begin.collect();
        let mut met: HashSet<(u32, Word, Word)> = queue.iter().cloned().collect();
        let mut language = Language { words: HashSet::new(), stable: HashSet::new() };
        while let Some((state, word, untold)) = queue.pop_front() {
            language.words.insert(word.clone());
            let mut next = Vec::new();
            if let Some((first, rest)) = untold.split_first() {
                language.stable.insert((word.clone(), untold.iter().cloned().collect()));
                next.push((state, [&word[..], std::slice::from_ref(first)].concat(), rest.to_vec()));
            } else {
                let (offered, stable) = offers(space, alphabet, state);
                if stable {
                    language.stable.insert((word.clone(), offered));
                }
                for (bag, to) in steps(space, alphabet, state) {
                    for order in orders(&bag) {
                        match order.split_first() {
                            None => next.push((to, word.clone(), Vec::new())),
                            Some((first, rest)) => {
                                let longer = [&word[..], std::slice::from_ref(first)].concat();
                                next.push((to, longer, rest.to_vec()));
                            }
                        }
                    }
                }
            }
            for place in next {
                if place.1.len() <= most && met.insert(place.clone()) {
                    queue.push_back(place);
                }
            }
        }
        language
    }
}

/// The fewest steps to a violation among runs of no more than `most` events.
pub fn fewest_steps(
    implementation: &Labelled,
    specification: &Labelled,
    alphabet: &Alphabet,
    semantics: Semantics,
    most: usize,
) -> Option<usize> {
    let language = Language::new(specification, alphabet, most);
    let begin = implementation.initial.iter().map(|&state| (state, BTreeSet::from([Vec::new()]), 0));
    let mut queue: VecDeque<(u32, BTreeSet<Word>, usize)> = begin.collect();
    let mut met: HashSet<(u32, BTreeSet<Word>)> =
        queue.iter().map(|(state, words, _)| (*state, words.clone())).collect();
    while let Some((state, words, depth)) = queue.pop_front() {
        if words.iter().all(|word| !language.words.contains(word)) {
            return Some(depth);
        }
        let (offered, stable) = offers(implementation, alphabet, state);
        if semantics == Semantics::StableFailures && stable {
            let fits =
                |(word, owed): &(Word, BTreeSet<String>)| words.contains(word) && owed.is_subset(&offered);
            if !language.stable.iter().any(fits) {
                return Some(depth);
            }
        }
        for (bag, to) in steps(implementation, alphabet, state) {
            let longer: BTreeSet<Word> = words
                .iter()
                .flat_map(|word| orders(&bag).into_iter().map(move |order| [&word[..], &order].concat()))
                .collect();
            let short = longer.iter().all(|word| word.len() <= most);
            if short && met.insert((to, longer.clone())) {
                queue.push_back((to, longer, depth + 1));
            }
        }
    }
    None
}
