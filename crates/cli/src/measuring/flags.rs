//! The flags of a measurement: the network, and how long and how exactly it is measured.

use super::network;
use crate::command_line::CommandLine;
use crate::raw_settings::RawValue;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper::quantities::{TimeSpan, Workers};
use watchkeeper::{Problem, SettingOrigin, did_you_mean};
use watchkeeper_sim::Nanos;
use watchkeeper_sim::quality::{MeasurePlan, MeasuredSubject, NetworkProfile, RareMistakes, SlowMembers};

const NETWORK: &str = "Network";
const MEASUREMENT: &str = "Measurement";

/// A day: nothing that is measured takes longer.
const LONGEST: u64 = 86_400_000_000_000;

/// The flags of the network.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NetworkFlags {
    /// How long messages take: constant:T, uniform:A,B, exp:MEAN, lognormal:MEDIAN,SIGMA, pareto:SCALE,SHAPE or
    /// weibull:SCALE,SHAPE [default: exp:20ms]
    #[arg(long, value_name = "DISTRIBUTION", help_heading = NETWORK)]
    pub(crate) delay: Option<String>,

    /// The share of messages that are lost, each for itself, such as 1% or 0.01 [default: 0]
    #[arg(long, value_name = "SHARE", help_heading = NETWORK)]
    pub(crate) loss: Option<String>,

    /// Losses in bursts, after Gilbert and Elliott: gilbert-elliott:TO_BAD,TO_GOOD,LOSS_GOOD,LOSS_BAD, with the
    /// probabilities to turn before each message and the share that is lost in each state
    #[arg(long, value_name = "MODEL", help_heading = NETWORK)]
    pub(crate) burst: Option<String>,

    /// Messages of a link never overtake each other
    #[arg(long, help_heading = NETWORK)]
    pub(crate) fifo: bool,

    /// Take delays and losses from a trace: a file of lines sent,received in seconds, the second empty for a message that
    /// was lost; or a directory of recordings
    #[arg(long, value_name = "FILE|DIR", help_heading = NETWORK, conflicts_with = "delay")]
    pub(crate) trace: Option<PathBuf>,

    /// Slow members, which are blocked now and then and handle what has come when they wake, such as
    /// 2:blocked=exp:2s,normal=exp:500ms; with ,timers=run behind it timers fire in time, and only messages wait
    #[arg(long, value_name = "COUNT:PHASES", help_heading = NETWORK)]
    pub(crate) slow: Option<String>,
}

/// The flags of a measurement.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MeasurementFlags {
    /// How long one unit of time is [default: the longest that divides 50ms and every duration given]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) tick: Option<String>,

    /// How near to its mean every interval shall be [default: 2%]
    #[arg(long, value_name = "SHARE", help_heading = MEASUREMENT)]
    pub(crate) precision: Option<String>,

    /// How often the intervals shall hold the truth [default: 99%]
    #[arg(long, value_name = "SHARE", help_heading = MEASUREMENT)]
    pub(crate) confidence: Option<String>,

    /// Stop after this time, however exact it is by then [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) timeout: Option<String>,

    /// Where all randomness comes from [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = MEASUREMENT)]
    pub(crate) seed: Option<String>,

    /// Simulate so many batches, whatever the precision; the seed and this number settle the result
    #[arg(long, value_name = "COUNT", help_heading = MEASUREMENT)]
    pub(crate) batches: Option<String>,

    /// Whether runs are split to find rare mistakes: auto (if plain runs show few), always or never [default: auto]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, default_missing_value = "always", help_heading = MEASUREMENT)]
    pub(crate) rare: Option<String>,

    /// What is simulated before it is looked at, in each batch [default: 100 times the longest duration]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) warm_up: Option<String>,

    /// How long it is then looked at, in each batch [default: up to 2000 times the longest duration]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) lasts: Option<String>,

    /// How many crashes are tried in each batch [default: up to 256]
    #[arg(long, value_name = "COUNT", help_heading = MEASUREMENT)]
    pub(crate) crashes: Option<String>,

    /// A crash that is not detected within this time counts as undetected [default: 200 times the longest duration]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) horizon: Option<String>,

    /// How long after the first the last process may begin; each draws its moment [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = MEASUREMENT)]
    pub(crate) stagger: Option<String>,

    /// How long the search for the proved bound on detection may take; none leaves it out [default: 10s]
    #[arg(long, value_name = "TIME|none", help_heading = MEASUREMENT)]
    pub(crate) bound: Option<String>,

    /// How many threads simulate; auto is one for each core [default: auto]
    #[arg(long, value_name = "COUNT", help_heading = MEASUREMENT)]
    pub(crate) workers: Option<String>,
}

