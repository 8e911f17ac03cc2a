//! What a page names: a protocol and settings by their names, as texts. They are the words of a command line, so a page is
//! refused what a terminal is refused, with the same sentence.

use crate::again;
use crate::arguments::CheckArgs;
use crate::commands::check::named_around;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry::{self, ProtocolEntry};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{ExploredSpace, PARAM_FLAGS, Problem, SettingOrigin, Settings};
use watchkeeper_core::Pid;
use watchkeeper_web::{OpenedSpace, WebProblem};
use watchkeeper_world::WorldTime;

/// A protocol and what is said about it, as texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PageScenario {
    pub(crate) protocol: String,
    pub(crate) settings: BTreeMap<String, String>,
}

/// A scenario that is read: its protocol and its plan.
pub(crate) struct PlannedScenario<'a> {
    pub(crate) entry: &'a ProtocolEntry,
    pub(crate) plan: CheckPlan,
    pub(crate) options: SearchOptions,
}

impl PageScenario {
    /// What a request names.
    pub(crate) fn of(body: &Value) -> Result<PageScenario, WebProblem> {
        let wrong =
            || WebProblem::bad("the request needs the keys protocol, a text, and settings, texts by name");
        // A word that begins so would be a flag of the command that the request becomes.
        let protocol = body.get("protocol").and_then(Value::as_str).filter(|name| !name.starts_with('-'));
        let protocol = protocol.ok_or_else(wrong)?.to_string();
        let mut settings = BTreeMap::new();
        for (name, value) in body.get("settings").and_then(Value::as_object).ok_or_else(wrong)? {
            settings.insert(name.clone(), value.as_str().ok_or_else(wrong)?.to_string());
        }
        Ok(PageScenario { protocol, settings })
    }

    /// What was said about a protocol on a command line or in a file.
    pub(crate) fn given(entry: &ProtocolEntry, given: &RawSettings) -> PageScenario {
        let rows = Settings::TABLE.iter().filter_map(|row| Some((row.name, given.given(row.name)?)));
        let rows = rows.map(|(name, text)| (name.to_string(), text.value.clone()));
        let params = given.params.iter().map(|(name, text)| (name.clone(), text.value.clone()));
        PageScenario { protocol: entry.name().to_string(), settings: rows.chain(params).collect() }
    }

    /// This scenario with one more setting, or another value of it.
    pub(crate) fn with(&self, name: &str, text: impl Into<String>) -> PageScenario {
        let mut other = self.clone();
        other.settings.insert(name.to_string(), text.into());
        other
    }

    /// The settings for the page.
    pub(crate) fn json(&self) -> Value {
        let texts = self.settings.iter().map(|(name, text)| (name.clone(), json!(text)));
        Value::Object(texts.collect::<Map<_, _>>())
    }

    /// The fragment of the address that opens it.
    pub(crate) fn fragment(&self) -> String {
        let pairs: Vec<String> =
            self.settings.iter().map(|(name, text)| format!("{}={}", encoded(name), encoded(text))).collect();
        format!("{}?{}", encoded(&self.protocol), pairs.join("&"))
    }

    /// The words of a command about it, without the name of the program.
    pub(crate) fn words(&self, command: &str) -> Vec<String> {
        let mut words = vec![command.to_string(), self.protocol.clone()];
        for (name, text) in &self.settings {
            let flag = Settings::row(name).is_some() || PARAM_FLAGS.iter().any(|flag| flag.name == name);
            match flag {
                true => words.push(format!("--{name}={text}")),
                false => words.push(format!("--param={name}={text}")),
            }
        }
        words
    }

    /// Reads it as the command line of `check` would be read.
    pub(crate) fn planned<'a>(&self, program: &'a Program) -> Result<PlannedScenario<'a>, Problem> {
        // A command would take a name that it does not know for a flag or a scenario file; here it must be a protocol.
        let origin = SettingOrigin::Argument(String::new());
        registry::find(&program.entries, &self.protocol, &origin)?;
        let words: Vec<String> = std::iter::once(program.name.clone()).chain(self.words("check")).collect();
        let args: CheckArgs = program.args_of("check", &words)?;
        // A link means the same whatever the environment says.
        let bare = RawSettings::default();
        let (entry, given) = named_around(program, &args.scenario, &args.search, "explore", bare)?;
        let settings = given.read()?;
        let options = SearchOptions::of(&settings)?;
        Ok(PlannedScenario { entry, plan: entry.protocol.plan(&settings)?, options })
    }
}

