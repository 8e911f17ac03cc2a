//! What a protocol has to say of itself to be checked by name: how it is called, which parameters it
//! takes, which properties it should have. The built-in protocols say it in this same way.

use crate::problem::{Origin, Problem};
use crate::settings::{Given, Settings};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{Pid, ProcSet, Protocol};
use watchkeeper_world::Global;

/// A protocol with a name, which a command line or a test can check.
///
/// It is cloned for properties to look at, so it should be plain configuration.
pub trait Subject: Protocol + Clone + Send + 'static {
    /// Its name on the command line.
    const NAME: &'static str;

    /// What it is, in one line.
    const ABOUT: &'static str;

    /// The number of processes where nobody says it.
    const PROCESSES: usize = 3;

    /// Its parameters, each with its default.
    const PARAMS: &'static [Param] = &[];

    /// The properties that it should have, beyond never to be in a deadlock.
    const PROPERTIES: &'static [Property<Self>] = &[];

    /// If this is a failure detector: whom a process in a state suspects. Properties such as
    /// `oscillation` ask.
    const SUSPECTS: Option<Suspects<Self>> = None;

    /// The protocol for `n` processes, at least 2, with these parameters.
    fn build(n: usize, params: &Params) -> Result<Self, Problem>;

    /// What clients may ask in a system of `n` processes: of whom, what, and how often in one run.
    fn calls(&self, _n: usize) -> Vec<(Pid, Self::Call, u32)> {
        Vec::new()
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

/// A claim about every reachable state of a system.
pub struct Property<P: Protocol> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) symmetric: bool,
    pub(crate) when: Option<Test<P>>,
    pub(crate) then: Test<P>,
}

/// A condition on the state of a whole system.
pub type Test<P> = fn(&P, &Global<'_, P>) -> bool;

/// Whom a process in a state suspects.
pub type Suspects<P> = fn(&P, Pid, &<P as Protocol>::State) -> ProcSet;

impl<P: Protocol> Property<P> {
    /// In every state, the test is true.
    pub const fn always(name: &'static str, about: &'static str, test: Test<P>) -> Property<P> {
        Property { name, about, symmetric: false, when: None, then: test }
    }

    /// The same, but only of states in which another test is true. If none is, the verdict warns.
    #[must_use]
    pub const fn when(self, test: Test<P>) -> Property<P> {
        Property { when: Some(test), ..self }
    }

    /// Promises that the tests say the same of a state and of that state with its processes renamed, so
    /// that a symmetry reduction may keep them.
    #[must_use]
    pub const fn symmetric(self) -> Property<P> {
        Property { symmetric: true, ..self }
    }
}

impl<P: Protocol> fmt::Debug for Property<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Property").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The parameters that a protocol is built with: those that were given, and the defaults of the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Params {
    given: BTreeMap<&'static str, Given>,
}

impl Params {
    /// The parameters of a protocol that has these.
    pub(crate) fn of(known: &'static [Param], settings: &Settings) -> Result<Params, Problem> {
        for (name, given) in &settings.params {
            if !known.iter().any(|param| param.name == name) {
                return Err(Problem::Unknown {
                    origin: given.origin.clone(),
                    what: "parameter",
                    name: name.clone(),
                    known: known.iter().map(|param| param.name.to_string()).collect(),
                });
            }
        }
        let origin = |param: &Param| Origin::Argument(format!("--param {}={}", param.name, param.default));
        let given = known.iter().map(|param| {
            let default = || Given { text: param.default.to_string(), origin: origin(param) };
            (param.name, settings.params.get(param.name).cloned().unwrap_or_else(default))
        });
        Ok(Params { given: given.collect() })
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

    /// The parameters with their values as text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.given.iter().map(|(name, given)| (*name, given.text.as_str()))
    }

    fn declared(&self, name: &str) -> &Given {
        self.given.get(name).unwrap_or_else(|| panic!("parameter `{name}` is not in PARAMS of its protocol"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Param] = &[Param { name: "timeout", about: "the length of a round", default: "1" }];

    fn params(name: &str, text: &str) -> Result<Params, Problem> {
        let mut settings = Settings::default();
        let origin = Origin::Argument(format!("--param {name}={text}"));
        settings.params.insert(name.to_string(), Given { text: text.to_string(), origin });
        Params::of(KNOWN, &settings)
    }

    #[test]
    fn parameters_are_given_or_have_their_defaults() {
        let default = Params::of(KNOWN, &Settings::default()).expect("defaults");
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
