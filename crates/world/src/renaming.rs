//! Renamings of processes under which a world looks the same. They are those of the protocol that also
//! leave the scenario as it is: who may crash, who has, whom clients call, what observers may see. That keeps
//! them a group.

use crate::channel::EMPTY;
use crate::local::SlotIndex;
use crate::memo::Memo;
use crate::oracle::state::{decided, id_of};
use crate::world::CallEntry;
use crate::{DeliveryOrder, World};
use std::cmp::Ordering;
use watchkeeper_automaton::{CallId, MsgId};
use watchkeeper_core::{Perm, Pid, Symmetry};
use watchkeeper_space::Id;
use watchkeeper_zones::{Source, Zone};

/// The most processes of which all permutations are used; there are 720 of six. Of more, rotations are, or none
/// where some process keeps its name.
const MAX_FULL: usize = 6;

/// All renamings of a world, the identity first, and what they make of the parts of rows.
pub(crate) struct Renamings {
    list: Vec<Renaming>,
    /// For each slot of a process or channel: from a renaming and an id to the renamed id.
    known: Vec<Memo>,
    /// The same for each observer.
    observers: Vec<Memo>,
}

pub(crate) struct Renaming {
    pub(crate) perm: Perm,
    /// Where each slot goes.
    slots: Vec<usize>,
    /// Where what then stands in each slot comes from.
    from: Vec<usize>,
    /// Where each channel goes.
    channels: Vec<usize>,
    /// Where each timer goes, slot by slot.
    pub(crate) timers: Vec<SlotIndex>,
}

impl World {
    pub(crate) fn renamings(&self) -> &Renamings {
        self.renamings.get_or_init(|| {
            let n = self.scenario.n;
            let perms = self.usable_symmetry().perms(n);
            let unseen =
                |perm: &Perm| self.observers.iter().all(|observer| observer.symmetry().allows(perm, n));
            let perms = perms.into_iter().filter(unseen);
            let list: Vec<Renaming> = perms.filter_map(|perm| self.renaming(perm)).collect();
            let known = (0..self.layout.channel(self.channels.len())).map(|_| Memo::new()).collect();
            let observers = self.observers.iter().map(|_| Memo::new()).collect();
            Renamings { list, known, observers }
        })
    }

    /// The renamings that the protocol promises, as far as a search can use them.
    fn usable_symmetry(&self) -> Symmetry {
        let n = self.scenario.n;
        match self.automaton.facts().symmetry {
            Symmetry::Full if n > MAX_FULL => Symmetry::Rotations,
            Symmetry::Fixing(_) if n > MAX_FULL + 1 => Symmetry::None,
            Symmetry::FixingAll(fixed) if n > MAX_FULL + fixed.len() => Symmetry::None,
            symmetry => symmetry,
        }
    }

    /// Why no renaming leaves this world as it is: the first of the protocol's promise, the number of processes, the
    /// observers and the scenario that allows none; with the change that would allow one.
    pub(crate) fn asymmetry(&self) -> Option<String> {
        if self.renamings().len() > 1 {
            return None;
        }
        let n = self.scenario.n;
        let (promised, usable) = (self.automaton.facts().symmetry, self.usable_symmetry());
        let observer = self
            .observers
            .iter()
            .find(|observer| usable.perms(n).iter().skip(1).all(|perm| !observer.symmetry().allows(perm, n)));
        Some(match observer {
            _ if promised == Symmetry::None => "the protocol promises no symmetry; let `Promises::symmetry` name the \
                renamings of processes that it does not see, or leave --symmetry out"
                .to_string(),
            _ if usable == Symmetry::None => format!(
                "{n} processes have more renamings than a search can use ({MAX_FULL} processes that change their \
                 names are the most); choose fewer processes, or leave --symmetry out"
            ),
            Some(observer) => format!(
                "the observer {} tells the processes apart; let its `Observer::symmetry` allow the renamings that \
                 the protocol promises, ask for another property, or leave --symmetry out",
                observer.name()
            ),
            None => "the scenario treats the processes differently: no renaming that the protocol promises keeps the \
                sets crashable and crashed-at-start, the calls, and the symmetry of all observers; name all processes \
                alike in them, or leave --symmetry out"
                .to_string(),
        })
    }

