//! What lies ahead of a cluster: events by their time; of one moment starts and deliveries before timers, as a node has it,
//! and otherwise in the order in which they were put down.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The number of an event, unlike that of every other one of the same queue.
pub(super) type EventNumber = u64;

/// Timers and alarms come after everything else of their moment.
const LATE: EventNumber = 1 << 63;

/// Something that lies ahead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct QueuedEvent {
    pub(super) at: u64,
    pub(super) number: EventNumber,
    pub(super) what: Upcoming,
}

/// What it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Upcoming {
    /// A process begins.
    Begin { process: u32 },
    /// A message arrives, or it is known by now that it never will.
    Arrive { message: u32 },
    /// The timer in a slot of a process fires, unless it has been armed again.
    Fire { process: u32, slot: u32 },
    /// The one who looks on wanted to be told.
    Alarm { about: u32 },
}

/// All that lies ahead.
#[derive(Clone, Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<QueuedEvent>>,
    count: u64,
}

impl EventQueue {
    /// Puts an event down; returns its number.
    pub(super) fn put(&mut self, at: u64, what: Upcoming) -> EventNumber {
        self.count += 1;
        let late = matches!(what, Upcoming::Fire { .. } | Upcoming::Alarm { .. });
        let number = if late { self.count | LATE } else { self.count };
        self.heap.push(Reverse(QueuedEvent { at, number, what }));
        number
    }

    /// Puts an event down once more, for later.
    pub(super) fn put_off(&mut self, event: QueuedEvent, at: u64) {
        self.heap.push(Reverse(QueuedEvent { at, ..event }));
    }

    /// The first event, if it is before this moment.
    pub(super) fn take_before(&mut self, end: u64) -> Option<QueuedEvent> {
        if self.heap.peek()?.0.at >= end {
            return None;
        }
        self.heap.pop().map(|Reverse(event)| event)
    }

    /// Takes away the arrivals that a test finds.
    pub(super) fn forget_arrivals(&mut self, test: impl Fn(u32) -> bool) {
        self.heap
            .retain(|Reverse(event)| !matches!(event.what, Upcoming::Arrive { message } if test(message)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_moment_deliveries_come_first_and_timers_in_their_order() {
        let mut queue = EventQueue::default();
        let fire = |slot| Upcoming::Fire { process: 0, slot };
        queue.put(5, fire(1));
        queue.put(5, fire(2));
        queue.put(5, Upcoming::Arrive { message: 7 });
        queue.put(3, fire(3));
        let order: Vec<Upcoming> =
            std::iter::from_fn(|| queue.take_before(6)).map(|event| event.what).collect();
        assert_eq!(order, [fire(3), Upcoming::Arrive { message: 7 }, fire(1), fire(2)]);
        queue.put(9, fire(0));
        assert_eq!(queue.take_before(9), None);
    }
}
