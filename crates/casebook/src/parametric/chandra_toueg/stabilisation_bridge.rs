//! The system with a global stabilisation time held against a model with the whole buffer: a plain function before GST,
//! the sub-rounds of the casebook after it. Every step of the model is a step of the system. The relation is built on
//! the way, from the beginning on, so nothing is left out but runs whose GST is late.

use super::bridge::sub_rounds;
use super::stabilisation::{cases, stabilising};
use crate::chandra_toueg::{ChandraTouegCase, Encoding};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;
use watchkeeper_prove::{ProofGoal, ProofOptions, State, System, SystemInstance, solver};

/// The bounds and the first timeout.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    delta: i64,
    phi: i64,
    first: i64,
}

/// A state of the model: sTimer, rTimer, rPC, the buffer as bits, wt, timeout, suspected, crashed and hLFSC, as the
/// casebook has them; and how many rounds there were before GST, or that it has come.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Explicit {
    shared: State,
    early: Option<u32>,
}

/// All subsets of a buffer.
fn subsets(buf: i64) -> impl Iterator<Item = i64> {
    (0..=buf).filter(move |part| part & !buf == 0)
}

/// The states after a round before GST.
fn early_rounds(bounds: Bounds, crash: bool, state: &State) -> Vec<State> {
    let &[s_timer, r_timer, task, buf, wt, timeout, suspected, crashed, since] = &state[..] else {
        return Vec::new();
    };
    let old = 1 << bounds.delta;
    // Every age grows by one, and what is old stays old.
    let aged = (0..=bounds.delta)
        .filter(|age| buf >> age & 1 == 1)
        .fold(0, |aged, age| aged | 1 << (age + 1).min(bounds.delta));
    assert!(aged < 2 * old, "no age beyond the bound");
    let mut senders = Vec::new();
    if crashed == 1 {
        senders.push((s_timer, aged, 1, if suspected == 1 { since } else { since + 1 }));
    } else {
        senders.push((0, aged | 1, 0, since));
        senders.push((s_timer + 1, aged, 0, since));
        if crash {
            senders.push((0, aged, 1, 0));
        }
    }
    let longer = (wt + 1).min(timeout.max(wt));
    let mut found = Vec::new();
    for (s_timer, buf, crashed, since) in senders {
        let mut to = |r_timer, task, buf, wt, timeout, suspected| {
            found.push(vec![s_timer, r_timer, task, buf, wt, timeout, suspected, crashed, since]);
        };
        to(r_timer + 1, task, buf, wt, timeout, suspected);
        match task {
            2 => to(0, 0, buf, longer, timeout, suspected),
            1 if wt < timeout => to(0, 2, buf, wt + 1, timeout, suspected),
            1 => to(0, 2, buf, wt, timeout, 1),
            _ => {
                for stays in subsets(buf) {
                    // Nothing is received, and what does not stay is lost.
                    to(0, 1, stays, longer, timeout, suspected);
                    if stays != buf {
                        to(0, 1, stays, 0, timeout + suspected, 0);
                    }
                }
            }
        }
    }
    found
}

/// The states in which the bounds begin to hold: what is kept counts as just sent, and pauses go on or begin anew.
fn stabilised(bounds: Bounds, state: &State) -> Vec<State> {
    let mut found = Vec::new();
    for s_timer in [0, state[0].min(3 * bounds.phi - 1)] {
        for r_timer in [0, state[1].min(bounds.phi - 1)] {
            for buf in [0, i64::from(state[3] != 0)] {
                let mut after = state.clone();
                (after[0], after[1], after[3]) = (s_timer, r_timer, buf);
                found.push(after);
            }
        }
    }
    found
}

/// What both sides have.
fn of_explicit(bounds: Bounds, state: &Explicit) -> State {
    let early = state.early.is_some();
    let (slow, pause) = if early { (3 * bounds.phi - 1, bounds.phi - 1) } else { (i64::MAX, i64::MAX) };
    let &[s_timer, r_timer, task, buf, wt, timeout, suspected, crashed, _] = &state.shared[..] else {
        return Vec::new();
    };
    let age = (0..=bounds.delta).rev().find(|age| buf >> age & 1 == 1).unwrap_or(-1);
    vec![s_timer.min(slow), r_timer.min(pause), task, age, wt, timeout, suspected, crashed, i64::from(!early)]
}

fn of_system(system: &System, state: &State) -> State {
    let names = ["sTimer", "rTimer", "rPC", "age", "wt", "timeout", "suspected", "crashed", "stable"];
    let value = |name: &str| system.variables.iter().position(|variable| variable.name == name);
    names.map(|name| value(name).map_or(0, |at| state[at])).to_vec()
}

