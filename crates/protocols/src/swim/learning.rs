//! How a process comes to know something of a member: by news, by its own probes, and by the time that passes.

use super::{
    MemberEntry, MemberUpdate, OpenSuspicion, State, SuspectSet, Swim, SwimFlaw, SwimOutput, SwimPolicy,
    SwimStatus, SwimTimer,
};
use watchkeeper_core::{Bound, Effects, Member};

impl<P: SwimPolicy> Swim<P> {
    /// A member has not answered: it is suspected from now on, unless something worse is known of it.
    pub(super) fn suspect(
        &self,
        me: Member,
        member: Member,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        let known = state.table.get(member);
        if known.status().is_up() {
            let entry = MemberEntry::new(SwimStatus::Suspected, known.incarnation());
            let by = self.policy.confirmations(state.table.up()).map(|_| me);
            self.learn(me, MemberUpdate { member, entry, by }, true, state, fx);
        }
    }

    /// Takes up a piece of news, and passes it on if it is to be spread.
    pub(super) fn learn(
        &self,
        me: Member,
        update: MemberUpdate,
        spread: bool,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        let MemberUpdate { member, entry, by } = update;
        if !self.possible(member) || entry == MemberEntry::UNKNOWN {
            return;
        }
        if member == me {
            return self.defend(me, entry, state, fx);
        }
        let known = state.table.get(member);
        let stale = self.flawed(SwimFlaw::StaleIncarnation) && known != entry;
        if entry.overrides(known) || stale {
            self.take_down(member, entry, by, state, fx);
            if spread {
                self.spread(member, by, state, fx);
            } else {
                // It would go on as what is known now, with the accuser of what was known before.
                state.queue.forget(member);
            }
        } else if entry == known && entry.status() == SwimStatus::Suspected {
            self.confirm(member, by, state, fx);
        }
    }

    /// Something is said of the process itself. It is alive: what says otherwise is refuted in a new incarnation, and what
    /// was refuted before is refuted again.
    fn defend(&self, me: Member, entry: MemberEntry, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let own = state.table.get(me).incarnation();
        let alive = |incarnation| MemberEntry::new(SwimStatus::Alive, incarnation);
        if entry.status() == SwimStatus::Alive {
            // What an earlier life has said, or nothing new.
            state.table.set(me, alive(own.max(entry.incarnation()).min(self.config.cap)));
            return;
        }
        if self.flawed(SwimFlaw::NoRefutation) {
            return;
        }
        if entry.incarnation() >= own && own < self.config.cap {
            let next = entry.incarnation() + u32::from(!self.flawed(SwimFlaw::SameIncarnation));
            state.table.set(me, alive(next.min(self.config.cap)));
            self.policy.refuted(&mut state.memory);
        }
        self.spread(me, None, state, fx);
    }

    /// What the table says of a member is passed on from now on.
    fn spread(
        &self,
        member: Member,
        by: Option<Member>,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        if state.queue.is_empty() && self.config.spread > 0 {
            fx.arm(SwimTimer::News, Bound::exactly(self.config.spread));
        }
        state.queue.push(member, by);
    }

    /// What is known of a member changes.
    fn take_down(
        &self,
        member: Member,
        entry: MemberEntry,
        by: Option<Member>,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        let was = state.table.get(member).status();
        let now = entry.incarnation();
        state.table.set(member, entry);
        if self.config.reclaim {
            self.turn_to_the_dead(member, state);
        }
        if was == SwimStatus::Unknown {
            fx.emit(SwimOutput::Joined(member, now));
        }
        if was >= SwimStatus::Dead && entry.status() != SwimStatus::Dead {
            fx.emit(SwimOutput::Back(member, now));
        }
        match entry.status() {
            SwimStatus::Unknown => {}
            SwimStatus::Alive => {
                self.settle(member, state, fx);
                if was == SwimStatus::Suspected {
                    fx.emit(SwimOutput::Refuted(member, now));
                }
            }
            SwimStatus::Suspected => {
                self.open(member, by, state, fx);
                if was != SwimStatus::Suspected {
                    fx.emit(SwimOutput::Suspected(member, now));
                }
            }
            SwimStatus::Dead => {
                self.settle(member, state, fx);
                // Who looks at suspicions hears of one before a death, also if the news of it comes first.
                if self.config.suspects == SuspectSet::Suspected
                    && was != SwimStatus::Suspected
                    && was != SwimStatus::Dead
                {
                    fx.emit(SwimOutput::Suspected(member, now));
                }
                if was != SwimStatus::Dead {
                    fx.emit(SwimOutput::Dead(member, now));
                }
            }
            SwimStatus::Left => {
                self.settle(member, state, fx);
                if self.config.suspects == SuspectSet::Suspected && was == SwimStatus::Suspected {
                    fx.emit(SwimOutput::Refuted(member, now));
                }
                fx.emit(SwimOutput::Left(member, now));
            }
        }
    }

    /// Who has died may be the first, and who was asked next may be back.
    fn turn_to_the_dead(&self, member: Member, state: &mut State<P>) {
        if state.table.get(member).status() == SwimStatus::Dead {
            state.asks_dead.get_or_insert(member);
        } else if state.asks_dead == Some(member) {
            state.asks_dead = state.table.dead_after(member);
        }
    }

    /// A suspicion begins, or begins anew in a later incarnation.
    fn open(&self, member: Member, by: Option<Member>, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let first = state.suspicions.is_empty();
        if first {
            fx.arm(SwimTimer::Suspicions, Bound::exactly(self.config.grain));
        }
        state.suspicions.begin(OpenSuspicion {
            member,
            passed: u16::from(first),
            by: by.into_iter().collect(),
        });
    }

    /// A suspicion ends.
    fn settle(&self, member: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        if !state.suspicions.is_empty() {
            state.suspicions.end(member);
            if state.suspicions.is_empty() {
                fx.disarm(SwimTimer::Suspicions);
            }
        }
    }

    /// One more member suspects it. That is passed on as long as it matters.
    fn confirm(
        &self,
        member: Member,
        by: Option<Member>,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) {
        let (Some(needed), Some(by)) = (self.policy.confirmations(state.table.up()), by) else { return };
        let Some(open) = state.suspicions.of(member) else { return };
        if open.by.len() <= needed as usize && !open.by.contains(&by) {
            open.by.push(by);
            self.spread(member, Some(by), state, fx);
        }
    }

    /// A grain of time has passed for all who are suspected.
    pub(super) fn age_suspicions(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let up = state.table.up();
        let mut over = Vec::new();
        for open in state.suspicions.iter_mut() {
            open.passed = open.passed.saturating_add(1);
            if open.passed > self.grains((open.by.len() as u32).saturating_sub(1), up) {
                over.push(open.member);
            }
        }
        // From the process itself on, so that no number is special.
        let next = over.partition_point(|member| *member < me);
        over.rotate_left(next);
        if !state.suspicions.is_empty() {
            fx.arm(SwimTimer::Suspicions, Bound::exactly(self.config.grain));
        }
        for member in over {
            let entry = MemberEntry::new(SwimStatus::Dead, state.table.get(member).incarnation());
            self.learn(me, MemberUpdate { member, entry, by: None }, true, state, fx);
            // Whatever the table says, this suspicion is over.
            self.settle(member, state, fx);
        }
    }
}
