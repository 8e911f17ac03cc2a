//! When the events of an execution happened. In ticks that is counted; in dense time every event has an
//! unknown time, and what is due when is taken down as differences between them, to be solved at the end.

use crate::WorldTime;
use crate::remaining::Remaining;
use watchkeeper_core::Bound;
use watchkeeper_zones::{
    DbmBound, Difference, EventTimes, ImpossibleTimes, Moment, Schedule, event_times, schedule,
};

/// An event, and the tick at which it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Instant {
    event: usize,
    tick: u32,
}

/// An obligation: within this bound, counted from an event. `None` if it has become free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pending {
    bound: Bound,
    since: Instant,
    free: bool,
}

impl Pending {
    /// The same obligation, for a reply: it must happen before the request had to.
    pub(crate) fn inherited(self) -> Pending {
        let bound = self.bound.hi().map_or(Bound::at_least(0), Bound::within);
        Pending { bound, ..self }
    }
}

/// The events so far.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    time: WorldTime,
    now: Instant,
    differences: Vec<Difference>,
}

impl Timeline {
    pub(crate) fn new(time: WorldTime) -> Timeline {
        Timeline { time, now: Instant { event: 0, tick: 0 }, differences: Vec::new() }
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// The time of the last event, where it is known at once.
    pub(crate) fn tick(&self) -> u32 {
        self.now.tick
    }

    /// An obligation that begins now.
    pub(crate) fn pending(&self, bound: Bound) -> Pending {
        Pending { bound, since: self.now, free: false }
    }

    /// What an obligation remembers of its bound, as a state of the search says it.
    pub(crate) fn remaining(&self, pending: Pending) -> Remaining {
        if pending.free {
            return Remaining::Free;
        }
        match self.time {
            WorldTime::Ticks(_) => Remaining::new(self.time, self.left_of(pending)),
            _ => Remaining::new(self.time, pending.bound),
        }
    }

    /// In ticks: what is left of the bound of an obligation.
    pub(crate) fn left_of(&self, pending: Pending) -> Bound {
        let passed = self.now.tick - pending.since.tick;
        let lo = pending.bound.lo().saturating_sub(passed);
        match pending.bound.hi() {
            Some(hi) => Bound::new(lo, hi.saturating_sub(passed)).unwrap_or(Bound::exactly(0)),
            None => Bound::at_least(lo),
        }
    }

    /// The obligation that a state of the search remembers so, as if it had begun now.
    pub(crate) fn recalled(&self, remaining: Remaining) -> Pending {
        let bound = match remaining {
            Remaining::Untimed | Remaining::Free => Bound::at_least(0),
            Remaining::Left { lo, hi: Some(hi) } => Bound::new(lo, hi).unwrap_or(Bound::exactly(hi)),
            Remaining::Left { lo, hi: None } => Bound::at_least(lo),
            Remaining::Clock { width } => Bound::within(width),
            Remaining::Stage => Bound::at_least(1),
        };
        Pending { bound, since: self.now, free: remaining == Remaining::Free }
    }

    /// Begins the next event: in dense time not before the last one, and at the same time if it is urgent.
    pub(crate) fn next(&mut self, urgent: bool) {
        self.now.event += 1;
        let Instant { event, .. } = self.now;
        self.difference(event - 1, event, DbmBound::at_most(0));
        if urgent {
            self.difference(event, event - 1, DbmBound::at_most(0));
        }
    }

    /// One tick passes.
    pub(crate) fn pass(&mut self) {
        self.now.tick += 1;
    }

    /// The obligation is still pending at this event, so it cannot be overdue.
    pub(crate) fn keeps(&mut self, pending: Pending) {
        if pending.free {
            return;
        }
        let end = match (pending.bound.hi(), pending.bound.lo()) {
            (Some(hi), _) => hi,
            (None, 0) => return,
            // Until it becomes free its end is exact.
            (None, lo) => lo,
        };
        self.difference(self.now.event, pending.since.event, DbmBound::at_most(end as i32));
    }

    /// The obligation is done at this event; says why it cannot be, where that is known at once.
    pub(crate) fn does(&mut self, pending: Pending) -> Result<(), String> {
        let (lo, passed) = (pending.bound.lo(), self.now.tick - pending.since.tick);
        match self.time {
            WorldTime::Untimed => {}
            _ if pending.free => {}
            WorldTime::Ticks(_) if passed < lo => {
                return Err(format!("it is not due for {} more", lo - passed));
            }
            WorldTime::Ticks(_) => {}
            WorldTime::Dense(_) if pending.bound.hi().is_none() && lo > 0 => {
                return Err("it may not happen yet".to_string());
            }
            WorldTime::Dense(_) => {
                self.difference(pending.since.event, self.now.event, DbmBound::at_most(-(lo as i32)));
            }
        }
        Ok(())
    }

    /// The obligation becomes free at this event.
    pub(crate) fn becomes_enabled(&mut self, pending: Pending) -> Result<Pending, String> {
        let lo = pending.bound.lo();
        if pending.free || pending.bound.hi().is_some() || lo == 0 {
            return Err("it has nothing to wait for".to_string());
        }
        self.difference(pending.since.event, self.now.event, DbmBound::at_most(-(lo as i32)));
        Ok(Pending { free: true, ..pending })
    }

    /// A message that must not be due at this event.
    pub(crate) fn is_not_due(&mut self, pending: Pending) -> Result<(), String> {
        let Some(hi) = pending.bound.hi().filter(|_| !pending.free) else { return Ok(()) };
        if matches!(self.time, WorldTime::Ticks(_)) && self.now.tick - pending.since.tick >= hi {
            return Err("a message that is due comes first".to_string());
        }
        self.difference(self.now.event, pending.since.event, DbmBound::below(hi as i32));
        Ok(())
    }

    /// In ticks: whether an obligation has room for one tick more.
    pub(crate) fn has_room(&self, pending: Pending) -> bool {
        let passed = self.now.tick - pending.since.tick;
        pending.free || pending.bound.hi().is_none_or(|hi| passed < hi)
    }

    /// A deadline of this bound, started then, has not run out at this event.
    pub(crate) fn deadline_runs(&mut self, since: Instant, bound: u32) {
        self.difference(self.now.event, since.event, DbmBound::at_most(bound as i32));
    }

    /// A deadline of this bound, started then, runs out at this event.
    pub(crate) fn expires(&mut self, since: Instant, bound: u32) {
        self.difference(since.event, self.now.event, DbmBound::below(-(bound as i32)));
    }

    /// In ticks: what is left of a deadline; `None` if more than its bound has passed.
    pub(crate) fn left(&self, since: Instant, bound: u32) -> Option<u32> {
        bound.checked_sub(self.now.tick - since.tick)
    }

    /// The times of the events in dense time; or the event at which no times are possible any more.
    pub(crate) fn solved(&self) -> Result<Schedule, usize> {
        let failing = |conflict: &watchkeeper_zones::Conflict| {
            let ends = |&at: &usize| self.differences[at].a.max(self.differences[at].b);
            conflict.cycle().iter().map(ends).max().unwrap_or(0)
        };
        schedule(self.now.event + 1, &self.differences).map_err(|conflict| failing(&conflict))
    }

    /// The times of the events in dense time, some of them picked, and the window of each.
    pub(crate) fn windows(&self, picks: &[(usize, Moment)]) -> Result<EventTimes, ImpossibleTimes> {
        event_times(self.now.event + 1, &self.differences, picks)
    }

    /// The time of event `a` minus that of event `b` is within a limit.
    fn difference(&mut self, a: usize, b: usize, bound: DbmBound) {
        if matches!(self.time, WorldTime::Dense(_)) {
            self.differences.push(Difference { a, b, bound });
        }
    }
}
