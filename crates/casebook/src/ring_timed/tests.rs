//! The search against the automata as they are drawn, the engine against the plainest search, and both
//! against the findings of the book.

use super::automata::{At2, Automata};
use super::message::{Deed, PROCESSES, Place};
use super::state::{Layout, State};
use super::*;
use crate::ring::Crash;
use std::collections::{BTreeSet, HashMap};
use watchkeeper_core::Pid;
use watchkeeper_explore::{Quiet, Search, check, naive};
use watchkeeper_logic::{Finding as Kind, Limit, Outcome, Question};
use watchkeeper_space::{Action, Event, Id, Space, Stuck, Trail, steps, successors};
use watchkeeper_world::Simultaneous;

fn case(variant: Variant, order: Order, capacity: u32, max_delta: u32, clock: Clock) -> Case {
    Case::new(variant, order, capacity, max_delta, clock).expect("a possible case")
}

/// One case of every kind, p1 dead, mortal and immortal.
fn all_kinds() -> Vec<Case> {
    let mut cases = Vec::new();
    for variant in Variant::ALL {
        for order in Order::ALL {
            for clock in Clock::ALL {
                for crash in Crash::ALL {
                    let capacity = if crash == Crash::AnyTime { 1 } else { 2 };
                    let case = case(variant, order, capacity, 2, clock).with_crash(crash);
                    cases.push(case);
                    cases.push(case.with_growth(Growth::PastMaxDelta));
                    cases.push(case.with_simultaneous(Simultaneous::DeliveriesFirst));
                }
            }
        }
    }
    cases
}

/// The steps of the automata that change something, as the search names and stores them.
fn drawn(layout: &Layout, automata: &Automata) -> BTreeSet<(u64, Vec<Id>)> {
    let row = |automata: &Automata| layout.row(&automata.state()).to_vec();
    let before = row(automata);
    let edges = automata.edges().into_iter().map(|edge| (edge.deed.code(edge.me), row(&edge.after)));
    edges.filter(|(code, after)| *code != Deed::Tick.code(Pid::at(0)) || *after != before).collect()
}

/// Every state up to `most`: the same steps, by the same names, the same lists, and one way to store it.
fn agrees(case: Case, most: usize) -> usize {
    let (space, layout) = (case.space(), Layout::new(&case));
    let row = |automata: &Automata| layout.row(&automata.state()).to_vec();
    let mut queue = vec![Automata::initial(&case)];
    let mut known: BTreeSet<Vec<Id>> = BTreeSet::from([row(&queue[0])]);
    assert_eq!(space.initial(), [row(&queue[0])]);
    let mut next = 0;
    while next < queue.len() {
        let automata = queue[next].clone();
        let here = row(&automata);
        let found = successors(&space, &here);
        let fast: BTreeSet<_> = found.iter().map(|(action, row)| (action.code(), row.clone())).collect();
        assert_eq!(fast.len(), found.len(), "{case}: no two steps share a name and an end");
        assert_eq!(fast, drawn(&layout, &automata), "{case}, after {here:?}");
        let state: State = layout.state(&here);
        assert_eq!(state, automata.state(), "{case}: a row stands for one state");
        for p in Pid::all(PROCESSES) {
            assert_eq!(state.processes[p.index()].suspects(p), automata.suspects(p), "{case}: L is an arc");
        }
        for edge in automata.edges() {
            if known.len() < most && known.insert(row(&edge.after)) {
                queue.push(edge.after);
            }
        }
        next += 1;
    }
    known.len()
}

#[test]
fn the_search_has_the_steps_of_the_drawn_automata() {
    for case in all_kinds() {
        agrees(case, 1500);
    }
}

#[test]
fn and_has_them_in_a_whole_space() {
    let whole = case(Variant::WeakAccuracy, Order::Fifo, 2, 2, Clock::OldestUnanswered);
    assert_eq!(agrees(whole, usize::MAX), 49_553);
    let resent = case(Variant::StrongCompleteness, Order::Fifo, 1, 2, Clock::EveryResend);
    assert_eq!(
        agrees(resent.with_simultaneous(Simultaneous::DeliveriesFirst), usize::MAX),
        20_540,
        "with the clock that is shared"
    );
}

/// Which of two kinds of silence it is where nothing is possible any more, over a whole space.
#[test]
fn whatever_cannot_go_on_is_a_time_lock() {
    let space = case(Variant::WeakAccuracy, Order::Fifo, 1, 2, Clock::OldestUnanswered).space();
    let mut known: HashMap<Vec<Id>, ()> = HashMap::new();
    let mut queue = space.initial();
    let (mut locks, mut deadlocks, mut silent) = (0, 0, 0);
    let can_act = space.shape().atom("can-act").expect("an atom");
    while let Some(row) = queue.pop() {
        if known.insert(row.clone(), ()).is_some() {
            continue;
        }
        silent += usize::from(!space.atom(can_act, &row));
        let found = steps(&space, &row);
        if found.stuck {
            match space.stuck(&row) {
                Stuck::Timelock => locks += 1,
                Stuck::Deadlock => deadlocks += 1,
                Stuck::Finished => panic!("this model has no end"),
            }
        }
        queue.extend(found.next.into_iter().map(|(_, row)| row));
    }
    assert_eq!((known.len(), locks, deadlocks, silent), (0, 0, 0, 0));
}
