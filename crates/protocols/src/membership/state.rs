//! The local state of a member, and the questions that it answers by itself.

use super::graph::{CausalGraph, DeliveryMark, GarbageCollection, GraphEntry};
use super::message::MulticastBody;
use watchkeeper_core::{Pack, PerProc, Pid, ProcSet};

/// How far a member has got with a change of its configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum JoinStage {
    /// In no stage of a join; in the faults protocol if anybody is taken for faulty.
    Rest,
    /// In the first stage of a join: attempts are gathered.
    First,
    /// In the second: a JOIN was sent, and the others are awaited.
    Second,
}

/// The local state of a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct GroupState {
    /// Its messages.
    pub graph: CausalGraph,
    /// The configuration that its client knows.
    pub view: ProcSet,
    /// CCS: the configuration that it has assented to. It becomes the view when all that belongs before it is
    /// delivered.
    pub ccs: ProcSet,
    /// Where it is.
    pub phase: JoinStage,
    /// F, or F-before in a join: whom it takes for faulty.
    pub faulty: ProcSet,
    /// F-after: who has become faulty since it sent its JOIN.
    pub after: ProcSet,
    /// J: who is to be joined.
    pub join: ProcSet,
    /// LastF: whom each process is known to take for faulty.
    pub last: PerProc<ProcSet>,
    /// LastJ: what the last JOIN of each process said.
    pub last_join: PerProc<Option<(ProcSet, ProcSet)>>,
    /// The join that it has assented to last.
    pub basis: (ProcSet, ProcSet),
    /// The suspects of its detector.
    pub suspects: ProcSet,
    /// For each process outside, how many messages were sent when it was put out; 0 if it has never been in.
    pub since: PerProc<u32>,
    /// Who was heard from outside while there was something else to do.
    pub heard: ProcSet,
    /// Whether it has left of its own accord.
    pub closed: bool,
    /// How many messages it has taken in since it last sent one; only where messages have to become stable.
    pub unacknowledged: u32,
}

impl GroupState {
    /// Whether nothing is being agreed on.
    pub fn is_stable(&self) -> bool {
        self.phase == JoinStage::Rest && self.faulty.is_empty()
    }

    /// Whether it could be a state of one of `n` processes.
    pub(super) fn fits(&self, n: usize, collect: GarbageCollection) -> bool {
        let all = ProcSet::first(n);
        let sets = [self.view, self.ccs, self.faulty, self.after, self.join, self.suspects, self.heard];
        self.graph.fits(n, collect)
            && self.last.len() == n
            && self.last_join.len() == n
            && self.since.len() == n
            && sets.iter().all(|set| set.is_subset(all))
            && self.last.iter().all(|(_, set)| set.is_subset(all))
            && self
                .last_join
                .iter()
                .all(|(_, said)| said.is_none_or(|(join, faulty)| join.union(faulty).is_subset(all)))
            && self.basis.0.union(self.basis.1).is_subset(all)
    }

    /// Whether nothing that a process from outside has sent is remembered, so that a gap in it makes no difference.
    pub(super) fn is_forgotten(&self, q: Pid) -> bool {
        let line = &self.graph.lines[q];
        !self.is_inside(q) && line.held.is_empty() && line.head().is_none()
    }

    /// Whether the messages of a process matter here: it is in the configuration, or may come to be.
    pub(super) fn is_inside(&self, q: Pid) -> bool {
        let members = self.view.union(self.ccs).union(self.join);
        members.contains(q) || self.basis.0.contains(q) && self.is_joining()
    }

    /// Whether all that was assented to is delivered.
    pub(super) fn is_settled(&self) -> bool {
        self.view == self.ccs
    }

    /// Whether the JOINs of the last join that was assented to are still to be delivered.
    pub(super) fn is_joining(&self) -> bool {
        let (join, faulty) = self.basis;
        let pending = MulticastBody::Join { join, faulty };
        self.graph.lines.iter().any(|(_, line)| {
            line.open().any(|(_, entry)| entry.mark == DeliveryMark::Slow && entry.body == pending)
        })
    }

