//! What the user has said, as text with its origin, before any of it is believed. The command line goes
//! over the environment, and the environment over the scenario file; one reader turns the text of all
//! three into values, so that a value is spelled alike everywhere.

use crate::problem::{Origin, Problem};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One thing that can be set.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Its name: the flag without its dashes, and the key in a scenario file.
    pub(crate) name: &'static str,
    /// The environment variable that sets it, if there is one.
    pub(crate) variable: Option<&'static str>,
    /// Whether it is a list, which a flag separates by commas.
    pub(crate) list: bool,
}

const fn one(name: &'static str) -> Setting {
    Setting { name, variable: None, list: false }
}

const fn many(name: &'static str) -> Setting {
    Setting { name, variable: None, list: true }
}

const fn limit(name: &'static str, variable: &'static str) -> Setting {
    Setting { name, variable: Some(variable), list: false }
}

/// All settings of a check.
pub(crate) const SETTINGS: [Setting; 35] = [
    one("protocol"),
    one("n"),
    one("crashes"),
    many("crashable"),
    many("crashed-at-start"),
    one("recoveries"),
    one("crash-loses"),
    one("oracle"),
    one("channel"),
    one("order"),
    one("lanes"),
    one("loss"),
    one("duplicate"),
    limit("time", "WATCHKEEPER_TIME"),
    one("delay"),
    one("round-trip"),
    one("processing"),
    one("simultaneous"),
    one("speed"),
    one("synchrony"),
    one("before-delay"),
    one("before-loss"),
    many("property"),
    one("ltl"),
    many("fairness"),
    one("interleaving"),
    one("symmetry"),
    one("reduce"),
    one("search"),
    one("max-depth"),
    one("max-states"),
    limit("max-memory", "WATCHKEEPER_MAX_MEMORY"),
    limit("timeout", "WATCHKEEPER_TIMEOUT"),
    limit("workers", "WATCHKEEPER_WORKERS"),
    limit("seed", "WATCHKEEPER_SEED"),
];

/// Parameters that so many protocols have that they are flags and keys of their own: `--tmin 4` is
/// `--param tmin=4`.
pub(crate) const SHORT: [&str; 4] = ["tmin", "tmax", "corrected", "values"];

/// A value as it was written, and by whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

impl Given {
    /// The value that the text stands for.
    pub(crate) fn parsed<T: FromStr<Err: fmt::Display>>(&self) -> Result<T, Problem> {
        self.text.trim().parse().map_err(|why: T::Err| self.refused(why))
    }

    /// The values that the text stands for, separated by commas.
    pub(crate) fn parsed_list<T: FromStr<Err: fmt::Display>>(&self) -> Result<Vec<T>, Problem> {
        let items = self.text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.map(|item| item.parse().map_err(|why: T::Err| self.refused(why))).collect()
    }

    /// The problem that this value cannot be used.
    pub(crate) fn refused(&self, why: impl fmt::Display) -> Problem {
        Problem::Value { origin: self.origin.clone(), why: why.to_string() }
    }
}

/// Everything that was said, each thing by the one who has the last word on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    values: BTreeMap<&'static str, Given>,
    /// The parameters of the protocol, by name.
    pub(crate) params: BTreeMap<String, Given>,
}

impl Settings {
    /// Says something; what was said before about the same thing is forgotten.
    pub(crate) fn set(&mut self, name: &'static str, text: impl Into<String>, origin: Origin) {
        debug_assert!(SETTINGS.iter().any(|setting| setting.name == name), "{name} is no setting");
        self.values.insert(name, Given { text: text.into(), origin });
    }

    /// What a flag of the command line says, if it was given.
    pub(crate) fn flag(&mut self, name: &'static str, text: &Option<String>) {
        if let Some(text) = text {
            self.set(name, text.as_str(), Origin::Argument(format!("--{name}")));
        }
    }

    /// What a flag says that is a parameter of the protocol, if it was given.
    pub(crate) fn short(&mut self, name: &'static str, text: &Option<String>) {
        if let Some(text) = text {
            debug_assert!(SHORT.contains(&name), "{name} has no short form");
            let origin = Origin::Argument(format!("--{name}"));
            self.params.insert(name.to_string(), Given { text: text.clone(), origin });
        }
    }

