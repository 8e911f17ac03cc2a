//! What the user has said, as text with its origin, and the one table of all that can be said: a flag, a variable and a key
//! of a file are rows of it, and a row knows how a text becomes a value. The command line goes over the environment, and
//! the environment over the scenario file; once they have met, the texts are read at once.

use crate::words;
use std::collections::BTreeMap;
use watchkeeper::{Problem, SHORT, SettingOrigin, Settings, Sourced};

/// A value as it was written, and by whom.
pub(crate) type RawValue = Sourced<String>;

/// One thing that can be set.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Its name: the flag without its dashes, and the key in a scenario file.
    pub(crate) name: &'static str,
    /// The environment variable that sets it, if there is one.
    pub(crate) variable: Option<&'static str>,
    /// Whether it is a list, which a flag separates by commas.
    pub(crate) list: bool,
    /// Puts the value of a text into place.
    read: fn(&RawValue, &mut Settings) -> Result<(), Problem>,
}

const fn one(name: &'static str, read: fn(&RawValue, &mut Settings) -> Result<(), Problem>) -> Setting {
    Setting { name, variable: None, list: false, read }
}

const fn many(name: &'static str, read: fn(&RawValue, &mut Settings) -> Result<(), Problem>) -> Setting {
    Setting { name, variable: None, list: true, read }
}

const fn limit(
    name: &'static str,
    variable: &'static str,
    read: fn(&RawValue, &mut Settings) -> Result<(), Problem>,
) -> Setting {
    Setting { name, variable: Some(variable), list: false, read }
}

/// Puts a value into place, with the origin of its text.
fn put<T>(text: &RawValue, place: &mut Option<Sourced<T>>, value: Result<T, Problem>) -> Result<(), Problem> {
    *place = Some(Sourced { value: value?, origin: text.origin.clone() });
    Ok(())
}

/// All settings of a check.
pub(crate) const SETTINGS: [Setting; 35] = [
    one("protocol", |_, _| Ok(())),
    one("n", |text, to| put(text, &mut to.n, words::number(text))),
    one("crashes", |text, to| put(text, &mut to.crashes, words::small(text))),
    many("crashable", |text, to| put(text, &mut to.crashable, words::processes(text))),
    many("crashed-at-start", |text, to| put(text, &mut to.crashed_at_start, words::processes(text))),
    one("recoveries", |text, to| put(text, &mut to.recoveries, words::budget(text))),
    one("crash-loses", |text, to| put(text, &mut to.crash_loses, words::switch(text))),
    one("oracle", |text, to| put(text, &mut to.oracle, words::oracle(text))),
    one("channel", |text, to| put(text, &mut to.channel, words::channel(text))),
    one("order", |text, to| put(text, &mut to.order, text.parsed())),
    one("lanes", |text, to| put(text, &mut to.lanes, words::lanes(text))),
    one("loss", |text, to| put(text, &mut to.loss, words::budget(text))),
    one("duplicate", |text, to| put(text, &mut to.duplicate, words::budget(text))),
    limit("time", "WATCHKEEPER_TIME", |text, to| put(text, &mut to.time, words::time(text))),
    one("delay", |text, to| put(text, &mut to.delay, words::interval(text))),
    one("round-trip", |text, to| put(text, &mut to.round_trip, words::round_trip(text))),
    one("processing", |text, to| put(text, &mut to.processing, words::interval(text))),
    one("simultaneous", |text, to| put(text, &mut to.simultaneous, text.parsed())),
    one("speed", |text, to| put(text, &mut to.speed, words::speed(text))),
    one("synchrony", |text, to| put(text, &mut to.synchrony, words::synchrony(text))),
    one("before-delay", |text, to| put(text, &mut to.before_delay, words::interval(text))),
    one("before-loss", |text, to| put(text, &mut to.before_loss, words::switch(text))),
    many("property", |text, to| put(text, &mut to.property, text.parsed_list())),
    one("ltl", |text, to| put(text, &mut to.ltl, Ok(words::formulas(text)))),
    many("fairness", |text, to| put(text, &mut to.fairness, words::fairness(text))),
    one("interleaving", |text, to| put(text, &mut to.interleaving, words::interleaving(text))),
    one("symmetry", |text, to| put(text, &mut to.symmetry, words::switch(text))),
    one("reduce", |text, to| put(text, &mut to.reduce, words::reduction(text))),
    one("search", |text, to| put(text, &mut to.search, words::search(text))),
    one("max-depth", |text, to| put(text, &mut to.max_depth, words::number(text))),
    one("max-states", |text, to| put(text, &mut to.max_states, words::number(text))),
    limit("max-memory", "WATCHKEEPER_MAX_MEMORY", |text, to| put(text, &mut to.max_memory, text.parsed())),
    limit("timeout", "WATCHKEEPER_TIMEOUT", |text, to| put(text, &mut to.timeout, text.parsed())),
    limit("workers", "WATCHKEEPER_WORKERS", |text, to| put(text, &mut to.workers, text.parsed())),
    limit("seed", "WATCHKEEPER_SEED", |text, to| put(text, &mut to.seed, words::number(text))),
];

