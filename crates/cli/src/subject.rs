//! What a protocol has to say of itself to be checked by name: how it is called, which parameters it
//! takes, which properties it should have. The built-in protocols say it in this same way.

use crate::deciding::Deciding;
use crate::grouping::Grouping;
use crate::problem::{Origin, Problem};
use crate::settings::{Given, SHORT, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet, Promises, Protocol};
use watchkeeper_logic::Formula;
use watchkeeper_protocols::detection::{Completeness, Staggered};
use watchkeeper_runtime::Assumption;
use watchkeeper_space::Shape;
use watchkeeper_world::{Global, Scenario, StageRules, World, WorldError};

/// A protocol with a name, which a command line or a test can check.
///
/// It is cloned for properties to look at, so it should be plain configuration.
pub trait Subject: Promises + Clone + Send + 'static {
    /// Its name on the command line.
    const NAME: &'static str;

    /// What it is, in one line.
    const ABOUT: &'static str;

    /// The number of processes where nobody says it.
    const PROCESSES: usize = 3;

    /// The least and the most that the number of processes can be.
    const SIZES: (usize, usize) = (2, MAX_PROCESSES);

    /// What `--n` counts, if not all processes: [`surroundings`](Subject::surroundings) then says how many
    /// processes there are.
    const COUNTED: &'static str = "processes";

    /// If this is a family of protocols: the names by which its members are known, in place of
    /// [`NAME`](Subject::NAME).
    const FORMS: &'static [Form] = &[];

    /// Its parameters, each with its default.
    const PARAMS: &'static [Param] = &[];

    /// The properties that it should have, beyond never to be in a deadlock.
    const PROPERTIES: &'static [Property<Self>] = &[];

    /// What runs should be like beyond single states, each with what it says:
    /// [`observed`](Subject::observed) has an observer for each. Each is a search of its own.
    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &[];

    /// What infinite runs should be like. Each is a search of its own, and where nobody says which runs count,
    /// those do in which every step that stays possible is taken.
    const CLAIMS: &'static [Claim] = &[];

    /// If its steps are in stages: how. Then all runs that differ only in the order of steps that do not matter to
    /// each other are searched as one, where that is possible and nobody says otherwise.
    const STAGES: Option<StageRules<Self>> = None;

    /// Whether the protocol means to come to an end, so that `deadlock` is asked by name only.
    const ENDS: bool = false;

    /// Whether a symmetry reduction is made wherever it is possible and nobody says otherwise.
    const SYMMETRIC: bool = false;

    /// If this is a failure detector: whom a process in a state suspects. Properties such as
    /// `oscillation` ask.
    const SUSPECTS: Option<Suspects<Self>> = None;

    /// Whether a process in this state has stopped of its own accord, for protocols that tell a crash in this
    /// way alone: who has stopped has found out whatever there is to find out, and in error if nothing is.
    const STOPPED: Option<Stopped<Self>> = None;

    /// If this is a failure detector whose announcements say so: who has to find out about a crash.
    /// Properties such as `detection` ask.
    const COMPLETENESS: Option<Completeness> = None;

    /// If processes propose values and decide on one of them: how. Then nodes that run can be told what to propose,
    /// and say what they decided.
    const DECIDING: Option<Deciding<Self>> = None;

    /// If processes are members of a group and tell each other words: how. Then nodes that run can be told what to say,
    /// and say who is with them.
    const GROUPING: Option<Grouping<Self>> = None;

    /// Whether a process that has crashed may start again, remembering nothing, without harm to the others.
    const RESTARTS: bool = true;

    /// The name of the protocol that runs on a network in place of this one, where this one asks an oracle.
    const LIVE: Option<&'static str> = None;

    /// The protocol for `n` processes, at least 2, with these parameters.
    fn build(n: usize, params: &Params) -> Result<Self, Problem>;

    /// What is around `n` of them where nobody says otherwise: the network, what may fail, and how time
    /// passes. By default the network of [`Scenario::new`], no faults, and no time.
    fn surroundings(&self, n: usize) -> Scenario {
        Scenario::new(n)
    }

    /// The world with an observer of one of [`REQUIREMENTS`](Subject::REQUIREMENTS), for what it says of
    /// one process if one is named; `None` if it says nothing of this process.
    fn observed(
        _world: World<Self>,
        _requirement: &str,
        _of: Option<Pid>,
    ) -> Result<Option<World<Self>>, WorldError> {
        Ok(None)
    }

    /// The timers and kinds of messages that this configuration never uses, as reports name them: `fire Join`,
    /// `deliver leave`. That they do not happen is no reason for a warning.
    fn absent(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Which of its properties rest on what a running node can measure: how long messages take, whether they
    /// arrive, whether the node is in time. By default nothing is promised. What is around matters: where the
    /// network may lose messages, a verdict does not rest on their arrival.
    fn promises(&self, _around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
        Vec::new()
    }

    /// What a node asks of its process `me` when it is told to leave, and how many units of time it then stays,
    /// so that the others hear of it. By default nothing: to the protocol, a node that leaves has crashed.
    fn leaving(&self, _me: Pid) -> Option<(Self::Call, u32)> {
        None
    }

    /// How long process `me` in this state will wait for process `of` the next time it does, where it learns to
    /// wait longer; `None` where waiting is always the same.
    fn patience(&self, _me: Pid, _state: &Self::State, _of: Pid) -> Option<u32> {
        None
    }

    /// The values that [`patience`](Subject::patience) can have, from the least to the greatest.
    fn waits(&self, _n: usize) -> Vec<u32> {
        Vec::new()
    }

    /// What clients may ask in a system of `n` processes: of whom, what, and how often in one run.
    fn calls(&self, _n: usize) -> Vec<(Pid, Self::Call, u32)> {
        Vec::new()
    }

    /// The same where parameters say what clients ask, or leave open which of several things they ask: each is
    /// then searched for itself. At least one.
    fn clients(&self, n: usize, _params: &Params) -> Result<Vec<Clients<Self::Call>>, Problem> {
        Ok(vec![Clients { name: String::new(), calls: self.calls(n) }])
    }

    /// The world with the propositions that [`CLAIMS`](Subject::CLAIMS) and formulas may speak of, beyond those
    /// that every world has.
    fn told(world: World<Self>) -> World<Self> {
        world
    }

    /// Whether there are infinitely many states in these surroundings, however few processes there are, unless they
    /// are searched in [stages](Subject::STAGES).
    fn endless(&self, _around: &Scenario) -> bool {
        false
    }

    /// What is outside of what is known of this protocol, each with the property that need not hold then. A verdict
    /// warns of it.
    fn cautions(&self, _around: &Scenario) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// A protocol whose processes begin one after the other. It has the properties that go by what is announced;
/// those that look into states would have to know its own.
impl<S: Subject> Subject for Staggered<S> {
    const NAME: &'static str = S::NAME;

    const ABOUT: &'static str = S::ABOUT;

    const COMPLETENESS: Option<Completeness> = S::COMPLETENESS;

    /// With all beginning at once.
    fn build(n: usize, params: &Params) -> Result<Staggered<S>, Problem> {
        S::build(n, params).map(|protocol| Staggered::new(protocol, 0))
    }

    fn surroundings(&self, n: usize) -> Scenario {
        self.protocol().surroundings(n)
    }

    fn absent(&self) -> Vec<&'static str> {
        self.protocol().absent()
    }

    fn calls(&self, n: usize) -> Vec<(Pid, S::Call, u32)> {
        self.protocol().calls(n)
    }
}

