//! The description of the detector of Chandra and Toueg.

use crate::description::{Described, Description, Detector, Live, StateProperty, TimeoutGrowth};
use crate::params::Params;
use crate::problem::Problem;
use crate::regions::{Parametric, ParametricDescription};
use watchkeeper_core::{Assumption, Completeness, Time};
use watchkeeper_protocols::chandra_toueg::{ChandraToueg, ChandraTouegError};
use watchkeeper_regions::Linear;
use watchkeeper_world::{Capacity, Global, Network, Scenario, WhenFull, WorldTime};

/// The value of `cap` by which a timeout can grow once.
const ONCE: &str = "timeout+growth";

fn below_cap(detector: &ChandraToueg, global: &Global<'_, ChandraToueg>) -> bool {
    global.processes().all(|p| global.state(p).is_none_or(|state| detector.at_cap(p, state).is_empty()))
}

/// The wait after this one, if it proves too short.
fn grown(detector: &ChandraToueg, wait: u32) -> u32 {
    wait.saturating_add(detector.growth()).min(detector.timeout_cap().unwrap_or(u32::MAX))
}

/// The number of times of a cap such as `timeout+3*growth`, by which a timeout can grow so often.
fn times(text: &str) -> Option<u32> {
    text.strip_prefix("timeout+")?.strip_suffix("*growth")?.parse().ok()
}

/// The cap of timeouts. Without one there are infinitely many states.
fn cap<T: Time>(params: &Params, timeout: T, growth: T) -> Result<T, Problem> {
    match params.text("cap") {
        ONCE => Ok(timeout.plus(growth)),
        text if times(text).is_some() => Ok(timeout.plus(growth.scaled(times(text).unwrap_or(1), 1))),
        "none" => {
            let why = "a timeout that grows without end has infinitely many values, which no search can go \
                       through; give it a cap, such as --param cap=8, or leave it out";
            Err(params.refuse("cap", why))
        }
        _ => params.get("cap"),
    }
}

/// The detector with these parameters and durations `T`, for `n` processes.
pub fn build<T: Time>(n: usize, params: &Params) -> Result<ChandraToueg<T>, Problem> {
    let (timeout, growth) = (params.get("timeout")?, params.get("growth")?);
    let cap = cap(params, timeout, growth)?;
    let built = ChandraToueg::new(n, params.get("period")?, timeout)
        .and_then(|detector| detector.growing_by(growth))
        .and_then(|detector| detector.capped(cap));
    built.map_err(|why| match why {
        ChandraTouegError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        ChandraTouegError::NoPeriod => params.refuse("period", why),
        ChandraTouegError::NoTimeout => params.refuse("timeout", why),
        ChandraTouegError::NoGrowth => params.refuse("growth", why),
        ChandraTouegError::Cap { .. } => params.refuse("cap", why),
    })
}

/// The timeouts that a wrong suspicion can lead to.
fn waits(detector: &ChandraToueg) -> Vec<u32> {
    let Some(cap) = detector.timeout_cap().filter(|cap| *cap > detector.first_timeout()) else {
        return Vec::new();
    };
    let next = |wait: &u32| (*wait < cap).then(|| grown(detector, *wait));
    std::iter::successors(Some(grown(detector, detector.first_timeout())), next).collect()
}

/// Channels that ignore a second ALIVE while one is on its way, since it would say nothing new. A channel that
/// blocks would make a process that beats wait for one peer before it tells the next.
pub fn environment<T: Time>(n: usize) -> Scenario<T> {
    let network = Network { capacity: Capacity::Bounded(1), when_full: WhenFull::Drop, ..Network::default() };
    Scenario { network, ..Scenario::new(n) }.with_time(WorldTime::Untimed)
}

fn promises(around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let mut in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    // Whatever is lost makes a suspicion that should not be, and timeouts longer than they were searched with.
    in_time.extend((around.network.losses == 0).then_some(Assumption::Loss));
    vec![("detection", in_time.clone()), ("accuracy", in_time)]
}

impl Parametric for ChandraToueg<Linear> {
    fn parametric() -> ParametricDescription<ChandraToueg<Linear>> {
        ParametricDescription::new("chandra-toueg", build)
            .environment(|_, n| environment(n))
            .complete(Completeness::Strong)
    }
}

impl Described for ChandraToueg {
    fn description() -> Description<ChandraToueg> {
        let about = "Failure detector by heartbeats to all, with timeouts that grow (Chandra and Toueg 1996)";
        let below =
            StateProperty::always("below-cap", "no timeout stands at its cap; by request only", below_cap);
        // A timeout that was too short grows when the suspicion ends.
        let patience = TimeoutGrowth {
            next: |detector, _, state, of| grown(detector, detector.timeout(of, state)),
            all: |detector, _| waits(detector),
        };
        let detector = Detector::default().suspecting(ChandraToueg::suspects).complete(Completeness::Strong);
        Description::new("chandra-toueg", about, build)
            .duration("period", "the time between two beats; an untimed check ignores it", "1")
            .duration("timeout", "the initial timeout for a peer", "3")
            .duration("growth", "the increment of a timeout that was too short", "1")
            .param(
                "cap",
                "the largest timeout, also timeout+3*growth; equal to the initial one, timeouts are fixed",
                ONCE,
            )
            .durations(&["cap"])
            .tuned("period", "timeout")
            .property(below.by_request().symmetric())
            .detector(detector.learning(patience))
            .environment(|_, n| environment(n))
            .parametric::<ChandraToueg<Linear>>()
            .live(Live { promises: |_, around| promises(around), ..Live::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_end_with_the_cap_on_the_grid_or_off_it() {
        let waits = |timeout, growth, cap| {
            let detector = ChandraToueg::new(2, 1, timeout).and_then(|one| one.growing_by(growth));
            super::waits(&detector.and_then(|one| one.capped(cap)).expect("a detector"))
        };
        assert!(waits(3, 1, 3).is_empty(), "a fixed timeout has nothing to grow to");
        assert_eq!(waits(3, 1, 4), [4]);
        assert_eq!(waits(1, 1, 6), [2, 3, 4, 5, 6]);
        assert_eq!(waits(3, 2, 8), [5, 7, 8]);
        assert_eq!(waits(3, 9, 5), [5]);
        assert_eq!(waits(u32::MAX - 1, 5, u32::MAX), [u32::MAX]);
    }
}
