//! Doors for the crate `hostile`, which puts foreign bytes to the parsers of this one and looks at what they make of them. They
//! are the parsers that every command uses; nobody else has use for them, and they may change at any time.

use crate::again;
use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::cluster::asking;
use crate::command_line::CommandLine;
use crate::commands::replay::followed;
use crate::daemon::{Endpoint, Setup, console, overview};
use crate::measuring::NetworkFlags;
use crate::page;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry;
use crate::{node_file, recording_file, scenario_file};
use clap::{Args, FromArgMatches};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use watchkeeper::Problem;
use watchkeeper::built_in::MembershipLive;
use watchkeeper::erased::NamedProtocol;
use watchkeeper::search_options::SearchOptions;
use watchkeeper_sim::quality::DelayTrace;
use watchkeeper_web::{Answered, Explorer};
use watchkeeper_world::{FaultLimits, RecordedRun};

/// What the files are called; none is opened.
const FILE: &str = "hostile.toml";

/// The command line that says what a scenario file says, normalised; or what is wrong with the file.
pub fn scenario(program: &Program, text: &str) -> Result<String, String> {
    let settings = scenario_file::parse(Path::new(FILE), text).map_err(shown)?;
    line(program, &settings).map_err(shown)
}

/// The same from the words of such a command line, without the name of the program and of the command.
pub fn flags(program: &Program, words: &[String]) -> Result<String, String> {
    let command = ScenarioArgs::augment_args(clap::Command::new("check").no_binary_name(true));
    let matches =
        SearchArgs::augment_args(command).try_get_matches_from(words).map_err(|why| why.to_string())?;
    let scenario = ScenarioArgs::from_arg_matches(&matches).map_err(|why| why.to_string())?;
    let search = SearchArgs::from_arg_matches(&matches).map_err(|why| why.to_string())?;
    let settings = search.settings().over(scenario.settings().map_err(shown)?);
    line(program, &settings).map_err(shown)
}

fn line(program: &Program, settings: &RawSettings) -> Result<String, Problem> {
    let given = settings.given("protocol");
    let given = given.ok_or_else(|| Problem::Usage("name a protocol".to_string()))?;
    let entry = registry::find(&program.entries, &given.value, &given.origin)?;
    let values = settings.read()?;
    let (plan, options) = (entry.protocol.plan(&values)?, SearchOptions::of(&values)?);
    let mut line = CommandLine::new("watchkeeper", &["check", entry.name()]);
    again::plan_flags(&mut line, &plan);
    settings.params.iter().for_each(|(name, given)| line.param(name, given.value.trim()));
    again::search_flags(&mut line, &options);
    Ok(line.to_string())
}

/// What a node file describes, in a few words; or all that is wrong with it.
pub fn node(program: &Program, text: &str) -> Result<String, Vec<String>> {
    let loaded = node_file::parse(Path::new(FILE), text, program);
    let loaded = loaded.map_err(|problems| problems.into_iter().map(shown).collect::<Vec<_>>())?;
    let node_file::NodeFile { node, peers, keys, .. } = &loaded.file;
    Ok(format!(
        "{} of {} at {}, {peers:?}, keys {:?}",
        node.identity,
        loaded.entry.name(),
        node.bind,
        keys.ids()
    ))
}

/// What came of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayOutcome {
    /// It is none.
    Refused(String),
    /// It is one, of so many steps, with these warnings; but it cannot be held against a model.
    Read(usize, Vec<String>, String),
    /// It was held against its model.
    Replayed(usize, Vec<String>),
}

/// Reads a recording, and replays it if it has at most `most` steps.
pub fn recording(program: &Program, bytes: &[u8], most: usize) -> ReplayOutcome {
    let mut warnings = Vec::new();
    let path = Path::new("hostile.ndjson");
    let (header, recording) = match recording_file::parse(path, bytes, &mut warnings) {
        Ok(read) => read,
        Err(problem) => return ReplayOutcome::Refused(problem.to_string()),
    };
    let steps = recording.steps.len();
    if steps == 0 || steps > most {
        return ReplayOutcome::Read(steps, warnings, String::new());
    }
    let (tick, precision) = (header.tick, header.tick / 2);
    let replayed = header.below(RawSettings::default(), path).and_then(|settings| {
        let given = settings.given("protocol");
        let given = given.ok_or_else(|| Problem::Usage("name a protocol".to_string()))?;
        let entry = registry::find(&program.entries, &given.value, &given.origin)?;
        let limits = FaultLimits::default();
        let mut run = RecordedRun {
            recordings: vec![recording],
            tick,
            precision,
            limits,
            shown: 3,
            confirm: RecordedRun::CONFIRM,
        };
        followed(entry, &settings, &mut run).map(drop)
    });
    match replayed {
        Ok(()) => ReplayOutcome::Replayed(steps, warnings),
        Err(problem) => ReplayOutcome::Read(steps, warnings, problem.to_string()),
    }
}