    /// What the environment says.
    pub(crate) fn environment(lookup: impl Fn(&str) -> Option<String>) -> Settings {
        let mut settings = Settings::default();
        for setting in &SETTINGS {
            let Some(variable) = setting.variable else { continue };
            // An empty variable is the usual way to switch one off for a single command.
            if let Some(text) = lookup(variable).filter(|text| !text.is_empty()) {
                settings.set(setting.name, text, Origin::Environment(variable));
            }
        }
        settings
    }

    /// These settings, and below them those of a source with less to say.
    pub(crate) fn over(mut self, below: Settings) -> Settings {
        for (name, given) in below.values {
            self.values.entry(name).or_insert(given);
        }
        for (name, given) in below.params {
            self.params.entry(name).or_insert(given);
        }
        self
    }

    /// What was said about the system that is checked, in a fixed order: neither which protocol, nor what is
    /// asked, nor how to search.
    pub(crate) fn scenario(&self) -> impl Iterator<Item = (&'static str, &Given)> {
        let first = SETTINGS.iter().position(|setting| setting.name == "n").unwrap_or(0);
        let end = SETTINGS.iter().position(|setting| setting.name == "property").unwrap_or(first);
        SETTINGS[first..end].iter().filter_map(|setting| Some((setting.name, self.given(setting.name)?)))
    }

    /// What was said about this thing.
    pub(crate) fn given(&self, name: &'static str) -> Option<&Given> {
        self.values.get(name)
    }

    /// What a value of this origin is about, unless it is a parameter.
    pub(crate) fn name_of(&self, origin: &Origin) -> Option<&'static str> {
        self.values.iter().find(|(_, given)| given.origin == *origin).map(|(name, _)| *name)
    }

    /// Forgets what was said about this thing.
    pub(crate) fn forget(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// The value that was given for this thing.
    pub(crate) fn value<T: FromStr<Err: fmt::Display>>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, Problem> {
        self.given(name).map(Given::parsed).transpose()
    }

    /// The number that was given for this thing.
    pub(crate) fn number(&self, name: &'static str) -> Result<Option<u64>, Problem> {
        let Some(given) = self.given(name) else { return Ok(None) };
        let digits = given.text.trim().replace('_', "");
        let wrong = |_| given.refused(format!("`{}` is not a whole number from 0 on", given.text));
        digits.parse().map(Some).map_err(wrong)
    }

    /// The number that was given for this limit, which leaves room for something.
    pub(crate) fn at_least_one(&self, name: &'static str) -> Result<Option<u64>, Problem> {
        match (self.number(name)?, self.given(name)) {
            (Some(0), Some(given)) => {
                Err(given.refused("a limit of 0 leaves nothing to search; give at least 1, or leave it out"))
            }
            (number, _) => Ok(number),
        }
    }

    /// Whether this thing is switched on; `None` if nobody says.
    pub(crate) fn switch(&self, name: &'static str) -> Result<Option<bool>, Problem> {
        match self.given(name) {
            None => Ok(None),
            Some(given) => match given.text.as_str() {
                "true" => Ok(Some(true)),
                "false" => Ok(Some(false)),
                other => Err(given.refused(format!("`{other}` is neither true nor false"))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &'static str, text: &str, origin: Origin) -> Settings {
        let mut settings = Settings::default();
        settings.set(name, text, origin);
        settings
    }

    #[test]
    fn the_command_line_goes_over_the_environment_and_that_over_the_file() {
        let line = said("seed", "1", Origin::Argument("--seed".into()));
        let environment = Settings::environment(|name| (name == "WATCHKEEPER_SEED").then(|| "2".to_string()));
        let file = said("seed", "3", Origin::Call("file"));
        let seed = |settings: &Settings| settings.number("seed");
        assert_eq!(seed(&environment.clone().over(file.clone())), Ok(Some(2)));
        assert_eq!(seed(&line.over(environment).over(file)), Ok(Some(1)));
    }

    #[test]
    fn a_value_that_cannot_be_used_names_its_origin() {
        let settings = said("workers", "many", Origin::Environment("WATCHKEEPER_WORKERS"));
        let problem = settings.value::<crate::quantities::Workers>("workers").unwrap_err();
        assert!(
            problem.to_string().starts_with("environment variable WATCHKEEPER_WORKERS: `many`"),
            "{problem}"
        );
        assert!(settings.number("workers").is_err());
    }

    #[test]
    fn numbers_may_be_grouped() {
        let settings = said("max-states", "1_000_000", Origin::Call("test"));
        assert_eq!(settings.number("max-states"), Ok(Some(1_000_000)));
    }
}