/// A member of a family of protocols, under a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The parameters that this name settles, with their values.
    pub settled: &'static [(&'static str, &'static str)],
    /// The value of `--n` where nobody gives one.
    pub processes: usize,
    /// The least and the most that it can be.
    pub sizes: (usize, usize),
}

impl Form {
    /// The forms of a subject: at least one.
    pub(crate) fn all<S: Subject>() -> Vec<Form> {
        if !S::FORMS.is_empty() {
            return S::FORMS.to_vec();
        }
        vec![Form::alone::<S>()]
    }

    /// A subject that is no family as its own only form.
    pub(crate) fn alone<S: Subject>() -> Form {
        Form { name: S::NAME, about: S::ABOUT, settled: &[], processes: S::PROCESSES, sizes: S::SIZES }
    }

    /// Whether the name settles this parameter.
    pub(crate) fn settles(&self, param: &str) -> bool {
        self.settled.iter().any(|(name, _)| *name == param)
    }
}

/// A parameter of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in `--param NAME=VALUE` and in the table `[param]` of a scenario file.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its value where none is given.
    pub default: &'static str,
}

/// A claim about every infinite run of a system.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it says, in one line.
    pub about: &'static str,
    /// The claim about a space of this many processes, which has the propositions of
    /// [`Subject::told`].
    pub formula: fn(&Shape, usize) -> Formula,
}

