//! Candidates for parameters, on a grid: the model is searched for whether each finds crashes in time, and each is measured
//! for how often it errs.

use super::target::Target;
use crate::asking::one;
use crate::clock::{Clock, Showing, is_over};
use crate::command_line::CommandLine;
use crate::measuring::{Contender, Measured, MeasurementFlags, NetworkFlags};
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper::bound::supposed;
use watchkeeper::choice::TargetMet;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::{Deadline, SearchOptions};
use watchkeeper::{Outcome, Problem, PropertySpec, SettingOrigin, TunedParams};
use watchkeeper_sim::Nanos;
use watchkeeper_sim::quality::{Estimate, MeasurePlan, NetworkProfile, QualityOfService};

/// The share of messages that may be longer on their way than the model has it.
const BEYOND: f64 = 1e-4;

/// How long one search may take.
const QUESTION: TimeSpan = TimeSpan(Duration::from_secs(10));

/// How many batches decide, one number after the other, until the interval leaves no doubt.
const BATCHES: [u64; 5] = [32, 128, 512, 2048, 8192];

/// All candidates: they differ in the period and in the patience.
pub(crate) struct Candidates<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: &'a ProtocolEntry,
    pub(crate) target: Target,
    pub(crate) tuned: TunedParams,
    /// What was given of the other parameters, and how many processes there are.
    pub(crate) given: BTreeMap<String, RawValue>,
    pub(crate) n: Option<RawValue>,
    pub(crate) network: &'a NetworkFlags,
    pub(crate) profile: Arc<NetworkProfile>,
    pub(crate) measurement: MeasurementFlags,
    /// The nanoseconds of a unit of time, and how many of them there are until a crash shall be found.
    pub(crate) tick: u64,
    pub(crate) steps: u32,
    pub(crate) deadline: &'a Deadline,
}

/// What was measured of a candidate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Judged {
    pub(crate) met: TargetMet,
    pub(crate) recurrence: Estimate,
    /// How often an answer is right.
    pub(crate) accuracy: Estimate,
    /// Messages per node and second.
    pub(crate) messages: f64,
}

