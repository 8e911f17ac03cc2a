//! Renamings of processes under which a world looks the same. They are those of the protocol that also
//! leave the scenario as it is: who may crash, who has, whom clients call. That keeps them a group.

use crate::World;
use crate::lane::EMPTY;
use crate::memo::Memo;
use crate::world::CallEntry;
use watchkeeper_core::{Pack, Perm, ProcSet, Protocol, Symmetry};
use watchkeeper_space::Id;

/// The most processes of which all permutations are used; there are 720 of six. Of more, rotations are.
const MAX_FULL: usize = 6;

/// All renamings of a world, the identity first, and what they make of the parts of rows.
pub(crate) struct Renamings {
    list: Vec<Renaming>,
    /// For each slot of a process or lane: from a renaming and an id to the renamed id.
    known: Vec<Memo>,
}

struct Renaming {
    perm: Perm,
    /// Where each slot goes.
    slots: Vec<usize>,
    /// Where each lane goes.
    lanes: Vec<usize>,
}

impl<P: Protocol> World<P> {
    pub(crate) fn renamings(&self) -> &Renamings {
        self.renamings.get_or_init(|| {
            let n = self.scenario.n;
            let perms = match self.protocol.symmetry() {
                Symmetry::Full if n > MAX_FULL => Symmetry::Rotations.perms(n),
                symmetry => symmetry.perms(n),
            };
            let list: Vec<Renaming> = perms.into_iter().filter_map(|perm| self.renaming(perm)).collect();
            let known = (0..self.layout.lane(self.lanes.len())).map(|_| Memo::new()).collect();
            Renamings { list, known }
        })
    }

    /// What a permutation does to rows, if it leaves the scenario as it is.
    fn renaming(&self, perm: Perm) -> Option<Renaming> {
        let faults = &self.scenario.faults;
        let able = if faults.crashes > 0 { faults.crashable } else { ProcSet::EMPTY };
        if able.renamed(&perm) != able || faults.crashed_at_start.renamed(&perm) != faults.crashed_at_start {
            return None;
        }
        let mut slots: Vec<usize> = (0..self.layout.len()).collect();
        for p in watchkeeper_core::Pid::all(self.scenario.n) {
            slots[p.index()] = perm.apply(p).index();
        }
        let lanes: Vec<usize> = (0..self.lanes.len())
            .map(|lane| {
                let (from, to, kind) = self.routes.ends(lane);
                let lane = self.routes.lane(perm.apply(from), perm.apply(to), kind);
                lane.expect("a permutation keeps different processes different")
            })
            .collect();
        for (lane, &moved) in lanes.iter().enumerate() {
            slots[self.layout.lane(lane)] = self.layout.lane(moved);
        }
        for (entry, CallEntry { process, call, budget }) in self.calls.iter().enumerate() {
            let renamed =
                CallEntry { process: perm.apply(*process), call: call.rename(&perm), budget: *budget };
            let moved = self.calls.iter().position(|other| *other == renamed)?;
            slots[self.layout.call(entry)] = self.layout.call(moved);
        }
        Some(Renaming { perm, slots, lanes })
    }

    pub(crate) fn rename_row(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        out.clear();
        out.extend_from_slice(row);
        if symmetry == 0 {
            return;
        }
        let renamings = self.renamings();
        let renaming = &renamings.list[symmetry];
        for (slot, (&id, &moved)) in row.iter().zip(&renaming.slots).enumerate() {
            out[moved] = match renamings.known.get(slot) {
                None => id,
                Some(_) if slot >= self.scenario.n && id == EMPTY => EMPTY,
                Some(known) => known.get(symmetry as Id, id).unwrap_or_else(|| {
                    let renamed = self.rename_part(renaming, slot, id);
                    known.insert(symmetry as Id, id, renamed)
                }),
            };
        }
        if let (Some(slot), Some(lane)) = (self.layout.overflow_slot(), self.overflow(row)) {
            out[slot] = self.layout.overflow(renaming.lanes[lane]).id;
        }
    }

    /// The renamed id of a process or a lane.
    fn rename_part(&self, renaming: &Renaming, slot: usize, id: Id) -> Id {
        let Renaming { perm, slots, lanes } = renaming;
        if slot < self.scenario.n {
            let local = &self.machines[slot].locals.get(id).value;
            return self.machines[slots[slot]].local(local.rename(perm));
        }
        let lane = slot - self.layout.lane(0);
        let (_, to, _) = self.routes.ends(lane);
        let messages = &self.machines[to.index()].arrivals;
        let renamed = self.lanes[lane].arrivals(id).iter().map(|&arrival| {
            let msg = messages.get(arrival).value.msg.rename(perm);
            self.arrival(lanes[lane], msg)
        });
        self.lanes[lanes[lane]].content(renamed.collect(), &self.rules(lanes[lane]))
    }
}

impl Renamings {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.known.iter().map(Memo::bytes).sum()
    }
}
