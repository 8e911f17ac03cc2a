//! How time passes in a check: the settings that speak of time become the time of a world. In an untimed
//! check they are refused, so that nobody believes in a bound that nothing looks at.

use crate::problem::{Problem, SettingOrigin};
use crate::settings::{Settings, Sourced, SynchronyModel, TimeModel};
use watchkeeper_core::Bound;
use watchkeeper_world::{BeforeStable, Delay, Synchrony, Timing, WorldTime};

/// Who said something that only means something where there is time.
fn timed(settings: &Settings) -> Option<&SettingOrigin> {
    fn by<T>(said: &Option<Sourced<T>>) -> Option<&SettingOrigin> {
        said.as_ref().map(|given| &given.origin)
    }
    by(&settings.delay)
        .or(by(&settings.round_trip))
        .or(by(&settings.processing))
        .or(by(&settings.simultaneous))
        .or(by(&settings.speed))
        .or(by(&settings.synchrony))
        .or(by(&settings.before_delay))
        .or(by(&settings.before_loss))
}

/// The problem that what was said does not do, or that nobody said it.
fn refused<T>(said: &Option<Sourced<T>>, why: &str) -> Problem {
    said.as_ref().map_or_else(|| Problem::Usage(why.to_string()), |given| given.refused(why))
}

/// The time that the settings ask for, of a protocol that usually has this one.
pub fn time(settings: &Settings, usual: WorldTime) -> Result<WorldTime, Problem> {
    let model = match (&settings.time, usual) {
        (Some(given), _) => given.value,
        (None, WorldTime::Untimed) => TimeModel::Untimed,
        (None, WorldTime::Ticks(_)) => TimeModel::Ticks,
        (None, WorldTime::Dense(_)) => TimeModel::Dense,
    };
    if model == TimeModel::Untimed {
        return timed(settings).map_or(Ok(WorldTime::Untimed), |origin| {
            Err(origin.refused(
                "this check is untimed, so nothing looks at durations; add --time ticks or --time dense, or \
                 leave this out",
            ))
        });
    }
    let mut timing = usual.timing().unwrap_or(Timing::per_message(Bound::exactly(0)));
    timing.delay = match (&settings.delay, &settings.round_trip) {
        (Some(_), Some(given)) => {
            return Err(given.refused(
                "a message has a delay of its own or shares a round trip with its reply; leave out \
                 --delay or --round-trip",
            ));
        }
        (Some(given), None) => Delay::PerMessage(given.value),
        (None, Some(given)) => Delay::RoundTrip(given.value),
        (None, None) if usual.timing().is_some() => timing.delay,
        (None, None) => {
            let why = "a timed check has to know how long messages are on their way: add --delay LO..HI or \
                       --round-trip T";
            return Err(refused(&settings.time, why));
        }
    };
    if let Some(given) = &settings.processing {
        timing.processing = given.value;
    }
    if let Some(given) = &settings.simultaneous {
        timing.simultaneous = given.value;
    }
    match &settings.speed {
        Some(given) if given.value == 0 => {
            let why = "`0` does not say how many times too slow a process may be; write a number from 1 on";
            return Err(given.refused(why));
        }
        Some(given) => timing.speed = given.value,
        None => {}
    }
    timing.synchrony = synchrony(settings, model, &timing)?;
    Ok(match model {
        TimeModel::Dense => WorldTime::Dense(timing),
        _ => WorldTime::Ticks(timing),
    })
}

/// Whether the bounds of the settings are only the largest that there may be, and the protocol does not know which
/// hold: the time is then that of the largest ones.
pub fn unknown(settings: &Settings) -> bool {
    settings.synchrony.as_ref().is_some_and(|given| given.value == SynchronyModel::Unknown)
}

/// SynchronyModel when the bounds on messages hold; `timing` has the bounds.
fn synchrony(settings: &Settings, model: TimeModel, timing: &Timing) -> Result<Synchrony, Problem> {
    let since = match (&settings.synchrony, timing.before()) {
        (Some(given), _) => given.value,
        (None, None) => SynchronyModel::Always,
        (None, Some(_)) => SynchronyModel::Eventual,
    };
    let early = settings.before_delay.as_ref().map(|given| &given.origin);
    let early = early.or(settings.before_loss.as_ref().map(|given| &given.origin));
    let refused = |why: &str| refused(&settings.synchrony, why);
    if let (Some(origin), true) = (early, since != SynchronyModel::Eventual) {
        return Err(origin.refused(
            "only a network that has yet to stabilise has a before; add --synchrony eventual, or leave this out",
        ));
    }
    match (since, timing.delay) {
        (SynchronyModel::Always, _) => Ok(Synchrony::Always),
        (SynchronyModel::Unknown, Delay::PerMessage(bound)) if bound.hi().is_none() => Err(refused(
            "bounds up to a largest one are searched, and this delay has no end; write --delay LO..HI",
        )),
        (SynchronyModel::Unknown, _) => Ok(Synchrony::Always),
        (SynchronyModel::Eventual, _) if model != TimeModel::Ticks => {
            Err(refused("bounds that hold only eventually are searched tick by tick; add --time ticks"))
        }
        (SynchronyModel::Eventual, Delay::RoundTrip(_)) => Err(refused(
            "bounds that hold only eventually are bounds on single messages; write --delay LO..HI instead of a \
             round trip",
        )),
        (SynchronyModel::Eventual, Delay::PerMessage(_)) => {
            let BeforeStable { delay, losses } = timing.before().unwrap_or_default();
            Ok(Synchrony::Eventual(BeforeStable {
                delay: settings.before_delay.as_ref().map_or(delay, |given| given.value),
                losses: settings.before_loss.as_ref().map_or(losses, |given| given.value),
            }))
        }
    }
}
