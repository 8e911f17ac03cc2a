//! The moment from which the bounds on messages hold, in worlds in which they hold only eventually: one slot of
//! the row says whether it has come. What a message remembers of its bound is part of its id, so what is sent
//! before that moment, and what is on its way when it comes, have other ids; each is worked out once.

use crate::channel::EMPTY;
use crate::machine::{InFlight, Send};
use crate::memo::Memo;
use crate::remaining_bound::RemainingBound;
use crate::world::message_bound;
use crate::{BeforeStable, Scenario, World};

use watchkeeper_space::{Edit, Id};

/// What is known of a network that stabilises.
pub(crate) struct Stability {
    pub(crate) before: BeforeStable,
    /// What a message remembers that is sent before the network has stabilised.
    due: RemainingBound,
    /// From a process and a message to it to the same message sent before.
    early: Memo,
    /// From a lane and a content to the content when the network stabilises.
    settled: Memo,
}

impl Stability {
    /// Of a scenario whose network has to stabilise.
    pub(crate) fn of(scenario: &Scenario) -> Option<Stability> {
        let before = scenario.time.timing()?.before()?;
        let due = RemainingBound::new(scenario.time, message_bound(scenario, false));
        Some(Stability { before, due, early: Memo::new(), settled: Memo::new() })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.early.bytes() + self.settled.bytes()
    }
}

impl World {
    /// Whether the bounds on messages hold in this row.
    #[inline]
    pub(crate) fn is_stable(&self, row: &[Id]) -> bool {
        self.layout.stable.is_none_or(|slot| row[slot] != 0)
    }

    /// Whether messages are lost in this row without counting.
    pub(crate) fn loses_freely(&self, row: &[Id]) -> bool {
        self.stability.as_ref().is_some_and(|stability| stability.before.losses) && !self.is_stable(row)
    }

    /// The message that a send puts on its way in this row. Outcomes of steps are remembered for all rows, with
    /// messages as they are once bounds hold.
    #[inline]
    pub(crate) fn sent(&self, row: &[Id], send: &Send) -> Id {
        match &self.stability {
            Some(stability) if !self.is_stable(row) => self.sent_early(stability, send),
            _ => send.arrival,
        }
    }

    fn sent_early(&self, stability: &Stability, send: &Send) -> Id {
        let (_, to, _) = self.routes.ends(send.lane as usize);
        let key = to.index() as Id;
        stability.early.get(key, send.arrival).unwrap_or_else(|| {
            let InFlight { lane, msg, .. } = *self.machines[to.index()].arrivals.get(send.arrival).value;
            let early = self.arrival(lane, msg, stability.due);
            stability.early.insert(key, send.arrival, early)
        })
    }

    /// What changes when the network stabilises, if it has not yet.
    pub(crate) fn stabilised(&self, row: &[Id]) -> Option<Vec<Edit>> {
        let (stability, slot) = (self.stability.as_ref()?, self.layout.stable?);
        if row[slot] != 0 {
            return None;
        }
        let mut edits = vec![Edit::new(slot, 1)];
        for lane in 0..self.lanes.len() {
            let content = row[self.layout.lane(lane)];
            if content == EMPTY {
                continue;
            }
            let after = stability.settled.get(lane as Id, content).unwrap_or_else(|| {
                let after = self.settled_lane(lane, content);
                stability.settled.insert(lane as Id, content, after)
            });
            if after != content {
                edits.push(Edit::new(self.layout.lane(lane), after));
            }
        }
        Some(edits)
    }

    fn settled_lane(&self, lane: usize, content: Id) -> Id {
        let (_, to, _) = self.routes.ends(lane);
        let arrivals = self.lanes[lane].arrivals(content).iter().map(|&arrival| {
            let InFlight { lane, msg, due } = *self.machines[to.index()].arrivals.get(arrival).value;
            self.arrival(lane, msg, due.hastened(self.message_due))
        });
        self.lanes[lane].content(arrivals.collect(), &self.rules(lane))
    }
}
