//! For which values of these timeouts is a protocol right? The exact regions of its parameters, from the code that runs:
//! described by [`Parametric`], asked by [`regions`] from `cargo test`, or by a command line.

mod models;
mod parametric;
mod question;

pub use parametric::{
    BuildParametric, ErasedParametric, Parametric, ParametricCalls, ParametricDescription,
    ParametricRequirement, RequirementQuery, StatesPredicate,
};
pub use question::{BOUND, DELAY, DELAY_MIN, OF_ENVIRONMENT, PROCESSING, ROUND_TRIP, RegionQuestion};
pub use watchkeeper_regions::{
    Condition, FacetPoints, FailingPiece, Linear, Model, RegionAnswer, RegionLimits, RegionProgress,
    beside_facets, simplest,
};

use crate::problem::{Problem, SettingOrigin};
use crate::search_options::{Deadline, SearchOptions};
use crate::settings::{Settings, Sourced};
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_polyhedra::{Polyhedron, Ratio};
use watchkeeper_regions::same_region;

/// Regions that are asked for, with one method for each setting of a check.
///
/// ```
/// # use watchkeeper::protocols::chandra_toueg::{ChandraToueg, ChandraTouegError};
/// # use watchkeeper::{Channel, Linear, regions};
/// let (period, timeout) = ("period".into(), "timeout".into());
/// let detector = ChandraToueg::<Linear>::new(2, period, timeout)?.capped(timeout)?;
/// regions(detector)
///     .n(2)
///     .param("period")
///     .param("timeout")
///     .param("delay")
///     .channel(Channel::Unbounded(4))
///     .given("delay <= period")
///     .property("accuracy")
///     .assert_holds_iff("timeout > period + delay");
/// # Ok::<(), ChandraTouegError<Linear>>(())
/// ```
#[derive(Clone)]
#[must_use = "regions are not searched until they are asked for"]
pub struct RegionsBuilder {
    name: &'static str,
    usual: Vec<String>,
    models: Arc<ModelsFn>,
    pub(crate) settings: Settings,
    unknown: Vec<Sourced<String>>,
    given: Vec<Sourced<String>>,
}

type ModelsFn = dyn Fn(&RegionQuestion, &str) -> Result<Vec<Model>, Problem>;

/// The regions of a protocol whose durations are linear expressions over named parameters. Parameters that nobody names
/// with [`param`](RegionsBuilder::param) are refused. The parameters of the protocol are positive; what else its
/// constructor asks of them is for [`given`](RegionsBuilder::given) to say.
pub fn regions<S: Parametric>(protocol: S) -> RegionsBuilder {
    let description = S::parametric();
    let (name, usual) = (description.name, description.usual(false));
    let models = move |question: &RegionQuestion, property: &str| {
        let n = question.settings.n.as_ref().map_or(3, |given| given.value);
        models::models(&description, &|| Ok(protocol.clone()), n, question, property)
    };
    RegionsBuilder {
        name,
        usual,
        models: Arc::new(models),
        settings: Settings::default(),
        unknown: Vec::new(),
        given: Vec::new(),
    }
}

impl RegionsBuilder {
    /// One more unknown parameter: one of the protocol, or of the environment, such as `delay` or `bound`.
    pub fn param(mut self, name: &str) -> RegionsBuilder {
        self.unknown.push(Sourced { value: name.to_string(), origin: SettingOrigin::Call("param") });
        self
    }

    /// A condition on the parameters, such as `tmax <= 16*tmin`.
    pub fn given(mut self, condition: &str) -> RegionsBuilder {
        self.given.push(Sourced { value: condition.to_string(), origin: SettingOrigin::Call("given") });
        self
    }

    /// Searches, and gives the regions.
    pub fn run(&self) -> Result<RegionAnswer, Problem> {
        let mut question = RegionQuestion {
            settings: self.settings.clone(),
            unknown: self.unknown.clone(),
            given: self.given.clone(),
        };
        // Whoever built the protocol compared its parameters as if they were positive.
        let of_protocol = |name: &str| !OF_ENVIRONMENT.iter().any(|(known, _)| *known == name);
        for name in self.unknown.iter().map(|unknown| &unknown.value).filter(|name| of_protocol(name)) {
            let value = format!("{} > 0", models::symbol(name));
            question.given.push(Sourced { value, origin: SettingOrigin::Call("param") });
        }
        let property = match question.settings.property.take() {
            Some(given) => given.value.first().map(ToString::to_string),
            None => self.usual.first().cloned(),
        };
        let property =
            property.ok_or_else(|| Problem::Usage("there is no property to ask for".to_string()))?;
        let models = (self.models)(&question, &property).map_err(Problem::in_rust)?;
        answer(&models, &self.settings)
    }

    /// Asserts that the property holds exactly where the condition does, and gives the regions.
    ///
    /// # Panics
    /// If it does not, with the regions and a point where the two differ; or if there is no answer, with the reason.
    #[track_caller]
    pub fn assert_holds_iff(&self, condition: &str) -> RegionAnswer {
        let found = match self.run() {
            Ok(found) => found,
            Err(problem) => panic!("{}: no regions: {problem}", self.name),
        };
        match difference(&found, condition) {
            Ok(None) => found,
            Ok(Some(why)) => panic!("{}: {why}", self.name),
            Err(problem) => panic!("{}: no regions: {problem}", self.name),
        }
    }
}

/// The regions of these models, within the limits of the settings.
pub fn answer(models: &[Model], settings: &Settings) -> Result<RegionAnswer, Problem> {
    let options = SearchOptions::of(settings)?;
    let watch = Deadline::new(options.timeout);
    let states =
        settings.max_states.as_ref().map_or(RegionLimits::default().states, |given| given.value as usize);
    let limits = RegionLimits { states, ..RegionLimits::default() };
    let mut callback = |_: &RegionProgress| {
        if watch.passed().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    RegionAnswer::of(models, limits, &mut callback).map_err(|trouble| Problem::Undecided(trouble.to_string()))
}

/// The formula of the good side: where the property holds, within the domain.
pub fn holds_iff(found: &RegionAnswer) -> Result<String, Problem> {
    let overflow = |_| Problem::Undecided("the numbers of the formula are too large".to_string());
    let rest: Vec<Polyhedron> = found.fails.iter().chain(&found.undecided).cloned().collect();
    let condition = simplest(&found.holds, &rest, &found.domain, &found.parameters).map_err(overflow)?;
    Ok(condition.text(&found.parameters))
}

/// Why the regions are not those of a condition, if they are not.
fn difference(found: &RegionAnswer, condition: &str) -> Result<Option<String>, Problem> {
    let overflow = |_| Problem::Undecided("the numbers of the formula are too large".to_string());
    let wanted =
        Condition::parse(condition, &found.parameters).map_err(|why| Problem::Usage(why.to_string()))?;
    let wanted = wanted.regions().map_err(overflow)?;
    if !found.undecided.is_empty() {
        let limits = found.limits.join("; ");
        return Ok(Some(format!(
            "undecided for some parameters ({limits}); holds where {}",
            holds_iff(found)?
        )));
    }
    let apart = same_region(&found.holds, &wanted, &found.domain).map_err(overflow)?;
    let Some(point) = apart else { return Ok(None) };
    let values = |(name, value): (&String, &Ratio)| format!("{name} = {value}");
    let point: Vec<String> = found.parameters.iter().zip(&point).map(values).collect();
    Ok(Some(format!(
        "holds iff {}, and not iff {condition}: they differ at {}",
        holds_iff(found)?,
        point.join(", ")
    )))
}