impl PlannedScenario<'_> {
    /// The spaces to step through, each with what clients ask in it.
    pub(crate) fn opened(&self) -> Result<Vec<(String, OpenedSpace)>, Problem> {
        let processes: Vec<String> = Pid::all(self.plan.scenario.n).map(|p| p.to_string()).collect();
        let spaces = self.entry.protocol.explored(&self.plan)?.into_iter();
        let open = |one: ExploredSpace| {
            (one.clients, OpenedSpace::new(one.space, processes.clone()).asking(one.question))
        };
        Ok(spaces.map(open).collect())
    }

    /// The model of time, by its name.
    pub(crate) fn time(&self) -> &'static str {
        match self.plan.scenario.time {
            WorldTime::Untimed => "untimed",
            WorldTime::Ticks(_) => "ticks",
            WorldTime::Dense(_) => "dense",
        }
    }

    /// The command `check` that asks the same.
    pub(crate) fn check(&self, program: &Program) -> String {
        again::check(&program.name, self.entry.outline(), &self.plan, &self.options)
    }
}

/// The part of an address behind its `#` that opens a scenario, and says what the page shows of it.
pub(crate) fn fragment(scenario: &PageScenario, page: &[LinkPart]) -> String {
    let pair = |(name, text): &LinkPart| format!("&{}={}", encoded(name), encoded(text));
    format!("{}{}", scenario.fragment(), page.iter().map(pair).collect::<String>())
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b',' | b'/' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// A part of an address as text.
fn decoded(text: &str) -> Option<String> {
    let (mut out, mut bytes) = (Vec::new(), text.bytes());
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                out.push((high << 4 | low) as u8);
            }
            other => out.push(other),
        }
    }
    String::from_utf8(out).ok()
}

/// What a link says of the page, by name; there may be several columns.
pub(crate) type LinkPart = (String, String);

/// The scenario of a link, and what it says of the page: the run and the rest.
pub(crate) fn of_link(link: &str) -> Option<(PageScenario, Vec<LinkPart>)> {
    let (_, fragment) = link.split_once('#')?;
    let fragment = match fragment.strip_prefix("token=") {
        Some(rest) => rest.split_once('&')?.1,
        None => fragment,
    };
    let (protocol, pairs) = fragment.split_once('?').unwrap_or((fragment, ""));
    let mut scenario = PageScenario { protocol: decoded(protocol)?, ..PageScenario::default() };
    let mut page = Vec::new();
    for pair in pairs.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=')?;
        let (name, text) = (decoded(name)?, decoded(text)?);
        let own = ["run", "loop", "at", "only", "col", "tab", "times", "clients"].contains(&name.as_str());
        match own {
            true => page.push((name, text)),
            false => drop(scenario.settings.insert(name, text)),
        }
    }
    Some((scenario, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_read_from_its_own_link() {
        let scenario = PageScenario {
            protocol: "ring".into(),
            settings: [("n", "3"), ("ltl", "G (crashed(p1) -> F x) & 100%"), ("channel", "block:1")]
                .map(|(name, text)| (name.to_string(), text.to_string()))
                .into(),
        };
        let link = format!("http://127.0.0.1:7000/#token=abc&{}&run=AAAAAAAA.BBBBBBBB", scenario.fragment());
        let (read, page) = of_link(&link).expect("a link");
        assert_eq!(read, scenario);
        assert_eq!(page, [("run".to_string(), "AAAAAAAA.BBBBBBBB".to_string())]);
        let columns = "#ring?n=3&col=crashed(p0)&col=crashed(p1)";
        let (scenario, page) = of_link(columns).expect("a link");
        assert_eq!(page.len(), 2);
        assert_eq!(of_link(&format!("#{}", fragment(&scenario, &page))).expect("a link").1, page);
        assert_eq!(of_link("#ring").map(|(read, _)| read.protocol), Some("ring".into()));
        assert_eq!(of_link("ring"), None);
        assert_eq!(of_link("#ring?n=%zz"), None);
        assert_eq!(of_link("#ring?n=%+3"), None, "a sign is no digit");
    }
}
