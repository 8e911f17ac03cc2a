//! The file while it is being read: what was found to be wrong with it so far, and how a key becomes a value. A value
//! that cannot be is told and then treated as if it were not there, so that the rest can be looked at too.

use crate::raw_settings::RawValue;
use crate::scenario_file::TomlFile;
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::Pid;
use zeroize::Zeroizing;

/// A node file that is being read.
pub(super) struct Reading<'a> {
    pub(super) file: &'a TomlFile<'a>,
    pub(super) table: &'a DeTable<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<String>,
}

/// One of its tables.
#[derive(Clone)]
pub(super) struct Section<'a> {
    /// How it is written in the file.
    pub(super) name: &'static str,
    pub(super) table: &'a DeTable<'a>,
    pub(super) span: Range<usize>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(file: &'a TomlFile<'a>, table: &'a DeTable<'a>) -> Reading<'a> {
        Reading { file, table, problems: Vec::new(), warnings: Vec::new() }
    }

    /// All that was found, once the file has been read.
    pub(super) fn finish(self) -> (Vec<Problem>, Vec<String>) {
        (self.problems, self.warnings)
    }

    /// Something is not there at all, so that there is no line to show.
    pub(super) fn missing(&mut self, why: String) {
        let origin = SettingOrigin::Argument(self.file.path.display().to_string());
        self.problems.push(Problem::Value { origin, why });
    }

    /// Something at this place is wrong.
    pub(super) fn refuse(&mut self, at: Range<usize>, why: impl fmt::Display) {
        self.problems.push(Problem::Value { origin: self.file.origin(at), why: why.to_string() });
    }

    /// A value is wrong.
    pub(super) fn refuse_value(&mut self, given: &RawValue, why: impl fmt::Display) {
        self.problems.push(given.refused(why));
    }

    /// The table of this key; `sample` shows what it could be.
    pub(super) fn section(
        &mut self,
        key: &str,
        name: &'static str,
        about: &str,
        sample: &str,
    ) -> Option<Section<'a>> {
        match self.table.get(key) {
            None => {
                self.missing(format!("the table {name} is missing: {about}, such as\n{sample}"));
                None
            }
            Some(value) => self.as_section(value, name),
        }
    }

    /// The table of this key if it is there and is one; nothing is told if not.
    pub(super) fn opened(&self, key: &str, name: &'static str) -> Option<Section<'a>> {
        let value = self.table.get(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(Section { name, table, span: value.span() }),
            _ => None,
        }
    }

    pub(super) fn as_section(
        &mut self,
        value: &'a Spanned<DeValue<'a>>,
        name: &'static str,
    ) -> Option<Section<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Section { name, table, span: value.span() }),
            _ => {
                self.problems.push(self.file.refused(value, &format!("a table {name}")));
                None
            }
        }
    }

    /// Tells of keys of a table that do not exist.
    pub(super) fn only(&mut self, section: &Section<'_>, known: &[&str]) {
        for (key, _) in section.table {
            if !known.contains(&key.get_ref().as_ref()) {
                self.problems.push(Problem::Unknown {
                    origin: self.file.origin(key.span()),
                    what: "key",
                    name: key.get_ref().to_string(),
                    known: known.iter().map(|name| name.to_string()).collect(),
                });
            }
        }
    }

    /// What a key says, if it is there.
    pub(super) fn given(&mut self, section: &Section<'_>, key: &str) -> Option<RawValue> {
        let value = section.table.get(key)?;
        match self.file.scalar(value) {
            Ok(text) => Some(RawValue { value: text, origin: self.file.origin(value.span()) }),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// The same of a value that must not be shown, neither in an error.
    pub(super) fn secret(&mut self, section: &Section<'_>, key: &str) -> Option<RawValue> {
        let span = section.table.get(key)?.span();
        let RawValue { value, .. } = self.given(section, key)?;
        let mut masked = Zeroizing::new(self.file.text.to_string());
        masked.replace_range(span.clone(), &"*".repeat(span.len()));
        let origin = TomlFile { path: self.file.path, text: &masked }.origin(span);
        Some(RawValue { value, origin })
    }

    /// What a key says that must be there; `needed` is what to add.
    pub(super) fn needed(&mut self, section: &Section<'_>, key: &str, needed: &str) -> Option<RawValue> {
        if section.table.get(key).is_none() {
            self.refuse(section.span.clone(), format!("{} has no key `{key}`: add {needed}", section.name));
        }
        self.given(section, key)
    }

    /// The value of what a key says.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, given: Option<&RawValue>) -> Option<T> {
        match given?.parsed() {
            Ok(value) => Some(value),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Tells if there is no such process among `n`.
    pub(super) fn process_exists(&mut self, (process, given): (Pid, &RawValue), n: usize) -> bool {
        let exists = process.index() < n;
        if !exists {
            let last = n.saturating_sub(1);
            self.refuse_value(given, format!("there is no {process}: the processes are p0 to p{last}"));
        }
        exists
    }
}

/// Where a problem is, to sort by; those without a line come first.
pub(super) fn place_of(problem: &Problem) -> (usize, usize) {
    match problem {
        Problem::Value { origin: SettingOrigin::File(place), .. }
        | Problem::Unknown { origin: SettingOrigin::File(place), .. } => (place.line, place.column),
        _ => (0, 0),
    }
}

/// An address as users write it.
pub(super) struct Address(pub(super) SocketAddr);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |_| {
            format!(
                "`{text}` is not an address; write an IP address and a port, such as 127.0.0.1:7100 or [::1]:7100"
            )
        };
        text.parse().map(Address).map_err(wrong)
    }
}

/// A time that may be none at all.
pub(super) struct WaitTime(pub(super) Duration);

impl FromStr for WaitTime {
    type Err = String;

    fn from_str(text: &str) -> Result<WaitTime, String> {
        if text.trim_end_matches(char::is_alphabetic).trim() == "0" && text != "0" {
            return Ok(WaitTime(Duration::ZERO));
        }
        text.parse::<watchkeeper::quantities::TimeSpan>().map(|span| WaitTime(span.0))
    }
}
