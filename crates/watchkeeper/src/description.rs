//! The description of a protocol that can be checked: its name, how it is built, and optional parts such as
//! parameters, properties and a default environment. The built-in protocols describe themselves in the same way.

mod detector;

pub use detector::{Detector, Stopped, Suspects, TimeoutGrowth};

use crate::deciding::Deciding;
use crate::grouping::Grouping;
use crate::params::{Param, Params, ProtocolForm, TunedParams};
use crate::problem::Problem;
use crate::regions::{ErasedParametric, Parametric};
use std::fmt;
use watchkeeper_core::{Assumption, MAX_PROCESSES, Pid, Promises, Protocol};
use watchkeeper_logic::Formula;
use watchkeeper_protocols::detection::Staggered;
use watchkeeper_space::Shape;
use watchkeeper_world::{Global, Scenario, StageRules, TypedWorld, WorldError};

/// A protocol that can be checked, by name or as a value.
///
/// It is cloned for properties to look at, so it should be plain configuration.
pub trait Described: Promises + Clone + Send + 'static {
    /// Its description.
    fn description() -> Description<Self>;
}

/// The description of a protocol. Only its name, its one-line text and the function that builds it are required.
pub struct Description<P: Promises> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) build: Build<P>,
    pub(crate) processes: usize,
    pub(crate) sizes: (usize, usize),
    pub(crate) members: Option<usize>,
    pub(crate) counted: &'static str,
    pub(crate) forms: Vec<ProtocolForm>,
    pub(crate) params: Vec<Param>,
    pub(crate) durations: Vec<&'static str>,
    pub(crate) tuned: Option<TunedParams>,
    pub(crate) environment: fn(&P, usize) -> Scenario,
    pub(crate) clients: ClientsFn<P>,
    pub(crate) properties: Vec<StateProperty<P>>,
    pub(crate) requirements: Vec<Requirement<P>>,
    pub(crate) claims: Vec<TemporalClaim>,
    pub(crate) atoms: fn(TypedWorld<P>) -> TypedWorld<P>,
    pub(crate) stages: Option<StageRules<P>>,
    pub(crate) endless: fn(&P, &Scenario) -> bool,
    pub(crate) ends: bool,
    pub(crate) symmetric: bool,
    pub(crate) detector: Option<Detector<P>>,
    pub(crate) absent: fn(&P) -> Vec<String>,
    pub(crate) cautions: fn(&P, &Scenario) -> Vec<(&'static str, String)>,
    pub(crate) live: Live<P>,
    pub(crate) parametric: Option<fn() -> Box<dyn ErasedParametric>>,
}

/// The protocol for `n` of what it counts, with these parameters.
pub type Build<P> = fn(usize, &Params) -> Result<P, Problem>;

impl<P: Promises> Description<P> {
    /// A protocol of this name, in one line, and how it is built for so many processes, at least 2, and these
    /// parameters.
    pub fn new(name: &'static str, about: &'static str, build: Build<P>) -> Description<P> {
        Description {
            name,
            about,
            build,
            processes: 3,
            sizes: (2, MAX_PROCESSES),
            members: None,
            counted: "processes",
            forms: Vec::new(),
            params: Vec::new(),
            durations: Vec::new(),
            tuned: None,
            environment: |_, n| Scenario::new(n),
            clients: |_, _, _| Ok(vec![Clients::of(Vec::new())]),
            properties: Vec::new(),
            requirements: Vec::new(),
            claims: Vec::new(),
            atoms: |world| world,
            stages: None,
            endless: |_, _| false,
            ends: false,
            symmetric: false,
            detector: None,
            absent: |_| Vec::new(),
            cautions: |_, _| Vec::new(),
            live: Live::default(),
            parametric: None,
        }
    }

    /// The default number of processes: 3 unless it is set here.
    #[must_use]
    pub fn processes(self, processes: usize) -> Description<P> {
        Description { processes, ..self }
    }

    /// The least and the most that the number can be: 2 and what a world has room for by default.
    #[must_use]
    pub fn sizes(self, least: usize, most: usize) -> Description<P> {
        Description { sizes: (least, most), ..self }
    }

