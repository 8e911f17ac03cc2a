//! The protocols that a program knows by name. Each is a subject whose type is forgotten here; what is
//! kept is what a command needs of it.

use crate::command_line::CommandLine;
use crate::job::Job;
use crate::plan::Plan;
use crate::problem::{Origin, Problem};
use crate::question::{COMMON, OF_DETECTORS, pose};
use crate::settings::Settings;
use crate::subject::{Param, Params, Subject};
use watchkeeper_logic::ExitCode;

/// A protocol that is known by name.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) params: &'static [Param],
    /// The names of its properties, with what they say.
    pub(crate) properties: Vec<(&'static str, &'static str)>,
    /// Checks it.
    pub(crate) check: fn(&str, &Settings, &Job) -> Result<ExitCode, Problem>,
}

impl Entry {
    /// The entry of a subject.
    pub(crate) fn of<S: Subject>() -> Entry {
        let own = S::PROPERTIES.iter().map(|property| (property.name, property.about));
        let detectors = OF_DETECTORS.into_iter().filter(|_| S::SUSPECTS.is_some());
        Entry {
            name: S::NAME,
            about: S::ABOUT,
            params: S::PARAMS,
            properties: COMMON.into_iter().chain(detectors).chain(own).collect(),
            check: check_subject::<S>,
        }
    }

    /// The protocol as a person reads about it.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("{}\n    {}\n", self.name, self.about);
        let width = |rows: &mut dyn Iterator<Item = usize>| rows.max().unwrap_or(0);
        if !self.params.is_empty() {
            out.push_str("  Parameters (--param NAME=VALUE):\n");
            let wide = width(&mut self.params.iter().map(|param| param.name.len()));
            for Param { name, about, default } in self.params {
                out.push_str(&format!("    {name:wide$}  {about} [default: {default}]\n"));
            }
        }
        out.push_str("  Properties (--property NAME,NAME):\n");
        let wide = width(&mut self.properties.iter().map(|(name, _)| name.len()));
        for (name, about) in &self.properties {
            out.push_str(&format!("    {name:wide$}  {about}\n"));
        }
        out
    }
}

/// The entry of this name.
pub(crate) fn find<'a>(entries: &'a [Entry], name: &str, origin: &Origin) -> Result<&'a Entry, Problem> {
    entries.iter().find(|entry| entry.name == name).ok_or_else(|| Problem::Unknown {
        origin: origin.clone(),
        what: "protocol",
        name: name.to_string(),
        known: entries.iter().map(|entry| entry.name.to_string()).collect(),
    })
}

/// The plan of the settings for a subject.
pub(crate) fn plan<S: Subject>(settings: &Settings) -> Result<Plan, Problem> {
    let own: Vec<&str> = S::PROPERTIES.iter().map(|property| property.name).collect();
    Plan::of(settings, S::PROCESSES, &own)
}

fn check_subject<S: Subject>(program: &str, settings: &Settings, job: &Job) -> Result<ExitCode, Problem> {
    let plan = plan::<S>(settings)?;
    let params = Params::of(S::PARAMS, settings)?;
    let protocol = S::build(plan.scenario.n, &params)?;
    let mut line = CommandLine::new(program, &["check", S::NAME]);
    plan.add_to(&mut line);
    let defaults = |name: &str| S::PARAMS.iter().find(|param| param.name == name).map(|param| param.default);
    for (name, text) in params.texts().filter(|(name, text)| defaults(name) != Some(text)) {
        line.flag("param", format!("{name}={text}"));
    }
    job.effort.add_to(&mut line);
    let (world, question) = pose(protocol, &plan)?;
    job.solve(&world, &question, &line.to_string())
}
