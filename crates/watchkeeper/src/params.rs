//! The parameters of a protocol: what it declares, what somebody gave, and what its name settles. They are texts, which
//! only the protocol itself can read.

use crate::problem::{Problem, SettingOrigin};
use crate::settings::{Settings, Sourced, ValueShape};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// A parameter with a flag of its own: `--tmin 4` is `--param tmin=4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamFlag {
    /// The name of the parameter.
    pub name: &'static str,
    /// The name of its value in the help.
    pub value_name: &'static str,
    /// Whether it is one value, a list or a switch.
    pub shape: ValueShape,
}

/// The parameters with a flag of their own.
pub const PARAM_FLAGS: [ParamFlag; 4] = [
    ParamFlag { name: "tmin", value_name: "T", shape: ValueShape::One },
    ParamFlag { name: "tmax", value_name: "T", shape: ValueShape::One },
    ParamFlag { name: "corrected", value_name: "true|false", shape: ValueShape::Switch },
    ParamFlag { name: "values", value_name: "VALUES", shape: ValueShape::List },
];

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

/// The parameters of a detector that decide on its cost and on its quality.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TunedParams {
    /// The time between two messages: the longer, the cheaper.
    pub period: &'static str,
    /// How long silence is borne: the longer, the fewer mistakes and the later a crash is found.
    pub patience: &'static str,
}

/// A member of a family of protocols, under a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtocolForm {
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

impl ProtocolForm {
    /// Whether the name settles this parameter.
    pub fn settles(&self, param: &str) -> bool {
        self.settled.iter().any(|(name, _)| *name == param)
    }
}

/// The parameters that a protocol is built with: those that were given, and the defaults of the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Params {
    given: BTreeMap<&'static str, Sourced<String>>,
    /// Those that somebody gave.
    named: BTreeSet<&'static str>,
}

impl Params {
    /// The parameters of a protocol that has these, some of which its name may settle.
    pub fn of(known: &[Param], form: &ProtocolForm, settings: &Settings) -> Result<Params, Problem> {
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
                || Sourced { value: param.default.to_string(), origin: told(param.name, param.default) };
            let settled = form.settled.iter().find(|(name, _)| *name == param.name);
            let settled =
                settled.map(|(name, text)| Sourced { value: text.to_string(), origin: told(name, text) });
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
    /// If the protocol has not declared it.
    pub fn get<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<T, Problem> {
        let given = self.declared(name);
        let wrong = |why: T::Err| given.refused(format!("`{}` does not do for {name}: {why}", given.value));
        given.value.parse().map_err(wrong)
    }

    /// The problem that the value of a parameter cannot be used; `why` should say which could.
    ///
    /// # Panics
    /// If the protocol has not declared the parameter.
    pub fn refuse(&self, name: &str, why: impl fmt::Display) -> Problem {
        self.declared(name).refused(why)
    }

    /// The value of a parameter as text.
    pub fn text(&self, name: &str) -> &str {
        &self.declared(name).value
    }

    fn declared(&self, name: &str) -> &Sourced<String> {
        self.given.get(name).unwrap_or_else(|| panic!("parameter `{name}` is not declared by its protocol"))
    }
}

/// The flag that says what a default says.
fn told(name: &str, text: &str) -> SettingOrigin {
    let short = PARAM_FLAGS.iter().any(|param| param.name == name);
    SettingOrigin::Argument(if short { format!("--{name} {text}") } else { format!("--param {name}={text}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Param] = &[
        Param { name: "timeout", about: "the length of a round", default: "1" },
        Param { name: "kind", about: "which of them", default: "plain" },
    ];

    const FORM: ProtocolForm = ProtocolForm {
        name: "fancy",
        about: "",
        settled: &[("kind", "fancy")],
        processes: 3,
        sizes: (2, 64),
    };

    fn params(name: &str, text: &str) -> Result<Params, Problem> {
        let mut settings = Settings::default();
        let origin = SettingOrigin::Argument(format!("--param {name}={text}"));
        settings.params.insert(name.to_string(), Sourced { value: text.to_string(), origin });
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