/// A node that runs and can be asked over HTTP.
pub struct RunningEndpoint(Endpoint);

impl RunningEndpoint {
    /// A node of this file, which must be one of `membership-live`; `None` if it cannot run.
    pub fn start(program: &Program, text: &str) -> Option<RunningEndpoint> {
        let loaded = node_file::parse(Path::new(FILE), text, program).ok()?;
        let typed = NamedProtocol::<MembershipLive>::all().into_iter().next()?;
        let protocol = typed.protocol(&loaded.node_plan.plan).ok()?;
        let again = || Err(Vec::new());
        let setup = Setup { file: loaded.file, node_plan: loaded.node_plan, record: None, again: &again };
        Endpoint::start(typed.live(), protocol, &setup).map(RunningEndpoint)
    }

    /// What it answers to somebody who says this and then nothing more.
    pub fn answer(&self, said: &[u8]) -> Vec<u8> {
        self.0.answer(said)
    }
}

/// How many messages a trace has, and its longest delay in nanoseconds.
pub fn trace(text: &str) -> Result<(usize, u64), String> {
    let trace = DelayTrace::read(text).map_err(|why| why.to_string())?;
    Ok((trace.len(), trace.longest()))
}

/// Reads the texts of `--delay`, `--loss`, `--burst` and `--slow` of a cluster of five, one to a line.
pub fn network(text: &str) -> Result<(), String> {
    let mut texts = text.split('\n').map(|text| Some(text.to_string()).filter(|text| !text.is_empty()));
    let mut next = || texts.next().flatten();
    let flags =
        NetworkFlags { delay: next(), loss: next(), burst: next(), slow: next(), ..NetworkFlags::default() };
    flags.profile().and_then(|_| flags.slow(5)).map(drop).map_err(shown)
}

/// What `status` prints of the answer of whatever server there is.
pub fn status(answer: &str) -> Result<String, String> {
    let body = console::answered(answer, true).map_err(|why| why.to_string())?;
    let status = serde_json::from_str(&body).map_err(|_| "no JSON".to_string())?;
    // What `cluster` reads of it must not fail either.
    let _ = asking::NodeView::of(&status);
    overview(&status).ok_or_else(|| "no status".to_string())
}

/// Opens a space for a page, as a page asks for it, and gives what the page is told of it.
pub fn opened(program: &Program, explorer: &Explorer, body: &Value) -> Answered {
    let clients = body["clients"].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
    page::opened(program, explorer, &page::PageScenario::of(body)?, clients)
}

/// What a page is told of files that were dropped on it.
pub fn imported(program: &Program, body: &Value) -> Answered {
    page::upload(program, body).map(|imported| imported.answer)
}

/// What a link says: the protocol, its settings, and what is said of the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkText {
    /// The protocol.
    pub protocol: String,
    /// The settings, by name.
    pub settings: BTreeMap<String, String>,
    /// The rest, by name: the run and what is shown of it.
    pub page: Vec<(String, String)>,
    /// What stands behind the `#` of the address that says the same.
    pub fragment: String,
}

/// Reads a link of a page.
pub fn link(text: &str) -> Option<LinkText> {
    let (scenario, page) = page::of_link(text)?;
    let fragment = page::fragment(&scenario, &page);
    Some(LinkText { protocol: scenario.protocol, settings: scenario.settings, page, fragment })
}

/// The command line that asks what a link asks, as the page shows it; `None` if it is no link.
pub fn link_command(program: &Program, text: &str) -> Option<Result<String, String>> {
    let (scenario, _) = page::of_link(text)?;
    Some(scenario.planned(program).map(|planned| planned.check(program)).map_err(shown))
}

fn shown(problem: Problem) -> String {
    problem.to_string()
}
