//! The answer of a conformance check, with its trace: a run that conforms, or the step at which it left
//! the model.

use super::Conformance;
use super::conformance::{ConformanceCheck, DOUBTS, RecordedOrder};
use super::constraints::{self, Cause};
use super::deviation::{BrokenAssumption, Deviation};
use super::execution::{late_starts, scenario};
use super::incarnations::nanoseconds;
use super::order::Sequence;
use super::outcomes::{Outcomes, RunItem, TimedRun};
use super::story::Story;
use crate::assumptions::assumptions;
use crate::{ANY_NUMBER, WorldTime};
use watchkeeper_core::RecordedInput;

impl ConformanceCheck<'_> {
    /// The deviation at a step of the recorded order; or an earlier one that the interpreter finds.
    pub(super) fn leave(
        &self,
        recorded: &RecordedOrder,
        step: usize,
        named: usize,
        broken: BrokenAssumption,
    ) -> Box<Deviation> {
        let (run, outcomes, items, until) = self.up_to(recorded, step, named);
        match self.perform(&run, &outcomes, &items[..until], WorldTime::Untimed) {
            Err(earlier) if self.believed(&earlier.broken) => earlier,
            _ => self.told(recorded, step, named, broken),
        }
    }

    /// Whether what the interpreter says is broken is so. A node whose recording has lost its end looks as if it had
    /// crashed.
    fn believed(&self, broken: &BrokenAssumption) -> bool {
        let unended = |(_, broken): &(usize, _)| matches!(broken, BrokenAssumption::Recording { .. });
        match broken {
            BrokenAssumption::Unconfirmed { .. } => false,
            BrokenAssumption::Crashes { .. } => !self.messages.unsent.iter().any(unended),
            _ => true,
        }
    }

    /// The deviation at a step of the recorded order.
    pub(super) fn told(
        &self,
        recorded: &RecordedOrder,
        step: usize,
        named: usize,
        broken: BrokenAssumption,
    ) -> Box<Deviation> {
        let (run, _, items, until) = self.up_to(recorded, step, named);
        self.end(&run, &items, until, named, broken)
    }

    /// The run in its recorded order, what became of its messages, all that happens in it, and how much of that is
    /// before the later of two steps.
    fn up_to<'b>(
        &'b self,
        recorded: &'b RecordedOrder,
        step: usize,
        named: usize,
    ) -> (TimedRun<'b>, Outcomes, Vec<RunItem>, usize) {
        let run = self.at_times(recorded, &recorded.sequence, &recorded.times);
        let place = |step: usize| recorded.sequence.place[step];
        let until = if place(named) > place(step) { named } else { step };
        let mut outcomes = run.outcomes(&self.replay, run.times[until]);
        self.spare(recorded, until, &mut outcomes);
        let items = run.items(&outcomes);
        let until = items.iter().position(|item| *item == RunItem::Step(until)).unwrap_or(0);
        (run, outcomes, items, until)
    }

    /// The recorded order has times, but not those of the model: a message that could still be on its way with other
    /// times, for all that is known before a step, is not lost.
    fn spare(&self, recorded: &RecordedOrder, until: usize, outcomes: &mut Outcomes) {
        if self.scenario.network.losses == ANY_NUMBER || outcomes.doubtful.is_empty() {
            return;
        }
        let place = &recorded.sequence.place;
        let mut constraints = self.constraints(recorded);
        constraints.retain(|constraint| constraint.last(place) < place[until]);
        for (i, doubt) in std::mem::take(&mut outcomes.doubtful).into_iter().enumerate() {
            let Cause::OnItsWay { message } = doubt.why else { continue };
            constraints.push(doubt);
            let possible = i >= DOUBTS || constraints::solve(&self.incarnations, &constraints, place).is_ok();
            outcomes.lost[message] &= !possible;
            constraints.pop();
        }
    }

    /// The deviation at one thing that happens, and the run up to there.
    pub(super) fn end(
        &self,
        run: &TimedRun<'_>,
        items: &[RunItem],
        until: usize,
        named: usize,
        broken: BrokenAssumption,
    ) -> Box<Deviation> {
        let items = &items[..items.len().min(until + 1)];
        let story = Story { automaton: self.automaton, run, items };
        let remark = format!("here the run leaves the model: {}", broken.name());
        Box::new(Deviation {
            process: self.incarnations.process(named),
            incarnation: self.incarnations.list[self.incarnations.incarnation(named)].incarnation,
            step: self.incarnations.place(named) + 1,
            number: run.sequence.place[named] + 1,
            at: self.incarnations.step(named).at,
            action: story.action(RunItem::Step(named)),
            broken,
            tick: self.run.tick,
            precision: self.run.precision,
            trace: story.tell(self.run.shown, Some(remark)),
        })
    }

    pub(super) fn at_a_loss(&self, recorded: &RecordedOrder, why: &str) -> Box<Deviation> {
        let why = why.to_string();
        let step = recorded.sequence.steps.first().copied().unwrap_or(0);
        self.told(recorded, step, step, BrokenAssumption::Unconfirmed { why })
    }

    pub(super) fn at_times<'b>(
        &'b self,
        recorded: &'b RecordedOrder,
        sequence: &'b Sequence,
        times: &'b [i64],
    ) -> TimedRun<'b> {
        let RecordedOrder { together, roots, .. } = recorded;
        let (scenario, incarnations, messages) = (self.scenario, &self.incarnations, &self.messages);
        TimedRun { scenario, incarnations, messages, roots, sequence, times, together }
    }

    pub(super) fn followed(
        &self,
        run: &TimedRun<'_>,
        outcomes: &Outcomes,
        items: &[RunItem],
        confirmed: bool,
    ) -> Conformance {
        let incarnations = &self.incarnations;
        let took = self.messages.list.iter().filter_map(|message| {
            let step = message.received?;
            (incarnations.clock(step) == incarnations.clock(message.by))
                .then(|| incarnations.at(step) - incarnations.at(message.by))
        });
        let late = (0..incarnations.steps()).filter_map(|step| match incarnations.step(step).input {
            RecordedInput::Fire { due, .. } => Some(incarnations.at(step) - nanoseconds(due)),
            _ => None,
        });
        let first = run.times.iter().copied().min().unwrap_or(0);
        let last = run.times.iter().copied().max().unwrap_or(0);
        let story = Story { automaton: self.automaton, run, items };
        Conformance {
            recorded: incarnations.recorded(),
            whole: self.whole,
            incarnations: incarnations.list.len(),
            steps: incarnations.steps(),
            clocks: incarnations.clocks,
            timed: self.timed,
            confirmed,
            messages: self.messages.list.len(),
            lost: outcomes.lost.iter().filter(|lost| **lost).count(),
            crashes: outcomes.crashed.iter().filter(|crashed| **crashed).count(),
            restarts: (0..incarnations.list.len())
                .filter(|&incarnation| !incarnations.is_first(incarnation))
                .count(),
            late: late_starts(run) as usize,
            slowest: took.max(),
            latest: late.max(),
            stalled: incarnations
                .list
                .iter()
                .flat_map(|incarnation| &incarnation.stalls)
                .map(|stall| stall.lasted)
                .max(),
            lasted: last - first,
            assumptions: assumptions(self.automaton, &scenario(run, outcomes, &self.run.limits), &[], ""),
            trace: story.tell(self.run.shown, None),
        }
    }
}
