//! Agreement on the next configuration: the faults protocol (T, figures 5.4 and 5.5), the stages of the join
//! protocol (figures 5.7 to 5.11), and who may enter the graph meanwhile. Nothing is delivered here; messages are
//! only marked.

use super::graph::{DeliveryMark, GarbageCollection, GraphEntry};
use super::message::{Configuration, GroupMsg, GroupOutput, GroupTimer, Multicast, MulticastBody};
use super::{AttemptScope, GroupFlaw, GroupState, JoinStage, Membership};
use watchkeeper_core::{Bound, Effects, PerProc, Pid, ProcSet};

/// How many times the pause between two looks the others are waited for in the second stage: what a partition has
/// held up comes before what they say now.
const PATIENCE: u32 = 8;

impl Membership {
    /// Lets messages enter the graph that have arrived, as long as any may.
    pub(super) fn let_in(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        while let Some(from) = Pid::all(self.n).find(|&from| self.may_enter(state, from)) {
            let multicast = state.graph.lines[from].held.remove(0);
            self.enter(me, state, from, multicast, fx);
        }
    }

    /// Whether the next message of a process may enter: those of a member that is taken for faulty only if another
    /// message in the graph follows it.
    fn may_enter(&self, state: &GroupState, from: Pid) -> bool {
        let line = &state.graph.lines[from];
        if line.held.is_empty() {
            return false;
        }
        // The next join has to wait until the change before it is delivered, or their messages could not be told apart.
        let next = matches!(line.held[0].body, MulticastBody::Attempt(_) | MulticastBody::Join { .. });
        if next && !state.is_settled() && state.phase == JoinStage::Rest {
            return line.have() < state.graph.needs(from, state.view);
        }
        if self.has(GroupFlaw::NoBlocking) || !state.is_blocked(from) {
            return true;
        }
        if !state.is_inside(from) {
            // What it says may still count once it is trusted again.
            return !self.returns;
        }
        !self.has(GroupFlaw::BlocksAll) && line.have() < state.graph.needs(from, state.view)
    }

    fn enter(
        &self,
        me: Pid,
        state: &mut GroupState,
        from: Pid,
        multicast: Multicast,
        fx: &mut impl Effects<Membership>,
    ) {
        let Multicast { past, body, .. } = multicast;
        let heard = self.has(GroupFlaw::Outsiders) && matches!(body, MulticastBody::User(_));
        let member = heard || state.view.union(state.ccs).contains(from);
        let fresh = state.ccs.contains(from) || past[me] >= state.since[from];
        let asks = matches!(body, MulticastBody::Attempt(_) | MulticastBody::Join { .. });
        // Where those outside are looked for now and then, a word of one of them is no reason to hurry.
        let found = asks || fresh && self.probe.is_none();
        if !state.ccs.contains(from) && !state.is_blocked(from) && found {
            self.discover(me, state, from, fx);
        }
        let concerns = match body {
            MulticastBody::Join { join, faulty } => {
                join.contains(me)
                    && !faulty.contains(me)
                    && !state.is_blocked(from)
                    && self.admits(state, from)
            }
            _ => false,
        };
        // A JOIN of somebody who is taken for faulty is let in only if others have counted it.
        let counted = match body {
            MulticastBody::Join { join, faulty } => {
                join.contains(me) && !faulty.contains(me) && state.is_blocked(from)
            }
            _ => false,
        };
        if member || concerns || counted || state.graph.lines[from].head().is_some() {
            state.graph.enter(from, GraphEntry::new(past, body.clone()), self.collect);
            self.knows(state, from);
            if self.collect == GarbageCollection::Stable && body != MulticastBody::Empty {
                state.unacknowledged = state.unacknowledged.saturating_add(1);
            }
        } else {
            state.graph.skip(from);
        }
        match body {
            MulticastBody::User(_) | MulticastBody::Empty => {}
            MulticastBody::Attempt(join) if self.admits(state, from) => self.attempted(state, from, join, fx),
            MulticastBody::Attempt(_) => {}
            MulticastBody::Fault { faulty, join, before } if state.is_heeded(from) => {
                self.accused(me, state, from, faulty, (join, before), fx);
            }
            MulticastBody::Fault { .. } => state.mark_last(from, DeliveryMark::Slow),
            MulticastBody::Join { join, faulty } => {
                let known = state.is_heeded(from);
                if concerns {
                    self.joined(me, state, from, join, faulty, fx);
                } else if counted {
                    if state.phase == JoinStage::Rest {
                        state.mark_last(from, DeliveryMark::Slow);
                    }
                } else {
                    state.mark_last(from, DeliveryMark::Rejected);
                    if known && faulty.contains(me) {
                        self.denounced(me, state, from, fx);
                    }
                }
            }
        }
    }

