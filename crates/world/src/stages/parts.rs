//! The parts of rows in stages: those of the world, and who was left behind.

use super::InStages;
use watchkeeper_core::{Pid, ProcSet, Stage};
use watchkeeper_space::{FixedIds, Id, Parts};

/// No run gets as far as this round, and numbers that are added to an earlier one stay within 64 bits.
const NEVER: u64 = 1 << 62;

impl Parts for InStages {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match self.world.layout.len() == slot {
            true => FixedIds.part(table, slot, id, out),
            false => self.world.part(table, slot, id, out),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let world = &self.world;
        if world.layout.len() == slot {
            return FixedIds::up_to(ProcSet::first(world.scenario.n).bits() as Id, bytes);
        }
        let id = world.part_id(table, slot, bytes)?;
        let early = |stage: Option<Stage>, rounds: Vec<u64>| {
            rounds.into_iter().chain(stage.map(|stage| stage.round)).all(|round| round < NEVER)
        };
        let possible = if slot < world.scenario.n {
            let state = world.machines[slot].locals.get(id).value.state();
            state.is_none_or(|state| {
                early(self.rules.stage(Pid::at(slot), state), self.rules.rounds_in(state))
            })
        } else if let Some(channel) = world.channels.get(slot - world.scenario.n) {
            channel.flights(id).iter().all(|&flight| {
                let msg = world.in_flight(slot - world.scenario.n, flight).msg;
                early(self.rules.stage_of(msg), self.rules.rounds_in_message(msg))
            })
        } else {
            true
        };
        possible.then_some(id)
    }

    /// The rounds of a row that stands for others are numbered as they always are.
    fn settle(&self, row: &mut [Id]) -> bool {
        let Some((&mut left, inner)) = row.split_last_mut() else { return false };
        self.world.settle(inner) && self.normal(inner, ProcSet::from_bits(u64::from(left))) == row
    }
}