impl NetworkFlags {
    /// The network.
    pub(crate) fn profile(&self) -> Result<NetworkProfile, Problem> {
        let delay = match (&self.trace, &self.delay) {
            (Some(path), _) => network::trace(path)?,
            (None, text) => network::delay("--delay", text.as_deref().unwrap_or(network::USUAL_DELAY))?,
        };
        Ok(NetworkProfile {
            delay,
            loss: self.loss.as_ref().map_or(Ok(0.0), |text| share("--loss", text))?,
            burst: self.burst.as_ref().map(|text| network::burst(text)).transpose()?,
            fifo: self.fifo,
        })
    }

    /// The slow members of a cluster of so many.
    pub(crate) fn slow(&self, n: usize) -> Result<Option<SlowMembers>, Problem> {
        self.slow.as_ref().map(|text| network::slow(text, n)).transpose()
    }

    /// Adds the flags to a command.
    pub(crate) fn add_to(&self, line: &mut CommandLine) {
        line.maybe("delay", self.delay.as_ref());
        line.maybe("trace", self.trace.as_ref().map(|path| path.display()));
        line.maybe("loss", self.loss.as_ref());
        line.maybe("burst", self.burst.as_ref());
        line.maybe("slow", self.slow.as_ref());
        if self.fifo {
            line.switch("fifo");
        }
    }

    /// The flags as they were given, for a report.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let trace = self.trace.as_ref().map(|path| path.display().to_string());
        let delay = || Some(self.delay.clone().unwrap_or_else(|| network::USUAL_DELAY.to_string()));
        let texts = [
            ("delay", if trace.is_some() { None } else { delay() }),
            ("trace", trace),
            ("loss", self.loss.clone()),
            ("burst", self.burst.clone()),
            ("slow", self.slow.clone()),
        ];
        texts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
    }
}

impl MeasurementFlags {
    /// The plan of a measurement.
    pub(crate) fn plan(
        &self,
        subject: MeasuredSubject,
        network: &Arc<NetworkProfile>,
        slow: Option<SlowMembers>,
    ) -> Result<MeasurePlan, Problem> {
        let seed = self.seed.as_ref().map_or(Ok(1), |text| number("--seed", text, 0))?;
        let usual = MeasurePlan::new(subject, Arc::clone(network), seed);
        let time = |flag: &str, text: &Option<String>, usual: u64| match text {
            Some(text) => span(flag, text),
            None => Ok(usual),
        };
        let workers: Workers =
            self.workers.as_ref().map_or(Ok(Workers::Auto), |text| given("--workers", text).parsed())?;
        let crashes = match &self.crashes {
            Some(text) => number("--crashes", text, 0)?.min(1_000_000) as usize,
            None => usual.crashes,
        };
        let positive =
            |flag: &str, value: f64, text: &Option<String>| match (value > 0.0 && value < 1.0, text) {
                (false, Some(text)) => Err(given(flag, text).refused("give a share above 0% and below 100%")),
                _ => Ok(value),
            };
        let read = |flag: &str, text: &Option<String>, usual: f64| {
            positive(flag, text.as_ref().map_or(Ok(usual), |text| share(flag, text))?, text)
        };
        Ok(MeasurePlan {
            slow,
            batches: self.batches.as_ref().map(|text| number("--batches", text, 2)).transpose()?,
            precision: read("--precision", &self.precision, usual.precision)?,
            confidence: read("--confidence", &self.confidence, usual.confidence)?,
            warm_up: time("--warm-up", &self.warm_up, usual.warm_up)?,
            lasts: time("--lasts", &self.lasts, usual.lasts)?.max(1),
            crashes,
            horizon: time("--horizon", &self.horizon, usual.horizon)?.max(1),
            stagger: time("--stagger", &self.stagger, 0)?,
            rare: self.rare.as_ref().map_or(Ok(RareMistakes::Auto), |text| rare(text))?,
            workers: workers.count(),
            ..usual
        })
    }

