//! How time passes in a check: the settings that speak of time become the time of a world. In an untimed
//! check they are refused, so that nobody believes in a bound that nothing looks at.

use crate::command_line::CommandLine;
use crate::problem::Problem;
use crate::settings::{Given, Settings};
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::Bound;
use watchkeeper_world::{Before, Delay, Simultaneous, Synchrony, Time, Timing};

/// The settings that only mean something where there is time.
const TIMED: [&str; 8] = [
    "delay",
    "round-trip",
    "processing",
    "simultaneous",
    "speed",
    "synchrony",
    "before-delay",
    "before-loss",
];

/// The word of `--time`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Model {
    Untimed,
    Ticks,
    Dense,
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        match text {
            "untimed" => Ok(Model::Untimed),
            "ticks" => Ok(Model::Ticks),
            "dense" => Ok(Model::Dense),
            _ => Err(format!("`{text}` is not a way in which time passes; write untimed, ticks or dense")),
        }
    }
}

/// The word of `--synchrony`: since when bounds hold, and whether the protocol knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Since {
    Always,
    Eventual,
    Unknown,
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Since, String> {
        match text {
            "always" => Ok(Since::Always),
            "eventual" => Ok(Since::Eventual),
            "unknown" => Ok(Since::Unknown),
            _ => Err(format!(
                "`{text}` does not say since when bounds hold; write always, eventual for bounds that hold from \
                 some moment on, or unknown for bounds up to those given"
            )),
        }
    }
}

/// A bound as users write it: `1..3`, `1,3`, `2` for exactly 2, `1..` or `1..inf` without an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval(pub(crate) Bound);

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Interval, String> {
        let wrong = || {
            format!(
                "`{text}` is not a span of time; write LO..HI such as 1..3, or 2 for exactly 2, or 1.. for 1 or more"
            )
        };
        let number = |word: &str| word.trim().replace('_', "").parse::<u32>().map_err(|_| wrong());
        let Some((lo, hi)) = text.split_once("..").or_else(|| text.split_once(',')) else {
            return number(text).map(Bound::exactly).map(Interval);
        };
        let lo = number(lo)?;
        if ["", "inf"].contains(&hi.trim()) && text.contains("..") {
            return Ok(Interval(Bound::at_least(lo)));
        }
        let hi = number(hi)?;
        let empty = || format!("{lo} is above {hi}, so nothing lies between; write {hi}..{lo}");
        Bound::new(lo, hi).map(Interval).ok_or_else(empty)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.lo(), self.0.hi()) {
            (lo, Some(hi)) if lo == hi => write!(f, "{lo}"),
            (lo, Some(hi)) => write!(f, "{lo}..{hi}"),
            (lo, None) => write!(f, "{lo}.."),
        }
    }
}

/// The time that the settings ask for, of a protocol that usually has this one.
pub(crate) fn time(settings: &Settings, usual: Time) -> Result<Time, Problem> {
    let model = match (settings.value("time")?, usual) {
        (Some(model), _) => model,
        (None, Time::Untimed) => Model::Untimed,
        (None, Time::Ticks(_)) => Model::Ticks,
        (None, Time::Dense(_)) => Model::Dense,
    };
    if model == Model::Untimed {
        let idle = TIMED.iter().find_map(|name| settings.given(name));
        return idle.map_or(Ok(Time::Untimed), |given| {
            Err(given.refused(
                "this check is untimed, so nothing looks at durations; add --time ticks or --time dense, or \
                 leave this out",
            ))
        });
    }
    let mut timing = usual.timing().unwrap_or(Timing::per_message(Bound::exactly(0)));
    timing.delay = match (settings.given("delay"), settings.given("round-trip")) {
        (Some(_), Some(given)) => {
            return Err(given.refused(
                "a message has a delay of its own or shares a round trip with its reply; leave out \
                 --delay or --round-trip",
            ));
        }
        (Some(given), None) => Delay::PerMessage(given.parsed::<Interval>()?.0),
        (None, Some(given)) => Delay::RoundTrip(round_trip(given)?),
        (None, None) if usual.timing().is_some() => timing.delay,
        (None, None) => {
            let why = "a timed check has to know how long messages are on their way: add --delay LO..HI or \
                       --round-trip T";
            let given = settings.given("time");
            return Err(given.map_or_else(|| Problem::Usage(why.to_string()), |given| given.refused(why)));
        }
    };
    if let Some(processing) = settings.value::<Interval>("processing")? {
        timing.processing = processing.0;
    }
    timing.simultaneous = settings.value("simultaneous")?.unwrap_or(timing.simultaneous);
    timing.speed = settings.given("speed").map(speed).transpose()?.unwrap_or(timing.speed);
    timing.synchrony = synchrony(settings, model, &timing)?;
    Ok(match model {
        Model::Dense => Time::Dense(timing),
        _ => Time::Ticks(timing),
    })
}

