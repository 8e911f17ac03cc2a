//! Times for very many events under bounds on their differences, in whole units: what [`schedule`](crate::schedule)
//! does for the steps of a counterexample, done for the steps of a run that lasted for hours. There are no strict
//! bounds here, so that whole numbers are enough, and nothing is ever rounded.

use std::error::Error;
use std::fmt;

/// A bound on the time of one event minus that of another: `t_a - t_b <= most`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DifferenceConstraint {
    /// The event whose time is bounded from above.
    pub a: usize,
    /// The event that it is measured from.
    pub b: usize,
    /// The bound.
    pub most: i64,
}

impl DifferenceConstraint {
    /// The bound `t_a - t_b <= most`.
    pub const fn new(a: usize, b: usize, most: i64) -> DifferenceConstraint {
        DifferenceConstraint { a, b, most }
    }
}

/// Bounds that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NegativeCycle {
    cycle: Vec<usize>,
    excess: i64,
}

impl NegativeCycle {
    /// The bounds, by their places among those given. They form a cycle, and without any one of them the
    /// others can be kept.
    pub fn cycle(&self) -> &[usize] {
        &self.cycle
    }

    /// By how much one of them would have to give way; above 0.
    pub fn excess(&self) -> i64 {
        self.excess
    }
}

impl fmt::Display for NegativeCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, excess) = (self.cycle.len(), self.excess);
        write!(f, "no times keep {count} of the bounds together: one of them must give way by {excess}")
    }
}

impl Error for NegativeCycle {}

/// The latest times of so many events that keep all bounds and are nowhere above 0.
///
/// It is fastest if events that are close to each other in time have numbers that are.
///
/// # Panics
/// If a bound speaks of an event that is not one of these.
pub fn timetable(events: usize, constraints: &[DifferenceConstraint]) -> Result<Vec<i64>, NegativeCycle> {
    settle(constraints, vec![0; events])
}

/// The latest times of so many events that keep all bounds if event 0 is at 0; [`UNBOUNDED`] where none is the latest.
/// Bounds that contradict each other are found if they have a say on any event.
pub(crate) fn latest(events: usize, constraints: &[DifferenceConstraint]) -> Result<Vec<i64>, NegativeCycle> {
    let mut times = vec![UNBOUNDED; events];
    times[0] = 0;
    settle(constraints, times)
}

/// The time of an event that no bound ties to event 0.
pub(crate) const UNBOUNDED: i64 = i64::MAX;

/// The latest times that keep all bounds and are nowhere above these.
fn settle(constraints: &[DifferenceConstraint], times: Vec<i64>) -> Result<Vec<i64>, NegativeCycle> {
    let events = times.len();
    if let Some(place) =
        constraints.iter().position(|constraint| constraint.a == constraint.b && constraint.most < 0)
    {
        return Err(NegativeCycle { cycle: vec![place], excess: -constraints[place].most });
    }
    // Shortest paths after Bellman and Ford, where a bound on `t_a - t_b` is a step from `b` to `a`. All steps
    // to higher numbers are taken in one sweep and all to lower ones in the next, as Yen proposed: a path
    // needs as many sweeps as it turns round, however many steps it has.
    let upward = Steps::new(events, constraints, |constraint| constraint.a > constraint.b);
    let downward = Steps::new(events, constraints, |constraint| constraint.a < constraint.b);
    let mut relaxed =
        Relaxed { times, cause: vec![NONE; events], fresh: [vec![true; events], vec![true; events]] };
    loop {
        let mut changed = false;
        for b in 0..events {
            changed |= relaxed.leave(b, 0, &upward, constraints);
        }
        for b in (0..events).rev() {
            changed |= relaxed.leave(b, 1, &downward, constraints);
        }
        if !changed {
            return Ok(relaxed.times);
        }
        if let Some(negative_cycle) = relaxed.negative_cycle(constraints) {
            return Err(negative_cycle);
        }
    }
}

/// No bound.
const NONE: u32 = u32::MAX;

