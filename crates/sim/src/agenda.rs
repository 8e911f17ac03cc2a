//! What happens next: events by their time, and of one moment in the order in which they were put down.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Events of a type `E` that lie ahead.
#[derive(Debug)]
pub(crate) struct Agenda<E> {
    heap: BinaryHeap<AgendaEntry<E>>,
    count: u64,
}

impl<E> Agenda<E> {
    pub(crate) fn new() -> Agenda<E> {
        Agenda { heap: BinaryHeap::new(), count: 0 }
    }

    pub(crate) fn put(&mut self, at: u64, event: E) {
        self.count += 1;
        self.heap.push(AgendaEntry { at, number: self.count, event });
    }

    /// The first event, if it is before this moment.
    pub(crate) fn take_before(&mut self, end: u64) -> Option<(u64, E)> {
        if self.heap.peek()?.at >= end {
            return None;
        }
        self.heap.pop().map(|entry| (entry.at, entry.event))
    }
}

#[derive(Debug)]
struct AgendaEntry<E> {
    at: u64,
    number: u64,
    event: E,
}

/// The greatest is the one that comes first, as the heap wants it.
impl<E> Ord for AgendaEntry<E> {
    fn cmp(&self, other: &AgendaEntry<E>) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<E> PartialOrd for AgendaEntry<E> {
    fn partial_cmp(&self, other: &AgendaEntry<E>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for AgendaEntry<E> {
    fn eq(&self, other: &AgendaEntry<E>) -> bool {
        self.number == other.number
    }
}

impl<E> Eq for AgendaEntry<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_and_then_in_the_order_of_putting() {
        let mut agenda = Agenda::new();
        for (at, event) in [(5, 'a'), (3, 'b'), (5, 'c'), (9, 'd')] {
            agenda.put(at, event);
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.take_before(9)).collect();
        assert_eq!(order, [(3, 'b'), (5, 'a'), (5, 'c')]);
        assert_eq!(agenda.take_before(10), Some((9, 'd')));
    }
}
