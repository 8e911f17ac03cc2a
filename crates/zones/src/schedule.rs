//! Times for a run: given bounds on the differences between the times of its events, the earliest times
//! that keep them all, or the bounds that contradict each other. Times are rational, since a strict bound
//! may have no integer solution; they must never be rounded.

use crate::{DbmBound, Moment};
use std::error::Error;
use std::fmt;

/// A bound on the time of one event minus that of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Difference {
    /// The event whose time is bounded from above.
    pub a: usize,
    /// The event that it is measured from.
    pub b: usize,
    /// The bound on `t_a - t_b`.
    pub bound: DbmBound,
}

impl Difference {
    /// The bound on `t_a - t_b`.
    pub const fn new(a: usize, b: usize, bound: DbmBound) -> Difference {
        Difference { a, b, bound }
    }
}

/// Times for all events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    denominator: i64,
    numerators: Vec<i64>,
}

impl Schedule {
    /// The smallest denominator in which all times can be written.
    pub fn denominator(&self) -> i64 {
        self.denominator
    }

    /// The times, as multiples of one over the denominator.
    pub fn numerators(&self) -> &[i64] {
        &self.numerators
    }

    /// The time of an event.
    pub fn time(&self, event: usize) -> Moment {
        Moment::new(self.numerators[event], self.denominator)
    }
}

/// Bounds that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    cycle: Vec<usize>,
}

impl Conflict {
    /// One of the bounds, by its place among those given.
    pub fn constraint(&self) -> usize {
        self.cycle[0]
    }

    /// All of the bounds, by their places: they form a cycle (perhaps closed by the rule that nothing is
    /// before event 0), and without any one of them the others can be kept.
    pub fn cycle(&self) -> &[usize] {
        &self.cycle
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> = self.cycle.iter().map(usize::to_string).collect();
        write!(f, "no times keep the bounds {} together: one of them must give way", places.join(", "))
    }
}

impl Error for Conflict {}

/// The earliest times of so many events that keep all bounds. Event 0 is at time 0, and nothing is before
/// it; among the times with the smallest common denominator, every event has the smallest. A bound of
/// [`DbmBound::NONE`] is none.
///
/// # Panics
/// If a bound speaks of an event that is not one of these.
pub fn schedule(events: usize, constraints: &[Difference]) -> Result<Schedule, Conflict> {
    // On a grid of 1 / D, `< c` is `<= c - 1 / D`, and the bounds can be kept just if no cycle of them has a
    // negative sum. A cycle of bounds c_1 .. c_n, s of them strict, has the sum C - s / D, where C is an
    // integer. If C < 0, or C = 0 and s > 0, no real times keep it, and no D does either. Otherwise every D
    // with D >= s does (for C = 0 there is nothing to do, since s = 0). A cycle that meets no event twice has
    // s <= n <= events, so D = events settles whether there are times at all; and with any D that will do,
    // every larger one will do as well, so the first one found from below is the smallest.
    let finest = earliest(events, constraints, events.max(1) as i64)?;
    let coarser =
        (1..finest.denominator).find_map(|denominator| earliest(events, constraints, denominator).ok());
    Ok(coarser.unwrap_or(finest))
}

/// The earliest times on the grid of one over the denominator: longest paths from event 0, after Bellman
/// and Ford, where a bound on `t_a - t_b` is a step from `a` to `b`.
fn earliest(events: usize, constraints: &[Difference], denominator: i64) -> Result<Schedule, Conflict> {
    let mut times = vec![0i64; events];
    // The bound that each event's time comes from; none while it is that of event 0.
    let mut cause: Vec<Option<usize>> = vec![None; events];
    let mut round = 0;
    loop {
        let mut changed = false;
        for (place, &Difference { a, b, bound }) in constraints.iter().enumerate() {
            if bound.is_none() {
                continue;
            }
            let least = times[a] - bound.on_grid(denominator);
            if least <= times[b] {
                continue;
            }
            // A cause of a change in this round changed in this round or the last one. So after as many
            // rounds as there are events, the chain of causes must come back to itself.
            if b == 0 || round == events {
                return Err(conflict(place, constraints, &cause, denominator));
            }
            (times[b], cause[b], changed) = (least, Some(place), true);
        }
        if !changed {
            return Ok(Schedule { denominator, numerators: times });
        }
        round += 1;
    }
}

/// The cycle that a bound closes which cannot be kept: itself and what its event's time comes from, back to
/// where that repeats or to where it contradicts the rule that nothing is before event 0.
fn conflict(last: usize, constraints: &[Difference], cause: &[Option<usize>], denominator: i64) -> Conflict {
    let ends_at_zero = constraints[last].b == 0;
    let mut cycle = Vec::new();
    let mut position = vec![None; cause.len()];
    let mut sum = 0;
    let mut next = Some(last);
    while let Some(place) = next {
        let Difference { a, b, bound } = constraints[place];
        position[b] = Some(cycle.len());
        cycle.push(place);
        sum += bound.on_grid(denominator);
        if let Some(start) = position[a] {
            cycle.drain(..start);
            break;
        }
        if ends_at_zero && sum < 0 {
            break;
        }
        next = cause[a];
    }
    Conflict { cycle }
}
