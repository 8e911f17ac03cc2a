//! Whom a process probes next, and whom it asks for help.

use super::{ProbeLap, State, Swim, SwimPolicy};
use crate::swim::SwimStatus;
use watchkeeper_core::{Effects, Member, Pid};

impl<P: SwimPolicy> Swim<P> {
    /// The next target of a probe. On the way to it the first that is held for dead is asked as well, of whom no
    /// answer is expected.
    pub(super) fn next_target(
        &self,
        me: Member,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) -> Option<Member> {
        let (mut laps, mut reclaims) = (0, self.config.reclaim);
        loop {
            let Some(member) = state.lap.next() else {
                // What is left of a lap, and then a whole one.
                if laps == 2 {
                    return None;
                }
                laps += 1;
                state.lap = self.lap(me, state.table.span(), fx);
                continue;
            };
            match state.table.get(member).status() {
                _ if member == me => {}
                SwimStatus::Alive | SwimStatus::Suspected => return Some(member),
                SwimStatus::Dead if reclaims => {
                    reclaims = false;
                    self.ping(member, me, me, state, fx);
                }
                SwimStatus::Unknown | SwimStatus::Dead | SwimStatus::Left => {}
            }
        }
    }

    /// The next traversal of the table.
    fn lap(&self, me: Member, span: usize, fx: &mut impl Effects<Swim<P>>) -> ProbeLap {
        if span > 1 && self.config.order.is_random(span) {
            return ProbeLap::scattered(fx.pick(span), fx.pick(span - 1), span);
        }
        ProbeLap::after(me, span)
    }

    /// The members that are asked to probe `target`.
    pub(super) fn helpers(
        &self,
        me: Member,
        target: Member,
        state: &State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) -> Vec<Member> {
        let wanted = usize::from(self.config.indirect);
        let alive = |member: Member| state.table.get(member).status() == SwimStatus::Alive;
        let fit = |it: Member| it != target && alive(it);
        if self.config.order.is_random(state.table.span()) {
            return self.drawn(wanted, me, state, fx, fit);
        }
        self.around(target, me, state).filter(|it| fit(*it)).take(wanted).collect()
    }

    /// The members that are told the news by messages of their own: in the order of the ring those after the member that was
    /// probed last, so that others are told in the next period.
    pub(super) fn hearers(
        &self,
        me: Member,
        state: &State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) -> Vec<Member> {
        let wanted = usize::from(self.config.fanout);
        if self.config.order.is_random(state.table.span()) {
            return self.drawn(wanted, me, state, fx, |_| true);
        }
        self.around(state.lap.at.unwrap_or(me), me, state).take(wanted).collect()
    }

    /// So many others that take part and are fit for it, drawn at random: the first on a way through the table. They are
    /// found however few they are.
    fn drawn(
        &self,
        wanted: usize,
        me: Member,
        state: &State<P>,
        fx: &mut impl Effects<Swim<P>>,
        fit: impl Fn(Member) -> bool,
    ) -> Vec<Member> {
        let mut lap = self.lap(me, state.table.span(), fx);
        let up = |member: &Member| *member != me && state.table.get(*member).status().is_up();
        std::iter::from_fn(|| lap.next()).filter(|it| up(it) && fit(*it)).take(wanted).collect()
    }

    /// The others that take part, after `first` in the ring of numbers, which is the last of them.
    pub(super) fn around(&self, first: Member, me: Member, state: &State<P>) -> impl Iterator<Item = Member> {
        let span = state.table.span().max(1);
        let place = move |step: usize| Pid::member((first.0.index() + step) % span).map(Member);
        let others = (1..=span).filter_map(place).filter(move |&member| member != me);
        others.filter(|member| state.table.get(*member).status().is_up())
    }
}