    /// What a permutation does to rows, if it leaves the scenario as it is.
    fn renaming(&self, perm: Perm) -> Option<Renaming> {
        let faults = &self.scenario.faults;
        let able = faults.mortal();
        if able.renamed(&perm) != able || faults.crashed_at_start.renamed(&perm) != faults.crashed_at_start {
            return None;
        }
        let mut slots: Vec<usize> = (0..self.layout.len()).collect();
        for p in Pid::all(self.scenario.n) {
            slots[p.index()] = perm.apply(p).index();
            if let Some((slot, moved)) =
                self.layout.suspects(p.index()).zip(self.layout.suspects(perm.apply(p).index()))
            {
                slots[slot] = moved;
            }
        }
        let channels: Vec<usize> = (0..self.channels.len())
            .map(|channel| {
                let (from, to, kind) = self.routes.ends(channel);
                let channel = self.routes.channel(perm.apply(from), perm.apply(to), kind);
                channel.expect("a permutation keeps different processes different")
            })
            .collect();
        for (channel, &moved) in channels.iter().enumerate() {
            slots[self.layout.channel(channel)] = self.layout.channel(moved);
        }
        for (entry, CallEntry { process, call, budget }) in self.calls.iter().enumerate() {
            let call = CallId(self.automaton.calls().renamed(call.0, &perm));
            let renamed = CallEntry { process: perm.apply(*process), call, budget: *budget };
            let moved = self.calls.iter().position(|other| *other == renamed)?;
            slots[self.layout.call(entry)] = self.layout.call(moved);
        }
        let mut from = vec![0; slots.len()];
        slots.iter().enumerate().for_each(|(slot, &moved)| from[moved] = slot);
        let timers = 0..self.automaton.facts().timers.len();
        let timers = timers.map(|slot| self.automaton.renamed_slot(slot, &perm) as SlotIndex).collect();
        Some(Renaming { perm, slots, from, channels, timers })
    }

    pub(crate) fn rename_row(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        self.rename_discrete(symmetry, row, out);
        if let (Some(slot), true) = (self.layout.zone, symmetry > 0) {
            out[slot] = self.rename_zone(symmetry, row);
        }
    }

    /// The renaming of a row that stands for all of them. Without zones any will do, so it is the least by
    /// ids. With zones it must be the same in every run, or the zones that cover each other, and with them
    /// the number of zones that a search keeps, would differ from run to run; a zone is renamed only where
    /// the rest of the row does not decide, so that no zones are numbered that nobody needs.
    pub(crate) fn least_row(&self, row: &[Id], least: &mut Vec<Id>) {
        least.clear();
        least.extend_from_slice(row);
        let mut other = Vec::new();
        let Some(slot) = self.layout.zone else {
            for symmetry in 1..self.renamings().len() {
                self.rename_discrete(symmetry, row, &mut other);
                if other < *least {
                    std::mem::swap(least, &mut other);
                }
            }
            return;
        };
        for symmetry in 1..self.renamings().len() {
            self.rename_discrete(symmetry, row, &mut other);
            let order = self.compare_discrete(&other, least);
            if order.is_gt() {
                continue;
            }
            other[slot] = self.rename_zone(symmetry, row);
            if order.is_lt() || self.zones.compare(other[slot], least[slot]).is_lt() {
                std::mem::swap(least, &mut other);
            }
        }
    }

