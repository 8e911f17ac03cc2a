//! What a pursuit comes to, with the story that goes with it: a run that followed, or the step at which it left
//! the model.

use super::Followed;
use super::deviation::{Broken, Deviation};
use super::execution::{late_starts, scenario};
use super::fates::{Fates, Item, Timed};
use super::lives::nanoseconds;
use super::order::Sequence;
use super::pursuit::{Pursuit, Recorded};
use super::story::Story;
use crate::Time;
use crate::assumptions::assumptions;
use watchkeeper_core::RecordedInput;

impl Pursuit<'_> {
    /// The deviation at a step of the recorded order; or an earlier one that the interpreter finds.
    pub(super) fn leave(
        &self,
        recorded: &Recorded,
        step: usize,
        named: usize,
        broken: Broken,
    ) -> Box<Deviation> {
        let (run, fates, items, until) = self.up_to(recorded, step, named);
        match self.perform(&run, &fates, &items[..until], Time::Untimed) {
            Err(earlier) if !matches!(earlier.broken, Broken::Unconfirmed { .. }) => earlier,
            _ => self.told(recorded, step, named, broken),
        }
    }

    /// The deviation at a step of the recorded order.
    pub(super) fn told(
        &self,
        recorded: &Recorded,
        step: usize,
        named: usize,
        broken: Broken,
    ) -> Box<Deviation> {
        let (run, _, items, until) = self.up_to(recorded, step, named);
        self.end(&run, &items, until, named, broken)
    }

    /// The run in its recorded order, what became of its messages, all that happens in it, and how much of that is
    /// before the later of two steps.
    fn up_to<'b>(
        &'b self,
        recorded: &'b Recorded,
        step: usize,
        named: usize,
    ) -> (Timed<'b>, Fates, Vec<Item>, usize) {
        let run = self.at_times(recorded, &recorded.sequence, &recorded.times);
        let place = |step: usize| recorded.sequence.place[step];
        let until = if place(named) > place(step) { named } else { step };
        let fates = run.fates(&self.conduct, run.times[until]);
        let items = run.items(&fates);
        let until = items.iter().position(|item| *item == Item::Step(until)).unwrap_or(0);
        (run, fates, items, until)
    }

    /// The deviation at one thing that happens, and the run up to there.
    pub(super) fn end(
        &self,
        run: &Timed<'_>,
        items: &[Item],
        until: usize,
        named: usize,
        broken: Broken,
    ) -> Box<Deviation> {
        let items = &items[..items.len().min(until + 1)];
        let story = Story { automaton: &*self.world.automaton, run, items };
        let remark = format!("here the run leaves the model: {}", broken.name());
        Box::new(Deviation {
            process: self.lives.process(named),
            incarnation: self.lives.list[self.lives.life(named)].incarnation,
            step: self.lives.place(named) + 1,
            number: run.sequence.place[named] + 1,
            at: self.lives.step(named).at,
            action: story.action(Item::Step(named)),
            broken,
            tick: self.run.tick,
            precision: self.run.precision,
            trace: story.tell(self.run.shown, Some(remark)),
        })
    }

    pub(super) fn at_a_loss(&self, recorded: &Recorded, why: &str) -> Box<Deviation> {
        let why = why.to_string();
        let step = recorded.sequence.steps.first().copied().unwrap_or(0);
        self.told(recorded, step, step, Broken::Unconfirmed { why })
    }

    pub(super) fn at_times<'b>(
        &'b self,
        recorded: &'b Recorded,
        sequence: &'b Sequence,
        times: &'b [i64],
    ) -> Timed<'b> {
        let Recorded { together, roots, .. } = recorded;
        let (scenario, lives, letters) = (&self.world.scenario, &self.lives, &self.letters);
        Timed { scenario, lives, letters, roots, sequence, times, together }
    }

    pub(super) fn followed(
        &self,
        run: &Timed<'_>,
        fates: &Fates,
        items: &[Item],
        confirmed: bool,
    ) -> Followed {
        let lives = &self.lives;
        let took = self.letters.list.iter().filter_map(|letter| {
            let step = letter.received?;
            (lives.clock(step) == lives.clock(letter.by)).then(|| lives.at(step) - lives.at(letter.by))
        });
        let late = (0..lives.steps()).filter_map(|step| match lives.step(step).input {
            RecordedInput::Fire { due, .. } => Some(lives.at(step) - nanoseconds(due)),
            _ => None,
        });
        let first = run.times.iter().copied().min().unwrap_or(0);
        let last = run.times.iter().copied().max().unwrap_or(0);
        let story = Story { automaton: &*self.world.automaton, run, items };
        Followed {
            recorded: lives.recorded(),
            whole: self.whole,
            lives: lives.list.len(),
            steps: lives.steps(),
            clocks: lives.clocks,
            timed: self.timed,
            confirmed,
            messages: self.letters.list.len(),
            lost: fates.lost.iter().filter(|lost| **lost).count(),
            crashes: fates.crashed.iter().filter(|crashed| **crashed).count(),
            restarts: (0..lives.list.len()).filter(|&life| !lives.is_first(life)).count(),
            late: late_starts(run) as usize,
            slowest: took.max(),
            latest: late.max(),
            stalled: lives.list.iter().flat_map(|life| &life.stalls).map(|stall| stall.lasted).max(),
            lasted: last - first,
            assumptions: assumptions(
                &*self.world.automaton,
                &scenario(run, fates, &self.run.limits),
                &[],
                "",
            ),
            trace: story.tell(self.run.shown, None),
        }
    }
}
