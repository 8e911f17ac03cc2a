//! The command line that gives a verdict again: normalised, with whatever a scenario file or the
//! environment said spelled out, so that it needs neither.

use crate::raw_settings::RawSettings;
use std::fmt;
use watchkeeper::settings::{SettingRow, ValueShape};
use watchkeeper::{PARAM_FLAGS, Settings};

/// A command line that is being put together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine(String);

impl CommandLine {
    /// A program and its first words.
    pub fn new(program: &str, words: &[&str]) -> CommandLine {
        let words: Vec<String> = [program].iter().chain(words).map(|word| quoted(word)).collect();
        CommandLine(words.join(" "))
    }

    /// Adds a flag with a value.
    pub fn flag(&mut self, name: &str, value: impl fmt::Display) {
        self.0.push_str(&format!(" --{name} {}", quoted(&value.to_string())));
    }

    /// Adds a flag with a value, if there is one.
    pub fn maybe(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.flag(name, value);
        }
    }

    /// Adds a parameter of the protocol, by its own flag if it has one.
    pub fn param(&mut self, name: &str, text: &str) {
        match PARAM_FLAGS.iter().find(|param| param.name == name) {
            Some(param) => self.text(name, param.shape, text),
            None => self.flag("param", format!("{name}={text}")),
        }
    }

    /// Adds a setting as it is written.
    pub(crate) fn setting(&mut self, row: &SettingRow, text: &str) {
        self.text(row.name, row.shape, text);
    }

    /// Adds those settings that are wanted as they were given, in the order of their table, and all parameters.
    pub(crate) fn raw_settings(&mut self, settings: &RawSettings, wanted: impl Fn(&str) -> bool) {
        for row in Settings::TABLE.iter().filter(|row| wanted(row.name)) {
            if let Some(given) = settings.given(row.name) {
                self.setting(row, &given.value);
            }
        }
        settings.params.iter().for_each(|(name, given)| self.param(name, &given.value));
    }

    /// Adds some of the settings, in the order of their table.
    pub(crate) fn settings(&mut self, settings: &Settings, which: impl Fn(&SettingRow) -> bool) {
        for row in Settings::TABLE.iter().filter(|row| which(row)) {
            if let Some(text) = (row.write)(settings) {
                self.setting(row, &text);
            }
        }
    }

    fn text(&mut self, name: &str, shape: ValueShape, text: &str) {
        match (shape, text) {
            (ValueShape::Switch, "true") => self.switch(name),
            (ValueShape::Switch, _) => self.switch(&format!("{name}={text}")),
            _ => self.flag(name, text),
        }
    }

    /// Adds a flag without a value.
    pub fn switch(&mut self, name: &str) {
        self.0.push_str(&format!(" --{name}"));
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=/+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a line as [`CommandLine`] writes it; `None` if a quotation does not end. Nothing else that a shell knows has a
/// meaning here.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut chars = line.chars();
    let mut word: Option<String> = None;
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_misread_them() {
        let mut line = CommandLine::new("watchkeeper", &["check", "ring"]);
        line.flag("n", 3);
        line.flag("param", "name=it's");
        line.maybe("seed", None::<u64>);
        line.switch("symmetry");
        line.param("tmin", "4");
        line.param("corrected", "true");
        line.param("round", "2");
        assert_eq!(
            line.to_string(),
            r"watchkeeper check ring --n 3 --param 'name=it'\''s' --symmetry --tmin 4 --corrected --param round=2"
        );
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn what_is_written_is_read_as_the_same_words() {
        let all = ["watchkeeper", "regions", "it's", "", "a b", "tmax <= 16*tmin", "\\", "--x='y'", "\u{e9}"];
        let line = CommandLine::new(all[0], &all[1..]).to_string();
        assert_eq!(words(&line).as_deref(), Some(&all.map(str::to_string)[..]));
        assert_eq!((words("a 'b"), words("a \\"), words("  ")), (None, None, Some(Vec::new())));
    }
}
