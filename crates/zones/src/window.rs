//! When each event of a run can happen: its window, over all times that keep the bounds, and times in which some events are
//! where somebody wants them. Like [`schedule`](crate::schedule) it knows strict bounds, and nothing is rounded: what does
//! not fit into a word is refused.

use crate::timetable::{DifferenceConstraint, UNBOUNDED, latest};
use crate::{Difference, Moment};
use std::error::Error;
use std::fmt;

/// All times of one event: an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventWindow {
    /// Not before this moment.
    pub least: Moment,
    /// Whether it is later than that, by however little.
    pub least_is_open: bool,
    /// Not after this moment; `None` if there is no last one.
    pub most: Option<Moment>,
    /// Whether it is earlier than that, by however little.
    pub most_is_open: bool,
}

/// Times for all events, and the window of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventTimes {
    /// The earliest times on the coarsest grid that has all picked times and any times at all.
    pub times: Vec<Moment>,
    /// For each event all moments at which it can happen while the picks of the others stay.
    pub windows: Vec<EventWindow>,
}

/// Why there are no times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImpossibleTimes {
    /// The bounds contradict each other, whatever is picked.
    Contradiction,
    /// This pick, by its place, is outside the window that the picks before it leave to its event.
    Outside {
        /// The first pick that cannot be kept.
        pick: usize,
        /// What would be possible instead.
        window: EventWindow,
    },
    /// This pick has too large a numerator or denominator, by itself or together with those before it.
    TooFine {
        /// The pick.
        pick: usize,
    },
    /// Some time does not fit into a word.
    TooLong,
}

/// The largest denominator of a picked time, and of all of them together.
const FINEST: i64 = 1000;
const FINEST_TOGETHER: i64 = 1_000_000;

/// The times of so many events that keep all bounds, where event 0 is at time 0, nothing is before it, and each picked event
/// is at its moment; without picks they are those of [`schedule`](crate::schedule). A bound of
/// [`DbmBound::NONE`](crate::DbmBound::NONE) is none.
///
/// # Panics
/// If a bound or a pick speaks of an event that is not one of these.
pub fn event_times(
    events: usize,
    constraints: &[Difference],
    picks: &[(usize, Moment)],
) -> Result<EventTimes, ImpossibleTimes> {
    let bounds = Bounds { events, constraints };
    bounds.grid(&[])?;
    if bounds.grid(picks).is_err() {
        let fits = |picked: usize| bounds.grid(&picks[..picked]).is_ok();
        let pick = (0..picks.len()).take_while(|pick| fits(pick + 1)).count();
        return Err(ImpossibleTimes::TooFine { pick });
    }
    let Some((mut windows, times)) = bounds.windows(picks)?.zip(bounds.earliest(picks)?) else {
        return Err(bounds.first_outside(picks)?);
    };
    for (pick, &(event, _)) in picks.iter().enumerate() {
        let others = [&picks[..pick], &picks[pick + 1..]].concat();
        let others = bounds.windows(&others)?.expect("there are times with one pick more");
        windows[event] = others[event];
    }
    Ok(EventTimes { times, windows })
}

/// Bounds on the differences between events.
struct Bounds<'a> {
    events: usize,
    constraints: &'a [Difference],
}

