//! Settings as texts with their origins, before they are read. The command line overrides the environment, and the
//! environment overrides the scenario file; the rows of the table of settings then read the merged texts.

use std::collections::BTreeMap;
use watchkeeper::settings::Heading;
use watchkeeper::{Problem, SettingOrigin, Settings, Sourced};

/// A value as it was written, and by whom.
pub(crate) type RawValue = Sourced<String>;

/// Everything that was said, each thing by the one who has the last word on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RawSettings {
    texts: BTreeMap<&'static str, RawValue>,
    /// The parameters of the protocol, by name.
    pub(crate) params: BTreeMap<String, RawValue>,
}

impl RawSettings {
    /// Sets the text of a setting, or of `protocol`, in place of an earlier one.
    pub(crate) fn set(&mut self, name: &'static str, text: impl Into<String>, origin: SettingOrigin) {
        debug_assert!(name == "protocol" || Settings::row(name).is_some(), "{name} is no setting");
        self.texts.insert(name, Sourced { value: text.into(), origin });
    }

    /// Sets the text of a flag, if it was given.
    pub(crate) fn flag(&mut self, name: &'static str, text: &Option<String>) {
        if let Some(text) = text {
            self.set(name, text.as_str(), SettingOrigin::Argument(format!("--{name}")));
        }
    }

    /// What the environment says.
    pub(crate) fn environment(lookup: impl Fn(&str) -> Option<String>) -> RawSettings {
        let mut texts = RawSettings::default();
        for setting in Settings::TABLE {
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
        for setting in Settings::TABLE {
            if let Some(text) = self.given(setting.name) {
                (setting.read)(text, &mut settings)?;
            }
        }
        Ok(settings)
    }

    /// The settings of the scenario in the order of the table: without the protocol, the properties and the search.
    pub(crate) fn scenario(&self) -> impl Iterator<Item = (&'static str, &RawValue)> {
        let around = [Heading::Scenario, Heading::Network, Heading::Time];
        let rows = Settings::TABLE.iter().filter(move |row| around.contains(&row.heading));
        rows.filter_map(|row| Some((row.name, self.given(row.name)?)))
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
