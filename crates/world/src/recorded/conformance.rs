//! The way from recordings to an answer: what each node did by itself, whose messages came to whom, the order
//! as recorded, the times, the order by these times, and its execution. The first thing that goes wrong ends it.

use super::blame::ConstraintConflict;
use super::constraints::{self, Cause, RecordedConstraint};
use super::deviation::{BrokenAssumption, Deviation};
use super::due_first::too_late;
use super::execution::{Execution, ExecutionModel, scenario};
use super::incarnations::Incarnations;
use super::local_replay::LocalReplay;
use super::messages::RecordedMessages;
use super::order::{Sequence, sequence};
use super::outcomes::{Outcomes, RunItem, TimedRun};
use super::{Conformance, RecordedRun};
use crate::route::Routes;
use crate::{ANY_NUMBER, Scenario, Simultaneous, World, WorldTime};
use watchkeeper_automaton::ProtocolAutomaton;
use watchkeeper_core::ProcSet;

/// The most messages of which it is tried whether they could still be on their way at the end.
pub(super) const DOUBTS: usize = 32;

/// How often times are looked for again because a message was due before a timeout.
const ROUNDS: usize = 64;

/// A run that is being followed.
pub(crate) struct ConformanceCheck<'a> {
    pub(super) automaton: &'a dyn ProtocolAutomaton,
    pub(super) scenario: &'a Scenario,
    routes: &'a Routes,
    pub(super) run: &'a RecordedRun,
    pub(super) incarnations: Incarnations<'a>,
    pub(super) replay: LocalReplay,
    pub(super) messages: RecordedMessages<'a>,
    pub(super) whole: bool,
    pub(super) timed: bool,
}

/// The order of a run as it was recorded.
pub(super) struct RecordedOrder {
    pub(super) together: Vec<bool>,
    pub(super) times: Vec<i64>,
    pub(super) sequence: Sequence,
    pub(super) roots: Vec<usize>,
}

