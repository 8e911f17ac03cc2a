//! Whom a process probes next, whom it asks for help, and whom of the dead it asks whether they are.

use super::state::news;
use super::{CarriedNews, ProbeLap, State, Swim, SwimMsg, SwimPolicy, SwimStatus};
use watchkeeper_core::{Effects, Member, Pid};

impl<P: SwimPolicy> Swim<P> {
    /// The next target of a probe, in what is left of a traversal or in a whole one.
    pub(super) fn next_target(
        &self,
        me: Member,
        state: &mut State<P>,
        fx: &mut impl Effects<Swim<P>>,
    ) -> Option<Member> {
        for whole in [false, true] {
            if whole {
                state.lap = self.lap(me, state.table.span(), fx);
            }
            while let Some(member) = state.lap.next() {
                if member != me && state.table.get(member).status().is_up() {
                    self.forget_lap(state);
                    return Some(member);
                }
            }
        }
        self.forget_lap(state);
        None
    }

    /// Asks the next of those who are held for dead, and tells it so. No answer is expected, and no other news is spent on
    /// it, of which there is only so much.
    pub(super) fn ask_the_dead(&self, me: Member, state: &mut State<P>, fx: &mut impl Effects<Swim<P>>) {
        let Some(member) = state.asks_dead.filter(|member| *member != me) else { return };
        state.asks_dead = state.table.dead_after(member);
        let news = CarriedNews(vec![news(&state.table, member, None)]);
        fx.send(member.0, SwimMsg::Ping { origin: me, news });
    }

    /// The next traversal of the table.
    fn lap(&self, me: Member, span: usize, fx: &mut impl Effects<Swim<P>>) -> ProbeLap {
        if span > 1 && self.config.order.is_random(span) {
            return ProbeLap::scattered(fx.pick(span), fx.pick(span - 1), span);
        }
        ProbeLap::after(me, span)
    }

    /// Where a traversal at random has ended does not matter to the next one, and equal states should look equal.
    fn forget_lap(&self, state: &mut State<P>) {
        if state.lap.left == 0 && self.config.order.is_random(state.table.span()) {
            state.lap = ProbeLap::default();
        }
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
