//! What the naive explorer answers about single states: what is wrong nearest to the start, and how much lies before.

use super::{ActionKind, NaiveGraph};
use crate::ask::{CaseQuery, Minded, Prop};
use std::collections::HashMap;
use watchkeeper_core::Promises;
use watchkeeper_logic::ViolationKind;

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NaiveAnswer {
    /// What is wrong, if anything is.
    pub fault: Option<NaiveViolation>,
    /// Whether something was left out.
    pub cut: bool,
    /// The number of states at each depth, up to the one at which something is wrong.
    pub levels: Vec<u64>,
}

/// Something wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NaiveViolation {
    /// How near it is.
    pub depth: usize,
    /// What kind of thing.
    pub finding: ViolationKind,
    /// The place of the invariant, or behind the last of them the monitor.
    pub which: usize,
}

impl NaiveAnswer {
    /// `holds`, `violated` or `unknown`.
    pub fn word(&self) -> &'static str {
        match (self.fault, self.cut) {
            (Some(_), _) => "violated",
            (None, true) => "unknown",
            (None, false) => "holds",
        }
    }
}

/// The states of a graph with those of a monitor.
struct Pairs {
    list: Vec<(usize, u32, usize)>,
    known: HashMap<(usize, u32), usize>,
}

impl Pairs {
    fn add(&mut self, at: usize, state: u32, depth: usize) {
        let place = self.list.len();
        if *self.known.entry((at, state)).or_insert(place) == place {
            self.list.push((at, state, depth));
        }
    }
}

impl<P: Promises<Msg: Ord, State: Minded>> NaiveGraph<'_, P> {
    /// The answer to what is asked of these propositions; `truth` says which of them hold in which state.
    pub fn answer(&self, ask: &CaseQuery, props: &[Prop], truth: &[Vec<bool>]) -> NaiveAnswer {
        let watched = |prop: usize| matches!(props[prop], Prop::Watched(..));
        let of_watchers = |(when, then): &(Option<usize>, usize)| when.is_none_or(watched) && watched(*then);
        let more = ask.deadlock || ask.timelock.is_some() || ask.monitor.is_some();
        let beyond_watchers = more || !ask.invariants.iter().all(of_watchers);
        let mut pairs = Pairs { list: Vec::new(), known: HashMap::new() };
        let step = |state: u32, sort: Option<ActionKind>, to: usize| match &ask.monitor {
            None => 0,
            Some(monitor) => monitor.next(state, &|prop| truth[prop][to], sort),
        };
        for start in 0..self.starts {
            pairs.add(start, step(0, None, start), 0);
        }
        let (mut fault, mut cut, mut i): (Option<NaiveViolation>, bool, usize) = (None, false, 0);
        while i < pairs.list.len() {
            let (at, state, depth) = pairs.list[i];
            let wrong = self.wrong(ask, truth, at, state).map(|(finding, which)| NaiveViolation {
                depth,
                finding,
                which,
            });
            fault = [fault, wrong].into_iter().flatten().min();
            cut |= self.cuts[at] || beyond_watchers && self.is_judged(at);
            for (action, to) in &self.steps[at] {
                pairs.add(*to, step(state, Some(action.sort), *to), depth + 1);
            }
            i += 1;
        }
        let mut levels = Vec::new();
        for &(_, _, depth) in &pairs.list {
            if fault.is_some_and(|fault| depth > fault.depth) {
                break;
            }
            if depth == levels.len() {
                levels.push(0);
            }
            levels[depth] += 1;
        }
        NaiveAnswer { fault, cut, levels }
    }

    /// What is wrong with a state, the least of several things.
    fn wrong(
        &self,
        ask: &CaseQuery,
        truth: &[Vec<bool>],
        at: usize,
        state: u32,
    ) -> Option<(ViolationKind, usize)> {
        let applies = |when: &Option<usize>| when.is_none_or(|when| truth[when][at]);
        let broken = ask.invariants.iter().position(|(when, then)| applies(when) && !truth[*then][at]);
        let error = ask.monitor.as_ref().is_some_and(|monitor| monitor.error == state);
        let broken = broken.or(error.then_some(ask.invariants.len()));
        if let Some(which) = broken {
            return Some((ViolationKind::Safety, which));
        }
        let stuck = ask.deadlock && self.is_stuck(at) && !self.is_over(at);
        let held_up = self.members[0].scenario.time != watchkeeper_world::WorldTime::Untimed
            && self.member(at).ticked(&self.states[at]).is_none();
        match () {
            () if stuck && !held_up => Some((ViolationKind::Deadlock, 0)),
            () if stuck => Some((ViolationKind::Timelock, 0)),
            () if ask.timelock.is_some_and(|prop| !truth[prop][at]) => Some((ViolationKind::Timelock, 0)),
            () => None,
        }
    }

    /// For each proposition and state whether it holds there.
    pub fn truth(&self, props: &[Prop]) -> Vec<Vec<bool>> {
        let of = |prop: &Prop| (0..self.states.len()).map(|at| prop.of_naive(self, at)).collect();
        props.iter().map(of).collect()
    }
}