impl<'a> ConformanceCheck<'a> {
    /// A run that is held against a world, but for its scenario.
    pub(crate) fn new(
        world: &'a World,
        scenario: &'a Scenario,
        run: &'a RecordedRun,
    ) -> ConformanceCheck<'a> {
        let (automaton, routes) = (&*world.automaton, &world.routes);
        let incarnations = Incarnations::of(run);
        let all = ProcSet::first(scenario.n);
        let recorded = incarnations.recorded();
        let whole = all.difference(recorded).intersection(incarnations.heard()).is_empty();
        // Whoever is not recorded may have sent anything, unless there is no such process.
        let silent = if whole { ProcSet::EMPTY } else { all.difference(recorded) };
        let present = ProcSet::from_bits(u64::MAX).difference(silent);
        let replay = LocalReplay::of(automaton, scenario.n, &incarnations);
        let messages = RecordedMessages::of(automaton.messages(), &incarnations, routes, present, &replay);
        let timed = scenario.time != WorldTime::Untimed;
        ConformanceCheck { automaton, scenario, routes, run, incarnations, replay, messages, whole, timed }
    }

    pub(crate) fn follow(&self) -> Result<Conformance, Box<Deviation>> {
        let recorded = self.recorded(false)?;
        let apart = |incarnation| self.incarnations.is_first(incarnation) && !recorded.together[incarnation];
        let guessed = self.incarnations.clocks > 1 && (0..recorded.together.len()).any(apart);
        let followed = self.follow_order(&recorded);
        // Between clocks that messages alone relate it is a guess who began late; then perhaps nobody did.
        match followed {
            Err(deviation) if guessed => {
                self.recorded(true).and_then(|recorded| self.follow_order(&recorded)).map_err(|_| deviation)
            }
            followed => followed,
        }
    }

    fn follow_order(&self, recorded: &RecordedOrder) -> Result<Conformance, Box<Deviation>> {
        if self.incarnations.steps() == 0 {
            let run = self.at_times(recorded, &recorded.sequence, &recorded.times);
            return Ok(self.followed(&run, &run.outcomes(&self.replay, i64::MAX), &[], false));
        }
        let first = self.first_fault(recorded);
        let mut possible = self.constraints(recorded);
        if let Some((step, _)) = &first {
            let place = &recorded.sequence.place;
            possible.retain(|constraint| constraint.last(place) < place[*step]);
        }
        let times = match self.timed {
            true => constraints::solve(&self.incarnations, &possible, &recorded.sequence.place),
            false => Ok(recorded.times.clone()),
        };
        match (times, first) {
            (Ok(times), None) => self.execute(recorded, possible, times),
            (Ok(_), Some((step, broken))) => Err(self.leave(recorded, step, step, broken)),
            (Err(clash), _) => {
                let clash =
                    constraints::first_clash(&self.incarnations, &possible, &recorded.sequence, &clash);
                let Some((step, cycle, excess)) = clash else {
                    return Err(self.at_a_loss(recorded, "the solver contradicts itself"));
                };
                let clashing = ConstraintConflict {
                    incarnations: &self.incarnations,
                    messages: &self.messages,
                    facts: self.automaton.facts(),
                    roots: &recorded.roots,
                    step,
                    cycle: &cycle,
                    excess,
                };
                let place = &recorded.sequence.place;
                let until: Vec<RecordedConstraint> =
                    possible.into_iter().filter(|constraint| constraint.last(place) <= place[step]).collect();
                let (named, broken) = clashing.broken(&until);
                Err(self.leave(recorded, step, named, broken))
            }
        }
    }

    /// The order in which the steps were taken, by what the clocks said.
    /// With `all` every process began with the run.
    fn recorded(&self, all: bool) -> Result<RecordedOrder, Box<Deviation>> {
        let incarnations = &self.incarnations;
        let mut by_clock: Vec<usize> = (0..incarnations.steps()).collect();
        by_clock.sort_by_key(|&step| (incarnations.at(step), step));
        let mut place = vec![0; incarnations.steps()];
        by_clock.iter().enumerate().for_each(|(at, &step)| place[step] = at);
        let starts =
            || (0..incarnations.list.len()).filter(|&incarnation| incarnations.is_first(incarnation));
        let mut own = false;
        let mut together: Vec<bool> = vec![false; incarnations.list.len()];
        let mut guess: Option<Vec<i64>> = None;
        let times = loop {
            let mut constraints = constraints::recorded(incarnations, &self.messages, own);
            if let Some(times) = &mut guess {
                let begun = constraints::begun(incarnations, &self.messages, &together);
                if begun.is_empty() && !own {
                    break std::mem::take(times);
                }
                constraints.extend(begun);
            }
            match constraints::solve(incarnations, &constraints, &place) {
                Ok(times) if guess.is_none() => {
                    // Who starts within the precision of the first has started with it.
                    let first =
                        starts().map(|incarnation| times[incarnations.start(incarnation)]).min().unwrap_or(0);
                    for incarnation in starts() {
                        together[incarnation] =
                            all || times[incarnations.start(incarnation)] - first <= incarnations.precision;
                    }
                    self.gather(&mut together);
                    guess = Some(times);
                }
                Ok(times) => break times,
                Err(clash) => {
                    // An incarnation that received what was sent before it began was there from the beginning.
                    let early = clash.cycle().iter().find_map(|&at| match constraints[at].why {
                        Cause::Begun { message } => {
                            let incarnation = self.messages.list[message]
                                .received
                                .map(|step| incarnations.incarnation(step));
                            incarnation.filter(|&incarnation| {
                                incarnations.is_first(incarnation) && !together[incarnation]
                            })
                        }
                        _ => None,
                    });
                    match early {
                        Some(incarnation) => {
                            together[incarnation] = true;
                            self.gather(&mut together);
                        }
                        // Clocks that contradict each other still leave an order.
                        None if !own => own = true,
                        None => {
                            break guess.unwrap_or_else(|| {
                                (0..incarnations.steps()).map(|s| incarnations.at(s)).collect()
                            });
                        }
                    }
                }
            }
        };
        let sequence = sequence(incarnations, &self.messages, &together, &times);
        match sequence {
            Ok(sequence) => {
                let roots = constraints::roots(self.scenario, &self.messages, &sequence);
                Ok(RecordedOrder { together, times, sequence, roots })
            }
            Err(step) => {
                let (steps, mut place) = (by_clock, vec![0; incarnations.steps()]);
                steps.iter().enumerate().for_each(|(at, &step)| place[step] = at);
                let sequence = Sequence { steps, place };
                let roots = self.messages.list.iter().map(|message| message.by).collect();
                let recorded = RecordedOrder { together, times, sequence, roots };
                let why = "received a message that was sent before it had begun this incarnation, or before it was \
                           sent at all"
                    .to_string();
                let broken = BrokenAssumption::Incarnations { process: incarnations.process(step), why };
                Err(self.told(&recorded, step, step, broken))
            }
        }
    }

    /// Whoever received what another sent when it began with the run has begun with it too.
    fn gather(&self, together: &mut [bool]) {
        let incarnations = &self.incarnations;
        let mut found = true;
        while std::mem::take(&mut found) {
            for incarnation in (0..together.len()).filter(|&incarnation| incarnations.is_first(incarnation)) {
                let reached = |step: usize| {
                    let by = self.messages.read[step].map(|message| self.messages.list[message].by);
                    by.is_some_and(|by| {
                        together[incarnations.incarnation(by)]
                            && incarnations.start(incarnations.incarnation(by)) == by
                    })
                };
                if !together[incarnation]
                    && (incarnations.start(incarnation)..=incarnations.last(incarnation)).any(reached)
                {
                    (together[incarnation], found) = (true, true);
                }
            }
        }
    }

    /// The first step that is wrong whenever it was taken.
    fn first_fault(&self, recorded: &RecordedOrder) -> Option<(usize, BrokenAssumption)> {
        let strange = self.replay.strange.iter();
        let strange = strange.map(|(step, why)| (*step, BrokenAssumption::Protocol { why: why.clone() }));
        let overtaking = self.messages.overtaking(&self.incarnations, self.scenario.network.order);
        let all = strange.chain(self.messages.unsent.iter().cloned()).chain(overtaking);
        all.min_by_key(|(step, _)| recorded.sequence.place[*step])
    }

    /// All constraints on the times of the steps.
    pub(super) fn constraints(&self, recorded: &RecordedOrder) -> Vec<RecordedConstraint> {
        let RecordedOrder { together, roots, .. } = recorded;
        let mut constraints = constraints::recorded(&self.incarnations, &self.messages, false);
        constraints.extend(constraints::begun(&self.incarnations, &self.messages, together));
        constraints.extend(constraints::together(&self.incarnations, together));
        let scenario = self.scenario;
        constraints.extend(constraints::modelled(
            scenario,
            &self.incarnations,
            &self.replay,
            &self.messages,
            roots,
        ));
        constraints
    }

    /// Executes a run that has times, in the order of these times.
    fn execute(
        &self,
        recorded: &RecordedOrder,
        mut constraints: Vec<RecordedConstraint>,
        mut times: Vec<i64>,
    ) -> Result<Conformance, Box<Deviation>> {
        let place = &recorded.sequence.place;
        let due_first = self.scenario.time.timing();
        let due_first = due_first.is_some_and(|timing| timing.simultaneous == Simultaneous::DeliveriesFirst);
        let mut doubts = self.timed && self.scenario.network.losses != ANY_NUMBER;
        let mut rounds = 0;
        let (sequence, outcomes, items) = loop {
            let sequence = sequence(&self.incarnations, &self.messages, &recorded.together, &times);
            let sequence = sequence.map_err(|_| self.at_a_loss(recorded, "the solver contradicts itself"))?;
            let run = self.at_times(recorded, &sequence, &times);
            let outcomes = run.outcomes(&self.replay, i64::MAX);
            let open = std::mem::take(&mut doubts) && !outcomes.doubtful.is_empty();
            if let Some(better) = open.then(|| self.without_doubt(&constraints, &outcomes, place)).flatten() {
                (constraints, times) = better;
                continue;
            }
            let items = run.items(&outcomes);
            let stricter = if due_first { too_late(&run, &items, &outcomes.lost) } else { Vec::new() };
            if stricter.is_empty() {
                break (sequence, outcomes, items);
            }
            if rounds == ROUNDS {
                let why = "no order was found in which all that is due comes before timeouts";
                return Err(self.at_a_loss(recorded, why));
            }
            rounds += 1;
            constraints.extend(&stricter);
            match constraints::solve(&self.incarnations, &constraints, place) {
                Ok(better) => times = better,
                Err(_) => {
                    let step = stricter
                        .first()
                        .map_or(0, |constraint| recorded.sequence.steps[constraint.last(place)]);
                    let clashing = ConstraintConflict {
                        incarnations: &self.incarnations,
                        messages: &self.messages,
                        facts: self.automaton.facts(),
                        roots: &recorded.roots,
                        step,
                        cycle: &stricter[..1],
                        excess: 1,
                    };
                    let (named, broken) = clashing.broken(&[]);
                    return Err(self.leave(recorded, step, named, broken));
                }
            }
        };
        let run = self.at_times(recorded, &sequence, &times);
        self.perform(&run, &outcomes, &items, WorldTime::Untimed)?;
        let timing = self.scenario.time.timing();
        let confirmed = match timing.filter(|_| self.whole && items.len() <= self.run.confirm) {
            Some(timing) => self.perform(&run, &outcomes, &items, WorldTime::Dense(timing)).map(|()| true)?,
            None => false,
        };
        Ok(self.followed(&run, &outcomes, &items, confirmed))
    }

    /// Times under which as many messages as possible that never arrived could still be on their way.
    fn without_doubt(
        &self,
        constraints: &[RecordedConstraint],
        outcomes: &Outcomes,
        place: &[usize],
    ) -> Option<(Vec<RecordedConstraint>, Vec<i64>)> {
        let mut doubtful = outcomes.doubtful.clone();
        doubtful.sort_by_key(|constraint| std::cmp::Reverse(constraint.last(place)));
        let mut kept = constraints.to_vec();
        kept.extend(&doubtful);
        if let Ok(times) = constraints::solve(&self.incarnations, &kept, place) {
            return Some((kept, times));
        }
        kept.truncate(constraints.len());
        let mut found = None;
        for constraint in doubtful.into_iter().take(DOUBTS) {
            kept.push(constraint);
            match constraints::solve(&self.incarnations, &kept, place) {
                Ok(times) => found = Some(times),
                Err(_) => drop(kept.pop()),
            }
        }
        found.map(|times| (kept, times))
    }

    /// Executes everything in the interpreter; in dense time also asks it whether there are times.
    pub(super) fn perform(
        &self,
        run: &TimedRun<'_>,
        outcomes: &Outcomes,
        items: &[RunItem],
        time: WorldTime,
    ) -> Result<(), Box<Deviation>> {
        if !self.whole {
            return self.losses(run, outcomes, items);
        }
        let unsure = |why: String| BrokenAssumption::Unconfirmed { why };
        let first = run.sequence.steps.first().copied().unwrap_or(0);
        let scenario = Scenario { time, ..scenario(run, outcomes, &self.run.limits) };
        let model = ExecutionModel::of(self.automaton, self.routes, run, scenario);
        let model = model.map_err(|why| self.end(run, items, 0, first, unsure(why)))?;
        let execution = Execution::begin(&model, run, &self.replay.choices, &self.run.limits);
        let mut execution = execution.map_err(|(step, broken)| self.end(run, items, 0, step, broken))?;
        for (i, item) in items.iter().enumerate() {
            execution.take(*item).map_err(|(step, broken)| self.end(run, items, i, step, broken))?;
        }
        if matches!(time, WorldTime::Dense(_)) && !execution.has_times() {
            let why = "there are no moments at which all this can happen".to_string();
            return Err(self.end(run, items, items.len() - 1, first, unsure(why)));
        }
        Ok(())
    }

    /// Of a run that is not whole only the losses can be counted.
    fn losses(
        &self,
        run: &TimedRun<'_>,
        outcomes: &Outcomes,
        items: &[RunItem],
    ) -> Result<(), Box<Deviation>> {
        let allowed = self.scenario.network.losses;
        let lost = items.iter().enumerate().filter(|(_, item)| matches!(item, RunItem::Lose(_)));
        let Some((i, RunItem::Lose(message))) =
            lost.skip(allowed as usize).map(|(i, item)| (i, *item)).next()
        else {
            return Ok(());
        };
        debug_assert!(outcomes.lost[message]);
        let sent = &self.messages.list[message];
        let (message, number) = (self.messages.label(message), sent.number);
        let broken = BrokenAssumption::Loss { message, number, from: sent.from, to: sent.to, allowed };
        Err(self.end(run, items, i, sent.by, broken))
    }
}
