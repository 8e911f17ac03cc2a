//! What stands where in a row: processes first, then lanes, then the budgets that have been used, then
//! the lane that overflowed. Budgets that are zero and errors that cannot happen have no slot.

use crate::route::Routes;
use crate::{Capacity, Scenario, WhenFull};
use watchkeeper_core::Pid;
use watchkeeper_space::{Edit, Id};

/// The slots of a row.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) names: Vec<String>,
    lanes: usize,
    /// How many messages have been lost.
    pub(crate) losses: Option<usize>,
    /// How many messages have been duplicated.
    pub(crate) duplications: Option<usize>,
    calls: usize,
    /// 0, or one more than the lane that overflowed.
    overflow: Option<usize>,
}

impl Layout {
    pub(crate) fn new(scenario: &Scenario, routes: &Routes, calls: &[String]) -> Layout {
        let network = &scenario.network;
        let mut names: Vec<String> = Pid::all(scenario.n).map(|p| p.to_string()).collect();
        let lanes = names.len();
        names.extend((0..routes.len()).map(|lane| routes.name(lane)));
        let mut one = |when: bool, name: &str| {
            when.then(|| {
                names.push(name.to_string());
                names.len() - 1
            })
        };
        let losses = one(network.losses > 0, "losses");
        let duplications = one(network.duplications > 0, "duplications");
        let reports =
            network.when_full == WhenFull::Report && matches!(network.capacity, Capacity::Bounded(_));
        let overflow = one(reports, "overflow");
        let first = names.len();
        names.extend(calls.iter().cloned());
        Layout { names, lanes, losses, duplications, calls: first, overflow }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The slot of a lane.
    #[inline]
    pub(crate) fn lane(&self, lane: usize) -> usize {
        self.lanes + lane
    }

    /// The slot that counts how often a call was issued.
    pub(crate) fn call(&self, entry: usize) -> usize {
        self.calls + entry
    }

    /// The edit that says which lane overflowed.
    pub(crate) fn overflow(&self, lane: usize) -> Edit {
        let slot = self.overflow.expect("only channels that report overflow");
        Edit::new(slot, lane as Id + 1)
    }

    /// The lane that has overflowed.
    #[inline]
    pub(crate) fn overflowed(&self, row: &[Id]) -> Option<usize> {
        let id = row[self.overflow?];
        (id > 0).then(|| id as usize - 1)
    }

    /// The slot of the overflow, if there is one.
    pub(crate) fn overflow_slot(&self) -> Option<usize> {
        self.overflow
    }
}