/// Some of the bounds, by the event that they are measured from.
struct Steps {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Steps {
    fn new(
        events: usize,
        constraints: &[DifferenceConstraint],
        wanted: impl Fn(&DifferenceConstraint) -> bool,
    ) -> Steps {
        let mut starts = vec![0u32; events + 1];
        for constraint in constraints.iter().filter(|constraint| wanted(constraint)) {
            assert!(
                constraint.a < events,
                "a bound speaks of event {}, and there are {events}",
                constraint.a
            );
            starts[constraint.b + 1] += 1;
        }
        for b in 0..events {
            starts[b + 1] += starts[b];
        }
        let mut next = starts.clone();
        let mut places = vec![0u32; starts[events] as usize];
        for (place, constraint) in constraints.iter().enumerate().filter(|(_, constraint)| wanted(constraint))
        {
            places[next[constraint.b] as usize] = place as u32;
            next[constraint.b] += 1;
        }
        Steps { starts, places }
    }

    fn of(&self, b: usize) -> &[u32] {
        &self.places[self.starts[b] as usize..self.starts[b + 1] as usize]
    }
}

struct Relaxed {
    times: Vec<i64>,
    /// The bound that each time comes from.
    cause: Vec<u32>,
    /// Whether a time has changed since the steps upward, and those downward, were last taken from there.
    fresh: [Vec<bool>; 2],
}

impl Relaxed {
    /// Takes all steps from an event; whether that changed anything.
    fn leave(
        &mut self,
        b: usize,
        direction: usize,
        steps: &Steps,
        constraints: &[DifferenceConstraint],
    ) -> bool {
        if !std::mem::take(&mut self.fresh[direction][b]) || self.times[b] == UNBOUNDED {
            return false;
        }
        let mut changed = false;
        for &place in steps.of(b) {
            let DifferenceConstraint { a, most, .. } = constraints[place as usize];
            let latest = self.times[b].saturating_add(most);
            if latest < self.times[a] {
                (self.times[a], self.cause[a], changed) = (latest, place, true);
                self.fresh[0][a] = true;
                self.fresh[1][a] = true;
            }
        }
        changed
    }

    /// A cycle of causes, if there is one. It has a negative sum; and if there is a cycle of bounds with a
    /// negative sum, the causes come to form one after finitely many sweeps.
    fn negative_cycle(&self, constraints: &[DifferenceConstraint]) -> Option<NegativeCycle> {
        // By which walk each event was first met.
        let mut met = vec![NONE; self.times.len()];
        for start in 0..self.times.len() {
            let mut at = start;
            while met[at] == NONE && self.cause[at] != NONE {
                met[at] = start as u32;
                at = constraints[self.cause[at] as usize].b;
            }
            if met[at] != start as u32 {
                continue;
            }
            let (first, mut cycle) = (at, Vec::new());
            loop {
                let place = self.cause[at] as usize;
                cycle.push(place);
                at = constraints[place].b;
                if at == first {
                    break;
                }
            }
            let excess = cycle.iter().fold(0i64, |sum, &place| sum.saturating_sub(constraints[place].most));
            return Some(NegativeCycle { cycle, excess });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DbmBound, Difference, schedule};

    /// Small numbers in a fixed but irregular order.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % most
        }
    }

    fn kept(times: &[i64], constraints: &[DifferenceConstraint]) -> bool {
        constraints.iter().all(|constraint| times[constraint.a] - times[constraint.b] <= constraint.most)
    }

    #[test]
    fn the_latest_times_are_found() {
        let constraints = [
            DifferenceConstraint::new(1, 0, 5),
            DifferenceConstraint::new(0, 1, -3),
            DifferenceConstraint::new(2, 1, -1),
            DifferenceConstraint::new(1, 2, 4),
        ];
        assert_eq!(timetable(3, &constraints), Ok(vec![-3, 0, -1]));
        assert_eq!(timetable(2, &[]), Ok(vec![0, 0]));
        assert_eq!(timetable(0, &[]), Ok(vec![]));
    }