    /// The most members of a cluster that is measured, if these may be more than what a world has room for.
    #[must_use]
    pub fn members(self, most: usize) -> Description<P> {
        Description { members: Some(most), ..self }
    }

    /// What the number counts, if not all processes; the [`environment`](Description::environment) then says how many
    /// processes there are.
    #[must_use]
    pub fn counted(self, counted: &'static str) -> Description<P> {
        Description { counted, ..self }
    }

    /// If this is a family of protocols: a member, which is known by a name of its own in place of that of the family.
    #[must_use]
    pub fn form(mut self, form: ProtocolForm) -> Description<P> {
        self.forms.push(form);
        self
    }

    /// The same protocol with unknown durations is `S`, so that the regions of its parameters can be found.
    #[must_use]
    pub fn parametric<S: Parametric>(self) -> Description<P> {
        Description { parametric: Some(|| Box::new(S::parametric())), ..self }
    }

    /// One more parameter.
    #[must_use]
    pub fn param(self, name: &'static str, about: &'static str, default: &'static str) -> Description<P> {
        self.params(&[Param { name, about, default }])
    }

    /// One more parameter, which is a duration: a whole number of units, or a time such as 50ms wherever a unit has a
    /// length.
    #[must_use]
    pub fn duration(self, name: &'static str, about: &'static str, default: &'static str) -> Description<P> {
        self.param(name, about, default).durations(&[name])
    }