    /// Adds the flags that settle the figures to a command: the number of batches, if it is known, or else when to stop.
    pub(crate) fn add_to(&self, line: &mut CommandLine, plan: &MeasurePlan, batches: Option<u64>) {
        for (name, text) in [
            ("tick", &self.tick),
            ("confidence", &self.confidence),
            ("rare", &self.rare),
            ("warm-up", &self.warm_up),
            ("lasts", &self.lasts),
            ("crashes", &self.crashes),
            ("horizon", &self.horizon),
            ("stagger", &self.stagger),
            ("bound", &self.bound),
        ] {
            line.maybe(name, text.as_ref());
        }
        line.flag("seed", plan.seed);
        match batches {
            Some(batches) => line.flag("batches", batches),
            None => {
                line.maybe("precision", self.precision.as_ref());
                line.maybe("timeout", self.timeout.as_ref());
                line.maybe("batches", self.batches.as_ref());
            }
        }
    }

    /// How long it may take; with a number of batches, as long as these take.
    pub(crate) fn limit(&self) -> Result<Option<TimeSpan>, Problem> {
        match (&self.timeout, &self.batches) {
            (Some(text), _) => given("--timeout", text).parsed().map(Some),
            (None, Some(_)) => Ok(None),
            (None, None) => Ok(Some(TimeSpan(std::time::Duration::from_secs(30)))),
        }
    }

    /// How long the search for the bound may take, if there shall be one.
    pub(crate) fn bound_limit(&self) -> Result<Option<TimeSpan>, Problem> {
        match self.bound.as_deref() {
            None => Ok(Some(TimeSpan(std::time::Duration::from_secs(10)))),
            Some("none") => Ok(None),
            Some(text) => given("--bound", text).parsed().map(Some),
        }
    }
}

fn rare(text: &str) -> Result<RareMistakes, Problem> {
    match text {
        "auto" => Ok(RareMistakes::Auto),
        "always" => Ok(RareMistakes::Always),
        "never" => Ok(RareMistakes::Never),
        _ => {
            let meant = did_you_mean(text, ["auto", "always", "never"]);
            Err(given("--rare", text).refused(format!("`{text}` is not auto, always or never{meant}")))
        }
    }
}

/// A flag with its text.
pub(crate) fn given(flag: &str, text: &str) -> RawValue {
    RawValue { value: text.trim().to_string(), origin: SettingOrigin::Argument(flag.to_string()) }
}

/// A share, as 1% or 0.01.
pub(crate) fn share(flag: &str, text: &str) -> Result<f64, Problem> {
    let given = given(flag, text);
    let (number, percent) =
        given.value.strip_suffix('%').map_or((given.value.as_str(), 1.0), |number| (number, 100.0));
    let Some(value) = number.trim().parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return Err(given.refused(format!("`{text}` is not a share; write one like 1% or 0.01")));
    };
    let share = value / percent;
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(given.refused(format!("`{text}` is not between 0% and 100%; write a share like 1% or 0.01")))
}

/// A span of time in nanoseconds, up to a day.
pub(crate) fn span(flag: &str, text: &str) -> Result<u64, Problem> {
    let given = given(flag, text);
    let Nanos(ns) = given.parsed()?;
    if ns <= LONGEST { Ok(ns) } else { Err(given.refused("nothing here takes longer than a day (24h)")) }
}

fn number(flag: &str, text: &str, least: u64) -> Result<u64, Problem> {
    let given = given(flag, text);
    let number = given.value.replace('_', "").parse::<u64>().ok().filter(|number| *number >= least);
    number.ok_or_else(|| given.refused(format!("`{text}` is not a number; give one from {least} on")))
}
