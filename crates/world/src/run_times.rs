//! The windows of the steps of a run in dense time. The interpreter that replays counterexamples executes the path and takes
//! down its bounds; the solver of `zones` does the rest. No row, no zone and no table of the search is used.

use crate::World;
use crate::replay::NO_MOMENT;
use watchkeeper_space::{Mismatch, RunTimes, StatePath, TimeWindow, TimedTrace, TimesRefused};
use watchkeeper_zones::{EventWindow, ImpossibleTimes, Moment};

impl RunTimes for World {
    fn at_times(&self, path: &StatePath, picks: &[(usize, (i64, i64))]) -> Result<TimedTrace, TimesRefused> {
        let steps = path.actions.len();
        let picks = picks.iter().map(|&pick| picked(steps, pick)).collect::<Result<Vec<_>, _>>()?;
        self.executed(path, |mut trace, timeline| {
            let found = timeline.windows(&picks).map_err(|impossible| match impossible {
                ImpossibleTimes::Contradiction => {
                    let step = timeline.solved().err().unwrap_or(0);
                    Mismatch { step, why: NO_MOMENT.to_string() }.into()
                }
                ImpossibleTimes::Outside { pick, window } => {
                    let (step, at) = picks[pick];
                    TimesRefused::Outside { step, window: told(at, &window) }
                }
                ImpossibleTimes::TooFine { pick } => TimesRefused::TooFine { step: picks[pick].0 },
                ImpossibleTimes::TooLong => TimesRefused::TooLong,
            })?;
            // Event 0 is the start, and each step is the event of its number.
            for (step, time) in trace.steps.iter_mut().zip(&found.times[1..]) {
                step.at = Some(time.to_string());
            }
            let windows = found.times.iter().zip(&found.windows).skip(1);
            let windows = windows.map(|(&at, window)| told(at, window)).collect();
            Ok(TimedTrace { trace, windows })
        })
    }
}

/// A pick of a run of so many steps.
fn picked(
    steps: usize,
    (step, (numerator, denominator)): (usize, (i64, i64)),
) -> Result<(usize, Moment), TimesRefused> {
    if step == 0 || step > steps {
        return Err(TimesRefused::NoStep { step, steps });
    }
    if denominator <= 0 {
        return Err(TimesRefused::NoMoment { step, numerator, denominator });
    }
    Ok((step, Moment::new(numerator, denominator)))
}

fn told(at: Moment, window: &EventWindow) -> TimeWindow {
    TimeWindow {
        at: at.to_string(),
        least: window.least.to_string(),
        least_is_open: window.least_is_open,
        most: window.most.map(|most| most.to_string()),
        most_is_open: window.most_is_open,
    }
}