impl Candidates<'_> {
    /// Whether the patience is a duration, and not a plain number.
    pub(crate) fn patience_is_time(&self) -> bool {
        self.entry.outline().durations.contains(&self.tuned.patience)
    }

    /// The parameters of a candidate as a person writes them.
    pub(crate) fn params(&self, period: u32, patience: u32) -> BTreeMap<String, RawValue> {
        let origin = || SettingOrigin::Call("a candidate");
        let time = |units: u32| Nanos(u64::from(units) * self.tick).to_string();
        let mut params = self.given.clone();
        params.insert(self.tuned.period.to_string(), RawValue { value: time(period), origin: origin() });
        let patience = if self.patience_is_time() { time(patience) } else { patience.to_string() };
        params.insert(self.tuned.patience.to_string(), RawValue { value: patience, origin: origin() });
        params
    }

    /// The candidate as something that can be measured.
    pub(crate) fn contender(&self, period: u32, patience: u32) -> Result<Contender<'_>, Problem> {
        let measurement =
            MeasurementFlags { tick: Some(Nanos(self.tick).to_string()), ..self.measurement.clone() };
        let params = self.params(period, patience);
        let network = (self.network, &self.profile);
        Contender::new(self.entry, (self.n.as_ref(), params), network, &measurement)
    }

    /// The longest delay that the model has, in units, and whether no message takes longer.
    pub(crate) fn delay(&self) -> (u64, bool) {
        let (longest, always) = self.profile.longest_delay(BEYOND);
        (longest.div_ceil(self.tick), always)
    }

    /// The settings of the model of a candidate.
    fn settings(&self, contender: &Contender<'_>, period: u32) -> RawSettings {
        let mut settings = contender.settings.clone();
        let origin = || SettingOrigin::Call("the model of a candidate");
        settings.set("delay", format!("0..{}", self.delay().0), origin());
        settings.set("channel", self.channels(period), origin());
        if self.loses() {
            settings.set("loss", "any".to_string(), origin());
        }
        settings
    }

    /// Whether messages are lost: a detector that learns from it to wait longer finds crashes later.
    pub(crate) fn loses(&self) -> bool {
        self.profile.lost_share() > 0.0
    }

    /// Channels with room for whatever can be on its way at once.
    fn channels(&self, period: u32) -> String {
        format!("unbounded:{}", self.delay().0 / u64::from(period.max(1)) + 2)
    }

    /// Whether a search of the model finds every crash in time.
    pub(crate) fn detects(&self, period: u32, patience: u32) -> Result<TargetMet, Problem> {
        if is_over(self.deadline).is_some() {
            return Ok(TargetMet::Unknown);
        }
        // What the protocol refuses to be is not among the candidates.
        let Ok(contender) = self.contender(period, patience) else { return Ok(TargetMet::Refused) };
        let settings = supposed(self.settings(&contender, period).read()?);
        let options = SearchOptions::of(&settings)?;
        let clock = Clock::start(Some(QUESTION), Showing::Nothing);
        let plan = self.entry.protocol.plan(&settings)?;
        let asked = PropertySpec::Detection { within: self.steps, pair: None };
        let (verdict, _) = one(self.program, self.entry, &plan, asked, &options, &clock)?;
        Ok(match verdict.outcome {
            Outcome::Holds(_) => TargetMet::Yes,
            Outcome::Violated(_) => TargetMet::No,
            Outcome::Unknown(_) => TargetMet::Unknown,
        })
    }

    /// Whether mistakes are rare enough, as far as the interval shows.
    pub(crate) fn judge(&self, period: u32, patience: u32) -> Result<Judged, Problem> {
        let contender = self.contender(period, patience)?;
        let usual = &contender.plan;
        let nothing = Estimate::default();
        let mut judged =
            Judged { met: TargetMet::Unknown, recurrence: nothing, accuracy: nothing, messages: 0.0 };
        for batches in BATCHES {
            // Crashes are the business of the search.
            let lasts = if batches == BATCHES[0] { usual.lasts / 64 } else { usual.lasts };
            let plan = MeasurePlan { batches: Some(batches), crashes: 1, lasts, ..contender.plan.clone() };
            let Some(found) = self.measured(&plan, &contender)? else { break };
            judged = self.judged(&found);
            if judged.met != TargetMet::Unknown {
                break;
            }
        }
        Ok(judged)
    }

    /// What an interval says of the target. A suspicion that never ends is no mistake that comes again, so whoever is wrong
    /// most of the time will not do, however seldom a mistake begins.
    pub(crate) fn judged(&self, found: &QualityOfService) -> Judged {
        let QualityOfService { mistake_recurrence, query_accuracy, messages, .. } = *found;
        let wanted = self.target.mistakes.recurrence;
        let met = match (mistake_recurrence.low, mistake_recurrence.high) {
            _ if is_mostly_wrong(&query_accuracy) => TargetMet::No,
            (Some(low), _) if low >= wanted => TargetMet::Yes,
            (_, Some(high)) if high < wanted => TargetMet::No,
            _ => TargetMet::Unknown,
        };
        Judged { met, recurrence: mistake_recurrence, accuracy: query_accuracy, messages }
    }

    /// Measures a candidate once more, with another seed, as exactly as `measure` does.
    pub(crate) fn confirmed(&self, period: u32, patience: u32, quiet: bool) -> Result<Measured, Problem> {
        let mut contender = self.contender(period, patience)?;
        contender.plan.seed = contender.plan.seed.wrapping_add(1);
        contender.measured(self.program, &self.measurement, quiet)
    }

    /// The commands that confirm a candidate, by search and by simulation.
    pub(crate) fn commands(&self, contender: &Contender<'_>, period: u32) -> Vec<String> {
        let (name, tick) = (self.entry.name(), Nanos(self.tick));
        let n = self.n.as_ref().map(|n| &n.value);
        let mut bound = CommandLine::new(&self.program.name, &["bound", name]);
        bound.maybe("n", n);
        contender.settings.params.iter().for_each(|(name, given)| bound.param(name, &given.value));
        bound.flag("delay", format!("0..{}", self.delay().0));
        bound.flag("channel", self.channels(period));
        bound.maybe("loss", self.loses().then_some("any"));
        bound.flag("tick", tick);
        let mut measure = CommandLine::new(&self.program.name, &["measure", name]);
        measure.maybe("n", n);
        contender
            .given
            .iter()
            .for_each(|(name, given)| measure.flag("param", format!("{name}={}", given.value)));
        self.network.add_to(&mut measure);
        measure.flag("tick", tick);
        vec![bound.to_string(), measure.to_string()]
    }

    fn measured(
        &self,
        plan: &MeasurePlan,
        contender: &Contender<'_>,
    ) -> Result<Option<QualityOfService>, Problem> {
        let watch = |_: &_| match is_over(self.deadline) {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        };
        match plan.measure(&watch) {
            Ok(found) if Some(found.batches) >= plan.batches || is_over(self.deadline).is_none() => {
                Ok(Some(found))
            }
            Err(why) if is_over(self.deadline).is_none() => {
                Err(Problem::Usage(format!("{}: {why}", contender.entry.name())))
            }
            _ => Ok(None),
        }
    }
}

/// Whether answers are wrong more often than right.
pub(crate) fn is_mostly_wrong(accuracy: &Estimate) -> bool {
    accuracy.mean.is_some_and(|share| share < 0.5)
}
