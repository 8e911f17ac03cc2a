//! Renamings of processes: which leave a world as it is, and how many states there are up to them.

use super::{ChannelId, NaiveGraph, NaiveProcess, NaiveWorld, ObserverState, Whole, WholeOf};
use std::collections::{BTreeMap, HashMap};
use watchkeeper_core::{Observer, Pack, Perm, Pid, Promises};
use watchkeeper_world::DeliveryOrder;

impl<P: Promises<Msg: Ord>> NaiveWorld<'_, P> {
    /// The renamings that nobody sees: those that the protocol and all watchers promise, and that leave who may crash, who
    /// has and whom clients call as they are.
    pub fn renamings(&self) -> Vec<Perm> {
        let (n, faults) = (self.scenario.n, &self.scenario.faults);
        let same = |perm: &Perm| {
            let able = faults.crashable;
            let calls = |(p, call, budget): &(Pid, P::Call, u32)| {
                let renamed = (perm.apply(*p), call.rename(perm), *budget);
                self.calls.contains(&renamed)
            };
            self.watchers.iter().all(|watcher| Observer::<P>::symmetry(watcher).allows(perm, n))
                && (faults.crashes == 0 || able.renamed(perm) == able)
                && faults.crashed_at_start.renamed(perm) == faults.crashed_at_start
                && self.calls.iter().all(calls)
        };
        Perm::all(n)
            .into_iter()
            .filter(|perm| self.protocol.symmetry().allows(perm, n))
            .filter(same)
            .collect()
    }

    /// A state with its processes renamed.
    pub fn renamed(&self, whole: &WholeOf<P>, perm: &Perm) -> WholeOf<P> {
        let name = |lane: ChannelId| (perm.apply(lane.0), perm.apply(lane.1), lane.2);
        let mut after = whole.clone();
        for p in Pid::all(self.scenario.n) {
            after.processes[perm.apply(p).index()] = match &whole.processes[p.index()] {
                NaiveProcess::Up { state, timers, outbox } => NaiveProcess::Up {
                    state: state.rename(perm),
                    timers: timers.clone(),
                    outbox: outbox.iter().map(|(to, msg)| (perm.apply(*to), msg.rename(perm))).collect(),
                },
                other => other.clone(),
            };
            if let (Some(stance), Some(old)) = (&mut after.oracle, &whole.oracle) {
                stance.suspects[perm.apply(p).index()] = old.suspects[p.index()].renamed(perm);
                stance.immune = old.immune.map(|immune| perm.apply(immune));
            }
        }
        let renamed = |(lane, list): (&ChannelId, &Vec<(P::Msg, super::Left)>)| {
            let mut list: Vec<_> = list.iter().map(|(msg, left)| (msg.rename(perm), *left)).collect();
            if self.scenario.network.order == DeliveryOrder::AnyOrder {
                list.sort();
            }
            (name(*lane), list)
        };
        after.lanes = whole.lanes.iter().map(renamed).collect::<BTreeMap<_, _>>();
        for (entry, (p, call, budget)) in self.calls.iter().enumerate() {
            let moved = (perm.apply(*p), call.rename(perm), *budget);
            let to = self.calls.iter().position(|other| *other == moved).expect("it is left as it is");
            after.calls[to] = whole.calls[entry];
        }
        let watched = self.watchers.iter().zip(&whole.watching).map(|(watcher, watching)| {
            let key = |(deadline, left): (&usize, &u32)| {
                (Observer::<P>::rename_deadline(watcher, *deadline, perm), *left)
            };
            ObserverState {
                memory: watching.memory.rename(perm),
                running: watching.running.iter().map(key).collect(),
            }
        });
        after.watching = watched.collect();
        Whole { overflow: whole.overflow.map(name), ..after }
    }
}

impl<P: Promises<Msg: Ord>> NaiveGraph<'_, P> {
    /// The number of states up to renaming. Not every renamed state can be reached: processes start in the order of their
    /// ids, and a watcher may mind the order.
    pub fn orbits(&self) -> u64 {
        let places = (0..self.states.len()).map(|at| ((self.of[at], &self.states[at]), at));
        let places: HashMap<(usize, &WholeOf<P>), usize> = places.collect();
        let perms = self.members[0].renamings();
        let mut counted = vec![false; self.states.len()];
        let mut orbits = 0;
        for at in 0..self.states.len() {
            if counted[at] {
                continue;
            }
            orbits += 1;
            for perm in &perms {
                let renamed = self.member(at).renamed(&self.states[at], perm);
                if let Some(&place) = places.get(&(self.of[at], &renamed)) {
                    counted[place] = true;
                }
            }
        }
        orbits
    }
}