    /// Whether a process may take part in a join: always, unless it was put out for good.
    fn admits(&self, state: &GroupState, q: Pid) -> bool {
        self.returns || state.ccs.contains(q) || state.since[q] == 0
    }

    /// An attempt to join. Later ones are for those who have not decided yet: a JOIN follows each.
    fn attempted(&self, state: &mut GroupState, from: Pid, join: ProcSet, fx: &mut impl Effects<Membership>) {
        match state.phase {
            JoinStage::Rest if state.faulty.is_empty() && state.ccs.contains(from) && !state.closed => {
                let named = if self.ask == AttemptScope::Found { join } else { ProcSet::EMPTY };
                self.gather(state, named, fx);
            }
            JoinStage::First => state.widen(join),
            JoinStage::Rest | JoinStage::Second => {}
        }
    }

    /// Goes to the first stage of a join.
    fn gather(&self, state: &mut GroupState, found: ProcSet, fx: &mut impl Effects<Membership>) {
        state.phase = JoinStage::First;
        state.join = ProcSet::EMPTY;
        state.widen(state.ccs.union(found));
        fx.arm(GroupTimer::Gather, Bound::exactly(self.gather));
    }

    /// Somebody outside of the configuration is there.
    pub(super) fn discover(
        &self,
        me: Pid,
        state: &mut GroupState,
        whom: Pid,
        fx: &mut impl Effects<Membership>,
    ) {
        let barred = !self.joins || state.suspects.contains(whom) || !self.returns && state.since[whom] > 0;
        if state.ccs.contains(whom) || state.closed || barred {
            return;
        }
        if state.is_stable() && state.is_settled() {
            self.attempt(me, state, ProcSet::only(whom), fx);
        } else if !state.join.contains(whom) {
            state.heard.insert(whom);
        }
    }

    /// Attempts to join these.
    pub(super) fn attempt(
        &self,
        me: Pid,
        state: &mut GroupState,
        found: ProcSet,
        fx: &mut impl Effects<Membership>,
    ) {
        let found = if self.ask == AttemptScope::Found { found } else { ProcSet::EMPTY };
        self.multicast(me, state, MulticastBody::Attempt(state.ccs.union(found)), fx);
        self.gather(state, found, fx);
    }

    /// A stage of a join has lasted long enough: in the first one the attempts are in; in the second one, whoever has
    /// not agreed by now will not, for whatever reason, and it is tried again from the beginning.
    pub(super) fn gathered(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        match state.phase {
            JoinStage::Rest => {}
            JoinStage::First => {
                self.broadcast_join(me, state, fx);
                self.check_join(me, state, fx);
            }
            JoinStage::Second if self.returns => self.withdraw(me, state, fx),
            JoinStage::Second => {
                let left = state.join.difference(state.faulty).difference(state.after).without(me);
                for q in left.iter() {
                    if state.phase == JoinStage::Second && !self.agrees(state, q) {
                        self.broken(me, state, q, fx);
                    }
                }
            }
        }
    }

    /// In the second stage, how long the others are waited for; for ever unless those outside are looked for again.
    fn wait(&self, me: Pid, state: &GroupState, fx: &mut impl Effects<Membership>) {
        match self.probe {
            Some(patience) if state.phase == JoinStage::Second => {
                // Not all at once, or all would try again at once for ever.
                let times = PATIENCE + me.index() as u32 % PATIENCE;
                fx.arm(GroupTimer::Gather, Bound::exactly(patience.saturating_mul(times)));
            }
            _ => fx.disarm(GroupTimer::Gather),
        }
    }

    /// It is time to look for those outside.
    pub(super) fn probe(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        let outside = ProcSet::first(self.n).difference(state.ccs).difference(state.suspects);
        if state.is_stable() && state.is_settled() && !outside.is_empty() && !state.closed {
            self.attempt(me, state, outside, fx);
        }
        self.look_again(state, fx);
    }

    /// Communication with a process has broken.
    pub(super) fn broken(
        &self,
        me: Pid,
        state: &mut GroupState,
        whom: Pid,
        fx: &mut impl Effects<Membership>,
    ) {
        let concerned = state.ccs.union(state.join).difference(state.faulty).difference(state.after);
        if whom == me || !concerned.contains(whom) {
            return;
        }
        match state.phase {
            JoinStage::Rest => self.check_faults(me, state, ProcSet::only(whom), fx),
            JoinStage::First => {
                if !self.has(GroupFlaw::ForgetsBreak) {
                    self.blame(me, state, ProcSet::only(whom), fx);
                }
                self.broadcast_join(me, state, fx);
                self.check_join(me, state, fx);
            }
            JoinStage::Second => {
                self.relay(me, state, ProcSet::only(whom), fx);
                state.after.insert(whom);
                self.broadcast_fault(me, state, fx);
                self.check_join(me, state, fx);
            }
        }
    }

