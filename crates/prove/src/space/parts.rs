//! The states of a system as bytes that leave the process: ids are the values themselves.

use super::{SystemSpace, WIDEST};
use crate::TermSort;
use watchkeeper_space::{FixedIds, Id, Parts};

impl Parts for SystemSpace {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        FixedIds.part(table, slot, id, out);
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let most = match self.instance.system().variables.get(slot)?.sort {
            TermSort::Bool => 1,
            TermSort::Number | TermSort::Set => WIDEST as Id,
        };
        FixedIds::up_to(most, bytes)
    }
}
