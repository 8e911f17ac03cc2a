//! Delivery: words in an order that keeps to causality, and the messages of a change of configuration in one go.
//! Which change a set of messages makes depends on the messages alone, so that all who have the same come to the
//! same configurations with the same words between.

use super::graph::{DeliveryMark, GarbageCollection, GraphEntry};
use super::message::{Configuration, GroupOutput, MulticastBody};
use super::{GroupFlaw, GroupState, Membership, UNACKNOWLEDGED};
use watchkeeper_core::{Effects, PerProc, Pid, ProcSet};

/// What the messages of one change have in common: how old it is, the oldest first, and what they say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    youth: u8,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// These have failed.
    Fault(ProcSet),
    /// These join, without those that have failed.
    Join(ProcSet, ProcSet),
}

impl Change {
    fn of(entry: &GraphEntry) -> Option<Change> {
        let what = match entry.body {
            MulticastBody::Fault { faulty, .. } => What::Fault(faulty),
            MulticastBody::Join { join, faulty } => What::Join(join, faulty),
            _ => return None,
        };
        Some(Change { youth: u8::MAX - entry.age, what })
    }
}

/// Whether a message is one of a change that is still to be delivered.
fn belongs(entry: &GraphEntry, change: Change) -> bool {
    matches!(entry.mark, DeliveryMark::Slow | DeliveryMark::Undeliverable)
        && Change::of(entry) == Some(change)
}

impl Membership {
    /// Delivers whatever can be.
    pub(super) fn flush(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        loop {
            if !self.pass_words(state, fx) && !self.pass_change(me, state, fx) {
                return;
            }
            self.let_in(me, state, fx);
        }
    }

    /// Delivers or passes over what stands at the head of a line and is no change; whether there was anything.
    fn pass_words(&self, state: &mut GroupState, fx: &mut impl Effects<Membership>) -> bool {
        let mut passed = false;
        for from in Pid::all(self.n) {
            if self.has(GroupFlaw::Basic) {
                passed |= self.pass_basic(state, from, fx);
            }
            while let Some(entry) = state.graph.lines[from].head() {
                let mark = match entry.mark {
                    DeliveryMark::Undeliverable | DeliveryMark::Slow => break,
                    DeliveryMark::Rejected if self.has(GroupFlaw::RejectedHolds) => break,
                    DeliveryMark::Deliverable if !state.graph.is_ready(from, entry, state.view) => break,
                    DeliveryMark::Deliverable => match entry.body {
                        MulticastBody::User(word) if self.hears(state, from) => {
                            let number = state.graph.lines[from].passed;
                            fx.emit(GroupOutput::Deliver { from, number, word });
                            DeliveryMark::Delivered
                        }
                        MulticastBody::User(_) => DeliveryMark::Discarded,
                        _ => DeliveryMark::Delivered,
                    },
                    done => done,
                };
                state.graph.pass(from, mark, self.collect);
                passed = true;
            }
        }
        passed && self.prune(state)
    }

    fn hears(&self, state: &GroupState, from: Pid) -> bool {
        state.view.contains(from) || self.has(GroupFlaw::Outsiders)
    }

    /// Delivers the words of a line wherever they stand: the basic service, planted where the causal one is meant.
    fn pass_basic(&self, state: &mut GroupState, from: Pid, fx: &mut impl Effects<Membership>) -> bool {
        if !state.view.contains(from) {
            return false;
        }
        let line = &state.graph.lines[from];
        let words: Vec<(u32, u64)> = line
            .open()
            .filter_map(|(number, entry)| match entry.body {
                MulticastBody::User(word) if entry.mark == DeliveryMark::Deliverable => Some((number, word)),
                _ => None,
            })
            .collect();
        for entry in state.graph.lines[from].open_mut() {
            if matches!(entry.body, MulticastBody::User(_)) && entry.mark == DeliveryMark::Deliverable {
                entry.mark = DeliveryMark::Delivered;
            }
        }
        for &(number, word) in &words {
            fx.emit(GroupOutput::Deliver { from, number, word });
        }
        !words.is_empty()
    }

    /// Delivers the messages of one change in one go; whether there was one.
    fn pass_change(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) -> bool {
        let open = state.graph.lines.iter().flat_map(|(_, line)| line.open());
        let slow = open.filter(|(_, entry)| entry.mark == DeliveryMark::Slow);
        let mut changes: Vec<Change> = slow.filter_map(|(_, entry)| Change::of(entry)).collect();
        changes.sort_unstable();
        changes.dedup();
        let Some((change, parts)) = changes.into_iter().find_map(|it| Some((it, self.ready(state, it)?)))
        else {
            return false;
        };
        let mut by = PerProc::new(self.n, 0);
        let mut senders = ProcSet::EMPTY;
        for &(p, number) in &parts {
            by[p] = number + 1;
            senders.insert(p);
        }
        let next = self.outcome(me, state, change, senders);
        for &(p, number) in &parts {
            if !state.view.contains(p) {
                // What it said before it joined was not for those here.
                state.graph.lines[p].discard_before(number);
            }
            state.graph.lines[p].mark(number, DeliveryMark::Delivered);
        }
        if let Some(members) = next.filter(|&members| members != state.view) {
            state.view = members;
            fx.emit(GroupOutput::View(Configuration { members, by }));
        }
        self.prune(state)
    }