    /// An FA of somebody, who had sent a JOIN with the sets of `basis` last.
    fn accused(
        &self,
        me: Pid,
        state: &mut GroupState,
        from: Pid,
        faulty: ProcSet,
        basis: (ProcSet, ProcSet),
        fx: &mut impl Effects<Membership>,
    ) {
        let concerned = state.ccs.union(state.join);
        if !concerned.contains(from)
            || state.phase == JoinStage::Rest
                && concerned.intersection(faulty).is_empty()
                && state.faulty.is_empty()
        {
            return state.mark_last(from, DeliveryMark::Slow);
        }
        if faulty.contains(me) {
            state.mark_last(from, DeliveryMark::Slow);
            return self.denounced(me, state, from, fx);
        }
        let before = if self.has(GroupFlaw::SumsFaults) { state.last[from] } else { ProcSet::EMPTY };
        state.last[from] = before.union(faulty);
        match state.phase {
            JoinStage::Rest => self.check_faults(me, state, faulty, fx),
            JoinStage::First => self.blame(me, state, faulty, fx),
            JoinStage::Second => {
                if basis == (state.join, state.faulty) {
                    if !faulty.is_subset(state.after.union(state.faulty)) {
                        self.relay(me, state, faulty, fx);
                        state.after = state.after.union(faulty);
                        self.broadcast_fault(me, state, fx);
                    }
                } else if !faulty.is_subset(state.faulty) {
                    self.blame(me, state, faulty, fx);
                    self.broadcast_join(me, state, fx);
                }
                self.check_join(me, state, fx);
            }
        }
    }

    /// A JOIN that names this process, and does not call it faulty.
    fn joined(
        &self,
        me: Pid,
        state: &mut GroupState,
        from: Pid,
        join: ProcSet,
        faulty: ProcSet,
        fx: &mut impl Effects<Membership>,
    ) {
        if state.closed || state.phase == JoinStage::Rest && self.has(GroupFlaw::RejectsInRest) {
            return state.mark_last(from, DeliveryMark::Rejected);
        }
        if state.phase == JoinStage::Rest {
            self.gather(state, join, fx);
        }
        let before = (state.join, state.faulty);
        state.last_join[from] = Some((join, faulty));
        state.last[from] = faulty;
        state.widen(join);
        self.blame(me, state, faulty, fx);
        // Somebody has gathered long enough. A word said between its JOIN and the own one would belong before the
        // change to some and after it to others.
        let ends = state.phase == JoinStage::First && !self.has(GroupFlaw::KeepsGathering);
        if ends || state.phase == JoinStage::Second && (state.join, state.faulty) != before {
            self.broadcast_join(me, state, fx);
        }
        if state.phase == JoinStage::Second {
            self.check_join(me, state, fx);
        }
    }

    /// Takes these for faulty, and passes their messages on.
    fn blame(&self, me: Pid, state: &mut GroupState, faulty: ProcSet, fx: &mut impl Effects<Membership>) {
        self.relay(me, state, faulty, fx);
        state.faulty = state.faulty.union(faulty);
    }

    /// Passes on the messages of those who were not taken for faulty before.
    fn relay(&self, me: Pid, state: &GroupState, faulty: ProcSet, fx: &mut impl Effects<Membership>) {
        if !self.relay {
            return;
        }
        let fresh = faulty.difference(state.faulty).difference(state.after);
        for origin in fresh.intersection(state.view.union(state.ccs).union(state.join)).iter() {
            for multicast in state.graph.kept(origin) {
                for peer in
                    state.view.union(state.ccs).union(state.join).difference(faulty).without(me).iter()
                {
                    fx.send(peer, GroupMsg::Relay { origin, multicast: multicast.clone() });
                }
            }
        }
    }

    fn broadcast_fault(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        let body = MulticastBody::Fault { faulty: state.after, join: state.join, before: state.faulty };
        state.last[me] = state.after;
        self.multicast(me, state, body, fx);
    }

    fn broadcast_join(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        state.phase = JoinStage::Second;
        self.wait(me, state, fx);
        state.faulty = state.faulty.union(state.after);
        state.after = ProcSet::EMPTY;
        state.last_join[me] = Some((state.join, state.faulty));
        state.last[me] = state.faulty;
        self.multicast(me, state, MulticastBody::Join { join: state.join, faulty: state.faulty }, fx);
    }

