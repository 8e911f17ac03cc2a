//! The stubborn closure: a set of processes grows until no process outside can enable a step of it, or
//! do anything that does not commute with its steps, while it rests.

use crate::channel::EMPTY;
use crate::local::LocalState;
use crate::machine::ProcessMode;
use crate::{Capacity, DeliveryOrder, OracleAccuracy, SuspicionMemory, World};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::Id;

/// One state, as far as it matters who can do something to whom.
pub(super) struct StubbornClosure<'a> {
    world: &'a World,
    row: &'a [Id],
    pub(super) all: ProcSet,
    /// Those who can take a step of their own accord that may send something or make room.
    stirring: ProcSet,
    /// Those who take one as soon as somebody crashes.
    alert: ProcSet,
    /// Whom each may send to from now on.
    reach: Vec<ProcSet>,
    /// Those who may crash now. Crashes are only ever used up, so nobody else ever will.
    mortal: ProcSet,
    lossy: bool,
    recovers: bool,
}

impl<'a> StubbornClosure<'a> {
    pub(super) fn new(world: &'a World, row: &'a [Id]) -> StubbornClosure<'a> {
        let n = world.scenario.n;
        let crashes = world.classes.crash.is_some() && world.crashes_left(row);
        let mortal =
            |p: &Pid| crashes && world.may_crash(p.index(), row) && !world.is_crashed(p.index(), row);
        let mut closure = StubbornClosure {
            world,
            row,
            all: ProcSet::first(n),
            stirring: ProcSet::EMPTY,
            alert: ProcSet::EMPTY,
            reach: Vec::with_capacity(n),
            mortal: Pid::all(n).filter(mortal).collect(),
            lossy: world.is_lossy(row),
            recovers: world.may_recover(row),
        };
        closure.stirring = Pid::all(n).filter(|&p| closure.stirs(p)).collect();
        if closure.is_told_of_crashes_alone() {
            closure.alert = Pid::all(n).filter(|&p| matches!(closure.mode(p), ProcessMode::Ready)).collect();
        }
        closure.reach = Pid::all(n).map(|p| closure.reaches(p)).collect();
        closure
    }

    /// Whether a process can do anything that a closure could begin with.
    pub(super) fn moves(&self, p: Pid) -> bool {
        self.stirring.contains(p) || self.world.is_crashed(p.index(), self.row) && self.has_mail(p)
    }

    /// The least closed set with these processes in it.
    pub(super) fn closed(&self, seed: ProcSet) -> ProcSet {
        let mut members = seed;
        loop {
            let active = self.active(members);
            let needed =
                members.iter().fold(ProcSet::EMPTY, |all, p| all.union(self.needs(p, members, active)));
            if needed.is_subset(members) {
                return members;
            }
            members = members.union(needed);
        }
    }

    fn mode(&self, p: Pid) -> ProcessMode {
        self.world.machines[p.index()].mode(self.row[p.index()])
    }

    fn has_mail(&self, p: Pid) -> bool {
        self.world
            .routes
            .inbound(p.index())
            .any(|channel| self.row[self.world.layout.channel(channel)] != EMPTY)
    }

    /// Whether a process may take a step without being sent anything more.
    fn stirs(&self, p: Pid) -> bool {
        let (world, row, process) = (self.world, self.row, p.index());
        match self.mode(p) {
            ProcessMode::Crashed => self.recovers,
            ProcessMode::Blocked => true,
            ProcessMode::Ready => {
                let called = |&entry: &usize| row[world.layout.call(entry)] < world.calls[entry].budget;
                !world.machines[process].enabled(row[process]).is_empty()
                    || world.calls_of[process].iter().any(called)
                    || self.can_be_told(process)
                    || self.can_receive(process)
            }
        }
    }

    fn can_receive(&self, process: usize) -> bool {
        let world = self.world;
        world.routes.inbound(process).any(|channel| {
            let content = self.row[world.layout.channel(channel)];
            let deliveries = || world.channels[channel].deliveries(content, || world.rules(channel));
            let taken = |flight| !world.received(process, self.row[process], flight).is_empty();
            content != EMPTY && deliveries().iter().any(|removal| taken(removal.flight))
        })
    }

    /// Whether the oracle has settled and suspects nobody anew who has not crashed.
    fn is_told_of_crashes_alone(&self) -> bool {
        let strong = self.world.scenario.oracle.is_some_and(|oracle| oracle.accuracy.is_strong());
        strong && self.world.oracle_has_settled(self.row)
    }

    /// Whether anything may come of what an oracle says, now or later; of the crashes of others apart, where it tells of
    /// nothing else.
    fn can_be_told(&self, process: usize) -> bool {
        let (world, row) = (self.world, self.row);
        let Some(oracle) = world.scenario.oracle else { return false };
        let lasting = oracle.memory == SuspicionMemory::Lasting;
        let reacts = |peer: usize| {
            lasting || world.noticed(process, row[process], peer, true).iter().any(|outcome| !outcome.idle)
        };
        let mut peers = (0..world.scenario.n).filter(|&peer| peer != process);
        if !self.is_told_of_crashes_alone() {
            return peers.any(reacts);
        }
        let errs =
            matches!(oracle.accuracy, OracleAccuracy::Strong { mistakes } if world.mistakes(row) < mistakes);
        let outdated = |&peer: &usize| {
            world.suspects(process, row).contains(Pid::at(peer)) != world.is_crashed(peer, row)
        };
        errs || peers.filter(outdated).any(reacts)
    }

    /// Whom a process may send to from now on, whatever happens to it.
    fn reaches(&self, p: Pid) -> ProcSet {
        let again = self.recovers && (self.mortal.contains(p) || self.mode(p) == ProcessMode::Crashed);
        let reach = match &*self.world.machines[p.index()].locals.get(self.row[p.index()]).value {
            _ if again => self.all,
            LocalState::Crashed => ProcSet::EMPTY,
            LocalState::Up { state, outbox, .. } => {
                let waiting: ProcSet = outbox.iter().map(|(to, _)| *to).collect();
                self.world.automaton.reaches(p, *state).union(waiting)
            }
        };
        reach.intersection(self.all).without(p)
    }

    /// The processes outside a closed set that may take a step while it rests.
    fn active(&self, members: ProcSet) -> ProcSet {
        let outside = self.all.difference(members);
        let mut active = self.stirring.intersection(outside);
        if !self.mortal.intersection(outside).is_empty() {
            active = active.union(self.alert.intersection(outside));
        }
        loop {
            let woken = active.iter().fold(ProcSet::EMPTY, |all, q| all.union(self.reach[q.index()]));
            let more = active.union(woken.intersection(outside));
            if more == active {
                return active;
            }
            active = more;
        }
    }

    /// The processes that have to be in a closed set together with one of its members.
    fn needs(&self, p: Pid, members: ProcSet, active: ProcSet) -> ProcSet {
        let outside = self.all.difference(members);
        let mut needed: ProcSet =
            active.iter().filter(|&q| self.reach[q.index()].contains(p) && !self.is_harmless(q, p)).collect();
        if self.world.scenario.faults.crash_loses {
            let full = |&q: &Pid| self.channels(q, p).any(|content| content != EMPTY);
            needed = needed.union(self.mortal.intersection(outside).iter().filter(full).collect());
        }
        if self.mode(p) == ProcessMode::Blocked && !self.world.has_room(p.index(), self.row) {
            let first = self.world.unblocked(p.index(), self.row[p.index()]).sends[0];
            needed.insert(self.world.routes.ends(first.channel as usize).1);
        }
        needed.union(self.oracle_needs(p).intersection(outside))
    }

    /// Whether it does not matter to the steps of `p` if `q` sends to it.
    fn is_harmless(&self, q: Pid, p: Pid) -> bool {
        let network = &self.world.scenario.network;
        let queues =
            network.order == DeliveryOrder::Fifo && matches!(network.capacity, Capacity::Unbounded { .. });
        match self.mode(p) {
            _ if self.lossy => false,
            ProcessMode::Blocked => true,
            ProcessMode::Crashed if self.recovers => false,
            ProcessMode::Crashed if self.world.swallows_at_once() => true,
            ProcessMode::Crashed | ProcessMode::Ready => {
                queues && self.channels(q, p).all(|content| content != EMPTY)
            }
        }
    }

    /// What is in the channels from one process to another.
    fn channels(&self, from: Pid, to: Pid) -> impl Iterator<Item = Id> {
        let world = self.world;
        let channels =
            world.routes.inbound(to.index()).filter(move |&channel| world.routes.ends(channel).0 == from);
        channels.map(|channel| self.row[world.layout.channel(channel)])
    }

    /// Whose crash `p` could be told of, and who could be told about the crash of `p`.
    fn oracle_needs(&self, p: Pid) -> ProcSet {
        let world = self.world;
        let Some(oracle) = world.scenario.oracle else { return ProcSet::EMPTY };
        let mut needed = ProcSet::EMPTY;
        let ready = matches!(self.mode(p), ProcessMode::Ready);
        if ready && self.is_told_of_crashes_alone() {
            needed = needed.union(self.mortal);
        }
        if self.mortal.contains(p) && oracle.memory == SuspicionMemory::Lasting {
            let suspected =
                Pid::all(world.scenario.n).any(|q| world.suspects(q.index(), self.row).contains(p));
            let errs = match oracle.accuracy {
                OracleAccuracy::Strong { mistakes } => suspected || world.mistakes(self.row) < mistakes,
                _ => true,
            };
            if errs {
                needed = needed.union(self.all);
            }
        }
        needed
    }
}