/// What clients ask in a run, with calls `C`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clients<C> {
    /// What tells them from others; empty if there are no others.
    pub name: String,
    /// Of whom, what, and how often.
    pub calls: Vec<(Pid, C, u32)>,
}

/// A claim about every reachable state of a system.
pub struct Property<P: Promises> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) symmetric: bool,
    /// Whether it is asked where nobody names a property.
    pub(crate) usual: bool,
    pub(crate) when: Option<Test<P>>,
    pub(crate) then: Test<P>,
}

/// A condition on the state of a whole system.
pub type Test<P> = fn(&P, &Global<'_, P>) -> bool;

/// Whom a process in a state suspects.
pub type Suspects<P> = fn(&P, Pid, &<P as Protocol>::State) -> ProcSet;

/// Whether a process in a state has stopped of its own accord.
pub type Stopped<P> = fn(&P, Pid, &<P as Protocol>::State) -> bool;

impl<P: Promises> Property<P> {
    /// In every state, the test is true.
    pub const fn always(name: &'static str, about: &'static str, test: Test<P>) -> Property<P> {
        Property { name, about, symmetric: false, usual: true, when: None, then: test }
    }

    /// The same, but only of states in which another test is true. If none is, the verdict warns.
    #[must_use]
    pub const fn when(self, test: Test<P>) -> Property<P> {
        Property { when: Some(test), ..self }
    }

    /// The same, but only asked where somebody names it: for what a protocol need not have.
    #[must_use]
    pub const fn by_request(self) -> Property<P> {
        Property { usual: false, ..self }
    }

    /// Promises that the tests say the same of a state and of that state with its processes renamed, so
    /// that a symmetry reduction may keep them.
    #[must_use]
    pub const fn symmetric(self) -> Property<P> {
        Property { symmetric: true, ..self }
    }
}

impl<P: Promises> fmt::Debug for Property<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Property").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The parameters that a protocol is built with: those that were given, and the defaults of the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Params {
    given: BTreeMap<&'static str, Given>,
    /// Those that somebody gave.
    named: BTreeSet<&'static str>,
}

impl Params {
    /// The parameters of a protocol that has these, some of which its name may settle.
    pub(crate) fn of(known: &'static [Param], form: &Form, settings: &Settings) -> Result<Params, Problem> {
        let open = || known.iter().filter(|param| !form.settles(param.name));
        for (name, given) in &settings.params {
            if !open().any(|param| param.name == name) {
                return Err(Problem::Unknown {
                    origin: given.origin.clone(),
                    what: "parameter",
                    name: name.clone(),
                    known: open().map(|param| param.name.to_string()).collect(),
                });
            }
        }
        let given = known.iter().map(|param| {
            let default =
                || Given { text: param.default.to_string(), origin: told(param.name, param.default) };
            let settled = form.settled.iter().find(|(name, _)| *name == param.name);
            let settled =
                settled.map(|(name, text)| Given { text: text.to_string(), origin: told(name, text) });
            let given = settled.or_else(|| settings.params.get(param.name).cloned());
            (param.name, given.unwrap_or_else(default))
        });
        let named = open().map(|param| param.name).filter(|name| settings.params.contains_key(*name));
        Ok(Params { given: given.collect(), named: named.collect() })
    }

