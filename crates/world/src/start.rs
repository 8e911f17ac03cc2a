//! How a world begins: every process has started, what it sent at once is on its way, observers have seen
//! it, and no time has passed. One row for each way in which the processes can pick when they start.

use crate::expand::SendResult;
use crate::local::{ArmedTimers, SlotIndex};
use crate::machine::{CHOICES, MISDIRECTED, StepOutcome};
use crate::oracle::state::OracleDecisions;
use crate::record::runs;
use crate::{World, WorldError};
use std::collections::HashSet;
use watchkeeper_automaton::RawObservation;
use watchkeeper_core::Pid;
use watchkeeper_space::{Edit, Id, Successors};
use watchkeeper_zones::{Source, Zone};

/// A row that is being built, process by process.
#[derive(Clone)]
struct Start<'a> {
    row: Vec<Id>,
    overflows: Vec<usize>,
    /// The values at which the clocks of each process's timers begin.
    timers: Vec<&'a [(SlotIndex, i32)]>,
    /// The same of each observer's deadlines, those that have been stopped again included.
    deadlines: Vec<Vec<(SlotIndex, i32)>>,
}

impl World {
    /// The initial rows.
    pub(crate) fn all_starts(&self) -> Result<Vec<Vec<Id>>, WorldError> {
        let faults = &self.scenario.faults;
        let outcomes: Vec<Vec<StepOutcome>> = Pid::all(self.scenario.n)
            .map(|me| if faults.crashed_at_start.contains(me) { Ok(Vec::new()) } else { self.openings(me) })
            .collect::<Result<_, _>>()?;
        let mut starts = vec![self.before_the_start()?];
        for (me, outcomes) in Pid::all(self.scenario.n).zip(&outcomes) {
            if faults.crashed_at_start.contains(me) {
                continue;
            }
            let mut next = Vec::new();
            for start in &starts {
                for outcome in outcomes {
                    let mut start = start.clone();
                    self.start(me.index(), &mut start, outcome)?;
                    next.push(start);
                }
            }
            starts = next;
        }
        let (mut rows, mut known) = (Vec::new(), HashSet::new());
        for start in starts {
            for row in self.named(start) {
                if known.insert(row.clone()) {
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }

    /// The ways in which a process can start.
    fn openings(&self, me: Pid) -> Result<Vec<StepOutcome>, WorldError> {
        let (outcomes, complete) = self.initial_outcomes(me, None);
        if complete { Ok(outcomes) } else { Err(WorldError::StartChoices { process: me }) }
    }

    /// The ways in which a process can start again after a crash, worked out once.
    pub(crate) fn recovered(&self, process: usize) -> &[StepOutcome] {
        self.machines[process].recovered.get_or_init(|| {
            let me = Pid::at(process);
            let (mut outcomes, complete) =
                self.initial_outcomes(me, Some(RawObservation::Recovered { process: me }));
            if !complete {
                outcomes.push(StepOutcome::beyond(CHOICES));
            }
            self.weigh(&outcomes);
            outcomes.into()
        })
    }

    /// What comes of starting a process, and whether that is all; `first` is what observers see before what it
    /// hands out.
    fn initial_outcomes(&self, me: Pid, first: Option<RawObservation>) -> (Vec<StepOutcome>, bool) {
        let (runs, complete) =
            runs(self.scenario.time, &ArmedTimers::default(), |fx| self.automaton.init(me, fx));
        let outcomes = runs.into_iter().map(|run| self.outcome(me, run, None, first));
        (outcomes.collect(), complete)
    }

    /// Nobody has started; whoever has crashed before the start has.
    fn before_the_start<'a>(&self) -> Result<Start<'a>, WorldError> {
        let mut start = Start {
            row: vec![0; self.layout.len()],
            overflows: Vec::new(),
            timers: vec![&[]; self.scenario.n],
            deadlines: Vec::new(),
        };
        // Nobody's local state has this id: whoever has not started has not crashed.
        start.row[..self.scenario.n].fill(Id::MAX);
        for (k, observer) in self.observers.iter().enumerate() {
            let observed = observer.start(self.scenario.time)?;
            start.row[self.layout.observer(k)] = observed.memory;
            start.deadlines.push(observed.fresh.into());
        }
        for me in Pid::all(self.scenario.n) {
            if self.scenario.faults.crashed_at_start.contains(me) {
                let crashed = self.machines[me.index()].crashed.expect("who has crashed has a crashed state");
                start.row[me.index()] = crashed;
                self.show(&mut start, self.crash_observations[me.index()])?;
            }
        }
        Ok(start)
    }

    /// Starts one process.
    fn start<'a>(
        &self,
        process: usize,
        start: &mut Start<'a>,
        outcome: &'a StepOutcome,
    ) -> Result<(), WorldError> {
        match outcome.cut {
            None => {}
            Some(cap) if Some(cap) == self.horizon => {
                let horizon = self.automaton.facts().horizon.clone().unwrap_or_default();
                return Err(WorldError::StartBeyondHorizon { horizon });
            }
            Some(MISDIRECTED) => return Err(WorldError::StartMisdirected { from: Pid::at(process) }),
            Some(_) => return Err(WorldError::StartTimer { process: Pid::at(process) }),
        }
        let (mut sent, mut dropped) = (Successors::new(), Vec::new());
        start.row[process] = match self.send(&start.row, &outcome.sends, &mut sent, None, &mut dropped) {
            SendResult::Cut => {
                return Err(WorldError::StartBeyondCap { cap: self.scenario.network.capacity.limit() });
            }
            SendResult::Waits { at } => self.waiting(process, outcome, at),
            SendResult::Through => outcome.local,
            SendResult::Overflows { channel } => {
                start.overflows.push(channel);
                outcome.local
            }
        };
        for edit in sent.draft() {
            start.row[edit.slot as usize] = edit.id;
        }
        start.timers[process] = &outcome.fresh;
        self.show(start, outcome.observation)?;
        for send in dropped {
            self.show(start, self.lost(send.channel as usize, send.flight))?;
        }
        Ok(())
    }

    /// Lets observers see something.
    fn show(&self, start: &mut Start<'_>, observation: Id) -> Result<(), WorldError> {
        for (k, observer) in self.observers.iter().enumerate() {
            let slot = self.layout.observer(k);
            let observed = observer.see(self.scenario.time, start.row[slot], &self.observations, observation);
            if let Some(cap) = observed.cut {
                return Err(observer.refusal(cap));
            }
            start.row[slot] = observed.memory;
            for fresh in &observed.fresh {
                start.deadlines[k].retain(|(deadline, _)| *deadline != fresh.0);
                start.deadlines[k].push(*fresh);
            }
        }
        Ok(())
    }

    /// The rows that a start stands for. If several processes overflow a channel at once, any of them may
    /// be the one that is named: to choose one would break the symmetry between them.
    fn named(&self, mut start: Start<'_>) -> Vec<Vec<Id>> {
        if let Some(slot) = self.layout.zone {
            start.row[slot] = self.first_zone(&start);
        }
        for channel in 0..self.channels.len() {
            let (slot, (_, to, _)) = (self.layout.channel(channel), self.routes.ends(channel));
            start.row[slot] = self.wanted(channel, start.row[slot], start.row[to.index()]);
        }
        if start.overflows.is_empty() {
            return self.under_oracles(start.row);
        }
        let named = start.overflows.iter().flat_map(|&channel| {
            let Edit { slot, id } = self.layout.overflow(channel);
            let mut row = start.row.clone();
            row[slot as usize] = id;
            self.under_oracles(row)
        });
        named.collect()
    }

    /// A row for each set of decisions that the oracle may begin with; the row alone if there is none.
    fn under_oracles(&self, row: Vec<Id>) -> Vec<Vec<Id>> {
        let Some(slot) = self.layout.oracle else { return vec![row] };
        let begin = |decisions: OracleDecisions| {
            let mut row = row.clone();
            row[slot] = decisions.id();
            row
        };
        OracleDecisions::first(&self.scenario).into_iter().map(begin).collect()
    }

    /// All moments that can follow the start before anything happens.
    fn first_zone(&self, start: &Start<'_>) -> Id {
        let begins = |list: &[(SlotIndex, i32)], key: SlotIndex| {
            let found = list.iter().find(|(other, _)| *other == key);
            found.expect("whatever has a clock has begun").1
        };
        let mut values = Vec::new();
        for (process, machine) in self.machines.iter().enumerate() {
            let slots = machine.clocks(start.row[process]).iter();
            values.extend(slots.map(|&slot| begins(start.timers[process], slot)));
        }
        for channel in 0..self.channels.len() {
            let Source::Fresh(value) = self.fresh_message else { unreachable!("a fresh message is fresh") };
            values.extend(self.channel_clocks(channel, &start.row).iter().map(|_| value));
        }
        for (k, observer) in self.observers.iter().enumerate() {
            let running = observer.running(start.row[self.layout.observer(k)]).iter();
            values
                .extend(running.map(|&(deadline, _)| begins(&start.deadlines[k], SlotIndex::from(deadline))));
        }
        let mut zone = Zone::point(&values);
        if !self.is_urgent(&start.row) {
            zone.up_to(0);
        }
        self.zones.intern(&zone)
    }
}