    /// An order of rows, apart from their zones, that is the same in every run.
    fn compare_discrete(&self, a: &[Id], b: &[Id]) -> Ordering {
        let slots = 0..self.layout.observer(self.observers.len());
        let differing = slots.filter(|&slot| a[slot] != b[slot]);
        let ordered = differing.map(|slot| self.rank(slot, a[slot]).cmp(&self.rank(slot, b[slot])));
        ordered.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| {
            // Equal rows; or different ones of equal ranks, which hardly ever happens.
            a[..self.layout.observer(self.observers.len())]
                .cmp(&b[..self.layout.observer(self.observers.len())])
        })
    }

    /// A number that what stands in a slot decides, the same in every run.
    fn rank(&self, slot: usize, id: Id) -> u64 {
        let channels = self.layout.channel(0)..self.layout.channel(self.channels.len());
        if slot < channels.start {
            self.machines[slot].locals.get(id).memo.rank
        } else if channels.contains(&slot) {
            let channel = slot - channels.start;
            self.channels[channel].rank(id, || self.rules(channel))
        } else if slot >= self.layout.observer(0) {
            self.observers[slot - self.layout.observer(0)].rank(id)
        } else {
            u64::from(id)
        }
    }

    /// Renames all of a row but its zone.
    fn rename_discrete(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
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
        for (k, observer) in self.observers.iter().enumerate() {
            let slot = self.layout.observer(k);
            let known = &renamings.observers[k];
            out[slot] = known.get(symmetry as Id, row[slot]).unwrap_or_else(|| {
                let renamed = observer.renamed(row[slot], &renaming.perm);
                known.insert(symmetry as Id, row[slot], renamed)
            });
        }
        if let Some(slot) = self.layout.oracle {
            let immune = self.immune(row).map(|p| renaming.perm.apply(Pid::at(p)).index());
            out[slot] = decided(immune, self.oracle_has_settled(row));
            self.rename_suspects(renaming, row, out);
        }
        if let (Some(slot), Some(channel)) = (self.layout.overflow_slot(), self.overflow(row)) {
            out[slot] = self.layout.overflow(renaming.channels[channel]).id;
        }
    }

    /// Renames whom each process suspects, where suspicions last.
    fn rename_suspects(&self, renaming: &Renaming, row: &[Id], out: &mut [Id]) {
        for p in 0..self.scenario.n {
            if let Some(slot) = self.layout.suspects(p) {
                let moved = renaming.perm.apply(Pid::at(p)).index();
                out[renaming.slots[slot]] = id_of(moved, self.suspects(p, row).renamed(&renaming.perm));
            }
        }
    }

    /// The zone of a row whose processes have changed their names: the same clocks at other places.
    fn rename_zone(&self, symmetry: usize, row: &[Id]) -> Id {
        let slot = self.layout.zone.expect("only dense time has zones");
        let renaming = &self.renamings().list[symmetry];
        // The first clock of each part of the row before.
        let mut next = 1;
        let mut count = |clocks: usize| {
            next += clocks;
            next - clocks
        };
        let mut first: Vec<usize> = Vec::with_capacity(self.layout.channel(self.channels.len()));
        first.extend(self.machines.iter().zip(row).map(|(machine, &id)| count(machine.clocks(id).len())));
        first.extend((0..self.channels.len()).map(|channel| count(self.channel_clocks(channel, row).len())));
        let mut sources: Vec<Source> = Vec::with_capacity(32);
        for (moved, &old) in renaming.from[..first.len()].iter().enumerate() {
            if moved < self.scenario.n {
                let (clocks, slots) = (self.machines[old].clocks(row[old]), &renaming.timers);
                let mut from: Vec<usize> = (0..clocks.len()).collect();
                from.sort_by_key(|&nth| slots[usize::from(clocks[nth])]);
                sources.extend(from.into_iter().map(|nth| Source::Keep(first[old] + nth)));
            } else {
                let channel = old - self.layout.channel(0);
                match self.channel_clocks(channel, row).len() {
                    0 => {}
                    1 => sources.push(Source::Keep(first[old])),
                    _ => {
                        let from = self.renamed_clocks(renaming, channel, row);
                        sources.extend(from.into_iter().map(|nth| Source::Keep(first[old] + nth)));
                    }
                }
            }
        }
        for (k, observer) in self.observers.iter().enumerate() {
            let memory = row[self.layout.observer(k)];
            let first = count(observer.running(memory).len());
            let from = observer.renamed_deadlines(memory, &renaming.perm);
            sources.extend(from.into_iter().map(|nth| Source::Keep(first + nth)));
        }
        let (mut zone, mut renamed) = (Zone::point(&[]), Zone::point(&[]));
        self.zones.thaw_into(row[slot], &mut zone);
        zone.rebuild_into(&sources, &mut renamed);
        self.zones.intern(&renamed)
    }

    /// For the clocks of a renamed channel, in their order, their places among those of the channel before.
    fn renamed_clocks(&self, renaming: &Renaming, channel: usize, row: &[Id]) -> Vec<usize> {
        let clocks = self.channel_clocks(channel, row);
        let mut from: Vec<usize> = (0..clocks.len()).collect();
        if clocks.len() > 1 && self.scenario.network.order == DeliveryOrder::AnyOrder {
            let list = self.channels[channel].flights(row[self.layout.channel(channel)]);
            from.sort_by_cached_key(|&nth| {
                let flight = self.in_flight(channel, list[usize::from(clocks[nth].0)]);
                let messages = self.automaton.messages();
                let renamed = messages.renamed(flight.msg.0, &renaming.perm);
                let mut bytes = messages.packed(renamed).to_vec();
                flight.remaining.pack(&mut bytes);
                bytes
            });
        }
        from
    }

    /// The renamed id of a process or a channel.
    fn rename_part(&self, renaming: &Renaming, slot: usize, id: Id) -> Id {
        let Renaming { perm, slots, channels, timers, .. } = renaming;
        if slot < self.scenario.n {
            let local = &self.machines[slot].locals.get(id).value;
            return self.machines[slots[slot]].local(local.rename(&*self.automaton, perm, timers));
        }
        let channel = slot - self.layout.channel(0);
        let renamed = self.channels[channel].flights(id).iter().map(|&flight| {
            let flight = self.in_flight(channel, flight);
            let msg = MsgId(self.automaton.messages().renamed(flight.msg.0, perm));
            self.flight(channels[channel], msg, flight.remaining)
        });
        self.channels[channels[channel]].content(renamed.collect(), &self.rules(channels[channel]))
    }
}

impl Renamings {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them, the identity first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Renaming> {
        self.list.iter()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.known.iter().chain(&self.observers).map(Memo::bytes).sum()
    }
}