    /// Of the parameters so far, these are durations.
    #[must_use]
    pub fn durations(mut self, durations: &[&'static str]) -> Description<P> {
        let declared = |name: &&&str| self.params.iter().any(|param| param.name == **name);
        self.durations.extend(durations.iter().filter(declared));
        self
    }

    /// The parameters that are chosen for a target.
    #[must_use]
    pub fn tuned(self, period: &'static str, patience: &'static str) -> Description<P> {
        Description { tuned: Some(TunedParams { period, patience }), ..self }
    }

    /// More parameters.
    #[must_use]
    pub fn params(mut self, params: &[Param]) -> Description<P> {
        self.params.extend_from_slice(params);
        self
    }

    /// The default environment of so many processes: the network, the faults and the model of time. Without it, it is
    /// that of [`Scenario::new`]: no faults, untimed.
    #[must_use]
    pub fn environment(self, environment: fn(&P, usize) -> Scenario) -> Description<P> {
        Description { environment, ..self }
    }

    /// What clients ask in a system of so many processes, where the parameters may have a say. If that leaves open which
    /// of several things they ask, each is searched for itself. At least one.
    #[must_use]
    pub fn clients(self, clients: ClientsFn<P>) -> Description<P> {
        Description { clients, ..self }
    }

    /// A property that it should have, beyond never to be in a deadlock.
    #[must_use]
    pub fn property(mut self, property: StateProperty<P>) -> Description<P> {
        self.properties.push(property);
        self
    }

    /// What runs should be like beyond single states. Each is a search of its own.
    #[must_use]
    pub fn requirement(mut self, requirement: Requirement<P>) -> Description<P> {
        self.requirements.push(requirement);
        self
    }

    /// A claim about infinite runs, each a search of its own. The default fairness is weak fairness of every step.
    #[must_use]
    pub fn claim(mut self, claim: TemporalClaim) -> Description<P> {
        self.claims.push(claim);
        self
    }

    /// The propositions that claims and formulas may speak of, beyond those that every world has.
    #[must_use]
    pub fn atoms(self, atoms: fn(TypedWorld<P>) -> TypedWorld<P>) -> Description<P> {
        Description { atoms, ..self }
    }

    /// Its steps are in stages. Then all runs that differ only in the order of steps that do not matter to each other are
    /// searched as one, where that is possible and nobody says otherwise.
    #[must_use]
    pub fn stages(self, rules: StageRules<P>) -> Description<P> {
        Description { stages: Some(rules), ..self }
    }

    /// Whether there are infinitely many states in this environment, however few processes there are, unless they are
    /// searched in [stages](Description::stages).
    #[must_use]
    pub fn endless(self, endless: fn(&P, &Scenario) -> bool) -> Description<P> {
        Description { endless, ..self }
    }

    /// It means to come to an end, so that `deadlock` is asked by name only.
    #[must_use]
    pub fn ends(self) -> Description<P> {
        Description { ends: true, ..self }
    }

    /// The default of a check is then a symmetry reduction, where it is possible.
    #[must_use]
    pub fn symmetric(self) -> Description<P> {
        Description { symmetric: true, ..self }
    }

    /// It is a failure detector.
    #[must_use]
    pub fn detector(self, detector: Detector<P>) -> Description<P> {
        Description { detector: Some(detector), ..self }
    }

    /// The timers and kinds of messages that a configuration never uses, as reports name them: `fire Join`,
    /// `deliver leave`. That they do not happen is no reason for a warning.
    #[must_use]
    pub fn absent(self, absent: fn(&P) -> Vec<String>) -> Description<P> {
        Description { absent, ..self }
    }

    /// What is outside of what is known of this protocol, each with the property that need not hold then: a warning.
    #[must_use]
    pub fn cautions(self, cautions: fn(&P, &Scenario) -> Vec<(&'static str, String)>) -> Description<P> {
        Description { cautions, ..self }
    }

    /// What a running node has to know.
    #[must_use]
    pub fn live(self, live: Live<P>) -> Description<P> {
        Description { live, ..self }
    }

    /// The forms: the family's, or the protocol as its own only one.
    pub(crate) fn all_forms(&self) -> Vec<ProtocolForm> {
        if self.forms.is_empty() { vec![self.alone()] } else { self.forms.clone() }
    }

    /// The protocol as its own only form.
    pub(crate) fn alone(&self) -> ProtocolForm {
        let Description { name, about, processes, sizes, .. } = *self;
        ProtocolForm { name, about, settled: &[], processes, sizes }
    }

    /// Whether anybody suspects anybody.
    pub(crate) fn suspects(&self) -> bool {
        self.detector.is_some_and(|detector| detector.suspects.is_some() || detector.stopped.is_some())
    }

    /// Whether processes announce whom they suspect, so that wrong suspicions can be counted.
    pub(crate) fn counts_mistakes(&self) -> bool {
        self.detector.is_some_and(|detector| detector.suspects.is_some() && detector.completeness.is_some())
    }
}

/// A protocol whose processes begin one after the other. It has the properties that go by what is announced; those that
/// look into states would have to know its own.
impl<P: Described> Described for Staggered<P> {
    fn description() -> Description<Staggered<P>> {
        let Description { name, about, detector, .. } = P::description();
        let completeness = detector.and_then(|detector| detector.completeness);
        // With all beginning at once.
        let build: Build<Staggered<P>> =
            |n, params| (P::description().build)(n, params).map(|protocol| Staggered::new(protocol, 0));
        let description = Description::new(name, about, build)
            .environment(|staggered, n| (P::description().environment)(staggered.protocol(), n))
            .clients(|staggered, n, params| (P::description().clients)(staggered.protocol(), n, params))
            .absent(|staggered| (P::description().absent)(staggered.protocol()));
        match completeness {
            Some(completeness) => description.detector(Detector::default().complete(completeness)),
            None => description,
        }
    }
}

/// What a running node has to know of its protocol.
pub struct Live<P: Promises> {
    /// Which properties rest on what a node can measure: how long messages take, whether they arrive, whether the
    /// node is in time. The environment matters: where the network may lose messages, a verdict does not rest on
    /// their arrival.
    pub promises: fn(&P, &Scenario) -> Vec<RestsOn>,
    /// What a node asks of its process when it is told to leave, and how many units of time it then stays, so that the
    /// others hear of it. To a protocol that says nothing, a node that leaves has crashed.
    pub leaving: Leaving<P>,
    /// What the process of a newcomer is asked in an open cluster as soon as it has begun: it came by this member, which is
    /// there and knows others.
    pub meeting: Option<Meeting<P>>,
    /// If processes propose values and decide on one of them: how.
    pub deciding: Option<Deciding<P>>,
    /// If processes are members of a group and tell each other words: how.
    pub grouping: Option<Grouping<P>>,
    /// Whether a process that has crashed may start again, remembering nothing, without harm to the others.
    pub restarts: bool,
    /// The name of the protocol that runs on a network in place of this one, where this one asks an oracle.
    pub instead: Option<&'static str>,
    /// Why there is nothing to run, for a protocol that is only checked.
    pub only_checked: Option<&'static str>,
    /// If nodes may join while it runs, so that nobody knows how many there will be: the parameter that says so, and its value.
    pub open: Option<(&'static str, &'static str)>,
}

impl<P: Promises> Default for Live<P> {
    fn default() -> Live<P> {
        Live {
            promises: |_, _| Vec::new(),
            leaving: |_, _| None,
            meeting: None,
            deciding: None,
            grouping: None,
            restarts: true,
            instead: None,
            only_checked: None,
            open: None,
        }
    }
}

/// What runs should be like beyond single states.
pub struct Requirement<P: Promises> {
    /// Its name.
    pub name: &'static str,
    /// What it says, in one line.
    pub about: &'static str,
    /// The world with an observer of it, for what it says of one process if one is named; `None` if it says nothing of
    /// this process.
    pub observed: ObserverFn<P>,
}

/// A claim about every infinite run of a system.
#[derive(Clone, Copy, Debug)]
pub struct TemporalClaim {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it says, in one line.
    pub about: &'static str,
    /// The claim about a space of this many processes, which has the propositions of [`Description::atoms`].
    pub formula: fn(&Shape, usize) -> Formula,
}

/// What clients ask in a system of so many processes, with these parameters.
pub type ClientsFn<P> = fn(&P, usize, &Params) -> Result<Vec<Clients<<P as Protocol>::Call>>, Problem>;

/// What a process is asked when its node leaves, and how many units of time the node then stays.
pub type Leaving<P> = fn(&P, Pid) -> Option<(<P as Protocol>::Call, u32)>;

/// What the process of a newcomer is asked that came to an open cluster by this member.
pub type Meeting<P> = fn(Pid) -> <P as Protocol>::Call;

/// The world with an observer, of one process if one is named, if it has something to say.
pub type ObserverFn<P> = fn(TypedWorld<P>, Option<Pid>) -> Result<Option<TypedWorld<P>>, WorldError>;

/// A property, and what it rests on.
pub type RestsOn = (&'static str, Vec<Assumption>);

/// What clients ask in a run, with calls `C`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clients<C> {
    /// What tells them from others; empty if there are no others.
    pub name: String,
    /// Of whom, what, and how often.
    pub calls: Vec<(Pid, C, u32)>,
}

impl<C> Clients<C> {
    /// The only ones that there are.
    pub fn of(calls: Vec<(Pid, C, u32)>) -> Clients<C> {
        Clients { name: String::new(), calls }
    }
}

/// A claim about every reachable state of a system.
pub struct StateProperty<P: Promises> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) symmetric: bool,
    /// Whether it is asked where nobody names a property.
    pub(crate) usual: bool,
    pub(crate) when: Option<StatePredicate<P>>,
    pub(crate) then: StatePredicate<P>,
}

/// A condition on the state of a whole system.
pub type StatePredicate<P> = fn(&P, &Global<'_, P>) -> bool;

impl<P: Promises> StateProperty<P> {
    /// In every state, the test is true.
    pub const fn always(
        name: &'static str,
        about: &'static str,
        test: StatePredicate<P>,
    ) -> StateProperty<P> {
        StateProperty { name, about, symmetric: false, usual: true, when: None, then: test }
    }

    /// The same, but only of states in which another test is true. If none is, the verdict warns.
    #[must_use]
    pub const fn when(self, test: StatePredicate<P>) -> StateProperty<P> {
        StateProperty { when: Some(test), ..self }
    }

    /// The same, but only asked where somebody names it: for what a protocol need not have.
    #[must_use]
    pub const fn by_request(self) -> StateProperty<P> {
        StateProperty { usual: false, ..self }
    }

    /// Promises that the tests say the same of a state and of that state with its processes renamed, so
    /// that a symmetry reduction may keep them.
    #[must_use]
    pub const fn symmetric(self) -> StateProperty<P> {
        StateProperty { symmetric: true, ..self }
    }
}

impl<P: Promises> fmt::Debug for StateProperty<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateProperty").field("name", &self.name).finish_non_exhaustive()
    }
}