/// Walks through the model with a timeout at GST, and answers every step; gives the number of pairs.
fn matched(bounds: Bounds, crash: bool, at_gst: i64, rounds: u32) -> usize {
    let Bounds { delta, phi, first } = bounds;
    let system = stabilising(crash);
    let instance = SystemInstance::new(&system, &[delta, phi, first, at_gst]).expect("possible");
    let small = |n: i64| u32::try_from(n).expect("a small number");
    let case = ChandraTouegCase::new(small(delta), small(phi), small(first), Encoding::Counter);
    let case = case.map(|case| if crash { case.with_ghost() } else { case }).expect("possible");
    let task = if crash { 0 } else { 2 };
    let begun = Explicit { shared: vec![0, 0, task, 0, 0, first, 0, 0, -1], early: Some(0) };
    let like = instance.beginnings().expect("small numbers").remove(0).after;
    assert_eq!(of_explicit(bounds, &begun), of_system(&system, &like));
    let mut open = VecDeque::from([(begun, like)]);
    let mut seen = BTreeSet::new();
    while let Some((state, like)) = open.pop_front() {
        if !seen.insert((state.clone(), like.clone())) {
            continue;
        }
        // After that only numbers grow, and a run of the system ends.
        let over = state.shared[7] == 1 && state.shared[6] == 1 && state.shared[3] == 0;
        let next: Vec<Explicit> = match state.early {
            None if crash && over => Vec::new(),
            None => {
                let rounds = sub_rounds(case, &state.shared).into_iter();
                rounds.map(|shared| Explicit { shared, early: None }).collect()
            }
            Some(count) => {
                let early = early_rounds(bounds, crash, &state.shared).into_iter();
                let early = early.filter(|state| count < rounds && state[5] <= at_gst);
                let gst = stabilised(bounds, &state.shared).into_iter().filter(|state| state[5] == at_gst);
                let after = gst.map(|shared| Explicit { shared, early: None });
                early.map(|shared| Explicit { shared, early: Some(count + 1) }).chain(after).collect()
            }
        };
        let turns = instance.turns(&like).expect("small numbers");
        for next in next {
            let wanted = of_explicit(bounds, &next);
            let reply = turns.iter().find(|turn| of_system(&system, &turn.after) == wanted);
            let reply = reply.unwrap_or_else(|| panic!("{bounds:?}: {state:?} to {next:?}, {wanted:?}"));
            open.push_back((next, reply.after.clone()));
        }
    }
    seen.len()
}

#[test]
fn every_step_of_the_whole_buffer_with_a_gst_is_a_step_of_the_system() {
    let mut pairs = 0;
    for (delta, phi, first, more) in [(0, 1, 1, 1), (1, 1, 1, 0), (1, 1, 1, 1), (2, 1, 2, 0), (1, 2, 1, 0)] {
        let bounds = Bounds { delta, phi, first };
        pairs += matched(bounds, false, first + more, 9);
        pairs += matched(bounds, true, first + more, 6);
    }
    assert!(pairs > 10_000, "{pairs} pairs of states");
}

#[test]
fn what_is_claimed_after_gst_is_proven_by_all_solvers_and_is_about_something() {
    let options = ProofOptions { limit: Duration::from_secs(20), ..ProofOptions::default() };
    for case in cases() {
        let ProofGoal::Holds(theorem) = case else { panic!("everything here holds") };
        let solvers = solver::for_tests();
        // The two that are found fast; the others are proven by the program.
        if solvers.is_empty() || theorem.name == "completeness" {
            continue;
        }
        let shown = theorem.prove(&solvers, &options, |_| {}).expect("an attempt");
        assert!(shown.is_shown(), "{}: {:?}", theorem.name, shown.open());
    }
}

#[test]
fn one_mistake_less_is_not_true_after_gst() {
    // With Delta = 1 the bound is reached: 2 and 3 mistakes, and one with a timeout that is long enough.
    let system = stabilising(false);
    for (point, most) in [([1, 2, 5, 5], 1), ([1, 2, 4, 4], 2), ([1, 1, 4, 4], 0)] {
        let fewer = system.formula(&format!("stable => mistakes <= {most}")).expect("a formula");
        let instance = SystemInstance::new(&system, &point).expect("possible");
        let states = instance.reachable(200_000).expect("small numbers").expect("a small instance");
        let breaks = states.iter().any(|state| instance.holds(&fewer, state) == Ok(false));
        assert!(breaks, "{point:?}: more than {most}");
    }
}