    /// Whether somebody gave this parameter, as against its default.
    pub fn named(&self, name: &str) -> bool {
        self.named.contains(name)
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the protocol has not declared it in [`Subject::PARAMS`].
    pub fn get<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<T, Problem> {
        let given = self.declared(name);
        let wrong = |why: T::Err| given.refused(format!("`{}` does not do for {name}: {why}", given.text));
        given.text.parse().map_err(wrong)
    }

    /// The problem that the value of a parameter cannot be used; `why` should say which could.
    ///
    /// # Panics
    /// If the protocol has not declared the parameter in [`Subject::PARAMS`].
    pub fn refuse(&self, name: &str, why: impl fmt::Display) -> Problem {
        self.declared(name).refused(why)
    }

    /// The value of a parameter as text.
    pub(crate) fn text(&self, name: &str) -> &str {
        &self.declared(name).text
    }

    fn declared(&self, name: &str) -> &Given {
        self.given.get(name).unwrap_or_else(|| panic!("parameter `{name}` is not in PARAMS of its protocol"))
    }
}

/// The flag that says what a default says.
fn told(name: &str, text: &str) -> Origin {
    let short = SHORT.contains(&name);
    Origin::Argument(if short { format!("--{name} {text}") } else { format!("--param {name}={text}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Param] = &[
        Param { name: "timeout", about: "the length of a round", default: "1" },
        Param { name: "kind", about: "which of them", default: "plain" },
    ];

    const FORM: Form =
        Form { name: "fancy", about: "", settled: &[("kind", "fancy")], processes: 3, sizes: (2, 64) };

    fn params(name: &str, text: &str) -> Result<Params, Problem> {
        let mut settings = Settings::default();
        let origin = Origin::Argument(format!("--param {name}={text}"));
        settings.params.insert(name.to_string(), Given { text: text.to_string(), origin });
        Params::of(KNOWN, &FORM, &settings)
    }

    #[test]
    fn a_name_settles_what_nobody_can_then_give() {
        let fancy = Params::of(KNOWN, &FORM, &Settings::default()).expect("defaults");
        assert_eq!(fancy.get::<String>("kind").as_deref(), Ok("fancy"));
        let problem = params("kind", "plain").unwrap_err().to_string();
        assert!(problem.contains("no parameter `kind`") && problem.ends_with("Known: timeout."), "{problem}");
        assert!(params("timeout", "1").expect("given").named("timeout") && !fancy.named("timeout"));
    }

    #[test]
    fn parameters_are_given_or_have_their_defaults() {
        let default = Params::of(KNOWN, &FORM, &Settings::default()).expect("defaults");
        assert_eq!(default.get::<u32>("timeout"), Ok(1));
        assert_eq!(params("timeout", "7").and_then(|params| params.get::<u32>("timeout")), Ok(7));
    }

    #[test]
    fn unknown_parameters_and_bad_values_are_refused_by_name() {
        let problem = params("timeuot", "7").unwrap_err().to_string();
        assert!(problem.contains("no parameter `timeuot`; did you mean `timeout`?"), "{problem}");
        let problem = params("timeout", "soon").and_then(|params| params.get::<u32>("timeout")).unwrap_err();
        assert!(problem.to_string().starts_with("--param timeout=soon: `soon` does not do for timeout"));
    }
}