    /// The messages of a change, if all of them can be delivered, and all are here that anything here follows.
    fn ready(&self, state: &GroupState, change: Change) -> Option<Vec<(Pid, u32)>> {
        let late = self.late(state, change);
        let passed = |q: Pid, count: u32| count.min(late[q]) <= state.graph.lines[q].passed;
        let part = |p: Pid| {
            let open = state.graph.lines[p].open().filter(move |(_, entry)| belongs(entry, change));
            open.map(move |(number, entry)| (p, number, entry))
        };
        let can = |&(p, number, entry): &(Pid, u32, &GraphEntry)| {
            let before = |q: Pid| passed(q, entry.past[q]);
            let member = state.view.contains(p);
            entry.mark == DeliveryMark::Slow
                && (!member || passed(p, number) && state.view.iter().all(before))
        };
        let parts: Vec<_> = Pid::all(self.n).flat_map(part).collect();
        let named =
            |parts: Vec<(Pid, u32, &GraphEntry)>| parts.iter().map(|&(p, number, _)| (p, number)).collect();
        if self.has(GroupFlaw::OneByOne) {
            let some: Vec<_> = parts.into_iter().filter(can).collect();
            return (!some.is_empty()).then(|| named(some));
        }
        let members = match change.what {
            What::Fault(_) => state.view,
            What::Join(join, faulty) => state.view.union(join.difference(faulty)),
        };
        // Whoever is left has passed on what it has before it agreed: what is not here by now is lost.
        let whole = self.relay
            || members.iter().all(|q| state.graph.lines[q].have() >= state.graph.needs(q, state.view));
        (whole && parts.iter().all(can)).then(|| named(parts))
    }

    /// For each member, the number of its first message that is one of a change or follows one of a member: it belongs
    /// after the change, also if another message of the change follows it. What those say who are about to join is
    /// nothing that members wait for, and so nothing that could put a word behind the change.
    fn late(&self, state: &GroupState, change: Change) -> PerProc<u32> {
        let mut late = PerProc::new(self.n, u32::MAX);
        loop {
            let mut earlier = late.clone();
            for p in state.view.iter() {
                let line = &state.graph.lines[p];
                let follows = |entry: &GraphEntry| state.view.iter().any(|q| entry.past[q] > late[q]);
                let first = line.open().find(|(_, entry)| belongs(entry, change) || follows(entry));
                earlier[p] = first.map_or(u32::MAX, |(number, _)| number);
            }
            if earlier == late {
                return late;
            }
            late = earlier;
        }
    }

    /// The configuration after a change, if it is complete; an overtaken one changes nothing. Who has become faulty
    /// before its JOIN came is never in it.
    fn outcome(&self, me: Pid, state: &GroupState, change: Change, senders: ProcSet) -> Option<ProcSet> {
        match change.what {
            What::Fault(faulty) => {
                let left = state.view.difference(faulty);
                let complete = left.is_subset(senders) || self.has(GroupFlaw::OneByOne);
                (complete && left.contains(me)).then_some(left)
            }
            What::Join(join, faulty) => {
                let left = join.difference(faulty);
                let complete = left.is_subset(senders) || self.has(GroupFlaw::OneByOne);
                let complete = complete
                    || self
                        .later_faults(state, (join, faulty))
                        .into_iter()
                        .any(|(after, by)| left.difference(after).is_subset(senders.intersection(by)));
                (complete && left.contains(me)).then_some(left.intersection(senders))
            }
        }
    }

    /// The sets that were named as faulty after a JOIN with these sets, each with those who have named it.
    fn later_faults(&self, state: &GroupState, basis: (ProcSet, ProcSet)) -> Vec<(ProcSet, ProcSet)> {
        let said = |p: Pid| {
            let open = state.graph.lines[p].open();
            open.filter_map(move |(_, entry)| match entry.body {
                MulticastBody::Fault { faulty, join, before } if (join, before) == basis => Some((p, faulty)),
                _ => None,
            })
        };
        let all: Vec<(Pid, ProcSet)> = Pid::all(self.n).flat_map(said).collect();
        let by = |set: ProcSet| {
            let named = all.iter().filter(|(_, faulty)| set.is_subset(*faulty));
            named.fold(ProcSet::EMPTY, |by, (p, _)| by.with(*p))
        };
        all.iter().map(|&(_, set)| (set, by(set))).collect()
    }

    /// Forgets the messages of those who have come to be outside; what was held of them comes from outside now. Always
    /// true.
    fn prune(&self, state: &mut GroupState) -> bool {
        for q in Pid::all(self.n) {
            let line = &state.graph.lines[q];
            if state.is_inside(q) || line.head().is_none() && (self.returns || line.held.is_empty()) {
                continue;
            }
            let held = std::mem::take(&mut state.graph.lines[q].held);
            state.graph.lines[q].clear();
            if self.returns {
                state.graph.lines[q].held = held;
            } else {
                (0..held.len()).for_each(|_| state.graph.skip(q));
            }
        }
        true
    }

    /// The configuration of one who has left.
    pub(super) fn alone(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        let mut by = PerProc::new(self.n, 0);
        by[me] = state.graph.lines[me].have();
        for q in Pid::all(self.n) {
            state.graph.lines[q].clear();
        }
        if state.view != ProcSet::only(me) {
            state.view = ProcSet::only(me);
            fx.emit(GroupOutput::View(Configuration { members: state.view, by }));
        }
    }

    /// Lets go of what everyone has, and acknowledges if much has come since the last message.
    pub(super) fn keep_stable(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        if state.unacknowledged >= UNACKNOWLEDGED {
            self.multicast(me, state, MulticastBody::Empty, fx);
            self.flush(me, state, fx);
        }
        if self.collect == GarbageCollection::Stable {
            state.graph.collect(state.view.union(state.ccs));
        }
    }
}
