//! The first line of a recording: what was run, as whom, by which clock, and with which settings of the model.

use super::line::object;
use crate::raw_settings::{RawSettings, RawValue};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use watchkeeper::{Problem, SettingOrigin, Settings};
use watchkeeper_core::Pid;
use watchkeeper_runtime::recording_line::{HeaderLine, RECORDING_MARK, RECORDING_VERSION};

/// The first line of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RecordingHeader {
    pub(crate) protocol: String,
    /// The value of `--n`.
    pub(crate) n: u64,
    pub(crate) process: Pid,
    /// Its name, in an open cluster.
    pub(crate) name: Option<String>,
    pub(crate) incarnation: u64,
    pub(crate) cluster: String,
    pub(crate) clock: String,
    /// Nanoseconds per unit of the model's time.
    pub(crate) tick: u64,
    /// The settings of the model, by their names on the command line; parameters as `param.NAME`.
    pub(crate) settings: BTreeMap<String, String>,
}

/// As much of a first line as tells whether the rest can be read.
#[derive(Deserialize)]
struct HeaderMark {
    watchkeeper: Option<String>,
    version: Option<u64>,
}

impl RecordingHeader {
    pub(crate) fn parse(bytes: &[u8]) -> Result<RecordingHeader, String> {
        let HeaderMark { watchkeeper, version } = object(bytes)?;
        if watchkeeper.as_deref() != Some(RECORDING_MARK) {
            return Err(
                "this is not a recording: its first line should say \"watchkeeper\":\"recording\"".into()
            );
        }
        if version != Some(RECORDING_VERSION) {
            let other = version.map_or("without a number".to_string(), |version| version.to_string());
            return Err(format!(
                "version {other} of recordings is not known here, only {RECORDING_VERSION}; replay it with the program \
                 that recorded it"
            ));
        }
        let HeaderLine { protocol, n, process, name, incarnation, cluster, clock, tick, settings, .. } =
            object(bytes)?;
        if !(1..=1 << 50).contains(&tick) {
            return Err(format!("a tick of {tick} ns is not possible"));
        }
        let settings = settings.into_iter().collect();
        Ok(RecordingHeader { protocol, n, process, name, incarnation, cluster, clock, tick, settings })
    }

    /// What two recordings of one run cannot differ in, if they do.
    pub(crate) fn difference(&self, other: &RecordingHeader) -> Option<String> {
        let say = |what: &str, one: &str, other: &str| Some(format!("{what} ({one} and {other})"));
        if self.protocol != other.protocol {
            return say("the protocol", &self.protocol, &other.protocol);
        }
        if self.n != other.n {
            return say("n", &self.n.to_string(), &other.n.to_string());
        }
        if self.cluster != other.cluster {
            return say("the cluster", &self.cluster, &other.cluster);
        }
        if self.tick != other.tick {
            return say("the tick", &format!("{} ns", self.tick), &format!("{} ns", other.tick));
        }
        let names = self.settings.keys().chain(other.settings.keys());
        let mut differing = names.filter(|name| self.settings.get(*name) != other.settings.get(*name));
        let name = differing.next()?;
        let text =
            |settings: &BTreeMap<String, String>| settings.get(name).cloned().unwrap_or("nothing".into());
        say(name, &text(&self.settings), &text(&other.settings))
    }

    /// The settings of the model that was run, below those that flags have given.
    pub(crate) fn below(&self, flags: RawSettings, path: &Path) -> Result<RawSettings, Problem> {
        let mut settings = RawSettings::default();
        let origin = || SettingOrigin::Argument(format!("{}, line 1", path.display()));
        settings.set("protocol", self.protocol.as_str(), origin());
        settings.set("n", self.n.to_string(), origin());
        let untimed = flags.given("time").is_some_and(|given| given.value.trim() == "untimed");
        let delayed = flags.given("delay").is_some() || flags.given("round-trip").is_some();
        for (name, text) in &self.settings {
            let given = RawValue { value: text.clone(), origin: origin() };
            if let Some(param) = name.strip_prefix("param.") {
                settings.params.insert(param.to_string(), given);
                continue;
            }
            let Some(setting) = Settings::row(name) else {
                return Err(Problem::Unknown {
                    origin: origin(),
                    what: "setting",
                    name: name.clone(),
                    known: Settings::TABLE.iter().map(|setting| setting.name.to_string()).collect(),
                });
            };
            // A flag that chooses another kind of time takes the bounds of the old kind away.
            let timed = ["delay", "round-trip", "processing", "simultaneous"].contains(&setting.name);
            let bound = ["delay", "round-trip"].contains(&setting.name);
            if !(untimed && timed || delayed && bound || setting.name == "property") {
                settings.set(setting.name, text.as_str(), origin());
            }
        }
        Ok(flags.over(settings))
    }
}