impl Bounds<'_> {
    /// A denominator for all picked times; an error if one is too large for numbers to be exact.
    fn grid(&self, picks: &[(usize, Moment)]) -> Result<i64, ImpossibleTimes> {
        let mut grid = 1;
        for &(_, moment) in picks {
            // Before it is multiplied with: what the others come to is small, and this may be of any size.
            if moment.denominator() > FINEST {
                return Err(ImpossibleTimes::TooLong);
            }
            let (mut divisor, mut rest) = (grid, moment.denominator());
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            grid = grid / divisor * moment.denominator();
            if grid > FINEST_TOGETHER {
                return Err(ImpossibleTimes::TooLong);
            }
        }
        // No path meets an event twice, so no sum of bounds is larger than this.
        let bounded = self.constraints.iter().filter(|constraint| !constraint.bound.is_none());
        let bounds = bounded.map(|constraint| i128::from(constraint.bound.value().unsigned_abs()));
        let picked = picks.iter().map(|&(_, at)| i128::from(at.numerator().unsigned_abs()));
        let largest = bounds.chain(picked).max().unwrap_or(0) + 1;
        let events = self.events.max(1) as i128;
        let most = largest.checked_mul(i128::from(grid) * events * events);
        if most.is_some_and(|most| most < i128::from(UNBOUNDED / 2)) {
            Ok(grid)
        } else {
            Err(ImpossibleTimes::TooLong)
        }
    }

    /// The bounds in parts of a unit, a strict one less by one part: on a grid that is how to keep it.
    fn scaled(&self, parts: i64, picks: &[(usize, Moment)]) -> Vec<DifferenceConstraint> {
        let bounded = self.constraints.iter().filter(|constraint| !constraint.bound.is_none());
        let scale =
            |&Difference { a, b, bound }: &Difference| DifferenceConstraint::new(a, b, bound.on_grid(parts));
        let mut scaled: Vec<DifferenceConstraint> = bounded.map(scale).collect();
        scaled.extend((1..self.events).map(|event| DifferenceConstraint::new(0, event, 0)));
        for &(event, at) in picks {
            let at = at.numerator() * (parts / at.denominator());
            scaled.push(DifferenceConstraint::new(event, 0, at));
            scaled.push(DifferenceConstraint::new(0, event, -at));
        }
        scaled
    }

    /// The earliest times in parts of a unit; `None` if there are none on this grid.
    fn earliest_on(&self, parts: i64, picks: &[(usize, Moment)]) -> Option<Vec<i64>> {
        // The earliest times are the latest ones of a run that goes backwards. Every event has a bound to event 0, so
        // that every contradiction is found.
        let backwards = |it: DifferenceConstraint| DifferenceConstraint::new(it.b, it.a, it.most);
        let scaled: Vec<_> = self.scaled(parts, picks).into_iter().map(backwards).collect();
        let times = latest(self.events, &scaled).ok()?;
        Some(times.into_iter().map(|time| -time).collect())
    }

    /// The windows while all picks stay; `None` if there are no times.
    fn windows(&self, picks: &[(usize, Moment)]) -> Result<Option<Vec<EventWindow>>, ImpossibleTimes> {
        // A grid with so many parts to each multiple of `grid` tells a sum of bounds from one with strict ones among them,
        // of which there are fewer than events: see `schedule`.
        let (grid, fine) = (self.grid(picks)?, self.events as i64);
        let parts = grid * fine;
        let Some(least) = self.earliest_on(parts, picks) else { return Ok(None) };
        let most = latest(self.events, &self.scaled(parts, picks)).expect("there are times");
        let window = |(&least, &most): (&i64, &i64)| EventWindow {
            least: Moment::new(least.div_euclid(fine), grid),
            least_is_open: least.rem_euclid(fine) != 0,
            most: (most != UNBOUNDED).then(|| Moment::new(-(-most).div_euclid(fine), grid)),
            most_is_open: most != UNBOUNDED && most.rem_euclid(fine) != 0,
        };
        Ok(Some(least.iter().zip(&most).map(window).collect()))
    }

    /// The earliest times on the coarsest grid that has some; `None` if there are no times at all.
    fn earliest(&self, picks: &[(usize, Moment)]) -> Result<Option<Vec<Moment>>, ImpossibleTimes> {
        let grid = self.grid(picks)?;
        let on = |fine: i64| self.earliest_on(grid * fine, picks);
        let finest = self.events.max(1) as i64;
        // With a grid that will do every finer one will do: see `schedule`. The coarsest is nearly always one of the first.
        let (mut too_coarse, mut enough) = (0, 1);
        let mut times = on(enough);
        while times.is_none() {
            if enough == finest {
                return Ok(None);
            }
            (too_coarse, enough) = (enough, finest.min(2 * enough));
            times = on(enough);
        }
        while enough - too_coarse > 1 {
            let between = too_coarse + (enough - too_coarse) / 2;
            match on(between) {
                None => too_coarse = between,
                found => (enough, times) = (between, found),
            }
        }
        Ok(times.map(|times| times.into_iter().map(|time| Moment::new(time, grid * enough)).collect()))
    }

    /// The first pick that those before it rule out.
    fn first_outside(&self, picks: &[(usize, Moment)]) -> Result<ImpossibleTimes, ImpossibleTimes> {
        let Some(mut windows) = self.windows(&[])? else { return Ok(ImpossibleTimes::Contradiction) };
        let (mut kept, mut broken) = (0, picks.len());
        while broken - kept > 1 {
            let between = kept + (broken - kept) / 2;
            match self.windows(&picks[..between])? {
                None => broken = between,
                Some(found) => (kept, windows) = (between, found),
            }
        }
        Ok(ImpossibleTimes::Outside { pick: kept, window: windows[picks[kept].0] })
    }
}

impl fmt::Display for EventWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least_is_open, self.most) {
            (false, Some(most)) if most == self.least => return write!(f, "at {most}"),
            (false, _) => write!(f, "from {}", self.least)?,
            (true, _) => write!(f, "after {}", self.least)?,
        }
        match (self.most, self.most_is_open) {
            (None, _) => write!(f, " on"),
            (Some(most), false) => write!(f, " to {most}"),
            (Some(most), true) => write!(f, " and before {most}"),
        }
    }
}

impl fmt::Display for ImpossibleTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImpossibleTimes::Contradiction => write!(f, "no times keep the bounds together"),
            ImpossibleTimes::Outside { pick, window } => {
                write!(f, "pick {pick} is outside its window: the event can happen {window}")
            }
            ImpossibleTimes::TooFine { pick } => write!(
                f,
                "pick {pick} is too fine or too large: take a fraction with a denominator of at most {FINEST} that \
                 fits the others"
            ),
            ImpossibleTimes::TooLong => write!(f, "the times are too long to be exact: take smaller bounds"),
        }
    }
}

impl Error for ImpossibleTimes {}
