//! A protocol with its parameters that is measured, and what came of it.

use super::flags::{MeasurementFlags, NetworkFlags};
use super::proved::ProvedBound;
use super::units::ticked;
use crate::clock::{ProgressScreen, Showing, is_over};
use crate::command_line::CommandLine;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper::search_options::Deadline;
use watchkeeper_logic::Limit;
use watchkeeper_report::thousands;
use watchkeeper_sim::quality::{
    MeasureError, MeasurePlan, MeasureProgress, NetworkProfile, QualityOfService,
};

/// A protocol that is measured.
pub(crate) struct Contender<'a> {
    pub(crate) entry: &'a ProtocolEntry,
    /// The parameters as they were given.
    pub(crate) given: BTreeMap<String, RawValue>,
    /// The settings of the model, durations in ticks.
    pub(crate) settings: RawSettings,
    pub(crate) plan: MeasurePlan,
}

/// What came of a measurement.
pub(crate) struct Measured {
    pub(crate) found: QualityOfService,
    /// What ended it, if not its precision or its number of batches.
    pub(crate) limit: Option<Limit>,
    pub(crate) seconds: f64,
    pub(crate) bound: Option<ProvedBound>,
}

impl<'a> Contender<'a> {
    /// A protocol with these parameters, measured as the flags say.
    pub(crate) fn new(
        entry: &'a ProtocolEntry,
        (n, given): (Option<&RawValue>, BTreeMap<String, RawValue>),
        (network, profile): (&NetworkFlags, &Arc<NetworkProfile>),
        measurement: &MeasurementFlags,
    ) -> Result<Contender<'a>, Problem> {
        let ticked = ticked(entry.outline(), &given, measurement.tick.as_deref())?;
        let mut settings = RawSettings::default();
        settings.params = ticked.params;
        if let Some(n) = n {
            settings.set("n", n.value.clone(), n.origin.clone());
        }
        let subject = entry.protocol.measured(&settings.read()?, ticked.tick)?;
        let slow = network.slow(subject.n)?;
        let plan = measurement.plan(subject, profile, slow)?;
        Ok(Contender { entry, given, settings, plan })
    }

    /// Measures it under the eyes of the user, and then looks for its bound.
    pub(crate) fn measured(
        &self,
        program: &Program,
        measurement: &MeasurementFlags,
        quiet: bool,
    ) -> Result<Measured, Problem> {
        let deadline = Deadline::new(measurement.limit()?);
        let screen = ProgressScreen::new(Showing::fitting(quiet));
        let watch = |progress: &MeasureProgress| {
            screen.draw(Duration::from_millis(500), |_| self.progress(progress, deadline.seconds()));
            if is_over(&deadline).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = self.plan.measure(&watch);
        screen.finish();
        let seconds = deadline.seconds();
        let found = found.map_err(|why| match why {
            MeasureError::TooShort => Problem::Usage(format!(
                "{}: there was no time for two batches; give --timeout more, or --lasts and --warm-up less",
                self.entry.name()
            )),
            why => Problem::Usage(format!("{}: {why}", self.entry.name())),
        })?;
        let done = self.plan.batches.map_or(found.is_precise(), |batches| batches == found.batches);
        let limit = if done { None } else { is_over(&deadline) };
        let bound = match (&limit, measurement.bound_limit()?) {
            (Some(Limit::Interrupted), _) | (_, None) => None,
            (_, Some(limit)) => {
                let system = (self.plan.subject.n, self.plan.subject.tick, &*self.plan.network);
                Some(ProvedBound::hunt(program, self.entry, &self.settings, system, limit))
            }
        };
        Ok(Measured { found, limit, seconds, bound })
    }

    /// The command that gives the same figures of it again: those of so many batches.
    pub(crate) fn again(
        &self,
        program: &Program,
        (network, measurement): (&NetworkFlags, &MeasurementFlags),
        batches: u64,
    ) -> String {
        let mut line = CommandLine::new(&program.name, &["measure", self.entry.name()]);
        line.maybe("n", self.settings.given("n").map(|n| &n.value));
        self.given.iter().for_each(|(name, given)| line.flag("param", format!("{name}={}", given.value)));
        network.add_to(&mut line);
        measurement.add_to(&mut line, &self.plan, Some(batches));
        line.to_string()
    }

    fn progress(&self, progress: &MeasureProgress, seconds: f64) -> String {
        format!(
            "{}: {} batches, {} mistakes, {} events/s{}",
            self.entry.name(),
            thousands(progress.batches),
            thousands(progress.mistakes),
            thousands((progress.events as f64 / seconds.max(1e-9)) as u64),
            if progress.splits { ", splitting" } else { "" }
        )
    }

    /// The name with its parameters, such as nfd-s:eta=1s,delta=50ms.
    pub(crate) fn name(&self) -> String {
        let params: Vec<String> =
            self.given.iter().map(|(name, given)| format!("{name}={}", given.value)).collect();
        match params.as_slice() {
            [] => self.entry.name().to_string(),
            params => format!("{}:{}", self.entry.name(), params.join(",")),
        }
    }
}