/// Everything that was said, each thing by the one who has the last word on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RawSettings {
    texts: BTreeMap<&'static str, RawValue>,
    /// The parameters of the protocol, by name.
    pub(crate) params: BTreeMap<String, RawValue>,
}

impl RawSettings {
    /// Says something; what was said before about the same thing is forgotten.
    pub(crate) fn set(&mut self, name: &'static str, text: impl Into<String>, origin: SettingOrigin) {
        debug_assert!(SETTINGS.iter().any(|setting| setting.name == name), "{name} is no setting");
        self.texts.insert(name, Sourced { value: text.into(), origin });
    }

    /// What a flag of the command line says, if it was given.
    pub(crate) fn flag(&mut self, name: &'static str, text: &Option<String>) {
        if let Some(text) = text {
            self.set(name, text.as_str(), SettingOrigin::Argument(format!("--{name}")));
        }
    }

    /// What a flag says that is a parameter of the protocol, if it was given.
    pub(crate) fn short(&mut self, name: &'static str, text: &Option<String>) {
        if let Some(text) = text {
            debug_assert!(SHORT.contains(&name), "{name} has no short form");
            let origin = SettingOrigin::Argument(format!("--{name}"));
            self.params.insert(name.to_string(), Sourced { value: text.clone(), origin });
        }
    }

    /// What the environment says.
    pub(crate) fn environment(lookup: impl Fn(&str) -> Option<String>) -> RawSettings {
        let mut texts = RawSettings::default();
        for setting in &SETTINGS {
            let Some(variable) = setting.variable else { continue };
            // An empty variable is the usual way to switch one off for a single command.
            if let Some(text) = lookup(variable).filter(|text| !text.is_empty()) {
                texts.set(setting.name, text, SettingOrigin::Environment(variable));
            }
        }
        texts
    }

    /// These texts, and below them those of a source with less to say.
    pub(crate) fn over(mut self, below: RawSettings) -> RawSettings {
        for (name, text) in below.texts {
            self.texts.entry(name).or_insert(text);
        }
        for (name, text) in below.params {
            self.params.entry(name).or_insert(text);
        }
        self
    }

    /// The values of all texts; or the first that has none.
    pub(crate) fn read(&self) -> Result<Settings, Problem> {
        let mut settings = Settings { params: self.params.clone(), ..Settings::default() };
        for setting in &SETTINGS {
            if let Some(text) = self.given(setting.name) {
                (setting.read)(text, &mut settings)?;
            }
        }
        Ok(settings)
    }

    /// What was said about the system that is checked, in a fixed order: neither which protocol, nor what is
    /// asked, nor how to search.
    pub(crate) fn scenario(&self) -> impl Iterator<Item = (&'static str, &RawValue)> {
        let first = SETTINGS.iter().position(|setting| setting.name == "n").unwrap_or(0);
        let end = SETTINGS.iter().position(|setting| setting.name == "property").unwrap_or(first);
        SETTINGS[first..end].iter().filter_map(|setting| Some((setting.name, self.given(setting.name)?)))
    }

    /// What was said about this thing.
    pub(crate) fn given(&self, name: &'static str) -> Option<&RawValue> {
        self.texts.get(name)
    }

    /// What a value of this origin is about, unless it is a parameter.
    pub(crate) fn name_of(&self, origin: &SettingOrigin) -> Option<&'static str> {
        self.texts.iter().find(|(_, text)| text.origin == *origin).map(|(name, _)| *name)
    }

    /// Forgets what was said about this thing.
    pub(crate) fn forget(&mut self, name: &str) {
        self.texts.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &'static str, text: &str, origin: SettingOrigin) -> RawSettings {
        let mut texts = RawSettings::default();
        texts.set(name, text, origin);
        texts
    }

    #[test]
    fn the_command_line_goes_over_the_environment_and_that_over_the_file() {
        let line = said("seed", "1", SettingOrigin::Argument("--seed".into()));
        let environment =
            RawSettings::environment(|name| (name == "WATCHKEEPER_SEED").then(|| "2".to_string()));
        let file = said("seed", "3", SettingOrigin::Call("file"));
        let seed = |texts: &RawSettings| texts.read().map(|settings| settings.seed.map(|given| given.value));
        assert_eq!(seed(&environment.clone().over(file.clone())), Ok(Some(2)));
        assert_eq!(seed(&line.over(environment).over(file)), Ok(Some(1)));
    }

    #[test]
    fn a_value_that_cannot_be_used_names_its_origin() {
        let texts = said("workers", "many", SettingOrigin::Environment("WATCHKEEPER_WORKERS"));
        let problem = texts.read().unwrap_err();
        assert!(
            problem.to_string().starts_with("environment variable WATCHKEEPER_WORKERS: `many`"),
            "{problem}"
        );
        assert!(said("n", "many", SettingOrigin::Call("test")).read().is_err());
    }

    #[test]
    fn numbers_may_be_grouped() {
        let settings = said("max-states", "1_000_000", SettingOrigin::Call("test")).read().expect("settings");
        assert_eq!(settings.max_states.map(|given| given.value), Some(1_000_000));
    }
}
