//! The description of a protocol whose durations may be unknown: how it is built, its default environment and its
//! properties, in the same terms as [`Description`](crate::Description), so that the same functions serve both.

use crate::params::Params;
use crate::problem::Problem;
use crate::regions::RegionQuestion;
use crate::regions::models::models;
use watchkeeper_core::{Completeness, Pid, Promises, Protocol};
use watchkeeper_regions::{Linear, Model, TypedModel};
use watchkeeper_world::Scenario;

/// A protocol over durations that may be unknown.
///
/// A protocol that is generic over [`Time`](watchkeeper_core::Time) implements it for `Mine<Linear>`, and its
/// [`Description`](crate::Description) says so with
/// [`parametric::<Mine<Linear>>()`](crate::Description::parametric).
pub trait Parametric: Promises<Linear> + Clone {
    /// Its description.
    fn parametric() -> ParametricDescription<Self>;
}

/// The description of a protocol over unknown durations. Only the function that builds it is required.
pub struct ParametricDescription<S: Promises<Linear>> {
    pub(crate) name: &'static str,
    pub(crate) build: BuildParametric<S>,
    pub(crate) environment: fn(&S, usize) -> Scenario<Linear>,
    pub(crate) calls: ParametricCalls<S>,
    pub(crate) requirements: Vec<ParametricRequirement<S>>,
    pub(crate) properties: Vec<(&'static str, StatesPredicate<S>)>,
    pub(crate) completeness: Option<Completeness>,
}

/// The protocol for `n` of what it counts, with these parameters.
pub type BuildParametric<S> = fn(usize, &Params) -> Result<S, Problem>;

/// What clients ask in a system of so many processes: of whom, what, and how often.
pub type ParametricCalls<S> = fn(&S, usize) -> Vec<(Pid, <S as Protocol<Linear>>::Call, u32)>;

/// A condition on the states of all processes, `None` for one that has crashed.
pub type StatesPredicate<S> = fn(&S, &[Option<&<S as Protocol<Linear>>::State>]) -> bool;

/// What runs should be like beyond single states.
pub struct ParametricRequirement<S: Promises<Linear>> {
    /// Its name.
    pub name: &'static str,
    /// The model with an observer of it; `None` if it says nothing of this process, or has no bound to give.
    pub observed: fn(TypedModel<S>, RequirementQuery) -> Option<TypedModel<S>>,
}

/// What is asked of a requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RequirementQuery {
    /// The process that it is asked of, if it is one.
    pub of: Option<Pid>,
    /// The bound in place of its own, if the bound itself is a parameter.
    pub bound: Option<Linear>,
}

impl<S: Promises<Linear>> ParametricDescription<S> {
    /// A protocol of this name, and how it is built for so many processes and these parameters.
    pub fn new(name: &'static str, build: BuildParametric<S>) -> ParametricDescription<S> {
        ParametricDescription {
            name,
            build,
            environment: |_, n| Scenario::new(n).with_time(watchkeeper_world::WorldTime::Untimed),
            calls: |_, _| Vec::new(),
            requirements: Vec::new(),
            properties: Vec::new(),
            completeness: None,
        }
    }

    /// The default environment of so many processes.
    #[must_use]
    pub fn environment(self, environment: fn(&S, usize) -> Scenario<Linear>) -> ParametricDescription<S> {
        ParametricDescription { environment, ..self }
    }

    /// What clients ask.
    #[must_use]
    pub fn calls(self, calls: ParametricCalls<S>) -> ParametricDescription<S> {
        ParametricDescription { calls, ..self }
    }

    /// What runs should be like beyond single states.
    #[must_use]
    pub fn requirement(
        mut self,
        name: &'static str,
        observed: fn(TypedModel<S>, RequirementQuery) -> Option<TypedModel<S>>,
    ) -> ParametricDescription<S> {
        self.requirements.push(ParametricRequirement { name, observed });
        self
    }

    /// In every state, the test is true.
    #[must_use]
    pub fn always(mut self, name: &'static str, test: StatesPredicate<S>) -> ParametricDescription<S> {
        self.properties.push((name, test));
        self
    }

    /// Announcements tell suspicions, and this is who has to find out about a crash: `accuracy`, `mistakes:K` and
    /// `detection` can be asked.
    #[must_use]
    pub fn complete(self, completeness: Completeness) -> ParametricDescription<S> {
        ParametricDescription { completeness: Some(completeness), ..self }
    }

    /// The properties that are asked where nobody names one.
    pub(crate) fn usual(&self, bound: bool) -> Vec<String> {
        let required = self.requirements.iter().map(|requirement| requirement.name);
        let own: Vec<&str> = self.properties.iter().map(|(name, _)| *name).chain(required).collect();
        let of_detectors = match (self.completeness.is_some(), bound) {
            (true, true) => &["detection"][..],
            (true, false) if own.is_empty() => &["accuracy"][..],
            _ => &[],
        };
        if bound && !of_detectors.is_empty() && own.is_empty() {
            return vec!["detection".to_string()];
        }
        own.iter()
            .chain(if own.is_empty() { of_detectors } else { &[] })
            .map(|name| name.to_string())
            .collect()
    }

    /// All that can be asked.
    pub(crate) fn known(&self) -> Vec<String> {
        let required = self.requirements.iter().map(|requirement| requirement.name);
        let own = self.properties.iter().map(|(name, _)| *name).chain(required);
        let of_detectors = ["accuracy[:pY]", "mistakes:K", "detection[:B]"];
        let of_detectors = of_detectors.iter().filter(|_| self.completeness.is_some()).copied();
        own.chain(of_detectors).map(str::to_string).collect()
    }
}

/// A [`ParametricDescription`] whose type is forgotten.
pub trait ErasedParametric {
    /// The properties that are asked where nobody names one; `bound` says whether a bound is unknown.
    fn usual(&self, bound: bool) -> Vec<String>;

    /// The models of the protocol for `n` of what it counts: one for each part of the parameters for which its
    /// configuration falls apart.
    fn models(
        &self,
        n: usize,
        params: &Params,
        question: &RegionQuestion,
        property: &str,
    ) -> Result<Vec<Model>, Problem>;
}

impl<S: Parametric> ErasedParametric for ParametricDescription<S> {
    fn usual(&self, bound: bool) -> Vec<String> {
        ParametricDescription::usual(self, bound)
    }

    fn models(
        &self,
        n: usize,
        params: &Params,
        question: &RegionQuestion,
        property: &str,
    ) -> Result<Vec<Model>, Problem> {
        models(self, &|| (self.build)(n, params), n, question, property)
    }
}
