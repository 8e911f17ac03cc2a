//! Rounds renumbered: of all states that differ only in what their rounds are called, the one that stands for
//! them. Order is kept, and of the rounds that are alive what they are modulo the cycle.

use super::InStages;
use super::order::StageTurn;
use crate::channel::EMPTY;
use crate::local::LocalState;
use crate::machine::InFlight;
use watchkeeper_core::ProcSet;
use watchkeeper_space::Id;

/// The lowest round that is alive is moved to so many cycles from 0, to leave room for those behind it.
const AHEAD: u64 = 32;

impl InStages {
    /// The row that stands for this one: what is on its way to those who are left behind forgotten, rounds
    /// renumbered.
    pub(super) fn normal(&self, row: &[Id], left: ProcSet) -> Vec<Id> {
        let turn = self.standing(row, left);
        let mut row = row.to_vec();
        self.forget(&turn, &mut row);
        if let Some(cycle) = self.rules.cycle().filter(|_| turn.floor > 0) {
            self.renumber(&turn, cycle, &mut row);
        }
        row.push(left.bits() as Id);
        row
    }

    /// Nobody left behind will ever take a message of a stage.
    pub(super) fn forget(&self, turn: &StageTurn, row: &mut [Id]) {
        let world = &self.world;
        for process in (0..world.scenario.n).filter(|&process| turn.leaves(process)) {
            for channel in world.routes.inbound(process) {
                let slot = world.layout.channel(channel);
                if row[slot] == EMPTY {
                    continue;
                }
                let list = world.channels[channel].flights(row[slot]);
                let kept: Vec<Id> =
                    list.iter().copied().filter(|&flight| self.stage_of(process, flight).is_none()).collect();
                if kept.len() < list.len() {
                    row[slot] = world.channels[channel].content(kept, &world.rules(channel));
                }
            }
        }
    }

    fn renumber(&self, turn: &StageTurn, cycle: u64, row: &mut [Id]) {
        let world = &self.world;
        let mut behind = Vec::new();
        let mut note =
            |rounds: Vec<u64>| behind.extend(rounds.into_iter().filter(|&round| round < turn.floor));
        for (machine, &local) in world.machines.iter().zip(row.iter()) {
            if let Some(state) = machine.locals.get(local).value.state() {
                note(self.rules.rounds_in(state));
            }
        }
        for channel in 0..world.channels.len() {
            for &flight in world.channels[channel].flights(row[world.layout.channel(channel)]) {
                note(self.rules.rounds_in_message(world.in_flight(channel, flight).msg));
            }
        }
        behind.sort_unstable();
        behind.dedup();
        let first = AHEAD * cycle + turn.floor % cycle;
        // Whom someone waits for who was left behind depends on the remainder of its round.
        let to = |round: u64| match behind.binary_search(&round) {
            Ok(rank) => rank as u64 * cycle + if turn.left_in(round) { round % cycle } else { 0 },
            Err(_) => round - turn.floor + first,
        };
        let changes = first != turn.floor || behind.iter().any(|&round| to(round) != round);
        // More rounds are remembered than there is room for: this state stands for itself alone.
        if !changes || behind.len() as u64 >= AHEAD {
            return;
        }
        for (process, machine) in world.machines.iter().enumerate() {
            if let LocalState::Up { state, timers, outbox } = &*machine.locals.get(row[process]).value {
                let state = self.rules.renumber(*state, &to);
                let (timers, outbox) = (timers.clone(), outbox.clone());
                row[process] = machine.local(LocalState::Up { state, timers, outbox });
            }
        }
        for channel in 0..world.channels.len() {
            let slot = world.layout.channel(channel);
            if row[slot] == EMPTY {
                continue;
            }
            let (_, receiver, _) = world.routes.ends(channel);
            let list = world.channels[channel].flights(row[slot]).iter().map(|&flight| {
                let InFlight { msg, remaining, .. } =
                    *world.machines[receiver.index()].flights.get(flight).value;
                world.flight(channel, self.rules.renumber_message(msg, &to), remaining)
            });
            row[slot] = world.channels[channel].content(list.collect(), &world.rules(channel));
        }
    }
}