/// Whether the bounds of the settings are only the largest that there may be, and the protocol does not know which
/// hold: the time is then that of the largest ones.
pub(crate) fn unknown(settings: &Settings) -> Result<bool, Problem> {
    Ok(settings.value("synchrony")? == Some(Since::Unknown))
}

/// Since when the bounds on messages hold; `timing` has the bounds.
fn synchrony(settings: &Settings, model: Model, timing: &Timing) -> Result<Synchrony, Problem> {
    let since = match (settings.value("synchrony")?, timing.before()) {
        (Some(since), _) => since,
        (None, None) => Since::Always,
        (None, Some(_)) => Since::Eventual,
    };
    let early = ["before-delay", "before-loss"].iter().find_map(|name| settings.given(name));
    let refused = |why: &str| {
        let given = settings.given("synchrony");
        given.map_or_else(|| Problem::Usage(why.to_string()), |given| given.refused(why))
    };
    if let (Some(given), true) = (early, since != Since::Eventual) {
        return Err(given.refused(
            "only a network that has yet to stabilise has a before; add --synchrony eventual, or leave this out",
        ));
    }
    match (since, timing.delay) {
        (Since::Always, _) => Ok(Synchrony::Always),
        (Since::Unknown, Delay::PerMessage(bound)) if bound.hi().is_none() => Err(refused(
            "bounds up to a largest one are searched, and this delay has no end; write --delay LO..HI",
        )),
        (Since::Unknown, _) => Ok(Synchrony::Always),
        (Since::Eventual, _) if model != Model::Ticks => {
            Err(refused("bounds that hold only eventually are searched tick by tick; add --time ticks"))
        }
        (Since::Eventual, Delay::RoundTrip(_)) => Err(refused(
            "bounds that hold only eventually are bounds on single messages; write --delay LO..HI instead of a \
             round trip",
        )),
        (Since::Eventual, Delay::PerMessage(_)) => {
            let Before { delay, losses } = timing.before().unwrap_or_default();
            Ok(Synchrony::Eventual(Before {
                delay: settings.value::<Interval>("before-delay")?.map_or(delay, |interval| interval.0),
                losses: settings.switch("before-loss")?.unwrap_or(losses),
            }))
        }
    }
}

fn speed(given: &Given) -> Result<u32, Problem> {
    let speed = given.text.trim().replace('_', "").parse().ok().filter(|speed| *speed > 0);
    let wrong = || {
        format!(
            "`{}` does not say how many times too slow a process may be; write a number from 1 on",
            given.text
        )
    };
    speed.ok_or_else(|| given.refused(wrong()))
}

fn round_trip(given: &Given) -> Result<u32, Problem> {
    let digits = given.text.trim().replace('_', "");
    digits.parse().map_err(|_| given.refused(format!("`{}` is not a whole number from 0 on", given.text)))
}

/// Adds the flags that say this time, of a protocol that usually has that one.
pub(crate) fn add_to(line: &mut CommandLine, time: Time, usual: Time) {
    let Some(timing) = time.timing() else {
        if usual != Time::Untimed {
            line.flag("time", time.name());
        }
        return;
    };
    line.flag("time", time.name());
    match timing.delay {
        Delay::PerMessage(bound) => line.flag("delay", Interval(bound)),
        Delay::RoundTrip(most) => line.flag("round-trip", most),
    }
    let usually = usual.timing().unwrap_or(Timing::per_message(Bound::exactly(0)));
    if timing.processing != usually.processing || timing.processing != Bound::exactly(0) {
        line.flag("processing", Interval(timing.processing));
    }
    if timing.simultaneous != usually.simultaneous || timing.simultaneous != Simultaneous::AnyOrder {
        line.flag("simultaneous", timing.simultaneous);
    }
    if timing.speed != usually.speed || timing.speed != 1 {
        line.flag("speed", timing.speed);
    }
    match (timing.before(), usually.before()) {
        (None, None) => {}
        (None, Some(_)) => line.flag("synchrony", "always"),
        (Some(before), usually) => {
            line.flag("synchrony", "eventual");
            line.flag("before-delay", Interval(before.delay));
            match (before.losses, usually.is_some_and(|before| before.losses)) {
                (true, _) => line.switch("before-loss"),
                (false, true) => line.switch("before-loss=false"),
                (false, false) => {}
            }
        }
    }
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
