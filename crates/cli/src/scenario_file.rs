//! Scenario files: TOML whose keys are the flags of `check` without their dashes, and a table `[param]`
//! for the parameters of the protocol. The reader knows which keys exist, never what their values mean.

use crate::inputs;
use crate::raw_settings::{RawSettings, RawValue};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use watchkeeper::settings::ValueShape;
use watchkeeper::{PARAM_FLAGS, Problem, SettingOrigin, Settings, SourceLocation};

/// The largest file that is read: a scenario is text that a person can read.
pub(crate) const LARGEST: u64 = 1 << 20;

/// The tables that a node file has beyond a scenario. They do not change what is checked.
const OF_A_NODE: [&str; 4] = ["node", "peers", "keys", "network"];

/// The settings in a scenario file.
pub(crate) fn read(path: &Path) -> Result<RawSettings, Problem> {
    let unreadable = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::Interrupted => inputs::interrupted(path),
        _ => Problem::Usage(format!("cannot read the scenario file {}: {why}", path.display())),
    };
    let text = inputs::text(path, LARGEST).map_err(unreadable)?;
    parse(path, &text)
}

pub(crate) fn parse(path: &Path, text: &str) -> Result<RawSettings, Problem> {
    let file = TomlFile { path, text };
    let mut problems = Vec::new();
    let settings = file.settings(&file.table()?, &mut problems);
    problems.into_iter().next().map_or(Ok(settings), Err)
}