    /// Whether what a process says about others counts: it is a member, or takes part in the join. What one from outside
    /// said before may be the echo of why it is there.
    pub(super) fn is_heeded(&self, q: Pid) -> bool {
        self.ccs.contains(q) || self.last_join[q].is_some()
    }

    pub(super) fn is_blocked(&self, q: Pid) -> bool {
        let (join, faulty) = self.basis;
        let joining = if self.is_joining() { join.difference(faulty) } else { ProcSet::EMPTY };
        let out = self.view.union(joining).difference(self.ccs);
        self.faulty.union(self.after).union(self.suspects).union(out).contains(q)
    }

    /// These are to be joined as well; whom the detector suspects is faulty.
    pub(super) fn widen(&mut self, join: ProcSet) {
        self.join = self.join.union(join);
        let broken = self.suspects.intersection(self.join).difference(self.after);
        self.faulty = self.faulty.union(broken);
    }

    /// Nothing is being agreed on.
    pub(super) fn at_rest(&mut self) {
        self.phase = JoinStage::Rest;
        self.faulty = ProcSet::EMPTY;
        self.after = ProcSet::EMPTY;
        self.join = ProcSet::EMPTY;
        for p in Pid::all(self.last.len()) {
            self.last[p] = ProcSet::EMPTY;
            self.last_join[p] = None;
        }
    }

    /// Forgets what nothing will ever ask for: what the faulty have said, which predecessors are done with.
    pub(super) fn forget(&mut self, collect: GarbageCollection) {
        for p in self.faulty.union(self.after).iter() {
            self.last_join[p] = None;
            self.last[p] = ProcSet::EMPTY;
        }
        // What is kept to be passed on has to stay as it was sent.
        if collect == GarbageCollection::AtOnce {
            self.graph.forget();
        }
    }

    /// Marks the newest message of a process, if it is in the graph and open. If the change that puts its sender
    /// out is still to be delivered, it belongs there.
    pub(super) fn mark_last(&mut self, from: Pid, mark: DeliveryMark) {
        let puts_out = |entry: &&GraphEntry| match entry.body {
            MulticastBody::Fault { faulty, .. } => faulty.contains(from),
            MulticastBody::Join { join, faulty } => !join.difference(faulty).contains(from),
            _ => false,
        };
        let open = self.graph.lines.iter().flat_map(|(_, line)| line.open().map(|(_, entry)| entry));
        let slow = open.filter(|entry| entry.mark == DeliveryMark::Slow).filter(puts_out);
        let age = slow.map(|entry| entry.age).max().unwrap_or(0);
        if let Some(entry) = self.graph.lines[from].open_mut().last() {
            entry.mark = mark;
            entry.age = age;
        }
    }

    /// A join is assented to: what belongs to changes before it is older than what belongs to it.
    pub(super) fn grow_older(&mut self) {
        for p in Pid::all(self.graph.lines.len()) {
            let slow = self.graph.lines[p].open_mut().filter(|entry| entry.mark == DeliveryMark::Slow);
            slow.for_each(|entry| entry.age = entry.age.saturating_add(1));
        }
    }

    /// The FAs that name none but these are agreed on.
    pub(super) fn settle_faults(&mut self, agreed: ProcSet) {
        self.mark_open(
            |body| matches!(body, MulticastBody::Fault { faulty, .. } if faulty.is_subset(agreed)),
        );
    }

    /// The JOINs are agreed on, or overtaken by those that are.
    pub(super) fn settle_joins(&mut self) {
        self.mark_open(|body| matches!(body, MulticastBody::Join { .. }));
    }

    fn mark_open(&mut self, which: impl Fn(&MulticastBody) -> bool) {
        for p in Pid::all(self.graph.lines.len()) {
            let entries = self.graph.lines[p].open_mut();
            let open =
                entries.filter(|entry| entry.mark == DeliveryMark::Undeliverable && which(&entry.body));
            open.for_each(|entry| entry.mark = DeliveryMark::Slow);
        }
    }
}
