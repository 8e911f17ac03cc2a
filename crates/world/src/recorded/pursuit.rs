//! The way from recordings to an answer: what each node did by itself, whose messages came to whom, the order
//! as recorded, the times, the order by these times, and its execution. The first thing that goes wrong ends it.

use super::blame::Clashing;
use super::bonds::{self, Bond, Why};
use super::conduct::Conduct;
use super::deviation::{Broken, Deviation};
use super::due_first::too_late;
use super::execution::{Execution, world};
use super::fates::{Fates, Item, Timed};
use super::letters::Letters;
use super::lives::Lives;
use super::order::{Sequence, sequence};
use super::{Followed, RecordedRun};
use crate::{ANY_NUMBER, Simultaneous, Time, World};
use watchkeeper_core::ProcSet;

/// The longest run that is executed a second time in dense time.
const CONFIRMED: usize = 300;

/// The most messages of which it is tried whether they could still be on their way at the end.
const DOUBTS: usize = 32;

/// How often times are looked for again because a message was due before a timeout.
const ROUNDS: usize = 64;

/// A run that is being followed.
pub(crate) struct Pursuit<'a> {
    pub(super) world: &'a World,
    pub(super) run: &'a RecordedRun,
    pub(super) lives: Lives<'a>,
    pub(super) conduct: Conduct,
    pub(super) letters: Letters,
    pub(super) whole: bool,
    pub(super) timed: bool,
}

/// The order of a run as it was recorded.
pub(super) struct Recorded {
    pub(super) together: Vec<bool>,
    pub(super) times: Vec<i64>,
    pub(super) sequence: Sequence,
    pub(super) roots: Vec<usize>,
}

