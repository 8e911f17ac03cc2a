//! The timers of a node: one place for each slot of its protocol, so that re-arming replaces and nothing is
//! ever stale. The table never grows.

use std::sync::Arc;
use watchkeeper_core::Slot;

/// When the timer in each slot is due, in nanoseconds of the node's clock.
#[derive(Clone, Debug)]
pub(crate) struct TimerTable {
    /// What the slots are called. Events carry a name without a copy of it.
    names: Vec<Arc<str>>,
    due: Vec<Option<u64>>,
    /// Which have been put off to a moment of their own since they were armed.
    favoured: Vec<bool>,
    /// For how long each was last armed: the timeout that is in effect.
    lasting: Vec<Option<u64>>,
}

impl TimerTable {
    /// A table for the slots of a protocol, nothing armed.
    pub(crate) fn of<T: Slot>() -> TimerTable {
        TimerTable::new(T::all().map(|timer| timer.name().into()).collect())
    }

    fn new(names: Vec<Arc<str>>) -> TimerTable {
        let size = names.len();
        TimerTable { names, due: vec![None; size], favoured: vec![false; size], lasting: vec![None; size] }
    }

    pub(crate) fn name(&self, slot: usize) -> &Arc<str> {
        &self.names[slot]
    }

    /// Arms the timer in a slot, so long after a moment.
    pub(crate) fn arm(&mut self, slot: usize, base: u64, lasts: u64) {
        self.due[slot] = Some(base.saturating_add(lasts));
        self.favoured[slot] = false;
        self.lasting[slot] = Some(lasts);
    }

    pub(crate) fn disarm(&mut self, slot: usize) {
        self.due[slot] = None;
    }

    /// The slot whose timer is due first, and when; the lower slot of two at the same moment.
    pub(crate) fn first(&self) -> Option<(usize, u64)> {
        let armed = self.due.iter().enumerate().filter_map(|(slot, due)| due.map(|due| (slot, due)));
        armed.min_by_key(|&(slot, due)| (due, slot))
    }

    /// Takes the armed timer that is due first, if it is due by now.
    pub(crate) fn take_due(&mut self, now: u64) -> Option<(usize, u64)> {
        let (slot, due) = self.first().filter(|&(_, due)| due <= now)?;
        self.due[slot] = None;
        Some((slot, due))
    }

    /// Puts every armed timer off by the same time, and to a given moment if it would be due before that. The
    /// latter happens to a timer once: a node that is late all the time must not wait for ever.
    pub(crate) fn put_off(&mut self, by: u64, until: u64) {
        for (due, favoured) in self.due.iter_mut().zip(&mut self.favoured) {
            let Some(due) = due else { continue };
            *due = due.saturating_add(by);
            if *due < until && !*favoured {
                (*due, *favoured) = (until, true);
            }
        }
    }

    /// For how long each slot was last armed, if it ever was.
    pub(crate) fn timeouts(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.lasting.iter().enumerate().filter_map(|(slot, lasts)| lasts.map(|lasts| (slot, lasts)))
    }

    /// What is armed: slot and when it is due.
    pub(crate) fn armed(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.due.iter().enumerate().filter_map(|(slot, due)| due.map(|due| (slot, due)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_come_out_in_the_order_in_which_they_are_due() {
        let mut timers = TimerTable::new(vec!["".into(); 3]);
        timers.arm(2, 0, 10);
        timers.arm(0, 0, 20);
        timers.arm(1, 0, 10);
        timers.arm(0, 0, 30);
        assert_eq!(timers.take_due(9), None);
        assert_eq!([timers.take_due(30), timers.take_due(30)], [Some((1, 10)), Some((2, 10))]);
        assert_eq!(timers.first(), Some((0, 30)));
        timers.disarm(0);
        assert_eq!(timers.take_due(100), None);
    }

    #[test]
    fn what_is_put_off_keeps_its_distance_and_waits_for_the_moment_given() {
        let mut timers = TimerTable::new(vec!["".into(); 3]);
        timers.arm(0, 0, 10);
        timers.arm(1, 0, 500);
        timers.put_off(100, 150);
        assert_eq!(timers.armed().collect::<Vec<_>>(), [(0, 150), (1, 600)]);
    }

    #[test]
    fn who_is_late_all_the_time_still_comes_to_an_end() {
        let mut timers = TimerTable::new(vec!["".into()]);
        timers.arm(0, 0, 100);
        // Every 10 it is late by 2, and would be given 50 each time.
        let fired = (1..100).map(|k| 10 * k).find(|&now| {
            timers.put_off(2, now + 50);
            timers.take_due(now).is_some()
        });
        assert_eq!(fired, Some(140));
        timers.arm(0, 0, 2_000);
        timers.put_off(2, 2_500);
        assert_eq!(timers.first(), Some((0, 2_500)), "armed again, it is favoured again");
    }
}