/// The file that is being read, to point into.
pub(crate) struct TomlFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl<'a> TomlFile<'a> {
    /// All that is in it.
    pub(crate) fn table(&self) -> Result<Spanned<DeTable<'a>>, Problem> {
        DeTable::parse(self.text).map_err(|error| {
            let end = self.text.len();
            let at = self.origin(error.span().unwrap_or(end..end));
            at.refused(format!("this is not TOML: {}", error.message()))
        })
    }

    /// The settings in it; what cannot be one is a problem, and left out.
    pub(crate) fn settings(&self, table: &Spanned<DeTable<'a>>, problems: &mut Vec<Problem>) -> RawSettings {
        let mut settings = RawSettings::default();
        for (key, value) in table.get_ref() {
            problems.extend(self.setting(key, value, &mut settings).err());
        }
        settings
    }

    fn setting(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        settings: &mut RawSettings,
    ) -> Result<(), Problem> {
        let name = key.get_ref().as_ref();
        if name == "param" {
            return self.params(value, settings);
        }
        if PARAM_FLAGS.iter().any(|flag| flag.name == name) {
            return self.param(name, value, settings);
        }
        if OF_A_NODE.contains(&name) {
            return Ok(());
        }
        if name == "protocol" {
            settings.set("protocol", self.scalar(value)?, self.origin(value.span()));
            return Ok(());
        }
        let Some(setting) = Settings::row(name) else {
            let known = ["protocol"].into_iter().chain(Settings::TABLE.iter().map(|setting| setting.name));
            let known = known.chain(PARAM_FLAGS.map(|flag| flag.name)).chain(["param"]);
            return Err(Problem::Unknown {
                origin: self.origin(key.span()),
                what: "key",
                name: name.to_string(),
                known: known.chain(OF_A_NODE).map(str::to_string).collect(),
            });
        };
        let written = if setting.shape == ValueShape::List { self.list(value)? } else { self.scalar(value)? };
        settings.set(setting.name, written, self.origin(value.span()));
        Ok(())
    }

    fn place(&self, bytes: Range<usize>) -> SourceLocation {
        SourceLocation::new(self.path, self.text, bytes)
    }

    pub(crate) fn origin(&self, bytes: Range<usize>) -> SettingOrigin {
        SettingOrigin::File(Box::new(self.place(bytes)))
    }

    pub(crate) fn refused(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> Problem {
        let why = format!("expected {expected}, found a value of type {}", value.get_ref().type_str());
        Problem::Value { origin: self.origin(value.span()), why }
    }

    /// The text that a flag would have.
    pub(crate) fn scalar(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Problem> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().replace('_', "")),
            DeValue::Boolean(truth) => Ok(truth.to_string()),
            _ => Err(self.refused(value, "a text in quotes, a whole number, or true or false")),
        }
    }

    /// The text that a flag would have, with commas between the items.
    fn list(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Problem> {
        match value.get_ref() {
            DeValue::Array(items) => {
                let items: Result<Vec<String>, Problem> =
                    items.iter().map(|item| self.scalar(item)).collect();
                Ok(items?.join(","))
            }
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.refused(value, "a list of texts such as [\"p0\", \"p1\"]")),
        }
    }

    fn params(&self, value: &Spanned<DeValue<'_>>, settings: &mut RawSettings) -> Result<(), Problem> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.refused(value, "a table [param]"));
        };
        for (name, value) in table {
            self.param(name.get_ref(), value, settings)?;
        }
        Ok(())
    }

    fn param(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        settings: &mut RawSettings,
    ) -> Result<(), Problem> {
        // What each process proposes may be a list.
        let listed = name == "values" && matches!(value.get_ref(), DeValue::Array(_));
        let text = if listed { self.list(value)? } else { self.scalar(value)? };
        let given = RawValue { value: text, origin: self.origin(value.span()) };
        match settings.params.insert(name.to_string(), given) {
            None => Ok(()),
            Some(_) => {
                let why = format!("{name} is given twice: as a key and in [param]; leave one of them out");
                Err(Problem::Value { origin: self.origin(value.span()), why })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<RawSettings, Problem> {
        parse(Path::new("s.toml"), text)
    }

    #[test]
    fn every_kind_of_value_becomes_the_text_of_its_flag() {
        let text = "protocol = \"ring\"\nn = 3\nsymmetry = true\ncrashable = [\"p0\", \"p1\"]\n\
                    [param]\ntimeout = 1_0\n";
        let settings = settings(text).expect("a scenario");
        let of = |name| settings.given(name).map(|given| given.value.as_str());
        assert_eq!(of("protocol"), Some("ring"));
        assert_eq!(of("n"), Some("3"));
        assert_eq!(of("symmetry"), Some("true"));
        assert_eq!(of("crashable"), Some("p0,p1"));
        assert_eq!(settings.params["timeout"].value, "10");
    }

    #[test]
    fn parameters_with_a_flag_of_their_own_are_keys_too() {
        let read = settings("tmin = 4\ncorrected = true\n[param]\ntmax = 10\n").expect("a scenario");
        let of = |name: &str| read.params[name].value.clone();
        assert_eq!([of("tmin"), of("tmax"), of("corrected")], ["4", "10", "true"]);
        let twice = settings("tmin = 4\n[param]\ntmin = 5\n").unwrap_err().to_string();
        assert!(twice.contains("tmin is given twice"), "{twice}");
    }

    #[test]
    fn the_tables_of_a_node_say_nothing_about_a_check() {
        let plain = "protocol = \"ring\"\nn = 3\n";
        let node = format!("{plain}[node]\nprocess = 1\n[peers]\np0 = \"?\"\n[[keys]]\nid = 1\n");
        assert_eq!(settings(&node), settings(plain));
        let slip = settings(&format!("{plain}[nodes]\n")).unwrap_err().to_string();
        assert!(slip.contains("no key `nodes`; did you mean `node`?"), "{slip}");
    }

    #[test]
    fn an_unknown_key_is_shown_with_its_place_and_a_proposal() {
        let problem = settings("n = 3\n chanel = \"block:1\"\n").unwrap_err().to_string();
        let expected = "s.toml, line 2, column 2: there is no key `chanel`; did you mean `channel`?\n  \
                        |\n2 |  chanel = \"block:1\"\n  |  ^^^^^^\n";
        assert!(problem.starts_with(expected), "{problem}");
    }

    #[test]
    fn what_is_not_toml_is_shown_with_its_place() {
        let problem = settings("n = 3\ncrashes = = 1\n").unwrap_err();
        assert!(
            matches!(&problem, Problem::Value { origin: SettingOrigin::File(at), .. } if (at.line, at.column) == (2, 11)),
            "{problem}"
        );
    }

    #[test]
    fn values_of_the_wrong_type_are_shown_with_their_place() {
        for (text, column) in [("n = 1.5", 5), ("n = [3]", 5), ("property = 3", 12), ("param = 1", 9)] {
            let problem = settings(text).unwrap_err();
            assert!(
                problem.to_string().starts_with(&format!("s.toml, line 1, column {column}: expected ")),
                "{problem}"
            );
        }
    }
}