impl<'a> Pursuit<'a> {
    pub(crate) fn new(world: &'a World, run: &'a RecordedRun) -> Pursuit<'a> {
        let lives = Lives::of(run);
        let all = ProcSet::first(world.scenario.n);
        let recorded = lives.recorded();
        let whole = all.difference(recorded).intersection(lives.heard()).is_empty();
        // Whoever is not recorded may have sent anything, unless there is no such process.
        let silent = if whole { ProcSet::EMPTY } else { all.difference(recorded) };
        let letters = Letters::of(
            world.automaton.messages(),
            &lives,
            &world.routes,
            ProcSet::from_bits(u64::MAX).difference(silent),
        );
        let conduct = Conduct::of(&*world.automaton, world.scenario.n, &lives);
        let timed = world.scenario.time != Time::Untimed;
        Pursuit { world, run, lives, conduct, letters, whole, timed }
    }

    pub(crate) fn follow(&self) -> Result<Followed, Box<Deviation>> {
        let recorded = self.recorded()?;
        if self.lives.steps() == 0 {
            let run = self.at_times(&recorded, &recorded.sequence, &recorded.times);
            return Ok(self.followed(&run, &run.fates(&self.conduct, i64::MAX), &[], false));
        }
        let first = self.first_fault(&recorded);
        let bonds = self.bonds(&recorded);
        let before = first.as_ref().map_or(usize::MAX, |(step, _)| recorded.sequence.place[*step]);
        let possible: Vec<Bond> =
            bonds.iter().filter(|bond| bond.last(&recorded.sequence.place) < before).copied().collect();
        let times = match self.timed {
            true => bonds::solve(&self.lives, &possible, &recorded.sequence.place).ok(),
            false => Some(recorded.times.clone()),
        };
        match (times, first) {
            (Some(times), None) => self.execute(&recorded, bonds, times),
            (Some(_), Some((step, broken))) => Err(self.leave(&recorded, step, step, broken)),
            (None, _) => {
                let clash = bonds::first_clash(&self.lives, &possible, &recorded.sequence);
                let Some((step, cycle, excess)) = clash else {
                    return Err(self.at_a_loss(&recorded, "the solver contradicts itself"));
                };
                let clashing = Clashing {
                    lives: &self.lives,
                    letters: &self.letters,
                    facts: self.world.automaton.facts(),
                    roots: &recorded.roots,
                    step,
                    cycle: &cycle,
                    excess,
                };
                let place = &recorded.sequence.place;
                let until: Vec<Bond> =
                    possible.into_iter().filter(|bond| bond.last(place) <= place[step]).collect();
                let (named, broken) = clashing.broken(&until);
                Err(self.leave(&recorded, step, named, broken))
            }
        }
    }

    /// The order in which the steps were taken, by what the clocks said.
    fn recorded(&self) -> Result<Recorded, Box<Deviation>> {
        let lives = &self.lives;
        let mut by_clock: Vec<usize> = (0..lives.steps()).collect();
        by_clock.sort_by_key(|&step| (lives.at(step), step));
        let mut place = vec![0; lives.steps()];
        by_clock.iter().enumerate().for_each(|(at, &step)| place[step] = at);
        let starts = || (0..lives.list.len()).filter(|&life| lives.is_first(life));
        let mut own = false;
        let mut together: Vec<bool> = vec![false; lives.list.len()];
        let mut guess: Option<Vec<i64>> = None;
        let times = loop {
            let mut bonds = bonds::recorded(lives, &self.letters, own);
            if guess.is_some() {
                bonds.extend(bonds::begun(lives, &self.letters, &together));
            }
            match bonds::solve(lives, &bonds, &place) {
                Ok(times) if guess.is_none() => {
                    // Who starts within the precision of the first has started with it.
                    let first = starts().map(|life| times[lives.start(life)]).min().unwrap_or(0);
                    for life in starts() {
                        together[life] = times[lives.start(life)] - first <= lives.precision;
                    }
                    self.gather(&mut together);
                    guess = Some(times);
                }
                Ok(times) => break times,
                Err(clash) => {
                    // A life that received what was sent before it began was there from the beginning.
                    let early = clash.cycle().iter().find_map(|&at| match bonds[at].why {
                        Why::Begun { letter } => {
                            let life = self.letters.list[letter].received.map(|step| lives.life(step));
                            life.filter(|&life| lives.is_first(life) && !together[life])
                        }
                        _ => None,
                    });
                    match early {
                        Some(life) => {
                            together[life] = true;
                            self.gather(&mut together);
                        }
                        // Clocks that contradict each other still leave an order.
                        None if !own => own = true,
                        None => {
                            break guess.unwrap_or_else(|| (0..lives.steps()).map(|s| lives.at(s)).collect());
                        }
                    }
                }
            }
        };
        let sequence = sequence(lives, &self.letters, &together, &times);
        match sequence {
            Ok(sequence) => {
                let roots = bonds::roots(&self.world.scenario, &self.letters, &sequence);
                Ok(Recorded { together, times, sequence, roots })
            }
            Err(step) => {
                let (steps, mut place) = (by_clock, vec![0; lives.steps()]);
                steps.iter().enumerate().for_each(|(at, &step)| place[step] = at);
                let sequence = Sequence { steps, place };
                let roots = self.letters.list.iter().map(|letter| letter.by).collect();
                let recorded = Recorded { together, times, sequence, roots };
                let why = "received a message that was sent before it had begun this life, or before it was \
                           sent at all"
                    .to_string();
                let broken = Broken::Lives { process: lives.process(step), why };
                Err(self.told(&recorded, step, step, broken))
            }
        }
    }

    /// Whoever received what another sent when it began with the run has begun with it too.
    fn gather(&self, together: &mut [bool]) {
        let lives = &self.lives;
        let mut found = true;
        while std::mem::take(&mut found) {
            for life in (0..together.len()).filter(|&life| lives.is_first(life)) {
                let reached = |step: usize| {
                    let by = self.letters.read[step].map(|letter| self.letters.list[letter].by);
                    by.is_some_and(|by| together[lives.life(by)] && lives.start(lives.life(by)) == by)
                };
                if !together[life] && (lives.start(life)..=lives.last(life)).any(reached) {
                    (together[life], found) = (true, true);
                }
            }
        }
    }

    /// The first step that is wrong whenever it was taken.
    fn first_fault(&self, recorded: &Recorded) -> Option<(usize, Broken)> {
        let strange = self.conduct.strange.iter();
        let strange = strange.map(|(step, why)| (*step, Broken::Protocol { why: why.clone() }));
        let overtaking = self.letters.overtaking(&self.lives, self.world.scenario.network.order);
        let all = strange.chain(self.letters.forged.iter().cloned()).chain(overtaking);
        all.min_by_key(|(step, _)| recorded.sequence.place[*step])
    }

    /// All bonds on the times of the steps.
    fn bonds(&self, recorded: &Recorded) -> Vec<Bond> {
        let Recorded { together, roots, .. } = recorded;
        let mut bonds = bonds::recorded(&self.lives, &self.letters, false);
        bonds.extend(bonds::begun(&self.lives, &self.letters, together));
        bonds.extend(bonds::together(&self.lives, together));
        let scenario = &self.world.scenario;
        bonds.extend(bonds::modelled(scenario, &self.lives, &self.conduct, &self.letters, roots));
        bonds
    }

    /// Executes a run that has times, in the order of these times.
    fn execute(
        &self,
        recorded: &Recorded,
        mut bonds: Vec<Bond>,
        mut times: Vec<i64>,
    ) -> Result<Followed, Box<Deviation>> {
        let place = &recorded.sequence.place;
        let due_first = self.world.scenario.time.timing();
        let due_first = due_first.is_some_and(|timing| timing.simultaneous == Simultaneous::DeliveriesFirst);
        let mut doubts = self.timed && self.world.scenario.network.losses != ANY_NUMBER;
        let mut rounds = 0;
        let (sequence, fates, items) = loop {
            let sequence = sequence(&self.lives, &self.letters, &recorded.together, &times);
            let sequence = sequence.map_err(|_| self.at_a_loss(recorded, "the solver contradicts itself"))?;
            let run = self.at_times(recorded, &sequence, &times);
            let fates = run.fates(&self.conduct, i64::MAX);
            let open = std::mem::take(&mut doubts) && !fates.doubtful.is_empty();
            if let Some(better) = open.then(|| self.without_doubt(&bonds, &fates, place)).flatten() {
                (bonds, times) = better;
                continue;
            }
            let items = run.items(&fates);
            let stricter = if due_first { too_late(&run, &items, &fates.lost) } else { Vec::new() };
            if stricter.is_empty() {
                break (sequence, fates, items);
            }
            if rounds == ROUNDS {
                let why = "no order was found in which all that is due comes before timeouts";
                return Err(self.at_a_loss(recorded, why));
            }
            rounds += 1;
            bonds.extend(&stricter);
            match bonds::solve(&self.lives, &bonds, place) {
                Ok(better) => times = better,
                Err(_) => {
                    let step = stricter.first().map_or(0, |bond| recorded.sequence.steps[bond.last(place)]);
                    let clashing = Clashing {
                        lives: &self.lives,
                        letters: &self.letters,
                        facts: self.world.automaton.facts(),
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
        self.perform(&run, &fates, &items, Time::Untimed)?;
        let timing = self.world.scenario.time.timing();
        let confirmed = match timing.filter(|_| self.whole && items.len() <= CONFIRMED) {
            Some(timing) => self.perform(&run, &fates, &items, Time::Dense(timing)).map(|()| true)?,
            None => false,
        };
        Ok(self.followed(&run, &fates, &items, confirmed))
    }

    /// Times under which as many messages as possible that never arrived could still be on their way.
    fn without_doubt(&self, bonds: &[Bond], fates: &Fates, place: &[usize]) -> Option<(Vec<Bond>, Vec<i64>)> {
        let mut doubtful = fates.doubtful.clone();
        doubtful.sort_by_key(|bond| std::cmp::Reverse(bond.last(place)));
        let mut kept = bonds.to_vec();
        kept.extend(&doubtful);
        if let Ok(times) = bonds::solve(&self.lives, &kept, place) {
            return Some((kept, times));
        }
        kept.truncate(bonds.len());
        let mut found = None;
        for bond in doubtful.into_iter().take(DOUBTS) {
            kept.push(bond);
            match bonds::solve(&self.lives, &kept, place) {
                Ok(times) => found = Some(times),
                Err(_) => drop(kept.pop()),
            }
        }
        found.map(|times| (kept, times))
    }

    /// Executes everything in the interpreter; in dense time also asks it whether there are times.
    pub(super) fn perform(
        &self,
        run: &Timed<'_>,
        fates: &Fates,
        items: &[Item],
        time: Time,
    ) -> Result<(), Box<Deviation>> {
        if !self.whole {
            return self.losses(run, fates, items);
        }
        let unsure = |why: String| Broken::Unconfirmed { why };
        let first = run.sequence.steps.first().copied().unwrap_or(0);
        let stage = world(self.world, run, fates, &self.run.limits, time);
        let stage = stage.map_err(|why| self.end(run, items, 0, first, unsure(why)))?;
        let execution = Execution::begin(&stage, run, &self.conduct.choices, &self.run.limits);
        let mut execution = execution.map_err(|(step, broken)| self.end(run, items, 0, step, broken))?;
        for (i, item) in items.iter().enumerate() {
            execution.take(*item).map_err(|(step, broken)| self.end(run, items, i, step, broken))?;
        }
        if matches!(time, Time::Dense(_)) && !execution.has_times() {
            let why = "there are no moments at which all this can happen".to_string();
            return Err(self.end(run, items, items.len() - 1, first, unsure(why)));
        }
        Ok(())
    }

    /// Of a run that is not whole only the losses can be counted.
    fn losses(&self, run: &Timed<'_>, fates: &Fates, items: &[Item]) -> Result<(), Box<Deviation>> {
        let allowed = self.world.scenario.network.losses;
        let lost = items.iter().enumerate().filter(|(_, item)| matches!(item, Item::Lose(_)));
        let Some((i, Item::Lose(letter))) = lost.skip(allowed as usize).map(|(i, item)| (i, *item)).next()
        else {
            return Ok(());
        };
        debug_assert!(fates.lost[letter]);
        let sent = &self.letters.list[letter];
        let (message, number) = (sent.label.clone(), sent.number);
        let broken = Broken::Loss { message, number, from: sent.from, to: sent.to, allowed };
        Err(self.end(run, items, i, sent.by, broken))
    }
}