    #[test]
    fn a_contradiction_is_a_cycle_of_which_every_bound_is_needed() {
        let constraints = [
            DifferenceConstraint::new(1, 0, 9),
            DifferenceConstraint::new(0, 1, 3),
            DifferenceConstraint::new(2, 1, 2),
            DifferenceConstraint::new(0, 2, -8),
        ];
        let constraints = [&constraints[..], &[DifferenceConstraint::new(1, 0, 4)]].concat();
        let negative_cycle = timetable(3, &constraints).expect_err("4 + 2 < 8");
        let mut cycle = negative_cycle.cycle().to_vec();
        cycle.sort_unstable();
        assert_eq!((cycle, negative_cycle.excess()), (vec![2, 3, 4], 2));
        let own = timetable(2, &[DifferenceConstraint::new(1, 1, -1)]).expect_err("nothing is before itself");
        assert_eq!((own.cycle(), own.excess()), (&[0][..], 1));
    }

    #[test]
    fn it_agrees_with_the_solver_of_counterexamples() {
        let (mut kept_runs, mut clashes) = (0, 0);
        let mut draw = Draw(7);
        for _ in 0..2000 {
            let events = 2 + draw.below(6) as usize;
            let constraints: Vec<DifferenceConstraint> = (0..draw.below(12))
                .map(|_| {
                    let (a, b) = (draw.below(events as u64) as usize, draw.below(events as u64) as usize);
                    DifferenceConstraint::new(a, b, draw.below(12) as i64 - 4)
                })
                .collect();
            // Event 0 of a schedule is before all others, so one more event takes its place.
            let bound = |most: i64| DbmBound::at_most(most as i32);
            let differences: Vec<Difference> = constraints
                .iter()
                .map(|&DifferenceConstraint { a, b, most }| Difference {
                    a: a + 1,
                    b: b + 1,
                    bound: bound(most),
                })
                .collect();
            match (timetable(events, &constraints), schedule(events + 1, &differences)) {
                (Ok(times), Ok(_)) => {
                    kept_runs += 1;
                    assert!(kept(&times, &constraints) && times.iter().all(|time| *time <= 0));
                    let later = |event: usize| {
                        let mut later = times.clone();
                        later[event] += 1;
                        kept(&later, &constraints) && later[event] <= 0
                    };
                    assert!(!(0..events).any(later), "these are the latest");
                }
                (Err(negative_cycle), Err(_)) => {
                    clashes += 1;
                    let sum: i64 = negative_cycle.cycle().iter().map(|&place| constraints[place].most).sum();
                    assert!(sum < 0 && sum == -negative_cycle.excess());
                    for (i, &place) in negative_cycle.cycle().iter().enumerate() {
                        let next = negative_cycle.cycle()[(i + 1) % negative_cycle.cycle().len()];
                        assert_eq!(constraints[place].b, constraints[next].a, "it is a cycle");
                    }
                }
                (ours, theirs) => panic!("{constraints:?}: {ours:?} against {theirs:?}"),
            }
        }
        assert!(kept_runs > 500 && clashes > 500, "{kept_runs} {clashes}");
    }

    #[test]
    fn long_chains_take_few_sweeps_in_either_direction() {
        let events = 200_000;
        let mut constraints: Vec<DifferenceConstraint> =
            (1..events).map(|i| DifferenceConstraint::new(i, i - 1, -1)).collect();
        assert_eq!(timetable(events, &constraints).expect("times")[events - 1], 1 - events as i64);
        constraints.extend((1..events).map(|i| DifferenceConstraint::new(i - 1, i, 1)));
        assert_eq!(timetable(events, &constraints).expect("times")[0], 0);
        constraints.push(DifferenceConstraint::new(0, events - 1, events as i64 - 2));
        let negative_cycle = timetable(events, &constraints).expect_err("one too few");
        assert_eq!((negative_cycle.cycle().len(), negative_cycle.excess()), (events, 1));
    }
}