    /// FPCheck: names new faults, and assents once everyone who is left has named the same.
    fn check_faults(&self, me: Pid, state: &mut GroupState, new: ProcSet, fx: &mut impl Effects<Membership>) {
        if !new.is_subset(state.faulty) {
            self.blame(me, state, new, fx);
            state.last[me] = state.faulty;
            let (join, before) = state.basis;
            if !self.has(GroupFlaw::NoFaults) {
                self.multicast(me, state, MulticastBody::Fault { faulty: state.faulty, join, before }, fx);
            }
        }
        let named = |q: Pid| match self.flaw {
            Some(GroupFlaw::AnyFault) => !state.last[q].is_empty(),
            Some(GroupFlaw::NoFaults) => true,
            _ => state.last[q] == state.faulty,
        };
        if state.faulty.is_empty() || !state.ccs.difference(state.faulty).iter().all(named) {
            return;
        }
        state.settle_faults(state.faulty);
        let ccs = state.ccs.difference(state.faulty);
        if self.has(GroupFlaw::NoFaults) {
            state.view = ccs;
            let by = PerProc::new(self.n, 0);
            fx.emit(GroupOutput::View(Configuration { members: ccs, by }));
        }
        self.assent(me, state, ccs, fx);
    }

    /// JPCheck: assents to faults within the configuration, and to the join, once everyone who is left has named
    /// the same.
    fn check_join(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        let within = state.faulty.intersection(state.ccs);
        let left = state.ccs.difference(state.faulty).difference(state.after);
        if !within.is_empty() && left.iter().all(|q| within.is_subset(state.last[q])) {
            state.settle_faults(within);
        }
        let gone = state.faulty.union(state.after);
        let left = state.join.difference(gone);
        if !left.iter().all(|q| self.agrees(state, q)) {
            return;
        }
        state.grow_older();
        state.settle_faults(gone);
        state.settle_joins();
        state.basis = (state.join, state.faulty);
        self.assent(me, state, left, fx);
    }

    /// Whether a process is known to want the same join.
    fn agrees(&self, state: &GroupState, q: Pid) -> bool {
        let same = match state.last_join[q] {
            Some((join, faulty)) if self.has(GroupFlaw::JoinIncluded) => {
                join.is_subset(state.join) && faulty.is_subset(state.faulty)
            }
            said => said == Some((state.join, state.faulty)),
        };
        same && state.after.is_subset(state.last[q])
    }

    /// The next configuration is agreed on.
    fn assent(&self, me: Pid, state: &mut GroupState, ccs: ProcSet, fx: &mut impl Effects<Membership>) {
        let first = if self.returns { state.graph.lines[me].have() } else { u32::MAX };
        let out = state.ccs.union(state.join).difference(ccs);
        for q in out.iter() {
            state.since[q] = first;
            // Who is there all the same is looked for again: now, or when it is time to look.
            if self.returns && self.probe.is_none() {
                state.heard.insert(q);
            }
        }
        for q in ccs.iter() {
            state.since[q] = 0;
        }
        if self.relay {
            state.graph.discard_orphans(state.view.difference(ccs));
        }
        state.ccs = ccs;
        let joined = state.phase != JoinStage::Rest;
        state.at_rest();
        if joined {
            self.wait(me, state, fx);
        }
        state.heard = state.heard.difference(ccs).difference(state.suspects);
        self.look_again(state, fx);
    }

    /// One that counts takes this process for faulty. Those who listen to it will go on without this one, so it does as
    /// if it had crashed, and comes back as a stranger; if nobody ever comes back, the other is as good as gone.
    fn denounced(&self, me: Pid, state: &mut GroupState, by: Pid, fx: &mut impl Effects<Membership>) {
        if self.returns {
            self.withdraw(me, state, fx);
        } else {
            self.broken(me, state, by, fx);
        }
    }

    /// Goes on alone, and says so.
    fn withdraw(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        let (join, before) = state.basis;
        self.multicast(me, state, MulticastBody::Fault { faulty: ProcSet::only(me), join, before }, fx);
        self.assent(me, state, ProcSet::only(me), fx);
        self.alone(me, state, fx);
        state.basis = (state.ccs, ProcSet::EMPTY);
    }

    /// Leaves of its own accord: to the others that is a fault like any other.
    pub(super) fn leave(&self, me: Pid, state: &mut GroupState, fx: &mut impl Effects<Membership>) {
        if std::mem::replace(&mut state.closed, true) {
            return;
        }
        self.withdraw(me, state, fx);
        state.heard = ProcSet::EMPTY;
    }
}
